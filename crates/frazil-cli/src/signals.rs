//! Ctrl-C and SIGTERM ask the work to stop; they never stop it midway.

use std::io;
use std::sync::Arc;
use std::sync::atomic::AtomicBool;

use signal_hook::consts::{SIGINT, SIGTERM};

/// Sets `cancel` on SIGINT or SIGTERM, however often they come.
///
/// # Errors
/// The operating system's refusal to install a handler.
pub(crate) fn cancel_on_signal(cancel: &Arc<AtomicBool>) -> io::Result<()> {
    for signal in [SIGINT, SIGTERM] {
        signal_hook::flag::register(signal, Arc::clone(cancel))
            .map_err(|error| io::Error::new(error.kind(), format!("catching signals: {error}")))?;
    }
    Ok(())
}

#[cfg(test)]
mod tests {
    use std::sync::atomic::Ordering;

    use super::*;

    #[test]
    fn a_signal_only_sets_the_flag() {
        let cancel = Arc::new(AtomicBool::new(false));
        cancel_on_signal(&cancel).unwrap();
        for signal in [SIGTERM, SIGINT, SIGINT] {
            cancel.store(false, Ordering::SeqCst);
            signal_hook::low_level::raise(signal).unwrap();
            assert!(cancel.load(Ordering::SeqCst), "signal {signal}");
        }
    }
}
