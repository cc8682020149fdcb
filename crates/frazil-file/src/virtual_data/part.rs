//! A part of a virtual dataset: which elements of which source it takes.

use std::ops::Range;

use frazil_container::hdf5::{ElementSelection, VirtualPart};
use frazil_types::ErrorCode;

use super::axis::{Axis, UNLIMITED};
use super::names::SeriesName;
use super::ordered::{Ordered, endless_axis};
use crate::error::{Error, Result};

/// A part of a virtual dataset.
#[derive(Debug)]
pub(super) struct Part {
    pub(super) file: SeriesName,
    pub(super) dataset: SeriesName,
    source: ElementSelection,
    /// In an array of the virtual dataset's shape; what has no end goes on.
    target: Ordered,
    /// Whether that is all of it, whatever its shape.
    is_whole: bool,
    /// The axis of the virtual dataset along which the part goes on.
    pub(super) endless: Option<usize>,
    /// Start, distance and length of blocks along that axis, each of which has a source of its own.
    blocks: Option<[u64; 3]>,
}

/// The elements of a source, and those of the virtual dataset that they are: as many, in the same order.
pub(super) struct Pair {
    pub(super) source: Ordered,
    pub(super) target: Ordered,
}

impl Part {
    /// Makes sense of what a file says about a virtual dataset of this shape.
    pub(super) fn of(part: VirtualPart, shape: &[u64]) -> Result<Self> {
        let (file, dataset) = (
            SeriesName::parse(&part.file)?,
            SeriesName::parse(&part.dataset)?,
        );
        let target = Ordered::of(&part.target, shape).map_err(corrupt)?;
        let (endless, endless_source) = (endless_axis(&part.target), endless_axis(&part.source));
        let is_series = file.is_series() || dataset.is_series();
        let blocks = match (endless, endless_source, &part.target) {
            (Some(axis), None, ElementSelection::Regular { axes }) if is_series => {
                let [start, stride, count, size] = axes[axis];
                if count != UNLIMITED || size == UNLIMITED || size == 0 || stride == 0 {
                    return Err(corrupt("a series of sources without equal blocks"));
                }
                Some([start, stride, size])
            }
            (Some(_), None, _) => return Err(corrupt("one source for a part without end")),
            _ if is_series => return Err(corrupt("a series of sources for one part")),
            (None, Some(_), _) => return Err(corrupt("a source without end for a limited part")),
            _ => None,
        };
        let part = Self {
            file,
            dataset,
            source: part.source,
            target,
            is_whole: part.target == ElementSelection::All,
            endless,
            blocks,
        };
        match part.reaches_out(shape) {
            true => Err(corrupt("a part of it lies outside its shape")),
            false => Ok(part),
        }
    }

    fn reaches_out(&self, shape: &[u64]) -> bool {
        let ends = match (&self.target, self.endless) {
            (Ordered::Product(axes), Some(endless)) => {
                let end = |(axis, one): (usize, &Axis)| if axis == endless { 0 } else { one.end() };
                axes.iter().enumerate().map(end).collect()
            }
            (target, _) => target.ends(),
        };
        ends.iter().zip(shape).any(|(end, length)| end > length)
    }

    /// Whether each block has a source of its own.
    pub(super) fn is_series(&self) -> bool {
        self.blocks.is_some()
    }

    /// How long the virtual dataset must be along the axes that are limited.
    pub(super) fn least_length(&self, axis: usize) -> u64 {
        match &self.target {
            _ if self.endless == Some(axis) || self.is_whole => 0,
            Ordered::Product(axes) => axes.get(axis).map_or(0, Axis::end),
            target @ Ordered::Rows(_) => target.ends().get(axis).copied().unwrap_or(0),
        }
    }

    /// The end of a block along the axis that has none.
    pub(super) fn block_end(&self, block: u64) -> Option<u64> {
        let [start, stride, size] = self.blocks?;
        start
            .checked_add(block.checked_mul(stride)?)?
            .checked_add(size)
    }

