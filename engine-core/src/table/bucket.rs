//! One cache line of entries, and who has to leave it.

use std::cmp::Ordering;

use super::Entry;
use super::slot::{Cell, Data, Slot};
use crate::value::Bound;

/// Entries in a bucket.
pub(super) const SLOTS: usize = 4;

/// Plies by which a bound must be shallower than the exact value it meets to be dropped.
/// A bound from nearly the same depth is worth having: the window has moved since, and the next
/// visit will ask about the new one. One from far below would cost a whole re-search.
const MUCH_SHALLOWER: u8 = 4;

/// The slots that a key may use: one cache line, so one miss serves a probe and its store.
/// All bits zero is an empty bucket.
#[repr(C, align(64))]
pub(super) struct Bucket<C = Slot> {
    pub(super) slots: [C; SLOTS],
}

const _: () = assert!(size_of::<Bucket>() == 64 && align_of::<Bucket>() == 64);

impl<C: Cell> Bucket<C> {
    /// What is stored under `key`.
    #[inline]
    pub(super) fn find(&self, key: u64) -> Option<Data> {
        self.slots.iter().map(C::load).find(|&(stored, _)| stored == key).map(|(_, data)| data)
    }

    /// The entry stored under `key`.
    #[inline]
    pub(super) fn probe(&self, key: u64) -> Option<Entry> {
        self.find(key)?.entry()
    }

    /// Where `key` belongs: in its slot or, if it has none, in the most expendable one.
    #[inline]
    fn place(&self, key: u64, generation: u8) -> Place<'_, C> {
        let (mut victim, mut most) = (&self.slots[0], 0);
        for slot in &self.slots {
            let (stored, old) = slot.load();
            if stored == key {
                return Place::Own(slot, old);
            }
            let expendable = expendability(old, generation);
            if expendable > most {
                (victim, most) = (slot, expendable);
            }
        }
        Place::Victim(victim, most)
    }

    /// Stores `entry`, as the search `generation`, over the entry of the same key or, if there is
    /// none, over the most expendable one.
    #[inline]
    pub(super) fn store(&self, key: u64, entry: Entry, generation: u8) {
        match self.place(key, generation) {
            Place::Own(slot, old) => {
                if let Some(new) = renew(old, entry, generation) {
                    slot.store(key, new);
                }
            }
            Place::Victim(slot, _) => slot.store(key, Data::new(entry, generation)),
        }
    }

    /// Stores what another worker found, unless its place is better used: by an entry of the same
    /// key that is as deep or an exact one of that depth, or by four that are all deeper and of
    /// this search. Returns whether it was stored.
    pub(super) fn admit(&self, key: u64, entry: Entry, generation: u8) -> bool {
        let new = Data::new(entry, generation).foreign();
        let (slot, better) = match self.place(key, generation) {
            Place::Own(slot, old) => (slot, improves(entry, old)),
            Place::Victim(slot, most) => (slot, most >= expendability(new, generation)),
        };
        if better {
            slot.store(key, new);
        }
        better
    }

    /// Empties every slot.
    pub(super) fn clear(&self) {
        self.slots.iter().for_each(C::clear);
    }
}

/// Where a key belongs.
enum Place<'a, C> {
    /// Here is its entry.
    Own(&'a C, Data),
    /// There is none; this slot is the most expendable, and so much.
    Victim(&'a C, u32),
}

/// Whether what another worker found is worth more than what stands under the same key: if it is
/// deeper, or as deep and tells what was not known.
fn improves(new: Entry, old: Data) -> bool {
    match new.depth.cmp(&old.depth()) {
        Ordering::Greater => true,
        Ordering::Equal => old.bound() != Some(Bound::Exact) && old.bound() != Some(new.bound),
        Ordering::Less => false,
    }
}

/// What the slot of a key holds after `new` met `old` there; none if it stays as it is.
///
/// The newer result wins, with two exceptions: a result without a move keeps the move that is
/// there, and an exact value of this search is not given up for a bound [`MUCH_SHALLOWER`].
#[inline]
fn renew(old: Data, new: Entry, generation: u8) -> Option<Data> {
    let keeps_old = old.age(generation) == 0
        && old.bound() == Some(Bound::Exact)
        && new.bound != Bound::Exact
        && new.depth.saturating_add(MUCH_SHALLOWER) <= old.depth();
    let mv = if new.mv == 0 { old.mv() } else { new.mv };
    (!keeps_old).then(|| Data::new(Entry { mv, ..new }, generation))
}

/// How readily an entry makes room for another: empty first, then the oldest, then the shallowest.
#[inline]
fn expendability(data: Data, generation: u8) -> u32 {
    match data.bound() {
        None => u32::MAX,
        Some(_) => u32::from(data.age(generation)) << 8 | u32::from(u8::MAX - data.depth()),
    }
}
