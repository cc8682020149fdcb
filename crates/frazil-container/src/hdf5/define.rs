//! The copy of an input's objects: groups, types, datasets without values, attributes, links.

use std::collections::{HashMap, HashSet};
use std::rc::Rc;

use frazil_types::FilterSpec;

use super::OutputStorage;
use super::additions::{Additions, Retyped};
use super::attributes::{self, DeferredAttribute};
use super::committed_types::{CommittedTypes, in_memory};
use super::contents::{Entry, EntryKind};
use super::creation::creation_list;
use super::dataset_info::{DatasetInfo, DatasetStorage};
use super::references::{CopiedObjects, LostReferences};
use super::scan::Hdf5Input;
use crate::error::{ContainerError, Result};
use crate::ffi::dataset::Dataset;
use crate::ffi::datatype::Datatype;
use crate::ffi::header::NewHeaders;
use crate::ffi::property::{HeaderForm, PropertyList};
use crate::ffi::{Handle, header, link, link_class};
use frazil_hdf5::{Attribute, FillStatus, Object};

/// What defining produced: the open output datasets and the work that must wait.
pub(super) struct Defined {
    /// Output datasets by the input's dataset number.
    pub(super) datasets: Vec<Dataset>,
    /// Addresses of the output's objects by the input's.
    pub(super) addresses: HashMap<u64, u64>,
    /// Attributes whose values hold references.
    pub(super) deferred: Vec<DeferredAttribute>,
    /// References that led nowhere.
    pub(super) lost: LostReferences,
    /// Fill values hold references, and where their objects would be was not known: the same objects
    /// defined again, into a new file with [`Self::addresses`] as foreseen, come to the same places.
    pub(super) must_be_repeated: bool,
}

/// Copies all objects of `input` into the empty file `output`, with `additions`. `foreseen` tells
/// the addresses of the output's objects by the input's, where they are known.
pub(super) fn define_copy(
    input: &Hdf5Input,
    output: &Handle,
    storage: &[OutputStorage],
    additions: &Additions,
    foreseen: Option<&HashMap<u64, u64>>,
) -> Result<Defined> {
    let headers = Rc::new(NewHeaders::of(output));
    let mut definition = Definition {
        input,
        output,
        storage,
        additions,
        foreseen,
        links: LinkCreation {
            utf8: link::link_creation()?,
            ascii: link::ascii_link_creation()?,
        },
        types: CommittedTypes::new(input, output, Rc::clone(&headers)),
        headers,
        defined: Defined {
            datasets: Vec::new(),
            addresses: HashMap::new(),
            deferred: Vec::new(),
            lost: LostReferences::default(),
            must_be_repeated: false,
        },
    };
    definition.root()?;
    for entry in input.entries() {
        definition
            .entry(entry)
            .map_err(|error| error.at(&entry.path))?;
    }
    definition.headers.make_old(false)?;
    additions.write_containers(output)?;
    Ok(definition.defined)
}

struct Definition<'a> {
    input: &'a Hdf5Input,
    output: &'a Handle,
    storage: &'a [OutputStorage],
    additions: &'a Additions,
    foreseen: Option<&'a HashMap<u64, u64>>,
    links: LinkCreation,
    types: CommittedTypes<'a>,
    headers: Rc<NewHeaders<'a>>,
    defined: Defined,
}

/// What links are created with, by what their names are said to be.
struct LinkCreation {
    utf8: PropertyList,
    ascii: PropertyList,
}

impl LinkCreation {
    fn of(&self, entry: &Entry) -> &PropertyList {
        match entry.is_utf8 {
            true => &self.utf8,
            false => &self.ascii,
        }
    }
}

