//! An HDF5 file as a reader of the classic netCDF model sees it: dimensions, variables, attributes.
//!
//! Source: netCDF-C's `libhdf5/hdf5open.c`. Dimensions are dimension scales, numbered by
//! `_Netcdf4Dimid` or in file order; an unlimited one is as long as the longest variable along it.

use std::collections::HashMap;

use super::attributes::{AttributeDescription, ObjectAttributes};
use crate::classic::{
    AttributeValue, ClassicAttribute, ClassicDimension, ClassicModel, ClassicVariable, NcType,
};
use crate::error::Result;
use crate::hdf5::contents::EntryKind;
use crate::hdf5::dataset_info::DatasetInfo;
use crate::hdf5::netcdf_names::{COORDINATES, NUMBER, STRICT};
use crate::hdf5::provenance::PROVENANCE;
use crate::hdf5::scan::Hdf5Input;
use frazil_hdf5::{TypeClass, TypeDescription};

/// What netCDF-4 keeps its books in.
const INTERNAL: [&str; 8] = [
    "CLASS",
    "NAME",
    "REFERENCE_LIST",
    "DIMENSION_LIST",
    NUMBER,
    COORDINATES,
    PROVENANCE,
    STRICT,
];

/// Something that the classic model has no place for.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Obstacle {
    /// Path of the object concerned.
    pub path: String,
    /// What it is.
    pub what: String,
}

/// An HDF5 file in the words of the classic model.
#[derive(Debug, Clone, Default)]
pub struct ClassicView {
    /// Dimensions (several may be unlimited), attributes and variables. A variable's extent may be
    /// shorter than its unlimited dimension; readers see fill values beyond it.
    pub model: ClassicModel,
    /// The dataset behind each variable, by its number in [`Hdf5Input::datasets`].
    pub datasets: Vec<usize>,
    /// What had to be left out.
    pub obstacles: Vec<Obstacle>,
    /// Attributes that are strings (`NC_STRING`) and appear as text: object path and name.
    pub strings: Vec<(String, String)>,
}

impl Hdf5Input {
    /// The file as a reader of the classic model sees it.
    ///
    /// # Errors
    /// If an object or attribute cannot be read.
    pub fn classic_view(&self) -> Result<ClassicView> {
        let mut attributes = Vec::with_capacity(self.datasets().len());
        for dataset in self.datasets() {
            attributes.push(self.describe_attributes(&dataset.object_path)?);
        }
        let mut view = View {
            input: self,
            attributes,
            ids: HashMap::new(),
            view: ClassicView::default(),
        };
        view.refuse_objects();
        view.dimensions();
        let global = self.describe_attributes("/")?;
        view.view.model.attributes = view.attributes_of("/", &global);
        for number in 0..self.datasets().len() {
            view.variable(number)?;
        }
        view.stretch_dimensions();
        Ok(view.view)
    }
}

struct View<'a> {
    input: &'a Hdf5Input,
    /// Of each dataset.
    attributes: Vec<ObjectAttributes>,
    /// Position of a dimension by its netCDF number.
    ids: HashMap<u64, usize>,
    view: ClassicView,
}

