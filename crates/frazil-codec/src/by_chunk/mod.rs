//! Filters chosen anew for every chunk (frazil's private filter 47103).
//!
//! Source: `docs/format.md`. A chunk says which filters were applied to it, with their client data
//! values, and what its elements are: it can be decoded without any other information, which is
//! what buffers that were compressed in memory make use of.

mod candidates;

use candidates::Pursuit;
use frazil_types::{
    ByteOrder, ChunkGoal, DeflateEncoder, ElementClass, ElementType, FilterChain, FilterPipeline,
    FilterSpec, MAX_RANK, filter_id,
};

use crate::buffer::OutputSize;
use crate::compress::excerpt::{Excerpt, product};
use crate::cursor::Cursor;
use crate::error::invalid;
use crate::frame::{FRAME_BYTES, Frame};
use crate::registry::MAX_CHUNK_BYTES;
use crate::scratch::{Codecs, Scratch};
use crate::{BoundDecoder, BoundEncoder, CodecError};

const NAME: &str = "frazil";
const MAGIC: [u8; 4] = *b"FZch";
/// Version of the client data values.
const PARAMETERS_VERSION: u32 = 1;
const ZSTD_HIGHEST: u32 = 22;
/// Number of axes and number of filters, behind the frame's start.
const COUNT_BYTES: usize = 2;
const AXIS_BYTES: usize = 4;
/// Filters of a chunk, and client data values of a filter, at most.
const MAX_FILTERS: usize = 4;
const MAX_VALUES: usize = 64;
/// Bytes that trials are made on, where a chunk is clearly longer.
const TRIAL_BYTES: u64 = 64 << 10;

/// What may be in a chunk: filters that decode by what the chunk says of them.
pub(crate) const POSSIBLE: [i32; 8] = [
    filter_id::DEFLATE,
    filter_id::SHUFFLE,
    filter_id::MAFISC,
    filter_id::LZ4,
    filter_id::BITSHUFFLE,
    filter_id::ZSTD,
    filter_id::PCODEC,
    filter_id::DELTA,
];

/// What elements of a chunk are, as the start of a chunk has it.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) struct Elements {
    /// Pcodec's code of the kind of number; 0: no numbers.
    kind: u8,
    is_big_endian: bool,
    /// Bytes of an element; 0 if they are more than 255.
    element_bytes: u8,
    /// Elements along each axis, slowest first.
    pub(crate) shape: Vec<u64>,
}

impl Elements {
    /// What the element is.
    pub(crate) fn element(&self) -> ElementType {
        use ElementClass::{Float, Opaque, SignedInteger, UnsignedInteger};
        ElementType {
            class: match self.kind {
                1 | 2 | 7 | 10 => UnsignedInteger,
                3 | 4 | 8 | 11 => SignedInteger,
                5 | 6 => Float,
                _ => Opaque,
            },
            size_bytes: usize::from(self.element_bytes.max(1)),
            order: match (self.kind, self.is_big_endian) {
                (0, _) => ByteOrder::None,
                (_, true) => ByteOrder::Big,
                (_, false) => ByteOrder::Little,
            },
        }
    }

    fn frame(&self) -> Frame {
        Frame {
            filter: NAME,
            magic: MAGIC,
            parameters: [self.kind, u8::from(self.is_big_endian), self.element_bytes],
        }
    }

    /// The start of a chunk of these elements: everything before the filters.
    fn begin(&self, filters: usize, raw_bytes: usize, out: &mut Vec<u8>) {
        self.frame().begin(raw_bytes, out);
        out.extend_from_slice(&[self.shape.len() as u8, filters as u8]);
        for &length in &self.shape {
            out.extend_from_slice(&(length as u32).to_le_bytes());
        }
    }
}

/// What a chunk says of itself, and what follows.
pub(crate) struct Opened<'a> {
    pub(crate) elements: Elements,
    pub(crate) raw_bytes: usize,
    pipeline: FilterPipeline,
    data: &'a [u8],
}

