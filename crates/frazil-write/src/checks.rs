//! What is refused at the call that brings it: all that a variable's first value, or a commit, would
//! find wrong later, when what was put before it would be lost.

use frazil_codec::BoundEncoder;
use frazil_plan::check_precision;
use frazil_types::{
    ByteOrder, ElementClass, ElementType, ErrorCode, FilterPipeline, MAX_RANK, PrecisionRequest,
};

use super::errors::refused;
use super::layout::check_gathered;
use super::settings::{FilterRequest, LayoutRequest, VariableSettings};
use super::slab::{Slab, check_slab};
use super::writer::Writer;
use frazil_container::schema::{
    Fill, GroupId, Schema, SchemaDimension, SchemaVariable, Text, ValueType, VariableId,
};
use frazil_file::counting;
use frazil_file::error::{Error, Result};

/// No axis is longer: offsets in it, and the bytes of what describes it in the file, can be counted.
pub(super) const LONGEST_AXIS: u64 = 1 << 60;
/// No variable has more bytes: files have signed offsets.
const MOST_BYTES: u64 = i64::MAX.unsigned_abs();
/// Edges of a chunk that is not chosen yet: long enough for every filter.
const PROBE_EDGE: u64 = 64;

/// Refuses a length that no dimension can have. Interfaces without unsigned numbers hand in negative
/// ones as very large ones.
///
/// # Errors
/// If the length is too large for any dimension.
pub fn check_length(name: &str, length: u64) -> Result<()> {
    if length <= LONGEST_AXIS {
        return Ok(());
    }
    let told = match i64::try_from(length) {
        Ok(length) => length,
        Err(_) => length.cast_signed(),
    };
    Err(refused(format!(
        "dimension `{name}` cannot have the length {told}: it must be from 1 to {LONGEST_AXIS} \
         (2^60)"
    )))
}

/// Refuses more axes, or longer ones together, than a file can have.
///
/// # Errors
/// If there are more axes, or more elements, than a file can have.
pub fn check_size(dimensions: &[&SchemaDimension], value_type: ValueType) -> Result<()> {
    if dimensions.len() > MAX_RANK {
        return Err(refused(format!(
            "has {} dimensions: at most {MAX_RANK} are possible",
            dimensions.len()
        )));
    }
    let fixed = dimensions
        .iter()
        .filter(|dimension| !dimension.is_unlimited);
    check_bytes_of(fixed.map(|dimension| dimension.length), value_type)
}

fn check_bytes_of(lengths: impl Iterator<Item = u64>, value_type: ValueType) -> Result<()> {
    // A string is a place in a heap.
    let size = value_type.size_bytes().unwrap_or(16);
    let mut lengths = lengths.filter(|&length| length > 0);
    let bytes = lengths.try_fold(size as u64, |bytes, length| bytes.checked_mul(length));
    if bytes.is_some_and(|bytes| bytes <= MOST_BYTES) {
        return Ok(());
    }
    Err(refused(
        "would have more than 2^63 bytes: no file is as long",
    ))
}

/// Refuses dimensions that are not there, or not in the variable's group or above it.
pub(super) fn check_dimensions(
    schema: &Schema,
    variable: &SchemaVariable,
    allows_any: bool,
) -> Result<()> {
    for id in &variable.dimensions {
        let Some(dimension) = schema.dimensions.get(id.0) else {
            return Err(refused("has a dimension that is not there"));
        };
        let above = |at: &GroupId| schema.groups[at.0].parent;
        let mut groups = std::iter::successors(Some(variable.group), above);
        if !allows_any && !groups.any(|group| group == dimension.group) {
            return Err(refused(format!(
                "dimension `{}` is in none of the groups above it",
                dimension.name
            )));
        }
    }
    Ok(())
}

/// A variable's dimensions, the slowest first.
pub(super) fn dimensions_of<'a>(
    schema: &'a Schema,
    variable: &SchemaVariable,
) -> Vec<&'a SchemaDimension> {
    let numbers = variable.dimensions.iter();
    numbers.map(|id| &schema.dimensions[id.0]).collect()
}

impl Writer {
    /// Refuses settings that a variable cannot have.
    pub(super) fn check_settings(
        &self,
        variable: &SchemaVariable,
        path: &str,
        settings: &VariableSettings,
    ) -> Result<()> {
        if settings.fill == Fill::Nothing && variable.value_type.is_indirect() {
            let cause = "holds strings or sequences, which cannot go without a fill value";
            return Err(refused(cause));
        }
        let is_element = match (&settings.fill, variable.value_type) {
            (Fill::Default | Fill::Nothing, _) => true,
            (Fill::Value(value), value_type) => {
                value_type == ValueType::Atomic(value.nc_type()) && value.len() == 1
            }
            (Fill::Element(element), ValueType::Defined(defined)) => {
                let is_one = element.elements().len() == defined.size_bytes;
                is_one && (defined.is_indirect || element.pointers().is_empty())
            }
            (Fill::Element(_), _) => false,
        };
        if !is_element {
            return Err(refused("the fill value is not one element of its type"));
        }
        self.check_layout(variable, &settings.layout)?;
        check_filters(variable, &dimensions_of(&self.schema, variable), settings)?;
        if let Some(request) = &settings.precision {
            check_own_precision(variable, request)?;
        }
        self.check_requests(path, settings)
    }

