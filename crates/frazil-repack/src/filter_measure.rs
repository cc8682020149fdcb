//! What every candidate filter makes of a file's variables: the ground that decision trees grow on.

use std::path::Path;

use frazil_codec::Scratch;
use frazil_container::hdf5::DatasetInfo;
use frazil_pipeline::{ArraySource, Block, Request, Task};
use frazil_plan::{
    CandidateFilters, ChunkChoice, Features, SamplePlan, TrialSizes, candidates, sample_shape,
};
use frazil_types::{ElementClass, ElementType};

use crate::decide::resolve_access;
use crate::routes::Decisions;
use crate::sample_boxes::{SampleBox, spread_boxes};
use crate::shapes;
use frazil_file::error::{Error, Result, guarded};
use frazil_file::input::Input;
use frazil_file::resources::{Resources, budget};
use frazil_file::run::InputRun;
use frazil_file::sources::AccessPath;
use frazil_options::options::PackOptions;

/// Variables of fewer raw bytes say nothing about filters.
const LEAST_RAW_BYTES: u64 = 32 << 10;
/// What stands for a whole variable: 512 KiB in pieces.
const WHOLE: SamplePlan = SamplePlan {
    pieces: 2,
    window_bytes: 256 << 10,
};

/// What trials of the table are on: a part of it.
const OF_TRIAL: SamplePlan = SamplePlan {
    pieces: 1,
    window_bytes: 128 << 10,
};

/// What every candidate makes of one variable.
#[derive(Debug, Clone, PartialEq)]
pub struct FilterMeasurement {
    /// Absolute path in the file.
    pub variable: String,
    /// Element type name, `float32`.
    pub element: String,
    /// Bytes without compression.
    pub raw_bytes: u64,
    /// What a plan's samples say about it.
    pub features: Features,
    /// In the order of [`frazil_plan::candidates`].
    pub shares: Vec<SampleShares>,
}

/// Stored bytes per raw byte.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct SampleShares {
    /// Of the samples that a plan tries filters on.
    pub trial: f64,
    /// Of about 512 KiB in place of the whole variable.
    pub whole: f64,
}

/// Encodes samples of the largest variables of a file, `most` of them, with every candidate, in chunks
/// of the shape that [`pack`](crate::repack::pack) would choose.
///
/// # Errors
/// If the file cannot be read; names file, variable, cause and cure.
pub fn measure_filters(
    path: &Path,
    most: usize,
    resources: &Resources,
) -> Result<Vec<FilterMeasurement>> {
    guarded(path, || {
        let input = Input::open(path)?.with_stored_bytes();
        let options = PackOptions::default();
        let shapes = shapes::choose_shapes(&input, &options)?;
        let mut decisions = Decisions::new();
        let reaches = resolve_access(&input, &shapes, &mut decisions)?;
        let chunk = |variable: usize| shapes[variable].chunk.as_deref();
        let tasks = tasks(&input, &shapes, &reaches, &decisions.sources, most);
        let run = InputRun {
            input: &input,
            sources: &decisions.sources,
            resources,
            budget: &budget(resources),
        };
        let is_of = |reach: &AccessPath, number| matches!(reach, AccessPath::Parallel(own, _) if *own == number);
        let mut found = Vec::new();
        run.run(
            tasks.into_iter(),
            |number| reaches.iter().position(|reach| is_of(reach, number)),
            |pieces: &Pieces, blocks, scratch| {
                let variable = &input.variables()[pieces.variable];
                pieces
                    .measure(
                        variable,
                        chunk(pieces.variable).unwrap_or(&[]),
                        blocks,
                        scratch,
                    )
                    .map_err(|error| error.at_variable(&variable.path))
            },
            |_, measured| {
                found.extend(measured);
                Ok(())
            },
        )?;
        Ok(found)
    })
}

/// What is to be read and encoded: the largest variables that say something, in file order.
fn tasks(
    input: &Input,
    shapes: &[ChunkChoice],
    reaches: &[AccessPath],
    sources: &[ArraySource],
    most: usize,
) -> Vec<Task<Pieces>> {
    let chunk = |variable: usize| shapes[variable].chunk.as_deref();
    let mut wanted: Vec<usize> = (0..reaches.len())
        .filter(|&i| says_something(&input.variables()[i]) && chunk(i).is_some())
        .collect();
    wanted.sort_by_key(|&i| std::cmp::Reverse(input.variables()[i].raw_bytes()));
    wanted.truncate(most);
    wanted.sort_unstable();
    let mut tasks = Vec::new();
    for i in wanted {
        let AccessPath::Parallel(source, stored) = &reaches[i] else {
            continue;
        };
        let variable = &input.variables()[i];
        let source_of = &sources[*source];
        let trial = spread_boxes(variable, chunk(i), source_of, stored, OF_TRIAL);
        let whole = spread_boxes(variable, chunk(i), source_of, stored, WHOLE);
        let request = |sample: &SampleBox| Request::Values {
            source: *source,
            selection: sample.part.clone(),
        };
        let requests = trial.iter().chain(&whole).map(request).collect();
        let meta = Pieces {
            variable: i,
            of_trial: trial.len(),
            boxes: trial.into_iter().chain(whole).collect(),
        };
        tasks.push(Task {
            meta,
            requests,
            output_bytes: 8 << 20,
        });
    }
    tasks
}

