//! One pass over an HDF5 file's objects, into plain data.

use std::collections::{HashMap, HashSet};
use std::fs::File;
use std::path::Path;
use std::sync::Arc;

use super::contents::{Contents, Entry, EntryKind};
use super::dataset_info::{DatasetInfo, DatasetStorage};
use super::netcdf_names::{NON_COORDINATE_PREFIX, PLACEHOLDER};
use super::writer_flags::WriterFlags;
use crate::error::{ContainerError, Result};
use crate::ffi::Handle;
use crate::ffi::dataset::Dataset;
use crate::ffi::dataspace::Extent;
use crate::ffi::known::{Class, FillStatus, ObjectKind};
use crate::ffi::link::{self, LinkTarget};
use crate::ffi::property::LayoutClass;
use crate::ffi::{attribute, file, names, variable_length};

/// Most datasets kept open at a time: each holds some kilobytes in libhdf5.
const MAX_OPEN_DATASETS: usize = 2000;

/// Deepest nesting of groups that is believed to be meant.
const MAX_DEPTH: usize = 1000;

/// An HDF5 file open for reading.
#[derive(Debug)]
pub struct Hdf5Input {
    /// Datasets that stay open: opening one costs as much as describing it. First, because they
    /// must be closed before the file.
    open: HashMap<String, Arc<Dataset>>,
    pub(super) file: Handle,
    contents: Arc<Contents>,
}

impl Hdf5Input {
    /// Opens a file and reads what its objects are; values stay where they are.
    ///
    /// # Errors
    /// If the file cannot be read, is not HDF5, or contradicts itself.
    pub fn open(path: &Path) -> Result<Self> {
        let opened = File::open(path).and_then(|file| {
            let bytes = file.metadata()?.len();
            Ok((bytes, WriterFlags::of(&file)?.is_swmr))
        });
        let (file_bytes, is_swmr) =
            opened.map_err(|error| ContainerError::io("open file", error))?;
        let file = file::open_read(path, is_swmr)?;
        let creation = file::creation(&file)?;
        let root = link::open_group(&file, "/")?;
        let facts = link::object_facts(&root)?;
        let mut unusual_form = creation.unusual_file_form()?;
        if facts.has_unknown {
            unusual_form.push("a message that HDF5 does not know at /".to_owned());
        }
        let contents = Contents {
            has_times: facts.has_times,
            unusual_form,
            user_block_bytes: creation.user_block_bytes()?,
            superblock: file::superblock_version(&file)?,
            root_link_order: link::group_creation(&root)?.link_order()?,
            path: path.to_owned(),
            file_bytes,
            is_swmr,
            entries: Vec::new(),
            datasets: Vec::new(),
            paths: HashMap::from([(facts.address, "/".to_owned())]),
        };
        let mut input = Self {
            open: HashMap::new(),
            file,
            contents: Arc::new(contents),
        };
        input.scan(root)?;
        input.name_dimensions()?;
        Ok(input)
    }

    /// Opens a file again of which it is known what it holds: nothing is read but what is asked for.
    ///
    /// # Errors
    /// If the file cannot be opened.
    pub fn reopen(contents: &Arc<Contents>) -> Result<Self> {
        Ok(Self {
            open: HashMap::new(),
            file: file::open_read(&contents.path, contents.is_swmr)?,
            contents: Arc::clone(contents),
        })
    }

    /// What the file holds; outlives the open file.
    #[must_use]
    pub fn contents(&self) -> &Arc<Contents> {
        &self.contents
    }

    /// To be filled in; nobody else has the contents yet, so that nothing is copied.
    fn contents_mut(&mut self) -> &mut Contents {
        Arc::make_mut(&mut self.contents)
    }

    /// The file.
    #[must_use]
    pub fn path(&self) -> &Path {
        &self.contents.path
    }

    /// Size of the file in bytes.
    #[must_use]
    pub fn file_bytes(&self) -> u64 {
        self.contents.file_bytes
    }

    /// Bytes before the HDF5 part.
    #[must_use]
    pub fn user_block_bytes(&self) -> u64 {
        self.contents.user_block_bytes
    }

