//! `frazil pack`.

use std::path::{Path, PathBuf};
use std::sync::Arc;
use std::sync::atomic::AtomicBool;

use clap::Args;
use clap::error::ErrorKind;
use frazil::{
    Calibration, ChunkOverride, ChunkPolicy, Defaults, Destination, FilterChain, Goal,
    LayoutProfile, PackOptions, ReaderLevel, SelectionCriteria, ShufflePolicy,
};

use super::declared::{number, word};
use super::goal::GoalArgs;
use super::weighing::WeighingArgs;
use super::{
    BatchArgs, EnergyArgs, InputArgs, OutputArgs, PrecisionArgs, ResourceArgs, ResultArgs,
    TargetArgs,
};
use crate::chunks;

/// What a cluster has its own ways for, or none.
const SCHEDULERS_OWN: [&str; 10] = [
    "output",
    "write-precision",
    "recursive",
    "files_from",
    "jobs",
    "skip_existing",
    "preserve",
    "json_lines",
    "log",
    "manifest",
];

#[derive(Debug, Args)]
pub(crate) struct PackArgs {
    #[command(flatten)]
    pub(crate) inputs: InputArgs,
    #[command(flatten)]
    pub(crate) target: TargetArgs,
    #[command(flatten)]
    pub(crate) batch: BatchArgs,
    #[command(flatten)]
    pub(crate) results: ResultArgs,
    #[command(flatten)]
    pub(crate) how: DecisionArgs,
    #[arg(long, value_name = "PLAN.json")]
    pub(crate) plan: Option<PathBuf>,
    #[arg(long)]
    allow_larger: bool,
    #[arg(long, short = 'n')]
    dry_run: bool,
    /// Pack on a dask.distributed cluster, one task for each file; needs the Python package frazil
    #[arg(long, value_name = "ADDRESS", conflicts_with_all = SCHEDULERS_OWN)]
    pub(crate) scheduler: Option<String>,
    #[command(flatten)]
    pub(crate) precision: PrecisionArgs,
    #[command(flatten)]
    pub(crate) energy: EnergyArgs,
    #[command(flatten)]
    resources: ResourceArgs,
    /// Show all variables, not only the largest
    #[arg(long)]
    pub(crate) all_variables: bool,
    #[command(flatten)]
    pub(crate) output: OutputArgs,
}

/// What the decision depends on beside the file.
#[derive(Debug, Args)]
pub(crate) struct DecisionArgs {
    #[arg(long, value_name = "[VAR:]DIM=N,...", value_parser = chunks::parse)]
    chunks: Vec<ChunkOverride>,
    /// Keep the chunk shapes of the input. Variables without chunks get none, and so no compression
    #[arg(long, conflicts_with = "chunks")]
    keep_chunks: bool,
    #[arg(long, value_name = "N", allow_negative_numbers = true)]
    #[arg(value_parser = number("level", 0..=22_u32))]
    level: Option<u32>,
    #[arg(long, value_parser = word::<Goal>("goal"), conflicts_with_all = ["level", "filters"])]
    goal: Option<Goal>,
    #[command(flatten)]
    weighing: WeighingArgs,
    #[arg(long, value_name = "CHAIN", conflicts_with_all = ["level", "shuffle"])]
    filters: Option<FilterChain>,
    #[arg(long, value_parser = word::<ShufflePolicy>("shuffle"))]
    shuffle: Option<ShufflePolicy>,
    #[arg(long)]
    checksum: bool,
    #[arg(long, value_parser = word::<LayoutProfile>("layout"))]
    layout: Option<LayoutProfile>,
    #[arg(long, value_name = "WHO", value_parser = word::<ReaderLevel>("readable_by"))]
    readable_by: Option<ReaderLevel>,
    #[command(flatten)]
    chunk_goal: GoalArgs,
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
        self.precision.check(self.inputs.only().is_some())?;
        self.how.check(&self.precision)?;
        self.results.check(self.target.out_dir())?;
        self.target.check(&self.inputs, !self.dry_run)
    }

    /// The facade's options, without what files say but for these defaults.
    pub(crate) fn options(&self, defaults: &Defaults, cancel: &Arc<AtomicBool>) -> PackOptions {
        PackOptions {
            precision: self.precision.options(),
            dry_run: self.dry_run,
            overwrite: self.target.overwrite,
            allow_larger: self.allow_larger.then_some(true),
            verify: self.target.verify,
            energy: self.energy.rates(),
            resources: self.resources.resources(cancel),
            ..self.how.options(defaults)
        }
    }
}

impl DecisionArgs {
    /// What clap cannot check. What a file says of readers is not known here.
    pub(super) fn check(&self, precision: &PrecisionArgs) -> Result<(), (ErrorKind, String)> {
        if let Some(chain) = &self.filters
            && (self.readable_by.is_some() || precision.file().is_none())
            && chain.reader_level() > self.readable_by.unwrap_or_default()
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

    /// The facade's options as far as they are these; these defaults hold where nothing is stated.
    pub(super) fn options(&self, defaults: &Defaults) -> PackOptions {
        PackOptions {
            chunks: match self.keep_chunks {
                true => ChunkPolicy::Keep,
                false => ChunkPolicy::Auto,
            },
            chunk_overrides: self.chunks.clone(),
            chunk_goal: self.chunk_goal.goal().or(&defaults.access),
            level: self.level,
            shuffle: self.shuffle.unwrap_or_default(),
            goal: self.goal.or(defaults.goal).unwrap_or_default(),
            weighing: self.weighing_by(&Calibration::default()),
            filters: self.filters.clone(),
            checksum: self.checksum,
            readable_by: self.readable_by.or(defaults.readable_by),
            layout: self.layout,
            ..PackOptions::default()
        }
    }
}
