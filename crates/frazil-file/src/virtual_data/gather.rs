//! Gathers the elements of a virtual dataset from its sources.

use std::collections::HashSet;
use std::ops::Range;

use frazil_container::hdf5::Expanded;
use frazil_pipeline::fill_values;
use frazil_types::{AxisSelection, ErrorCode, selected_elements};

use super::VirtualValues;
use super::axis::{Axis, Run};
use super::boxes::{ArrayBox, boxes_of};
use super::ordered::Ordered;
use super::part::Pair;
use super::source::Source;
use crate::error::{Error, Result};
use crate::resources::room_for;

/// Fills `buffer` with elements as if they lay one after the other, from an address on.
pub(super) fn bytes(values: &VirtualValues, address: u64, buffer: &mut [u8]) -> Result<()> {
    let size = values.element_bytes() as u64;
    if buffer.is_empty() || size == 0 {
        return Ok(());
    }
    let end = address.saturating_add(buffer.len() as u64);
    let elements = address / size..end.div_ceil(size);
    let is_whole = address.is_multiple_of(size) && end.is_multiple_of(size);
    if is_whole {
        return elements_into(values, elements, buffer);
    }
    let mut whole = room_for(elements.end - elements.start, size as usize)?;
    elements_into(values, elements.clone(), &mut whole)?;
    let skip = (address - elements.start * size) as usize;
    buffer.copy_from_slice(&whole[skip..][..buffer.len()]);
    Ok(())
}

fn elements_into(values: &VirtualValues, range: Range<u64>, target: &mut [u8]) -> Result<()> {
    let size = values.element_bytes();
    fill_values(target, &values.element.fill);
    Gather::new(values, range)?.run(&mut |source, selections, places| {
        let stored = source.stored(selections)?;
        let from = source.element_bytes();
        let mut next = 0;
        for place in places {
            let stored = &stored[next * from..(next + place.count) * from];
            let target = &mut target[place.at * size..(place.at + place.count) * size];
            source.conversion.convert(stored, target);
            next += place.count;
        }
        Ok(())
    })
}

/// The selected elements as if they lay in the file.
pub(super) fn stored(
    values: &VirtualValues,
    selections: &[AxisSelection],
    target: &mut [u8],
) -> Result<()> {
    let size = values.element_bytes();
    fill_values(target, &values.element.fill);
    for (first, range) in ranges_of(&values.shape, selections) {
        let bytes = (range.end - range.start) as usize * size;
        let part = target
            .get_mut(first * size..)
            .and_then(|rest| rest.get_mut(..bytes));
        elements_into(values, range, part.ok_or_else(lost)?)?;
    }
    Ok(())
}

/// The selected elements, expanded.
pub(super) fn expanded(values: &VirtualValues, selections: &[AxisSelection]) -> Result<Expanded> {
    let count = selected_elements(selections).unwrap_or(u64::MAX);
    let count = room_for(count, size_of::<Option<(usize, usize)>>())
        .map(|room| room.len() / size_of::<Option<(usize, usize)>>())?;
    // Of each element, which of the parts has it, and where.
    let mut found: Vec<Option<(usize, usize)>> = vec![None; count];
    let mut parts: Vec<Expanded> = Vec::new();
    for (first, range) in ranges_of(&values.shape, selections) {
        Gather::new(values, range)?.run(&mut |source, selections, places| {
            let part = source.expanded(selections)?;
            let mut next = 0;
            for place in places {
                let here = &mut found[first + place.at..][..place.count];
                for (one, number) in here.iter_mut().zip(next..) {
                    *one = Some((parts.len(), number));
                }
                next += place.count;
            }
            parts.push(part);
            Ok(())
        })?;
    }
    let fill = match found.contains(&None) {
        true => values.expanded_fill.element(0).to_vec(),
        false => Vec::new(),
    };
    let mut all = Expanded::default();
    for one in found {
        all.push(one.map_or(&fill, |(part, number)| parts[part].element(number)));
    }
    Ok(all)
}

/// The elements that selections along all axes mean, as ranges of row-major numbers, each with the place in what is
/// wanted; without those outside the array.
fn ranges_of(shape: &[u64], selections: &[AxisSelection]) -> Vec<(usize, Range<u64>)> {
    let mut ranges: Vec<(usize, Range<u64>)> = Vec::new();
    let elements = selected_elements(selections).unwrap_or(0);
    for number in 0..elements {
        let (mut rest, mut linear, mut step) = (number, 0_u64, 1_u64);
        let mut is_inside = true;
        for (selection, &length) in selections.iter().zip(shape).rev() {
            let count = selection.count().max(1);
            let at = selection.element(rest % count).unwrap_or(u64::MAX);
            is_inside &= at < length;
            linear = linear.saturating_add(at.saturating_mul(step));
            step = step.saturating_mul(length);
            rest /= count;
        }
        let place = number as usize;
        match ranges.last_mut() {
            _ if !is_inside => {}
            Some((first, last))
                if last.end == linear && *first + (last.end - last.start) as usize == place =>
            {
                last.end += 1;
            }
            _ => ranges.push((place, linear..linear + 1)),
        }
    }
    ranges
}

