//! What a caller may ask for.

use std::str::FromStr;

use frazil_plan::energy::EnergyRates;
use frazil_plan::{Goal, SelectionCriteria};
use frazil_types::{
    ErrorCode, FilterChain, LayoutProfile, ReaderLevel, VariablePlan, WritePlan, words,
};
use serde::{Deserialize, Serialize};

use crate::chunk_goal::AccessPattern;
use frazil_file::error::{Error, Result};
use frazil_file::pending::Attempt;
use frazil_file::resources::Resources;
use frazil_precision::rules::PrecisionOptions;

/// Chunk shapes of the output.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum ChunkPolicy {
    /// frazil's rule: balanced for map and series reads, existing good shapes kept.
    #[default]
    Auto,
    /// Keep the input's chunk shapes.
    Keep,
}

/// Explicit chunk extents for one variable: `(dimension name or axis number, elements)`.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct ChunkOverride {
    /// Variable path or bare name; `*` means every variable that has the dimensions.
    pub variable: String,
    /// Extents by dimension name (or by axis number where an axis has no name). Axes not named keep
    /// what the policy gives them.
    pub extents: Vec<(String, u64)>,
}

/// Use of the byte shuffle.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum ShufflePolicy {
    /// Try with and without, take what is smaller.
    #[default]
    Auto,
    /// Always before compression (elements of 2 bytes and more).
    On,
    /// Never.
    Off,
}

words!(pub ShufflePolicy: Auto "auto", On "on", Off "off");
words!(pub UnpackFormat: Hdf5 "netcdf4", Classic "classic");

macro_rules! parsed {
    ($($policy:ident),+) => {$(
        impl FromStr for $policy {
            type Err = String;

            fn from_str(word: &str) -> std::result::Result<Self, String> {
                Self::from_name(word).ok_or_else(|| format!("{word:?} is none of its words"))
            }
        }
    )+};
}
parsed!(ShufflePolicy, UnpackFormat);

/// How to pack.
#[derive(Debug, Default, Clone, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct PackOptions {
    /// Base chunk policy.
    pub chunks: ChunkPolicy,
    /// Explicit chunk extents, applied over the policy.
    pub chunk_overrides: Vec<ChunkOverride>,
    /// What chunk shapes are to serve, where the policy does not keep the input's.
    pub chunk_goal: AccessPattern,
    /// Chunk shapes, filters and rounding as decided before, by variable; extents, and rules of
    /// precision that concern a variable, go before it.
    pub plan: Option<WritePlan>,
    /// Deflate (or zstd) level requested; `None`: chosen by trial. 0: no compression.
    pub level: Option<u32>,
    /// Use of the byte shuffle.
    pub shuffle: ShufflePolicy,
    /// What filters are chosen for, where neither a level nor filters are stated.
    pub goal: Goal,
    /// What is stated of that choice beside its goal.
    pub weighing: SelectionCriteria,
    /// These filters for every chunked variable, instead of a choice. They must be readable by
    /// those who must be able to read the result.
    pub filters: Option<FilterChain>,
    /// Add Fletcher-32 checksums to every filtered variable (existing ones are always kept).
    pub checksum: bool,
    /// How exactly values are kept; nothing stated: every bit.
    pub precision: PrecisionOptions,
    /// Who must be able to read the result; `None`: everybody, but for what `plan` stores.
    pub readable_by: Option<ReaderLevel>,
    /// Layout of the file; `None`: that of `plan`, else no special one.
    pub layout: Option<LayoutProfile>,
    /// Plan and predict only: nothing is written.
    pub dry_run: bool,
    /// Replace an existing output file.
    pub overwrite: bool,
    /// Whether a packed file that is not smaller than its input is written all the same, rather than the
    /// input kept. `None`: an output that is named ([`Destination::File`](frazil_file::output::Destination::File)) is written unless its input is
    /// HDF5 and it would be larger by more than 0.5 % and 4 KiB; others are not. Stated chunk shapes,
    /// reads, filters, a plan, a layout, checksums and level 0 are always written.
    #[serde(default)]
    pub allow_larger: Option<bool>,
    /// Verify the output value by value before it gets its name.
    pub verify: bool,
    /// The command, if the output is to say in its attribute `history` that it made it.
    #[serde(default)]
    pub history: Option<String>,
    /// What energy and storage cost, for the report.
    pub energy: EnergyRates,
    /// One attempt of several at the same output; `None`: other frazil processes are kept away from
    /// it meanwhile.
    pub attempt: Option<Attempt>,
    /// Limits.
    pub resources: Resources,
}

