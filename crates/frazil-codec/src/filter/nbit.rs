//! N-bit packing (filter 5), decoding.
//!
//! Source: `H5Znbit.c`. Of each number only the significant bits are stored, most significant first
//! and without gaps; all other bits decode as 0.

use frazil_types::FilterSpec;

use crate::CodecError;
use crate::bits::BitReader;
use crate::buffer::OutputSize;
use crate::error::invalid;

const NAME: &str = "nbit";
/// Arrays and compounds inside each other: more than any sane type, less than the stack.
const MAX_DEPTH: usize = 32;
/// Index of the type tree in the client data values.
const TYPE_TREE: usize = 3;

const ATOMIC: u32 = 1;
const ARRAY: u32 = 2;
const COMPOUND: u32 = 3;
const NO_OP: u32 = 4;

/// What the client data values say.
#[derive(Debug, Clone)]
pub(crate) struct Nbit {
    elements: usize,
    /// `None`: stored as it is.
    element: Option<Type>,
}

#[derive(Debug, Clone)]
struct Type {
    bytes: usize,
    layout: Layout,
}

#[derive(Debug, Clone)]
enum Layout {
    /// Significant bits of each byte, in packing order: `(byte, lowest bit, bits)`.
    Atomic(Vec<(usize, u32, u32)>),
    /// Every byte whole.
    NoOp,
    Array(Box<Type>),
    /// Members at their byte offsets.
    Compound(Vec<(usize, Type)>),
}

impl Nbit {
    /// Reads the client data values.
    pub(crate) fn bind(spec: &FilterSpec) -> Result<Self, CodecError> {
        let values = spec.cd_values.as_slice();
        let &[count, untouched, elements, ..] = values else {
            return Err(invalid(NAME, "needs at least 3 values"));
        };
        if count as usize != values.len() {
            return Err(invalid(NAME, "the number of values is wrong"));
        }
        let mut element = None;
        if untouched == 0 {
            let mut tree = values.get(TYPE_TREE..).unwrap_or_default();
            element = Some(parse_type(&mut tree, MAX_DEPTH)?);
        }
        Ok(Self {
            elements: elements as usize,
            element,
        })
    }

    /// Unpacks `stored` into `out`.
    pub(crate) fn decode(
        &self,
        stored: &[u8],
        out: &mut Vec<u8>,
        size: OutputSize,
    ) -> Result<(), CodecError> {
        out.clear();
        let Some(element) = &self.element else {
            size.check(stored.len())?;
            out.extend_from_slice(stored);
            return Ok(());
        };
        let bytes = size.check(self.elements.saturating_mul(element.bytes))?;
        out.resize(bytes, 0);
        let mut reader = BitReader::new(stored);
        for cell in out.chunks_exact_mut(element.bytes) {
            element
                .unpack(&mut reader, cell)
                .ok_or(CodecError::Corrupt {
                    filter: NAME,
                    reason: "cut short",
                })?;
        }
        Ok(())
    }
}

impl Type {
    /// Fills `cell` (zeroed, `self.bytes` long); `None` if the bits run out.
    fn unpack(&self, reader: &mut BitReader<'_>, cell: &mut [u8]) -> Option<()> {
        match &self.layout {
            Layout::Atomic(bytes) => {
                for &(byte, low, bits) in bytes {
                    cell[byte] = (reader.read(bits)? << low) as u8;
                }
            }
            Layout::NoOp => {
                for byte in cell {
                    *byte = reader.read(8)? as u8;
                }
            }
            Layout::Array(base) => {
                for part in cell.chunks_exact_mut(base.bytes) {
                    base.unpack(reader, part)?;
                }
            }
            Layout::Compound(members) => {
                for (offset, member) in members {
                    member.unpack(reader, &mut cell[*offset..*offset + member.bytes])?;
                }
            }
        }
        Some(())
    }
}

/// Takes the next value of the type tree.
fn next(tree: &mut &[u32]) -> Result<u32, CodecError> {
    let (&value, rest) = tree
        .split_first()
        .ok_or_else(|| invalid(NAME, "the type description is cut short"))?;
    *tree = rest;
    Ok(value)
}

/// Takes one type off the front of the tree.
fn parse_type(tree: &mut &[u32], depth: usize) -> Result<Type, CodecError> {
    let class = next(tree)?;
    let bytes = next(tree)? as usize;
    if bytes == 0 || depth == 0 {
        return Err(invalid(NAME, "a type without bytes, or nested too deep"));
    }
    let layout = match class {
        ATOMIC => parse_atomic(tree, bytes)?,
        ARRAY => parse_array(tree, depth)?,
        COMPOUND => parse_compound(tree, bytes, depth)?,
        NO_OP => Layout::NoOp,
        _ => return Err(invalid(NAME, format!("type class {class} does not exist"))),
    };
    Ok(Type { bytes, layout })
}

fn parse_atomic(tree: &mut &[u32], bytes: usize) -> Result<Layout, CodecError> {
    let big_endian = next(tree)? == 1;
    let precision = u64::from(next(tree)?);
    let offset = u64::from(next(tree)?);
    let end = offset + precision;
    if precision == 0 || end > bytes as u64 * 8 {
        return Err(invalid(NAME, "precision and offset do not fit the type"));
    }
    // Byte b counts from the least significant one; the walk goes down from the most significant.
    let parts = (offset / 8..end.div_ceil(8)).rev().map(|b| {
        let low = offset.max(b * 8) - b * 8;
        let high = end.min(b * 8 + 8) - b * 8;
        let b = b as usize;
        let place = if big_endian { bytes - 1 - b } else { b };
        (place, low as u32, (high - low) as u32)
    });
    Ok(Layout::Atomic(parts.collect()))
}

/// libhdf5 does not step over the element type of an array of arrays or compounds: if the array is
/// a member of a compound, it reads the members that follow from inside that type. What it stored
/// that way can only be read that way.
fn parse_array(tree: &mut &[u32], depth: usize) -> Result<Layout, CodecError> {
    let class = tree.first().copied();
    let inside = tree.get(1..).unwrap_or_default();
    let base = parse_type(tree, depth - 1)?;
    if matches!(class, Some(ARRAY | COMPOUND)) {
        *tree = inside;
    }
    Ok(Layout::Array(Box::new(base)))
}

fn parse_compound(tree: &mut &[u32], bytes: usize, depth: usize) -> Result<Layout, CodecError> {
    let count = next(tree)?;
    let mut members = Vec::new();
    let mut used = 0_usize;
    for _ in 0..count {
        let offset = next(tree)? as usize;
        let member = parse_type(tree, depth - 1)?;
        used += member.bytes;
        if used > bytes || offset + member.bytes > bytes {
            return Err(invalid(NAME, "a member reaches past its compound"));
        }
        members.push((offset, member));
    }
    Ok(Layout::Compound(members))
}