    /// Superblock version.
    #[must_use]
    pub fn superblock(&self) -> u32 {
        self.contents.superblock
    }

    /// Link creation order flags of the root group.
    #[must_use]
    pub fn root_link_order(&self) -> u32 {
        self.contents.root_link_order
    }

    /// What the file has beyond its objects and their values that no reader of these sees, in
    /// words; only what is not as usual.
    #[must_use]
    pub fn unusual_form(&self) -> Vec<&str> {
        let form = self.contents.unusual_form.iter().map(String::as_str);
        let times = self.contents.has_times.then_some("times of objects");
        form.chain(times).collect()
    }

    /// Every name in the file but the root's, parents before children.
    #[must_use]
    pub fn entries(&self) -> &[Entry] {
        &self.contents.entries
    }

    /// Every dataset, in the order of first names.
    #[must_use]
    pub fn datasets(&self) -> &[DatasetInfo] {
        &self.contents.datasets
    }

    /// The first path of each object, by object address.
    #[must_use]
    pub fn paths(&self) -> &HashMap<u64, String> {
        &self.contents.paths
    }

    /// Whether the file says it was written by netCDF (or by frazil for netCDF readers).
    ///
    /// # Errors
    /// If the root group cannot be read.
    pub fn is_netcdf4(&self) -> Result<bool> {
        Ok(self.root_has("_NCProperties")?
            || self.root_has("_nc3_strict")?
            || self
                .datasets()
                .iter()
                .any(|dataset| dataset.is_dimension_only))
    }

    /// Whether the file keeps to the classic model.
    ///
    /// # Errors
    /// If the root group cannot be read.
    pub fn is_classic_model(&self) -> Result<bool> {
        self.root_has("_nc3_strict")
    }

    /// A text attribute of an object; `None` if there is none or it is not one text.
    ///
    /// # Errors
    /// If the object or the attribute cannot be read.
    pub fn text_attribute(&self, object: &str, name: &str) -> Result<Option<String>> {
        let object = if object == "/" {
            link::open_group(&self.file, "/")?
        } else {
            link::open_object(&self.file, object)?
        };
        let Some(found) = attribute::open_by_name(&object, name)? else {
            return Ok(None);
        };
        let (memory, extent) = (found.datatype()?.memory_copy()?, found.extent()?);
        if memory.class()? != Class::String || extent.elements() != Some(1) {
            return Ok(None);
        }
        let value = found.read(&memory, &extent, self.file_bytes())?;
        if !memory.is_variable_text()? {
            let end = value
                .iter()
                .position(|&byte| byte == 0)
                .unwrap_or(value.len());
            return Ok(Some(String::from_utf8_lossy(&value[..end]).into_owned()));
        }
        let text = variable_length::variable_text_bytes(&value)?;
        memory.reclaim(&extent, value)?;
        Ok(text.map(|bytes| String::from_utf8_lossy(&bytes).into_owned()))
    }

    fn root_has(&self, attribute_name: &str) -> Result<bool> {
        let root = link::open_group(&self.file, "/")?;
        Ok(attribute::open_by_name(&root, attribute_name)?.is_some())
    }

    /// The dataset of this path, if it is open already.
    pub(super) fn opened(&self, path: &str) -> Option<&Dataset> {
        self.open.get(path).map(Arc::as_ref)
    }

    pub(super) fn open_dataset(&self, path: &str) -> Result<Arc<Dataset>> {
        match self.open.get(path) {
            Some(dataset) => Ok(Arc::clone(dataset)),
            None => Dataset::open(&self.file, path).map(Arc::new),
        }
    }

    /// Walks all groups depth first, without recursion: nesting depth is the file's to choose.
    fn scan(&mut self, root: Handle) -> Result<()> {
        let names = names_in_order(&root, self.contents.root_link_order)?;
        let mut stack = vec![OpenGroup {
            group: root,
            path: "/".to_owned(),
            names,
            next: 0,
        }];
        while let Some(top) = stack.last_mut() {
            let Some(name) = top.names.get(top.next).cloned() else {
                stack.pop();
                continue;
            };
            top.next += 1;
            if let Some(below) = self.visit(top, &name)? {
                if stack.len() >= MAX_DEPTH {
                    return Err(ContainerError::Unsupported(format!(
                        "groups nested more than {MAX_DEPTH} deep at {}",
                        below.path
                    )));
                }
                stack.push(below);
            }
        }
        Ok(())
    }

