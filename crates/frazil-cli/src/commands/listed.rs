//! One input after the other: what `info` and `refs` share.

use std::io;
use std::sync::atomic::{AtomicBool, Ordering};

use frazil::{Error, ErrorCode};
use serde::Serialize;

use super::batch::Chosen;
use super::{Document, Status};
use crate::printer::Printer;

/// Does `work` with every input and has its report shown, with its number; one that fails does not
/// stop the next. Returns how it ended, and the number of reports.
///
/// # Errors
/// Standard output's.
pub(super) fn each<R: Serialize>(
    printer: Printer,
    chosen: frazil::Result<Vec<Chosen>>,
    cancel: &AtomicBool,
    work: impl Fn(&Chosen) -> frazil::Result<R>,
    show: impl Fn(usize, &R) -> io::Result<()>,
) -> io::Result<(Status, usize)> {
    let mut document = Document::new();
    let mut status = Status::Success;
    let chosen = chosen.unwrap_or_else(|error| {
        printer.error(&error);
        document.errors.push(error.into());
        status = Status::Trouble;
        Vec::new()
    });
    for one in &chosen {
        let done = match &one.unlisted {
            _ if cancel.load(Ordering::Relaxed) => {
                Err(Error::new(ErrorCode::Interrupted, "interrupted"))
            }
            Some(error) => Err(error.clone()),
            None => work(one),
        };
        match done {
            Ok(report) => {
                show(document.reports.len(), &report)?;
                document.reports.push(report);
            }
            Err(error) if error.code == ErrorCode::Interrupted => {
                status = Status::Interrupted;
                break;
            }
            Err(error) => {
                printer.error(&error);
                document.errors.push(error.into());
                status = Status::Failure;
            }
        }
    }
    printer.json(&document)?;
    Ok((status, document.reports.len()))
}
