//! The `frazil` command: reads the arguments, calls the crate `frazil`, and prints its reports.
//!
//! Exit codes: 0 done (for `verify`: equal), 1 a failure (for `verify`: different), 2 wrong usage
//! (for `verify` also: cannot compare), 128 and the number of the signal that stopped it: 130 for
//! Ctrl-C.

#![forbid(unsafe_code)]

mod abbreviations;
mod args;
mod chunks;
mod commands;
mod printer;
mod progress;
mod signals;
mod size;
mod table;
mod text;

use std::io;
use std::process::ExitCode;
use std::sync::Arc;
use std::sync::atomic::AtomicBool;

use args::{Cli, Command};
use commands::Status;
use printer::Printer;
use signals::Watched;

/// Of a report that could not be printed: files get their names before it.
const REPORT_LOST: &str = "only the report is lost: files that were finished before stay";

fn main() -> ExitCode {
    text::measure_screen();
    #[cfg(feature = "network")]
    frazil_remote::install();
    match args::parse(std::env::args_os()) {
        Ok(cli) => run(cli).unwrap_or_else(|error| {
            let code = frazil::ErrorCode::of_io_error(&error);
            let error = frazil::Error::new(code, error.to_string());
            Printer::default().error(&error.with_cure(REPORT_LOST));
            Status::Failure
        }),
        Err(usage) => printer::usage(&usage),
    }
    .into()
}

/// Runs one command. The error is standard output's, or that of catching signals.
fn run(cli: Cli) -> io::Result<Status> {
    let fault = frazil::environment_fault();
    for words in frazil::environment_warnings().into_iter().chain(fault) {
        Printer::default().warning(&words);
    }
    let cancel = Arc::new(AtomicBool::new(false));
    if let Some(Command::Run(args)) = &cli.command {
        // Signals are the program's.
        return commands::run(args);
    }
    let watched = match &cli.command {
        // These look at no flag, and leave nothing half done wherever they end.
        None
        | Some(
            Command::Calibrate(_)
            | Command::Recover(_)
            | Command::PluginPath
            | Command::Options { .. }
            | Command::Man { .. }
            | Command::Completions { .. },
        ) => Watched::Process,
        Some(_) => Watched::Work(Arc::clone(&cancel)),
    };
    signals::watch(watched, || Printer::default().ended())?;
    match cli.command {
        None => commands::version(cli.all),
        Some(Command::Pack(args)) => commands::pack(&args, &cancel),
        Some(Command::Plan(args)) => commands::plan(&args, &cancel),
        Some(Command::Calibrate(args)) => commands::calibrate(&args),
        Some(Command::Train(args)) => commands::train(&args, &cancel),
        Some(Command::Unpack(args)) => commands::unpack(&args, &cancel),
        Some(Command::Info(args)) => commands::info(&args, &cancel),
        Some(Command::Refs(args)) => commands::refs(&args, &cancel),
        Some(Command::Analyze(args)) => commands::analyze(&args, &cancel),
        Some(Command::Run(args)) => commands::run(&args),
        Some(Command::Verify(args)) => commands::verify(&args, &cancel),
        Some(Command::Recover(args)) => commands::recover(&args),
        Some(Command::Synth(args)) => commands::synth(&args, &cancel),
        Some(Command::Import(args)) => commands::import(&args, &cancel),
        Some(Command::Options { key, json }) => commands::options(key, json),
        Some(Command::Man { folder }) => commands::man(&folder),
        Some(Command::PluginPath) => commands::plugin_path(),
        Some(Command::Completions { shell }) => commands::completions(shell),
    }
}
