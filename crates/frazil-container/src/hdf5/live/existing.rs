//! What a file holds that is opened to be written on, in the words of the netCDF-4 data model.
//!
//! Source: netCDF-C's `libhdf5/hdf5open.c`. Within a group, datasets come in the order of their
//! creation, then the groups below; dimensions that have no number are counted in that order.

use std::collections::HashMap;
use std::path::Path;

use super::existing_types::{FoundTypes, lies_as_in_memory};
use frazil_types::ByteOrder;

use crate::classic::AttributeValue;
use crate::elements::Elements;
use crate::error::{ContainerError, Result};
use crate::hdf5::OutputStorage;
use crate::hdf5::contents::{Entry, EntryKind};
use crate::hdf5::dataset_info::{DatasetInfo, DatasetStorage};
use crate::hdf5::describe::{ObjectAttributes, netcdf};
use crate::hdf5::netcdf_names::{COORDINATES, NON_COORDINATE_PREFIX, NUMBER};
use crate::hdf5::objects::{Places, Role};
use crate::hdf5::scan::{Hdf5Input, last_part};
use crate::schema::{
    DimensionId, Fill, GroupId, Schema, SchemaAttribute, SchemaDimension, SchemaGroup, SchemaType,
    SchemaValue, SchemaVariable, Text, ValueType, VariableId,
};
use frazil_hdf5::FillStatus;
use frazil_hdf5::{TypeClass, TypeDescription};

/// Newest superblock that is opened for appending: newer ones mark the file as being written.
const NEWEST_SUPERBLOCK: u32 = 2;

/// What a file holds that is opened to be written on.
///
/// Variables and attributes of types that programs have defined are in the file and stay there, but not here unless
/// they were asked for.
#[derive(Debug, Clone, PartialEq)]
pub struct ExistingFile {
    /// Its objects.
    pub schema: Schema,
    /// How its variables are stored, by [`VariableId`].
    pub variables: Vec<ExistingVariable>,
    /// Whether it says that it keeps to the classic model.
    pub is_classic_model: bool,
}

/// How a variable is stored in a file.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct ExistingVariable {
    /// [`OutputStorage::Contiguous`] (also where values lie in the object header) or
    /// [`OutputStorage::Chunked`].
    pub storage: OutputStorage,
    /// Its own extent: may be shorter than its unlimited dimensions.
    pub shape: Vec<u64>,
    /// Why values cannot be put into it: a type or a storage that we do not write. Filters are not
    /// looked at.
    pub refusal: Option<String>,
}

/// A file's objects and where they are.
pub(super) struct Found {
    pub(super) file: ExistingFile,
    pub(super) places: Places,
}

/// Reads what is in a file.
pub(super) fn read(path: &Path, with_types: bool) -> Result<Found> {
    let input = Hdf5Input::open(path)?;
    if input.superblock() > NEWEST_SUPERBLOCK {
        return Err(ContainerError::Unsupported(
            "files in the latest HDF5 format (superblock 3) cannot be appended to: repack the \
             file first"
                .to_owned(),
        ));
    }
    let mut reader = Reader {
        types: FoundTypes::default(),
        attributes: Vec::new(),
        members: Vec::new(),
        scales: Vec::new(),
        dimension_at: HashMap::new(),
        found: Found {
            file: ExistingFile {
                schema: Schema::default(),
                variables: Vec::new(),
                is_classic_model: input.is_classic_model()?,
            },
            places: Places::default(),
        },
        input: &input,
    };
    for dataset in input.datasets() {
        let attributes = input.describe_attributes(&dataset.object_path)?;
        reader.attributes.push(attributes);
    }
    let groups = reader.groups(with_types)?;
    for (group, path) in groups.iter().enumerate() {
        let all = input.describe_attributes(path)?;
        reader.found.file.schema.groups[group].attributes = attributes_of(&all, &reader.types);
    }
    reader.dimensions()?;
    for (group, number) in std::mem::take(&mut reader.members) {
        reader.dataset(group, number)?;
    }
    Ok(reader.found)
}

/// A dimension scale, not yet in order.
struct FoundScale {
    number: i32,
    is_counted: bool,
    group: GroupId,
    dataset: usize,
}

