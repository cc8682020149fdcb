//! What `pack` and `unpack` share: many inputs, of which a failing one does not stop the others.

use std::io;
use std::path::Path;
use std::sync::atomic::{AtomicBool, Ordering};

use frazil::{Destination, ErrorCode, PackReport, Progress, Resources};

use super::batch::{
    self, Account, Chosen, Finished, NewFolders, Outcome, Requests, Results, Share,
};
use super::summary::Shown;
use super::{Document, Status};
use crate::args::{BatchArgs, OutputArgs, ResultArgs};
use crate::printer::Printer;

/// What to do about a result that `--skip-existing` does not take for done.
const NOT_DONE: &str = "it is older than its input, or has changed since it was finished: add --overwrite to write \
     it again";

/// What to go through and how to show it.
#[derive(Debug)]
pub(super) struct Transform<'a> {
    pub(super) chosen: &'a [Chosen],
    /// The folder of all results, if there is one.
    pub(super) out_dir: Option<&'a Path>,
    pub(super) destination: &'a Destination,
    pub(super) batch: &'a BatchArgs,
    pub(super) results: &'a ResultArgs,
    pub(super) output: OutputArgs,
    pub(super) shown: Shown,
    pub(super) resources: &'a Resources,
}

/// The work on one input, to a destination, with these resources.
pub(super) type Work<'a> = dyn Fn(&Path, &Destination, Resources, &mut dyn Progress) -> frazil::Result<PackReport>
    + Sync
    + 'a;

/// Does `work` on each input, tells what came of it, and says how it all ended.
///
/// # Errors
/// Standard output's.
pub(super) fn each(transform: &Transform<'_>, work: &Work<'_>) -> io::Result<Status> {
    match with_results(transform, work) {
        Ok(ended) => ended,
        Err(error) => end(transform.output, error, Status::Trouble),
    }
}

/// [`each`], the files that are kept beside the results being opened.
///
/// # Errors
/// If they cannot be.
fn with_results(transform: &Transform<'_>, work: &Work<'_>) -> frazil::Result<io::Result<Status>> {
    let index = transform
        .out_dir
        .filter(|_| transform.results.skip_existing);
    let finished = index.map(Finished::open).transpose()?;
    let results = transform
        .out_dir
        .map(|folder| Results::open(folder, transform.results, finished.as_ref()))
        .transpose()?;
    let requests = Requests {
        batch: transform.batch,
        output: transform.output,
        shown: transform.shown,
    };
    let mut account = Account::open(requests, transform.chosen, results)?;
    let one = |chosen: &Chosen, share: Share, progress: &mut dyn Progress| {
        if finished
            .as_ref()
            .is_some_and(|finished| finished.has(chosen))
        {
            return Outcome::Skipped;
        }
        let had_any = finished.as_ref().is_some_and(|index| index.has_any(chosen));
        let outcome = one(transform, chosen, |input, destination| {
            let resources = share.resources(&transform.resources.cancel);
            work(input, destination, resources, progress)
        });
        match (outcome, &finished) {
            (Outcome::Failed(error), Some(index)) if error.code == ErrorCode::AlreadyExists => {
                match had_any {
                    true => Outcome::Failed(error.with_cure(NOT_DONE)),
                    // A run beside this one was faster.
                    false if index.has_new(chosen) => Outcome::Skipped,
                    false => Outcome::Failed(error),
                }
            }
            (Outcome::Failed(error), Some(_)) if error.code == ErrorCode::Locked => {
                Outcome::MadeElsewhere
            }
            (outcome, _) => outcome,
        }
    };
    let (resources, jobs) = (transform.resources, transform.batch.jobs);
    let new_folders = transform
        .out_dir
        .map(|folder| NewFolders::of(folder, transform.chosen));
    let done = batch::each(transform.chosen, jobs, resources, &mut account, &one);
    let closed = done.and_then(|()| account.close(is_set(&resources.cancel)));
    if let Some(folders) = new_folders {
        folders.remove_empty();
    }
    Ok(closed)
}

