//! What goals, readers and precision would give for one file, side by side.

use std::path::Path;

use frazil_plan::Goal;
use frazil_types::{PrecisionRequest, ReaderLevel};
use serde::Serialize;

use crate::compared_plans::ComparedPlans;
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
        progress.steps("compare", count as u64);
        let mut found = Vec::with_capacity(count);
        let compared = ComparedPlans::new(options);
        for (words, rules) in &precisions {
            compared.forget_precision();
            for readable_by in READERS {
                for goal in GOALS {
                    let options = way(options, (rules, readable_by, goal));
                    let way = source.judge(predicted(&source, &options, words, Some(&compared)))?;
                    found.push(way);
                    progress.advance(1);
                }
            }
        }
        source.check_unchanged()?;
        Ok(found)
    })
}

/// The options of one way.
fn way(
    options: &PackOptions,
    (rules, readable_by, goal): (&[VariableRule], ReaderLevel, Goal),
) -> PackOptions {
    let mut options = PackOptions {
        goal,
        readable_by: Some(readable_by),
        dry_run: true,
        ..options.clone()
    };
    options.precision.rules = rules.to_vec();
    options
}

fn predicted(
    source: &Input,
    options: &PackOptions,
    precision: &str,
    compared: Option<&ComparedPlans>,
) -> Result<ComparedWay> {
    let clock = Clock::start(options.energy);
    let budget = resources::budget(&options.resources);
    let how = (Depth::Foretell, compared);
    let mut decisions = decide::decide(source, options, &budget, how, &mut Silent)?;
    let report = foretell(source, &mut decisions, options, (&clock, compared))?;
    Ok(ComparedWay {
        goal: options.goal,
        readable_by: options.readers(),
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

#[cfg(test)]
mod tests {
    use super::*;
    use frazil_tools::synth::{SynthOptions, synth};

    #[test]
    fn every_way_is_predicted_as_if_it_were_the_only_one() {
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join("field.nc");
        let fields = SynthOptions {
            patterns: vec!["sin16".into(), "random0-1".into()],
            shape: vec![4, 32, 64],
            ..SynthOptions::default()
        };
        synth(&path, &fields, &mut Silent).unwrap();
        let options = PackOptions::default();
        let found = compare_plans(&path, &options, &mut Silent).unwrap();
        let source = Input::open(&path).unwrap().with_stored_bytes();
        let mut found = found.iter();
        for (words, rules) in precisions(&options) {
            for readable_by in READERS {
                for goal in GOALS {
                    let options = way(&options, (&rules, readable_by, goal));
                    let alone = predicted(&source, &options, &words, None).unwrap();
                    let beside = found.next().unwrap();
                    let facts = |way: &ComparedWay| {
                        let range = way.range.map(|range| range.file_bytes);
                        (way.goal, way.precision.clone(), way.file_bytes, range)
                    };
                    assert_eq!(facts(beside), facts(&alone));
                }
            }
        }
        assert!(found.next().is_none());
    }

    #[test]
    fn samples_that_are_left_out_count_as_time() {
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join("fields.nc");
        // Each is a sample as a whole: 16 MiB, of which 8 are tried.
        let fields = SynthOptions {
            patterns: ["sin16", "sin31", "sin35", "sin23"]
                .map(Into::into)
                .to_vec(),
            shape: vec![4, 512, 512],
            ..SynthOptions::default()
        };
        synth(&path, &fields, &mut Silent).unwrap();
        let source = Input::open(&path).unwrap().with_stored_bytes();
        let options = way(&PackOptions::default(), (&[], ReaderLevel::Any, Goal::Size));
        let budget = resources::budget(&options.resources);
        let planned = |compared| {
            let how = (Depth::Foretell, compared);
            decide::decide(&source, &options, &budget, how, &mut Silent).unwrap()
        };
        let compared = planned(Some(&ComparedPlans::new(&options)));
        let (took, more) = (compared.planning.cpu_seconds, compared.spared.cpu_seconds);
        assert!(more > 0.3 * took, "{more} of {took}");
    }

    #[test]
    fn what_others_found_counts_as_time() {
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join("field.nc");
        let fields = SynthOptions {
            patterns: vec!["sin16".into()],
            shape: vec![8, 64, 128],
            ..SynthOptions::default()
        };
        synth(&path, &fields, &mut Silent).unwrap();
        let source = Input::open(&path).unwrap().with_stored_bytes();
        let options = way(
            &PackOptions::default(),
            (&[], ReaderLevel::Plugins, Goal::Archive),
        );
        let compared = ComparedPlans::new(&options);
        let spared = || {
            let budget = resources::budget(&options.resources);
            let how = (Depth::Foretell, Some(&compared));
            let decisions = decide::decide(&source, &options, &budget, how, &mut Silent);
            decisions.unwrap().spared.cpu_seconds
        };
        let [first, second] = [spared(), spared()];
        assert!(second > 2.0 * first && second > 0.0, "{first} {second}");
    }
}