struct Reader<'a> {
    input: &'a Hdf5Input,
    types: FoundTypes,
    /// Of each dataset.
    attributes: Vec<ObjectAttributes>,
    /// Datasets by number, in netCDF-C's order, with their groups.
    members: Vec<(GroupId, usize)>,
    scales: Vec<FoundScale>,
    /// By the object address of the scale.
    dimension_at: HashMap<u64, DimensionId>,
    found: Found,
}

impl Reader<'_> {
    /// Enters all groups, each before those below it, and their types, and lists their datasets; the groups' paths.
    fn groups(&mut self, with_types: bool) -> Result<Vec<String>> {
        let mut entries: HashMap<&str, Vec<&Entry>> = HashMap::new();
        for entry in self.input.entries() {
            entries.entry(&entry.parent).or_default().push(entry);
        }
        let mut paths = Vec::new();
        let mut stack = vec![(Schema::ROOT, "/")];
        while let Some((group, path)) = stack.pop() {
            let group = self.enter_group(group, path).unwrap_or(group);
            paths.push(path.to_owned());
            let inside = entries.get(path).map_or(&[][..], Vec::as_slice);
            for entry in inside {
                if let EntryKind::Dataset(number) = entry.kind {
                    self.members.push((group, number));
                }
                if matches!(entry.kind, EntryKind::NamedDatatype { .. }) && with_types {
                    let stored = self.input.stored_named_datatype(&entry.path)?;
                    let datatype = self.types.add(stored);
                    self.found.file.schema.types.push(SchemaType {
                        name: entry.name.clone(),
                        group,
                        datatype,
                    });
                }
            }
            // The first one on top.
            for entry in inside.iter().rev() {
                if matches!(entry.kind, EntryKind::Group { .. }) {
                    stack.push((group, &entry.path));
                }
            }
        }
        Ok(paths)
    }

    /// Enters a group below `parent`; `None`: it is the root group, which is there.
    fn enter_group(&mut self, parent: GroupId, path: &str) -> Option<GroupId> {
        if path == "/" {
            return None;
        }
        let groups = &mut self.found.file.schema.groups;
        groups.push(SchemaGroup {
            name: last_part(path).to_owned(),
            parent: Some(parent),
            attributes: Vec::new(),
        });
        Some(GroupId(groups.len() - 1))
    }

    /// Enters the dimensions by their numbers.
    fn dimensions(&mut self) -> Result<()> {
        let mut next = 0;
        for &(group, dataset) in &self.members {
            let attributes = &self.attributes[dataset];
            let is_array = !self.input.datasets()[dataset].shape.is_empty();
            if !netcdf::is_scale(attributes) || !is_array {
                continue;
            }
            let own = netcdf::numbers(attributes, NUMBER).first().copied();
            let own = own.map(i32::try_from).transpose();
            let own = own.map_err(|_| corrupt("a dimension number beyond counting"))?;
            let number = own.unwrap_or(next);
            next = next.max(number.saturating_add(1));
            self.scales.push(FoundScale {
                number,
                is_counted: own.is_none(),
                group,
                dataset,
            });
        }
        self.scales.sort_by_key(|scale| scale.number);
        if let Some(pair) = self.scales.windows(2).find(|w| w[0].number == w[1].number) {
            return Err(ContainerError::Unsupported(format!(
                "the dimensions {} and {} have the same number, so that readers may take one for \
                 the other: copy the file with nccopy first",
                self.path(pair[0].dataset),
                self.path(pair[1].dataset)
            )));
        }
        for (id, scale) in self.scales.iter().enumerate() {
            let info = &self.input.datasets()[scale.dataset];
            self.dimension_at
                .insert(info.object_address, DimensionId(id));
            let is_unlimited = info.unlimited.first().copied().unwrap_or(false);
            let own = info.shape.first().copied().unwrap_or(0);
            self.found.file.schema.dimensions.push(SchemaDimension {
                name: last_part(&info.path).to_owned(),
                group: scale.group,
                // What variables say counts.
                length: if is_unlimited { 0 } else { own },
                is_unlimited,
            });
            let places = &mut self.found.places;
            places.numbers.push(scale.number);
            places.roles.push(Role::Placeholder);
            if scale.is_counted {
                places.unnumbered.push(DimensionId(id));
            }
        }
        Ok(())
    }

    fn path(&self, dataset: usize) -> &str {
        &self.input.datasets()[dataset].path
    }

    /// Enters a variable, or what is known of a dimension.
    fn dataset(&mut self, group: GroupId, number: usize) -> Result<()> {
        let info = &self.input.datasets()[number];
        if info.is_dimension_only || info.is_null {
            return Ok(());
        }
        let own = self.dimension_at.get(&info.object_address).copied();
        let datatype = self.input.describe_datatype(info)?;
        let value_type = self.types.value_type(&datatype);
        let axes = self.axes(number, own)?;
        if let Some(dimensions) = &axes {
            self.stretch(dimensions, &info.shape);
        }
        let Some(value_type) = value_type else {
            if let Some(own) = own {
                self.found.places.roles[own.0] = Role::Foreign;
            }
            return Ok(());
        };
        let dimensions = axes.ok_or_else(|| no_dimensions(&info.path))?;
        if let Some(own) = own {
            let id = VariableId(self.found.file.variables.len());
            self.found.places.roles[own.0] = Role::Coordinate(id);
        }
        let refusal = self.refusal(info, &datatype, (value_type, &dimensions));
        let link = last_part(&info.object_path);
        self.found
            .places
            .variables
            .push((link.to_owned(), self.attached(number)?));
        self.found.file.variables.push(ExistingVariable {
            storage: storage_of(info),
            shape: info.shape.clone(),
            refusal,
        });
        let attributes = attributes_of(&self.attributes[number], &self.types);
        self.found.file.schema.variables.push(SchemaVariable {
            name: link
                .strip_prefix(NON_COORDINATE_PREFIX)
                .unwrap_or(link)
                .to_owned(),
            group,
            value_type,
            is_big_endian: datatype.number_order() == Some(ByteOrder::Big),
            dimensions,
            fill: fill_of(info, value_type, &attributes),
            attributes,
        });
        Ok(())
    }

    /// The dimensions of a dataset: those that its numbers name, else its own (if it is a scale),
    /// else those of the scales that are attached; `None` if an axis has none.
    fn axes(&self, dataset: usize, own: Option<DimensionId>) -> Result<Option<Vec<DimensionId>>> {
        let info = &self.input.datasets()[dataset];
        let rank = info.shape.len();
        let numbers = netcdf::numbers(&self.attributes[dataset], COORDINATES);
        let named = numbers
            .iter()
            .map(|&number| self.dimension_numbered(number));
        let named: Option<Vec<DimensionId>> = named.collect();
        if let Some(named) = named.filter(|named| named.len() == rank) {
            return Ok(Some(named));
        }
        if let (Some(own), 1) = (own, rank) {
            return Ok(Some(vec![own]));
        }
        let scales = self.input.attached_scales(info)?;
        let attached = scales
            .iter()
            .map(|address| self.dimension_at.get(address).copied());
        let attached: Option<Vec<DimensionId>> = attached.collect();
        Ok(attached.filter(|attached| attached.len() == rank))
    }

    fn dimension_numbered(&self, number: u64) -> Option<DimensionId> {
        let number = i32::try_from(number).ok()?;
        let found = self
            .scales
            .binary_search_by_key(&number, |scale| scale.number);
        found.ok().map(DimensionId)
    }

    /// Which axes have a scale.
    fn attached(&self, dataset: usize) -> Result<Vec<bool>> {
        let info = &self.input.datasets()[dataset];
        let scales = self.input.attached_scales(info)?;
        let axes = 0..info.shape.len();
        Ok(axes
            .map(|axis| scales.get(axis).is_some_and(|&address| address != 0))
            .collect())
    }

    /// Unlimited dimensions are as long as the longest variable along them.
    fn stretch(&mut self, dimensions: &[DimensionId], shape: &[u64]) {
        for (id, &extent) in dimensions.iter().zip(shape) {
            let dimension = &mut self.found.file.schema.dimensions[id.0];
            if dimension.is_unlimited {
                dimension.length = dimension.length.max(extent);
            }
        }
    }

    fn refusal(
        &self,
        info: &DatasetInfo,
        datatype: &TypeDescription,
        (value_type, dimensions): (ValueType, &[DimensionId]),
    ) -> Option<String> {
        let is_packed_here =
            matches!(value_type, ValueType::Defined(_)) && !value_type.is_indirect();
        if is_packed_here && !lies_as_in_memory(datatype) {
            return Some("its elements lie in another way than in memory".to_owned());
        }
        if matches!(datatype.class, TypeClass::FixedText { .. }) && datatype.size_bytes > 1 {
            return Some("its elements are strings of a fixed length".to_owned());
        }
        let storage = match &info.storage {
            DatasetStorage::External => Some("its values are in other files"),
            DatasetStorage::Virtual => Some("its values are those of other datasets"),
            DatasetStorage::Chunked {
                raw_partial_edges: true,
                ..
            } => Some("its chunks at the edge are stored without filters"),
            _ => None,
        };
        if let Some(reason) = storage {
            return Some(reason.to_owned());
        }
        let axes = dimensions
            .iter()
            .zip(info.shape.iter().zip(&info.unlimited));
        for (id, (&extent, &grows)) in axes {
            let dimension = &self.found.file.schema.dimensions[id.0];
            if dimension.is_unlimited && !grows {
                return Some(format!(
                    "it cannot grow with its dimension {}",
                    dimension.name
                ));
            }
            if !dimension.is_unlimited && extent != dimension.length {
                return Some(format!(
                    "it is not as long as its dimension {}",
                    dimension.name
                ));
            }
        }
        None
    }
}

