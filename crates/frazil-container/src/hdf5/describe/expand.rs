//! Values in a form that means the same in every file.
//!
//! Numbers become little-endian without padding bits, compounds lose their padding, heap data are
//! spelled out behind their length, references become the path they lead to. Two values are the
//! same exactly if their expanded bytes are.

use frazil_types::ByteOrder;

use super::types::{TypeClass, TypeDescription};
use crate::error::{ContainerError, Result};
use crate::ffi::link;
use crate::ffi::number_form::BitRange;
use crate::ffi::reference::{self, REGION_BYTES};
use crate::ffi::region;
use crate::ffi::variable_length;
use crate::hdf5::scan::Hdf5Input;

/// Expanded elements.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct Expanded {
    bytes: Vec<u8>,
    /// Where each element ends.
    ends: Vec<usize>,
}

impl Expanded {
    /// Number of elements.
    #[must_use]
    pub fn len(&self) -> usize {
        self.ends.len()
    }

    /// Whether there are no elements.
    #[must_use]
    pub fn is_empty(&self) -> bool {
        self.ends.is_empty()
    }

    /// All elements, one behind the other.
    #[must_use]
    pub fn bytes(&self) -> &[u8] {
        &self.bytes
    }

    /// One element; empty if there is none of this number.
    #[must_use]
    pub fn element(&self, i: usize) -> &[u8] {
        let start = if i == 0 {
            Some(0)
        } else {
            self.ends.get(i - 1).copied()
        };
        match (start, self.ends.get(i)) {
            (Some(start), Some(&end)) => self.bytes.get(start..end).unwrap_or_default(),
            _ => &[],
        }
    }

    /// Appends an element that is expanded already.
    pub fn push(&mut self, element: &[u8]) {
        self.bytes.extend_from_slice(element);
        self.finish_element();
    }

    fn finish_element(&mut self) {
        self.ends.push(self.bytes.len());
    }
}

impl TypeDescription {
    /// Expands raw elements of a type without heap data and references, as they lie in a file.
    ///
    /// # Errors
    /// [`ContainerError::Internal`] if the type has heap data or references.
    pub fn expand_plain(&self, raw: &[u8]) -> Result<Expanded> {
        expand_all(None, self, raw)
    }
}

/// Expands values of one file.
pub(super) struct Expander<'a> {
    input: &'a Hdf5Input,
}

impl<'a> Expander<'a> {
    pub(super) fn new(input: &'a Hdf5Input) -> Self {
        Self { input }
    }

    /// Expands elements as libhdf5 read them into memory, heap data not yet reclaimed.
    pub(super) fn expand_all(&self, datatype: &TypeDescription, raw: &[u8]) -> Result<Expanded> {
        expand_all(Some(self), datatype, raw)
    }

    /// The path an object reference leads to; empty if it leads nowhere.
    fn object_path(&self, raw: &[u8]) -> Result<&str> {
        let address = raw
            .try_into()
            .map(u64::from_ne_bytes)
            .map_err(|_| short())?;
        Ok(self.input.paths().get(&address).map_or("", String::as_str))
    }

    /// Path and selection of a region reference.
    fn expand_region(&self, raw: &[u8], out: &mut Vec<u8>) -> Result<()> {
        let reference: [u8; REGION_BYTES] = raw.try_into().map_err(|_| short())?;
        if reference.iter().all(|&byte| byte == 0) {
            put_bytes(b"", out);
            return Ok(());
        }
        let Some(object) = reference::region_object(&self.input.file, &reference)? else {
            put_bytes(b"", out);
            return Ok(());
        };
        let address = link::object_address(&object)?;
        let Some(path) = self.input.paths().get(&address) else {
            put_bytes(b"", out);
            return Ok(());
        };
        let text = format!("{path} {}", region::region(&self.input.file, &reference)?);
        put_bytes(text.as_bytes(), out);
        Ok(())
    }
}

fn expand_all(
    expander: Option<&Expander<'_>>,
    datatype: &TypeDescription,
    raw: &[u8],
) -> Result<Expanded> {
    let mut expanded = Expanded::default();
    if datatype.size_bytes == 0 {
        return Err(short());
    }
    expanded.bytes.reserve(raw.len());
    for element in raw.chunks_exact(datatype.size_bytes) {
        expand(expander, datatype, element, &mut expanded.bytes)?;
        expanded.finish_element();
    }
    Ok(expanded)
}

