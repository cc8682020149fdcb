//! Finds runs and repetitions that cost less than the literals they stand for.

use std::ops::Range;

use super::tokens::{PRICE_SHIFT, Tokens, price};

/// Entries of the table of places, as a power of two.
const TABLE_BITS: u32 = 16;
/// Matches reach back so far.
const WINDOW: usize = 32 << 10;

/// What a match at a distance takes, in bits: two symbols, and the bits behind them.
const MATCH_BITS: u64 = 30;
/// What a run takes.
const RUN_BITS: u64 = 10;
const SHORTEST: usize = 4;
const LONGEST_LEAST: usize = 24;

/// Bytes looked at to estimate what literals cost ...
const SAMPLE: usize = 64;
/// ... out of so many.
const SAMPLED_OF: usize = 512;

/// So many places in vain, as a power of two, and every second one is passed over.
const PATIENCE: u32 = 4;
const LARGEST_STEP: usize = 12;
/// No run of eight bytes is passed over.
const LARGEST_STEP_OF_RUNS: usize = 5;

/// Where words were seen last.
#[derive(Debug, Default)]
pub(super) struct Matcher {
    /// By hash of a word: its place, counted from the beginning of all inputs so far.
    places: Vec<u32>,
    /// Where the current input begins in that count.
    base: u32,
    next_base: u32,
}

/// What is worth its bits in a section.
#[derive(Debug, Clone, Copy)]
struct Worth {
    /// Least length of a run.
    run: usize,
    /// Least length of other matches.
    other: usize,
    /// Bits of the words that are looked up, above the rest of 64.
    shift: u32,
    /// From one place to the next: long matches are found at any of their places.
    step: usize,
}

impl Worth {
    fn of(raw: &[u8], section: Range<usize>) -> Self {
        let literal = literal_price(&raw[section]).max(1);
        let length = |bits: u64| ((bits << PRICE_SHIFT).div_ceil(literal)) as usize;
        let other = length(MATCH_BITS).clamp(SHORTEST, LONGEST_LEAST);
        Self {
            run: length(RUN_BITS).clamp(SHORTEST, LONGEST_LEAST),
            other,
            shift: 64 - 8 * other.min(8) as u32,
            step: (other / 3).clamp(1, LARGEST_STEP_OF_RUNS),
        }
    }
}

/// What a literal costs that begins no run, in 256ths of a bit.
fn literal_price(bytes: &[u8]) -> u64 {
    // In tables that take turns: the same byte twice in a row would wait for itself.
    let mut tables = [[0_u32; 256]; 4];
    for sample in bytes.chunks(SAMPLED_OF) {
        let sample = &sample[..sample.len().min(SAMPLE)];
        for (number, pair) in sample.windows(2).enumerate() {
            tables[number % 4][usize::from(pair[1])] += u32::from(pair[0] != pair[1]);
        }
    }
    let counts = (0..256).map(|byte| tables.iter().map(|table| table[byte]).sum::<u32>());
    let total = counts.clone().map(u64::from).sum::<u64>();
    price(counts) / total.max(1)
}

impl Matcher {
    /// Begins another input; what was seen in others is forgotten.
    pub(super) fn begin(&mut self, bytes: usize) {
        // Place 0 means none.
        let next = self
            .next_base
            .max(1)
            .checked_add(u32::try_from(bytes).unwrap_or(u32::MAX));
        if self.places.is_empty() || next.is_none() {
            self.places.clear();
            self.places.resize(1 << TABLE_BITS, 0);
            self.next_base = 1;
        }
        self.base = self.next_base.max(1);
        self.next_base = self
            .base
            .saturating_add(u32::try_from(bytes).unwrap_or(u32::MAX));
    }

