//! `verify`: proves that two files hold the same, value by value.
//!
//! In: two files. Out: a [`VerifyReport`] with the place of every difference and, for rounded
//! variables, the errors of the values beside the bounds that the file states.
//!
//! # What is compared
//! Two HDF5 files: every object by its path, links and what they lead to (the bytes of their
//! texts), shapes and how far they may grow, datatypes down to the last bit, fill values, attributes,
//! comments, user blocks, and the bits of every value (so NaN payloads and the sign of zero count).
//! References are equal if they lead to the same path and, region references, select the same
//! elements. Of two virtual datasets the mappings are compared: their values lie elsewhere.
//!
//! A classic netCDF file and any other: dimensions, variables, attributes and values, as a reader
//! of the classic model sees them. Byte order does not matter there, and one-element strings are
//! compared with text.
//!
//! # What is not
//! How values are stored: layout, chunk shapes, filters, allocation. Who wrote the file
//! (`_NCProperties`). Lines about frazil's commands before the first file's `history`. Object times, how
//! file space is managed and the like: a notice says so. The order of entries in a scale's
//! `REFERENCE_LIST`, whether it numbers dimensions with a sign, and the place of the attributes that
//! dimension scales and netCDF-4 keep their books in. The order of links and attributes where neither
//! file keeps it; where only one keeps it, a notice says so.
//!
//! With [`VerifyOptions::values_only`], nothing but variables, types, shapes and values, and the attributes that
//! values are unpacked by.
//!
//! # Rounded variables
//! A floating-point variable of the second file that states a precision which the first one does
//! not state (see `precision::stated`) need not be equal: its errors are measured and judged by what
//! is stated, special values must be unchanged, and attributes that tell of rounding, and the
//! container that they name, may be new (see `lossy`). Beside it, the container of an earlier rounding
//! may stay.
//!
//! Values that were never written and have no fill value are undefined: reading them gives whatever
//! was in memory. They are skipped with a notice.

#![forbid(unsafe_code)]

mod attributes;
mod datatypes;
mod elements;
mod findings;
mod lossy;
mod netcdf;
mod objects;
mod one_by_one;
mod options;
mod order;
mod particulars;
mod plan;
mod prepare;
pub mod proof;
mod render;
mod report;
mod stored;
mod tiles;
mod values;

use std::path::Path;
use std::time::Instant;

use findings::Findings;
use frazil_file::error::{Result, guarded};
use frazil_file::input::{Input, InputKind};
use frazil_file::progress::Progress;

pub use options::{Thresholds, VerifyOptions};
pub use report::{Difference, PrecisionReport, ThresholdResult, VariableFigures, VerifyReport};

/// Compares two files.
///
/// # Errors
/// If a file cannot be read or decoded; those of `a` come first. A difference is no error.
pub fn verify(
    a: &Path,
    b: &Path,
    options: &VerifyOptions,
    progress: &mut dyn Progress,
) -> Result<VerifyReport> {
    guarded(a, || {
        let first = Input::open(a)?;
        let second = Input::open(b)?;
        let outcome = compare(&first, &second, options, progress);
        first.judge(second.judge(outcome))
    })
}

/// Compares two open files.
pub(crate) fn compare(
    a: &Input,
    b: &Input,
    options: &VerifyOptions,
    progress: &mut dyn Progress,
) -> Result<VerifyReport> {
    let start = Instant::now();
    let resources = &options.resources;
    let mut findings = Findings::new(options.values_only);
    for notice in a.notices().into_iter().chain(b.notices()) {
        findings.notice(notice);
    }
    let pairs = match (a.kind(), b.kind()) {
        (InputKind::Hdf5(first), InputKind::Hdf5(second)) => {
            objects::compare((a, first), (b, second), resources, &mut findings)?
        }
        _ => netcdf::compare(a, b, &mut findings)?,
    };
    let total = pairs
        .iter()
        .fold(0_u64, |sum, pair| sum.saturating_add(pair.bytes()));
    progress.stage("verify", total);
    values::compare(a, b, &pairs, options, &mut findings, progress)?;
    Ok(findings.into_report(a.path(), b.path(), start.elapsed().as_secs_f64()))
}
