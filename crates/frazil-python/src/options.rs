//! Options as the package hands them over: JSON objects, so that names are checked here and nowhere
//! else. What is left out is as frazil has it.

use std::collections::BTreeMap;
use std::path::PathBuf;
use std::sync::Arc;
use std::sync::atomic::AtomicBool;

use frazil::{
    AccessPattern, AnalyzeOptions, Attempt, Calibration, ChunkCachePolicy, ChunkOverride,
    ChunkPolicy, Cores, Destination, EnergyRates, Error, FilterChain, Goal, LayoutProfile,
    OwnCommits, PackOptions, PrecisionOptions, ReaderLevel, Resources, SelectionCriteria,
    ShufflePolicy, SpeedDemand, SpeedFloor, Thresholds, Transfer, UnpackFormat, UnpackOptions,
    VariableRule, VerifyOptions, Weights, WritePlan, WriterOptions, calibration_in_use, parse_axes,
    parse_expected, parse_reads, parse_storage, read_tree,
};
use serde::Deserialize;
use serde::de::DeserializeOwned;

use crate::error::invalid;

/// Understands options.
///
/// # Errors
/// Names the key that is unknown or cannot be.
pub(crate) fn parse<T: DeserializeOwned>(json: &str) -> Result<T, Error> {
    serde_json::from_str(json).map_err(|error| {
        // The place in the text means nothing to a user.
        let text = error.to_string();
        let cause = text
            .rsplit_once(" at line ")
            .map_or(text.as_str(), |(cause, _)| cause);
        invalid(cause)
    })
}

/// Limits of any operation.
#[derive(Debug, Default, Deserialize)]
#[serde(default, deny_unknown_fields)]
pub(crate) struct Limits {
    threads: Option<usize>,
    memory_bytes: Option<u64>,
}

impl Limits {
    pub(crate) fn resources(&self, cancel: &Arc<AtomicBool>) -> Result<Resources, Error> {
        let resources = Resources {
            threads: self.threads.unwrap_or(0),
            memory_bytes: self.memory_bytes.unwrap_or(Resources::DEFAULT_MEMORY_BYTES),
            cancel: Arc::clone(cancel),
        };
        resources.check().map(|()| resources)
    }
}

#[derive(Debug, Deserialize)]
#[serde(deny_unknown_fields)]
struct Extents {
    variable: String,
    extents: Vec<(String, u64)>,
}

#[derive(Debug, Deserialize)]
#[serde(deny_unknown_fields)]
struct Rule {
    variables: Vec<String>,
    /// What is stated of precision and of filters.
    wish: serde_json::Map<String, serde_json::Value>,
}

/// What chunk shapes are to serve, in the words of every face.
#[derive(Debug, Default, Deserialize)]
#[serde(default, deny_unknown_fields)]
pub(crate) struct StatedReads {
    reads: Option<String>,
    storage: Option<String>,
    axes: Option<String>,
    expected: Option<String>,
    most_chunks: Option<u64>,
    /// Of `pack` and `plan`.
    calibration: Option<String>,
}

impl StatedReads {
    /// What the words for speeds stand for: the same everywhere, unless a calibration is named.
    fn speeds(&self) -> Result<Calibration, Error> {
        match &self.calibration {
            Some(named) => calibration_in_use(Some(named)),
            None => Ok(Calibration::default()),
        }
    }

    /// With what was measured on this machine, as the command has it.
    fn calibrated(&self) -> Result<AccessPattern, Error> {
        let mut goal = self.goal()?;
        if goal.is_stated() {
            goal.calibration = calibration_in_use(self.calibration.as_deref())?;
        }
        Ok(goal)
    }

    fn goal(&self) -> Result<AccessPattern, Error> {
        let some = |text: &Option<String>| text.clone().filter(|text| !text.is_empty());
        Ok(AccessPattern {
            reads: some(&self.reads).map_or(Ok(Vec::new()), |text| parse_reads(&text))?,
            storage: some(&self.storage)
                .map(|text| parse_storage(&text))
                .transpose()?,
            axes: some(&self.axes).map_or(Ok(Vec::new()), |text| parse_axes(&text))?,
            expected: some(&self.expected).map_or(Ok(Vec::new()), |text| parse_expected(&text))?,
            most_chunks: match self.most_chunks {
                Some(0) => return Err(invalid("`most_chunks` is 0")),
                most => most,
            },
            ..AccessPattern::default()
        })
    }
}

