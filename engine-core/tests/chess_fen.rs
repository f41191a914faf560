//! What FEN we read, what we refuse and why, and what we write.

use engine_core::game::{Game, Malformed};
use engine_core::games::chess::Chess;
use engine_core::random::SplitMix64;

const START: &str = "rnbqkbnr/pppppppp/8/8/8/8/PPPPPPPP/RNBQKBNR w KQkq - 0 1";
const STALEMATE: &str = "8/8/8/8/8/6k1/6p1/6K1 w - - 0 1";

#[test]
fn loose_forms_mean_the_exact_one() {
    for (loose, exact) in [
        ("startpos", START),
        ("  startpos\r\n", START),
        ("rnbqkbnr/pppppppp/8/8/8/8/PPPPPPPP/RNBQKBNR w KQkq -", START),
        ("\t rnbqkbnr/pppppppp/8/8/8/8/PPPPPPPP/RNBQKBNR  w  KQkq\t-   0  1 \r\n", START),
        ("rnbqkbnr/pppppppp/8/8/8/8/PPPPPPPP/RNBQKBNR w KQkq - 0 0", START),
        ("8/8/8/8/8/6k1/6p1/6K1 w - -", STALEMATE),
        ("8/8/8/8/8/6k1/6p1/6K1 w -", STALEMATE),
        ("8/8/8/8/8/6k1/6p1/6K1 w - - bm Kg2; id \"example\";", STALEMATE),
        ("8/8/8/8/8/6k1/6p1/6K1 w - - c0 12 13;", STALEMATE),
        ("8/8/8/8/8/6k1/6p1/6K1 w - - 0 1;", STALEMATE),
        ("8/8/8/8/8/6k1/6p1/6K1 w - - 0 1 id \"tail\";", STALEMATE),
        ("8/8/8/8/8/6k1/6p1/6K1 w - -;", STALEMATE),
        ("8/8/8/8/8/6k1/6p1/6K1 w - - ; bm Kg2;", STALEMATE),
        ("8/8/8/8/8/6k1/6p1/6K1 w - - 0 1 ;D1 0", STALEMATE),
        ("8/8/8/8/8/6k1/6p1/6K1 w - - 150 9999", "8/8/8/8/8/6k1/6p1/6K1 w - - 100 9999"),
    ] {
        assert_eq!(Chess::parse(loose).unwrap().text(), exact, "{loose:?}");
    }
}

#[test]
fn castling_fields_of_every_dialect() {
    for (read, written) in [
        // X-FEN: the outermost rook. It is not in the corner, so rook files are written.
        ("r1k1r2q/8/8/8/8/8/8/R1K1R2Q w KQkq - 0 1", "EAea"),
        ("1r2k1r1/8/8/8/8/8/8/1R2K1R1 w KQkq - 0 1", "GBgb"),
        ("1r2k1r1/8/8/8/8/8/8/1R2K1R1 w GBgb - 0 1", "GBgb"),
        // Shredder letters ask for Chess960 notation.
        ("r3k2r/8/8/8/8/8/8/R3K2R w HAha - 0 1", "HAha"),
        ("r3k2r/8/8/8/8/8/8/R3K2R w KQkq - 0 1", "KQkq"),
        ("r3k2r/8/8/8/8/8/8/R3K2R w qK - 0 1", "Kq"),
        ("r3k2r/8/8/8/8/8/8/R3K2R w KKQ - 0 1", "KQ"),
    ] {
        let text = Chess::parse(read).unwrap().text();
        assert_eq!(text.split(' ').nth(2), Some(written), "{read}");
    }
}

