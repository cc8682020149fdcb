//! Canonical Huffman codes of up to 20 bits, decoded by table where they are short; and the lengths
//! of codes for counted symbols.

use std::cmp::Reverse;
use std::collections::BinaryHeap;

use crate::bits::BitReader;

/// Longest code.
pub(super) const MAX_BITS: u32 = 20;
/// Bytes, two run symbols and the end of the block.
pub(super) const MAX_SYMBOLS: usize = 258;
/// Codes up to this length are looked up directly.
const SHORT_BITS: u32 = 10;

/// A decoding table.
pub(super) struct HuffmanTable {
    /// By the next bits: symbol and length of the code that they begin with; length 0 if longer.
    short: Vec<(u16, u8)>,
    /// For each length: one past its last code, left-aligned to `MAX_BITS`.
    ends: [u32; MAX_BITS as usize + 1],
    /// For each length: index in `symbols` of code 0 of that length, had it existed.
    bases: [i32; MAX_BITS as usize + 1],
    /// By length of code, then by number.
    symbols: Vec<u16>,
}

impl HuffmanTable {
    /// The table for codes of these lengths, each 1 to `MAX_BITS`.
    pub(super) fn new(lengths: &[u8]) -> Self {
        let mut symbols: Vec<u16> = (0..lengths.len() as u16).collect();
        symbols.sort_by_key(|&symbol| lengths[usize::from(symbol)]);
        let mut table = Self {
            short: vec![(0, 0); 1 << SHORT_BITS],
            ends: [0; MAX_BITS as usize + 1],
            bases: [0; MAX_BITS as usize + 1],
            symbols: Vec::new(),
        };
        let (mut code, mut index) = (0_u32, 0_usize);
        for bits in 1..=MAX_BITS {
            table.bases[bits as usize] = index as i32 - code as i32;
            while symbols
                .get(index)
                .is_some_and(|&s| u32::from(lengths[usize::from(s)]) == bits)
            {
                table.enter_short(code, bits, symbols[index]);
                code = code.saturating_add(1);
                index += 1;
            }
            table.ends[bits as usize] = code.saturating_mul(1 << (MAX_BITS - bits));
            // Lengths that leave no room overflow into codes that no bits can match.
            code = code.saturating_mul(2).min(1 << (MAX_BITS + 2));
        }
        table.symbols = symbols;
        table
    }

    fn enter_short(&mut self, code: u32, bits: u32, symbol: u16) {
        if bits > SHORT_BITS || code >= 1 << bits {
            return;
        }
        let first = (code << (SHORT_BITS - bits)) as usize;
        let span = 1 << (SHORT_BITS - bits);
        self.short[first..first + span].fill((symbol, bits as u8));
    }

    /// The next symbol; `None` if no code matches or the bits run out.
    #[inline]
    pub(super) fn decode(&self, reader: &mut BitReader<'_>) -> Option<u16> {
        let next = reader.peek(MAX_BITS) as u32;
        let (symbol, bits) = self.short[(next >> (MAX_BITS - SHORT_BITS)) as usize];
        if bits > 0 {
            reader.skip(u32::from(bits))?;
            return Some(symbol);
        }
        let bits = (SHORT_BITS + 1..=MAX_BITS).find(|&bits| next < self.ends[bits as usize])?;
        reader.skip(bits)?;
        let index = (next >> (MAX_BITS - bits)) as i32 + self.bases[bits as usize];
        self.symbols.get(usize::try_from(index).ok()?).copied()
    }
}

/// Lengths of codes for symbols that occur so often, none longer than `longest`; symbols that do not
/// occur get a code as well.
///
/// Too long codes are mended as `BZ2_hbMakeCodeLengths` does it: by halving the counts.
pub(super) fn code_lengths(counts: &[u32], longest: u8) -> Vec<u8> {
    let mut weights: Vec<u64> = counts
        .iter()
        .map(|&count| u64::from(count.max(1)))
        .collect();
    loop {
        let lengths = unlimited_lengths(&weights);
        if lengths.iter().all(|&length| length <= u32::from(longest)) {
            return lengths.iter().map(|&length| length.max(1) as u8).collect();
        }
        for weight in &mut weights {
            *weight = *weight / 2 + 1;
        }
    }
}

/// Depths of the leaves of a Huffman tree.
fn unlimited_lengths(weights: &[u64]) -> Vec<u32> {
    let mut heap: BinaryHeap<Reverse<(u64, usize)>> = BinaryHeap::new();
    for (leaf, &weight) in weights.iter().enumerate() {
        heap.push(Reverse((weight, leaf)));
    }
    let mut parents = vec![0; weights.len()];
    while let (Some(Reverse((a, left))), Some(Reverse((b, right)))) = (heap.pop(), heap.pop()) {
        let node = parents.len();
        parents.push(0);
        parents[left] = node;
        parents[right] = node;
        heap.push(Reverse((a + b, node)));
        if heap.len() == 1 {
            break;
        }
    }
    let root = parents.len() - 1;
    let mut depths = vec![0_u32; parents.len()];
    for node in (0..root).rev() {
        depths[node] = depths[parents[node]] + 1;
    }
    depths.truncate(weights.len());
    depths
}
