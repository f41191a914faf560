//! The position the GUI has set up.

use engine_core::game::{Game, Malformed};
use engine_core::games::chess::Chess;
use engine_core::line::Line;

/// A position, as a search needs it and as it can be passed on.
#[derive(Debug)]
pub struct Board {
    /// Position after the last irreversible move.
    pub base: Chess,
    /// Moves played since: all that repetition rules can ask for.
    pub moves: Vec<String>,
    /// Where they lead to.
    pub line: Line<Chess>,
}

impl Board {
    /// The start of a game.
    pub fn start(chess960: bool) -> Self {
        let base = Chess::start().with_chess960(chess960);
        Self { line: Line::new(base.clone()), base, moves: Vec::new() }
    }

    /// Takes the whole position or, if anything is wrong with it, nothing of it. Without a FEN it is
    /// the start position.
    ///
    /// # Errors
    /// What is wrong with the FEN, or which move cannot be played.
    pub fn set(
        &mut self,
        fen: Option<&str>,
        mut moves: Vec<String>,
        chess960: bool,
    ) -> Result<(), Malformed> {
        let base = fen.map_or_else(|| Ok(Chess::start()), Chess::parse)?.with_chess960(chess960);
        let play =
            |moves: &[String]| Line::from_moves(base.clone(), moves.iter().map(String::as_str));
        let line = play(&moves)?;
        let recent = moves.split_off(moves.len() - line.history.len());
        *self = Self { base: play(&moves)?.position, moves: recent, line };
        Ok(())
    }

    /// Writes castling the Chess960 way, or not.
    pub fn write_chess960(&mut self, chess960: bool) {
        self.base = self.base.clone().with_chess960(chess960);
        self.line.position = self.line.position.clone().with_chess960(chess960);
    }

    /// The board for people, its FEN and its key.
    pub fn picture(&self) -> Vec<String> {
        let position = &self.line.position;
        let facts = [format!("Fen: {}", position.text()), format!("Key: {:016x}", position.key())];
        position.diagram().lines().map(str::to_owned).chain(facts).collect()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn only_the_moves_that_can_be_repeated_are_kept() {
        let words = |text: &str| text.split(' ').map(str::to_owned).collect::<Vec<_>>();
        let mut board = Board::start(false);
        let moves = words("e2e4 e7e5 g1f3 g8f6 f3g1 f6g8 g1f3");
        board.set(None, moves, false).unwrap();
        assert_eq!(board.moves, words("g1f3 g8f6 f3g1 f6g8 g1f3"));
        let again = board.moves.iter().map(String::as_str);
        assert_eq!(Line::from_moves(board.base.clone(), again).unwrap(), board.line);
        assert!(board.set(None, words("e2e4 e2e4"), false).is_err());
        assert_eq!(board.line.earlier_occurrences(), 1, "a refused position changes nothing");
    }
}
