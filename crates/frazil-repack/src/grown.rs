//! What a report says of a file that became larger because of a form that was asked for: chunks, the reads
//! that they are to serve, checksums.

use frazil_options::options::PackOptions;
use frazil_options::pack_report::{PackReport, VariableReport};
use frazil_options::size::human;
use frazil_plan::index_bytes;
use frazil_types::LayoutProfile;

/// As much more is no growth, in all other guarantees, too.
const LEAST_SHARE: f64 = 1.005;
const LEAST_BYTES: f64 = 4096.0;
/// A smaller index is no waste: its share of the file, and bytes.
const INDEX_SHARE: f64 = 0.1;
const INDEX_BYTES: u64 = 64 << 10;
/// Metadata that grow by less are not told.
const METADATA_BYTES: u64 = 64 << 10;
/// Adds bytes to each chunk, and has chunks packed anew that would else be copied.
const CHECKSUM: &str = "--checksum";

/// Says in a report that a stated form made the file larger, and how it stays small.
pub(crate) fn tell(report: &mut PackReport, options: &PackOptions) {
    if report.kept_input {
        return;
    }
    let Some(words) = stated(options) else {
        return;
    };
    let has_chunks = words != CHECKSUM;
    let index = || has_chunks.then(|| large_index(report, &words)).flatten();
    let line = growth(report, &words).or_else(index);
    report.notices.extend(line);
}

/// The line of a file that is larger than its input.
fn growth(report: &PackReport, words: &str) -> Option<String> {
    let most = report.input_file_bytes as f64 * LEAST_SHARE + LEAST_BYTES;
    if report.output_file_bytes as f64 <= most {
        return None;
    }
    let growth = report.output_file_bytes - report.input_file_bytes;
    let by_values: u64 = report.variables.iter().filter_map(growth_of).sum();
    let why = match by_values < growth / 2 {
        // Those of a classic file are fewer in any case.
        true if growth < METADATA_BYTES => return None,
        true => {
            "most of it is metadata, which stay small in a file that is kept as it is".to_owned()
        }
        false => {
            let worst = report.variables.iter().max_by_key(|one| growth_of(one))?;
            let chunk: Vec<String> = worst.chunk.iter().flatten().map(u64::to_string).collect();
            format!(
                "{} takes {} in chunks of {}, {} before",
                worst.path,
                human(worst.stored_bytes),
                chunk.join("x"),
                human(worst.input_bytes),
            )
        }
    };
    let verb = if report.dry_run { "would grow" } else { "grew" };
    Some(format!(
        "the file {verb} by {} to {} (with {words}, frazil packs a file whatever its size): {why}",
        human(growth),
        human(report.output_file_bytes),
    ))
}

/// The line of a variable in so many chunks that their index takes much of the file.
fn large_index(report: &PackReport, words: &str) -> Option<String> {
    let indexes = report.variables.iter().filter_map(|one| {
        let chunk = one.chunk.as_ref()?;
        Some((one, chunk, index_bytes(&one.shape, chunk)))
    });
    let (variable, chunk, bytes) = indexes.max_by_key(|(_, _, bytes)| *bytes)?;
    let share = bytes as f64 / report.output_file_bytes.max(1) as f64;
    if bytes < INDEX_BYTES || share < INDEX_SHARE {
        return None;
    }
    let chunk: Vec<String> = chunk.iter().map(u64::to_string).collect();
    Some(format!(
        "because of {words}, the index of the small chunks of {}, {}, takes about {}, {:.0} % of \
         the file",
        variable.path,
        chunk.join("x"),
        human(bytes),
        100.0 * share.min(1.0)
    ))
}

/// The options that state such a form; `None`: there are none, or others make files larger, too.
fn stated(options: &PackOptions) -> Option<String> {
    let goal = &options.chunk_goal;
    let is_cmip7 = options.layout_profile() == LayoutProfile::Cmip7;
    let asked = [
        ("--chunks", !options.chunk_overrides.is_empty()),
        ("--reads", !goal.reads.is_empty()),
        ("--storage", goal.storage.is_some()),
        ("--layout cmip7", is_cmip7),
        ("--most-chunks", goal.most_chunks.is_some()),
        (CHECKSUM, options.checksum),
    ];
    let words: Vec<&str> = asked
        .into_iter()
        .filter_map(|(word, is_stated)| is_stated.then_some(word))
        .collect();
    let has_other = options.level == Some(0) || options.filters.is_some() || options.plan.is_some();
    (!words.is_empty() && !has_other).then(|| words.join(" and "))
}

/// Bytes by which a variable in chunks grew, with the index of the chunks; `None`: it did not.
fn growth_of(variable: &VariableReport) -> Option<u64> {
    let chunk = variable.chunk.as_ref()?;
    let now = variable.stored_bytes + index_bytes(&variable.shape, chunk);
    (variable.stored_bytes > variable.input_bytes).then(|| now - variable.input_bytes)
}
