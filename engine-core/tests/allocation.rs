//! A warm machine allocates nothing while it searches. Alone in its program: the count is global.

#![expect(unsafe_code, reason = "an allocator that counts has to be one")]

use std::alloc::{GlobalAlloc, Layout, System};
use std::sync::Arc;
use std::sync::atomic::{AtomicU64, Ordering::Relaxed};

use engine_core::game::Game;
use engine_core::games::chess::Chess;
use engine_core::games::othello::Othello;
use engine_core::line::Line;
use engine_core::search::{Profile, Searcher, Status, Task};
use engine_core::table::Table;

struct Counting;

static ALLOCATIONS: AtomicU64 = AtomicU64::new(0);

// SAFETY: every call is handed to the system's allocator as it is.
unsafe impl GlobalAlloc for Counting {
    unsafe fn alloc(&self, layout: Layout) -> *mut u8 {
        ALLOCATIONS.fetch_add(1, Relaxed);
        // SAFETY: the caller's promises are passed on.
        unsafe { System.alloc(layout) }
    }

    unsafe fn dealloc(&self, pointer: *mut u8, layout: Layout) {
        // SAFETY: the caller's promises are passed on.
        unsafe { System.dealloc(pointer, layout) }
    }

    unsafe fn realloc(&self, pointer: *mut u8, layout: Layout, size: usize) -> *mut u8 {
        ALLOCATIONS.fetch_add(1, Relaxed);
        // SAFETY: the caller's promises are passed on.
        unsafe { System.realloc(pointer, layout, size) }
    }
}

#[global_allocator]
static ALLOCATOR: Counting = Counting;

/// Allocations during a search that is the second of its kind.
fn allocations<G: Game>(profile: Profile, position: &G, depth: i32) -> u64 {
    let mut searcher = Searcher::new(profile, Arc::new(Table::new(1)));
    let mut counted = 0;
    for _ in 0..2 {
        searcher.table().clear(1);
        searcher.forget();
        searcher.start(Task::full(Line::new(position.clone()), depth));
        let before = ALLOCATIONS.load(Relaxed);
        assert_eq!(searcher.run(u64::MAX), Status::Done);
        counted = ALLOCATIONS.load(Relaxed) - before;
    }
    assert!(searcher.nodes() > 1000);
    counted
}

/// One test, not several: tests of one program run beside each other, and would count each other.
#[test]
fn a_warm_search_allocates_nothing() {
    let kiwipete = "r3k2r/p1ppqpb1/bn2pnp1/3PN3/1p2P3/2N2Q1p/PPPBBPPP/R3K2R w KQkq - 0 1";
    let chess = Chess::parse(kiwipete).expect("a legal position");
    for profile in [Profile::Classic, Profile::Exact] {
        assert_eq!(allocations(profile, &chess, 4), 0, "{profile:?}, chess");
        assert_eq!(allocations(profile, &Othello::start(), 7), 0, "{profile:?}, Othello");
    }
}
