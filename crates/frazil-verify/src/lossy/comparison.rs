//! All values of one rounded variable beside its original.

use std::borrow::Cow;
use std::sync::{Mutex, PoisonError};

use frazil_codec::unpack_integers;
use frazil_pipeline::{ArraySource, Block, MemoryBudget, PipelineError, Request, Task};
use frazil_types::{ErrorCode, Selection};

use super::super::one_by_one;
use super::super::plan::Pair;
use super::super::tiles::Tiling;
use super::distribution::Edges;
use super::tile::{Measurement, TileFindings};
use frazil_file::error::{Error, Result};
use frazil_file::input::Input;
use frazil_file::progress::Progress;
use frazil_file::resources::Resources;
use frazil_file::run;

/// Boxes that the sample is taken from.
const SAMPLE_BOXES: u64 = 16;
/// Values of the sample.
const SAMPLE_VALUES: u64 = 1 << 16;

/// How the values of one variable are reached and measured.
pub(crate) struct Comparison {
    /// The first and the second file's, little-endian; `None`: only libhdf5 can read them.
    pub sources: Option<[ArraySource; 2]>,
    pub tiling: Tiling,
    pub measurement: Measurement,
}

/// All that was measured of a variable.
#[derive(Debug, Clone, Default)]
pub(crate) struct Measured {
    pub(super) findings: TileFindings,
    pub(super) ks_distance: f64,
}

/// The files, the variable and the limits of a comparison.
#[derive(Clone, Copy)]
pub(crate) struct Context<'a> {
    pub a: &'a Input,
    pub b: &'a Input,
    pub(crate) pair: &'a Pair,
    pub resources: &'a Resources,
}

impl Comparison {
    /// Measures the variable.
    ///
    /// # Errors
    /// If values cannot be read or decoded, or on a request to stop.
    pub(crate) fn measure(
        &self,
        context: Context<'_>,
        progress: &mut dyn Progress,
    ) -> Result<Measured> {
        let edges = Edges::new(self.sample(context)?);
        let counters = Mutex::new(vec![0_i64; edges.counters()]);
        let mut findings = TileFindings::default();
        let scratch_bytes = self
            .measurement
            .scratch_bytes(self.tiling.grid.chunk(), edges.counters());
        let look = |part: &Selection, a: &[u8], b: &[u8]| {
            let mut moved = vec![0_i32; edges.counters()];
            let found = self.measurement.look(part, a, b, (&edges, &mut moved));
            let mut counters = counters.lock().unwrap_or_else(PoisonError::into_inner);
            for (sum, count) in counters.iter_mut().zip(moved) {
                *sum += i64::from(count);
            }
            found
        };
        let element_bytes = self.measurement.kind.bytes() as u64;
        self.for_each_tile(context, scratch_bytes, look, |part, found| {
            findings.merge(&found);
            progress.advance(part.elements().unwrap_or(0).saturating_mul(element_bytes));
        })?;
        let counters = counters
            .into_inner()
            .unwrap_or_else(PoisonError::into_inner);
        Ok(Measured {
            ks_distance: Edges::distance(&counters, findings.errors.values),
            findings,
        })
    }

    /// Runs `look` on the raw elements of every tile, in parallel, and `take` on the results, in
    /// order. `look` may allocate `scratch_bytes`, its result included.
    pub(super) fn for_each_tile<T: Send>(
        &self,
        context: Context<'_>,
        scratch_bytes: u64,
        look: impl Fn(&Selection, &[u8], &[u8]) -> T + Sync,
        mut take: impl FnMut(&Selection, T),
    ) -> Result<()> {
        let parts = self
            .tiling
            .numbers()
            .map(|tile| self.tiling.grid.valid_box(tile));
        let Some(sources) = &self.sources else {
            for part in parts {
                run::check_cancel(context.resources)?;
                let [a, b] = read_both(context, &part)?;
                let found = look(&part, &a, &b);
                take(&part, found);
            }
            return Ok(());
        };
        let tasks = parts.map(|part| {
            let request = |source| Request::Values {
                source,
                selection: part.clone(),
            };
            Task {
                requests: [0, 1].map(request).to_vec(),
                meta: part,
                output_bytes: scratch_bytes,
            }
        });
        let work = |part: &Selection, blocks: Vec<Block>| match blocks.as_slice() {
            [Block::Values(a), Block::Values(b)] => Ok(look(part, a, &unpacked(context, a, b)?)),
            _ => Err(unexpected()),
        };
        run(sources, tasks, context, work, |part, found| {
            take(&part, found);
        })
    }

