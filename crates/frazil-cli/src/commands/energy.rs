//! Joules, carbon and euros in words.

use frazil::{EnergyReport, EnergySource};

use crate::text;

/// The energy of a run, how it was found, and what a year of storage saves.
pub(super) fn lines(energy: &EnergyReport, is_predicted: bool) -> String {
    let predicted = if is_predicted { "predicted: " } else { "" };
    let source = match energy.source {
        EnergySource::Rapl => "by the machine's counters",
        EnergySource::Model => "by a model",
    };
    let saving = &energy.saving;
    let (verb, sign) = match saving.bytes < 0.0 {
        true => ("costs", -1.0),
        false => ("saves", 1.0),
    };
    let closing = |words: String, indent| text::wrapped(&words, indent, text::screen_columns());
    [
        closing(
            format!(
                "{predicted}{} {source}, {} CO2",
                joules(energy.joules),
                scaled(energy.co2_grams, "g")
            ),
            "",
        ),
        closing(text::plain(&energy.basis).into(), "  "),
        closing(
            format!(
                "a year of storage {verb} {} ({} electricity, {} maintenance, {} disks), {} and {} CO2",
                euros(sign * energy.saved_euros_per_year),
                euros(sign * saving.electricity_euros_per_year),
                euros(sign * saving.maintenance_euros_per_year),
                euros(sign * saving.disks_euros_per_year),
                scaled(sign * saving.kwh_per_year * 1000.0, "Wh"),
                scaled(sign * saving.co2_grams_per_year, "g"),
            ),
            "  ",
        ),
    ]
    .concat()
}

/// `21.8 J`, `3.40 kJ`.
pub(super) fn joules(joules: f64) -> String {
    scaled(joules, "J")
}

/// Three digits of a number that is not negative, with the prefix that suits it.
fn scaled(value: f64, unit: &str) -> String {
    const PREFIXES: [(f64, &str); 7] = [
        (1e9, "G"),
        (1e6, "M"),
        (1e3, "k"),
        (1.0, ""),
        (1e-3, "m"),
        (1e-6, "\u{b5}"),
        (1e-9, "n"),
    ];
    // What would be rounded to 1000 has the next prefix.
    let found = PREFIXES.iter().find(|(size, _)| value >= size * 0.9995);
    let Some((size, prefix)) = found else {
        return format!("0 {unit}");
    };
    format!("{} {prefix}{unit}", three_digits(value / size))
}

fn euros(value: f64) -> String {
    match value {
        value if value >= 0.0005 => format!("{} EUR", three_digits(value)),
        value if value > 0.0 => format!("{value:.1e} EUR"),
        _ => "0 EUR".to_owned(),
    }
}

fn three_digits(value: f64) -> String {
    let places = match value {
        value if value >= 99.95 => 0,
        value if value >= 9.995 => 1,
        _ => 2,
    };
    format!("{value:.places$}")
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn prefixes_keep_numbers_short() {
        for (value, text) in [
            (0.0, "0 J"),
            (2.5e-7, "250 nJ"),
            (0.0213, "21.3 mJ"),
            (0.9996, "1.00 J"),
            (999.4, "999 J"),
            (12_345.0, "12.3 kJ"),
            (f64::NAN, "0 J"),
        ] {
            assert_eq!(joules(value), text);
        }
        assert_eq!(euros(3.2e-5), "3.2e-5 EUR");
    }

    #[test]
    fn a_larger_output_costs() {
        let energy = EnergyReport {
            saving: frazil::EnergyRates::default().saving(-1e15),
            saved_euros_per_year: -38_679.2,
            basis: "a test".into(),
            ..EnergyReport::default()
        };
        let text = lines(&energy, true);
        assert!(text.starts_with("predicted: 0 J by a model"), "{text}");
        assert!(text.contains("a year of storage costs 38679 EUR"), "{text}");
        assert!(text.contains("a test"), "{text}");
    }
}
