//! A speed that filters are to reach, as a user states it.

use std::fmt;
use std::str::FromStr;

use serde::de::{self, Visitor};
use serde::{Deserialize, Deserializer, Serialize, Serializer};

use crate::calibration::{Calibration, StorageSpeed};

/// A speed that filters must reach on one core, in raw bytes: `400MB/s`, or so many times the speed
/// of a network or of storage (`network`, `0.5*shared`).
///
/// What SCIL (the Scientific Compression Library) writes is understood too: `400*MiB`,
/// `2*NetworkSpeed`, `NodeLocalStorageSpeed`, `SingleStreamSharedStorageSpeed`, in any case.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct SpeedDemand {
    times: f64,
    of: Unit,
}

/// What must keep up with a network or with storage.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Transfer {
    /// Encoding what is then written.
    Writing,
    /// Decoding what was read.
    Reading,
}

/// What a speed is stated in.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Unit {
    MegabytesPerSecond,
    Network,
    Local,
    Shared,
}

/// Words, the first of each kind being ours, the other SCIL's.
const WORDS: [(Unit, [&str; 2]); 3] = [
    (Unit::Network, ["network", "networkspeed"]),
    (Unit::Local, ["local", "nodelocalstoragespeed"]),
    (Unit::Shared, ["shared", "singlestreamsharedstoragespeed"]),
];

/// MB of each unit of bytes; the longer names first.
const UNITS: [(&str, f64); 9] = [
    ("kbit", 0.125e-3),
    ("mbit", 0.125),
    ("gbit", 125.0),
    ("kib", 1.024e-3),
    ("mib", 1.048_576),
    ("gib", 1_073.741_824),
    ("kb", 1e-3),
    ("mb", 1.0),
    ("gb", 1e3),
];

impl SpeedDemand {
    /// So many MB/s; `None` unless it is a number above 0.
    #[must_use]
    pub fn megabytes_per_second(speed: f64) -> Option<Self> {
        let of = Unit::MegabytesPerSecond;
        (speed.is_finite() && speed > 0.0).then_some(Self { times: speed, of })
    }

    /// In MB/s, by what is known of writing to storage, of reading from it, and of the network.
    #[must_use]
    pub fn mb_s(&self, transfer: Transfer, calibration: &Calibration) -> f64 {
        let rate = |storage: &StorageSpeed| match transfer {
            Transfer::Writing => storage.store_rate(),
            Transfer::Reading => storage.fetch_bytes_per_second,
        };
        let unit = match self.of {
            Unit::MegabytesPerSecond => return self.times,
            Unit::Network => calibration.network_bytes_per_second,
            Unit::Local => rate(&calibration.local),
            Unit::Shared => rate(&calibration.parallel_fs),
        };
        self.times * unit / 1e6
    }

    /// The words that a calibration gives a number: `network`, `0.5*shared`; `None` for MB/s.
    #[must_use]
    pub fn words(&self) -> Option<String> {
        let (_, [word, _]) = WORDS.iter().find(|(unit, _)| *unit == self.of)?;
        Some(match self.times == 1.0 {
            true => (*word).to_owned(),
            false => format!("{}*{word}", self.times),
        })
    }
}

impl fmt::Display for SpeedDemand {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self.words() {
            Some(words) => f.write_str(&words),
            None => write!(f, "{}MB/s", self.times),
        }
    }
}

impl FromStr for SpeedDemand {
    type Err = String;

    fn from_str(text: &str) -> Result<Self, String> {
        parse(text).ok_or_else(|| {
            format!(
                "{text:?} is not a speed, such as 400MB/s, 1.5GB/s, 200MiB/s, 10Gbit/s, network, \
                 local, shared or 0.5*network"
            )
        })
    }
}

fn parse(text: &str) -> Option<SpeedDemand> {
    let text = text.trim().to_ascii_lowercase();
    let (times, rest) = match text.split_once('*') {
        Some((times, rest)) => (Some(times.trim().parse::<f64>().ok()?), rest.trim()),
        None => (None, text.as_str()),
    };
    let is_possible = |number: &f64| number.is_finite() && *number > 0.0;
    if let Some((of, _)) = WORDS.iter().find(|(_, words)| words.contains(&rest)) {
        let times = Some(times.unwrap_or(1.0)).filter(is_possible)?;
        return Some(SpeedDemand { times, of: *of });
    }
    let bare = rest.strip_suffix("/s");
    let (number, factor) = match times {
        // `400*MiB`: a rate without saying so.
        Some(times) => (
            times,
            unit(bare.unwrap_or(rest))
                .filter(|(left, _)| left.is_empty())?
                .1,
        ),
        None => {
            let (left, factor) = unit(bare?)?;
            (left.trim().parse().ok()?, factor)
        }
    };
    SpeedDemand::megabytes_per_second(number * factor)
}

