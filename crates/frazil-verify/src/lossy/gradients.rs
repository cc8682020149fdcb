//! Errors of horizontal gradients.

use super::moments::sum;

/// Sums over the differences of neighbours along the last two axes; pairs with a special value take
/// no part.
#[derive(Debug, Clone, Copy, Default)]
pub(super) struct Gradients {
    errors: f64,
    originals: f64,
}

/// One row of both sides.
#[derive(Debug, Clone, Copy)]
pub(super) struct Row<'a> {
    pub(super) original: &'a [f64],
    pub(super) rounded: &'a [f64],
    /// Marks what takes no part; `None`: everything does.
    pub(super) skip: Option<&'a [bool]>,
}

impl<'a> Row<'a> {
    fn part(&self, from: usize, to: usize) -> Row<'a> {
        Row {
            original: &self.original[from..to],
            rounded: &self.rounded[from..to],
            skip: self.skip.map(|skip| &skip[from..to]),
        }
    }
}

impl Gradients {
    /// Adds the differences along a row.
    pub(super) fn add_along(&mut self, row: Row<'_>) {
        let length = row.original.len();
        if length > 1 {
            self.add_between(row.part(0, length - 1), row.part(1, length));
        }
    }

    /// Adds the differences between the values of two rows.
    pub(super) fn add_between(&mut self, first: Row<'_>, second: Row<'_>) {
        if first.skip.is_none() && second.skip.is_none() {
            self.originals += sum(first.original, second.original, |x, y| (y - x) * (y - x));
            self.errors += difference_errors(first, second);
            return;
        }
        let skipped = |row: &Row<'_>, i: usize| row.skip.is_some_and(|skip| skip[i]);
        for i in 0..first.original.len() {
            if skipped(&first, i) || skipped(&second, i) {
                continue;
            }
            let original = second.original[i] - first.original[i];
            let rounded = second.rounded[i] - first.rounded[i];
            self.originals += original * original;
            self.errors += (rounded - original) * (rounded - original);
        }
    }

    pub(super) fn merge(&mut self, other: &Self) {
        self.errors += other.errors;
        self.originals += other.originals;
    }

    /// Root mean squared error relative to the originals' root mean square; `None` where the
    /// original has no gradients.
    pub(super) fn relative_error(&self) -> Option<f64> {
        let error = (self.errors / self.originals).sqrt();
        (self.originals > 0.0 && error.is_finite()).then_some(error)
    }
}

/// Sum of the squared errors of the differences between two rows, in lanes.
fn difference_errors(first: Row<'_>, second: Row<'_>) -> f64 {
    const LANES: usize = 8;
    let mut lanes = [0.0; LANES];
    let chunks = |row: &[f64]| row.len() / LANES * LANES;
    let whole = chunks(first.original);
    let error = |i: usize| {
        let original = second.original[i] - first.original[i];
        let rounded = second.rounded[i] - first.rounded[i];
        (rounded - original) * (rounded - original)
    };
    for start in (0..whole).step_by(LANES) {
        for (lane, i) in lanes.iter_mut().zip(start..start + LANES) {
            *lane += error(i);
        }
    }
    for (lane, i) in lanes.iter_mut().zip(whole..first.original.len()) {
        *lane += error(i);
    }
    lanes.iter().sum()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn pairs_with_special_values_take_no_part() {
        let original = [0.0, 1.0, 3.0, 1.0e20, 5.0];
        let rounded = [0.0, 1.5, 3.0, 7.0, 5.0];
        let skip = [false, false, false, true, false];
        let row = Row {
            original: &original,
            rounded: &rounded,
            skip: Some(&skip),
        };
        let mut gradients = Gradients::default();
        gradients.add_along(row);
        // Originals 1 and 2, rounded 1.5 and 1.5.
        assert_eq!(gradients.relative_error(), Some((0.5_f64 / 5.0).sqrt()));
        gradients.add_between(row, row);
        assert_eq!(gradients.relative_error(), Some((0.5_f64 / 5.0).sqrt()));
        assert_eq!(Gradients::default().relative_error(), None);
    }

    #[test]
    fn lanes_give_what_single_steps_give() {
        let original: Vec<f64> = (0..37_u32).map(|i| f64::from(i * i % 23)).collect();
        let rounded: Vec<f64> = original.iter().map(|x| (x / 2.0).floor() * 2.0).collect();
        let none = vec![false; 37];
        let row = |skip| Row {
            original: &original,
            rounded: &rounded,
            skip,
        };
        let (mut fast, mut slow) = (Gradients::default(), Gradients::default());
        fast.add_along(row(None));
        slow.add_along(row(Some(&none)));
        assert_eq!(fast.relative_error(), slow.relative_error());
    }
}
