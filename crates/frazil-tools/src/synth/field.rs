//! One pattern over one shape: values of any box, in the range asked for, with noise.

use frazil_pipeline::Task;
use frazil_types::{ChunkGrid, ErrorCode, Selection};

use super::generate::{Extremes, Source, sum_of};
use super::mutate::Axis;
use super::pattern::{Mutator, Pattern};
use super::random::Stream;
use super::{Noise, NoiseKind};
use crate::new_file::{Limits, NumberType, chunk_shape};
use frazil_file::error::{Error, Result};
use frazil_file::progress::Progress;

/// Bytes per element that making the values of a box takes beside the result.
pub(super) const WORK_BYTES: u64 = 32;

/// Elements of one axis looked at in one piece of work.
const AXIS_PIECE: u64 = 1 << 16;

/// A pattern bound to a shape, a seed, a range and noise.
#[derive(Debug, Clone)]
pub(super) struct Field {
    shape: Vec<u64>,
    source: Source,
    mutators: Vec<Mutator>,
    range: (f64, f64),
    noise: Option<(Stream, Noise)>,
    /// Least and largest raw value.
    extremes: (f64, f64),
}

impl Field {
    /// Binds a pattern, and looks for the extremes of its raw values where that is needed.
    pub(super) fn new(
        pattern: &Pattern,
        shape: &[u64],
        seed: u64,
        noise: Option<Noise>,
        limits: &Limits<'_>,
        progress: &mut dyn Progress,
    ) -> Result<Self> {
        let source = Source::new(pattern.generator, shape, seed);
        let extremes = match source.extremes() {
            Extremes::Known(least, largest) => (least, largest),
            Extremes::ByAxis => extremes_by_axis(&source, shape, limits)?,
            Extremes::ByElement => extremes_by_element(&source, shape, limits, progress)?,
        };
        let purpose = format!("noise on {}", pattern.definition);
        Ok(Self {
            shape: shape.to_vec(),
            source,
            mutators: pattern.mutators.clone(),
            range: pattern.range,
            noise: noise.map(|noise| (Stream::new(seed, &purpose), noise)),
            extremes,
        })
    }

    /// The values of a box, row-major. Elements outside the field have the value of its edge.
    pub(super) fn values(&self, part: &Selection) -> Vec<f64> {
        let axes = elements_of(part, &self.shape);
        let mut values = self.mutated(&self.mutators, &axes);
        if let Some((stream, noise)) = &self.noise {
            self.add_noise(*stream, *noise, &axes, &mut values);
        }
        values
    }

    /// Values after some of the mutators.
    fn mutated(&self, mutators: &[Mutator], axes: &[Vec<u64>]) -> Vec<f64> {
        let Some((&last, earlier)) = mutators.split_last() else {
            return self.scaled(axes);
        };
        let lattice: Vec<Axis> = (axes.iter().zip(&self.shape))
            .map(|(elements, &length)| Axis::new(last, elements, length))
            .collect();
        let nodes: Vec<Vec<u64>> = lattice.iter().map(|axis| axis.nodes.clone()).collect();
        let mut values = self.mutated(earlier, &nodes);
        for (number, axis) in lattice.iter().enumerate() {
            let outer = axes[..number].iter().map(Vec::len).product();
            let inner = nodes[number + 1..].iter().map(Vec::len).product();
            values = axis.spread(&values, outer, inner);
        }
        values
    }

    /// Values of the generator, brought into the range.
    fn scaled(&self, axes: &[Vec<u64>]) -> Vec<f64> {
        let (least, largest) = self.extremes;
        let (min, max) = self.range;
        let spread = largest - least;
        let factor = if spread > 0.0 {
            (max - min) / spread
        } else {
            0.0
        };
        let mut values = self.source.values(axes);
        for value in &mut values {
            *value = (min + (*value - least) * factor).clamp(min, max);
        }
        values
    }

