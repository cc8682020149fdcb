//! A classic file's model as netCDF-4 objects, the way netCDF-C lays them out: dimension scales,
//! `_Netcdf4Dimid`, `_Netcdf4Coordinates`, fill values, `_nc3_strict`.

use std::collections::HashMap;

use super::OutputStorage;
use super::additions::Additions;
use super::attributes::{write_numbers, write_provenance, write_text};
use super::define::{Defined, name_object};
use crate::classic::{
    AttributeValue, ClassicAttribute, ClassicDimension, ClassicModel, ClassicVariable, NcType,
};
use crate::error::{ContainerError, Result};
use crate::ffi::attribute;
use crate::ffi::dataset::Dataset;
use crate::ffi::dataspace::Extent;
use crate::ffi::datatype::Datatype;
use crate::ffi::property::{FillTime, PropertyList};
use crate::ffi::{Handle, link, reference};
use frazil_types::{ElementClass, FilterPipeline};

/// Link name of a variable that has a dimension's name without being its coordinate.
const NON_COORDINATE_PREFIX: &str = "_nc4_non_coord_";

/// Defines all objects of `model` in the empty file `output`, with `additions`.
pub(super) fn define(
    model: &ClassicModel,
    strict: bool,
    output: &Handle,
    storage: &[OutputStorage],
    additions: &Additions,
) -> Result<Defined> {
    let root = link::open_group(output, "/")?;
    write_provenance(&root)?;
    if strict {
        let int32 = Datatype::little_endian(ElementClass::SignedInteger, 4)?;
        let mark = attribute::create(&root, "_nc3_strict", &int32, &Extent::Scalar)?;
        mark.write(&int32, &Extent::Scalar, &1_i32.to_le_bytes())?;
    }
    for item in &model.attributes {
        write_attribute(&root, item)?;
    }
    let definition = Definition {
        model,
        additions,
        root,
        link_creation: link::link_creation()?,
    };
    let datasets = definition.datasets(storage)?;
    additions.write_containers(output)?;
    Ok(Defined {
        datasets,
        addresses: HashMap::new(),
        deferred: Vec::new(),
        notices: Vec::new(),
    })
}

struct Definition<'a> {
    model: &'a ClassicModel,
    additions: &'a Additions,
    root: Handle,
    link_creation: PropertyList,
}

