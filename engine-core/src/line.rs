//! A position together with the game history that repetition rules need.

use crate::game::{Game, Malformed};

/// Byte-format version of [`Line::encode`].
const FORMAT: u8 = 1;

/// A position and the keys of the positions before it since the last irreversible move, oldest
/// first. This, not the bare position, is what a search starts from: the same position reached
/// over another history can have another value.
#[derive(Debug, Clone, PartialEq)]
pub struct Line<G: Game> {
    /// The position to think about.
    pub position: G,
    /// Keys of earlier positions that could repeat, oldest first, without the current one.
    pub history: Vec<u64>,
}

impl<G: Game> Line<G> {
    /// A position without known history.
    pub fn new(position: G) -> Self {
        Self { position, history: Vec::new() }
    }

    /// Plays a legal move, keeping only the history that can still matter.
    pub fn play(&mut self, mv: G::Move) {
        self.history.push(self.position.key());
        self.position.play(mv);
        let keep = (self.position.reversible_plies() as usize).min(self.history.len());
        self.history.drain(..self.history.len() - keep);
    }

    /// Plays moves given as text, from `position`.
    ///
    /// # Errors
    /// The first move that cannot be played, with its number.
    pub fn from_moves<'a>(
        position: G,
        moves: impl IntoIterator<Item = &'a str>,
    ) -> Result<Self, Malformed> {
        let mut line = Self::new(position);
        for (index, text) in moves.into_iter().enumerate() {
            let mv = line
                .position
                .parse_move(text)
                .map_err(|error| Malformed::new(format!("move {}: {error}", index + 1)))?;
            line.play(mv);
        }
        Ok(line)
    }

    /// How often the current position stood on the board before.
    pub fn earlier_occurrences(&self) -> usize {
        let key = self.position.key();
        self.history.iter().filter(|&&earlier| earlier == key).count()
    }

    /// Compact byte form: version, history length (u16, little endian), history keys (u64, little
    /// endian), position.
    pub fn encode(&self) -> Vec<u8> {
        let mut out = vec![FORMAT];
        out.extend_from_slice(&(self.history.len() as u16).to_le_bytes());
        for key in &self.history {
            out.extend_from_slice(&key.to_le_bytes());
        }
        self.position.encode(&mut out);
        out
    }

    /// Reads what [`encode`](Line::encode) wrote.
    ///
    /// # Errors
    /// An unknown version, a truncated history, or a malformed position.
    pub fn decode(bytes: &[u8]) -> Result<Self, Malformed> {
        let (&version, rest) =
            bytes.split_first().ok_or_else(|| Malformed::new("empty line of play"))?;
        if version != FORMAT {
            return Err(Malformed::new(format!("line of play in unknown format {version}")));
        }
        let (length, rest) =
            rest.split_first_chunk::<2>().ok_or_else(|| Malformed::new("truncated history"))?;
        let length = u16::from_le_bytes(*length) as usize;
        if rest.len() < length * 8 {
            return Err(Malformed::new("truncated history"));
        }
        let (keys, position) = rest.split_at(length * 8);
        let (keys, _) = keys.as_chunks::<8>();
        let history = keys.iter().map(|key| u64::from_le_bytes(*key)).collect();
        Ok(Self { position: G::decode(position)?, history })
    }
}
