//! The arguments: what may be asked on the command line, and its translation into the facade's
//! options.

mod analyze;
mod batch;
mod calibrate;
mod declared;
mod elsewhere;
mod energy;
mod goal;
mod import;
mod info;
mod inputs;
mod named_as;
mod output;
mod pack;
mod plan;
mod precision;
mod recover;
mod refs;
mod resources;
mod run;
mod synth;
mod target;
mod train;
mod unpack;
mod verify;
mod weighing;

use std::ffi::OsString;
use std::path::{Path, PathBuf};

use clap::error::ErrorKind;
use clap::{CommandFactory, FromArgMatches, Parser, Subcommand};

pub(crate) use analyze::AnalyzeArgs;
pub(crate) use batch::{BatchArgs, Checksum, Preserved, ResultArgs};
pub(crate) use calibrate::CalibrateArgs;
use energy::EnergyArgs;
pub(crate) use import::ImportArgs;
pub(crate) use info::InfoArgs;
pub(crate) use inputs::{InputArgs, SelectionArgs};
pub(crate) use output::OutputArgs;
pub(crate) use pack::{DecisionArgs, PackArgs};
pub(crate) use plan::PlanArgs;
pub(crate) use precision::PrecisionArgs;
pub(crate) use recover::RecoverArgs;
pub(crate) use refs::RefsArgs;
use resources::ResourceArgs;
pub(crate) use run::{Level, RunArgs};
pub(crate) use synth::SynthArgs;
use target::TargetArgs;
pub(crate) use train::TrainArgs;
pub(crate) use unpack::UnpackArgs;
pub(crate) use verify::{Comparison, VerifyArgs};

use crate::text;

/// Compresses netCDF-4 and HDF5 files in parallel; unpacks, inspects and compares them.
#[derive(Debug, Parser)]
#[command(
    name = "frazil",
    disable_version_flag = true,
    arg_required_else_help = true,
    args_conflicts_with_subcommands = true,
    after_help = "Examples:
  frazil pack input.nc -o packed.nc --verify   a smaller file with equal values
  frazil pack runs/ -r --out-dir packed/       all files below a folder
  frazil plan input.nc                         what pack would do, and why
  frazil info packed.nc                        chunks, filters, sizes, readers
  frazil verify input.nc packed.nc             are they equal?

Exit codes: 0 done, or equal; 1 failed, or different; 2 wrong usage, or cannot \
                  compare; 128 and the number of the signal that stopped it (130: Ctrl-C)."
)]
pub(crate) struct Cli {
    /// Print the version
    #[arg(short = 'V', long)]
    version: bool,
    /// With --version: libraries, filters, SIMD, plugin path, network code
    #[arg(long, requires = "version")]
    pub(crate) all: bool,
    /// What to do
    #[command(subcommand)]
    pub(crate) command: Option<Command>,
}

