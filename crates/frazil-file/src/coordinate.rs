//! Which variable holds the coordinates of a dimension.

use crate::input::Input;

/// The coordinate variable of a dimension: in the variable's group, or the nearest one above.
pub fn coordinate(input: &Input, path: &str, dimension: &str) -> Option<usize> {
    if dimension.is_empty() {
        return None;
    }
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
