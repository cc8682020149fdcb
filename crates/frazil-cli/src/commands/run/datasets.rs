//! Datasets of programs that use HDF5 themselves: what `frazil-preload-hdf5` has told of them.

use std::collections::BTreeMap;

use frazil::size::human;
use serde::{Deserialize, Serialize};

use crate::text;

/// So many datasets are reported one by one.
const MOST_LINES: usize = 20;
/// Who writes what frazil does not.
const OWN: &str = "the program's own HDF5 library";

/// What an event says of a dataset, beside what all events say.
#[derive(Debug, Default, Deserialize)]
#[serde(default)]
pub(super) struct DatasetEvent {
    dataset: String,
    /// Calls that were left, by the reason.
    left: BTreeMap<String, u64>,
    /// Calls that wrote little.
    writes: u64,
}

/// A dataset that a process has written.
#[derive(Debug, Serialize)]
pub(super) struct Dataset {
    process: u32,
    path: String,
    dataset: String,
    /// Whether the process has said how much it wrote: one that is killed does not.
    is_counted: bool,
    raw_bytes: u64,
    stored_bytes: u64,
    /// Why all calls were left.
    why: Option<String>,
    left: BTreeMap<String, u64>,
}

/// Calls of a process that wrote too little to be looked at.
#[derive(Debug, Serialize)]
pub(super) struct SmallWrites {
    process: u32,
    writes: u64,
}

/// All of a run.
#[derive(Debug, Default, Serialize)]
pub(super) struct Datasets {
    datasets: Vec<Dataset>,
    small_writes: Vec<SmallWrites>,
}

impl Datasets {
    /// A process has written the first values of a dataset.
    pub(super) fn begin(&mut self, process: u32, path: String, told: DatasetEvent) {
        self.datasets.push(Dataset {
            process,
            path,
            dataset: told.dataset,
            is_counted: false,
            raw_bytes: 0,
            stored_bytes: 0,
            why: None,
            left: BTreeMap::new(),
        });
    }

    /// A process ends, and has written so much of a dataset.
    pub(super) fn end(
        &mut self,
        (process, path, told): (u32, &str, DatasetEvent),
        (raw_bytes, stored_bytes): (u64, u64),
        why: Option<String>,
    ) {
        let is_it = |one: &&mut Dataset| {
            (one.process, one.path.as_str(), &one.dataset) == (process, path, &told.dataset)
        };
        if let Some(one) = self.datasets.iter_mut().find(is_it) {
            (one.raw_bytes, one.stored_bytes) = (raw_bytes, stored_bytes);
            (one.why, one.left, one.is_counted) = (why, told.left, true);
        }
    }

    pub(super) fn small_writes(&mut self, process: u32, told: &DatasetEvent) {
        let writes = told.writes;
        self.small_writes.push(SmallWrites { process, writes });
    }

    /// The report in words.
    pub(super) fn lines(&self) -> Vec<String> {
        let mut lines: Vec<String> = match self.datasets.len() {
            0..=MOST_LINES => self.datasets.iter().map(line).collect(),
            _ => self.by_reason(),
        };
        lines.extend(self.small_writes.iter().map(|small| {
            format!(
                "process {}: {} writes of less than 64 KiB went to {OWN}",
                small.process, small.writes
            )
        }));
        lines
    }

    fn by_reason(&self) -> Vec<String> {
        let packed = self.datasets.iter().filter(|one| one.raw_bytes > 0);
        let (raw, stored, count) = packed.fold((0, 0, 0_u64), |(raw, stored, count), one| {
            (raw + one.raw_bytes, stored + one.stored_bytes, count + 1)
        });
        let mut lines = Vec::new();
        if count > 0 {
            lines.push(format!(
                "{count} datasets packed by frazil, {}",
                sizes(raw, stored)
            ));
        }
        let mut left: BTreeMap<&str, u64> = BTreeMap::new();
        for one in self.datasets.iter().filter(|one| one.raw_bytes == 0) {
            let first = one.left.keys().next().map(String::as_str);
            let why = one.why.as_deref().or(first);
            let unknown = "their process ended before it said what it wrote";
            *left.entry(why.unwrap_or(unknown)).or_default() += 1;
        }
        let left = left.into_iter();
        lines.extend(left.map(|(why, count)| format!("{count} datasets left to {OWN}: {why}")));
        lines
    }

    /// Why nothing was packed, if so.
    pub(super) fn why_nothing(&self) -> Option<String> {
        let may_be_packed = |one: &Dataset| one.raw_bytes > 0 || !one.is_counted;
        if self.datasets.iter().any(may_be_packed) {
            return None;
        }
        let is_nothing_told = self.datasets.is_empty() && self.small_writes.is_empty();
        let why = match is_nothing_told {
            true => {
                "no process called H5Dwrite of a shared HDF5 library by name (libraries that hide HDF5 \
                 inside themselves go other ways)"
            }
            false => "of what is said above",
        };
        Some(why.to_owned())
    }
}

fn sizes(raw: u64, stored: u64) -> String {
    let ratio = text::ratio(raw, stored);
    format!("{} as {} (ratio {ratio})", human(raw), human(stored))
}

fn line(one: &Dataset) -> String {
    let name = format!("{}: {}", one.path, one.dataset);
    if !one.is_counted {
        return format!("{name}: its process ended before it said what it wrote");
    }
    if let Some(why) = &one.why {
        return format!("{name}: left to {OWN}: {why}");
    }
    let left = one.left.iter();
    let left = left.map(|(why, calls)| format!("{calls} writes went to {OWN}: {why}"));
    let packed = (one.raw_bytes > 0).then(|| {
        format!(
            "packed by frazil, {}",
            sizes(one.raw_bytes, one.stored_bytes)
        )
    });
    let parts: Vec<String> = packed.into_iter().chain(left).collect();
    format!("{name}: {}", parts.join("; "))
}

#[cfg(test)]
mod tests {
    use super::super::events::Report;

    #[test]
    fn a_dataset_says_what_was_packed_and_what_was_not() {
        let report = Report::of_lines(
            r#"{"event":"dataset","process":1,"path":"a.h5","dataset":"/v"}
{"event":"dataset","process":1,"path":"a.h5","dataset":"/w"}
{"event":"dataset","process":2,"path":"a.h5","dataset":"/w"}
{"event":"dataset_done","process":1,"path":"a.h5","dataset":"/v","raw_bytes":300,"stored_bytes":100,"why":null,"left":{"parts":2}}
{"event":"dataset_done","process":1,"path":"a.h5","dataset":"/w","raw_bytes":0,"stored_bytes":0,"why":"no filters","left":{}}
{"event":"few_bytes","process":1,"writes":7}"#,
        );
        let lines = report.hdf5.lines();
        assert!(
            lines[0].contains("ratio 3.00") && lines[0].contains("2 writes"),
            "{lines:?}"
        );
        assert!(lines[1].ends_with("no filters"), "{lines:?}");
        assert!(lines[2].contains("ended before"), "{lines:?}");
        assert!(lines[3].starts_with("process 1: 7 writes"), "{lines:?}");
        assert_eq!(report.hdf5.why_nothing(), None);
        assert!(
            Report::default()
                .hdf5
                .why_nothing()
                .unwrap()
                .contains("H5Dwrite")
        );
    }
}
