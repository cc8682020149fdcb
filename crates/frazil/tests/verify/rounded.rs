//! Rounded variables: judged by what the second file states of them.

use std::path::{Path, PathBuf};

use frazil::{
    Destination, PackOptions, PrecisionReport, QuantizeAlgorithm, Resources, Silent, Thresholds,
    VerifyOptions, VerifyReport, pack, verify,
};
use frazil_container::classic::{
    AttributeValue, ClassicAttribute, ClassicDimension, ClassicFormat, ClassicModel,
    ClassicVariable, ClassicWriter, NcType,
};
use tempfile::TempDir;

use super::{assert_equal, compare, lines};

const FILL: f32 = -9999.0;

fn attribute(name: &str, value: AttributeValue) -> ClassicAttribute {
    ClassicAttribute {
        name: name.into(),
        value,
    }
}

fn text(name: &str, value: &str) -> ClassicAttribute {
    attribute(name, AttributeValue::Char(value.into()))
}

/// What a file says about the rounding of `t`: attributes, and whether there is a container.
#[derive(Clone, Default)]
struct Statement {
    attributes: Vec<ClassicAttribute>,
    container: Option<&'static str>,
}

impl Statement {
    fn bits(bits: i32) -> Self {
        Self {
            attributes: vec![
                text("quantization", "quantization_info"),
                attribute("quantization_nsb", AttributeValue::Int(vec![bits])),
            ],
            container: Some("bitround"),
        }
    }

    fn and(mut self, name: &str, value: f64) -> Self {
        let value = AttributeValue::Double(vec![value]);
        self.attributes.push(attribute(name, value));
        self
    }
}

/// A file with one field `t` of `shape`.
struct Field<'a> {
    shape: [u64; 3],
    values: &'a [f32],
    statement: Statement,
    double: bool,
}

impl Field<'_> {
    fn model(&self) -> ClassicModel {
        let names = ["time", "y", "x"];
        let dimension = |(name, length): (&str, u64)| ClassicDimension {
            name: name.into(),
            length,
            is_record: false,
        };
        let mut attributes = vec![attribute(
            "missing_value",
            AttributeValue::Float(vec![1.0e20]),
        )];
        attributes.push(if self.double {
            attribute("_FillValue", AttributeValue::Double(vec![f64::from(FILL)]))
        } else {
            attribute("_FillValue", AttributeValue::Float(vec![FILL]))
        });
        attributes.extend(self.statement.attributes.clone());
        let variable = |name: &str, dimensions: &[usize], nc_type, attributes| ClassicVariable {
            name: name.into(),
            dimensions: dimensions.to_vec(),
            attributes,
            nc_type,
        };
        let nc_type = if self.double {
            NcType::Double
        } else {
            NcType::Float
        };
        let mut variables = vec![variable("t", &[0, 1, 2], nc_type, attributes)];
        if let Some(algorithm) = self.statement.container {
            let attributes = vec![
                text("algorithm", algorithm),
                text("implementation", "a test"),
            ];
            variables.push(variable("quantization_info", &[], NcType::Char, attributes));
        }
        ClassicModel {
            dimensions: names.into_iter().zip(self.shape).map(dimension).collect(),
            attributes: Vec::new(),
            variables,
        }
    }

    fn write(&self, folder: &TempDir, name: &str) -> PathBuf {
        let path = folder.path().join(name);
        let model = self.model();
        let mut writer = ClassicWriter::create(&path, ClassicFormat::Cdf2, &model).unwrap();
        let bytes: Vec<u8> = if self.double {
            let doubles = self.values.iter().map(|&value| f64::from(value));
            doubles.flat_map(f64::to_ne_bytes).collect()
        } else {
            self.values
                .iter()
                .flat_map(|value| value.to_ne_bytes())
                .collect()
        };
        writer.put(0, &[0, 0, 0], &self.shape, &bytes).unwrap();
        if self.statement.container.is_some() {
            writer.put(1, &[], &[], b"\0").unwrap();
        }
        writer.finish().unwrap();
        path
    }
}