impl Definition<'_> {
    fn datasets(&self, storage: &[OutputStorage]) -> Result<Vec<Dataset>> {
        let mut scales: Vec<Option<Dataset>> = Vec::new();
        for (id, dimension) in self.model.dimensions.iter().enumerate() {
            let has_coordinate = self
                .model
                .variables
                .iter()
                .any(|v| self.is_coordinate(v, id));
            scales.push(if has_coordinate {
                None
            } else {
                let scale = self.dimension_only(dimension, id);
                Some(scale.map_err(|error| name_object(&dimension.name, error))?)
            });
        }
        let mut datasets = Vec::new();
        for (number, (variable, storage)) in self.model.variables.iter().zip(storage).enumerate() {
            let dataset = self.variable(number, variable, storage);
            datasets.push(dataset.map_err(|error| name_object(&variable.name, error))?);
        }
        self.attach_scales(&scales, &datasets)?;
        Ok(datasets)
    }

    /// Whether a variable is the coordinate variable of dimension `id`.
    fn is_coordinate(&self, variable: &ClassicVariable, id: usize) -> bool {
        variable.dimensions.first() == Some(&id) && variable.name == self.model.dimensions[id].name
    }

    /// The dimension a variable is the coordinate of.
    fn coordinate_of(&self, variable: &ClassicVariable) -> Option<usize> {
        variable
            .dimensions
            .first()
            .copied()
            .filter(|&id| self.is_coordinate(variable, id))
    }

    /// A dataset without values that stands for a dimension.
    fn dimension_only(&self, dimension: &ClassicDimension, id: usize) -> Result<Dataset> {
        let length = if dimension.is_record {
            0
        } else {
            dimension.length
        };
        let limit = (!dimension.is_record).then_some(length);
        let extent = Extent::Simple {
            shape: vec![length],
            max_shape: vec![limit],
        };
        let creation = PropertyList::dataset_create()?;
        if dimension.is_record {
            creation.set_chunked(&[1], &FilterPipeline::default())?;
        }
        let datatype = Datatype::float32_big_endian()?;
        let dataset = Dataset::create(
            &self.root,
            &dimension.name,
            &datatype,
            &extent,
            &self.link_creation,
            &creation,
        )?;
        let name = format!("This is a netCDF dimension but not a netCDF variable.{length:10}");
        reference::set_scale(dataset.handle(), &name)?;
        write_dimension_id(dataset.handle(), id)?;
        Ok(dataset)
    }

    fn variable(
        &self,
        number: usize,
        variable: &ClassicVariable,
        storage: &OutputStorage,
    ) -> Result<Dataset> {
        let datatype = datatype_of(variable.nc_type)?;
        let creation = PropertyList::dataset_create()?;
        match storage {
            OutputStorage::Chunked { chunk, pipeline } => creation.set_chunked(chunk, pipeline)?,
            OutputStorage::Contiguous | OutputStorage::Keep => creation.set_contiguous()?,
        }
        creation.set_fill_time(FillTime::IfSet)?;
        creation.set_fill_value(
            &datatype,
            Some(&little_endian_bytes(&variable.fill_value())),
        )?;
        let dataset = Dataset::create(
            &self.root,
            &self.link_name(variable),
            &datatype,
            &self.extent(variable),
            &self.link_creation,
            &creation,
        )?;
        if let Some(id) = self.coordinate_of(variable) {
            reference::set_scale(dataset.handle(), &variable.name)?;
            write_dimension_id(dataset.handle(), id)?;
        }
        write_coordinates(dataset.handle(), &variable.dimensions)?;
        let left_out = self.additions.not_copied(number);
        let kept = |item: &&ClassicAttribute| !left_out.contains(item.name.as_str());
        for item in variable.attributes.iter().filter(kept) {
            write_attribute(dataset.handle(), item)?;
        }
        self.additions.write_attributes(number, dataset.handle())?;
        Ok(dataset)
    }

    fn link_name(&self, variable: &ClassicVariable) -> String {
        let clash = self
            .model
            .dimensions
            .iter()
            .any(|d| d.name == variable.name);
        if clash && self.coordinate_of(variable).is_none() {
            format!("{NON_COORDINATE_PREFIX}{}", variable.name)
        } else {
            variable.name.clone()
        }
    }

    fn extent(&self, variable: &ClassicVariable) -> Extent {
        if variable.dimensions.is_empty() {
            return Extent::Scalar;
        }
        let axes = variable
            .dimensions
            .iter()
            .map(|&id| &self.model.dimensions[id]);
        let (shape, max_shape) = axes
            .map(|d| (d.length, (!d.is_record).then_some(d.length)))
            .unzip();
        Extent::Simple { shape, max_shape }
    }

    /// Attaches scales to every variable that is none itself.
    fn attach_scales(&self, scales: &[Option<Dataset>], datasets: &[Dataset]) -> Result<()> {
        let scale_of = |id: usize| -> Result<&Handle> {
            if let Some(dataset) = &scales[id] {
                return Ok(dataset.handle());
            }
            let position = self
                .model
                .variables
                .iter()
                .position(|v| self.is_coordinate(v, id));
            position
                .map(|i| datasets[i].handle())
                .ok_or_else(|| ContainerError::Internal("a dimension without a scale".to_owned()))
        };
        for (variable, dataset) in self.model.variables.iter().zip(datasets) {
            if self.coordinate_of(variable).is_some() {
                continue;
            }
            for (axis, &id) in variable.dimensions.iter().enumerate() {
                reference::attach_scale(dataset.handle(), scale_of(id)?, axis)
                    .map_err(|error| name_object(&variable.name, error))?;
            }
        }
        Ok(())
    }
}

/// `_Netcdf4Dimid`: the dimension's number, so that numbers survive any creation order.
fn write_dimension_id(object: &Handle, id: usize) -> Result<()> {
    let int32 = Datatype::little_endian(ElementClass::SignedInteger, 4)?;
    let target = attribute::create(object, "_Netcdf4Dimid", &int32, &Extent::Scalar)?;
    target.write(&int32, &Extent::Scalar, &id_bytes(id)?)
}

/// `_Netcdf4Coordinates`: the numbers of a variable's dimensions.
fn write_coordinates(object: &Handle, dimensions: &[usize]) -> Result<()> {
    if dimensions.is_empty() {
        return Ok(());
    }
    let mut bytes = Vec::new();
    for &id in dimensions {
        bytes.extend(id_bytes(id)?);
    }
    let int32 = Datatype::little_endian(ElementClass::SignedInteger, 4)?;
    write_numbers(object, "_Netcdf4Coordinates", &int32, &bytes)
}

fn id_bytes(id: usize) -> Result<[u8; 4]> {
    i32::try_from(id)
        .map(i32::to_le_bytes)
        .map_err(|_| ContainerError::Unsupported("more than 2^31 dimensions".to_owned()))
}

fn write_attribute(object: &Handle, item: &ClassicAttribute) -> Result<()> {
    let nc_type = item.value.nc_type();
    let outcome = if nc_type == NcType::Char {
        write_text(object, &item.name, &item.value.to_be_bytes())
    } else {
        let datatype = datatype_of(nc_type)?;
        write_numbers(
            object,
            &item.name,
            &datatype,
            &little_endian_bytes(&item.value),
        )
    };
    outcome.map_err(|error| name_object(&format!("attribute {}", item.name), error))
}

/// The little-endian netCDF-4 type of a classic type.
fn datatype_of(nc_type: NcType) -> Result<Datatype> {
    if nc_type == NcType::Char {
        return Datatype::text(1, false);
    }
    Datatype::little_endian(nc_type.element().class, nc_type.size_bytes())
}

fn little_endian_bytes(value: &AttributeValue) -> Vec<u8> {
    let mut bytes = value.to_be_bytes();
    for element in bytes.chunks_exact_mut(value.nc_type().size_bytes()) {
        element.reverse();
    }
    bytes
}