impl View<'_> {
    fn refuse_objects(&mut self) {
        for entry in self.input.entries() {
            let what = match &entry.kind {
                EntryKind::Dataset(_) => continue,
                EntryKind::Group { .. } => "a group",
                EntryKind::NamedDatatype { .. } => "a user-defined type",
                EntryKind::HardLink { .. } => "a second name of an object",
                EntryKind::Soft(_) | EntryKind::External { .. } | EntryKind::UserDefined { .. } => {
                    "a link"
                }
            };
            self.obstacle(&entry.path, what);
        }
    }

    fn obstacle(&mut self, path: &str, what: impl Into<String>) {
        self.view.obstacles.push(Obstacle {
            path: path.to_owned(),
            what: what.into(),
        });
    }

    /// Enters the dimension scales of the root group, by their netCDF numbers.
    fn dimensions(&mut self) {
        let mut scales: Vec<(u64, &DatasetInfo)> = Vec::new();
        for (number, dataset) in self.input.datasets().iter().enumerate() {
            if is_scale(&self.attributes[number]) && is_in_root(dataset) {
                let id = numbers(&self.attributes[number], NUMBER);
                let id = id.first().copied().unwrap_or(scales.len() as u64);
                scales.push((id, dataset));
            }
        }
        scales.sort_by_key(|&(id, _)| id);
        for (position, (id, dataset)) in scales.into_iter().enumerate() {
            self.ids.insert(id, position);
            self.view.model.dimensions.push(ClassicDimension {
                name: name_of(dataset).to_owned(),
                length: dataset.shape.first().copied().unwrap_or(0),
                is_record: dataset.unlimited.first().copied().unwrap_or(false),
            });
        }
    }

    fn variable(&mut self, number: usize) -> Result<()> {
        let dataset = &self.input.datasets()[number];
        if dataset.is_dimension_only || !is_in_root(dataset) {
            return Ok(());
        }
        let datatype = self.input.describe_datatype(dataset)?;
        if dataset.is_null {
            self.obstacle(
                &dataset.path,
                "a variable without any element (a null dataspace)",
            );
            return Ok(());
        }
        let Some(nc_type) = NcType::of(&datatype) else {
            self.obstacle(&dataset.path, format!("a variable of {}", words(&datatype)));
            return Ok(());
        };
        let Some(dimensions) = self.dimensions_of(number) else {
            self.obstacle(
                &dataset.path,
                "a variable with an axis that has no dimension",
            );
            return Ok(());
        };
        let attributes = std::mem::take(&mut self.attributes[number]);
        let attributes = self.attributes_of(&dataset.path, &attributes);
        let name = name_of(dataset).to_owned();
        self.view.model.variables.push(ClassicVariable {
            name,
            dimensions,
            attributes,
            nc_type,
        });
        self.view.datasets.push(number);
        Ok(())
    }

    /// Positions of a variable's dimensions: as `_Netcdf4Coordinates` numbers them, else by the
    /// names of the attached scales.
    fn dimensions_of(&self, number: usize) -> Option<Vec<usize>> {
        let dataset = &self.input.datasets()[number];
        let ids = numbers(&self.attributes[number], COORDINATES);
        if ids.len() == dataset.shape.len() {
            let found: Option<Vec<usize>> =
                ids.iter().map(|id| self.ids.get(id).copied()).collect();
            if found.is_some() {
                return found;
            }
        }
        let dimensions = &self.view.model.dimensions;
        let position = |name: &String| dimensions.iter().position(|d| d.name == *name);
        dataset.dimension_names.iter().map(position).collect()
    }

    /// Unlimited dimensions are as long as the longest variable along them.
    fn stretch_dimensions(&mut self) {
        let model = &mut self.view.model;
        for (variable, &number) in model.variables.iter().zip(&self.view.datasets) {
            let shape = &self.input.datasets()[number].shape;
            for (&position, &extent) in variable.dimensions.iter().zip(shape) {
                let dimension = &mut model.dimensions[position];
                if dimension.is_record {
                    dimension.length = dimension.length.max(extent);
                }
            }
        }
    }

    fn attributes_of(&mut self, path: &str, all: &ObjectAttributes) -> Vec<ClassicAttribute> {
        let mut list = Vec::new();
        for attribute in &all.list {
            if is_internal(&attribute.name) {
                continue;
            }
            match value_of(attribute) {
                Some(value) => {
                    if matches!(attribute.datatype.class, TypeClass::VariableText { .. }) {
                        self.view
                            .strings
                            .push((path.to_owned(), attribute.name.clone()));
                    }
                    list.push(ClassicAttribute {
                        name: attribute.name.clone(),
                        value,
                    });
                }
                None => {
                    let words = words(&attribute.datatype);
                    self.obstacle(
                        path,
                        format!("attribute `{}`, which holds {words}", attribute.name),
                    );
                }
            }
        }
        list
    }
}