/// An original, and its values rounded to `bits`, with special values among them.
fn fields(shape: [u64; 3], bits: u32) -> (Vec<f32>, Vec<f32>) {
    let count = shape.iter().product::<u64>();
    let mut state = 12_345_u64;
    let mut original: Vec<f32> = (0..count)
        .map(|i| {
            state = state
                .wrapping_mul(6_364_136_223_846_793_005)
                .wrapping_add(1);
            let noise = (state >> 40) as f32 / (1 << 24) as f32;
            250.0 + 20.0 * (i as f32 / 37.0).sin() + noise
        })
        .collect();
    let specials = [FILL, f32::NAN, f32::INFINITY, 1.0e20, f32::NEG_INFINITY];
    for (i, special) in specials.into_iter().enumerate() {
        original[40 + 11 * i] = special;
    }
    let rounded = original.iter().map(|&value| round(value, bits)).collect();
    (original, rounded)
}

/// BitRound, as netCDF-C has it, but for special values.
fn round(value: f32, bits: u32) -> f32 {
    if !value.is_finite() || value == FILL || value == 1.0e20 {
        return value;
    }
    let dropped = 23 - bits;
    let half = (1_u32 << dropped) >> 1;
    f32::from_bits((value.to_bits() + half) & (u32::MAX << dropped))
}

const SHAPE: [u64; 3] = [3, 20, 30];

struct Case {
    folder: TempDir,
    original: Vec<f32>,
    rounded: Vec<f32>,
}

impl Case {
    fn new() -> Self {
        let (original, rounded) = fields(SHAPE, 9);
        Self {
            folder: tempfile::tempdir().unwrap(),
            original,
            rounded,
        }
    }

    fn write(&self, name: &str, values: &[f32], statement: Statement) -> PathBuf {
        let field = Field {
            shape: SHAPE,
            values,
            statement,
            double: false,
        };
        field.write(&self.folder, name)
    }

    /// The original beside `values` that state to be rounded to 9 bits: as classic files and as
    /// netCDF-4 files, which must be judged alike.
    fn judge(&self, values: &[f32], statement: Statement) -> PrecisionReport {
        let a = self.write("a.nc", &self.original, Statement::default());
        let b = self.write("b.nc", values, statement);
        let classic = precision(&compare(&a, &b));
        let (packed_a, packed_b) = (packed(&a), packed(&b));
        for (a, b) in [(&packed_a, &packed_b), (&a, &packed_b), (&packed_a, &b)] {
            let other = precision(&compare(a, b));
            assert_eq!(json(&other), json(&classic));
        }
        classic
    }
}

/// The same content as netCDF-4.
fn packed(path: &Path) -> PathBuf {
    let output = path.with_extension("nc4");
    let options = PackOptions {
        overwrite: true,
        ..PackOptions::default()
    };
    let destination = Destination::File(output.clone());
    pack(path, &destination, &options, &mut Silent).unwrap();
    output
}

#[track_caller]
fn precision(report: &VerifyReport) -> PrecisionReport {
    assert_eq!(report.difference_count, 0, "{:?}", lines(report));
    assert_eq!(report.precision.len(), 1);
    assert_eq!(report.precision[0].path, "/t");
    assert_eq!(report.is_equal(), report.precision[0].passed);
    report.precision[0].clone()
}

fn json(report: &PrecisionReport) -> String {
    serde_json::to_string(report).unwrap()
}

#[test]
fn a_stated_bound_that_is_kept_passes() {
    let case = Case::new();
    let found = case.judge(&case.rounded, Statement::bits(9));
    assert!(found.passed, "{:?}", found.failures);
    assert_eq!(found.stated.algorithm, Some(QuantizeAlgorithm::BitRound));
    assert_eq!(found.stated.bound.relative, Some(0.5_f64.powi(10)));
    assert_eq!((found.values, found.special), (1800 - 5, 5));
    assert_eq!((found.beyond_bound, found.special_changed), (0, 0));
    assert!(found.changed > 1700 && found.max_absolute_error <= 0.25);
    assert!(found.max_relative_error > 0.0 && found.max_relative_error <= 0.5_f64.powi(10));
}

