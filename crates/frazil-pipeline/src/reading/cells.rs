//! Which chunks a selection touches, and what it wants of each.

use frazil_types::{AxisRun, AxisSelection, ChunkGrid, selected_elements};

/// The chunks that a selection touches, numbered row-major: "cells".
pub(super) struct Cells {
    axes: Vec<AxisCells>,
    chunks_per_axis: Vec<u64>,
    count: u64,
    /// Whether some selected elements lie outside the array.
    pub(super) reaches_out: bool,
}

/// Runs of one axis of a cell.
pub(super) enum Wanted<'a> {
    One(AxisRun),
    Several(&'a [AxisRun]),
}

impl Wanted<'_> {
    pub(super) fn as_slice(&self) -> &[AxisRun] {
        match self {
            Self::One(run) => std::slice::from_ref(run),
            Self::Several(runs) => runs,
        }
    }
}

impl Cells {
    /// `None` if the selections do not fit the grid, or are more than can be counted.
    pub(super) fn new(grid: &ChunkGrid, selections: &[AxisSelection]) -> Option<Self> {
        if selections.len() != grid.shape().len() {
            return None;
        }
        selected_elements(selections)?;
        let mut reaches_out = false;
        let mut axes = Vec::with_capacity(selections.len());
        for (axis, selection) in selections.iter().enumerate() {
            let extent = grid.shape()[axis];
            let runs = selection.runs_below(extent);
            let inside: u64 = runs.iter().map(|run| run.count).sum();
            reaches_out |= inside != selection.count();
            axes.push(AxisCells::new(&runs, grid.chunk()[axis], extent));
        }
        let mut counts = axes.iter().map(AxisCells::len);
        let count = counts.try_fold(1_u64, u64::checked_mul)?;
        Some(Self {
            axes,
            chunks_per_axis: grid.chunks_per_axis().to_vec(),
            count,
            reaches_out,
        })
    }

    /// Number of cells.
    pub(super) fn count(&self) -> u64 {
        self.count
    }

    /// Number of the chunk behind cell `number`, and the place of the cell along each axis.
    pub(super) fn locate(&self, number: u64) -> (u64, Vec<u64>) {
        let mut places = vec![0; self.axes.len()];
        let mut rest = number;
        for axis in (0..self.axes.len()).rev() {
            let n = self.axes[axis].len().max(1);
            places[axis] = rest % n;
            rest /= n;
        }
        let mut chunk = 0;
        for (axis, &place) in places.iter().enumerate() {
            chunk = chunk * self.chunks_per_axis[axis] + self.axes[axis].coordinate(place);
        }
        (chunk, places)
    }

    /// What is wanted of a cell along an axis.
    pub(super) fn wanted(&self, axis: usize, place: u64) -> Wanted<'_> {
        self.axes[axis].wanted(place)
    }

    /// Whether every element of the chunk that lies in the array is wanted, once and in order.
    pub(super) fn is_whole(&self, places: &[u64]) -> bool {
        let axes = self.axes.iter().zip(places);
        axes.into_iter().all(|(axis, &place)| axis.is_whole(place))
    }
}

/// The chunk coordinates that a selection touches along one axis.
struct AxisCells {
    chunk: u64,
    extent: u64,
    wanted: AxisWanted,
}

enum AxisWanted {
    /// One run, cut by arithmetic; `coordinates` chunks are touched.
    Regular { run: AxisRun, coordinates: u64 },
    /// Runs by chunk coordinate: `bounds[i]..bounds[i + 1]` of them belong to `coordinates[i]`.
    Table {
        coordinates: Vec<u64>,
        bounds: Vec<usize>,
        runs: Vec<AxisRun>,
    },
}

impl AxisCells {
    fn new(runs: &[AxisRun], chunk: u64, extent: u64) -> Self {
        let wanted = match runs {
            &[run] if run.step > 0 => AxisWanted::Regular {
                run,
                coordinates: if run.step > chunk {
                    run.count
                } else {
                    run.last() / chunk - run.from / chunk + 1
                },
            },
            _ => table(runs, chunk),
        };
        Self {
            chunk,
            extent,
            wanted,
        }
    }

    fn len(&self) -> u64 {
        match &self.wanted {
            AxisWanted::Regular { coordinates, .. } => *coordinates,
            AxisWanted::Table { coordinates, .. } => coordinates.len() as u64,
        }
    }

    fn coordinate(&self, place: u64) -> u64 {
        match &self.wanted {
            AxisWanted::Regular { run, .. } if run.step > self.chunk => {
                (run.from + place * run.step) / self.chunk
            }
            AxisWanted::Regular { run, .. } => run.from / self.chunk + place,
            AxisWanted::Table { coordinates, .. } => coordinates[place as usize],
        }
    }

