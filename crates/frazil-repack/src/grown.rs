//! What a report says of a file that became larger because of the reads that its chunks are to serve.

use frazil_options::options::PackOptions;
use frazil_options::pack_report::{PackReport, VariableReport};
use frazil_options::size::human;

/// As much more is no growth, in all other guarantees, too.
const LEAST_SHARE: f64 = 1.005;
const LEAST_BYTES: f64 = 4096.0;

/// Says in a report that stated reads made the file larger, and how it stays small.
pub(crate) fn tell(report: &mut PackReport, options: &PackOptions) {
    let most = report.input_file_bytes as f64 * LEAST_SHARE + LEAST_BYTES;
    if report.kept_input || report.output_file_bytes as f64 <= most {
        return;
    }
    let (Some(words), Some(worst)) = (stated(options), worst(report)) else {
        return;
    };
    let verb = if report.dry_run { "would grow" } else { "grew" };
    let chunk: Vec<String> = worst.chunk.iter().flatten().map(u64::to_string).collect();
    let line = format!(
        "the file {verb} from {} to {} because its chunks serve {words}: {} takes {} in chunks of {}, {} before; without \
         {words} the file stays small",
        human(report.input_file_bytes),
        human(report.output_file_bytes),
        worst.path,
        human(worst.stored_bytes),
        chunk.join("x"),
        human(worst.input_bytes),
    );
    report.notices.push(line);
}

/// The options that ask for chunks for reads; `None`: there are none, or others make files larger, too.
fn stated(options: &PackOptions) -> Option<String> {
    let goal = &options.chunk_goal;
    let asked = [
        ("--reads", !goal.reads.is_empty()),
        ("--storage", goal.storage.is_some()),
        ("--most-chunks", goal.most_chunks.is_some()),
    ];
    let words: Vec<&str> = asked
        .into_iter()
        .filter_map(|(word, is_stated)| is_stated.then_some(word))
        .collect();
    let has_other = options.level == Some(0) || options.filters.is_some() || options.plan.is_some();
    (!words.is_empty() && !has_other).then(|| words.join(" and "))
}

/// The variable in chunks that grew most.
fn worst(report: &PackReport) -> Option<&VariableReport> {
    let chunked = report.variables.iter().filter(|one| one.chunk.is_some());
    chunked
        .filter(|one| one.stored_bytes > one.input_bytes)
        .max_by_key(|one| one.stored_bytes - one.input_bytes)
}
