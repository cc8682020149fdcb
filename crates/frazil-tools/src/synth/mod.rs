//! `synth`: test fields of known content, after the pattern library of SCIL.
//!
//! Every value depends only on the pattern, the seed, the shape and the element's position: neither
//! threads nor chunks nor the platform change a bit.

mod dimensions;
mod field;
mod generate;
mod mutate;
mod pattern;
mod random;
#[cfg(test)]
mod tests;

use std::path::{Path, PathBuf};
use std::time::Instant;

use frazil_container::classic::{AttributeValue, ClassicAttribute, ClassicModel, ClassicVariable};
use frazil_plan::{Goal, sample_chunks, sample_plan};
use frazil_types::{ChunkGrid, ErrorCode, Selection};
use serde::Serialize;

pub use pattern::{NamedPattern, synth_patterns};

use crate::new_file::{
    Layout, Limits, NewFile, NumberType, Tile, WrittenVariable, chunk_shape, raw_bytes,
};
use dimensions::{coordinate_values, doubles, text};
use field::{Field, WORK_BYTES};
use frazil_file::error::{Error, Result, guarded};
use frazil_file::folder::free_bytes;
use frazil_file::output;
use frazil_file::pending::PendingOutput;
use frazil_file::progress::Progress;
use frazil_file::resources::Resources;
use frazil_file::run;
use pattern::Pattern;

/// How far normal noise reaches at most, in standard deviations.
const NORMAL_REACH: f64 = 8.6;

/// How noise is distributed.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize)]
#[serde(rename_all = "snake_case")]
pub enum NoiseKind {
    /// Evenly between minus and plus the amplitude.
    Uniform,
    /// Normally; the amplitude is the standard deviation.
    Gaussian,
}

/// Noise added to every value, after the pattern was brought into its range.
#[derive(Debug, Clone, Copy, PartialEq, Serialize)]
pub struct Noise {
    /// Size of the noise, in the units of the values.
    pub amplitude: f64,
    /// Its distribution.
    pub kind: NoiseKind,
}

/// What to write.
#[derive(Debug, Clone)]
pub struct SynthOptions {
    /// Patterns by name or definition ([`synth_patterns`]); `all` stands for all named ones. Each
    /// becomes a variable.
    pub patterns: Vec<String>,
    /// One to four extents, slowest first.
    pub shape: Vec<u64>,
    /// Type of the values.
    pub number: NumberType,
    /// Least and largest value before noise; `None`: those of each pattern.
    pub range: Option<(f64, f64)>,
    /// Chooses the random numbers.
    pub seed: u64,
    /// Noise to add.
    pub noise: Option<Noise>,
    /// Replace an existing output file.
    pub overwrite: bool,
    /// Limits.
    pub resources: Resources,
}

impl Default for SynthOptions {
    fn default() -> Self {
        Self {
            patterns: vec!["all".to_owned()],
            shape: vec![180, 360],
            number: NumberType::Float32,
            range: None,
            seed: 0,
            noise: None,
            overwrite: false,
            resources: Resources::default(),
        }
    }
}

/// What was written.
#[derive(Debug, Clone, Serialize)]
pub struct SynthReport {
    /// The file.
    #[serde(serialize_with = "frazil_file::wording::lossy")]
    pub output: PathBuf,
    /// Per variable, in file order; coordinates first.
    pub variables: Vec<WrittenVariable>,
    /// Sum of the variables' uncompressed bytes.
    pub raw_bytes: u64,
    /// Size of the file in bytes.
    pub output_file_bytes: u64,
    /// The seed.
    pub seed: u64,
    /// Wall seconds.
    pub seconds: f64,
    /// Threads used.
    pub threads: usize,
    /// What the user should know, one line each.
    pub notices: Vec<String>,
}

