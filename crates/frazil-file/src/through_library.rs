//! Values that only libhdf5 can read: those under filters that a plugin decodes.

use frazil_container::ContainerError;
use frazil_container::hdf5::{DatasetInfo, Expanded, Hdf5Input, Hyperslab, TypeDescription};
use frazil_types::{AxisRun, AxisSelection};

type Result<T> = std::result::Result<T, ContainerError>;

/// Reads fixed-size elements as they lie in the file; what lies outside the dataset is left alone.
///
/// # Errors
/// If libhdf5 cannot read them.
pub fn read(
    input: &Hdf5Input,
    dataset: &DatasetInfo,
    selections: &[AxisSelection],
    target: &mut [u8],
) -> Result<()> {
    let size = dataset.element.size_bytes;
    let counts: Vec<u64> = selections.iter().map(AxisSelection::count).collect();
    let read = |slab: Hyperslab<'_>, values: &mut [u8]| -> Result<()> {
        input.read_slab(dataset, slab, values)
    };
    for_each_slab(dataset, selections, |slab, places| {
        if slab.count == counts.as_slice() {
            return read(slab, target);
        }
        let elements: u64 = slab.count.iter().product();
        let mut values = vec![0; elements as usize * size];
        read(slab, &mut values)?;
        let mut values = values.chunks_exact(size);
        for_each_place(slab.count, places, &counts, |place| {
            if let Some(value) = values.next() {
                target[place * size..(place + 1) * size].copy_from_slice(value);
            }
        });
        Ok(())
    })
}

/// Reads elements of any type, in their expanded form.
///
/// # Errors
/// If libhdf5 cannot read them, or they have no such form.
pub fn read_expanded(
    input: &Hdf5Input,
    dataset: &DatasetInfo,
    datatype: &TypeDescription,
    selections: &[AxisSelection],
) -> Result<Expanded> {
    let counts: Vec<u64> = selections.iter().map(AxisSelection::count).collect();
    let elements: u64 = counts.iter().product();
    let mut whole = None;
    let mut parts: Vec<(Expanded, Vec<usize>)> = Vec::new();
    for_each_slab(dataset, selections, |slab, places| {
        let values = input.expanded_slab(dataset, datatype, slab)?;
        if slab.count == counts.as_slice() {
            whole = Some(values);
            return Ok(());
        }
        let mut at = Vec::with_capacity(values.len());
        for_each_place(slab.count, places, &counts, |place| at.push(place));
        parts.push((values, at));
        Ok(())
    })?;
    if let Some(whole) = whole {
        return Ok(whole);
    }
    let mut found: Vec<Option<&[u8]>> = vec![None; elements as usize];
    for (values, places) in &parts {
        for (i, &place) in places.iter().enumerate() {
            found[place] = Some(values.element(i));
        }
    }
    let missing = found.iter().any(Option::is_none);
    let fill = if missing {
        expanded_fill(input, dataset)?
    } else {
        Vec::new()
    };
    let mut all = Expanded::default();
    found
        .into_iter()
        .for_each(|element| all.push(element.unwrap_or(&fill)));
    Ok(all)
}

/// What elements outside the dataset hold: the author's fill value, else nothing.
fn expanded_fill(input: &Hdf5Input, dataset: &DatasetInfo) -> Result<Vec<u8>> {
    let mut stored = input.stored_element(dataset)?;
    stored.fill.resize(stored.datatype.size_bytes, 0);
    let fill = input.expand(&stored.datatype, &stored.fill, 1)?;
    Ok(fill.element(0).to_vec())
}

/// Calls `visit` with each regular part of what is selected inside the dataset, and the place of
/// its first element along each axis of the result.
fn for_each_slab(
    dataset: &DatasetInfo,
    selections: &[AxisSelection],
    mut visit: impl FnMut(Hyperslab<'_>, &[u64]) -> Result<()>,
) -> Result<()> {
    let axes = selections.iter().zip(&dataset.shape);
    let axes: Vec<Vec<AxisRun>> = axes
        .map(|(selection, &extent)| {
            let runs = selection.runs_below(extent);
            runs.into_iter().flat_map(without_repeats).collect()
        })
        .collect();
    if axes.iter().any(Vec::is_empty) {
        return Ok(());
    }
    let mut chosen = vec![0; axes.len()];
    loop {
        let pick = |field: fn(&AxisRun) -> u64| -> Vec<u64> {
            let runs = axes.iter().zip(&chosen);
            runs.map(|(runs, &i): (_, &usize)| field(&runs[i]))
                .collect()
        };
        let (start, count) = (pick(|run| run.from), pick(|run| run.count));
        let (stride, places) = (pick(|run| run.step.max(1)), pick(|run| run.to));
        let slab = Hyperslab {
            start: &start,
            count: &count,
            stride: Some(&stride),
        };
        visit(slab, &places)?;
        let Some(axis) = (0..axes.len()).rev().find(|&axis| {
            chosen[axis] += 1;
            let is_over = chosen[axis] == axes[axis].len();
            if is_over {
                chosen[axis] = 0;
            }
            !is_over
        }) else {
            return Ok(());
        };
        debug_assert!(axis < axes.len());
    }
}

/// A run that names one element several times, as several runs.
fn without_repeats(run: AxisRun) -> Vec<AxisRun> {
    if run.step > 0 {
        return vec![run];
    }
    let one = |i| AxisRun {
        to: run.to + i,
        count: 1,
        ..run
    };
    (0..run.count).map(one).collect()
}

/// Calls `visit` with the row-major number in an array of `counts` of each element of a box of
/// `count` elements that begins at `places`.
fn for_each_place(count: &[u64], places: &[u64], counts: &[u64], mut visit: impl FnMut(usize)) {
    let elements: u64 = count.iter().product();
    for number in 0..elements {
        let (mut rest, mut place, mut step) = (number, 0, 1);
        for axis in (0..count.len()).rev() {
            place += (places[axis] + rest % count[axis]) * step;
            rest /= count[axis];
            step *= counts[axis];
        }
        visit(place as usize);
    }
}
