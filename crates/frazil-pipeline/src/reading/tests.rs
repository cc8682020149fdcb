//! Reads of arrays in memory: every one beside a plain copy of the elements.

use std::io;
use std::ops::Range;
use std::sync::atomic::{AtomicBool, AtomicUsize, Ordering};
use std::sync::{Arc, Barrier, Mutex};
use std::time::Duration;

use frazil_codec::{CodecError, Scratch};
use frazil_types::{AxisSelection, ChunkGrid, FileExtent};
use proptest::prelude::*;

use super::{ChunkedArray, ReadContext};
use crate::{ArraySource, ByteSource, ChunkDecoder, ChunkIndex, StoredChunk};

/// A file in memory that remembers how much was read, and what was announced when.
#[derive(Default)]
struct Memory {
    bytes: Vec<u8>,
    read: Mutex<Vec<usize>>,
    events: Mutex<Vec<Event>>,
    is_at_hand: AtomicBool,
}

#[derive(Debug, Clone, PartialEq, Eq)]
enum Event {
    Announced(Vec<Range<u64>>),
    Read(Range<u64>),
}

impl ByteSource for Memory {
    fn read_exact_at(&self, buffer: &mut [u8], address: u64) -> io::Result<()> {
        self.read.lock().unwrap().push(buffer.len());
        let range = address..address + buffer.len() as u64;
        self.events.lock().unwrap().push(Event::Read(range));
        let part = self
            .bytes
            .get(address as usize..address as usize + buffer.len());
        buffer.copy_from_slice(part.ok_or(io::ErrorKind::UnexpectedEof)?);
        Ok(())
    }

    fn will_read(&self, parts: &[Range<u64>]) {
        let event = Event::Announced(parts.to_vec());
        self.events.lock().unwrap().push(event);
    }

    fn is_at_hand(&self, _: &[Range<u64>]) -> bool {
        self.is_at_hand.load(Ordering::Relaxed)
    }
}

/// Flips all bits, slowly, and counts.
struct Flip {
    pause: Duration,
    count: AtomicUsize,
    fails_first: AtomicBool,
}

impl ChunkDecoder for Flip {
    fn decode(&self, stored: &[u8], _: u32, _: &mut Scratch) -> Result<Vec<u8>, CodecError> {
        self.count.fetch_add(1, Ordering::Relaxed);
        std::thread::sleep(self.pause);
        if self.fails_first.swap(false, Ordering::Relaxed) {
            let (got, expected) = (0, stored.len());
            return Err(CodecError::WrongSize { got, expected });
        }
        Ok(stored.iter().map(|byte| !byte).collect())
    }

    fn is_identity(&self) -> bool {
        false
    }
}

/// Chunks that are stored as they are.
struct Plain;

impl ChunkDecoder for Plain {
    fn decode(&self, stored: &[u8], _: u32, _: &mut Scratch) -> Result<Vec<u8>, CodecError> {
        Ok(stored.to_vec())
    }

    fn is_identity(&self) -> bool {
        true
    }
}

/// Two-byte elements: the number of each in its chunk and that of the chunk, mixed.
fn array(
    (shape, chunk): (&[u64], &[u64]),
    decoder: Arc<dyn ChunkDecoder>,
) -> (Arc<ChunkedArray>, Arc<Memory>) {
    let grid = ChunkGrid::new(shape, chunk).unwrap();
    let chunk_bytes = 2 * grid.chunk_elements();
    let total = (grid.chunk_count() * chunk_bytes) as usize;
    let is_plain = decoder.is_identity();
    let byte = |i: usize| (i.wrapping_mul(2_654_435_761) >> 11) as u8;
    let bytes = (0..total).map(|i| if is_plain { byte(i) } else { !byte(i) });
    let file = Arc::new(Memory {
        bytes: bytes.collect(),
        ..Memory::default()
    });
    let source = ArraySource {
        grid,
        element_bytes: 2,
        index: ChunkIndex::Computed(Box::new(move |index| {
            Some(StoredChunk {
                extent: FileExtent::contiguous(index * chunk_bytes, chunk_bytes),
                filter_mask: 0,
            })
        })),
        decoder,
        raw_partial_edges: false,
        byte_swap: None,
        fill: vec![0; 2],
        bytes: Arc::clone(&file) as Arc<_>,
        tiling: None,
    };
    (Arc::new(ChunkedArray::new(source).unwrap()), file)
}

