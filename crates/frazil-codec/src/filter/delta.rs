//! Differences between neighbours (frazil's private filter 47102): along one axis, or along several
//! (the Lorenzo predictor), before a shuffle and a compressor.
//!
//! Source: `docs/format.md`. Elements become integers of their own width (floats in the order of
//! their values), each is replaced by its difference to its neighbour along every chosen axis in
//! turn, modulo 2^bits, and the sign moves to the lowest bit. All of it is exact: nothing is rounded.

use frazil_types::{FilterSpec, MAX_RANK};

use crate::CodecError;
use crate::buffer::OutputSize;
use crate::error::invalid;
use crate::frame::{FRAME_BYTES, Frame};
use crate::registry::MAX_CHUNK_BYTES;

const NAME: &str = "delta";
const MAGIC: [u8; 4] = *b"FZdl";
/// Version of the client data values.
const PARAMETERS_VERSION: u32 = 1;
/// Flags: bytes from the most significant one; floating-point numbers.
const BIG_ENDIAN: u32 = 1;
const FLOAT: u32 = 2;

/// What the client data values say: version, element bytes, flags, axes (bit i: axis i), rank, and
/// the chunk's length along each axis.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) struct Delta {
    element_bytes: usize,
    flags: u32,
    /// Of each axis along which differences are taken: its length, and the elements between
    /// neighbours along it.
    axes: Vec<Axis>,
    /// Elements of a chunk.
    elements: usize,
}

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
struct Axis {
    length: usize,
    stride: usize,
}

/// Calls a generic method for the element's width.
macro_rules! by_width {
    ($self:expr, $method:ident($($argument:expr),*)) => {
        match $self.element_bytes {
            1 => $self.$method::<u8, 1>($($argument),*),
            2 => $self.$method::<u16, 2>($($argument),*),
            4 => $self.$method::<u32, 4>($($argument),*),
            _ => $self.$method::<u64, 8>($($argument),*),
        }
    };
}

impl Delta {
    /// Reads the client data values.
    pub(crate) fn bind(spec: &FilterSpec) -> Result<Self, CodecError> {
        let [version, element_bytes, flags, mask, rank, ref chunk @ ..] = spec.cd_values[..] else {
            return Err(invalid(NAME, "needs at least 5 values"));
        };
        if version != PARAMETERS_VERSION {
            return Err(invalid(NAME, format!("version {version} is not known")));
        }
        if !matches!(element_bytes, 1 | 2 | 4 | 8) || flags & !(BIG_ENDIAN | FLOAT) != 0 {
            return Err(invalid(
                NAME,
                "elements have 1, 2, 4 or 8 bytes, flags 2 bits",
            ));
        }
        if chunk.len() != rank as usize || chunk.len() > MAX_RANK {
            return Err(invalid(NAME, "needs the chunk's length along each axis"));
        }
        if u64::from(mask) >> chunk.len() != 0 {
            return Err(invalid(
                NAME,
                "differences along an axis that does not exist",
            ));
        }
        let mut elements = 1_usize;
        let mut axes = Vec::new();
        for (i, &length) in chunk.iter().enumerate().rev() {
            let (length, stride) = (length as usize, elements);
            elements = elements
                .checked_mul(length)
                .filter(|&n| n > 0 && n <= MAX_CHUNK_BYTES / element_bytes as usize)
                .ok_or_else(|| invalid(NAME, "a chunk of no elements or too many"))?;
            if mask >> i & 1 == 1 {
                axes.push(Axis { length, stride });
            }
        }
        Ok(Self {
            element_bytes: element_bytes as usize,
            flags,
            axes,
            elements,
        })
    }

    fn frame(&self) -> Frame {
        Frame {
            filter: NAME,
            magic: MAGIC,
            parameters: [self.element_bytes as u8, self.flags as u8, 0],
        }
    }

    /// Length of the encoded form of `raw_bytes`.
    pub(crate) fn encoded_bytes(raw_bytes: usize) -> usize {
        raw_bytes.saturating_add(FRAME_BYTES)
    }

    /// Whether chunks of `bytes` can be encoded: they hold all the elements; what follows them (a
    /// checksum) stays as it is.
    pub(crate) fn check_input(&self, bytes: usize) -> Result<(), CodecError> {
        if bytes >= self.element_bytes * self.elements {
            Ok(())
        } else {
            Err(invalid(NAME, "the chunk has fewer elements than stated"))
        }
    }