    /// Cuts a section into literals and matches.
    pub(super) fn cut(&mut self, raw: &[u8], section: Range<usize>, tokens: &mut Tokens) {
        let worth = Worth::of(raw, section.clone());
        // Words are read as a whole, and there is a byte before each.
        let last = section.end.min(raw.len().saturating_sub(8));
        let mut at = section.start.max(1);
        let mut in_vain = 0;
        while at < last {
            let now = word(raw, at);
            let run = run_within(now, raw[at - 1]).map(|from| at + from);
            if let Some(from) = run.filter(|&from| from < section.end) {
                let before = tokens.anchor();
                let to = from + common(raw, from - 1, from, section.end);
                let from = first_common(raw, from, before, 1);
                if to - from >= worth.run {
                    tokens.add_match(raw, from, to - from, 1);
                    in_vain = 0;
                }
                at = to;
                continue;
            }
            let (length, distance) = self.repetition(raw, at, now, worth, section.end);
            if length > 0 {
                let from = first_common(raw, at, tokens.anchor(), distance);
                if at + length - from >= worth.other {
                    self.note(raw, at + 1..(at + length).min(last), worth);
                    at += length;
                    tokens.add_match(raw, from, at - from, distance);
                    in_vain = 0;
                    continue;
                }
            }
            in_vain += 1;
            at += (worth.step + (in_vain >> PATIENCE)).min(LARGEST_STEP);
        }
        tokens.end(raw, section.end);
    }

    /// Notes the places inside a match: smooth fields repeat parts of what they repeated.
    #[inline(always)]
    fn note(&mut self, raw: &[u8], places: Range<usize>, worth: Worth) {
        for at in places {
            let looked_up = word(raw, at) << worth.shift;
            self.places[hash(looked_up)] = self.base.wrapping_add(at as u32);
        }
    }

    /// Length and distance of a repetition of what was seen before; 0: there is none.
    #[inline(always)]
    fn repetition(
        &mut self,
        raw: &[u8],
        at: usize,
        now: u64,
        worth: Worth,
        end: usize,
    ) -> (usize, usize) {
        let looked_up = now << worth.shift;
        let here = self.base.wrapping_add(at as u32);
        let place = &mut self.places[hash(looked_up)];
        let before = std::mem::replace(place, here);
        let distance = here.wrapping_sub(before) as usize;
        if before < self.base || distance > WINDOW || distance > at {
            return (0, 0);
        }
        let from = at - distance;
        if word(raw, from) << worth.shift != looked_up {
            return (0, 0);
        }
        (common(raw, from, at, end), distance)
    }
}

/// Where the place of a word is kept.
#[inline(always)]
fn hash(looked_up: u64) -> usize {
    (looked_up.wrapping_mul(0x9e37_79b9_7f4a_7c15) >> (64 - TABLE_BITS)) as usize
}

/// Eight bytes, which are there.
#[inline(always)]
fn word(raw: &[u8], at: usize) -> u64 {
    raw[at..]
        .first_chunk()
        .map_or(0, |bytes| u64::from_le_bytes(*bytes))
}

/// Where in a word the first four bytes begin that are the one before them; the first five places
/// are looked at.
#[inline(always)]
fn run_within(word: u64, before: u8) -> Option<usize> {
    const LOW: u64 = 0x7f7f_7f7f_7f7f_7f7f;
    let changes = word ^ (word << 8 | u64::from(before));
    // The highest bit of every byte that is 0, and of no other.
    let same = !(((changes & LOW) + LOW) | changes | LOW);
    let pairs = same & same >> 8;
    let runs = pairs & pairs >> 16;
    (runs != 0).then(|| (runs.trailing_zeros() / 8) as usize)
}

/// Bytes that are the same from `from` and from `at` on, `from` first, none beyond `end`.
#[inline(always)]
fn common(raw: &[u8], from: usize, at: usize, end: usize) -> usize {
    let (old, new) = (&raw[from..end - (at - from)], &raw[at..end]);
    let words = old.as_chunks::<8>().0.iter().zip(new.as_chunks::<8>().0);
    let mut length = 0;
    for (old, new) in words {
        let difference = u64::from_le_bytes(*old) ^ u64::from_le_bytes(*new);
        if difference != 0 {
            return length + (difference.trailing_zeros() / 8) as usize;
        }
        length += 8;
    }
    let rest = old[length..].iter().zip(&new[length..]);
    length + rest.take_while(|(old, new)| old == new).count()
}

/// The first byte, none before `anchor`, from which on to `at` all are those of `distance` before.
#[inline(always)]
fn first_common(raw: &[u8], at: usize, anchor: usize, distance: usize) -> usize {
    let anchor = anchor.max(distance);
    let mut from = at;
    while from > anchor && raw[from - 1] == raw[from - 1 - distance] {
        from -= 1;
    }
    from
}