fn storage_of(info: &DatasetInfo) -> OutputStorage {
    match &info.storage {
        DatasetStorage::Chunked {
            chunk, pipeline, ..
        } => OutputStorage::Chunked {
            chunk: chunk.clone(),
            pipeline: pipeline.clone(),
        },
        _ => OutputStorage::Contiguous,
    }
}

/// As netCDF-C: nothing in particular, unless the file's author chose a value.
fn fill_of(info: &DatasetInfo, value_type: ValueType, attributes: &[SchemaAttribute]) -> Fill {
    if info.fill_status != FillStatus::User {
        return Fill::Nothing;
    }
    let is_named = attributes.iter().any(|a| a.name == "_FillValue");
    let mut bytes = info.fill.clone();
    let nc_type = match value_type {
        ValueType::Atomic(nc_type) => nc_type,
        // What else there is netCDF-C alone tells.
        ValueType::Defined(defined) if defined.is_indirect => return Fill::Default,
        ValueType::Defined(defined) if is_named || bytes != defined.default_fill() => {
            return Fill::Element(Elements::plain(defined.size_bytes, bytes));
        }
        ValueType::String | ValueType::Defined(_) => return Fill::Default,
    };
    if info.element.order == ByteOrder::Little {
        bytes.reverse();
    }
    if !is_named && bytes == nc_type.default_fill().to_be_bytes() {
        return Fill::Default;
    }
    Fill::Value(AttributeValue::from_be_bytes(nc_type, &bytes))
}