impl Definition<'_> {
    fn root(&mut self) -> Result<()> {
        let address = self.input.contents().address("/").unwrap_or_default();
        let from = self.input.object_at(address)?;
        let to = link::open_group(self.output, "/")?;
        self.register(address, &to)?;
        let left_out = self.additions.not_copied_of_root();
        self.copy_attributes(&from, &to, "/", &left_out)?;
        self.additions.write_root_attributes(&to)
    }

    fn entry(&mut self, entry: &Entry) -> Result<()> {
        let parent = link::open_group(self.output, &entry.parent)?;
        match &entry.kind {
            EntryKind::Group {
                object_address,
                link_order,
            } => {
                let from = self.input.object_at(*object_address)?;
                // Groups that keep the order of their links have headers of version 2.
                let header = match *link_order {
                    0 => header::for_copy_of(&from.0, from.1.len()),
                    _ => HeaderForm::ORDERED,
                };
                let creation = PropertyList::group_create(*link_order, header)?;
                self.headers.make_old(header.is_old)?;
                let group =
                    link::create_group(&parent, &entry.name, self.links.of(entry), &creation)?;
                self.register(*object_address, &group)?;
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
                link::create_soft(&parent, &entry.name, target, self.links.of(entry))
            }
            EntryKind::External { file, path } => {
                let links = self.links.of(entry);
                link::create_external(&parent, &entry.name, (file, path), links)
            }
            EntryKind::UserDefined { class, value } => {
                link_class::accept(*class)?;
                let links = self.links.of(entry);
                link::create_with_value(&parent, &entry.name, (*class, value), links)
            }
        }
    }

    fn hard_link(&self, entry: &Entry, parent: &Handle, object_address: u64) -> Result<()> {
        let path = self.input.paths().get(&object_address).ok_or_else(|| {
            ContainerError::Internal("a hard link to an unknown object".to_owned())
        })?;
        let object = link::open_object(self.output, path)?;
        link::link_object(&object, parent, &entry.name, self.links.of(entry))
    }

    fn named_datatype(&mut self, entry: &Entry, parent: &Handle, address: u64) -> Result<()> {
        let from = self.input.object_at(address)?;
        let datatype = self
            .input
            .with_metadata(|file| Ok(file.datatype(&from.0)?))?;
        let Some(copy) = self.types.copy_of(&datatype, Some(address))? else {
            return Err(ContainerError::Internal(
                "a datatype object is not committed".to_owned(),
            ));
        };
        link::link_object(copy.handle(), parent, &entry.name, self.links.of(entry))?;
        let to = link::open_object(parent, &entry.name)?;
        self.register(address, &to)?;
        self.copy_attributes(&from, &to, &entry.path, &HashSet::new())
    }

    fn dataset(&mut self, entry: &Entry, parent: &Handle, number: usize) -> Result<()> {
        let info = &self.input.datasets()[number];
        let from = self.input.object_at(info.object_address)?;
        let mut read = self.input.dataset(info)?;
        let storage = &self.storage[number];
        refuse_huge_chunks(info, storage)?;
        let header = header::for_copy_of(&from.0, from.1.len());
        let creation = creation_list(info, storage, header)?;
        // As long as it was when the file was opened, since the chunks of then are copied.
        read.extent.set_shape(&info.shape);
        if info.storage == DatasetStorage::Virtual && *storage == OutputStorage::Keep {
            creation.set_virtual(&read.extent, &self.input.virtual_parts(info)?)?;
        }
        let memory = match self.additions.retyped(number) {
            Some(retyped) => {
                let Retyped { element, fill } = retyped;
                let datatype = Datatype::little_endian(element.class, element.size_bytes)?;
                creation.set_fill_value(&datatype, Some(fill))?;
                datatype
            }
            None => {
                let memory = in_memory(&read.datatype)?;
                self.copy_fill(&read, info, (&creation, &memory))?;
                memory
            }
        };
        let target_type = match self.additions.retyped(number) {
            Some(_) => &memory,
            None => {
                let committed = self.types.copy_of(&read.datatype, read.committed)?;
                committed.unwrap_or(&memory)
            }
        };
        self.headers.make_old(header.is_old)?;
        let to = Dataset::create(
            parent,
            &entry.name,
            target_type,
            &read.extent,
            self.links.of(entry),
            &creation,
        )?;
        check_filters(&to, info, storage)?;
        self.register(info.object_address, to.handle())?;
        let left_out = self.additions.not_copied(number);
        self.copy_attributes(&from, to.handle(), &entry.path, &left_out)?;
        self.additions.write_attributes(number, to.handle())?;
        self.defined.datasets.push(to);
        Ok(())
    }

    /// Copies a dataset's fill value, references translated.
    fn copy_fill(
        &mut self,
        read: &frazil_hdf5::Dataset,
        info: &DatasetInfo,
        (to, memory): (&PropertyList, &Datatype),
    ) -> Result<()> {
        match read.fill.status {
            FillStatus::Default => return Ok(()),
            FillStatus::Undefined => return to.set_fill_value(memory, None),
            FillStatus::User => {}
        }
        let nothing = HashMap::new();
        let objects = CopiedObjects {
            addresses: self.foreseen.unwrap_or(&nothing),
            root: None,
        };
        let form = self
            .input
            .in_memory_form(&read.datatype, &read.fill.value, &objects)?;
        match self.foreseen {
            Some(_) => self.defined.lost.add(&info.object_path, form.lost),
            None => self.defined.must_be_repeated |= form.lost > 0,
        }
        to.set_fill_value(memory, Some(&form.elements))
    }

    fn register(&mut self, from: u64, to: &Handle) -> Result<()> {
        self.defined
            .addresses
            .insert(from, link::object_address(to)?);
        Ok(())
    }

    /// Copies an object's comment, and its attributes but those that are left out.
    fn copy_attributes(
        &mut self,
        (from, attributes): &(Object, Vec<Attribute>),
        to: &Handle,
        path: &str,
        left_out: &HashSet<&str>,
    ) -> Result<()> {
        if let Some(comment) = from.comment() {
            link::set_comment(to, &comment)?;
        }
        let (input, types) = ((self.input, path), &mut self.types);
        let deferred = attributes::copy_all(input, attributes, to, left_out, types)?;
        self.defined.deferred.extend(deferred);
        Ok(())
    }
}

