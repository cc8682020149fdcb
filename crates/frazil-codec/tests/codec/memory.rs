//! A number in a stored chunk never makes the decoder allocate more than the chunk needs.

#![expect(unsafe_code, reason = "counts what the allocator hands out")]

use std::alloc::{GlobalAlloc, Layout, System};
use std::cell::Cell;

use crate::common::{Random, golden_chunks};
use frazil_codec::Scratch;

thread_local! {
    static LARGEST: Cell<usize> = const { Cell::new(0) };
}

/// The system's allocator, remembering the largest request of each thread.
struct Watching;

// SAFETY: every call is passed on unchanged.
unsafe impl GlobalAlloc for Watching {
    unsafe fn alloc(&self, layout: Layout) -> *mut u8 {
        LARGEST.with(|largest| largest.set(largest.get().max(layout.size())));
        // SAFETY: as promised to this function.
        unsafe { System.alloc(layout) }
    }

    unsafe fn dealloc(&self, pointer: *mut u8, layout: Layout) {
        // SAFETY: as promised to this function.
        unsafe { System.dealloc(pointer, layout) }
    }
}

#[global_allocator]
static ALLOCATOR: Watching = Watching;

#[test]
fn claims_in_headers_do_not_decide_how_much_is_allocated() {
    let mut random = Random(6);
    for chunk in golden_chunks() {
        let decoder = chunk.decoder();
        // Cells of four bytes hold the bytes of a bzip2 block, growing by doubling.
        let allowed = 12 * chunk.raw.len() + (256 << 10);
        for _ in 0..60 {
            let mut stored = chunk.stored.clone();
            let start = random.below(stored.len().min(24));
            let end = (start + 1 + random.below(8)).min(stored.len());
            for byte in &mut stored[start..end] {
                *byte = random.below(256) as u8;
            }
            let mut scratch = Scratch::default();
            LARGEST.set(0);
            let _ = decoder.decode(&stored, chunk.filter_mask, &mut scratch);
            let largest = LARGEST.get();
            assert!(largest <= allowed, "{}: {largest} > {allowed}", chunk.name);
        }
    }
}
