//! A meter that runs as long as a job does.

use std::path::Path;
use std::time::{Duration, Instant};

use frazil_types::sync::Mutex;

use super::rapl::{self, Counters};
use frazil_file::progress::Progress;

/// How measured joules are to be understood.
pub(super) const BASIS: &str = "counters of processors and memory: they include all programs, \
                                and no disks or power supplies";
/// Counters begin again after some 260 kJ: at 500 W in nine minutes.
const OFTEN_ENOUGH: Duration = Duration::from_secs(20);

/// Joules since it was started.
#[derive(Debug)]
pub(crate) struct Meter(Mutex<State>);

#[derive(Debug)]
struct State {
    /// Or why there are none.
    counters: Result<Counters, String>,
    sampled: Instant,
}

impl Meter {
    /// Starts with the machine's counters.
    pub(crate) fn start() -> Self {
        Self::on(Path::new(rapl::ROOT))
    }

    fn on(root: &Path) -> Self {
        Self(Mutex::new(State {
            counters: Counters::open(root),
            sampled: Instant::now(),
        }))
    }

    /// Samples where the last sample is some time ago.
    fn keep_up(&self) {
        let mut state = self.0.lock();
        if state.counters.is_ok() && state.sampled.elapsed() >= OFTEN_ENOUGH {
            state.sample();
        }
    }

    /// Joules since the start; why there is no figure.
    pub(crate) fn joules(&self) -> Result<f64, String> {
        let mut state = self.0.lock();
        state.sample();
        match &state.counters {
            Ok(counters) => Ok(counters.joules()),
            Err(why) => Err(why.clone()),
        }
    }
}

impl State {
    fn sample(&mut self) {
        self.sampled = Instant::now();
        let Ok(counters) = &mut self.counters else {
            return;
        };
        if let Err(why) = counters.sample() {
            self.counters = Err(why);
        }
    }
}

/// Progress that keeps a meter's counters sampled while a job goes on.
pub(crate) struct Metered<'a> {
    pub inner: &'a mut dyn Progress,
    pub(crate) meter: &'a Meter,
}

impl Progress for Metered<'_> {
    fn stage(&mut self, name: &str, total_bytes: u64) {
        self.meter.keep_up();
        self.inner.stage(name, total_bytes);
    }

    fn advance(&mut self, bytes: u64) {
        self.meter.keep_up();
        self.inner.advance(bytes);
    }

    fn notice(&mut self, line: &str) {
        self.inner.notice(line);
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn counters_that_vanish_leave_no_figure() {
        let root = tempfile::tempdir().unwrap();
        let folder = root.path().join("intel-rapl:0");
        std::fs::create_dir(&folder).unwrap();
        std::fs::write(folder.join("name"), "package-0").unwrap();
        std::fs::write(folder.join("energy_uj"), "1000000").unwrap();
        let meter = Meter::on(root.path());
        std::fs::write(folder.join("energy_uj"), "3500000").unwrap();
        assert_eq!(meter.joules(), Ok(2.5));
        std::fs::remove_file(folder.join("energy_uj")).unwrap();
        assert!(meter.joules().is_err());
        // What was missed once cannot be made up.
        std::fs::write(folder.join("energy_uj"), "4000000").unwrap();
        assert!(meter.joules().is_err());
    }
}
