//! Signals: those for this process are the program's.

use std::io;
use std::thread;

use rustix::process::{Pid, Signal, kill_process};
use signal_hook::consts::{SIGHUP, SIGINT, SIGQUIT, SIGTERM, SIGUSR1, SIGUSR2};
use signal_hook::iterator::Signals;

/// What a terminal sends to both.
const OF_THE_TERMINAL: [i32; 2] = [SIGINT, SIGQUIT];

/// Sends what asks this process to end on to the program, and waits on for its end.
///
/// # Errors
/// The operating system's refusal to install handlers.
pub(super) fn hand_on(program: u32) -> io::Result<()> {
    let handed = [SIGHUP, SIGTERM, SIGUSR1, SIGUSR2];
    let wanted = handed.into_iter().chain(OF_THE_TERMINAL);
    let mut signals = Signals::new(wanted.filter(|&signal| !frazil::is_signal_ignored(signal)))?;
    let program = i32::try_from(program).ok().and_then(Pid::from_raw);
    thread::Builder::new().spawn(move || {
        for signal in signals.forever() {
            let named = Signal::from_named_raw(signal);
            if let (Some(program), Some(signal), false) =
                (program, named, OF_THE_TERMINAL.contains(&signal))
            {
                // It may have ended by now.
                let _ = kill_process(program, signal);
            }
        }
    })?;
    Ok(())
}
