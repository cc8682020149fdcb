//! What the processes of a run have told: a line of JSON for each event.
//!
//! `frazil-interpose` writes them for the libraries that are preloaded.

use std::collections::HashMap;
use std::fs::File;
use std::io::{self, BufRead, BufReader};
use std::os::unix::fs::MetadataExt;
use std::path::{Path, PathBuf};

use serde::{Deserialize, Serialize};

use super::datasets::{DatasetEvent, Datasets};

/// One event, as it is written.
#[derive(Debug, Deserialize)]
struct Event {
    event: String,
    process: u32,
    #[serde(default)]
    program: String,
    #[serde(default)]
    path: String,
    why: Option<String>,
    error: Option<String>,
    /// Folder, device and number of a closed file.
    known_by: Option<KnownBy>,
    #[serde(flatten)]
    amounts: Amounts,
    #[serde(flatten)]
    told: DatasetEvent,
}

type KnownBy = (PathBuf, u64, u64);

/// How much was written, and how long that took.
#[derive(Debug, Clone, Copy, Default, Deserialize, Serialize)]
#[serde(default)]
pub(super) struct Amounts {
    pub(super) raw_bytes: u64,
    pub(super) stored_bytes: u64,
    pub(super) waited_seconds: f64,
    pub(super) hidden_seconds: f64,
    /// Variables that rules leave exact because a model starts from the file again.
    pub(super) kept_exact: u64,
}

/// What became of a file.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize)]
#[serde(rename_all = "snake_case")]
pub(super) enum Fate {
    /// Frazil has written it.
    Written,
    /// Frazil has opened it to write on; the program wrote nothing.
    Unchanged,
    /// Frazil could not write it.
    Failed,
    /// Its process ended without closing it: it is at its last commit.
    Unclosed,
    /// As above, and all that the program did with it is in that commit.
    LeftWhole,
    /// The program has dropped it.
    Aborted,
    /// The program's own library got it back.
    GivenBack,
    /// It was never taken.
    NotTaken,
    /// Frazil has read it.
    Read,
    /// Frazil has read it, and then the program's own library.
    ReadInPart,
    /// The program's own library has read it.
    NotRead,
}

/// A file that a process created or opened.
#[derive(Debug, Serialize)]
pub(super) struct WrittenFile {
    pub(super) process: u32,
    /// Its name when the program had ended.
    pub(super) path: String,
    /// The name that it was written under, if the program has renamed it since.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub(super) written_as: Option<String>,
    #[serde(skip)]
    known_by: Option<KnownBy>,
    pub(super) fate: Fate,
    /// Why it was not taken or given back, or the error.
    pub(super) why: Option<String>,
    /// Calls that failed for what frazil does not serve.
    pub(super) refused: Vec<String>,
    #[serde(flatten)]
    pub(super) amounts: Amounts,
}

impl WrittenFile {
    /// Finds the name that the program has given the file since, in the same folder: many write under a
    /// temporary name first.
    fn follow(&mut self) {
        let Some((folder, device, number)) = &self.known_by else {
            return;
        };
        let name = Path::new(&self.path).file_name().unwrap_or_default();
        let is_it = |path: &Path| {
            let found = path.symlink_metadata();
            found.is_ok_and(|found| (found.dev(), found.ino()) == (*device, *number))
        };
        if is_it(&folder.join(name)) {
            return;
        }
        let mut entries = std::fs::read_dir(folder).into_iter().flatten().flatten();
        if let Some(entry) = entries.find(|entry| is_it(&entry.path())) {
            let path = Path::new(&self.path).with_file_name(entry.file_name());
            let path = path.to_string_lossy().into_owned();
            self.written_as = Some(std::mem::replace(&mut self.path, path));
        }
    }
}

/// A process that called netCDF.
#[derive(Debug, Serialize)]
pub(super) struct Process {
    pub(super) process: u32,
    pub(super) program: String,
}

/// A process whose deflate was replaced.
#[derive(Debug, Serialize)]
pub(super) struct Deflated {
    pub(super) process: u32,
    pub(super) raw_bytes: u64,
    pub(super) stored_bytes: u64,
}

