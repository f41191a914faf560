//! Bring your own game: Connect Four in an afternoon, searched sequentially and by an APHID team.
//!
//! `cargo run --release -p engine-core --example own_game`

use engine_core::aphid::Frontier;
use engine_core::drive::team::{Team, analyse};
use engine_core::game::{Game, Malformed, Outcome};
use engine_core::line::Line;
use engine_core::search::Profile;
use engine_core::search::deepen::Request;
use engine_core::value::{Unit, Value};

/// Seven columns of seven bits, the top bit always empty; the mover's stones and all stones.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct ConnectFour {
    mine: u64,
    all: u64,
}

const BOTTOM: u64 = 0x0000_0408_1020_4081;
const BOARD: u64 = BOTTOM * 0b11_1111;

impl ConnectFour {
    fn theirs(self) -> u64 {
        self.all ^ self.mine
    }

    fn four_in_a_row(stones: u64) -> bool {
        [1, 6, 7, 8].into_iter().any(|step| {
            let pairs = stones & (stones >> step);
            pairs & (pairs >> (2 * step)) != 0
        })
    }
}

impl Game for ConnectFour {
    /// A column, 0 to 6.
    type Move = u8;

    const NAME: &'static str = "connect-four";
    const UNIT: Unit = Unit::Centipawns;
    const HISTORY_SLOTS: usize = 7;

    fn start() -> Self {
        Self { mine: 0, all: 0 }
    }

    fn for_each_move(&self, visit: impl FnMut(u8)) {
        if !Self::four_in_a_row(self.theirs()) {
            (0..7).filter(|column| self.all >> (column * 7 + 5) & 1 == 0).for_each(visit);
        }
    }

    fn play(&mut self, column: u8) {
        self.mine = self.theirs();
        self.all |= self.all + (1 << (column * 7));
    }

    fn key(&self) -> u64 {
        // One stone above every column makes the pair a single number, which is then spread.
        let unique = self.mine.wrapping_add(self.all).wrapping_add(BOTTOM);
        let spread = (unique ^ (unique >> 32)).wrapping_mul(0x9e37_79b9_7f4a_7c15);
        spread ^ (spread >> 29)
    }

    fn outcome(&self) -> Outcome {
        if Self::four_in_a_row(self.theirs()) { Outcome::Loss } else { Outcome::Draw }
    }

    fn evaluate(&self) -> Value {
        let centre = |stones: u64| (stones & (0b11_1111 << 21)).count_ones() as Value;
        10 * (centre(self.mine) - centre(self.theirs()))
    }

    fn order(&self, column: u8, _depth: i32) -> i32 {
        -100 * i32::from(column).abs_diff(3) as i32
    }

    fn is_quiet(&self, _: u8) -> bool {
        true
    }

    fn history_slot(&self, column: u8) -> usize {
        column.into()
    }

    fn pack_move(&self, column: u8) -> u16 {
        u16::from(column) + 1
    }

    fn unpack_move(&self, bits: u16) -> Option<u8> {
        self.moves().into_iter().find(|&column| self.pack_move(column) == bits)
    }

    fn encode(&self, out: &mut Vec<u8>) {
        out.extend([self.mine, self.all].map(u64::to_le_bytes).concat());
    }

    fn decode(bytes: &[u8]) -> Result<Self, Malformed> {
        let words = bytes.as_chunks::<8>();
        let (&[mine, all], []) = words else { return Err(Malformed::new("16 bytes expected")) };
        let [mine, all] = [mine, all].map(u64::from_le_bytes);
        let sound = all & !BOARD == 0 && mine & !all == 0;
        sound.then_some(Self { mine, all }).ok_or_else(|| Malformed::new("no such board"))
    }

    fn parse(text: &str) -> Result<Self, Malformed> {
        // The columns played from the start, "334" say.
        let digits = text.chars().map(|digit| digit.to_string());
        let moves: Vec<String> = digits.collect();
        let line = Line::from_moves(Self::start(), moves.iter().map(String::as_str))?;
        Ok(line.position)
    }

    fn text(&self) -> String {
        format!("{:x}/{:x}", self.mine, self.all)
    }

    fn parse_move(&self, text: &str) -> Result<u8, Malformed> {
        let column = text.parse().ok().filter(|column| self.moves().contains(column));
        column.ok_or_else(|| Malformed::new(format!("{text:?} is no free column")))
    }

    fn move_text(&self, column: u8) -> String {
        column.to_string()
    }
}

fn main() -> std::io::Result<()> {
    let line = Line::new(ConnectFour::parse("3333").unwrap_or_else(|_| ConnectFour::start()));
    for (slaves, threads) in [(0, 1), (0, 2), (2, 1)] {
        let (profile, frontier) = (Profile::Exact, Frontier::Auto);
        let team = Team { slaves, threads, table_mb: 16, profile, frontier };
        let report = analyse(team, Request::to_depth(line.clone(), 14))?;
        let (best, score) = (report.best_move(), report.score());
        println!(
            "{slaves} slaves, {threads} threads: column {best:?}, {score}, {} nodes",
            report.nodes
        );
    }
    Ok(())
}