/// What stands before the unit, and its MB.
fn unit(text: &str) -> Option<(&str, f64)> {
    let mut units = UNITS.iter();
    units.find_map(|(unit, factor)| Some((text.strip_suffix(unit)?, *factor)))
}

impl Serialize for SpeedDemand {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        serializer.collect_str(self)
    }
}

impl<'de> Deserialize<'de> for SpeedDemand {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        deserializer.deserialize_any(NumberOrText)
    }
}

/// A number is MB/s.
struct NumberOrText;

impl Visitor<'_> for NumberOrText {
    type Value = SpeedDemand;

    fn expecting(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("a speed: a number of MB/s above 0, \"1.5GB/s\", or network, local, shared")
    }

    fn visit_f64<E: de::Error>(self, number: f64) -> Result<SpeedDemand, E> {
        SpeedDemand::megabytes_per_second(number)
            .ok_or_else(|| E::custom(format!("a speed is above 0 MB/s, not {number}")))
    }

    fn visit_i64<E: de::Error>(self, number: i64) -> Result<SpeedDemand, E> {
        self.visit_f64(number as f64)
    }

    fn visit_u64<E: de::Error>(self, number: u64) -> Result<SpeedDemand, E> {
        self.visit_f64(number as f64)
    }

    fn visit_str<E: de::Error>(self, text: &str) -> Result<SpeedDemand, E> {
        text.parse().map_err(E::custom)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn mb_s(text: &str) -> Result<f64, String> {
        let speed: SpeedDemand = text.parse()?;
        Ok(speed.mb_s(Transfer::Reading, &Calibration::default()))
    }

    #[test]
    fn speeds_have_units() {
        assert_eq!(mb_s("400MB/s"), Ok(400.0));
        assert_eq!(mb_s("1.5 GB/s"), Ok(1500.0));
        assert_eq!(mb_s("1MiB/s"), Ok(1.048_576));
        assert_eq!(mb_s("25Gbit/s"), Ok(3125.0));
        assert_eq!(mb_s("100 Mbit/s"), Ok(12.5));
        for wrong in [
            "400",
            "400MB",
            "MB/s",
            "-1MB/s",
            "0MB/s",
            "infMB/s",
            "nanMB/s",
            "",
            "fast",
            "0*local",
            "-1*shared",
            "2*",
            "*network",
            "2*3*network",
            "2*3MB/s",
        ] {
            assert!(mb_s(wrong).is_err(), "{wrong}");
        }
    }

    #[test]
    fn words_are_what_the_calibration_says() {
        let defaults = Calibration::default();
        assert_eq!(mb_s("network"), Ok(1250.0));
        assert_eq!(
            mb_s("shared"),
            Ok(defaults.parallel_fs.fetch_bytes_per_second / 1e6)
        );
        assert_eq!(
            mb_s("0.5*local"),
            Ok(defaults.local.fetch_bytes_per_second / 2e6)
        );
        let mut measured = Calibration {
            network_bytes_per_second: 125e6,
            ..defaults
        };
        measured.parallel_fs = StorageSpeed {
            store_bytes_per_second: Some(50e6),
            ..measured.parallel_fs
        };
        let by = |text: &str, transfer| {
            let speed: SpeedDemand = text.parse().unwrap();
            speed.mb_s(transfer, &measured)
        };
        for transfer in [Transfer::Writing, Transfer::Reading] {
            assert_eq!(by("network", transfer), 125.0);
            assert_eq!(by("local", transfer), 2000.0);
        }
        assert_eq!(by("shared", Transfer::Writing), 50.0);
        assert_eq!(by("shared", Transfer::Reading), 800.0);
    }

    #[test]
    fn what_scil_writes_is_understood() {
        assert_eq!(mb_s("400*MiB"), Ok(400.0 * 1.048_576));
        assert_eq!(mb_s("2*NetworkSpeed"), Ok(2500.0));
        assert_eq!(mb_s("NodeLocalStorageSpeed"), mb_s("local"));
        assert_eq!(mb_s("1 * SingleStreamSharedStorageSpeed"), mb_s("shared"));
    }

    #[test]
    fn a_speed_is_written_as_it_is_read() {
        for text in ["400MB/s", "network", "0.5*shared", "1.048576MB/s"] {
            let speed: SpeedDemand = text.parse().unwrap();
            assert_eq!(speed.to_string(), text);
        }
    }
}