    fn add_noise(&self, stream: Stream, noise: Noise, axes: &[Vec<u64>], values: &mut [f64]) {
        super::generate::by_row(axes, values, |outer, inner, row| {
            let first = position(&self.shape, outer);
            for (value, &element) in row.iter_mut().zip(inner) {
                let position = first.wrapping_add(element);
                *value += noise.amplitude
                    * match noise.kind {
                        NoiseKind::Uniform => 2.0 * stream.uniform(position) - 1.0,
                        NoiseKind::Gaussian => stream.normal(position),
                    };
            }
        });
    }
}

/// Position in a whole field of the first element of a row, whose outer elements are given.
pub(super) fn position(shape: &[u64], outer: &[u64]) -> u64 {
    shape
        .iter()
        .enumerate()
        .fold(0, |position: u64, (axis, &length)| {
            let element = outer.get(axis).copied().unwrap_or(0);
            position.wrapping_mul(length).wrapping_add(element)
        })
}

/// The elements of a box along each axis; beyond the field, its last element.
fn elements_of(part: &Selection, shape: &[u64]) -> Vec<Vec<u64>> {
    let axis = |((&start, &count), &length): ((&u64, &u64), &u64)| {
        let last = length.saturating_sub(1);
        (start..start.saturating_add(count))
            .map(|element| element.min(last))
            .collect()
    };
    part.start
        .iter()
        .zip(&part.count)
        .zip(shape)
        .map(axis)
        .collect()
}

/// Least and largest of some values.
fn extremes_of(values: &[f64]) -> (f64, f64) {
    let start = (f64::INFINITY, f64::NEG_INFINITY);
    values.iter().fold(start, |(least, largest), &value| {
        (least.min(value), largest.max(value))
    })
}

/// Extremes of a sum of one function per axis: the sums of their extremes, which rounding keeps in
/// order.
fn extremes_by_axis(source: &Source, shape: &[u64], limits: &Limits<'_>) -> Result<(f64, f64)> {
    let (mut least, mut largest) = (Vec::new(), Vec::new());
    for (axis, &length) in shape.iter().enumerate() {
        let pieces = length.div_ceil(AXIS_PIECE);
        let found = look_at(
            pieces,
            AXIS_PIECE * 16,
            |piece| {
                let first = piece * AXIS_PIECE;
                let elements: Vec<u64> = (first..length.min(first + AXIS_PIECE)).collect();
                extremes_of(&source.axis_values(axis, &elements))
            },
            limits,
            &mut |_| {},
        )?;
        least.push(found.0);
        largest.push(found.1);
    }
    Ok((sum_of(&least), sum_of(&largest)))
}

/// Extremes of raw values that only looking at all of them tells.
fn extremes_by_element(
    source: &Source,
    shape: &[u64],
    limits: &Limits<'_>,
    progress: &mut dyn Progress,
) -> Result<(f64, f64)> {
    let chunk = chunk_shape(shape, NumberType::Float64).unwrap_or_else(|| shape.to_vec());
    let grid = ChunkGrid::new(shape, &chunk)
        .ok_or_else(|| Error::new(ErrorCode::Unsupported, "more chunks than can be counted"))?;
    let elements = grid.chunk_elements();
    progress.stage("range", grid.chunk_count().saturating_mul(elements * 8));
    look_at(
        grid.chunk_count(),
        elements.saturating_mul(WORK_BYTES),
        |number| extremes_of(&source.values(&elements_of(&grid.valid_box(number), shape))),
        limits,
        &mut |_| progress.advance(elements * 8),
    )
}

/// Extremes over numbered pieces of work, in parallel.
fn look_at(
    pieces: u64,
    piece_bytes: u64,
    look: impl Fn(u64) -> (f64, f64) + Sync,
    limits: &Limits<'_>,
    done: &mut dyn FnMut(u64),
) -> Result<(f64, f64)> {
    let tasks = (0..pieces).map(|piece| Task {
        meta: piece,
        requests: Vec::new(),
        output_bytes: piece_bytes,
    });
    let mut extremes = (f64::INFINITY, f64::NEG_INFINITY);
    limits.run(
        tasks,
        |&piece, _| Ok(look(piece)),
        |piece, (least, largest): (f64, f64)| {
            extremes = (extremes.0.min(least), extremes.1.max(largest));
            done(piece);
            Ok(())
        },
    )?;
    Ok(extremes)
}
