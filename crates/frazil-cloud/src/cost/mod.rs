//! What it takes to open a file in a bucket, and to read parts of it: requests, sequential rounds, bytes.
//!
//! Counted, not guessed: the reader of HDF5's metadata runs over a source that counts (`source`), and chunks are where
//! their records say (`ranges`).

mod ranges;
mod source;
mod walk;

use std::fs::File;
use std::path::Path;
use std::sync::Arc;

use frazil_container::model::{FileModel, Variable};
use frazil_container::schema::VariableId;
use frazil_file::error::{Error, Result, guarded};
use frazil_file::{address, remote};
use frazil_hdf5::Source;
use frazil_read::{Places, Reader, ReaderOptions};
use frazil_types::{ErrorCode, Selection};
use serde::Serialize;

use source::one_round;
use walk::Metadata;

/// How a reader is taken to ask: what is near goes into one request.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize)]
pub struct Link {
    /// Bytes at a file's begin that are read when it is opened.
    pub head_bytes: u64,
    /// Ranges no further apart than this are one request.
    pub gap_bytes: u64,
    /// The longest request.
    pub request_bytes: u64,
}

impl Default for Link {
    /// As frazil asks where a request takes 50 ms and a connection brings 100 MB/s: 5 MB in the time of a request.
    fn default() -> Self {
        Self {
            head_bytes: 1 << 20,
            gap_bytes: 640 << 10,
            request_bytes: 5 << 19,
        }
    }
}

/// What reading something takes.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq, Serialize)]
pub struct ReadCost {
    /// Requests.
    pub requests: u64,
    /// Rounds of requests that go out together: each round waits for the one before.
    pub rounds: u64,
    /// Bytes that come.
    pub bytes: u64,
}

/// What reading a variable takes in a file that is open.
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
pub struct VariableCost {
    /// Its path.
    pub path: String,
    /// Bytes stored for its values.
    pub stored_bytes: u64,
    /// To find its chunks: the first read does that, and those below count it.
    pub locate: ReadCost,
    /// One map: the last two axes whole, the middle of all others.
    pub map: Option<ReadCost>,
    /// One series: the first axis whole, the middle of all others.
    pub series: Option<ReadCost>,
    /// All of it.
    pub everything: ReadCost,
}

/// What a file takes in a bucket.
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
pub struct CloudCost {
    /// How a reader is taken to ask.
    pub link: Link,
    /// To open it: names, types, attributes.
    pub open: ReadCost,
    /// To read all values of the open file; variables are located side by side.
    pub everything: ReadCost,
    /// Its variables, those with most bytes first.
    pub variables: Vec<VariableCost>,
    /// What would be better, and how to get there.
    pub advice: Vec<String>,
}

/// Counts what a file takes in a bucket.
///
/// # Errors
/// If it cannot be read.
pub fn cost(path: &Path, link: Link) -> Result<CloudCost> {
    guarded(path, || count(path, link))
}

fn count(path: &Path, link: Link) -> Result<CloudCost> {
    let reader = Reader::open(path, &ReaderOptions::default())?;
    let model = reader.model();
    let metadata = match reader.is_hdf5() {
        true => {
            let source = source_of(path)?;
            Some(Metadata::open(source, link).map_err(|error| error.in_file(path))?)
        }
        false => None,
    };
    let open = match &metadata {
        Some(metadata) => metadata.opened(),
        // A classic file's header is at its begin.
        None => {
            let head = 0..link.head_bytes.min(reader.file_bytes());
            one_round(std::iter::once(head).collect(), link)
        }
    };
    reader.prepare_places();
    let mut variables = Vec::new();
    let mut all_ranges = Vec::new();
    for (number, variable) in model.variables.iter().enumerate() {
        let id = VariableId(number);
        let places = reader.places(id)?;
        let locate = match &metadata {
            Some(metadata) => metadata.locate(variable, path)?,
            None => ReadCost::default(),
        };
        let whole = Selection::whole(&variable.dataset.shape);
        let ranges = ranges::of_box(variable, &places, &whole);
        variables.push(of_variable(model, (id, variable), (&places, locate), link));
        all_ranges.extend(ranges);
    }
    variables.sort_by_key(|variable| std::cmp::Reverse(variable.stored_bytes));
    let first = all_ranges.iter().map(|range| range.start).min();
    let is_together = metadata.is_none_or(|one| one.is_before(first.unwrap_or(u64::MAX)));
    let mut everything = one_round(all_ranges, link);
    everything.rounds += variables
        .iter()
        .map(|one| one.locate.rounds)
        .max()
        .unwrap_or(0);
    for variable in &variables {
        everything.requests += variable.locate.requests;
        everything.bytes += variable.locate.bytes;
    }
    let advice = advice(&open, &variables, is_together, path);
    Ok(CloudCost {
        link,
        open,
        everything,
        variables,
        advice,
    })
}

