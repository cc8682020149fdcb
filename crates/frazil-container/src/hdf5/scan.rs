//! One pass over an HDF5 file's objects, into plain data.

use std::collections::HashMap;
use std::fs::File;
use std::path::Path;
use std::sync::{Arc, OnceLock};

use frazil_hdf5::{
    Attribute, Extent, FillStatus, Link, LinkTarget, Object, ObjectKind, Source, TypeClass,
};
use frazil_types::sync::Mutex;

use super::contents::{Contents, Entry, EntryKind, FarSource};
use super::dataset_info::DatasetInfo;
use super::metadata;
use super::netcdf_names::{NON_COORDINATE_PREFIX, PLACEHOLDER};
use super::scales::Axes;
use super::writer_flags::WriterFlags;
use crate::error::{ContainerError, Result};
use crate::ffi::Handle;
use crate::ffi::dataset::Dataset;
use crate::ffi::file;

/// Most datasets kept open at a time: each holds some kilobytes in libhdf5.
const MAX_OPEN_DATASETS: usize = 2000;

/// Deepest nesting of groups that is believed to be meant.
const MAX_DEPTH: usize = 1000;

/// An HDF5 file open for reading. libhdf5 opens it too when it is first needed.
#[derive(Debug)]
pub struct Hdf5Input {
    /// Datasets that stay open in libhdf5. First, because they must be closed before the file.
    open: Mutex<HashMap<String, Arc<Dataset>>>,
    library: OnceLock<Handle>,
    pub(super) metadata: Mutex<Option<Arc<frazil_hdf5::File>>>,
    contents: Arc<Contents>,
}

impl Hdf5Input {
    /// Opens a file and reads what its objects are; values stay where they are.
    ///
    /// # Errors
    /// If the file cannot be read, is not HDF5, or contradicts itself.
    pub fn open(path: &Path) -> Result<Self> {
        let is_swmr = File::open(path)
            .and_then(|file| WriterFlags::of(&file))
            .map_err(|error| ContainerError::io("open file", error))?
            .is_swmr;
        let failed = |error| ContainerError::io("open file", error);
        let (metadata, contents) = metadata::while_written(is_swmr, || {
            let file = File::open(path).map_err(failed)?;
            read(Box::new(file), path, is_swmr)
        })?;
        let mut input = Self::of(Arc::new(contents));
        input.metadata = Mutex::new(Some(Arc::new(metadata)));
        Ok(input)
    }

    /// Opens a file that is somewhere else; `path` is what messages call it.
    ///
    /// # Errors
    /// As [`Self::open`].
    pub fn open_far(path: &Path, source: &Arc<dyn Source>) -> Result<Self> {
        let (metadata, mut contents) = read(Box::new(Arc::clone(source)), path, false)?;
        contents.source = Some(FarSource(Arc::clone(source)));
        let mut input = Self::of(Arc::new(contents));
        input.metadata = Mutex::new(Some(Arc::new(metadata)));
        Ok(input)
    }

    /// Whether the file is somewhere else.
    #[must_use]
    pub fn is_far(&self) -> bool {
        self.contents.source.is_some()
    }

    /// Opens a file again of which it is known what it holds: nothing is read but what is asked for.
    #[must_use]
    pub fn reopen(contents: &Arc<Contents>) -> Self {
        Self::of(Arc::clone(contents))
    }

    fn of(contents: Arc<Contents>) -> Self {
        Self {
            open: Mutex::default(),
            library: OnceLock::new(),
            metadata: Mutex::default(),
            contents,
        }
    }

    /// What the file holds; outlives the open file.
    #[must_use]
    pub fn contents(&self) -> &Arc<Contents> {
        &self.contents
    }

    /// Takes another shape for a dataset's own: virtual ones are as long as what they are mapped onto. Nothing
    /// changes once the contents are shared.
    pub fn set_shape(&mut self, dataset: usize, shape: &[u64]) {
        let contents = Arc::get_mut(&mut self.contents);
        if let Some(info) = contents.and_then(|contents| contents.datasets.get_mut(dataset)) {
            shape.clone_into(&mut info.shape);
        }
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
        let times = self
            .contents
            .has_times
            .then_some("date stamps of HDF5's objects");
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

    fn root_has(&self, name: &str) -> Result<bool> {
        Ok(self.attribute("/", name)?.is_some())
    }

    /// The file, open in libhdf5.
    pub(super) fn library(&self) -> Result<&Handle> {
        if self.library.get().is_none() {
            self.check()?;
            let (path, is_swmr) = (&self.contents.path, self.contents.is_swmr);
            let opened = match &self.contents.source {
                None => file::open_read(path, is_swmr)?,
                Some(far) if far.0.needs_no_lock() => file::open_far(path, &far.0)?,
                Some(_) => {
                    let cause = "only libhdf5 reads this, which cannot ask a file object: open a copy by its name";
                    return Err(ContainerError::Unsupported(cause.to_owned()));
                }
            };
            // Another thread's is as good.
            let _ = self.library.set(opened);
        }
        self.library
            .get()
            .ok_or_else(|| ContainerError::Internal("a file that was opened is not".to_owned()))
    }

    /// Whether libhdf5 has opened the file.
    #[must_use]
    pub fn is_in_library(&self) -> bool {
        self.library.get().is_some()
    }

    /// A dataset, open in libhdf5.
    pub(super) fn open_dataset(&self, path: &str) -> Result<Arc<Dataset>> {
        if let Some(known) = self.open.lock().get(path) {
            return Ok(Arc::clone(known));
        }
        let dataset = Arc::new(Dataset::open(self.library()?, path)?);
        let mut open = self.open.lock();
        if open.len() < MAX_OPEN_DATASETS {
            open.insert(path.to_owned(), Arc::clone(&dataset));
        }
        Ok(dataset)
    }
}

/// Reads what a file's objects are.
fn read(
    source: Box<dyn Source>,
    path: &Path,
    is_swmr: bool,
) -> Result<(frazil_hdf5::File, Contents)> {
    let failed = |error| ContainerError::io("open file", error);
    let file_bytes = source.length().map_err(failed)?;
    let metadata = metadata::open(source)?;
    let contents = Scan::new(&metadata, path, file_bytes, is_swmr)?.contents()?;
    Ok((metadata, contents))
}

/// The walk over a file's objects.
struct Scan<'a> {
    file: &'a frazil_hdf5::File,
    contents: Contents,
    /// What each dataset says of its axes.
    axes: Vec<Axes>,
    root: Object,
}

