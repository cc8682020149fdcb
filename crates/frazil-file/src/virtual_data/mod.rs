//! Virtual datasets: values that parts of other datasets hold, in the same file or in others.
//!
//! As libhdf5 sees them by default (`H5D_VDS_LAST_AVAILABLE`): fill values stand for what sources lack, a dataset is as long
//! as the longest of its sources makes it, and a series of sources ends with the first that is missing. Of a virtual
//! dataset that is itself a source, the shape in its file counts.
//!
//! Source: `H5Dvirtual.c` of HDF5 2.x.

mod axis;
mod boxes;
mod convert;
mod gather;
mod lineage;
mod names;
mod ordered;
mod part;
mod source;

use std::collections::HashMap;
use std::io;
use std::path::{Path, PathBuf};
use std::sync::Arc;

use frazil_container::hdf5::{
    DatasetInfo, DatasetPlace, DatasetStorage, Expanded, Extent, Hdf5Input, Source as FileSource,
    StoredElement,
};
use frazil_container::outside_forks;
use frazil_pipeline::ByteSource;
use frazil_types::sync::Mutex;
use frazil_types::{AxisSelection, ErrorCode};

use crate::error::{Error, Result};
use crate::file_state::FileState;
use crate::input::Input;
use crate::remote;
use crate::storage_error::from_container;
use lineage::{Lineage, Place};
use part::Part;
use source::{Source, hdf5_of, open_first};

/// Files and datasets that one virtual dataset keeps open, the last ones used.
const MOST_OPEN: usize = 64;
/// Each of a series takes a request of its own.
const MOST_FAR_FILES: u64 = 10_000;

/// External links that are followed on the way to a source, as many as libhdf5 follows (`H5L_NUM_LINKS`).
const MOST_LINKS: usize = 16;

/// The values of a virtual dataset.
pub struct VirtualValues {
    path: PathBuf,
    /// The shape; a single element without axes is one along an axis.
    shape: Vec<u64>,
    element: StoredElement,
    /// One element of what no source has, if it leads elsewhere.
    expanded_fill: Expanded,
    parts: Vec<Part>,
    /// Of each series, how many sources there are; those behind one that is missing do not count.
    series: Vec<Option<u64>>,
    /// Whether another virtual dataset takes values from it.
    is_source: bool,
    lineage: Lineage,
    /// Where its file's bytes come from, if that is somewhere else.
    far: Option<Arc<dyn FileSource>>,
    open: Mutex<Open>,
}

/// What was opened last comes last.
#[derive(Default)]
struct Open {
    files: Vec<(String, Arc<Input>)>,
    sources: Vec<((String, String), Arc<Source>)>,
    /// Files that were not beside one that is somewhere else.
    missing: Vec<(String, ())>,
}

impl std::fmt::Debug for VirtualValues {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.debug_struct("VirtualValues")
            .field("path", &self.path)
            .field("parts", &self.parts.len())
            .finish_non_exhaustive()
    }
}

impl VirtualValues {
    /// The values of a virtual dataset, which those of `above` are mapped onto, as elements that are `wanted`; `None`:
    /// as its own.
    ///
    /// # Errors
    /// If the file contradicts itself, or the dataset is mapped onto itself.
    fn new(
        hdf5: &Hdf5Input,
        info: &DatasetInfo,
        above: &Lineage,
        wanted: Option<&StoredElement>,
    ) -> Result<Self> {
        let mut values = Self::unmeasured(hdf5, info, above)?;
        if let Some(wanted) = wanted {
            let conversion = source::conversion(&values.element, wanted)?;
            let mut fill = vec![0; wanted.fill.len()];
            conversion.convert(&values.element.fill, &mut fill);
            values.element.datatype = wanted.datatype.clone();
            values.element.fill = fill;
        }
        let is_alone = values.parts.len() == 1;
        if above.is_empty() && !is_alone {
            // Another part may make the dataset longer than the series is.
            for i in 0..values.parts.len() {
                if values.parts[i].is_series() {
                    values.series[i] = Some(values.length_of_series(i)?);
                }
            }
        }
        Ok(values)
    }

    fn unmeasured(hdf5: &Hdf5Input, info: &DatasetInfo, above: &Lineage) -> Result<Self> {
        let path = hdf5.path();
        let failed = |error| from_container(error, path);
        let far = hdf5.far_source().map(Arc::clone);
        let place = match &far {
            Some(_) => Place::Far(path.to_owned()),
            None => {
                let metadata = path.metadata();
                let metadata = metadata.map_err(|error| Error::io(&error, "inspect", path))?;
                Place::Here(FileState::of(&metadata))
            }
        };
        let shape = match info.shape.as_slice() {
            [] => vec![1],
            shape => shape.to_vec(),
        };
        let parts = hdf5.virtual_parts(info).map_err(failed)?;
        let parts: Vec<Part> = parts
            .into_iter()
            .map(|part| Part::of(part, &shape))
            .collect::<Result<_>>()?;
        let element = hdf5.stored_element(info).map_err(failed)?;
        let expanded_fill = match element.datatype.is_indirect() {
            true => hdf5
                .expand(&element.datatype, &element.fill, 1)
                .map_err(failed)?,
            false => Expanded::default(),
        };
        Ok(Self {
            path: path.to_owned(),
            shape,
            element,
            expanded_fill,
            series: vec![None; parts.len()],
            parts,
            is_source: !above.is_empty(),
            lineage: above.with(place, info.object_address)?,
            far,
            open: Mutex::default(),
        })
    }

