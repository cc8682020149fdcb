//! The objects of a netCDF-4 file being written, made one by one the way netCDF-C lays them out.

mod names;
mod open;
mod scales;
mod together;

use std::collections::{BTreeMap, BTreeSet};

use super::OutputStorage;
use super::attribute_form::{Form, Texts, defined_type, number_type};
use super::committed_types::in_memory;
use super::creation::set_chunked;
use super::netcdf_names::{COORDINATES, STRICT};
use super::provenance::write_provenance;
use crate::elements::Pinned;
use crate::error::{ContainerError, Result};
use crate::ffi::attribute;
use crate::ffi::dataset::Dataset;
use crate::ffi::datatype::Datatype;
use crate::ffi::property::{HeaderForm, PropertyList, TRACKED_AND_INDEXED};
use crate::ffi::{Handle, link};
use crate::schema::{
    AttributeOwner, DimensionId, Fill, GroupId, Schema, SchemaAttribute, SchemaType, SchemaValue,
    SchemaVariable, Text, ValueType, VariableId,
};
use frazil_hdf5::Extent;
use frazil_hdf5::FillTime;

pub(super) use open::{Places, Role};
use scales::Scale;

/// The objects that are in the file, by their numbers in a [`Schema`].
pub(super) struct Objects {
    groups: Vec<Option<Handle>>,
    /// How many groups there are for sure, counted from the first.
    made_groups: usize,
    /// How many types that the program has defined are in the file.
    made_types: usize,
    scales: Vec<Scale>,
    variables: Vec<Option<Variable>>,
    /// By group: the last one of its variables that are in the file.
    last_variables: BTreeMap<GroupId, VariableId>,
    /// What the file calls each dimension (`_Netcdf4Dimid`).
    numbers: Vec<i32>,
    /// Dimensions that the file gives no number to: readers count them.
    unnumbered: Vec<DimensionId>,
    /// Variables that were linked after one defined later: readers list links in their order.
    late: BTreeSet<VariableId>,
    /// Whether something is left for [`Self::complete`].
    is_incomplete: bool,
    link_creation: PropertyList,
    root: Handle,
}

/// A dataset and where it is.
pub(super) struct Linked {
    pub(super) dataset: Dataset,
    pub(super) group: GroupId,
    /// Its name in the group.
    pub(super) link: String,
}

/// A variable that is in the file.
pub(super) struct Variable {
    pub(super) linked: Linked,
    pub(super) dimensions: Vec<DimensionId>,
    /// Whether each axis has its dimension scale; a scale itself has none.
    pub(super) attached: Vec<bool>,
}

impl Objects {
    /// Nothing but the root group.
    pub(super) fn new(file: &Handle) -> Result<Self> {
        Ok(Self {
            groups: Vec::new(),
            made_groups: 0,
            made_types: 0,
            scales: Vec::new(),
            variables: Vec::new(),
            last_variables: BTreeMap::new(),
            numbers: Vec::new(),
            unnumbered: Vec::new(),
            late: BTreeSet::new(),
            is_incomplete: true,
            link_creation: link::link_creation()?,
            root: link::open_group(file, "/")?,
        })
    }

    /// Writes what tells readers what kind of file it is.
    pub(super) fn write_kind(&self, is_classic_model: bool) -> Result<()> {
        write_provenance(&self.root)?;
        if is_classic_model {
            Form::mark(1)?.create(&self.root, STRICT)?;
        }
        Ok(())
    }

    /// Whether a variable is in the file.
    pub(super) fn is_defined(&self, id: VariableId) -> bool {
        self.variables.get(id.0).is_some_and(Option::is_some)
    }

    /// A variable's dataset.
    pub(super) fn dataset(&self, id: VariableId) -> Result<&Dataset> {
        self.variable(id).map(|variable| &variable.linked.dataset)
    }

    fn variable(&self, id: VariableId) -> Result<&Variable> {
        let variable = self.variables.get(id.0).and_then(Option::as_ref);
        variable
            .ok_or_else(|| ContainerError::Internal(format!("variable {} is not defined", id.0)))
    }

    fn group(&self, id: GroupId) -> Result<&Handle> {
        let group = self.groups.get(id.0).and_then(Option::as_ref);
        group.ok_or_else(|| ContainerError::Internal(format!("group {} is not defined", id.0)))
    }

    /// The datasets of all variables.
    pub(super) fn into_datasets(self) -> Vec<Dataset> {
        let variables = self.variables.into_iter().flatten();
        variables.map(|variable| variable.linked.dataset).collect()
    }

    /// Makes room for all objects of the schema.
    fn fit(&mut self, schema: &Schema) {
        // What there is room for only is still to be made.
        self.is_incomplete |= self.groups.len() < schema.groups.len()
            || self.variables.len() < schema.variables.len()
            || self.made_types < schema.types.len()
            || self.scales.len() < schema.dimensions.len();
        self.groups.resize_with(schema.groups.len(), || None);
        self.variables.resize_with(schema.variables.len(), || None);
        self.scales
            .resize_with(schema.dimensions.len(), || Scale::Missing);
        if self.numbers.len() < schema.dimensions.len() {
            let first = self.numbers.iter().max().map_or(0, |last| last + 1);
            let missing = (schema.dimensions.len() - self.numbers.len()) as i32;
            self.numbers.extend(first..first + missing);
        }
    }

