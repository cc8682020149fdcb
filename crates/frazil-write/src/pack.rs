//! What background threads do: choose filters, and make chunks ready to be placed.

use std::sync::Arc;

use frazil_codec::Scratch;
use frazil_pipeline::Charge;
use frazil_types::{ErrorCode, repeated_element};

use super::buffer::Buffer;
use super::change::Change;
use super::key::{Key, Offset};
use super::mask::Mask;
use super::repeats;
use super::variable::{Choice, Filters, Variable};
use frazil_container::schema::VariableId;
use frazil_file::error::{Error, Result};
use frazil_precision::RoundingStats;

/// A piece of background work. Jobs that need a choice of filters come after the one that makes it.
pub(super) enum Job {
    /// Choose a variable's filters.
    Choose(ChooseJob),
    /// Make a chunk ready to be placed.
    Chunk(ChunkJob),
    /// Hand this on to the placer in its turn.
    Forward(Step),
}

/// What the placer does beside placing chunks.
pub(super) enum Step {
    /// Change what the file holds beside values.
    Change(Change),
    /// State this of a variable that was rounded before it was gathered.
    Rounded(VariableId, RoundingStats),
    /// Make everything so far the file's state.
    Commit(CommitStep),
}

/// A commit.
pub(super) struct CommitStep {
    /// Lengths of the dimensions.
    pub(super) lengths: Vec<u64>,
    /// By number: variables whose datasets must be there; `None`: a variable of strings, or one
    /// of another program's that we do not write.
    pub(super) variables: Vec<Option<Arc<Variable>>>,
}

/// A choice of filters to be made.
pub(super) struct ChooseJob {
    pub(super) variable: Arc<Variable>,
    pub(super) choice: Choice,
    /// The choice that this one follows.
    pub(super) before: Option<Choice>,
    /// Samples of its values.
    pub(super) samples: Vec<Vec<u8>>,
}

/// A chunk to be packed.
pub(super) struct ChunkJob {
    pub(super) place: Place,
    pub(super) choice: Option<Choice>,
    pub(super) content: Content,
    /// For the content; goes back when it is packed.
    pub(super) content_charge: Option<Charge>,
    /// For the packed bytes; goes back when they are placed.
    pub(super) packed_charge: Charge,
    /// Whether it is of fill values that readers know anyway.
    pub(super) is_omissible: bool,
}

/// Where a chunk belongs.
pub(super) struct Place {
    pub(super) variable: Arc<Variable>,
    /// Its first element.
    pub(super) offset: Offset,
    /// The variable's shape when the chunk was complete.
    pub(super) shape: Vec<u64>,
}

impl From<&Place> for Key {
    fn from(place: &Place) -> Self {
        Self {
            variable: place.variable.id.0,
            offset: place.offset.clone(),
        }
    }
}

/// What a chunk holds.
pub(super) enum Content {
    Values(Buffer),
    /// This element over and over.
    Constant(Vec<u8>),
    /// Values where the mask says so, elsewhere those of the stored chunk.
    Merge {
        values: Buffer,
        mask: Mask,
        stored: StoredChunk,
    },
}

impl Content {
    /// A complete chunk of a variable that is not contiguous: values that are one element over and
    /// over are known before any work.
    pub(super) fn of(variable: &Variable, values: Buffer) -> Self {
        match repeated_element(&values, variable.element_bytes()) {
            Some(element) if !variable.is_tiny() || variable.may_omit(element) => {
                Self::Constant(element.to_vec())
            }
            _ => Self::Values(values),
        }
    }

    /// Whether it is of fill values that readers know anyway.
    pub(super) fn is_omissible(&self, variable: &Variable) -> bool {
        match self {
            Self::Constant(element) => variable.may_omit(element),
            Self::Values(_) | Self::Merge { .. } => false,
        }
    }
}

/// A chunk as it is in the file.
pub(super) struct StoredChunk {
    pub(super) bytes: Vec<u8>,
    pub(super) filter_mask: u32,
}

/// What came of a job.
pub(super) enum Packed {
    Nothing,
    Chunk(PackedChunk),
    /// A chunk of this variable cannot be packed; those of others can.
    Failed(VariableId, Error),
    Step(Step),
}

/// A chunk ready to be placed.
pub(super) struct PackedChunk {
    pub(super) place: Place,
    pub(super) bytes: Arc<Buffer>,
    /// Whether an equal chunk was packed before.
    pub(super) is_reused: bool,
    /// Whether it is of fill values that readers know anyway.
    pub(super) is_omissible: bool,
    pub(super) rounding: RoundingStats,
    /// Held until the chunk is placed.
    pub(super) charge: Charge,
}

impl Job {
    pub(super) fn run(self, scratch: &mut Scratch) -> Result<Packed> {
        match self {
            Self::Choose(job) => {
                job.run(scratch);
                Ok(Packed::Nothing)
            }
            Self::Chunk(job) => {
                let id = job.place.variable.id;
                let packed = job.run(scratch).map(Packed::Chunk);
                // Packing touches no file.
                packed.or_else(|error| Ok(Packed::Failed(id, error)))
            }
            Self::Forward(step) => Ok(Packed::Step(step)),
        }
    }
}

/// Whether an error before packing leaves the file, and all other variables, as they should be.
pub(super) fn concerns_one_variable(code: ErrorCode) -> bool {
    matches!(
        code,
        ErrorCode::InvalidArgument
            | ErrorCode::Unsupported
            | ErrorCode::MissingFilter
            | ErrorCode::MemoryBudget
            | ErrorCode::BoundExceeded
    )
}

