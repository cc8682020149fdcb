//! Where the bits of a number lie inside its element.

use frazil_types::ByteOrder;

use super::datatype::Datatype;
use super::handle::{api, check, failure};
use super::known::{Class, NORMALISATIONS, known};
use crate::error::Result;
use crate::lock::library_lock;

/// Which bits of an element carry its value; the others are padding.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct BitRange {
    /// Number of significant bits.
    pub precision: usize,
    /// Number of the lowest significant bit.
    pub offset: usize,
    /// What the others are said to be: those below, those above, and those between the fields of
    /// a floating-point number. 0 zeros, 1 ones, 2 whatever they are.
    pub padding: [u8; 3],
}

/// The fields of a floating-point type, in bits from the lowest one.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct FloatForm {
    /// Position of the sign bit.
    pub sign: usize,
    /// Position of the exponent.
    pub exponent: usize,
    /// Bits of the exponent.
    pub exponent_bits: usize,
    /// What is added to the exponent.
    pub bias: usize,
    /// Position of the mantissa.
    pub mantissa: usize,
    /// Bits of the mantissa.
    pub mantissa_bits: usize,
    /// How the mantissa is normalised: 0 its first bit is implied, 1 it is stored, 2 not at all.
    pub normalisation: u8,
}

impl FloatForm {
    /// That of IEEE 754 binary16, binary32 or binary64.
    pub(crate) fn ieee(size_bytes: usize) -> Self {
        let (exponent_bits, bias, mantissa_bits) = match size_bytes {
            2 => (5, 15, 10),
            4 => (8, 127, 23),
            _ => (11, 1023, 52),
        };
        Self {
            sign: size_bytes * 8 - 1,
            exponent: mantissa_bits,
            exponent_bits,
            bias,
            mantissa: 0,
            mantissa_bits,
            normalisation: 0,
        }
    }

    /// Whether an element of this form, size, bits and order is an IEEE 754 number and nothing else.
    pub(crate) fn is_ieee(self, size_bytes: usize, bits: BitRange, order: ByteOrder) -> bool {
        matches!(size_bytes, 2 | 4 | 8)
            && (bits.precision, bits.offset) == (size_bytes * 8, 0)
            && self == Self::ieee(size_bytes)
            && order != ByteOrder::None
    }
}

impl Datatype {
    /// The significant bits of a number.
    pub(crate) fn bit_range(&self) -> Result<BitRange> {
        let _guard = library_lock();
        // SAFETY: a live datatype.
        let (precision, offset) = unsafe {
            (
                (api().H5Tget_precision)(self.id()),
                (api().H5Tget_offset)(self.id()),
            )
        };
        match (precision, usize::try_from(offset)) {
            (1.., Ok(offset)) => Ok(BitRange {
                precision,
                offset,
                padding: self.padding()?,
            }),
            _ => Err(failure("read the bits of a number")),
        }
    }

    fn padding(&self) -> Result<[u8; 3]> {
        let (mut low, mut high) = (0, 0);
        // SAFETY: a live datatype and valid out-pointers.
        let status = unsafe { (api().H5Tget_pad)(self.id(), &raw mut low, &raw mut high) };
        check(status, "read the padding of a number")?;
        let between = match self.class()? {
            // SAFETY: a live floating-point type.
            Class::Float => unsafe { (api().H5Tget_inpad)(self.id()) },
            _ => 0,
        };
        let [low, high, between] = [low, high, between].map(u8::try_from);
        match (low, high, between) {
            (Ok(low), Ok(high), Ok(between)) => Ok([low, high, between]),
            _ => Err(failure("read the padding of a number")),
        }
    }

    /// The fields of a floating-point type.
    pub(crate) fn float_form(&self) -> Result<FloatForm> {
        let _guard = library_lock();
        let (mut sign, mut exponent, mut exponent_bits) = (0, 0, 0);
        let (mut mantissa, mut mantissa_bits) = (0, 0);
        // SAFETY: a live datatype and valid out-pointers.
        let status = unsafe {
            (api().H5Tget_fields)(
                self.id(),
                &raw mut sign,
                &raw mut exponent,
                &raw mut exponent_bits,
                &raw mut mantissa,
                &raw mut mantissa_bits,
            )
        };
        check(status, "read the fields of a number")?;
        // SAFETY: a live floating-point type.
        let (bias, normalisation) = unsafe {
            (
                (api().H5Tget_ebias)(self.id()),
                (api().H5Tget_norm)(self.id()),
            )
        };
        let normalisation = known(normalisation, "normalisation of a number", &NORMALISATIONS)?;
        Ok(FloatForm {
            sign,
            exponent,
            exponent_bits,
            bias,
            mantissa,
            mantissa_bits,
            normalisation,
        })
    }
}
