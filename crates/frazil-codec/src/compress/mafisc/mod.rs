//! MAFISC (filter 32002): numbers replaced by what predictors leave of them, then LZMA.
//!
//! Source: `mafisc.c` and the filters beside it (N. Hübbe; `community/MAFISC` of the HDF Group's
//! plugins). A chunk repeats the client data values (little-endian words here, as on the machines
//! that wrote such files), names its method by letters that a NUL ends, and holds one .xz stream.
//! The registered encoder tries one random method for each chunk beside the last best one; here
//! all of them compete, in a fixed order, so that equal chunks give equal bytes.

mod adaptive;
mod bits;
mod methods;
mod number;
mod search;
mod step;
mod xz;

use frazil_types::{FilterSpec, MAX_RANK};

use crate::CodecError;
use crate::buffer::OutputSize;
use crate::cursor::Cursor;
use crate::error::invalid;
use crate::registry::MAX_CHUNK_BYTES;
use crate::scratch::Codecs;
use number::{Number, written};
use step::Step;

const NAME: &str = "mafisc";
/// Words before the chunk's lengths: version, dataset, element bytes, float, little-endian, rank.
const WORDS: usize = 6;
const VERSION: u32 = 0;
/// Letters of a method at most; encoders write up to 12.
const MAX_LETTERS: usize = 32;
/// The number of a dataset that frazil writes: this, and how many methods are compressed.
const OF_FRAZIL: u32 = 0x667A_0000;
/// Methods that are compressed where the number of the dataset says nothing.
const DEFAULT_METHODS: usize = 4;

/// What the client data values, or the start of a chunk, say.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) struct Mafisc {
    /// The words as they are stored.
    words: Vec<u32>,
    elements: Elements,
}

/// Elements of a chunk.
#[derive(Debug, Clone, PartialEq, Eq)]
struct Elements {
    bytes: usize,
    is_float: bool,
    is_big_endian: bool,
    /// Elements along each axis, slowest first: one axis and more, none of them empty.
    shape: Vec<usize>,
}

/// Calls a generic function for the element's width.
macro_rules! by_width {
    ($elements:expr, $function:ident($($argument:expr),*)) => {
        match $elements.bytes {
            1 => $function::<i8>($($argument),*),
            2 => $function::<i16>($($argument),*),
            4 => $function::<i32>($($argument),*),
            _ => $function::<i64>($($argument),*),
        }
    };
}

impl Elements {
    /// Reads the words; what is wrong with them, if anything.
    fn of(words: &[u32]) -> Result<Self, &'static str> {
        let &[
            version,
            _,
            bytes,
            is_float,
            is_little_endian,
            rank,
            ref chunk @ ..,
        ] = words
        else {
            return Err("needs at least 6 values");
        };
        if version != VERSION {
            return Err("of a version that this build does not know");
        }
        if !matches!(bytes, 1 | 2 | 4 | 8) {
            return Err("elements have 1, 2, 4 or 8 bytes");
        }
        if chunk.len() != rank as usize || chunk.is_empty() || chunk.len() > MAX_RANK {
            return Err("needs the chunk's length along each axis");
        }
        let mut left = MAX_CHUNK_BYTES / bytes as usize;
        let mut shape = Vec::with_capacity(chunk.len());
        for &length in chunk {
            left = left.checked_div(length as usize).unwrap_or(0);
            shape.push(length as usize);
        }
        if left == 0 {
            return Err("a chunk of no elements or too many");
        }
        Ok(Self {
            bytes: bytes as usize,
            is_float: is_float != 0,
            is_big_endian: is_little_endian == 0,
            shape,
        })
    }

    fn raw_bytes(&self) -> usize {
        self.shape.iter().product::<usize>() * self.bytes
    }

    /// The numbers of a chunk, floats as integers in the order of their values.
    fn numbers<T: Number>(&self, raw: &[u8]) -> Vec<T> {
        let mut numbers: Vec<T> = raw.chunks_exact(T::BYTES).map(T::read).collect();
        self.swap(&mut numbers);
        if self.has_signed_magnitude() {
            Step::SignInverted.apply(&mut numbers, &self.shape);
        }
        numbers
    }

    /// Undoes [`Self::numbers`]; appends to `out`.
    fn restore<T: Number>(&self, mut numbers: Vec<T>, out: &mut Vec<u8>) {
        if self.has_signed_magnitude() {
            Step::SignInverted.undo(&mut numbers, &self.shape);
        }
        self.swap(&mut numbers);
        out.extend_from_slice(&written(&numbers));
    }

    /// From the chunk's byte order to little-endian, or back.
    fn swap<T: Number>(&self, numbers: &mut [T]) {
        if self.is_big_endian {
            numbers
                .iter_mut()
                .for_each(|number| *number = number.swapped());
        }
    }

    /// Floats of half precision stay as they are.
    fn has_signed_magnitude(&self) -> bool {
        self.is_float && self.bytes >= 4
    }
}

