//! The file to measure on: what its variables are, and their stored bytes.

use std::fs::File;
use std::io::Read;
use std::os::unix::fs::FileExt;
use std::path::{Path, PathBuf};

use frazil_container::ContainerError;
use frazil_container::classic::{ClassicFile, ClassicFormat, ClassicVariable, VariableLocation};
use frazil_container::hdf5::{DatasetInfo, DatasetStorage, FillStatus, FillTime, Hdf5Input};
use frazil_types::{ChunkRecord, ElementType, FileExtent};

use crate::error::Error;

/// An input file of either kind.
pub(crate) struct Input {
    path: PathBuf,
    file: File,
    hdf5: Option<Hdf5Input>,
    variables: Vec<Variable>,
}

/// One variable, as far as the codec loop is concerned.
pub(crate) struct Variable {
    /// Absolute path in the file.
    pub(crate) path: String,
    /// One element.
    pub(crate) element: ElementType,
    /// Shape in elements.
    pub(crate) shape: Vec<u64>,
    /// One element of fill value.
    pub(crate) fill: Vec<u8>,
    /// Whether chunks of nothing but fill need not be stored.
    pub(crate) omits_fill: bool,
    /// Where the values are.
    pub(crate) place: Place,
}

/// Where the values of a variable are.
pub(crate) enum Place {
    /// There are none.
    Nowhere,
    /// Where only libhdf5 reads them: compact, external and virtual storage.
    LibraryOnly,
    /// One array, row-major.
    Whole {
        /// Its bytes in the file.
        extent: FileExtent,
        /// Whether elements are big-endian and become little-endian in the output.
        swap: bool,
    },
    /// In the chunks of this dataset.
    Chunks(Box<DatasetInfo>),
}

impl Input {
    /// Opens a file of either kind.
    ///
    /// # Errors
    /// If it cannot be read or contradicts itself.
    pub(crate) fn open(path: &Path) -> Result<Self, Error> {
        let read = |source| Error::Read {
            path: path.to_owned(),
            source,
        };
        let container = |source| Error::Container {
            path: path.to_owned(),
            source,
        };
        let file = File::open(path).map_err(read)?;
        let mut magic = [0; 4];
        let is_classic =
            (&file).read_exact(&mut magic).is_ok() && ClassicFormat::from_magic(&magic).is_some();
        let (hdf5, variables) = if is_classic {
            let classic = ClassicFile::open(path).map_err(|e| container(e.into()))?;
            (None, classic_variables(&classic).map_err(container)?)
        } else {
            let hdf5 = Hdf5Input::open(path).map_err(container)?;
            let variables = hdf5
                .datasets()
                .iter()
                .map(|dataset| hdf5_variable(&hdf5, dataset));
            let variables = variables.collect::<Result<_, _>>()?;
            (Some(hdf5), variables)
        };
        Ok(Self {
            path: path.to_owned(),
            file,
            hdf5,
            variables,
        })
    }

    /// All variables.
    pub(crate) fn variables(&self) -> &[Variable] {
        &self.variables
    }

    /// The stored chunks of a dataset.
    ///
    /// # Errors
    /// If its index cannot be read.
    pub(crate) fn locate(&self, dataset: &DatasetInfo) -> Result<Vec<ChunkRecord>, Error> {
        let located = self.hdf5.as_ref().map(|hdf5| hdf5.locate(dataset));
        located
            .unwrap_or_else(|| Ok(Vec::new()))
            .map_err(|source| Error::Container {
                path: self.path.clone(),
                source,
            })
    }

    /// The bytes of an extent, which lies inside the file: its length was compared with the file's.
    ///
    /// # Errors
    /// If the system refuses.
    pub(crate) fn read(&self, extent: &FileExtent) -> Result<Vec<u8>, Error> {
        let mut bytes = vec![0; extent.total_bytes().unwrap_or(0) as usize];
        let mut address = extent.address;
        for segment in bytes.chunks_exact_mut((extent.segment_bytes as usize).max(1)) {
            self.file
                .read_exact_at(segment, address)
                .map_err(|source| Error::Read {
                    path: self.path.clone(),
                    source,
                })?;
            address = address.saturating_add(extent.stride_bytes);
        }
        Ok(bytes)
    }
}

fn hdf5_variable(hdf5: &Hdf5Input, dataset: &DatasetInfo) -> Result<Variable, Error> {
    let is_empty = dataset.is_dimension_only || dataset.elements() == Some(0);
    let place = match &dataset.storage {
        _ if is_empty => Place::Nowhere,
        DatasetStorage::Contiguous { address: None } => Place::Nowhere,
        DatasetStorage::Contiguous {
            address: Some(address),
        } => {
            let bytes = dataset.raw_bytes();
            let extent = bytes.map(|bytes| FileExtent::contiguous(*address, bytes));
            let inside =
                |extent: &FileExtent| extent.end().is_some_and(|end| end <= hdf5.file_bytes());
            let extent = extent.filter(inside).ok_or_else(|| Error::Variable {
                variable: dataset.path.clone(),
                what: "its values lie outside the file",
            })?;
            Place::Whole {
                extent,
                swap: false,
            }
        }
        DatasetStorage::Chunked { .. } => Place::Chunks(Box::new(dataset.clone())),
        DatasetStorage::Compact | DatasetStorage::External | DatasetStorage::Virtual => {
            Place::LibraryOnly
        }
    };
    Ok(Variable {
        path: dataset.path.clone(),
        element: dataset.element,
        shape: dataset.shape.clone(),
        fill: dataset.fill.clone(),
        omits_fill: dataset.fill_time != FillTime::Never
            && dataset.fill_status != FillStatus::Undefined
            && is_zero(&dataset.fill),
        place,
    })
}

/// `pack` leaves out chunks of nothing but fill only where the fill value is zero.
fn is_zero(fill: &[u8]) -> bool {
    fill.iter().all(|&byte| byte == 0)
}

fn classic_variables(classic: &ClassicFile) -> Result<Vec<Variable>, ContainerError> {
    let located = classic.model().variables.iter().zip(classic.locations());
    located
        .map(|(variable, location)| classic_variable(variable, location))
        .collect()
}

fn classic_variable(
    variable: &ClassicVariable,
    location: &VariableLocation,
) -> Result<Variable, ContainerError> {
    let element = location.element();
    let mut fill = variable.fill_value().to_be_bytes();
    fill.reverse();
    // Without a limit, the whole variable is one slab.
    let whole = location.slabs(u64::MAX, None)?;
    let place = whole
        .extent(0)
        .map_or(Place::Nowhere, |extent| Place::Whole {
            extent,
            swap: element.size_bytes > 1,
        });
    Ok(Variable {
        path: format!("/{}", variable.name),
        element,
        shape: location.shape().to_vec(),
        omits_fill: is_zero(&fill),
        fill,
        place,
    })
}