    /// Enters one link; returns the group to descend into if it is a new one.
    fn visit(&mut self, parent: &OpenGroup, name: &str) -> Result<Option<OpenGroup>> {
        let path = join(&parent.path, name);
        let link = link::read(&parent.group, name)?;
        let (kind, below) = match link.target {
            LinkTarget::Hard => self.visit_object(&parent.group, name, &path)?,
            LinkTarget::Soft(target) => (EntryKind::Soft(target), None),
            LinkTarget::External { file, path } => (EntryKind::External { file, path }, None),
            LinkTarget::UserDefined { class, value } => {
                (EntryKind::UserDefined { class, value }, None)
            }
        };
        let (parent, name) = (parent.path.clone(), name.to_owned());
        self.contents_mut().entries.push(Entry {
            path,
            parent,
            name,
            is_utf8: link.is_utf8,
            kind,
        });
        Ok(below)
    }

    fn visit_object(
        &mut self,
        group: &Handle,
        name: &str,
        path: &str,
    ) -> Result<(EntryKind, Option<OpenGroup>)> {
        let object = link::open_object(group, name).map_err(|error| error.at(path))?;
        let facts = link::object_facts(&object)?;
        let object_address = facts.address;
        if self.paths().contains_key(&object_address) {
            return Ok((EntryKind::HardLink { object_address }, None));
        }
        let contents = self.contents_mut();
        contents.has_times |= facts.has_times;
        if facts.has_unknown {
            let message = format!("a message that HDF5 does not know at {path}");
            contents.unusual_form.push(message);
        }
        contents.paths.insert(object_address, path.to_owned());
        match link::kind(&object)? {
            ObjectKind::NamedDatatype => Ok((EntryKind::NamedDatatype { object_address }, None)),
            ObjectKind::Dataset => {
                let dataset = Dataset::from_handle(object);
                let info = describe(&dataset, path, object_address, &self.contents)
                    .map_err(|error| error.at(path))?;
                self.contents_mut().datasets.push(info);
                if self.open.len() < MAX_OPEN_DATASETS {
                    self.open.insert(path.to_owned(), Arc::new(dataset));
                }
                Ok((EntryKind::Dataset(self.datasets().len() - 1), None))
            }
            ObjectKind::Group => {
                let link_order = link::group_creation(&object)?.link_order()?;
                let names = names_in_order(&object, link_order)?;
                let below = OpenGroup {
                    group: object,
                    path: path.to_owned(),
                    names,
                    next: 0,
                };
                Ok((
                    EntryKind::Group {
                        object_address,
                        link_order,
                    },
                    Some(below),
                ))
            }
        }
    }

    /// Names the axes of datasets from their dimension scales.
    fn name_dimensions(&mut self) -> Result<()> {
        let mut named = Vec::with_capacity(self.datasets().len());
        for dataset in self.datasets() {
            named.push(self.dimension_names(dataset)?);
        }
        for (dataset, names) in self.contents_mut().datasets.iter_mut().zip(named) {
            dataset.dimension_names = names;
        }
        Ok(())
    }
}

/// A group whose links are being walked.
struct OpenGroup {
    group: Handle,
    path: String,
    names: Vec<String>,
    next: usize,
}

/// Link names in the order netCDF readers use: creation order if tracked, else by name.
fn names_in_order(group: &Handle, link_order: u32) -> Result<Vec<String>> {
    let by_creation = link_order & 1 != 0;
    let names = names::of_links(group, by_creation)?;
    let mut seen = HashSet::new();
    if let Some(name) = names.iter().find(|name| !seen.insert(name.as_str())) {
        return Err(ContainerError::Corrupt(format!(
            "a group holds {name:?} twice"
        )));
    }
    Ok(names)
}

/// Reads what a dataset is.
/// Elements up to this many bytes may be larger than a file that holds none of them.
const LARGEST_UNWRITTEN_ELEMENT: u64 = 1 << 20;

