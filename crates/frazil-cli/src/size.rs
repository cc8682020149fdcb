//! Memory budgets, as people write them.

use frazil::size::{human, parse_size};

/// The smallest memory budget accepted, in bytes.
const MIN_MEMORY_BYTES: u64 = 16 << 20;

/// Parses a memory budget: a size of at least 16 MiB.
///
/// # Errors
/// One line for the user: not a size, too large or too small.
pub(crate) fn parse_memory(text: &str) -> Result<u64, String> {
    let bytes = parse_size(text)?;
    if bytes < MIN_MEMORY_BYTES {
        return Err(format!(
            "{} is too little; the least is 16MiB",
            human(bytes)
        ));
    }
    Ok(bytes)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_budget_has_a_floor() {
        assert_eq!(parse_memory("16MiB"), Ok(16 << 20));
        let message = parse_memory("15.9MiB").unwrap_err();
        assert_eq!(message, "15.9 MiB is too little; the least is 16MiB");
    }
}
