//! Faults on purpose, for tests: stop the process or fail at the n-th system call of a commit.

use std::cell::{Cell, RefCell};
use std::io;

/// What happens at the chosen call.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Fault {
    /// The process ends before the call, as if killed.
    Stop,
    /// The process ends when half of the bytes are written (at other calls: before them).
    StopHalfway,
    /// The call fails with this system error; of a write, half is done.
    Fail(i32),
    /// This call and all that follow fail.
    FailForGood(i32),
}

/// What a commit asked the system for; [`record`] keeps it for a simulated power cut.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) enum Event {
    /// Bytes of the data file.
    Write(u64, Vec<u8>),
    /// A new length of the data file.
    SetBytes(u64),
    Reserve,
    /// The data file is on the medium.
    Sync,
    CreateJournal,
    EndJournal,
    /// The journal's bytes are on the medium.
    SyncJournal,
    /// The journal has its name, and these bytes.
    NameJournal(Vec<u8>),
    MarkJournal,
    RemoveJournal,
    /// The journal's name, or that it has none, is on the medium.
    SyncDirectory,
}

thread_local! {
    static EVENTS: RefCell<Option<Vec<Event>>> = const { RefCell::new(None) };
    static PLAN: Cell<Option<(u64, Fault)>> = const { Cell::new(None) };
    static CALLS: Cell<u64> = const { Cell::new(0) };
}

/// Plans a fault at the `call`-th call from now, counted from 1, on this thread.
pub(crate) fn plan(call: u64, fault: Fault) {
    CALLS.set(0);
    PLAN.set(Some((call, fault)));
}

/// No more faults and records; returns how many calls there were since [`plan`].
pub(crate) fn clear() -> u64 {
    PLAN.set(None);
    EVENTS.replace(None);
    CALLS.get()
}

/// Begins to record all calls of this thread.
pub(crate) fn record() {
    EVENTS.replace(Some(Vec::new()));
}

/// What was recorded since the last time; recording goes on.
pub(crate) fn recorded() -> Vec<Event> {
    EVENTS.with_borrow_mut(|events| events.as_mut().map(std::mem::take).unwrap_or_default())
}

/// Records one call if that is wanted.
pub(crate) fn note(event: impl FnOnce() -> Event) {
    EVENTS.with_borrow_mut(|events| {
        if let Some(events) = events {
            events.push(event());
        }
    });
}

/// The fault of this call, if it is the chosen one.
fn due() -> Option<Fault> {
    let call = CALLS.get() + 1;
    CALLS.set(call);
    let (chosen, fault) = PLAN.get()?;
    let hit = match fault {
        Fault::FailForGood(_) => call >= chosen,
        _ => call == chosen,
    };
    hit.then_some(fault)
}

pub(super) fn on_call(event: impl FnOnce() -> Event) -> io::Result<()> {
    note(event);
    match due() {
        None => Ok(()),
        Some(Fault::Stop | Fault::StopHalfway) => std::process::abort(),
        Some(Fault::Fail(code) | Fault::FailForGood(code)) => {
            Err(io::Error::from_raw_os_error(code))
        }
    }
}

pub(super) fn on_write(
    bytes: &[u8],
    address: u64,
    write: impl FnOnce(&[u8]) -> io::Result<()>,
) -> io::Result<()> {
    note(|| Event::Write(address, bytes.to_vec()));
    let half = &bytes[..bytes.len() / 2];
    match due() {
        None => Ok(()),
        Some(Fault::Stop) => std::process::abort(),
        Some(Fault::StopHalfway) => {
            write(half)?;
            std::process::abort()
        }
        Some(Fault::Fail(code) | Fault::FailForGood(code)) => {
            write(half)?;
            Err(io::Error::from_raw_os_error(code))
        }
    }
}
