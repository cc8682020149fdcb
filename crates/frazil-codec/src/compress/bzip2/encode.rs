//! Writing bzip2 streams.
//!
//! Source: `compress.c` and `bzlib.c` of bzip2 1.0.8: run lengths, sorted rotations, move to front, run
//! lengths of zeros, and two to six Huffman codes that are refined in four rounds.

use super::crc::crc32;
use super::huffman::code_lengths;
use super::rotations::{Transformed, transform};
use super::{BLOCK_MAGIC, END_MAGIC, MoveToFront, SYMBOLS_PER_SELECTOR};

/// Bytes that a block may hold less than its level says (`BZ_N_OVERSHOOT` of the original).
const BLOCK_MARGIN: usize = 19;
/// Equal bytes that one count stands for at most, the four before it included.
const LONGEST_RUN: usize = 255;
/// Rounds in which the codes are fitted to the groups of symbols that choose them.
const ROUNDS: usize = 4;
/// Longest code that is written; readers take 20 bits.
const LONGEST_CODE: u8 = 17;
/// Symbols of runs: `RUN_A` is 1, `RUN_B` 2 in their place.
const RUN_A: u16 = 0;
const RUN_B: u16 = 1;

/// Replaces the content of `out` by `raw` as one stream of blocks of `level` times 100 000 bytes.
pub(crate) fn encode(level: u32, raw: &[u8], out: &mut Vec<u8>) {
    out.clear();
    out.extend_from_slice(b"BZh");
    out.push(b'0' + level as u8);
    let mut bits = BitWriter::new(out);
    let limit = level as usize * 100_000 - BLOCK_MARGIN;
    let mut stream_crc = 0_u32;
    let mut rest = raw;
    let mut block = Vec::with_capacity(limit.min(raw.len() + raw.len() / 4 + 1));
    while !rest.is_empty() {
        let taken = take_block(rest, limit, &mut block);
        let block_crc = crc32(&rest[..taken]);
        stream_crc = stream_crc.rotate_left(1) ^ block_crc;
        write_block(&block, block_crc, &mut bits);
        rest = &rest[taken..];
    }
    bits.write(48, END_MAGIC);
    bits.write(32, u64::from(stream_crc));
    bits.finish();
}

/// Bytes that the stream of `raw_bytes` needs at most: as the original documents it.
pub(crate) fn encode_bound(raw_bytes: usize) -> usize {
    raw_bytes
        .saturating_add(raw_bytes / 50)
        .saturating_add(raw_bytes / 4)
        .saturating_add(2048)
}

/// Fills a block with the start of `raw`, its runs counted; returns how many bytes it stands for.
fn take_block(raw: &[u8], limit: usize, block: &mut Vec<u8>) -> usize {
    block.clear();
    let mut at = 0;
    while let Some(&byte) = raw.get(at) {
        let window = &raw[at..raw.len().min(at + LONGEST_RUN)];
        let run = window.iter().take_while(|&&other| other == byte).count();
        if block.len() + run.min(4) + 1 > limit {
            break;
        }
        block.extend(std::iter::repeat_n(byte, run.min(4)));
        if run >= 4 {
            block.push((run - 4) as u8);
        }
        at += run;
    }
    at
}

fn write_block(block: &[u8], block_crc: u32, bits: &mut BitWriter<'_>) {
    let Transformed { last, origin } = transform(block);
    bits.write(48, BLOCK_MAGIC);
    bits.write(32, u64::from(block_crc));
    // Not randomised.
    bits.write(1, 0);
    bits.write(24, origin as u64);
    let used = write_used(block, bits);
    let symbols = to_symbols(&last, &used);
    let alphabet = used.len() + 2;
    let (tables, selectors) = fit_tables(&symbols, alphabet);
    bits.write(3, tables.len() as u64);
    bits.write(15, selectors.len() as u64);
    let mut front = MoveToFront([0, 1, 2, 3, 4, 5]);
    for &selector in &selectors {
        let index = front
            .0
            .iter()
            .position(|&item| item == selector)
            .unwrap_or(0);
        front.take(index);
        // So many ones and a zero.
        bits.write(index as u32 + 1, (1 << (index + 1)) - 2);
    }
    for table in &tables {
        write_lengths(table, bits);
    }
    let codes: Vec<Vec<u32>> = tables.iter().map(|table| canonical(table)).collect();
    for (group, &selector) in symbols.chunks(SYMBOLS_PER_SELECTOR).zip(&selectors) {
        let (lengths, codes) = (
            &tables[usize::from(selector)],
            &codes[usize::from(selector)],
        );
        for &symbol in group {
            let symbol = usize::from(symbol);
            bits.write(u32::from(lengths[symbol]), u64::from(codes[symbol]));
        }
    }
}

/// Writes which bytes occur; returns them in order.
fn write_used(block: &[u8], bits: &mut BitWriter<'_>) -> Vec<u8> {
    let mut occurs = [false; 256];
    block
        .iter()
        .for_each(|&byte| occurs[usize::from(byte)] = true);
    let (ranges, _) = occurs.as_chunks::<16>();
    for range in ranges {
        bits.write(1, u64::from(range.contains(&true)));
    }
    for range in ranges.iter().filter(|range| range.contains(&true)) {
        range
            .iter()
            .for_each(|&occurs| bits.write(1, u64::from(occurs)));
    }
    (0..=255)
        .filter(|&byte: &u8| occurs[usize::from(byte)])
        .collect()
}

