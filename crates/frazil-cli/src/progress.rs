//! Progress on standard error: a bar on a terminal, nothing in a pipe.

use std::io::IsTerminal;
use std::path::Path;
use std::time::Duration;

use frazil::Progress;
use indicatif::{ProgressBar, ProgressDrawTarget, ProgressStyle};

use crate::printer::Printer;
use crate::text;

/// Columns for the name of the file.
const NAME_COLUMNS: usize = 24;
/// How often the bar is drawn while nothing advances.
const TICK: Duration = Duration::from_millis(200);
/// The bar of a stage of known length.
const BAR: &str = "{prefix} {msg:6} [{wide_bar}] {binary_bytes}/{binary_total_bytes} \
                   {binary_bytes_per_sec}, {eta} left";
/// The bar of a stage that is counted in steps, which take unequal times.
const STEPS: &str = "{prefix} {msg:6} [{wide_bar}] {pos} of {len}";
/// A stage of unknown length.
const SPINNER: &str = "{prefix} {msg:6} {spinner} {binary_bytes} {binary_bytes_per_sec}";

/// Shows the stages of one operation on one file; the bar goes away with it.
#[derive(Debug)]
pub(crate) struct Meter {
    printer: Printer,
    name: String,
    bar: ProgressBar,
    said: Vec<String>,
}

impl Meter {
    /// A meter for the work on `path`.
    pub(crate) fn new(printer: Printer, path: &Path) -> Self {
        let file_name = path.file_name().unwrap_or(path.as_os_str());
        let name = text::path(Path::new(file_name));
        Self {
            printer,
            name: text::shorten(&name, NAME_COLUMNS).into_owned(),
            bar: ProgressBar::hidden(),
            said: Vec::new(),
        }
    }

    /// Says those of a report's `notices` that were not said while the work went on.
    pub(crate) fn rest_of(self, notices: &[String]) {
        self.bar.finish_and_clear();
        for line in notices.iter().filter(|line| !self.said.contains(line)) {
            self.printer.note(line);
        }
    }

    /// Begins a bar on a terminal.
    fn show(&mut self, name: &str, template: &str, length: Option<u64>) {
        self.bar.finish_and_clear();
        if !self.printer.shows_tables() || !std::io::stderr().is_terminal() {
            return;
        }
        let style = ProgressStyle::with_template(template)
            .unwrap_or_else(|_| ProgressStyle::default_bar())
            .progress_chars("=> ");
        self.bar = ProgressBar::with_draw_target(length, ProgressDrawTarget::stderr())
            .with_style(style)
            .with_prefix(self.name.clone())
            .with_message(text::plain(name).into_owned());
        self.bar.enable_steady_tick(TICK);
    }
}

impl Progress for Meter {
    fn stage(&mut self, name: &str, total_bytes: u64) {
        match total_bytes {
            0 => self.show(name, SPINNER, None),
            bytes => self.show(name, BAR, Some(bytes)),
        }
    }

    fn steps(&mut self, name: &str, count: u64) {
        self.show(name, STEPS, Some(count));
    }

    fn advance(&mut self, bytes: u64) {
        self.bar.inc(bytes);
    }

    fn notice(&mut self, line: &str) {
        self.bar.suspend(|| self.printer.note(line));
        self.said.push(line.to_owned());
    }
}

impl Drop for Meter {
    fn drop(&mut self) {
        self.bar.finish_and_clear();
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_templates_are_understood() {
        assert!(ProgressStyle::with_template(BAR).is_ok());
        assert!(ProgressStyle::with_template(STEPS).is_ok());
        assert!(ProgressStyle::with_template(SPINNER).is_ok());
    }
}
