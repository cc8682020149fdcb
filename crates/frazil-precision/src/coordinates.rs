//! Which variables are coordinates by their own attributes, in all spellings of the CF conventions.
//!
//! Source: CF conventions 1.12, sections 4.1 to 4.4, 5.6 and appendix D; UDUNITS 2 (units of time and
//! their shift operators); COARDS; netCDF-Java's `_Coordinate...` attributes. Case, blanks and
//! underscores do not count: many files have other ones than the conventions.

use frazil_file::attributes::Attributes;

/// Attributes that only coordinates have.
const COORDINATE_ATTRIBUTES: [&str; 6] = [
    "axis",
    "calendar",
    "climatology",
    "_CoordinateAxisType",
    "_CoordinateAliasForDimension",
    "_CoordinateZisPositive",
];

/// Standard names of coordinates; those that end in `_coordinate` are not listed: all of appendix D
/// (parametric vertical coordinates) and of projections.
const STANDARD_NAMES: [&str; 7] = [
    "latitude",
    "longitude",
    "grid_latitude",
    "grid_longitude",
    "time",
    "forecast_reference_time",
    "model_level_number",
];

/// Standard names that a vertical coordinate may have, and data may have too.
const VERTICAL_NAMES: [&str; 9] = [
    "air_pressure",
    "altitude",
    "depth",
    "depth_below_geoid",
    "height",
    "height_above_geopotential_datum",
    "height_above_mean_sea_level",
    "height_above_reference_ellipsoid",
    "sea_water_pressure",
];

/// Units of levels, of pressure and of length that take no prefix: those of vertical coordinates.
const VERTICAL_UNITS: [&str; 38] = [
    "",
    "level",
    "levels",
    "layer",
    "layers",
    "sigmalevel",
    "gpm",
    "gpkm",
    "mb",
    "mbs",
    "atm",
    "atmosphere",
    "atmospheres",
    "standardatmosphere",
    "at",
    "torr",
    "mmhg",
    "inhg",
    "psi",
    "in",
    "inch",
    "inches",
    "ft",
    "foot",
    "feet",
    "yd",
    "yard",
    "yards",
    "fathom",
    "fathoms",
    "mi",
    "mile",
    "miles",
    "nauticalmile",
    "nauticalmiles",
    "nmile",
    "micron",
    "microns",
];

/// Such units that take prefixes, and these (case does not count: megapascals are not told from
/// millipascals).
const PREFIXED_UNITS: [&str; 10] = [
    "m", "meter", "meters", "metre", "metres", "pa", "pascal", "pascals", "bar", "bars",
];
const SI_PREFIXES: [&str; 17] = [
    "", "k", "h", "da", "d", "c", "m", "u", "\u{b5}", "\u{3bc}", "n", "kilo", "hecto", "deci",
    "centi", "milli", "micro",
];

/// Units of time.
const TIME_UNITS: [&str; 30] = [
    "s",
    "sec",
    "secs",
    "second",
    "seconds",
    "min",
    "mins",
    "minute",
    "minutes",
    "h",
    "hr",
    "hrs",
    "hour",
    "hours",
    "d",
    "day",
    "days",
    "week",
    "weeks",
    "fortnight",
    "fortnights",
    "month",
    "months",
    "a",
    "yr",
    "yrs",
    "year",
    "years",
    "century",
    "centuries",
];

/// What may stand before a unit of time.
const TIME_PREFIXES: [&str; 12] = [
    "milli",
    "micro",
    "nano",
    "m",
    "u",
    "n",
    "k",
    "common_",
    "sidereal_",
    "tropical_",
    "gregorian_",
    "leap_",
];

/// UDUNITS' words for "counted from".
const SHIFTS: [&str; 5] = ["since", "after", "from", "ref", "@"];

/// Whether a variable of this bare name is a coordinate by its own attributes.
pub(super) fn is_coordinate(name: &str, attributes: &Attributes) -> bool {
    let units = attributes.text("units").unwrap_or_default();
    COORDINATE_ATTRIBUTES
        .iter()
        .any(|attribute| attributes.has(attribute))
        || attributes.text("CLASS") == Some("DIMENSION_SCALE")
        || has_coordinate_name(attributes)
        || is_position(units)
        || is_angle_of_position(name, units)
        || is_time(units)
        || is_vertical(attributes, units)
        // WRF's vertical levels and constants have no attributes of the CF conventions.
        || attributes
            .text("MemoryOrder")
            .is_some_and(|order| ["Z", "0"].contains(&order))
}

/// The standard name without a modifier, in lower case.
fn standard_name(attributes: &Attributes) -> String {
    let name = attributes.text("standard_name").unwrap_or_default();
    let name = name.split_whitespace().next().unwrap_or_default();
    name.to_lowercase()
}

