//! Variables that were rounded before: what both roundings together do to the original's values.

use frazil_types::{ErrorBound, QuantizePlan, Rounding};

use super::stated::StatedPrecision;

/// A plan that states how far values are from those of before the earlier rounding. Where nobody said how
/// exact that was, the plan stays as it is.
pub(crate) fn since_original(
    plan: &QuantizePlan,
    before: Option<&StatedPrecision>,
) -> QuantizePlan {
    let mut stated = plan.clone();
    if let Some(before) = before {
        stated.bound = sum(&before.bound, &plan.bound, largest(&plan.rounding));
    }
    stated
}

/// Whether values that keep `before` keep all of what is asked for only if they stay as they are.
pub(crate) fn uses_up(before: &ErrorBound, asked: &ErrorBound) -> bool {
    let is_coarser = |before: Option<f64>, asked: Option<f64>| match (before, asked) {
        (Some(before), Some(asked)) => before >= asked,
        (None, None) => true,
        _ => false,
    };
    !asked.is_none()
        && is_coarser(before.absolute, asked.absolute)
        && is_coarser(before.relative, asked.relative)
        && before.finest_absolute >= asked.finest_absolute
}

/// Whether two bounds are of the same parts.
pub(crate) fn are_alike(one: &ErrorBound, other: &ErrorBound) -> bool {
    one.absolute.is_some() == other.absolute.is_some()
        && one.relative.is_some() == other.relative.is_some()
        && (one.finest_absolute > 0.0) == (other.finest_absolute > 0.0)
}

/// The largest magnitude of what a rounding takes; `None`: it is not known.
fn largest(rounding: &Rounding) -> Option<f64> {
    let [low, high] = match rounding {
        Rounding::Linear { range, .. } => (*range)?,
        Rounding::PackedIntegers { packing } => {
            let packing = packing.as_ref()?;
            let reach = packing.scale.abs() * 2_f64.powi(packing.bits as i32 - 1);
            [packing.offset - reach, packing.offset + reach]
        }
        _ => return None,
    };
    Some(low.abs().max(high.abs()))
}

/// The bound of two roundings, one after the other: `before` of the original's values x, `after` of
/// what became of them; `largest` is the largest magnitude of these.
fn sum(before: &ErrorBound, after: &ErrorBound, largest: Option<f64>) -> ErrorBound {
    if before.is_none() || after.is_none() {
        return *after;
    }
    let (before, after) = (plainly(before), plainly(after));
    let absolute = before.absolute.zip(after.absolute).map(|(a, b)| a + b);
    let (share, finest) = (before.relative, before.finest_absolute);
    let (then, finest_then) = (after.relative, after.finest_absolute);
    let of_shares = share.zip(then).map(|(share, then)| {
        let both = share + then + share * then;
        // From this magnitude on, shares are what counts in both.
        let from = (finest / share).max(finest_then / (then * (1.0 + share)));
        (both, both * from)
    });
    if absolute.is_some() || of_shares.is_some() {
        return bound(absolute, of_shares);
    }
    match (share, then, largest) {
        // |x| is at most `largest` / (1 - share).
        (Some(share), _, Some(largest)) if share < 1.0 => {
            let earlier = (share * largest / (1.0 - share)).max(finest);
            bound(after.absolute.map(|later| earlier + later), None)
        }
        // One of two parts is at least half of their sum.
        (Some(share), _, _) => {
            let later = after.absolute.unwrap_or(0.0);
            bound(None, Some((2.0 * share, (2.0 * later).max(finest + later))))
        }
        (None, Some(then), _) => {
            let earlier = before.absolute.unwrap_or(0.0);
            let least = (2.0 * earlier * (1.0 + then)).max(earlier + finest_then);
            bound(None, Some((2.0 * then, least)))
        }
        (None, None, _) => bound(absolute, None),
    }
}

fn bound(absolute: Option<f64>, of_share: Option<(f64, f64)>) -> ErrorBound {
    ErrorBound {
        absolute,
        relative: of_share.map(|(share, _)| share),
        finest_absolute: of_share.map_or(0.0, |(_, finest)| finest),
    }
}

/// A bound without a share of nothing, which is an absolute bound.
fn plainly(stated: &ErrorBound) -> ErrorBound {
    match stated.relative {
        Some(share) if share <= 0.0 => {
            let finest = stated.finest_absolute;
            bound(
                Some(stated.absolute.map_or(finest, |one| one.min(finest))),
                None,
            )
        }
        _ => *stated,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn stated(absolute: Option<f64>, relative: Option<f64>, finest_absolute: f64) -> ErrorBound {
        ErrorBound {
            absolute,
            relative,
            finest_absolute,
        }
    }

    /// The worst that both roundings can do to a value of this magnitude.
    fn worst(before: &ErrorBound, after: &ErrorBound, magnitude: f64) -> f64 {
        let first = before.at(magnitude);
        first + after.at(magnitude + first)
    }

    #[test]
    fn the_sum_holds_of_every_magnitude() {
        let bounds = [
            stated(Some(0.25), None, 0.0),
            stated(Some(8.0), None, 0.0),
            stated(None, Some(0.125), 0.0),
            stated(None, Some(0.5), 0.0),
            stated(None, Some(0.125), 2.0),
            stated(None, Some(0.0), 2.0),
            stated(Some(3.0), Some(0.125), 0.0),
            stated(Some(3.0), Some(0.25), 0.5),
        ];
        for before in &bounds {
            for after in &bounds {
                for power in -20..40 {
                    let magnitude = 2_f64.powi(power) * 1.25;
                    let worst = worst(before, after, magnitude);
                    let both = sum(before, after, None);
                    let allowed = both.at(magnitude) * (1.0 + 1e-12);
                    assert!(
                        worst <= allowed,
                        "{before:?} {after:?} {magnitude}: {both:?}"
                    );
                    let known = sum(before, after, Some(magnitude + before.at(magnitude)));
                    let allowed = known.at(magnitude) * (1.0 + 1e-12);
                    assert!(
                        worst <= allowed,
                        "{before:?} {after:?} {magnitude}: {known:?}"
                    );
                }
            }
        }
    }

    #[test]
    fn sums_are_no_wider_than_they_must_be() {
        let [fine, coarse] = [0.25, 1.0].map(|one| stated(Some(one), None, 0.0));
        assert_eq!(sum(&fine, &coarse, None), stated(Some(1.25), None, 0.0));
        let share = stated(None, Some(0.5), 0.0);
        assert_eq!(sum(&share, &share, None), stated(None, Some(1.25), 0.0));
        assert_eq!(
            sum(&share, &coarse, Some(4.0)),
            stated(Some(5.0), None, 0.0)
        );
        let unknown = ErrorBound::default();
        assert_eq!(sum(&unknown, &coarse, None), coarse);
    }

    #[test]
    fn a_bound_that_is_used_up_leaves_nothing_to_round() {
        let absolute = |bound| stated(Some(bound), None, 0.0);
        assert!(uses_up(&absolute(1.0), &absolute(1.0)));
        assert!(uses_up(&absolute(2.0), &absolute(1.0)));
        assert!(!uses_up(&absolute(0.5), &absolute(1.0)));
        assert!(!uses_up(&absolute(1.0), &stated(None, Some(0.5), 0.0)));
        assert!(!uses_up(&absolute(1.0), &ErrorBound::default()));
    }
}
