//! Joules from CPU seconds, wall seconds and bytes.

use serde::{Deserialize, Serialize};

/// A machine's power as a linear function of what a job uses of it.
///
/// ```text
/// joules = awake_watts * wall seconds + core_watts * CPU seconds + joules_per_byte * bytes
/// ```
///
/// That power is nearly linear in the use of the processors is what was found on thousands of
/// servers (Fan, Weber and Barroso 2007, "Power provisioning for a warehouse-sized computer",
/// doi:10.1145/1273440.1250665). The default constants are assumptions of the size that servers of
/// 2015 to 2025 have: they compare ways of storing the same data, and are no meter.
#[derive(Debug, Clone, Copy, PartialEq, Serialize, Deserialize)]
#[serde(default)]
pub struct PowerModel {
    /// Watts of the share of a machine that a job of a few cores keeps awake, whatever it computes.
    pub awake_watts: f64,
    /// Watts that one busy core adds.
    pub core_watts: f64,
    /// Joules to move a byte from or to storage: a solid-state disk that draws 8 W at 2 GB/s.
    pub joules_per_byte: f64,
}

impl Default for PowerModel {
    fn default() -> Self {
        Self {
            awake_watts: 12.0,
            core_watts: 9.0,
            joules_per_byte: 4e-9,
        }
    }
}

impl PowerModel {
    /// Joules of a job that took `cpu_seconds` (of all its threads together) within `wall_seconds`,
    /// and read and wrote `bytes`. What is negative or no number counts as nothing.
    #[must_use]
    pub fn joules(&self, cpu_seconds: f64, wall_seconds: f64, bytes: f64) -> f64 {
        self.awake_watts * wall_seconds.max(0.0)
            + self.core_watts * cpu_seconds.max(0.0)
            + self.joules_per_byte * bytes.max(0.0)
    }

    /// Whether every constant can be: finite, not negative.
    #[must_use]
    pub fn is_sound(&self) -> bool {
        [self.awake_watts, self.core_watts, self.joules_per_byte]
            .iter()
            .all(|constant| constant.is_finite() && *constant >= 0.0)
    }
}

/// [`PowerModel::joules`] by the default constants.
#[must_use]
pub fn joules_of(cpu_seconds: f64, wall_seconds: f64, bytes: f64) -> f64 {
    PowerModel::default().joules(cpu_seconds, wall_seconds, bytes)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn joules_add_up() {
        // One core for ten seconds, one gigabyte.
        let joules = joules_of(10.0, 10.0, 1e9);
        assert!((joules - (120.0 + 90.0 + 4.0)).abs() < 1e-9);
        assert_eq!(joules_of(f64::NAN, -1.0, f64::NAN), 0.0);
    }

    #[test]
    fn four_cores_take_less_than_one_for_longer() {
        assert!(joules_of(40.0, 10.0, 0.0) < joules_of(40.0, 40.0, 0.0));
    }

    #[test]
    fn what_cannot_be_is_not_sound() {
        assert!(PowerModel::default().is_sound());
        let odd = PowerModel {
            core_watts: f64::INFINITY,
            ..PowerModel::default()
        };
        assert!(!odd.is_sound());
    }
}
