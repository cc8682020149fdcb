//! Values in a form that means the same in every file.
//!
//! Numbers become little-endian without padding bits, compounds lose their padding, heap data are
//! spelled out behind their length, references become the path they lead to. Two values are the
//! same exactly if their expanded bytes are.

use std::cell::Cell;

use frazil_hdf5::{BitRange, RegionReference, TypeClass, TypeDescription, widen};
use frazil_types::ByteOrder;

use crate::error::{ContainerError, Result};
use crate::ffi::variable_length;
use crate::hdf5::scan::Hdf5Input;

/// Expanded elements.
#[derive(Debug, Clone, Default, Eq)]
pub struct Expanded {
    bytes: Vec<u8>,
    /// Where each element ends.
    ends: Vec<usize>,
    /// Texts that are not there, in ascending order.
    nulls: Vec<usize>,
}

/// A text that is not there is the same as an empty one.
impl PartialEq for Expanded {
    fn eq(&self, other: &Self) -> bool {
        self.bytes == other.bytes && self.ends == other.ends
    }
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

    /// All elements, one by one.
    pub fn iter(&self) -> impl ExactSizeIterator<Item = &[u8]> {
        (0..self.len()).map(|i| self.element(i))
    }

    /// Whether an element is a text that is not there, which C has as a NULL. It expands as an empty one.
    #[must_use]
    pub fn is_null(&self, i: usize) -> bool {
        self.nulls.binary_search(&i).is_ok()
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

/// Expands raw elements of a type without heap data and references, as they lie in a file.
///
/// # Errors
/// [`ContainerError::Internal`] if the type has heap data or references.
pub fn expand_plain(datatype: &TypeDescription, raw: &[u8]) -> Result<Expanded> {
    expand_all(None, datatype, raw)
}

/// Where values lead that point elsewhere.
pub(super) trait Indirect {
    /// The text behind a value, up to its NUL.
    fn text(&self, raw: &[u8]) -> Result<Vec<u8>>;
    /// Whether there is no text behind a value.
    fn is_null(&self, raw: &[u8]) -> Result<bool>;
    /// The elements behind a value of variable length.
    fn sequence(&self, raw: &[u8], element_bytes: usize) -> Result<Vec<u8>>;
    /// The file that the values are of, and its metadata.
    fn file(&self) -> (&Hdf5Input, &frazil_hdf5::File);
}

/// Values as libhdf5 read them into memory, heap data not yet reclaimed.
pub(super) struct InMemory<'a>(pub(super) &'a Hdf5Input, pub(super) &'a frazil_hdf5::File);

/// Values as they lie in a file.
pub(super) struct InFile<'a> {
    input: &'a Hdf5Input,
    file: &'a frazil_hdf5::File,
    /// Bytes that may still be taken from heaps.
    left: Cell<u64>,
}

impl<'a> InFile<'a> {
    /// So many values, of which each is named so often at most.
    ///
    /// No two values share a place in a heap, but for fill values, which are short: what leads to more bytes than that
    /// would make a small file fill all memory.
    pub(super) fn new(
        (input, file): (&'a Hdf5Input, &'a frazil_hdf5::File),
        count: usize,
        repeats: u64,
    ) -> Self {
        const MOST_COPIES: u64 = 4;
        const FILL_BYTES: u64 = 1024;
        let copies = repeats.saturating_mul(MOST_COPIES);
        let written = input.file_bytes().saturating_mul(copies);
        let filled = (count as u64).saturating_mul(FILL_BYTES);
        Self {
            input,
            file,
            left: Cell::new(written.saturating_add(filled)),
        }
    }
}

impl Indirect for InMemory<'_> {
    fn text(&self, raw: &[u8]) -> Result<Vec<u8>> {
        Ok(variable_length::variable_text_bytes(raw)?.unwrap_or_default())
    }

    fn is_null(&self, raw: &[u8]) -> Result<bool> {
        Ok(variable_length::variable_text_bytes(raw)?.is_none())
    }

    fn sequence(&self, raw: &[u8], element_bytes: usize) -> Result<Vec<u8>> {
        variable_length::variable_length_bytes(raw, element_bytes)
    }

    fn file(&self) -> (&Hdf5Input, &frazil_hdf5::File) {
        (self.0, self.1)
    }
}

impl Indirect for InFile<'_> {
    fn text(&self, raw: &[u8]) -> Result<Vec<u8>> {
        let mut text = self.sequence(raw, 1)?;
        let end = text.iter().position(|&byte| byte == 0);
        text.truncate(end.unwrap_or(text.len()));
        Ok(text)
    }

    fn is_null(&self, raw: &[u8]) -> Result<bool> {
        Ok(self.file.is_null(raw)?)
    }

    fn sequence(&self, raw: &[u8], element_bytes: usize) -> Result<Vec<u8>> {
        let elements = self.file.sequence(raw, element_bytes)?;
        let left = self.left.get().checked_sub(elements.len() as u64);
        self.left.set(left.ok_or_else(|| {
            ContainerError::Corrupt("its values lead to the same bytes again and again".to_owned())
        })?);
        Ok(elements)
    }

    fn file(&self) -> (&Hdf5Input, &frazil_hdf5::File) {
        (self.input, self.file)
    }
}

