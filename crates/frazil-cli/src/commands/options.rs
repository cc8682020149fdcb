//! `frazil options`.

use std::io;

use frazil::{DeclaredOption, OPTIONS, writer_options};

use super::Status;
use crate::{printer, text};

/// Lists options: those of writers for people, or all as JSON.
///
/// # Errors
/// Standard output's.
pub(crate) fn run(is_json: bool) -> io::Result<Status> {
    let text = match is_json {
        true => serde_json::to_string_pretty(&OPTIONS[..])? + "\n",
        false => writer_options().map(paragraph).collect(),
    };
    printer::data(&text)?;
    Ok(Status::Success)
}

fn paragraph(option: &DeclaredOption) -> String {
    let variable = match option.of.environment {
        true => format!(" ({})", option.variable()),
        false => String::new(),
    };
    let values = format!("Values: {}. Default: {}.", option.values, option.default);
    let [help, values] = [option.help, values.as_str()]
        .map(|words| text::wrapped(words, "    ", text::screen_columns()));
    format!("{}{variable}\n{help}{values}", option.key)
}
