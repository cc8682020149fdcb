//! A file that is somewhere else, as libhdf5 reads it: in many small pieces, which are kept.

use std::collections::HashMap;
use std::io;
use std::ops::Range;
use std::sync::Arc;

use frazil_hdf5::Source;
use frazil_types::sync::Mutex;

/// A request is for so much.
const PAGE_BYTES: u64 = 256 << 10;
/// Pages kept; when there are more, all go.
const MOST_PAGES: usize = 64;

/// A file's bytes, read page by page.
pub(super) struct FarPages {
    source: Arc<dyn Source>,
    length: u64,
    pages: Mutex<HashMap<u64, Vec<u8>>>,
}

impl FarPages {
    pub(super) fn new(source: &Arc<dyn Source>) -> io::Result<Self> {
        Ok(Self {
            length: source.length()?,
            source: Arc::clone(source),
            pages: Mutex::default(),
        })
    }

    pub(super) fn length(&self) -> u64 {
        self.length
    }

    /// Reads; bytes past the end of the file are zero, as libhdf5 expects.
    pub(super) fn read(&self, buffer: &mut [u8], address: u64) -> io::Result<()> {
        buffer.fill(0);
        let end = address.saturating_add(buffer.len() as u64).min(self.length);
        if address >= end {
            return Ok(());
        }
        let mut pages = self.pages.lock();
        let wanted = address / PAGE_BYTES..end.div_ceil(PAGE_BYTES);
        let missing: Vec<u64> = wanted.filter(|page| !pages.contains_key(page)).collect();
        if pages.len() + missing.len() > MOST_PAGES {
            pages.clear();
            drop(pages);
            return self.read_once(&mut buffer[..(end - address) as usize], address);
        }
        let ranges: Vec<Range<u64>> = missing.iter().map(|&page| self.range(page)).collect();
        let read = self.source.read_ranges(&ranges)?;
        pages.extend(missing.into_iter().zip(read));
        let mut at = address;
        while at < end {
            let (page, within) = (at / PAGE_BYTES, (at % PAGE_BYTES) as usize);
            let bytes = pages.get(&page).and_then(|page| page.get(within..));
            let bytes = bytes.filter(|bytes| !bytes.is_empty());
            let bytes = bytes.ok_or(io::ErrorKind::UnexpectedEof)?;
            let length = bytes.len().min((end - at) as usize);
            let to = (at - address) as usize;
            buffer[to..to + length].copy_from_slice(&bytes[..length]);
            at += length as u64;
        }
        Ok(())
    }

    /// What is long, or not likely to be read again.
    fn read_once(&self, buffer: &mut [u8], address: u64) -> io::Result<()> {
        let range = address..address + buffer.len() as u64;
        let read = self.source.read_ranges(std::slice::from_ref(&range))?;
        let read = read.first().filter(|read| read.len() == buffer.len());
        buffer.copy_from_slice(read.ok_or(io::ErrorKind::UnexpectedEof)?);
        Ok(())
    }

    fn range(&self, page: u64) -> Range<u64> {
        let begin = page * PAGE_BYTES;
        begin..(begin + PAGE_BYTES).min(self.length)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn pages_hold_what_the_file_does_and_zeros_behind_it() {
        let content: Vec<u8> = (0..600_000_u32).map(|i| (i % 251) as u8).collect();
        let source: Arc<dyn Source> = Arc::new(content.clone());
        let pages = FarPages::new(&source).unwrap();
        for (address, length) in [
            (0, 10),
            (262_000, 1000),
            (599_990, 30),
            (0, 600_000),
            (700_000, 5),
        ] {
            let mut found = vec![1; length];
            pages.read(&mut found, address).unwrap();
            let expected = (address as usize..).map(|i| content.get(i).copied().unwrap_or(0));
            assert!(found.into_iter().eq(expected.take(length)), "{address}");
        }
    }
}
