//! Numbers as they lie in a file, turned into those of this machine.

use frazil_types::ByteOrder;

use crate::datatype::{BitRange, FloatForm, TypeClass, TypeDescription};

/// The largest exponent of binary64, its bias, and the bits of its mantissa.
const DOUBLE_MOST: u64 = 0x7ff;
const DOUBLE_BIAS: i64 = 1023;
const DOUBLE_MANTISSA: usize = 52;
/// A mantissa whose first bit is stored like any other.
const NOT_NORMALISED: u8 = 2;

/// The way from a type's numbers, as they lie in a file, to those of this machine.
#[derive(Debug, Clone)]
pub struct NumberConversion {
    stored_bytes: usize,
    order: ByteOrder,
    form: Form,
}

#[derive(Debug, Clone)]
enum Form {
    Integer { bits: BitRange, signed: bool },
    Float(FloatForm),
}

impl NumberConversion {
    /// The way from a type: integers of up to 8 bytes (enumerations over them too) become integers that use all their
    /// bits, floating point becomes binary64, which must have room for it ([`FloatForm::fits_double`]). `None`: there is
    /// no way.
    #[must_use]
    pub fn of(datatype: &TypeDescription) -> Option<Self> {
        let stored_bytes = datatype.size_bytes;
        match &datatype.class {
            TypeClass::Enumeration { base, .. } => Self::of(base),
            TypeClass::Integer {
                order,
                bits,
                signed,
            } if (1..=8).contains(&stored_bytes) => Some(Self {
                stored_bytes,
                order: *order,
                form: Form::Integer {
                    bits: *bits,
                    signed: *signed,
                },
            }),
            // Numbers in the order of a VAX are made of words.
            TypeClass::Float { order, form, .. }
                if form.fits_double()
                    && (*order != ByteOrder::None || stored_bytes.is_multiple_of(2)) =>
            {
                Some(Self {
                    stored_bytes,
                    order: *order,
                    form: Form::Float(*form),
                })
            }
            _ => None,
        }
    }

    /// Turns stored elements into numbers of `size_bytes` each, which fill `numbers`.
    pub fn convert(&self, stored: &[u8], numbers: &mut [u8], size_bytes: usize) {
        let mut element = vec![0; self.stored_bytes];
        let stored = stored.chunks_exact(self.stored_bytes.max(1));
        for (stored, number) in stored.zip(numbers.chunks_exact_mut(size_bytes.max(1))) {
            element.copy_from_slice(stored);
            self.put_little_endian(&mut element);
            let value = match &self.form {
                Form::Integer { bits, signed } => integer(&element, *bits, *signed),
                Form::Float(form) => double(&element, form),
            };
            let bytes = value.to_le_bytes();
            let taken = number.len().min(bytes.len());
            number[..taken].copy_from_slice(&bytes[..taken]);
            if cfg!(target_endian = "big") {
                number.reverse();
            }
        }
    }

    fn put_little_endian(&self, element: &mut [u8]) {
        match (self.order, &self.form) {
            (ByteOrder::Big, _) => element.reverse(),
            (ByteOrder::None, Form::Float(_)) => reverse_words(element),
            _ => {}
        }
    }
}

/// Puts the words of a VAX in order as libhdf5 does: it swaps pairs of them from both ends, every second time, which
/// leaves those of 6 bytes as they are.
fn reverse_words(element: &mut [u8]) {
    let words = element.len() / 2;
    for word in (0..words).step_by(2) {
        let other = words - 1 - word;
        element.swap(2 * word, 2 * other);
        element.swap(2 * word + 1, 2 * other + 1);
    }
}

/// Bits of a little-endian number; at most 57 of them.
fn field(element: &[u8], begin: usize, count: usize) -> u64 {
    let mut word = [0; 8];
    let bytes = element.iter().skip(begin / 8);
    word.iter_mut()
        .zip(bytes)
        .for_each(|(to, from)| *to = *from);
    let all = u64::from_le_bytes(word) >> (begin % 8);
    all & (1_u64 << count.min(63)).wrapping_sub(1)
}

