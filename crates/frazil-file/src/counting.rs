//! How messages count positions and axes: as the language does whose program reads them.

use std::cell::Cell;

/// How a language counts.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub enum Counting {
    /// From 0, the slowest axis first: C, Python, Rust.
    #[default]
    FromZero,
    /// From 1, the fastest axis first: Fortran.
    FromOne,
}

thread_local! {
    static NOW: Cell<Counting> = const { Cell::new(Counting::FromZero) };
}

/// Has messages that are made in this thread count so from now on; returns how they counted before.
pub fn set_counting(counting: Counting) -> Counting {
    NOW.replace(counting)
}

/// How messages of this thread count.
fn now() -> Counting {
    NOW.get()
}

/// `axis 2 of 3`, for an axis that the format counts from 0, the slowest first.
pub fn axis(axis: usize, rank: usize) -> String {
    match now() {
        Counting::FromZero => format!("axis {axis}"),
        Counting::FromOne => format!("axis {}", rank - axis),
    }
}

/// A position along an axis. One before the first comes as a very large number.
pub fn position(position: u64) -> String {
    let position = i128::from(position.cast_signed());
    match now() {
        Counting::FromZero => position.to_string(),
        Counting::FromOne => (position + 1).to_string(),
    }
}

/// A number of elements along an axis. A negative one comes as a very large number.
pub fn count(count: u64) -> i64 {
    count.cast_signed()
}

/// Lengths along all axes.
pub fn shape(lengths: &[u64]) -> String {
    let mut lengths = lengths.to_vec();
    if now() == Counting::FromOne {
        lengths.reverse();
    }
    format!("{lengths:?}")
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn fortran_counts_from_1_and_the_fastest_axis_first() {
        assert_eq!(
            (axis(0, 3), position(7)),
            ("axis 0".to_owned(), "7".to_owned())
        );
        let before = set_counting(Counting::FromOne);
        assert_eq!(axis(0, 3), "axis 3");
        assert_eq!(position(7), "8");
        assert_eq!(position(0_u64.wrapping_sub(1)), "0");
        assert_eq!(shape(&[1, 2, 3]), "[3, 2, 1]");
        set_counting(before);
        assert_eq!(position(0_u64.wrapping_sub(1)), "-1");
    }
}
