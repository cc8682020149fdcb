//! `frazil refs`.

use std::ffi::OsStr;
use std::io;
use std::path::{Path, PathBuf};
use std::process::{Command, Stdio};
use std::sync::Arc;
use std::sync::atomic::AtomicBool;

use frazil::{Error, ErrorCode, LeftOut, ReaderOptions, ReferenceOptions, References, plain};
use serde::Serialize;

use super::batch::{self, Chosen, NewFolders};
use super::{Status, listed};
use crate::args::RefsArgs;
use crate::printer::Printer;
use crate::text;

/// Names the interpreter that has the package.
const PYTHON: &str = "FRAZIL_PYTHON";
/// Makes of references as JSON those as Parquet.
const MODULE: &str = "frazil.references_parquet";

/// What became of one input.
#[derive(Debug, Serialize)]
struct Report {
    input: String,
    output: String,
    url: String,
    variables: usize,
    chunks: u64,
    left_out: Vec<LeftOut>,
}

/// Writes the references of every file; one that cannot be read does not stop the next.
///
/// # Errors
/// Standard output's.
pub(crate) fn run(args: &RefsArgs, cancel: &Arc<AtomicBool>) -> io::Result<Status> {
    let printer = Printer::new(args.report);
    let out_dir = args.out_dir.as_deref();
    let named = args.output.as_deref().filter(|output| !is_parquet(output));
    let chosen = named
        .map_or(Ok(()), frazil::check_text_output)
        .and_then(|()| batch::choose(&args.inputs.named, &args.inputs.selection, out_dir, printer));
    let work = |one: &Chosen| refer(args, one, cancel);
    let (status, finished) = listed::each(printer, chosen, cancel, work, |_, report| {
        printer.table(&line(report))?;
        for left in &report.left_out {
            printer.note(&words(left));
        }
        Ok(())
    })?;
    if status == Status::Interrupted {
        printer.interrupted(finished);
    }
    Ok(status)
}

/// `in.nc -> in.json: 12 variables, 340 chunks`.
fn line(report: &Report) -> String {
    format!(
        "{} -> {}: {}, {}\n",
        plain(&report.input),
        plain(&report.output),
        text::count(report.variables as u64, "variable"),
        text::count(report.chunks, "chunk")
    )
}

fn words(left: &LeftOut) -> String {
    let cure = left.cure.as_ref().map(|cure| format!("; {cure}"));
    format!(
        "{} is left out: {}{}",
        left.path,
        left.cause,
        cure.unwrap_or_default()
    )
}

/// Writes the references of one file.
fn refer(args: &RefsArgs, one: &Chosen, cancel: &Arc<AtomicBool>) -> frazil::Result<Report> {
    let output = target(args, one);
    frazil::check_text_output(&output)?;
    if !args.overwrite && output.symlink_metadata().is_ok() {
        return Err(Error::new(ErrorCode::AlreadyExists, "exists already")
            .in_file(&output)
            .with_cure("add --overwrite, or choose another name"));
    }
    let options = ReferenceOptions {
        url: args.url(&one.path, &one.folder),
        inline_threshold: args.inline_threshold,
        split_bytes: args.split,
        reader: ReaderOptions {
            cancel: Arc::clone(cancel),
            ..ReaderOptions::default()
        },
    };
    let references = frazil::references(&one.path, &options)?;
    write(&references, args.template, &output)?;
    Ok(Report {
        input: one.path.to_string_lossy().into_owned(),
        output: output.to_string_lossy().into_owned(),
        url: references.url().to_owned(),
        variables: references.variable_count(),
        chunks: references.chunk_count(),
        left_out: references.left_out().to_vec(),
    })
}

fn target(args: &RefsArgs, one: &Chosen) -> PathBuf {
    match (&args.output, &args.out_dir) {
        // A folder of Parquet files may have a slash behind its name.
        (Some(output), _) if is_parquet(output) => output.components().collect(),
        (Some(output), _) => output.clone(),
        (None, Some(folder)) => {
            let mut name = one.target(folder).into_os_string();
            name.push(".json");
            name.into()
        }
        (None, None) => PathBuf::new(),
    }
}

fn is_parquet(output: &Path) -> bool {
    ["parquet", "parq"]
        .iter()
        .any(|name| output.extension() == Some(OsStr::new(name)))
}

fn write(references: &References, template: bool, output: &Path) -> frazil::Result<()> {
    let is_parquet = is_parquet(output);
    let mut json = Vec::new();
    let written = references.write_json(template && !is_parquet, &mut json);
    written.map_err(|error| Error::io(&error, "write", output))?;
    if is_parquet {
        return as_parquet(&json, output);
    }
    let new_folders = NewFolders::above([output.to_owned()]);
    let done = make_folder_of(output).and_then(|()| frazil::write_text(output, json));
    if done.is_err() {
        new_folders.remove_empty();
    }
    done
}

fn make_folder_of(output: &Path) -> frazil::Result<()> {
    let folder = output.parent().unwrap_or(output);
    if folder.as_os_str().is_empty() {
        return Ok(());
    }
    std::fs::create_dir_all(folder).map_err(|error| Error::io(&error, "make", folder))
}

/// Has the Python package write a folder of Parquet files.
fn as_parquet(json: &[u8], output: &Path) -> frazil::Result<()> {
    let python = std::env::var_os(PYTHON).unwrap_or_else(|| "python3".into());
    let failed = |said: &str| {
        let cause = format!("{} cannot write Parquet: {said}", python.display());
        Error::new(ErrorCode::NotFound, cause).in_file(output).with_cure(format!(
            "install the packages frazil, fsspec and pyarrow for it, or name another interpreter in {PYTHON}; or \
             write JSON"
        ))
    };
    let mut child = Command::new(&python)
        .args(["-m", MODULE])
        .arg(output)
        .stdin(Stdio::piped())
        .stderr(Stdio::piped())
        .spawn()
        .map_err(|error| failed(&error.to_string()))?;
    if let Some(mut input) = child.stdin.take() {
        // Whoever ends without having read it says why.
        let _ = io::Write::write_all(&mut input, json);
    }
    let done = child
        .wait_with_output()
        .map_err(|error| failed(&error.to_string()))?;
    if done.status.success() {
        return Ok(());
    }
    let said = String::from_utf8_lossy(&done.stderr);
    Err(failed(said.lines().last().unwrap_or("it says nothing")))
}
