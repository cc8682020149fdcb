//! A stretch of input cut into literals and matches, and how often each symbol occurs in it.

/// Literals, the end of a block, lengths; the last two are never used.
pub(super) const LITERAL_SYMBOLS: usize = 288;
pub(super) const DISTANCE_SYMBOLS: usize = 30;
pub(super) const END_OF_BLOCK: usize = 256;
/// The longest match that has a symbol.
pub(super) const LONGEST_MATCH: usize = 258;

/// Extra bits of the 29 length symbols, from 257 on.
const LENGTH_EXTRA: [u8; 29] = [
    0, 0, 0, 0, 0, 0, 0, 0, 1, 1, 1, 1, 2, 2, 2, 2, 3, 3, 3, 3, 4, 4, 4, 4, 5, 5, 5, 5, 0,
];

/// By length less 3: the symbol less 257.
const LENGTH_SYMBOL: [u8; 256] = length_symbols();
/// By length symbol less 257: the least length less 3.
const LENGTH_BASE: [u8; 29] = length_bases();

const fn length_bases() -> [u8; 29] {
    let mut bases = [0; 29];
    let mut symbol = 1;
    while symbol < 28 {
        bases[symbol] = bases[symbol - 1] + (1 << LENGTH_EXTRA[symbol - 1]);
        symbol += 1;
    }
    // The longest length has a symbol of its own.
    bases[28] = 255;
    bases
}

const fn length_symbols() -> [u8; 256] {
    let bases = length_bases();
    let mut symbols = [0; 256];
    let (mut length, mut symbol) = (0, 0);
    while length < 256 {
        while symbol < 28 && bases[symbol + 1] as usize <= length {
            symbol += 1;
        }
        symbols[length] = symbol as u8;
        length += 1;
    }
    symbols
}

/// A symbol with the bits that follow it.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) struct Symbol {
    pub(super) symbol: usize,
    pub(super) extra: u32,
    pub(super) extra_bits: u32,
}

/// The symbol of a match's length, 3 to 258.
#[inline(always)]
pub(super) fn length_symbol(length: u16) -> Symbol {
    let number = usize::from(length) - 3;
    let symbol = usize::from(LENGTH_SYMBOL[number & 255]);
    Symbol {
        symbol: symbol + 257,
        extra: number as u32 - u32::from(LENGTH_BASE[symbol]),
        extra_bits: u32::from(LENGTH_EXTRA[symbol]),
    }
}

/// The symbol of a match's distance less one, 0 to 32767.
#[inline(always)]
pub(super) fn distance_symbol(less_one: u16) -> Symbol {
    let number = u32::from(less_one);
    if number < 4 {
        return Symbol {
            symbol: number as usize,
            extra: 0,
            extra_bits: 0,
        };
    }
    let highest = 31 - number.leading_zeros();
    let extra_bits = highest - 1;
    let second = (number >> extra_bits) & 1;
    Symbol {
        symbol: (2 * highest + second) as usize,
        extra: number & ((1 << extra_bits) - 1),
        extra_bits,
    }
}

/// Literals, then a match.
#[derive(Debug, Clone, Copy)]
pub(super) struct Sequence {
    pub(super) literals: u32,
    pub(super) length: u16,
    /// Less one.
    pub(super) distance: u16,
}

/// A stretch of input in sequences, with the literals behind the last one.
#[derive(Debug)]
pub(super) struct Tokens {
    pub(super) sequences: Vec<Sequence>,
    /// First byte.
    pub(super) from: usize,
    /// The byte behind the last one.
    pub(super) to: usize,
    /// The first byte behind the last match.
    anchor: usize,
    pub(super) literals: [u32; LITERAL_SYMBOLS],
    pub(super) distances: [u32; DISTANCE_SYMBOLS],
}

impl Default for Tokens {
    fn default() -> Self {
        Self {
            sequences: Vec::new(),
            from: 0,
            to: 0,
            anchor: 0,
            literals: [0; LITERAL_SYMBOLS],
            distances: [0; DISTANCE_SYMBOLS],
        }
    }
}

impl Tokens {
    pub(super) fn clear(&mut self, from: usize) {
        self.sequences.clear();
        (self.from, self.to, self.anchor) = (from, from, from);
        self.literals = [0; LITERAL_SYMBOLS];
        self.distances = [0; DISTANCE_SYMBOLS];
    }

    pub(super) fn is_empty(&self) -> bool {
        self.from == self.to
    }

    pub(super) fn bytes(&self) -> usize {
        self.to - self.from
    }

    /// The first byte that belongs to no match yet.
    pub(super) fn anchor(&self) -> usize {
        self.anchor
    }

    /// Adds the literals up to `at`, and a match there, cut into as many as it needs.
    ///
    /// `length` is 3 or more, `distance` counts from 1.
    #[inline(always)]
    pub(super) fn add_match(&mut self, raw: &[u8], at: usize, length: usize, distance: usize) {
        count(&raw[self.anchor..at], &mut self.literals);
        let mut literals = (at - self.anchor) as u32;
        let distance = (distance - 1) as u16;
        self.anchor = at + length;
        let mut left = length;
        while left > 0 {
            // Nothing shorter than 3 may be left.
            let part = match left {
                0..=LONGEST_MATCH => left,
                259..=260 => left - 3,
                _ => LONGEST_MATCH,
            };
            let length = part as u16;
            self.sequences.push(Sequence {
                literals,
                length,
                distance,
            });
            self.literals[length_symbol(length).symbol] += 1;
            self.distances[distance_symbol(distance).symbol] += 1;
            left -= part;
            literals = 0;
        }
    }

