//! What goals, readers and precision would give for one file, side by side.

use std::path::Path;

use frazil_plan::Goal;
use frazil_types::{PrecisionRequest, ReaderLevel};
use serde::Serialize;

use crate::decide;
use crate::job::Clock;
use crate::planning::Depth;
use crate::predict::foretell;
use frazil_file::error::{Result, guarded};
use frazil_file::input::Input;
use frazil_file::progress::{Progress, Silent};
use frazil_file::resources;
use frazil_options::options::PackOptions;
use frazil_options::pack_report::PredictedRange;
use frazil_precision::rules::VariableRule;

/// Goals that are compared, from the quickest.
const GOALS: [Goal; 4] = [Goal::Speed, Goal::Balanced, Goal::Size, Goal::Archive];
const READERS: [ReaderLevel; 3] = [ReaderLevel::Any, ReaderLevel::Plugins, ReaderLevel::Frazil];
/// Share of the information that is kept, and decimal digits.
const KEPT_INFORMATION: f64 = 0.99;
const DIGITS: u32 = 4;

/// What one way to pack a file is predicted to give.
#[derive(Debug, Clone, Serialize)]
pub struct ComparedWay {
    /// What filters are chosen for.
    pub goal: Goal,
    /// Who must be able to read the result.
    pub readable_by: ReaderLevel,
    /// How exactly values are kept: `every bit`, `99 % of the information`, `4 digits`, or `as asked`
    /// where rules are stated.
    pub precision: String,
    /// Size of the output file in bytes.
    pub file_bytes: u64,
    /// Wall seconds.
    pub seconds: f64,
    /// What nine of ten outcomes lie within.
    pub range: Option<PredictedRange>,
}

/// Predicts what one file would become for every goal but `energy`, every reader level and some
/// precisions, and writes nothing. What options state beside these holds for all.
///
/// # Errors
/// As [`pack`](crate::repack::pack).
pub fn compare_plans(
    input: &Path,
    options: &PackOptions,
    progress: &mut dyn Progress,
) -> Result<Vec<ComparedWay>> {
    guarded(input, || {
        let source = Input::open(input)?.with_stored_bytes();
        let precisions = precisions(options);
        let count = precisions.len() * READERS.len() * GOALS.len();
        progress.stage("compare", count as u64);
        let mut found = Vec::with_capacity(count);
        for (words, rules) in &precisions {
            for readable_by in READERS {
                for goal in GOALS {
                    let mut options = PackOptions {
                        goal,
                        readable_by,
                        dry_run: true,
                        ..options.clone()
                    };
                    options.precision.rules.clone_from(rules);
                    let way = source.judge(predicted(&source, &options, words))?;
                    found.push(way);
                    progress.advance(1);
                }
            }
        }
        source.check_unchanged()?;
        Ok(found)
    })
}

fn predicted(source: &Input, options: &PackOptions, precision: &str) -> Result<ComparedWay> {
    let clock = Clock::start(options.energy);
    let budget = resources::budget(&options.resources);
    let mut decisions = decide::decide(source, options, &budget, Depth::Foretell, &mut Silent)?;
    let report = foretell(source, &mut decisions, options, &clock)?;
    Ok(ComparedWay {
        goal: options.goal,
        readable_by: options.readable_by,
        precision: precision.to_owned(),
        file_bytes: report.output_file_bytes,
        seconds: report.seconds,
        range: report.range,
    })
}

/// Rules of precision with a word for each: those that are stated, or some for everything.
fn precisions(options: &PackOptions) -> Vec<(String, Vec<VariableRule>)> {
    if !options.precision.is_empty() {
        return vec![("as asked".to_owned(), options.precision.rules.clone())];
    }
    let of_all = |request| {
        vec![VariableRule {
            variables: vec!["**".to_owned()],
            request,
            ..VariableRule::default()
        }]
    };
    let information = PrecisionRequest {
        keep_information: Some(KEPT_INFORMATION),
        ..PrecisionRequest::default()
    };
    let digits = PrecisionRequest {
        significant_digits: Some(DIGITS),
        ..PrecisionRequest::default()
    };
    vec![
        ("every bit".to_owned(), Vec::new()),
        ("99 % of the information".to_owned(), of_all(information)),
        (format!("{DIGITS} digits"), of_all(digits)),
    ]
}
