//! A source of bytes with what the superblock says of it: sizes of numbers, and where the file begins.

use std::collections::BTreeMap;
use std::io;
use std::ops::Range;
use std::sync::atomic::{AtomicU64, Ordering};
use std::thread::{self, ThreadId};

use frazil_types::sync::Mutex;

use crate::cursor::Cursor;
use crate::error::{Error, Result, damaged};
use crate::source::Source;

/// Longest piece of metadata that is believed.
const LONGEST_PIECE: u64 = 1 << 30;
/// Blocks kept take at most so many bytes together.
const MOST_CACHED: usize = 16 << 20;
/// Metadata of any file may be read so often, and besides it so many bytes: a file whose parts refer to each other can
/// make a reader go round without being larger than others.
const MOST_READINGS: u64 = 64;
const FREE_WORK: u64 = 256 << 20;
/// As far behind an object's header begins what it leads to, in most files: the root of the index of chunks. The whole
/// of it takes less time than a request where the source says that requests take long.
const REACH: u64 = 8192;
const LONGEST_REACH: u64 = 64 << 10;
/// A usual collection of values, which is read for one of them.
const WORK_OF_A_VALUE: u64 = 4096;

/// Sizes of numbers in a file, in bytes.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct NumberSizes {
    /// Of an address in the file.
    pub address: u8,
    /// Of a length.
    pub length: u8,
}

/// A file's bytes behind its user block.
pub(crate) struct Input {
    source: Box<dyn Source>,
    /// Where the HDF5 part begins; addresses in the file count from here.
    base: u64,
    /// Bytes behind `base`.
    bytes: u64,
    sizes: NumberSizes,
    block_bytes: u64,
    blocks: Mutex<BTreeMap<u64, Vec<u8>>>,
    /// Metadata that are kept elsewhere than at their addresses: an image of a cache.
    image: BTreeMap<u64, Vec<u8>>,
    work: AtomicU64,
    /// Work that values of the caller's may make beside metadata.
    allowed: AtomicU64,
    /// What a thread would ask for next, which notes that and asks for nothing.
    noted: Mutex<Option<Noted>>,
}

struct Noted {
    by: ThreadId,
    ranges: Vec<Range<u64>>,
}

impl Input {
    /// The whole source, before its superblock is known.
    pub(crate) fn new(source: Box<dyn Source>) -> Result<Self> {
        let bytes = source.length()?;
        let block_bytes = source.block_bytes().max(512);
        Ok(Self {
            source,
            base: 0,
            bytes,
            sizes: NumberSizes {
                address: 8,
                length: 8,
            },
            block_bytes,
            blocks: Mutex::default(),
            image: BTreeMap::new(),
            work: AtomicU64::new(0),
            allowed: AtomicU64::new(0),
            noted: Mutex::default(),
        })
    }

    /// Brings the begin of the source into memory.
    pub(crate) fn read_head(&self) -> Result<()> {
        self.prefetch([(0, self.source.head_bytes())])
    }

    /// Tells what the superblock says: the file begins at `base`.
    pub(crate) fn set_form(&mut self, base: u64, sizes: NumberSizes) -> Result<()> {
        let whole = self.bytes + self.base;
        let behind = whole.checked_sub(base);
        self.bytes = behind.ok_or_else(|| damaged("its base address lies behind its end"))?;
        if base != self.base {
            self.blocks.lock().clear();
        }
        self.base = base;
        self.sizes = sizes;
        Ok(())
    }

    /// Tells where the file's addresses end, if that is before the source does.
    pub(crate) fn set_end(&mut self, end: u64) {
        self.bytes = self.bytes.min(end);
    }

    /// Tells that the bytes at an address are these, whatever the file has there.
    pub(crate) fn set_image(&mut self, address: u64, bytes: Vec<u8>) {
        self.image.insert(address, bytes);
    }

    /// Whether bytes take long to come.
    pub(crate) fn is_far(&self) -> bool {
        self.source.is_far()
    }

    /// Lets go of all bytes in memory that come again at once.
    pub(crate) fn forget(&self) {
        if !self.source.is_far() {
            self.blocks.lock().clear();
        }
    }

    /// Sizes of numbers.
    pub(crate) fn sizes(&self) -> NumberSizes {
        self.sizes
    }

    /// Bytes before the HDF5 part.
    pub(crate) fn base(&self) -> u64 {
        self.base
    }