fn has_coordinate_name(attributes: &Attributes) -> bool {
    let name = standard_name(attributes);
    let is_coordinate = ["_coordinate", "_coordinate_g1", "_coordinate_g2"]
        .iter()
        .any(|end| name.ends_with(end));
    is_coordinate || STANDARD_NAMES.contains(&name.as_str())
}

/// Whether units are those of latitude or longitude: `degrees_north`, `degreeN`, `Degrees East`.
fn is_position(units: &str) -> bool {
    let spelled = units.trim().to_lowercase().replace('_', " ");
    let compact: String = spelled.split_whitespace().collect();
    if ["decimaldegree", "decimaldegrees"].contains(&compact.as_str()) {
        return true;
    }
    let spelled = spelled
        .strip_prefix("decimal")
        .unwrap_or(&spelled)
        .trim_start();
    let directions = ["n", "e", "w", "north", "east", "west", "south"];
    ["degrees", "degree", "degs", "deg"].iter().any(|degree| {
        let Some(rest) = spelled.strip_prefix(degree) else {
            return false;
        };
        // `degrees` alone is no `degree` of the south.
        let is_south = rest.trim_start() == "s" && rest != "s";
        directions.contains(&rest.trim_start()) || is_south
    })
}

/// Whether a variable without other signs is an angle of positions by its name: `latCell` in radians.
fn is_angle_of_position(name: &str, units: &str) -> bool {
    let units = units.trim().to_lowercase();
    let is_angle = ["rad", "radian", "radians", "degree", "degrees"].contains(&units.as_str());
    let name = name.to_lowercase();
    let parts = ["latitude", "longitude", "lat", "lon", "long"];
    is_angle
        && parts
            .iter()
            .any(|part| name.starts_with(part) || name.ends_with(part))
}

/// Whether units count time from somewhere: `days since 1970-01-01`, `s @ 1990-01-01`,
/// `day as %Y%m%d.%f`, `julian days`.
fn is_time(units: &str) -> bool {
    let units = units.to_lowercase();
    if units.contains("%y") || units.contains("yyyymmdd") || units.contains("julian") {
        return true;
    }
    let spaced = units.replace('@', " @ ");
    let words: Vec<&str> = spaced.split_whitespace().collect();
    let shift = words.iter().position(|word| SHIFTS.contains(word));
    let Some(shift) = shift.filter(|&shift| shift > 0) else {
        return false;
    };
    let unit = words[shift - 1];
    let is_date = words
        .get(shift + 1)
        .is_some_and(|word| looks_like_date(word));
    // `K @ 273.15` is a temperature.
    words[shift] == "since" || is_date || is_time_unit(unit)
}

fn is_time_unit(unit: &str) -> bool {
    let prefixed = |prefix: &&str| unit.strip_prefix(*prefix);
    let bare = TIME_PREFIXES.iter().filter_map(prefixed);
    std::iter::once(unit)
        .chain(bare)
        .any(|unit| TIME_UNITS.contains(&unit))
}

/// `1970-01-01`, `1-1-1`, `19700101`, `2000-01-01T00:00`.
fn looks_like_date(word: &str) -> bool {
    let digits = word.trim_start_matches(['-', '+']);
    let year = digits.bytes().take_while(u8::is_ascii_digit).count();
    match digits.as_bytes().get(year) {
        Some(b'-') => {
            year > 0
                && digits
                    .as_bytes()
                    .get(year + 1)
                    .is_some_and(u8::is_ascii_digit)
        }
        None | Some(b't') => year >= 8,
        Some(_) => false,
    }
}

/// Whether a variable is a vertical coordinate: which way is up is said of these, and in some files of
/// fluxes.
fn is_vertical(attributes: &Attributes, units: &str) -> bool {
    let positive = attributes
        .text("positive")
        .unwrap_or_default()
        .to_lowercase();
    let name = standard_name(attributes);
    let compact: String = units
        .to_lowercase()
        .replace('_', "")
        .split_whitespace()
        .collect();
    ["up", "down"].contains(&positive.as_str())
        && (name.is_empty() || VERTICAL_NAMES.contains(&name.as_str()))
        && is_vertical_unit(without_factor(&compact))
}

fn is_vertical_unit(unit: &str) -> bool {
    let is_prefixed = |base: &&str| {
        let prefix = unit.strip_suffix(*base);
        prefix.is_some_and(|prefix| SI_PREFIXES.contains(&prefix))
    };
    VERTICAL_UNITS.contains(&unit) || PREFIXED_UNITS.iter().any(is_prefixed)
}

/// Units without a number before them: of `100 Pa` and `1e3 m`.
fn without_factor(units: &str) -> &str {
    if !units.starts_with(|first: char| first.is_ascii_digit()) {
        return units;
    }
    let ends = (1..=units.len()).rev();
    let numbers = ends.filter_map(|end| units.split_at_checked(end));
    let mut numbers = numbers.filter(|(number, _)| number.parse::<f64>().is_ok());
    numbers.next().map_or(units, |(_, rest)| rest)
}

