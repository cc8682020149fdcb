//! What the reader of HDF5's metadata asks for: to open a file, and to locate a variable.

use std::collections::HashSet;
use std::path::Path;
use std::sync::Arc;

use frazil_container::hdf5::DatasetStorage;
use frazil_container::model::{TypeClass, Variable};
use frazil_file::error::Result;
use frazil_hdf5::{LinkTarget, Object, ObjectKind, Source};
use frazil_types::sync::Mutex;

use super::source::{BLOCK_BYTES, Counted, Counts};
use super::{Link, ReadCost, damaged};

/// A file's metadata behind a source that counts.
pub(super) struct Metadata {
    file: frazil_hdf5::File,
    counts: Arc<Mutex<Counts>>,
    opened: ReadCost,
}

impl Metadata {
    /// Opens a file: reads groups, datasets and attributes, one level of groups at a time.
    pub(super) fn open(file: Arc<dyn Source>, link: Link) -> Result<Self> {
        let (source, counts) = Counted::new(file, link);
        let file = frazil_hdf5::File::open(Box::new(source), None);
        let file = file.map_err(|error| damaged(&error))?;
        walk(&file).map_err(|error| damaged(&error))?;
        let opened = counts.lock().cost;
        Ok(Self {
            file,
            counts,
            opened,
        })
    }

    /// What opening took.
    pub(super) fn opened(&self) -> ReadCost {
        self.opened
    }

    /// Whether all that was read lies before an address: a round more is for its length, not for its place.
    pub(super) fn is_before(&self, address: u64) -> bool {
        self.counts.lock().end
            <= address
                .checked_next_multiple_of(BLOCK_BYTES)
                .unwrap_or(address)
    }

    /// What it takes to find a variable's chunks.
    pub(super) fn locate(&self, variable: &Variable, path: &Path) -> Result<ReadCost> {
        let dataset = &variable.dataset;
        if !matches!(dataset.storage, DatasetStorage::Chunked { .. }) {
            return Ok(ReadCost::default());
        }
        let before = self.counts.lock().cost;
        let located = self
            .file
            .object(dataset.object_address)
            .and_then(|object| self.file.dataset(&object))
            .and_then(|dataset| self.file.locate(&dataset));
        let failed = |error| damaged(&error).in_file(path).at_variable(&dataset.path);
        located.map_err(failed)?;
        Ok(self.counts.lock().cost.since(&before))
    }
}

/// Reads all objects, those of one level together.
fn walk(file: &frazil_hdf5::File) -> frazil_hdf5::Result<()> {
    let root = file.root()?;
    let mut seen = HashSet::from([root.address()]);
    let mut level = vec![root];
    while !level.is_empty() {
        let mut below = Vec::new();
        for object in &level {
            below.extend(look(file, object)?);
        }
        below.retain(|&address| seen.insert(address));
        file.prefetch(&below)?;
        let objects = below.iter().map(|&address| file.object(address));
        level = objects.collect::<frazil_hdf5::Result<_>>()?;
    }
    Ok(())
}

/// Reads what is said of an object; the objects in it, by their addresses.
fn look(file: &frazil_hdf5::File, object: &Object) -> frazil_hdf5::Result<Vec<u64>> {
    for attribute in file.attributes(object)? {
        if matches!(attribute.datatype.class, TypeClass::VariableText { .. }) {
            for text in attribute
                .values
                .chunks_exact(attribute.datatype.size_bytes.max(1))
            {
                file.sequence(text, 1)?;
            }
        }
    }
    match object.kind {
        ObjectKind::Group => {
            let links = file.links(object)?;
            let addresses = links.iter().filter_map(|link| match link.target {
                LinkTarget::Hard(address) => Some(address),
                _ => None,
            });
            Ok(addresses.collect())
        }
        ObjectKind::Dataset => file.dataset(object).map(|_| Vec::new()),
        ObjectKind::NamedDatatype => file.datatype(object).map(|_| Vec::new()),
    }
}