/// A group whose links are being walked.
struct OpenGroup {
    path: String,
    links: std::vec::IntoIter<Link>,
}

impl<'a> Scan<'a> {
    fn new(
        file: &'a frazil_hdf5::File,
        path: &Path,
        file_bytes: u64,
        is_swmr: bool,
    ) -> Result<Self> {
        let root = file.root()?;
        if root.kind != ObjectKind::Group {
            return Err(ContainerError::Corrupt("its root is no group".to_owned()));
        }
        let superblock = file.superblock();
        let contents = Contents {
            has_times: root.has_times(),
            unusual_form: unusual_form(file),
            user_block_bytes: superblock.user_block_bytes,
            superblock: superblock.version.into(),
            root_link_order: link_order(file, &root)?,
            path: path.to_owned(),
            source: None,
            file_bytes,
            is_swmr,
            entries: Vec::new(),
            datasets: Vec::new(),
            paths: HashMap::from([(root.address(), "/".to_owned())]),
            addresses: HashMap::from([("/".to_owned(), root.address())]),
        };
        let mut scan = Self {
            file,
            contents,
            axes: Vec::new(),
            root,
        };
        let root = scan.root.clone();
        scan.note_unknown(&root, "/");
        Ok(scan)
    }

    fn note_unknown(&mut self, object: &Object, path: &str) {
        if object.has_unknown_message() {
            let message = format!("a message that HDF5 does not know at {path}");
            self.contents.unusual_form.push(message);
        }
    }

    /// Walks all groups depth first, without recursion: nesting depth is the file's to choose.
    fn contents(mut self) -> Result<Contents> {
        let root = self.root.clone();
        let mut stack = vec![self.enter("/", &root)?];
        while let Some(top) = stack.last_mut() {
            let Some(link) = top.links.next() else {
                stack.pop();
                continue;
            };
            let parent = top.path.clone();
            if let Some(below) = self.visit(&parent, link)? {
                if stack.len() >= MAX_DEPTH {
                    return Err(ContainerError::Unsupported(format!(
                        "groups nested more than {MAX_DEPTH} deep at {}",
                        below.path
                    )));
                }
                stack.push(below);
            }
        }
        let paths = &self.contents.paths;
        for (dataset, axes) in self.contents.datasets.iter_mut().zip(&self.axes) {
            dataset.dimension_names = axes.names(dataset, paths);
        }
        Ok(self.contents)
    }

    /// The links of a group: in creation order if that is tracked, else by name, as netCDF readers see them.
    fn enter(&self, path: &str, group: &Object) -> Result<OpenGroup> {
        let links = self.file.links(group)?;
        let address = |link: &Link| match link.target {
            LinkTarget::Hard(address) => Some(address),
            _ => None,
        };
        let below: Vec<u64> = links.iter().filter_map(address).collect();
        self.file.prefetch(&below)?;
        Ok(OpenGroup {
            path: path.to_owned(),
            links: links.into_iter(),
        })
    }

    /// Enters one link; returns the group to descend into if it is a new one.
    fn visit(&mut self, parent: &str, link: Link) -> Result<Option<OpenGroup>> {
        let path = join(parent, &link.name);
        let (kind, below) = match link.target {
            LinkTarget::Hard(address) => {
                let visited = self.visit_object(address, &path);
                self.contents.addresses.insert(path.clone(), address);
                visited.map_err(|error| error.at(&path))?
            }
            LinkTarget::Soft(target) => (EntryKind::Soft(target), None),
            LinkTarget::External { file, path } => (EntryKind::External { file, path }, None),
            LinkTarget::UserDefined { class, value } => {
                let class = class.into();
                (EntryKind::UserDefined { class, value }, None)
            }
        };
        self.contents.entries.push(Entry {
            path,
            parent: parent.to_owned(),
            name: link.name,
            is_utf8: link.is_utf8,
            kind,
        });
        Ok(below)
    }

