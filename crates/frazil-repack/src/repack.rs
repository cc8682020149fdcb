//! `pack`: plan, define, pack and place, prove, rename.

use std::path::Path;

use frazil_container::hdf5::{Finished, OutputTarget};
use frazil_plan::energy::EnergyRates;
use frazil_types::{LayoutProfile, WritePlan};

use crate::decide;
use crate::define::define;
use crate::draft_report::report;
use crate::energy::{self, Work};
use crate::fill::{self, Filled, Stored};
use crate::job::{Clock, Job};
use crate::kept::Keep;
use crate::metadata_size::block_bytes;
use crate::planning::Depth;
use crate::routes::Decisions;
use crate::{far_output, grown, kept, predict, shapes, unpack_classic};
use frazil_file::error::{Error, Result, guarded};
use frazil_file::input::Input;
use frazil_file::left_behind;
use frazil_file::naming::Before;
use frazil_file::output::{self, Destination, Target};
use frazil_file::pending::{PendingOutput, rename_file};
use frazil_file::progress::Progress;
use frazil_file::resources;
use frazil_file::storage_error::from_copying;
use frazil_file::user_block::copy_user_block;
use frazil_options::options::{PackOptions, UnpackFormat, UnpackOptions};
use frazil_options::pack_report::PackReport;
use frazil_verify::proof;

/// Packs one file.
///
/// # Errors
/// Names file, variable, cause and cure; the input is untouched and no output is left.
pub fn pack(
    input: &Path,
    destination: &Destination,
    options: &PackOptions,
    progress: &mut dyn Progress,
) -> Result<PackReport> {
    if !options.dry_run
        && let Some(url) = far_output::url(input, destination)?
    {
        return far_output::send(&url, options.overwrite, |here| {
            pack(input, here, options, progress)
        });
    }
    guarded(input, || {
        let clock = Clock::start(options.energy);
        let progress = &mut clock.watching(progress);
        options.check_readers()?;
        let mut target = if options.dry_run {
            None
        } else {
            Some(output::resolve(input, destination, options.overwrite)?)
        };
        let source = open(input, target.as_mut())?;
        let budget = resources::budget(&options.resources);
        progress.stage("plan", 0);
        let decisions = decide::decide(&source, options, &budget, (Depth::Decide, None), progress);
        let mut decisions = decisions.map_err(|error| source.blame(error))?;
        tell(&source, progress);
        let keep = Keep::of(options, destination);
        let Some(target) = target else {
            source.check_unchanged()?;
            let predicted = predict::foretell(&source, &mut decisions, options, (&clock, None))?;
            let mut predicted = kept::foretold(predicted, &source, keep);
            grown::tell(&mut predicted, options);
            return Ok(predicted);
        };
        let job = Job {
            layout: options.layout_profile(),
            keep,
            verify: options.verify || target.in_place,
            attempt: options.attempt.as_ref(),
            resources: &options.resources,
            budget: &budget,
            clock: &clock,
        };
        let written = write(&source, &target, &mut decisions, &job, progress);
        let mut report = written.map_err(|error| source.blame(error))?;
        grown::tell(&mut report, options);
        Ok(report)
    })
}

/// Opens an input. One that is replaced must still be in the state of now when that comes.
fn open(input: &Path, target: Option<&mut Target>) -> Result<Input> {
    let Some(target) = target.filter(|target| target.in_place) else {
        return Ok(Input::open(input)?.with_stored_bytes());
    };
    let source = Input::open_to_replace(input)?.with_stored_bytes();
    source.check_replaceable()?;
    if let Some(state) = source.state() {
        target.before = Before::File(state);
    }
    Ok(source)
}

/// Says before the work begins what a user should know of the input; reports repeat it.
fn tell(source: &Input, progress: &mut dyn Progress) {
    source
        .notices()
        .iter()
        .for_each(|line| progress.notice(line));
}

/// Plans one file as [`pack`] would, and writes nothing; `progress` is told what the user should know.
///
/// # Errors
/// As [`pack`].
pub fn plan(input: &Path, options: &PackOptions, progress: &mut dyn Progress) -> Result<WritePlan> {
    guarded(input, || {
        options.check_readers()?;
        let source = Input::open(input)?.with_stored_bytes();
        let budget = resources::budget(&options.resources);
        let decisions = decide::decide(&source, options, &budget, (Depth::Decide, None), progress);
        source.judge(decisions.and_then(|decisions| {
            tell(&source, progress);
            let said = decisions.notices();
            said.iter().for_each(|line| progress.notice(line));
            let mut variables = decisions.plans;
            shapes::plan_caches(&source, options, &mut variables)?;
            let variables = shapes::without_placeholders(&source, variables);
            let layout = options.special_layout();
            Ok(WritePlan { layout, variables })
        }))
    })
}

/// Undoes [`pack`]: no filters but those that nobody here can undo, chunks only where an axis may grow.
///
/// # Errors
/// Names file, variable, cause and cure; the input is untouched and no output is left.
pub fn unpack(
    input: &Path,
    destination: &Destination,
    options: &UnpackOptions,
    progress: &mut dyn Progress,
) -> Result<PackReport> {
    if let Some(url) = far_output::url(input, destination)? {
        return far_output::send(&url, options.overwrite, |here| {
            unpack(input, here, options, progress)
        });
    }
    guarded(input, || {
        let clock = Clock::start(EnergyRates::default());
        let progress = &mut clock.watching(progress);
        let mut target = output::resolve(input, destination, options.overwrite)?;
        let source = open(input, Some(&mut target))?;
        let budget = resources::budget(&options.resources);
        let job = Job {
            layout: LayoutProfile::Standard,
            keep: Keep::Never,
            verify: options.verify || target.in_place,
            attempt: None,
            resources: &options.resources,
            budget: &budget,
            clock: &clock,
        };
        tell(&source, progress);
        let decisions = decide::decide_unpacked(&source, options);
        let written = decisions.and_then(|mut decisions| match options.format {
            UnpackFormat::Hdf5 => write(&source, &target, &mut decisions, &job, progress),
            UnpackFormat::Classic => write_classic(&source, &target, &decisions, &job, progress),
        });
        written.map_err(|error| source.blame(error))
    })
}

