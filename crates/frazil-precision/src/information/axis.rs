//! The first pass: a few boxes of every variable say along which axis neighbours tell the most.

use frazil_pipeline::{ArraySource, Block, Request, Task};
use frazil_plan::information::{
    Grouping, PairCounter, PairCounts, are_copies, integer_step, ordinary_values, repeating_values,
    sample_boxes, total_information, working_bytes,
};
use frazil_types::{ErrorCode, Selection};

use super::prepare::Work;
use frazil_file::error::{Error, Result};

/// What a first look at a variable told.
#[derive(Debug, Clone, Copy)]
pub(super) struct Look {
    /// The axis with the most information.
    pub(super) axis: usize,
    /// The step of the integers that its values were unpacked from, if they were.
    pub(super) step: Option<f64>,
    /// The number of different values, if they are few.
    pub(super) repeating: Option<u64>,
}

/// What boxes told so far.
#[derive(Default)]
struct Seen {
    /// Pairs along each axis.
    axes: Vec<PairCounts>,
    values: Vec<f64>,
}

/// One box to look at.
struct Glance {
    number: usize,
    part: Selection,
    is_last: bool,
}

/// Looks at boxes of every variable.
///
/// The boxes depend on shapes only, so the outcome does not depend on how values are stored.
pub(super) fn look(work: &Work<'_>, sources: &[ArraySource]) -> Result<Vec<Look>> {
    let tasks = (0..work.wanted.len()).flat_map(|number| {
        let boxes = sample_boxes(work.shape(number));
        let count = boxes.len();
        let output_bytes = output_bytes(work, number);
        boxes.into_iter().enumerate().map(move |(i, part)| Task {
            requests: vec![Request::Values {
                source: number,
                selection: part.clone(),
            }],
            meta: Glance {
                number,
                part,
                is_last: i + 1 == count,
            },
            output_bytes,
        })
    });
    let mut looks = Vec::with_capacity(work.wanted.len());
    let mut seen = Seen::default();
    work.run(
        sources,
        tasks,
        |glance: &Glance, blocks, _scratch| look_at(work, glance, &blocks),
        |glance, more: Seen| {
            seen.merge(more);
            if glance.is_last {
                let element_bytes = work.element_bytes(glance.number);
                looks.push(std::mem::take(&mut seen).conclude(element_bytes));
            }
            Ok(())
        },
    )?;
    Ok(looks)
}

/// Counters and counts of every axis, and the values kept.
fn output_bytes(work: &Work<'_>, number: usize) -> u64 {
    let one = working_bytes(&Grouping::none(0), work.element_bytes(number));
    let axes = work.shape(number).len() as u64;
    // Values are collected from a copy and its mask.
    let boxes = sample_boxes(work.shape(number));
    let largest = boxes.first().and_then(Selection::elements).unwrap_or(0);
    (axes + 1) * one + 3 * largest * work.element_bytes(number) as u64
}

fn look_at(work: &Work<'_>, glance: &Glance, blocks: &[Block]) -> Result<Seen> {
    let [Block::Values(values)] = blocks else {
        return Err(unexpected());
    };
    let element_bytes = work.element_bytes(glance.number);
    let protected = &work.wanted[glance.number].protected;
    let count = |axis: usize| {
        if glance.part.count[axis] < 2 {
            return Some(PairCounts::default());
        }
        let counter = PairCounter::new(element_bytes, Grouping::none(axis), protected)?;
        Some(counter.count(values, &glance.part, false)?.whole)
    };
    let axes: Option<Vec<PairCounts>> = (0..glance.part.count.len()).map(count).collect();
    Ok(Seen {
        axes: axes.ok_or_else(unexpected)?,
        values: ordinary_values(values, element_bytes, protected),
    })
}

/// A broken invariant.
pub(super) fn unexpected() -> Error {
    Error::new(
        ErrorCode::Internal,
        "values of another box than was asked for",
    )
}

impl Seen {
    fn merge(&mut self, more: Self) {
        self.axes.resize(more.axes.len(), PairCounts::default());
        for (counts, other) in self.axes.iter_mut().zip(&more.axes) {
            counts.merge(other);
        }
        self.values.extend(more.values);
    }

    fn conclude(self, element_bytes: usize) -> Look {
        let mut best = (0, -1.0);
        for (axis, counts) in self.axes.iter().enumerate() {
            if counts.both.is_empty() {
                continue;
            }
            let information = match are_copies(counts) {
                // Better than nothing, worse than any other axis.
                true => 0.0,
                false => total_information(counts, element_bytes),
            };
            // Of equal axes the fastest one.
            if information >= best.1 {
                best = (axis, information);
            }
        }
        Look {
            axis: best.0,
            step: integer_step(&self.values, element_bytes),
            repeating: repeating_values(&self.values),
        }
    }
}
