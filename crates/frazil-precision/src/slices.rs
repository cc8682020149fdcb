//! Slices of variables beside their rounded form: a quick look at what rounding does to a field.

use frazil_pipeline::{Block, Request, Task};
use frazil_types::{
    ByteOrder, ElementType, IntegerPacking, ProtectedValues, QuantizePlan, Selection,
};

use super::reachable::ReachableValues;
use super::rounding::VariableRounding;
use crate::ssim::WINDOW as LEAST_POINTS;
use frazil_file::error::{Error, Result};
use frazil_file::input::Input;
use frazil_file::run::InputRun;

/// Slices of a variable that are looked at, and their points along an axis.
const SLICES: u64 = 3;
const MOST_POINTS: u64 = 256;

/// A variable that is rounded, or packed into integers.
pub(super) struct RoundedVariable<'a> {
    /// Its number in [`Input::variables`].
    pub(super) variable: usize,
    /// Its number among the sources.
    pub(super) source: usize,
    pub(super) plan: &'a QuantizePlan,
}

/// Values of one slice before and after rounding, all row by row.
pub(super) struct RoundedSlice<'a> {
    pub(super) plan: &'a QuantizePlan,
    pub(super) original: Vec<f64>,
    pub(super) rounded: Vec<f64>,
    /// Values that are missing or that rounding leaves alone.
    pub(super) special: Vec<bool>,
    /// Values of a row.
    pub(super) columns: usize,
}

/// Has `look` see some slices of each variable, and `add` take what it found, by the number in `variables`.
///
/// # Errors
/// If values cannot be read or decoded.
pub(super) fn on_slices<T: Send>(
    input: &Input,
    variables: &[RoundedVariable<'_>],
    values: ReachableValues<'_>,
    look: impl Fn(&RoundedSlice<'_>) -> T + Sync,
    mut add: impl FnMut(usize, T),
) -> Result<()> {
    let tasks = variables.iter().enumerate().flat_map(|(number, one)| {
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
        sources: values.sources,
        resources: values.resources,
        budget: values.budget,
    };
    run.run(
        tasks,
        |source| {
            let found = variables.iter().find(|one| one.source == source);
            found.map(|one| one.variable)
        },
        |(number, part): &(usize, Selection), blocks, _scratch| {
            let slice = RoundedSlice::of(input, &variables[*number], part, &blocks)?;
            Ok((*number, slice.map(|slice| look(&slice))))
        },
        |_, (number, found): (usize, Option<T>)| {
            if let Some(found) = found {
                add(number, found);
            }
            Ok(())
        },
    )
}

impl<'a> RoundedSlice<'a> {
    /// `None`: nothing is stored there.
    fn of(
        input: &Input,
        one: &RoundedVariable<'a>,
        part: &Selection,
        blocks: &[Block],
    ) -> Result<Option<Self>> {
        let variable = &input.variables()[one.variable];
        let Some(Block::Values(values)) = blocks.first() else {
            return Ok(None);
        };
        let at = |error: Error| error.at_variable(&variable.path);
        let rounding =
            VariableRounding::bind(one.plan, variable.element, &variable.shape).map_err(at)?;
        let (rounded, _) = rounding.round(values, part).map_err(at)?;
        let columns = part.count.iter().rev().find(|&&count| count > 1);
        let original = numbers(values, variable.element);
        let special = original.iter();
        let special = special.map(|&value| is_special(value, &one.plan.protected));
        Ok(Some(Self {
            plan: one.plan,
            special: special.collect(),
            rounded: match one.plan.packing() {
                Some(packing) => unpacked(&rounded, packing),
                None => numbers(&rounded, variable.element),
            },
            columns: columns.map_or(1, |&count| count as usize),
            original,
        }))
    }
}

/// Slices along the last two axes that are long enough, spread over the others; or lines along the longest.
fn slices(shape: &[u64]) -> Vec<Selection> {
    if shape.is_empty() || shape.contains(&0) {
        return Vec::new();
    }
    let long = shape.iter().enumerate().rev();
    let mut long = long.filter(|(_, extent)| **extent >= LEAST_POINTS as u64);
    let longest = (0..shape.len())
        .max_by_key(|&axis| shape[axis])
        .unwrap_or(0);
    let (columns, rows) = match (long.next(), long.next()) {
        (Some((columns, _)), Some((rows, _))) => (columns, rows),
        _ => (longest, longest),
    };
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

/// What integers stand for; those of values that are no data are special.
fn unpacked(codes: &[u8], packing: &IntegerPacking) -> Vec<f64> {
    let value = |code: i32| f64::from(code) * packing.scale + packing.offset;
    match packing.element().size_bytes {
        2 => {
            let codes = codes.as_chunks::<2>().0.iter();
            codes
                .map(|code| value(i16::from_le_bytes(*code).into()))
                .collect()
        }
        _ => {
            let codes = codes.as_chunks::<4>().0.iter();
            codes.map(|code| value(i32::from_le_bytes(*code))).collect()
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
        // Without two long axes, lines along the longest.
        assert_eq!(slices(&[5, 300])[0].count, [1, 256]);
        assert_eq!(slices(&[5])[0].count, [5]);
        assert!(slices(&[]).is_empty());
        assert!(slices(&[0, 20, 30]).is_empty());
    }
}