#[cfg(test)]
mod tests {
    use super::*;
    use frazil_container::classic::{AttributeValue, ClassicAttribute};

    fn attributes(pairs: &[(&str, &str)]) -> Attributes {
        let one = |&(name, value): &(&str, &str)| ClassicAttribute {
            name: name.to_owned(),
            value: AttributeValue::Char(value.as_bytes().to_vec()),
        };
        Attributes::of_classic(&pairs.iter().map(one).collect::<Vec<_>>())
    }

    fn by(name: &str, pairs: &[(&str, &str)]) -> bool {
        is_coordinate(name, &attributes(pairs))
    }

    #[test]
    fn units_of_positions_in_all_spellings() {
        for degree in ["degree", "degrees", "Degrees", "DEGREE"] {
            for direction in [
                "_north", "_N", "N", "_east", "_E", "E", " north", "North", "_west", "_south", "_S",
            ] {
                let units = format!("{degree}{direction}");
                assert!(by("v", &[("units", &units)]), "{units}");
                assert!(by("v", &[("units", &format!("{units} \0"))]), "{units}");
            }
        }
        assert!(by("v", &[("units", "decimal_degrees")]));
        for units in [
            "degree",
            "degrees",
            "degC",
            "degrees_true",
            "deg",
            "degree_Celsius",
            "degF",
            "K",
        ] {
            assert!(!by("direction", &[("units", units)]), "{units}");
        }
        assert!(by("latCell", &[("units", "rad")]) && by("XLONG", &[("units", "degrees")]));
    }

    #[test]
    fn units_of_time_in_all_spellings() {
        for units in [
            "days since 0000-00-00",
            "days since 1-1-1",
            "months since 1950-01",
            "year since 0001-01-01",
            "hours since 1900-1-1 0:0:0 +6:30",
            "day as %Y%m%d.%f",
            "common_years since 2000-01-01",
            "Days Since 1970-01-01",
            "ms since 1970-01-01",
            "s @ 1990-01-01",
            "s@19900101T00",
            "days after 1990-01-01",
            "day ref 1990-01-01",
            "julian days",
            "seconds since epoch",
            "msec from 1990-01-01",
            "d from 7",
            "days\tsince 1990-01-01  ",
        ] {
            assert!(by("v", &[("units", units)]), "{units}");
        }
        for units in [
            "K @ 273.15",
            "K from 273.15",
            "days",
            "s",
            "m s-1",
            "degC ref 20",
            "since",
        ] {
            assert!(!by("v", &[("units", units)]), "{units}");
        }
    }

    #[test]
    fn standard_names_and_attributes_of_coordinates() {
        for name in [
            "latitude",
            "grid_longitude",
            "projection_x_coordinate",
            "projection_y_angular_coordinate",
            "atmosphere_hybrid_sigma_pressure_coordinate",
            "ocean_s_coordinate_g1",
            "ocean_sigma_z_coordinate ",
            "Time",
        ] {
            assert!(by("v", &[("standard_name", name)]), "{name}");
        }
        assert!(!by("v", &[("standard_name", "air_temperature")]));
        assert!(by("v", &[("axis", "T")]) && by("v", &[("_CoordinateAxisType", "Lon")]));
        assert!(by("v", &[("calendar", "noleap")]));
    }

    #[test]
    fn a_direction_makes_a_vertical_coordinate_but_no_flux() {
        assert!(by("p", &[("units", "hPa"), ("positive", "DOWN ")]));
        assert!(by(
            "p",
            &[
                ("units", "Pa"),
                ("positive", "down"),
                ("standard_name", "air_pressure")
            ]
        ));
        assert!(by("z", &[("positive", "up")]));
        for units in [
            "atm",
            "kilometre",
            "fathom",
            "um",
            "mmHg",
            "100 Pa",
            "1e3 m",
            "1",
            "Decibars",
        ] {
            assert!(by("z", &[("positive", "up"), ("units", units)]), "{units}");
        }
        for units in ["K", "kg", "m s-1", "100", "1e3 K", "mol", "minute"] {
            let is_number = units == "100";
            assert_eq!(
                by("z", &[("positive", "up"), ("units", units)]),
                is_number,
                "{units}"
            );
        }
        assert!(!by("ps", &[("units", "Pa")]));
        assert!(!by("rlut", &[("units", "W m-2"), ("positive", "up")]));
        let stress = "surface_downward_eastward_stress";
        assert!(!by(
            "tauu",
            &[
                ("units", "Pa"),
                ("positive", "down"),
                ("standard_name", stress)
            ]
        ));
    }
}