impl ChooseJob {
    fn run(self, scratch: &mut Scratch) {
        // Whatever happens, those who wait are told.
        let told = ChoiceGuard(&self.choice);
        if let Some(before) = &self.before {
            before.wait();
        }
        let samples = self.variable.rounded(self.samples);
        let filters = samples.and_then(|samples| self.variable.choose(&samples, scratch));
        // Nobody else makes this choice.
        let _ = self.choice.set(filters);
        drop(told);
    }
}

/// Makes sure that a choice is made, if only by an error.
struct ChoiceGuard<'a>(&'a Choice);

impl Drop for ChoiceGuard<'_> {
    fn drop(&mut self) {
        let cause = "the choice of filters failed";
        let missing = || Err(Error::new(ErrorCode::Internal, cause));
        self.0.get_or_init(missing);
    }
}

impl ChunkJob {
    fn run(self, scratch: &mut Scratch) -> Result<PackedChunk> {
        let Self {
            place,
            choice,
            content,
            content_charge,
            mut packed_charge,
            is_omissible,
        } = self;
        let done = match &choice {
            // Contiguous values have no filters.
            None => plain(&place, content),
            Some(choice) => match choice.wait() {
                Ok(filters) => pack(&place, filters, content, scratch),
                Err(error) => Err(error.clone()),
            },
        };
        let done = done.map_err(|error| named(error, &place))?;
        drop(content_charge);
        packed_charge.shrink_to(done.bytes.len() as u64);
        Ok(PackedChunk {
            place,
            bytes: done.bytes,
            is_reused: done.is_reused,
            rounding: done.rounding,
            is_omissible,
            charge: packed_charge,
        })
    }
}

/// Names the variable and the chunk that an error concerns.
pub(super) fn named(mut error: Error, place: &Place) -> Error {
    error.cause = format!("chunk at {:?}: {}", place.offset, error.cause);
    error.at_variable(&place.variable.path)
}

/// A packed chunk's bytes, and how they came about.
pub(super) struct PackedBytes {
    pub(super) bytes: Arc<Buffer>,
    pub(super) is_reused: bool,
    pub(super) rounding: RoundingStats,
}

impl PackedBytes {
    fn new(bytes: Arc<Buffer>, is_reused: bool) -> Self {
        Self {
            bytes,
            is_reused,
            rounding: RoundingStats::default(),
        }
    }
}

/// Packs a chunk: what every process that packs chunks does.
pub(super) fn pack(
    place: &Place,
    filters: &Filters,
    content: Content,
    scratch: &mut Scratch,
) -> Result<PackedBytes> {
    let variable = &*place.variable;
    match content {
        Content::Constant(element) => {
            let wanted = (filters.deflate, element);
            if let Some(packed) = variable.repeats.find_constant(&wanted) {
                return Ok(PackedBytes::new(packed, true));
            }
            let values = wanted.1.repeat(variable.chunk_bytes / wanted.1.len());
            let (values, rounding) = round(place, values.into())?;
            let packed = Arc::new(encode(filters, &values, scratch)?);
            variable.repeats.remember_constant(wanted, &packed);
            Ok(PackedBytes {
                rounding,
                ..PackedBytes::new(packed, true)
            })
        }
        Content::Merge {
            mut values,
            mask,
            stored,
        } => {
            let base = filters.unpack(&stored.bytes, stored.filter_mask, scratch)?;
            mask.merge(&mut values, &base, variable.element_bytes());
            pack_values(place, filters, values, scratch)
        }
        Content::Values(values) => pack_values(place, filters, values, scratch),
    }
}

fn pack_values(
    place: &Place,
    filters: &Filters,
    values: Buffer,
    scratch: &mut Scratch,
) -> Result<PackedBytes> {
    let (values, rounding) = round(place, values)?;
    if filters.pipeline.is_empty() {
        return Ok(PackedBytes {
            rounding,
            ..PackedBytes::new(Arc::new(values), false)
        });
    }
    let repeats = &place.variable.repeats;
    let hash = repeats::hash(&values);
    if let Some(packed) = repeats.find(hash, &values, &filters.decoder, scratch) {
        return Ok(PackedBytes {
            rounding,
            ..PackedBytes::new(packed, true)
        });
    }
    let packed = Arc::new(encode(filters, &values, scratch)?);
    place.variable.buffers.give(values);
    repeats.remember(hash, &packed);
    Ok(PackedBytes {
        rounding,
        ..PackedBytes::new(packed, false)
    })
}

/// The values as they are to be stored, each proved to keep what was promised.
fn round(place: &Place, mut values: Buffer) -> Result<(Buffer, RoundingStats)> {
    match place.variable.round(&values, &place.offset)? {
        Some((rounded, stats)) => {
            values.truncate(0);
            values.extend(&rounded);
            Ok((values, stats))
        }
        None => Ok((values, RoundingStats::default())),
    }
}

fn encode(filters: &Filters, values: &[u8], scratch: &mut Scratch) -> Result<Buffer> {
    let outcome = filters.encoder.encode_in(values, scratch);
    outcome
        .map(Buffer::of)
        .map_err(|error| Error::new(error.code(), error.to_string()))
}

/// A contiguous variable's values; it always has them all in memory.
fn plain(place: &Place, content: Content) -> Result<PackedBytes> {
    let variable = &*place.variable;
    let values = match content {
        Content::Values(values) | Content::Merge { values, .. } => values,
        Content::Constant(element) => element.repeat(variable.chunk_bytes / element.len()).into(),
    };
    let (values, rounding) = round(place, values)?;
    Ok(PackedBytes {
        rounding,
        ..PackedBytes::new(Arc::new(values), false)
    })
}
