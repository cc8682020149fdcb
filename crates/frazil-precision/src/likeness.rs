//! How a sample of a variable looks after bits were dropped that hold little information: a share of
//! information says nothing of how large errors are.

use frazil_types::{QuantizePlan, Rounding};

use super::reachable::ReachableValues;
use super::slices::{RoundedSlice, RoundedVariable, on_slices};
use crate::ssim::slice_similarity;
use frazil_file::error::Result;
use frazil_file::input::Input;
use frazil_file::wording::enumerate;

/// Below it, pictures of a field differ visibly (Baker, Pinard and Hammerling 2024 take 0.995).
const LEAST_SIMILARITY: f64 = 0.99;
/// Fewer bits of the mantissa are too few for most uses.
const LEAST_BITS: u32 = 3;
/// A bound is proposed that is a share of the range of the values between these powers of ten.
const LARGEST_SHARE: i32 = -2;
const LEAST_SHARE: i32 = -6;

/// What a sample of a variable says of its rounding.
#[derive(Debug, Clone, Copy, Default)]
struct Seen {
    /// The structural similarity of the worst slice; `None`: there are no slices.
    similarity: Option<f64>,
    /// The power of ten to which values could be rounded, and slices stay similar; `None`: no values vary.
    power: Option<i32>,
}

impl Seen {
    fn of(slice: &RoundedSlice<'_>) -> Self {
        let (original, special, columns) = (&slice.original, &slice.special, slice.columns);
        let similarity = slice_similarity(original, &slice.rounded, special, columns);
        let is_poor = similarity.is_some_and(|found| found < LEAST_SIMILARITY);
        let power = match is_poor || few_bits(slice.plan).is_some() {
            true => similar_power(original, special, columns),
            false => None,
        };
        Self { similarity, power }
    }

    /// What both say together.
    fn and(self, other: Self) -> Self {
        let less = |a: Option<f64>, b: Option<f64>| match (a, b) {
            (Some(a), Some(b)) => Some(a.min(b)),
            (a, b) => a.or(b),
        };
        let similarity = less(self.similarity, other.similarity);
        let powers = [self.power, other.power].into_iter().flatten();
        Self {
            similarity,
            power: match similarity {
                Some(_) => powers.min(),
                // Nothing says that the part that varies least needs as much.
                None => powers.max(),
            },
        }
    }
}

