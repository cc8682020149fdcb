//! What the axes of a variable are: by what the conventions say, else by names, else by order.

use std::fmt;
use std::str::FromStr;

use frazil_types::spelling;
use serde::{Deserialize, Serialize};

/// What an axis is.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum AxisRole {
    /// Time (CF's T).
    Time,
    /// Height, depth, pressure, model level (Z).
    Level,
    /// Latitude, or the first axis of a projection (Y).
    Latitude,
    /// Longitude, the second axis of a projection, or the cells of a mesh (X).
    Longitude,
    /// Anything else: ensemble members, bounds, characters.
    Other,
}

frazil_types::words!(pub AxisRole: Time "time", Level "level", Latitude "lat", Longitude "lon", Other "other");

impl AxisRole {
    /// Whether a map spans the axis.
    #[must_use]
    pub fn is_horizontal(self) -> bool {
        matches!(self, Self::Latitude | Self::Longitude)
    }
}

impl fmt::Display for AxisRole {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        formatter.write_str(self.name())
    }
}

impl FromStr for AxisRole {
    type Err = String;

    /// The words, and CF's letters T, Z, Y, X.
    fn from_str(text: &str) -> Result<Self, String> {
        let found = Self::from_name(text).or_else(|| role_of_letter(text));
        found.ok_or_else(|| {
            let meant = spelling::question(text, Self::ALL.map(Self::name));
            format!("a role is time, level, lat, lon or other, not {text:?}{meant}")
        })
    }
}

/// What a file says about one axis: the name of its dimension, and the attributes of its coordinate
/// variable.
#[derive(Debug, Clone, Copy, Default)]
pub struct AxisFacts<'a> {
    /// Name of the dimension; empty if it has none.
    pub name: &'a str,
    /// What the user says that it is.
    pub stated: Option<AxisRole>,
    /// Attribute `axis`.
    pub axis: Option<&'a str>,
    /// Attribute `cartesian_axis` (GFDL).
    pub cartesian_axis: Option<&'a str>,
    /// Attribute `standard_name`.
    pub standard_name: Option<&'a str>,
    /// Attribute `units`.
    pub units: Option<&'a str>,
    /// Attribute `positive`.
    pub positive: Option<&'a str>,
}

