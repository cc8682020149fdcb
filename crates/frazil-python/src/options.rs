//! Options as the package hands them over: JSON objects, so that names are checked here and nowhere
//! else. What is left out is as frazil has it.

use std::collections::BTreeMap;
use std::path::PathBuf;
use std::sync::Arc;
use std::sync::atomic::AtomicBool;

use frazil::size::parse_size;
use frazil::{
    AccessPattern, AnalyzeOptions, Attempt, Calibration, ChunkCachePolicy, ChunkOverride,
    ChunkPolicy, Cores, DeclaredOption, Defaults, Destination, EnergyRates, Error, FilterChain,
    Goal, LayoutProfile, OwnCommits, PackOptions, Policy, PrecisionOptions, ReaderLevel, Resources,
    SelectionCriteria, ShufflePolicy, SpeedDemand, SpeedFloor, Thresholds, Transfer, UnpackFormat,
    UnpackOptions, Values, VariableRule, VerifyOptions, Weights, WritePlan, WriterOptions,
    calibration_in_use, parse_plan, read_tree, spelling, type_fault,
};
use serde::Deserialize;
use serde::de::DeserializeOwned;
use serde_json::{Map, Value};

use crate::error::invalid;

/// Understands options.
///
/// # Errors
/// Names the key that is unknown or cannot be.
pub(crate) fn parse<T: DeserializeOwned>(json: &str) -> Result<T, Error> {
    serde_json::from_str(json).map_err(|error| {
        let fields: Map<String, Value> = serde_json::from_str(json).unwrap_or_default();
        // Which of them it is: the others are not needed.
        let refused = fields.into_iter().find_map(|(key, value)| {
            let alone = Map::from_iter([(key.clone(), value.clone())]);
            let error = serde_json::from_value::<T>(alone.into()).err()?.to_string();
            (!error.starts_with("missing field")).then(|| refusal(&key, &value, &error))
        });
        refused.unwrap_or_else(|| invalid(type_fault(&error.to_string())))
    })
}

/// What is wrong with an option.
fn refusal(key: &str, value: &Value, error: &str) -> Error {
    let mut quoted = error.split('`').skip(1).step_by(2);
    if let Some(unknown) = quoted.next().filter(|_| error.starts_with("unknown field")) {
        let meant = spelling::question(unknown, quoted);
        return invalid(match unknown == key {
            true => format!("there is no option `{key}`{meant}"),
            false => format!("the option {key}: there is no `{unknown}`{meant}"),
        });
    }
    let text = value
        .as_str()
        .map_or_else(|| value.to_string(), str::to_owned);
    match DeclaredOption::named(key) {
        Some(declared) if declared.values == Values::Switch => invalid(format!(
            "the option {key} is {text:?}; it must be True or False"
        )),
        Some(declared) if !value.is_object() && !value.is_array() => {
            let known = refused_word(error).or_else(|| text_for_number(value));
            declared.refuse(&format!("the option {key}"), &text, known.as_deref())
        }
        _ => invalid(format!("the option {key}: {}", type_fault(error))),
    }
}

/// What frazil's own parsers say of a text; what serde says of kinds adds nothing to what is allowed.
fn refused_word(error: &str) -> Option<String> {
    let is_serdes = [
        "invalid type",
        "invalid value",
        "unknown variant",
        "data did not match",
    ];
    match is_serdes.iter().any(|start| error.starts_with(start)) {
        true => None,
        false => Some(error.to_owned()),
    }
}

/// A number of bytes: a number, or a text with a unit.
#[derive(Debug, Clone, Copy, Deserialize)]
#[serde(try_from = "Value")]
struct Bytes(u64);

impl TryFrom<Value> for Bytes {
    type Error = String;

    fn try_from(stated: Value) -> Result<Self, String> {
        let bytes = match stated {
            Value::String(text) => parse_size(&text),
            number => u64::deserialize(number).map_err(|error| error.to_string()),
        };
        bytes.map(Self)
    }
}

/// Why a number in quotes is refused: it looks like what is allowed.
fn text_for_number(value: &Value) -> Option<String> {
    let is_number = value.as_str()?.trim().parse::<f64>().is_ok();
    is_number.then(|| "this is a text; write the number without quotes".to_owned())
}

/// Limits of any operation.
fn resources(
    threads: Option<usize>,
    memory: Option<Bytes>,
    cancel: &Arc<AtomicBool>,
) -> Result<Resources, Error> {
    let resources = Resources {
        threads: threads.unwrap_or(0),
        memory_bytes: memory.map_or(Resources::DEFAULT_MEMORY_BYTES, |bytes| bytes.0),
        cancel: Arc::clone(cancel),
    };
    resources.check().map(|()| resources)
}

