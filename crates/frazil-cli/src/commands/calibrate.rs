//! `frazil calibrate`.

use std::fmt::Write as _;
use std::io;
use std::path::PathBuf;

use frazil::{Calibration, ErrorCode, FigureSource, StorageSpeed, calibration_path};

use super::{Document, Status};
use crate::args::CalibrateArgs;
use crate::printer::Printer;
use crate::table::{Column, Table};
use crate::text::{self, screen_columns};

/// Measures this machine and keeps what was measured.
///
/// # Errors
/// Standard output's.
pub(crate) fn run(args: &CalibrateArgs) -> io::Result<Status> {
    let printer = Printer::new(args.print);
    let mut document = Document::new();
    let measured = target(args).and_then(|path| {
        let calibration = frazil::calibrate(&args.options())?;
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
    ];
    for (what, value, unit) in rates {
        // Writing to a String cannot fail.
        let _ = writeln!(page, "{what:30} {value:>9.1} {unit}");
    }
    page.push('\n');
    page.push_str(&storage_table(calibration).render(screen_columns()));
    let mut table = Table::new(vec![
        Column::chain("filters, one core"),
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
    page.push_str(&table.render(screen_columns()));
    page
}

/// What is known of storage and of the network, and where it comes from. The first word of a row is what
/// a speed that is asked for may be: `shared`.
fn storage_table(calibration: &Calibration) -> Table {
    let mut table = Table::new(vec![
        Column::words("storage, network"),
        Column::number("write MB/s"),
        Column::number("read MB/s"),
        Column::number("seek us"),
        Column::words("source"),
    ]);
    let mega = |rate: f64| format!("{:.0}", rate / 1e6);
    let mut storage = |name: &str, speed: &StorageSpeed, source: &FigureSource| {
        table.row(vec![
            name.to_owned(),
            mega(speed.store_rate()),
            mega(speed.fetch_bytes_per_second),
            format!("{:.1}", speed.seek_seconds * 1e6),
            source.to_string(),
        ]);
    };
    let sources = &calibration.sources;
    storage("local", &calibration.local, &sources.local);
    storage("disk", &calibration.disk, &sources.disk);
    let shared = "shared (parallel-fs)";
    storage(shared, &calibration.parallel_fs, &sources.parallel_fs);
    let objects = &calibration.object_store;
    storage("object-store", objects, &sources.object_store);
    let network = mega(calibration.network_bytes_per_second);
    table.row(vec![
        "network".to_owned(),
        network.clone(),
        network,
        String::new(),
        sources.network.to_string(),
    ]);
    table
}
