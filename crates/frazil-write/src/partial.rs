//! A chunk being gathered: its values so far, and which of them were written.

use std::borrow::Cow;

use frazil_pipeline::Charge;

use super::buffer::Buffer;
use super::errors::lost;
use super::mask::Mask;
use frazil_file::error::Result;

/// A chunk being gathered.
#[derive(Debug)]
pub(super) struct PartialChunk {
    values: Buffer,
    /// `None`: every value has its place among them.
    close: Option<Close>,
    pub(super) mask: Mask,
    /// Elements that may be written: with all of them the chunk is complete.
    writable: u64,
    /// Whether elements that were not written have values in the file.
    pub(super) has_base: bool,
    /// Whether there are values that were not packed yet.
    pub(super) is_dirty: bool,
    /// Whether elements that were not written hold what they are before; else they hold zeros.
    pub(super) is_filled: bool,
    charge: Charge,
}

/// Memory for the values of a chunk before any is written.
pub(super) enum Begun {
    /// With what elements hold that nobody writes.
    Filled(Buffer),
    /// With zeros: fill values come later, where they are still wanted.
    Zeros(Buffer),
    /// With room for values that lie close together.
    Close(Buffer),
}

/// Values of a chunk, one behind the other.
pub(super) struct Written {
    pub(super) values: Buffer,
    // Goes back when they leave memory.
    _charge: Charge,
}

/// Values that lie close together, only those that were written, in the order of the chunk.
///
/// A rank may have a small part of every row of a chunk. With each value in its place it would take
/// all pages of the chunk, and the system would clear them, for that part of their bytes.
#[derive(Debug, Clone, Copy)]
struct Close {
    /// The element behind the last one.
    end: usize,
    chunk_bytes: usize,
}

impl PartialChunk {
    /// A chunk of `values` as they are before anything is written.
    pub(super) fn new(
        values: Buffer,
        mask: Mask,
        writable: u64,
        has_base: bool,
        charge: Charge,
    ) -> Self {
        Self {
            values,
            close: None,
            mask,
            writable,
            has_base,
            is_dirty: false,
            is_filled: true,
            charge,
        }
    }

    /// A chunk whose fill values come later, where they are still wanted ([`Self::fill_rest`]):
    /// `zeros` are its values until then.
    pub(super) fn unfilled(
        zeros: Buffer,
        mask: Mask,
        writable: u64,
        has_base: bool,
        charge: Charge,
    ) -> Self {
        Self {
            is_filled: false,
            ..Self::new(zeros, mask, writable, has_base, charge)
        }
    }

    /// As [`Self::unfilled`]; what is written lies close together in `written`, as long as it comes
    /// in the order of the chunk.
    pub(super) fn close(
        written: Buffer,
        chunk_bytes: usize,
        mask: Mask,
        writable: u64,
        has_base: bool,
        charge: Charge,
    ) -> Self {
        let end = mask.end();
        Self {
            close: Some(Close { end, chunk_bytes }),
            ..Self::unfilled(written, mask, writable, has_base, charge)
        }
    }

    /// All values, each in its place.
    pub(super) fn values(&mut self, element_bytes: usize) -> &mut Buffer {
        self.spread(element_bytes, Buffer::zeroed);
        &mut self.values
    }

    /// What a chunk takes with it when it is packed: [`Self::values`], which of them were written,
    /// and the memory that they are charged to.
    pub(super) fn into_parts(mut self, element_bytes: usize) -> (Buffer, Mask, Charge) {
        self.spread(element_bytes, Buffer::zeroed);
        (self.values, self.mask, self.charge)
    }

    /// The values that were written, one behind the other, and the memory that they are charged to.
    pub(super) fn into_written(self, element_bytes: usize) -> Written {
        let values = match self.written(element_bytes) {
            Cow::Owned(values) => values.into(),
            Cow::Borrowed(_) => self.values,
        };
        Written {
            values,
            _charge: self.charge,
        }
    }