/// Reads the start of a chunk.
pub(crate) fn open(stored: &[u8], size: OutputSize) -> Result<Opened<'_>, CodecError> {
    let &[kind, flags, element_bytes] = stored.get(5..8).unwrap_or(&[0, 0, 0]) else {
        return Err(corrupt("shorter than its header"));
    };
    if flags > 1 || kind > 11 {
        return Err(corrupt("elements of a kind that does not exist"));
    }
    let mut elements = Elements {
        kind,
        is_big_endian: flags == 1,
        element_bytes,
        shape: Vec::new(),
    };
    let (raw_bytes, mut cursor) = elements.frame().open(stored, size)?;
    let &[rank, filters] = cursor.take(COUNT_BYTES)? else {
        return Err(corrupt("shorter than its header"));
    };
    if usize::from(rank) > MAX_RANK || usize::from(filters) > MAX_FILTERS {
        return Err(corrupt("more axes or filters than there can be"));
    }
    for _ in 0..rank {
        elements.shape.push(u64::from(cursor.u32_le()?));
    }
    let mut pipeline = FilterPipeline::default();
    for _ in 0..filters {
        pipeline.0.push(read_filter(&mut cursor)?);
    }
    Ok(Opened {
        elements,
        raw_bytes,
        pipeline,
        data: cursor.rest(),
    })
}

/// Bytes that a byte can stand for at most, as each filter encodes.
fn most_of(filter: &FilterSpec) -> usize {
    // zstd repeats a byte 2^17 times in a block of 4 bytes, and Pcodec 2^18 numbers in a run.
    const ZSTD: usize = 1 << 15;
    match filter.id {
        filter_id::SHUFFLE | filter_id::DELTA => 1,
        filter_id::DEFLATE => 1 << 11,
        filter_id::LZ4 => 1 << 8,
        filter_id::BITSHUFFLE | filter_id::ZSTD => ZSTD,
        filter_id::MAFISC => 1 << 13,
        _ => 1 << 20,
    }
}

fn read_filter(cursor: &mut Cursor<'_>) -> Result<FilterSpec, CodecError> {
    let &[low, high, count] = cursor.take(3)? else {
        return Err(corrupt("shorter than its header"));
    };
    let id = i32::from(u16::from_le_bytes([low, high]));
    if !POSSIBLE.contains(&id) || usize::from(count) > MAX_VALUES {
        return Err(corrupt("a filter that no chunk has"));
    }
    let values = (0..count)
        .map(|_| cursor.u32_le())
        .collect::<Result<_, _>>()?;
    Ok(FilterSpec::new(id, values))
}

impl Opened<'_> {
    /// Refuses a chunk that states more bytes than its filters can make of what it holds.
    pub(crate) fn check_claim(&self) -> Result<(), CodecError> {
        let filters = self.pipeline.0.iter().rev();
        let most = filters.fold(self.data.len(), |bytes, filter| {
            bytes.saturating_mul(most_of(filter))
        });
        match self.raw_bytes <= most {
            true => Ok(()),
            false => Err(corrupt("it states more bytes than it can hold")),
        }
    }

    /// Decodes the chunk; memory grows with what is decoded, whatever the chunk states.
    pub(crate) fn decode(&self, codecs: &mut Codecs) -> Result<Vec<u8>, CodecError> {
        let decoder = BoundDecoder::bind(&self.pipeline, 1, self.raw_bytes);
        let decoder = decoder.map_err(as_damage)?.believes_nothing();
        decoder
            .decode(self.data, 0, inner(codecs))
            .map_err(as_damage)
    }

    /// Decodes the chunk into `out`, which must be as long as it.
    pub(crate) fn decode_into(
        &self,
        out: &mut [u8],
        codecs: &mut Codecs,
    ) -> Result<(), CodecError> {
        let decoder = BoundDecoder::bind(&self.pipeline, 1, self.raw_bytes);
        let decoder = decoder.map_err(as_damage)?;
        decoder
            .decode_into(self.data, 0, out, inner(codecs))
            .map_err(as_damage)
    }
}

/// Values of a filter come from the chunk: where they cannot be, it is damaged.
fn as_damage(error: CodecError) -> CodecError {
    match error {
        CodecError::InvalidParameters { .. } | CodecError::MissingFilter { .. } => {
            corrupt("a filter with values that cannot be")
        }
        other => other,
    }
}

/// What the filters inside a chunk work with.
fn inner(codecs: &mut Codecs) -> &mut Scratch {
    codecs.inner.get_or_insert_default()
}

