//! Deflate for shuffled numbers, where libdeflate's fastest level spends most of its time on
//! matches that save nothing.
//!
//! Byte planes of rounded numbers are long runs of one byte, noise, or something between. Per
//! section of the input the price of a literal is estimated first; runs then are matches at
//! distance 1 wherever they pay, and other matches are looked for only at lengths that can save
//! bits at that price. Neighbouring sections share a block if that is cheaper than a code of their
//! own.
//!
//! Source of the format: RFC 1950, RFC 1951.

mod bits;
mod block;
mod code;
mod matches;
mod tokens;

use bits::BitWriter;
use block::BlockWriter;
use matches::Matcher;
use tokens::Tokens;

/// Input between two decisions whether to begin another block.
const SECTION_BYTES: usize = 32 << 10;
/// No block covers more.
const LARGEST_BLOCK_BYTES: usize = 4 * SECTION_BYTES;

/// A code of its own takes about so many bits.
const BLOCK_PRICE_BITS: u64 = 600;

/// The first two bytes of a zlib stream: deflate, a window of 32 KiB, fastest level.
const ZLIB_HEADER: [u8; 2] = [0x78, 0x01];

/// Reusable memory of the encoder.
#[derive(Debug, Default)]
pub(crate) struct Quick {
    matcher: Matcher,
    /// Of the block that grows, and of the section that may join it.
    block: Tokens,
    section: Tokens,
    writer: BlockWriter,
}

impl Quick {
    /// Replaces the content of `out` by a zlib stream of `raw`, `checksum` its Adler-32.
    pub(crate) fn encode(&mut self, raw: &[u8], checksum: u32, out: &mut Vec<u8>) {
        out.clear();
        out.extend_from_slice(&ZLIB_HEADER);
        let mut bits = BitWriter::default();
        self.matcher.begin(raw.len());
        self.block.clear(0);
        for from in (0..raw.len()).step_by(SECTION_BYTES) {
            let to = (from + SECTION_BYTES).min(raw.len());
            self.section.clear(from);
            self.matcher.cut(raw, from..to, &mut self.section);
            if !self.section_joins() {
                self.writer.write(&self.block, raw, false, &mut bits, out);
                std::mem::swap(&mut self.block, &mut self.section);
            } else {
                self.block.join(&self.section);
            }
        }
        self.writer.write(&self.block, raw, true, &mut bits, out);
        bits.finish(out);
        out.extend_from_slice(&checksum.to_be_bytes());
    }

    /// Whether the next section costs less in the same block than in one of its own.
    fn section_joins(&self) -> bool {
        let (block, section) = (&self.block, &self.section);
        if block.is_empty() {
            return true;
        }
        if block.bytes() + section.bytes() > LARGEST_BLOCK_BYTES {
            return false;
        }
        let apart = block.price() + section.price() + BLOCK_PRICE_BITS;
        block.price_with(section) <= apart
    }
}

/// Bytes that a stream of `raw_bytes` takes at most.
pub(crate) fn encode_bound(raw_bytes: usize) -> usize {
    // Stored blocks of at most 65535 bytes, one more where a block begins, and what zlib adds.
    let blocks = raw_bytes / (SECTION_BYTES / 2) + 2;
    raw_bytes.saturating_add(blocks * 6 + 6)
}

#[cfg(test)]
mod tests;
