//! Which axis of a variable is the vertical one.

use frazil_plan::is_level_name;

use frazil_file::coordinate::coordinate;
use frazil_file::error::Result;
use frazil_file::input::Input;

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
        if is_level_name(name) {
            return Ok(Some(axis));
        }
    }
    Ok(None)
}
