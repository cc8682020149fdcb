//! Reading ahead: who walks along an axis finds the next chunks decoded.

use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::{Arc, Weak};

use frazil_types::sync::Mutex;
use frazil_types::{AxisSelection, Selection};

use super::chunk_cache::ChunkKey;
use super::chunked::ChunkedArray;
use super::flights::Claim;
use super::process::Process;

/// Part of the budget that chunks read ahead for one walk may take.
const PART_OF_BUDGET: u64 = 4;

/// The last read of an array.
#[derive(Debug, Default)]
pub(super) struct Walk {
    last: Mutex<Option<Selection>>,
    /// Whether anything was ever read ahead.
    has_begun: AtomicBool,
}

impl Walk {
    /// Whether chunks may have been read ahead.
    pub(super) fn has_begun(&self) -> bool {
        self.has_begun.load(Ordering::Relaxed)
    }

    /// Notes a read; if it goes on along one axis where the last one ended, its box and that axis.
    fn step(&self, selections: &[AxisSelection]) -> Option<(Selection, usize)> {
        let now = box_of(selections)?;
        // Others are reading the same array: that is no walk.
        let mut last = self.last.try_lock()?;
        let before = last.replace(now.clone())?;
        let differs = |axis: &usize| now.start[*axis] != before.start[*axis];
        let mut axes = (0..now.start.len()).filter(differs);
        let (Some(axis), None) = (axes.next(), axes.next()) else {
            return None;
        };
        let goes_on = before.count == now.count
            && before.start[axis].checked_add(before.count[axis]) == Some(now.start[axis]);
        goes_on.then_some((now, axis))
    }
}

fn box_of(selections: &[AxisSelection]) -> Option<Selection> {
    let mut found = Selection {
        start: Vec::with_capacity(selections.len()),
        count: Vec::with_capacity(selections.len()),
    };
    for selection in selections {
        match selection {
            AxisSelection::Range {
                start,
                count,
                stride: 1,
            } => {
                found.start.push(*start);
                found.count.push(*count);
            }
            _ => return None,
        }
    }
    Some(found)
}

/// After a read: has the chunks decoded that the next ones will want, if reads follow each other
/// along an axis.
pub(super) fn read_ahead(
    array: &Arc<ChunkedArray>,
    selections: &[AxisSelection],
    threads: usize,
    process: &'static Process,
) {
    if threads < 2 {
        return;
    }
    let Some((now, axis)) = array.walk().step(selections) else {
        return;
    };
    array.walk().has_begun.store(true, Ordering::Relaxed);
    for chunk in next_chunks(array, &now, axis, threads, process) {
        let key = array.key(chunk);
        let is_new = array.source().locate(chunk).is_some()
            && !process.cache.holds(key)
            && process.underway.0.lock().insert(key);
        if is_new {
            let array = Arc::downgrade(array);
            process.pool.later(
                threads - 1,
                Box::new(move || decode_ahead(&array, chunk, key, process)),
            );
        }
    }
}

/// The chunks behind a box along an axis, nearest first, as many as are worth it.
fn next_chunks(
    array: &ChunkedArray,
    now: &Selection,
    axis: usize,
    threads: usize,
    process: &Process,
) -> Vec<u64> {
    let grid = &array.source().grid;
    let Some(touched) = grid.touched(now) else {
        return Vec::new();
    };
    let ranges = touched
        .iter()
        .enumerate()
        .filter(|(other, _)| *other != axis);
    let layer = ranges.fold(1_u64, |n, (_, (first, last))| {
        n.saturating_mul(last - first + 1)
    });
    let room = process.budget.capacity_bytes() / PART_OF_BUDGET / array.chunk_bytes() as u64;
    let layers = (2 * threads as u64).div_ceil(layer).min(room / layer);
    let first = touched[axis].1 + 1;
    let end = (first + layers).min(grid.chunks_per_axis()[axis]);
    let step = grid.chunk()[axis];
    (first..end)
        .flat_map(|coordinate| {
            let mut part = now.clone();
            part.start[axis] = coordinate * step;
            part.count[axis] = 1;
            grid.chunks_in(&part)
        })
        .collect()
}

fn decode_ahead(array: &Weak<ChunkedArray>, chunk: u64, key: ChunkKey, process: &'static Process) {
    // What goes wrong here goes wrong again when the chunk is asked for.
    if let Some(array) = array.upgrade()
        && !process.cache.holds(key)
        && let Claim::Mine(ticket) = process.flights.begin(key)
        && let Some(decoded) = array.decode_one(chunk, process)
    {
        process.counts.ahead.fetch_add(1, Ordering::Relaxed);
        let decoded = Arc::new(decoded);
        array.keep(chunk, Arc::clone(&decoded), process);
        ticket.land(|| decoded);
    }
    process.underway.0.lock().remove(&key);
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_walk_goes_on_where_the_last_read_ended() {
        let walk = Walk::default();
        let read =
            |time: u64, row: u64| [AxisSelection::dense(time, 2), AxisSelection::dense(row, 5)];
        assert!(walk.step(&read(0, 0)).is_none());
        assert_eq!(walk.step(&read(2, 0)).map(|step| step.1), Some(0));
        assert!(walk.step(&read(2, 0)).is_none(), "the same again");
        assert_eq!(walk.step(&read(2, 5)).map(|step| step.1), Some(1));
        assert!(walk.step(&read(4, 10)).is_none(), "along two axes");
        assert!(walk.step(&read(7, 10)).is_none(), "a jump");
        let list = [
            AxisSelection::List(vec![9, 10]),
            AxisSelection::dense(10, 5),
        ];
        assert!(walk.step(&list).is_none());
    }
}
