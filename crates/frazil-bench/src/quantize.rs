//! The rounding kernels, timed on one core.

use std::hint::black_box;

use cpu_time::ProcessTime;
use frazil_codec::{BoxPlace, CodecError, ErrorCheck, Quantizer, ordinary_range, simd_summary};
use frazil_types::{
    ByteOrder, ElementClass, ElementType, ErrorBound, ProtectedValues, QuantizePlan, Rounding,
};
use serde::Serialize;

use crate::error::Error;
use crate::report::median;

/// Bytes of the chunk that is rounded again and again.
const CHUNK_BYTES: usize = 1 << 20;
/// Chunks of one timed round.
const CHUNKS: usize = 64;
/// The fill value of the field.
const FILL: f64 = 9.969_209_968_386_869e36;

/// The result of a measurement.
#[derive(Debug, Serialize)]
pub(crate) struct Report {
    /// Bytes of a chunk.
    chunk_bytes: usize,
    /// Share of the field that is fill value.
    fill_share: f64,
    /// Timed rounds; medians are reported.
    rounds: usize,
    /// The code paths of this machine.
    simd: String,
    /// One row for each kernel and type.
    kernels: Vec<Row>,
}

/// One kernel on one type.
#[derive(Debug, Serialize)]
struct Row {
    /// The algorithm, or `error_check`.
    kernel: String,
    /// What it was asked for.
    setting: String,
    /// float32 or float64.
    element: String,
    /// Bits, digits or bits of the grid that were kept, where that is known.
    kept: Option<u32>,
    /// 10^9 bytes of values a CPU second.
    gigabytes_per_second: f64,
}

/// A rounding and its names.
struct Subject {
    kernel: &'static str,
    setting: String,
    rounding: Rounding,
    bound: ErrorBound,
}

/// Times every kernel on both types, `repeats` rounds each.
///
/// # Errors
/// If a kernel refuses its work: a bug.
pub(crate) fn measure(repeats: usize) -> Result<Report, Error> {
    let mut kernels = Vec::new();
    for size_bytes in [4, 8] {
        let element = ElementType {
            class: ElementClass::Float,
            size_bytes,
            order: ByteOrder::Little,
        };
        kernels.extend(measure_type(element, repeats).map_err(Error::codec("synthetic field"))?);
    }
    Ok(Report {
        chunk_bytes: CHUNK_BYTES,
        fill_share: 0.1,
        rounds: repeats,
        simd: simd_summary(),
        kernels,
    })
}

fn measure_type(element: ElementType, repeats: usize) -> Result<Vec<Row>, CodecError> {
    let field = field(element.size_bytes);
    let protected = ProtectedValues {
        values: vec![FILL],
        ..ProtectedValues::default()
    };
    let range = ordinary_range(&field, &protected, element)?;
    let mut rows = Vec::new();
    for subject in subjects(range) {
        let plan = QuantizePlan {
            rounding: subject.rounding,
            bound: subject.bound,
            protected: protected.clone(),
            keep_information: None,
            forced: false,
        };
        let row = |kernel: &str, kept, gigabytes_per_second| Row {
            kernel: kernel.to_owned(),
            setting: subject.setting.clone(),
            element: element.name(),
            kept,
            gigabytes_per_second,
        };
        let count = [(field.len() / element.size_bytes) as u64];
        let place = BoxPlace {
            shape: &count,
            start: &[0],
            count: &count,
        };
        let quantizer = Quantizer::bind(&plan, element)?;
        let mut out = Vec::new();
        let kept = quantizer
            .quantize(&field, &place, &mut out)?
            .significant_bits;
        let speed = speed(repeats, || {
            quantizer.quantize(black_box(&field), &place, &mut out)
        })?;
        rows.push(row(subject.kernel, kept, speed));
        if matches!(subject.rounding, Rounding::BoundedBitRound { .. }) {
            let check = ErrorCheck::bind(&plan, element)?;
            let speed = self::speed(repeats, || check.check(black_box(&field), black_box(&out)))?;
            rows.push(row("error_check", None, speed));
        }
    }
    Ok(rows)
}

