//! bzip2 streams (filter 307).
//!
//! Written here because the libraries at hand either have a licence of their own or refuse blocks
//! that bzip2 could not shrink. Source: `decompress.c` of bzip2 1.0.8; the format as described by
//! J. Tsai, "BZIP2: Format Specification" (2016). Per block: run lengths, Burrows-Wheeler transform,
//! move to front, run lengths of zeros, Huffman codes.

mod crc;
mod encode;
mod huffman;
mod rotations;

pub(crate) use encode::{encode, encode_bound};

use crate::CodecError;
use crate::bits::BitReader;
use crate::buffer::OutputSize;
use crc::crc32;
use huffman::HuffmanTable;

const BLOCK_MAGIC: u64 = 0x3141_5926_5359;
const END_MAGIC: u64 = 0x1772_4538_5090;
/// Symbols after which the next selector chooses the table.
const SYMBOLS_PER_SELECTOR: usize = 50;
/// Equal bytes after which a count follows.
const RUN: u32 = 4;

/// Decodes the stream at the start of `stored` into `out`; what follows it is ignored.
pub(crate) fn decode(stored: &[u8], out: &mut Vec<u8>, size: OutputSize) -> Result<(), CodecError> {
    out.clear();
    if let OutputSize::Exact(bytes) = size {
        out.reserve_exact(bytes);
    }
    let Some((&[b'B', b'Z', b'h', level @ b'1'..=b'9'], rest)) = stored.split_first_chunk() else {
        return Err(corrupt("no bzip2 header"));
    };
    // A count follows every 4 equal bytes, so a block is at most 5/4 as long as what it stands for.
    let longest = size.limit().saturating_add(size.limit() / 4);
    let block_limit = (usize::from(level - b'0') * 100_000).min(longest);
    let mut reader = Bits(BitReader::new(rest));
    let mut block = Block::default();
    let mut stream_crc = 0_u32;
    loop {
        match reader.read(48)? {
            BLOCK_MAGIC => {
                let block_crc = reader.read(32)? as u32;
                block.read(&mut reader, block_limit)?;
                block.expand(block_crc, out, size)?;
                stream_crc = stream_crc.rotate_left(1) ^ block_crc;
            }
            END_MAGIC if reader.read(32)? as u32 == stream_crc => break,
            END_MAGIC => return Err(corrupt("the stream's checksum is wrong")),
            _ => return Err(corrupt("no block where one must begin")),
        }
    }
    size.check(out.len()).map(drop)
}

/// A bit reader whose end is an error.
struct Bits<'a>(BitReader<'a>);

impl Bits<'_> {
    fn read(&mut self, bits: u32) -> Result<u64, CodecError> {
        self.0.read(bits).ok_or(corrupt("cut short"))
    }

    fn bit(&mut self) -> Result<bool, CodecError> {
        Ok(self.read(1)? == 1)
    }
}

/// A list whose items move to the front when used.
struct MoveToFront<const N: usize>([u8; N]);

impl<const N: usize> MoveToFront<N> {
    fn take(&mut self, index: usize) -> Option<u8> {
        let item = *self.0.get(index)?;
        self.0.copy_within(..index, 1);
        self.0[0] = item;
        Some(item)
    }
}

/// The block being decoded.
#[derive(Default)]
struct Block {
    /// Lowest 8 bits: the transformed bytes; above them: the chain that undoes the transform.
    cells: Vec<u32>,
    /// How often each byte occurs.
    counts: Counts,
    /// Cell where the chain begins.
    origin: usize,
}

struct Counts([u32; 256]);

impl Default for Counts {
    fn default() -> Self {
        Self([0; 256])
    }
}

impl Block {
    /// Reads everything up to the transformed bytes.
    fn read(&mut self, reader: &mut Bits<'_>, limit: usize) -> Result<(), CodecError> {
        if reader.bit()? {
            return Err(corrupt("randomised, as only bzip2 0.9.0 and older did"));
        }
        self.origin = reader.read(24)? as usize;
        let (symbols, used) = read_symbols(reader)?;
        let tables = reader.read(3)? as usize;
        if !(2..=6).contains(&tables) || used == 0 {
            return Err(corrupt("impossible number of tables or symbols"));
        }
        let selectors = read_selectors(reader, tables)?;
        let tables = (0..tables)
            .map(|_| read_table(reader, used + 2))
            .collect::<Result<Vec<_>, _>>()?;
        let mut front = MoveToFront(symbols);
        self.read_cells(reader, &selectors, &tables, (&mut front, used), limit)?;
        if self.origin >= self.cells.len() {
            return Err(corrupt("the transform's origin lies outside its block"));
        }
        Ok(())
    }

    /// Reads the Huffman codes and undoes zero runs and move to front.
    fn read_cells(
        &mut self,
        reader: &mut Bits<'_>,
        selectors: &[u8],
        tables: &[HuffmanTable],
        (front, used): (&mut MoveToFront<256>, usize),
        limit: usize,
    ) -> Result<(), CodecError> {
        self.cells.clear();
        self.counts = Counts::default();
        let (mut run, mut weight) = (0_usize, 1_usize);
        for &selector in selectors {
            let table = &tables[usize::from(selector)];
            for _ in 0..SYMBOLS_PER_SELECTOR {
                let symbol = table.decode(&mut reader.0).ok_or(corrupt("not a code"))?;
                if symbol < 2 {
                    run += weight << symbol;
                    weight <<= 1;
                    if run > limit {
                        return Err(corrupt("a run past the end of its block"));
                    }
                    continue;
                }
                self.push(front.0[0], run, limit)?;
                (run, weight) = (0, 1);
                if usize::from(symbol) == used + 1 {
                    return Ok(());
                }
                let index = usize::from(symbol) - 1;
                let byte = front.take(index).ok_or(corrupt("not a symbol"))?;
                self.push(byte, 1, limit)?;
            }
        }
        Err(corrupt("a block without an end"))
    }

