//! The operations on whole files. Options come and reports go as JSON; `frazil/operations.py` has
//! the names and the documentation that users see.

use std::collections::BTreeMap;
use std::path::PathBuf;
use std::sync::Arc;
use std::sync::atomic::AtomicBool;

use frazil::{
    ErrorCode, Link, OPTIONS, Progress, ReaderOptions, Reference, ReferenceOptions, References,
    WritePlan, spelling,
};
use pyo3::prelude::*;
use pyo3::types::{PyDict, PyList, PyString};
use serde::Serialize;
use serde_json::json;

use crate::error::Outcome;
use crate::job::run;
use crate::options::{self, destination, parse, parse_rules};

/// Nothing is lost that a report holds: numbers that JSON has no word for are `null`.
pub(crate) fn json(report: &impl Serialize) -> frazil::Result<String> {
    serde_json::to_string(report).map_err(internal)
}

#[expect(clippy::needless_pass_by_value, reason = "made for map_err")]
fn internal(error: serde_json::Error) -> frazil::Error {
    frazil::Error::new(ErrorCode::Internal, error.to_string())
}

/// What is wrong with the environment, one sentence for each variable.
#[pyfunction]
pub(crate) fn environment_warnings() -> Vec<String> {
    let fault = frazil::environment_fault();
    frazil::environment_warnings()
        .into_iter()
        .chain(fault)
        .collect()
}

#[pyfunction]
pub(crate) fn about() -> Outcome<String> {
    Ok(json(&frazil::about())?)
}

/// The registered name of a filter, if frazil knows it.
#[pyfunction]
pub(crate) fn filter_name(id: i32) -> Option<&'static str> {
    frazil::filter_name(id)
}

#[pyfunction]
#[pyo3(signature = (input, output, options, listener=None))]
pub(crate) fn pack(
    py: Python<'_>,
    input: PathBuf,
    output: Option<PathBuf>,
    options: &str,
    listener: Option<Py<PyAny>>,
) -> Outcome<String> {
    let cancel = Arc::new(AtomicBool::new(false));
    let asked: options::Pack = parse(options)?;
    let destination = destination(output, asked.break_hard_links);
    let options = asked.options(&cancel)?;
    run(py, listener, &cancel, |progress| {
        json(&frazil::pack(&input, &destination, &options, progress)?)
    })
}

/// A plan, and what the user should know.
#[derive(Serialize)]
struct Planned {
    #[serde(flatten)]
    plan: WritePlan,
    notices: Vec<String>,
}

/// Keeps what is said.
#[derive(Default)]
struct Notices(Vec<String>);

impl Progress for Notices {
    fn stage(&mut self, _name: &str, _total_bytes: u64) {}
    fn advance(&mut self, _bytes: u64) {}
    fn notice(&mut self, line: &str) {
        self.0.push(line.to_owned());
    }
}

#[pyfunction]
pub(crate) fn plan(py: Python<'_>, input: PathBuf, options: &str) -> Outcome<String> {
    let cancel = Arc::new(AtomicBool::new(false));
    let options = parse::<options::Pack>(options)?.options(&cancel)?;
    run(py, None, &cancel, |_| {
        let mut said = Notices::default();
        let plan = frazil::plan(&input, &options, &mut said)?;
        json(&Planned {
            plan,
            notices: said.0,
        })
    })
}

/// Checks, before any work is done, that a file may be written to a URL.
#[pyfunction]
pub(crate) fn check_url(
    py: Python<'_>,
    url: &str,
    storage: frazil::StorageOptions,
    overwrite: bool,
) -> Outcome<()> {
    Ok(py.detach(|| frazil::check_url(url, &storage, overwrite))?)
}

/// Sends a finished file to a URL, where it appears whole or not at all.
#[pyfunction]
pub(crate) fn upload(
    py: Python<'_>,
    path: PathBuf,
    url: &str,
    storage: frazil::StorageOptions,
) -> Outcome<()> {
    Ok(py.detach(|| frazil::upload(&path, url, &storage))?)
}

#[pyfunction]
#[pyo3(signature = (input, output, options, listener=None))]
pub(crate) fn unpack(
    py: Python<'_>,
    input: PathBuf,
    output: Option<PathBuf>,
    options: &str,
    listener: Option<Py<PyAny>>,
) -> Outcome<String> {
    let cancel = Arc::new(AtomicBool::new(false));
    let asked: options::Unpack = parse(options)?;
    let destination = destination(output, asked.break_hard_links);
    let options = asked.options(&cancel)?;
    run(py, listener, &cancel, |progress| {
        json(&frazil::unpack(&input, &destination, &options, progress)?)
    })
}

#[pyfunction]
pub(crate) fn info(
    py: Python<'_>,
    path: PathBuf,
    fill_fraction: bool,
    limits: &str,
) -> Outcome<String> {
    let cancel = Arc::new(AtomicBool::new(false));
    let resources = parse::<options::Limits>(limits)?.resources(&cancel)?;
    run(py, None, &cancel, |_| {
        json(&frazil::info(&path, fill_fraction, &resources)?)
    })
}

/// A file as references, and what was left out of them, JSON.
#[pyfunction]
pub(crate) fn references(
    py: Python<'_>,
    path: PathBuf,
    url: Option<String>,
    inline_threshold: u64,
    split_bytes: u64,
) -> Outcome<(Py<PyDict>, String)> {
    let cancel = Arc::new(AtomicBool::new(false));
    let options = ReferenceOptions {
        url,
        inline_threshold,
        split_bytes,
        reader: ReaderOptions {
            cancel: Arc::clone(&cancel),
            ..ReaderOptions::default()
        },
    };
    let found = run(py, None, &cancel, |_| frazil::references(&path, &options))?;
    let left_out = json(&found.left_out())?;
    Ok((references_dict(py, &found)?.unbind(), left_out))
}

