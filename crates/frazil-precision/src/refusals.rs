//! Variables that are not rounded unless forced: the ones that other variables are understood by,
//! and those whose numbers mean something else than they are.
//!
//! Source: CF conventions 1.12 (attributes that name other variables; flags, section 3.5; packed
//! data, section 8.1), UGRID 1.0, SGRID 0.3, netCDF-Java's `_CoordinateAxes`.

use std::collections::{HashMap, HashSet};

use super::coordinates;
use super::restart::RestartFiles;
use frazil_file::attributes::Attributes;
use frazil_file::error::Result;
use frazil_file::input::Input;

/// Why a variable is not rounded.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum Refusal {
    /// It is a coordinate.
    Coordinate,
    /// It holds the bounds of a coordinate's cells.
    Bounds,
    /// A formula for vertical coordinates needs it.
    FormulaTerm,
    /// It holds areas or volumes of cells.
    CellMeasure,
    /// It describes a map projection.
    GridMapping,
    /// Its values are flags.
    Flags,
    /// Its values are packed integers already.
    Packed,
    /// Its file continues a model run.
    Restart,
}

impl Refusal {
    /// In a user's words, for one or several variables.
    pub const fn describe(self) -> &'static str {
        match self {
            Self::Coordinate => "coordinates",
            Self::Bounds => "bounds of coordinates",
            Self::FormulaTerm => "terms of a vertical coordinate's formula",
            Self::CellMeasure => "cell measures",
            Self::GridMapping => "grid mappings",
            Self::Flags => "flags",
            Self::Packed => {
                "packed by scale_factor or add_offset, so that readers see other numbers"
            }
            Self::Restart => "variables of a restart file",
        }
    }
}

/// Attributes whose words name other variables. Those that end in `_coordinates` (of UGRID and SGRID)
/// and `_connectivity` are not listed.
const NAMING: [(&str, Refusal); 16] = [
    ("coordinates", Refusal::Coordinate),
    ("_CoordinateAxes", Refusal::Coordinate),
    ("nodes", Refusal::Coordinate),
    ("node_count", Refusal::Coordinate),
    ("part_node_count", Refusal::Coordinate),
    ("interior_ring", Refusal::Coordinate),
    ("geometry", Refusal::Coordinate),
    ("coordinate_interpolation", Refusal::Coordinate),
    ("interpolation_parameters", Refusal::Coordinate),
    ("tie_point_mapping", Refusal::Coordinate),
    ("bounds", Refusal::Bounds),
    ("bounds_tie_points", Refusal::Bounds),
    ("climatology", Refusal::Bounds),
    ("formula_terms", Refusal::FormulaTerm),
    ("cell_measures", Refusal::CellMeasure),
    ("grid_mapping", Refusal::GridMapping),
];

/// Attributes of variables whose values are flags.
const FLAGS: [&str; 3] = ["flag_values", "flag_masks", "flag_meanings"];
/// What names of ancillary variables have in them if their values are flags.
const FLAG_NAMES: [&str; 5] = ["flag", "qc", "quality", "status", "mask"];
/// What bounds are called that no attribute names.
const BOUNDS_NAMES: [&str; 4] = ["_bnds", "_bnd", "_bounds", "_vertices"];

/// The variables that attributes of others name, and why these are not rounded.
#[derive(Debug, Default)]
pub struct Named {
    by_name: HashMap<String, Refusal>,
    ancillary: HashSet<String>,
}

impl Named {
    /// Enters what the attributes of one variable name.
    pub fn add(&mut self, attributes: &Attributes) {
        for (attribute, text) in attributes.texts() {
            self.add_attribute(attribute, text);
        }
    }

    /// Enters what one attribute names.
    pub(crate) fn add_attribute(&mut self, attribute: &str, text: &str) {
        if attribute == "ancillary_variables" {
            let names = text.split_whitespace().map(|name| bare(name).to_owned());
            self.ancillary.extend(names);
        }
        let Some(refusal) = naming(attribute) else {
            return;
        };
        for word in text.split_whitespace() {
            // `a: b` gives the role before the name; only a grid mapping is named by both.
            let (role, name) = word.rsplit_once(':').unwrap_or(("", word));
            let is_role_a_name = refusal == Refusal::GridMapping;
            for name in [Some(name), is_role_a_name.then_some(role)]
                .into_iter()
                .flatten()
            {
                if !name.is_empty() {
                    let known = self.by_name.entry(bare(name).to_owned());
                    known.or_insert(refusal);
                }
            }
        }
    }

    /// Why a variable is not rounded, by its dimensions' names, its own attributes and those of others.
    pub fn refusal(
        &self,
        path: &str,
        dimensions: &[String],
        attributes: &Attributes,
    ) -> Option<Refusal> {
        let name = bare(path);
        if let Some(refusal) = self.by_name.get(name) {
            return Some(*refusal);
        }
        let is_dimension = dimensions.iter().any(|dimension| bare(dimension) == name);
        if is_dimension || coordinates::is_coordinate(name, attributes) {
            return Some(Refusal::Coordinate);
        }
        if self.is_bounds(name, dimensions) {
            return Some(Refusal::Bounds);
        }
        let standard = attributes.text("standard_name").unwrap_or_default();
        if ["cell_area", "cell_volume"].contains(&standard) {
            return Some(Refusal::CellMeasure);
        }
        let is_flags = self.is_flags(name, standard, attributes);
        is_flags
            .then_some(Refusal::Flags)
            .or_else(|| is_packed(attributes).then_some(Refusal::Packed))
    }