/// Limits of operations that have no other options.
#[derive(Debug, Default, Deserialize)]
#[serde(default, deny_unknown_fields)]
pub(crate) struct Limits {
    threads: Option<usize>,
    memory: Option<Bytes>,
}

impl Limits {
    pub(crate) fn resources(&self, cancel: &Arc<AtomicBool>) -> Result<Resources, Error> {
        resources(self.threads, self.memory, cancel)
    }
}

#[derive(Debug, Deserialize)]
#[serde(deny_unknown_fields)]
struct Extents {
    variable: String,
    extents: Vec<(String, u64)>,
}

/// A rule; or, before all rules, what a file states of all variables.
#[derive(Debug, Deserialize)]
#[serde(deny_unknown_fields, untagged)]
enum Rule {
    OfVariables {
        variables: Vec<String>,
        /// What is stated of precision, filters and chunks.
        request: Map<String, Value>,
    },
    Defaults {
        defaults: BTreeMap<String, String>,
    },
}

/// Rules, and what a file states beside them.
fn policy(rules: Vec<Rule>) -> Result<Policy, Error> {
    let mut policy = Policy::default();
    for rule in rules {
        match rule {
            Rule::OfVariables { variables, request } => {
                policy
                    .rules
                    .push(VariableRule::from_json(variables, request)?);
            }
            Rule::Defaults { defaults } => {
                let stated = defaults.iter();
                let stated = stated.map(|(key, text)| (key.as_str(), text.as_str()));
                policy.defaults = Defaults::from_text(stated)?;
            }
        }
    }
    Ok(policy)
}

/// What chunk shapes are to serve, in the words of every interface.
#[derive(Debug, Default, Deserialize)]
#[serde(default, deny_unknown_fields)]
pub(crate) struct StatedReads {
    reads: Option<String>,
    storage: Option<String>,
    axes: Option<String>,
    expected: Option<String>,
    most_chunks: Option<String>,
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
    fn calibrated(&self, defaults: &AccessPattern) -> Result<AccessPattern, Error> {
        let mut goal = self.goal()?.or(defaults);
        if goal.is_stated() {
            goal.calibration = calibration_in_use(self.calibration.as_deref())?;
        }
        Ok(goal)
    }

    fn goal(&self) -> Result<AccessPattern, Error> {
        let stated = [
            ("reads", &self.reads),
            ("storage", &self.storage),
            ("axes", &self.axes),
            ("expected", &self.expected),
            ("most_chunks", &self.most_chunks),
        ];
        let stated = stated
            .iter()
            .filter_map(|(key, text)| Some((*key, text.as_deref()?)))
            .filter(|(_, text)| !text.is_empty());
        Ok(Defaults::from_text(stated)?.access)
    }
}

/// A plan that is not looked into yet.
#[derive(Debug, Deserialize)]
#[serde(transparent)]
pub(crate) struct StatedPlan(Value);

impl StatedPlan {
    fn understood(self) -> Result<WritePlan, Error> {
        parse_plan(&self.0.to_string())
    }
}

/// What a reader keeps of variables, whatever else is read.
#[derive(Debug, Deserialize)]
#[serde(rename_all = "snake_case")]
pub(crate) enum ChunkCache {
    Plan(StatedPlan),
    Reads(StatedReads),
    Bytes(BTreeMap<String, u64>),
}

impl ChunkCache {
    pub(crate) fn policy(self) -> Result<ChunkCachePolicy, Error> {
        Ok(match self {
            Self::Plan(plan) => ChunkCachePolicy::Plan(plan.understood()?),
            Self::Reads(reads) => ChunkCachePolicy::Reads(Box::new(reads.goal()?)),
            Self::Bytes(bytes) => ChunkCachePolicy::Bytes(bytes.into_iter().collect()),
        })
    }
}

/// Whether bytes are shuffled: yes, no, or a word.
#[derive(Debug, Deserialize)]
#[serde(untagged)]
enum Shuffle {
    Switch(bool),
    Word(ShufflePolicy),
}

impl From<Shuffle> for ShufflePolicy {
    fn from(stated: Shuffle) -> Self {
        match stated {
            Shuffle::Switch(true) => Self::On,
            Shuffle::Switch(false) => Self::Off,
            Shuffle::Word(word) => word,
        }
    }
}

/// No filter has a higher one.
const MOST_LEVEL: u32 = 22;

