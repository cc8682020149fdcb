//! Copying the overlap of two boxes, row-major, as fast as the runs allow.

use frazil_types::Selection;

use crate::source::ArraySource;

/// Copies what chunk `index` holds of `selection` into `target`, the row-major buffer of
/// `selection`. Padding of the chunk outside the array is never copied.
///
/// `decoded` is the whole chunk, or just its part inside the array.
pub(crate) fn gather_chunk(
    source: &ArraySource,
    index: u64,
    decoded: &[u8],
    selection: &Selection,
    target: &mut [u8],
) {
    let valid = source.grid.valid_box(index);
    let Some(overlap) = valid.intersect(selection) else {
        return;
    };
    let whole = source.chunk_bytes() == Some(decoded.len() as u64);
    let stored = if whole {
        source.grid.chunk_box(index)
    } else {
        valid
    };
    let from = Placed {
        part: &stored,
        element_bytes: source.element_bytes,
    };
    let to = Placed {
        part: selection,
        element_bytes: source.element_bytes,
    };
    copy_overlap(decoded, &from, target, &to, &overlap);
}

/// Repeats `fill` over `target`; nothing stands for zeros.
pub fn fill_values(target: &mut [u8], fill: &[u8]) {
    let first = fill.first().copied().unwrap_or(0);
    if fill.iter().all(|&byte| byte == first) {
        target.fill(first);
        return;
    }
    if target.len() < fill.len() {
        return;
    }
    // Doubling keeps the copies long however short the element is.
    target[..fill.len()].copy_from_slice(fill);
    let mut filled = fill.len();
    while filled < target.len() {
        let more = filled.min(target.len() - filled);
        target.copy_within(..more, filled);
        filled += more;
    }
}

/// A box with its row-major buffer layout.
struct Placed<'a> {
    part: &'a Selection,
    element_bytes: usize,
}

impl Placed<'_> {
    /// Byte distance between neighbours along each axis.
    fn strides(&self) -> Vec<usize> {
        let mut strides = vec![self.element_bytes; self.part.count.len()];
        for axis in (1..strides.len()).rev() {
            strides[axis - 1] = strides[axis] * self.part.count[axis] as usize;
        }
        strides
    }

    /// Byte position of element `start`.
    fn position(&self, start: &[u64], strides: &[usize]) -> usize {
        (0..start.len())
            .map(|axis| (start[axis] - self.part.start[axis]) as usize * strides[axis])
            .sum()
    }
}

/// One axis of a copy: `count` steps of these byte distances.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) struct Axis {
    pub(crate) count: usize,
    pub(crate) from_stride: usize,
    pub(crate) to_stride: usize,
}

fn copy_overlap(
    from_bytes: &[u8],
    from: &Placed<'_>,
    to_bytes: &mut [u8],
    to: &Placed<'_>,
    overlap: &Selection,
) {
    let (from_strides, to_strides) = (from.strides(), to.strides());
    let from_start = from.position(&overlap.start, &from_strides);
    let to_start = to.position(&overlap.start, &to_strides);
    let axes = (0..overlap.count.len()).map(|axis| Axis {
        count: overlap.count[axis] as usize,
        from_stride: from_strides[axis],
        to_stride: to_strides[axis],
    });
    let (run_bytes, axes) = collapse(axes.collect(), from.element_bytes);
    let run = Runs {
        bytes: run_bytes,
        axes: &axes,
    };
    run.copy(&from_bytes[from_start..], &mut to_bytes[to_start..]);
}

/// Joins axes that are contiguous on both sides; returns the bytes of the innermost run and the
/// axes left, slowest first.
pub(crate) fn collapse(axes: Vec<Axis>, element_bytes: usize) -> (usize, Vec<Axis>) {
    let mut run_bytes = element_bytes;
    let mut joined: Vec<Axis> = Vec::with_capacity(axes.len());
    for axis in axes.into_iter().rev().filter(|axis| axis.count != 1) {
        match joined.last_mut() {
            None if axis.from_stride == run_bytes && axis.to_stride == run_bytes => {
                run_bytes *= axis.count;
            }
            Some(inner)
                if axis.from_stride == inner.from_stride * inner.count
                    && axis.to_stride == inner.to_stride * inner.count =>
            {
                inner.count *= axis.count;
            }
            _ => joined.push(axis),
        }
    }
    joined.reverse();
    (run_bytes, joined)
}

/// A nest of loops around runs of equal length.
struct Runs<'a> {
    bytes: usize,
    axes: &'a [Axis],
}