/// All of a run.
#[derive(Debug, Default, Serialize)]
pub(super) struct Report {
    pub(super) processes: Vec<Process>,
    pub(super) files: Vec<WrittenFile>,
    /// What deflate was given and gave, by process.
    pub(super) deflated: Vec<Deflated>,
    /// What programs wrote through HDF5 itself.
    #[serde(flatten)]
    pub(super) hdf5: Datasets,
    /// The places in `files` by what files are known by.
    #[serde(skip)]
    known: HashMap<KnownBy, usize>,
}

impl Report {
    /// Reads what was told.
    ///
    /// # Errors
    /// The operating system's.
    pub(super) fn read(path: &Path) -> io::Result<Self> {
        let mut report = Self::default();
        for line in BufReader::new(File::open(path)?).lines() {
            report.add(&line?);
        }
        report.files.iter_mut().for_each(WrittenFile::follow);
        Ok(report)
    }

    #[cfg(test)]
    pub(super) fn of_lines(lines: &str) -> Self {
        let mut report = Self::default();
        lines.lines().for_each(|line| report.add(line));
        report
    }

    /// A line that a killed process left half written says nothing.
    fn add(&mut self, line: &str) {
        let Ok(event) = serde_json::from_str::<Event>(line) else {
            return;
        };
        match event.event.as_str() {
            "process" => self.processes.push(Process {
                process: event.process,
                program: event.program,
            }),
            "taken" => self.begin(event, Fate::Unclosed),
            "codec" => self.deflated.push(Deflated {
                process: event.process,
                raw_bytes: event.amounts.raw_bytes,
                stored_bytes: event.amounts.stored_bytes,
            }),
            "dataset" => self.hdf5.begin(event.process, event.path, event.told),
            "dataset_done" => {
                let amounts = (event.amounts.raw_bytes, event.amounts.stored_bytes);
                let which = (event.process, event.path.as_str(), event.told);
                self.hdf5.end(which, amounts, event.why);
            }
            "few_bytes" => self.hdf5.small_writes(event.process, &event.told),
            "passed" => self.begin(event, Fate::NotTaken),
            "read" => self.begin_once(event, Fate::Read),
            "unread" => self.begin_once(event, Fate::NotRead),
            "read_back" => self.end_reading(event),
            "refused" => {
                let why = event.why.clone().unwrap_or_default();
                self.of(&event).refused.push(why);
            }
            "committed" => self.of(&event).fate = Fate::LeftWhole,
            "changed" => self.of(&event).fate = Fate::Unclosed,
            "returned" => self.end(event, Fate::GivenBack),
            "aborted" => self.end(event, Fate::Aborted),
            "unchanged" => self.end(event, Fate::Unchanged),
            "closed" => {
                let fate = match &event.error {
                    Some(_) => Fate::Failed,
                    None => Fate::Written,
                };
                self.end(event, fate);
            }
            _ => {}
        }
    }

    fn begin(&mut self, event: Event, fate: Fate) {
        self.files.push(WrittenFile {
            process: event.process,
            path: event.path,
            written_as: None,
            known_by: None,
            fate,
            why: event.why,
            refused: Vec::new(),
            amounts: event.amounts,
        });
    }

    /// A file that is read again and again is told of once.
    fn begin_once(&mut self, event: Event, fate: Fate) {
        let is_this = |file: &WrittenFile| {
            file.process == event.process && file.path == event.path && file.fate == fate
        };
        if !self.files.iter().any(is_this) {
            self.begin(event, fate);
        }
    }

    fn end_reading(&mut self, event: Event) {
        let is_this = |file: &&mut WrittenFile| {
            let is_read = file.fate == Fate::Read;
            is_read && file.process == event.process && file.path == event.path
        };
        if let Some(file) = self.files.iter_mut().rev().find(is_this) {
            file.fate = Fate::ReadInPart;
            file.why = event.why;
        }
    }