/// Options of `pack` and `plan`, or all of them as the command `frazil` has understood them.
#[derive(Debug, Default, Deserialize)]
#[serde(default, deny_unknown_fields)]
pub(crate) struct Pack {
    threads: Option<usize>,
    memory: Option<Bytes>,
    chunks: ChunkPolicy,
    chunk_overrides: Vec<Extents>,
    chunk_goal: StatedReads,
    plan: Option<StatedPlan>,
    level: Option<u32>,
    shuffle: Option<Shuffle>,
    checksum: bool,
    precision: Vec<Rule>,
    names_are_checked: bool,
    netcdf_attribute: bool,
    readable_by: Option<ReaderLevel>,
    goal: Option<Goal>,
    weights: Option<Weights>,
    min_write_speed: Option<SpeedDemand>,
    min_read_speed: Option<SpeedDemand>,
    ratio_tolerance: Option<f64>,
    tree: Option<PathBuf>,
    filters: Option<FilterChain>,
    layout: Option<LayoutProfile>,
    dry_run: bool,
    overwrite: bool,
    allow_larger: Option<bool>,
    verify: bool,
    /// The call.
    history: Option<String>,
    /// Grams of CO2 a kilowatt-hour.
    carbon_intensity: Option<f64>,
    attempt: Option<Attempt>,
    pub(crate) break_hard_links: bool,
    understood: Option<Box<PackOptions>>,
}

impl Pack {
    /// Refuses options of which one leaves nothing for the other to decide, as the command does.
    fn check_together(&self) -> Result<(), Error> {
        let filters = ("filters", self.filters.is_some());
        let level = ("level", self.level.is_some());
        let goal = ("goal", self.goal.is_some());
        let choice = [
            goal,
            ("weights", self.weights.is_some()),
            ("min_write_speed", self.min_write_speed.is_some()),
            ("min_read_speed", self.min_read_speed.is_some()),
            ("ratio_tolerance", self.ratio_tolerance.is_some()),
            ("tree", self.tree.is_some()),
        ];
        let of_choice = choice.into_iter();
        let mut pairs: Vec<_> = of_choice
            .flat_map(|one| [(filters, one), (level, one)])
            .collect();
        pairs.extend([
            (filters, level),
            (filters, ("shuffle", self.shuffle.is_some())),
            (goal, ("weights", self.weights.is_some())),
        ]);
        let both = pairs.iter().find(|((_, one), (_, other))| *one && *other);
        both.map_or(Ok(()), |((one, _), (other, _))| {
            let cause = format!("{one} and {other} are both stated, and cannot both hold");
            Err(invalid(cause).with_cure("leave one of them out"))
        })
    }

    pub(crate) fn options(self, cancel: &Arc<AtomicBool>) -> Result<PackOptions, Error> {
        self.check_together()?;
        if let Some(level) = self.level.filter(|&level| level > MOST_LEVEL) {
            return Err(refuse("level", level));
        }
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
        let weighing = weighing(self.weights, &floors, self.tree)?;
        let Policy { defaults, rules } = policy(self.precision)?;
        let overrides = self.chunk_overrides.into_iter();
        Ok(PackOptions {
            chunk_goal: self.chunk_goal.calibrated(&defaults.access)?,
            plan: self.plan.map(|plan| plan.understood()).transpose()?,
            chunks: self.chunks,
            chunk_overrides: overrides
                .map(|one| ChunkOverride {
                    variable: one.variable,
                    extents: one.extents,
                })
                .collect(),
            level: self.level,
            shuffle: self.shuffle.map(ShufflePolicy::from).unwrap_or_default(),
            checksum: self.checksum,
            precision: PrecisionOptions {
                rules,
                calibration,
                names_are_checked: self.names_are_checked,
                netcdf_attribute: self.netcdf_attribute,
            },
            readable_by: self.readable_by.or(defaults.readable_by),
            goal: self.goal.or(defaults.goal).unwrap_or_default(),
            weighing,
            filters: self.filters,
            layout: self.layout,
            dry_run: self.dry_run,
            overwrite: self.overwrite,
            allow_larger: self.allow_larger,
            verify: self.verify,
            history: self.history,
            energy: energy_rates(self.carbon_intensity)?,
            attempt: self.attempt,
            resources: resources(self.threads, self.memory, cancel)?,
        })
    }
}

