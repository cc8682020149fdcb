//! The measures of how closely a rounded variable follows its original.

use super::*;

/// Straight from the definitions, without blocks, tiles or lanes.
struct Reference {
    rmse: f64,
    bias: f64,
    correlation: f64,
    ks: f64,
    gradient: f64,
}

fn reference(a: &[f32], b: &[f32]) -> Reference {
    let is_special = |x: f32| !x.is_finite() || x == FILL || x == 1.0e20;
    let pairs: Vec<(f64, f64)> = a
        .iter()
        .zip(b)
        .filter(|(x, _)| !is_special(**x))
        .map(|(&x, &y)| (f64::from(x), f64::from(y)))
        .collect();
    let n = pairs.len() as f64;
    let mean = |term: &dyn Fn(&(f64, f64)) -> f64| pairs.iter().map(term).sum::<f64>() / n;
    let (mean_a, mean_b) = (mean(&|p| p.0), mean(&|p| p.1));
    let covariance = mean(&|p| (p.0 - mean_a) * (p.1 - mean_b));
    let variances = mean(&|p| (p.0 - mean_a).powi(2)) * mean(&|p| (p.1 - mean_b).powi(2));
    let below = |x: f64, side: &dyn Fn(&(f64, f64)) -> f64| {
        pairs.iter().filter(|p| side(p) <= x).count() as f64 / n
    };
    let points = pairs.iter().flat_map(|p| [p.0, p.1]);
    let ks = points
        .map(|x| (below(x, &|p| p.0) - below(x, &|p| p.1)).abs())
        .fold(0.0, f64::max);
    let [times, rows, columns] = SHAPE.map(|n| n as usize);
    let (mut errors, mut originals) = (0.0, 0.0);
    for time in 0..times {
        for row in 0..rows {
            for column in 0..columns {
                let at = (time * rows + row) * columns + column;
                let right = (column + 1 < columns).then_some(at + 1);
                let down = (row + 1 < rows).then_some(at + columns);
                for next in [right, down].into_iter().flatten() {
                    if is_special(a[at]) || is_special(a[next]) {
                        continue;
                    }
                    let original = f64::from(a[next]) - f64::from(a[at]);
                    let rounded = f64::from(b[next]) - f64::from(b[at]);
                    errors += (rounded - original).powi(2);
                    originals += original * original;
                }
            }
        }
    }
    Reference {
        rmse: mean(&|p| (p.1 - p.0).powi(2)).sqrt(),
        bias: mean(&|p| p.1 - p.0),
        correlation: covariance / variances.sqrt(),
        ks,
        gradient: (errors / originals).sqrt(),
    }
}

#[test]
fn measures_are_those_of_their_definitions() {
    let case = Case::new();
    for bits in [3, 9, 16] {
        let rounded: Vec<f32> = case.original.iter().map(|&x| round(x, bits)).collect();
        let found = case.judge(&rounded, Statement::bits(bits as i32));
        let expected = reference(&case.original, &rounded);
        let close =
            |found: f64, expected: f64| (found - expected).abs() <= 1.0e-10 * expected.abs();
        assert!(found.passed, "{:?}", found.failures);
        assert!(close(found.rmse, expected.rmse), "{bits}");
        assert!((found.bias - expected.bias).abs() < 1.0e-12, "{bits}");
        assert!(
            close(found.correlation.unwrap(), expected.correlation),
            "{bits}"
        );
        assert!((found.ks_distance - expected.ks).abs() < 1.0e-12, "{bits}");
        assert!(
            close(found.gradient_error.unwrap(), expected.gradient),
            "{bits}"
        );
        assert!(found.spectral_error.unwrap() > 0.0);
        let (mean, worst) = found.ssim.unwrap();
        assert!(
            worst <= mean && mean < 1.0 && mean > 0.3,
            "{bits}: {mean} {worst}"
        );
    }
}

#[test]
fn doubles_are_measured_like_floats() {
    let case = Case::new();
    let write = |name: &str, values: &[f32], statement: Statement, double: bool| {
        let shape = SHAPE;
        let field = Field {
            shape,
            values,
            statement,
            double,
        };
        field.write(&case.folder, name)
    };
    let judge = |double: bool| {
        let a = write("a.nc", &case.original, Statement::default(), double);
        let b = write("b.nc", &case.rounded, Statement::bits(9), double);
        precision(&compare(&packed(&a), &packed(&b)))
    };
    assert_eq!(json(&judge(true)), json(&judge(false)));
}