fn expand(
    expander: Option<&Expander<'_>>,
    datatype: &TypeDescription,
    raw: &[u8],
    out: &mut Vec<u8>,
) -> Result<()> {
    let needs_file = || expander.ok_or_else(short);
    match &datatype.class {
        TypeClass::Integer {
            order,
            bits,
            signed,
        } => {
            let start = out.len();
            put_number(*order, *bits, raw, out);
            widen(&mut out[start..], *bits, *signed);
        }
        TypeClass::Float { order, bits, .. }
        | TypeClass::Bitfield { order, bits }
        | TypeClass::Time { order, bits } => put_number(*order, *bits, raw, out),
        TypeClass::FixedText { .. } | TypeClass::Opaque { .. } => out.extend_from_slice(raw),
        TypeClass::Enumeration { base, .. } => expand(expander, base, raw, out)?,
        TypeClass::Complex { part: base } | TypeClass::Array { base, .. } => {
            for element in raw.chunks_exact(base.size_bytes.max(1)) {
                expand(expander, base, element, out)?;
            }
        }
        TypeClass::Compound { members } => {
            for member in members {
                let end = member.offset.saturating_add(member.datatype.size_bytes);
                let part = raw.get(member.offset..end).ok_or_else(short)?;
                expand(expander, &member.datatype, part, out)?;
            }
        }
        TypeClass::VariableText { .. } => {
            needs_file()?;
            put_bytes(
                &variable_length::variable_text_bytes(raw)?.unwrap_or_default(),
                out,
            );
        }
        TypeClass::VariableLength { base } => {
            needs_file()?;
            let size = base.size_bytes.max(1);
            let elements = variable_length::variable_length_bytes(raw, size)?;
            out.extend_from_slice(&((elements.len() / size) as u64).to_le_bytes());
            for element in elements.chunks_exact(size) {
                expand(expander, base, element, out)?;
            }
        }
        TypeClass::ObjectReference => put_bytes(needs_file()?.object_path(raw)?.as_bytes(), out),
        TypeClass::RegionReference => needs_file()?.expand_region(raw, out)?,
        TypeClass::NewReference => return Err(short()),
    }
    Ok(())
}

/// Length and bytes.
fn put_bytes(bytes: &[u8], out: &mut Vec<u8>) {
    out.extend_from_slice(&(bytes.len() as u64).to_le_bytes());
    out.extend_from_slice(bytes);
}

/// A number little-endian, bits that carry no value cleared.
fn put_number(order: ByteOrder, bits: BitRange, raw: &[u8], out: &mut Vec<u8>) {
    let start = out.len();
    out.extend_from_slice(raw);
    let number = &mut out[start..];
    if order == ByteOrder::Big {
        number.reverse();
    }
    if bits.offset == 0 && bits.precision >= number.len() * 8 {
        return;
    }
    let end = bits.offset.saturating_add(bits.precision);
    for (i, byte) in number.iter_mut().enumerate() {
        let mask = (0..8)
            .filter(|bit| (bits.offset..end).contains(&(i * 8 + bit)))
            .fold(0_u8, |mask, bit| mask | 1 << bit);
        *byte &= mask;
    }
}

/// Makes of a little-endian integer, whose value is in some of its bits, the same in all of them. Those of more than
/// 16 bytes stay as they are.
fn widen(number: &mut [u8], bits: BitRange, signed: bool) {
    let mut wide = [0_u8; 16];
    let size = number.len();
    let is_whole = bits.offset == 0 && bits.precision >= size * 8;
    if is_whole || size > wide.len() || bits.offset + bits.precision > size * 8 {
        return;
    }
    wide[..size].copy_from_slice(number);
    let unused = (u128::BITS as usize - bits.precision) as u32;
    let Some(left) = (u128::from_le_bytes(wide) >> bits.offset).checked_shl(unused) else {
        return;
    };
    let value = match signed {
        true => ((left as i128) >> unused) as u128,
        false => left >> unused,
    };
    number.copy_from_slice(&value.to_le_bytes()[..size]);
}

impl TypeDescription {
    /// Whether this is an integer, or an enumeration of such, of 1, 2, 4 or 8 bytes of which some bits belong to no
    /// value.
    #[must_use]
    pub fn is_partial_integer(&self) -> bool {
        match &self.class {
            TypeClass::Integer { .. } => {
                matches!(self.size_bytes, 1 | 2 | 4 | 8) && !self.is_whole_number()
            }
            TypeClass::Enumeration { base, .. } => base.is_partial_integer(),
            _ => false,
        }
    }