/// Text we refuse, and a part of the sentence that says why.
const REFUSED: &[(&str, &str)] = &[
    ("", "empty position"),
    ("  \t ", "empty position"),
    ("8/8/8/8", "board: 4 ranks instead of 8"),
    ("8/8/8/8/8/8/8/8/8 w - - 0 1", "board: 9 ranks"),
    ("4k3/9/8/8/8/8/8/4K3 w - - 0 1", "board: '9' on rank 7"),
    ("4k3/7/8/8/8/8/8/4K3 w - - 0 1", "board: rank 7 has 7 squares"),
    ("4k3/8p/8/8/8/8/8/4K3 w - - 0 1", "board: rank 7 has 9 squares"),
    ("4k3/8/8/8/8/8/8/4K2x w - - 0 1", "board: 'x' on rank 1"),
    ("4k3/8/8/8/8/8/8/4K2é w - - 0 1", "board: 'é' on rank 1"),
    ("8/8/8/8/8/8/8/4K3 w - - 0 1", "board: black has 0 kings"),
    ("4k3/8/8/8/8/8/8/3KK3 w - - 0 1", "board: white has 2 kings"),
    ("4k3/pppppppp/p7/8/8/8/8/4K3 w - - 0 1", "board: black has 9 pawns"),
    ("4k3/8/8/8/8/N7/QQQQQQQQ/QQQQKQQQ w - - 0 1", "board: white has 17 pieces"),
    ("P3k3/8/8/8/8/8/8/4K3 w - - 0 1", "board: a white pawn stands on a8"),
    ("4k3/8/8/8/8/8/8/p3K3 w - - 0 1", "board: a black pawn stands on a1"),
    ("8/8/8/8/8/8/3kK3/8 w - - 0 1", "the kings on e2 and d2 stand next to each other"),
    ("4k3/8/8/8/8/8/8/K3R3 w - - 0 1", "the side that is not to move is in check"),
    ("4k3/8/3N1N2/8/4Q3/8/8/4K3 b - - 0 1", "more than two pieces give check"),
    ("4k3/8/8/8/8/8/8/4K3", "side to move: missing"),
    ("4k3/8/8/8/8/8/8/4K3 x - - 0 1", "side to move: \"x\""),
    ("4k3/8/8/8/8/8/8/4K3 white - - 0 1", "side to move: \"white\""),
    ("4k3/8/8/8/8/8/8/4K3 w", "castling rights: missing"),
    ("4k3/8/8/8/8/8/8/4K3 w K - 0 1", "castling rights: there is no white rook for 'K'"),
    ("4k3/8/8/8/8/8/4K3/7R w K - 0 1", "the white king is not on its first rank"),
    ("r3k3/8/8/8/8/8/8/4K3 w h - 0 1", "there is no black rook for 'h'"),
    ("4k3/8/8/8/8/8/8/4K2R w E - 0 1", "there is no white rook for 'E'"),
    ("4k3/8/8/8/8/8/8/4K1RR w HG - 0 1", "castle on the same side"),
    ("4k3/8/8/8/8/8/8/4K2R w Kx - 0 1", "castling rights: 'x' is no right"),
    ("4k3/8/8/8/8/8/8/4K2R w -K - 0 1", "castling rights: '-' is no right"),
    ("4k3/8/8/8/8/8/8/4K3 w - z9 0 1", "en passant square: \"z9\" is no square"),
    ("rnbqkbnr/pppp2pp/5p2/3Pp3/8/8/PPP1PPPP/RNBQKBNR w KQkq e5 0 1", "e5 is not on rank 6"),
    ("4k3/8/8/8/8/8/8/4K3 w - - -1 1", "halfmove clock: \"-1\" is not a number"),
    ("4k3/8/8/8/8/8/8/4K3 w - - 0 -1", "fullmove number: \"-1\""),
    ("4k3/8/8/8/8/8/8/4K3 w - - 99999999999999 1", "halfmove clock: \"99999999999999\""),
    ("4k3/8/8/8/8/8/8/4K3 w - - 0 99999999999999", "fullmove number"),
    ("4k3/8/8/8/8/8/8/4K3 w - - 65536 1", "from 0 to 65535"),
    ("4k3/8/8/8/8/8/8/4K3 w - - 1.5 1", "halfmove clock: \"1.5\""),
];

#[test]
fn refusals_name_field_and_reason() {
    for &(text, reason) in REFUSED {
        match Chess::parse(text) {
            Ok(position) => panic!("{text:?} was read as {position:?}"),
            Err(Malformed(sentence)) => {
                assert!(sentence.contains(reason), "{text:?}: {sentence:?}, not {reason:?}");
            }
        }
    }
}

