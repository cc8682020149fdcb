//! `frazil pack`.

use std::io;
use std::path::{Path, PathBuf};
use std::sync::Arc;
use std::sync::atomic::AtomicBool;

use frazil::{ErrorCode, PackOptions, Policy};

use super::Status;
use super::batch;
use super::cluster::{self, Work};
use super::command_line;
use super::summary::Shown;
use super::transform::{Transform, each, end};
use crate::args::{DecisionArgs, PackArgs, PrecisionArgs};
use crate::printer::Printer;

/// Packs every input.
///
/// # Errors
/// Standard output's.
pub(crate) fn run(args: &PackArgs, cancel: &Arc<AtomicBool>) -> io::Result<Status> {
    let Some(destination) = args.destination() else {
        return Ok(Status::Trouble);
    };
    let chosen = match batch::choose(
        &args.inputs.named,
        &args.inputs.selection,
        args.target.out_dir(),
        Printer::new(args.output),
    )
    .and_then(|chosen| args.target.check_output().map(|()| chosen))
    {
        Ok(chosen) => chosen,
        Err(error) => return end(args.output, error, Status::Trouble),
    };
    let paths: Vec<PathBuf> = chosen.iter().map(|one| one.path.clone()).collect();
    let mut options = match options(args, cancel) {
        Ok(options) => options,
        Err(error) => return end(args.output, error, Status::Trouble),
    };
    if chosen.len() > 1 {
        match frazil::check_names_in(&paths, &options) {
            Ok(are_checked) => options.precision.names_are_checked = are_checked,
            Err(error) => return end(args.output, error, Status::Failure),
        }
    }
    if let Some(scheduler) = &args.scheduler {
        // One text for all: no file is the only one.
        options.history = history(args, Path::new(""));
        let work = Work::new(scheduler, args, (&paths, &destination), options);
        return cluster::run(&work, cancel)
            .or_else(|error| end(args.output, error, Status::Trouble));
    }
    let transform = Transform {
        chosen: &chosen,
        out_dir: args.target.out_dir(),
        destination: &destination,
        batch: &args.batch,
        results: &args.results,
        output: args.output,
        shown: Shown {
            all_variables: args.all_variables,
            energy: args.energy.energy,
            ..Shown::default()
        },
        resources: &options.resources,
    };
    each(&transform, &|input, destination, resources, progress| {
        let options = PackOptions {
            resources,
            history: history(args, input),
            ..options.clone()
        };
        let report = frazil::pack(input, destination, &options, progress)?;
        if let Some(path) = args.precision.write() {
            frazil::write_precision(path, &report.precision)?;
        }
        Ok(report)
    })
}

/// What the attribute `history` of a result is to say, if that is asked for.
fn history(args: &PackArgs, input: &Path) -> Option<String> {
    let named = &args.inputs.named;
    let asked = args.target.history;
    asked.then(|| command_line::about(input, named))
}

/// The facade's options, with what files say.
///
/// # Errors
/// If one of these files is not understood, or the file for the decisions must not be written.
fn options(args: &PackArgs, cancel: &Arc<AtomicBool>) -> frazil::Result<PackOptions> {
    let policy = policy(&args.precision)?;
    let mut options = args.options(&policy.defaults, cancel);
    add_files(&mut options, policy, &args.how)?;
    if options.chunk_goal.is_stated() {
        options.chunk_goal.calibration = frazil::calibration_in_use(args.how.calibration())?;
    }
    if let Some(path) = &args.plan {
        options.plan = Some(frazil::read_plan(path)?);
    }
    if let Some(path) = args.precision.write() {
        check_new(path, args.overwrite())?;
    }
    Ok(options)
}

/// What the file of `--precision` says.
pub(super) fn policy(precision: &PrecisionArgs) -> frazil::Result<Policy> {
    let file = precision.file();
    file.map_or_else(
        || Ok(Policy::default()),
        |path| frazil::read_policy(path).map_err(no_rules),
    )
}

/// The error for a file of rules that is not there: somebody may mean digits.
pub(super) fn no_rules(error: frazil::Error) -> frazil::Error {
    match error.code {
        ErrorCode::NotFound => error.with_cure(
            "--precision takes a file of rules; for all variables, state --digits N, --abs-error X \
             or --rel-error SHARE",
        ),
        _ => error,
    }
}

/// Adds what files say: rules, before those of the command line, the decision tree, and what words for
/// speeds stand for, where somebody names a calibration.
pub(super) fn add_files(
    options: &mut PackOptions,
    policy: Policy,
    how: &DecisionArgs,
) -> frazil::Result<()> {
    options.precision.rules.splice(..0, policy.rules);
    if let Some(named) = how.calibration() {
        let measured = frazil::calibration_in_use(Some(named))?;
        options.weighing = how.weighing_by(&measured);
        options.precision.calibration = measured;
    }
    if let Some(path) = how.tree() {
        options.weighing.tree = Some(Arc::new(frazil::read_tree(path)?));
    }
    Ok(())
}

/// Checks, before any work is done, that a file can be written beside the tables.
///
/// # Errors
/// If there is such a file that must not be replaced, or its folder is not there.
pub(super) fn check_new(path: &Path, overwrite: bool) -> frazil::Result<()> {
    frazil::check_text_output(path)?;
    // Devices and pipes are written to, not replaced.
    if path.is_file() && !overwrite {
        let error = frazil::Error::new(ErrorCode::AlreadyExists, "there is such a file");
        let cure = "name another one, or give --overwrite";
        return Err(error.in_file(path).with_cure(cure));
    }
    frazil::check_folder(path)
}
