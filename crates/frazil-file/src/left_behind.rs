//! What of a file does not come along into its copy.

use std::collections::BTreeSet;
use std::ffi::OsString;
use std::os::unix::ffi::OsStringExt;
use std::path::{Path, PathBuf};

use frazil_container::classic::{ClassicAttribute, ClassicModel};
use frazil_container::hdf5::{
    DatasetStorage, EntryKind, Hdf5Input, bytes_of_text, is_hidden_attribute,
};

use crate::error::Result;
use crate::input::{Input, InputKind};
use crate::storage_error::from_container;

/// What has no place in the form of file that HDF5 1.8 reads, or in netCDF-4; `None`: everything has.
pub fn form(source: &Input) -> Option<String> {
    match source.kind() {
        InputKind::Hdf5(hdf5) => {
            let form = hdf5.unusual_form();
            let words = || format!("not kept, no value depends on it: {}", form.join(", "));
            (!form.is_empty()).then(words)
        }
        InputKind::Classic(classic) => {
            let names = without_place(classic.model());
            let words = || {
                format!(
                    "attributes with names that netCDF-4 reserves are left out: {}",
                    names.join(", ")
                )
            };
            (!names.is_empty()).then(words)
        }
    }
}

/// Attributes of a classic file that a netCDF-4 file cannot have, `NAME of /x`.
pub fn without_place(model: &ClassicModel) -> Vec<String> {
    let hidden = |path: &str, all: &[ClassicAttribute]| -> Vec<String> {
        let names = all.iter().map(|attribute| attribute.name.as_str());
        let names = names.filter(|name| is_hidden_attribute(name));
        names.map(|name| format!("{name} of {path}")).collect()
    };
    let mut found = hidden("/", &model.attributes);
    for variable in &model.variables {
        found.extend(hidden(&format!("/{}", variable.name), &variable.attributes));
    }
    found
}

/// Files that links and virtual data of `source` lead to and that a copy at `target` does not find:
/// HDF5 looks for them beside the file.
///
/// # Errors
/// If links or mappings cannot be read.
pub fn neighbours(source: &Input, target: &Path) -> Result<Option<String>> {
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
            "links or virtual datasets refer to files beside the input that are not beside the \
             output: {}{more}; copy these files, too",
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
            let parts = hdf5.virtual_parts(dataset)?.into_iter();
            found.extend(parts.map(|part| first_of_series(&part.file)));
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