/// The elements of a selection, one by one.
fn expected(array: &ChunkedArray, selections: &[AxisSelection]) -> Vec<u8> {
    let grid = &array.source().grid;
    let places: Vec<Vec<u64>> = selections
        .iter()
        .map(|selection| match selection {
            AxisSelection::Range {
                start,
                count,
                stride,
            } => (0..*count).map(|i| start + i * stride).collect(),
            AxisSelection::List(list) => list.clone(),
        })
        .collect();
    let mut all = vec![Vec::new()];
    for axis in places {
        let longer = |at: &Vec<u64>| {
            let at = at.clone();
            let next = move |&i: &u64| [at.clone(), vec![i]].concat();
            axis.iter().map(next).collect::<Vec<_>>()
        };
        all = all.iter().flat_map(longer).collect();
    }
    let byte = |i: usize| (i.wrapping_mul(2_654_435_761) >> 11) as u8;
    let mut found = Vec::new();
    for at in all {
        let (mut chunk, mut inside) = (0, 0);
        for (axis, i) in at.iter().enumerate() {
            chunk = chunk * grid.chunks_per_axis()[axis] + i / grid.chunk()[axis];
            inside = inside * grid.chunk()[axis] + i % grid.chunk()[axis];
        }
        let element = 2 * (chunk * grid.chunk_elements() + inside) as usize;
        found.extend([byte(element), byte(element + 1)]);
    }
    found
}

fn read(
    array: &Arc<ChunkedArray>,
    selections: &[AxisSelection],
    threads: usize,
) -> Result<Vec<u8>, crate::PipelineError> {
    let elements: u64 = selections.iter().map(AxisSelection::count).product();
    let mut target = vec![0xaa; 2 * elements as usize];
    let cancel = AtomicBool::new(false);
    let context = ReadContext {
        threads,
        cancel: &cancel,
    };
    array.read(selections, &[0; 2], &mut target, &context)?;
    Ok(target)
}

fn selection(extent: u64) -> impl Strategy<Value = AxisSelection> {
    let range = (0..extent, 1..=extent, 1..=5_u64).prop_map(move |(start, count, stride)| {
        let count = count.min((extent - start).div_ceil(stride));
        AxisSelection::Range {
            start,
            count,
            stride,
        }
    });
    let list = prop::collection::vec(0..extent, 1..4).prop_map(AxisSelection::List);
    prop_oneof![4 => range, 1 => list]
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(200))]

    #[test]
    fn parts_of_chunks_that_lie_as_they_are(
        selections in (selection(20), selection(90), selection(150)).prop_map(|(a, b, c)| [a, b, c]),
        threads in 1..4_usize,
        is_at_hand: bool,
    ) {
        // 200 KiB a chunk: cut into windows, and some parts too far from each other to be joined.
        let (array, file) = array((&[20, 90, 150], &[8, 88, 149]), Arc::new(Plain));
        file.is_at_hand.store(is_at_hand, Ordering::Relaxed);
        prop_assert!(read(&array, &selections, threads).unwrap() == expected(&array, &selections));
    }
}

#[test]
fn only_the_wanted_parts_of_plain_chunks_are_read() {
    let (array, file) = array((&[64, 256, 256], &[32, 256, 256]), Arc::new(Plain));
    let map = [
        AxisSelection::dense(40, 1),
        AxisSelection::dense(0, 256),
        AxisSelection::dense(0, 256),
    ];
    assert!(read(&array, &map, 1).unwrap() == expected(&array, &map));
    assert_eq!(*file.read.lock().unwrap(), [128 << 10]);
    file.read.lock().unwrap().clear();
    // Rows of 20 bytes: those of one map are close to each other, maps are not.
    let columns = [
        AxisSelection::dense(0, 64),
        AxisSelection::dense(100, 50),
        AxisSelection::dense(7, 10),
    ];
    assert!(read(&array, &columns, 1).unwrap() == expected(&array, &columns));
    assert_eq!(*file.read.lock().unwrap(), [49 * 512 + 20; 64]);
}

