//! Whether netCDF-C sees in a file exactly what [`FileModel`](crate::model::FileModel) says.
//!
//! Source: netCDF-C's `libhdf5/hdf5open.c`, and `H5DSis_scale` of libhdf5. What those take otherwise than
//! the model does, refuse, or take by chance, is named here.

use std::collections::HashSet;

use frazil_hdf5::{Extent, TextPadding, TypeClass};

use super::attributes::ObjectAttributes;
use super::data_model::{Member, Reader};
use super::netcdf::{is_scale, numbers};
use crate::hdf5::contents::{Entry, EntryKind};
use crate::hdf5::netcdf_names::{COORDINATES, NUMBER};
use crate::schema::{DimensionId, GroupId};

/// `NC_MAX_NAME`.
const MOST_NAME_BYTES: usize = 256;
/// Bytes of the text that marks a scale, with its NUL.
const CLASS_BYTES: usize = 16;

impl Reader<'_> {
    /// The first thing for which netCDF-C may see other objects than the model has, or refuse the file.
    pub(super) fn irregularity(&self) -> Option<String> {
        let entries = self.input.entries().iter();
        let unusual = self.input.unusual_form().into_iter();
        let found = entries
            .filter_map(odd_entry)
            .chain(unusual.filter_map(odd_form))
            .chain(self.odd_numbers())
            .next();
        let odd = |member: &Member<'_>| {
            let what = self.odd_dataset(member)?;
            let path = &self.dataset(member.number).object_path;
            Some(format!("{path}: {what}"))
        };
        found.or_else(|| self.members.iter().find_map(odd))
    }

    /// Dimensions whose numbers netCDF-C cannot count with.
    fn odd_numbers(&self) -> Option<String> {
        let mut known = HashSet::new();
        let odd = self.model.dimensions.iter().find(|dimension| {
            i32::try_from(dimension.number).is_err() || !known.insert(dimension.number)
        });
        odd.map(|dimension| format!("the number of the dimension {}", dimension.name))
    }

    fn odd_dataset(&self, member: &Member<'_>) -> Option<&'static str> {
        let (dataset, attributes) = (self.dataset(member.number), &self.attributes[member.number]);
        let rank = dataset.shape.len();
        let is_scale = is_scale(attributes);
        if dataset.is_null {
            return Some("it has no dataspace");
        }
        if attributes.named("CLASS").is_some() && !is_plain_scale(attributes) {
            return Some("its attribute CLASS");
        }
        if is_scale && (rank == 0 || has_odd_number(attributes)) {
            return Some("it is an odd dimension scale");
        }
        if dataset.is_dimension_only {
            return (!is_scale).then_some("it is named a dimension, and is none");
        }
        let own = self.by_address.get(&dataset.object_address).copied();
        if attributes.named(COORDINATES).is_some() {
            let stated = numbers(attributes, COORDINATES);
            let found: Vec<_> = member
                .axes
                .iter()
                .flatten()
                .map(|id| self.number_of(*id))
                .collect();
            let is_own = rank != 1 || own.is_none_or(|id| member.axes.first() == Some(&Some(id)));
            let is_good = rank > 0 && stated == found && is_own;
            return (!is_good).then_some("its attribute _Netcdf4Coordinates");
        }
        if is_scale {
            return (rank != 1).then_some("a scale of several axes that does not name them");
        }
        self.odd_scales(member)
    }

    /// Of a dataset whose dimensions are only known by the scales that are attached to it.
    fn odd_scales(&self, member: &Member<'_>) -> Option<&'static str> {
        let dataset = self.dataset(member.number);
        let attached = references_by_axis(&self.attributes[member.number]);
        if attached.iter().all(|&count| count == 0) {
            let has_scales = |id: &DimensionId| !self.model.dimensions[id.0].is_phony;
            let is_mixed = !dataset.shape.is_empty()
                && (member.axes.iter().flatten().any(has_scales) || self.has_scales(member.group));
            return is_mixed.then_some("it has no dimensions, and its group has some");
        }
        let is_near = |id: &DimensionId| {
            let dimension = &self.model.dimensions[id.0];
            !dimension.is_phony && self.is_in(member.group, dimension.group)
        };
        let is_good = attached.len() == dataset.shape.len()
            && attached.iter().all(|&count| count == 1)
            && member.axes.iter().flatten().all(is_near);
        (!is_good).then_some("the scales that are attached to it")
    }

    fn number_of(&self, id: DimensionId) -> u64 {
        self.model.dimensions[id.0].number
    }

    fn has_scales(&self, group: GroupId) -> bool {
        let mut all = self.model.dimensions.iter();
        all.any(|dimension| dimension.group == group && !dimension.is_phony)
    }

    /// Whether a group is another one, or somewhere below it.
    fn is_in(&self, group: GroupId, above: GroupId) -> bool {
        let mut at = Some(group);
        while let Some(here) = at {
            if here == above {
                return true;
            }
            at = self.model.groups[here.0].parent;
        }
        false
    }
}

/// What netCDF-C may not take for a name of a group, dataset or type.
fn odd_entry(entry: &Entry) -> Option<String> {
    let what = match &entry.kind {
        EntryKind::Group { .. } | EntryKind::Dataset(_) | EntryKind::NamedDatatype { .. } => {
            let is_odd = entry.name.len() > MOST_NAME_BYTES || entry.name.contains(['/', '\0']);
            return is_odd.then(|| format!("the name of {}", entry.path));
        }
        EntryKind::HardLink { .. } => "a second name of an object",
        EntryKind::Soft(_) | EntryKind::External { .. } | EntryKind::UserDefined { .. } => "a link",
    };
    Some(format!("{}: {what}", entry.path))
}

/// What libhdf5 may refuse.
fn odd_form(what: &str) -> Option<String> {
    what.starts_with("a message that HDF5 does not know")
        .then(|| what.to_owned())
}

/// Whether libhdf5 takes the mark for that of a dimension scale.
fn is_plain_scale(attributes: &ObjectAttributes) -> bool {
    let Some(class) = attributes.named("CLASS") else {
        return false;
    };
    let is_text = class.extent == Extent::Scalar
        && class.datatype.size_bytes == CLASS_BYTES
        && matches!(
            class.datatype.class,
            TypeClass::FixedText {
                padding: TextPadding::NullTerminated,
                ..
            }
        );
    let values = class.values.as_ref().map(|values| values.bytes());
    is_text && values.is_some_and(|bytes| bytes.starts_with(b"DIMENSION_SCALE\0"))
}

/// Whether a scale states a number that is none.
fn has_odd_number(attributes: &ObjectAttributes) -> bool {
    attributes.named(NUMBER).is_some() && numbers(attributes, NUMBER).len() != 1
}

/// How many scales are attached to each axis; nothing if the dataset has no list of scales.
fn references_by_axis(attributes: &ObjectAttributes) -> Vec<u64> {
    let Some(list) = attributes.named("DIMENSION_LIST") else {
        return Vec::new();
    };
    let elements = list.extent.elements().unwrap_or(0);
    // Behind their number, which is that of no scale if it cannot be told.
    let count = |axis: u64| {
        let values = list.values.as_ref()?;
        let number = values.element(usize::try_from(axis).ok()?).first_chunk()?;
        Some(u64::from_le_bytes(*number))
    };
    (0..elements.min(u64::from(u8::MAX)))
        .map(|axis| count(axis).unwrap_or(u64::MAX))
        .collect()
}