/// What comes of one file.
fn one(
    transform: &Transform<'_>,
    chosen: &Chosen,
    work: impl FnOnce(&Path, &Destination) -> frazil::Result<PackReport>,
) -> Outcome<PackReport> {
    if let Some(error) = &chosen.unlisted {
        return Outcome::Failed(error.clone());
    }
    let destination = match (transform.destination, transform.out_dir) {
        (Destination::Directory(_), Some(out_dir)) => {
            Destination::Directory(out_dir.join(&chosen.folder))
        }
        (other, _) => other.clone(),
    };
    // As it is before it may be replaced. Work on it says what is wrong with it.
    let before = chosen.path.metadata();
    let done = work(&chosen.path, &destination).and_then(|report| {
        if let (Some(output), Ok(before), false) = (&report.output, before, report.dry_run) {
            batch::preserve(&transform.results.preserve, &before, output)?;
        }
        Ok(report)
    });
    done.map_or_else(Outcome::Failed, |report| Outcome::Done(Box::new(report)))
}

fn is_set(cancel: &AtomicBool) -> bool {
    cancel.load(Ordering::Relaxed)
}

/// Ends before anything was read or written.
pub(super) fn end(output: OutputArgs, error: frazil::Error, status: Status) -> io::Result<Status> {
    let printer = Printer::new(output);
    let mut document = Document::<PackReport>::new();
    printer.error(&error);
    document.errors.push(error.into());
    printer.json(&document)?;
    Ok(status)
}

#[cfg(test)]
mod tests {
    use std::sync::Arc;

    use frazil::{Error, ErrorCode};

    use super::*;
    use crate::commands::summary::tests::report;

    /// The status after all inputs, and the inputs worked on.
    fn outcome(
        batch: &BatchArgs,
        cancel: &Arc<AtomicBool>,
        work: impl Fn(&Path) -> frazil::Result<PackReport> + Sync,
    ) -> (Status, usize) {
        let chosen = ["a.nc", "b.nc", "c.nc"].map(|name| Chosen {
            path: name.into(),
            folder: "".into(),
            unlisted: None,
        });
        let resources = Resources {
            cancel: Arc::clone(cancel),
            ..Resources::default()
        };
        let transform = Transform {
            chosen: &chosen,
            out_dir: None,
            destination: &Destination::InPlace {
                break_hard_links: false,
            },
            batch,
            results: &ResultArgs::default(),
            output: OutputArgs {
                json: false,
                quiet: true,
            },
            shown: Shown::default(),
            resources: &resources,
        };
        let calls = std::sync::atomic::AtomicUsize::new(0);
        let status = each(&transform, &|input, _, _, progress| {
            calls.fetch_add(1, Ordering::Relaxed);
            progress.stage("pack", 10);
            progress.advance(10);
            work(input)
        });
        (status.unwrap(), calls.into_inner())
    }

    #[test]
    fn a_failing_input_does_not_stop_the_next() {
        let never = Arc::new(AtomicBool::new(false));
        for jobs in [None, Some(2)] {
            let batch = BatchArgs {
                jobs,
                ..BatchArgs::default()
            };
            let all_well = outcome(&batch, &never, |_| Ok(report(2)));
            assert_eq!(all_well, (Status::Success, 3));
            let first_fails = outcome(&batch, &never, |input| match input == Path::new("a.nc") {
                true => Err(Error::new(ErrorCode::Corrupt, "truncated")),
                false => Ok(report(2)),
            });
            assert_eq!(first_fails, (Status::Failure, 3));
        }
    }

    #[test]
    fn what_does_not_fit_into_its_share_is_done_alone() {
        let (never, batch) = (
            Arc::new(AtomicBool::new(false)),
            BatchArgs {
                jobs: Some(2),
                ..BatchArgs::default()
            },
        );
        let is_first = AtomicBool::new(true);
        let done = outcome(&batch, &never, |_| {
            match is_first.swap(false, Ordering::Relaxed) {
                true => Err(Error::new(ErrorCode::MemoryBudget, "too little")),
                false => Ok(report(1)),
            }
        });
        assert_eq!(done, (Status::Success, 4));
    }

    #[test]
    fn an_interrupt_stops_everything() {
        let (never, batch) = (Arc::new(AtomicBool::new(false)), BatchArgs::default());
        let cancel = Arc::new(AtomicBool::new(false));
        let between = outcome(&batch, &cancel, |_| {
            cancel.store(true, Ordering::Relaxed);
            Ok(report(1))
        });
        assert_eq!(between, (Status::Interrupted, 1));
        let within = outcome(&batch, &never, |_| {
            never.store(true, Ordering::Relaxed);
            Err(Error::new(ErrorCode::Interrupted, "stopped"))
        });
        assert_eq!(within, (Status::Interrupted, 1));
    }
}
