//! `frazil pack --scheduler`: done by the Python package, which speaks with the cluster.

use std::ffi::OsString;
use std::io::Write;
use std::path::{Path, PathBuf};
use std::process::{Child, Command, ExitStatus, Stdio};
use std::sync::atomic::{AtomicBool, Ordering};
use std::thread::sleep;
use std::time::{Duration, Instant};

use frazil::{Destination, Error, ErrorCode, PackOptions, Resources};
use serde::Serialize;

use super::Status;
use crate::args::PackArgs;

/// Names the interpreter that has the package.
const PYTHON: &str = "FRAZIL_PYTHON";
/// What the interpreter must have.
const NEEDED: &str = "import frazil, distributed";
/// Reads what to do, and does it.
const MODULE: &str = "frazil.cluster_command";
/// How often the interpreter and the cancel flag are looked after.
const LOOK: Duration = Duration::from_millis(50);
/// How long an interrupted interpreter may take to end by itself.
const PATIENCE: Duration = Duration::from_secs(5);

/// What the package is to do: the arguments as they were understood here.
#[derive(Debug, Serialize)]
pub(super) struct Work<'a> {
    scheduler: &'a str,
    inputs: &'a [PathBuf],
    /// None: in place.
    out_dir: Option<&'a Path>,
    break_hard_links: bool,
    overwrite: bool,
    options: PackOptions,
    json: bool,
    quiet: bool,
}

impl<'a> Work<'a> {
    /// Unless threads are asked for, each file has one: a worker packs as many files at once as it
    /// has threads of dask's.
    pub(super) fn new(
        scheduler: &'a str,
        args: &'a PackArgs,
        (inputs, destination): (&'a [PathBuf], &'a Destination),
        options: PackOptions,
    ) -> Self {
        let (out_dir, break_hard_links) = match destination {
            Destination::Directory(path) | Destination::File(path) => (Some(path.as_path()), false),
            Destination::InPlace { break_hard_links } => (None, *break_hard_links),
        };
        Self {
            scheduler,
            inputs,
            out_dir,
            break_hard_links,
            overwrite: options.overwrite,
            json: args.output.json,
            quiet: args.output.quiet,
            options: PackOptions {
                // Workers are given an output by its name, even in a folder.
                allow_larger: Some(options.allow_larger.unwrap_or(false)),
                resources: Resources {
                    threads: options.resources.threads.max(1),
                    ..options.resources
                },
                ..options
            },
        }
    }
}

/// Has the Python package do the work.
///
/// # Errors
/// If there is no interpreter, or it does not have the package or `distributed`; if a file's name
/// is no text.
pub(super) fn run(work: &Work<'_>, cancel: &AtomicBool) -> frazil::Result<Status> {
    let text = serde_json::to_vec(work).map_err(|error| {
        let cause = format!("frazil cannot give the work to the cluster: {error}");
        Error::new(ErrorCode::InvalidArgument, cause)
    })?;
    let python = std::env::var_os(PYTHON).unwrap_or_else(|| "python3".into());
    check(&python)?;
    let mut command = Command::new(&python);
    command.args(["-m", MODULE]).stdin(Stdio::piped());
    let mut child = command.spawn().map_err(|error| failed(&python, &error))?;
    if let Some(mut input) = child.stdin.take() {
        // Whoever ends without having read it says why.
        let _ = input.write_all(&text);
    }
    let ended = wait(&mut child, cancel).map_err(|error| failed(&python, &error))?;
    Ok(match ended.code() {
        _ if cancel.load(Ordering::Relaxed) => Status::Interrupted,
        Some(0) => Status::Success,
        Some(2) => Status::Trouble,
        Some(130) => Status::Interrupted,
        _ => Status::Failure,
    })
}

/// Whether the interpreter has what is needed.
fn check(python: &OsString) -> frazil::Result<()> {
    let mut command = Command::new(python);
    command.args(["-c", NEEDED]).stdin(Stdio::null());
    let done = command.output().map_err(|error| failed(python, &error))?;
    if done.status.success() {
        return Ok(());
    }
    let said = String::from_utf8_lossy(&done.stderr);
    let last = said.lines().last().unwrap_or("it says nothing");
    let cause = format!("{} cannot work with a cluster: {last}", python.display());
    Err(Error::new(ErrorCode::NotFound, cause).with_cure(format!(
        "install the package frazil[distributed] for it, or name another interpreter in {PYTHON}"
    )))
}

fn failed(python: &OsString, error: &std::io::Error) -> Error {
    let cause = format!("cannot run {}: {error}", python.display());
    Error::new(ErrorCode::NotFound, cause).with_cure(format!(
        "--scheduler needs Python with the package frazil[distributed]; {PYTHON} names the \
         interpreter"
    ))
}

/// Waits for the interpreter, which gets Ctrl-C as this process does; where it only is this process
/// that was told to stop, it is ended.
fn wait(child: &mut Child, cancel: &AtomicBool) -> std::io::Result<ExitStatus> {
    let mut cancelled = None;
    loop {
        if let Some(status) = child.try_wait()? {
            return Ok(status);
        }
        if cancel.load(Ordering::Relaxed) {
            let since: &mut Instant = cancelled.get_or_insert_with(Instant::now);
            if since.elapsed() > PATIENCE {
                child.kill()?;
                return child.wait();
            }
        }
        sleep(LOOK);
    }
}
