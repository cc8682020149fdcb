//! Smaller chunks than the standard ones, for large variables that pack as well in them: reads of a map or
//! of a series then decode less in vain, without anybody having said which reads will come.

use frazil_codec::{BoundEncoder, Scratch};
use frazil_container::hdf5::{DatasetInfo, DatasetStorage};
use frazil_pipeline::{ArraySource, Block, MemoryBudget, Request, Task};
use frazil_plan::{
    ChunkChoice, Goal, ServingShape, explain_finer, index_bytes, parts_for_reads, sample_chunks,
};
use frazil_types::{
    ChunkGrid, DeflateEncoder, FilterPipeline, FilterSpec, LayoutProfile, QuantizePlan, filter_id,
};

use crate::chunk_values::chunks_of;
use crate::sample_run::SampleRun;
use crate::shapes::{expected, subject};
use frazil_file::chunk_subset::ChunkSubset;
use frazil_file::error::{Error, Result};
use frazil_file::input::Input;
use frazil_file::sources::AccessPath;
use frazil_options::chunk_goal::roles_of;
use frazil_options::options::{ChunkPolicy, PackOptions};
use frazil_precision::{VariableRounding, stored_form};

/// What smaller chunks may take more than standard ones.
const MOST_GROWTH: f64 = 0.02;
/// Of a variable one byte in so many is encoded for this, once for each shape: standard chunks, a few of them.
/// Variables whose standard chunks are more than that keep these: what they are read in takes milliseconds.
const SAMPLED_SHARE: u64 = 50;
const MOST_SAMPLES: u64 = 4;
/// Values that no filter makes smaller than this share are not decoded when they are read.
const MOST_SHARE: f64 = 0.95;
/// What encodes them: what packs most variables in the end.
const ENCODER: Option<DeflateEncoder> = Some(DeflateEncoder::Libdeflate(1));
/// Least KiB of the chunks that are compared, the smallest first.
const LEAST_KIB: [u64; 12] = [8, 12, 16, 24, 32, 48, 64, 96, 128, 192, 256, 384];

/// A variable in its standard chunks, and the shapes that could take their place.
struct Finer {
    variable: usize,
    /// What its values are read from.
    source: usize,
    standard: ChunkGrid,
    /// Standard chunks to try them on.
    samples: Vec<u64>,
    /// The finest first.
    shapes: Vec<ServingShape>,
    rounding: Option<VariableRounding>,
}

/// What decides about them.
pub(crate) struct FinerChunks<'a> {
    pub input: &'a Input,
    pub options: &'a PackOptions,
    pub reaches: &'a [AccessPath],
    pub sources: &'a [ArraySource],
    pub precision: &'a [Option<QuantizePlan>],
}

