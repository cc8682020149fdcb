//! Numbers as a reader of a figure wants them, and places for ticks.

/// Four significant digits, `0.001234` or `1.2e-5`; `–` for NaN.
pub(crate) fn short(value: f64) -> String {
    if value.is_nan() {
        return "–".into();
    }
    if value.is_infinite() {
        return if value > 0.0 { "∞" } else { "-∞" }.into();
    }
    let magnitude = value.abs();
    if magnitude == 0.0 {
        return "0".into();
    }
    if !(1e-3..1e5).contains(&magnitude) {
        return trim_exponent(&format!("{value:.2e}"));
    }
    let places = 3 - magnitude.log10().floor() as i32;
    let text = format!("{value:.*}", places.max(0) as usize);
    trim_zeros(&text).into()
}

/// As [`short`], but seven decimals near 1, where tests have their limits.
pub(crate) fn exact(value: f64) -> String {
    match (0.9..1.1).contains(&value) {
        true => trim_zeros(&format!("{value:.7}")).into(),
        false => short(value),
    }
}

/// A share in percent, never rounded up to 100: `99.99 %`, with a space that does not break.
pub(crate) fn percent(share: f64) -> String {
    format!(
        "{}\u{a0}%",
        trim_zeros(&format!("{:.2}", (share * 1e4).floor() / 1e2))
    )
}

/// A value whose distance from 1 tells, never rounded up to 1: `0.99999`.
pub(crate) fn near_one(value: f64) -> String {
    format!("{:.5}", (value * 1e5).floor() / 1e5)
}

/// Drops zeros after the decimal point, and the point after them.
fn trim_zeros(text: &str) -> &str {
    match text.contains('.') {
        true => text.trim_end_matches('0').trim_end_matches('.'),
        false => text,
    }
}

fn trim_exponent(text: &str) -> String {
    match text.split_once('e') {
        Some((mantissa, exponent)) => format!("{}e{exponent}", trim_zeros(mantissa)),
        None => text.into(),
    }
}

/// At most about `wanted` round numbers between `low` and `high`, both finite.
pub(crate) fn ticks(low: f64, high: f64, wanted: u32) -> Vec<f64> {
    let span = high - low;
    if !span.is_finite() || span <= 0.0 || wanted == 0 {
        return vec![low];
    }
    let rough = span / f64::from(wanted);
    let power = 10_f64.powf(rough.log10().floor());
    let step = [1.0, 2.0, 5.0, 10.0]
        .map(|factor| factor * power)
        .into_iter()
        .find(|&step| step >= rough)
        .unwrap_or(10.0 * power);
    let first = (low / step).ceil();
    let count = (high / step).floor() - first;
    // A range far from zero and narrower than its own rounding has no ticks of its own.
    if step <= 0.0 || !(0.0..=100.0).contains(&count) {
        return vec![low];
    }
    (0..=count as u32)
        .map(|number| (first + f64::from(number)) * step)
        .collect()
}

/// Powers of ten between `low` and `high`, both above zero, at most about `wanted`.
pub(crate) fn log_ticks(low: f64, high: f64, wanted: u32) -> Vec<f64> {
    let (first, last) = (low.log10().ceil() as i32, high.log10().floor() as i32);
    let step = ((last - first) / wanted.max(1) as i32 + 1).max(1);
    let powers = (first..=last).step_by(step as usize);
    powers.map(|power| 10_f64.powi(power)).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn numbers_are_short() {
        for (value, text) in [
            (0.0, "0"),
            (-0.0, "0"),
            (1.0, "1"),
            (273.149_99, "273.1"),
            (-0.001_234_5, "-0.001234"),
            (0.000_012_34, "1.23e-5"),
            (1e-5, "1e-5"),
            (1_234_567.0, "1.23e6"),
            (99_999.0, "99999"),
            (f64::NAN, "–"),
            (f64::NEG_INFINITY, "-∞"),
            (5e-324, "4.94e-324"),
        ] {
            assert_eq!(short(value), text);
        }
    }

    #[test]
    fn what_is_not_whole_never_looks_whole() {
        assert_eq!(percent(1.0), "100\u{a0}%");
        assert_eq!(percent(0.999_999), "99.99\u{a0}%");
        assert_eq!(near_one(0.999_999_9), "0.99999");
        assert_eq!(near_one(1.0), "1.00000");
        assert_eq!(exact(0.999_999_3), "0.9999993");
        assert_eq!(exact(0.05), "0.05");
    }

    #[test]
    fn ticks_are_round() {
        assert_eq!(
            ticks(0.0, 1.0, 5),
            [0.0, 0.2, 0.4, 0.6000000000000001, 0.8, 1.0]
        );
        assert_eq!(ticks(-12.0, 27.0, 4), [-10.0, 0.0, 10.0, 20.0]);
        assert_eq!(ticks(3.0, 3.0, 5), [3.0]);
        assert_eq!(ticks(f64::NEG_INFINITY, 3.0, 5).len(), 1);
        assert!(ticks(1e300, 1.000_000_000_000_000_2e300, 5).len() <= 101);
        assert!(ticks(5e-324, 1e-323, 5).len() <= 101);
        assert_eq!(log_ticks(0.5, 2000.0, 6), [1.0, 10.0, 100.0, 1000.0]);
        assert!(log_ticks(1e-300, 1e300, 6).len() <= 8);
    }
}
