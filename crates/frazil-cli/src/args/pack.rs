//! `frazil pack`.

use std::path::{Path, PathBuf};
use std::sync::Arc;
use std::sync::atomic::AtomicBool;

use clap::error::ErrorKind;
use clap::{Args, ValueEnum};
use frazil::{
    Calibration, ChunkOverride, ChunkPolicy, Destination, FilterChain, Goal, LayoutProfile,
    PackOptions, ReaderLevel, SelectionCriteria, ShufflePolicy,
};

use super::goal::GoalArgs;
use super::weighing::WeighingArgs;
use super::{EnergyArgs, OutputArgs, PrecisionArgs, ResourceArgs, TargetArgs};
use crate::chunks;

#[derive(Debug, Args)]
pub(crate) struct PackArgs {
    /// Files to compress: netCDF-4, HDF5 or classic netCDF
    #[arg(required = true, value_name = "IN")]
    pub(crate) inputs: Vec<PathBuf>,
    #[command(flatten)]
    target: TargetArgs,
    #[command(flatten)]
    pub(crate) how: DecisionArgs,
    /// Chunk shapes, filters and rounding by a plan that `frazil plan --json` wrote
    #[arg(long, value_name = "PLAN.json")]
    pub(crate) plan: Option<PathBuf>,
    /// Add Fletcher-32 checksums (existing ones are always kept)
    #[arg(long)]
    checksum: bool,
    /// Also write packed files that are not smaller than their inputs, which are kept as they are
    /// otherwise; with -o: those that are larger
    #[arg(long)]
    allow_larger: bool,
    /// Plan and predict only; nothing is written
    #[arg(long, short = 'n')]
    dry_run: bool,
    /// Pack on a dask.distributed cluster, one task for each file; needs the Python package frazil
    #[arg(long, value_name = "ADDRESS", conflicts_with_all = ["output", "write-precision"])]
    pub(crate) scheduler: Option<String>,
    #[command(flatten)]
    pub(crate) precision: PrecisionArgs,
    #[command(flatten)]
    pub(crate) energy: EnergyArgs,
    #[command(flatten)]
    resources: ResourceArgs,
    /// Show every variable, however many
    #[arg(long)]
    pub(crate) all_variables: bool,
    #[command(flatten)]
    pub(crate) output: OutputArgs,
}

/// What the decision depends on beside the file.
#[derive(Debug, Args)]
pub(crate) struct DecisionArgs {
    /// Chunk shape, for example tas:time=24,lat=64; without a variable for all that have the
    /// dimension; axis numbers serve too (0=24); may be repeated
    #[arg(long, value_name = "[VAR:]DIM=N,...", value_parser = chunks::parse)]
    chunks: Vec<ChunkOverride>,
    /// Keep the chunk shapes of the input
    #[arg(long)]
    keep_chunks: bool,
    /// Compression level, 0 for none [default: chosen by trial]
    #[arg(long, value_name = "N", allow_negative_numbers = true)]
    #[arg(value_parser = clap::value_parser!(u32).range(0..=22))]
    level: Option<u32>,
    /// What filters are chosen for [default: balanced]
    #[arg(long, value_enum, conflicts_with_all = ["level", "filters"])]
    goal: Option<Goals>,
    #[command(flatten)]
    weighing: WeighingArgs,
    /// These filters, in the order in which they are applied, instead of a choice, for example
    /// bitshuffle+zstd(5); see docs/filters.md
    #[arg(long, value_name = "CHAIN", conflicts_with_all = ["level", "shuffle"])]
    filters: Option<FilterChain>,
    /// Byte shuffle before compression
    #[arg(long, value_enum, default_value_t = Shuffle::Auto)]
    shuffle: Shuffle,
    /// Layout profile
    #[arg(long, value_enum, default_value_t = Layout::Standard)]
    layout: Layout,
    /// Who must be able to read the result: any netCDF-4 reader, those with filter plugins, or
    /// frazil and those with its own plugins
    #[arg(long, value_enum, default_value_t = Readers::Any)]
    readable_by: Readers,
    #[command(flatten)]
    chunk_goal: GoalArgs,
}

#[derive(Debug, Clone, Copy, ValueEnum)]
enum Shuffle {
    /// Try with and without, take what is smaller
    Auto,
    /// Always
    On,
    /// Never
    Off,
}

#[derive(Debug, Clone, Copy, ValueEnum)]
enum Layout {
    /// No special demands
    Standard,
    /// What the CMIP7 packing check demands
    Cmip7,
}