    fn check_layout(&self, variable: &SchemaVariable, layout: &LayoutRequest) -> Result<()> {
        let axes = dimensions_of(&self.schema, variable);
        let chunk = match layout {
            LayoutRequest::Ours => return Ok(()),
            LayoutRequest::Contiguous if axes.iter().any(|axis| axis.is_unlimited) => {
                return Err(refused(
                    "has an unlimited dimension and cannot be contiguous",
                ));
            }
            LayoutRequest::Contiguous => axes.iter().map(|axis| axis.length).collect(),
            LayoutRequest::Chunked(chunk) => {
                check_chunk(&axes, chunk)?;
                chunk.clone()
            }
        };
        let Some(size) = variable.value_type.size_bytes() else {
            return Ok(());
        };
        let is_chunk = *layout != LayoutRequest::Contiguous;
        check_gathered(&chunk, size, is_chunk, self.memory_bytes).map(drop)
    }

    /// Refuses values, so many bytes of them, that do not fit a variable and its axes.
    pub(super) fn check_put(&self, id: VariableId, slab: &Slab<'_>, bytes: usize) -> Result<()> {
        self.check_variable(id)?;
        let wrap = |error: Error| {
            let path = self.schema.variable_path(id);
            error.in_file(&self.path).at_variable(&path)
        };
        let Some(size) = self.schema.variables[id.0].value_type.size_bytes() else {
            return Err(wrap(refused("holds strings or sequences, not numbers")));
        };
        self.check_place(id, slab)
            .and_then(|elements| check_bytes(elements, size, bytes))
            .map_err(wrap)
    }

    /// Refuses a place that leaves a variable, or lets it grow too far; the elements there.
    pub(super) fn check_place(&self, id: VariableId, slab: &Slab<'_>) -> Result<Option<u64>> {
        let dimensions = &self.schema.variables[id.0].dimensions;
        let elements = check_slab(slab, dimensions.len(), |axis| {
            let dimension = &self.schema.dimensions[dimensions[axis].0];
            match dimension.is_unlimited {
                true => LONGEST_AXIS,
                false => dimension.length,
            }
        })?;
        self.check_growth(id, slab)?;
        Ok(elements)
    }

    /// Refuses to let a variable grow to more than a file can have.
    fn check_growth(&self, id: VariableId, slab: &Slab<'_>) -> Result<()> {
        let variable = &self.schema.variables[id.0];
        let axes = variable.dimensions.iter().enumerate();
        let lengths = axes.map(|(axis, id)| match slab.count[axis] {
            0 => self.schema.dimensions[id.0].length,
            _ => slab.end(axis).max(self.schema.dimensions[id.0].length),
        });
        check_bytes_of(lengths, variable.value_type)
    }
}

/// Refuses a chunk shape that does not fit the axes.
fn check_chunk(axes: &[&SchemaDimension], chunk: &[u64]) -> Result<()> {
    if chunk.len() != axes.len() || chunk.is_empty() || chunk.contains(&0) {
        return Err(refused(format!(
            "has {} axes, so {} cannot be its chunk shape: state one length of at least 1 for \
             each axis",
            axes.len(),
            counting::shape(chunk)
        )));
    }
    let mut pairs = axes.iter().zip(chunk);
    let too_long = pairs.find(|(axis, edge)| !axis.is_unlimited && **edge > axis.length.max(1));
    if let Some((axis, edge)) = too_long {
        let (name, length) = (&axis.name, axis.length);
        return Err(refused(format!(
            "chunks of {edge} elements along `{name}` are longer than the dimension, which has \
             {length}"
        )));
    }
    Ok(())
}

/// Refuses filters that cannot be, or contradict requests.
fn check_filters(
    variable: &SchemaVariable,
    axes: &[&SchemaDimension],
    settings: &VariableSettings,
) -> Result<()> {
    let demand = &settings.demand;
    demand.check().map_err(refused)?;
    match (&settings.filters, &settings.layout) {
        (FilterRequest::Exactly(_), _) if !demand.is_empty() => {
            let cause = "filters are stated, so rules about filters cannot apply";
            let cure = "state the filters, or rules about filters (speeds, a tolerance, a chain)";
            Err(refused(cause).with_cure(cure))
        }
        (_, LayoutRequest::Contiguous) if demand.filters.is_some() => {
            let cause = "has requested filters but contiguous storage: only chunks can be filtered";
            Err(refused(cause).with_cure("leave its layout open, or state no filters"))
        }
        (FilterRequest::Exactly(pipeline), layout) => {
            check_pipeline(variable, axes, pipeline, layout)
        }
        (FilterRequest::Ours, _) => Ok(()),
    }
}

