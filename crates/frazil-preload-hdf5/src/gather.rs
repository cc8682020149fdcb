//! Parts of arrays into others, row by row.

/// Memory of the program that a call writes from; it stays as it is until the call returns.
#[derive(Clone, Copy)]
pub(crate) struct Source(*const u8);

// SAFETY: it is only read, by threads that end before the program's call returns.
unsafe impl Send for Source {}
// SAFETY: as above.
unsafe impl Sync for Source {}

impl Source {
    pub(crate) fn new(begin: *const u8) -> Self {
        Self(begin)
    }
}

/// Where a box lies: the element that it begins with, and the distance of neighbours along each axis.
pub(crate) struct Layout<'a> {
    pub(crate) first: usize,
    pub(crate) strides: &'a [usize],
}

/// Copies a box of `counts` elements of `bytes` each to where it lies in `target`. Nothing is written beyond the end of
/// `target`.
///
/// # Safety
/// `source` has the elements that `from` names.
pub(crate) unsafe fn copy_box(
    (source, from): (Source, &Layout<'_>),
    (target, to): (&mut [u8], &Layout<'_>),
    counts: &[u64],
    bytes: usize,
) {
    let Some((&last, outer)) = counts.split_last() else {
        return;
    };
    let row = last as usize;
    let axis = outer.len();
    let is_dense = from.strides[axis] == 1 && to.strides[axis] == 1;
    let (pieces, piece) = match is_dense || row == 1 {
        true => (1, row * bytes),
        false => (row, bytes),
    };
    let mut at = vec![0_u64; outer.len()];
    loop {
        let place = |layout: &Layout<'_>| {
            let steps = at.iter().zip(layout.strides);
            layout.first
                + steps
                    .map(|(at, stride)| *at as usize * stride)
                    .sum::<usize>()
        };
        let (read, write) = (place(from), place(to));
        for number in 0..pieces {
            let read = (read + number * from.strides[axis]) * bytes;
            let write = (write + number * to.strides[axis]) * bytes;
            let Some(target) = target.get_mut(write..write + piece) else {
                return;
            };
            // SAFETY: the caller vouches for the source, which is none of our memory.
            unsafe {
                std::ptr::copy_nonoverlapping(source.0.add(read), target.as_mut_ptr(), piece);
            };
        }
        if !next(&mut at, outer) {
            return;
        }
    }
}

/// The next row; `false`: that was the last one.
fn next(at: &mut [u64], counts: &[u64]) -> bool {
    for axis in (0..at.len()).rev() {
        at[axis] += 1;
        if at[axis] < counts[axis] {
            return true;
        }
        at[axis] = 0;
    }
    false
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn parts_and_columns_are_copied() {
        let source: Vec<u8> = (0..24).collect();
        let from = Source::new(source.as_ptr());
        let mut target = vec![99; 12];
        let (rows, out) = (
            Layout {
                first: 7,
                strides: &[6, 1],
            },
            Layout {
                first: 0,
                strides: &[4, 1],
            },
        );
        // SAFETY: three rows of two elements from the eighth on are in the source.
        unsafe { copy_box((from, &rows), (&mut target, &out), &[3, 2], 1) };
        assert_eq!(target, [7, 8, 99, 99, 13, 14, 99, 99, 19, 20, 99, 99]);
        let columns = Layout {
            first: 0,
            strides: &[1, 6],
        };
        let mut target = vec![0; 8];
        // SAFETY: two columns of four elements are in the source.
        unsafe { copy_box((from, &columns), (&mut target, &out), &[2, 4], 1) };
        assert_eq!(target, [0, 6, 12, 18, 1, 7, 13, 19]);
    }
}