    /// Bytes of one element.
    fn element_bytes(&self) -> usize {
        self.element.datatype.size_bytes
    }

    /// The selected elements as if they lay in the file, into `target`.
    fn stored(&self, selections: &[AxisSelection], target: &mut [u8]) -> Result<()> {
        gather::stored(self, selections, target)
    }

    /// The selected elements in a form that means the same in every file.
    ///
    /// # Errors
    /// If a source cannot be read, or its elements have no such form.
    pub fn expanded(&self, selections: &[AxisSelection]) -> Result<Expanded> {
        gather::expanded(self, selections)
    }

    /// The shape that the sources give the dataset.
    fn shape_by_sources(&self) -> Result<Vec<u64>> {
        let mut shape = self.shape.clone();
        let mut found: HashMap<usize, u64> = HashMap::new();
        for (i, part) in self.parts.iter().enumerate() {
            let Some(axis) = part.endless else { continue };
            let length = if part.is_series() {
                let last = self.length_of_series(i)?.checked_sub(1);
                last.and_then(|last| part.block_end(last)).unwrap_or(0)
            } else {
                match self.source_shape(&part.file.with(0), &part.dataset.with(0))? {
                    Some(shape) => part.length_by(&shape)?,
                    None => 0,
                }
            };
            let longest = found.entry(axis).or_default();
            *longest = length.max(*longest);
        }
        for (axis, length) in found {
            let least = self.parts.iter().map(|part| part.least_length(axis));
            shape[axis] = least.fold(length, u64::max);
        }
        Ok(shape)
    }

    /// How many sources a series has, before the first that is missing.
    fn length_of_series(&self, part: usize) -> Result<u64> {
        let part = &self.parts[part];
        let mut length = 0;
        while self
            .source_shape(&part.file.with(length), &part.dataset.with(length))?
            .is_some()
        {
            length += 1;
            // A server can have a file for every name.
            if self.far.is_some() && length > MOST_FAR_FILES {
                let cause =
                    format!("a series of more than {MOST_FAR_FILES} files is somewhere else");
                return Err(Error::new(ErrorCode::Unsupported, cause)
                    .in_file(&self.path)
                    .with_cure("copy all of the files here first"));
            }
        }
        Ok(length)
    }

    fn source_shape(&self, file: &str, dataset: &str) -> Result<Option<Vec<u64>>> {
        let found = self.dataset(file, dataset)?;
        Ok(found.map(|(input, number)| input.variables()[number].shape.clone()))
    }

    /// A source's file and its number there, if there is one.
    fn dataset(&self, file: &str, dataset: &str) -> Result<Option<(Arc<Input>, usize)>> {
        let mut next = self.file(file)?;
        let mut path = dataset.to_owned();
        // One more than external links that are followed.
        for _ in 0..=MOST_LINKS {
            let Some(input) = next else { break };
            let found = hdf5_of(&input)?.dataset_at(&path);
            let found = found.map_err(|error| from_container(error, input.path()))?;
            match found {
                None => break,
                Some(DatasetPlace::Here(number)) => return Ok(Some((input, number))),
                Some(DatasetPlace::Elsewhere { file, path: there }) => {
                    let key = format!("{}\0{file}", input.path().display());
                    next = self.kept(&key, || self.linked(&input, &file))?;
                    path = there;
                }
            }
        }
        Ok(None)
    }

    /// The file of a name, if there is one.
    fn file(&self, name: &str) -> Result<Option<Arc<Input>>> {
        self.kept(name, || self.opened(name))
    }

    /// A file that is kept open under a key of its own.
    fn kept(
        &self,
        key: &str,
        open: impl FnOnce() -> Result<Option<Input>>,
    ) -> Result<Option<Arc<Input>>> {
        let known = self.with_open(|open| taken(&mut open.files, |known| known == key));
        let found = match known.filter(|input| input.is_current()) {
            Some(input) => Some(input),
            None => open()?.map(Arc::new),
        };
        if let Some(input) = &found {
            let kept = (key.to_owned(), Arc::clone(input));
            self.with_open(|open| put(&mut open.files, kept));
        }
        Ok(found)
    }

