//! What a dry run says of the whole file: its metadata, and how sure the prediction is.

use frazil_container::hdf5::{DatasetInfo, DatasetStorage};
use frazil_plan::index_bytes;
use frazil_types::{LayoutProfile, StorageLayout};

use crate::compared_plans::ComparedPlans;
use crate::draft_report::report;
use crate::energy::{self, Work};
use crate::job::{Clock, Job};
use crate::kept::Keep;
use crate::metadata_size::{Measure, block_bytes, lies_in_heaps, measure_metadata};
use crate::routes::Decisions;
use crate::tried_chunks::try_chunks;
use frazil_file::error::Result;
use frazil_file::input::Input;
use frazil_file::resources;
use frazil_options::options::PackOptions;
use frazil_options::pack_report::{PackReport, PredictedRange};

/// What a file's size may be off by, whatever its variables do.
const FILE_SHARE: f64 = 0.005;
const FILE_BYTES: f64 = 4096.0;
/// Texts and the like are copied into memory for a prediction where they, and what the input has beside its
/// values, are no more bytes than these.
const MOST_HEAP_BYTES: u64 = 16 << 20;
/// What a time may be off by, either way.
const TIMES: f64 = 2.0;

/// What a run would give: sizes from the trials, seconds from what deciding took and from the speed of
/// the trials; `compared`: what plans found that it is compared with.
///
/// # Errors
/// What cannot be defined in the output.
pub(crate) fn foretell(
    source: &Input,
    decisions: &mut Decisions,
    options: &PackOptions,
    (clock, compared): (&Clock, Option<&ComparedPlans>),
) -> Result<PackReport> {
    let (decided_seconds, decided_cpu_seconds) = clock.elapsed();
    let decided_seconds = decided_seconds + decisions.spared.seconds;
    let decided_cpu_seconds = decided_cpu_seconds + decisions.spared.cpu_seconds;
    let budget = &resources::budget(&options.resources);
    try_chunks(source, decisions, options, (budget, compared))?;
    let decisions = &*decisions;
    let job = Job {
        layout: LayoutProfile::Standard,
        keep: Keep::Never,
        verify: false,
        attempt: None,
        resources: &options.resources,
        budget,
        clock,
    };
    let mut report = report(source, decisions, &[], &job);
    let variables = report.variables.iter();
    let (stored, before) = variables.fold((0, 0), |(stored, before), variable| {
        (
            stored + variable.stored_bytes,
            before + variable.input_bytes,
        )
    });
    let of_input = source.file_bytes().saturating_sub(before);
    let metadata = metadata(of_input, source, decisions, options)?;
    report.output_file_bytes = stored + metadata.bytes;
    report.cpu_seconds = decided_cpu_seconds + decisions.predicted_seconds;
    report.seconds = decided_seconds + decisions.predicted_seconds / report.threads.max(1) as f64;
    report.dry_run = true;
    report.range = Some(range(&report, source, decisions, metadata));
    report.notices = [source.notices(), decisions.notices()].concat();
    let work = Work {
        cpu_seconds: report.cpu_seconds,
        seconds: report.seconds,
        passes: 1.0,
        packing_seconds: &[],
    };
    let foretold = Err("a prediction measures nothing".to_owned());
    energy::complete(&mut report, &clock.rates, foretold, work);
    Ok(report)
}

/// Bytes of the output beside stored values.
#[derive(Debug, Clone, Copy)]
struct Metadata {
    bytes: u64,
    is_measured: bool,
}

impl Metadata {
    /// What a file has in any case: indexes of chunks are shorter if chunks are left out.
    fn least(self, source: &Input, decisions: &Decisions) -> u64 {
        let variables = source.variables().iter().zip(&decisions.plans);
        let indexes = variables.map(|(variable, plan)| match &plan.layout {
            StorageLayout::Chunked { chunk } => index_bytes(&variable.shape, chunk),
            StorageLayout::Contiguous => 0,
        });
        match self.is_measured {
            true => indexes.fold(self.bytes, u64::saturating_sub),
            false => 0,
        }
    }
}

/// Bytes of the output beside stored values: as everything is defined, once, into nothing. Texts and the
/// like are copied for that where the input's are few; else those of the input count if they are more,
/// with what indexes of chunks take more or less.
fn metadata(
    of_input: u64,
    source: &Input,
    decisions: &Decisions,
    options: &PackOptions,
) -> Result<Metadata> {
    let variables = source.variables().iter().zip(&decisions.routes);
    let in_heaps = variables.filter(|(variable, route)| lies_in_heaps(variable, route));
    let in_heaps: Vec<u64> = in_heaps
        .map(|(variable, _)| variable.stored_bytes)
        .collect();
    let has_heaps = !in_heaps.is_empty();
    let copied = in_heaps.into_iter().fold(of_input, u64::saturating_add);
    let how = Measure {
        metadata_block_bytes: Some(block_bytes(options.layout_profile(), source, decisions)?),
        heaps: (has_heaps && copied <= MOST_HEAP_BYTES).then_some(&options.resources),
    };
    let measured = measure_metadata(source, decisions, how)?;
    let is_measured = !has_heaps || how.heaps.is_some();
    Ok(Metadata {
        bytes: match is_measured {
            true => measured,
            false => measured.max(as_in_input(of_input, source, decisions)),
        },
        is_measured,
    })
}

/// Metadata of the input, with indexes of chunks as they will be.
fn as_in_input(of_input: u64, source: &Input, decisions: &Decisions) -> u64 {
    let (mut before, mut after) = (0, 0);
    for (variable, plan) in source.variables().iter().zip(&decisions.plans) {
        if variable.stored_bytes == 0 {
            continue;
        }
        before += index_before(variable);
        if let StorageLayout::Chunked { chunk } = &plan.layout {
            after += index_bytes(&variable.shape, chunk);
        }
    }
    // Newer files have smaller indexes than ours.
    of_input.saturating_sub(before.min(of_input)) + after
}

fn index_before(variable: &DatasetInfo) -> u64 {
    match &variable.storage {
        DatasetStorage::Chunked { chunk, .. } => index_bytes(&variable.shape, chunk),
        _ => 0,
    }
}

/// What nine of ten outcomes lie within: errors of variables are taken to be independent.
fn range(
    report: &PackReport,
    source: &Input,
    decisions: &Decisions,
    metadata: Metadata,
) -> PredictedRange {
    let plans = decisions.plans.iter().zip(&decisions.uncertainties);
    let squares = plans
        .zip(source.variables())
        .map(|((plan, uncertainty), variable)| {
            let bytes = plan.predicted_bytes.unwrap_or(variable.stored_bytes);
            (bytes as f64 * uncertainty).powi(2)
        });
    let indexes = source.variables().iter().zip(&decisions.plans);
    let indexes = indexes
        .zip(&decisions.told)
        .map(|((variable, plan), told)| {
            let StorageLayout::Chunked { chunk } = &plan.layout else {
                return 0.0;
            };
            told.index_off(&variable.shape, chunk).powi(2)
        });
    let bytes = report.output_file_bytes as f64;
    let off = squares.chain(indexes).sum::<f64>().sqrt() + FILE_SHARE * bytes + FILE_BYTES;
    let least = metadata.least(source, decisions);
    PredictedRange {
        // Of a small file, the metadata are known better than by so many bytes.
        file_bytes: [
            ((bytes - off).max(0.0) as u64).max(least),
            (bytes + off) as u64,
        ],
        seconds: [report.seconds / TIMES, report.seconds * TIMES],
    }
}
