//! What of an HDF5 file does not come along into its copy.

use std::collections::BTreeSet;
use std::ffi::OsString;
use std::os::unix::ffi::OsStringExt;
use std::path::{Path, PathBuf};

use frazil_container::hdf5::{DatasetStorage, EntryKind, Hdf5Input, bytes_of_text};

use crate::error::Result;
use crate::input::{Input, from_container};

/// What has no place in the form of file that HDF5 1.8 reads; `None`: everything has.
pub(crate) fn form(source: &Input) -> Option<String> {
    let form = source.hdf5()?.unusual_form();
    (!form.is_empty()).then(|| format!("not kept, no value depends on it: {}", form.join(", ")))
}

/// Files that links and virtual data of `source` lead to and that a copy at `target` does not find:
/// HDF5 looks for them beside the file.
pub(crate) fn neighbours(source: &Input, target: &Path) -> Result<Option<String>> {
    /// More are only counted.
    const NAMED: usize = 3;
    let (Some(hdf5), Some(from), Some(to)) = (source.hdf5(), folder(source.path()), folder(target))
    else {
        return Ok(None);
    };
    if from == to {
        return Ok(None);
    }
    let is_lost = |name: &&String| {
        let file = path_of(name);
        file.is_relative() && from.join(&file).exists() && !to.join(&file).exists()
    };
    let found = named_files(hdf5).map_err(|error| from_container(error, source.path()))?;
    let lost: Vec<&String> = found.iter().filter(is_lost).collect();
    let named: Vec<&str> = lost.iter().take(NAMED).map(|name| name.as_str()).collect();
    let more = match lost.len() - named.len() {
        0 => String::new(),
        more => format!(" and {more} more"),
    };
    Ok((!lost.is_empty()).then(|| {
        format!(
            "links or virtual datasets lead to files beside the input, which are not beside the \
             output: {}{more}; copy these along",
            named.join(", ")
        )
    }))
}

/// Other files that a file names in links and virtual datasets.
fn named_files(hdf5: &Hdf5Input) -> frazil_container::Result<BTreeSet<String>> {
    let mut found = BTreeSet::new();
    for entry in hdf5.entries() {
        if let EntryKind::External { file, .. } = &entry.kind {
            found.insert(file.clone());
        }
    }
    for dataset in hdf5.datasets() {
        if dataset.storage == DatasetStorage::Virtual {
            let sources = hdf5.virtual_sources(dataset)?.into_iter();
            found.extend(sources.map(|source| first_of_series(&source.file)));
        }
    }
    found.remove(".");
    Ok(found)
}

/// The first file of a series of virtual data, whose names hold `%b` for a number.
fn first_of_series(file: &str) -> String {
    let parts = file.split("%%").map(|part| part.replace("%b", "0"));
    parts.collect::<Vec<_>>().join("%")
}

fn path_of(name: &str) -> PathBuf {
    PathBuf::from(OsString::from_vec(bytes_of_text(name)))
}

/// The folder in which HDF5 looks for what a file names.
fn folder(file: &Path) -> Option<PathBuf> {
    let parent = file.parent()?;
    let parent = match parent.as_os_str().is_empty() {
        true => Path::new("."),
        false => parent,
    };
    parent.canonicalize().ok()
}

#[cfg(test)]
mod tests {
    use super::first_of_series;

    #[test]
    fn a_series_begins_with_0() {
        assert_eq!(first_of_series("data_%b.h5"), "data_0.h5");
        assert_eq!(first_of_series("100%%b.h5"), "100%b.h5");
        assert_eq!(first_of_series("plain.h5"), "plain.h5");
    }
}