    /// The values that were written, one behind the other.
    pub(super) fn written(&self, element_bytes: usize) -> Cow<'_, [u8]> {
        let is_all =
            self.mask.written_elements() * element_bytes as u64 == self.values.len() as u64;
        match self.close.is_some() || is_all {
            true => Cow::Borrowed(&self.values),
            false => Cow::Owned(self.mask.written(&self.values, element_bytes)),
        }
    }

    /// The values as they lie in memory, and whether those that were written lie close together.
    pub(super) fn as_they_lie(&self) -> (&[u8], bool) {
        (&self.values, self.close.is_some())
    }

    /// Gives every value its place; where they lie close together, in zeros that `room` makes.
    pub(super) fn spread(&mut self, element_bytes: usize, room: impl FnOnce(usize) -> Buffer) {
        let Some(close) = self.close.take() else {
            return;
        };
        if self.values.len() < close.chunk_bytes {
            let written = std::mem::replace(&mut self.values, room(close.chunk_bytes));
            self.mask.place(&written, &mut self.values, element_bytes);
        }
    }

    /// Takes over from `base` the elements that were not written.
    pub(super) fn merge(&mut self, base: &[u8], element_bytes: usize) {
        self.spread(element_bytes, Buffer::zeroed);
        self.mask.merge(&mut self.values, base, element_bytes);
    }

    /// Gives elements that were not written their fill value, if they have none yet.
    pub(super) fn fill_rest(&mut self, fill: &[u8]) {
        let size = fill.len();
        self.spread(size, Buffer::zeroed);
        let is_filled = std::mem::replace(&mut self.is_filled, true);
        if is_filled || fill.iter().all(|&byte| byte == 0) {
            return;
        }
        let values = &mut self.values;
        self.mask.for_each_gap(values.len() / size, |from, to| {
            for element in values[from * size..to * size].chunks_exact_mut(size) {
                element.copy_from_slice(fill);
            }
        });
    }

    /// Memory that a chunk takes while it is gathered.
    pub(super) fn bytes_for(chunk_bytes: usize, element_bytes: usize) -> u64 {
        (chunk_bytes + Mask::bytes_for(chunk_bytes / element_bytes)) as u64
    }

    /// Writes elements from `at` on.
    pub(super) fn write(&mut self, at: usize, bytes: &[u8], element_bytes: usize) {
        if !self.append(at, bytes, element_bytes) {
            let first = at * element_bytes;
            self.values(element_bytes)[first..first + bytes.len()].copy_from_slice(bytes);
        }
        self.mask.mark(at, bytes.len() / element_bytes);
        self.is_dirty = true;
    }

    /// Writes one element.
    #[inline]
    pub(super) fn write_one(&mut self, at: usize, bytes: &[u8]) {
        if !self.append(at, bytes, bytes.len()) {
            let first = at * bytes.len();
            self.values(bytes.len())[first..first + bytes.len()].copy_from_slice(bytes);
        }
        self.mask.mark_one(at);
        self.is_dirty = true;
    }

    /// Adds values to those that lie close together, if they come behind them.
    #[inline]
    fn append(&mut self, at: usize, bytes: &[u8], element_bytes: usize) -> bool {
        match &mut self.close {
            Some(close) if at >= close.end => {
                close.end = at + bytes.len() / element_bytes;
                let needed = self.values.len() + bytes.len();
                if needed > self.values.room() {
                    // Never more than the whole chunk, which is what is charged.
                    let mut larger = Buffer::with_room((2 * needed).min(close.chunk_bytes));
                    larger.extend(&self.values);
                    self.values = larger;
                }
                self.values.extend(bytes);
                true
            }
            _ => false,
        }
    }

    /// Writes those elements that a mask names.
    ///
    /// # Errors
    /// If mask and values do not fit the chunk or each other.
    pub(super) fn overlay(
        &mut self,
        mask: &Mask,
        written: &[u8],
        element_bytes: usize,
    ) -> Result<()> {
        let elements = self.values(element_bytes).len() / element_bytes;
        let bytes = mask.written_elements() * element_bytes as u64;
        let fits = mask.fits(&self.mask) && mask.end() <= elements && written.len() as u64 == bytes;
        if !fits {
            return Err(lost());
        }
        mask.place(written, &mut self.values, element_bytes);
        self.mask.add(mask);
        self.is_dirty |= bytes > 0;
        Ok(())
    }

    /// As [`Self::overlay`] with what `read` reads, if the mask names one run of elements; `false`: it does not, and
    /// nothing was done.
    ///
    /// # Errors
    /// If the mask does not fit the chunk; what `read` fails with.
    pub(super) fn overlay_run(
        &mut self,
        mask: &Mask,
        element_bytes: usize,
        read: impl FnOnce(&mut [u8]) -> Result<()>,
    ) -> Result<bool> {
        let Some(run) = mask.only_run() else {
            return Ok(false);
        };
        let fits = mask.fits(&self.mask);
        let place = run.start * element_bytes..run.end * element_bytes;
        let place = self.values(element_bytes).get_mut(place);
        read(place.filter(|_| fits).ok_or_else(lost)?)?;
        self.mask.add(mask);
        self.is_dirty = true;
        Ok(true)
    }

    /// A copy to be packed as it stands; this one goes on being gathered.
    pub(super) fn copy_for_commit(&mut self, charge: Charge) -> Self {
        self.is_dirty = false;
        Self {
            values: self.values.clone(),
            close: self.close,
            mask: self.mask.clone(),
            writable: self.writable,
            has_base: self.has_base,
            is_dirty: false,
            is_filled: self.is_filled,
            charge,
        }
    }

    pub(super) fn is_complete(&self) -> bool {
        self.mask.written_elements() >= self.writable
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn fill_values_come_where_nothing_was_written() {
        let budget = std::sync::Arc::new(frazil_pipeline::MemoryBudget::new(100));
        let charge = || budget.charge(1).unwrap();
        let mut chunk =
            PartialChunk::unfilled(Buffer::zeroed(140), Mask::new(70), 70, false, charge());
        for (at, elements) in [(0, 2), (63, 2), (68, 1)] {
            chunk.write(at, &vec![1; 2 * elements], 2);
        }
        let mut copy = chunk.copy_for_commit(charge());
        for chunk in [&mut chunk, &mut copy] {
            chunk.fill_rest(&[8, 9]);
            for (number, element) in chunk.values(2).chunks_exact(2).enumerate() {
                let is_written = matches!(number, 0 | 1 | 63 | 64 | 68);
                assert_eq!(
                    element,
                    if is_written { [1, 1] } else { [8, 9] },
                    "{number}"
                );
            }
        }
        // Once is enough.
        chunk.fill_rest(&[5, 5]);
        assert_eq!(chunk.values(2)[4..6], [8, 9]);
        let other = Mask::new(70);
        assert!(!chunk.mask.overlaps(&other) && chunk.mask.overlaps(&copy.mask));
    }

    /// Puts mostly in the order of the chunk, against the elements one by one.
    #[test]
    fn values_that_lie_close_together_are_those_that_were_put() {
        let budget = std::sync::Arc::new(frazil_pipeline::MemoryBudget::new(1));
        let mut close = 0;
        for seed in 0..200_u64 {
            let mut random = crate::tests::script::Random(seed);
            let elements = 1 + random.below(200) as usize;
            let (mask, charge) = (Mask::new(elements), budget.charge(1).unwrap());
            let (room, all) = (Buffer::with_room(8), elements as u64);
            let mut chunk = PartialChunk::close(room, 2 * elements, mask, all, false, charge);
            let mut values = vec![0; 2 * elements];
            let mut is_written = vec![false; elements];
            let mut next = 0;
            for _ in 0..random.below(8) {
                let from = match random.below(12) {
                    0 => random.below(all) as usize,
                    _ => (next + random.below(20) as usize).min(elements - 1),
                };
                let count = 1 + random.below(30.min((elements - from) as u64)) as usize;
                let put: Vec<u8> = (0..2 * count).map(|_| random.below(256) as u8).collect();
                match count {
                    1 => chunk.write_one(from, &put),
                    _ => chunk.write(from, &put, 2),
                }
                values[2 * from..2 * (from + count)].copy_from_slice(&put);
                is_written[from..from + count].fill(true);
                next = from + count;
            }
            let written: Vec<u8> = (values.chunks_exact(2).zip(&is_written))
                .filter(|(_, is_written)| **is_written)
                .flat_map(|(value, _)| value.to_vec())
                .collect();
            assert_eq!(*chunk.written(2), written);
            assert!(chunk.values.room() <= (2 * elements).max(8));
            let (lying, is_close) = chunk.as_they_lie();
            assert_eq!(lying, if is_close { &written } else { &values });
            close += u32::from(is_close);
            let mut copy = chunk.copy_for_commit(budget.charge(0).unwrap());
            assert_eq!(copy.values(2)[..], values);
            assert_eq!(chunk.into_parts(2).0[..], values);
        }
        assert!((50..150).contains(&close), "{close}");
    }
}
