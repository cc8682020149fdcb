//! Long work: done on a thread of its own, while Python's thread passes progress on and looks for
//! Ctrl-C.

use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::mpsc::{Receiver, RecvTimeoutError, Sender, channel};
use std::thread;
use std::time::{Duration, Instant};

use frazil::{Error, ErrorCode, Progress};
use pyo3::prelude::*;

use crate::error::{Failure, Outcome};

/// How often Python is looked after.
const LOOK: Duration = Duration::from_millis(50);

/// What the work has to say.
enum Event {
    Stage(String, u64),
    Advance(u64),
    Notice(String),
}

/// Sends progress to Python's thread. Where nobody listens any more, nothing is said.
struct Messenger(Sender<Event>);

impl Progress for Messenger {
    fn stage(&mut self, name: &str, total_bytes: u64) {
        let _ = self.0.send(Event::Stage(name.to_owned(), total_bytes));
    }
    fn advance(&mut self, bytes: u64) {
        let _ = self.0.send(Event::Advance(bytes));
    }
    fn notice(&mut self, line: &str) {
        let _ = self.0.send(Event::Notice(line.to_owned()));
    }
}

/// Does `work` without Python's lock. `listener` has the methods `stage`, `advance` and `notice` of
/// [`Progress`]. An exception of its own, or an interrupt, sets `cancel`; it is raised once the work
/// has ended.
///
/// # Errors
/// That exception, else the error of the work.
pub(crate) fn run<T: Send>(
    py: Python<'_>,
    listener: Option<Py<PyAny>>,
    cancel: &Arc<AtomicBool>,
    work: impl FnOnce(&mut dyn Progress) -> frazil::Result<T> + Send,
) -> Outcome<T> {
    py.detach(|| {
        thread::scope(|scope| {
            let (sender, receiver) = channel();
            let worker = scope.spawn(move || work(&mut Messenger(sender)));
            let stopped = attend(&receiver, listener.as_ref(), cancel);
            let outcome = worker
                .join()
                .map_err(|_| Error::new(ErrorCode::Internal, "the work panicked"))?;
            stopped.map_err(Failure::Python)?;
            Ok(outcome?)
        })
    })
}

/// Listens until the work has ended.
fn attend(
    receiver: &Receiver<Event>,
    listener: Option<&Py<PyAny>>,
    cancel: &AtomicBool,
) -> PyResult<()> {
    let mut stopped = Ok(());
    let mut advanced = 0;
    let mut looked = Instant::now();
    loop {
        let event = receiver.recv_timeout(LOOK);
        let is_end = matches!(event, Err(RecvTimeoutError::Disconnected));
        let other = match event {
            Ok(Event::Advance(bytes)) => {
                advanced += bytes;
                None
            }
            other => other.ok(),
        };
        if (other.is_some() || is_end || looked.elapsed() >= LOOK) && stopped.is_ok() {
            looked = Instant::now();
            stopped = Python::attach(|py| {
                py.check_signals()?;
                tell(py, listener, std::mem::take(&mut advanced), other)
            });
            if stopped.is_err() {
                cancel.store(true, Ordering::Relaxed);
            }
        }
        if is_end {
            return stopped;
        }
    }
}

/// Passes progress on.
fn tell(
    py: Python<'_>,
    listener: Option<&Py<PyAny>>,
    advanced: u64,
    event: Option<Event>,
) -> PyResult<()> {
    let Some(listener) = listener.map(|listener| listener.bind(py)) else {
        return Ok(());
    };
    if advanced > 0 {
        listener.call_method1("advance", (advanced,))?;
    }
    match event {
        Some(Event::Stage(name, total_bytes)) => {
            listener.call_method1("stage", (name, total_bytes))?;
        }
        Some(Event::Notice(line)) => {
            listener.call_method1("notice", (line,))?;
        }
        Some(Event::Advance(_)) | None => {}
    }
    Ok(())
}
