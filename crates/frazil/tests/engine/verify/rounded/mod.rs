//! Rounded variables: judged by what the second file states of them.

mod measures;
mod statements;

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