/// Where some elements of a source go in what is gathered, one after the other.
#[derive(Debug, Clone, Copy)]
struct Place {
    at: usize,
    count: usize,
}

/// Takes elements of a source, and where they go.
type Visit<'a> = dyn FnMut(&Source, &[AxisSelection], &[Place]) -> Result<()> + 'a;

/// The elements of a range, which are gathered part by part, the last part first: of parts that overlap, the later one
/// counts, and no element is read twice, however files are made.
struct Gather<'a> {
    values: &'a VirtualValues,
    range: Range<u64>,
    is_found: Vec<bool>,
    /// Names of sources that are missing.
    missing: HashSet<(String, String)>,
}

impl<'a> Gather<'a> {
    fn new(values: &'a VirtualValues, range: Range<u64>) -> Result<Self> {
        let is_found = room_for(range.end - range.start, 1)?;
        Ok(Self {
            values,
            range,
            is_found: is_found.into_iter().map(|byte| byte != 0).collect(),
            missing: HashSet::new(),
        })
    }

    fn run(mut self, visit: &mut Visit<'_>) -> Result<()> {
        for one in boxes_of(&self.values.shape, self.range.clone()) {
            for part in (0..self.values.parts.len()).rev() {
                self.part(part, &one, visit)?;
            }
        }
        Ok(())
    }

    fn part(&mut self, number: usize, one: &ArrayBox, visit: &mut Visit<'_>) -> Result<()> {
        let values = self.values;
        let part = &values.parts[number];
        let mut blocks = part.blocks_in(&one.0, &one.1);
        if let Some(most) = values.series[number] {
            blocks.end = blocks.end.min(most);
        }
        for block in blocks.rev() {
            let names = (part.file.with(block), part.dataset.with(block));
            if self.missing.contains(&names) {
                continue;
            }
            let Some(source) = values.source(&names.0, &names.1)? else {
                self.missing.insert(names);
                continue;
            };
            let limits = (values.shape.as_slice(), values.is_source);
            let pair = part.pair(block, source.shape(), limits)?;
            self.pair(&source, &pair, one, visit)?;
        }
        Ok(())
    }

    fn pair(
        &mut self,
        source: &Source,
        pair: &Pair,
        one: &ArrayBox,
        visit: &mut Visit<'_>,
    ) -> Result<()> {
        if let (Ordered::Product(here), Ordered::Product(there)) = (&pair.target, &pair.source)
            && let Some(axes) = alike(here, there)
        {
            let found = self.whole_box(here, there, &axes, one);
            let is_new = |place: &Place| !self.is_found[place.at..][..place.count].contains(&true);
            match found {
                None => return Ok(()),
                Some((mut selections, places)) if places.iter().all(is_new) => {
                    selections.truncate(source.shape().len());
                    visit(source, &selections, &places)?;
                    for place in places {
                        self.is_found[place.at..][..place.count].fill(true);
                    }
                    return Ok(());
                }
                Some(_) => {}
            }
        }
        self.row_by_row(source, pair, one, visit)
    }

    /// Where the elements of a box come from and go to, if both selections are products along the same axes.
    fn whole_box(
        &self,
        here: &[Axis],
        there: &[Axis],
        axes: &[Option<usize>],
        (start, count): &ArrayBox,
    ) -> Option<(Vec<AxisSelection>, Vec<Place>)> {
        let numbers = here.iter().zip(start).zip(count);
        let numbers: Vec<Range<u64>> = numbers
            .map(|((axis, &start), &count)| axis.before(start)..axis.before(start + count))
            .collect();
        if numbers.iter().any(Range::is_empty) {
            return None;
        }
        let selections = there.iter().zip(axes).map(|(axis, own)| match own {
            Some(own) => axis.selection(numbers[*own].clone()),
            None => axis.selection(0..1),
        });
        let selections: Vec<AxisSelection> = selections.collect();
        let (last, outer) = numbers.split_last()?;
        let (last_axis, outer_axes) = here.split_last()?;
        let rows = outer.iter().map(|range| range.end - range.start);
        let rows = rows.fold(1, u64::saturating_mul);
        let mut places = Vec::new();
        let mut at = vec![0; here.len()];
        for row in 0..rows {
            let mut rest = row;
            for (axis, range) in outer.iter().enumerate().rev() {
                let length = range.end - range.start;
                at[axis] = outer_axes[axis].run_at(range.start + rest % length)?.at;
                rest /= length;
            }
            for run in last_axis.runs_of(last.start, last.end) {
                *at.last_mut()? = run.at;
                places.push(self.place(&at, run.length));
            }
        }
        Some((selections, places))
    }

