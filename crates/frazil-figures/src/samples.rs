//! Reports for tests.

use frazil::{
    AnalyzeReport, DataOrigin, ErrorBound, PrecisionReport, QuantizeAlgorithm, StatedPrecision,
    ThresholdResult, VariableFigures, VariableInformation, VerifyReport,
};

/// A variable of `bits` bits per element whose information fades along the mantissa.
pub(crate) fn information(path: &str, bits: usize) -> VariableInformation {
    let mantissa = if bits == 64 { 12 } else { 9 };
    let bit = |place: usize| match place {
        0 => 0.0,
        place if place < mantissa - 4 => 0.0,
        place if place < mantissa => 0.9,
        place => (0.85 - 0.1 * (place - mantissa) as f64).max(0.0),
    };
    VariableInformation {
        path: path.into(),
        element: format!("float{bits}"),
        shape: vec![24, 180, 360],
        axis: Some((2, "lon".into())),
        pairs: 1_550_880,
        masked: 1000,
        information: (0..bits).map(bit).collect(),
        origin: DataOrigin::Continuous,
        keep_information: 0.99,
        significant_bits: Some(7),
        preserved_information: Some(0.9931),
        relative_bound: Some(0.5_f64.powi(8)),
        reason: "7 bits keep 99 % of the information".into(),
        votes: Vec::new(),
    }
}

pub(crate) fn analysis(variables: Vec<VariableInformation>) -> AnalyzeReport {
    AnalyzeReport {
        path: "in.nc".into(),
        variables,
        notices: Vec::new(),
        seconds: 0.5,
    }
}

pub(crate) fn precision(path: &str) -> PrecisionReport {
    PrecisionReport {
        path: path.into(),
        stated: StatedPrecision {
            algorithm: Some(QuantizeAlgorithm::BitRound),
            significant_bits: Some(9),
            significant_digits: None,
            bound: ErrorBound {
                relative: Some(0.5_f64.powi(10)),
                ..ErrorBound::default()
            },
            keep_information: Some(0.99),
        },
        values: 1_555_200,
        changed: 1_552_000,
        special: 10,
        special_changed: 0,
        max_absolute_error: 0.2498,
        max_relative_error: 9.7e-4,
        beyond_bound: 0,
        standard_deviation: 21.5,
        rmse: 0.0712,
        bias: -1.2e-5,
        correlation: Some(0.999_999_3),
        ks_distance: 0.0014,
        gradient_error: Some(0.012),
        spectral_error: Some(0.0003),
        ssim: Some((0.999_87, 0.9991)),
        preserved_information: Some(0.992),
        thresholds: vec![ThresholdResult {
            name: "Pearson correlation".into(),
            value: 0.999_999_3,
            limit: 0.99999,
            passed: true,
        }],
        passed: true,
        failures: Vec::new(),
    }
}

/// A field of waves with a hole, and itself rounded to 3 bits.
pub(crate) fn figures(path: &str, (columns, rows): (usize, usize)) -> VariableFigures {
    let value = |place: usize| {
        let (x, y) = ((place % columns) as f32, (place / columns) as f32);
        match (x - 60.0).hypot(y - 40.0) < 12.0 {
            true => f32::NAN,
            false => {
                280.0 + 20.0 * (x / 25.0).sin() * (y / 18.0).cos() + 5.0 * (x * y / 700.0).sin()
            }
        }
    };
    let original: Vec<f32> = (0..columns * rows).map(value).collect();
    let round = |value: &f32| f32::from_bits((value.to_bits() + 0x2000) & !0x3fff);
    let rounded: Vec<f32> = original
        .iter()
        .map(|value| if value.is_nan() { *value } else { round(value) })
        .collect();
    let histogram = |values: &[f32]| {
        let mut counts = vec![0; 50];
        for value in values.iter().filter(|value| value.is_finite()) {
            counts[((value - 250.0) as usize).min(49)] += 1;
        }
        counts
    };
    let spectrum = |noise: f64| {
        (1..=180)
            .map(|k| 1e6 / f64::from(k).powi(3) + noise)
            .collect()
    };
    VariableFigures {
        path: path.into(),
        slice: "time=0, lev=3".into(),
        size: (columns, rows),
        histogram_range: (250.0, 300.0),
        histograms: (histogram(&original), histogram(&rounded)),
        spectra: (spectrum(0.0), spectrum(0.8)),
        original,
        rounded,
    }
}

pub(crate) fn verification(
    precision: Vec<PrecisionReport>,
    figures: Vec<VariableFigures>,
) -> VerifyReport {
    VerifyReport {
        a: "in.nc".into(),
        b: "out.nc".into(),
        objects: 12,
        attributes: 40,
        values: 1_555_210,
        value_bytes: 6_220_840,
        differences: Vec::new(),
        difference_count: 0,
        precision,
        figures,
        notices: Vec::new(),
        seconds: 0.25,
    }
}
