//! The names of sources: numbers in them, and where libhdf5 looks for files.

use std::ffi::{OsStr, OsString};
use std::os::unix::ffi::{OsStrExt, OsStringExt};
use std::path::{Path, PathBuf};

use frazil_container::hdf5::bytes_of_text;

use crate::error::Error;
use crate::external::{Folder, stated_folder};
use frazil_types::ErrorCode;

/// Folders, with colons between them, in which sources are looked for.
const FOLDERS_VARIABLE: &str = "HDF5_VDS_PREFIX";
/// The same of files that external links lead to.
const LINKS_VARIABLE: &str = "HDF5_EXT_PREFIX";

/// A name with places for the number of a block.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) struct SeriesName {
    /// What stands before, between and behind numbers.
    parts: Vec<String>,
}

impl SeriesName {
    /// `%b` stands for a number, `%%` for `%`.
    pub(super) fn parse(name: &str) -> Result<Self, Error> {
        let mut parts = vec![String::new()];
        let mut rest = name;
        while let Some((before, behind)) = rest.split_once('%') {
            let last = parts.len() - 1;
            parts[last].push_str(before);
            rest = match behind.strip_prefix('b') {
                Some(rest) => {
                    parts.push(String::new());
                    rest
                }
                None => {
                    parts[last].push('%');
                    behind.strip_prefix('%').ok_or_else(|| unknown_sign(name))?
                }
            };
        }
        let last = parts.len() - 1;
        parts[last].push_str(rest);
        Ok(Self { parts })
    }

    /// Whether there is a place for a number.
    pub(super) fn is_series(&self) -> bool {
        self.parts.len() > 1
    }

    /// The name with a number in all its places.
    pub(super) fn with(&self, block: u64) -> String {
        self.parts.join(&block.to_string())
    }
}

fn unknown_sign(name: &str) -> Error {
    let cause = format!("`{name}` has a % that is followed neither by b nor by %");
    Error::new(ErrorCode::Corrupt, cause)
}

/// Where the file of a source may be that the HDF5 file at `of` has a name for, the first one that exists being meant.
pub(super) fn places(of: &Path, name: &str) -> Vec<PathBuf> {
    let folder = match stated_folder(of, FOLDERS_VARIABLE) {
        Ok(Folder::Stated(folder)) => Some(folder),
        _ => None,
    };
    all_places(of, name, FOLDERS_VARIABLE, folder)
}

/// As [`places`], of a file that an external link of that at `of` leads to.
pub(super) fn places_of_link(of: &Path, name: &str) -> Vec<PathBuf> {
    all_places(of, name, LINKS_VARIABLE, None)
}

/// Source: `H5F_prefix_open_file`.
fn all_places(of: &Path, name: &str, variable: &str, folder: Option<PathBuf>) -> Vec<PathBuf> {
    let mut name = PathBuf::from(OsString::from_vec(bytes_of_text(name)));
    let mut places = Vec::new();
    if name.is_absolute() {
        places.push(name.clone());
        // Beside others, only its last part counts.
        name = name.file_name().map(PathBuf::from).unwrap_or_default();
    }
    let stated = std::env::var_os(variable).unwrap_or_default();
    let folders = stated.as_bytes().split(|&byte| byte == b':');
    let folders = folders.filter(|folder| !folder.is_empty());
    places.extend(folders.map(|folder| Path::new(OsStr::from_bytes(folder)).join(&name)));
    places.extend(folder.map(|folder| folder.join(&name)));
    if let Ok(own) = std::path::absolute(of) {
        places.extend(own.parent().map(|folder| folder.join(&name)));
    }
    places.push(name.clone());
    if let Ok(own) = of.canonicalize() {
        places.extend(own.parent().map(|folder| folder.join(&name)));
    }
    places
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn numbers_stand_where_the_name_says() {
        let named = |name: &str| SeriesName::parse(name).map(|name| name.with(12));
        assert_eq!(named("a_%b.h5").unwrap(), "a_12.h5");
        assert_eq!(named("%b%%%b").unwrap(), "12%12");
        assert_eq!(named("100%%").unwrap(), "100%");
        assert!(named("50% of it").is_err());
        assert!(named("50%").is_err());
        assert!(!SeriesName::parse("100%%b").unwrap().is_series());
        assert!(SeriesName::parse("x%b").unwrap().is_series());
    }

    #[test]
    fn files_are_looked_for_beside_the_file_that_names_them() {
        let beside = places(Path::new("/data/all.h5"), "/other/part.h5");
        assert_eq!(beside.first().unwrap(), Path::new("/other/part.h5"));
        assert!(beside.contains(&PathBuf::from("/data/part.h5")));
    }
}
