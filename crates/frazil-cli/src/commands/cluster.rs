//! `frazil pack --scheduler`: done by the Python package, which speaks with the cluster.

use std::ffi::OsString;
use std::process::{Child, Command, ExitStatus, Stdio};
use std::sync::atomic::{AtomicBool, Ordering};
use std::thread::sleep;
use std::time::{Duration, Instant};

use frazil::{Error, ErrorCode};

use super::Status;

/// Names the interpreter that has the package.
const PYTHON: &str = "FRAZIL_PYTHON";
/// What the interpreter must have.
const NEEDED: &str = "import frazil, distributed";
/// How often the interpreter and the cancel flag are looked after.
const LOOK: Duration = Duration::from_millis(50);
/// How long an interrupted interpreter may take to end by itself.
const PATIENCE: Duration = Duration::from_secs(5);

/// Hands the arguments of this process over to `python3 -m frazil`.
///
/// # Errors
/// If there is no interpreter, or it does not have the package or `distributed`.
pub(super) fn run(cancel: &AtomicBool) -> frazil::Result<Status> {
    let python = std::env::var_os(PYTHON).unwrap_or_else(|| "python3".into());
    check(&python)?;
    let arguments = std::env::args_os().skip(1);
    let mut command = Command::new(&python);
    command.args(["-m", "frazil"]).args(arguments);
    let mut child = command.spawn().map_err(|error| failed(&python, &error))?;
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
