//! Scale-offset packing (filter 6), decoding.
//!
//! Source: `H5Zscaleoffset.c`. A header of 21 bytes holds the bit width and the minimum; the values'
//! distances from the minimum follow, packed most significant bit first. The widest code stands for
//! the fill value, if there is one.

use frazil_types::FilterSpec;

use crate::CodecError;
use crate::bits::BitReader;
use crate::buffer::OutputSize;
use crate::error::invalid;

const NAME: &str = "scaleoffset";
const HEADER_BYTES: usize = 21;
const VALUES: usize = 20;

/// What the client data values say.
#[derive(Debug, Clone, Copy)]
pub(crate) struct ScaleOffset {
    kind: Kind,
    elements: usize,
    element_bytes: usize,
    big_endian: bool,
    /// Fill value as a number in the element's width.
    fill: Option<u64>,
}

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Kind {
    /// Stored as it is, without a header.
    Plain,
    Integer,
    /// Decimal digits kept.
    Float {
        digits: i32,
    },
}

impl ScaleOffset {
    /// Reads the client data values.
    pub(crate) fn bind(spec: &FilterSpec) -> Result<Self, CodecError> {
        let Ok(values) = <[u32; VALUES]>::try_from(spec.cd_values.as_slice()) else {
            return Err(invalid(NAME, "needs exactly 20 values"));
        };
        let [
            scale_type,
            factor,
            elements,
            class,
            size,
            _sign,
            order,
            has_fill,
            low,
            high,
            ..,
        ] = values;
        let factor = factor.cast_signed();
        let element_bytes = size as usize;
        let kind = match (class, scale_type) {
            (0, 2) if !matches!(size, 1 | 2 | 4 | 8) => {
                return Err(invalid(NAME, "integers have 1, 2, 4 or 8 bytes"));
            }
            (0, 2) if factor > size as i32 * 8 => {
                return Err(invalid(NAME, "more bits than the integer has"));
            }
            (0, 2) if factor == size as i32 * 8 => Kind::Plain,
            (0, 2) => Kind::Integer,
            (1, 0) if matches!(size, 4 | 8) => Kind::Float { digits: factor },
            (1, 1) => return Err(invalid(NAME, "E-scaling was never implemented")),
            _ => return Err(invalid(NAME, "no scale type for this class and size")),
        };
        let fill = u64::from(high) << 32 | u64::from(low);
        Ok(Self {
            kind,
            elements: elements as usize,
            element_bytes,
            big_endian: order == 1,
            fill: (has_fill == 1).then_some(fill & mask(size * 8)),
        })
    }

    /// Unpacks `stored` into `out`.
    pub(crate) fn decode(
        &self,
        stored: &[u8],
        out: &mut Vec<u8>,
        size: OutputSize,
    ) -> Result<(), CodecError> {
        if self.kind == Kind::Plain {
            size.check(stored.len())?;
            out.clear();
            out.extend_from_slice(stored);
            return Ok(());
        }
        let bytes = size.check(self.elements.saturating_mul(self.element_bytes))?;
        out.clear();
        out.resize(bytes, 0);
        match self.element_bytes {
            1 => self.unpack::<1>(stored, out),
            2 => self.unpack::<2>(stored, out),
            4 => self.unpack::<4>(stored, out),
            _ => self.unpack::<8>(stored, out),
        }
    }

    fn unpack<const S: usize>(&self, stored: &[u8], out: &mut [u8]) -> Result<(), CodecError> {
        let (width, minimum) = header(stored)?;
        let full_width = S as u32 * 8;
        if width > full_width {
            return Err(corrupt("wider than the element"));
        }
        let packed = stored.get(HEADER_BYTES..).unwrap_or_default();
        if width == full_width {
            // Kept in this machine's order by libhdf5, which is little-endian wherever it matters.
            let plain = packed.get(..out.len()).ok_or(corrupt("cut short"))?;
            out.copy_from_slice(plain);
            if self.big_endian {
                out.as_chunks_mut::<S>()
                    .0
                    .iter_mut()
                    .for_each(|cell| cell.reverse());
            }
            return Ok(());
        }
        let mut reader = BitReader::new(packed);
        let value_of = self.restorer(width, minimum);
        for cell in out.as_chunks_mut::<S>().0 {
            let code = reader.read(width).ok_or(corrupt("cut short"))?;
            let bytes = value_of(code).to_le_bytes();
            cell.copy_from_slice(&bytes[..S]);
            if self.big_endian {
                cell.reverse();
            }
        }
        Ok(())
    }

    /// The function from packed codes to values (in the element's width).
    fn restorer(&self, width: u32, minimum: u64) -> impl Fn(u64) -> u64 + use<> {
        let fill = self.fill;
        let fill_code = mask(width);
        let (kind, element_bytes) = (self.kind, self.element_bytes);
        let digits = match kind {
            Kind::Float { digits } => digits,
            _ => 0,
        };
        let scale32 = 10_f32.powf(digits as f32);
        let scale64 = 10_f64.powf(f64::from(digits));
        move |code| match (fill, kind, element_bytes) {
            (Some(fill), ..) if code == fill_code => fill,
            // The C code casts through the element's own signed integer.
            (_, Kind::Float { .. }, 4) => {
                let value = code as u32 as i32 as f32 / scale32 + f32::from_bits(minimum as u32);
                u64::from(value.to_bits())
            }
            (_, Kind::Float { .. }, _) => {
                let value = code.cast_signed() as f64 / scale64 + f64::from_bits(minimum);
                value.to_bits()
            }
            _ => code.wrapping_add(minimum),
        }
    }
}

/// Bit width and minimum.
fn header(stored: &[u8]) -> Result<(u32, u64), CodecError> {
    let short = corrupt("shorter than its header");
    let (width, rest) = stored.split_first_chunk::<4>().ok_or(short.clone())?;
    let (&minimum_bytes, rest) = rest.split_first().ok_or(short.clone())?;
    let count = usize::from(minimum_bytes).min(8);
    let mut minimum = [0; 8];
    minimum[..count].copy_from_slice(rest.get(..count).ok_or(short)?);
    Ok((u32::from_le_bytes(*width), u64::from_le_bytes(minimum)))
}

/// The lowest `bits` (up to 64) set.
fn mask(bits: u32) -> u64 {
    match bits {
        0 => 0,
        1..=63 => (1 << bits) - 1,
        _ => u64::MAX,
    }
}

fn corrupt(reason: &'static str) -> CodecError {
    CodecError::Corrupt {
        filter: NAME,
        reason,
    }
}