#[test]
fn one_value_beyond_the_bound_is_found() {
    let case = Case::new();
    let mut planted = case.rounded.clone();
    // Element [1, 2, 3].
    planted[663] = case.original[663] * (1.0 + 2.5 * 0.5_f32.powi(10));
    let found = case.judge(&planted, Statement::bits(9));
    assert!(!found.passed);
    assert_eq!(found.beyond_bound, 1);
    let expected = "1 of 1795 values are further from their originals than stated; the worst, at \
                    [1, 2, 3], by a factor of 2.5";
    assert!(
        found.failures[0].starts_with(expected),
        "{:?}",
        found.failures
    );
}

#[test]
fn bounds_that_are_written_count_before_derived_ones() {
    let case = Case::new();
    let bound = |name: &str, value| Statement::bits(9).and(name, value);
    let found = case.judge(
        &case.rounded,
        bound("quantization_maximum_absolute_error", 0.25),
    );
    assert!(found.passed && found.stated.bound.relative.is_none());
    let found = case.judge(
        &case.rounded,
        bound("quantization_maximum_absolute_error", 0.125),
    );
    assert!(!found.passed && found.beyond_bound > 100);
    let relative = bound("quantization_maximum_relative_error", 1.0e-6);
    let found = case.judge(&case.rounded, relative.clone());
    assert!(!found.passed);
    let softened = relative.and("quantization_finest_absolute_error", 0.25);
    assert!(case.judge(&case.rounded, softened).passed);
}

#[test]
fn special_values_must_keep_every_bit() {
    let case = Case::new();
    let changes: [(usize, f32); 4] = [
        (40, -9998.0),
        (51, f32::from_bits(0x7fc0_0001)),
        (62, f32::MAX),
        (73, 1.0e20_f32.next_up()),
    ];
    for (i, value) in changes {
        let mut planted = case.rounded.clone();
        planted[i] = value;
        let found = case.judge(&planted, Statement::bits(9));
        assert_eq!((found.passed, found.special_changed), (false, 1), "{i}");
        assert_eq!(found.beyond_bound, 0);
        let expected = "1 of 5 special values (fill, missing, not valid, not finite) are changed";
        assert!(
            found.failures[0].starts_with(expected),
            "{:?}",
            found.failures
        );
    }
}

#[test]
fn data_must_not_become_special() {
    let case = Case::new();
    for (value, beyond) in [(FILL, 1), (f32::NAN, 1), (f32::INFINITY, 1)] {
        let mut planted = case.rounded.clone();
        planted[7] = value;
        let found = case.judge(&planted, Statement::bits(9));
        assert_eq!((found.passed, found.beyond_bound), (false, beyond));
        let last = found.failures.last().unwrap();
        assert!(last.starts_with("1 values became special"), "{last}");
    }
    // Within the bound all the same.
    let mut near = case.original.clone();
    near[7] = -9999.5;
    let a = case.write("near.nc", &near, Statement::default());
    let mut planted = case.rounded.clone();
    planted[7] = FILL;
    let b = case.write("fill.nc", &planted, Statement::bits(9));
    let found = precision(&compare(&a, &b));
    assert_eq!((found.passed, found.beyond_bound), (false, 0));
}

#[test]
fn without_a_new_statement_values_must_be_equal() {
    let case = Case::new();
    let none = Statement::default();
    let a = case.write("a.nc", &case.original, none.clone());
    let b = case.write("b.nc", &case.rounded, none.clone());
    let expected = "/t: first difference at [0, 0, 0]: ";
    let report = compare(&a, &b);
    assert!(report.precision.is_empty() && lines(&report)[0].starts_with(expected));
    let same_a = case.write("same_a.nc", &case.original, Statement::bits(9));
    let same_b = case.write("same_b.nc", &case.rounded, Statement::bits(9));
    for (a, b) in [(&same_a, &same_b), (&packed(&same_a), &packed(&same_b))] {
        let report = compare(a, b);
        assert!(report.precision.is_empty());
        assert!(
            lines(&report)[0].starts_with(expected),
            "{:?}",
            lines(&report)
        );
        assert!(assert_equal(a, a).precision.is_empty());
    }
    // What the first file states must not be lost.
    let lost = compare(&same_a, &b);
    assert!(lost.precision.is_empty() && lost.difference_count > 3);
}