    fn push(&mut self, byte: u8, count: usize, limit: usize) -> Result<(), CodecError> {
        let length = self.cells.len() + count;
        if length > limit {
            return Err(corrupt("more bytes than its block can hold"));
        }
        self.cells.resize(length, u32::from(byte));
        self.counts.0[usize::from(byte)] += count as u32;
        Ok(())
    }

    /// Undoes the transform and the run lengths, and appends the bytes to `out`.
    fn expand(
        &mut self,
        block_crc: u32,
        out: &mut Vec<u8>,
        size: OutputSize,
    ) -> Result<(), CodecError> {
        let mut next = [0_u32; 256];
        let mut sum = 0;
        for (start, count) in next.iter_mut().zip(self.counts.0) {
            *start = sum;
            sum += count;
        }
        for i in 0..self.cells.len() {
            let byte = (self.cells[i] & 0xff) as usize;
            self.cells[next[byte] as usize] |= (i as u32) << 8;
            next[byte] += 1;
        }
        let start = out.len();
        let mut at = self.cells[self.origin] >> 8;
        let (mut last, mut equal) = (None, 0);
        for _ in 0..self.cells.len() {
            let cell = self.cells[at as usize];
            at = cell >> 8;
            let byte = cell as u8;
            if equal == RUN {
                let more = out.len() + usize::from(byte);
                out.resize(more, last.unwrap_or(0));
                (last, equal) = (None, 0);
            } else {
                equal = if last == Some(byte) { equal + 1 } else { 1 };
                last = Some(byte);
                out.push(byte);
            }
            if out.len() > size.limit() {
                return Err(size.overflow());
            }
        }
        if crc32(&out[start..]) == block_crc {
            Ok(())
        } else {
            Err(corrupt("a block's checksum is wrong"))
        }
    }
}

/// The bytes that occur, in order, and how many there are.
fn read_symbols(reader: &mut Bits<'_>) -> Result<([u8; 256], usize), CodecError> {
    let ranges = reader.read(16)?;
    let mut symbols = [0; 256];
    let mut used = 0;
    for range in 0..16_u8 {
        if ranges >> (15 - range) & 1 == 0 {
            continue;
        }
        let members = reader.read(16)?;
        for member in 0..16_u8 {
            if members >> (15 - member) & 1 == 1 {
                symbols[used] = range * 16 + member;
                used += 1;
            }
        }
    }
    Ok((symbols, used))
}

/// Which table serves each 50 symbols.
fn read_selectors(reader: &mut Bits<'_>, tables: usize) -> Result<Vec<u8>, CodecError> {
    let count = reader.read(15)?;
    let mut front = MoveToFront([0, 1, 2, 3, 4, 5]);
    let mut selectors = Vec::new();
    for _ in 0..count {
        let mut index = 0;
        while reader.bit()? {
            index += 1;
            if index >= tables {
                return Err(corrupt("a table that does not exist"));
            }
        }
        selectors.extend(front.take(index));
    }
    Ok(selectors)
}

/// One table's code lengths, each written as the difference from the one before.
fn read_table(reader: &mut Bits<'_>, symbols: usize) -> Result<HuffmanTable, CodecError> {
    let mut lengths = [0_u8; huffman::MAX_SYMBOLS];
    let mut length = reader.read(5)? as u8;
    for slot in &mut lengths[..symbols] {
        loop {
            if !(1..=huffman::MAX_BITS as u8).contains(&length) {
                return Err(corrupt("impossible code length"));
            }
            if !reader.bit()? {
                break;
            }
            length = if reader.bit()? {
                length - 1
            } else {
                length + 1
            };
        }
        *slot = length;
    }
    Ok(HuffmanTable::new(&lengths[..symbols]))
}

fn corrupt(reason: &'static str) -> CodecError {
    CodecError::Corrupt {
        filter: "bzip2",
        reason,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn an_empty_stream_is_empty() {
        let stored = b"BZh9\x17\x72\x45\x38\x50\x90\0\0\0\0 and more";
        let mut out = vec![1];
        decode(stored, &mut out, OutputSize::Exact(0)).unwrap();
        assert!(out.is_empty());
        let short = decode(stored, &mut out, OutputSize::Exact(1));
        assert!(matches!(short, Err(CodecError::WrongSize { .. })));
        encode(9, &[], &mut out);
        assert_eq!(out, stored[..14]);
    }

    /// Blocks of 100 000 bytes are full here, at the end and within a run.
    #[test]
    fn what_is_encoded_is_decoded() {
        let mut state = 7_u32;
        let mut next = |limit: u32| {
            state = state.wrapping_mul(1_664_525).wrapping_add(1_013_904_223);
            ((u64::from(state) * u64::from(limit)) >> 32) as u8
        };
        let noise: Vec<u8> = (0..250_000).map(|_| next(256)).collect();
        let text: Vec<u8> = (0..120_000).map(|_| b'a' + next(4)).collect();
        let mut runs = Vec::new();
        for length in [1, 3, 4, 5, 254, 255, 256, 259, 510, 100_000, 1_000_000] {
            runs.extend(std::iter::repeat_n(next(256), length));
        }
        let periodic = b"ab".repeat(60_000);
        for raw in [&noise, &text, &runs, &periodic, &vec![0; 99_981], &vec![5]] {
            let (mut stored, mut back) = (Vec::new(), Vec::new());
            encode(1, raw, &mut stored);
            assert!(stored.len() <= encode_bound(raw.len()));
            decode(&stored, &mut back, OutputSize::Exact(raw.len())).unwrap();
            assert!(back == *raw);
        }
    }
}
