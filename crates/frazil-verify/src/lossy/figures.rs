//! Data for pictures of one variable: the slice with the largest error, histograms, spectra.

use frazil_types::Selection;

use super::super::elements::indices;
use super::comparison::{Comparison, Context, Measured};
use super::tile::slice_size;
use crate::VariableFigures;
use frazil_file::error::Result;

/// Most columns and rows of a map.
const MAX_POINTS: u64 = 512;
/// Bins of a histogram.
const BINS: usize = 100;

/// Which points of a variable a map shows.
struct Map {
    /// Index of the slice along the leading axes.
    slice: Vec<u64>,
    /// Rows and columns of the slice.
    extent: [u64; 2],
    /// Every so many rows and columns are shown.
    step: [u64; 2],
}

/// What one tile gives.
struct Part {
    histograms: [Vec<u64>; 2],
    /// Position in the map, and both values (NaN where special).
    points: Vec<(usize, f32, f32)>,
}

/// Reads a measured variable again for its pictures.
///
/// # Errors
/// As [`Comparison::measure`].
pub(crate) fn collect(
    comparison: &Comparison,
    context: Context<'_>,
    measured: &Measured,
) -> Result<VariableFigures> {
    let shape = &context.pair.shape;
    let errors = &measured.findings.errors;
    let map = Map::around(shape, errors.largest.map_or(0, |largest| largest.element));
    let range = common_range(errors.ranges);
    let [rows, columns] = map.size();
    let mut figures = VariableFigures {
        path: context.pair.path.clone(),
        slice: map.name(&context.pair.info_a(context.a).dimension_names),
        size: (columns, rows),
        original: vec![f32::NAN; rows * columns],
        rounded: vec![f32::NAN; rows * columns],
        histogram_range: range,
        histograms: (vec![0; BINS], vec![0; BINS]),
        spectra: (
            measured.findings.spectra.original.clone(),
            measured.findings.spectra.rounded.clone(),
        ),
    };
    let points_bytes = 16 * (rows * columns) as u64;
    let scratch_bytes = points_bytes + 17 * BLOCK as u64 + 16 * BINS as u64;
    let look =
        |part: &Selection, a: &[u8], b: &[u8]| part_of(comparison, &map, range, part, [a, b]);
    comparison.for_each_tile(context, scratch_bytes, look, |_, part| {
        let [original, rounded] = &part.histograms;
        add(&mut figures.histograms.0, original);
        add(&mut figures.histograms.1, rounded);
        for (at, original, rounded) in part.points {
            figures.original[at] = original;
            figures.rounded[at] = rounded;
        }
    })?;
    Ok(figures)
}

/// Elements decoded together.
const BLOCK: usize = 4096;

fn part_of(
    comparison: &Comparison,
    map: &Map,
    range: (f64, f64),
    part: &Selection,
    sides: [&[u8]; 2],
) -> Part {
    let measurement = &comparison.measurement;
    let kind = measurement.kind;
    let mut found = Part {
        histograms: [vec![0; BINS], vec![0; BINS]],
        points: Vec::new(),
    };
    let (mut numbers, mut special) = (Vec::new(), Vec::new());
    for (side, histogram) in sides.iter().zip(&mut found.histograms) {
        for block in side.chunks(BLOCK * kind.bytes()) {
            kind.decode(block, &mut numbers);
            measurement.special.mark(&numbers, &mut special);
            for (number, _) in numbers
                .iter()
                .zip(&special)
                .filter(|(_, special)| !**special)
            {
                histogram[bin(*number, range)] += 1;
            }
        }
    }
    let mut one = |side: usize, element: usize| {
        let at = element * kind.bytes()..(element + 1) * kind.bytes();
        kind.decode(&sides[side][at], &mut numbers);
        measurement.special.mark(&numbers, &mut special);
        match special.first() {
            Some(false) => numbers[0] as f32,
            _ => f32::NAN,
        }
    };
    for (element, at) in map.points_in(part) {
        found.points.push((at, one(0, element), one(1, element)));
    }
    found
}

impl Map {
    /// The slice that holds an element.
    fn around(shape: &[u64], element: u64) -> Self {
        let leading = shape.len().saturating_sub(2);
        let extent = match shape {
            [] => [1, 1],
            [columns] => [1, *columns],
            [.., rows, columns] => [*rows, *columns],
        };
        Self {
            slice: indices(shape, element)[..leading].to_vec(),
            extent,
            step: extent.map(|n| n.div_ceil(MAX_POINTS).max(1)),
        }
    }