/// Moves bytes to the front and counts runs of what is in front; ends with the block's end.
fn to_symbols(last: &[u8], used: &[u8]) -> Vec<u16> {
    let mut front = MoveToFront([0_u8; 256]);
    front.0[..used.len()].copy_from_slice(used);
    let mut symbols = Vec::with_capacity(last.len() / 2 + 1);
    let mut run = 0_usize;
    for &byte in last {
        if front.0[0] == byte {
            run += 1;
            continue;
        }
        push_run(&mut run, &mut symbols);
        let index = front.0.iter().position(|&item| item == byte).unwrap_or(0);
        front.take(index);
        symbols.push(index as u16 + 1);
    }
    push_run(&mut run, &mut symbols);
    symbols.push(used.len() as u16 + 1);
    symbols
}

/// Writes a run in the digits 1 and 2 of a number to base 2, lowest first.
fn push_run(run: &mut usize, symbols: &mut Vec<u16>) {
    while *run > 0 {
        symbols.push(if *run % 2 == 1 { RUN_A } else { RUN_B });
        *run = (*run - 1) / 2;
    }
}

/// Code lengths of several tables, and for every 50 symbols the table that serves them best.
fn fit_tables(symbols: &[u16], alphabet: usize) -> (Vec<Vec<u8>>, Vec<u8>) {
    let count = match symbols.len() {
        ..200 => 2,
        200..600 => 3,
        600..1200 => 4,
        1200..2400 => 5,
        _ => 6,
    };
    let mut tables = first_tables(symbols, alphabet, count);
    let mut selectors = Vec::new();
    for _ in 0..ROUNDS {
        let mut frequencies = vec![vec![0_u32; alphabet]; count];
        selectors.clear();
        for group in symbols.chunks(SYMBOLS_PER_SELECTOR) {
            let cost = |table: &Vec<u8>| -> u32 {
                let lengths = group
                    .iter()
                    .map(|&symbol| u32::from(table[usize::from(symbol)]));
                lengths.sum()
            };
            let costs = tables.iter().map(cost).enumerate();
            let best = costs
                .min_by_key(|&(_, cost)| cost)
                .map_or(0, |(table, _)| table);
            selectors.push(best as u8);
            for &symbol in group {
                frequencies[best][usize::from(symbol)] += 1;
            }
        }
        let lengths = |counts: &Vec<u32>| code_lengths(counts, LONGEST_CODE);
        tables = frequencies.iter().map(lengths).collect();
    }
    (tables, selectors)
}

/// Tables to begin with: each favours a part of the alphabet that occurs as often as any other.
fn first_tables(symbols: &[u16], alphabet: usize, count: usize) -> Vec<Vec<u8>> {
    const FAVOURED: u8 = 1;
    const OTHERS: u8 = 15;
    let mut frequencies = vec![0_usize; alphabet];
    for &symbol in symbols {
        frequencies[usize::from(symbol)] += 1;
    }
    let (mut tables, mut left, mut from) = (Vec::new(), symbols.len(), 0);
    for part in (1..=count).rev() {
        let (mut to, mut sum) = (from, 0);
        while to < alphabet && (sum < left / part || to == from) {
            sum += frequencies[to];
            to += 1;
        }
        let favoured = from..to;
        let length = |symbol: usize| {
            if favoured.contains(&symbol) {
                FAVOURED
            } else {
                OTHERS
            }
        };
        tables.push((0..alphabet).map(length).collect());
        left = left.saturating_sub(sum);
        from = to;
    }
    tables
}

/// Writes code lengths, each as its difference from the one before.
fn write_lengths(lengths: &[u8], bits: &mut BitWriter<'_>) {
    let mut current = lengths.first().copied().unwrap_or(1);
    bits.write(5, u64::from(current));
    for &length in lengths {
        while current < length {
            bits.write(2, 0b10);
            current += 1;
        }
        while current > length {
            bits.write(2, 0b11);
            current -= 1;
        }
        bits.write(1, 0);
    }
}

/// The codes of these lengths: in the order of lengths, then of symbols.
fn canonical(lengths: &[u8]) -> Vec<u32> {
    let mut codes = vec![0; lengths.len()];
    let mut code = 0_u32;
    for bits in 1..=LONGEST_CODE {
        for (symbol, &length) in lengths.iter().enumerate() {
            if length == bits {
                codes[symbol] = code;
                code += 1;
            }
        }
        code <<= 1;
    }
    codes
}

/// Writes numbers of any width, most significant bit first.
struct BitWriter<'a> {
    out: &'a mut Vec<u8>,
    held: u64,
    held_bits: u32,
}

impl<'a> BitWriter<'a> {
    fn new(out: &'a mut Vec<u8>) -> Self {
        Self {
            out,
            held: 0,
            held_bits: 0,
        }
    }

    /// Writes the lowest `bits` (up to 56) of `value`.
    fn write(&mut self, bits: u32, value: u64) {
        self.held = self.held << bits | value;
        self.held_bits += bits;
        while self.held_bits >= 8 {
            self.held_bits -= 8;
            self.out.push((self.held >> self.held_bits) as u8);
        }
        self.held &= (1 << self.held_bits) - 1;
    }

    /// Fills the last byte with zeros.
    fn finish(mut self) {
        let fill = (8 - self.held_bits % 8) % 8;
        self.write(fill, 0);
    }
}
