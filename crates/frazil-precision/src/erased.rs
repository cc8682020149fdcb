//! Bounds that are wide for a variable: rounding then loses much of what varies in it.

use super::reachable::ReachableValues;
use super::slices::{RoundedSlice, RoundedVariable, on_slices};
use frazil_file::error::Result;
use frazil_file::input::Input;
use frazil_file::wording::enumerate;

/// Errors may have this share of the variance of the values: a field that has lost more needs a word.
pub const MOST_ERROR_SHARE: f64 = 0.1;

/// Sums over the slices of a variable.
#[derive(Debug, Clone, Copy, Default)]
struct Sums {
    /// Squared errors.
    errors: f64,
    /// Squared distances from the mean of a slice.
    variance: f64,
    /// Squared values.
    squares: f64,
}

impl Sums {
    fn of(slice: &RoundedSlice<'_>) -> Self {
        let values = slice.original.iter().zip(&slice.rounded);
        let values = values.zip(&slice.special).filter(|(_, special)| !**special);
        let pairs: Vec<(f64, f64)> = values.map(|((&a, &b), _)| (a, b)).collect();
        // Distances from one of the values: a field without variation has exactly none.
        let origin = pairs.first().map_or(0.0, |(a, _)| *a);
        let mean = pairs.iter().map(|(a, _)| a - origin).sum::<f64>() / pairs.len().max(1) as f64;
        Self {
            errors: pairs.iter().map(|(a, b)| (a - b).powi(2)).sum(),
            variance: (pairs.iter().map(|(a, _)| (a - origin - mean).powi(2))).sum(),
            squares: pairs.iter().map(|(a, _)| a.powi(2)).sum(),
        }
    }

    fn and(self, other: Self) -> Self {
        Self {
            errors: self.errors + other.errors,
            variance: self.variance + other.variance,
            squares: self.squares + other.squares,
        }
    }

    /// Whether errors have much of the variance; without one, of the values themselves.
    fn is_erased(self) -> bool {
        let all = match self.variance > 0.0 {
            true => self.variance,
            false => self.squares,
        };
        self.errors > MOST_ERROR_SHARE * all
    }
}

/// A line that names the variables of which rounding loses much, as samples tell.
///
/// # Errors
/// If values cannot be read or decoded.
pub(super) fn warning(
    input: &Input,
    rounded: &[RoundedVariable<'_>],
    values: ReachableValues<'_>,
) -> Result<Option<String>> {
    let mut sums = vec![Sums::default(); rounded.len()];
    on_slices(input, rounded, values, Sums::of, |number, found: Sums| {
        sums[number] = sums[number].and(found);
    })?;
    let erased = rounded
        .iter()
        .zip(sums)
        .filter(|(_, sums)| sums.is_erased());
    let paths: Vec<&str> = erased
        .map(|(one, _)| input.variables()[one.variable].path.as_str())
        .collect();
    Ok((!paths.is_empty()).then(|| line(&paths)))
}

fn line(paths: &[&str]) -> String {
    let name = paths[0].trim_start_matches('/');
    format!(
        "rounding loses much of {}: in a sample, errors make up more than {:.0} % of the variance (of the \
         squares where nothing varies); state smaller bounds or more digits there (--abs-error '{name}:X', --digits '{name}:N')",
        enumerate(paths),
        MOST_ERROR_SHARE * 100.0
    )
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_field_is_erased_where_errors_have_much_of_its_variance() {
        let sums = |errors, variance| Sums {
            errors,
            variance,
            squares: 100.0,
        };
        assert!(sums(1.0, 1.0).is_erased());
        assert!(!sums(0.05, 1.0).is_erased());
        // What does not vary can only lose itself.
        assert!(!sums(0.0, 0.0).is_erased() && !sums(1.0, 0.0).is_erased());
        assert!(sums(100.0, 0.0).is_erased());
        assert!(sums(0.2, 0.5).and(sums(0.0, 0.5)).is_erased());
    }
}