    /// Rows and columns that are shown.
    fn size(&self) -> [usize; 2] {
        let shown = |axis: usize| self.extent[axis].div_ceil(self.step[axis]) as usize;
        [shown(0), shown(1)]
    }

    /// `time=0, lev=3`; axes without a name go by their number.
    fn name(&self, dimensions: &[String]) -> String {
        let axes = self.slice.iter().enumerate().map(|(axis, index)| {
            let name = dimensions.get(axis).filter(|name| !name.is_empty());
            match name {
                Some(name) => format!("{name}={index}"),
                None => format!("axis {axis}={index}"),
            }
        });
        axes.collect::<Vec<_>>().join(", ")
    }

    /// The map's points in a box: the element's number in the box, and the point's in the map.
    fn points_in(&self, part: &Selection) -> Vec<(usize, usize)> {
        let leading = self.slice.len();
        let mut slice_number = 0_u64;
        for axis in 0..leading {
            let Some(inside) = self.slice[axis]
                .checked_sub(part.start[axis])
                .filter(|&inside| inside < part.count[axis])
            else {
                return Vec::new();
            };
            slice_number = slice_number * part.count[axis] + inside;
        }
        let (rows, columns) = slice_size(&part.count);
        let start = match part.start.as_slice() {
            [] => [0, 0],
            [column] => [0, *column],
            [.., row, column] => [*row, *column],
        };
        let width = self.size()[1] as u64;
        let mut points = Vec::new();
        let first = |axis: usize| start[axis].next_multiple_of(self.step[axis]);
        for row in (first(0)..start[0] + rows as u64).step_by(self.step[0] as usize) {
            for column in (first(1)..start[1] + columns as u64).step_by(self.step[1] as usize) {
                let inside = (slice_number * rows as u64 + row - start[0]) * columns as u64;
                let element = inside + column - start[1];
                let at = row / self.step[0] * width + column / self.step[1];
                points.push((element as usize, at as usize));
            }
        }
        points
    }
}

/// The range of both sides' ordinary values.
fn common_range([[low_a, high_a], [low_b, high_b]]: [[f64; 2]; 2]) -> (f64, f64) {
    let (low, high) = (low_a.min(low_b), high_a.max(high_b));
    if low > high { (0.0, 0.0) } else { (low, high) }
}

fn bin(number: f64, (low, high): (f64, f64)) -> usize {
    let share = (number - low) / (high - low);
    // A single value gives NaN, which the cast makes 0.
    ((share * BINS as f64) as usize).min(BINS - 1)
}

fn add(sums: &mut [u64], counts: &[u64]) {
    for (sum, count) in sums.iter_mut().zip(counts) {
        *sum += count;
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn parts_of_a_map_fit_together() {
        let shape = [3_u64, 1100, 700];
        let map = Map::around(&shape, 1100 * 700 + 5);
        assert_eq!(
            (map.slice.as_slice(), map.size()),
            ([1].as_slice(), [367, 350])
        );
        assert_eq!(map.name(&["time".to_owned()]), "time=1");
        let mut seen = vec![false; 367 * 350];
        for (start, count) in [
            ([0, 0, 0], [2, 500, 700]),
            ([0, 500, 0], [2, 600, 301]),
            ([0, 500, 301], [2, 600, 399]),
        ] {
            let part = Selection {
                start: start.to_vec(),
                count: count.to_vec(),
            };
            for (element, at) in map.points_in(&part) {
                let inside = indices(&count, element as u64);
                let (row, column) = (start[1] + inside[1], start[2] + inside[2]);
                assert_eq!(inside[0], 1);
                assert_eq!(at as u64, row / 3 * 350 + column / 2);
                assert!(row % 3 == 0 && column % 2 == 0 && !seen[at]);
                seen[at] = true;
            }
        }
        assert!(seen.into_iter().all(|seen| seen));
        let other = Selection {
            start: vec![2, 0, 0],
            count: vec![1, 1100, 700],
        };
        assert!(map.points_in(&other).is_empty());
    }

    #[test]
    fn all_values_fall_into_bins() {
        let range = (-1.0, 3.0);
        assert_eq!(
            [-1.0, 0.99, 1.0, 3.0].map(|x| bin(x, range)),
            [0, 49, 50, 99]
        );
        assert_eq!(bin(2.0, (2.0, 2.0)), 0);
    }
}