/// What elements are, for people.
fn words(datatype: &TypeDescription) -> String {
    let bits = 8 * datatype.size_bytes;
    match &datatype.class {
        TypeClass::Integer { bits: used, .. } => format!("integers of {} bits", used.precision),
        TypeClass::Float { .. } => match bits {
            32 | 64 => format!("floating point of {bits} bits in another form than IEEE's"),
            _ => format!("floating point of {bits} bits"),
        },
        TypeClass::FixedText { .. } => {
            format!("texts of {} bytes in one element", datatype.size_bytes)
        }
        TypeClass::VariableText { .. } => "strings (NC_STRING)".to_owned(),
        TypeClass::VariableLength { .. } => "sequences of any length".to_owned(),
        TypeClass::Opaque { .. } => "opaque bytes".to_owned(),
        TypeClass::Enumeration { .. } => "an enumeration".to_owned(),
        TypeClass::Compound { .. } => "compounds".to_owned(),
        TypeClass::Array { .. } => "arrays inside elements".to_owned(),
        TypeClass::Bitfield { .. } => "bit fields".to_owned(),
        TypeClass::Time { .. } => "HDF5's own times".to_owned(),
        TypeClass::Complex { .. } => "complex numbers".to_owned(),
        TypeClass::ObjectReference | TypeClass::RegionReference | TypeClass::NewReference => {
            "references to other objects".to_owned()
        }
    }
}

fn is_in_root(dataset: &DatasetInfo) -> bool {
    dataset.path.rfind('/') == Some(0)
}

/// The netCDF name of a dataset of the root group.
fn name_of(dataset: &DatasetInfo) -> &str {
    dataset.path.trim_start_matches('/')
}

pub(in crate::hdf5) fn is_scale(attributes: &ObjectAttributes) -> bool {
    attributes
        .named("CLASS")
        .and_then(|class| class.values.as_ref())
        .is_some_and(|values| values.bytes().starts_with(b"DIMENSION_SCALE"))
}

/// The non-negative numbers of an integer attribute; none if there is no such attribute.
pub(in crate::hdf5) fn numbers(attributes: &ObjectAttributes, name: &str) -> Vec<u64> {
    let Some(attribute) = attributes.named(name) else {
        return Vec::new();
    };
    let (TypeClass::Integer { .. }, Some(values)) = (&attribute.datatype.class, &attribute.values)
    else {
        return Vec::new();
    };
    let number = |i: usize| {
        let mut wide = [0_u8; 8];
        let bytes = values.element(i);
        wide.get_mut(..bytes.len())?.copy_from_slice(bytes);
        Some(u64::from_le_bytes(wide))
    };
    (0..values.len()).filter_map(number).collect()
}

/// Whether an attribute of this name is netCDF-4's own, hidden from readers; writers must not have
/// one.
#[must_use]
pub fn is_internal(name: &str) -> bool {
    INTERNAL.contains(&name)
}

/// An attribute's value in classic types; `None` if these cannot hold it.
pub(in crate::hdf5) fn value_of(attribute: &AttributeDescription) -> Option<AttributeValue> {
    let values = attribute.values.as_ref()?;
    match &attribute.datatype.class {
        // One fixed-length string is a text of that length; a character array is one as well.
        TypeClass::FixedText { .. } if values.len() <= 1 || attribute.datatype.size_bytes == 1 => {
            Some(AttributeValue::Char(values.bytes().to_vec()))
        }
        // Behind the text's length.
        TypeClass::VariableText { .. } if values.len() <= 1 => Some(AttributeValue::Char(
            values.bytes().get(8..).unwrap_or_default().to_vec(),
        )),
        _ => {
            let nc_type =
                NcType::of(&attribute.datatype).filter(|&nc_type| nc_type != NcType::Char)?;
            let mut bytes = values.bytes().to_vec();
            for element in bytes.chunks_exact_mut(nc_type.size_bytes()) {
                element.reverse();
            }
            Some(AttributeValue::from_be_bytes(nc_type, &bytes))
        }
    }
}