impl FinerChunks<'_> {
    /// Replaces standard shapes where finer ones take at most 2 % more. Returns the variables concerned.
    ///
    /// # Errors
    /// If samples cannot be read.
    pub(crate) fn refine(
        &self,
        shapes: &mut [ChunkChoice],
        budget: &MemoryBudget,
    ) -> Result<Vec<usize>> {
        if !self.are_wanted() {
            return Ok(Vec::new());
        }
        let found = self.found(shapes, budget)?;
        let replaced = found.iter().map(|(variable, _)| *variable).collect();
        found
            .into_iter()
            .for_each(|(variable, shape)| shapes[variable] = shape);
        Ok(replaced)
    }

    /// The finer shapes themselves, by variable: what they are wanted for is the caller's.
    ///
    /// # Errors
    /// If samples cannot be read.
    pub(crate) fn found(
        &self,
        shapes: &[ChunkChoice],
        budget: &MemoryBudget,
    ) -> Result<Vec<(usize, ChunkChoice)>> {
        let mut tasks = Vec::new();
        for (i, shape) in shapes.iter().enumerate() {
            if let Some(finer) = self.finer(i, shape)? {
                tasks.push(self.task(finer));
            }
        }
        if tasks.is_empty() {
            return Ok(Vec::new());
        }
        let mut found = Vec::new();
        let run = SampleRun {
            input: self.input,
            reaches: self.reaches,
            resources: &self.options.resources,
            budget,
        };
        run.run(
            self.sources,
            tasks,
            |finer: &Finer| finer.variable,
            |finer, blocks, scratch| {
                let number = finer.variable;
                let (variable, plan) = (&self.input.variables()[number], &self.precision[number]);
                finer.choose(&stored_form(variable, plan.as_ref()), blocks, scratch)
            },
            |finer, choice| {
                if let Some(choice) = choice {
                    found.push((finer.variable, choice));
                }
            },
        )?;
        Ok(found)
    }

    /// Not where size is all that counts, where they are one shape of several to try, or where something is stated
    /// that shapes follow from.
    fn are_wanted(&self) -> bool {
        let options = self.options;
        options.chunks == ChunkPolicy::Auto
            && !matches!(options.goal, Goal::Size | Goal::Archive)
            && !options.chunk_goal.is_stated()
            && options.layout_profile() == LayoutProfile::Standard
            && options.level != Some(0)
            && options.plan.is_none()
    }

    fn finer(&self, number: usize, shape: &ChunkChoice) -> Result<Option<Finer>> {
        let variable = &self.input.variables()[number];
        let (AccessPath::Parallel(source, stored), Some(chunk)) =
            (&self.reaches[number], &shape.chunk)
        else {
            return Ok(None);
        };
        let is_kept = matches!(&variable.storage,
            DatasetStorage::Chunked { chunk: current, .. } if current == chunk);
        let Some(standard) = ChunkGrid::new(&variable.shape, chunk) else {
            return Ok(None);
        };
        let most_samples = sampled(variable, &standard);
        if shape.is_stated || is_kept || most_samples == 0 {
            return Ok(None);
        }
        let goal = &self.options.chunk_goal;
        let roles = roles_of(self.input, number, goal)?;
        let expected = expected(variable, self.options);
        let subject = subject(variable, &roles, &expected, self.options);
        let of_chunk = standard.chunk_elements() * variable.element.size_bytes as u64;
        let least = LEAST_KIB.into_iter().map(|kib| kib << 10);
        let least: Vec<u64> = least.filter(|&bytes| 2 * bytes <= of_chunk).collect();
        let shapes = parts_for_reads(&subject.input(), &goal.read_goal(), chunk, &least);
        let holding = ChunkSubset::holding(&standard, &self.sources[*source], stored);
        let held: Vec<u64> = holding.numbers(&standard).collect();
        let samples = sample_chunks(held.len() as u64, most_samples as usize);
        let plan = self.precision[number].as_ref();
        let bind = |plan| VariableRounding::bind(plan, variable.element, &variable.shape);
        let finer = Finer {
            variable: number,
            source: *source,
            samples: samples.iter().map(|&i| held[i as usize]).collect(),
            standard,
            shapes,
            rounding: plan.map(bind).transpose()?,
        };
        Ok((!finer.shapes.is_empty() && !finer.samples.is_empty()).then_some(finer))
    }

    fn task(&self, finer: Finer) -> Task<Finer> {
        let requests: Vec<Request> = (finer.samples.iter())
            .map(|&number| Request::Values {
                source: finer.source,
                selection: finer.standard.valid_box(number),
            })
            .collect();
        let size = self.input.variables()[finer.variable].element.size_bytes as u64;
        let bytes = finer.standard.chunk_elements().saturating_mul(size);
        Task {
            requests,
            // The values in chunks, and one of them on its way.
            output_bytes: bytes.saturating_mul(2 * finer.samples.len() as u64),
            meta: finer,
        }
    }
}

/// How many standard chunks of a variable are tried; 0: not worth it.
fn sampled(variable: &DatasetInfo, standard: &ChunkGrid) -> u64 {
    let size = variable.element.size_bytes as u64;
    let chunk_bytes = standard.chunk_elements().saturating_mul(size).max(1);
    let raw_bytes = variable.raw_bytes().unwrap_or(0);
    (raw_bytes / SAMPLED_SHARE / chunk_bytes).min(MOST_SAMPLES)
}