    fn end(&mut self, event: Event, fate: Fate) {
        let place = self.place_of(&event);
        if let Some(known_by) = &event.known_by
            && let Some(earlier) = self.known.insert(known_by.clone(), place)
            && self.files[earlier].path != event.path
        {
            // That file was replaced or removed since, and its number serves again.
            self.files[earlier].known_by = None;
        }
        let file = &mut self.files[place];
        file.fate = fate;
        file.amounts = event.amounts;
        file.known_by = event.known_by;
        file.why = event.error.or(event.why);
    }

    fn of(&mut self, event: &Event) -> &mut WrittenFile {
        let place = self.place_of(event);
        &mut self.files[place]
    }

    /// The place of an event's open file.
    fn place_of(&mut self, event: &Event) -> usize {
        let is_open = |fate: Fate| matches!(fate, Fate::Unclosed | Fate::LeftWhole);
        let open = self.files.iter().rposition(|file| {
            file.process == event.process && file.path == event.path && is_open(file.fate)
        });
        open.unwrap_or_else(|| {
            self.files.push(WrittenFile {
                process: event.process,
                path: event.path.clone(),
                written_as: None,
                known_by: None,
                fate: Fate::Unclosed,
                why: None,
                refused: Vec::new(),
                amounts: Amounts::default(),
            });
            self.files.len() - 1
        })
    }

    /// Whether a file is not what the program believes.
    pub(super) fn has_failures(&self) -> bool {
        let failed = [Fate::Failed, Fate::Unclosed];
        (self.files.iter()).any(|file| failed.contains(&file.fate) || !file.refused.is_empty())
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_file_that_was_renamed_since_is_told_by_its_new_name() {
        let folder = tempfile::tempdir().unwrap();
        let (written, renamed) = (folder.path().join("out.tmp"), folder.path().join("out.nc"));
        std::fs::write(&written, "data").unwrap();
        let found = written.metadata().unwrap();
        let closed = serde_json::json!({
            "event": "closed", "process": 1, "path": "sub/out.tmp",
            "known_by": [folder.path(), found.dev(), found.ino()],
        });
        std::fs::rename(&written, &renamed).unwrap();
        let mut report = Report::of_lines(&closed.to_string());
        report.files[0].follow();
        assert_eq!(report.files[0].path, "sub/out.nc");
        assert_eq!(report.files[0].written_as.as_deref(), Some("sub/out.tmp"));
    }

    #[test]
    fn a_file_that_was_replaced_is_not_told_by_the_name_of_one_that_got_its_number() {
        let folder = tempfile::tempdir().unwrap();
        let next = folder.path().join("next.nc");
        std::fs::write(&next, "data").unwrap();
        let found = next.metadata().unwrap();
        let closed = |path| {
            let event = serde_json::json!({
                "event": "closed", "process": 1, "path": path,
                "known_by": [folder.path(), found.dev(), found.ino()],
            });
            event.to_string()
        };
        let mut report = Report::of_lines(&[closed("out.nc"), closed("next.nc")].join("\n"));
        report.files.iter_mut().for_each(WrittenFile::follow);
        let paths: Vec<&str> = (report.files.iter()).map(|file| &*file.path).collect();
        assert_eq!(paths, ["out.nc", "next.nc"]);
    }

    #[test]
    fn events_of_processes_that_write_files_of_one_name_are_told_apart() {
        let report = Report::of_lines(
            r#"{"event":"process","process":1,"program":"a.out"}
{"event":"taken","process":1,"path":"a.nc"}
{"event":"taken","process":2,"path":"a.nc"}
{"event":"closed","process":2,"path":"a.nc","raw_bytes":10,"stored_bytes":5,"error":null}
{"event":"passed","process":2,"path":"b.nc","why":"classic"}
{"event":"committed","process":1,"path":"a.nc"}
{"event":"changed","process":1,"path":"a.nc"}
{"event":"tak"#,
        );
        let fates: Vec<Fate> = report.files.iter().map(|file| file.fate).collect();
        assert_eq!(fates, [Fate::Unclosed, Fate::Written, Fate::NotTaken]);
        assert_eq!(report.files[1].amounts.raw_bytes, 10);
        assert!(report.has_failures());
        assert_eq!(report.processes.len(), 1);
    }
}
