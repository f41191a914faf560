//! Random game trees as a game: every position follows from a seed and the moves played.

use engine_core::game::{Game, Malformed, Outcome};
use engine_core::random::SplitMix64;
use engine_core::value::{Unit, Value};

/// A node of a random tree. Moves commute now and then, so nodes can be reached in several ways.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Tree {
    seed: u64,
    /// What the moves so far come to; their order does not matter.
    sum: u64,
    ply: u32,
    /// Static value for the side to move: the parent's, changed a little.
    value: Value,
}

impl Tree {
    /// The root of tree number `seed`.
    pub fn new(seed: u64) -> Self {
        Self { seed, sum: 0, ply: 0, value: 0 }
    }

    fn word(self, salt: u64) -> u64 {
        let mixed = SplitMix64::new(self.seed ^ self.sum.rotate_left(17)).next_u64();
        SplitMix64::new(mixed ^ (u64::from(self.ply) << 32) ^ salt).next_u64()
    }

    /// Number of moves: mostly a few, sometimes one, sometimes none, sometimes many.
    fn width(self) -> u8 {
        match self.word(1) % 16 {
            0 if self.ply > 0 => 0,
            0 | 1 => 1,
            2 => 14,
            few => 1 + (few % 6) as u8,
        }
    }
}

impl Game for Tree {
    type Move = u8;

    const NAME: &'static str = "tree";
    const UNIT: Unit = Unit::Centipawns;
    const HISTORY_SLOTS: usize = 16;

    fn start() -> Self {
        Self::new(0)
    }

    fn for_each_move(&self, visit: impl FnMut(u8)) {
        (0..self.width()).for_each(visit);
    }

    fn play(&mut self, mv: u8) {
        // What a move does depends on the tree alone, so two moves come to the same in any order;
        // the value is made a function of where they lead.
        self.sum = self.sum.wrapping_add(SplitMix64::new(self.seed ^ u64::from(mv)).next_u64());
        self.ply += 1;
        self.value = (self.word(2) % 61) as Value - 30;
    }

    fn key(&self) -> u64 {
        self.word(3)
    }

    fn outcome(&self) -> Outcome {
        match self.word(4) % 4 {
            0 | 1 => Outcome::Loss,
            2 => Outcome::Draw,
            _ => Outcome::Margin((self.word(5) % 400) as Value - 200),
        }
    }

    fn evaluate(&self) -> Value {
        self.value
    }

    fn order(&self, mv: u8, _depth: i32) -> i32 {
        // Knows a little about what is good.
        let noise = (self.word(6 + u64::from(mv)) % 40) as i32;
        noise - self.after(mv).value
    }

    fn is_quiet(&self, mv: u8) -> bool {
        !mv.is_multiple_of(3)
    }

    fn history_slot(&self, mv: u8) -> usize {
        mv.into()
    }

    fn pack_move(&self, mv: u8) -> u16 {
        u16::from(mv) + 1
    }

    fn unpack_move(&self, bits: u16) -> Option<u8> {
        self.moves().into_iter().find(|&mv| self.pack_move(mv) == bits)
    }

    fn encode(&self, out: &mut Vec<u8>) {
        out.extend(self.text().bytes());
    }

    fn decode(bytes: &[u8]) -> Result<Self, Malformed> {
        Self::parse(&String::from_utf8_lossy(bytes))
    }

    fn parse(text: &str) -> Result<Self, Malformed> {
        let seed = text.parse().map_err(|_| Malformed::new("a number expected"))?;
        Ok(Self::new(seed))
    }

    fn text(&self) -> String {
        self.seed.to_string()
    }

    fn parse_move(&self, text: &str) -> Result<u8, Malformed> {
        let mv = text.parse().ok().filter(|mv| self.moves().contains(mv));
        mv.ok_or_else(|| Malformed::new(format!("{text:?} is no move here")))
    }

    fn move_text(&self, mv: u8) -> String {
        mv.to_string()
    }
}
