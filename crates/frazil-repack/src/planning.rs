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

    /// Adds what took `times` as long as another planning.
    pub(crate) fn add_times(&mut self, times: f64, other: Self) {
        self.seconds += times * other.seconds;
        self.cpu_seconds += times * other.cpu_seconds;
    }

    /// Adds work of so many seconds each, on so many threads side by side.
    pub(crate) fn add_work(&mut self, seconds: impl Iterator<Item = f64>, threads: usize) {
        let (sum, longest) = seconds.fold((0.0, 0.0_f64), |(sum, longest), one| {
            (sum + one, longest.max(one))
        });
        self.cpu_seconds += sum;
        self.seconds += longest.max(sum / threads.max(1) as f64);
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn work_side_by_side_takes_as_long_as_its_longest_piece() {
        let taken = |seconds: &[f64], threads| {
            let mut planning = Planning::default();
            planning.add_work(seconds.iter().copied(), threads);
            (planning.seconds, planning.cpu_seconds)
        };
        assert_eq!(taken(&[1.0, 2.0, 5.0], 2), (5.0, 8.0));
        assert_eq!(taken(&[3.0, 3.0, 3.0, 3.0], 2), (6.0, 12.0));
        assert_eq!(taken(&[], 0), (0.0, 0.0));
    }
}