    /// Creates all groups that are missing, with their attributes. Those above come first, as they
    /// do in the schema.
    pub(super) fn create_groups(&mut self, schema: &Schema) -> Result<()> {
        self.fit(schema);
        for group in (self.made_groups..schema.groups.len()).map(GroupId) {
            if self.groups[group.0].is_none() {
                let created = self.create_group(schema, group);
                let handle = created.map_err(|e| e.at(&schema.group_path(group)))?;
                self.groups[group.0] = Some(handle);
            }
            self.made_groups = group.0 + 1;
        }
        self.create_types(schema)
    }

    /// Commits all types that are missing: before variables, so that readers know them.
    fn create_types(&mut self, schema: &Schema) -> Result<()> {
        for one in schema.types.iter().skip(self.made_types) {
            let group = self.group(one.group)?;
            let datatype = in_memory(&one.datatype).map_err(|error| error.at(&one.name))?;
            let creation = PropertyList::datatype_create(HeaderForm {
                is_old: false,
                is_ordered: false,
            })?;
            datatype.commit(group, &creation)?;
            link::link_object(datatype.handle(), group, &one.name, &self.link_creation)?;
            self.made_types += 1;
        }
        Ok(())
    }

    fn create_group(&self, schema: &Schema, id: GroupId) -> Result<Handle> {
        let group = &schema.groups[id.0];
        let handle = match group.parent {
            None => link::open_group(&self.root, "/")?,
            Some(parent) => {
                let creation =
                    PropertyList::group_create(TRACKED_AND_INDEXED, HeaderForm::ORDERED)?;
                let parent = self.group(parent)?;
                link::create_group(parent, &group.name, &self.link_creation, &creation)?
            }
        };
        write_attributes(&handle, &group.attributes, &schema.types)?;
        Ok(handle)
    }

    /// Creates a variable's dataset with its attributes, and the groups above it.
    pub(super) fn define_variable(
        &mut self,
        schema: &Schema,
        id: VariableId,
        storage: &OutputStorage,
    ) -> Result<()> {
        let outcome = self.define(schema, id, storage);
        outcome.map_err(|error| error.at(&schema.variable_path(id)))
    }

    fn define(&mut self, schema: &Schema, id: VariableId, storage: &OutputStorage) -> Result<()> {
        let variable = &schema.variables[id.0];
        // All of them, so that they keep the order of their definition.
        self.create_groups(schema)?;
        if self.is_defined(id) {
            return Err(ContainerError::Internal("it is defined already".to_owned()));
        }
        self.is_incomplete = true;
        let dimension = schema.coordinate_of(id);
        if let Some(dimension) = dimension {
            self.take_scale(dimension)?;
        }
        let link = names::link_of(schema, id);
        if self.has_later(id, variable.group) {
            self.late.insert(id);
        }
        let dataset = self.create_dataset(schema, id, &link, storage)?;
        let numbers = variable.dimensions.iter().map(|id| self.numbers[id.0]);
        let numbers: Vec<u8> = numbers.flat_map(i32::to_le_bytes).collect();
        if !numbers.is_empty() {
            let int32 = number_type(crate::classic::NcType::Int, false)?;
            Form::numbers(int32, numbers)?.create(dataset.handle(), COORDINATES)?;
        }
        self.variables[id.0] = Some(Variable {
            linked: Linked {
                dataset,
                group: variable.group,
                link,
            },
            dimensions: variable.dimensions.clone(),
            attached: vec![false; variable.dimensions.len()],
        });
        let last = self.last_variables.entry(variable.group).or_insert(id);
        *last = id.max(*last);
        if let Some(dimension) = dimension {
            self.make_coordinate(schema, id, dimension)?;
        }
        let dataset = self.dataset(id)?.handle();
        write_attributes(dataset, &variable.attributes, &schema.types)
    }

    /// Whether a group has a variable that was defined after this one.
    fn has_later(&self, id: VariableId, group: GroupId) -> bool {
        self.last_variables
            .get(&group)
            .is_some_and(|&last| last > id)
    }

    fn create_dataset(
        &self,
        schema: &Schema,
        id: VariableId,
        link: &str,
        storage: &OutputStorage,
    ) -> Result<Dataset> {
        let variable = &schema.variables[id.0];
        let (datatype, extent) = (datatype_of(schema, variable)?, extent_of(schema, id));
        let creation = PropertyList::dataset_create(HeaderForm::ORDERED)?;
        match storage {
            OutputStorage::Chunked { chunk, pipeline } if extent != Extent::Scalar => {
                set_chunked(&creation, chunk, pipeline)?;
            }
            _ => creation.set_contiguous()?,
        }
        let fill = FillBytes::of(variable)?;
        match &fill.bytes {
            Some(bytes) => {
                creation.set_fill_time(FillTime::IfSet)?;
                creation.set_fill_value(&datatype, Some(bytes))?;
            }
            None => creation.set_fill_time(FillTime::Never)?,
        }
        let (group, links) = (self.group(variable.group)?, &self.link_creation);
        Dataset::create(group, link, &datatype, &extent, links, &creation)
    }

