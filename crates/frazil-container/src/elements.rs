//! Elements of types that programs define, as they are in a program's memory, with what they point to.

use std::ops::Range;

use crate::error::{ContainerError, Result};
use frazil_hdf5::{TypeClass, TypeDescription};

/// Bytes before the elements of what has no fixed length: their number.
const COUNT: usize = 8;

/// Bytes of an address.
const POINTER: usize = 8;
/// Where parts begin.
const ALIGNMENT: usize = 8;

/// Elements in memory, and what they point to.
///
/// Where a pointer belongs there are zeros: whoever hands the elements to a program or to libhdf5 gives each part
/// memory of its own and writes the addresses.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Elements {
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

/// Elements as libhdf5 takes them.
#[derive(Default)]
pub(crate) struct Pinned {
    pub(crate) elements: Vec<u8>,
    /// What they point to.
    _behind: Vec<u8>,
}

impl Elements {
    /// Elements of a type in memory from their expanded form.
    ///
    /// # Errors
    /// If they are of another type, or there is no memory for them.
    pub fn of<'a>(
        native: &TypeDescription,
        expanded: impl ExactSizeIterator<Item = &'a [u8]>,
    ) -> Result<Self> {
        let mut values = Self::zeros(expanded.len(), native.size_bytes)?;
        for (index, mut rest) in expanded.enumerate() {
            values.fill(native, (0, index * native.size_bytes), &mut rest)?;
        }
        Ok(values)
    }

    /// Elements as they are in memory, which point to nothing.
    #[must_use]
    pub fn plain(size_bytes: usize, bytes: Vec<u8>) -> Self {
        Self {
            length: bytes.len() / size_bytes.max(1),
            parts: std::iter::once(0..bytes.len()).collect(),
            bytes,
            pointers: Vec::new(),
        }
    }

    /// Elements of zeros: numbers, and nothing behind pointers.
    ///
    /// # Errors
    /// If there is no memory for them.
    pub fn zeros(length: usize, size_bytes: usize) -> Result<Self> {
        let mut values = Self {
            length,
            bytes: Vec::new(),
            parts: Vec::new(),
            pointers: Vec::new(),
        };
        values.add_part(length, size_bytes)?;
        Ok(values)
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

    /// The elements with addresses in them, and what these lead to.
    ///
    /// # Errors
    /// If a pointer leads out of the elements.
    pub(crate) fn pinned(&self) -> Result<Pinned> {
        let end = self.elements().len();
        let mut elements = self.elements().to_vec();
        let mut behind = self.bytes.get(end..).unwrap_or_default().to_vec();
        let base = behind.as_ptr().expose_provenance();
        for pointer in &self.pointers {
            let start = |part: usize| Some(self.parts.get(part)?.start);
            let target = start(pointer.target).and_then(|start| start.checked_sub(end));
            let address = base + target.ok_or_else(corrupt)?;
            let (bytes, first) = match pointer.part {
                0 => (&mut elements, 0),
                _ => (&mut behind, end),
            };
            let at = start(pointer.part).ok_or_else(corrupt)? + pointer.at - first;
            let place = bytes.get_mut(at..at + size_of::<usize>());
            let place = place.ok_or_else(corrupt)?;
            place.copy_from_slice(&address.to_ne_bytes());
        }
        Ok(Pinned {
            elements,
            _behind: behind,
        })
    }

    /// Has what is at a place point to a copy of bytes; their part's number.
    ///
    /// # Errors
    /// If there is no such place, or no memory.
    pub fn point(&mut self, (part, at): (usize, usize), behind: &[u8]) -> Result<usize> {
        self.place((part, at), POINTER)?.fill(0);
        let target = self.add_part(behind.len(), 1)?;
        self.place((target, 0), behind.len())?
            .copy_from_slice(behind);
        self.pointers.push(Pointer { part, at, target });
        Ok(target)
    }

    /// Writes zeros over a part of an element.
    ///
    /// # Errors
    /// If there is no such place.
    pub fn clear(&mut self, place: (usize, usize), bytes: usize) -> Result<()> {
        self.place(place, bytes)?.fill(0);
        Ok(())
    }

    /// So many elements: these at their places, copies of another one elsewhere.
    ///
    /// # Errors
    /// If there is no such place, or no memory.
    pub fn spread(
        &self,
        length: usize,
        places: impl Iterator<Item = usize>,
        elsewhere: &Self,
    ) -> Result<Self> {
        let places: Vec<usize> = places.collect();
        let mut all = Self::zeros(length, elsewhere.elements().len())?;
        all.put(self, &places)?;
        if elsewhere.elements().iter().any(|&byte| byte != 0) || !elsewhere.pointers.is_empty() {
            let mut is_free = vec![true; length];
            for place in places {
                *is_free.get_mut(place).ok_or_else(corrupt)? = false;
            }
            for place in (0..length).filter(|&place| is_free[place]) {
                all.put(elsewhere, &[place])?;
            }
        }
        Ok(all)
    }

    /// Puts copies of other elements at places, with what they point to.
    fn put(&mut self, others: &Self, places: &[usize]) -> Result<()> {
        let size = others.elements().len() / others.length.max(1);
        let first = self.parts.len() - 1;
        for part in others.parts().skip(1) {
            let number = self.add_part(part.len(), 1)?;
            self.place((number, 0), part.len())?.copy_from_slice(part);
        }
        let elements = others.elements().chunks_exact(size.max(1));
        for (element, &place) in elements.zip(places) {
            self.place((0, place * size), size)?
                .copy_from_slice(element);
        }
        for pointer in &others.pointers {
            let mut moved = *pointer;
            moved.target += first;
            if moved.part == 0 {
                let place = places.get(moved.at / size.max(1)).ok_or_else(corrupt)?;
                moved.at = place * size + moved.at % size.max(1);
            } else {
                moved.part += first;
            }
            self.pointers.push(moved);
        }
        Ok(())
    }

    /// Makes room for so many elements; the part's number.
    fn add_part(&mut self, count: usize, size: usize) -> Result<usize> {
        let bytes = count.checked_mul(size).ok_or_else(too_many)?;
        // As machines want what parts may hold.
        let start = self.bytes.len().next_multiple_of(ALIGNMENT);
        let end = start.checked_add(bytes).ok_or_else(too_many)?;
        let more = end - self.bytes.len();
        self.bytes.try_reserve(more).map_err(|_| too_many())?;
        self.bytes.resize(end, 0);
        self.parts.push(start..end);
        Ok(self.parts.len() - 1)
    }

    /// Bytes of a part.
    ///
    /// # Errors
    /// If there is no such place.
    pub(crate) fn place(&mut self, (part, at): (usize, usize), size: usize) -> Result<&mut [u8]> {
        let range = self.parts.get(part).ok_or_else(corrupt)?;
        let start = range.start.checked_add(at).ok_or_else(corrupt)?;
        let end = start.checked_add(size).ok_or_else(corrupt)?;
        self.bytes.get_mut(start..end).ok_or_else(corrupt)
    }

    /// Fills one value from the bytes that come next.
    fn fill(
        &mut self,
        native: &TypeDescription,
        (part, at): (usize, usize),
        rest: &mut &[u8],
    ) -> Result<()> {
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

fn taken<'a>(rest: &mut &'a [u8], bytes: usize) -> Result<&'a [u8]> {
    let (taken, left) = rest.split_at_checked(bytes).ok_or_else(corrupt)?;
    *rest = left;
    Ok(taken)
}

