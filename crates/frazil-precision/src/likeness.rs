//! How a sample of a variable looks after bits were dropped that hold little information: a share of
//! information says nothing of how large errors are.

use frazil_pipeline::{ArraySource, Block, MemoryBudget, Request, Task};
use frazil_types::{ByteOrder, ElementType, ProtectedValues, QuantizePlan, Rounding, Selection};

use super::rounding::VariableRounding;
use crate::ssim::{WINDOW as LEAST_POINTS, slice_similarity};
use frazil_file::error::{Error, Result};
use frazil_file::input::Input;
use frazil_file::resources::Resources;
use frazil_file::run::InputRun;

/// Below it, pictures of a field differ visibly (Baker, Pinard and Hammerling 2024 take 0.995).
const LEAST_SIMILARITY: f64 = 0.99;
/// Fewer bits of the mantissa are too few for most uses.
const LEAST_BITS: u32 = 3;
/// Slices of a variable that are looked at, and their points along an axis.
const SLICES: u64 = 3;
const MOST_POINTS: u64 = 256;

/// A variable that is rounded by the information in its bits.
pub(super) struct Informed<'a> {
    /// Its number in [`Input::variables`].
    pub(super) variable: usize,
    /// Its number among the sources.
    pub(super) source: usize,
    pub(super) plan: &'a QuantizePlan,
}