/// The value of an integer in some bits of an element.
fn integer(element: &[u8], bits: BitRange, signed: bool) -> u64 {
    let mut word = [0; 8];
    word.iter_mut()
        .zip(element)
        .for_each(|(to, from)| *to = *from);
    let unused = u64::BITS.saturating_sub(bits.precision as u32);
    let raw = u64::from_le_bytes(word).checked_shr(bits.offset as u32);
    let left = raw.unwrap_or(0).checked_shl(unused).unwrap_or(0);
    match signed {
        true => ((left as i64) >> unused.min(63)) as u64,
        false => left.checked_shr(unused).unwrap_or(0),
    }
}

impl FloatForm {
    /// Whether binary64 has every number of this form, and libhdf5 can convert it.
    #[must_use]
    pub fn fits_double(&self) -> bool {
        /// It writes numbers whose mantissa has its first bit stored, and does not read them.
        const FIRST_BIT_STORED: u8 = 1;
        let implied_bits = usize::from(self.normalisation == 0);
        // The largest exponent stands for infinity.
        self.normalisation != FIRST_BIT_STORED
            && self.mantissa_bits + implied_bits <= DOUBLE_MANTISSA + 1
            && self.exponent_bits <= 11
            && (1_usize << self.exponent_bits) <= self.bias.saturating_add(1025)
            && self.bias.saturating_add(self.mantissa_bits) <= 1075
    }
}

/// The bits of the binary64 number that a little-endian element of a form stands for, which fits it, as libhdf5 finds
/// them (`H5T__conv_f_f_loop` of 2.0): bits of a NaN are all set but for its sign.
fn double(element: &[u8], form: &FloatForm) -> u64 {
    let sign = field(element, form.sign, 1) << 63;
    let exponent = field(element, form.exponent, form.exponent_bits);
    let mantissa = field(element, form.mantissa, form.mantissa_bits);
    let is_not_normalised = form.normalisation == NOT_NORMALISED;
    let first_bit = 1_u64 << form.mantissa_bits.saturating_sub(1);
    if exponent == 0 && mantissa == 0 {
        return sign;
    }
    if exponent == (1 << form.exponent_bits) - 1 {
        let is_infinite = mantissa == 0 || (is_not_normalised && mantissa == first_bit);
        let rest = if is_infinite {
            0
        } else {
            (1 << DOUBLE_MANTISSA) - 1
        };
        return sign | DOUBLE_MOST << DOUBLE_MANTISSA | rest;
    }
    let bias = form.bias as i64;
    if exponent != 0 && !is_not_normalised {
        return sign | power(exponent as i64 - bias, mantissa, form.mantissa_bits);
    }
    // The highest bit that is set is the one that is implied elsewhere. Where none is, libhdf5 goes on as if one were
    // set below the lowest.
    let highest = i64::from(u64::BITS - mantissa.leading_zeros()) - 1;
    let exponent = exponent as i64 - (bias - 1) - (form.mantissa_bits as i64 - highest);
    let below = highest.max(0) as usize;
    sign | power(exponent, mantissa & !(u64::MAX << below), below)
}