    /// Turns elements of such a type, as they lie in a file, into integers of this machine that use all their bits.
    /// libhdf5 is not asked: of big-endian ones with the lowest bit in use it only swaps the bytes.
    pub fn widen_integers(&self, values: &mut [u8]) {
        let class = match &self.class {
            TypeClass::Enumeration { base, .. } => &base.class,
            class => class,
        };
        let TypeClass::Integer {
            order,
            bits,
            signed,
        } = class
        else {
            return;
        };
        for number in values.chunks_exact_mut(self.size_bytes.max(1)) {
            if *order == ByteOrder::Big {
                number.reverse();
            }
            widen(number, *bits, *signed);
            if cfg!(target_endian = "big") {
                number.reverse();
            }
        }
    }
}

fn short() -> ContainerError {
    ContainerError::Internal("a value does not fit its type".to_owned())
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::hdf5::describe::MemberDescription;

    fn integer(size_bytes: usize, order: ByteOrder, precision: usize) -> TypeDescription {
        let bits = BitRange {
            precision,
            offset: 0,
            padding: [0; 3],
        };
        let class = TypeClass::Integer {
            signed: false,
            order,
            bits,
        };
        TypeDescription {
            size_bytes,
            committed: None,
            class,
        }
    }

    #[test]
    fn integers_in_some_bits_get_all_of_them() {
        let of = |order, offset, signed| {
            let mut one = integer(2, order, 12);
            let TypeClass::Integer {
                bits,
                signed: is_signed,
                ..
            } = &mut one.class
            else {
                panic!("no integer");
            };
            (bits.offset, *is_signed) = (offset, signed);
            one
        };
        for (order, offset, signed, stored, value) in [
            (ByteOrder::Big, 0, true, [0x0f, 0xff], -1_i16),
            (ByteOrder::Big, 0, false, [0x0f, 0xff], 4095),
            (ByteOrder::Little, 3, true, [0xd8, 0x7f], -5),
            (ByteOrder::Big, 4, true, [0x83, 0x0f], -2000),
            // Bits that belong to no value are set.
            (ByteOrder::Little, 0, true, [0x05, 0xf0], 5),
        ] {
            let datatype = of(order, offset, signed);
            assert!(datatype.is_partial_integer());
            let mut values = stored;
            datatype.widen_integers(&mut values);
            assert_eq!(i16::from_ne_bytes(values), value);
            let expanded = datatype.expand_plain(&stored).unwrap();
            assert_eq!(expanded.bytes(), value.to_le_bytes());
        }
        assert!(!integer(2, ByteOrder::Big, 16).is_partial_integer());
    }

    #[test]
    fn byte_order_does_not_matter() {
        let big = integer(2, ByteOrder::Big, 16)
            .expand_plain(&[1, 2, 3, 4])
            .unwrap();
        let little = integer(2, ByteOrder::Little, 16)
            .expand_plain(&[2, 1, 4, 3])
            .unwrap();
        assert_eq!(big, little);
        assert_eq!((big.len(), big.element(1)), (2, [4, 3].as_slice()));
        assert!(big.element(2).is_empty());
    }

    #[test]
    fn bits_and_bytes_without_meaning_do_not_count() {
        let narrow = integer(2, ByteOrder::Little, 12);
        assert_eq!(
            narrow.expand_plain(&[0x34, 0xf2]).unwrap().bytes(),
            [0x34, 0x02]
        );
        let member = MemberDescription {
            name: "x".into(),
            offset: 1,
            datatype: narrow,
        };
        let class = TypeClass::Compound {
            members: vec![member],
        };
        let compound = TypeDescription {
            size_bytes: 4,
            committed: None,
            class,
        };
        let expanded = compound.expand_plain(&[9, 0x34, 0x02, 9]).unwrap();
        assert_eq!(expanded.bytes(), [0x34, 0x02]);
    }

    #[test]
    fn heap_data_need_their_file() {
        let text = TypeClass::VariableText {
            utf8: true,
            padding: crate::hdf5::describe::TextPadding::NullTerminated,
        };
        let text = TypeDescription {
            size_bytes: 8,
            committed: None,
            class: text,
        };
        assert!(text.expand_plain(&[0; 8]).is_err());
    }
}
