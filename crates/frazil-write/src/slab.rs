//! A put cut along the chunk grid: which elements of the caller's array go where in which chunk.

use super::errors::{lost, refused};
use super::key::Offset;
use frazil_file::counting;
use frazil_file::error::{Error, Result};

/// Where a put goes: `count` elements along each axis from `start`, every `stride`-th.
#[derive(Debug, Clone, Copy)]
pub(super) struct Slab<'a> {
    pub(super) start: &'a [u64],
    pub(super) count: &'a [u64],
    /// `None`: every element.
    pub(super) stride: Option<&'a [u64]>,
}

/// The part of one axis of a put that falls into one chunk.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) struct Part {
    /// The chunk's coordinate.
    chunk: u64,
    /// First element, counted in the put.
    first: u64,
    /// Elements.
    pub(super) count: u64,
    /// First element, counted in the chunk.
    local: u64,
}

impl<'a> Slab<'a> {
    pub(super) fn new(start: &'a [u64], count: &'a [u64], stride: Option<&'a [u64]>) -> Self {
        Self {
            start,
            count,
            stride,
        }
    }
}

impl Slab<'_> {
    /// Cuts the values of a put along its outer axes into parts of at most so many bytes, or one
    /// element.
    pub(super) fn cut(
        &self,
        bytes: &[u8],
        most: usize,
        take: &mut impl FnMut(&Slab<'_>, &[u8]) -> Result<()>,
    ) -> Result<()> {
        let outer = self.count.iter().position(|&count| count > 1);
        let Some(axis) = outer.filter(|_| bytes.len() > most) else {
            return take(self, bytes);
        };
        let rows = usize::try_from(self.count[axis]).map_err(|_| lost())?;
        let row_bytes = bytes.len() / rows;
        let at_once = (most / row_bytes.max(1)).max(1);
        let (mut start, mut count) = (self.start.to_vec(), self.count.to_vec());
        for piece in bytes.chunks((at_once * row_bytes).max(1)) {
            count[axis] = (piece.len() / row_bytes) as u64;
            Slab::new(&start, &count, self.stride).cut(piece, most, take)?;
            start[axis] += count[axis] * self.stride(axis);
        }
        Ok(())
    }

    pub(super) fn stride(&self, axis: usize) -> u64 {
        self.stride.map_or(1, |stride| stride[axis])
    }

    /// The first element after the put along an axis; the put is not empty.
    pub(super) fn end(&self, axis: usize) -> u64 {
        self.start[axis] + (self.count[axis] - 1) * self.stride(axis) + 1
    }

    /// How many elements lie within an array of this shape, along each axis.
    pub(super) fn within(&self, shape: &[u64]) -> Vec<u64> {
        let axes = self.start.iter().zip(self.count).zip(shape).enumerate();
        axes.map(|(axis, ((&start, &count), &extent))| {
            let room = extent.saturating_sub(start);
            count.min(room.div_ceil(self.stride(axis)))
        })
        .collect()
    }

    /// The parts of an axis; the put is not empty and its end can be counted.
    fn parts(&self, axis: usize, extent: u64) -> Vec<Part> {
        let (start, stride) = (self.start[axis], self.stride(axis));
        let mut parts = Vec::new();
        let mut first = 0;
        while first < self.count[axis] {
            let at = start + first * stride;
            let chunk = at / extent;
            let local = at % extent;
            let count = ((extent - 1 - local) / stride + 1).min(self.count[axis] - first);
            parts.push(Part {
                chunk,
                first,
                count,
                local,
            });
            first += count;
        }
        parts
    }

    /// The put's pieces, one per chunk, in row-major order of the chunks.
    pub(super) fn pieces(&self, chunk: &[u64]) -> Pieces {
        let parts: Vec<Vec<Part>> = (0..chunk.len())
            .map(|axis| self.parts(axis, chunk[axis]))
            .collect();
        let is_done = parts.iter().any(Vec::is_empty);
        Pieces {
            at: vec![0; parts.len()],
            parts,
            is_done,
        }
    }
}

