//! Many threads read random parts of many files: every value right, memory bounded.

use std::path::Path;
use std::sync::Arc;
use std::sync::atomic::{AtomicU64, Ordering};
use std::time::{Duration, Instant};

use frazil::model::FileModel;
use frazil::schema::VariableId;
use frazil::{
    AxisSelection, ChunkOverride, Destination, ErrorCode, PackOptions, Reader, ReaderOptions,
    Silent, SynthOptions, pack, read_stats, synth,
};

use crate::sampling::is_full;

use super::support::{Random, pick, random_selections, whole};

const THREADS: u64 = 64;
const FILES: u64 = 20;

/// A second, or a minute in a full run.
fn duration() -> Duration {
    Duration::from_secs(if is_full() { 60 } else { 1 })
}

fn make(folder: &Path, number: u64) -> Reader {
    let (raw, path) = (folder.join("raw.nc"), folder.join(format!("{number}.nc")));
    let options = SynthOptions {
        shape: vec![12 + number, 20, 50],
        seed: number,
        overwrite: true,
        ..SynthOptions::default()
    };
    synth(&raw, &options, &mut Silent).unwrap();
    let chunk = [7, 11, 50 - number % 20];
    let extents = (0..)
        .zip(chunk)
        .map(|(axis, n): (u32, u64)| (axis.to_string(), n));
    let options = PackOptions {
        chunk_overrides: vec![ChunkOverride {
            variable: "*".to_owned(),
            extents: extents.collect(),
        }],
        level: Some(1),
        ..PackOptions::default()
    };
    pack(
        &raw,
        &Destination::File(path.clone()),
        &options,
        &mut Silent,
    )
    .unwrap();
    Reader::open(&path, &ReaderOptions::default()).unwrap()
}

fn largest(model: &FileModel) -> VariableId {
    let elements = |number: &usize| model.variables[*number].dataset.elements();
    VariableId((0..model.variables.len()).max_by_key(elements).unwrap())
}

#[test]
fn sixty_four_threads_read_twenty_files() {
    let folder = tempfile::tempdir().unwrap();
    let files: Vec<_> = (0..FILES)
        .map(|number| {
            let reader = make(folder.path(), number);
            let id = largest(reader.model());
            let values = whole(&reader, id).unwrap();
            (reader, id, values)
        })
        .collect();
    let files = Arc::new(files);
    let (end, reads) = (Instant::now() + duration(), AtomicU64::new(0));
    std::thread::scope(|scope| {
        for thread in 0..THREADS {
            let (files, reads) = (Arc::clone(&files), &reads);
            scope.spawn(move || {
                let mut random = Random(thread);
                while Instant::now() < end {
                    let (reader, id, values) = &files[random.below(FILES) as usize];
                    let shape = reader.model().shape(*id);
                    let size = reader.element(*id).unwrap().size_bytes;
                    let selections = random_selections(&shape, &mut random);
                    let expected = pick(values, &shape, &selections, size);
                    let mut got = vec![0xa5; expected.len()];
                    reader.read(*id, &selections, &mut got).unwrap();
                    assert!(got == expected, "{selections:?}");
                    reads.fetch_add(1, Ordering::Relaxed);
                }
            });
        }
    });
    let stats = read_stats();
    println!("{} reads, {stats:?}", reads.load(Ordering::Relaxed));
    assert!(reads.into_inner() > THREADS);
    assert!(stats.kept_bytes <= stats.budget_bytes && stats.hits > 0);
}

#[test]
fn the_number_of_threads_changes_nothing_and_cancelling_stops() {
    let folder = tempfile::tempdir().unwrap();
    let first = make(folder.path(), 3);
    let id = largest(first.model());
    let values = whole(&first, id).unwrap();
    for threads in [1, 2, 3, 8] {
        let options = ReaderOptions {
            threads,
            ..ReaderOptions::default()
        };
        let reader = Reader::open(first.path(), &options).unwrap();
        assert!(whole(&reader, id).unwrap() == values);
        options.cancel.store(true, Ordering::Relaxed);
        let shape = reader.model().shape(id);
        let mut target = vec![0; values.len()];
        let stopped = reader.read(id, &AxisSelection::whole(&shape), &mut target);
        assert_eq!(stopped.unwrap_err().code, ErrorCode::Interrupted);
    }
}

#[test]
fn who_walks_along_an_axis_finds_chunks_decoded() {
    let folder = tempfile::tempdir().unwrap();
    let made = make(folder.path(), 19);
    let options = ReaderOptions {
        threads: 4,
        ..ReaderOptions::default()
    };
    let reader = Reader::open(made.path(), &options).unwrap();
    let id = largest(reader.model());
    let values = whole(&made, id).unwrap();
    let shape = reader.model().shape(id);
    let before = read_stats();
    // Slices of a part of a chunk, of whole chunks, and along another axis.
    for (axis, step) in [(0, 1), (0, 7), (1, 11)] {
        for start in (0..shape[axis]).step_by(step) {
            let mut selections = AxisSelection::whole(&shape);
            selections[axis] = AxisSelection::dense(start, (step as u64).min(shape[axis] - start));
            let expected = pick(&values, &shape, &selections, 4);
            let mut got = vec![0; expected.len()];
            reader.read(id, &selections, &mut got).unwrap();
            assert!(got == expected, "{axis} {start}");
            std::thread::yield_now();
        }
    }
    assert!(read_stats().ahead > before.ahead);
}