    /// Bytes of the HDF5 part.
    pub(crate) fn bytes(&self) -> u64 {
        self.bytes
    }

    /// A cursor over bytes of this file.
    pub(crate) fn cursor<'a>(&self, bytes: &'a [u8]) -> Cursor<'a> {
        Cursor::new(bytes, self.sizes)
    }

    /// Reads `length` bytes at an address; `name` says of what.
    pub(crate) fn read(&self, address: u64, length: u64, name: &str) -> Result<Vec<u8>> {
        let end = self.end_of(address, length, name)?;
        self.spend(length)?;
        if let Some(bytes) = self.imaged(address, length) {
            return Ok(bytes);
        }
        self.fetch(std::slice::from_ref(&(address..end)))?;
        self.copy(address..end)
    }

    /// As [`Self::read`], but less where the file ends before.
    pub(crate) fn read_up_to(&self, address: u64, length: u64, name: &str) -> Result<Vec<u8>> {
        let mut there = self.bytes.saturating_sub(address);
        if let Some((begin, bytes)) = self.image.range(..=address).next_back()
            && address - begin < bytes.len() as u64
        {
            there = there.min(bytes.len() as u64 - (address - begin));
        }
        self.read(address, length.min(there), name)
    }

    /// Brings ranges of addresses into memory, in one request; those outside the file are left out.
    pub(crate) fn prefetch(&self, ranges: impl IntoIterator<Item = (u64, u64)>) -> Result<()> {
        let within = |(address, length): (u64, u64)| {
            let end = address.checked_add(length)?.min(self.bytes);
            (address < end && length <= LONGEST_PIECE).then_some(address..end)
        };
        let mut total = 0;
        let ranges: Vec<Range<u64>> = (ranges.into_iter().filter_map(within))
            .take_while(|range| {
                total += range.end - range.start + self.block_bytes;
                total <= (MOST_CACHED / 2) as u64
            })
            .collect();
        self.fetch(&ranges)
    }

    /// As [`Self::read_up_to`]. If that needs a request, it brings more into memory: what lies behind is likely to be
    /// asked for next. Half of what the source has for its head keeps that less than the nodes of a tree that is
    /// deep enough to need it.
    pub(crate) fn read_with_reach(&self, address: u64, length: u64, name: &str) -> Result<Vec<u8>> {
        let block = address / self.block_bytes;
        let is_known = self.blocks.lock().contains_key(&block);
        if !is_known {
            let reach = (self.source.head_bytes() / 2).clamp(REACH, LONGEST_REACH);
            self.prefetch([(address, reach)])?;
        }
        self.read_up_to(address, length, name)
    }

    /// Begins to count work anew, for something that follows so many values, each of them so often.
    pub(crate) fn renew(&self, values: u64, repeats: u64) {
        let again = self
            .bytes
            .saturating_mul(MOST_READINGS)
            .saturating_mul(repeats);
        let allowed = values.saturating_mul(WORK_OF_A_VALUE).saturating_add(again);
        self.allowed.store(allowed, Ordering::Relaxed);
        self.work.store(0, Ordering::Relaxed);
    }

    /// Counts work that `bytes` more bytes of metadata make.
    pub(crate) fn spend(&self, bytes: u64) -> Result<()> {
        let before = self.work.fetch_add(bytes.max(16), Ordering::Relaxed);
        let limit = self
            .bytes
            .saturating_mul(MOST_READINGS)
            .saturating_add(FREE_WORK)
            .saturating_add(self.allowed.load(Ordering::Relaxed));
        match before > limit {
            true => Err(damaged(
                "its metadata lead to the same bytes again and again",
            )),
            false => Ok(()),
        }
    }

    /// Bytes that the image has.
    fn imaged(&self, address: u64, length: u64) -> Option<Vec<u8>> {
        let (begin, bytes) = self.image.range(..=address).next_back()?;
        let skip = usize::try_from(address - begin).ok()?;
        let length = usize::try_from(length).ok()?;
        Some(bytes.get(skip..skip.checked_add(length)?)?.to_vec())
    }

    /// Whether a range of addresses lies in the file.
    pub(crate) fn holds(&self, address: u64, length: u64) -> bool {
        let end = address.checked_add(length);
        end.is_some_and(|end| end <= self.bytes)
    }

    fn end_of(&self, address: u64, length: u64, name: &str) -> Result<u64> {
        let end = address.checked_add(length).filter(|&end| end <= self.bytes);
        match end {
            Some(end) if length <= LONGEST_PIECE => Ok(end),
            Some(_) => Err(damaged(format!("{name} claims {length} bytes"))),
            None => Err(damaged(format!(
                "{name} lies outside the file (address {address}, {length} bytes; the file has {} bytes)",
                self.bytes
            ))),
        }
    }

    /// Blocks of a range that are not in memory, joined where they are neighbours.
    fn missing(&self, ranges: &[Range<u64>]) -> Vec<Range<u64>> {
        let blocks = self.blocks.lock();
        let mut wanted: Vec<u64> = (ranges.iter())
            .flat_map(|range| range.start / self.block_bytes..range.end.div_ceil(self.block_bytes))
            .filter(|block| !blocks.contains_key(block))
            .collect();
        drop(blocks);
        wanted.sort_unstable();
        wanted.dedup();
        let mut runs: Vec<Range<u64>> = Vec::new();
        for block in wanted {
            match runs.last_mut() {
                Some(run) if run.end == block => run.end += 1,
                _ => runs.push(block..block + 1),
            }
        }
        runs
    }

    /// Does what reads metadata, without a request: where bytes are missing, it notes which, and fails with
    /// [`Self::is_waiting`]. What was noted can be asked for with what others wait for; `None`: another thread notes.
    pub(crate) fn note(&self, work: impl FnOnce()) -> Option<Vec<(u64, u64)>> {
        let by = thread::current().id();
        let mut noted = self.noted.lock();
        if noted.is_some() {
            return None;
        }
        *noted = Some(Noted {
            by,
            ranges: Vec::new(),
        });
        drop(noted);
        work();
        let noted = self.noted.lock().take()?;
        let pair = |range: Range<u64>| (range.start, range.end - range.start);
        Some(noted.ranges.into_iter().map(pair).collect())
    }

    /// Whether an error means that bytes are missing which were noted.
    pub(crate) fn is_waiting(error: &Error) -> bool {
        matches!(error, Error::Io(error) if error.kind() == io::ErrorKind::WouldBlock)
    }

    /// Learns that something was read whose bytes may be wanted again when the file is opened next.
    pub(crate) fn settle(&self) {
        self.source.settle();
    }

    fn fetch(&self, ranges: &[Range<u64>]) -> Result<()> {
        let runs = self.missing(ranges);
        if runs.is_empty() {
            return Ok(());
        }
        if let Some(noted) = &mut *self.noted.lock()
            && noted.by == thread::current().id()
        {
            let place = |run: &Range<u64>| run.start * self.block_bytes..run.end * self.block_bytes;
            noted.ranges.extend(runs.iter().map(place));
            return Err(Error::Io(io::ErrorKind::WouldBlock.into()));
        }
        let place = |run: &Range<u64>| {
            let end = (run.end * self.block_bytes).min(self.bytes);
            self.base + run.start * self.block_bytes..self.base + end
        };
        let places: Vec<Range<u64>> = runs.iter().map(place).collect();
        let read = self.source.read_ranges(&places).map_err(Error::Io)?;
        let mut blocks = self.blocks.lock();
        let held = blocks.len() as u64 * self.block_bytes;
        if held > MOST_CACHED as u64 {
            blocks.clear();
        }
        for (run, bytes) in runs.iter().zip(read) {
            for (block, piece) in run.clone().zip(bytes.chunks(self.block_bytes as usize)) {
                blocks.insert(block, piece.to_vec());
            }
        }
        Ok(())
    }

    /// Copies a range out of the blocks; reads it where another thread dropped them meanwhile.
    fn copy(&self, range: Range<u64>) -> Result<Vec<u8>> {
        let mut bytes = Vec::with_capacity((range.end - range.start) as usize);
        let blocks = self.blocks.lock();
        let mut at = range.start;
        while at < range.end {
            let (block, skip) = (at / self.block_bytes, (at % self.block_bytes) as usize);
            let Some(piece) = blocks.get(&block).and_then(|block| block.get(skip..)) else {
                break;
            };
            let length = piece.len().min((range.end - at) as usize);
            if length == 0 {
                break;
            }
            bytes.extend_from_slice(&piece[..length]);
            at += length as u64;
        }
        drop(blocks);
        if at == range.end {
            return Ok(bytes);
        }
        let place = self.base + range.start..self.base + range.end;
        let mut read = self.source.read_ranges(&[place]).map_err(Error::Io)?;
        read.pop()
            .ok_or_else(|| damaged("its bytes cannot be read"))
    }
}
