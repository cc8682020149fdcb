//! The `frazil-bench` command: measurements that need frazil's internal crates. Nothing depends on
//! it.
//!
//! `codec-loop` times the lower limit of packing: threads that share only a counter decode and
//! encode every stored chunk, from memory. It does not read, gather, order or write. The difference
//! from `frazil pack` is the cost of the rest of the engine.
//!
//! `quantize` times the rounding kernels and the error check, on one core and on a generated field.
//!
//! `read` times the reader: a whole variable, random boxes, maps and series.
//!
//! `open` times opening: many files, by one thread and by many.

#![forbid(unsafe_code)]

mod args;
mod codec_loop;
mod cut;
mod error;
mod input;
mod open;
mod quantize;
mod read;
mod report;
#[cfg(test)]
mod tests;
mod work;

use std::process::ExitCode;

use clap::Parser;

use args::{Cli, CodecLoopArgs, Command, OpenArgs, QuantizeArgs, ReadArgs};
use error::Error;

fn main() -> ExitCode {
    let outcome = match Cli::parse().command {
        Command::CodecLoop(args) => codec_loop(&args),
        Command::Quantize(args) => quantize(&args),
        Command::Read(args) => read(&args),
        Command::Open(args) => open(&args),
    };
    print(&outcome);
    ExitCode::from(u8::from(outcome.is_err()))
}

fn codec_loop(args: &CodecLoopArgs) -> Result<String, Error> {
    let report = codec_loop::measure(&args.file, &args.options(), args.repeats())?;
    match args.json {
        true => report.json(),
        false => Ok(report.text()),
    }
}

fn quantize(args: &QuantizeArgs) -> Result<String, Error> {
    let report = quantize::measure(args.repeats())?;
    match args.json {
        true => report.json(),
        false => Ok(report.text()),
    }
}

fn read(args: &ReadArgs) -> Result<String, Error> {
    let report = read::measure(&args.file, &args.variable, args.threads(), args.repeats())?;
    match args.json {
        true => report.json(),
        false => Ok(report.text()),
    }
}

fn open(args: &OpenArgs) -> Result<String, Error> {
    let report = open::measure(&args.files, &args.threads, args.rounds())?;
    match args.json {
        true => report.json(),
        false => Ok(report.text()),
    }
}

/// The only place that prints: results to standard output, errors to standard error.
#[expect(
    clippy::print_stdout,
    clippy::print_stderr,
    reason = "this is the command's printer"
)]
fn print(outcome: &Result<String, Error>) {
    match outcome {
        Ok(text) => println!("{text}"),
        Err(error) => eprintln!("frazil-bench: error: {error}"),
    }
}