/// What a reader keeps of variables, whatever else is read.
#[derive(Debug, Deserialize)]
#[serde(rename_all = "snake_case")]
pub(crate) enum ChunkCache {
    Plan(WritePlan),
    Reads(StatedReads),
    Bytes(BTreeMap<String, u64>),
}

impl ChunkCache {
    pub(crate) fn policy(self) -> Result<ChunkCachePolicy, Error> {
        Ok(match self {
            Self::Plan(plan) => ChunkCachePolicy::Plan(plan),
            Self::Reads(reads) => ChunkCachePolicy::Reads(Box::new(reads.goal()?)),
            Self::Bytes(bytes) => ChunkCachePolicy::Bytes(bytes.into_iter().collect()),
        })
    }
}

#[derive(Debug, Default, Deserialize)]
#[serde(rename_all = "snake_case")]
enum Chunks {
    #[default]
    Auto,
    Keep,
}

#[derive(Debug, Default, Deserialize)]
#[serde(rename_all = "snake_case")]
enum Layout {
    #[default]
    Standard,
    Cmip7,
}

/// Options of `pack` and `plan`, or all of them as the command `frazil` has understood them.
#[derive(Debug, Default, Deserialize)]
#[serde(default, deny_unknown_fields)]
pub(crate) struct Pack {
    pub(crate) limits: Limits,
    chunks: Chunks,
    chunk_overrides: Vec<Extents>,
    chunk_goal: StatedReads,
    plan: Option<WritePlan>,
    level: Option<u32>,
    shuffle: Option<bool>,
    checksum: bool,
    precision: Vec<Rule>,
    names_are_checked: bool,
    netcdf_attribute: bool,
    readable_by: ReaderLevel,
    goal: Option<Goal>,
    weights: Option<Weights>,
    min_write_speed: Option<SpeedDemand>,
    min_read_speed: Option<SpeedDemand>,
    ratio_tolerance: Option<f64>,
    tree: Option<PathBuf>,
    filters: Option<FilterChain>,
    layout: Layout,
    dry_run: bool,
    overwrite: bool,
    allow_larger: Option<bool>,
    verify: bool,
    /// Grams of CO2 a kilowatt-hour.
    carbon_intensity: Option<f64>,
    attempt: Option<Attempt>,
    pub(crate) break_hard_links: bool,
    understood: Option<Box<PackOptions>>,
}

impl Pack {
    pub(crate) fn options(self, cancel: &Arc<AtomicBool>) -> Result<PackOptions, Error> {
        if let Some(understood) = self.understood {
            let understood = *understood;
            return Ok(PackOptions {
                overwrite: self.overwrite,
                attempt: self.attempt,
                resources: Resources {
                    cancel: Arc::clone(cancel),
                    ..understood.resources
                },
                ..understood
            });
        }
        let calibration = self.chunk_goal.speeds()?;
        let floors = Floors {
            calibration: &calibration,
            write: self.min_write_speed,
            read: self.min_read_speed,
            ratio_tolerance: self.ratio_tolerance,
        };
        let weighing = weighing(self.goal, self.weights, &floors, self.tree)?;
        let rules = self.precision.into_iter().map(Rule::into_rule);
        let rules = rules.collect::<Result<Vec<VariableRule>, Error>>()?;
        let overrides = self.chunk_overrides.into_iter();
        Ok(PackOptions {
            chunk_goal: self.chunk_goal.calibrated()?,
            plan: self.plan,
            chunks: match self.chunks {
                Chunks::Auto => ChunkPolicy::Auto,
                Chunks::Keep => ChunkPolicy::Keep,
            },
            chunk_overrides: overrides
                .map(|one| ChunkOverride {
                    variable: one.variable,
                    extents: one.extents,
                })
                .collect(),
            level: self.level,
            shuffle: match self.shuffle {
                None => ShufflePolicy::Auto,
                Some(true) => ShufflePolicy::On,
                Some(false) => ShufflePolicy::Off,
            },
            checksum: self.checksum,
            precision: PrecisionOptions {
                rules,
                calibration,
                names_are_checked: self.names_are_checked,
                netcdf_attribute: self.netcdf_attribute,
            },
            readable_by: self.readable_by,
            goal: self.goal.unwrap_or_default(),
            weighing,
            filters: self.filters,
            layout: match self.layout {
                Layout::Standard => LayoutProfile::Standard,
                Layout::Cmip7 => LayoutProfile::Cmip7,
            },
            dry_run: self.dry_run,
            overwrite: self.overwrite,
            allow_larger: self.allow_larger,
            verify: self.verify,
            energy: energy_rates(self.carbon_intensity)?,
            attempt: self.attempt,
            resources: self.limits.resources(cancel)?,
        })
    }
}