/// The attributes that a reader of netCDF sees, but those of types that are not known.
fn attributes_of(all: &ObjectAttributes, types: &FoundTypes) -> Vec<SchemaAttribute> {
    let seen = all.list.iter().filter(|a| !netcdf::is_internal(&a.name));
    seen.filter_map(|attribute| {
        let value = match (&attribute.datatype.class, &attribute.values) {
            (TypeClass::VariableText { .. }, Some(values)) => {
                // Behind each text's length.
                let texts = (0..values.len()).map(|i| values.element(i).get(8..));
                let texts = texts.map(|text| Text::from(text.unwrap_or_default()));
                SchemaValue::Strings(texts.collect())
            }
            _ => match types.values(attribute) {
                Some(values) => values,
                None => SchemaValue::Atomic(netcdf::value_of(attribute)?),
            },
        };
        Some(SchemaAttribute {
            name: attribute.name.clone(),
            value,
        })
    })
    .collect()
}

fn corrupt(what: &str) -> ContainerError {
    ContainerError::Corrupt(what.to_owned())
}

fn no_dimensions(path: &str) -> ContainerError {
    ContainerError::Unsupported(format!(
        "{path}: its axes have no dimensions that netCDF knows (HDF5 dimension scales), which \
         appending needs: copy the file with `nccopy -4`, which names them, or attach scales with \
         h5py"
    ))
}