/// Bits of `1.fraction * 2 ^ exponent`, of a fraction of so many bits, without a sign.
fn power(exponent: i64, fraction: u64, fraction_bits: usize) -> u64 {
    let stored = exponent + DOUBLE_BIAS;
    let aligned = fraction << (DOUBLE_MANTISSA - fraction_bits);
    match stored {
        ..=0 => {
            let whole = aligned | 1 << DOUBLE_MANTISSA;
            let shift = u32::try_from(1 - stored).unwrap_or(u32::MAX);
            whole.checked_shr(shift).unwrap_or(0)
        }
        _ => (stored as u64).min(DOUBLE_MOST) << DOUBLE_MANTISSA | aligned,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn float(size_bytes: usize, order: ByteOrder, form: FloatForm) -> NumberConversion {
        let bits = BitRange {
            precision: size_bytes * 8,
            offset: 0,
            padding: [0; 3],
        };
        let class = TypeClass::Float { order, bits, form };
        NumberConversion::of(&TypeDescription {
            size_bytes,
            committed: None,
            class,
        })
        .unwrap()
    }

    fn doubles(conversion: &NumberConversion, stored: &[u8]) -> Vec<f64> {
        let mut bytes = vec![0; stored.len() / conversion.stored_bytes * 8];
        conversion.convert(stored, &mut bytes, 8);
        let words = bytes.as_chunks::<8>().0;
        words.iter().map(|word| f64::from_ne_bytes(*word)).collect()
    }

    #[test]
    fn every_number_of_16_bits_is_the_one_that_the_machine_makes_of_it() {
        let brain = FloatForm {
            sign: 15,
            exponent: 7,
            exponent_bits: 8,
            mantissa: 0,
            mantissa_bits: 7,
            ..FloatForm::ieee(4)
        };
        for order in [ByteOrder::Little, ByteOrder::Big] {
            let conversion = float(2, order, brain);
            for bits in 0..=u16::MAX {
                let stored = match order {
                    ByteOrder::Big => bits.to_be_bytes(),
                    _ => bits.to_le_bytes(),
                };
                let got = doubles(&conversion, &stored)[0];
                let expected = f64::from(f32::from_bits(u32::from(bits) << 16));
                assert!(got.to_bits() == expected.to_bits() || got.is_nan() && expected.is_nan());
            }
        }
    }

    #[test]
    fn doubles_come_back_from_the_words_of_a_vax() {
        let conversion = float(8, ByteOrder::None, FloatForm::ieee(8));
        for value in [
            1.5_f64,
            -0.0,
            5e-324,
            f64::MIN_POSITIVE,
            f64::MAX,
            f64::INFINITY,
        ] {
            let mut stored = value.to_le_bytes();
            stored.as_chunks_mut::<2>().0.reverse();
            assert_eq!(doubles(&conversion, &stored)[0].to_bits(), value.to_bits());
        }
    }

    #[test]
    fn a_mantissa_without_implied_bit_has_its_first_bit_stored() {
        // Sign, 8 bits of exponent, 15 of mantissa.
        let form = FloatForm {
            sign: 23,
            exponent: 15,
            exponent_bits: 8,
            bias: 127,
            mantissa: 0,
            mantissa_bits: 15,
            normalisation: NOT_NORMALISED,
        };
        let conversion = float(3, ByteOrder::Little, form);
        let stored = |exponent: u32, mantissa: u32| (exponent << 15 | mantissa).to_le_bytes();
        for (exponent, mantissa, value) in [
            (127, 0x4000, 1.0),
            (127, 0x6000, 1.5),
            (127, 1, 2_f64.powi(-14)),
            (255, 0x4000, f64::INFINITY),
        ] {
            let got = doubles(&conversion, &stored(exponent, mantissa)[..3]);
            assert_eq!(got, [value]);
        }
    }

    #[test]
    fn integers_of_odd_sizes_keep_their_value() {
        let integer = |order, offset, precision, signed| {
            let bits = BitRange {
                precision,
                offset,
                padding: [0; 3],
            };
            let class = TypeClass::Integer {
                signed,
                order,
                bits,
            };
            NumberConversion::of(&TypeDescription {
                size_bytes: 3,
                committed: None,
                class,
            })
            .unwrap()
        };
        for (order, offset, precision, signed, stored, value) in [
            (ByteOrder::Little, 0, 24, true, [0xfe, 0xff, 0xff], -2_i32),
            (
                ByteOrder::Little,
                0,
                24,
                false,
                [0xfe, 0xff, 0xff],
                0xff_fffe,
            ),
            (ByteOrder::Big, 0, 20, true, [0xf8, 0, 0], -0x8_0000),
            (ByteOrder::Big, 4, 20, true, [0xff, 0xff, 0xf5], -1),
        ] {
            let mut number = [0; 4];
            integer(order, offset, precision, signed).convert(&stored, &mut number, 4);
            assert_eq!(i32::from_ne_bytes(number), value);
        }
    }
}
