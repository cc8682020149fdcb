//! A dataset that a virtual one takes values from.

use std::path::Path;
use std::sync::Arc;
use std::sync::atomic::AtomicBool;

use frazil_container::hdf5::{DatasetInfo, DatasetStorage, Expanded, Hdf5Input, StoredElement};
use frazil_pipeline::{ChunkedArray, ReadContext, fill_values};
use frazil_types::{AxisSelection, ErrorCode, selected_elements};

use super::VirtualValues;
use super::convert::Conversion;
use super::lineage::Lineage;
use crate::error::{Error, Result};
use crate::input::Input;
use crate::resources::{Resources, room_for, threads};
use crate::sources::{self, Access};
use crate::storage_error::from_container;
use crate::through_library;

/// An open source.
pub(super) struct Source {
    input: Arc<Input>,
    number: usize,
    element: StoredElement,
    values: Values,
    /// To the elements of the virtual dataset.
    pub(super) conversion: Conversion,
}

/// Where a source's values are.
enum Values {
    Array(Arc<ChunkedArray>),
    /// In sources of its own.
    Virtual(Arc<VirtualValues>),
    /// Where only libhdf5 can get them.
    Library,
    /// There are none: fill values stand for them.
    Unwritten,
}

impl Source {
    /// The dataset of this number, for elements that are `wanted`: those of a source's sources become them at once,
    /// whatever the source's own are.
    pub(super) fn open(
        input: Arc<Input>,
        number: usize,
        wanted: &StoredElement,
        lineage: &Lineage,
    ) -> Result<Self> {
        let path = input.path().to_owned();
        let info = &input.variables()[number];
        let named = |error: Error| error.in_file(&path).at_variable(&info.path);
        sources::check_element(input.file_bytes(), info).map_err(named)?;
        let hdf5 = hdf5_of(&input)?;
        if info.storage == DatasetStorage::Virtual {
            let values = VirtualValues::new(hdf5, info, lineage, Some(wanted)).map_err(named)?;
            let element = values.element.clone();
            return Ok(Self {
                conversion: conversion(&element, wanted).map_err(named)?,
                values: Values::Virtual(Arc::new(values)),
                element,
                input: Arc::clone(&input),
                number,
            });
        }
        let element = hdf5.stored_element(info);
        let element = element.map_err(|error| named(from_container(error, &path)))?;
        let conversion = conversion(&element, wanted).map_err(named)?;
        let values = match sources::access(&input, number, None)? {
            Access::Parallel(array, _) | Access::Indirect(array, _) | Access::Apart(array) => {
                let array = ChunkedArray::new(array);
                let array = array.map_err(|e| named(Error::new(e.code(), e.to_string())))?;
                Values::Array(Arc::new(array))
            }
            Access::Elsewhere(values) => Values::Virtual(values),
            Access::Library => Values::Library,
            Access::Nothing => Values::Unwritten,
            Access::Undecodable(_, _, missing) => {
                return Err(named(sources::missing_filter_error(&missing)));
            }
        };
        Ok(Self {
            input,
            number,
            element,
            values,
            conversion,
        })
    }

    fn info(&self) -> &DatasetInfo {
        &self.input.variables()[self.number]
    }

    pub(super) fn shape(&self) -> &[u64] {
        &self.info().shape
    }

    /// Whether the file is as it was when it was opened.
    pub(super) fn is_current(&self) -> bool {
        self.input.is_current()
    }

    /// Bytes of one element.
    pub(super) fn element_bytes(&self) -> usize {
        self.element.datatype.size_bytes
    }

    /// Elements as they lie in the source's file.
    pub(super) fn stored(&self, selections: &[AxisSelection]) -> Result<Vec<u8>> {
        let elements = selected_elements(selections).unwrap_or(u64::MAX);
        let mut stored = room_for(elements, self.element_bytes())?;
        let fill = |target: &mut [u8]| fill_values(target, &self.element.fill);
        match &self.values {
            Values::Array(array) => {
                let cancel = AtomicBool::new(false);
                let context = ReadContext {
                    threads: threads(&Resources::default()),
                    cancel: &cancel,
                };
                let read = array.read(selections, &self.element.fill, &mut stored, &context);
                read.map_err(|error| Error::new(error.code(), error.to_string()))
            }
            Values::Library => {
                fill(&mut stored);
                let read = through_library::read(
                    hdf5_of(&self.input)?,
                    self.info(),
                    selections,
                    &mut stored,
                );
                read.map_err(|error| from_container(error, self.input.path()))
            }
            Values::Unwritten => {
                fill(&mut stored);
                Ok(())
            }
            Values::Virtual(values) => values.stored(selections, &mut stored),
        }
        .and_then(|()| self.input.check_unchanged())
        .map_err(|error| self.named(error))?;
        Ok(stored)
    }

    /// Elements in a form that means the same in every file.
    pub(super) fn expanded(&self, selections: &[AxisSelection]) -> Result<Expanded> {
        let hdf5 = hdf5_of(&self.input)?;
        let failed = |error| self.named(from_container(error, self.input.path()));
        match &self.values {
            Values::Virtual(values) => values.expanded(selections),
            Values::Library => {
                let datatype = hdf5.describe_datatype(self.info()).map_err(failed)?;
                through_library::read_expanded(hdf5, self.info(), &datatype, selections)
                    .map_err(failed)
            }
            Values::Array(_) | Values::Unwritten => {
                let stored = self.stored(selections)?;
                let expanded = hdf5.expand(&self.element.datatype, &stored, 1);
                expanded.map_err(failed)
            }
        }
    }

    fn named(&self, error: Error) -> Error {
        error
            .in_file(self.input.path())
            .at_variable(&self.info().path)
    }
}

/// The way from a source's elements to those that are wanted.
pub(super) fn conversion(from: &StoredElement, to: &StoredElement) -> Result<Conversion> {
    let conversion = Conversion::between(&from.datatype, &to.datatype);
    conversion.ok_or_else(|| {
        let cause = "its elements cannot become those of the virtual dataset";
        Error::new(ErrorCode::Unsupported, cause)
    })
}

/// A source's file as HDF5.
pub(super) fn hdf5_of(input: &Input) -> Result<&Hdf5Input> {
    input.hdf5().ok_or_else(|| {
        let cause = "a virtual dataset takes values from it, but it is not HDF5";
        Error::new(ErrorCode::Corrupt, cause).in_file(input.path())
    })
}

/// Opens the file of a source, if there is one at any of these places: the first that can be opened counts.
pub(super) fn open_first<P: AsRef<Path>>(places: &[P]) -> Result<Option<Input>> {
    for place in places.iter().map(AsRef::as_ref) {
        if std::fs::File::open(place).is_ok() {
            return Input::open_as_source(place).map(Some);
        }
    }
    Ok(None)
}
