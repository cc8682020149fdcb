//! `frazil calibrate`.

use std::fmt::Write as _;
use std::io;
use std::path::PathBuf;

use frazil::{Calibration, ErrorCode, calibration_path};

use super::{Document, Status};
use crate::args::CalibrateArgs;
use crate::printer::Printer;
use crate::table::{Column, Table};
use crate::text::{self, SCREEN_COLUMNS};

/// Measures this machine and keeps what was measured.
///
/// # Errors
/// Standard output's.
pub(crate) fn run(args: &CalibrateArgs) -> io::Result<Status> {
    let printer = Printer::new(args.print);
    let mut document = Document::new();
    let measured = target(args).and_then(|path| {
        let calibration = frazil::calibrate()?;
        frazil::write_calibration(&path, &calibration)?;
        Ok((path, calibration))
    });
    let status = match measured {
        Ok((path, calibration)) => {
            let page = page(&calibration);
            printer.table(&format!("{page}\nkept in {}\n", text::path(&path)))?;
            document.reports.push(calibration);
            Status::Success
        }
        Err(error) => document.fail(printer, error),
    };
    printer.json(&document)?;
    Ok(status)
}

fn target(args: &CalibrateArgs) -> frazil::Result<PathBuf> {
    if let Some(path) = &args.output {
        frazil::check_folder(path)?;
    }
    args.output
        .clone()
        .or_else(calibration_path)
        .ok_or_else(|| {
            let cause = "there is no home folder to keep the calibration in";
            frazil::Error::new(ErrorCode::NotFound, cause).with_cure("name a file: -o FILE.json")
        })
}

fn page(calibration: &Calibration) -> String {
    let mut page = String::new();
    let rates = [
        ("a read call", calibration.read_seconds * 1e6, "us"),
        (
            "a chunk beside its bytes",
            calibration.chunk_seconds * 1e6,
            "us",
        ),
        (
            "decoding, shuffle and deflate",
            calibration.decode_bytes_per_second / 1e6,
            "MB/s",
        ),
        (
            "copying, without filters",
            calibration.copy_bytes_per_second / 1e6,
            "MB/s",
        ),
        (
            "local storage, a seek",
            calibration.local.seek_seconds * 1e6,
            "us",
        ),
        (
            "local storage, fetching",
            calibration.local.fetch_bytes_per_second / 1e6,
            "MB/s",
        ),
    ];
    for (what, value, unit) in rates {
        // Writing to a String cannot fail.
        let _ = writeln!(page, "{what:30} {value:>9.1} {unit}");
    }
    let mut table = Table::new(vec![
        Column::words("filters, one core"),
        Column::number("encode MB/s"),
        Column::number("decode MB/s"),
    ]);
    for (filters, speed) in &calibration.codecs {
        table.row(vec![
            filters.clone(),
            format!("{:.0}", speed.encode_bytes_per_second / 1e6),
            format!("{:.0}", speed.decode_bytes_per_second / 1e6),
        ]);
    }
    page.push('\n');
    page.push_str(&table.render(SCREEN_COLUMNS));
    page
}
