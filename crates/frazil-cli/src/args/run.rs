//! Arguments of `frazil run`.

use std::ffi::OsString;
use std::path::PathBuf;
use std::sync::LazyLock;

use clap::{Arg, ArgMatches, Args, Command, FromArgMatches};
use frazil::{DeclaredOption, writer_options};

use super::declared::helped;

/// What `frazil run` is asked.
#[derive(Debug, Args)]
pub(crate) struct RunArgs {
    /// Compress variables that the program leaves without compression
    #[arg(long)]
    pub(crate) compress: bool,
    /// Choose chunk shapes where the program states none, in place of its own library's
    #[arg(long)]
    pub(crate) choose_chunks: bool,
    /// Write the report as JSON, too
    #[arg(long, value_name = "FILE")]
    pub(crate) report: Option<PathBuf>,
    /// Say nothing but errors
    #[arg(short, long)]
    pub(crate) quiet: bool,
    #[command(flatten)]
    pub(crate) options: WriterFlags,
    /// The program and its arguments
    #[arg(last = true, required = true, value_name = "PROGRAM")]
    pub(crate) program: Vec<OsString>,
}

/// Options of writers, by their keys.
#[derive(Debug, Default)]
pub(crate) struct WriterFlags(pub(crate) Vec<(&'static str, String)>);

/// Options that may be stated for programs that others wrote, with their flags.
static FLAGS: LazyLock<Vec<(String, &'static DeclaredOption)>> = LazyLock::new(|| {
    let stated = writer_options().filter(|one| one.of.environment);
    stated.map(|one| (one.key.replace('_', "-"), one)).collect()
});

impl FromArgMatches for WriterFlags {
    fn from_arg_matches(matches: &ArgMatches) -> Result<Self, clap::Error> {
        let value = |(_, declared): &(String, &'static DeclaredOption)| {
            let text = matches.get_one::<String>(declared.key)?;
            Some((declared.key, text.clone()))
        };
        Ok(Self(FLAGS.iter().filter_map(value).collect()))
    }

    fn update_from_arg_matches(&mut self, matches: &ArgMatches) -> Result<(), clap::Error> {
        *self = Self::from_arg_matches(matches)?;
        Ok(())
    }
}

impl Args for WriterFlags {
    fn augment_args(command: Command) -> Command {
        FLAGS.iter().fold(command, |command, (flag, declared)| {
            let arg = Arg::new(declared.key)
                .long(flag.as_str())
                .value_name("VALUE");
            command.arg(helped(arg, declared))
        })
    }

    fn augment_args_for_update(command: Command) -> Command {
        Self::augment_args(command)
    }
}
