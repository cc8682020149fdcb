//! `frazil synth`.

use std::path::PathBuf;
use std::sync::Arc;
use std::sync::atomic::AtomicBool;

use clap::{Args, ValueEnum};
use frazil::{Noise, NoiseKind, NumberType, SynthOptions};

use super::{OutputArgs, ResourceArgs};

#[derive(Debug, Args)]
pub(crate) struct SynthArgs {
    /// Write the fields to this netCDF-4 file
    #[arg(short, long, value_name = "OUT", required_unless_present = "list")]
    pub(crate) output: Option<PathBuf>,
    /// Show the named patterns and write nothing
    #[arg(long)]
    pub(crate) list: bool,
    /// Patterns by name or definition, one variable each; `all` means all named patterns
    #[arg(
        short,
        long,
        value_name = "NAME,...",
        value_delimiter = ',',
        default_value = "all"
    )]
    #[arg(allow_hyphen_values = true)]
    pattern: Vec<String>,
    /// One to four lengths, slowest dimension first, for example 12x180x360; the dimensions are the last
    /// ones of time, lev, lat, lon
    #[arg(short, long, value_name = "NxN...", default_value = "180x360", value_parser = parse_shape)]
    shape: Shape,
    /// Type of the values
    #[arg(long = "type", value_enum, default_value_t = Number::Float32)]
    number: Number,
    /// Smallest and largest value before noise [default: those of each pattern]
    #[arg(long, value_name = "MIN,MAX", allow_hyphen_values = true, value_parser = parse_range)]
    range: Option<(f64, f64)>,
    /// Seed of the random numbers
    #[arg(long, value_name = "N", default_value_t = 0)]
    seed: u64,
    /// Add noise of this amplitude (uniform: largest value; gaussian: standard deviation)
    #[arg(long, value_name = "AMPLITUDE")]
    noise: Option<f64>,
    /// Distribution of the noise
    #[arg(long, value_enum, default_value_t = Distribution::Uniform)]
    noise_kind: Distribution,
    /// Replace an existing output file
    #[arg(long)]
    overwrite: bool,
    #[command(flatten)]
    resources: ResourceArgs,
    /// Show all variables, not only the largest
    #[arg(long)]
    pub(crate) all_variables: bool,
    #[command(flatten)]
    pub(crate) print: OutputArgs,
}

/// Extents; a type of its own, since clap takes a plain vector for repeated values.
#[derive(Debug, Clone)]
struct Shape(Vec<u64>);

#[derive(Debug, Clone, Copy, ValueEnum)]
enum Number {
    Int8,
    Int16,
    Int32,
    Int64,
    Float32,
    Float64,
}

#[derive(Debug, Clone, Copy, ValueEnum)]
enum Distribution {
    /// Uniform between minus and plus the amplitude
    Uniform,
    /// Normal, with the amplitude as standard deviation
    Gaussian,
}

impl SynthArgs {
    /// The facade's options.
    pub(crate) fn options(&self, cancel: &Arc<AtomicBool>) -> SynthOptions {
        let kind = match self.noise_kind {
            Distribution::Uniform => NoiseKind::Uniform,
            Distribution::Gaussian => NoiseKind::Gaussian,
        };
        SynthOptions {
            patterns: self.pattern.clone(),
            shape: self.shape.0.clone(),
            number: match self.number {
                Number::Int8 => NumberType::Int8,
                Number::Int16 => NumberType::Int16,
                Number::Int32 => NumberType::Int32,
                Number::Int64 => NumberType::Int64,
                Number::Float32 => NumberType::Float32,
                Number::Float64 => NumberType::Float64,
            },
            range: self.range,
            seed: self.seed,
            noise: self.noise.map(|amplitude| Noise { amplitude, kind }),
            overwrite: self.overwrite,
            resources: self.resources.resources(cancel),
        }
    }
}

fn parse_shape(text: &str) -> Result<Shape, String> {
    extents(text)
        .filter(|extents| extents.len() <= 4)
        .map(Shape)
        .ok_or_else(|| "write one to four extents, for example 12x180x360".to_owned())
}

/// `12x180x360` or `12,180,360`: extents of at least 1.
pub(super) fn extents(text: &str) -> Option<Vec<u64>> {
    text.split(['x', ','])
        .map(|part| part.trim().parse().ok().filter(|&extent| extent > 0))
        .collect()
}

fn parse_range(text: &str) -> Result<(f64, f64), String> {
    let numbers = text.split_once(',').and_then(|(min, max)| {
        let number = |text: &str| text.trim().parse().ok().filter(|n: &f64| n.is_finite());
        Some((number(min)?, number(max)?))
    });
    numbers
        .filter(|(min, max)| min <= max)
        .ok_or_else(|| "write the least and the largest value, for example -1,1".to_owned())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn shapes_and_ranges_are_parsed() {
        assert_eq!(parse_shape("12x180,360").unwrap().0, [12, 180, 360]);
        assert_eq!(parse_range("-1, 1e3"), Ok((-1.0, 1000.0)));
        for wrong in ["", "0", "3x", "1x2x3x4x5", "-1"] {
            assert!(parse_shape(wrong).is_err(), "{wrong}");
        }
        for wrong in ["1", "2,1", "nan,1", "1,inf"] {
            assert!(parse_range(wrong).is_err(), "{wrong}");
        }
    }
}
