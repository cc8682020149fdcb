//! A search for names in several inputs, of which one must have each.

use std::path::PathBuf;

use crate::input::Input;

/// Looks for what is `wanted` in the inputs, until all is found. What cannot be read has nothing: work
/// on it says what is wrong with it. `names` are those that an input has; `has` judges by them.
/// `Ok(false)`: no input can be read, so that nothing is known.
///
/// # Errors
/// The first that no input has, and all names that there are, in order.
pub fn search<T>(
    inputs: &[PathBuf],
    mut wanted: Vec<T>,
    names: impl Fn(&Input) -> Vec<&str>,
    has: impl Fn(&Input, &[&str], &T) -> bool,
) -> Result<bool, (T, Vec<String>)> {
    let (mut known, mut is_any_read) = (Vec::new(), false);
    for input in inputs {
        if wanted.is_empty() {
            return Ok(true);
        }
        let Ok(input) = Input::open(input) else {
            continue;
        };
        is_any_read = true;
        let found = names(&input);
        wanted.retain(|one| !has(&input, &found, one));
        known.extend(found.into_iter().map(str::to_owned));
    }
    known.sort_unstable();
    known.dedup();
    match wanted.into_iter().next() {
        None => Ok(true),
        Some(missing) if is_any_read => Err((missing, known)),
        Some(_) => Ok(false),
    }
}