/// Writes test fields to a new netCDF-4 file.
///
/// # Errors
/// For options that cannot be honoured, and if the file cannot be written; then no file is left.
pub fn synth(
    output: &Path,
    options: &SynthOptions,
    progress: &mut dyn Progress,
) -> Result<SynthReport> {
    guarded(output, || {
        let start = Instant::now();
        let patterns = checked(options)?;
        let before = output::check_new(output, options.overwrite)?;
        check_space(output, &patterns, options, progress)?;
        let limits = Limits::new(&options.resources);
        let pending = PendingOutput::create(output, before)?;
        let contents = contents(&patterns, options, &limits, progress)
            .map_err(|error| error.in_file(output))?;
        let model = model(&patterns, options);
        let numbers: Vec<NumberType> = contents.iter().map(|c| c.number(options)).collect();
        let layouts = contents
            .iter()
            .map(|content| layout(content, options))
            .collect::<Result<Vec<_>>>()
            .map_err(|error| error.in_file(output))?;
        let mut file = NewFile::define(pending, output, &model, &numbers, &layouts)?;
        let grids: Vec<ChunkGrid> = (0..contents.len()).map(|i| file.grid(i).clone()).collect();
        let total = grids.iter().zip(&numbers).fold(0_u64, |sum, (grid, n)| {
            sum.saturating_add(raw_bytes(grid.shape(), *n).unwrap_or(0))
        });
        progress.stage("write", total);
        let tiles = grids.iter().enumerate().flat_map(|(variable, grid)| {
            (0..grid.chunk_count()).map(move |number| Tile { variable, number })
        });
        let values = |tile: Tile| {
            let part = grids[tile.variable].chunk_box(tile.number);
            Ok(contents[tile.variable].bytes(&part, options))
        };
        file.write(tiles, WORK_BYTES, values, &limits, progress)?;
        let written = file.finish()?;
        Ok(SynthReport {
            output: output.to_owned(),
            variables: written.variables,
            raw_bytes: total,
            output_file_bytes: written.file_bytes,
            seed: options.seed,
            seconds: start.elapsed().as_secs_f64(),
            threads: run::threads(&options.resources),
            notices: written.notices,
        })
    })
}

/// Says how much will be written if it is much, and refuses what the disk has no room for.
///
/// # Errors
/// [`ErrorCode::NoSpace`] if the values have more bytes than are free.
fn check_space(
    output: &Path,
    patterns: &[Pattern],
    options: &SynthOptions,
    progress: &mut dyn Progress,
) -> Result<()> {
    /// Less is written in some seconds.
    const MUCH: u64 = 1 << 30;
    let of_one = raw_bytes(&options.shape, options.number).unwrap_or(u64::MAX);
    let bytes = of_one.saturating_mul(patterns.len() as u64);
    let gib = |bytes: u64| format!("{:.1} GiB", bytes as f64 / (1_u64 << 30) as f64);
    let shown = gib(bytes);
    if let Some(free) = free_bytes(output).filter(|&free| bytes > free) {
        let cause = format!(
            "its values have {shown}, and only {} are free there",
            gib(free)
        );
        return Err(Error::new(ErrorCode::NoSpace, cause)
            .in_file(output)
            .with_cure("choose fewer patterns (--pattern) or a smaller --shape"));
    }
    if bytes >= MUCH {
        progress.notice(&format!(
            "{}: writes {shown} of values; if you stop it (Ctrl-C), no file is left",
            output.display()
        ));
    }
    Ok(())
}

/// What one variable holds.
enum Content {
    /// The coordinate of an axis.
    Coordinate(usize),
    Pattern(Box<Field>),
}

impl Content {
    fn number(&self, options: &SynthOptions) -> NumberType {
        match self {
            Self::Coordinate(_) => NumberType::Float64,
            Self::Pattern(_) => options.number,
        }
    }

    fn shape(&self, options: &SynthOptions) -> Vec<u64> {
        match self {
            Self::Coordinate(axis) => vec![options.shape[*axis]],
            Self::Pattern(_) => options.shape.clone(),
        }
    }

    /// The values of a box as they lie in the file.
    fn bytes(&self, part: &Selection, options: &SynthOptions) -> Vec<u8> {
        let values = match self {
            Self::Coordinate(axis) => coordinate_values(&options.shape, *axis, part),
            Self::Pattern(field) => field.values(part),
        };
        let mut bytes = Vec::new();
        self.number(options).append(&values, &mut bytes);
        bytes
    }
}

/// Checks that everything asked for is possible, before any work is done.
///
/// # Errors
/// [`ErrorCode::InvalidArgument`] names what is not.
pub fn check_synth(options: &SynthOptions) -> Result<()> {
    checked(options).map(drop)
}

