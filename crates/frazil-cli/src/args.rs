//! The arguments: what may be asked on the command line, and its translation into the facade's
//! options.

use std::collections::HashSet;
use std::ffi::OsString;
use std::path::PathBuf;
use std::sync::Arc;
use std::sync::atomic::AtomicBool;

use clap::error::ErrorKind;
use clap::{Args, CommandFactory, Parser, Subcommand, ValueEnum};
use frazil::{
    ChunkOverride, ChunkPolicy, Destination, LayoutProfile, PackOptions, ReaderLevel, Resources,
    ShufflePolicy, UnpackFormat, UnpackOptions,
};

use crate::{chunks, size};

/// Compresses standard netCDF-4/HDF5 files in parallel, and unpacks, inspects and compares them.
#[derive(Debug, Parser)]
#[command(
    name = "frazil",
    disable_version_flag = true,
    arg_required_else_help = true,
    args_conflicts_with_subcommands = true,
    after_help = "Exit codes: 0 done, or equal; 1 failed, or different; 2 wrong usage, or cannot \
                  compare; 130 interrupted."
)]
pub(crate) struct Cli {
    /// Print the version
    #[arg(short = 'V', long)]
    version: bool,
    /// With --version: libraries, filters, SIMD, plugin path, network code
    #[arg(long, requires = "version")]
    pub(crate) all: bool,
    /// What to do; none: print the version
    #[command(subcommand)]
    pub(crate) command: Option<Command>,
}

#[derive(Debug, Subcommand)]
pub(crate) enum Command {
    /// Compress files; unless told otherwise, every netCDF-4 reader opens the result
    Pack(PackArgs),
    /// Write files without compression
    Unpack(UnpackArgs),
    /// Show what is in files, how it is stored and who can read it
    Info(InfoArgs),
    /// Compare two files value by value
    Verify(VerifyArgs),
    /// Print a completion script for a shell
    Completions {
        /// The shell
        shell: clap_complete::Shell,
    },
}

#[derive(Debug, Args)]
pub(crate) struct PackArgs {
    /// Files to compress: netCDF-4, HDF5 or classic netCDF
    #[arg(required = true, value_name = "IN")]
    pub(crate) inputs: Vec<PathBuf>,
    #[command(flatten)]
    target: TargetArgs,
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
    /// Byte shuffle before compression
    #[arg(long, value_enum, default_value_t = Shuffle::Auto)]
    shuffle: Shuffle,
    /// Add Fletcher-32 checksums (existing ones are always kept)
    #[arg(long)]
    checksum: bool,
    /// Layout profile
    #[arg(long, value_enum, default_value_t = Layout::Standard)]
    layout: Layout,
    /// Who must be able to read the result: any netCDF-4 reader, or those with filter plugins
    #[arg(long, value_enum, default_value_t = Readers::Any)]
    readable_by: Readers,
    /// Plan and predict only; nothing is written
    #[arg(long, short = 'n')]
    dry_run: bool,
    #[command(flatten)]
    resources: ResourceArgs,
    /// Show every variable, however many
    #[arg(long)]
    pub(crate) all_variables: bool,
    #[command(flatten)]
    pub(crate) output: OutputArgs,
}

#[derive(Debug, Args)]
pub(crate) struct UnpackArgs {
    /// Files to unpack
    #[arg(required = true, value_name = "IN")]
    pub(crate) inputs: Vec<PathBuf>,
    #[command(flatten)]
    target: TargetArgs,
    /// Format of the result
    #[arg(long, value_enum, default_value_t = Format::Netcdf4)]
    format: Format,
    #[command(flatten)]
    resources: ResourceArgs,
    /// Show every variable, however many
    #[arg(long)]
    pub(crate) all_variables: bool,
    #[command(flatten)]
    pub(crate) output: OutputArgs,
}