#[test]
fn refusals_stay_short() {
    let Malformed(sentence) =
        Chess::parse(&format!("8/8/8/8/8/8/8/8 {}", "w".repeat(1 << 20))).unwrap_err();
    assert!(sentence.len() < 100, "{} bytes", sentence.len());
}

/// FEN with an en passant square, whether it is kept, and the number of legal moves.
const EN_PASSANT: [(&str, bool, usize); 8] = [
    // In check from a knight that the double step cannot have discovered.
    ("k7/8/8/3pP3/8/7n/5K2/8 w - d6 0 1", false, 7),
    // The capture opens the diagonal to the king.
    ("8/5bk1/8/2Pp4/8/1K6/8/8 w - d6 0 1", false, 8),
    // In check from a queen that the double step cannot have discovered.
    ("8/8/8/1k6/3Pp3/8/8/4KQ2 b - d3 0 1", false, 5),
    // No pawn has just passed.
    ("rnbqkb1r/ppp3pp/3p1n2/3P4/8/2P5/PP3PPP/RNBQKB1R w KQkq e6 0 1", false, 36),
    // No pawn can capture.
    ("rnbqkbnr/pppppppp/8/8/4P3/8/PPPP1PPP/RNBQKBNR b KQkq e3 0 1", false, 20),
    // The capture leaves the fourth rank open to the rook.
    ("8/8/8/8/k1pP3R/8/8/4K3 b - d3 0 1", false, 6),
    // Real.
    ("4k3/8/8/8/Pp6/8/8/4K3 b - a3 0 1", true, 7),
    // In check from the pawn itself, which may be captured so.
    ("8/8/8/2k5/2pP4/8/8/4K3 b - d3 0 1", true, 8),
];

#[test]
fn en_passant_is_kept_only_where_it_can_be_played() {
    for (fen, kept, moves) in EN_PASSANT {
        let position = Chess::parse(fen).unwrap();
        assert_eq!(position.text() == fen, kept, "{fen}: {}", position.text());
        assert_eq!(position.moves().len(), moves, "{fen}");
        let without = fen.split(' ').enumerate();
        let without: Vec<_> = without.map(|(i, part)| if i == 3 { "-" } else { part }).collect();
        let plain = Chess::parse(&without.join(" ")).unwrap();
        assert_eq!(position.key() != plain.key(), kept, "{fen}");
        assert_eq!(position != plain, kept, "{fen}");
    }
}

#[test]
fn damaged_text_is_refused_or_another_position() {
    const LETTERS: &[u8] = b"pnbrqkPNBRQK12345678/ -wabcdefghKQkq90;\t";
    let valid = [
        "r3k2r/p1ppqpb1/bn2pnp1/3PN3/1p2P3/2N2Q1p/PPPBBPPP/R3K2R w KQkq - 0 1",
        "bqnb1rkr/pp3ppp/3ppn2/2p5/5P2/P2P4/NPP1P1PP/BQ1BNRKR w HFhf - 2 9",
        "8/8/8/2k5/2pP4/8/8/4K3 b - d3 0 1",
    ];
    let mut random = SplitMix64::new(3);
    let (mut refused, mut accepted) = (0, 0);
    for round in 0..30_000 {
        let mut text = valid[round % valid.len()].as_bytes().to_vec();
        for _ in 0..=random.below(3) {
            let index = random.below(text.len() as u64) as usize;
            text[index] = LETTERS[random.below(LETTERS.len() as u64) as usize];
        }
        let text = String::from_utf8(text).unwrap();
        match Chess::parse(&text) {
            Ok(position) => {
                accepted += 1;
                for mv in position.moves() {
                    position.after(mv).evaluate();
                }
                assert_eq!(Chess::parse(&position.text()), Ok(position), "{text}");
            }
            Err(Malformed(reason)) => {
                refused += 1;
                assert!(!reason.is_empty(), "{text}");
            }
        }
    }
    assert!(refused > 1_000 && accepted > 1_000, "{refused} refused, {accepted} accepted");
}
