//! Values of types that programs define, as they are in a program's memory.

use std::ops::Range;

use frazil_container::hdf5::Expanded;
use frazil_container::model::{TypeClass, TypeDescription};

use crate::status::{Answer, Status};

/// Bytes before the elements of what has no fixed length: their number.
const COUNT: usize = 8;

/// Elements in memory, and what they point to.
///
/// Where a pointer belongs there are zeros: whoever hands the values to a program gives each part memory of
/// its own and writes the addresses.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct UserValues {
    nc_type: i32,
    length: usize,
    bytes: Vec<u8>,
    parts: Vec<Range<usize>>,
    pointers: Vec<Pointer>,
}

/// A pointer inside values.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Pointer {
    /// The part that it is in.
    pub part: usize,
    /// Where in that part, in bytes.
    pub at: usize,
    /// The part that it leads to.
    pub target: usize,
}

impl UserValues {
    /// Values of a type in memory from their expanded form.
    pub(crate) fn of(nc_type: i32, native: &TypeDescription, expanded: &Expanded) -> Answer<Self> {
        let mut values = Self::room(nc_type, native, expanded.len())?;
        for index in 0..values.length {
            let mut rest = expanded.element(index);
            values.fill(native, (0, index * native.size_bytes), &mut rest)?;
        }
        Ok(values)
    }

    /// Elements as they are in memory, which point to nothing.
    pub(crate) fn plain(nc_type: i32, size_bytes: usize, bytes: Vec<u8>) -> Self {
        Self {
            nc_type,
            length: bytes.len() / size_bytes.max(1),
            parts: std::iter::once(0..bytes.len()).collect(),
            bytes,
            pointers: Vec::new(),
        }
    }

    /// One element of zeros: numbers, and nothing behind pointers.
    pub(crate) fn zeros(nc_type: i32, native: &TypeDescription) -> Answer<Self> {
        Self::room(nc_type, native, 1)
    }

    fn room(nc_type: i32, native: &TypeDescription, length: usize) -> Answer<Self> {
        let mut values = Self {
            nc_type,
            length,
            bytes: Vec::new(),
            parts: Vec::new(),
            pointers: Vec::new(),
        };
        values.add_part(length, native.size_bytes)?;
        Ok(values)
    }

    /// `nc_type` of the elements.
    #[must_use]
    pub fn nc_type(&self) -> i32 {
        self.nc_type
    }

    /// How many elements there are.
    #[must_use]
    pub fn len(&self) -> usize {
        self.length
    }

    /// Whether there are none.
    #[must_use]
    pub fn is_empty(&self) -> bool {
        self.length == 0
    }

    /// The parts: the elements first, then what they point to.
    pub fn parts(&self) -> impl ExactSizeIterator<Item = &[u8]> {
        let part = |range: &Range<usize>| self.bytes.get(range.clone()).unwrap_or_default();
        self.parts.iter().map(part)
    }

    /// The elements alone.
    #[must_use]
    pub fn elements(&self) -> &[u8] {
        self.parts().next().unwrap_or_default()
    }

    /// Where addresses of parts belong.
    #[must_use]
    pub fn pointers(&self) -> &[Pointer] {
        &self.pointers
    }

    /// Makes room for so many elements; the part's number.
    fn add_part(&mut self, count: usize, size: usize) -> Answer<usize> {
        let bytes = count.checked_mul(size).ok_or(Status::ENOMEM)?;
        let start = self.bytes.len();
        let end = start.checked_add(bytes).ok_or(Status::ENOMEM)?;
        let room = self.bytes.try_reserve(bytes);
        room.map_err(|_| Status::ENOMEM)?;
        self.bytes.resize(end, 0);
        self.parts.push(start..end);
        Ok(self.parts.len() - 1)
    }

    fn place(&mut self, (part, at): (usize, usize), size: usize) -> Answer<&mut [u8]> {
        let range = self.parts.get(part).ok_or(Status::EHDFERR)?;
        let start = range.start.checked_add(at).ok_or(Status::EHDFERR)?;
        let end = start.checked_add(size).ok_or(Status::EHDFERR)?;
        let place = self.bytes.get_mut(start..end);
        place.ok_or_else(|| Status::EHDFERR.into())
    }

    /// Fills one value from the bytes that come next.
    fn fill(
        &mut self,
        native: &TypeDescription,
        (part, at): (usize, usize),
        rest: &mut &[u8],
    ) -> Answer<()> {
        match &native.class {
            TypeClass::Compound { members } => {
                for member in members {
                    self.fill(&member.datatype, (part, at + member.offset), rest)?;
                }
            }
            TypeClass::Array { base, .. } => {
                let count = native.size_bytes / base.size_bytes.max(1);
                for index in 0..count {
                    self.fill(base, (part, at + index * base.size_bytes), rest)?;
                }
            }
            TypeClass::VariableText { .. } => {
                let length = counted(rest)?;
                let text = taken(rest, length)?;
                // As libhdf5 gives it: NULL.
                if length > 0 {
                    let target = self.add_part(length + 1, 1)?;
                    self.place((target, 0), length)?.copy_from_slice(text);
                    self.pointers.push(Pointer { part, at, target });
                }
            }
            TypeClass::VariableLength { base } => {
                let count = counted(rest)?;
                let place = self.place((part, at), COUNT)?;
                place.copy_from_slice(&(count as u64).to_ne_bytes());
                if count > 0 {
                    let target = self.add_part(count, base.size_bytes)?;
                    let at = at + COUNT;
                    self.pointers.push(Pointer { part, at, target });
                    for index in 0..count {
                        self.fill(base, (target, index * base.size_bytes), rest)?;
                    }
                }
            }
            class => {
                let value = taken(rest, native.size_bytes)?;
                let place = self.place((part, at), native.size_bytes)?;
                place.copy_from_slice(value);
                let is_number = !matches!(class, TypeClass::Opaque { .. });
                if is_number && cfg!(target_endian = "big") {
                    place.reverse();
                }
            }
        }
        Ok(())
    }
}

fn taken<'a>(rest: &mut &'a [u8], bytes: usize) -> Answer<&'a [u8]> {
    let (taken, left) = rest.split_at_checked(bytes).ok_or(Status::EHDFERR)?;
    *rest = left;
    Ok(taken)
}

fn counted(rest: &mut &[u8]) -> Answer<usize> {
    let number = taken(rest, COUNT)?.first_chunk().copied();
    let number = number.map(u64::from_le_bytes);
    let number = number.and_then(|number| usize::try_from(number).ok());
    number.ok_or_else(|| Status::EHDFERR.into())
}
