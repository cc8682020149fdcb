//! Faults on purpose, for tests: stop the process or fail at the n-th system call of a commit.

use std::cell::Cell;
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

thread_local! {
    static PLAN: Cell<Option<(u64, Fault)>> = const { Cell::new(None) };
    static CALLS: Cell<u64> = const { Cell::new(0) };
}

/// Plans a fault at the `call`-th call from now, counted from 1, on this thread.
pub(crate) fn plan(call: u64, fault: Fault) {
    CALLS.set(0);
    PLAN.set(Some((call, fault)));
}

/// No more faults; returns how many calls there were since [`plan`].
pub(crate) fn clear() -> u64 {
    PLAN.set(None);
    CALLS.get()
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

pub(super) fn on_call() -> io::Result<()> {
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
    write: impl FnOnce(&[u8]) -> io::Result<()>,
) -> io::Result<()> {
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