    fn visit_object(
        &mut self,
        object_address: u64,
        path: &str,
    ) -> Result<(EntryKind, Option<OpenGroup>)> {
        if self.contents.paths.contains_key(&object_address) {
            return Ok((EntryKind::HardLink { object_address }, None));
        }
        let object = self.file.object(object_address)?;
        self.contents.has_times |= object.has_times();
        self.note_unknown(&object, path);
        self.contents.paths.insert(object_address, path.to_owned());
        match object.kind {
            ObjectKind::NamedDatatype => Ok((EntryKind::NamedDatatype { object_address }, None)),
            ObjectKind::Dataset => {
                let info = describe(self.file, &object, path, self.contents.file_bytes)?;
                self.axes.push(Axes::of(self.file, &object)?);
                self.contents.datasets.push(info);
                Ok((EntryKind::Dataset(self.contents.datasets.len() - 1), None))
            }
            ObjectKind::Group => {
                let kind = EntryKind::Group {
                    object_address,
                    link_order: link_order(self.file, &object)?,
                };
                Ok((kind, Some(self.enter(path, &object)?)))
            }
        }
    }
}

/// HDF5's link creation order flags of a group.
fn link_order(file: &frazil_hdf5::File, group: &Object) -> Result<u32> {
    let order = file.link_order(group)?;
    Ok(u32::from(order.is_tracked) | u32::from(order.is_indexed) << 1)
}

/// What a file has beyond its objects that is not as usual, in words.
fn unusual_form(file: &frazil_hdf5::File) -> Vec<String> {
    /// Bytes of an address and of a length.
    const USUAL_BYTES: u8 = 8;
    let mut found = Vec::new();
    if let Some(space) = file.space() {
        match space.strategy {
            0 => {}
            1 => found.push(format!("file space in pages of {} bytes", space.page_bytes)),
            2 => found.push("file space without lists of free space".to_owned()),
            _ => found.push("file space at the end of the file only".to_owned()),
        }
        if space.persists {
            found.push("lists of free space in the file".to_owned());
        }
    }
    let sizes = file.superblock().sizes;
    let (address, length) = (sizes.address, sizes.length);
    if (address, length) != (USUAL_BYTES, USUAL_BYTES) {
        found.push(format!(
            "addresses of {address} and lengths of {length} bytes"
        ));
    }
    let ranks = file.ranks();
    if !ranks.are_usual() {
        found.push(format!(
            "B-tree ranks ({}, {}, {})",
            ranks.symbol_node, ranks.symbol_leaf, ranks.chunk_node
        ));
    }
    if file.shares_messages() {
        found.push("messages that objects share".to_owned());
    }
    found
}

/// Of elements up to this many bytes, fill values are kept ready also if they are larger than the file.
const LARGEST_UNWRITTEN_ELEMENT: u64 = 1 << 20;

/// Reads what a dataset is.
fn describe(
    file: &frazil_hdf5::File,
    object: &Object,
    path: &str,
    file_bytes: u64,
) -> Result<DatasetInfo> {
    let dataset = file.dataset(object)?;
    let element = dataset.datatype.clone().in_memory().element();
    // Each fill value is one element; nothing else in the file bounds it. One that the file states it holds.
    let is_too_large = element.size_bytes as u64 > file_bytes.max(LARGEST_UNWRITTEN_ELEMENT);
    let unlimited = match &dataset.extent {
        Extent::Null | Extent::Scalar => Vec::new(),
        Extent::Simple { max_shape, .. } => max_shape.iter().map(Option::is_none).collect(),
    };
    let fill = match dataset.fill.status {
        _ if !element.is_self_contained() => Vec::new(),
        FillStatus::User => dataset.fill.value.clone(),
        _ if is_too_large => Vec::new(),
        FillStatus::Default | FillStatus::Undefined => vec![0; element.size_bytes],
    };
    Ok(DatasetInfo {
        path: user_path(path),
        object_path: path.to_owned(),
        element,
        dimension_names: Vec::new(),
        shape: dataset.extent.shape().to_vec(),
        unlimited,
        may_grow: dataset.extent.may_grow(),
        is_null: dataset.extent == Extent::Null,
        stored_bytes: dataset.unchunked_bytes(),
        storage: metadata::storage(&dataset),
        fill,
        fill_status: dataset.fill.status,
        fill_time: dataset.fill.time,
        object_address: object.address(),
        is_dimension_only: is_dimension_only(file.attribute(object, "NAME")?.as_ref()),
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

/// Whether a dataset with this `NAME` only stands for a netCDF dimension (netCDF-C looks at it as well).
fn is_dimension_only(name: Option<&Attribute>) -> bool {
    name.is_some_and(|name| {
        let is_text = matches!(name.datatype.class, TypeClass::FixedText { .. });
        is_text
            && name.extent.elements() == Some(1)
            && name.values.starts_with(PLACEHOLDER.as_bytes())
    })
}
