//! Scales of many variables: libhdf5 copies a scale's list of axes with each axis that it attaches,
//! which takes time by the square of their number. Here a list gets all new axes at once.
//!
//! The first variable is attached by libhdf5, which makes both lists; their types serve for the
//! others.
//!
//! Source: HDF5 Dimension Scale Specification, `DIMENSION_LIST` and `REFERENCE_LIST`.

use std::collections::BTreeMap;

use super::Objects;
use crate::error::{ContainerError, Result};
use crate::ffi::datatype::Datatype;
use crate::ffi::{Handle, attribute, link};
use crate::schema::{DimensionId, VariableId};
use frazil_hdf5::Extent;

/// By axis of a variable: its scales.
const SCALES: &str = "DIMENSION_LIST";
/// Of a scale: the axes that have it, each as a dataset's address and the axis's number.
const AXES: &str = "REFERENCE_LIST";
/// Bytes of an entry of that: an address, a number, and as many bytes of nothing as make it even.
const ENTRY_BYTES: usize = 16;
/// Scales that get more axes than this get them at once.
const FEW: usize = 16;

/// Axes that get their scales together.
pub(super) struct Together {
    /// By dimension: how many axes lack its scale.
    missing: BTreeMap<DimensionId, usize>,
    /// The types of both lists, once there is a variable that has them.
    types: Option<(Datatype, Datatype)>,
    /// By dimension: what its scale's list lacks.
    entries: BTreeMap<DimensionId, Vec<u8>>,
    addresses: BTreeMap<DimensionId, u64>,
}

impl Together {
    pub(super) fn new(objects: &Objects) -> Self {
        let mut missing = BTreeMap::new();
        for variable in objects.variables.iter().flatten() {
            let axes = variable.dimensions.iter().zip(&variable.attached);
            for (&dimension, _) in axes.filter(|(_, is_on)| !**is_on) {
                *missing.entry(dimension).or_default() += 1;
            }
        }
        Self {
            missing,
            types: None,
            entries: BTreeMap::new(),
            addresses: BTreeMap::new(),
        }
    }

    /// Gives a variable its list of scales, and notes its axes for theirs; `false`: libhdf5 has to.
    pub(super) fn add(&mut self, objects: &mut Objects, id: VariableId) -> Result<bool> {
        let Some((of_scales, _)) = &self.types else {
            return Ok(false);
        };
        let variable = objects.variable(id)?;
        let is_many = |dimension| self.missing.get(dimension).is_some_and(|&n| n > FEW);
        let is_new = !variable.attached.contains(&true);
        if !is_new || !variable.dimensions.iter().any(is_many) {
            return Ok(false);
        }
        let dataset = variable.linked.dataset.handle();
        if attribute::open_by_name(dataset, SCALES)?.is_some() {
            return Ok(false);
        }
        let mut scales = Vec::new();
        for &dimension in &variable.dimensions {
            let known = self.addresses.get(&dimension).copied();
            let address = known.map_or_else(|| address_of_scale(objects, dimension), Ok)?;
            self.addresses.insert(dimension, address);
            scales.push(address);
        }
        write_scales(dataset, of_scales, &scales)?;
        let own = link::object_address(dataset)?;
        for (axis, &dimension) in variable.dimensions.iter().enumerate() {
            let entry = self.entries.entry(dimension).or_default();
            entry.extend(own.to_ne_bytes());
            entry.extend((axis as u32).to_ne_bytes());
            entry.extend([0; 4]);
        }
        if let Some(Some(variable)) = objects.variables.get_mut(id.0) {
            variable.attached.fill(true);
        }
        Ok(true)
    }

    /// Takes the types of both lists from a variable that libhdf5 has attached.
    pub(super) fn learn(&mut self, objects: &Objects, id: VariableId) -> Result<()> {
        let variable = objects.variable(id)?;
        let Some(first) = variable.dimensions.first() else {
            return Ok(());
        };
        if self.types.is_some() || self.missing.values().all(|&axes| axes <= FEW) {
            return Ok(());
        }
        let scales = attribute::open(variable.linked.dataset.handle(), SCALES)?;
        let scale = objects.scale(*first).ok_or_else(missing_scale)?;
        let axes = attribute::open(scale.handle(), AXES)?.datatype()?;
        let axes = axes.memory_copy()?;
        if axes.size_bytes()? == ENTRY_BYTES {
            self.types = Some((scales.datatype()?.memory_copy()?, axes));
        }
        Ok(())
    }

    /// Gives scales the axes that their lists lack.
    pub(super) fn finish(self, objects: &Objects) -> Result<()> {
        let Some((_, of_axes)) = &self.types else {
            return Ok(());
        };
        for (dimension, new) in &self.entries {
            let scale = objects.scale(*dimension).ok_or_else(missing_scale)?;
            let scale = scale.handle();
            let mut all = Vec::new();
            if let Some(present) = attribute::open_by_name(scale, AXES)? {
                all = present.read(of_axes, &present.extent()?, u64::MAX)?;
                drop(present);
                attribute::delete(scale, AXES)?;
            }
            all.extend(new);
            let extent = one_dimensional(all.len() / ENTRY_BYTES);
            let list = attribute::create(scale, AXES, of_axes, &extent)?;
            list.write(of_axes, &extent, &all)?;
        }
        Ok(())
    }
}

fn address_of_scale(objects: &Objects, dimension: DimensionId) -> Result<u64> {
    let scale = objects.scale(dimension).ok_or_else(missing_scale)?;
    link::object_address(scale.handle())
}

/// Writes the list of scales of a variable: one for each axis.
fn write_scales(dataset: &Handle, datatype: &Datatype, scales: &[u64]) -> Result<()> {
    // As C has a sequence: how many elements, and where they are.
    let sequences = scales.iter().flat_map(|address| {
        let place = std::ptr::from_ref(address).expose_provenance();
        [1, place]
    });
    let value: Vec<u8> = sequences.flat_map(usize::to_ne_bytes).collect();
    let extent = one_dimensional(scales.len());
    attribute::create(dataset, SCALES, datatype, &extent)?.write(datatype, &extent, &value)
}

fn one_dimensional(elements: usize) -> Extent {
    let elements = elements as u64;
    Extent::Simple {
        shape: vec![elements],
        max_shape: vec![Some(elements)],
    }
}

fn missing_scale() -> ContainerError {
    ContainerError::Internal("a dimension without a scale".to_owned())
}