/// A line for each variable that is rounded so coarsely that its user may not want it; of many, one line
/// names the rest.
///
/// # Errors
/// If values cannot be read or decoded.
pub(super) fn warnings(
    input: &Input,
    informed: &[RoundedVariable<'_>],
    values: ReachableValues<'_>,
) -> Result<Vec<String>> {
    let mut seen = vec![Seen::default(); informed.len()];
    let look = |slice: &RoundedSlice<'_>| Seen::of(slice);
    on_slices(input, informed, values, look, |number, found: Seen| {
        seen[number] = seen[number].and(found);
    })?;
    let coarse = informed.iter().zip(seen).filter_map(|(one, seen)| {
        let path = input.variables()[one.variable].path.as_str();
        let line = warning(path.trim_start_matches('/'), one.plan, seen)?;
        Some((path, line))
    });
    Ok(folded(coarse.collect()))
}

/// The lines of some variables, by path; those of more become one.
fn folded(coarse: Vec<(&str, String)>) -> Vec<String> {
    /// So many have lines of their own.
    const TOLD: usize = 3;
    if coarse.len() <= TOLD + 1 {
        return coarse.into_iter().map(|(_, line)| line).collect();
    }
    let others: Vec<&str> = coarse[TOLD..].iter().map(|(path, _)| *path).collect();
    let rest = format!(
        "--keep-information is coarse for {} more variables: {}; state absolute bounds for them, \
         too (--abs-error)",
        others.len(),
        enumerate(&others)
    );
    let told = coarse.into_iter().take(TOLD).map(|(_, line)| line);
    told.chain([rest]).collect()
}

/// The bits of the mantissa that values keep, if they are too few.
fn few_bits(plan: &QuantizePlan) -> Option<u32> {
    match plan.rounding {
        Rounding::BitRound { significant_bits } if significant_bits < LEAST_BITS => {
            Some(significant_bits)
        }
        // With an absolute bound most values keep more.
        _ => None,
    }
}

fn warning(name: &str, plan: &QuantizePlan, seen: Seen) -> Option<String> {
    let mut found = Vec::new();
    if let Some(bits) = few_bits(plan) {
        let word = if bits == 1 { "bit" } else { "bits" };
        found.push(format!("the mantissa keeps only {bits} {word}"));
    }
    if let Some(worst) = seen.similarity.filter(|&worst| worst < LEAST_SIMILARITY) {
        found.push(format!(
            "the structural similarity of a sample is {worst:.3}"
        ));
    }
    let cure = match (proposed(seen, plan.bound.absolute), plan.bound.absolute) {
        // With an exponent where it is small.
        (Some(bound), None) => {
            format!("state an absolute bound, too, such as --abs-error '{name}:{bound:?}'")
        }
        (Some(bound), Some(stated)) => format!(
            "state a smaller absolute bound than {stated:?}, such as --abs-error '{name}:{bound:?}'"
        ),
        (None, Some(bound)) => format!("state a smaller absolute bound than {bound:?}"),
        (None, None) => format!("state an absolute bound, too: --abs-error '{name}:X'"),
    };
    let line = format!(
        "{name}: --keep-information is coarse here: {}; {cure}",
        found.join(", ")
    );
    (!found.is_empty()).then_some(line)
}

/// The absolute bound that keeps what was seen: half of the step to which values may be rounded. It is smaller than
/// the `stated` one.
fn proposed(seen: Seen, stated: Option<f64>) -> Option<f64> {
    let largest = seen.power?;
    let mut bounds =
        (0..=LARGEST_SHARE - LEAST_SHARE).filter_map(|less| half_of_power(largest - less));
    bounds.find(|bound| stated.is_none_or(|stated| *bound < stated))
}

/// Half of a power of ten, as it is written; none where there is no such number.
fn half_of_power(power: i32) -> Option<f64> {
    let half = format!("5e{}", power.checked_sub(1)?).parse::<f64>().ok()?;
    half.is_normal().then_some(half)
}

/// The largest power of ten to which values can be rounded so that their slice stays similar.
fn similar_power(original: &[f64], special: &[bool], columns: usize) -> Option<i32> {
    let ordinary = original
        .iter()
        .zip(special)
        .filter(|(_, special)| !**special);
    let (low, high) = ordinary.fold((f64::INFINITY, f64::NEG_INFINITY), |(low, high), (v, _)| {
        (low.min(*v), high.max(*v))
    });
    let range = high - low;
    if !(range.is_finite() && range > 0.0) {
        return None;
    }
    let decade = range.log10().floor() as i32;
    let is_similar = |power: &i32| {
        let step = 10f64.powi(*power);
        let rounded: Vec<f64> = original.iter().map(|v| (v / step).round() * step).collect();
        slice_similarity(original, &rounded, special, columns)
            .is_none_or(|found| found >= LEAST_SIMILARITY)
    };
    let mut powers = (decade + LEAST_SHARE..=decade + LARGEST_SHARE).rev();
    Some(powers.find(is_similar).unwrap_or(decade + LEAST_SHARE))
}

#[cfg(test)]
mod tests {
    use frazil_types::ProtectedValues;

    use super::*;

    #[test]
    fn lines_of_many_variables_become_one() {
        let paths: Vec<String> = (0..20).map(|number| format!("/v{number}")).collect();
        let lines = |count: usize| {
            let coarse = paths[..count].iter();
            folded(coarse.map(|path| (path.as_str(), path.clone())).collect())
        };
        assert_eq!(lines(4), ["/v0", "/v1", "/v2", "/v3"]);
        let many = lines(20);
        assert_eq!(many.len(), 4);
        assert!(
            many[3].contains("17 more variables: v3, v4, "),
            "{}",
            many[3]
        );
        assert!(many[3].contains("v10 and 9 more"), "{}", many[3]);
    }

    #[test]
    fn a_warning_says_what_was_found_and_what_helps() {
        let plan = |bits, absolute| QuantizePlan {
            rounding: Rounding::BitRound {
                significant_bits: bits,
            },
            bound: frazil_types::ErrorBound {
                absolute,
                ..frazil_types::ErrorBound::default()
            },
            protected: ProtectedValues::default(),
            keep_information: Some(0.99),
            forced: false,
        };
        let seen = |similarity, power| Seen { similarity, power };
        let line = warning("T", &plan(2, None), seen(Some(0.95), Some(-1))).unwrap();
        assert!(line.contains("2 bits") && line.contains("0.950"), "{line}");
        assert!(line.ends_with("such as --abs-error 'T:0.05'"), "{line}");
        assert_eq!(warning("T", &plan(3, None), seen(Some(0.99), None)), None);
        assert_eq!(warning("T", &plan(7, None), Seen::default()), None);
        let of = |stated, power| warning("T", &plan(7, Some(stated)), seen(Some(0.9), power));
        let capped = of(0.5, None).unwrap();
        assert!(
            capped.contains("smaller absolute bound than 0.5"),
            "{capped}"
        );
        assert!(of(0.5, Some(-2)).unwrap().ends_with("'T:0.005'"));
        // It is smaller than what is stated.
        assert!(of(0.004, Some(-2)).unwrap().ends_with("'T:0.0005'"));
    }

    #[test]
    fn a_proposed_bound_keeps_a_slice_similar() {
        let columns = 64;
        let field = |number: usize| {
            let (row, column) = (number / columns, number % columns);
            300.0 + 10.0 * (row as f64 / 9.0).sin() + (column as f64 / 5.0).cos()
        };
        let original: Vec<f64> = (0..64 * columns).map(field).collect();
        let special = vec![false; original.len()];
        let power = similar_power(&original, &special, columns).unwrap();
        let step = 10f64.powi(power);
        let rounded: Vec<f64> = original.iter().map(|v| (v / step).round() * step).collect();
        let found = slice_similarity(&original, &rounded, &special, columns).unwrap();
        assert!(found >= LEAST_SIMILARITY && power < 1, "{found} {power}");
        assert_eq!(similar_power(&[1.0; 9], &[false; 9], 9), None);
        assert_eq!(similar_power(&[0.0, 250.0], &[false; 2], 2), Some(0));
    }
}
