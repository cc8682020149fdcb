//! `read`: what readers wait for a variable, whole and in parts.

use std::path::Path;
use std::time::Instant;

use cpu_time::ProcessTime;
use frazil::schema::VariableId;
use frazil::{AxisSelection, Reader, ReaderOptions, set_read_budget};
use serde::Serialize;

use crate::error::Error;

/// Extents of a random box along the last three axes.
const BOX: [u64; 3] = [200, 40, 60];
/// Boxes, maps and series of one round.
const PARTS: u64 = 24;

/// Seconds of one kind of read.
#[derive(Debug, Serialize)]
pub(crate) struct Row {
    kind: &'static str,
    /// Bytes read in one round.
    bytes: u64,
    /// Shortest of the rounds.
    seconds: f64,
    /// Processor time of that round, over all threads.
    cpu_seconds: f64,
}

/// What was measured.
#[derive(Debug, Serialize)]
pub(crate) struct ReadReport {
    variable: String,
    threads: usize,
    rows: Vec<Row>,
}

impl ReadReport {
    pub(crate) fn json(&self) -> Result<String, Error> {
        Ok(serde_json::to_string_pretty(self)?)
    }

    pub(crate) fn text(&self) -> String {
        let mut text = format!("{}, {} threads\n", self.variable, self.threads);
        for row in &self.rows {
            let speed = row.bytes as f64 / 1e6 / row.seconds;
            text += &format!(
                "{:8} {:9.1} MB {:9.4} s {:9.4} CPU-s {speed:8.0} MB/s\n",
                row.kind,
                row.bytes as f64 / 1e6,
                row.seconds,
                row.cpu_seconds,
            );
        }
        text
    }
}

/// Reads `variable` of `path` in every way, `repeats` times each; chunks are forgotten between
/// rounds.
pub(crate) fn measure(
    path: &Path,
    variable: &str,
    threads: usize,
    repeats: usize,
) -> Result<ReadReport, Error> {
    let options = ReaderOptions {
        threads,
        ..ReaderOptions::default()
    };
    let reader = Reader::open(path, &options)?;
    let id = reader.model().variable(variable);
    let id = id.ok_or_else(|| Error::NoVariable(variable.to_owned()))?;
    let shape = reader.model().shape(id);
    let mut rows = Vec::new();
    for (kind, parts) in kinds(&shape) {
        let mut best: Option<Row> = None;
        for _ in 0..repeats {
            forget();
            let row = round(&reader, id, kind, &parts)?;
            if best.as_ref().is_none_or(|best| row.seconds < best.seconds) {
                best = Some(row);
            }
        }
        rows.extend(best);
    }
    Ok(ReadReport {
        variable: variable.to_owned(),
        threads,
        rows,
    })
}

/// Lets all chunks go that earlier rounds left.
fn forget() {
    set_read_budget(0);
    set_read_budget(256 << 20);
}

/// Selections of each kind of read.
fn kinds(shape: &[u64]) -> Vec<(&'static str, Vec<Vec<AxisSelection>>)> {
    let mut state = 1_u64;
    let mut below = |end: u64| {
        state = state
            .wrapping_mul(6_364_136_223_846_793_005)
            .wrapping_add(1);
        (state >> 33) % end.max(1)
    };
    let whole = AxisSelection::whole(shape);
    let mut part = |count: &dyn Fn(usize) -> u64| -> Vec<AxisSelection> {
        let one = |axis: usize| {
            let count = count(axis).min(shape[axis]);
            AxisSelection::dense(below(shape[axis] - count + 1), count)
        };
        (0..shape.len()).map(one).collect()
    };
    let behind = |axis: usize| shape.len() - 1 - axis;
    let of_box = |axis| {
        BOX.get(2_usize.wrapping_sub(behind(axis)))
            .map_or(1, |&n| n)
    };
    let boxes = (0..PARTS).map(|_| part(&of_box)).collect();
    let map = |axis| if behind(axis) < 2 { u64::MAX } else { 1 };
    let maps = (0..PARTS).map(|_| part(&map)).collect();
    let series = |axis| if axis == 0 { u64::MAX } else { 1 };
    let all_series = (0..PARTS).map(|_| part(&series)).collect();
    vec![
        ("full", vec![whole]),
        ("boxes", boxes),
        ("maps", maps),
        ("series", all_series),
    ]
}

fn round(
    reader: &Reader,
    id: VariableId,
    kind: &'static str,
    parts: &[Vec<AxisSelection>],
) -> Result<Row, Error> {
    let size = reader.element(id)?.size_bytes as u64;
    let bytes_of = |part: &Vec<AxisSelection>| {
        let elements: u64 = part.iter().map(AxisSelection::count).product();
        elements * size
    };
    // Memory that the caller has already: what the system takes for new memory is not ours.
    let largest = parts.iter().map(bytes_of).max().unwrap_or(0);
    let mut values = vec![1; largest as usize];
    let (begin, cpu) = (Instant::now(), ProcessTime::now());
    let mut bytes = 0;
    for part in parts {
        let wanted = bytes_of(part);
        reader.read(id, part, &mut values[..wanted as usize])?;
        bytes += wanted;
    }
    Ok(Row {
        kind,
        bytes,
        seconds: begin.elapsed().as_secs_f64(),
        cpu_seconds: cpu.elapsed().as_secs_f64(),
    })
}