#[test]
fn everything_else_must_still_be_equal() {
    let case = Case::new();
    let a = case.write("a.nc", &case.original, Statement::default());
    let mut statement = Statement::bits(9);
    statement.attributes.push(text("units", "K"));
    let b = case.write("b.nc", &case.rounded, statement);
    for (a, b) in [(&a, &b), (&packed(&a), &packed(&b))] {
        let report = compare(a, b);
        let expected = ["/t: attribute `units` is only in the second file"];
        assert_eq!(lines(&report), expected);
        assert!(report.precision[0].passed && !report.is_equal());
    }
    // A container that no rounded variable names is a variable like any other.
    let mut statement = Statement::bits(9);
    statement.attributes.remove(0);
    let unnamed = case.write("unnamed.nc", &case.rounded, statement);
    for (a, b) in [(&a, &unnamed), (&packed(&a), &packed(&unnamed))] {
        let found = lines(&compare(a, b));
        assert_eq!(found.len(), 1, "{found:?}");
        assert!(found[0].starts_with("/quantization_info: "), "{found:?}");
    }
}

#[test]
fn statements_of_others_are_understood() {
    let case = Case::new();
    let only = |name: &str, value| Statement {
        attributes: vec![attribute(name, AttributeValue::Int(vec![value]))],
        container: None,
    };
    let netcdf = case.judge(
        &case.rounded,
        only("_QuantizeBitRoundNumberOfSignificantBits", 9),
    );
    assert_eq!(netcdf.stated.bound.relative, Some(0.5_f64.powi(10)));
    let granular = only("_QuantizeGranularBitRoundNumberOfSignificantDigits", 3);
    let granular = case.judge(&case.rounded, granular);
    assert_eq!(granular.stated.bound.relative, Some(5.0e-3));
    assert_eq!(
        granular.stated.algorithm,
        Some(QuantizeAlgorithm::GranularBitRound)
    );
    let groom = only("_QuantizeBitGroomNumberOfSignificantDigits", 2);
    let groom = case.judge(&case.rounded, groom);
    assert_eq!(groom.stated.bound.relative, Some(0.5_f64.powi(8)));
    let linear = only("nbits", 14).and("max_abs_compression_error", 0.25);
    let linear = case.judge(&case.rounded, linear);
    assert_eq!(linear.stated.bound.absolute, Some(0.25));
    assert_eq!(linear.stated.algorithm, Some(QuantizeAlgorithm::Linear));
    let mut unknown = Statement::bits(9);
    unknown.container = Some("digitround");
    let unknown = case.judge(&case.rounded, unknown);
    assert!(unknown.passed && unknown.stated.bound.is_none() && unknown.stated.algorithm.is_none());
    for passed in [netcdf, granular, groom, linear] {
        assert!(passed.passed, "{:?}", passed.failures);
    }
}

#[test]
fn malformed_statements_are_taken_as_absent() {
    let case = Case::new();
    let a = case.write("a.nc", &case.original, Statement::default());
    let mut statement = Statement::bits(9);
    statement.attributes[1] = text("quantization_nsb", "nine");
    let b = case.write("b.nc", &case.rounded, statement);
    let report = compare(&a, &b);
    let found = precision(&report);
    assert!(found.stated.bound.is_none() && found.stated.significant_bits.is_none());
    assert!(
        report
            .notices
            .iter()
            .any(|line| line.contains("quantization_nsb")),
        "{:?}",
        report.notices
    );
}

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
