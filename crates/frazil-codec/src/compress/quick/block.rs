//! Blocks: which of the three kinds is smallest, and its bits.

use super::bits::BitWriter;
use super::code::Code;
use super::tokens::{
    DISTANCE_SYMBOLS, END_OF_BLOCK, LITERAL_SYMBOLS, Sequence, Symbol, Tokens, distance_symbol,
    length_symbol,
};

/// Longest code of a literal or length: four literals and seven bits fit into 64.
const LONGEST_LITERAL_CODE: usize = 14;
const LONGEST_DISTANCE_CODE: usize = 15;
const LONGEST_LENGTH_CODE: usize = 7;

/// Most bytes of a stored block.
const STORED_BYTES: usize = 65_535;

/// Symbols that describe the lengths of a code: lengths, then three kinds of repetitions.
const DESCRIPTION_SYMBOLS: usize = 19;
const REPEAT: usize = 16;
const FEW_ZEROS: usize = 17;
const MANY_ZEROS: usize = 18;
/// In this order their own lengths are given.
const DESCRIPTION_ORDER: [usize; DESCRIPTION_SYMBOLS] = [
    16, 17, 18, 0, 8, 7, 9, 6, 10, 5, 11, 4, 12, 3, 13, 2, 14, 1, 15,
];

type Literals = Code<LITERAL_SYMBOLS>;
type Distances = Code<DISTANCE_SYMBOLS>;

/// Writes blocks.
#[derive(Debug, Default)]
pub(super) struct BlockWriter {
    /// The bits of one block.
    buffer: Vec<u8>,
}

impl BlockWriter {
    /// Writes one block, or what stands for it.
    pub(super) fn write(
        &mut self,
        tokens: &Tokens,
        raw: &[u8],
        is_last: bool,
        bits: &mut BitWriter,
        out: &mut Vec<u8>,
    ) {
        let mut literals = tokens.literals;
        literals[END_OF_BLOCK] = 1;
        let own = (
            Code::best(&literals, LONGEST_LITERAL_CODE),
            Code::best(&tokens.distances, LONGEST_DISTANCE_CODE),
        );
        let description = Description::of(&own.0, &own.1);
        let common = common_codes();
        let cost = |codes: &(Literals, Distances)| {
            codes.0.cost(&literals) + codes.1.cost(&tokens.distances)
        };
        let extra = extra_bits(tokens);
        let (of_own, of_common) = (description.cost() + cost(&own), cost(&common));
        let parts = tokens.bytes().div_ceil(STORED_BYTES).max(1);
        let stored = 8 * tokens.bytes() as u64 + 40 * parts as u64;
        let coded = of_own.min(of_common) + extra;
        if stored <= coded {
            return store(&raw[tokens.from..tokens.to], is_last, bits, out);
        }
        // The word that is written last may reach beyond the bits.
        let most = (coded / 8) as usize + DESCRIPTION_BYTES + 16;
        if self.buffer.len() < most {
            self.buffer.resize(most, 0);
        }
        let mut sink = Sink {
            bits,
            buffer: &mut self.buffer,
            at: 0,
        };
        sink.add(u64::from(is_last), 1);
        let codes = match of_own < of_common {
            true => {
                sink.add(2, 2);
                description.write(&mut sink);
                &own
            }
            false => {
                sink.add(1, 2);
                &common
            }
        };
        sink.write_tokens(tokens, raw, codes);
        let at = sink.at;
        out.extend_from_slice(&self.buffer[..at]);
    }
}

/// Writes stored blocks.
fn store(bytes: &[u8], is_last: bool, bits: &mut BitWriter, out: &mut Vec<u8>) {
    let parts = bytes.len().div_ceil(STORED_BYTES);
    for (number, part) in bytes.chunks(STORED_BYTES).enumerate() {
        bits.add(u64::from(is_last && number + 1 == parts), 3);
        bits.finish(out);
        let length = part.len() as u16;
        out.extend_from_slice(&length.to_le_bytes());
        out.extend_from_slice(&(!length).to_le_bytes());
        out.extend_from_slice(part);
    }
}

/// Bits behind the symbols of matches.
fn extra_bits(tokens: &Tokens) -> u64 {
    let of_length = |symbol: usize| match symbol {
        265..=284 => (symbol as u64 - 261) / 4,
        _ => 0,
    };
    let lengths = (257..LITERAL_SYMBOLS).map(|s| u64::from(tokens.literals[s]) * of_length(s));
    let distances =
        (4..DISTANCE_SYMBOLS).map(|s| u64::from(tokens.distances[s]) * (s as u64 / 2 - 1));
    lengths.sum::<u64>() + distances.sum::<u64>()
}

/// The codes that need no description.
fn common_codes() -> (Literals, Distances) {
    let length = |symbol| match symbol {
        ..144 => 8,
        144..256 => 9,
        256..280 => 7,
        _ => 8,
    };
    let literals = Code::of_lengths(std::array::from_fn(length));
    (literals, Code::of_lengths([5; DISTANCE_SYMBOLS]))
}

/// Most bytes of a description.
const DESCRIPTION_BYTES: usize = (17 + 3 * 19 + 14 * (LITERAL_SYMBOLS + DISTANCE_SYMBOLS)) / 8 + 1;

/// How a block describes its codes: their lengths, themselves in a code.
struct Description {
    literals: usize,
    distances: usize,
    /// Symbol, and the bits behind it.
    symbols: Vec<Symbol>,
    code: Code<DESCRIPTION_SYMBOLS>,
    /// Lengths of that code that are given.
    given: usize,
}

