//! Ways to let several processors of one shared memory search one tree, behind one face.
//!
//! A [`Splitter`] makes a [`Crew`] of [`Processor`]s. Whoever drives them – the threads of
//! [`drive`](crate::drive), or [`Lockstep`](lockstep::Lockstep) in virtual time – knows no more
//! about them than this.
//!
//! - [`dts`](crate::dts): Dynamic Tree Splitting, the default
//! - `lazy`, `abdada`: everybody searches the whole tree; `crowd` and `rounds` are what they
//!   share, `marks` is what ABDADA adds
//! - `pv_split`, `epvs`, `help_at_all`: split points by other rules than those of DTS; `posted` is
//!   what they share
//! - [`lockstep`]: all processors on one thread, in virtual time

mod abdada;
mod crowd;
mod epvs;
mod help_at_all;
mod lazy;
pub mod lockstep;
mod marks;
pub(crate) mod posted;
mod pv_split;
mod rounds;

use std::fmt;
use std::ops::Add;
use std::sync::Arc;

use crate::dts::{Member, Tuning};
use crate::game::Game;
use crate::search::{Answer, Profile, Task};
use crate::sharing::Notes;
use crate::table::Table;

use abdada::Abdada;
use epvs::Epvs;
use help_at_all::HelpAtAll;
use lazy::Lazy;
use posted::Posted;
use pv_split::PvSplit;

/// How a tree is shared out.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub enum Splitter {
    /// Dynamic Tree Splitting.
    #[default]
    Dts,
    /// Lazy SMP: everybody searches the whole tree.
    Lazy,
    /// The same, but a move that somebody is searching is put off.
    Abdada,
    /// Help at ALL nodes: the owner of a split point waits for its helpers.
    HelpAtAll,
    /// Principal variation splitting.
    PvSplit,
    /// Enhanced principal variation splitting.
    Epvs,
}

/// Called when an idle processor may find work, with no lock held. It must return at once.
pub type Stir = Arc<dyn Fn() + Send + Sync>;

/// What a crew is made of.
#[derive(Clone)]
pub struct Plan {
    /// Number of processors, at least 1.
    pub processors: usize,
    /// The search they do.
    pub profile: Profile,
    /// The table they share.
    pub table: Arc<Table>,
    /// Where they split.
    pub tuning: Tuning,
    /// Wakes idle ones.
    pub stir: Stir,
}

/// The processors that search one tree together, and what they have in common.
pub struct Crew<G: Game> {
    /// The processors. Any of them may be moved to a thread of its own.
    pub processors: Vec<Box<dyn Processor<G>>>,
    /// What they share.
    pub group: Arc<dyn Group>,
}

/// One of the processors that search one tree together.
pub trait Processor<G: Game>: Send + fmt::Debug {
    /// Begins a search, as the only one at work. All others of the crew must be at rest; from now
    /// on they find work.
    fn start(&mut self, task: Task<G>);

    /// Searches about `budget` more nodes, or less if it runs out of work; without work, looks for
    /// some.
    fn work(&mut self, budget: u64) -> Progress<G>;

    /// Stops at once and comes to rest. Returns the best root move of the unfinished search, if
    /// this processor knows one.
    fn abort(&mut self) -> Option<Answer<G>>;

    /// Nodes searched since the processor was made.
    fn nodes(&self) -> u64;

    /// Greatest ply reached since it was last asked, which it must be at rest for.
    fn take_deepest(&mut self) -> usize;

    /// What its searcher has noted for other workers.
    fn notes(&mut self) -> Option<&mut Notes>;

    /// What it has done since it was last asked, besides searching.
    fn take_chores(&mut self) -> Chores;
}

/// What became of a processor's stretch of work.
#[derive(Debug)]
pub enum Progress<G: Game> {
    /// There may be more to do.
    Working,
    /// It has found no work.
    Idle,
    /// The search is over: nobody has work any more, or may be stopped.
    Finished(Answer<G>),
}

/// What the processors of one search share, as far as others need to know.
pub trait Group: Send + Sync {
    /// How often things happened since the crew was made.
    fn counts(&self) -> Counts;
    /// Split blocks in use, or marks of moves being searched; 0 between searches.
    fn blocks_in_use(&self) -> usize;
}

/// Work that searches nothing, for a driver that wants to charge for it.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub struct Chores {
    /// Copies of a tree made or taken.
    pub copies: u64,
    /// Messages read.
    pub messages: u64,
}

/// How often things happened.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub struct Counts {
    /// HELP broadcasts.
    pub helps: u64,
    /// Split points chosen.
    pub attempts: u64,
    /// Split points made.
    pub splits: u64,
    /// Processors that joined a split point.
    pub joins: u64,
    /// Better values told to the other members of a split point.
    pub shares: u64,
    /// Processors stopped in mid-search because a cut-off made their work pointless.
    pub stops: u64,
    /// Nodes they had searched since they last took a move at a split point.
    pub stopped_nodes: u64,
    /// Moves put off because somebody else was searching them.
    pub put_off: u64,
}

impl Add for Counts {
    type Output = Self;

    fn add(self, other: Self) -> Self {
        Self {
            helps: self.helps + other.helps,
            attempts: self.attempts + other.attempts,
            splits: self.splits + other.splits,
            joins: self.joins + other.joins,
            shares: self.shares + other.shares,
            stops: self.stops + other.stops,
            stopped_nodes: self.stopped_nodes + other.stopped_nodes,
            put_off: self.put_off + other.put_off,
        }
    }
}

impl Splitter {
    /// All there are.
    pub const ALL: [Splitter; 6] = [
        Splitter::Dts,
        Splitter::HelpAtAll,
        Splitter::Lazy,
        Splitter::Abdada,
        Splitter::PvSplit,
        Splitter::Epvs,
    ];

    /// Name on command lines.
    pub const fn name(self) -> &'static str {
        match self {
            Splitter::Dts => "dts",
            Splitter::Lazy => "lazy",
            Splitter::Abdada => "abdada",
            Splitter::HelpAtAll => "help-at-all",
            Splitter::PvSplit => "pv-split",
            Splitter::Epvs => "epvs",
        }
    }

    /// The splitter of that name.
    pub fn from_name(name: &str) -> Option<Self> {
        Self::ALL.into_iter().find(|splitter| splitter.name() == name)
    }

    /// A crew at rest.
    pub fn crew<G: Game>(self, plan: &Plan) -> Crew<G> {
        match self {
            Splitter::Dts => crew_of(Member::team(plan)),
            Splitter::Lazy => crew_of(Lazy::crew(plan)),
            Splitter::Abdada => crew_of(Abdada::crew(plan)),
            Splitter::HelpAtAll => crew_of(Posted::<G, HelpAtAll>::crew(plan)),
            Splitter::PvSplit => crew_of(Posted::<G, PvSplit>::crew(plan)),
            Splitter::Epvs => crew_of(Posted::<G, Epvs>::crew(plan)),
        }
    }
}

/// Processors of one kind, as processors of any kind.
fn crew_of<G, T, P>((group, processors): (Arc<T>, Vec<P>)) -> Crew<G>
where
    G: Game,
    T: Group + 'static,
    P: Processor<G> + 'static,
{
    let boxed = |processor| Box::new(processor) as Box<dyn Processor<G>>;
    Crew { processors: processors.into_iter().map(boxed).collect(), group }
}

/// For drivers without anybody to wake.
pub fn nobody() -> Stir {
    Arc::new(|| {})
}