    /// Whether a name is that of a coordinate's bounds: `lat_bnds`.
    fn is_bounds(&self, name: &str, dimensions: &[String]) -> bool {
        let of = BOUNDS_NAMES.iter().find_map(|end| name.strip_suffix(end));
        of.is_some_and(|of| {
            dimensions.iter().any(|dimension| bare(dimension) == of)
                || self.by_name.get(of) == Some(&Refusal::Coordinate)
        })
    }

    fn is_flags(&self, name: &str, standard: &str, attributes: &Attributes) -> bool {
        let lower = name.to_lowercase();
        FLAGS.iter().any(|flag| attributes.has(flag))
            || standard.ends_with("_flag")
            || self.ancillary.contains(name) && FLAG_NAMES.iter().any(|part| lower.contains(part))
    }
}

fn naming(attribute: &str) -> Option<Refusal> {
    let listed = NAMING.iter().find(|(known, _)| *known == attribute);
    let is_mesh = attribute.ends_with("_coordinates") || attribute.ends_with("_connectivity");
    listed
        .map(|(_, refusal)| *refusal)
        .or(is_mesh.then_some(Refusal::Coordinate))
}

/// Whether readers see other numbers than the stored ones: a bound on these says nothing about those.
fn is_packed(attributes: &Attributes) -> bool {
    let changes =
        |name: &str, neutral: f64| attributes.has(name) && attributes.number(name) != Some(neutral);
    changes("scale_factor", 1.0) || changes("add_offset", 0.0)
}

/// Why each variable must not be rounded, in file order.
///
/// # Errors
/// If attributes cannot be read.
pub fn refusals(input: &Input) -> Result<Vec<Option<Refusal>>> {
    let count = input.variables().len();
    let all: Result<Vec<Attributes>> = (0..count).map(|i| input.attributes(Some(i))).collect();
    let all = all?;
    let mut named = Named::default();
    all.iter().for_each(|attributes| named.add(attributes));
    let global = input.attributes(None)?;
    let restart = RestartFiles::default().why(input.path(), global.text("title"));
    let restart = restart.map(|_| Refusal::Restart);
    let found = input
        .variables()
        .iter()
        .zip(&all)
        .map(|(variable, attributes)| {
            let refusal = named.refusal(&variable.path, &variable.dimension_names, attributes);
            refusal.or(restart)
        });
    Ok(found.collect())
}

fn bare(path: &str) -> &str {
    path.rsplit('/').next().unwrap_or(path)
}

#[cfg(test)]
mod tests {
    use super::*;
    use frazil_container::classic::{AttributeValue, ClassicAttribute};

    fn text(name: &str, value: &str) -> ClassicAttribute {
        ClassicAttribute {
            name: name.to_owned(),
            value: AttributeValue::Char(value.as_bytes().to_vec()),
        }
    }

    fn refusal(named: &Named, path: &str, attributes: &[ClassicAttribute]) -> Option<Refusal> {
        named.refusal(path, &["y".to_owned()], &Attributes::of_classic(attributes))
    }

    #[test]
    fn every_attribute_that_names_variables_is_understood() {
        let mut named = Named::default();
        for (attribute, value) in [
            ("coordinates", "lat2d /grid/lon2d  "),
            ("edge_node_connectivity", "Mesh_edges"),
            ("edge1_coordinates", "u_lon u_lat"),
            ("cell_measures", "area: areacella volume:volcella"),
            ("grid_mapping", "crs_osgb: x2 y2"),
            ("bounds", "lat2d_corners"),
            ("ancillary_variables", "t_qc t_error"),
        ] {
            named.add_attribute(attribute, value);
        }
        for (path, expected) in [
            ("/lat2d", Some(Refusal::Coordinate)),
            ("/other/lon2d", Some(Refusal::Coordinate)),
            ("/Mesh_edges", Some(Refusal::Coordinate)),
            ("/u_lat", Some(Refusal::Coordinate)),
            ("/areacella", Some(Refusal::CellMeasure)),
            ("/volcella", Some(Refusal::CellMeasure)),
            ("/area", None),
            ("/crs_osgb", Some(Refusal::GridMapping)),
            ("/y2", Some(Refusal::GridMapping)),
            ("/lat2d_corners", Some(Refusal::Bounds)),
            ("/lat2d_bnds", Some(Refusal::Bounds)),
            ("/y_bounds", Some(Refusal::Bounds)),
            ("/t_bounds", None),
            ("/t_qc", Some(Refusal::Flags)),
            ("/t_error", None),
            ("/y", Some(Refusal::Coordinate)),
            ("/t", None),
        ] {
            assert_eq!(refusal(&named, path, &[]), expected, "{path}");
        }
    }

    #[test]
    fn flags_and_packed_numbers_are_not_rounded() {
        let named = Named::default();
        let number = |name: &str, value| ClassicAttribute {
            name: name.to_owned(),
            value: AttributeValue::Float(vec![value]),
        };
        let flags = Some(Refusal::Flags);
        assert_eq!(refusal(&named, "/f", &[number("flag_values", 1.0)]), flags);
        assert_eq!(
            refusal(
                &named,
                "/f",
                &[text("standard_name", "sea_ice status_flag")]
            ),
            flags
        );
        let packed = Some(Refusal::Packed);
        assert_eq!(
            refusal(&named, "/f", &[number("scale_factor", 0.1)]),
            packed
        );
        assert_eq!(
            refusal(&named, "/f", &[text("add_offset", "273.15")]),
            packed
        );
        let neutral = [number("scale_factor", 1.0), number("add_offset", 0.0)];
        assert_eq!(refusal(&named, "/f", &neutral), None);
    }

    #[test]
    fn every_refusal_has_words() {
        for (_, refusal) in NAMING {
            assert!(!refusal.describe().is_empty());
        }
    }
}
