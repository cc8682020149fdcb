//! The file of a writer and its lock, taken before anything else.

use std::path::Path;

use frazil_container::beside;
use frazil_container::hdf5::{ExistingFile, LiveOutput};

use super::options::WriterOptions;
use frazil_file::error::{Error, Result};
use frazil_file::name_lock::NameLock;
use frazil_file::output::GROWING_BLOCK_BYTES;
use frazil_file::pending::create_empty;
use frazil_file::recover::explain;
use frazil_file::storage_error::{from_container, unreadable};

/// Whether chunks may have places that the writer chooses.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Places {
    Any,
    Chosen,
}

/// Whether what is of types that programs have defined is among the objects of a file.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Types {
    Hidden,
    Shown,
}

/// Makes a new, empty file. Where that fails, nothing is left.
pub(super) fn create(
    path: &Path,
    options: &WriterOptions,
    places: Places,
) -> Result<(LiveOutput, NameLock)> {
    let mut lock = NameLock::take(path)?;
    let is_new = create_empty(path, options.overwrite, &mut lock)?;
    let create = match places {
        Places::Any => LiveOutput::create_empty,
        Places::Chosen => LiveOutput::create_shared,
    };
    let created = create(path, options.classic_model, GROWING_BLOCK_BYTES);
    let noted = created
        .map_err(|error| from_container(error, path))
        .and_then(|output| {
            lock.note(&output.temporary_path(), path)?;
            Ok(output)
        });
    if noted.is_err() && is_new {
        // Best effort: what failed matters more.
        let _ = std::fs::remove_file(path);
    }
    Ok((noted?, lock))
}

/// Opens an existing file; a commit that was left half-done is recovered first.
pub(super) fn open(path: &Path, types: Types) -> Result<(LiveOutput, ExistingFile, NameLock)> {
    let target = beside::followed(path).map_err(|error| Error::io(&error, "open", path))?;
    let mut lock = NameLock::take(&target).map_err(|error| error.in_file(path))?;
    let open = match types {
        Types::Hidden => LiveOutput::open,
        Types::Shown => LiveOutput::open_with_types,
    };
    let opened = open(path, GROWING_BLOCK_BYTES);
    let (output, existing) = opened.map_err(|error| match error {
        frazil_container::ContainerError::Untrusted(_) => explain(error, path),
        error => unreadable(error, path),
    })?;
    lock.note(&output.temporary_path(), &target)?;
    Ok((output, existing, lock))
}
