//! The copy of an input's objects: groups, types, datasets without values, attributes, links.

use std::collections::{HashMap, HashSet};

use frazil_types::FilterPipeline;

use super::OutputStorage;
use super::additions::Additions;
use super::attributes::{self, DeferredAttribute};
use super::contents::{Entry, EntryKind};
use super::dataset_info::{DatasetInfo, DatasetStorage};
use super::scan::Hdf5Input;
use crate::error::{ContainerError, Result};
use crate::ffi::dataset::Dataset;
use crate::ffi::datatype::Datatype;
use crate::ffi::link::{self, LinkTarget};
use crate::ffi::property::{FillStatus, PropertyList};
use crate::ffi::{Handle, filter};

/// Committed datatypes of the input and their copies in the output.
pub(super) struct CommittedTypes<'a> {
    output: &'a Handle,
    copies: HashMap<u64, Datatype>,
}

impl<'a> CommittedTypes<'a> {
    fn new(output: &'a Handle) -> Self {
        Self {
            output,
            copies: HashMap::new(),
        }
    }

    /// The output's copy of a committed type (made on first use, named when its link is met);
    /// `None` if the type is not committed.
    pub(super) fn copy_of(&mut self, datatype: &Datatype) -> Result<Option<&Datatype>> {
        if datatype.is_above_v18()? {
            return Err(ContainerError::Unsupported(
                "its type needs HDF5 1.12 or newer (complex numbers, H5T_STD_REF) and has no form \
                 in the V18 format that every reader knows"
                    .to_owned(),
            ));
        }
        if !datatype.is_committed()? {
            return Ok(None);
        }
        let address = link::object_address(datatype.handle())?;
        if !self.copies.contains_key(&address) {
            let copy = datatype.memory_copy()?;
            copy.commit(self.output, &PropertyList::datatype_create()?)?;
            self.copies.insert(address, copy);
        }
        Ok(self.copies.get(&address))
    }
}

/// What defining produced: the open output datasets and the work that must wait.
pub(super) struct Defined {
    /// Output datasets by the input's dataset number.
    pub(super) datasets: Vec<Dataset>,
    /// Addresses of the output's objects by the input's.
    pub(super) addresses: HashMap<u64, u64>,
    /// Attributes whose values hold references.
    pub(super) deferred: Vec<DeferredAttribute>,
    /// What the user should know.
    pub(super) notices: Vec<String>,
}

/// Copies all objects of `input` into the empty file `output`, with `additions`.
pub(super) fn define_copy(
    input: &Hdf5Input,
    output: &Handle,
    storage: &[OutputStorage],
    additions: &Additions,
) -> Result<Defined> {
    let mut definition = Definition {
        input,
        output,
        storage,
        additions,
        link_creation: link::link_creation()?,
        types: CommittedTypes::new(output),
        defined: Defined {
            datasets: Vec::new(),
            addresses: HashMap::new(),
            deferred: Vec::new(),
            notices: Vec::new(),
        },
    };
    definition.root()?;
    for entry in input.entries() {
        definition
            .entry(entry)
            .map_err(|error| name_object(&entry.path, error))?;
    }
    additions.write_containers(output)?;
    Ok(definition.defined)
}

struct Definition<'a> {
    input: &'a Hdf5Input,
    output: &'a Handle,
    storage: &'a [OutputStorage],
    additions: &'a Additions,
    link_creation: PropertyList,
    types: CommittedTypes<'a>,
    defined: Defined,
}