/// Iterates over the chunks that a put touches.
pub(super) struct Pieces {
    parts: Vec<Vec<Part>>,
    at: Vec<usize>,
    is_done: bool,
}

impl Iterator for Pieces {
    type Item = Piece;

    fn next(&mut self) -> Option<Piece> {
        if self.is_done {
            return None;
        }
        let axes = self.parts.iter().zip(&self.at);
        let piece = Piece(axes.map(|(parts, &at)| parts[at]).collect());
        self.is_done = true;
        for axis in (0..self.at.len()).rev() {
            self.at[axis] += 1;
            if self.at[axis] < self.parts[axis].len() {
                self.is_done = false;
                break;
            }
            self.at[axis] = 0;
        }
        Some(piece)
    }
}

/// The part of a put that falls into one chunk, axis by axis.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) struct Piece(pub(super) Vec<Part>);

/// Elements that lie together both in the put and in the chunk.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) struct Run {
    /// First element in the put, row-major.
    pub(super) from: usize,
    /// First element in the chunk, row-major.
    pub(super) to: usize,
    pub(super) elements: usize,
}

impl Piece {
    /// The chunk's first element.
    pub(super) fn offset(&self, chunk: &[u64]) -> Offset {
        let pairs = self.0.iter().zip(chunk);
        pairs.map(|(part, &extent)| part.chunk * extent).collect()
    }

    /// Elements of the piece.
    pub(super) fn elements(&self) -> u64 {
        self.0.iter().map(|part| part.count).product()
    }

    /// Calls `copy` for every run of the piece, in row-major order.
    ///
    /// All numbers fit: the put's elements and a chunk's are in memory.
    pub(super) fn for_each_run(&self, slab: &Slab<'_>, chunk: &[u64], mut copy: impl FnMut(Run)) {
        let Some((last, outer)) = self.0.split_last() else {
            return copy(Run {
                from: 0,
                to: 0,
                elements: 1,
            });
        };
        let axis = outer.len();
        let stride = slab.stride(axis);
        let (elements, repeats) = match stride {
            1 => (last.count, 1),
            _ => (1, last.count),
        };
        let mut at = vec![0; axis];
        loop {
            let (mut from, mut to) = (0, 0);
            for i in 0..axis {
                from = from * slab.count[i] + outer[i].first + at[i];
                to = to * chunk[i] + outer[i].local + at[i] * slab.stride(i);
            }
            from = from * slab.count[axis] + last.first;
            to = to * chunk[axis] + last.local;
            for i in 0..repeats {
                copy(Run {
                    from: (from + i) as usize,
                    to: (to + i * stride) as usize,
                    elements: elements as usize,
                });
            }
            if !advance(&mut at, outer) {
                return;
            }
        }
    }
}

/// Goes on to the next row; `false` after the last one.
fn advance(at: &mut [u64], parts: &[Part]) -> bool {
    for axis in (0..at.len()).rev() {
        at[axis] += 1;
        if at[axis] < parts[axis].count {
            return true;
        }
        at[axis] = 0;
    }
    false
}

/// Refuses what does not fit axes of these longest lengths; elements of the slab.
pub(super) fn check_slab(
    slab: &Slab<'_>,
    rank: usize,
    longest: impl Fn(usize) -> u64,
) -> Result<Option<u64>> {
    let strides = slab.stride.map_or(rank, <[u64]>::len);
    if slab.start.len() != rank || slab.count.len() != rank || strides != rank {
        return Err(refused(format!(
            "has {rank} axes, other than the selection"
        )));
    }
    let mut elements = Some(1_u64);
    for axis in 0..rank {
        let count = slab.count[axis];
        elements = elements.and_then(|product| product.checked_mul(count));
        let last = (count.saturating_sub(1))
            .checked_mul(slab.stride(axis))
            .and_then(|way| way.checked_add(slab.start[axis]));
        let limit = longest(axis);
        if slab.stride(axis) == 0 || last.is_none_or(|last| count > 0 && last >= limit) {
            return Err(outside(slab, axis, limit));
        }
    }
    Ok(elements)
}

