//! Sparse memory, for files that are only measured.

use std::collections::HashMap;

/// Only pages that were written exist.
#[derive(Default)]
pub(super) struct Pages(HashMap<u64, Box<[u8; PAGE_BYTES]>>);

const PAGE_BYTES: usize = 4096;

impl Pages {
    pub(super) fn copy_out(&self, buffer: &mut [u8], address: u64) {
        for (page, within, part) in page_parts(address, buffer.len()) {
            if let Some(bytes) = self.0.get(&page) {
                let length = part.len();
                buffer[part].copy_from_slice(&bytes[within..within + length]);
            }
        }
    }

    pub(super) fn copy_in(&mut self, bytes: &[u8], address: u64) {
        for (page, within, part) in page_parts(address, bytes.len()) {
            let kept = self
                .0
                .entry(page)
                .or_insert_with(|| Box::new([0; PAGE_BYTES]));
            kept[within..within + part.len()].copy_from_slice(&bytes[part]);
        }
    }
}

/// Cuts a range of addresses at page borders: page number, first byte in the page, and the part of
/// the caller's buffer.
fn page_parts(
    address: u64,
    length: usize,
) -> impl Iterator<Item = (u64, usize, std::ops::Range<usize>)> {
    let mut done = 0;
    std::iter::from_fn(move || {
        if done == length {
            return None;
        }
        let position = address + done as u64;
        let within = (position % PAGE_BYTES as u64) as usize;
        let end = (done + PAGE_BYTES - within).min(length);
        let part = done..end;
        done = end;
        Some((position / PAGE_BYTES as u64, within, part))
    })
}
