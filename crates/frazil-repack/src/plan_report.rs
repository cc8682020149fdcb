//! A plan with its grounds: what was compared, and what each would cost.

use std::path::{Path, PathBuf};
use std::time::Instant;

use frazil_container::hdf5::DatasetInfo;
use frazil_plan::Candidate;
use frazil_plan::energy::joules_of;
use frazil_types::{CodecSpeed, ReaderCache, StorageLayout, VariablePlan, WritePlan};
use serde::Serialize;

use crate::compared::Compared;
use crate::decide;
use crate::planning::Depth;
use crate::shapes;
use crate::shapes_tried::TriedShape;
use crate::tried_chunks::try_chunks;
use frazil_file::error::{Result, guarded};
use frazil_file::input::Input;
use frazil_file::progress::Progress;
use frazil_file::resources;
use frazil_file::wording::lossy;
use frazil_options::chunk_goal::{Findings, roles_of_input};
use frazil_options::options::PackOptions;
use frazil_precision::rules::VariableRule;

/// A plan with its grounds.
#[derive(Debug, Clone, Serialize)]
pub struct PlanReport {
    /// The file that it is for.
    #[serde(serialize_with = "lossy")]
    pub input: PathBuf,
    /// The plan: to review, edit and replay.
    pub plan: WritePlan,
    /// The grounds by variable, in the order of the plan.
    pub variables: Vec<VariableDecision>,
    /// What was decided by requests, as rules that decide so again.
    pub precision: Vec<VariableRule>,
    /// What the user should know, one line each.
    pub notices: Vec<String>,
    /// Wall seconds that planning took.
    pub seconds: f64,
}

/// The decision for one variable, and its grounds.
#[derive(Debug, Clone, Default, Serialize)]
pub struct VariableDecision {
    /// Absolute path in the file.
    pub path: String,
    /// Element type name, `float32`.
    pub element: String,
    /// Names of the dimensions, slowest first; empty where the file has none.
    pub dimensions: Vec<String>,
    /// What the axes are: `time`, `level`, `lat`, `lon`, `other`.
    pub axes: Vec<String>,
    /// Shape in elements.
    pub shape: Vec<u64>,
    /// Bytes without compression.
    pub raw_bytes: u64,
    /// Chunk shape in elements; `None`: contiguous.
    pub chunk: Option<Vec<u64>>,
    /// Filters, `shuffle+deflate(4)`.
    pub filters: String,
    /// Stored bytes that are expected.
    pub predicted_bytes: u64,
    /// Whether stored chunks are copied as they are.
    pub copies_chunks: bool,
    /// The chunk cache that a reader should use; `None`: its default.
    pub cache: Option<ReaderCache>,
    /// Why, in one line.
    pub reason: String,
    /// Chunk shapes that were compared, the chosen one first; empty where no read is about the
    /// variable.
    pub chunk_candidates: Vec<ChunkCandidate>,
    /// Filters that were compared on samples.
    pub filter_candidates: Vec<FilterCandidate>,
}

/// A chunk shape that was compared.
#[derive(Debug, Clone, PartialEq, Serialize)]
pub struct ChunkCandidate {
    /// `chosen`, `for these reads`, `existing`, `balanced`, `best for map`; of shapes that were tried for their
    /// size also `by rule`, `larger`, `records`, `columns`, `short columns`.
    pub name: String,
    /// Chunk shape in elements.
    pub chunk: Vec<u64>,
    /// Raw bytes of a chunk.
    pub chunk_bytes: u64,
    /// What the wanted reads cost.
    pub reads: Vec<ReadCandidate>,
    /// Raw bytes by stored bytes under a quick encoder, the chunks' index included, where shapes were tried for
    /// their size; `None`: this one was not.
    pub quick_ratio: Option<f64>,
}

/// What one read costs with a chunk shape, by the model.
#[derive(Debug, Clone, PartialEq, Serialize)]
pub struct ReadCandidate {
    /// The read, `map`.
    pub read: String,
    /// Chunks it touches, on average over places.
    pub chunks: f64,
    /// Raw bytes in them.
    pub bytes: f64,
    /// Seconds by the calibration.
    pub seconds: f64,
    /// Times the seconds of the shape that serves this read best.
    pub times_best: f64,
}

/// Filters that were tried on samples.
#[derive(Debug, Clone, PartialEq, Serialize)]
pub struct FilterCandidate {
    /// Filters, `shuffle+deflate(4)`.
    pub filters: String,
    /// Raw bytes by stored bytes of the samples.
    pub ratio: f64,
    /// The same of the whole variable, from the least to the most that nine of ten come to (infinity, in JSON
    /// `null`, where the samples say too little for a most); `None`: the filters were given up before all samples
    /// were encoded.
    pub range: Option<[f64; 2]>,
    /// How fast they are, where the calibration has measured it.
    pub speed: Option<CodecSpeed>,
    /// Joules to write a gigabyte of raw values on one core, by the model of energy and that speed.
    pub joules_per_gb: Option<f64>,
}

