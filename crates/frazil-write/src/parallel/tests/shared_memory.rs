//! Long messages through memory that ranks share, and what else they do where they cannot.

use std::path::Path;
use std::sync::atomic::{AtomicUsize, Ordering};

use super::super::{Comm, CommError, LocalComm};
use super::{options, together};
use crate::tests::read;
use crate::{DimensionLength, FilterRequest, LayoutRequest, VariableSettings};
use crate::{Writer, WriterOptions};
use frazil_container::classic::NcType;
use frazil_container::schema::{Schema, ValueType};
use frazil_types::{FilterPipeline, FilterSpec, filter_id};

const LAYERS: u64 = 7;
/// Bands of them have odd sizes.
const ROWS: u64 = 301;
const COLUMNS: u64 = 257;

/// Ranks that share memory as processes do.
struct Processes<'a> {
    comm: LocalComm,
    can_share: bool,
    /// Of all messages that went through the comm.
    longest: &'a AtomicUsize,
}

impl Comm for Processes<'_> {
    fn rank(&self) -> usize {
        self.comm.rank()
    }

    fn size(&self) -> usize {
        self.comm.size()
    }

    fn send(&mut self, to: usize, message: Vec<u8>) -> Result<(), CommError> {
        self.longest.fetch_max(message.len(), Ordering::Relaxed);
        self.comm.send(to, message)
    }

    fn receive(&mut self) -> Result<Option<(usize, Vec<u8>)>, CommError> {
        self.comm.receive()
    }

    fn progress(&mut self) -> Result<bool, CommError> {
        self.comm.progress()
    }

    fn shares_memory(&self) -> bool {
        self.can_share
    }
}

fn value(layer: u64, row: u64, column: u64) -> u32 {
    // Neighbours differ: nothing is of one value.
    (layer * 1_000_000 + row * 1000 + column) as u32
}

fn band(rank: u64, ranks: u64) -> std::ops::Range<u64> {
    rank * ROWS / ranks..(rank + 1) * ROWS / ranks
}

/// Each rank puts a band of every layer, and a layer is a chunk.
fn put_bands(mut writer: Writer, rank: u64, ranks: u64) {
    let root = Schema::ROOT;
    let mut axis = |name: &str, length| {
        let length = DimensionLength::Fixed(length);
        writer.add_dimension(root, name, length).unwrap()
    };
    let axes = [axis("z", LAYERS), axis("y", ROWS), axis("x", COLUMNS)];
    let deflate = FilterSpec::new(filter_id::DEFLATE, vec![1]);
    let settings = VariableSettings {
        layout: LayoutRequest::Chunked(vec![1, ROWS, COLUMNS]),
        filters: FilterRequest::Exactly(FilterPipeline(vec![deflate])),
        ..VariableSettings::default()
    };
    let int = ValueType::Atomic(NcType::Int);
    let id = writer.add_variable(root, "v", int, &axes, settings);
    let id = id.unwrap();
    let rows = band(rank, ranks);
    for layer in 0..LAYERS {
        let places = rows.clone().flat_map(|y| (0..COLUMNS).map(move |x| (y, x)));
        let values = places.flat_map(|(y, x)| value(layer, y, x).to_le_bytes());
        let (start, count) = ([layer, rows.start, 0], [1, rows.end - rows.start, COLUMNS]);
        let bytes: Vec<u8> = values.collect();
        writer.put(id, &start, &count, None, &bytes).unwrap();
        if layer % 3 == 1 {
            writer.sync().unwrap();
        }
    }
    writer.close().unwrap();
}

/// Writes a file, and gives its bytes and those of the longest message through the comm.
fn write(
    path: &Path,
    ranks: usize,
    options: &WriterOptions,
    can_share: fn(usize) -> bool,
) -> (Vec<u8>, usize) {
    let longest: &'static AtomicUsize = Box::leak(Box::default());
    together(ranks, |rank, comm| {
        let comm = Processes {
            comm,
            can_share: can_share(rank),
            longest,
        };
        let writer = Writer::create_parallel(path, Box::new(comm), options).unwrap();
        put_bands(writer, rank as u64, ranks as u64);
    });
    let (shape, values) = read(path, "/v");
    assert_eq!(shape, [LAYERS, ROWS, COLUMNS]);
    for (number, bytes) in values.as_chunks::<4>().0.iter().enumerate() {
        let number = number as u64;
        let (row, column) = (number / COLUMNS % ROWS, number % COLUMNS);
        let expected = value(number / COLUMNS / ROWS, row, column);
        assert_eq!(u32::from_le_bytes(*bytes), expected, "{row}, {column}");
    }
    let bytes = std::fs::read(path).unwrap();
    std::fs::remove_file(path).unwrap();
    (bytes, longest.load(Ordering::Relaxed))
}

#[test]
fn files_are_the_same_whichever_way_messages_go() {
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("out.nc");
    let much = options(64 << 20, 1);
    let (expected, _) = write(&path, 1, &much, |_| true);
    for ranks in [2, 3, 4] {
        let (found, longest) = write(&path, ranks, &much, |_| true);
        assert!(found == expected, "{ranks} ranks give other bytes");
        assert!(longest < 4 << 10, "{ranks} ranks: {longest}");
    }
    let (found, longest) = write(&path, 3, &much, |_| false);
    assert!(found == expected && longest > 64 << 10, "{longest}");
    // One cannot: it is alone, and the others share.
    let (found, longest) = write(&path, 3, &much, |rank| rank != 1);
    assert!(found == expected && longest > 64 << 10, "{longest}");
}

/// Places serve again and again, and some messages may find none.
#[test]
fn little_shared_memory_changes_nothing() {
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("out.nc");
    let (expected, _) = write(&path, 1, &options(4 << 20, 1), |_| true);
    // A chunk may have an eighth of the memory.
    for kibibytes in [3100, 3333, 4096] {
        for ranks in [2, 3, 5] {
            let little = options(kibibytes << 10, 1);
            let (found, _) = write(&path, ranks, &little, |_| true);
            assert!(found == expected, "{ranks} ranks, {kibibytes} KiB");
        }
    }
}

#[test]
fn what_goes_to_ranks_that_write_for_others_is_shared() {
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("out.nc");
    let served = WriterOptions {
        io_ranks: 1,
        ..options(64 << 20, 1)
    };
    let (expected, _) = write(&path, 3, &served, |_| false);
    let (found, longest) = write(&path, 3, &served, |_| true);
    assert!(found == expected && longest < 4 << 10, "{longest}");
}
