//! `frazil run`: a program that nobody rebuilds, with frazil's library before its own.

mod datasets;
mod events;
mod executable;
mod libraries;
mod signals;
mod summary;

use std::env;
use std::ffi::{OsStr, OsString};
use std::io;
use std::os::unix::process::ExitStatusExt;
use std::path::Path;
use std::process::{Child, Command, ExitStatus};

use frazil::{Error, ErrorCode, VariableRule, WriterOptions};
use tempfile::NamedTempFile;

use self::events::Report;
use self::libraries::Libraries;
use super::Status;
use super::pack::no_rules;
use crate::args::{Level, OutputArgs, RunArgs};
use crate::printer::Printer;

/// The list of options for programs that others wrote.
const OPTIONS: &str = "FRAZIL_OPTIONS";
/// Stated as `1` for `--compress`.
const COMPRESS: &str = "FRAZIL_RUN_COMPRESS";
/// What the linker loads before everything else.
const PRELOAD: &str = "LD_PRELOAD";

/// Runs the program, and says afterwards what became of its files.
///
/// # Errors
/// The operating system's, for the file of the report.
pub(crate) fn run(args: &RunArgs) -> io::Result<Status> {
    let printer = Printer::new(OutputArgs {
        json: false,
        quiet: args.quiet,
    });
    if args.states_too_much() {
        let cause = "--level hdf5 and --level codec leave files as the program writes them: options of writers (at \
             --level hdf5 all but --threads), --compress, --choose-chunks, --commit-behind and --parallel-files are \
             for --level engine";
        printer.error(&Error::new(ErrorCode::InvalidArgument, cause));
        return Ok(Status::Trouble);
    }
    let rules = written(&args.precision.rules)?;
    let flags = with_rules(&args.options.0, rules.as_ref());
    let mut options = WriterOptions::default();
    for (key, value) in &flags {
        if let Err(error) = options.set(key, value) {
            printer.error(&match *key {
                "precision" => no_rules(error),
                _ => error,
            });
            return Ok(Status::Trouble);
        }
    }
    if args.level == Level::Engine && !compresses(args) && states_filters(&options) {
        printer.warning(
            "filters are stated, but `frazil run` compresses only the variables that the program \
             compresses: add --compress (or FRAZIL_RUN_COMPRESS=1) for the others",
        );
    }
    let Some((name, arguments)) = args.program.split_first() else {
        return Ok(Status::Trouble);
    };
    let checked = executable::find(name)
        .and_then(|program| executable::check(&program).map(|()| program))
        .and_then(|program| Ok((program, Libraries::find(args.level)?)));
    let (program, libraries) = match checked {
        Ok(found) => found,
        Err(error) => {
            printer.error(&error);
            return Ok(Status::Trouble);
        }
    };
    // Before the program runs: its report must not be lost for a name.
    if let Some(path) = &args.report
        && let Err(error) = frazil::write_text(path, "")
    {
        printer.error(&error);
        return Ok(Status::Trouble);
    }
    let events = NamedTempFile::with_prefix("frazil-run-")?;
    let mut command = Command::new(&program);
    command.args(arguments);
    prepare(&mut command, (args, &flags), &libraries, events.path());
    let ended = match command.spawn() {
        Ok(child) => wait(child)?,
        Err(error) => {
            printer.error(&Error::io(&error, "run", &program));
            return Ok(Status::Trouble);
        }
    };
    let report = Report::read(events.path())?;
    printer.summary(&summary::text(&report, args.level));
    if let Some(path) = &args.report {
        let text = serde_json::to_string_pretty(&report)? + "\n";
        if let Err(error) = frazil::write_text(path, text) {
            printer.error(&error);
            return Ok(Status::Failure);
        }
    }
    Ok(status_of(ended, &report))
}

/// Whether variables are compressed for which the program does not ask it.
fn compresses(args: &RunArgs) -> bool {
    args.compress || env::var_os(COMPRESS).is_some_and(|value| value == "1")
}

/// Whether the user says by which filters; `flags` are the options of the command line.
fn states_filters(flags: &WriterOptions) -> bool {
    flags.filters.is_some()
        || WriterOptions::from_environment().is_ok_and(|stated| stated.filters.is_some())
}