impl Description {
    fn of(literals: &Literals, distances: &Distances) -> Self {
        let used = |lengths: &[u8]| lengths.iter().rposition(|&length| length > 0);
        let literal_count = used(&literals.lengths).map_or(257, |last| (last + 1).max(257));
        let distance_count = used(&distances.lengths).map_or(1, |last| last + 1);
        let mut lengths = [0; LITERAL_SYMBOLS + DISTANCE_SYMBOLS];
        lengths[..literal_count].copy_from_slice(&literals.lengths[..literal_count]);
        let all = literal_count + distance_count;
        lengths[literal_count..all].copy_from_slice(&distances.lengths[..distance_count]);
        let symbols = describe(&lengths[..all]);
        let mut counts = [0; DESCRIPTION_SYMBOLS];
        symbols.iter().for_each(|one| counts[one.symbol] += 1);
        let code = Code::best(&counts, LONGEST_LENGTH_CODE);
        let is_given = |symbol: &usize| code.lengths[*symbol] > 0;
        let given = DESCRIPTION_ORDER.iter().rposition(is_given);
        Self {
            literals: literal_count,
            distances: distance_count,
            given: given.map_or(4, |last| (last + 1).max(4)),
            symbols,
            code,
        }
    }

    /// Bits.
    fn cost(&self) -> u64 {
        let of_one =
            |one: &Symbol| u64::from(self.code.lengths[one.symbol]) + u64::from(one.extra_bits);
        14 + 3 * self.given as u64 + self.symbols.iter().map(of_one).sum::<u64>()
    }

    fn write(&self, sink: &mut Sink<'_>) {
        sink.add(self.literals as u64 - 257, 5);
        sink.add(self.distances as u64 - 1, 5);
        sink.add(self.given as u64 - 4, 4);
        for &symbol in &DESCRIPTION_ORDER[..self.given] {
            sink.add(u64::from(self.code.lengths[symbol]), 3);
        }
        for &one in &self.symbols {
            sink.add_symbol(&self.code, one);
        }
    }
}

/// Lengths with their repetitions drawn together.
fn describe(lengths: &[u8]) -> Vec<Symbol> {
    let mut symbols = Vec::with_capacity(lengths.len());
    let mut push = |symbol, extra: usize, extra_bits| {
        symbols.push(Symbol {
            symbol,
            extra: extra as u32,
            extra_bits,
        });
    };
    for run in lengths.chunk_by(|a, b| a == b) {
        let (length, mut left) = (usize::from(run[0]), run.len());
        if length > 0 {
            push(length, 0, 0);
            left -= 1;
        }
        while left >= 3 {
            let taken = match length {
                0 if left > 10 => left.min(138),
                0 => left,
                _ => left.min(6),
            };
            match length {
                0 if taken > 10 => push(MANY_ZEROS, taken - 11, 7),
                0 => push(FEW_ZEROS, taken - 3, 3),
                _ => push(REPEAT, taken - 3, 2),
            }
            left -= taken;
        }
        (0..left).for_each(|_| push(length, 0, 0));
    }
    symbols
}

/// Where the bits of a block go.
struct Sink<'a> {
    bits: &'a mut BitWriter,
    buffer: &'a mut [u8],
    at: usize,
}

impl Sink<'_> {
    #[inline(always)]
    fn add(&mut self, value: u64, count: u32) {
        self.bits.add(value, count);
        self.flush();
    }

    #[inline(always)]
    fn flush(&mut self) {
        self.at = self.bits.flush(self.buffer, self.at);
    }

    #[inline(always)]
    fn hold<const SYMBOLS: usize>(&mut self, code: &Code<SYMBOLS>, symbol: usize) {
        let (value, count) = (code.bits[symbol], code.lengths[symbol]);
        self.bits.add(u64::from(value), u32::from(count));
    }

    #[inline(always)]
    fn add_symbol<const SYMBOLS: usize>(&mut self, code: &Code<SYMBOLS>, one: Symbol) {
        self.hold(code, one.symbol);
        self.add(u64::from(one.extra), one.extra_bits);
    }

    fn write_tokens(&mut self, tokens: &Tokens, raw: &[u8], codes: &(Literals, Distances)) {
        let mut at = tokens.from;
        for &Sequence {
            literals,
            length,
            distance,
        } in &tokens.sequences
        {
            let to = at + literals as usize;
            self.write_literals(&raw[at..to], &codes.0);
            at = to + usize::from(length);
            let (length, distance) = (length_symbol(length), distance_symbol(distance));
            // 14 + 5 + 15 + 13 bits.
            self.hold(&codes.0, length.symbol);
            self.bits.add(u64::from(length.extra), length.extra_bits);
            self.hold(&codes.1, distance.symbol);
            self.bits
                .add(u64::from(distance.extra), distance.extra_bits);
            self.flush();
        }
        self.write_literals(&raw[at..tokens.to], &codes.0);
        self.hold(&codes.0, END_OF_BLOCK);
        self.flush();
    }

    #[inline(always)]
    fn write_literals(&mut self, literals: &[u8], code: &Literals) {
        let (quads, rest) = literals.as_chunks::<4>();
        for quad in quads {
            for &literal in quad {
                self.hold(code, usize::from(literal));
            }
            self.flush();
        }
        for &literal in rest {
            self.hold(code, usize::from(literal));
        }
        self.flush();
    }
}