/// Defines, fills, proves and names the output.
pub(crate) fn write(
    source: &Input,
    target: &Target,
    decisions: &mut Decisions,
    job: &Job<'_>,
    progress: &mut dyn Progress,
) -> Result<PackReport> {
    let before = match job.attempt {
        Some(_) if !target.in_place => Before::Anything,
        _ => target.before,
    };
    let (pending, stored, finished) = loop {
        let pending = PendingOutput::create_attempt(&target.path, before, job.attempt)?;
        let filled = fill_file(source, &pending, decisions, job, progress)
            .map_err(|error| rename_file(error, pending.path(), &target.path))?;
        match filled {
            Written::Whole(stored, finished) => break (pending, stored, finished),
            // What falls back does so for good: there is a second time, and no third.
            Written::Overgrown(variables) => {
                variables.iter().for_each(|&i| decisions.fall_back(i));
                decisions.find_additions(source)?;
            }
        }
    };
    let decisions = &*decisions;
    copy_user_block(source, &pending)?;
    let mut report = report(source, decisions, &stored, job);
    report.notices = [source.notices(), decisions.notices()].concat();
    report.notices.extend(finished.notice);
    report
        .notices
        .extend(left_behind::neighbours(source, &target.path)?);
    let packing = packing_seconds(source, &stored);
    match kept::settle(
        source,
        target,
        pending,
        &mut report,
        job.keep,
        job.resources,
    )? {
        Some(pending) => complete(source, target, pending, (report, &packing), job, progress),
        None => finish(target, report, &packing, job),
    }
}

/// Seconds that threads spent on packing each variable of a report.
fn packing_seconds(source: &Input, stored: &[Stored]) -> Vec<f64> {
    let rows = source.variables().iter().zip(stored);
    rows.filter(|(variable, _)| !variable.is_dimension_only)
        .map(|(_, stored)| stored.seconds)
        .collect()
}

/// [`write`] for a classic output.
fn write_classic(
    source: &Input,
    target: &Target,
    decisions: &Decisions,
    job: &Job<'_>,
    progress: &mut dyn Progress,
) -> Result<PackReport> {
    let pending = PendingOutput::create(&target.path, target.before)?;
    let history = decisions.history.as_ref();
    let notices = unpack_classic::write(source, pending.path(), history, job, progress)
        .map_err(|error| rename_file(error, pending.path(), &target.path))?;
    let mut report = report(source, decisions, &[], job);
    for variable in &mut report.variables {
        variable.chunk = None;
        variable.stored_bytes = variable.raw_bytes;
    }
    report.notices = [source.notices(), decisions.notices(), notices].concat();
    complete(source, target, pending, (report, &[]), job, progress)
}

/// Proves the written file, gives it its name, and completes the report, which comes with the seconds
/// of packing each of its variables (none: not known).
fn complete(
    source: &Input,
    target: &Target,
    pending: PendingOutput,
    (mut report, packing_seconds): (PackReport, &[f64]),
    job: &Job<'_>,
    progress: &mut dyn Progress,
) -> Result<PackReport> {
    if job.verify {
        proof::prove(source, pending.path(), job.resources, progress)?;
    } else {
        proof::check_readable(source, pending.path())?;
    }
    source.check_unchanged()?;
    report.notices.extend(pending.commit(target.in_place)?);
    report.verified = job.verify;
    finish(target, report, packing_seconds, job)
}

/// Completes the report of an output that has its name.
fn finish(
    target: &Target,
    mut report: PackReport,
    packing_seconds: &[f64],
    job: &Job<'_>,
) -> Result<PackReport> {
    report.output_file_bytes = target
        .path
        .metadata()
        .map_err(|e| Error::io(&e, "inspect", &target.path))?
        .len();
    report.output = Some(target.path.clone());
    (report.seconds, report.cpu_seconds) = job.clock.elapsed();
    let work = Work {
        cpu_seconds: report.cpu_seconds,
        seconds: report.seconds,
        passes: if report.verified { 2.0 } else { 1.0 },
        packing_seconds,
    };
    let measured = job.clock.joules();
    energy::complete(&mut report, &job.clock.rates, measured, work);
    Ok(report)
}

/// What writing a file came to.
enum Written {
    /// What was stored of each variable.
    Whole(Vec<Stored>, Finished),
    /// These variables came out larger than they may.
    Overgrown(Vec<usize>),
}

fn fill_file(
    source: &Input,
    pending: &PendingOutput,
    decisions: &Decisions,
    job: &Job<'_>,
    progress: &mut dyn Progress,
) -> Result<Written> {
    let metadata_block_bytes = block_bytes(job.layout, source, decisions)?;
    let target = OutputTarget::File {
        path: pending.path(),
        metadata_block_bytes,
    };
    let define_output = || define(source, target, decisions);
    let filled = fill::fill(source, &define_output, pending, decisions, job, progress)?;
    let (output, stored) = match filled {
        Filled::Whole(output, stored) => (output, stored),
        Filled::Overgrown(variables) => return Ok(Written::Overgrown(variables)),
    };
    let finished = output.finish(source.hdf5());
    let finished = finished.map_err(|error| from_copying(error, source.path(), pending.path()))?;
    Ok(Written::Whole(stored, finished))
}