impl PackOptions {
    /// Who must be able to read the filters that are chosen.
    #[must_use]
    pub fn readers(&self) -> ReaderLevel {
        self.readable_by.unwrap_or_default()
    }

    /// The layout of the file.
    #[must_use]
    pub fn layout_profile(&self) -> LayoutProfile {
        let planned = || self.plan.as_ref().and_then(|plan| plan.layout);
        self.layout.or_else(planned).unwrap_or_default()
    }

    /// The layout of the file as plans have it: `None` is no special one.
    #[must_use]
    pub fn special_layout(&self) -> Option<LayoutProfile> {
        Some(self.layout_profile()).filter(|&layout| layout != LayoutProfile::Standard)
    }

    /// Refuses stated filters, and filters of a plan, that not everybody can read who must be able to.
    ///
    /// # Errors
    /// If some of those readers lack a filter.
    pub fn check_readers(&self) -> Result<()> {
        check_readers(self.filters.as_ref(), self.readers())?;
        match (&self.plan, self.readable_by) {
            (Some(plan), Some(readers)) => check_plan_readers(plan, readers),
            _ => Ok(()),
        }
    }
}

/// Refuses filters that not everybody can read who must be able to.
///
/// # Errors
/// If some of those readers lack a filter.
pub fn check_readers(filters: Option<&FilterChain>, readers: ReaderLevel) -> Result<()> {
    let Some(filters) = filters.filter(|chain| chain.reader_level() > readers) else {
        return Ok(());
    };
    let level = filters.reader_level();
    let cause = format!(
        "files with {filters} are read by {} only, and this file must be readable by {:?}",
        who(level),
        readers.name()
    );
    let cure = format!("say that it need only be readable by {:?}", level.name());
    Err(Error::new(ErrorCode::InvalidArgument, cause).with_cure(cure))
}

/// Refuses a plan with filters that not everybody can read who must be able to. Chunks that it copies keep
/// their filters.
///
/// # Errors
/// If some of those readers lack a filter.
pub fn check_plan_readers(plan: &WritePlan, readers: ReaderLevel) -> Result<()> {
    let Some((plan, stored)) = hardest_planned(plan, readers) else {
        return Ok(());
    };
    let level = plan.pipeline.reader_level();
    let cause = format!(
        "{stored}, and this file must be readable by {:?}",
        readers.name()
    );
    let cure = format!(
        "say that the file need only be readable by {:?}, or make a plan for {:?}",
        level.name(),
        readers.name()
    );
    Err(Error::new(ErrorCode::InvalidArgument, cause).with_cure(cure))
}

/// What a plan stores that not all of these readers read, in words; the variable that the fewest read.
fn hardest_planned(plan: &WritePlan, readers: ReaderLevel) -> Option<(&VariablePlan, String)> {
    let chosen = plan.variables.iter().filter(|plan| !plan.copy_raw);
    let hardest = chosen.max_by_key(|plan| plan.pipeline.reader_level())?;
    let level = hardest.pipeline.reader_level();
    let stored = format!(
        "the plan stores {} with {}, which is read by {} only",
        hardest.path,
        hardest.pipeline.summary(),
        who(level),
    );
    (level > readers).then_some((hardest, stored))
}

/// The line on a plan whose files not every netCDF-4 reader reads, where nobody stated who must.
#[must_use]
pub fn planned_readers_notice(options: &PackOptions) -> Option<String> {
    let plan = options
        .plan
        .as_ref()
        .filter(|_| options.readable_by.is_none())?;
    hardest_planned(plan, ReaderLevel::Any).map(|(_, stored)| stored)
}

/// The readers that have all filters of a level.
fn who(level: ReaderLevel) -> &'static str {
    match level {
        ReaderLevel::Any => "netCDF-4 readers",
        ReaderLevel::Plugins => "readers with filter plugins",
        ReaderLevel::Frazil => "frazil, and readers with frazil's own plugins",
    }
}

/// File format written by `unpack`.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum UnpackFormat {
    /// netCDF-4/HDF5 without filters.
    #[default]
    #[serde(rename = "netcdf4", alias = "hdf5")]
    Hdf5,
    /// Classic netCDF: the smallest of CDF-1, CDF-2 and CDF-5 that holds the data.
    Classic,
}

/// How to unpack.
#[derive(Debug, Clone, Default)]
pub struct UnpackOptions {
    /// Format of the output.
    pub format: UnpackFormat,
    /// Replace an existing output file.
    pub overwrite: bool,
    /// Verify the output value by value before it gets its name.
    pub verify: bool,
    /// The command, if the output is to say in its attribute `history` that it made it.
    pub history: Option<String>,
    /// Limits.
    pub resources: Resources,
}
