//! Which axis of a variable is the vertical one.

use crate::error::Result;
use crate::input::Input;

/// Names of vertical dimensions, where no coordinate variable says more.
const NAMES: [&str; 24] = [
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
const BEGINNINGS: [&str; 6] = [
    "lev_",
    "plev",
    "bottom_top",
    "isobaric",
    "soil_layers",
    "lv_",
];

/// The vertical axis of a variable, if there is a sign of one: a coordinate variable that says
/// `axis = "Z"` or `positive`, or a name that is common.
///
/// # Errors
/// If attributes cannot be read.
pub(super) fn vertical_axis(input: &Input, i: usize) -> Result<Option<usize>> {
    let variable = &input.variables()[i];
    for (axis, name) in variable.dimension_names.iter().enumerate() {
        if name.is_empty() || variable.shape.get(axis).is_none_or(|&n| n < 2) {
            continue;
        }
        if let Some(coordinate) = coordinate(input, &variable.path, name) {
            let attributes = input.attributes(Some(coordinate))?;
            match attributes.text("axis") {
                Some(letter) if letter.eq_ignore_ascii_case("z") => return Ok(Some(axis)),
                Some(_) => continue,
                None if attributes.has("positive") => return Ok(Some(axis)),
                None => {}
            }
        }
        if is_vertical_name(name) {
            return Ok(Some(axis));
        }
    }
    Ok(None)
}

/// The coordinate variable of a dimension: in the variable's group, or the nearest one above.
fn coordinate(input: &Input, path: &str, dimension: &str) -> Option<usize> {
    let mut group = path;
    while let Some((above, _)) = group.rsplit_once('/') {
        let wanted = format!("{above}/{dimension}");
        let found = input.variables().iter().position(|v| v.path == wanted);
        if found.is_some() {
            return found;
        }
        group = above;
    }
    None
}

fn is_vertical_name(name: &str) -> bool {
    let name = name.to_ascii_lowercase();
    NAMES.contains(&name.as_str()) || BEGINNINGS.iter().any(|start| name.starts_with(start))
}

#[cfg(test)]
mod tests {
    use super::is_vertical_name;

    #[test]
    fn common_names_are_known() {
        for name in [
            "lev",
            "Level",
            "bottom_top_stag",
            "plev19",
            "isobaric3",
            "depth",
        ] {
            assert!(is_vertical_name(name), "{name}");
        }
        for name in ["lat", "time", "x", "zone", "levee", "ensemble"] {
            assert!(!is_vertical_name(name), "{name}");
        }
    }
}