    fn wanted(&self, place: u64) -> Wanted<'_> {
        match &self.wanted {
            AxisWanted::Regular { run, .. } => {
                Wanted::One(part_in(run, self.coordinate(place), self.chunk))
            }
            AxisWanted::Table { bounds, runs, .. } => {
                let place = place as usize;
                Wanted::Several(&runs[bounds[place]..bounds[place + 1]])
            }
        }
    }

    fn is_whole(&self, place: u64) -> bool {
        let wanted = self.wanted(place);
        let [run] = wanted.as_slice() else {
            return false;
        };
        let first = self.coordinate(place) * self.chunk;
        let valid = self.chunk.min(self.extent - first);
        run.from == 0 && run.count == valid && (run.step == 1 || valid == 1)
    }
}

/// The part of a run with a positive step that lies in chunk `coordinate`, counted from there.
fn part_in(run: &AxisRun, coordinate: u64, chunk: u64) -> AxisRun {
    let first = coordinate * chunk;
    let skipped = first.saturating_sub(run.from).div_ceil(run.step);
    let from = run.from + skipped * run.step;
    let fitting = (first + chunk - from).div_ceil(run.step);
    AxisRun {
        from: from - first,
        step: run.step,
        to: run.to + skipped,
        count: fitting.min(run.count - skipped),
    }
}

fn table(runs: &[AxisRun], chunk: u64) -> AxisWanted {
    let mut parts: Vec<(u64, AxisRun)> = Vec::new();
    for run in runs {
        if run.step == 0 {
            let coordinate = run.from / chunk;
            let from = run.from - coordinate * chunk;
            parts.push((coordinate, AxisRun { from, ..*run }));
            continue;
        }
        let mut at = *run;
        while at.count > 0 {
            let coordinate = at.from / chunk;
            let part = part_in(&at, coordinate, chunk);
            parts.push((coordinate, part));
            at = AxisRun {
                from: at.from + part.count * at.step,
                to: at.to + part.count,
                count: at.count - part.count,
                ..at
            };
        }
    }
    parts.sort_by_key(|&(coordinate, _)| coordinate);
    let mut coordinates: Vec<u64> = parts.iter().map(|part| part.0).collect();
    coordinates.dedup();
    let mut bounds = vec![0];
    for coordinate in &coordinates {
        bounds.push(parts.partition_point(|part| part.0 <= *coordinate));
    }
    AxisWanted::Table {
        coordinates,
        bounds,
        runs: parts.into_iter().map(|part| part.1).collect(),
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    fn selections() -> impl Strategy<Value = AxisSelection> {
        prop_oneof![
            (0_u64..40, 0_u64..20, 1_u64..9).prop_map(|(start, count, stride)| {
                AxisSelection::Range {
                    start,
                    count,
                    stride,
                }
            }),
            prop::collection::vec(0_u64..40, 0..12).prop_map(AxisSelection::List),
        ]
    }

    proptest! {
        #[test]
        fn cells_name_every_wanted_element_once(
            extent in 1_u64..35,
            chunk in 1_u64..9,
            selection in selections(),
        ) {
            let grid = ChunkGrid::new(&[extent], &[chunk]).unwrap();
            let cells = Cells::new(&grid, std::slice::from_ref(&selection)).unwrap();
            let mut found = Vec::new();
            for number in 0..cells.count() {
                let (chunk_number, places) = cells.locate(number);
                let wanted = cells.wanted(0, places[0]);
                let before = found.len();
                for run in wanted.as_slice() {
                    prop_assert!(run.count > 0 && run.last() < chunk);
                    found.extend((0..run.count).map(|i| {
                        (run.to + i, chunk_number * chunk + run.from + i * run.step)
                    }));
                }
                let valid = chunk.min(extent - chunk_number * chunk);
                let own = &found[before..];
                let in_order = own.iter().map(|pair| pair.1)
                    .eq((0..valid).map(|i| chunk_number * chunk + i))
                    && own.windows(2).all(|pair| pair[0].0 + 1 == pair[1].0);
                if cells.is_whole(&places) {
                    prop_assert!(in_order);
                }
            }
            found.sort_unstable();
            let expected: Vec<(u64, u64)> = (0..selection.count())
                .map(|i| (i, selection.element(i).unwrap()))
                .filter(|pair| pair.1 < extent)
                .collect();
            prop_assert_eq!(cells.reaches_out, expected.len() as u64 != selection.count());
            prop_assert_eq!(found, expected);
        }
    }
}