impl Runs<'_> {
    fn copy(&self, from: &[u8], to: &mut [u8]) {
        let Some((inner, outer)) = self.axes.split_last() else {
            to[..self.bytes].copy_from_slice(&from[..self.bytes]);
            return;
        };
        let mut cursor = vec![0_usize; outer.len()];
        let (mut from_at, mut to_at) = (0, 0);
        loop {
            copy_line(self.bytes, *inner, &from[from_at..], &mut to[to_at..]);
            let mut level = outer.len();
            loop {
                if level == 0 {
                    return;
                }
                level -= 1;
                let axis = outer[level];
                cursor[level] += 1;
                if cursor[level] < axis.count {
                    from_at += axis.from_stride;
                    to_at += axis.to_stride;
                    break;
                }
                cursor[level] = 0;
                from_at -= axis.from_stride * (axis.count - 1);
                to_at -= axis.to_stride * (axis.count - 1);
            }
        }
    }
}

/// Copies one line of runs; short runs of the usual element sizes become single moves.
fn copy_line(run_bytes: usize, axis: Axis, from: &[u8], to: &mut [u8]) {
    match run_bytes {
        1 => copy_fixed::<1>(axis, from, to),
        2 => copy_fixed::<2>(axis, from, to),
        4 => copy_fixed::<4>(axis, from, to),
        8 => copy_fixed::<8>(axis, from, to),
        12 => copy_fixed::<12>(axis, from, to),
        16 => copy_fixed::<16>(axis, from, to),
        24 => copy_fixed::<24>(axis, from, to),
        32 => copy_fixed::<32>(axis, from, to),
        64 => copy_fixed::<64>(axis, from, to),
        _ => {
            for step in 0..axis.count {
                let (source, target) = (step * axis.from_stride, step * axis.to_stride);
                to[target..target + run_bytes].copy_from_slice(&from[source..source + run_bytes]);
            }
        }
    }
}

fn copy_fixed<const N: usize>(axis: Axis, from: &[u8], to: &mut [u8]) {
    for step in 0..axis.count {
        let run = from[step * axis.from_stride..].first_chunk::<N>();
        let place = to[step * axis.to_stride..].first_chunk_mut::<N>();
        if let (Some(run), Some(place)) = (run, place) {
            *place = *run;
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn axis(count: usize, from_stride: usize, to_stride: usize) -> Axis {
        Axis {
            count,
            from_stride,
            to_stride,
        }
    }

    #[test]
    fn whole_boxes_collapse_to_one_run() {
        let axes = vec![axis(3, 40, 40), axis(5, 8, 8), axis(2, 4, 4)];
        assert_eq!(collapse(axes, 4), (120, vec![]));
    }

    #[test]
    fn axes_of_one_vanish_and_outer_axes_join() {
        // Rows of 2 of 4 elements: the run is 8 bytes, and the outer axes are one long axis.
        let axes = vec![
            axis(3, 80, 40),
            axis(1, 9, 9),
            axis(5, 16, 8),
            axis(2, 4, 4),
        ];
        assert_eq!(collapse(axes, 4), (8, vec![axis(15, 16, 8)]));
    }

    #[test]
    fn fill_repeats_the_element() {
        let mut target = vec![0; 14];
        fill_values(&mut target[..12], &[1, 2, 3]);
        assert_eq!(target, [1, 2, 3, 1, 2, 3, 1, 2, 3, 1, 2, 3, 0, 0]);
        fill_values(&mut target, &[7, 7]);
        assert_eq!(target, [7; 14]);
        fill_values(&mut target, &[]);
        assert_eq!(target, [0; 14]);
    }

    #[test]
    fn every_run_length_copies_the_same_values() {
        for element_bytes in 1..70_usize {
            let whole = Selection::whole(&[4, 3]);
            let bytes: Vec<u8> = (0..12 * element_bytes).map(|i| (i % 251) as u8).collect();
            let part = Selection {
                start: vec![1, 1],
                count: vec![2, 1],
            };
            let mut copied = vec![0; 2 * element_bytes];
            let from = Placed {
                part: &whole,
                element_bytes,
            };
            let to = Placed {
                part: &part,
                element_bytes,
            };
            copy_overlap(&bytes, &from, &mut copied, &to, &part);
            let row = |i: usize| &bytes[i * element_bytes..(i + 1) * element_bytes];
            assert_eq!(copied, [row(4), row(7)].concat());
        }
    }
}
