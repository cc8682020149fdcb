//! The only place that writes to standard output and standard error.
//!
//! Standard output carries data: tables and JSON. Everything said to the user goes to standard
//! error, and a failure to say it is not a failure of the work. Nothing leaves here that a terminal
//! obeys, whatever a file calls its objects.

use std::borrow::Cow;
use std::io::{self, ErrorKind, IsTerminal, Write};

use serde::Serialize;

use crate::args::OutputArgs;
use crate::commands::Status;
use crate::text;

/// Writes data and messages as far as the user wants them.
#[derive(Debug, Clone, Copy, Default)]
pub(crate) struct Printer {
    json: bool,
    quiet: bool,
}

impl Printer {
    /// A printer that obeys `--json` and `--quiet`.
    pub(crate) fn new(output: OutputArgs) -> Self {
        Self {
            json: output.json,
            quiet: output.quiet,
        }
    }

    /// Whether tables are wanted.
    pub(crate) fn shows_tables(self) -> bool {
        !self.json && !self.quiet
    }

    /// Writes a table or the like to standard output, unless JSON or silence is wanted.
    ///
    /// # Errors
    /// Standard output's, except that its reader has gone.
    pub(crate) fn table(self, text: &str) -> io::Result<()> {
        match self.shows_tables() {
            true => data(&text::fitted(text, text::screen_columns())),
            false => Ok(()),
        }
    }

    /// Writes `document` to standard output if JSON is wanted.
    ///
    /// # Errors
    /// As [`Printer::table`]; or a value that JSON cannot hold.
    pub(crate) fn json(self, document: &impl Serialize) -> io::Result<()> {
        if !self.json {
            return Ok(());
        }
        let mut text = serde_json::to_string_pretty(document)?;
        text.push('\n');
        write(&text::json(&text))
    }

    /// Writes `record` to standard output as one line of JSON.
    ///
    /// # Errors
    /// As [`Printer::json`].
    pub(crate) fn json_line(self, record: &impl Serialize) -> io::Result<()> {
        let mut text = serde_json::to_string(record)?;
        text.push('\n');
        write(&text::json(&text))
    }

    /// Says something the user should know, unless silence is wanted.
    pub(crate) fn note(self, line: &str) {
        if !self.quiet {
            say(&format!("frazil: note: {}\n", text::plain(line)));
        }
    }

    /// Shows what was done beside standard output, which is another program's, unless silence is wanted.
    pub(crate) fn summary(self, text: &str) {
        if !self.quiet {
            say(text);
        }
    }

    /// Says what failed, where, and what to do about it.
    pub(crate) fn error(self, error: &frazil::Error) {
        let mut message = format!(
            "frazil: error: {} [{}]\n",
            text::plain(&error.to_string()),
            code_name(error)
        );
        if let Some(cure) = &error.cure {
            message.push_str(&format!("  hint: {}\n", text::plain(cure)));
        }
        say(&message);
    }

    /// Says what the user can hardly mean.
    pub(crate) fn warning(self, message: &str) {
        say(&format!("frazil: warning: {}\n", text::plain(message)));
    }

    /// Says what failed where the facade has no part in it.
    pub(crate) fn trouble(self, message: &str) {
        say(&format!("frazil: error: {}\n", text::plain(message)));
    }

    /// Says that the user's request to stop was obeyed, and how many results were whole by then.
    pub(crate) fn interrupted(self, finished: usize) {
        let kept = match finished {
            0 => String::new(),
            _ => format!(
                " of the unfinished work; {} done before",
                text::count(finished as u64, "file")
            ),
        };
        say(&format!(
            "frazil: interrupted; nothing was left behind{kept}\n"
        ));
    }
}

impl Printer {
    /// Says that the process ends in the middle of its work: results that were whole before stay.
    pub(crate) fn ended(self) {
        // The bar of the work is still on the terminal, and the cursor behind it.
        let begin = match io::stderr().is_terminal() {
            true => "\n",
            false => "",
        };
        say(&format!(
            "{begin}frazil: interrupted; nothing was left behind of the unfinished work\n"
        ));
    }
}

/// The name of an error's code, `missing_filter`.
pub(crate) fn code_name(error: &frazil::Error) -> String {
    match serde_json::to_value(error.code) {
        Ok(serde_json::Value::String(name)) => name,
        _ => format!("{}", error.code.number()),
    }
}

/// Writes to standard output. A reader that has gone (`frazil info ... | head`) is no error.
///
/// # Errors
/// Any other of standard output's.
pub(crate) fn data(text: &str) -> io::Result<()> {
    write(&text::page(text))
}

/// As [`data`], for a JSON document.
///
/// # Errors
/// As [`data`].
pub(crate) fn json_data(document: &str) -> io::Result<()> {
    write(&text::json(document))
}

fn write(text: &str) -> io::Result<()> {
    let mut stdout = io::stdout().lock();
    let written = stdout
        .write_all(text.as_bytes())
        .and_then(|()| stdout.flush());
    match written {
        Err(error) if error.kind() == ErrorKind::BrokenPipe => Ok(()),
        Err(error) => Err(io::Error::new(
            error.kind(),
            format!("standard output: {error}"),
        )),
        Ok(()) => Ok(()),
    }
}

/// Prints clap's answer: help on standard output, usage errors on standard error.
pub(crate) fn usage(error: &clap::Error) -> Status {
    let message = error.to_string();
    let is_help = error.exit_code() == 0;
    // Clap wraps help, and no errors.
    let fits = is_help
        || matches!(
            text::fitted(&message, text::columns_of(&io::stderr())),
            Cow::Borrowed(_)
        );
    match text::page(&message) {
        // Clap has colours for a terminal. Nowhere is left to report a failure of this.
        Cow::Borrowed(_) if fits => drop(error.print()),
        // A word of the command line, perhaps by a wildcard, is a file's name.
        message => say(&message),
    }
    match is_help {
        true => Status::Success,
        false => Status::Trouble,
    }
}

/// Writes to standard error in one piece, so that lines of parallel runs do not mix.
fn say(message: &str) {
    let stderr = io::stderr();
    let message = text::page(message);
    let message = text::fitted(&message, text::columns_of(&stderr));
    let _ = stderr.lock().write_all(message.as_bytes());
}
