//! A part of a chunk that trials are made on instead of all of it.

use std::ops::Range;

/// Axes are cut down to so many elements and no further, so that neighbours along them remain.
const FEWEST: u64 = 8;

/// A box from the middle of a chunk.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) struct Excerpt {
    /// Its elements along each axis, slowest first.
    pub(crate) shape: Vec<u64>,
    /// Where it begins along each axis.
    origin: Vec<u64>,
}

impl Excerpt {
    /// A box of about `most` elements; the whole chunk where it has not many more.
    pub(crate) fn of(chunk: &[u64], most: u64) -> Self {
        let mut shape = chunk.to_vec();
        for axis in 0..chunk.len() {
            let elements = product(&shape);
            if elements <= 2 * most {
                break;
            }
            let others = elements / shape[axis].max(1);
            shape[axis] = (most / others.max(1)).max(FEWEST).min(shape[axis]);
        }
        let middle = |(&length, &part): (&u64, &u64)| (length - part) / 2;
        Self {
            origin: chunk.iter().zip(&shape).map(middle).collect(),
            shape,
        }
    }

    /// Whether it is the chunk.
    pub(crate) fn is_all(&self, chunk: &[u64]) -> bool {
        self.shape == chunk
    }

    /// Its bytes. `raw` must hold the elements of `chunk`, each of `element_bytes`.
    pub(crate) fn take(&self, raw: &[u8], element_bytes: usize, chunk: &[u64]) -> Vec<u8> {
        let bytes = product(&self.shape) as usize * element_bytes;
        let mut taken = Vec::with_capacity(bytes);
        self.rows(0, 0, chunk, &mut |elements| {
            let bytes =
                elements.start as usize * element_bytes..elements.end as usize * element_bytes;
            taken.extend_from_slice(raw.get(bytes).unwrap_or_default());
        });
        taken
    }

    /// Calls `row` for each run of elements along the fastest axis.
    fn rows(&self, axis: usize, before: u64, chunk: &[u64], row: &mut dyn FnMut(Range<u64>)) {
        let Some(&length) = chunk.get(axis) else {
            return row(before..before + 1);
        };
        let start = before * length + self.origin[axis];
        let positions = start..start + self.shape[axis];
        if axis + 1 == chunk.len() {
            return row(positions);
        }
        for position in positions {
            self.rows(axis + 1, position, chunk, row);
        }
    }
}

/// Elements of a shape.
pub(crate) fn product(shape: &[u64]) -> u64 {
    shape.iter().fold(1, |n, &length| n.saturating_mul(length))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn an_excerpt_is_a_box_from_the_middle() {
        let chunk = [4, 100, 6];
        let raw: Vec<u8> = (0..2400_u16).flat_map(u16::to_le_bytes).collect();
        let part = Excerpt::of(&chunk, 240);
        assert_eq!(
            (&part.shape[..], &part.origin[..]),
            (&[4, 10, 6][..], &[0, 45, 0][..])
        );
        let taken = part.take(&raw, 2, &chunk);
        let (cells, _) = taken.as_chunks::<2>();
        let numbers: Vec<u16> = cells.iter().map(|&cell| u16::from_le_bytes(cell)).collect();
        assert_eq!(numbers.len(), 240);
        assert_eq!(numbers[..7], [270, 271, 272, 273, 274, 275, 276]);
        assert_eq!(numbers[60], 600 + 270);
    }

    #[test]
    fn small_chunks_and_single_values_are_taken_whole() {
        for chunk in [&[][..], &[7], &[1, 1], &[20, 20]] {
            let part = Excerpt::of(chunk, 1000);
            assert!(part.is_all(chunk));
            let raw: Vec<u8> = (0..product(chunk)).map(|i| i as u8).collect();
            assert_eq!(part.take(&raw, 1, chunk), raw);
        }
        let long = Excerpt::of(&[2, 3, 1 << 20], 16 << 10);
        assert!(product(&long.shape) <= 32 << 10);
    }
}