#[derive(Debug, Args)]
pub(crate) struct InfoArgs {
    /// Files to look at
    #[arg(required = true, value_name = "FILE")]
    pub(crate) files: Vec<PathBuf>,
    /// Also read the data and show the share of fill values
    #[arg(long)]
    pub(crate) fill: bool,
    /// Show every variable, however many
    #[arg(long)]
    pub(crate) all_variables: bool,
    /// Print one JSON document instead of tables
    #[arg(long)]
    pub(crate) json: bool,
    #[command(flatten)]
    resources: ResourceArgs,
}

#[derive(Debug, Args)]
pub(crate) struct VerifyArgs {
    /// One file
    pub(crate) a: PathBuf,
    /// The other file
    pub(crate) b: PathBuf,
    #[command(flatten)]
    resources: ResourceArgs,
    #[command(flatten)]
    pub(crate) output: OutputArgs,
}

/// Where results go.
#[derive(Debug, Args)]
struct TargetArgs {
    /// Write the result of one input to this file
    #[arg(short, long, value_name = "OUT", group = "destination")]
    output: Option<PathBuf>,
    /// Write every result into this directory, under the name of its input
    #[arg(long, value_name = "DIR", group = "destination")]
    out_dir: Option<PathBuf>,
    /// Replace every input by its result once that is verified
    #[arg(long, group = "destination")]
    in_place: bool,
    /// With --in-place: also replace files with several hard links (the other names keep the old
    /// content)
    #[arg(long, requires = "in_place", conflicts_with_all = ["output", "out_dir"])]
    break_hard_links: bool,
    /// Replace an existing output file
    #[arg(long)]
    overwrite: bool,
    /// Compare each result with its input, value by value, before it gets its name
    #[arg(long)]
    verify: bool,
}

impl TargetArgs {
    /// The destination asked for, if any.
    fn destination(&self) -> Option<Destination> {
        let in_place = || Destination::InPlace {
            break_hard_links: self.break_hard_links,
        };
        None.or_else(|| self.output.clone().map(Destination::File))
            .or_else(|| self.out_dir.clone().map(Destination::Directory))
            .or_else(|| self.in_place.then(in_place))
    }

    /// What clap cannot check: one file for one input, one name for each.
    fn check(&self, inputs: &[PathBuf], needed: bool) -> Result<(), (ErrorKind, String)> {
        if self.output.is_some() && inputs.len() > 1 {
            let message = "-o names one file; use --out-dir DIR for several inputs".into();
            return Err((ErrorKind::ArgumentConflict, message));
        }
        if needed && self.destination().is_none() {
            let message = "say where the result goes: -o OUT, --out-dir DIR or --in-place".into();
            return Err((ErrorKind::MissingRequiredArgument, message));
        }
        if self.out_dir.is_some() {
            let mut names = HashSet::new();
            let twice = inputs.iter().filter_map(|input| input.file_name());
            if let Some(name) = twice.into_iter().find(|name| !names.insert(*name)) {
                let name = name.to_string_lossy();
                let message = format!("two inputs would be written to the same file, `{name}`");
                return Err((ErrorKind::ArgumentConflict, message));
            }
        }
        Ok(())
    }
}

/// Limits of a run.
#[derive(Debug, Args)]
struct ResourceArgs {
    /// Threads; 0 means one per available core
    #[arg(
        long,
        value_name = "N",
        default_value_t = 0,
        allow_negative_numbers = true
    )]
    #[arg(value_parser = clap::value_parser!(u16).range(0..=4096))]
    threads: u16,
    /// Memory for chunk buffers, for example 512MiB [default: 256MiB]
    #[arg(long, value_name = "SIZE", allow_hyphen_values = true)]
    #[arg(value_parser = size::parse_memory)]
    memory: Option<u64>,
}

impl ResourceArgs {
    fn resources(&self, cancel: &Arc<AtomicBool>) -> Resources {
        Resources {
            threads: self.threads.into(),
            memory_bytes: self.memory.unwrap_or(Resources::DEFAULT_MEMORY_BYTES),
            cancel: Arc::clone(cancel),
        }
    }
}

/// What is printed.
#[derive(Debug, Clone, Copy, Default, Args)]
pub(crate) struct OutputArgs {
    /// Print one JSON document instead of tables
    #[arg(long)]
    pub(crate) json: bool,
    /// Print errors only
    #[arg(short, long)]
    pub(crate) quiet: bool,
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
}