impl Definition<'_> {
    fn root(&mut self) -> Result<()> {
        let from = link::open_group(&self.input.file, "/")?;
        let to = link::open_group(self.output, "/")?;
        self.register(link::object_address(&from)?, &to)?;
        self.copy_attributes(&from, &to, "/", &HashSet::new())
    }

    fn entry(&mut self, entry: &Entry) -> Result<()> {
        let parent = link::open_group(self.output, &entry.parent)?;
        match &entry.kind {
            EntryKind::Group {
                object_address,
                link_order,
            } => {
                let creation = PropertyList::group_create(*link_order)?;
                let group =
                    link::create_group(&parent, &entry.name, &self.link_creation, &creation)?;
                self.register(*object_address, &group)?;
                let from = link::open_group(&self.input.file, &entry.path)?;
                self.copy_attributes(&from, &group, &entry.path, &HashSet::new())
            }
            EntryKind::Dataset(number) => self.dataset(entry, &parent, *number),
            EntryKind::NamedDatatype { object_address } => {
                self.named_datatype(entry, &parent, *object_address)
            }
            EntryKind::HardLink { object_address } => {
                self.hard_link(entry, &parent, *object_address)
            }
            EntryKind::Soft(target) => {
                let target = LinkTarget::Soft(target.clone());
                link::create_link(&parent, &entry.name, &target, &self.link_creation)
            }
            EntryKind::External { file, path } => {
                let target = LinkTarget::External {
                    file: file.clone(),
                    path: path.clone(),
                };
                link::create_link(&parent, &entry.name, &target, &self.link_creation)
            }
            EntryKind::UserDefined(class) => Err(ContainerError::Unsupported(format!(
                "a link of class {class}, which only the program that wrote it can copy"
            ))),
        }
    }

    fn hard_link(&self, entry: &Entry, parent: &Handle, object_address: u64) -> Result<()> {
        let path = self.input.paths().get(&object_address).ok_or_else(|| {
            ContainerError::Internal("a hard link to an unknown object".to_owned())
        })?;
        let object = link::open_object(self.output, path)?;
        link::link_object(&object, parent, &entry.name, &self.link_creation)
    }

    fn named_datatype(&mut self, entry: &Entry, parent: &Handle, address: u64) -> Result<()> {
        let from = link::open_object(&self.input.file, &entry.path)?;
        let datatype = link::as_datatype(from);
        let Some(copy) = self.types.copy_of(&datatype)? else {
            return Err(ContainerError::Corrupt(
                "a datatype object is not committed".to_owned(),
            ));
        };
        link::link_object(copy.handle(), parent, &entry.name, &self.link_creation)?;
        let to = link::open_object(parent, &entry.name)?;
        self.register(address, &to)?;
        self.copy_attributes(datatype.handle(), &to, &entry.path, &HashSet::new())
    }

    fn dataset(&mut self, entry: &Entry, parent: &Handle, number: usize) -> Result<()> {
        let info = &self.input.datasets()[number];
        let from = self.input.open_dataset(&entry.path)?;
        let datatype = from.datatype()?;
        let storage = &self.storage[number];
        refuse_huge_chunks(info, storage)?;
        let creation = creation_list(&from, &datatype, info, storage)?;
        let memory = datatype.memory_copy()?;
        let target_type = self.types.copy_of(&datatype)?.unwrap_or(&memory);
        let to = Dataset::create(
            parent,
            &entry.name,
            target_type,
            &from.extent()?,
            &self.link_creation,
            &creation,
        )?;
        self.register(info.object_address, to.handle())?;
        let left_out = self.additions.not_copied(number);
        self.copy_attributes(from.handle(), to.handle(), &entry.path, &left_out)?;
        self.additions.write_attributes(number, to.handle())?;
        self.defined.datasets.push(to);
        Ok(())
    }

    fn register(&mut self, from: u64, to: &Handle) -> Result<()> {
        self.defined
            .addresses
            .insert(from, link::object_address(to)?);
        Ok(())
    }

    fn copy_attributes(
        &mut self,
        from: &Handle,
        to: &Handle,
        path: &str,
        left_out: &HashSet<&str>,
    ) -> Result<()> {
        let limit = self.input.file_bytes();
        let deferred = attributes::copy_all(from, to, path, left_out, &mut self.types, limit)?;
        self.defined.deferred.extend(deferred);
        Ok(())
    }
}

/// Chunks that the V18 format cannot hold are refused before anything is written.
fn refuse_huge_chunks(info: &DatasetInfo, storage: &OutputStorage) -> Result<()> {
    let chunk = match (storage, &info.storage) {
        (OutputStorage::Chunked { chunk, .. }, _)
        | (OutputStorage::Keep, DatasetStorage::Chunked { chunk, .. }) => chunk,
        _ => return Ok(()),
    };
    let size = info.element.size_bytes as u64;
    let bytes = chunk
        .iter()
        .try_fold(size, |product, &n| product.checked_mul(n));
    if bytes.is_none_or(|bytes| bytes > u64::from(u32::MAX)) {
        return Err(ContainerError::Unsupported(
            "chunks of 4 GiB and more need HDF5 2.0 to be read; choose smaller ones with --chunks"
                .to_owned(),
        ));
    }
    Ok(())
}

/// The creation list of an output dataset.
fn creation_list(
    from: &Dataset,
    datatype: &Datatype,
    info: &DatasetInfo,
    storage: &OutputStorage,
) -> Result<PropertyList> {
    let source = from.creation()?;
    if info.storage == DatasetStorage::Virtual && *storage == OutputStorage::Keep {
        // The mapping only exists inside the list: copy it whole.
        return source.duplicate();
    }
    let creation = PropertyList::dataset_create()?;
    match storage {
        OutputStorage::Contiguous => creation.set_contiguous()?,
        OutputStorage::Chunked { chunk, pipeline } => set_chunked(&creation, chunk, pipeline)?,
        OutputStorage::Keep => match &info.storage {
            DatasetStorage::Compact => creation.set_compact()?,
            DatasetStorage::Chunked {
                chunk, pipeline, ..
            } => {
                set_chunked(&creation, chunk, pipeline)?;
            }
            DatasetStorage::Contiguous { .. }
            | DatasetStorage::External
            | DatasetStorage::Virtual => creation.set_contiguous()?,
        },
    }
    creation.set_fill_time(source.fill_time()?)?;
    if source.fill_status()? != FillStatus::Default {
        creation.copy_fill_value(&source, datatype)?;
    }
    Ok(creation)
}

/// Sets chunked layout; filters need not be there, since chunks come encoded.
pub(super) fn set_chunked(
    creation: &PropertyList,
    chunk: &[u64],
    pipeline: &FilterPipeline,
) -> Result<()> {
    for stage in &pipeline.0 {
        filter::accept_encoded(stage)?;
    }
    creation.set_chunked(chunk, pipeline)
}

/// Puts the object's path in front of an error's text.
pub(super) fn name_object(path: &str, error: ContainerError) -> ContainerError {
    match error {
        ContainerError::Hdf5 { doing, reason } => ContainerError::Hdf5 {
            doing: format!("{path}: {doing}"),
            reason,
        },
        ContainerError::Unsupported(what) => ContainerError::Unsupported(format!("{path}: {what}")),
        ContainerError::Corrupt(what) => ContainerError::Corrupt(format!("{path}: {what}")),
        other => other,
    }
}
