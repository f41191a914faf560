//! Entries as bytes, for the wire.
//!
//! | bytes | hold, little endian |
//! |---|---|
//! | 0–7 | key, whole: a shortened one would make other positions answer |
//! | 8–9 | packed move, 0 = none |
//! | 10–11 | value, signed, −32000..=32000, counted from the position itself |
//! | 12 | depth in plies, 1..=127 |
//! | 13 | bound: 1 lower, 2 upper, 3 exact |
//! | 14–15 | zero |

use crate::table::Entry;
use crate::value::{Bound, INFINITY, MAX_PLY};

use super::notes::Note;

/// Length of an entry.
pub const PACKED_BYTES: usize = 16;

/// What bytes from elsewhere held.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct Unpacked {
    /// Entries in range.
    pub notes: Vec<Note>,
    /// Entries out of range, and a last one that is incomplete.
    pub malformed: usize,
}

/// Entries as bytes, [`PACKED_BYTES`] each.
pub fn pack(notes: &[Note]) -> Vec<u8> {
    let mut bytes = Vec::with_capacity(notes.len() * PACKED_BYTES);
    for Note { key, entry } in notes {
        bytes.extend_from_slice(&key.to_le_bytes());
        bytes.extend_from_slice(&entry.mv.to_le_bytes());
        bytes.extend_from_slice(&(entry.value as i16).to_le_bytes());
        bytes.extend_from_slice(&[entry.depth, entry.bound as u8, 0, 0]);
    }
    bytes
}

/// Entries from bytes of any origin. Whether a move is legal only its position can tell; the
/// search looks before it plays one.
pub fn unpack(bytes: &[u8]) -> Unpacked {
    let mut unpacked = Unpacked::default();
    let chunks = bytes.chunks_exact(PACKED_BYTES);
    unpacked.malformed += usize::from(!chunks.remainder().is_empty());
    for chunk in chunks {
        match note(chunk) {
            Some(note) => unpacked.notes.push(note),
            None => unpacked.malformed += 1,
        }
    }
    unpacked
}

fn note(chunk: &[u8]) -> Option<Note> {
    let &[ref key @ .., mv0, mv1, value0, value1, depth, bound, 0, 0] = chunk else { return None };
    let key = u64::from_le_bytes(key.try_into().ok()?);
    let value = i32::from(i16::from_le_bytes([value0, value1]));
    let bound = match bound {
        1 => Bound::Lower,
        2 => Bound::Upper,
        3 => Bound::Exact,
        _ => return None,
    };
    let in_range = (1..MAX_PLY).contains(&usize::from(depth)) && value.abs() <= INFINITY;
    let mv = u16::from_le_bytes([mv0, mv1]);
    in_range.then_some(Note { key, entry: Entry { mv, value, depth, bound } })
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::random::SplitMix64;

    fn some_note() -> Note {
        let entry = Entry { mv: 0x1234, value: -321, depth: 9, bound: Bound::Upper };
        Note { key: 0x0123_4567_89ab_cdef, entry }
    }

    #[test]
    fn what_is_packed_comes_out_again() {
        let mut notes = Vec::new();
        for bound in [Bound::Lower, Bound::Upper, Bound::Exact] {
            for value in [0, 1, -1, INFINITY, -INFINITY] {
                let entry = Entry { value, bound, ..some_note().entry };
                notes.push(Note { entry, ..some_note() });
            }
        }
        let bytes = pack(&notes);
        assert_eq!(bytes.len(), notes.len() * PACKED_BYTES);
        assert_eq!(unpack(&bytes), Unpacked { notes, malformed: 0 });
    }

    #[test]
    fn what_is_out_of_range_is_counted() {
        let whole = pack(&[some_note()]);
        let with = |at: usize, byte: u8| {
            let mut bytes = whole.clone();
            bytes[at] = byte;
            unpack(&bytes)
        };
        for (at, byte) in [(12, 0), (12, 128), (13, 0), (13, 4), (14, 1), (15, 1), (11, 0x80)] {
            assert_eq!(with(at, byte), Unpacked { notes: vec![], malformed: 1 }, "{at} {byte}");
        }
        for length in 1..PACKED_BYTES {
            assert_eq!(unpack(&whole[..length]).malformed, 1, "{length} bytes");
        }
        assert_eq!(unpack(&[]), Unpacked::default());
    }

    #[test]
    fn any_bytes_give_entries_in_range() {
        let mut random = SplitMix64::new(5);
        for _ in 0..2_000 {
            let length = random.below(200) as usize;
            let bytes: Vec<u8> = (0..length).map(|_| random.below(256) as u8).collect();
            let unpacked = unpack(&bytes);
            assert_eq!(unpacked.notes.len() + unpacked.malformed, length.div_ceil(PACKED_BYTES));
            assert_eq!(unpack(&pack(&unpacked.notes)).notes, unpacked.notes);
        }
    }
}