#[derive(Debug, Clone, Copy, ValueEnum)]
enum Format {
    /// netCDF-4/HDF5 without filters
    Netcdf4,
    /// Classic netCDF: the smallest of CDF-1, CDF-2 and CDF-5 that holds the data
    Classic,
}

impl PackArgs {
    /// Where the results go; [`parse`] lets no arguments through that leave it open. In a dry run
    /// nothing is written, so the destination that refuses nothing will do.
    pub(crate) fn destination(&self) -> Option<Destination> {
        let anywhere = Destination::InPlace {
            break_hard_links: true,
        };
        let destination = self.target.destination();
        destination.or_else(|| self.dry_run.then_some(anywhere))
    }

    /// The facade's options.
    pub(crate) fn options(&self, cancel: &Arc<AtomicBool>) -> PackOptions {
        PackOptions {
            chunks: match self.keep_chunks {
                true => ChunkPolicy::Keep,
                false => ChunkPolicy::Auto,
            },
            chunk_overrides: self.chunks.clone(),
            level: self.level,
            shuffle: match self.shuffle {
                Shuffle::Auto => ShufflePolicy::Auto,
                Shuffle::On => ShufflePolicy::On,
                Shuffle::Off => ShufflePolicy::Off,
            },
            checksum: self.checksum,
            readable_by: match self.readable_by {
                Readers::Any => ReaderLevel::Any,
                Readers::Plugins => ReaderLevel::Plugins,
            },
            layout: match self.layout {
                Layout::Standard => LayoutProfile::Standard,
                Layout::Cmip7 => LayoutProfile::Cmip7,
            },
            dry_run: self.dry_run,
            overwrite: self.target.overwrite,
            verify: self.target.verify,
            resources: self.resources.resources(cancel),
        }
    }
}

impl UnpackArgs {
    /// Where the results go; [`parse`] lets no arguments through that leave it open.
    pub(crate) fn destination(&self) -> Option<Destination> {
        self.target.destination()
    }

    /// The facade's options.
    pub(crate) fn options(&self, cancel: &Arc<AtomicBool>) -> UnpackOptions {
        UnpackOptions {
            format: match self.format {
                Format::Netcdf4 => UnpackFormat::Hdf5,
                Format::Classic => UnpackFormat::Classic,
            },
            overwrite: self.target.overwrite,
            verify: self.target.verify,
            resources: self.resources.resources(cancel),
        }
    }
}

impl InfoArgs {
    /// The facade's limits.
    pub(crate) fn resources(&self, cancel: &Arc<AtomicBool>) -> Resources {
        self.resources.resources(cancel)
    }
}

impl VerifyArgs {
    /// The facade's limits.
    pub(crate) fn resources(&self, cancel: &Arc<AtomicBool>) -> Resources {
        self.resources.resources(cancel)
    }
}

/// Parses and checks the arguments; the first is the program's name.
///
/// # Errors
/// A usage error, or a request for help.
pub(crate) fn parse<T: Into<OsString> + Clone>(
    arguments: impl IntoIterator<Item = T>,
) -> Result<Cli, clap::Error> {
    let cli = Cli::try_parse_from(arguments)?;
    let (name, checked) = match &cli.command {
        Some(Command::Pack(args)) => ("pack", args.target.check(&args.inputs, !args.dry_run)),
        Some(Command::Unpack(args)) => ("unpack", args.target.check(&args.inputs, true)),
        _ => return Ok(cli),
    };
    match checked {
        Ok(()) => Ok(cli),
        Err((kind, message)) => Err(usage_error(name, kind, message)),
    }
}

/// A usage error that shows the usage of the subcommand `name`.
fn usage_error(name: &str, kind: ErrorKind, message: String) -> clap::Error {
    let mut command = Cli::command();
    command.build();
    match command.find_subcommand_mut(name) {
        Some(subcommand) => subcommand.error(kind, message),
        None => command.error(kind, message),
    }
}

#[cfg(test)]
#[path = "args_tests.rs"]
mod tests;