/// The error for a value that a declared option cannot have.
fn refuse(key: &str, value: impl ToString) -> Error {
    let value = value.to_string();
    match DeclaredOption::named(key) {
        Some(declared) => declared.refuse(&format!("the option {key}"), &value, None),
        None => invalid(format!("{key} cannot be {value}")),
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
        false => Err(refuse("carbon_intensity", carbon_g_per_kwh)),
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
    weights: Option<Weights>,
    floors: &Floors<'_>,
    tree: Option<PathBuf>,
) -> Result<SelectionCriteria, Error> {
    let tolerance = floors.ratio_tolerance;
    if let Some(share) = tolerance.filter(|share| !(0.0..1.0).contains(share)) {
        return Err(refuse("ratio_tolerance", share));
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

/// Where an output goes: a file, or the place of its input.
pub(crate) fn destination(output: Option<PathBuf>, break_hard_links: bool) -> Destination {
    match output {
        Some(path) if path.is_dir() => Destination::Directory(path),
        Some(path) => Destination::File(path),
        None => Destination::InPlace { break_hard_links },
    }
}

/// Understands rules of precision.
///
/// # Errors
/// As [`parse`]; if a rule cannot be.
pub(crate) fn parse_rules(json: &str) -> Result<Vec<VariableRule>, Error> {
    Ok(policy(parse(json)?)?.rules)
}

/// Options of `unpack`.
#[derive(Debug, Default, Deserialize)]
#[serde(default, deny_unknown_fields)]
pub(crate) struct Unpack {
    threads: Option<usize>,
    memory: Option<Bytes>,
    format: UnpackFormat,
    overwrite: bool,
    verify: bool,
    /// The call.
    history: Option<String>,
    pub(crate) break_hard_links: bool,
}

impl Unpack {
    pub(crate) fn options(&self, cancel: &Arc<AtomicBool>) -> Result<UnpackOptions, Error> {
        Ok(UnpackOptions {
            format: self.format,
            overwrite: self.overwrite,
            verify: self.verify,
            history: self.history.clone(),
            resources: resources(self.threads, self.memory, cancel)?,
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
    threads: Option<usize>,
    memory: Option<Bytes>,
    thresholds: Option<Tests>,
    values_only: bool,
}

impl Verify {
    pub(crate) fn options(&self, cancel: &Arc<AtomicBool>) -> Result<VerifyOptions, Error> {
        Ok(VerifyOptions {
            resources: resources(self.threads, self.memory, cancel)?,
            thresholds: self
                .thresholds
                .as_ref()
                .map(|Tests::Ldcpy| Thresholds::Ldcpy),
            values_only: self.values_only,
            figures: 0,
            pictured: Vec::new(),
        })
    }
}

/// Options of `analyze`.
#[derive(Debug, Default, Deserialize)]
#[serde(default, deny_unknown_fields)]
pub(crate) struct Analyze {
    threads: Option<usize>,
    memory: Option<Bytes>,
    keep_information: Option<f64>,
    variables: Vec<String>,
}

impl Analyze {
    pub(crate) fn options(self, cancel: &Arc<AtomicBool>) -> Result<AnalyzeOptions, Error> {
        let keep = self.keep_information;
        Ok(AnalyzeOptions {
            keep_information: keep.unwrap_or(AnalyzeOptions::DEFAULT_KEEP_INFORMATION),
            resources: resources(self.threads, self.memory, cancel)?,
            variables: self.variables,
        })
    }
}

/// Options of a writer.
#[derive(Debug, Default, Deserialize)]
#[serde(default, deny_unknown_fields)]
pub(crate) struct Write {
    cores: Option<Vec<usize>>,
    own_commits: Option<bool>,
    overwrite: bool,
    precision: Vec<Rule>,
    plan: Option<StatedPlan>,
    /// Keys and values of declared options.
    declared: Vec<(String, String)>,
}

impl Write {
    pub(crate) fn options(self, cancel: &Arc<AtomicBool>) -> Result<WriterOptions, Error> {
        let mut options = WriterOptions {
            resources: resources(None, None, cancel)?,
            cores: self.cores.map_or(Cores::Any, Cores::These),
            commits: match self.own_commits {
                Some(false) => OwnCommits::Never,
                _ => OwnCommits::Usual,
            },
            overwrite: self.overwrite,
            plan: self.plan.map(|plan| plan.understood()).transpose()?,
            ..WriterOptions::default()
        };
        // What is stated beside it overrides a file of rules.
        options.set_policy(policy(self.precision)?);
        let is_stated = |name: &str| self.declared.iter().any(|(key, _)| key == name);
        if is_stated("goal") && is_stated("filters") {
            let cause = "filters and goal are both stated, and cannot both hold";
            return Err(invalid(cause).with_cure("leave one of them out"));
        }
        for (key, value) in &self.declared {
            options.set(key, value)?;
        }
        Ok(options)
    }
}