#[derive(Debug, Subcommand)]
pub(crate) enum Command {
    /// Compress files; by default, every netCDF-4 reader can open the result
    Pack(Box<PackArgs>),
    /// Show how pack would store a file, the alternatives, and the cost of reads
    Plan(Box<PlanArgs>),
    /// Measure the cost of reads on this machine, for plans
    Calibrate(CalibrateArgs),
    /// Grow a decision tree that names the filters to try, and show how good it is
    Train(TrainArgs),
    /// Write files without compression
    Unpack(UnpackArgs),
    /// Show the contents of files, how they are stored, and who can read them
    Info(InfoArgs),
    /// Write references that let readers of Zarr read files in place (kerchunk, VirtualiZarr)
    Refs(RefsArgs),
    /// Show how much information each bit of each variable has, and how many bits to keep
    Analyze(AnalyzeArgs),
    /// Compare files with their packed forms, value by value, and check the bounds of rounded variables
    Verify(VerifyArgs),
    /// Bring files of killed writers back to their last commit
    Recover(RecoverArgs),
    /// Run an unmodified program, and let frazil write and read its netCDF-4 files
    Run(RunArgs),
    /// Write test data by known rules
    Synth(SynthArgs),
    /// Write the numbers of a CSV file to a netCDF-4 file
    Import(ImportArgs),
    /// Print the folder of frazil's HDF5 plugins, for HDF5_PLUGIN_PATH
    PluginPath,
    /// List the options of programs that write through frazil, for FRAZIL_OPTIONS; or explain one option
    Options {
        /// Show all about this option, of programs or of the command [default: list them]
        #[arg(value_name = "KEY", value_parser = declared::named)]
        key: Option<&'static frazil::DeclaredOption>,
        /// Print JSON
        #[arg(long)]
        json: bool,
    },
    /// Write manual pages of all commands into a folder
    Man {
        /// An existing folder
        #[arg(value_name = "FOLDER")]
        folder: PathBuf,
    },
    /// Print a completion script for a shell
    Completions {
        /// The shell
        shell: clap_complete::Shell,
    },
}

/// The command with all its flags and their help.
pub(crate) fn command() -> clap::Command {
    let command = Cli::command()
        .mut_subcommands(declared::with_help)
        .max_term_width(text::PROSE_COLUMNS);
    match text::screen_columns() {
        // In a pipe, a pager's perhaps: clap looks for the terminal behind it.
        usize::MAX => command,
        _ => command.term_width(text::prose_columns()),
    }
}

/// Parses and checks the arguments; the first is the program's name.
///
/// # Errors
/// A usage error, or a request for help.
pub(crate) fn parse<T: Into<OsString> + Clone>(
    arguments: impl IntoIterator<Item = T>,
) -> Result<Cli, clap::Error> {
    let arguments: Vec<OsString> = arguments.into_iter().map(Into::into).collect();
    understand(&arguments).map_err(|error| {
        // The error quotes words of the command line, which may be names of files by a wildcard.
        let plain = |word: &OsString| OsString::from(frazil::plain_path(Path::new(word)));
        let words: Vec<OsString> = arguments.iter().map(plain).collect();
        match words == arguments {
            true => error,
            false => understand(&words).err().unwrap_or(error),
        }
    })
}

fn understand(arguments: &[OsString]) -> Result<Cli, clap::Error> {
    let mut command = command();
    let matches = command.try_get_matches_from_mut(arguments);
    let matches = matches.map_err(elsewhere::explained)?;
    let cli = Cli::from_arg_matches(&matches)
        .map_err(|error| with_usage(error, &mut command, matches.subcommand_name()))?;
    let (name, checked) = match &cli.command {
        Some(Command::Pack(args)) => ("pack", args.check()),
        Some(Command::Plan(args)) => ("plan", args.check()),
        Some(Command::Unpack(args)) => ("unpack", args.check()),
        Some(Command::Refs(args)) => ("refs", args.check()),
        Some(Command::Verify(args)) => ("verify", args.check()),
        _ => return Ok(cli),
    };
    match checked {
        Ok(()) => Ok(cli),
        Err((kind, message)) => Err(usage_error(name, kind, message)),
    }
}

/// The error of a value, with the usage of the subcommand that it was given to.
fn with_usage(error: clap::Error, command: &mut clap::Command, name: Option<&str>) -> clap::Error {
    command.build();
    match name.and_then(|name| command.find_subcommand_mut(name)) {
        Some(subcommand) => error.format(subcommand),
        None => error.format(command),
    }
}

/// A usage error that shows the usage of the subcommand `name`.
fn usage_error(name: &str, kind: ErrorKind, message: String) -> clap::Error {
    let mut command = command();
    command.build();
    match command.find_subcommand_mut(name) {
        Some(subcommand) => subcommand.error(kind, message),
        None => command.error(kind, message),
    }
}

#[cfg(test)]
mod tests;