/// Refuses filters that are not there, or cannot have their values.
fn check_pipeline(
    variable: &SchemaVariable,
    axes: &[&SchemaDimension],
    pipeline: &FilterPipeline,
    layout: &LayoutRequest,
) -> Result<()> {
    let Some(element) = variable.element().filter(|_| !pipeline.is_empty()) else {
        return Ok(());
    };
    let chunk = match layout {
        LayoutRequest::Chunked(chunk) => chunk.clone(),
        _ => probe_chunk(axes),
    };
    let pipeline = completed(pipeline, element, &chunk)?;
    let size = element.size_bytes;
    let elements: u64 = chunk.iter().product();
    let bound = BoundEncoder::bind(&pipeline, None, size, elements as usize * size);
    bound
        .map(drop)
        .map_err(|error| Error::new(error.code(), error.to_string()))
}

/// A chunk as ours may be: no longer than fixed dimensions.
fn probe_chunk(axes: &[&SchemaDimension]) -> Vec<u64> {
    let mut left = PROBE_EDGE * PROBE_EDGE;
    let mut chunk: Vec<u64> = Vec::with_capacity(axes.len());
    for axis in axes.iter().rev() {
        let length = if axis.is_unlimited {
            PROBE_EDGE
        } else {
            axis.length
        };
        let extent = length.clamp(1, PROBE_EDGE.min(left));
        left = (left / extent).max(1);
        chunk.push(extent);
    }
    chunk.reverse();
    match chunk.is_empty() {
        true => vec![PROBE_EDGE],
        false => chunk,
    }
}

/// Filters that somebody asked for, with the values that depend on element and chunk, as libhdf5 would
/// set them.
pub(super) fn completed(
    pipeline: &FilterPipeline,
    element: ElementType,
    chunk: &[u64],
) -> Result<FilterPipeline> {
    frazil_types::completed(pipeline, element, chunk).map_err(|spec| {
        refused(format!(
            "filter {} ({}) cannot have the values {:?} for {} in chunks of {}",
            spec.id,
            spec.display_name(),
            spec.cd_values,
            element.name(),
            counting::shape(chunk)
        ))
    })
}

/// Refuses strings that HDF5 cannot hold: a NUL ends them.
pub(super) fn check_texts(texts: &[Text]) -> Result<()> {
    match texts.iter().find(|text| text.contains(&0)) {
        Some(text) => Err(refused(format!(
            "{text:?} holds a NUL, which no string can"
        ))),
        None => Ok(()),
    }
}

/// Refuses precision that is stated of a variable whose type cannot have it. What is not floating point
/// stays exact; what is stated of it must be possible for some type.
fn check_own_precision(variable: &SchemaVariable, request: &PrecisionRequest) -> Result<()> {
    const DOUBLE: ElementType = ElementType {
        class: ElementClass::Float,
        size_bytes: 8,
        order: ByteOrder::Little,
    };
    refuse_analysis(request)?;
    let element = variable.element();
    let element = element.filter(|element| element.class == ElementClass::Float);
    let outcome = check_precision(request, element.unwrap_or(DOUBLE));
    outcome.map_err(|error| Error::new(error.code(), error.to_string()))
}

/// Refuses precision that all values decide.
pub(super) fn refuse_analysis(request: &PrecisionRequest) -> Result<()> {
    if request.pack_integers == Some(true) {
        let cause = "integers cannot be packed while values are still to come";
        let cure = "state absolute_tolerance alone, and pack the finished file: \
                    frazil pack --pack-integers";
        return Err(Error::new(ErrorCode::InvalidArgument, cause).with_cure(cure));
    }
    if request.keep_information.is_none() {
        return Ok(());
    }
    let error = refused("this precision depends on all values, and some are still to come");
    Err(error.with_cure(
        "state bits, digits or an error bound (`frazil analyze` of an earlier file tells how many \
         bits hold information)",
    ))
}

pub(super) fn check_bytes(elements: Option<u64>, size: usize, bytes: usize) -> Result<()> {
    let wanted = elements.and_then(|elements| elements.checked_mul(size as u64));
    match wanted {
        Some(wanted) if wanted == bytes as u64 => Ok(()),
        _ => Err(refused(format!(
            "the put needs {} bytes and has {bytes}",
            wanted.map_or("countless".to_owned(), |wanted| wanted.to_string())
        ))),
    }
}

pub(super) fn check_count(elements: Option<u64>, values: usize) -> Result<()> {
    match elements {
        Some(elements) if elements == values as u64 => Ok(()),
        _ => Err(Error::new(
            frazil_types::ErrorCode::InvalidArgument,
            format!("the put has {values} values, and its selection another number"),
        )),
    }
}
