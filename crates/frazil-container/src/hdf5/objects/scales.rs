//! Dimensions as HDF5 has them: dimension scales, and what is attached to them.

use super::together::Together;
use super::{Linked, Objects};
use crate::error::{ContainerError, Result};
use crate::ffi::dataset::Dataset;
use crate::ffi::datatype::Datatype;
use crate::ffi::property::{HeaderForm, PropertyList};
use crate::ffi::{Handle, attribute, link, reference};
use crate::hdf5::attribute_form::Form;
use crate::hdf5::netcdf_names::{NUMBER, PLACEHOLDER};
use crate::schema::{DimensionId, Schema, VariableId};
use frazil_hdf5::Extent;
use frazil_types::FilterPipeline;

/// What makes a dataset a dimension scale, beside its number.
const SCALE_MARKS: [&str; 3] = ["CLASS", "NAME", "REFERENCE_LIST"];

/// The dataset that stands for a dimension.
pub(in crate::hdf5) enum Scale {
    /// There is none yet.
    Missing,
    /// One without values.
    Placeholder(Linked),
    /// The coordinate variable.
    Coordinate(VariableId),
    /// A coordinate variable that the schema has no place for.
    Foreign(Linked),
}

impl Objects {
    /// Creates the scales of dimensions that have no coordinate variable.
    pub(in crate::hdf5) fn create_scales(&mut self, schema: &Schema) -> Result<()> {
        let coordinates = schema.coordinates();
        for id in (0..schema.dimensions.len()).map(DimensionId) {
            let is_there = !matches!(self.scales.get(id.0), None | Some(Scale::Missing));
            if is_there || coordinates.contains_key(&id) {
                continue;
            }
            let scale = self.create_placeholder(schema, id);
            let name = &schema.dimensions[id.0].name;
            self.scales[id.0] =
                Scale::Placeholder(scale.map_err(|e| e.in_part(&format!("dimension {name}")))?);
        }
        Ok(())
    }

    /// Creates a dataset without values that stands for a dimension.
    fn create_placeholder(&mut self, schema: &Schema, id: DimensionId) -> Result<Linked> {
        self.number_old_scales()?;
        let dimension = &schema.dimensions[id.0];
        let creation = PropertyList::dataset_create(HeaderForm::ORDERED)?;
        let length = if dimension.is_unlimited {
            creation.set_chunked(&[1], &FilterPipeline::default())?;
            0
        } else {
            dimension.length
        };
        let extent = Extent::Simple {
            shape: vec![length],
            max_shape: vec![(!dimension.is_unlimited).then_some(length)],
        };
        let datatype = Datatype::float32_big_endian()?;
        let (group, links) = (self.group(dimension.group)?, &self.link_creation);
        let link = dimension.name.clone();
        let dataset = Dataset::create(group, &link, &datatype, &extent, links, &creation)?;
        reference::set_scale(dataset.handle(), &format!("{PLACEHOLDER}{length:10}"))?;
        self.write_number(dataset.handle(), id)?;
        Ok(Linked {
            dataset,
            group: dimension.group,
            link,
        })
    }

    /// Makes a variable that is in the file, and has no scales, the scale of its first dimension.
    pub(super) fn make_coordinate(
        &mut self,
        schema: &Schema,
        variable: VariableId,
        dimension: DimensionId,
    ) -> Result<()> {
        self.number_old_scales()?;
        let dataset = self.dataset(variable)?.handle();
        reference::set_scale(dataset, &schema.variables[variable.0].name)?;
        self.write_number(dataset, dimension)?;
        self.scales[dimension.0] = Scale::Coordinate(variable);
        Ok(())
    }

    fn write_number(&self, dataset: &Handle, id: DimensionId) -> Result<()> {
        Form::mark(self.numbers[id.0])?.put(dataset, NUMBER)
    }

    /// Writes the numbers that readers find by counting, before what they count changes.
    pub(super) fn number_old_scales(&mut self) -> Result<()> {
        for id in std::mem::take(&mut self.unnumbered) {
            if let Some(dataset) = self.scale(id) {
                self.write_number(dataset.handle(), id)?;
            }
        }
        Ok(())
    }

    pub(super) fn scale(&self, id: DimensionId) -> Option<&Dataset> {
        match self.scales.get(id.0)? {
            Scale::Missing => None,
            Scale::Placeholder(linked) | Scale::Foreign(linked) => Some(&linked.dataset),
            Scale::Coordinate(variable) => self.dataset(*variable).ok(),
        }
    }