/// The rates of energy with a stated carbon intensity.
///
/// # Errors
/// If it is negative or no number.
fn energy_rates(carbon_intensity: Option<f64>) -> Result<EnergyRates, Error> {
    let rates = EnergyRates::default();
    let carbon_g_per_kwh = carbon_intensity.unwrap_or(rates.carbon_g_per_kwh);
    let stated = EnergyRates {
        carbon_g_per_kwh,
        ..rates
    };
    match stated.is_sound() {
        true => Ok(stated),
        false => Err(invalid(
            "`carbon_intensity` is grams of CO2 a kilowatt-hour, 0 or more",
        )),
    }
}

/// How fast filters must be, and what differences of them do not matter.
struct Floors<'a> {
    /// What words for speeds stand for.
    calibration: &'a Calibration,
    write: Option<SpeedDemand>,
    read: Option<SpeedDemand>,
    ratio_tolerance: Option<f64>,
}

/// What is stated of a choice of filters beside its goal.
fn weighing(
    goal: Option<Goal>,
    weights: Option<Weights>,
    floors: &Floors<'_>,
    tree: Option<PathBuf>,
) -> Result<SelectionCriteria, Error> {
    if weights.is_some() && goal.is_some() {
        return Err(invalid(
            "weights stand in place of a goal: state one of them",
        ));
    }
    let tolerance = floors.ratio_tolerance;
    if tolerance.is_some_and(|share| !(0.0..1.0).contains(&share)) {
        return Err(invalid("ratio_tolerance is a share from 0 to below 1"));
    }
    let floor = |speed: &Option<SpeedDemand>, transfer| {
        let speed = speed.as_ref()?;
        Some(SpeedFloor::of(
            speed,
            transfer,
            floors.calibration,
            "as asked",
        ))
    };
    let weights = weights.map(Weights::checked).transpose();
    Ok(SelectionCriteria {
        weights: weights.map_err(|error| invalid(error.to_string()))?,
        encode_floor: floor(&floors.write, Transfer::Writing),
        decode_floor: floor(&floors.read, Transfer::Reading),
        ratio_tolerance: tolerance,
        tree: tree
            .map(|path| read_tree(&path).map(Arc::new))
            .transpose()?,
    })
}

impl Rule {
    fn into_rule(self) -> Result<VariableRule, Error> {
        VariableRule::from_json(self.variables, self.wish)
    }
}

/// Where an output goes: a file, or the place of its input.
pub(crate) fn destination(output: Option<PathBuf>, break_hard_links: bool) -> Destination {
    match output {
        Some(path) if path.is_dir() => Destination::Directory(path),
        Some(path) => Destination::File(path),
        None => Destination::InPlace { break_hard_links },
    }
}

#[derive(Debug, Default, Deserialize)]
#[serde(rename_all = "snake_case")]
enum Format {
    #[default]
    Hdf5,
    Classic,
}

/// Understands rules of precision.
///
/// # Errors
/// As [`parse`]; if a rule cannot be.
pub(crate) fn parse_rules(json: &str) -> Result<Vec<VariableRule>, Error> {
    let rules: Vec<Rule> = parse(json)?;
    rules.into_iter().map(Rule::into_rule).collect()
}

/// Options of `unpack`.
#[derive(Debug, Default, Deserialize)]
#[serde(default, deny_unknown_fields)]
pub(crate) struct Unpack {
    limits: Limits,
    format: Format,
    overwrite: bool,
    verify: bool,
    pub(crate) break_hard_links: bool,
}