    /// Replaces the content of `out` by the encoded form of `raw`.
    pub(crate) fn encode(&self, raw: &[u8], out: &mut Vec<u8>) -> Result<(), CodecError> {
        self.check_input(raw.len())?;
        self.frame().begin(raw.len(), out);
        out.extend_from_slice(raw);
        by_width!(self, difference(&mut out[FRAME_BYTES..]));
        Ok(())
    }

    /// Decodes `stored` into `out`.
    pub(crate) fn decode(
        &self,
        stored: &[u8],
        out: &mut Vec<u8>,
        size: OutputSize,
    ) -> Result<(), CodecError> {
        let corrupt = |reason| CodecError::Corrupt {
            filter: NAME,
            reason,
        };
        let (raw_bytes, mut cursor) = self.frame().open(stored, size)?;
        let data = cursor.take(raw_bytes)?;
        if !cursor.is_empty() {
            return Err(corrupt("something follows its end"));
        }
        if self.check_input(raw_bytes).is_err() {
            return Err(corrupt("fewer elements than stated"));
        }
        out.clear();
        out.extend_from_slice(data);
        by_width!(self, sum(out));
        Ok(())
    }

    /// Replaces the elements at the start of `bytes` by their differences.
    fn difference<W: Word<N>, const N: usize>(&self, bytes: &mut [u8]) {
        let cells = &mut bytes.as_chunks_mut::<N>().0[..self.elements];
        self.normalize::<W, N>(cells);
        for &axis in &self.axes {
            // From the end, so that neighbours are still what they were.
            for block in cells.chunks_exact_mut(axis.length * axis.stride) {
                for i in (axis.stride..block.len()).rev() {
                    let (word, before) = (W::of(block[i]), W::of(block[i - axis.stride]));
                    block[i] = word.minus(before).bytes();
                }
            }
        }
        for cell in cells.iter_mut() {
            *cell = W::of(*cell).sign_to_lowest().bytes();
        }
    }

    /// Undoes [`Self::difference`].
    fn sum<W: Word<N>, const N: usize>(&self, bytes: &mut [u8]) {
        let cells = &mut bytes.as_chunks_mut::<N>().0[..self.elements];
        for cell in cells.iter_mut() {
            *cell = W::of(*cell).sign_to_highest().bytes();
        }
        for &axis in self.axes.iter().rev() {
            for block in cells.chunks_exact_mut(axis.length * axis.stride) {
                for i in axis.stride..block.len() {
                    let (word, before) = (W::of(block[i]), W::of(block[i - axis.stride]));
                    block[i] = word.plus(before).bytes();
                }
            }
        }
        self.restore::<W, N>(cells);
    }

    /// From the file's byte order and number format to little-endian two's complement.
    fn normalize<W: Word<N>, const N: usize>(&self, cells: &mut [[u8; N]]) {
        if self.flags & BIG_ENDIAN != 0 {
            cells.iter_mut().for_each(|cell| cell.reverse());
        }
        if self.flags & FLOAT != 0 {
            for cell in cells {
                *cell = W::of(*cell).swap_negative().bytes();
            }
        }
    }

    /// Undoes [`Self::normalize`].
    fn restore<W: Word<N>, const N: usize>(&self, cells: &mut [[u8; N]]) {
        if self.flags & FLOAT != 0 {
            for cell in cells.iter_mut() {
                *cell = W::of(*cell).swap_negative().bytes();
            }
        }
        if self.flags & BIG_ENDIAN != 0 {
            cells.iter_mut().for_each(|cell| cell.reverse());
        }
    }
}

/// An unsigned integer with the arithmetic of the filter, all of it modulo 2^bits.
trait Word<const N: usize>: Copy {
    fn of(bytes: [u8; N]) -> Self;
    fn bytes(self) -> [u8; N];
    fn plus(self, other: Self) -> Self;
    fn minus(self, other: Self) -> Self;
    /// Two's complement with the sign in the lowest bit, and magnitudes above it.
    fn sign_to_lowest(self) -> Self;
    fn sign_to_highest(self) -> Self;
    /// Negative floats in the order of their values, as two's complement has them; and back.
    fn swap_negative(self) -> Self;
}