    /// Ends at `to`: what follows the last match are literals.
    pub(super) fn end(&mut self, raw: &[u8], to: usize) {
        count(&raw[self.anchor..to], &mut self.literals);
        self.to = to;
    }

    /// Appends the stretch that follows.
    pub(super) fn join(&mut self, next: &Self) {
        let waiting = (self.to - self.anchor) as u32;
        let before = self.sequences.len();
        self.sequences.extend_from_slice(&next.sequences);
        if let Some(first) = self.sequences.get_mut(before) {
            first.literals += waiting;
            self.anchor = next.anchor;
        }
        self.to = next.to;
        add(&mut self.literals, &next.literals);
        add(&mut self.distances, &next.distances);
    }

    /// Bits that an ideal code takes, without extra bits.
    pub(super) fn price(&self) -> u64 {
        let both = price(self.literals.iter().copied()) + price(self.distances.iter().copied());
        both >> PRICE_SHIFT
    }

    /// As [`Self::price`], with `other` in the same block.
    pub(super) fn price_with(&self, other: &Self) -> u64 {
        let pairs = self.literals.iter().zip(&other.literals);
        let literals = price(pairs.map(|(a, b)| a + b));
        let pairs = self.distances.iter().zip(&other.distances);
        (literals + price(pairs.map(|(a, b)| a + b))) >> PRICE_SHIFT
    }
}

fn add(sums: &mut [u32], numbers: &[u32]) {
    for (sum, number) in sums.iter_mut().zip(numbers) {
        *sum += number;
    }
}

/// Counts bytes. In four tables where there are many: the same byte twice in a row would wait for
/// itself.
fn count(bytes: &[u8], counts: &mut [u32; LITERAL_SYMBOLS]) {
    if bytes.len() < 2048 {
        for &byte in bytes {
            counts[usize::from(byte)] += 1;
        }
        return;
    }
    let mut tables = [[0_u32; 256]; 4];
    let (quads, rest) = bytes.as_chunks::<4>();
    for quad in quads {
        for (table, &byte) in tables.iter_mut().zip(quad) {
            table[usize::from(byte)] += 1;
        }
    }
    for table in &tables {
        add(counts, table);
    }
    for &byte in rest {
        counts[usize::from(byte)] += 1;
    }
}

/// Fraction bits of prices.
pub(super) const PRICE_SHIFT: u32 = 8;

/// Logarithms to base 2 of 1 to 2, in 256ths of a bit.
const LOGARITHMS: [u16; 257] = logarithms();

const fn logarithms() -> [u16; 257] {
    let mut table = [0; 257];
    let mut i = 0;
    while i <= 256 {
        // By squaring: one bit of the logarithm a step.
        let mut x = (256 + i as u64) << 22;
        let mut log = 0_u16;
        let mut bit = 0;
        while bit < 10 {
            x = (x >> 15) * (x >> 15);
            log <<= 1;
            if x >= 2 << 30 {
                x >>= 1;
                log |= 1;
            }
            bit += 1;
        }
        table[i] = (log + 2) >> 2;
        i += 1;
    }
    table[256] = 256;
    table
}

/// The logarithm to base 2 of a number of 1 or more, in 256ths of a bit.
#[inline(always)]
fn logarithm(number: u32) -> u64 {
    let exponent = 31 - number.leading_zeros();
    let mantissa = ((u64::from(number) << 8) >> exponent) as usize & 255;
    (u64::from(exponent) << 8) + u64::from(LOGARITHMS[mantissa])
}

/// 256ths of a bit that an ideal code takes for symbols that occur so often.
pub(super) fn price(counts: impl Iterator<Item = u32>) -> u64 {
    let (mut total, mut own) = (0_u32, 0_u64);
    for count in counts.filter(|&count| count > 0) {
        total += count;
        own += u64::from(count) * logarithm(count);
    }
    if total == 0 {
        return 0;
    }
    (u64::from(total) * logarithm(total)).saturating_sub(own)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn lengths_and_distances_have_the_symbols_of_the_format() {
        let of = |s: Symbol| (s.symbol, s.extra, s.extra_bits);
        for (length, expected) in [
            (3, (257, 0, 0)),
            (10, (264, 0, 0)),
            (11, (265, 0, 1)),
            (12, (265, 1, 1)),
            (130, (280, 15, 4)),
            (131, (281, 0, 5)),
            (257, (284, 30, 5)),
            (258, (285, 0, 0)),
        ] {
            assert_eq!(of(length_symbol(length)), expected, "{length}");
        }
        for (distance, expected) in [
            (1_u32, (0, 0, 0)),
            (4, (3, 0, 0)),
            (5, (4, 0, 1)),
            (8, (5, 1, 1)),
            (9, (6, 0, 2)),
            (24577, (29, 0, 13)),
            (32768, (29, 8191, 13)),
        ] {
            let symbol = distance_symbol((distance - 1) as u16);
            assert_eq!(of(symbol), expected, "{distance}");
        }
    }

    #[test]
    fn prices_are_entropies() {
        let even = price([1000_u32; 16].into_iter()) >> PRICE_SHIFT;
        assert!((63_900..64_100).contains(&even), "{even}");
        assert_eq!(price([12_345].into_iter()), 0);
        let skewed = price([3000_u32, 1000].into_iter()) as f64 / 256.0;
        assert!(
            (skewed / (4000.0 * 0.811_278) - 1.0).abs() < 0.01,
            "{skewed}"
        );
    }
}