/// What the client data values say: version, kind of number, byte order, element bytes, goal, level,
/// rank, and the chunk's length along each axis.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) struct ByChunk {
    elements: Elements,
    goal: ChunkGoal,
    level: u32,
}

impl ByChunk {
    /// Reads the client data values.
    pub(crate) fn bind(spec: &FilterSpec) -> Result<Self, CodecError> {
        let [
            version,
            kind,
            order,
            element_bytes,
            goal,
            level,
            rank,
            ref chunk @ ..,
        ] = spec.cd_values[..]
        else {
            return Err(invalid(NAME, "needs at least 7 values"));
        };
        if version != PARAMETERS_VERSION {
            return Err(invalid(NAME, format!("version {version} is not known")));
        }
        let goal = ChunkGoal::from_number(goal);
        let goal = goal.ok_or_else(|| invalid(NAME, "goals are 0 to 3"))?;
        if order > 1 || kind > 11 || level > ZSTD_HIGHEST || element_bytes == 0 {
            let reason = "byte orders are 0 and 1, kinds 0 to 11, levels 0 to 22";
            return Err(invalid(NAME, reason));
        }
        if chunk.len() != rank as usize || chunk.len() > MAX_RANK {
            return Err(invalid(NAME, "needs the chunk's length along each axis"));
        }
        let shape: Vec<u64> = chunk.iter().map(|&length| u64::from(length)).collect();
        if product(&shape).saturating_mul(u64::from(element_bytes)) > MAX_CHUNK_BYTES as u64 {
            return Err(invalid(NAME, "a chunk of too many elements"));
        }
        let elements = Elements {
            kind: kind as u8,
            is_big_endian: order == 1,
            element_bytes: u8::try_from(element_bytes).unwrap_or(0),
            shape,
        };
        Ok(Self {
            elements,
            goal,
            level,
        })
    }

    /// Length of the encoded form of `raw_bytes` at most: chunks that do not shrink are stored raw.
    pub(crate) fn encode_bound(&self, raw_bytes: usize) -> usize {
        raw_bytes.saturating_add(header_bytes(self.elements.shape.len()))
    }

    /// Decodes `stored` into `out`.
    pub(crate) fn decode(
        &self,
        stored: &[u8],
        out: &mut Vec<u8>,
        size: OutputSize,
        codecs: &mut Codecs,
    ) -> Result<(), CodecError> {
        let opened = open(stored, size)?;
        if opened.elements != self.elements {
            return Err(corrupt("it contradicts the filter's client data values"));
        }
        if let OutputSize::Stated(_) = size {
            *out = opened.decode(codecs)?;
            return Ok(());
        }
        out.clear();
        out.resize(opened.raw_bytes, 0);
        opened.decode_into(out, codecs)
    }

    /// Replaces the content of `out` by the encoded form of `raw`.
    pub(crate) fn encode(
        &self,
        raw: &[u8],
        out: &mut Vec<u8>,
        codecs: &mut Codecs,
    ) -> Result<(), CodecError> {
        let best = self.smallest(raw, inner(codecs))?;
        self.write(raw, best, out);
        Ok(())
    }

    /// The same with filters that somebody else has chosen, for chunks of these elements.
    pub(crate) fn encode_by(
        &self,
        (pipeline, deflate): (&FilterPipeline, Option<DeflateEncoder>),
        raw: &[u8],
        out: &mut Vec<u8>,
        codecs: &mut Codecs,
    ) -> Result<(), CodecError> {
        let is_possible =
            |one: &FilterSpec| POSSIBLE.contains(&one.id) && one.cd_values.len() <= MAX_VALUES;
        if pipeline.0.len() > MAX_FILTERS || !pipeline.0.iter().all(is_possible) {
            let reason = format!(
                "{} cannot be in a chunk that says so itself",
                pipeline.summary()
            );
            return Err(invalid(NAME, reason));
        }
        let encoder = BoundEncoder::bind(pipeline, deflate, 1, raw.len())?;
        let data = encoder.encode(raw, inner(codecs))?;
        self.write(raw, Some((pipeline.clone(), data)), out);
        Ok(())
    }