    fn opened(&self, name: &str) -> Result<Option<Input>> {
        let Some(far) = &self.far else {
            return match name {
                "." => open_first(&[&self.path]),
                name => open_first(&names::places(&self.path, name)),
            };
        };
        if name == "." {
            return Input::open_far_as_source(&self.path, Arc::clone(far)).map(Some);
        }
        if self.with_open(|open| open.missing.iter().any(|(known, ())| known == name)) {
            return Ok(None);
        }
        let found = open_beside(far, name, &self.path)?;
        if found.is_none() {
            self.with_open(|open| put(&mut open.missing, (name.to_owned(), ())));
        }
        Ok(found)
    }

    /// The file that an external link of another leads to.
    fn linked(&self, from: &Input, name: &str) -> Result<Option<Input>> {
        match hdf5_of(from)?.far_source() {
            Some(far) => open_beside(far, name, from.path()),
            None => open_first(&names::places_of_link(from.path(), name)),
        }
    }

    /// A source, if it exists.
    fn source(&self, file: &str, dataset: &str) -> Result<Option<Arc<Source>>> {
        let is_it = |known: &(String, String)| known.0 == file && known.1 == dataset;
        let known = self.with_open(|open| taken(&mut open.sources, is_it));
        let found = match known.filter(|source| source.is_current()) {
            Some(source) => source,
            None => {
                let Some((input, number)) = self.dataset(file, dataset)? else {
                    return Ok(None);
                };
                Arc::new(Source::open(input, number, &self.element, &self.lineage)?)
            }
        };
        let key = (file.to_owned(), dataset.to_owned());
        let kept = (key, Arc::clone(&found));
        self.with_open(|open| put(&mut open.sources, kept));
        Ok(Some(found))
    }

    fn with_open<T>(&self, work: impl FnOnce(&mut Open) -> T) -> T {
        outside_forks(|| work(&mut self.open.lock()))
    }
}

/// Opens a file that a far one names, if there is one beside it.
fn open_beside(far: &Arc<dyn FileSource>, name: &str, of: &Path) -> Result<Option<Input>> {
    let found = remote::beside(far, name, of)?;
    let opened = found.map(|(shown, source)| Input::open_far_as_source(&shown, source));
    opened.transpose()
}

/// Takes what is known by a key.
fn taken<K, V>(known: &mut Vec<(K, V)>, is_it: impl Fn(&K) -> bool) -> Option<V> {
    let at = known.iter().position(|(key, _)| is_it(key))?;
    Some(known.remove(at).1)
}

/// Puts something last; gives back what was not used for longest if it is one too many.
fn put<T>(known: &mut Vec<T>, one: T) -> Option<T> {
    known.push(one);
    (known.len() > MOST_OPEN).then(|| known.remove(0))
}

/// The elements one after the other, as if they lay in the file.
impl ByteSource for VirtualValues {
    fn read_exact_at(&self, buffer: &mut [u8], address: u64) -> io::Result<()> {
        gather::bytes(self, address, buffer).map_err(io::Error::other)
    }
}

/// Gives virtual datasets without a limit the shape that their sources have now. Those whose sources cannot be read
/// keep that of the file: reading them says why.
pub(crate) fn adjust_shapes(hdf5: &mut Hdf5Input) {
    for number in 0..hdf5.datasets().len() {
        let info = &hdf5.datasets()[number];
        if info.storage == DatasetStorage::Virtual
            && let Ok(Some(shape)) = adjusted(hdf5, info)
        {
            hdf5.set_shape(number, &shape);
        }
    }
}

fn adjusted(hdf5: &Hdf5Input, info: &DatasetInfo) -> Result<Option<Vec<u64>>> {
    let values = VirtualValues::unmeasured(hdf5, info, &Lineage::default())?;
    if values.parts.iter().all(|part| part.endless.is_none()) {
        return Ok(None);
    }
    let shape = values.shape_by_sources()?;
    let extent = hdf5.extent(info);
    let extent = extent.map_err(|error| from_container(error, hdf5.path()))?;
    let Extent::Simple { max_shape, .. } = extent else {
        return Ok(None);
    };
    let is_longer = |(now, most): (&u64, &Option<u64>)| most.is_some_and(|most| *now > most);
    match shape.iter().zip(&max_shape).any(is_longer) {
        true => Err(Error::new(
            ErrorCode::Corrupt,
            "its sources are longer than its maximum length",
        )),
        false => Ok(Some(shape)),
    }
}

/// The values of a virtual dataset that nobody else is mapped onto.
///
/// # Errors
/// As for any: if the file contradicts itself.
pub fn of_dataset(hdf5: &Hdf5Input, info: &DatasetInfo) -> Result<Arc<VirtualValues>> {
    VirtualValues::new(hdf5, info, &Lineage::default(), None).map(Arc::new)
}