/// The error about a put or read that leaves an axis.
fn outside(slab: &Slab<'_>, axis: usize, limit: u64) -> Error {
    let (count, stride) = (counting::count(slab.count[axis]), slab.stride(axis));
    let named = counting::axis(axis, slab.count.len());
    let start = counting::position(slab.start[axis]);
    refused(match stride {
        0 => format!("the stride along {named} is 0: 1 takes every element"),
        1 => format!("{named} has {limit} elements; {count} from {start} on leave it"),
        _ => format!(
            "{named} has {limit} elements; {count} from {start} on, every {stride}th, leave it"
        ),
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Every element of the put must go to its place exactly once.
    fn check(slab: Slab<'_>, chunk: &[u64]) {
        let rank = chunk.len();
        let mut seen = Vec::new();
        for piece in slab.pieces(chunk) {
            let offset = piece.offset(chunk);
            let mut elements = 0;
            piece.for_each_run(&slab, chunk, |run| {
                for i in 0..run.elements {
                    let (mut from, mut to) = ((run.from + i) as u64, (run.to + i) as u64);
                    for axis in (0..rank).rev() {
                        let element = offset[axis] + to % chunk[axis];
                        let index = from % slab.count[axis];
                        assert_eq!(element, slab.start[axis] + index * slab.stride(axis));
                        from /= slab.count[axis];
                        to /= chunk[axis];
                    }
                    seen.push(run.from + i);
                    elements += 1;
                }
            });
            assert_eq!(elements, piece.elements());
        }
        seen.sort_unstable();
        let all: u64 = slab.count.iter().product();
        assert_eq!(seen, (0..all as usize).collect::<Vec<_>>());
    }

    #[test]
    fn every_element_goes_to_its_place_once() {
        for stride in [None, Some([1, 2, 3].as_slice()), Some(&[5, 1, 7])] {
            check(
                Slab {
                    start: &[3, 0, 5],
                    count: &[4, 6, 9],
                    stride,
                },
                &[2, 4, 6],
            );
        }
        check(
            Slab {
                start: &[],
                count: &[],
                stride: None,
            },
            &[],
        );
        let nothing = Slab {
            start: &[1, 1],
            count: &[0, 3],
            stride: None,
        };
        assert_eq!(nothing.pieces(&[2, 2]).count(), 0);
    }

    /// Every element of the put comes once, in order, with its place.
    #[test]
    fn parts_are_the_put() {
        let count = [3, 1, 4, 5];
        let bytes: Vec<u8> = (0..60).collect();
        for most in [1, 2, 5, 9, 13, 20, 59, 60] {
            let stride = [2, 1, 3, 1];
            let slab = Slab::new(&[7, 0, 1, 2], &count, Some(&stride));
            let mut seen = Vec::new();
            slab.cut(&bytes, most, &mut |part, bytes| {
                assert!(bytes.len() <= most && !bytes.is_empty());
                for (i, &byte) in bytes.iter().enumerate() {
                    let mut rest = i as u64;
                    let mut number = 0;
                    let mut step = 1;
                    for axis in (0..4).rev() {
                        let at = part.start[axis] + rest % part.count[axis] * stride[axis];
                        rest /= part.count[axis];
                        number += (at - slab.start[axis]) / stride[axis] * step;
                        step *= count[axis];
                    }
                    assert_eq!(number, u64::from(byte));
                    seen.push(byte);
                }
                Ok(())
            })
            .unwrap();
            assert_eq!(seen, bytes);
        }
    }
}
