//! Signals that ask the program to end. The first one asks the work to stop, which leaves nothing
//! behind; the second one ends the process at once, wherever it is. So does the first one some seconds later,
//! where the work has not stopped: it may wait for a pipe that nobody writes to.

use std::io;
use std::sync::atomic::{AtomicBool, AtomicI32, Ordering};
use std::sync::{Arc, mpsc};
use std::thread;
use std::time::Duration;

use signal_hook::consts::{
    SIGALRM, SIGHUP, SIGINT, SIGPROF, SIGQUIT, SIGTERM, SIGUSR1, SIGUSR2, SIGVTALRM, SIGXCPU,
    SIGXFSZ,
};
use signal_hook::iterator::Signals;

/// The signals that end programs which do not expect them; batch systems send some before they kill.
const ENDING: [i32; 10] = [
    SIGHUP, SIGINT, SIGQUIT, SIGTERM, SIGXCPU, SIGUSR1, SIGUSR2, SIGALRM, SIGVTALRM, SIGPROF,
];
/// Shells add it to the number of the signal that ended a program.
const STATUS_BASE: i32 = 128;
/// How long work has to stop by itself.
const PATIENCE: Duration = Duration::from_secs(5);
/// How long the process waits to say that it ends.
const LONGEST_WORD: Duration = Duration::from_millis(500);
/// Looking after signals takes no room.
const STACK_BYTES: usize = 256 << 10;

/// The first signal that came; 0: none.
static FIRST: AtomicI32 = AtomicI32::new(0);

/// What the first signal does.
#[derive(Debug, Clone)]
pub(crate) enum Watched {
    /// Sets the flag, which the work looks at.
    Work(Arc<AtomicBool>),
    /// Ends the process: the work looks at no flag, and may be ended anywhere.
    Process,
}

/// Looks after signals from now on; `last_word` says that the process ends at once. Those that the program was
/// started to ignore stay ignored, as `nohup` wants it. A file that becomes larger than `ulimit -f` allows is an
/// error of the write.
///
/// # Errors
/// The operating system's refusal to install a handler or to start a thread.
pub(crate) fn watch(watched: Watched, last_word: fn()) -> io::Result<()> {
    let wrap =
        |error: io::Error| io::Error::new(error.kind(), format!("catching signals: {error}"));
    let wanted = ENDING
        .into_iter()
        .filter(|&signal| !frazil::is_signal_ignored(signal));
    let mut signals = Signals::new(wanted).map_err(wrap)?;
    // Without a handler it ends the process; with one the write fails.
    signal_hook::flag::register(SIGXFSZ, Arc::new(AtomicBool::new(false))).map_err(wrap)?;
    let attend = move || {
        signals
            .forever()
            .for_each(|signal| receive(signal, &watched, last_word));
    };
    let thread = thread::Builder::new().stack_size(STACK_BYTES);
    thread.spawn(attend).map(drop).map_err(wrap)
}

/// The status of a program that was stopped: 128 and the signal, as shells have it.
pub(crate) fn exit_status() -> u8 {
    let signal = match FIRST.load(Ordering::SeqCst) {
        0 => SIGINT,
        signal => signal,
    };
    u8::try_from(STATUS_BASE + signal).unwrap_or(u8::MAX)
}

fn receive(signal: i32, watched: &Watched, last_word: fn()) {
    let is_first = FIRST
        .compare_exchange(0, signal, Ordering::SeqCst, Ordering::SeqCst)
        .is_ok();
    match watched {
        Watched::Work(cancel) if is_first => {
            cancel.store(true, Ordering::SeqCst);
            // Without the thread the second signal ends the process.
            let thread = thread::Builder::new().stack_size(STACK_BYTES);
            let _ = thread.spawn(move || {
                thread::sleep(PATIENCE);
                end(signal, last_word);
            });
        }
        Watched::Work(_) | Watched::Process => end(signal, last_word),
    }
}

/// Ends the process at once; what it has begun goes.
fn end(signal: i32, last_word: fn()) {
    frazil::remove_unfinished();
    say(last_word);
    // Nothing that other threads hold is waited for.
    signal_hook::low_level::exit(STATUS_BASE + signal);
}

/// Says that the process ends. Another thread may hold standard error, or nobody read it: that is not waited for.
fn say(last_word: fn()) {
    let (said, is_said) = mpsc::channel();
    let thread = thread::Builder::new().stack_size(STACK_BYTES);
    let speaker = thread.spawn(move || {
        last_word();
        let _ = said.send(());
    });
    if speaker.is_ok() {
        let _ = is_said.recv_timeout(LONGEST_WORD);
    }
}

#[cfg(test)]
mod tests {
    use std::time::Instant;

    use super::*;

    #[test]
    fn the_first_signal_sets_the_flag_and_is_remembered() {
        let cancel = Arc::new(AtomicBool::new(false));
        watch(Watched::Work(Arc::clone(&cancel)), || {}).unwrap();
        signal_hook::low_level::raise(SIGTERM).unwrap();
        let begin = Instant::now();
        while !cancel.load(Ordering::SeqCst) && begin.elapsed() < Duration::from_secs(60) {
            thread::sleep(Duration::from_millis(1));
        }
        assert!(cancel.load(Ordering::SeqCst));
        assert_eq!(exit_status(), 143);
    }
}