fn source_of(path: &Path) -> Result<Arc<dyn Source>> {
    if let Some(url) = address::url_of(path) {
        return remote::open(&url, &ReaderOptions::default().storage);
    }
    let path = &*address::local(path)?;
    let file = File::open(path).map_err(|error| Error::io(&error, "open", path))?;
    Ok(Arc::new(file))
}

fn of_variable(
    model: &FileModel,
    (id, variable): (VariableId, &Variable),
    (places, locate): (&Places, ReadCost),
    link: Link,
) -> VariableCost {
    let shape = &variable.dataset.shape;
    let take = |part: &Selection| {
        let mut cost = locate;
        cost.add(&one_round(ranges::of_box(variable, places, part), link));
        cost
    };
    // Whole along some axes, one element in the middle of the others.
    let part = |is_whole: &dyn Fn(usize) -> bool| {
        let along = |axis: usize| match is_whole(axis) {
            true => (0, shape[axis]),
            false => (shape[axis] / 2, 1),
        };
        let (start, count) = (0..shape.len()).map(along).unzip();
        take(&Selection { start, count })
    };
    let rank = shape.len();
    let has_parts = rank >= 2 && !shape.contains(&0);
    VariableCost {
        path: model.variable_path(id),
        // Of a far file nobody has counted them but those who look for chunks.
        stored_bytes: match places {
            Places::Chunks(records) => records.iter().map(|record| record.stored_bytes).sum(),
            _ => variable.dataset.stored_bytes,
        },
        locate,
        map: (has_parts && rank >= 3).then(|| part(&|axis| axis + 2 >= rank)),
        series: has_parts.then(|| part(&|axis| axis == 0)),
        everything: take(&Selection::whole(shape)),
    }
}

/// More rounds than this to open a file, or to locate a variable, are worth a word.
const FEW_ROUNDS: u64 = 1;
/// More requests than this for one map or series are.
const FEW_REQUESTS: u64 = 16;

fn advice(
    open: &ReadCost,
    variables: &[VariableCost],
    is_together: bool,
    path: &Path,
) -> Vec<String> {
    let mut advice = Vec::new();
    if open.rounds > FEW_ROUNDS && !is_together {
        advice.push(format!(
            "opening takes {} rounds, one after the other: its metadata are in many places",
            open.rounds
        ));
    }
    let far = variables.iter().find(|one| one.locate.rounds > 0);
    if let Some(far) = far.filter(|_| !is_together) {
        advice.push(format!(
            "finding the chunks of {} takes {} more: their index is far from the beginning of \
             the file",
            far.path, far.locate.rounds
        ));
    }
    let parts = |one: &VariableCost| {
        let most = |cost: Option<ReadCost>| cost.map_or(0, |cost| cost.requests);
        most(one.map).max(most(one.series))
    };
    if let Some(one) = variables.iter().find(|one| parts(one) > FEW_REQUESTS) {
        advice.push(format!(
            "one map or series of {} takes {} requests: its chunks are small, or their shape \
             does not suit the read",
            one.path,
            parts(one)
        ));
    }
    if !advice.is_empty() {
        let name = path.file_name().unwrap_or(path.as_os_str());
        advice.push(format!(
            "better: `frazil pack --storage object-store --layout cmip7 {} -o OUT`",
            frazil_types::plain(&name.to_string_lossy())
        ));
    }
    advice
}

/// An error of the reader of metadata.
fn damaged(error: &frazil_hdf5::Error) -> Error {
    let code = match error {
        frazil_hdf5::Error::Io(_) => ErrorCode::Io,
        frazil_hdf5::Error::Unsupported(_) => ErrorCode::Unsupported,
        _ => ErrorCode::Corrupt,
    };
    Error::new(code, error.to_string())
}
