//! How thoroughly a file is planned, and what that took.

use std::time::Instant;

use cpu_time::ProcessTime;

/// How much is looked at.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Depth {
    /// What a prediction needs: nothing is confirmed on more than samples.
    Foretell,
    /// What the decision needs.
    Decide,
    /// Also what other filters would give.
    Compare,
}

/// What deciding took.
#[derive(Debug, Clone, Copy, Default)]
pub(crate) struct Planning {
    /// Wall seconds.
    pub seconds: f64,
    /// CPU seconds of the process in that time.
    pub(crate) cpu_seconds: f64,
}

impl Planning {
    /// The moment at which a part of the planning begins.
    pub(crate) fn start() -> (Instant, ProcessTime) {
        (Instant::now(), ProcessTime::now())
    }

    /// Adds the time since a part of the planning began.
    pub(crate) fn add(&mut self, (wall, cpu): (Instant, ProcessTime)) {
        self.seconds += wall.elapsed().as_secs_f64();
        self.cpu_seconds += cpu.elapsed().as_secs_f64();
    }
}