/// The roles of a variable's axes, slowest axis first.
///
/// What the user says counts first; then the attributes `axis`, `cartesian_axis`, `standard_name`, `units`
/// and `positive` of the coordinate variable; then the dimension's name; then the order
/// time, level, lat, lon. Each role but [`AxisRole::Other`] is given once: of two axes with the same
/// signs the first has it.
#[must_use]
pub fn axis_roles(axes: &[AxisFacts<'_>]) -> Vec<AxisRole> {
    let mut roles: Vec<Option<AxisRole>> = vec![None; axes.len()];
    let signs: [fn(&AxisFacts<'_>) -> Option<AxisRole>; 3] = [
        |facts| facts.stated,
        by_attributes,
        |facts| by_name(facts.name),
    ];
    for sign in signs {
        for axis in 0..axes.len() {
            let Some(role) = roles[axis].is_none().then(|| sign(&axes[axis])).flatten() else {
                continue;
            };
            let is_taken = role != AxisRole::Other && roles.contains(&Some(role));
            roles[axis] = Some(if is_taken { AxisRole::Other } else { role });
        }
    }
    by_order(&mut roles);
    let other = |role: Option<AxisRole>| role.unwrap_or(AxisRole::Other);
    roles.into_iter().map(other).collect()
}

fn role_of_letter(letter: &str) -> Option<AxisRole> {
    Some(match letter.trim().to_ascii_lowercase().as_str() {
        "t" => AxisRole::Time,
        "z" => AxisRole::Level,
        "y" => AxisRole::Latitude,
        "x" => AxisRole::Longitude,
        _ => return None,
    })
}

fn by_attributes(facts: &AxisFacts<'_>) -> Option<AxisRole> {
    let letter = [facts.axis, facts.cartesian_axis].into_iter().flatten();
    letter
        .filter_map(role_of_letter)
        .next()
        .or_else(|| facts.standard_name.and_then(by_standard_name))
        .or_else(|| facts.units.and_then(by_units))
        .or_else(|| {
            let direction = facts.positive?.trim().to_ascii_lowercase();
            matches!(direction.as_str(), "up" | "down").then_some(AxisRole::Level)
        })
}

fn by_standard_name(name: &str) -> Option<AxisRole> {
    let name = name.trim();
    Some(match name {
        "time" => AxisRole::Time,
        "latitude" | "grid_latitude" | "projection_y_coordinate" => AxisRole::Latitude,
        "longitude" | "grid_longitude" | "projection_x_coordinate" => AxisRole::Longitude,
        "height"
        | "altitude"
        | "depth"
        | "air_pressure"
        | "model_level_number"
        | "geopotential_height"
        | "sea_water_pressure" => AxisRole::Level,
        _ if name.starts_with("atmosphere_") && name.ends_with("_coordinate") => AxisRole::Level,
        _ if name.starts_with("ocean_") && name.contains("_coordinate") => AxisRole::Level,
        _ => return None,
    })
}

fn by_units(units: &str) -> Option<AxisRole> {
    let units = units.trim();
    if units.contains(" since ") {
        return Some(AxisRole::Time);
    }
    Some(match units.to_ascii_lowercase().as_str() {
        "degrees_north" | "degree_north" | "degrees_n" | "degree_n" => AxisRole::Latitude,
        "degrees_east" | "degree_east" | "degrees_e" | "degree_e" => AxisRole::Longitude,
        // Pressure is a vertical axis by the conventions, and so are these older words.
        "pa" | "hpa" | "mb" | "mbar" | "millibar" | "bar" | "dbar" | "level" | "layer"
        | "sigma_level" => AxisRole::Level,
        _ => return None,
    })
}

/// Names of vertical dimensions.
const LEVELS: [&str; 24] = [
    "lev",
    "level",
    "levels",
    "ilev",
    "mlev",
    "plev",
    "nlev",
    "nlevel",
    "pfull",
    "phalf",
    "depth",
    "deptht",
    "depthu",
    "depthv",
    "depthw",
    "height",
    "altitude",
    "pressure",
    "sigma",
    "layer",
    "z",
    "zt",
    "zl",
    "bottom_top",
];
/// Beginnings of such names.
const LEVEL_BEGINNINGS: [&str; 6] = [
    "lev_",
    "plev",
    "bottom_top",
    "isobaric",
    "soil_layers",
    "lv_",
];
const TIMES: [&str; 12] = [
    "time",
    "t",
    "times",
    "xtime",
    "time_counter",
    "ocean_time",
    "date",
    "day",
    "month",
    "year",
    "nt",
    "valid_time",
];
const LATITUDES: [&str; 16] = [
    "lat",
    "lats",
    "latitude",
    "rlat",
    "nav_lat",
    "y",
    "yc",
    "yh",
    "yq",
    "yt_ocean",
    "nlat",
    "ny",
    "j",
    "nj",
    "south_north",
    "south_north_stag",
];
const LONGITUDES: [&str; 16] = [
    "lon",
    "lons",
    "longitude",
    "rlon",
    "nav_lon",
    "x",
    "xc",
    "xh",
    "xq",
    "xt_ocean",
    "nlon",
    "nx",
    "i",
    "ni",
    "west_east",
    "west_east_stag",
];
/// Axes that are none of these, and which order must not take for one.
const OTHERS: [&str; 14] = [
    "bnds",
    "nbnd",
    "bounds",
    "nv",
    "nv4",
    "vertices",
    "member",
    "members",
    "ens",
    "ensemble",
    "realization",
    "number",
    "strlen",
    "band",
];

/// Whether a dimension's name is one that vertical axes have.
#[must_use]
pub fn is_level_name(name: &str) -> bool {
    let name = name.to_ascii_lowercase();
    LEVELS.contains(&name.as_str()) || LEVEL_BEGINNINGS.iter().any(|start| name.starts_with(start))
}

fn by_name(name: &str) -> Option<AxisRole> {
    let lower = name.to_ascii_lowercase();
    let lower = lower.as_str();
    let tables: [(&[&str], AxisRole); 4] = [
        (&TIMES, AxisRole::Time),
        (&LATITUDES, AxisRole::Latitude),
        (&LONGITUDES, AxisRole::Longitude),
        (&OTHERS, AxisRole::Other),
    ];
    let found = tables.iter().find(|(names, _)| names.contains(&lower));
    found
        .map(|&(_, role)| role)
        .or_else(|| is_level_name(name).then_some(AxisRole::Level))
}

/// Axes without any sign: the last two are lat and lon, the first is time, one before the map of
/// four and more is the level.
fn by_order(roles: &mut [Option<AxisRole>]) {
    let rank = roles.len();
    let mut take = |axis: Option<usize>, role: AxisRole| {
        let is_free = axis.is_some_and(|axis| roles[axis].is_none());
        if let Some(axis) = axis.filter(|_| is_free && !roles.contains(&Some(role))) {
            roles[axis] = Some(role);
        }
    };
    if rank >= 2 {
        take(rank.checked_sub(1), AxisRole::Longitude);
    }
    if rank >= 3 {
        take(rank.checked_sub(2), AxisRole::Latitude);
    }
    take((rank > 0).then_some(0), AxisRole::Time);
    if rank >= 4 {
        take(rank.checked_sub(3), AxisRole::Level);
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use AxisRole::{Latitude, Level, Longitude, Other, Time};

    fn by_names(names: &[&str]) -> Vec<AxisRole> {
        let facts: Vec<AxisFacts<'_>> = names
            .iter()
            .map(|&name| AxisFacts {
                name,
                ..AxisFacts::default()
            })
            .collect();
        axis_roles(&facts)
    }

    #[test]
    fn names_of_the_field_are_known() {
        assert_eq!(
            by_names(&["time", "plev19", "lat", "lon"]),
            [Time, Level, Latitude, Longitude]
        );
        assert_eq!(
            by_names(&["Time", "bottom_top", "south_north", "west_east_stag"]),
            [Time, Level, Latitude, Longitude]
        );
        assert_eq!(
            by_names(&["lat", "lon", "time"]),
            [Latitude, Longitude, Time]
        );
        assert_eq!(by_names(&["time", "bnds"]), [Time, Other]);
    }

    #[test]
    fn order_serves_where_names_say_nothing() {
        assert_eq!(
            by_names(&["a", "b", "c", "d"]),
            [Time, Level, Latitude, Longitude]
        );
        assert_eq!(by_names(&["a", "b", "c"]), [Time, Latitude, Longitude]);
        assert_eq!(by_names(&["time", "ncells"]), [Time, Longitude]);
        assert_eq!(by_names(&["station", "time"]), [Other, Time]);
        assert_eq!(by_names(&["record"]), [Time]);
        assert_eq!(by_names(&["time", "number", "lat", "lon"])[1], Other);
        assert!(by_names(&[]).is_empty());
    }

    /// An axis named `x` with one attribute.
    fn with(attribute: &str, value: &'static str) -> AxisFacts<'static> {
        let mut facts = AxisFacts {
            name: "x",
            ..AxisFacts::default()
        };
        match attribute {
            "axis" => facts.axis = Some(value),
            "cartesian_axis" => facts.cartesian_axis = Some(value),
            "standard_name" => facts.standard_name = Some(value),
            "units" => facts.units = Some(value),
            _ => facts.positive = Some(value),
        }
        facts
    }

    #[test]
    fn attributes_go_before_names_and_the_user_before_both() {
        let hybrid = "atmosphere_hybrid_sigma_pressure_coordinate";
        let cases = [
            ("axis", "T", Time),
            ("cartesian_axis", "z", Level),
            ("standard_name", "grid_latitude", Latitude),
            ("standard_name", hybrid, Level),
            ("units", "days since 1850-01-01", Time),
            ("units", "degrees_north", Latitude),
            ("units", "hPa", Level),
            ("units", "m", Longitude),
            ("positive", "down", Level),
        ];
        for (attribute, value, role) in cases {
            let facts = with(attribute, value);
            assert_eq!(axis_roles(&[facts]), [role], "{facts:?}");
            let stated = AxisFacts {
                stated: Some(Other),
                ..facts
            };
            assert_eq!(axis_roles(&[stated]), [Other]);
        }
    }

    #[test]
    fn a_role_is_given_once() {
        let time = AxisFacts {
            units: Some("hours since 2000-01-01"),
            ..AxisFacts::default()
        };
        assert_eq!(axis_roles(&[time, time])[..], [Time, Other]);
    }

    #[test]
    fn roles_have_words_and_letters() {
        for role in AxisRole::ALL {
            assert_eq!(role.name().parse(), Ok(role));
        }
        assert_eq!("Z".parse(), Ok(Level));
        assert!("w".parse::<AxisRole>().is_err());
    }

    #[test]
    fn common_names_of_levels_are_known() {
        for name in [
            "lev",
            "Level",
            "bottom_top_stag",
            "plev19",
            "isobaric3",
            "depth",
        ] {
            assert!(is_level_name(name), "{name}");
        }
        for name in ["lat", "time", "x", "zone", "levee", "ensemble"] {
            assert!(!is_level_name(name), "{name}");
        }
    }
}