    /// Takes a dimension's scale away: a placeholder is deleted, a variable stays as one that is
    /// no scale.
    pub(super) fn take_scale(&mut self, id: DimensionId) -> Result<()> {
        if let Some(Scale::Foreign(linked)) = self.scales.get(id.0) {
            return Err(ContainerError::Unsupported(format!(
                "the dimension's coordinate variable {} has a type that frazil does not write: \
                 neither can be renamed or replaced",
                linked.link
            )));
        }
        if matches!(self.scales[id.0], Scale::Missing) {
            return Ok(());
        }
        self.detach_everywhere(id)?;
        match std::mem::replace(&mut self.scales[id.0], Scale::Missing) {
            Scale::Placeholder(linked) => {
                drop(linked.dataset);
                link::delete(self.group(linked.group)?, &linked.link)
            }
            Scale::Coordinate(variable) => {
                let dataset = self.dataset(variable)?.handle();
                for name in SCALE_MARKS.into_iter().chain([NUMBER]) {
                    if attribute::open_by_name(dataset, name)?.is_some() {
                        attribute::delete(dataset, name)?;
                    }
                }
                Ok(())
            }
            Scale::Missing | Scale::Foreign(_) => Ok(()),
        }
    }

    /// Takes a dimension's scale off all axes that have it.
    fn detach_everywhere(&mut self, id: DimensionId) -> Result<()> {
        let mut axes = Vec::new();
        for (number, variable) in self.variables.iter().enumerate() {
            let Some(variable) = variable else { continue };
            let own = variable.dimensions.iter().zip(&variable.attached);
            let own = own
                .enumerate()
                .filter(|&(_, (d, is_on))| *d == id && *is_on);
            axes.extend(own.map(|(axis, _)| (VariableId(number), axis)));
        }
        axes.into_iter()
            .try_for_each(|(variable, axis)| self.detach(variable, axis))
    }

    /// Takes the scales off all axes of a variable.
    pub(super) fn detach_all(&mut self, id: VariableId) -> Result<()> {
        for axis in 0..self.variable(id)?.attached.len() {
            if self.variable(id)?.attached[axis] {
                self.detach(id, axis)?;
            }
        }
        Ok(())
    }

    fn detach(&mut self, id: VariableId, axis: usize) -> Result<()> {
        self.is_incomplete = true;
        let variable = self.variable(id)?;
        if let Some(scale) = self.scale(variable.dimensions[axis]) {
            let dataset = variable.linked.dataset.handle();
            reference::detach_scale(dataset, scale.handle(), axis)?;
        }
        if let Some(Some(variable)) = self.variables.get_mut(id.0) {
            variable.attached[axis] = false;
        }
        Ok(())
    }

    /// Attaches scales to every axis that lacks its own, but of variables that are scales.
    pub(in crate::hdf5) fn attach_scales(&mut self, schema: &Schema) -> Result<()> {
        let mut together = Together::new(self);
        for id in (0..self.variables.len()).map(VariableId) {
            if self.is_defined(id) && !self.is_scale(id) {
                let outcome = match together.add(self, id) {
                    Ok(false) => self.attach(id).and_then(|()| together.learn(self, id)),
                    other => other.map(drop),
                };
                outcome.map_err(|error| error.at(&schema.variable_path(id)))?;
            }
        }
        together.finish(self)
    }

    pub(super) fn is_scale(&self, id: VariableId) -> bool {
        let first = self.variable(id).ok().and_then(|v| v.dimensions.first());
        let scale = first.and_then(|dimension| self.scales.get(dimension.0));
        matches!(scale, Some(Scale::Coordinate(own)) if *own == id)
    }

    fn attach(&mut self, id: VariableId) -> Result<()> {
        for axis in 0..self.variable(id)?.attached.len() {
            let variable = self.variable(id)?;
            if variable.attached[axis] {
                continue;
            }
            let scale = self.scale(variable.dimensions[axis]).ok_or_else(|| {
                ContainerError::Internal("a dimension without a scale".to_owned())
            })?;
            let dataset = variable.linked.dataset.handle();
            reference::attach_scale(dataset, scale.handle(), axis)?;
            if let Some(Some(variable)) = self.variables.get_mut(id.0) {
                variable.attached[axis] = true;
            }
        }
        Ok(())
    }
}
