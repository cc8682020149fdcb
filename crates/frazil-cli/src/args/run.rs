//! Arguments of `frazil run`.

use std::ffi::OsString;
use std::path::PathBuf;
use std::sync::OnceLock;

use clap::{Arg, ArgMatches, Args, Command, FromArgMatches, ValueEnum};
use frazil::{DeclaredOption, Values, writer_options};

use super::declared::explained;
use super::precision::RunPrecisionArgs;

/// What `frazil run` is asked.
#[derive(Debug, Args)]
pub(crate) struct RunArgs {
    /// What frazil takes over
    #[arg(long, value_enum, default_value_t)]
    pub(crate) level: Level,
    /// Compress the variables that the program does not compress
    #[arg(long)]
    pub(crate) compress: bool,
    /// Choose chunk shapes if the program states none
    #[arg(long)]
    pub(crate) choose_chunks: bool,
    /// Let the program's own library read files
    #[arg(long)]
    pub(crate) write_only: bool,
    /// Commit while the program computes: nc_sync returns at once, and the next call on the file waits
    #[arg(long)]
    pub(crate) commit_behind: bool,
    /// Write files that MPI ranks create together (nc_create_par): docs/unmodified_programs.md
    #[arg(long)]
    pub(crate) parallel_files: bool,
    /// Also write the report to this file, as JSON
    #[arg(long, value_name = "FILE")]
    pub(crate) report: Option<PathBuf>,
    /// Print errors only
    #[arg(short, long)]
    pub(crate) quiet: bool,
    #[command(flatten)]
    pub(crate) options: WriterFlags,
    #[command(flatten)]
    pub(crate) precision: RunPrecisionArgs,
    /// The program and its arguments
    #[arg(last = true, required = true, value_name = "PROGRAM")]
    pub(crate) program: Vec<OsString>,
}

/// How much of a program's writing is served.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq, ValueEnum)]
pub(crate) enum Level {
    /// Write and read netCDF-4 files that the program creates or opens through netCDF's calls
    #[default]
    Engine,
    /// Pack whole chunks on all cores that programs such as h5py write through HDF5 itself
    Hdf5,
    /// Only speed up deflate, in every program that writes HDF5, including h5py
    Codec,
}

impl RunArgs {
    /// Whether options are stated that this level does not serve.
    pub(crate) fn states_too_much(&self) -> bool {
        let is_served = |(key, _): &(&str, String)| match self.level {
            Level::Engine => true,
            Level::Hdf5 => *key == "threads",
            Level::Codec => false,
        };
        let states_precision = !self.precision.rules.is_empty();
        let switches = [
            self.compress,
            self.choose_chunks,
            self.commit_behind,
            self.parallel_files,
        ];
        let is_about_files = switches.contains(&true) || states_precision;
        !self.options.0.iter().all(is_served) || self.level != Level::Engine && is_about_files
    }
}

/// Options of writers, by their keys.
#[derive(Debug, Default)]
pub(crate) struct WriterFlags(pub(crate) Vec<(&'static str, String)>);

/// Options that may be stated for programs that others wrote, with their flags.
fn flags() -> &'static [(String, &'static DeclaredOption)] {
    static FLAGS: OnceLock<Vec<(String, &'static DeclaredOption)>> = OnceLock::new();
    FLAGS.get_or_init(|| {
        let stated = writer_options().filter(|one| one.of.environment);
        stated.map(|one| (one.key.replace('_', "-"), one)).collect()
    })
}

impl FromArgMatches for WriterFlags {
    fn from_arg_matches(matches: &ArgMatches) -> Result<Self, clap::Error> {
        let value = |(_, declared): &(String, &'static DeclaredOption)| {
            let text = matches.get_one::<String>(declared.key)?;
            Some((declared.key, text.clone()))
        };
        Ok(Self(flags().iter().filter_map(value).collect()))
    }

    fn update_from_arg_matches(&mut self, matches: &ArgMatches) -> Result<(), clap::Error> {
        *self = Self::from_arg_matches(matches)?;
        Ok(())
    }
}

impl Args for WriterFlags {
    fn augment_args(command: Command) -> Command {
        flags().iter().fold(command, |command, (flag, declared)| {
            let arg = Arg::new(declared.key)
                .long(flag.as_str())
                .value_name(match declared.values {
                    Values::Switch => "0|1",
                    Values::Words(_) | Values::Number(_) | Values::Form(_) => "VALUE",
                })
                .allow_negative_numbers(true);
            command.arg(explained(arg, declared))
        })
    }

    fn augment_args_for_update(command: Command) -> Command {
        Self::augment_args(command)
    }
}