/// Numbers, and enough of them.
fn says_something(variable: &DatasetInfo) -> bool {
    let is_number = !matches!(
        variable.element.class,
        ElementClass::Indirect | ElementClass::Text | ElementClass::Opaque
    );
    is_number && variable.raw_bytes().unwrap_or(0) >= LEAST_RAW_BYTES
}

/// Pieces of one variable: first those of a trial, then those that stand for all of it.
struct Pieces {
    variable: usize,
    of_trial: usize,
    boxes: Vec<SampleBox>,
}

impl Pieces {
    /// `None` for variables that hold no stored values.
    fn measure(
        &self,
        variable: &DatasetInfo,
        chunk: &[u64],
        blocks: Vec<Block>,
        scratch: &mut Scratch,
    ) -> Result<Option<FilterMeasurement>> {
        let mut pieces = Vec::with_capacity(blocks.len());
        for (block, sample) in blocks.into_iter().zip(&self.boxes) {
            pieces.push(match block {
                Block::Values(values) => {
                    sample.in_order(values.into_vec(), variable.element.size_bytes)
                }
                Block::Stored { .. } | Block::Absent => Vec::new(),
            });
        }
        let (trial, whole) = pieces.split_at(self.of_trial);
        let is_empty = |pieces: &[Vec<u8>]| pieces.iter().all(Vec::is_empty);
        if is_empty(trial) || is_empty(whole) {
            return Ok(None);
        }
        let mut shares = Vec::with_capacity(candidates().len());
        for candidate in candidates() {
            shares.push(SampleShares {
                trial: share(trial, variable.element, chunk, candidate, scratch)?,
                whole: share(whole, variable.element, chunk, candidate, scratch)?,
            });
        }
        Ok(Some(FilterMeasurement {
            variable: variable.path.clone(),
            element: variable.element.name(),
            raw_bytes: variable.raw_bytes().unwrap_or(0),
            features: Features::of(trial, variable.element, chunk),
            shares,
        }))
    }
}

/// Stored bytes per raw byte, each piece as a chunk of its own.
fn share(
    pieces: &[Vec<u8>],
    element: ElementType,
    chunk: &[u64],
    candidate: &CandidateFilters,
    scratch: &mut Scratch,
) -> Result<f64> {
    let size = element.size_bytes;
    let filters = |bytes: usize| {
        let shape = sample_shape((bytes / size) as u64, chunk);
        candidate.chain().resolve(element, &shape)
    };
    let runs: Vec<&[u8]> = pieces.iter().map(Vec::as_slice).collect();
    let sizes = scratch
        .sizes(&runs, &filters, candidate.encoder(), size)
        .map_err(|error| Error::new(error.code(), error.to_string()))?;
    let (raw, stored) = sizes
        .iter()
        .fold((0, 0), |sum, one| (sum.0 + one.0, sum.1 + one.1));
    Ok(stored as f64 / raw as f64)
}

#[cfg(test)]
mod tests {
    use super::*;
    use frazil_file::progress::Silent;
    use frazil_tools::synth::{SynthOptions, synth};

    #[test]
    fn every_candidate_is_measured_on_a_field() {
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join("field.nc");
        let options = SynthOptions {
            patterns: vec!["sin16".into(), "random0-1".into()],
            shape: vec![8, 64, 128],
            ..SynthOptions::default()
        };
        synth(&path, &options, &mut Silent).unwrap();
        let found = measure_filters(&path, 4, &Resources::default()).unwrap();
        assert_eq!(found.len(), 2);
        for one in &found {
            assert_eq!(one.shares.len(), candidates().len());
            for share in &one.shares {
                assert!(share.trial > 0.0 && share.trial < 1.2, "{one:?}");
                assert!(share.whole > 0.0 && share.whole < 1.2, "{one:?}");
            }
        }
        let again = measure_filters(&path, 4, &Resources::default()).unwrap();
        assert_eq!(again, found);
    }
}