/// Plans one file as [`pack`](crate::repack::pack) would, compares what was decided with what was not, and
/// writes nothing.
///
/// # Errors
/// As [`pack`](crate::repack::pack).
pub fn explain_plan(
    input: &Path,
    options: &PackOptions,
    progress: &mut dyn Progress,
) -> Result<PlanReport> {
    guarded(input, || {
        let begin = Instant::now();
        let source = Input::open(input)?.with_stored_bytes();
        progress.stage("plan", 0);
        source.judge(explain(&source, begin, options, progress))
    })
}

fn explain(
    source: &Input,
    begin: Instant,
    options: &PackOptions,
    progress: &mut dyn Progress,
) -> Result<PlanReport> {
    let budget = resources::budget(&options.resources);
    let mut decisions = decide::decide(source, options, &budget, (Depth::Compare, None), progress)?;
    let seconds = begin.elapsed().as_secs_f64();
    try_chunks(source, &mut decisions, options, (&budget, None))?;
    let findings = shapes::findings(source, options, &decisions.plans, &decisions.shapes_tried)?;
    let roles = roles_of_input(source, &options.chunk_goal)?;
    let mut report = PlanReport {
        input: source.path().to_owned(),
        plan: WritePlan {
            layout: options.special_layout(),
            variables: Vec::new(),
        },
        variables: Vec::new(),
        precision: std::mem::take(&mut decisions.precision_rules),
        notices: [source.notices(), decisions.notices()].concat(),
        seconds,
    };
    let rows = source.variables().iter().zip(findings).zip(roles);
    for (i, ((variable, found), roles)) in rows.enumerate() {
        if variable.is_dimension_only {
            continue;
        }
        let mut plan = decisions.plans[i].clone();
        plan.cache = found.cache;
        let tried = decisions.filters_tried.get(i).cloned().unwrap_or_default();
        let shapes_tried = decisions.shapes_tried.get(i).map_or(&[][..], Vec::as_slice);
        let mut decision = decision(variable, &plan, found, (shapes_tried, tried), options);
        decision.axes = roles.iter().map(ToString::to_string).collect();
        report.variables.push(decision);
        report.plan.variables.push(plan);
    }
    Ok(report)
}

fn decision(
    variable: &DatasetInfo,
    plan: &VariablePlan,
    found: Findings,
    (shapes_tried, tried): (&[TriedShape], Vec<Compared>),
    options: &PackOptions,
) -> VariableDecision {
    let size = variable.element.size_bytes as u64;
    let codecs = &options.chunk_goal.calibration.codecs;
    VariableDecision {
        path: variable.path.clone(),
        element: variable.element.name(),
        dimensions: variable.dimension_names.clone(),
        axes: Vec::new(),
        shape: variable.shape.clone(),
        raw_bytes: variable.raw_bytes().unwrap_or(0),
        chunk: match &plan.layout {
            StorageLayout::Chunked { chunk } => Some(chunk.clone()),
            StorageLayout::Contiguous => None,
        },
        filters: plan.pipeline.summary(),
        predicted_bytes: plan.predicted_bytes.unwrap_or(variable.stored_bytes),
        copies_chunks: plan.copy_raw,
        cache: found.cache,
        reason: plan.reason.clone(),
        chunk_candidates: found
            .candidates
            .into_iter()
            .map(|candidate| chunk_candidate(candidate, size, shapes_tried))
            .collect(),
        filter_candidates: tried
            .into_iter()
            .map(|one| {
                let speed = codecs.get(&one.filters).copied();
                FilterCandidate {
                    joules_per_gb: speed.map(|speed| joules_per_gb(speed, one.ratio)),
                    speed,
                    filters: one.filters,
                    ratio: one.ratio,
                    range: one.range,
                }
            })
            .collect(),
    }
}

/// Joules to encode 10^9 raw bytes on one core, and to write what they shrink to.
fn joules_per_gb(speed: CodecSpeed, ratio: f64) -> f64 {
    const GB: f64 = 1e9;
    let seconds = GB / speed.encode_bytes_per_second;
    joules_of(seconds, seconds, GB / ratio)
}

fn chunk_candidate(
    candidate: Candidate,
    element_bytes: u64,
    shapes_tried: &[TriedShape],
) -> ChunkCandidate {
    let mut tried = shapes_tried.iter();
    let tried = tried.find(|one| one.chunk == candidate.chunk);
    let bytes = candidate
        .chunk
        .iter()
        .fold(element_bytes, |n, &c| n.saturating_mul(c));
    ChunkCandidate {
        name: candidate.name,
        chunk: candidate.chunk,
        chunk_bytes: bytes,
        quick_ratio: tried.map(|one| 1.0 / one.share.max(f64::MIN_POSITIVE)),
        reads: candidate
            .reads
            .into_iter()
            .map(|read| ReadCandidate {
                read: read.read,
                chunks: read.chunks,
                bytes: read.bytes,
                seconds: read.seconds,
                times_best: read.times_best,
            })
            .collect(),
    }
}