/// One line for each variable that is rounded so coarsely that its user may not want it.
///
/// # Errors
/// If values cannot be read or decoded.
pub(super) fn warnings(
    input: &Input,
    informed: &[Informed<'_>],
    sources: &[ArraySource],
    resources: &Resources,
    budget: &MemoryBudget,
) -> Result<Vec<String>> {
    let worst = similarities(input, informed, sources, resources, budget)?;
    let lines = informed.iter().zip(worst).filter_map(|(one, worst)| {
        let path = input.variables()[one.variable].path.as_str();
        warning(path.trim_start_matches('/'), one.plan, worst)
    });
    Ok(lines.collect())
}

fn warning(name: &str, plan: &QuantizePlan, worst: Option<f64>) -> Option<String> {
    let mut found = Vec::new();
    let bits = match plan.rounding {
        Rounding::BitRound { significant_bits } => Some(significant_bits),
        // With an absolute bound most values keep more.
        _ => None,
    };
    if let Some(bits) = bits.filter(|&bits| bits < LEAST_BITS) {
        let word = if bits == 1 { "bit" } else { "bits" };
        found.push(format!("the mantissa keeps only {bits} {word}"));
    }
    if let Some(worst) = worst.filter(|&worst| worst < LEAST_SIMILARITY) {
        found.push(format!(
            "the structural similarity of a sample is {worst:.3}"
        ));
    }
    let cure = match plan.bound.absolute {
        // With an exponent where it is small.
        Some(bound) => format!("state a smaller absolute bound than {bound:?}"),
        None => format!("state an absolute bound, too: --abs-error '{name}:X'"),
    };
    let line = format!(
        "{name}: --keep-information is coarse here: {}; {cure}",
        found.join(", ")
    );
    (!found.is_empty()).then_some(line)
}

/// The similarity of the worst slice of each variable's sample; `None`: it has no slices.
fn similarities(
    input: &Input,
    informed: &[Informed<'_>],
    sources: &[ArraySource],
    resources: &Resources,
    budget: &MemoryBudget,
) -> Result<Vec<Option<f64>>> {
    let mut worst: Vec<Option<f64>> = vec![None; informed.len()];
    let tasks = informed.iter().enumerate().flat_map(|(number, one)| {
        let slices = slices(&input.variables()[one.variable].shape);
        slices.into_iter().map(move |selection| Task {
            meta: (number, selection.clone()),
            requests: vec![Request::Values {
                source: one.source,
                selection,
            }],
            output_bytes: 0,
        })
    });
    let run = InputRun {
        input,
        sources,
        resources,
        budget,
    };
    run.run(
        tasks,
        |source| {
            let found = informed.iter().find(|one| one.source == source);
            found.map(|one| one.variable)
        },
        |(number, part): &(usize, Selection), blocks, _scratch| {
            let found = similarity(input, &informed[*number], part, &blocks)?;
            Ok((*number, found))
        },
        |_, (number, found): (usize, Option<f64>)| {
            worst[number] = match (worst[number], found) {
                (Some(a), Some(b)) => Some(a.min(b)),
                (a, b) => a.or(b),
            };
            Ok(())
        },
    )?;
    Ok(worst)
}

/// Slices along the last two axes that are long enough, spread over the others.
fn slices(shape: &[u64]) -> Vec<Selection> {
    let long = shape.iter().enumerate().rev();
    let mut long = long.filter(|(_, extent)| **extent >= LEAST_POINTS as u64);
    let (Some((columns, _)), Some((rows, _))) = (long.next(), long.next()) else {
        return Vec::new();
    };
    if shape.contains(&0) {
        return Vec::new();
    }
    let slice = |number: u64| {
        let mut selection = Selection::whole(shape);
        for (axis, &extent) in shape.iter().enumerate() {
            let count = match axis == rows || axis == columns {
                true => extent.min(MOST_POINTS),
                false => 1,
            };
            // At a sixth, the middle and five sixths.
            let at = (u128::from(extent - count) * u128::from(2 * number + 1)
                / u128::from(2 * SLICES)) as u64;
            (selection.start[axis], selection.count[axis]) = (at, count);
        }
        selection
    };
    let mut slices: Vec<Selection> = (0..SLICES).map(slice).collect();
    slices.dedup();
    slices
}

fn similarity(
    input: &Input,
    one: &Informed<'_>,
    part: &Selection,
    blocks: &[Block],
) -> Result<Option<f64>> {
    let variable = &input.variables()[one.variable];
    let Some(Block::Values(values)) = blocks.first() else {
        return Ok(None);
    };
    let at = |error: Error| error.at_variable(&variable.path);
    let rounding =
        VariableRounding::bind(one.plan, variable.element, &variable.shape).map_err(at)?;
    let (rounded, _) = rounding.round(values, part).map_err(at)?;
    let columns = part.count.iter().rev().find(|&&count| count > 1);
    let columns = columns.map_or(1, |&count| count as usize);
    let original = numbers(values, variable.element);
    let special: Vec<bool> = original
        .iter()
        .map(|&value| is_special(value, &one.plan.protected))
        .collect();
    let rounded = numbers(&rounded, variable.element);
    Ok(slice_similarity(&original, &rounded, &special, columns))
}

/// Elements of the file as numbers.
fn numbers(bytes: &[u8], element: ElementType) -> Vec<f64> {
    let is_big = element.order == ByteOrder::Big;
    match element.size_bytes {
        4 => {
            let number = |bytes: &[u8; 4]| match is_big {
                true => f64::from(f32::from_be_bytes(*bytes)),
                false => f64::from(f32::from_le_bytes(*bytes)),
            };
            bytes.as_chunks::<4>().0.iter().map(number).collect()
        }
        _ => {
            let number = |bytes: &[u8; 8]| match is_big {
                true => f64::from_be_bytes(*bytes),
                false => f64::from_le_bytes(*bytes),
            };
            bytes.as_chunks::<8>().0.iter().map(number).collect()
        }
    }
}

fn is_special(value: f64, protected: &ProtectedValues) -> bool {
    let is_same = |other: &f64| *other == value || f64::from(*other as f32) == value;
    !value.is_finite()
        || protected.values.iter().any(is_same)
        || protected
            .valid
            .is_some_and(|[low, high]| value < low || value > high)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn slices_lie_along_the_last_two_long_axes() {
        let found = slices(&[4, 80, 2, 300]);
        let starts: Vec<&[u64]> = found.iter().map(|one| one.start.as_slice()).collect();
        assert_eq!(starts, [[0, 0, 0, 7], [1, 0, 0, 22], [2, 0, 0, 36]]);
        assert_eq!(found[0].count, [1, 80, 1, 256]);
        assert_eq!(slices(&[20, 30]).len(), 1);
        assert!(slices(&[5, 300]).is_empty() && slices(&[]).is_empty());
        assert!(slices(&[0, 20, 30]).is_empty());
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
        let line = warning("T", &plan(2, None), Some(0.95)).unwrap();
        assert!(line.contains("2 bits") && line.contains("0.950"), "{line}");
        assert!(line.contains("--abs-error 'T:X'"), "{line}");
        assert_eq!(warning("T", &plan(3, None), Some(0.99)), None);
        assert_eq!(warning("T", &plan(7, None), None), None);
        let capped = warning("T", &plan(7, Some(0.5)), Some(0.9)).unwrap();
        assert!(
            capped.contains("smaller absolute bound than 0.5"),
            "{capped}"
        );
    }
}