#[derive(Debug, Clone, Copy, ValueEnum)]
enum Readers {
    /// Every netCDF-4 reader
    Any,
    /// Readers with the registered filter plugins
    Plugins,
    /// frazil, and readers with frazil's own plugins
    Frazil,
}

#[derive(Debug, Clone, Copy, ValueEnum)]
enum Goals {
    /// Small files at little cost
    Balanced,
    /// Small files, at a cost that a repack can bear
    Size,
    /// Fast writing of what still shrinks
    Speed,
    /// The smallest files, whatever writing them costs
    Archive,
    /// The fewest joules for writing once and reading once, of what still shrinks
    Energy,
}

impl Readers {
    fn level(self) -> ReaderLevel {
        match self {
            Self::Any => ReaderLevel::Any,
            Self::Plugins => ReaderLevel::Plugins,
            Self::Frazil => ReaderLevel::Frazil,
        }
    }
}

impl Goals {
    fn goal(self) -> Goal {
        match self {
            Self::Balanced => Goal::Balanced,
            Self::Size => Goal::Size,
            Self::Speed => Goal::Speed,
            Self::Archive => Goal::Archive,
            Self::Energy => Goal::Energy,
        }
    }
}

impl PackArgs {
    /// Where the results go; [`super::parse`] lets no arguments through that leave it open. In a dry run
    /// nothing is written, so the destination that refuses nothing will do.
    pub(crate) fn destination(&self) -> Option<Destination> {
        let anywhere = Destination::InPlace {
            break_hard_links: true,
        };
        let destination = self.target.destination();
        destination.or_else(|| self.dry_run.then_some(anywhere))
    }

    /// Whether an existing file may be replaced.
    pub(crate) fn overwrite(&self) -> bool {
        self.target.overwrite
    }

    /// What clap cannot check.
    pub(super) fn check(&self) -> Result<(), (ErrorKind, String)> {
        self.precision.check(self.inputs.len())?;
        self.how.check()?;
        self.target.check(&self.inputs, !self.dry_run)
    }

    /// The facade's options, without what files say.
    pub(crate) fn options(&self, cancel: &Arc<AtomicBool>) -> PackOptions {
        PackOptions {
            checksum: self.checksum,
            precision: self.precision.options(),
            dry_run: self.dry_run,
            overwrite: self.target.overwrite,
            allow_larger: self.allow_larger.then_some(true),
            verify: self.target.verify,
            energy: self.energy.rates(),
            resources: self.resources.resources(cancel),
            ..self.how.options()
        }
    }
}

impl DecisionArgs {
    /// What clap cannot check.
    pub(super) fn check(&self) -> Result<(), (ErrorKind, String)> {
        if let Some(chain) = &self.filters
            && chain.reader_level() > self.readable_by.level()
        {
            let message = format!(
                "not every reader knows {chain}: add --readable-by {}",
                chain.reader_level().name()
            );
            return Err((ErrorKind::ArgumentConflict, message));
        }
        Ok(())
    }

    /// The calibration asked for.
    pub(crate) fn calibration(&self) -> Option<&str> {
        self.chunk_goal.calibration.as_deref()
    }

    /// What is stated of a choice of filters, words for speeds being what a calibration says.
    pub(crate) fn weighing_by(&self, calibration: &Calibration) -> SelectionCriteria {
        self.weighing.weighing(calibration)
    }

    /// The file of the decision tree asked for.
    pub(crate) fn tree(&self) -> Option<&Path> {
        self.weighing.tree()
    }

    /// The facade's options as far as they are these.
    pub(super) fn options(&self) -> PackOptions {
        PackOptions {
            chunks: match self.keep_chunks {
                true => ChunkPolicy::Keep,
                false => ChunkPolicy::Auto,
            },
            chunk_overrides: self.chunks.clone(),
            chunk_goal: self.chunk_goal.goal(),
            level: self.level,
            shuffle: match self.shuffle {
                Shuffle::Auto => ShufflePolicy::Auto,
                Shuffle::On => ShufflePolicy::On,
                Shuffle::Off => ShufflePolicy::Off,
            },
            goal: self.goal.map(Goals::goal).unwrap_or_default(),
            weighing: self.weighing_by(&Calibration::default()),
            filters: self.filters.clone(),
            readable_by: self.readable_by.level(),
            layout: match self.layout {
                Layout::Standard => LayoutProfile::Standard,
                Layout::Cmip7 => LayoutProfile::Cmip7,
            },
            ..PackOptions::default()
        }
    }
}