    /// Makes everything that the schema has and the file lacks, but for variables, which must all
    /// be there; gives dimensions their scales and scales to variables.
    pub(super) fn complete(&mut self, schema: &Schema) -> Result<()> {
        let is_known = self.groups.len() == schema.groups.len()
            && self.scales.len() == schema.dimensions.len()
            && self.variables.len() == schema.variables.len()
            && self.made_types == schema.types.len();
        if is_known && !self.is_incomplete {
            return Ok(());
        }
        self.create_groups(schema)?;
        if let Some(number) = self.variables.iter().position(Option::is_none) {
            let path = schema.variable_path(VariableId(number));
            return Err(ContainerError::Internal(format!("{path} is not defined")));
        }
        self.settle_names(schema)?;
        self.create_scales(schema)?;
        self.attach_scales(schema)?;
        self.is_incomplete = false;
        Ok(())
    }

    /// Whether a group or variable is in the file already.
    pub(super) fn is_there(&self, owner: AttributeOwner) -> bool {
        self.owner(owner).is_some()
    }

    /// The object of a group or variable that is in the file already.
    fn owner(&self, owner: AttributeOwner) -> Option<&Handle> {
        match owner {
            AttributeOwner::Group(id) => self.groups.get(id.0)?.as_ref(),
            AttributeOwner::Variable(id) => {
                let variable = self.variables.get(id.0)?.as_ref()?;
                Some(variable.linked.dataset.handle())
            }
        }
    }

    /// Writes or replaces an attribute of an object that is in the file already.
    pub(super) fn put_attribute(
        &self,
        owner: AttributeOwner,
        attribute: &SchemaAttribute,
        types: &[SchemaType],
    ) -> Result<()> {
        let Some(object) = self.owner(owner) else {
            return Ok(());
        };
        let outcome =
            Form::of(&attribute.value, types).and_then(|form| form.put(object, &attribute.name));
        outcome.map_err(|error| in_attribute(&attribute.name, error))
    }

    /// Removes an attribute that is in the file already.
    pub(super) fn delete_attribute(&self, owner: AttributeOwner, name: &str) -> Result<()> {
        let Some(object) = self.owner(owner) else {
            return Ok(());
        };
        let outcome = attribute::open_by_name(object, name).and_then(|found| match found {
            Some(_) => attribute::delete(object, name),
            None => Ok(()),
        });
        outcome.map_err(|error| in_attribute(name, error))
    }
}

/// One element that was never written, as it is in memory.
#[derive(Default)]
struct FillBytes {
    bytes: Option<Vec<u8>>,
    /// What the bytes point to.
    _texts: Texts,
    _behind: Pinned,
}

impl FillBytes {
    fn of(variable: &SchemaVariable) -> Result<Self> {
        if variable.fill == Fill::Nothing {
            return Ok(Self::default());
        }
        if let Some(element) = variable.fill_element() {
            let mut pinned = element.pinned()?;
            return Ok(Self {
                bytes: Some(std::mem::take(&mut pinned.elements)),
                _behind: pinned,
                ..Self::default()
            });
        }
        if let Some(bytes) = variable.fill_bytes() {
            return Ok(Self {
                bytes: Some(bytes),
                ..Self::default()
            });
        }
        let own = variable.attributes.iter().find(|a| a.name == "_FillValue");
        let text = match own.map(|attribute| &attribute.value) {
            Some(SchemaValue::Strings(texts)) => texts.first().cloned().unwrap_or_default(),
            _ => Text::default(),
        };
        let texts = Texts::new(&[text])?;
        Ok(Self {
            bytes: Some(texts.pointers()),
            _texts: texts,
            ..Self::default()
        })
    }
}

fn datatype_of(schema: &Schema, variable: &SchemaVariable) -> Result<Datatype> {
    match variable.value_type {
        ValueType::Atomic(nc_type) => number_type(nc_type, variable.is_big_endian),
        ValueType::String => Datatype::variable_text(),
        ValueType::Defined(of) => defined_type(&schema.types, of),
    }
}

fn extent_of(schema: &Schema, id: VariableId) -> Extent {
    let shape = schema.first_shape(id);
    if shape.is_empty() {
        return Extent::Scalar;
    }
    Extent::Simple {
        shape,
        max_shape: schema.limits(id),
    }
}

fn write_attributes(
    object: &Handle,
    attributes: &[SchemaAttribute],
    types: &[SchemaType],
) -> Result<()> {
    attributes.iter().try_for_each(|attribute| {
        let form = Form::of(&attribute.value, types);
        form.and_then(|form| form.create(object, &attribute.name))
            .map_err(|error| in_attribute(&attribute.name, error))
    })
}

fn in_attribute(name: &str, error: ContainerError) -> ContainerError {
    error.in_part(&format!("attribute {name}"))
}
