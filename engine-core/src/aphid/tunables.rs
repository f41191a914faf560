//! Every number of APHID that could be another number, with its evidence.

use crate::search::tunables::tunables;

tunables! {
    /// A leaf is opened when it holds more than this share of the iteration: 1 / (this × workers).
    LEAVES_PER_WORKER: u32 = 2, 1, 32, 1, "chess, 16 workers: 5.8 against 4.2 with 12; leaves that prove too big are opened anyway";
    /// An iteration expected to take fewer nodes is searched by the master alone.
    LOCAL_ITERATION: u32 = 3_000, 500, 50_000, 500, "smaller ones cost more in messages than in search";
    /// Least remaining depth of a leaf.
    MIN_LEAF_DEPTH: i32 = 2, 1, 4, 1, "a message costs more than a one-ply search";
    /// Least nodes a running search must have spent to be opened.
    MIN_OPENED_NODES: u32 = 400, 100, 10_000, 100, "opening throws the work so far away";
    /// Part of what a leaf was expected to take after which it is opened at the earliest.
    OUTGROWN: f64 = 0.2, 0, 1, 1, "with 1, 16 workers: chess 7.5 and 6.4 against 7.9 and 7.0, Othello 9.3 against 9.9; with 0.1, 64: 21.4 against 21.8";
    /// Nodes a processor after which the master first hears how far the search of a leaf is.
    FIRST_WORD: u64 = 500, 100, 10_000, 100, "a light leaf is done before the master could do anything about it";
    /// Nodes a processor after which the master hears of a long search again.
    LONGEST_SILENCE: u64 = 32_000, 1_000, 1_000_000, 1_000, "ten milliseconds: people and node limits need no more";
    /// Growth per ply before two iterations have been measured.
    FIRST_GROWTH: f64 = 2.5, 1, 8, 1, "near the square root of the branching factor of both games";
    /// Plies by which a slave goes deeper at a leaf it has not searched before.
    DEEPENING_STEP: i32 = 2, 1, 4, 1, "chess, 4/8/16 workers: 2.57/4.07/5.94 against 2.44/3.97/5.68 without; 1 was worse at 8 and 16";
    /// Speculative wants sent to a slave at most.
    SPECULATIVE_WANTS: usize = 16, 0, 64, 4, "more than a slave can finish between two passes";
}
