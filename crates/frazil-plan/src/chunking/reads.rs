//! The reads to come, as people state them: `map,series=2,time:200/lat:40/lon:60`.

use std::fmt;

use frazil_types::spelling;
use serde::{Deserialize, Serialize};

use super::axes::AxisRole;
use crate::error::PlanError;

/// What is read at once.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum ReadIntent {
    /// All of the horizontal axes at one point of the others.
    Map,
    /// All of the time axis at one point of the others.
    Series,
    /// All of the vertical axis at one point of the others.
    Profile,
    /// All of the vertical and horizontal axes at one point of the others.
    Volume,
    /// So many elements along the dimensions named, at any place; one along the others.
    Hyperslab(Vec<(String, ReadExtent)>),
}

/// How much a hyperslab has of one dimension.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum ReadExtent {
    /// So many elements.
    Elements(u64),
    /// All of it.
    Whole,
}

/// A read to come and how much it counts.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct WantedRead {
    /// What is read.
    pub intent: ReadIntent,
    /// A read of twice the weight may be half as far from its best.
    pub weight: f64,
}

/// The elements that one read takes along each axis of a variable.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) struct ReadBox {
    pub(crate) counts: Vec<u64>,
}

/// Reads from text, separated by commas: `map`, `series`, `profile`, `volume`, or a hyperslab of
/// dimensions and elements (`time:200/lat:40`; `time:all`), each with a weight if wanted
/// (`series=2`; 1 if not).
///
/// # Errors
/// [`PlanError::Reads`] names the read that is not understood.
pub fn parse_reads(text: &str) -> Result<Vec<WantedRead>, PlanError> {
    text.split(',').map(|one| parse_read(one.trim())).collect()
}

fn parse_read(text: &str) -> Result<WantedRead, PlanError> {
    let refuse = |why: &str| PlanError::Reads(format!("the read {text:?} {why}"));
    let (intent, weight) = match text.rsplit_once('=') {
        None => (text, 1.0),
        Some((intent, weight)) => {
            let weight: Option<f64> = weight.trim().parse().ok();
            let weight = weight.filter(|weight| weight.is_finite() && *weight > 0.0);
            let weight =
                weight.ok_or_else(|| refuse("has a weight that is not a number above 0"))?;
            (intent.trim(), weight)
        }
    };
    let intent = match intent {
        "map" => ReadIntent::Map,
        "series" => ReadIntent::Series,
        "profile" => ReadIntent::Profile,
        "volume" => ReadIntent::Volume,
        slab if slab.contains(':') => ReadIntent::Hyperslab(parse_slab(slab).map_err(refuse)?),
        other => {
            let meant = spelling::question(other, ["map", "series", "profile", "volume"]);
            let why = "is not map, series, profile, volume or DIM:ELEMENTS/DIM:ELEMENTS";
            return Err(refuse(&format!("{why}{meant}")));
        }
    };
    Ok(WantedRead { intent, weight })
}

fn parse_slab(text: &str) -> Result<Vec<(String, ReadExtent)>, &'static str> {
    let mut extents: Vec<(String, ReadExtent)> = Vec::new();
    for one in text.split('/') {
        let (name, count) = one.rsplit_once(':').ok_or("has a part without elements")?;
        let name = name.trim();
        if name.is_empty() {
            return Err("has elements of no dimension");
        }
        if extents.iter().any(|(known, _)| known == name) {
            return Err("names a dimension twice");
        }
        let extent = match count.trim() {
            "all" => ReadExtent::Whole,
            number => match number.parse() {
                Ok(0) | Err(_) => {
                    return Err("has elements that are not a number above 0, nor all");
                }
                Ok(elements) => ReadExtent::Elements(elements),
            },
        };
        extents.push((name.to_owned(), extent));
    }
    Ok(extents)
}

/// The reads that count where nobody states any: a map, a series and a profile, alike.
#[must_use]
pub fn balanced_reads() -> Vec<WantedRead> {
    [ReadIntent::Map, ReadIntent::Series, ReadIntent::Profile]
        .into_iter()
        .map(|intent| WantedRead {
            intent,
            weight: 1.0,
        })
        .collect()
}