/// The start of a chunk: its elements, the steps of its method, the .xz stream.
fn open(stored: &[u8]) -> Result<(Elements, Vec<Step>, &[u8]), CodecError> {
    let mut cursor = Cursor::new(NAME, stored);
    let mut words = Vec::with_capacity(WORDS + MAX_RANK);
    for _ in 0..WORDS {
        words.push(cursor.u32_le()?);
    }
    let rank = words[WORDS - 1];
    if rank as usize > MAX_RANK {
        return Err(corrupt("more axes than there can be"));
    }
    for _ in 0..rank {
        words.push(cursor.u32_le()?);
    }
    let elements = Elements::of(&words).map_err(corrupt)?;
    let rest = cursor.rest();
    let end = rest
        .iter()
        .take(MAX_LETTERS + 1)
        .position(|&byte| byte == 0);
    let end = end.ok_or(corrupt("its method has no end"))?;
    let steps = step::parse(&rest[..end], elements.shape.len()).map_err(corrupt)?;
    Ok((elements, steps, &rest[end + 1..]))
}

/// The length that the start of a chunk states.
pub(crate) fn stated_length(stored: &[u8]) -> Result<usize, CodecError> {
    open(stored).map(|(elements, ..)| elements.raw_bytes())
}

/// Decodes `stored` into `out`. Everything that is needed is in the chunk.
pub(crate) fn decode(stored: &[u8], out: &mut Vec<u8>, size: OutputSize) -> Result<(), CodecError> {
    let (elements, steps, stream) = open(stored)?;
    let raw_bytes = size.check(elements.raw_bytes())?;
    // LZMA repeats 273 bytes with no less than 0.3 bits.
    const MOST: usize = 1 << 13;
    if raw_bytes > stream.len().saturating_mul(MOST) {
        return Err(corrupt("a stream that states more than it can hold"));
    }
    let filtered = xz::decode(stream, raw_bytes)?;
    out.clear();
    out.reserve_exact(raw_bytes);
    by_width!(elements, undo(&elements, &steps, &filtered, out));
    Ok(())
}

fn undo<T: Number>(elements: &Elements, steps: &[Step], filtered: &[u8], out: &mut Vec<u8>) {
    let mut numbers: Vec<T> = filtered.chunks_exact(T::BYTES).map(T::read).collect();
    for step in steps.iter().rev() {
        step.undo(&mut numbers, &elements.shape);
    }
    elements.restore(numbers, out);
}

impl Mafisc {
    /// Reads the client data values, as an encoder needs them.
    pub(crate) fn bind(spec: &FilterSpec) -> Result<Self, CodecError> {
        let words = spec.cd_values.clone();
        let elements = Elements::of(&words).map_err(|reason| invalid(NAME, reason))?;
        Ok(Self { words, elements })
    }

    /// Whether chunks of `bytes` can be encoded: MAFISC takes its elements and nothing else.
    pub(crate) fn check_input(&self, bytes: usize) -> Result<(), CodecError> {
        if bytes == self.elements.raw_bytes() {
            Ok(())
        } else {
            Err(invalid(
                NAME,
                "the chunk is not the elements that are stated",
            ))
        }
    }

    /// Length of the encoded form of `raw_bytes` at most.
    pub(crate) fn encode_bound(&self, raw_bytes: usize) -> usize {
        xz::bound(raw_bytes).saturating_add(4 * self.words.len() + MAX_LETTERS + 1)
    }

    /// Methods that are compressed to be compared; `None`: all of them.
    fn finalists(&self) -> Option<usize> {
        match self.words[1] ^ OF_FRAZIL {
            0 => None,
            methods @ 1..=0xFFFF => Some(methods as usize),
            _ => Some(DEFAULT_METHODS),
        }
    }

    /// Replaces the content of `out` by the encoded form of `raw`.
    pub(crate) fn encode(
        &self,
        raw: &[u8],
        out: &mut Vec<u8>,
        codecs: &mut Codecs,
    ) -> Result<(), CodecError> {
        self.check_input(raw.len())?;
        let finalists = self.finalists();
        let zstd = &mut codecs.inner.get_or_insert_default().codecs.zstd;
        let (method, stream) =
            by_width!(self.elements, best(&self.elements, finalists, raw, zstd))?;
        out.clear();
        for word in &self.words {
            out.extend_from_slice(&word.to_le_bytes());
        }
        out.extend_from_slice(method.as_bytes());
        out.push(0);
        out.extend_from_slice(&stream);
        Ok(())
    }
}

use search::best;

const fn corrupt(reason: &'static str) -> CodecError {
    CodecError::Corrupt {
        filter: NAME,
        reason,
    }
}

#[cfg(test)]
mod tests;
