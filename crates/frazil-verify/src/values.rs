//! All values: those that must be equal in one parallel run, rounded variables one by one.

use frazil_pipeline::{ArraySource, Block, MemoryBudget, PipelineError, Request, Task};
use frazil_types::{ErrorCode, Selection};

use super::elements::Unequal;
use super::findings::Findings;
use super::options::VerifyOptions;
use super::plan::Pair;
use super::prepare::{Part, Preparation};
use super::tiles::TileLimits;
use super::{lossy, one_by_one, stored};
use frazil_file::error::{Error, Result};
use frazil_file::input::Input;
use frazil_file::progress::Progress;
use frazil_file::resources::Resources;
use frazil_file::run;
use frazil_file::storage_error::from_container;

/// Compares the values of all pairs.
pub(super) fn compare(
    a: &Input,
    b: &Input,
    pairs: &[Pair],
    options: &VerifyOptions,
    findings: &mut Findings,
    progress: &mut dyn Progress,
) -> Result<()> {
    let resources = &options.resources;
    let limits = TileLimits::new(resources.memory_bytes, run::threads(resources));
    let mut preparation = Preparation {
        a,
        b,
        limits,
        memory_bytes: resources.memory_bytes,
        sources: Vec::new(),
        findings,
    };
    let mut parts = Vec::with_capacity(pairs.len());
    for pair in pairs {
        run::check_cancel(resources)?;
        parts.push(preparation.prepare(pair)?);
    }
    let sources = preparation.sources;
    let mut found = vec![Unequal::default(); pairs.len()];
    for (i, (pair, part)) in pairs.iter().zip(&parts).enumerate() {
        if matches!(part, Part::OneByOne) {
            found[i] = one_by_one::compare(a, b, pair, resources)?;
            progress.advance(pair.bytes());
        }
    }
    let run = Run {
        a,
        b,
        pairs,
        parts: &parts,
        sources: &sources,
        resources,
    };
    run.compare(&mut found, progress)?;
    for ((pair, part), unequal) in pairs.iter().zip(&parts).zip(&found) {
        if matches!(part, Part::Skip) {
            continue;
        }
        findings.values += pair.elements();
        findings.value_bytes += pair.bytes();
        if let Some(what) = part.describe(pair, unequal) {
            findings.differ_in_values(&pair.path, what);
        }
    }
    let rounded = rounded(pairs, &parts);
    lossy::compare((a, b), &rounded, options, findings, progress)
}

/// The variables that are compared as rounded ones.
fn rounded<'a>(pairs: &'a [Pair], parts: &'a [Part]) -> Vec<lossy::Rounded<'a>> {
    let all = pairs.iter().zip(parts).filter_map(|(pair, part)| {
        let comparison = match part {
            Part::Lossy(comparison) => Some(&**comparison),
            Part::FillOnly => None,
            _ => return None,
        };
        Some(lossy::Rounded {
            pair,
            promise: pair.promise.as_ref()?,
            comparison,
        })
    });
    all.collect()
}

/// What one task looks at.
enum Work {
    Tile { pair: usize, selection: Selection },
    Chunks { pair: usize, indices: Vec<u64> },
}

fn tasks<'p>(number: usize, part: &'p Part) -> Box<dyn Iterator<Item = Task<Work>> + Send + 'p> {
    match part {
        Part::Skip | Part::FillOnly | Part::OneByOne | Part::Lossy(_) => {
            Box::new(std::iter::empty())
        }
        Part::Stored(comparison) => Box::new(comparison.batches().map(move |indices| {
            let requests = comparison.requests(&indices);
            Task {
                meta: Work::Chunks {
                    pair: number,
                    indices,
                },
                requests,
                output_bytes: 0,
            }
        })),
        Part::Parallel(comparison) => Box::new(comparison.tiling.numbers().map(move |tile| {
            let selection = comparison.tiling.grid.valid_box(tile);
            let request = |source| Request::Values {
                source,
                selection: selection.clone(),
            };
            let requests = comparison.sources.map(request).to_vec();
            Task {
                meta: Work::Tile {
                    pair: number,
                    selection,
                },
                requests,
                output_bytes: 0,
            }
        })),
    }
}

/// What all tasks of the run share.
struct Run<'a> {
    a: &'a Input,
    b: &'a Input,
    pairs: &'a [Pair],
    parts: &'a [Part],
    sources: &'a [ArraySource],
    resources: &'a Resources,
}

impl Run<'_> {
    /// Runs all parallel parts.
    fn compare(&self, found: &mut [Unequal], progress: &mut dyn Progress) -> Result<()> {
        let budget = MemoryBudget::new(self.resources.memory_bytes);
        let all = self
            .parts
            .iter()
            .enumerate()
            .flat_map(|(number, part)| tasks(number, part));
        run::ordered(
            self.sources,
            all,
            (self.resources, &budget),
            |work: &Work, blocks, _| self.look(work, &blocks),
            |work, unequal: Unequal| {
                let (Work::Tile { pair, .. } | Work::Chunks { pair, .. }) = &work;
                found[*pair].merge(unequal);
                progress.advance(bytes_of(&work, &self.pairs[*pair]));
                Ok(())
            },
            |error| self.explain(error),
        )
    }

    /// Compares what one task got.
    fn look(&self, work: &Work, blocks: &[Block]) -> Result<Unequal> {
        match (work, blocks) {
            (Work::Tile { pair, selection }, [Block::Values(a), Block::Values(b)]) => {
                let Part::Parallel(comparison) = &self.parts[*pair] else {
                    return Err(unexpected());
                };
                let unequal = comparison.elements.compare(a, b).map_err(|error| {
                    let error = from_container(error, self.a.path());
                    error.at_variable(&self.pairs[*pair].path)
                })?;
                Ok(unequal.in_array(selection, &self.pairs[*pair].shape))
            }
            (Work::Chunks { indices, .. }, blocks) => Ok(stored::compare(indices, blocks)),
            _ => Err(unexpected()),
        }
    }

    /// Puts a pipeline error into a user's words, with the file and variable it happened in.
    fn explain(&self, error: PipelineError) -> Error {
        let in_second = error.source_index().is_some_and(|source| source % 2 == 1);
        let owner = |source: usize| {
            let owned = |part: &Part| match part {
                Part::Parallel(comparison) => comparison.sources.contains(&source),
                Part::Stored(comparison) => comparison.sources.contains(&source),
                Part::Skip | Part::FillOnly | Part::OneByOne | Part::Lossy(_) => false,
            };
            let pair = &self.pairs[self.parts.iter().position(owned)?];
            Some(if in_second {
                pair.b.variable
            } else {
                pair.a.variable
            })
        };
        let input = if in_second { self.b } else { self.a };
        run::explain(error, input, self.sources, owner)
    }
}

fn unexpected() -> Error {
    Error::new(ErrorCode::Internal, "an answer to another question")
}

fn bytes_of(work: &Work, pair: &Pair) -> u64 {
    let size = pair.a.datatype.size_bytes as u64;
    match work {
        Work::Tile { selection, .. } => selection.elements().unwrap_or(0).saturating_mul(size),
        Work::Chunks { .. } => 0,
    }
}
