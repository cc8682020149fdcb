//! `analyze`: the information in the bits of a file's variables, and how many bits to keep.
//!
//! Two parallel passes: the first looks at a few boxes of every variable to find the axis with the
//! most information, the second counts all pairs along it, tile by tile in bounded memory.

mod axis;
mod options;
mod prepare;
mod tiles;
mod vertical;
mod whole;

use std::collections::BTreeMap;
use std::path::Path;
use std::time::Instant;

use frazil_pipeline::MemoryBudget;
use frazil_plan::information;
use frazil_types::{DataOrigin, ElementClass, ErrorCode, ProtectedValues};

use crate::error::{Error, Result, guarded};
use crate::input::Input;
use crate::precision::protected::protected_values;
use crate::precision::roundable::element_kind;
use crate::precision::rules::{globs, is_match};
use crate::progress::Progress;
use crate::report::{AnalyzeReport, VariableInformation};
use crate::resources::Resources;
use crate::wording::enumerate;
use prepare::Prepared;

pub use options::AnalyzeOptions;

/// A variable to analyse.
#[derive(Debug, Clone)]
pub(crate) struct Wanted {
    /// Its number in [`Input::variables`].
    pub(crate) variable: usize,
    /// The share of information to keep.
    pub(crate) keep_information: f64,
    /// Values that take no part.
    pub(crate) protected: ProtectedValues,
}

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
    let found = run(input, &wanted, &options.resources, &budget, progress)?;
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
        if !all
            .iter()
            .any(|&i| is_match(std::slice::from_ref(pattern), path(i)))
        {
            notices.push(format!("no variable is named `{text}`"));
        }
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

/// The information in some variables, in their order. One that cannot be analysed says why in its
/// `reason`, and has no bits to recommend.
///
/// # Errors
/// As [`analyze`].
pub(crate) fn variable_information(
    input: &Input,
    wanted: &[Wanted],
    resources: &Resources,
    budget: &MemoryBudget,
    progress: &mut dyn Progress,
) -> Result<Vec<VariableInformation>> {
    let found = run(input, wanted, resources, budget, progress)?;
    let complete = |(one, outcome): (&Wanted, std::result::Result<_, String>)| {
        outcome.unwrap_or_else(|obstacle| VariableInformation {
            origin: DataOrigin::TooFew,
            reason: obstacle,
            ..whole::blank(input, one)
        })
    };
    Ok(wanted.iter().zip(found).map(complete).collect())
}

/// The share of a variable's information that stays if only its first `significant_bits` mantissa
/// bits do: the smallest of the whole variable's and of every level's and sample's that has a vote.
/// 1 where there is no information to lose.
pub(crate) fn preserved_information(original: &VariableInformation, significant_bits: u32) -> f64 {
    let mantissa = information::mantissa_bits(original.information.len() / 8);
    information::preserved_information(&original.votes, mantissa, significant_bits).unwrap_or(1.0)
}

/// Analyses variables; those that cannot be give the obstacle in words.
fn run(
    input: &Input,
    wanted: &[Wanted],
    resources: &Resources,
    budget: &MemoryBudget,
    progress: &mut dyn Progress,
) -> Result<Vec<std::result::Result<VariableInformation, String>>> {
    let mut outcomes: Vec<_> = wanted.iter().map(|_| Err(String::new())).collect();
    let (mut ready, mut numbers) = (Vec::new(), Vec::new());
    let (mut sources, mut stored) = (Vec::new(), Vec::new());
    for (number, one) in wanted.iter().enumerate() {
        crate::run::check_cancel(resources)?;
        match prepare::prepare(input, one)? {
            Prepared::Ready(values) => {
                let mut one = one.clone();
                one.protected.values.extend(values.unwritten());
                ready.push(one);
                sources.push(values.source);
                stored.push(values.stored);
                numbers.push(number);
            }
            Prepared::Obstacle(words) => outcomes[number] = Err(words),
        }
    }
    let work = prepare::Work {
        input,
        wanted: &ready,
        resources,
        budget,
    };
    let bytes = |sum: u64, one: &Wanted| {
        sum.saturating_add(input.variables()[one.variable].raw_bytes().unwrap_or(0))
    };
    progress.stage("analyze", ready.iter().fold(0, bytes));
    let looks = axis::look(&work, &sources)?;
    let found = whole::count(&work, (sources, &stored), &looks, progress)?;
    for (number, information) in numbers.into_iter().zip(found) {
        outcomes[number] = Ok(information);
    }
    Ok(outcomes)
}
