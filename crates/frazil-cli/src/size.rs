//! Memory budgets, as people write them.

use frazil::Resources;
use frazil::size::{human, parse_size};

/// Parses a memory budget within the bounds of every interface.
///
/// # Errors
/// One line for the user: not a size, too large or too small.
pub(crate) fn parse_memory(text: &str) -> Result<u64, String> {
    let bytes = parse_size(text)?;
    let (least, most) = (Resources::LEAST_MEMORY_BYTES, Resources::MOST_MEMORY_BYTES);
    if bytes < least {
        return Err(format!(
            "{} is too small; the minimum is {}",
            human(bytes),
            human(least)
        ));
    }
    if bytes > most {
        return Err(format!(
            "{} is too large; the maximum is {}",
            human(bytes),
            human(most)
        ));
    }
    Ok(bytes)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_budget_has_a_floor() {
        assert_eq!(parse_memory("1M"), Ok(1 << 20));
        let message = parse_memory("1000K").unwrap_err();
        assert_eq!(message, "1000.0 KiB is too small; the minimum is 1.0 MiB");
        assert!(
            parse_memory("2000000G")
                .unwrap_err()
                .contains("the maximum")
        );
    }
}
