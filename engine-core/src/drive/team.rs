//! A whole APHID team in one process: the master on the caller's thread, slaves on their own.
//!
//! For programs that bring their own game and want all cores of one machine; a cluster of machines
//! is the business of the `master` and `worker` crates.

use std::io;
use std::sync::Arc;
use std::sync::mpsc;

use crate::aphid::Frontier;
use crate::aphid::master::{Config, Master, Output, Pace, SlaveId};
use crate::dts::Tuning;
use crate::game::Game;
use crate::search::Profile;
use crate::search::deepen::Request;
use crate::search::report::Report;
use crate::splitter::Splitter;
use crate::table::Table;

use super::analysis::Thinkers;
use super::gang::{Hiring, unprepared};
use super::pool::{Settings, SlavePool};

/// Nodes of the master's tree between two looks at what slaves have to say.
const SLICE: u64 = 2_000;

/// How a team works.
#[derive(Debug, Clone, Copy)]
pub struct Team {
    /// Slaves; 0: search without APHID.
    pub slaves: usize,
    /// Threads of each, or of the search without APHID, that share one tree by DTS; at least 1.
    pub threads: usize,
    /// Table of each, in MB.
    pub table_mb: usize,
    /// How positions are searched.
    pub profile: Profile,
    /// Where the master's tree ends.
    pub frontier: Frontier,
}

/// Searches `request` to its end.
///
/// # Errors
/// The system refuses a thread, or every slave has died of a bug in the game.
pub fn analyse<G: Game>(team: Team, request: Request<G>) -> io::Result<Report<G>> {
    if team.slaves == 0 {
        return alone(team, request);
    }
    let (bell, rung) = mpsc::sync_channel(1);
    let start = |_| {
        let bell = bell.clone();
        SlavePool::new(Settings {
            threads: team.threads,
            leaf_threads: 0,
            splitter: Splitter::default(),
            table: Arc::new(Table::new(team.table_mb)),
            exchange: None,
            prepare: unprepared(),
            notify: Box::new(move || {
                // A full bell is already ringing.
                let _ = bell.try_send(());
            }),
        })
    };
    let pools: Vec<SlavePool<G>> = (0..team.slaves).map(start).collect::<io::Result<_>>()?;
    // Nothing is lost between threads, so nobody is ever told anything twice.
    let config = Config { refresh: u64::MAX, ..Config::new(1, team.frontier) };
    let mut master = Master::new(config);
    for index in 0..pools.len() {
        master.join(SlaveId(index as u64), 1);
    }
    master.begin(request, team.profile, true);
    let mut heard = Vec::new();
    loop {
        for (index, pool) in pools.iter().enumerate() {
            pool.drain_output(&mut heard);
            for message in heard.drain(..) {
                master.handle(SlaveId(index as u64), message, 0);
            }
            if pool.crashed() {
                master.leave(SlaveId(index as u64));
            }
        }
        let pace = master.work(SLICE, 0);
        while let Some(output) = master.poll_output() {
            match output {
                Output::ToSlave { slave, message } => pools[slave.0 as usize].handle(message),
                Output::Info(_) => {}
                Output::Finished(report) => return Ok(report),
            }
        }
        if pace == Pace::Waiting {
            if pools.iter().all(SlavePool::crashed) {
                return Err(io::Error::other("every slave has died"));
            }
            // The bell lives as long as the pools.
            let _ = rung.recv();
        }
    }
}

/// All threads search one tree from the root.
fn alone<G: Game>(team: Team, request: Request<G>) -> io::Result<Report<G>> {
    let mut thinkers = Thinkers::new(Hiring {
        threads: team.threads,
        splitter: Splitter::default(),
        tuning: Tuning::threads(),
        table: Arc::new(Table::new(team.table_mb)),
        prepare: unprepared(),
    })?;
    thinkers.begin(request, team.profile, true);
    thinkers.finish()
}
