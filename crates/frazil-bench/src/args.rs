//! The arguments, and their translation into the facade's options.

use std::path::PathBuf;

use clap::{Args, Parser, Subcommand, ValueEnum};
use frazil::{ChunkPolicy, PackOptions, Resources, ShufflePolicy};

/// Measurements of frazil that need its inner rooms.
#[derive(Debug, Parser)]
#[command(name = "frazil-bench", version)]
pub(crate) struct Cli {
    /// What to measure
    #[command(subcommand)]
    pub(crate) command: Command,
}

#[derive(Debug, Subcommand)]
pub(crate) enum Command {
    /// Decode and encode all chunks of a file in memory, as `frazil pack` would with these options
    CodecLoop(CodecLoopArgs),
    /// Round a field in memory with every algorithm, on one core, and check the errors
    Quantize(QuantizeArgs),
    /// Read a variable whole, and random boxes, maps and series of it
    Read(ReadArgs),
    /// Open files and list their variables, with so many threads at a time
    Open(OpenArgs),
}

#[derive(Debug, Args)]
pub(crate) struct OpenArgs {
    /// netCDF-4, HDF5 or classic netCDF
    #[arg(required = true)]
    pub(crate) files: Vec<PathBuf>,
    /// Numbers of threads, one after the other
    #[arg(long, value_name = "N,N", value_delimiter = ',', default_value = "1")]
    pub(crate) threads: Vec<usize>,
    /// How often each file is opened
    #[arg(long, value_name = "N", default_value_t = 1)]
    #[arg(value_parser = clap::value_parser!(u16).range(1..))]
    rounds: u16,
    /// Print one JSON document instead of text
    #[arg(long)]
    pub(crate) json: bool,
}

impl OpenArgs {
    /// Rounds, at least 1.
    pub(crate) fn rounds(&self) -> usize {
        self.rounds.into()
    }
}

#[derive(Debug, Args)]
pub(crate) struct ReadArgs {
    /// netCDF-4, HDF5 or classic netCDF
    pub(crate) file: PathBuf,
    /// Path of the variable
    pub(crate) variable: String,
    /// Threads; 0 means one per available core
    #[arg(long, value_name = "N", default_value_t = 0)]
    #[arg(value_parser = clap::value_parser!(u16).range(0..=4096))]
    threads: u16,
    /// Rounds of each kind; the shortest are reported
    #[arg(long, value_name = "N", default_value_t = 5)]
    #[arg(value_parser = clap::value_parser!(u16).range(1..))]
    repeats: u16,
    /// Print one JSON document instead of text
    #[arg(long)]
    pub(crate) json: bool,
}

impl ReadArgs {
    /// Threads as the facade counts them.
    pub(crate) fn threads(&self) -> usize {
        self.threads.into()
    }

    /// Rounds, at least 1.
    pub(crate) fn repeats(&self) -> usize {
        self.repeats.into()
    }
}

#[derive(Debug, Args)]
pub(crate) struct QuantizeArgs {
    /// Timed rounds of 64 MiB; medians are reported
    #[arg(long, value_name = "N", default_value_t = 9)]
    #[arg(value_parser = clap::value_parser!(u16).range(1..))]
    repeats: u16,
    /// Print one JSON document instead of text
    #[arg(long)]
    pub(crate) json: bool,
}

impl QuantizeArgs {
    /// Timed rounds, at least 1.
    pub(crate) fn repeats(&self) -> usize {
        self.repeats.into()
    }
}

#[derive(Debug, Args)]
pub(crate) struct CodecLoopArgs {
    /// netCDF-4, HDF5 or classic netCDF; its stored values must fit in memory
    pub(crate) file: PathBuf,
    /// Keep the chunk shapes of the input
    #[arg(long)]
    keep_chunks: bool,
    /// Compression level, 0 for none [default: chosen by trial]
    #[arg(long, value_name = "N")]
    #[arg(value_parser = clap::value_parser!(u32).range(0..=22))]
    level: Option<u32>,
    /// Byte shuffle before compression
    #[arg(long, value_enum, default_value_t = Shuffle::Auto)]
    shuffle: Shuffle,
    /// Threads; 0 means one per available core
    #[arg(long, value_name = "N", default_value_t = 0)]
    #[arg(value_parser = clap::value_parser!(u16).range(0..=4096))]
    threads: u16,
    /// Timed rounds; medians are reported
    #[arg(long, value_name = "N", default_value_t = 5)]
    #[arg(value_parser = clap::value_parser!(u16).range(1..))]
    repeats: u16,
    /// Print one JSON document instead of text
    #[arg(long)]
    pub(crate) json: bool,
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

impl CodecLoopArgs {
    /// Timed rounds, at least 1.
    pub(crate) fn repeats(&self) -> usize {
        self.repeats.into()
    }

    /// The options with which `frazil pack` would do the same.
    pub(crate) fn options(&self) -> PackOptions {
        PackOptions {
            chunks: match self.keep_chunks {
                true => ChunkPolicy::Keep,
                false => ChunkPolicy::Auto,
            },
            level: self.level,
            shuffle: match self.shuffle {
                Shuffle::Auto => ShufflePolicy::Auto,
                Shuffle::On => ShufflePolicy::On,
                Shuffle::Off => ShufflePolicy::Off,
            },
            resources: Resources {
                threads: self.threads.into(),
                ..Resources::default()
            },
            ..PackOptions::default()
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn arguments_become_the_options_of_pack() {
        let words = "frazil-bench codec-loop a.nc --keep-chunks --level 4 --shuffle on --threads 3";
        let Command::CodecLoop(args) = Cli::try_parse_from(words.split(' ')).unwrap().command
        else {
            panic!("another command");
        };
        let options = args.options();
        assert_eq!(options.chunks, ChunkPolicy::Keep);
        assert_eq!(
            (options.level, options.shuffle),
            (Some(4), ShufflePolicy::On)
        );
        assert_eq!(
            (options.resources.threads, args.repeats(), args.json),
            (3, 5, false)
        );
        let words = ["frazil-bench", "quantize", "--json", "--repeats", "2"];
        let Command::Quantize(args) = Cli::try_parse_from(words).unwrap().command else {
            panic!("another command");
        };
        assert_eq!((args.repeats(), args.json), (2, true));
        let none = ["frazil-bench", "codec-loop", "a.nc", "--repeats", "0"];
        assert!(Cli::try_parse_from(none).is_err());
    }
}