impl ReadIntent {
    /// What it takes of a variable's `shape`; `None` if the variable has no such axis.
    pub(crate) fn of(
        &self,
        shape: &[u64],
        names: &[String],
        roles: &[AxisRole],
    ) -> Option<ReadBox> {
        let spans = |role: AxisRole| match self {
            Self::Map => role.is_horizontal(),
            Self::Series => role == AxisRole::Time,
            Self::Profile => role == AxisRole::Level,
            Self::Volume => role == AxisRole::Level || role.is_horizontal(),
            Self::Hyperslab(_) => false,
        };
        let mut is_concerned = false;
        let mut counts = vec![1; shape.len()];
        for axis in 0..shape.len() {
            let wanted = match self {
                Self::Hyperslab(extents) => {
                    let name = names.get(axis).map_or("", String::as_str);
                    let number = axis.to_string();
                    let found = extents
                        .iter()
                        .find(|(known, _)| *known == name || (name.is_empty() && *known == number));
                    found.map(|&(_, extent)| extent)
                }
                _ => {
                    let role = roles.get(axis).copied().unwrap_or(AxisRole::Other);
                    spans(role).then_some(ReadExtent::Whole)
                }
            };
            counts[axis] = match wanted {
                None => continue,
                Some(ReadExtent::Whole) => shape[axis],
                Some(ReadExtent::Elements(elements)) => elements.min(shape[axis]),
            };
            is_concerned = true;
        }
        is_concerned.then_some(ReadBox { counts })
    }
}

impl fmt::Display for ReadIntent {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Map => formatter.write_str("map"),
            Self::Series => formatter.write_str("series"),
            Self::Profile => formatter.write_str("profile"),
            Self::Volume => formatter.write_str("volume"),
            Self::Hyperslab(extents) => {
                for (place, (name, extent)) in extents.iter().enumerate() {
                    let between = if place == 0 { "" } else { "/" };
                    let shown = match extent {
                        ReadExtent::Elements(count) => count.to_string(),
                        ReadExtent::Whole => "all".to_owned(),
                    };
                    write!(formatter, "{between}{name}:{shown}")?;
                }
                Ok(())
            }
        }
    }
}

impl fmt::Display for WantedRead {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self.weight {
            1.0 => write!(formatter, "{}", self.intent),
            weight => write!(formatter, "{}={weight}", self.intent),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn reads_survive_their_text() {
        let text = "map,series=2,profile=0.5,volume,time:200/lat:40/lon:all=3";
        let reads = parse_reads(text).unwrap();
        let shown: Vec<String> = reads.iter().map(ToString::to_string).collect();
        assert_eq!(shown.join(","), text);
        assert_eq!(
            parse_reads(" map , series = 2 ").unwrap(),
            reads[..2].to_vec()
        );
    }

    #[test]
    fn what_is_no_read_is_refused() {
        for (text, part) in [
            ("", "is not map, series"),
            ("maps", "is not map, series"),
            ("map,,series", "is not map, series"),
            ("map=0", "weight"),
            ("map=-1", "weight"),
            ("map=NaN", "weight"),
            ("map=x", "weight"),
            ("time:0", "not a number above 0"),
            ("time:x", "not a number above 0"),
            (":3", "no dimension"),
            ("time:3/lat", "without elements"),
            ("time:3/time:4", "twice"),
        ] {
            let message = parse_reads(text).unwrap_err().to_string();
            assert!(message.contains(part), "{text}: {message}");
        }
    }

    #[test]
    fn a_read_takes_what_its_axes_have() {
        use AxisRole::{Latitude, Level, Longitude, Time};
        let shape = [100, 10, 30, 40];
        let names: Vec<String> = ["t", "z", "y", "x"].map(str::to_owned).to_vec();
        let roles = [Time, Level, Latitude, Longitude];
        let counts = |intent: &ReadIntent| intent.of(&shape, &names, &roles).unwrap().counts;
        assert_eq!(counts(&ReadIntent::Map), [1, 1, 30, 40]);
        assert_eq!(counts(&ReadIntent::Series), [100, 1, 1, 1]);
        assert_eq!(counts(&ReadIntent::Profile), [1, 10, 1, 1]);
        assert_eq!(counts(&ReadIntent::Volume), [1, 10, 30, 40]);
        let reads = parse_reads("t:200/y:5,z:all").unwrap();
        assert_eq!(counts(&reads[0].intent), [100, 1, 5, 1]);
        assert_eq!(counts(&reads[1].intent), [1, 10, 1, 1]);
        // A variable without such axes is not concerned.
        let of_series = |intent: &ReadIntent| intent.of(&shape[..1], &names[..1], &roles[..1]);
        assert_eq!(of_series(&ReadIntent::Map), None);
        assert_eq!(of_series(&reads[1].intent), None);
        assert!(of_series(&ReadIntent::Series).is_some());
    }
}