fn counted(rest: &mut &[u8]) -> Result<usize> {
    let number = taken(rest, COUNT)?.first_chunk().copied();
    let number = number.map(u64::from_le_bytes);
    let number = number.and_then(|number| usize::try_from(number).ok());
    number.ok_or_else(corrupt)
}

fn corrupt() -> ContainerError {
    ContainerError::Corrupt("values that are not of their type".to_owned())
}

fn too_many() -> ContainerError {
    ContainerError::Unsupported("more values than there is memory for".to_owned())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn elements_keep_what_they_point_to_at_other_places() {
        let mut two = Elements::zeros(2, 16).unwrap();
        let target = two.point((0, 24), b"behind it").unwrap();
        two.point((target, 0), b"further").unwrap();
        let zeros = Elements::zeros(1, 16).unwrap();
        let four = two.spread(4, [1, 3].into_iter(), &zeros).unwrap();
        assert_eq!(lengths(&four), [64, 9, 7]);
        assert_eq!(pointers(&four), [(0, 56, 1), (1, 0, 2)]);
        assert!(two.spread(1, [0].into_iter(), &zeros).is_err());
    }

    #[test]
    fn elements_have_copies_of_another_one_elsewhere() {
        let mut one = Elements::zeros(1, 16).unwrap();
        one.point((0, 8), b"it").unwrap();
        let mut fill = Elements::plain(16, vec![7; 16]);
        let target = fill.point((0, 8), b"behind it").unwrap();
        fill.point((target, 0), b"further").unwrap();
        let three = one.spread(3, [1].into_iter(), &fill).unwrap();
        assert_eq!(lengths(&three), [48, 2, 9, 7, 9, 7]);
        let expected = [(0, 24, 1), (0, 8, 2), (2, 0, 3), (0, 40, 4), (4, 0, 5)];
        assert_eq!(pointers(&three), expected);
        assert_eq!(three.elements()[..8], [7; 8]);
        assert_eq!(three.elements()[16..24], [0; 8]);
    }

    fn lengths(elements: &Elements) -> Vec<usize> {
        elements.parts().map(<[u8]>::len).collect()
    }

    fn pointers(elements: &Elements) -> Vec<(usize, usize, usize)> {
        let all = elements.pointers().iter();
        all.map(|one| (one.part, one.at, one.target)).collect()
    }
}