impl Finer {
    /// The finest shape that takes little more than the standard one; `None`: none does. Smaller chunks take more
    /// bytes, so that halving finds it.
    fn choose(
        &self,
        variable: &DatasetInfo,
        blocks: Vec<Block>,
        scratch: &mut Scratch,
    ) -> Result<Option<ChunkChoice>> {
        let samples = self.values(blocks)?;
        let standard = self.share(self.standard.chunk(), variable, &samples, scratch)?;
        if standard.is_none_or(|share| share > MOST_SHARE) {
            return Ok(None);
        }
        let standard = standard.unwrap_or(1.0);
        let (mut from, mut to, mut found) = (0, self.shapes.len(), None);
        while from < to {
            let middle = usize::midpoint(from, to);
            let chunk = &self.shapes[middle].chunk;
            let share = self
                .share(chunk, variable, &samples, scratch)?
                .unwrap_or(1.0);
            let growth = share / standard - 1.0;
            // What packs to more is stored without filters, and is then much larger than in standard chunks.
            match growth <= MOST_GROWTH && share <= MOST_SHARE {
                true => (to, found) = (middle, Some((middle, growth))),
                false => from = middle + 1,
            }
        }
        Ok(found.map(|(place, growth)| {
            let shape = &self.shapes[place];
            ChunkChoice {
                reason: explain_finer(shape, variable.element.size_bytes, growth),
                chunk: Some(shape.chunk.clone()),
                is_stated: false,
            }
        }))
    }

    /// Values of the samples that are stored, rounded if the output's will be, each with its extents.
    fn values(&self, blocks: Vec<Block>) -> Result<Vec<(Vec<u64>, Vec<u8>)>> {
        let mut samples = Vec::with_capacity(blocks.len());
        for (block, &number) in blocks.into_iter().zip(&self.samples) {
            let Block::Values(values) = block else {
                continue;
            };
            let part = self.standard.valid_box(number);
            let values = match &self.rounding {
                Some(rounding) => rounding.round(&values, &part)?.0,
                None => values.into_vec(),
            };
            samples.push((part.count, values));
        }
        Ok(samples)
    }

    /// Stored bytes by raw bytes of the samples in chunks of a shape, with their part of the index; `None`: no bytes.
    fn share(
        &self,
        chunk: &[u64],
        variable: &DatasetInfo,
        samples: &[(Vec<u64>, Vec<u8>)],
        scratch: &mut Scratch,
    ) -> Result<Option<f64>> {
        let size = variable.element.size_bytes;
        let (mut raw, mut stored) = (0, 0);
        for (extents, values) in samples {
            for piece in chunks_of(values, extents, chunk, size) {
                let error =
                    |error: frazil_codec::CodecError| Error::new(error.code(), error.to_string());
                let encoder = BoundEncoder::bind(&filters(size), ENCODER, size, piece.len());
                let packed = encoder
                    .map_err(error)?
                    .encode(&piece, scratch)
                    .map_err(error)?;
                stored += packed.len().min(piece.len());
                raw += piece.len();
            }
        }
        let index = index_bytes(&variable.shape, chunk) as f64;
        let of_index = index / variable.raw_bytes().unwrap_or(u64::MAX).max(1) as f64;
        Ok((raw > 0).then(|| stored as f64 / raw as f64 + of_index))
    }
}

/// What shapes are compared under: fast filters, and what most files are packed with.
fn filters(element_bytes: usize) -> FilterPipeline {
    let mut filters = vec![FilterSpec::new(filter_id::DEFLATE, vec![1])];
    if element_bytes > 1 {
        filters.insert(
            0,
            FilterSpec::new(filter_id::SHUFFLE, vec![element_bytes as u32]),
        );
    }
    FilterPipeline(filters)
}