impl Unpack {
    pub(crate) fn options(&self, cancel: &Arc<AtomicBool>) -> Result<UnpackOptions, Error> {
        Ok(UnpackOptions {
            format: match self.format {
                Format::Hdf5 => UnpackFormat::Hdf5,
                Format::Classic => UnpackFormat::Classic,
            },
            overwrite: self.overwrite,
            verify: self.verify,
            resources: self.limits.resources(cancel)?,
        })
    }
}

#[derive(Debug, Deserialize)]
#[serde(rename_all = "snake_case")]
enum Tests {
    Ldcpy,
}

/// Options of `verify`.
#[derive(Debug, Default, Deserialize)]
#[serde(default, deny_unknown_fields)]
pub(crate) struct Verify {
    limits: Limits,
    thresholds: Option<Tests>,
}

impl Verify {
    pub(crate) fn options(&self, cancel: &Arc<AtomicBool>) -> Result<VerifyOptions, Error> {
        Ok(VerifyOptions {
            resources: self.limits.resources(cancel)?,
            thresholds: self
                .thresholds
                .as_ref()
                .map(|Tests::Ldcpy| Thresholds::Ldcpy),
            figures: 0,
        })
    }
}

/// Options of `analyze`.
#[derive(Debug, Default, Deserialize)]
#[serde(default, deny_unknown_fields)]
pub(crate) struct Analyze {
    limits: Limits,
    keep_information: Option<f64>,
    variables: Vec<String>,
}

impl Analyze {
    pub(crate) fn options(self, cancel: &Arc<AtomicBool>) -> Result<AnalyzeOptions, Error> {
        let keep = self.keep_information;
        Ok(AnalyzeOptions {
            keep_information: keep.unwrap_or(AnalyzeOptions::DEFAULT_KEEP_INFORMATION),
            resources: self.limits.resources(cancel)?,
            variables: self.variables,
        })
    }
}

/// Options of a writer.
#[derive(Debug, Default, Deserialize)]
#[serde(default, deny_unknown_fields)]
pub(crate) struct Write {
    limits: Limits,
    synchronous: bool,
    cores: Option<Vec<usize>>,
    durable: bool,
    commit_every_bytes: Option<u64>,
    own_commits: Option<bool>,
    records_per_sync: Option<u64>,
    overwrite: bool,
    classic_model: bool,
    readable_by: ReaderLevel,
    goal: Goal,
    filters: Option<FilterChain>,
    precision: Vec<Rule>,
    plan: Option<WritePlan>,
    chunk_goal: StatedReads,
    keep_plan: bool,
    rules_are_shared: bool,
    /// Keys and values of declared options, which override what has a field of its own.
    declared: Vec<(String, String)>,
}

impl Write {
    pub(crate) fn options(self, cancel: &Arc<AtomicBool>) -> Result<WriterOptions, Error> {
        let rules = self.precision.into_iter().map(Rule::into_rule);
        let mut options = WriterOptions {
            rules: rules.collect::<Result<Vec<VariableRule>, Error>>()?,
            chunk_goal: self.chunk_goal.goal()?,
            resources: self.limits.resources(cancel)?,
            synchronous: self.synchronous,
            cores: self.cores.map_or(Cores::Any, Cores::These),
            durable: self.durable,
            commits: match (self.own_commits, self.commit_every_bytes) {
                (Some(false), _) => OwnCommits::Never,
                (_, Some(bytes)) => OwnCommits::EveryBytes(bytes),
                (_, None) => OwnCommits::Usual,
            },
            records_per_sync: self.records_per_sync,
            overwrite: self.overwrite,
            classic_model: self.classic_model,
            readable_by: self.readable_by,
            goal: self.goal,
            filters: self.filters,
            plan: self.plan,
            keep_plan: self.keep_plan,
            rules_are_shared: self.rules_are_shared,
            // Of many processes only.
            longest_wait: None,
            follow_ranks: false,
            io_ranks: 0,
        };
        for (key, value) in &self.declared {
            options.set(key, value)?;
        }
        Ok(options)
    }
}
