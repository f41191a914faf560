//! Chess positions and moves as bytes and text, there and back, and nothing else accepted.

mod chess_support;

use chess_support::for_each_random_position;
use engine_core::game::{Game, Malformed};
use engine_core::games::chess::Chess;
use engine_core::line::Line;
use engine_core::random::SplitMix64;

/// The longest byte form: 32 pieces.
const MAX_BYTES: usize = 31;

fn encoded(position: &Chess) -> Vec<u8> {
    let mut bytes = Vec::new();
    position.encode(&mut bytes);
    bytes
}

#[test]
fn positions_survive_bytes_and_text() {
    let (mut positions, mut en_passant, mut chess960) = (0, 0, 0);
    for_each_random_position(90, |position, _| {
        let bytes = encoded(position);
        assert!(bytes.len() <= MAX_BYTES, "{position:?} takes {} bytes", bytes.len());
        let decoded = Chess::decode(&bytes).unwrap();
        assert_eq!(&decoded, position);
        assert_eq!(decoded.key(), position.key());
        assert_eq!(decoded.text(), position.text());
        assert_eq!(encoded(&decoded), bytes);

        let text = position.text();
        let parsed = Chess::parse(&text).unwrap();
        assert_eq!(&parsed, position);
        assert_eq!(parsed.key(), position.key());
        assert_eq!(parsed.text(), text);

        positions += 1;
        en_passant += usize::from(text.split(' ').nth(3) != Some("-"));
        chess960 += usize::from(position.is_chess960());
    });
    assert!(positions > 5_000, "only {positions} positions");
    assert!(en_passant > 20, "only {en_passant} with en passant");
    assert!(chess960 > 1_000, "only {chess960} in Chess960");
}

#[test]
fn moves_survive_bits_and_text() {
    for_each_random_position(45, |position, _| {
        for mv in position.moves() {
            let bits = position.pack_move(mv);
            assert_ne!(bits, 0);
            assert_eq!(position.unpack_move(bits), Some(mv), "{mv} in {position:?}");
            let text = position.move_text(mv);
            assert_eq!(position.parse_move(&text), Ok(mv), "{text} in {position:?}");
        }
    });
}

#[test]
fn only_legal_moves_unpack() {
    for fen in [
        "r3k2r/p1ppqpb1/bn2pnp1/3PN3/1p2P3/2N2Q1p/PPPBBPPP/R3K2R w KQkq - 0 1",
        "n1n5/PPPk4/8/8/8/8/4Kppp/5N1N b - - 0 1",
        "8/5k2/8/2Pp4/2B5/1K6/8/8 w - d6 0 1",
    ] {
        let position = Chess::parse(fen).unwrap();
        let legal = position.moves();
        let unpacked: Vec<_> = (0..=u16::MAX).filter_map(|b| position.unpack_move(b)).collect();
        assert_eq!(unpacked.len(), legal.len(), "{fen}");
        assert!(legal.iter().all(|mv| unpacked.contains(mv)), "{fen}");
    }
}

#[test]
fn damaged_bytes_are_refused_or_another_position() {
    let (mut refused, mut accepted) = (0, 0);
    for_each_random_position(45, |position, random| {
        let mut bytes = encoded(position);
        for _ in 0..=random.below(3) {
            let index = random.below(bytes.len() as u64) as usize;
            bytes[index] ^= 1 << random.below(8);
        }
        bytes.truncate(bytes.len() - (random.below(8) / 7) as usize);
        match Chess::decode(&bytes) {
            // What decodes is a position that can be played on and written down again.
            Ok(other) => {
                accepted += 1;
                other.moves().into_iter().for_each(|mv| drop(other.after(mv).moves()));
                assert_eq!(Chess::decode(&encoded(&other)), Ok(other));
            }
            Err(Malformed(reason)) => {
                refused += 1;
                assert!(!reason.is_empty());
            }
        }
    });
    assert!(refused > 500 && accepted > 50, "{refused} refused, {accepted} accepted");
}

#[test]
fn random_bytes_never_panic() {
    let mut random = SplitMix64::new(7);
    for _ in 0..50_000 {
        let mut bytes: Vec<u8> = (0..random.below(40)).map(|_| random.below(256) as u8).collect();
        if let Some(version) = bytes.first_mut() {
            *version = 1;
        }
        assert!(Chess::decode(&bytes).is_err(), "{bytes:?}");
        let _ = Line::<Chess>::decode(&bytes);
    }
}

#[test]
fn castling_is_read_in_both_notations() {
    let standard = Chess::parse("r3k2r/8/8/8/8/8/8/R3K2R w KQkq - 0 1").unwrap();
    assert!(!standard.is_chess960());
    for (step, takes_rook) in [("e1g1", "e1h1"), ("e1c1", "e1a1")] {
        let mv = standard.parse_move(step).unwrap();
        assert_eq!(standard.parse_move(takes_rook), Ok(mv));
        assert_eq!(standard.move_text(mv), step);
        assert_eq!(standard.clone().with_chess960(true).move_text(mv), takes_rook);
    }
    // The king on f1: f1g1 is a step, castling is f1h1 only.
    let shuffled = Chess::parse("5k2/8/8/8/8/8/8/R4K1R w KQ - 0 1").unwrap();
    assert!(shuffled.is_chess960());
    let step = shuffled.parse_move("f1g1").unwrap();
    let castling = shuffled.parse_move("f1h1").unwrap();
    assert_ne!(step, castling);
    assert_eq!(shuffled.after(castling).text(), "5k2/8/8/8/8/8/8/R4RK1 b - - 1 1");
    assert_eq!(shuffled.after(step).text(), "5k2/8/8/8/8/8/8/R5KR b - - 1 1");
    assert!(shuffled.with_chess960(false).is_chess960(), "these rights need Chess960 notation");
}

#[test]
fn move_errors_tell_nonsense_from_illegal() {
    let position = Chess::parse("8/P6k/8/8/8/8/8/4K3 w - - 0 1").unwrap();
    for text in ["a7a8Q", "a7a8q", "a7a8N", "e1e2"] {
        assert!(position.parse_move(text).is_ok(), "{text}");
    }
    for text in ["", "e", "e1e", "e1e9", "0000", "a7a8k", "e1e2qq", "é1e2", "e1-e2", "O-O"] {
        let Malformed(reason) = position.parse_move(text).unwrap_err();
        assert!(reason.ends_with("is not a move"), "{text}: {reason}");
    }
    for text in ["e1e3", "a7a8", "e1e2q", "h7h6", "a1a2", "e1g1"] {
        let Malformed(reason) = position.parse_move(text).unwrap_err();
        assert!(reason.contains("is not legal here"), "{text}: {reason}");
    }
}
