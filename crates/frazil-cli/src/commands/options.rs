//! `frazil options`.

use std::io;

use frazil::{DeclaredOption, OPTIONS, writer_options};

use super::Status;
use crate::{printer, text};

/// Lists options: those of writers for people, or all as JSON. With one of them: all about that one.
///
/// # Errors
/// Standard output's.
pub(crate) fn run(one: Option<&DeclaredOption>, is_json: bool) -> io::Result<Status> {
    let text = match (one, is_json) {
        (Some(option), true) => serde_json::to_string_pretty(option)? + "\n",
        (None, true) => serde_json::to_string_pretty(&OPTIONS[..])? + "\n",
        (Some(option), false) => page(option),
        (None, false) => writer_options()
            .map(|one| paragraph(one, text::screen_columns()))
            .collect(),
    };
    printer::data(&text)?;
    Ok(Status::Success)
}

/// What a list says of an option.
fn paragraph(option: &DeclaredOption, columns: usize) -> String {
    let variable = match option.of.environment {
        true => format!(" ({})", option.variable()),
        false => String::new(),
    };
    let values = format!("Values: {}. Default: {}.", option.allowed(), option.default);
    let [help, values] = [option.help, &values].map(|words| indented(words, columns));
    format!("{}{variable}\n{help}{values}", option.key)
}

/// All about an option.
fn page(option: &DeclaredOption) -> String {
    let columns = text::prose_columns();
    let words = option.values.words().iter();
    let words = words.map(|(word, meaning)| indented(&format!("- {word}: {meaning}."), columns));
    let unit = option.unsaid_unit().map(|unit| format!("Unit: {unit}. "));
    let rest = format!(
        "{}Option of {}. Since {}.",
        unit.unwrap_or_default(),
        option.of.names().join(", "),
        option.since
    );
    let details = match option.details {
        "" => String::new(),
        details => format!("\n{}", indented(details, columns)),
    };
    let (head, words) = (paragraph(option, columns), words.collect::<String>());
    format!("{head}{words}{details}\n{}", indented(&rest, columns))
}

fn indented(words: &str, columns: usize) -> String {
    text::wrapped(words, "    ", columns)
}