/// Expands elements that point elsewhere.
pub(super) fn expand_indirect(
    at: &dyn Indirect,
    datatype: &TypeDescription,
    raw: &[u8],
) -> Result<Expanded> {
    expand_all(Some(at), datatype, raw)
}

/// The path an object reference leads to; empty if it leads nowhere.
fn object_path<'a>(input: &'a Hdf5Input, raw: &[u8]) -> Result<&'a str> {
    let address = frazil_hdf5::object_reference(raw).ok_or_else(short)?;
    Ok(input.paths().get(&address).map_or("", String::as_str))
}

/// Path and selection of a region reference; nothing if its object is gone.
fn expand_region(
    (input, file): (&Hdf5Input, &frazil_hdf5::File),
    raw: &[u8],
    out: &mut Vec<u8>,
) -> Result<()> {
    let found = match file.region(raw)? {
        RegionReference::To(region) => {
            let path = input.paths().get(&region.object);
            path.map(|path| (path, region))
        }
        RegionReference::Null | RegionReference::Nowhere => None,
    };
    let Some((path, region)) = found else {
        put_bytes(b"", out);
        return Ok(());
    };
    let text = format!("{path} {}", region.selection.spelled_out()?);
    put_bytes(text.as_bytes(), out);
    Ok(())
}

fn expand_all(
    at: Option<&dyn Indirect>,
    datatype: &TypeDescription,
    raw: &[u8],
) -> Result<Expanded> {
    let mut expanded = Expanded::default();
    if datatype.size_bytes == 0 {
        return Err(short());
    }
    expanded.bytes.reserve(raw.len());
    let texts = at.filter(|_| matches!(datatype.class, TypeClass::VariableText { .. }));
    for element in raw.chunks_exact(datatype.size_bytes) {
        if let Some(texts) = texts
            && texts.is_null(element)?
        {
            expanded.nulls.push(expanded.ends.len());
        }
        expand(at, datatype, element, &mut expanded.bytes)?;
        expanded.finish_element();
    }
    Ok(expanded)
}

fn expand(
    at: Option<&dyn Indirect>,
    datatype: &TypeDescription,
    raw: &[u8],
    out: &mut Vec<u8>,
) -> Result<()> {
    let needs_file = || at.ok_or_else(short);
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
        TypeClass::Enumeration { base, .. } => expand(at, base, raw, out)?,
        TypeClass::Complex { part: base } | TypeClass::Array { base, .. } => {
            for element in raw.chunks_exact(base.size_bytes.max(1)) {
                expand(at, base, element, out)?;
            }
        }
        TypeClass::Compound { members } => {
            for member in members {
                let end = member.offset.saturating_add(member.datatype.size_bytes);
                let part = raw.get(member.offset..end).ok_or_else(short)?;
                expand(at, &member.datatype, part, out)?;
            }
        }
        TypeClass::VariableText { .. } => {
            put_bytes(&needs_file()?.text(raw)?, out);
        }
        TypeClass::VariableLength { base } => {
            let size = base.size_bytes.max(1);
            let elements = needs_file()?.sequence(raw, size)?;
            out.extend_from_slice(&((elements.len() / size) as u64).to_le_bytes());
            for element in elements.chunks_exact(size) {
                expand(at, base, element, out)?;
            }
        }
        TypeClass::ObjectReference => {
            put_bytes(object_path(needs_file()?.file().0, raw)?.as_bytes(), out);
        }
        TypeClass::RegionReference => expand_region(needs_file()?.file(), raw, out)?,
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

fn short() -> ContainerError {
    ContainerError::Internal("a value does not fit its type".to_owned())
}

#[cfg(test)]
mod tests {
    use super::*;
    use frazil_hdf5::MemberDescription;

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
            let mut number = [0; 2];
            let conversion = frazil_hdf5::NumberConversion::of(&datatype).unwrap();
            conversion.convert(&stored, &mut number, 2);
            assert_eq!(i16::from_ne_bytes(number), value);
            let expanded = expand_plain(&datatype, &stored).unwrap();
            assert_eq!(expanded.bytes(), value.to_le_bytes());
        }
        assert!(!integer(2, ByteOrder::Big, 16).is_partial_integer());
    }

    #[test]
    fn byte_order_does_not_matter() {
        let big = expand_plain(&integer(2, ByteOrder::Big, 16), &[1, 2, 3, 4]).unwrap();
        let little = expand_plain(&integer(2, ByteOrder::Little, 16), &[2, 1, 4, 3]).unwrap();
        assert_eq!(big, little);
        assert_eq!((big.len(), big.element(1)), (2, [4, 3].as_slice()));
        assert!(big.element(2).is_empty());
    }

    #[test]
    fn bits_and_bytes_without_meaning_do_not_count() {
        let narrow = integer(2, ByteOrder::Little, 12);
        assert_eq!(
            expand_plain(&narrow, &[0x34, 0xf2]).unwrap().bytes(),
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
        let expanded = expand_plain(&compound, &[9, 0x34, 0x02, 9]).unwrap();
        assert_eq!(expanded.bytes(), [0x34, 0x02]);
    }

    #[test]
    fn heap_data_need_their_file() {
        let text = TypeClass::VariableText {
            utf8: true,
            padding: frazil_hdf5::TextPadding::NullTerminated,
        };
        let text = TypeDescription {
            size_bytes: 8,
            committed: None,
            class: text,
        };
        assert!(expand_plain(&text, &[0; 8]).is_err());
    }
}