fn describe(
    dataset: &Dataset,
    path: &str,
    object_address: u64,
    contents: &Contents,
) -> Result<DatasetInfo> {
    let datatype = dataset.datatype()?;
    let element = datatype.element_type()?;
    // Each fill value is one element; nothing else in the file bounds it.
    if element.size_bytes as u64 > contents.file_bytes.max(LARGEST_UNWRITTEN_ELEMENT) {
        let reason = format!(
            "its elements have {} bytes each, more than the file",
            element.size_bytes
        );
        return Err(ContainerError::Unsupported(reason));
    }
    let extent = dataset.extent()?;
    let (shape, unlimited) = match &extent {
        Extent::Null | Extent::Scalar => (Vec::new(), Vec::new()),
        Extent::Simple { shape, max_shape } => {
            let unlimited = max_shape.iter().map(Option::is_none).collect();
            (shape.clone(), unlimited)
        }
    };
    let creation = dataset.creation()?;
    let storage = match creation.layout()? {
        LayoutClass::Compact => DatasetStorage::Compact,
        LayoutClass::Contiguous => {
            // As for other readers, the address alone says whether there are values: the size beside
            // it may be damaged. Where there is none, libhdf5 2.2 still adds the user block to it.
            let has_values = extent != Extent::Null && !shape.contains(&0);
            let address = dataset.contiguous_address();
            let address = address.filter(|&at| has_values && at >= contents.user_block_bytes);
            DatasetStorage::Contiguous { address }
        }
        LayoutClass::External => DatasetStorage::External,
        LayoutClass::Virtual => DatasetStorage::Virtual,
        LayoutClass::Chunked {
            chunk,
            raw_partial_edges,
        } => {
            if chunk.len() != shape.len() || chunk.contains(&0) {
                return Err(ContainerError::Corrupt(format!(
                    "chunks of shape {chunk:?} do not fit an array of shape {shape:?}"
                )));
            }
            DatasetStorage::Chunked {
                chunk,
                pipeline: creation.pipeline()?,
                raw_partial_edges,
            }
        }
    };
    let fill_status = creation.fill_status()?;
    let fill = match fill_status {
        _ if !element.is_self_contained() => Vec::new(),
        FillStatus::User => creation.fill_value(&datatype)?,
        FillStatus::Default | FillStatus::Undefined => vec![0; element.size_bytes],
    };
    Ok(DatasetInfo {
        path: user_path(path),
        object_path: path.to_owned(),
        element,
        dimension_names: Vec::new(),
        shape,
        unlimited,
        may_grow: extent.may_grow(),
        is_null: extent == Extent::Null,
        stored_bytes: dataset.stored_bytes(),
        storage,
        fill,
        fill_status,
        fill_time: creation.fill_time()?,
        object_address,
        is_dimension_only: is_dimension_only(dataset)?,
    })
}

/// `parent/name`.
fn join(parent: &str, name: &str) -> String {
    if parent == "/" {
        format!("/{name}")
    } else {
        format!("{parent}/{name}")
    }
}

/// The path by which users know a variable.
fn user_path(path: &str) -> String {
    match path.rsplit_once('/') {
        Some((group, name)) => match name.strip_prefix(NON_COORDINATE_PREFIX) {
            Some(own) if !own.is_empty() => format!("{group}/{own}"),
            _ => path.to_owned(),
        },
        None => path.to_owned(),
    }
}

/// What follows the last slash.
pub(super) fn last_part(path: &str) -> &str {
    path.rsplit('/').next().unwrap_or(path)
}

/// Whether a dataset only stands for a netCDF dimension (netCDF-C looks at the NAME as well).
fn is_dimension_only(dataset: &Dataset) -> Result<bool> {
    let Some(name) = attribute::open_by_name(dataset.handle(), "NAME")? else {
        return Ok(false);
    };
    let memory = name.datatype()?;
    let extent = name.extent()?;
    if memory.holds_variable_length()? || extent.elements() != Some(1) {
        return Ok(false);
    }
    Ok(name
        .read(&memory, &extent, 1 << 16)?
        .starts_with(PLACEHOLDER.as_bytes()))
}
