//! `frazil verify`.

mod pairs;
mod rounded;
mod verdict;

use std::io;
use std::path::Path;
use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::{Arc, Mutex, PoisonError};

use frazil::{Error, Progress, Resources, VerifyOptions, VerifyReport};

use super::batch::{self, Account, Chosen, Outcome, Requests, Share};
use super::summary::Shown;
use super::{Status, page};
use crate::args::VerifyArgs;
use crate::printer::Printer;

use pairs::Pairs;
pub(super) use verdict::{line_of, of_all, of_pair};

/// Compares two files, or many with what was made of them.
///
/// # Errors
/// Standard output's.
pub(crate) fn run(args: &VerifyArgs, cancel: &Arc<AtomicBool>) -> io::Result<Status> {
    compare(args, cancel, &|a, b, options, progress| {
        frazil::verify(a, b, options, progress)
    })
}

/// The comparison of two files.
type Compare<'a> = dyn Fn(&Path, &Path, &VerifyOptions, &mut dyn Progress) -> frazil::Result<VerifyReport>
    + Sync
    + 'a;

/// Does it with each pair; equal, different and incomparable are three exit codes.
fn compare(
    args: &VerifyArgs,
    cancel: &Arc<AtomicBool>,
    compare: &Compare<'_>,
) -> io::Result<Status> {
    let requests = Requests {
        batch: &args.batch,
        output: args.output,
        shown: Shown {
            thresholds: args.shows_thresholds(),
            ..Shown::default()
        },
    };
    let options = args.options(cancel);
    let opened = page::check(args.report.as_deref()).and_then(|()| {
        let pairs = Pairs::of(args, Printer::new(args.output))?;
        let account = Account::open(requests, pairs.chosen(), None)?;
        Ok((pairs, account))
    });
    let (pairs, mut account) = match opened {
        Ok(opened) => opened,
        Err(error) => return super::transform::end(args.output, error, Status::Trouble),
    };
    let for_page = Mutex::new(Vec::new());
    let one = |chosen: &Chosen, share: Share, progress: &mut dyn Progress| {
        let options = VerifyOptions {
            resources: share.resources(cancel),
            ..options.clone()
        };
        let compared = pairs
            .files(chosen)
            .and_then(|(a, b)| compare(&a, &b, &options, progress));
        if let (Ok(report), Some(_)) = (&compared, &args.report) {
            let bytes = chosen.path.metadata().ok().map(|found| found.len());
            for_page
                .lock()
                .unwrap_or_else(PoisonError::into_inner)
                .push((report.clone(), bytes));
        }
        compared.map_or_else(Outcome::Failed, |report| Outcome::Done(Box::new(report)))
    };
    let (jobs, resources): (_, &Resources) = (args.batch.jobs, &options.resources);
    batch::each(pairs.chosen(), jobs, resources, &mut account, &one)?;
    let status = account.close(cancel.load(Ordering::Relaxed))?;
    pairs.tell_extra(Printer::new(args.output));
    let compared = for_page
        .into_inner()
        .unwrap_or_else(PoisonError::into_inner);
    let is_written = match &args.report {
        Some(path) if !compared.is_empty() => {
            write_page(Printer::new(args.output), path, &compared)
        }
        _ => true,
    };
    // Different stays different where the page cannot be written.
    Ok(match is_written {
        true => status,
        false => status.or(Status::Trouble),
    })
}

/// Writes the page, or says why it cannot be written.
fn write_page(printer: Printer, path: &Path, compared: &[(VerifyReport, Option<u64>)]) -> bool {
    match frazil_figures::verify_html(compared) {
        Ok(text) => page::write(printer, path, &text),
        Err(error) => {
            printer.error(&Error::new(error.code(), error.to_string()).in_file(path));
            false
        }
    }
}

#[cfg(test)]
mod tests;
