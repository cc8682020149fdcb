//! The `frazil-bench` command: measurements that need frazil's inner rooms. Nothing depends on it.
//!
//! `codec-loop` times what packing cannot beat: every stored chunk, in memory already, decoded and
//! encoded by threads that share nothing but a counter. No reads, no gathering, no order, no
//! writes: the distance of `frazil pack` from it is what the rest of the engine costs.

#![forbid(unsafe_code)]

mod args;
mod codec_loop;
mod cut;
mod error;
mod input;
mod report;
#[cfg(test)]
mod tests;
mod work;

use std::process::ExitCode;

use clap::Parser;

use args::{Cli, Command};
use error::Error;

fn main() -> ExitCode {
    let Command::CodecLoop(args) = Cli::parse().command;
    let outcome =
        codec_loop::measure(&args.file, &args.options(), args.repeats()).and_then(|report| {
            if args.json {
                report.json()
            } else {
                Ok(report.text())
            }
        });
    print(&outcome);
    ExitCode::from(u8::from(outcome.is_err()))
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
