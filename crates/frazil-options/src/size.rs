//! Sizes in bytes, as people write and read them.

/// Parses `100000`, `512MiB`, `1.5G`: a number and an optional unit. K, M, G, T and KiB... are
/// powers of 1024; KB, MB, GB and TB are powers of 1000.
///
/// # Errors
/// One line for the user.
pub fn parse_size(text: &str) -> Result<u64, String> {
    let text = text.trim();
    let digits = text
        .find(|c: char| !c.is_ascii_digit() && c != '.')
        .unwrap_or(text.len());
    let (number, unit) = text.split_at(digits);
    let not_a_size = || format!("`{text}` is not a size; write for example 512MiB, 2G or 100000");
    let scale = unit_scale(unit.trim()).ok_or_else(not_a_size)?;
    if let Ok(whole) = number.parse::<u64>() {
        return whole
            .checked_mul(scale)
            .ok_or_else(|| format!("{text} is too large"));
    }
    if !number.contains('.') {
        // Digits only and yet no u64: more than 64 bits. Nothing at all: not a number.
        return Err(if number.is_empty() {
            not_a_size()
        } else {
            format!("{text} is too large")
        });
    }
    let fraction: f64 = number.parse().map_err(|_| not_a_size())?;
    let bytes = fraction * scale as f64;
    if bytes >= u64::MAX as f64 {
        return Err(format!("{text} is too large"));
    }
    Ok(bytes as u64)
}

/// Bytes in one unit; the empty unit is one byte.
fn unit_scale(unit: &str) -> Option<u64> {
    Some(match unit.to_ascii_lowercase().as_str() {
        "" | "b" => 1,
        "k" | "kib" => 1 << 10,
        "m" | "mib" => 1 << 20,
        "g" | "gib" => 1 << 30,
        "t" | "tib" => 1 << 40,
        "kb" => 1_000,
        "mb" => 1_000_000,
        "gb" => 1_000_000_000,
        "tb" => 1_000_000_000_000,
        _ => return None,
    })
}

/// `512 B`, `3.4 MiB`: bytes in the unit that keeps the number below 1024.
#[must_use]
pub fn human(bytes: u64) -> String {
    if bytes < 1024 {
        return format!("{bytes} B");
    }
    let mut value = bytes as f64 / 1024.0;
    let mut unit = "KiB";
    for larger in ["MiB", "GiB", "TiB", "PiB", "EiB"] {
        // What would be printed as 1024.0 belongs to the next unit.
        if value < 1023.95 {
            break;
        }
        value /= 1024.0;
        unit = larger;
    }
    format!("{value:.1} {unit}")
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn sizes_are_parsed() {
        for (text, bytes) in [
            ("100000", 100_000),
            ("512MiB", 512 << 20),
            ("512 mib", 512 << 20),
            ("2G", 2 << 30),
            ("1.5g", 3 << 29),
            ("3MB", 3_000_000),
            ("7b", 7),
            ("0", 0),
        ] {
            assert_eq!(parse_size(text), Ok(bytes), "{text}");
        }
    }

    #[test]
    fn what_is_no_size_is_refused() {
        for text in [
            "", "NaN", "inf", "-5", "-5M", "1e9", "5 X", "M", ".", "1.2.3G", "0x10",
        ] {
            let message = parse_size(text).unwrap_err();
            assert!(message.contains("not a size"), "{text}: {message}");
        }
        for text in ["99999999999T", "18446744073709551616", "99999999999.5T"] {
            let message = parse_size(text).unwrap_err();
            assert!(message.contains("too large"), "{text}: {message}");
        }
    }

    #[test]
    fn sizes_are_printed() {
        for (bytes, text) in [
            (0, "0 B"),
            (1023, "1023 B"),
            (1024, "1.0 KiB"),
            (1_048_575, "1.0 MiB"),
            (3_565_158, "3.4 MiB"),
            (u64::MAX, "16.0 EiB"),
        ] {
            assert_eq!(human(bytes), text);
        }
    }
}
