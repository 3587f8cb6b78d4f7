//! The allocators of the host: one for Rust and one for tree-sitter, both counting.

use std::alloc::{GlobalAlloc, Layout, System};
use std::ffi::c_void;
use std::sync::atomic::{AtomicI64, AtomicU64, Ordering};

use tree_sitter::Allocator;

/// The global allocator: the system's, which counts the bytes that are in use.
pub struct Counting;

static LIVE: AtomicI64 = AtomicI64::new(0);

impl Counting {
    /// The allocated bytes that were not freed.
    pub fn live() -> i64 {
        LIVE.load(Ordering::Relaxed)
    }
}

// SAFETY: the system's allocator, with counting added.
unsafe impl GlobalAlloc for Counting {
    unsafe fn alloc(&self, layout: Layout) -> *mut u8 {
        LIVE.fetch_add(layout.size() as i64, Ordering::Relaxed);
        // SAFETY: the caller upholds the contract.
        unsafe { System.alloc(layout) }
    }

    unsafe fn dealloc(&self, pointer: *mut u8, layout: Layout) {
        LIVE.fetch_sub(layout.size() as i64, Ordering::Relaxed);
        // SAFETY: the caller upholds the contract.
        unsafe { System.dealloc(pointer, layout) }
    }
}

static BY_PARSERS: AtomicU64 = AtomicU64::new(0);

/// The number of allocations of all parsers in this process.
pub fn allocations_of_parsers() -> u64 {
    BY_PARSERS.load(Ordering::Relaxed)
}

/// The allocator that the host gives to tree-sitter.
pub fn parser_allocator() -> Allocator {
    Allocator { malloc: counted_malloc, calloc: counted_calloc, realloc: counted_realloc, free: libc::free }
}

unsafe extern "C" fn counted_malloc(size: usize) -> *mut c_void {
    BY_PARSERS.fetch_add(1, Ordering::Relaxed);
    // SAFETY: the caller upholds the contract of `malloc`.
    unsafe { libc::malloc(size) }
}

unsafe extern "C" fn counted_calloc(n: usize, size: usize) -> *mut c_void {
    BY_PARSERS.fetch_add(1, Ordering::Relaxed);
    // SAFETY: the caller upholds the contract of `calloc`.
    unsafe { libc::calloc(n, size) }
}

unsafe extern "C" fn counted_realloc(pointer: *mut c_void, size: usize) -> *mut c_void {
    BY_PARSERS.fetch_add(1, Ordering::Relaxed);
    // SAFETY: the caller upholds the contract of `realloc`.
    unsafe { libc::realloc(pointer, size) }
}