/// The patterns asked for, with their ranges, if everything asked for is possible.
fn checked(options: &SynthOptions) -> Result<Vec<Pattern>> {
    let wrong = |cause: String| Error::new(ErrorCode::InvalidArgument, cause);
    let rank = options.shape.len();
    if rank == 0 || rank > dimensions::MOST || options.shape.contains(&0) {
        return Err(wrong(format!(
            "the shape {:?} is not one to {} extents of at least 1",
            options.shape,
            dimensions::MOST
        )));
    }
    if raw_bytes(&options.shape, NumberType::Float64).is_none_or(|bytes| bytes > i64::MAX as u64) {
        return Err(wrong(
            "the shape has more elements than any file".to_owned(),
        ));
    }
    let mut reach = 0.0;
    if let Some(noise) = options.noise {
        if !(noise.amplitude.is_finite() && noise.amplitude >= 0.0) {
            return Err(wrong(format!(
                "noise of {} is no amplitude",
                noise.amplitude
            )));
        }
        reach = match noise.kind {
            NoiseKind::Uniform => noise.amplitude,
            NoiseKind::Gaussian => noise.amplitude * NORMAL_REACH,
        };
    }
    let mut patterns = Pattern::parse_list(&options.patterns)?;
    let (least, largest) = options.number.limits();
    for pattern in &mut patterns {
        pattern.range = options.range.unwrap_or(pattern.range);
        let (min, max) = pattern.range;
        let fits = min - reach >= least && max + reach <= largest && (max - min).is_finite();
        if !(min <= max && fits) {
            return Err(wrong(format!(
                "pattern `{}`: values from {min} to {max} with noise of up to {reach} are no range \
                 of {}",
                pattern.name,
                options.number.name()
            )));
        }
    }
    Ok(patterns)
}

fn contents(
    patterns: &[Pattern],
    options: &SynthOptions,
    limits: &Limits<'_>,
    progress: &mut dyn Progress,
) -> Result<Vec<Content>> {
    let coordinates = dimensions::coordinates(&options.shape).len();
    let mut contents: Vec<Content> = (0..coordinates).map(Content::Coordinate).collect();
    for pattern in patterns {
        let (seed, noise) = (options.seed, options.noise);
        let field = Field::new(pattern, &options.shape, seed, noise, limits, progress)?;
        contents.push(Content::Pattern(Box::new(field)));
    }
    Ok(contents)
}

/// Dimensions, variables and attributes of the file.
fn model(patterns: &[Pattern], options: &SynthOptions) -> ClassicModel {
    let mut variables = dimensions::coordinates(&options.shape);
    for pattern in patterns {
        variables.push(ClassicVariable {
            name: pattern.variable_name(),
            dimensions: (0..options.shape.len()).collect(),
            attributes: attributes(pattern, options),
            nc_type: options.number.nc_type(),
        });
    }
    ClassicModel {
        dimensions: dimensions::dimensions(&options.shape),
        attributes: vec![
            text("Conventions", "CF-1.12"),
            text("title", "synthetic test fields"),
            text("source", "frazil synth"),
        ],
        variables,
    }
}

/// Everything that it takes to make the same values again.
fn attributes(pattern: &Pattern, options: &SynthOptions) -> Vec<ClassicAttribute> {
    let (min, max) = pattern.range;
    let mut attributes = vec![
        text("long_name", &format!("pattern {}", pattern.name)),
        text("units", "1"),
        text("pattern", &pattern.name),
        text("pattern_definition", &pattern.definition),
        doubles("pattern_range", &[min, max]),
        ClassicAttribute {
            name: "seed".to_owned(),
            value: AttributeValue::UInt64(vec![options.seed]),
        },
    ];
    if let Some(noise) = options.noise {
        attributes.push(doubles("noise_amplitude", &[noise.amplitude]));
        let kind = match noise.kind {
            NoiseKind::Uniform => "uniform",
            NoiseKind::Gaussian => "gaussian",
        };
        attributes.push(text("noise_distribution", kind));
    }
    attributes
}

/// The layout of one variable, by trial on a sample of it.
fn layout(content: &Content, options: &SynthOptions) -> Result<Layout> {
    let (shape, number) = (content.shape(options), content.number(options));
    let Some(chunk) = chunk_shape(&shape, number) else {
        return Ok(Layout::unfiltered(None));
    };
    let too_large = || Error::new(ErrorCode::Unsupported, "more chunks than can be counted");
    let grid = ChunkGrid::new(&shape, &chunk).ok_or_else(too_large)?;
    let raw = raw_bytes(&shape, number).unwrap_or(u64::MAX);
    let chunk_bytes = raw_bytes(&chunk, number).unwrap_or(u64::MAX);
    let plan = sample_plan(raw, chunk_bytes, u64::MAX, Goal::Balanced);
    let samples: Vec<Vec<u8>> = sample_chunks(grid.chunk_count(), plan.pieces)
        .into_iter()
        .map(|number| {
            let part = slab_of(grid.valid_box(number), plan.window_bytes, options.number);
            content.bytes(&part, options)
        })
        .collect();
    Layout::by_trial(Some(chunk), number, &samples)
}

/// The first elements of a box along its slow axes, of about `window_bytes`.
fn slab_of(mut part: Selection, window_bytes: usize, number: NumberType) -> Selection {
    let mut elements = (window_bytes / number.size_bytes()).max(1) as u64;
    for axis in (0..part.count.len()).rev() {
        part.count[axis] = part.count[axis].min(elements).max(1);
        elements /= part.count[axis];
    }
    part
}