macro_rules! word {
    ($($word:ty, $signed:ty, $bytes:literal);*) => {$(
        impl Word<$bytes> for $word {
            #[inline(always)]
            fn of(bytes: [u8; $bytes]) -> Self {
                Self::from_le_bytes(bytes)
            }

            #[inline(always)]
            fn bytes(self) -> [u8; $bytes] {
                self.to_le_bytes()
            }

            #[inline(always)]
            fn plus(self, other: Self) -> Self {
                self.wrapping_add(other)
            }

            #[inline(always)]
            fn minus(self, other: Self) -> Self {
                self.wrapping_sub(other)
            }

            #[inline(always)]
            fn sign_to_lowest(self) -> Self {
                self << 1 ^ (self.cast_signed() >> (Self::BITS - 1)).cast_unsigned()
            }

            #[inline(always)]
            fn sign_to_highest(self) -> Self {
                self >> 1 ^ (self & 1).wrapping_neg()
            }

            #[inline(always)]
            fn swap_negative(self) -> Self {
                let negative = (self.cast_signed() >> (Self::BITS - 1)).cast_unsigned();
                self ^ negative >> 1
            }
        }
    )*};
}

word!(u8, i8, 1; u16, i16, 2; u32, i32, 4; u64, i64, 8);

#[cfg(test)]
mod tests {
    use frazil_types::filter_id;
    use proptest::prelude::*;

    use super::*;

    fn delta(element_bytes: u32, flags: u32, mask: u32, chunk: &[u32]) -> Delta {
        let mut values = vec![1, element_bytes, flags, mask, chunk.len() as u32];
        values.extend_from_slice(chunk);
        Delta::bind(&FilterSpec::new(filter_id::DELTA, values)).unwrap()
    }

    #[test]
    fn differences_are_what_the_format_says() {
        let raw: Vec<u8> = [5_i16, 7, 6, 6, 9, 9].map(i16::to_le_bytes).concat();
        let mut out = Vec::new();
        delta(2, 0, 0b10, &[2, 3]).encode(&raw, &mut out).unwrap();
        let words = |out: &[u8]| -> Vec<u16> {
            let (cells, _) = out[FRAME_BYTES..].as_chunks::<2>();
            cells.iter().map(|&cell| u16::from_le_bytes(cell)).collect()
        };
        // 5, +2, -1; 6, +3, 0: magnitudes doubled, and one less if negative.
        assert_eq!(words(&out), [10, 4, 1, 12, 6, 0]);
        delta(2, 0, 0b11, &[2, 3]).encode(&raw, &mut out).unwrap();
        // Lorenzo: the second row is 9 - 9 + ... of its neighbours above, left and above left.
        assert_eq!(words(&out), [10, 4, 1, 2, 2, 2]);
        assert_eq!(&out[..8], b"FZdl\x01\x02\x00\x00");
        assert_eq!(out[8..16], 12_u64.to_le_bytes());
    }

    #[test]
    fn floats_are_taken_in_the_order_of_their_values() {
        let raw: Vec<u8> = [-1.0_f32, -f32::MIN_POSITIVE, -0.0, 0.0, 1.0]
            .map(f32::to_be_bytes)
            .concat();
        let mut out = Vec::new();
        let filter = delta(4, BIG_ENDIAN | FLOAT, 0, &[5]);
        filter.encode(&raw, &mut out).unwrap();
        let (cells, _) = out[FRAME_BYTES..].as_chunks::<4>();
        let words = cells
            .iter()
            .map(|&cell| u32::from_le_bytes(cell).sign_to_highest());
        let signed: Vec<i32> = words.map(u32::cast_signed).collect();
        assert!(signed.is_sorted(), "{signed:?}");
        assert_eq!(signed[2..4], [-1, 0]);
    }

    proptest! {
        #[test]
        fn chunks_come_back(
            width in prop_oneof![Just(1_u32), Just(2), Just(4), Just(8)],
            flags in 0_u32..4,
            chunk in proptest::collection::vec(1_u32..6, 0..5),
            mask in any::<u32>(),
            seed in any::<u64>(),
            extra in 0_usize..5,
        ) {
            let filter = delta(width, flags, mask & ((1 << chunk.len()) - 1), &chunk);
            let bytes = filter.elements * width as usize + extra;
            let mut state = seed;
            let raw: Vec<u8> = (0..bytes)
                .map(|_| {
                    state = state.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1);
                    (state >> 56) as u8
                })
                .collect();
            let (mut stored, mut back) = (Vec::new(), Vec::new());
            filter.encode(&raw, &mut stored).unwrap();
            prop_assert_eq!(stored.len(), Delta::encoded_bytes(bytes));
            filter.decode(&stored, &mut back, OutputSize::Exact(bytes)).unwrap();
            prop_assert_eq!(back, raw);
        }
    }
}
