//! Where the table lives: one anonymous mapping, in huge pages if the system grants them.
//!
//! The only file of the crate with unsafe code. A mapping starts as zeroes without being touched,
//! so a large table costs nothing until it is used, and every page comes from the memory next to
//! the processor that uses it first.
#![allow(unsafe_code)]

use std::ffi::c_void;
use std::ops::Deref;
use std::ptr::{self, NonNull};

use rustix::mm::{MapFlags, ProtFlags, mmap_anonymous, munmap};

use super::bucket::Bucket;

/// Alignment of the first bucket: the size of a huge page on x86-64 and of most on `AArch64`.
/// A page table then needs one entry where it needed 512, and a probe misses one cache fewer.
const HUGE_PAGE: usize = 2 << 20;

/// A fixed number of buckets, empty at first.
pub(super) struct Memory {
    /// The whole mapping, which begins up to a huge page before the buckets.
    mapping: NonNull<c_void>,
    mapping_bytes: usize,
    buckets: NonNull<Bucket>,
    len: usize,
}

// SAFETY: the mapping belongs to this value alone, and its contents, atomics, are Send and Sync.
unsafe impl Send for Memory {}
// SAFETY: as above; a shared reference gives out nothing but `&[Bucket]`.
unsafe impl Sync for Memory {}

impl Memory {
    /// Maps `len` empty buckets; none if the system has no room for them.
    pub(super) fn new(len: usize) -> Option<Self> {
        let bytes = len.checked_mul(size_of::<Bucket>())?;
        let mapping_bytes = bytes.checked_add(HUGE_PAGE)?;
        let access = ProtFlags::READ | ProtFlags::WRITE;
        // SAFETY: without an address to map at, no existing memory is affected.
        let mapping =
            unsafe { mmap_anonymous(ptr::null_mut(), mapping_bytes, access, MapFlags::PRIVATE) };
        let mapping = NonNull::new(mapping.ok()?)?;
        let offset = mapping.addr().get().next_multiple_of(HUGE_PAGE) - mapping.addr().get();
        // SAFETY: the offset is below HUGE_PAGE, so the result and the `bytes` bytes after it
        // lie inside the mapping.
        let start = unsafe { mapping.byte_add(offset) };
        advise_huge_pages(start, bytes);
        Some(Self { mapping, mapping_bytes, buckets: start.cast(), len })
    }
}

impl Deref for Memory {
    type Target = [Bucket];

    #[inline]
    fn deref(&self) -> &[Bucket] {
        // SAFETY: `new` mapped `len` aligned buckets here, zeroed, which is a valid bucket; they
        // stay until `drop`, and nobody ever has a `&mut` to them.
        unsafe { std::slice::from_raw_parts(self.buckets.as_ptr(), self.len) }
    }
}

impl Drop for Memory {
    fn drop(&mut self) {
        // SAFETY: exactly what `mmap_anonymous` returned; no reference outlives `self`.
        // Unmapping a whole mapping cannot fail, and nothing could be done if it did.
        let _ = unsafe { munmap(self.mapping.as_ptr(), self.mapping_bytes) };
    }
}

/// Asks for huge pages. A system without them just says no.
#[cfg(target_os = "linux")]
fn advise_huge_pages(start: NonNull<c_void>, bytes: usize) {
    use rustix::mm::{Advice, madvise};
    // SAFETY: the range lies inside our mapping, and this advice does not change its contents.
    let _ = unsafe { madvise(start.as_ptr(), bytes, Advice::LinuxHugepage) };
}

/// Other systems choose their page sizes themselves.
#[cfg(not(target_os = "linux"))]
fn advise_huge_pages(_start: NonNull<c_void>, _bytes: usize) {}

/// Starts loading `bucket` into the caches without waiting for it.
#[inline]
pub(super) fn prefetch(bucket: &Bucket) {
    #[cfg(target_arch = "x86_64")]
    {
        use std::arch::x86_64::{_MM_HINT_T0, _mm_prefetch};
        // SAFETY: a prefetch has no effect that a program could observe; SSE is part of x86-64.
        unsafe { _mm_prefetch::<_MM_HINT_T0>(ptr::from_ref(bucket).cast()) }
    }
    // Stable Rust has no prefetch elsewhere; the probe then simply waits for its miss.
    #[cfg(not(target_arch = "x86_64"))]
    let _ = bucket;
}
