//! `analyze`: the information in the bits of a file's variables, and how many bits to keep.

mod options;
mod report;

use std::collections::BTreeMap;
use std::path::Path;
use std::time::Instant;

use frazil_pipeline::MemoryBudget;
use frazil_types::{ElementClass, ErrorCode};

use crate::information::{self, Wanted};
use crate::named::{may_be_pattern, name_of, no_variable};
use crate::protected::protected_values;
use crate::roundable::element_kind;
use crate::rules::{globs, is_match};
use frazil_file::error::{Error, Result, guarded};
use frazil_file::input::Input;
use frazil_file::progress::Progress;
use frazil_file::wording::enumerate;

pub use options::AnalyzeOptions;
pub use report::AnalyzeReport;

/// Analyses the floating-point variables of a file.
///
/// # Errors
/// For a share that is not above 0 and at most 1, a pattern that is none, a file that cannot be
/// read, values that cannot be decoded or need more memory than is allowed, and interruption.
pub fn analyze(
    path: &Path,
    options: &AnalyzeOptions,
    progress: &mut dyn Progress,
) -> Result<AnalyzeReport> {
    let start = Instant::now();
    let keep = options.keep_information;
    if !(keep > 0.0 && keep <= 1.0) {
        let cause = format!("information to keep is {keep}; it must be above 0 and at most 1");
        return Err(Error::new(ErrorCode::InvalidArgument, cause));
    }
    guarded(path, || {
        let input = Input::open(path)?;
        input.judge(analyze_open(&input, options, progress))
    })
    .map(|mut report| {
        report.seconds = start.elapsed().as_secs_f64();
        report
    })
}

fn analyze_open(
    input: &Input,
    options: &AnalyzeOptions,
    progress: &mut dyn Progress,
) -> Result<AnalyzeReport> {
    let mut notices = input.notices();
    let wanted = choose(input, options, &mut notices)?;
    let budget = MemoryBudget::new(options.resources.memory_bytes);
    let found = information::analyze_all(input, &wanted, &options.resources, &budget, progress)?;
    let mut variables = Vec::with_capacity(found.len());
    let mut obstacles: BTreeMap<String, Vec<&str>> = BTreeMap::new();
    for (one, outcome) in wanted.iter().zip(found) {
        match outcome {
            Ok(information) => variables.push(information),
            Err(obstacle) => {
                let path = &input.variables()[one.variable].path;
                obstacles.entry(obstacle).or_default().push(path);
            }
        }
    }
    notices.extend(left_out(&obstacles));
    Ok(AnalyzeReport {
        path: input.path().to_owned(),
        variables,
        notices,
        seconds: 0.0,
    })
}

/// The floating-point variables that the options ask for.
fn choose(
    input: &Input,
    options: &AnalyzeOptions,
    notices: &mut Vec<String>,
) -> Result<Vec<Wanted>> {
    let patterns = globs(&options.variables)?;
    let real = |i: &usize| !input.variables()[*i].is_dimension_only;
    let all: Vec<usize> = (0..input.variables().len()).filter(real).collect();
    let path = |i: usize| input.variables()[i].path.as_str();
    for (pattern, text) in patterns.iter().zip(&options.variables) {
        let one = std::slice::from_ref(pattern);
        if all.iter().any(|&i| is_match(one, path(i))) {
            continue;
        }
        if let Some(name) = name_of(text) {
            let paths: Vec<&str> = all.iter().map(|&i| path(i)).collect();
            let missing = no_variable("an analysis is asked", &name, &paths, "");
            return Err(may_be_pattern(missing, &name));
        }
        notices.push(format!("no variable is named `{text}`"));
    }
    let mut wanted = Vec::new();
    let mut others: BTreeMap<String, Vec<&str>> = BTreeMap::new();
    for i in all {
        if !patterns.is_empty() && !is_match(&patterns, path(i)) {
            continue;
        }
        let variable = &input.variables()[i];
        if variable.element.class == ElementClass::Float {
            wanted.push(Wanted {
                variable: i,
                keep_information: options.keep_information,
                protected: protected_values(input, i, None)?,
            });
        } else {
            let kind = element_kind(input, variable)?;
            others.entry(kind).or_default().push(path(i));
        }
    }
    notices.extend(left_out(&others));
    Ok(wanted)
}

/// One line for each reason to leave variables out.
fn left_out(reasons: &BTreeMap<String, Vec<&str>>) -> impl Iterator<Item = String> {
    reasons
        .iter()
        .map(|(reason, paths)| format!("not analysed: {reason}: {}", enumerate(paths)))
}
