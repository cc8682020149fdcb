//! What `pack` and `unpack` share: many inputs, of which a failing one does not stop the others.

use std::io;
use std::path::Path;
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};

use frazil::{Destination, PackReport, Progress, Resources};

use super::batch::{self, Account, Chosen, Outcome, Requests, Share};
use super::summary::Shown;
use super::{Document, Status};
use crate::args::{BatchArgs, OutputArgs};
use crate::printer::Printer;

/// What to go through and how to show it.
#[derive(Debug)]
pub(super) struct Transform<'a> {
    pub(super) chosen: &'a [Chosen],
    /// The folder of all results, if there is one.
    pub(super) out_dir: Option<&'a Path>,
    pub(super) destination: &'a Destination,
    pub(super) batch: &'a BatchArgs,
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
    let requests = Requests {
        batch: transform.batch,
        output: transform.output,
        shown: transform.shown,
        out_dir: transform.out_dir,
    };
    let resources = transform.resources;
    let mut account = match Account::open(requests, transform.chosen) {
        Ok(account) => account,
        Err(error) => return end(transform.output, error, Status::Trouble),
    };
    let one = |chosen: &Chosen, share: Share, progress: &mut dyn Progress| {
        if let Some(error) = &chosen.unlisted {
            return Outcome::Failed(error.clone());
        }
        if requests.is_done(chosen) {
            return Outcome::Skipped;
        }
        let destination = match (transform.destination, transform.out_dir) {
            (Destination::Directory(_), Some(out_dir)) => {
                Destination::Directory(out_dir.join(&chosen.folder))
            }
            (other, _) => other.clone(),
        };
        let resources = Resources {
            threads: share.threads,
            memory_bytes: share.memory_bytes,
            cancel: Arc::clone(&resources.cancel),
        };
        let done = requests.preserving(&chosen.path, || {
            work(&chosen.path, &destination, resources, progress)
        });
        done.map_or_else(Outcome::Failed, |report| Outcome::Done(Box::new(report)))
    };
    batch::each(
        transform.chosen,
        transform.batch.jobs,
        resources,
        &mut account,
        &one,
    )?;
    account.close(is_set(&resources.cancel))
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
