//! Variables that are not rounded unless forced: the ones that other variables are understood by.
//!
//! Source: CF conventions 1.12 (attributes that name other variables), UGRID 1.0.

use std::collections::HashMap;

use frazil_container::hdf5::DatasetInfo;

use crate::attributes::Attributes;
use crate::error::Result;
use crate::input::Input;

/// Why a variable is not rounded.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub(crate) enum Refusal {
    Coordinate,
    Bounds,
    FormulaTerm,
    CellMeasure,
    GridMapping,
    Restart,
}

impl Refusal {
    /// In a user's words, for one or several variables.
    pub(crate) const fn describe(self) -> &'static str {
        match self {
            Self::Coordinate => "coordinates",
            Self::Bounds => "bounds of coordinates",
            Self::FormulaTerm => "terms of a vertical coordinate's formula",
            Self::CellMeasure => "cell measures",
            Self::GridMapping => "grid mappings",
            Self::Restart => "variables of a restart file",
        }
    }
}

/// Attributes whose words name other variables.
const NAMING: [(&str, Refusal); 10] = [
    ("coordinates", Refusal::Coordinate),
    ("node_coordinates", Refusal::Coordinate),
    ("face_coordinates", Refusal::Coordinate),
    ("edge_coordinates", Refusal::Coordinate),
    ("bounds", Refusal::Bounds),
    ("climatology", Refusal::Bounds),
    ("formula_terms", Refusal::FormulaTerm),
    ("cell_measures", Refusal::CellMeasure),
    ("grid_mapping", Refusal::GridMapping),
    ("geometry", Refusal::Coordinate),
];

/// Standard names of coordinates.
const COORDINATE_NAMES: [&str; 7] = [
    "latitude",
    "longitude",
    "grid_latitude",
    "grid_longitude",
    "projection_x_coordinate",
    "projection_y_coordinate",
    "time",
];

/// Units of latitude and longitude.
const DEGREES: [&str; 8] = [
    "degrees_north",
    "degree_north",
    "degrees_n",
    "degree_n",
    "degrees_east",
    "degree_east",
    "degrees_e",
    "degree_e",
];

/// Why each variable must not be rounded, in file order.
///
/// # Errors
/// If attributes cannot be read.
pub(crate) fn refusals(input: &Input) -> Result<Vec<Option<Refusal>>> {
    let mut named: HashMap<String, Refusal> = HashMap::new();
    let mut own = Vec::with_capacity(input.variables().len());
    for (i, variable) in input.variables().iter().enumerate() {
        let attributes = input.attributes(Some(i))?;
        for (attribute, refusal) in NAMING {
            let words = attributes.text(attribute).unwrap_or_default();
            for name in words.split_whitespace().filter(|word| !word.ends_with(':')) {
                named.entry(bare(name).to_owned()).or_insert(refusal);
            }
        }
        own.push(is_coordinate(variable, &attributes));
    }
    let global = input.attributes(None)?;
    let restart = is_restart(input, &global).then_some(Refusal::Restart);
    let found = input.variables().iter().zip(own).map(|(variable, own)| {
        let by_name = named.get(bare(&variable.path)).copied();
        by_name.or(own.then_some(Refusal::Coordinate)).or(restart)
    });
    Ok(found.collect())
}

fn bare(path: &str) -> &str {
    path.rsplit('/').next().unwrap_or(path)
}

/// Whether a variable is a coordinate by its own name or attributes.
fn is_coordinate(variable: &DatasetInfo, attributes: &Attributes) -> bool {
    let is_dimension = |name: &String| name == bare(&variable.path);
    let units = attributes.text("units").unwrap_or_default().to_lowercase();
    let standard = attributes.text("standard_name").unwrap_or_default();
    variable.dimension_names.iter().any(is_dimension)
        || attributes.has("axis")
        || COORDINATE_NAMES.contains(&standard)
        || DEGREES.contains(&units.as_str())
        || units.contains(" since ")
        // WRF's vertical levels and constants have no attributes of the CF conventions.
        || attributes.text("MemoryOrder").is_some_and(|order| ["Z", "0"].contains(&order.trim()))
}

/// Whether a file looks like one that a model starts from again: it must stay exact.
fn is_restart(input: &Input, global: &Attributes) -> bool {
    let name = input.path().file_name().unwrap_or_default();
    let name = name.to_string_lossy().to_lowercase();
    let title = global.text("title").unwrap_or_default().to_lowercase();
    name.contains("restart")
        || name.starts_with("wrfrst")
        // FMS (`ocean.res.nc`), ICON and others (`rst`).
        || name.split(['.', '_', '-']).any(|part| part == "res" || part == "rst")
        // CESM (`case.cam.r.2000-01-01-00000.nc`).
        || name.split('.').any(|part| ["r", "rs", "rh0"].contains(&part))
        || title.contains("restart")
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_refusal_has_words() {
        for (_, refusal) in NAMING {
            assert!(!refusal.describe().is_empty());
        }
    }
}
