//! Split blocks, and the fixed pool they come from.

use crate::game::Game;
use crate::search::frame::Frame;
use crate::search::upper::Upper;
use crate::value::Value;

/// A split point that several processors work at (Hyatt, section 2.4).
///
/// It holds everything needed to finish the search from here, so any member can be the one that
/// backs up past the split point. The last of its frames is the shared one: window, best value and
/// untried moves there are the members' common property.
#[derive(Debug)]
pub(crate) struct Block<G: Game> {
    /// The plies down to the split point.
    pub upper: Upper<G>,
    /// Ply of the split point.
    pub ply: usize,
    /// The split point above, at which this block takes the place of one member.
    pub parent: Option<BlockId>,
    /// Processors and blocks that work here, at least 1.
    pub members: u32,
    /// The processor without which nobody carries on from here. In DTS there is none.
    pub owner: Option<usize>,
}

impl<G: Game> Block<G> {
    /// The shared node.
    pub fn frame(&self) -> &Frame<G> {
        self.upper.last()
    }

    /// Moves nobody has taken yet.
    pub fn moves_left(&self) -> u32 {
        let frame = self.frame();
        frame.end - frame.next
    }

    /// A move has been found good enough, and it is for others than `id` to carry on from here.
    pub fn is_refuted_for_others(&self, id: usize) -> bool {
        let owned_by_other = self.owner.is_some_and(|owner| owner != id) && self.members > 1;
        owned_by_other && self.frame().alpha >= self.frame().beta
    }

    /// Nobody takes a move here any more.
    pub fn close(&mut self) {
        let frame = self.upper.last_mut();
        frame.next = frame.end;
    }

    /// Takes over what is known further up about the window here.
    pub fn narrow(&mut self, alpha: Value, beta: Value) {
        let frame = self.upper.last_mut();
        frame.alpha = frame.alpha.max(alpha);
        frame.entry_alpha = frame.entry_alpha.max(alpha);
        frame.beta = frame.beta.min(beta);
    }
}

/// Names one use of a block. When that use is over the name is good for nothing any more, although
/// the block is soon used again.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) struct BlockId {
    index: u32,
    generation: u32,
}

/// All the blocks there are.
#[derive(Debug)]
pub(crate) struct Pool<G: Game> {
    slots: Vec<Slot<G>>,
    /// Indices of blocks not in use.
    free: Vec<u32>,
}

#[derive(Debug)]
struct Slot<G: Game> {
    block: Block<G>,
    /// Uses that are over.
    generation: u32,
    live: bool,
}

impl<G: Game> Pool<G> {
    /// A pool of `capacity` blocks.
    pub fn new(capacity: u32) -> Self {
        let slot = |_| Slot {
            block: Block { upper: Upper::empty(), ply: 0, parent: None, members: 0, owner: None },
            generation: 0,
            live: false,
        };
        Self { slots: (0..capacity).map(slot).collect(), free: (0..capacity).rev().collect() }
    }

    /// Starts to use a block; none if all are in use. Its content is that of an earlier use.
    pub fn allocate(&mut self) -> Option<(BlockId, &mut Block<G>)> {
        let index = self.free.pop()?;
        let slot = &mut self.slots[index as usize];
        slot.live = true;
        Some((BlockId { index, generation: slot.generation }, &mut slot.block))
    }

    /// Ends this use of a block. Whoever still has its name is told by [`get`](Pool::get).
    pub fn release(&mut self, id: BlockId) {
        let slot = &mut self.slots[id.index as usize];
        assert!(slot.live && slot.generation == id.generation, "a block is released once");
        slot.live = false;
        slot.generation = slot.generation.wrapping_add(1);
        self.free.push(id.index);
    }

    /// The block, unless that use of it is over.
    pub fn get(&self, id: BlockId) -> Option<&Block<G>> {
        let slot = &self.slots[id.index as usize];
        (slot.live && slot.generation == id.generation).then_some(&slot.block)
    }

    /// The block, unless that use of it is over.
    pub fn get_mut(&mut self, id: BlockId) -> Option<&mut Block<G>> {
        let slot = &mut self.slots[id.index as usize];
        (slot.live && slot.generation == id.generation).then_some(&mut slot.block)
    }

    /// The blocks in use, in a fixed order.
    pub fn live(&self) -> impl Iterator<Item = (BlockId, &Block<G>)> {
        let live = self.slots.iter().zip(0..).filter(|(slot, _)| slot.live);
        live.map(|(slot, index)| (BlockId { index, generation: slot.generation }, &slot.block))
    }

    /// Number of blocks in use.
    pub fn in_use(&self) -> usize {
        self.slots.len() - self.free.len()
    }
}

#[cfg(test)]
mod tests {
    use super::Pool;
    use crate::games::othello::Othello;

    #[test]
    fn a_name_is_good_for_one_use_only() {
        let mut pool = Pool::<Othello>::new(1);
        let (first, _) = pool.allocate().expect("one block");
        assert!(pool.allocate().is_none() && pool.get(first).is_some());
        pool.release(first);
        let (second, _) = pool.allocate().expect("it came back");
        assert!(pool.get(first).is_none() && pool.get_mut(first).is_none());
        assert!(pool.get(second).is_some() && first != second);
        assert_eq!((pool.in_use(), pool.live().count()), (1, 1));
    }

    #[test]
    #[should_panic(expected = "released once")]
    fn nobody_releases_a_block_twice() {
        let mut pool = Pool::<Othello>::new(2);
        let (id, _) = pool.allocate().expect("a block");
        pool.release(id);
        pool.release(id);
    }
}