    /// Replaces the content of `out` by what filters made of `raw`, or by `raw` if that is no longer.
    fn write(&self, raw: &[u8], made: Option<(FilterPipeline, Vec<u8>)>, out: &mut Vec<u8>) {
        let length = made.as_ref().map_or(0, |(pipeline, data)| {
            let filters = pipeline.0.iter();
            let values: usize = filters.map(|filter| 3 + 4 * filter.cd_values.len()).sum();
            values + data.len()
        });
        match made {
            Some((pipeline, data)) if length < raw.len() => {
                self.elements.begin(pipeline.0.len(), raw.len(), out);
                for filter in &pipeline.0 {
                    out.extend_from_slice(&(filter.id as u16).to_le_bytes());
                    out.push(filter.cd_values.len() as u8);
                    for value in &filter.cd_values {
                        out.extend_from_slice(&value.to_le_bytes());
                    }
                }
                out.extend_from_slice(&data);
            }
            _ => {
                self.elements.begin(0, raw.len(), out);
                out.extend_from_slice(raw);
            }
        }
    }

    /// The chain that serves the goal best, and what it makes of the chunk; `None` if none can be
    /// applied.
    fn smallest(
        &self,
        raw: &[u8],
        scratch: &mut Scratch,
    ) -> Result<Option<(FilterPipeline, Vec<u8>)>, CodecError> {
        let pursuit = Pursuit::of(self.goal);
        let element = self.elements.element();
        let shape = &self.elements.shape;
        let is_whole = product(shape).saturating_mul(element.size_bytes as u64) == raw.len() as u64;
        let mut order: Vec<usize> = (0..pursuit.candidates.len()).collect();
        // Bytes behind the elements (a checksum) are few: only whole chunks have an excerpt.
        let part = Excerpt::of(shape, TRIAL_BYTES / element.size_bytes as u64);
        if pursuit.finalists < order.len() && is_whole && !part.is_all(shape) {
            let bytes = part.take(raw, element.size_bytes, shape);
            let mut tried = Vec::new();
            for candidate in order {
                let made = self.apply(&pursuit, candidate, &part.shape, &bytes, scratch)?;
                tried.extend(made.map(|(_, data)| (candidate, data.len())));
            }
            order = pursuit.ranked(tried, bytes.len());
            order.truncate(pursuit.finalists);
        }
        let mut made = Vec::new();
        for candidate in order {
            let one = self.apply(&pursuit, candidate, shape, raw, scratch)?;
            made.extend(one.map(|(pipeline, data)| (candidate, pipeline, data)));
        }
        let sizes = made
            .iter()
            .map(|(candidate, _, data)| (*candidate, data.len()));
        let best = pursuit.ranked(sizes.collect(), raw.len()).first().copied();
        let found = made
            .into_iter()
            .find(|(candidate, ..)| Some(*candidate) == best);
        Ok(found.map(|(_, pipeline, data)| (pipeline, data)))
    }

    /// What a candidate makes of bytes of this shape; `None` if it cannot be applied to them.
    fn apply(
        &self,
        pursuit: &Pursuit,
        candidate: usize,
        shape: &[u64],
        raw: &[u8],
        scratch: &mut Scratch,
    ) -> Result<Option<(FilterPipeline, Vec<u8>)>, CodecError> {
        let chain: Result<FilterChain, _> = pursuit.chain(candidate, self.level).parse();
        let chain = chain.map_err(|error| invalid(NAME, error.to_string()))?;
        let element = self.elements.element();
        let pipeline = chain.resolve(element, shape);
        let encoder = match BoundEncoder::bind(&pipeline, None, 1, raw.len()) {
            Ok(encoder) if !pipeline.is_empty() => encoder,
            Ok(_) | Err(CodecError::InvalidParameters { .. }) => return Ok(None),
            Err(error) => return Err(error),
        };
        match encoder.encode(raw, scratch) {
            Ok(data) => Ok(Some((pipeline, data))),
            // Lengths that only a later filter of the chain finds wrong.
            Err(CodecError::InvalidParameters { .. }) => Ok(None),
            Err(error) => Err(error),
        }
    }
}

/// Bytes before the filters of a chunk of so many axes.
pub(crate) fn header_bytes(rank: usize) -> usize {
    FRAME_BYTES + COUNT_BYTES + AXIS_BYTES * rank
}

const fn corrupt(reason: &'static str) -> CodecError {
    CodecError::Corrupt {
        filter: NAME,
        reason,
    }
}

#[cfg(test)]
mod tests;
