//! Error bounds and errors in a few characters.

use frazil::ErrorBound;

/// `9.8e-4 rel`, `0.5 abs`, both joined by a plus, or `none`; a finest absolute error is said in
/// brackets.
pub(super) fn bound(bound: &ErrorBound) -> String {
    let mut parts = Vec::new();
    if let Some(relative) = bound.relative {
        let floor = match bound.finest_absolute > 0.0 {
            true => format!(" (>= {})", number(bound.finest_absolute)),
            false => String::new(),
        };
        parts.push(format!("{} rel{floor}", number(relative)));
    }
    parts.extend(
        bound
            .absolute
            .map(|absolute| format!("{} abs", number(absolute))),
    );
    match parts.is_empty() {
        true => "none".into(),
        false => parts.join(" + "),
    }
}

/// Two significant digits: `0`, `0.5`, `12`, `9.8e-4`.
pub(super) fn number(value: f64) -> String {
    let magnitude = value.abs();
    if magnitude == 0.0 {
        return "0".into();
    }
    let text = format!("{value:.1e}");
    match (0.01..1000.0).contains(&magnitude) {
        // Back from two digits: 0.25 and 12, not 2.5e-1 and 1.2e1.
        true => text
            .parse::<f64>()
            .map_or(text, |rounded| rounded.to_string()),
        false => text.replace(".0e", "e"),
    }
}

/// Up to seven decimals, for what is held against a limit: `0.9999993`, `5`.
pub(super) fn exact(value: f64) -> String {
    let text = format!("{value:.7}");
    match text.contains('.') {
        true => text.trim_end_matches('0').trim_end_matches('.').into(),
        false => text,
    }
}

/// A value near 1 that is never rounded up to 1: `0.99999`; `-` for none.
pub(super) fn near_one(value: Option<f64>) -> String {
    value.map_or_else(
        || "-".into(),
        |value| format!("{:.5}", (value * 1e5).floor() / 1e5),
    )
}

/// A share in percent, never rounded up to 100: `99.9 %`.
pub(super) fn percent(share: f64) -> String {
    match share == 1.0 {
        true => "100 %".into(),
        false => format!("{:.1} %", (share * 1e3).floor() / 10.0),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn bounds_are_short() {
        let mut some = ErrorBound::default();
        assert_eq!(bound(&some), "none");
        some.relative = Some(0.5_f64.powi(10));
        assert_eq!(bound(&some), "9.8e-4 rel");
        some.finest_absolute = 1e-6;
        some.absolute = Some(0.5);
        assert_eq!(bound(&some), "9.8e-4 rel (>= 1e-6) + 0.5 abs");
    }

    #[test]
    fn numbers_keep_two_digits() {
        for (value, text) in [
            (0.0, "0"),
            (0.25, "0.25"),
            (-0.0312, "-0.031"),
            (999.4, "1000"),
            (12.3, "12"),
            (1e20, "1e20"),
            (f64::INFINITY, "inf"),
            (f64::NAN, "NaN"),
        ] {
            assert_eq!(number(value), text);
        }
    }

    #[test]
    fn limits_are_exact() {
        assert_eq!(exact(0.99999), "0.99999");
        assert_eq!(exact(91.589_292_313), "91.5892923");
        assert_eq!((exact(50.0), exact(f64::NAN)), ("50".into(), "NaN".into()));
    }

    #[test]
    fn what_is_not_whole_does_not_look_whole() {
        assert_eq!(near_one(Some(0.999_999_9)), "0.99999");
        assert_eq!(near_one(Some(1.0)), "1.00000");
        assert_eq!(near_one(None), "-");
        assert_eq!(percent(0.9999), "99.9 %");
        assert_eq!(percent(1.0), "100 %");
    }
}