    fn place(&self, at: &[u64], count: u64) -> Place {
        let axes = at.iter().zip(&self.values.shape);
        let linear = axes.fold(0_u64, |all, (at, length)| all * length + at);
        Place {
            at: (linear - self.range.start) as usize,
            count: count as usize,
        }
    }

    /// The same for selections of any form, by the elements' numbers.
    fn row_by_row(
        &mut self,
        source: &Source,
        pair: &Pair,
        (start, count): &ArrayBox,
        visit: &mut Visit<'_>,
    ) -> Result<()> {
        let (Some((&length, outer)), Some(last)) = (count.split_last(), start.len().checked_sub(1))
        else {
            return Ok(());
        };
        let mut wanted = SourceRow::default();
        let mut runs: Vec<Run> = Vec::new();
        let mut from = Vec::new();
        for row in 0..outer.iter().product() {
            let (mut at, mut rest) = (start.clone(), row);
            for axis in (0..last).rev() {
                at[axis] += rest % outer[axis];
                rest /= outer[axis];
            }
            runs.clear();
            pair.target.runs_in(&at, length, &mut runs);
            for run in &runs {
                at[last] = run.at;
                let place = self.place(&at, run.length);
                for new in self.new_in(place) {
                    let mut number = run.number + (new.at - place.at) as u64;
                    let mut left = new;
                    while left.count > 0 {
                        let length = pair.source.place_of(number, &mut from);
                        let length = length.filter(|&n| n > 0).ok_or_else(lost)?;
                        let taken = left
                            .count
                            .min(usize::try_from(length).unwrap_or(usize::MAX));
                        let here = Place {
                            at: left.at,
                            count: taken,
                        };
                        if !wanted.is_in(&from) {
                            wanted.read(source, visit)?;
                        }
                        wanted.add(&from, here);
                        number += taken as u64;
                        left.at += taken;
                        left.count -= taken;
                    }
                }
            }
        }
        wanted.read(source, visit)
    }

    /// The parts of a place that were not found before; they are now.
    fn new_in(&mut self, place: Place) -> Vec<Place> {
        let mut new: Vec<Place> = Vec::new();
        for at in place.at..place.at + place.count {
            if std::mem::replace(&mut self.is_found[at], true) {
                continue;
            }
            match new.last_mut() {
                Some(last) if last.at + last.count == at => last.count += 1,
                _ => new.push(Place { at, count: 1 }),
            }
        }
        new
    }
}

/// Elements of one row of a source, and where they go.
#[derive(Default)]
struct SourceRow {
    leading: Vec<u64>,
    columns: Vec<u64>,
    places: Vec<Place>,
}

impl SourceRow {
    fn is_in(&self, from: &[u64]) -> bool {
        let leading = from.split_last().map(|(_, leading)| leading);
        self.places.is_empty() || leading == Some(&self.leading[..])
    }

    fn add(&mut self, from: &[u64], place: Place) {
        if let Some((&column, leading)) = from.split_last() {
            leading.clone_into(&mut self.leading);
            self.columns.extend(column..column + place.count as u64);
            self.places.push(place);
        }
    }

    /// Reads what was added.
    fn read(&mut self, source: &Source, visit: &mut Visit<'_>) -> Result<()> {
        if self.places.is_empty() {
            return Ok(());
        }
        let columns = std::mem::take(&mut self.columns);
        let is_one_run = columns.windows(2).all(|pair| pair[0] + 1 == pair[1]);
        let leading = self.leading.iter().map(|&at| AxisSelection::dense(at, 1));
        let mut selections: Vec<AxisSelection> = leading.collect();
        selections.push(match columns.first() {
            Some(&first) if is_one_run => AxisSelection::dense(first, columns.len() as u64),
            _ => AxisSelection::List(columns),
        });
        selections.truncate(source.shape().len());
        let places = std::mem::take(&mut self.places);
        visit(source, &selections, &places)
    }
}

/// For each axis of the source the one of the virtual dataset that it goes along with, those of one element aside;
/// `None` if the selections have other shapes.
fn alike(here: &[Axis], there: &[Axis]) -> Option<Vec<Option<usize>>> {
    let is_long = |axis: &&Axis| axis.count() != 1;
    let mut own = here.iter().enumerate().filter(|(_, axis)| is_long(axis));
    let mut axes = Vec::with_capacity(there.len());
    for axis in there {
        axes.push(match is_long(&axis) {
            true => {
                let (number, same) = own.next()?;
                (same.count() == axis.count()).then_some(Some(number))?
            }
            false => None,
        });
    }
    own.next().is_none().then_some(axes)
}

fn lost() -> Error {
    let cause = "an element of a virtual dataset that its source does not have";
    Error::new(ErrorCode::Internal, cause)
}
