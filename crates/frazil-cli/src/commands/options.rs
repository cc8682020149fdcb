//! `frazil options`.

use std::io;

use frazil::{DeclaredOption, WRITER_OPTIONS};

use super::Status;
use crate::printer;

/// Lists the options of writers: for people, or as JSON.
///
/// # Errors
/// Standard output's.
pub(crate) fn run(is_json: bool) -> io::Result<Status> {
    let text = match is_json {
        true => serde_json::to_string_pretty(&WRITER_OPTIONS)? + "\n",
        false => WRITER_OPTIONS.iter().map(paragraph).collect(),
    };
    printer::data(&text)?;
    Ok(Status::Success)
}

fn paragraph(option: &DeclaredOption) -> String {
    let variable = match option.is_for_users {
        true => format!(" ({})", option.variable()),
        false => String::new(),
    };
    format!(
        "{}{variable}\n    {}\n    Values: {}. Default: {}.\n",
        option.key, option.help, option.values, option.default
    )
}
