//! The byte form and the hash key.

use super::{Colour, Othello};
use crate::game::Malformed;

/// Version of the byte form.
const FORMAT: u8 = 1;
/// Bytes of format 1: version, black and white (u64, little endian), mover (0 black, 1 white).
const LENGTH: usize = 18;

/// Appends the byte form.
pub fn encode(position: &Othello, out: &mut Vec<u8>) {
    out.push(FORMAT);
    out.extend_from_slice(&position.black().to_le_bytes());
    out.extend_from_slice(&position.white().to_le_bytes());
    out.push(position.mover() as u8);
}

/// Reads the byte form.
pub fn decode(bytes: &[u8]) -> Result<Othello, Malformed> {
    let &version =
        bytes.first().ok_or_else(|| Malformed::new("no bytes of an Othello position"))?;
    if version != FORMAT {
        return Err(Malformed::new(format!("Othello position in unknown format {version}")));
    }
    let Ok(&[_, ref discs @ .., mover]) = <&[u8; LENGTH]>::try_from(bytes) else {
        let length = bytes.len();
        return Err(Malformed::new(format!("Othello position of {length} bytes, not {LENGTH}")));
    };
    let mover = match mover {
        0 => Colour::Black,
        1 => Colour::White,
        other => return Err(Malformed::new(format!("side to move {other} is neither 0 nor 1"))),
    };
    let (words, _) = discs.as_chunks::<8>();
    let [black, white] = [0, 1].map(|word| u64::from_le_bytes(words[word]));
    Othello::new(black, white, mover)
        .ok_or_else(|| Malformed::new("a square holds both a black and a white disc"))
}

/// Mixes both bitboards and the side to move into 64 well-spread bits.
#[inline]
pub fn key(position: &Othello) -> u64 {
    let side = match position.mover {
        Colour::Black => 0,
        Colour::White => 0x6a09_e667_f3bc_c909,
    };
    let mut bits = position.own.wrapping_mul(0x9e37_79b9_7f4a_7c15)
        ^ position.opponent.wrapping_mul(0xc2b2_ae3d_27d4_eb4f).rotate_left(32)
        ^ side;
    bits = (bits ^ (bits >> 32)).wrapping_mul(0xd6e8_feb8_6659_fd93);
    bits = (bits ^ (bits >> 29)).wrapping_mul(0xa076_1d64_78bd_642f);
    bits ^ (bits >> 32)
}

#[cfg(test)]
mod tests {
    use std::collections::HashMap;

    use super::*;
    use crate::game::Game;
    use crate::games::othello::testing;

    #[test]
    fn every_position_of_random_games_survives_the_bytes() {
        for seed in 0..100 {
            for position in testing::random_game(seed) {
                let mut bytes = Vec::new();
                position.encode(&mut bytes);
                assert_eq!(Othello::decode(&bytes).unwrap(), position);
            }
        }
    }

    #[test]
    fn broken_bytes_are_refused_with_a_reason() {
        let mut good = Vec::new();
        Othello::start().encode(&mut good);
        let reason = |bytes: &[u8]| Othello::decode(bytes).unwrap_err().0;
        for length in 1..good.len() {
            assert!(reason(&good[..length]).contains("bytes"), "{length}");
        }
        assert!(reason(&[]).contains("no bytes"));
        assert!(reason(&[&good[..], &[0]].concat()).contains("19 bytes"));
        let with = |index: usize, byte: u8| {
            let mut bytes = good.clone();
            bytes[index] = byte;
            reason(&bytes)
        };
        assert!(with(0, 9).contains("format 9"));
        assert!(with(17, 2).contains("side to move 2"));
        assert!(with(4, 0x18).contains("both"));
    }

    #[test]
    fn keys_tell_positions_apart_in_every_part() {
        let mut seen = HashMap::new();
        for seed in 0..2_000 {
            for position in testing::random_game(seed) {
                let turned =
                    Othello::new(position.black(), position.white(), position.mover().other());
                for position in [Some(position), turned].into_iter().flatten() {
                    let known = seen.entry(position.key()).or_insert(position);
                    assert_eq!(*known, position, "one key for two positions");
                }
            }
        }
        // Tables index with the low bits and verify with the high ones: both must be spread out.
        for shift in [0, 48] {
            let distinct: std::collections::HashSet<u64> =
                seen.keys().map(|key| key >> shift & 0xffff).collect();
            assert!(distinct.len() > 60_000, "{} of 65536 values", distinct.len());
        }
    }

    #[test]
    fn the_key_of_the_start_is_the_same_everywhere() {
        assert_eq!(Othello::start().key(), 0xe344_6a70_97aa_53da);
    }
}