/// What is timed. The digits and bits are those in frequent use.
fn subjects(range: Option<[f64; 2]>) -> Vec<Subject> {
    let fixed = |kernel, setting: &str, rounding| Subject {
        kernel,
        setting: setting.to_owned(),
        rounding,
        bound: ErrorBound::default(),
    };
    let bounded = |setting: &str, bound| Subject {
        kernel: "bounded_bitround",
        setting: setting.to_owned(),
        rounding: Rounding::BoundedBitRound {
            least_significant_bits: 0,
        },
        bound,
    };
    vec![
        fixed(
            "bitround",
            "9 bits",
            Rounding::BitRound {
                significant_bits: 9,
            },
        ),
        fixed(
            "granular_bitround",
            "3 digits",
            Rounding::GranularBitRound {
                significant_digits: 3,
            },
        ),
        fixed(
            "bitgroom",
            "3 digits",
            Rounding::BitGroom {
                significant_digits: 3,
            },
        ),
        fixed("linear", "16 bits", Rounding::Linear { nbits: 16, range }),
        bounded(
            "relative error 1e-3",
            ErrorBound {
                relative: Some(1e-3),
                ..ErrorBound::default()
            },
        ),
        bounded(
            "absolute error 0.01",
            ErrorBound {
                absolute: Some(0.01),
                ..ErrorBound::default()
            },
        ),
    ]
}

/// 10^9 bytes a CPU second; the median of `repeats` rounds.
fn speed<T>(
    repeats: usize,
    mut work: impl FnMut() -> Result<T, CodecError>,
) -> Result<f64, CodecError> {
    let mut seconds = Vec::with_capacity(repeats);
    for _ in 0..repeats {
        let start = ProcessTime::now();
        for _ in 0..CHUNKS {
            black_box(work()?);
        }
        seconds.push(start.elapsed().as_secs_f64());
    }
    let bytes = (CHUNKS * CHUNK_BYTES) as f64;
    Ok(bytes / median(seconds.into_iter()) / 1e9)
}

/// A smooth field with noise, 250 to 310 as a temperature is, a tenth of it fill value in runs.
fn field(element_bytes: usize) -> Vec<u8> {
    let mut state = 1_u64;
    let mut noise = || {
        state = state
            .wrapping_mul(6_364_136_223_846_793_005)
            .wrapping_add(1_442_695_040_888_963_407);
        (state >> 33) as f64 / (1_u64 << 31) as f64 - 0.5
    };
    let value = |i: usize| {
        let smooth = 280.0 + 25.0 * (i as f64 / 3000.0).sin() + 4.0 * (i as f64 / 170.0).cos();
        let value = smooth + noise();
        if (i / 64) % 10 == 3 { FILL } else { value }
    };
    let values = (0..CHUNK_BYTES / element_bytes).map(value);
    match element_bytes {
        4 => values
            .flat_map(|value| (value as f32).to_le_bytes())
            .collect(),
        _ => values.flat_map(f64::to_le_bytes).collect(),
    }
}

impl Report {
    /// One JSON document.
    ///
    /// # Errors
    /// None in practice: nothing in the report is beyond JSON.
    pub(crate) fn json(&self) -> Result<String, Error> {
        Ok(serde_json::to_string_pretty(self)?)
    }

    /// A table to read.
    pub(crate) fn text(&self) -> String {
        let mut lines = vec![format!(
            "rounding on one core, GB/s of values (median of {} rounds; chunks of 1 MiB, 10 % fill)",
            self.rounds
        )];
        lines.extend(self.kernels.iter().map(|row| {
            let kept = row
                .kept
                .map_or_else(String::new, |kept| format!("kept {kept}"));
            format!(
                "  {:<18} {:<20} {:<8} {:7.2}  {kept}",
                row.kernel, row.setting, row.element, row.gigabytes_per_second
            )
        }));
        lines.join("\n")
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_kernel_is_timed_on_both_types() {
        let report = measure(1).unwrap();
        assert_eq!(report.kernels.len(), 2 * (4 + 2 * 2));
        assert!(
            report
                .kernels
                .iter()
                .all(|row| row.gigabytes_per_second > 0.0)
        );
        let json: serde_json::Value = serde_json::from_str(&report.json().unwrap()).unwrap();
        assert_eq!(json["kernels"][0]["element"], "float32");
        assert_eq!(json["kernels"][0]["kept"], 9);
        assert_eq!(report.text().lines().count(), 1 + report.kernels.len());
    }

    #[test]
    fn a_tenth_of_the_field_is_fill() {
        let field = field(4);
        let fill = (FILL as f32).to_le_bytes();
        let filled = field.chunks_exact(4).filter(|bytes| *bytes == fill).count();
        let share = filled as f64 / (field.len() / 4) as f64;
        assert!((0.09..0.11).contains(&share), "{share}");
    }
}