/// Whether files that HDF5 1.8 reads can have chunks of this shape: they have less than 4 GiB.
#[must_use]
pub fn is_storable_chunk(chunk: &[u64], element_bytes: usize) -> bool {
    let mut lengths = chunk.iter();
    let bytes = lengths.try_fold(element_bytes as u64, |product, &n| product.checked_mul(n));
    bytes.is_some_and(|bytes| u32::try_from(bytes).is_ok())
}

/// Chunks that the V18 format cannot hold are refused before anything is written.
fn refuse_huge_chunks(info: &DatasetInfo, storage: &OutputStorage) -> Result<()> {
    let chunk = match (storage, &info.storage) {
        (OutputStorage::Chunked { chunk, .. }, _)
        | (OutputStorage::Keep, DatasetStorage::Chunked { chunk, .. }) => chunk,
        _ => return Ok(()),
    };
    if !is_storable_chunk(chunk, info.element.size_bytes) {
        return Err(ContainerError::Unsupported(
            "chunks of 4 GiB and more need HDF5 2.0 to be read; choose smaller ones with --chunks"
                .to_owned(),
        ));
    }
    Ok(())
}

/// Refuses filters that libhdf5 wrote down with other values than those that chunks are made with: it
/// sets some itself, by type and chunk shape.
fn check_filters(to: &Dataset, info: &DatasetInfo, storage: &OutputStorage) -> Result<()> {
    let wanted = match (storage, &info.storage) {
        (OutputStorage::Chunked { pipeline, .. }, _)
        | (OutputStorage::Keep, DatasetStorage::Chunked { pipeline, .. }) => pipeline,
        _ => return Ok(()),
    };
    if wanted.0.is_empty() || !info.element.is_self_contained() {
        return Ok(());
    }
    let written = to.creation()?.pipeline()?;
    let differ = |(a, b): (&FilterSpec, &FilterSpec)| a.id != b.id || a.cd_values != b.cd_values;
    match wanted.0.iter().zip(&written.0).find(|&pair| differ(pair)) {
        None if wanted.0.len() == written.0.len() => Ok(()),
        different => Err(ContainerError::Unsupported(format!(
            "filter {} with values that libhdf5 does not write; state other filters",
            different.map_or_else(String::new, |(filter, _)| filter.display_name())
        ))),
    }
}