#[test]
fn far_parts_of_plain_chunks_are_announced_and_near_ones_read_together_from_disks_only() {
    let (array, file) = array((&[64, 256, 256], &[32, 256, 256]), Arc::new(Plain));
    let far = [
        AxisSelection::dense(0, 64),
        AxisSelection::dense(100, 2),
        AxisSelection::dense(7, 10),
    ];
    assert!(read(&array, &far, 1).unwrap() == expected(&array, &far));
    let events = std::mem::take(&mut *file.events.lock().unwrap());
    let row = |map: u64| {
        let start = 2 * ((map * 256 + 100) * 256 + 7);
        start..start + 532
    };
    let announced = [0, 32].map(|first| Event::Announced((first..first + 32).map(row).collect()));
    assert_eq!(events[..2], announced);
    let reads: Vec<Event> = (0..64).map(|map| Event::Read(row(map))).collect();
    assert_eq!(events[2..], reads);

    // 20 KiB lie between the two rows.
    let near = [
        AxisSelection::dense(3, 1),
        AxisSelection::Range {
            start: 100,
            count: 2,
            stride: 40,
        },
        AxisSelection::dense(0, 256),
    ];
    file.read.lock().unwrap().clear();
    for (is_at_hand, reads) in [(false, vec![41 * 512]), (true, vec![512, 512])] {
        file.is_at_hand.store(is_at_hand, Ordering::Relaxed);
        assert!(read(&array, &near, 1).unwrap() == expected(&array, &near));
        assert_eq!(std::mem::take(&mut *file.read.lock().unwrap()), reads);
    }
}

fn quick() -> Arc<Flip> {
    Arc::new(Flip {
        pause: Duration::ZERO,
        count: AtomicUsize::new(0),
        fails_first: AtomicBool::new(false),
    })
}

const MIB: u64 = 1 << 20;

/// 24 chunks of a MiB, of which every so many are read.
fn events_of_reading(stride: u64) -> Vec<Event> {
    let (array, file) = array((&[24, 512, 1024], &[1, 512, 1024]), quick());
    let selections = [
        AxisSelection::Range {
            start: 0,
            count: 24_u64.div_ceil(stride),
            stride,
        },
        AxisSelection::dense(0, 512),
        AxisSelection::dense(0, 1024),
    ];
    read(&array, &selections, 1).unwrap();
    let events = file.events.lock().unwrap();
    events.clone()
}

#[test]
fn chunks_here_and_there_are_announced_some_way_ahead() {
    assert_eq!(events_of_reading(24), [Event::Read(0..MIB)]);
    // Sixteen in advance are all.
    let chunk = |i: u64| 2 * i * MIB..(2 * i + 1) * MIB;
    let announced: Vec<Event> = (0..12)
        .map(|i| Event::Announced(std::iter::once(chunk(i)).collect()))
        .collect();
    let reads: Vec<Event> = (0..12).map(|i| Event::Read(chunk(i))).collect();
    assert_eq!(events_of_reading(2), [announced, reads].concat());
}

#[test]
fn of_a_long_run_of_chunks_only_the_next_is_announced() {
    let chunk = |i: u64| i * MIB..(i + 1) * MIB;
    let announced = |i: u64| Event::Announced(std::iter::once(chunk(i)).collect());
    let mut expected: Vec<Event> = (0..8).map(announced).collect();
    for i in 0..24 {
        expected.push(Event::Read(chunk(i)));
        expected.extend((7..23).contains(&i).then(|| announced(i + 1)));
    }
    assert_eq!(events_of_reading(1), expected);
}

fn slow(fails_first: bool) -> Arc<Flip> {
    Arc::new(Flip {
        pause: Duration::from_millis(100),
        count: AtomicUsize::new(0),
        fails_first: AtomicBool::new(fails_first),
    })
}

/// Eight threads read different small parts of the same two chunks at once; how many fail.
fn read_together(array: &Arc<ChunkedArray>) -> usize {
    let barrier = Barrier::new(8);
    std::thread::scope(|scope| {
        let threads: Vec<_> = (0..8)
            .map(|i| {
                let (barrier, array) = (&barrier, &array);
                scope.spawn(move || {
                    let part = [AxisSelection::dense(95 + i, 10), AxisSelection::dense(3, 5)];
                    barrier.wait();
                    let found = read(array, &part, 1);
                    if let Ok(found) = &found {
                        assert!(*found == expected(array, &part));
                    }
                    usize::from(found.is_err())
                })
            })
            .collect();
        threads.into_iter().map(|t| t.join().unwrap()).sum()
    })
}

#[test]
fn threads_that_miss_a_chunk_at_once_decode_it_once() {
    let decoder = slow(false);
    let (array, _) = array((&[200, 100], &[100, 100]), Arc::clone(&decoder) as Arc<_>);
    assert_eq!(read_together(&array), 0);
    assert_eq!(decoder.count.load(Ordering::Relaxed), 2);
}

#[test]
fn a_chunk_that_one_thread_cannot_decode_is_tried_by_those_who_waited() {
    let decoder = slow(true);
    let (array, _) = array((&[200, 100], &[100, 100]), Arc::clone(&decoder) as Arc<_>);
    assert_eq!(read_together(&array), 1);
    assert!(decoder.count.load(Ordering::Relaxed) >= 3);
}