/// The environment that the program and all that it starts get.
fn prepare(
    command: &mut Command,
    (args, options): (&RunArgs, &[(&str, String)]),
    libraries: &Libraries,
    events: &Path,
) {
    command.env(PRELOAD, before(&libraries.preload, env::var_os(PRELOAD)));
    command.env("FRAZIL_RUN_LIBRARY", &libraries.frazil);
    command.env("FRAZIL_RUN_REPORT", events);
    if args.level == Level::Hdf5 {
        command.env("FRAZIL_RUN_THREADS", threads(options).to_string());
    }
    // What the environment states stays: the flags are other words for it.
    let flags = [
        (COMPRESS, args.compress),
        ("FRAZIL_RUN_CHUNKS", args.choose_chunks),
        ("FRAZIL_RUN_WRITE_ONLY", args.write_only),
        ("FRAZIL_RUN_COMMIT_BEHIND", args.commit_behind),
        ("FRAZIL_RUN_PARALLEL_FILES", args.parallel_files),
    ];
    for (name, _) in flags.iter().filter(|(_, is_set)| *is_set) {
        command.env(name, "1");
    }
    let stated = env::var(OPTIONS).unwrap_or_default();
    if let Some(list) = listed(&stated, options) {
        command.env(OPTIONS, list);
    }
}

/// The rules of the command line as a file, which lasts as long as the program runs.
fn written(rules: &[VariableRule]) -> io::Result<Option<NamedTempFile>> {
    if rules.is_empty() {
        return Ok(None);
    }
    let file = tempfile::Builder::new()
        .prefix("frazil-run-")
        .suffix(".toml")
        .tempfile()?;
    frazil::write_precision(file.path(), rules).map_err(io::Error::other)?;
    Ok(Some(file))
}

/// Options of writers, behind them rules: these override those of a file that is among the options.
fn with_rules(
    options: &[(&'static str, String)],
    rules: Option<&NamedTempFile>,
) -> Vec<(&'static str, String)> {
    let rules = rules.map(|file| ("precision", file.path().to_string_lossy().into_owned()));
    options.iter().cloned().chain(rules).collect()
}

/// Packing threads as the flags or the environment state them; 0: one for each core.
fn threads(flags: &[(&str, String)]) -> usize {
    let mut options = WriterOptions::from_environment().unwrap_or_default();
    for (key, value) in flags.iter().filter(|(key, _)| *key == "threads") {
        // The flags were looked at before.
        let _ = options.set(key, value);
    }
    options.resources.threads
}

/// The list of what the environment states and of the flags, which come last and hold.
fn listed(stated: &str, flags: &[(&str, String)]) -> Option<String> {
    if flags.is_empty() {
        return None;
    }
    let stated = match stated.contains(';') {
        true => stated.to_owned(),
        false => stated.replace(',', ";"),
    };
    let flags = flags.iter().map(|(key, value)| format!("{key}={value};"));
    Some(format!("{stated};{}", flags.collect::<String>()))
}

/// Our library, and behind it what was to be loaded already.
fn before(library: &Path, others: Option<OsString>) -> OsString {
    let mut list = library.as_os_str().to_owned();
    if let Some(others) = others.filter(|others| !others.is_empty()) {
        list.push(OsStr::new(":"));
        list.push(others);
    }
    list
}

/// Waits for the program; signals that ask this one to end are the program's.
fn wait(mut child: Child) -> io::Result<ExitStatus> {
    signals::hand_on(child.id())?;
    child.wait()
}

/// The program's own status; 1 where it saw no error and a file has one.
fn status_of(ended: ExitStatus, report: &Report) -> Status {
    let code = ended
        .code()
        .unwrap_or_else(|| 128 + ended.signal().unwrap_or(0));
    match u8::try_from(code).unwrap_or(1) {
        0 if report.has_failures() => Status::Failure,
        code => Status::OfProgram(code),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn flags_come_behind_what_the_environment_states() {
        let flags = [("reads", "map,series".to_owned())];
        let list = listed("goal=size,threads=2", &flags).unwrap();
        assert_eq!(list, "goal=size;threads=2;reads=map,series;");
        assert_eq!(listed("", &flags).unwrap(), ";reads=map,series;");
        assert_eq!(listed("goal=size", &[]), None);
    }

    #[test]
    fn other_preloaded_libraries_stay() {
        let ours = Path::new("/a/b.so");
        assert_eq!(before(ours, None), "/a/b.so");
        assert_eq!(
            before(ours, Some("/c.so /d.so".into())),
            "/a/b.so:/c.so /d.so"
        );
    }

    #[test]
    fn a_failed_file_is_a_failure_unless_the_program_says_more() {
        let failed = Report::of_lines(r#"{"event":"closed","process":1,"path":"a","error":"no"}"#);
        let ended = |code: i32| ExitStatus::from_raw(code << 8);
        assert_eq!(status_of(ended(0), &failed), Status::Failure);
        assert_eq!(status_of(ended(3), &failed), Status::OfProgram(3));
        assert_eq!(
            status_of(ended(0), &Report::default()),
            Status::OfProgram(0)
        );
        let killed = ExitStatus::from_raw(9);
        assert_eq!(
            status_of(killed, &Report::default()),
            Status::OfProgram(137)
        );
    }
}