    /// Values of the rounded variable from boxes all over it.
    fn sample(&self, context: Context<'_>) -> Result<Vec<f64>> {
        let tiles = self.tiling.spread(SAMPLE_BOXES);
        let each = SAMPLE_VALUES / (tiles.len() as u64).max(1);
        let mut sample = Vec::new();
        let Some(sources) = &self.sources else {
            for &tile in &tiles {
                let part = self.tiling.grid.valid_box(tile);
                let [_, b] = read_both(context, &part)?;
                sample.extend(self.pick(&b, each));
            }
            return Ok(sample);
        };
        let boxes = tiles.iter().map(|&tile| self.chunk_of(tile, &sources[1]));
        let tasks = boxes.map(|selection| Task {
            meta: (),
            requests: vec![Request::Values {
                source: 1,
                selection,
            }],
            output_bytes: 24 * each,
        });
        let work = |(): &(), blocks: Vec<Block>| match blocks.as_slice() {
            [Block::Values(values)] => Ok(self.pick(&unpacked(context, &[], values)?, each)),
            _ => Err(unexpected()),
        };
        run(sources, tasks, context, work, |(), values| {
            sample.extend(values);
        })?;
        Ok(sample)
    }

    /// The box of the chunk that holds the middle of a tile.
    fn chunk_of(&self, tile: u64, source: &ArraySource) -> Selection {
        let part = self.tiling.grid.valid_box(tile);
        let middle = Selection {
            start: part
                .start
                .iter()
                .zip(&part.count)
                .map(|(start, count)| start + count / 2)
                .collect(),
            count: vec![1; part.count.len()],
        };
        match source.grid.chunks_in(&middle).first() {
            Some(&chunk) => source.grid.valid_box(chunk),
            None => middle,
        }
    }

    /// Up to `most` ordinary values, evenly spread.
    fn pick(&self, raw: &[u8], most: u64) -> Vec<f64> {
        let kind = self.measurement.kind;
        let elements = (raw.len() / kind.bytes()) as u64;
        let step = usize::try_from(elements.div_ceil(most.max(1)))
            .unwrap_or(usize::MAX)
            .max(1);
        let picked: Vec<u8> = raw
            .chunks_exact(kind.bytes())
            .step_by(step)
            .flatten()
            .copied()
            .collect();
        let (mut numbers, mut special) = (Vec::new(), Vec::new());
        kind.decode(&picked, &mut numbers);
        self.measurement.special.mark(&numbers, &mut special);
        let ordinary = numbers
            .into_iter()
            .zip(special)
            .filter(|(_, special)| !special);
        ordinary.map(|(number, _)| number).collect()
    }
}

/// Values of a box of both files, little-endian, by libhdf5; those that are packed into integers unpacked.
fn read_both(context: Context<'_>, part: &Selection) -> Result<[Vec<u8>; 2]> {
    let Context {
        a,
        b,
        pair,
        resources,
    } = context;
    let [first, second] = one_by_one::read_both(a, b, pair, part, resources)?;
    let second = unpacked(context, first.bytes(), second.bytes())?;
    Ok([first.bytes().to_vec(), second.into_owned()])
}

/// Values of the second file beside those of the first (none: not known), little-endian: unpacked where they
/// are packed into integers.
fn unpacked<'v>(context: Context<'_>, first: &[u8], second: &'v [u8]) -> Result<Cow<'v, [u8]>> {
    let promise = context.pair.promise.as_ref();
    let Some(packing) = promise.and_then(|promise| promise.packing) else {
        return Ok(Cow::Borrowed(second));
    };
    let element = context.pair.info_a(context.a).element;
    let unpacked = unpack_integers(&packing, second, (first, element));
    unpacked
        .map(Cow::Owned)
        .map_err(|error| Error::new(error.code(), error.to_string()))
}

/// A parallel run over the two sources, with errors in a user's words.
fn run<M: Send, T: Send>(
    sources: &[ArraySource],
    tasks: impl Iterator<Item = Task<M>> + Send,
    context: Context<'_>,
    work: impl Fn(&M, Vec<Block>) -> Result<T> + Sync,
    mut take: impl FnMut(M, T),
) -> Result<()> {
    run::ordered(
        sources,
        tasks,
        (
            context.resources,
            &MemoryBudget::new(context.resources.memory_bytes),
        ),
        |meta, blocks, _| work(meta, blocks),
        |meta, found| {
            take(meta, found);
            Ok(())
        },
        |error| explain(error, sources, context),
    )
}

fn explain(error: PipelineError, sources: &[ArraySource], context: Context<'_>) -> Error {
    let (input, variable) = match error.source_index() == Some(1) {
        true => (context.b, context.pair.b.variable),
        false => (context.a, context.pair.a.variable),
    };
    run::explain(error, input, sources, |_| Some(variable))
}

fn unexpected() -> Error {
    Error::new(ErrorCode::Internal, "an answer to another question")
}