    /// The blocks that a box may have elements of; one for what is no series.
    pub(super) fn blocks_in(&self, start: &[u64], count: &[u64]) -> Range<u64> {
        let Ordered::Product(axes) = &self.target else {
            return 0..1;
        };
        for (axis, one) in axes.iter().enumerate() {
            if one.before(start[axis]) == one.before(start[axis].saturating_add(count[axis])) {
                return 0..0;
            }
        }
        match (self.blocks, self.endless) {
            (Some([_, _, size]), Some(axis)) => {
                let numbers = &axes[axis];
                let first = numbers.before(start[axis]) / size;
                first
                    ..numbers
                        .before(start[axis].saturating_add(count[axis]))
                        .div_ceil(size)
            }
            _ => 0..1,
        }
    }

    /// Which elements belong together, for a block whose source has this shape. `shape` is that of the virtual dataset,
    /// which limits a part if `is_limited`; else the source does.
    pub(super) fn pair(
        &self,
        block: u64,
        source_shape: &[u64],
        (shape, is_limited): (&[u64], bool),
    ) -> Result<Pair> {
        let mut source = Ordered::of(&self.source, source_shape).map_err(corrupt)?;
        let mut target = self.target.clone();
        match (self.endless, self.blocks) {
            (Some(axis), Some([start, stride, size])) => {
                let begin = block
                    .checked_mul(stride)
                    .and_then(|at| at.checked_add(start));
                let begin = begin.ok_or_else(|| corrupt("a block that is beyond counting"))?;
                set_axis(&mut target, axis, |_| Axis::runs([(begin, size)]));
            }
            (Some(axis), None) => {
                let own = endless_axis(&self.source).unwrap_or(0);
                let (Some(here), Some(there)) = (axis_of(&target, axis), axis_of(&source, own))
                else {
                    return Err(corrupt("a part without end that is no pattern"));
                };
                let length = |shape: &[u64], axis: usize| shape.get(axis).copied().unwrap_or(0);
                let (length_here, length_there) = (length(shape, axis), length(source_shape, own));
                let end = there.clone().first(here.counted_in(length_here)).end();
                let (first_here, first_there) = match is_limited && end <= length_there {
                    true => (here.before(length_here), there.before(end)),
                    false => (there.counted_in(length_there), there.before(length_there)),
                };
                set_axis(&mut target, axis, |one| one.first(first_here));
                set_axis(&mut source, own, |one| one.first(first_there));
            }
            _ => {}
        }
        if source.count() != target.count() {
            return Err(corrupt(format!(
                "{} elements are mapped onto {} of a source",
                target.count(),
                source.count()
            )));
        }
        let lengths = if source_shape.is_empty() {
            &[1]
        } else {
            source_shape
        };
        match source
            .ends()
            .iter()
            .zip(lengths)
            .any(|(end, length)| end > length)
        {
            true => Err(corrupt("a part of it lies outside its source")),
            false => Ok(Pair { source, target }),
        }
    }

    /// How long the virtual dataset is along the axis without end, by a source of this shape.
    pub(super) fn length_by(&self, source_shape: &[u64]) -> Result<u64> {
        let source = Ordered::of(&self.source, source_shape).map_err(corrupt)?;
        let own = endless_axis(&self.source).unwrap_or(0);
        let there = axis_of(&source, own).zip(source_shape.get(own));
        let count = there.map_or(0, |(axis, &length)| axis.counted_in(length));
        let here = self.endless.and_then(|axis| axis_of(&self.target, axis));
        Ok(here.map_or(0, |axis| axis.clone().first(count).end()))
    }
}

/// An axis of a selection that is a product of axes.
fn axis_of(ordered: &Ordered, axis: usize) -> Option<&Axis> {
    match ordered {
        Ordered::Product(axes) => axes.get(axis),
        Ordered::Rows(_) => None,
    }
}

fn set_axis(ordered: &mut Ordered, axis: usize, change: impl FnOnce(Axis) -> Axis) {
    if let Ordered::Product(axes) = ordered
        && let Some(one) = axes.get_mut(axis)
    {
        let before = std::mem::replace(one, Axis::all(0));
        *one = change(before);
    }
}

fn corrupt(cause: impl Into<String>) -> Error {
    Error::new(ErrorCode::Corrupt, cause)
}
