//! Where the table lives: one mapping, the [`State`] at its front, then the buckets, in huge pages if
//! the system grants them.
//!
//! The only file of the crate with unsafe code. A mapping starts as zeroes without being touched,
//! so a large table costs nothing until it is used, and every page comes from the memory next to
//! the processor that uses it first.
#![allow(unsafe_code)]

use std::ffi::c_void;
use std::fs::File;
use std::io;
use std::ops::Deref;
use std::ptr::{self, NonNull};

use rustix::mm::{MapFlags, ProtFlags, mmap, mmap_anonymous, munmap};

use super::bucket::Bucket;
use super::state::State;

/// Alignment of the buckets: the size of a huge page on x86-64 and of most on `AArch64`.
/// A page table then needs one entry where it needed 512, and a probe misses one cache fewer.
const HUGE_PAGE: usize = 2 << 20;
/// Bytes before the buckets. Only the page of the [`State`] is ever touched, and the bytes before
/// it are nobody's here: a file keeps there what it is.
pub(super) const FRONT: usize = HUGE_PAGE;
/// Offset of the [`State`] in the front.
pub(super) const STATE: usize = 64;

const _: () = assert!(STATE.is_multiple_of(align_of::<State>()));
const _: () = assert!(STATE + size_of::<State>() <= FRONT);

/// A state and a fixed number of buckets, empty at first.
pub(super) struct Memory {
    /// The whole mapping, which begins up to a huge page before `front`.
    mapping: NonNull<c_void>,
    mapping_bytes: usize,
    /// [`FRONT`] bytes of the mapping, followed by `len` buckets.
    front: NonNull<c_void>,
    len: usize,
}

// SAFETY: the mapping belongs to this value alone, and its contents, atomics, are Send and Sync.
unsafe impl Send for Memory {}
// SAFETY: as above; a shared reference gives out nothing but `&State` and `&[Bucket]`.
unsafe impl Sync for Memory {}

impl Memory {
    /// Maps `len` empty buckets; none if the system has no room for them.
    pub(super) fn new(len: usize) -> Option<Self> {
        let bytes = len.checked_mul(size_of::<Bucket>())?.checked_add(FRONT)?;
        let mapping_bytes = bytes.checked_add(HUGE_PAGE)?;
        let access = ProtFlags::READ | ProtFlags::WRITE;
        // SAFETY: without an address to map at, no existing memory is affected.
        let mapping =
            unsafe { mmap_anonymous(ptr::null_mut(), mapping_bytes, access, MapFlags::PRIVATE) };
        let mapping = NonNull::new(mapping.ok()?)?;
        let offset = mapping.addr().get().next_multiple_of(HUGE_PAGE) - mapping.addr().get();
        // SAFETY: the offset is below HUGE_PAGE, so the result and the `bytes` bytes after it
        // lie inside the mapping.
        let front = unsafe { mapping.byte_add(offset) };
        let memory = Self { mapping, mapping_bytes, front, len };
        memory.advise_huge_pages();
        Some(memory)
    }

    /// Maps the state and the `len` buckets of `file`, so that everybody who maps it sees the
    /// same. It must be as long as [`file_bytes`] says; a file that is cut short later ends the
    /// process by a signal as soon as it reaches for what is gone.
    ///
    /// # Errors
    /// The system has no room for the mapping, or the file cannot be mapped.
    pub(super) fn of_file(file: &File, len: usize) -> io::Result<Self> {
        let bytes = file_bytes(len).and_then(|bytes| usize::try_from(bytes).ok());
        let mapping_bytes = bytes.ok_or(io::ErrorKind::OutOfMemory)?;
        let access = ProtFlags::READ | ProtFlags::WRITE;
        // SAFETY: without an address to map at, no existing memory is affected. Other processes
        // may write here at any time; all that is ever done with this memory are atomic accesses
        // to types of which any bits are valid.
        let mapping =
            unsafe { mmap(ptr::null_mut(), mapping_bytes, access, MapFlags::SHARED, file, 0) }?;
        let front = NonNull::new(mapping).ok_or(io::ErrorKind::OutOfMemory)?;
        let memory = Self { mapping: front, mapping_bytes, front, len };
        memory.advise_huge_pages();
        Ok(memory)
    }

    /// What the users of the buckets agree on.
    #[inline]
    pub(super) fn state(&self) -> &State {
        // SAFETY: `front` is the beginning of FRONT mapped bytes, aligned to a page at least; STATE
        // is a multiple of the alignment and leaves room for a State. Any bits are one, it consists
        // of atomics, and it stays until `drop`.
        unsafe { self.front.byte_add(STATE).cast().as_ref() }
    }

    /// Where the buckets begin.
    #[inline]
    fn start(&self) -> NonNull<Bucket> {
        // SAFETY: `front` is followed by the buckets, FRONT bytes on, in the same mapping.
        unsafe { self.front.byte_add(FRONT) }.cast()
    }

    /// Asks for huge pages. A system without them just says no.
    #[cfg(all(target_os = "linux", not(miri)))]
    fn advise_huge_pages(&self) {
        use rustix::mm::{Advice, madvise};
        let bytes = self.len * size_of::<Bucket>();
        // SAFETY: the range lies in our mapping, and this advice does not change its contents.
        let _ = unsafe { madvise(self.start().as_ptr().cast(), bytes, Advice::LinuxHugepage) };
    }

    /// Other systems choose their page sizes themselves, and Miri has none.
    #[cfg(not(all(target_os = "linux", not(miri))))]
    fn advise_huge_pages(&self) {}
}

impl Deref for Memory {
    type Target = [Bucket];

    #[inline]
    fn deref(&self) -> &[Bucket] {
        // SAFETY: here `new` or `of_file` mapped `len` buckets, aligned to a page at least. Any bits are a
        // valid bucket, which consists of atomics; they stay until `drop`, and nobody ever has a
        // `&mut` to them.
        unsafe { std::slice::from_raw_parts(self.start().as_ptr(), self.len) }
    }
}

impl Drop for Memory {
    fn drop(&mut self) {
        // SAFETY: exactly what the system mapped for us; no reference outlives `self`.
        // Unmapping a whole mapping cannot fail, and nothing could be done if it did.
        let _ = unsafe { munmap(self.mapping.as_ptr(), self.mapping_bytes) };
    }
}

/// Length of a file for `len` buckets; none if there is no such number.
pub(super) fn file_bytes(len: usize) -> Option<u64> {
    let bytes = len.checked_mul(size_of::<Bucket>())?.checked_add(FRONT)?;
    // No file is longer than a signed number says.
    i64::try_from(bytes).ok().map(i64::cast_unsigned)
}

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
