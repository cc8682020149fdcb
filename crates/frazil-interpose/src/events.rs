//! What is told to `frazil run`: one line of JSON for each event, in the file that it names.
//!
//! Programs close their standard error, fork and start others: each line is written at once, to the end
//! of the file. `frazil-cli/src/commands/run/events.rs` reads them.

use std::fs::OpenOptions;
use std::io::Write;

use serde_json::Value;

/// Names the file of the report; users of the drop-in library set it themselves.
pub const REPORT: &str = "FRAZIL_RUN_REPORT";

/// Writes one event of this process: an object, to which its name and the process are added.
pub fn tell(event: &str, mut what: Value) {
    let Some(path) = std::env::var_os(REPORT) else {
        return;
    };
    what["event"] = event.into();
    what["process"] = std::process::id().into();
    let line = format!("{what}\n");
    let file = OpenOptions::new().append(true).create(true).open(path);
    // Whoever asked for the report sees that it is not there; the program goes on.
    let _ = file.and_then(|mut file| file.write_all(line.as_bytes()));
}