/// What kerchunk's JSON says, as Python reads it.
fn references_dict<'py>(py: Python<'py>, found: &References) -> PyResult<Bound<'py, PyDict>> {
    let url = PyString::new(py, found.url());
    let refs = PyDict::new(py);
    found.each(|key, reference| match reference {
        Reference::Text(text) => refs.set_item(key, text),
        Reference::There { offset, length } => {
            let (offset, length) = (offset.into_pyobject(py)?, length.into_pyobject(py)?);
            let place = [url.as_any(), offset.as_any(), length.as_any()];
            refs.set_item(key, PyList::new(py, place)?)
        }
    })?;
    let all = PyDict::new(py);
    all.set_item("version", 1)?;
    all.set_item("refs", refs)?;
    Ok(all)
}

/// What a file takes in a bucket: JSON.
#[pyfunction]
pub(crate) fn cloud_cost(py: Python<'_>, path: PathBuf) -> Outcome<String> {
    let cancel = Arc::new(AtomicBool::new(false));
    run(py, None, &cancel, |_| {
        json(&frazil::cloud_cost(&path, Link::default())?)
    })
}

#[pyfunction]
#[pyo3(signature = (a, b, options, listener=None))]
pub(crate) fn verify(
    py: Python<'_>,
    a: PathBuf,
    b: PathBuf,
    options: &str,
    listener: Option<Py<PyAny>>,
) -> Outcome<String> {
    let cancel = Arc::new(AtomicBool::new(false));
    let options = parse::<options::Verify>(options)?.options(&cancel)?;
    run(py, listener, &cancel, |progress| {
        json(&frazil::verify(&a, &b, &options, progress)?)
    })
}

#[pyfunction]
#[pyo3(signature = (path, options, listener=None))]
pub(crate) fn analyze(
    py: Python<'_>,
    path: PathBuf,
    options: &str,
    listener: Option<Py<PyAny>>,
) -> Outcome<String> {
    let cancel = Arc::new(AtomicBool::new(false));
    let options = parse::<options::Analyze>(options)?.options(&cancel)?;
    run(py, listener, &cancel, |progress| {
        json(&frazil::analyze(&path, &options, progress)?)
    })
}

#[pyfunction]
pub(crate) fn recover(py: Python<'_>, path: PathBuf) -> Outcome<String> {
    let cancel = Arc::new(AtomicBool::new(false));
    run(py, None, &cancel, |_| json(&frazil::recover(&path)?))
}

/// The file that an output's name stands for.
#[pyfunction]
pub(crate) fn followed_output(path: PathBuf) -> Outcome<PathBuf> {
    Ok(frazil::followed_output(&path)?)
}

/// The permissions that new files get in a folder.
#[pyfunction]
pub(crate) fn usual_mode(folder: PathBuf) -> Outcome<u32> {
    Ok(frazil::usual_mode(&folder)?)
}

/// Refuses rules of precision that name a variable which is not among paths.
#[pyfunction]
pub(crate) fn check_names(rules: &str, paths: Vec<String>) -> Outcome<()> {
    let paths: Vec<&str> = paths.iter().map(String::as_str).collect();
    Ok(frazil::check_names(&parse_rules(rules)?, &paths)?)
}

/// Refuses reads, axes and expected lengths that name a dimension which is not among those known.
#[pyfunction]
pub(crate) fn check_dimensions(goal: Vec<(String, String)>, known: Vec<String>) -> Outcome<()> {
    let known: Vec<&str> = known.iter().map(String::as_str).collect();
    let stated = goal.iter().map(|(key, text)| (key.as_str(), text.as_str()));
    let goal = frazil::Defaults::from_text(stated)?.access;
    Ok(frazil::check_goal(&goal, &known)?)
}

/// Refuses options that name a variable or a dimension which no input has; whether any could be read.
#[pyfunction]
pub(crate) fn check_names_in(py: Python<'_>, options: &str, inputs: Vec<PathBuf>) -> Outcome<bool> {
    let cancel = Arc::new(AtomicBool::new(false));
    let options = parse::<options::Pack>(options)?.options(&cancel)?;
    Ok(py.detach(|| frazil::check_names_in(&inputs, &options))?)
}

/// A file of rules as `precision=` has it: its defaults, if there are any, and then its rules.
#[pyfunction]
pub(crate) fn read_precision(path: PathBuf) -> Outcome<String> {
    // Says what is wrong in it.
    frazil::read_policy(&path)?;
    let file = frazil::read_rule_file(&path, &frazil::Defaults::KEYS)?;
    let mut all = Vec::new();
    if !file.options.is_empty() {
        let defaults: BTreeMap<String, String> = file.options.into_iter().collect();
        all.push(json!({ "defaults": defaults }));
    }
    for rule in &file.rules {
        let mut request = serde_json::to_value(rule).map_err(internal)?;
        let variables = request
            .as_object_mut()
            .and_then(|all| all.remove("variables"));
        all.push(json!({ "variables": variables, "request": request }));
    }
    Ok(json(&all)?)
}

/// All options as they are declared: JSON.
#[pyfunction]
pub(crate) fn declared_options() -> Outcome<String> {
    Ok(json(&OPTIONS.as_slice())?)
}

/// How narrow a pattern of variables is: 0 for all, 1 with wildcards, 2 for a name.
#[pyfunction]
pub(crate) fn narrowness(pattern: &str) -> u8 {
    frazil::narrowness(pattern)
}

/// The word that is spelled most like `word`, if one is much like it.
#[pyfunction]
pub(crate) fn nearest_word(word: &str, known: Vec<String>) -> Option<String> {
    spelling::nearest(word, known.iter().map(String::as_str)).map(str::to_owned)
}
