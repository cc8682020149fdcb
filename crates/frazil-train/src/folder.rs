//! Files of folders, measured.

use std::fs;
use std::path::{Path, PathBuf};

use frazil::{Error, ErrorCode, FilterMeasurement, Progress, Resources, Result, measure_filters};

use crate::table::{Row, Table};

/// Names that files of arrays end in.
const ENDINGS: [&str; 10] = [
    "nc", "nc3", "nc4", "cdf", "h5", "hdf5", "he5", "hdf", "nxs", "emd",
];
/// Variables of one file that are measured: the largest.
const OF_FILE: usize = 6;
/// Folders below each other that are gone into.
const DEEPEST: usize = 16;

/// Measures all netCDF and HDF5 files of folders. A dataset is a folder that files lie in. Files that
/// cannot be read are passed over, with a notice.
///
/// # Errors
/// If a folder cannot be read, or on an interrupt.
pub fn measure_folders(
    folders: &[PathBuf],
    resources: &Resources,
    progress: &mut dyn Progress,
) -> Result<Table> {
    let mut files = Vec::new();
    for folder in folders {
        let mut below = Vec::new();
        find(folder, 0, &mut below)?;
        below.sort();
        files.extend(below.into_iter().map(|file| (folder, file)));
    }
    let bytes = |file: &Path| fs::metadata(file).map_or(0, |metadata| metadata.len());
    let total = files.iter().map(|(_, file)| bytes(file)).sum();
    progress.stage("measure", total);
    let mut table = Table::default();
    for (folder, file) in files {
        match measure_filters(&file, OF_FILE, resources) {
            Ok(measured) => {
                let (dataset, name) = names(folder, &file);
                let row = |one: FilterMeasurement| Row {
                    dataset: dataset.clone(),
                    file: name.clone(),
                    variable: one.variable,
                    element: one.element,
                    raw_bytes: one.raw_bytes,
                    features: one.features,
                    shares: one.shares,
                };
                let rows = measured.into_iter().map(row);
                table.rows.extend(rows.map(Row::rounded));
            }
            Err(error) if error.code == ErrorCode::Interrupted => return Err(error),
            Err(error) => progress.notice(&format!("passed over: {error}")),
        }
        progress.advance(bytes(&file));
    }
    Ok(table)
}

fn find(folder: &Path, depth: usize, found: &mut Vec<PathBuf>) -> Result<()> {
    let io = |error: std::io::Error| Error::io(&error, "read", folder);
    for entry in fs::read_dir(folder).map_err(io)? {
        let entry = entry.map_err(io)?;
        let (path, kind) = (entry.path(), entry.file_type().map_err(io)?);
        let ending = path.extension().and_then(|ending| ending.to_str());
        if kind.is_dir() && depth < DEEPEST {
            find(&path, depth + 1, found)?;
        } else if kind.is_file() && ending.is_some_and(|ending| ENDINGS.contains(&ending)) {
            found.push(path);
        }
    }
    Ok(())
}

/// Dataset and file, relative to where the folder lies.
fn names(folder: &Path, file: &Path) -> (String, String) {
    let base = folder.parent().unwrap_or(folder);
    let relative = file.strip_prefix(base).unwrap_or(file);
    let dataset = relative.parent().unwrap_or(relative);
    let text = |path: &Path| path.to_string_lossy().into_owned();
    (text(dataset), text(relative))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn files_belong_to_the_folder_they_lie_in() {
        let (dataset, file) = names(Path::new("/data/ocean"), Path::new("/data/ocean/x/a.nc"));
        assert_eq!(dataset, "ocean/x");
        assert_eq!(file, "ocean/x/a.nc");
    }

    #[test]
    fn files_are_found_below_folders() {
        let folder = tempfile::tempdir().unwrap();
        fs::create_dir(folder.path().join("deep")).unwrap();
        for name in ["a.nc", "b.txt", "deep/c.h5"] {
            fs::write(folder.path().join(name), b"").unwrap();
        }
        let mut found = Vec::new();
        find(folder.path(), 0, &mut found).unwrap();
        assert_eq!(found.len(), 2);
        assert!(find(&folder.path().join("none"), 0, &mut found).is_err());
    }
}