#[test]
fn promised_information_is_checked() {
    let shape = [2, 120, 200];
    let folder = tempfile::tempdir().unwrap();
    let write = |name: &str, values: &[f32], statement: Statement| {
        let field = Field {
            shape,
            values,
            statement,
            double: false,
        };
        field.write(&folder, name)
    };
    let judge = |bits: u32, stated: i32| {
        let (original, rounded) = fields(shape, bits);
        let a = write("a.nc", &original, Statement::default());
        let statement = Statement::bits(stated)
            .and("quantization_maximum_absolute_error", 300.0)
            .and("quantization_keep_information", 0.99);
        precision(&compare(&a, &write("b.nc", &rounded, statement)))
    };
    let enough = judge(15, 15);
    assert!(enough.passed && enough.preserved_information.unwrap() >= 0.99);
    for (bits, stated) in [(2, 2), (2, 15)] {
        let found = judge(bits, stated);
        let kept = found.preserved_information.unwrap();
        assert!(!found.passed && kept < 0.99, "{kept}");
        assert!(found.failures[0].ends_with("of the information is kept, 0.99 is stated"));
    }
}

#[test]
fn thresholds_decide_on_request_only() {
    let case = Case::new();
    let (original, rounded) = fields(SHAPE, 4);
    let a = case.write("a.nc", &original, Statement::default());
    let b = case.write("b.nc", &rounded, Statement::bits(4));
    let strict = VerifyOptions {
        thresholds: Some(Thresholds::Ldcpy),
        ..VerifyOptions::default()
    };
    let found = precision(&compare(&a, &b));
    assert!(found.passed && found.thresholds.len() == 4);
    assert!(
        found.thresholds.iter().all(|test| !test.passed),
        "{:?}",
        found.thresholds
    );
    let judged = precision(&verify(&a, &b, &strict, &mut Silent).unwrap());
    assert!(!judged.passed && judged.failures.len() == 4);
    let rounded: Vec<f32> = original.iter().map(|&x| round(x, 20)).collect();
    let fine = case.write("fine.nc", &rounded, Statement::bits(20));
    let judged = precision(&verify(&a, &fine, &strict, &mut Silent).unwrap());
    assert!(judged.passed, "{:?}", judged.failures);
}

#[test]
fn threads_change_nothing_and_memory_is_kept() {
    let shape = [2, 600, 700];
    let folder = tempfile::tempdir().unwrap();
    let (original, rounded) = fields(shape, 7);
    let write = |name: &str, values: &[f32], statement: Statement| {
        let field = Field {
            shape,
            values,
            statement,
            double: false,
        };
        field.write(&folder, name)
    };
    let a = packed(&write("a.nc", &original, Statement::default()));
    let b = write("b.nc", &rounded, Statement::bits(7));
    let run = |threads: usize, memory_bytes: u64| {
        let options = VerifyOptions {
            resources: Resources {
                threads,
                memory_bytes,
                ..Resources::default()
            },
            ..VerifyOptions::default()
        };
        verify(&a, &b, &options, &mut Silent).unwrap()
    };
    for memory_bytes in [64 << 20, 8 << 20] {
        let one = run(1, memory_bytes);
        assert!(precision(&one).passed);
        for threads in [2, 5] {
            let other = run(threads, memory_bytes);
            assert_eq!(json(&precision(&other)), json(&precision(&one)));
        }
        let is_cut = one
            .notices
            .iter()
            .any(|line| line.contains("horizontal slices"));
        assert_eq!(is_cut, memory_bytes == 8 << 20, "{:?}", one.notices);
    }
}

#[test]
fn figures_are_of_the_variable_and_slice_with_the_largest_error() {
    let case = Case::new();
    let a = case.write("a.nc", &case.original, Statement::default());
    let mut planted = case.rounded.clone();
    planted[1300] += 50.0;
    let b = case.write("b.nc", &planted, Statement::bits(9));
    let options = VerifyOptions {
        figures: 3,
        ..VerifyOptions::default()
    };
    let report = verify(&a, &b, &options, &mut Silent).unwrap();
    assert_eq!(report.figures.len(), 1);
    let figures = &report.figures[0];
    assert_eq!((figures.slice.as_str(), figures.size), ("time=2", (30, 20)));
    assert_eq!(figures.original, case.original[1200..]);
    assert_eq!(figures.rounded, planted[1200..]);
    let (original, rounded) = &figures.histograms;
    assert_eq!(original.len(), 100);
    assert_eq!(original.iter().sum::<u64>(), 1795);
    assert_eq!(rounded.iter().sum::<u64>(), 1795);
    let (low, high) = figures.histogram_range;
    let ordinary = |x: &f32| x.is_finite() && *x != FILL && *x != 1.0e20;
    let values = case.original.iter().chain(&planted).copied();
    let values: Vec<f32> = values.filter(ordinary).collect();
    let lowest = values.iter().copied().fold(f32::INFINITY, f32::min);
    let highest = values.iter().copied().fold(f32::NEG_INFINITY, f32::max);
    assert_eq!((low, high), (f64::from(lowest), f64::from(highest)));
    assert_eq!(figures.spectra.0.len(), 15);
    assert!(compare(&a, &b).figures.is_empty());
}
