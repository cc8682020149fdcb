//! Chunks that are packed elsewhere beside chunks that the writer packs itself.

use std::fs::File;
use std::os::unix::fs::FileExt;
use std::path::Path;

use super::{ChunkPacker, ChunkPlan, FilterPlan, PackedBox};
use crate::tests::read;
use crate::tests::script::options;
use crate::{DimensionLength, FilterRequest, LayoutRequest, VariableSettings, Writer};
use frazil_container::classic::NcType;
use frazil_container::schema::{DimensionId, Schema, ValueType, VariableId};
use frazil_file::input::Input;
use frazil_types::{ErrorCode, PrecisionRequest};

const SHAPE: [u64; 3] = [11, 50, 70];
const CHUNK: [u64; 3] = [4, 30, 32];

/// A file with one variable `v` of floats; its first dimension grows.
fn create(path: &Path, settings: &VariableSettings) -> (Writer, VariableId) {
    let mut writer = Writer::create(path, &options(64 << 20, 2)).unwrap();
    let grows = DimensionLength::Unlimited { expected: None };
    let fixed = DimensionLength::Fixed;
    let lengths = [grows, fixed(SHAPE[1]), fixed(SHAPE[2])];
    let axes: Vec<DimensionId> = lengths
        .into_iter()
        .enumerate()
        .map(|(i, length)| writer.add_dimension(Schema::ROOT, &format!("d{i}"), length))
        .collect::<Result<_, _>>()
        .unwrap();
    let float = ValueType::Atomic(NcType::Float);
    let settings = VariableSettings {
        layout: LayoutRequest::Chunked(CHUNK.to_vec()),
        ..settings.clone()
    };
    let v = writer.add_variable(Schema::ROOT, "v", float, &axes, settings);
    (writer, v.unwrap())
}

/// Values of a box: smooth, with parts of zeros and of fill values.
fn values(start: &[u64], count: &[u64]) -> Vec<u8> {
    let mut out = Vec::new();
    for t in start[0]..start[0] + count[0] {
        for y in start[1]..start[1] + count[1] {
            for x in start[2]..start[2] + count[2] {
                let value = match (t, y) {
                    (0..4, 0..30) => 0.0,
                    (4..8, 0..30) => 9.969_21e36_f32,
                    _ => 280.0 + (x as f32 / 9.0).sin() * 7.0 + (t * y % 13) as f32 * 0.01,
                };
                out.extend_from_slice(&value.to_le_bytes());
            }
        }
    }
    out
}

/// Boxes of whole chunks that cover the variable, the last ones first.
fn boxes() -> Vec<([u64; 3], [u64; 3])> {
    let mut all = Vec::new();
    for t in [0, 8] {
        for y in [0, 30] {
            let end = |from: u64, length: u64, axis: usize| (from + length).min(SHAPE[axis]) - from;
            all.push(([t, y, 0], [end(t, 8, 0), end(y, 30, 1), SHAPE[2]]));
        }
    }
    all.reverse();
    all
}

fn through_json(plan: &ChunkPlan) -> ChunkPlan {
    serde_json::from_str(&serde_json::to_string(plan).unwrap()).unwrap()
}

/// Packs elsewhere, with an attempt before each that came to nothing.
fn write_elsewhere(path: &Path, settings: &VariableSettings) {
    let (mut writer, v) = create(path, settings);
    let plan = through_json(&writer.chunk_plan(v).unwrap().unwrap());
    let trial = ChunkPacker::new(&plan, None).unwrap();
    let (start, count) = (SHAPE.map(|_| 0), [8, 50, 70]);
    let samples = trial.samples(&start, &count, &values(&start, &count));
    let choice = ChunkPacker::choose(&plan, samples.unwrap().unwrap()).unwrap();
    let packer = ChunkPacker::new(&plan, Some(&choice)).unwrap();
    let file = File::options().write(true).open(path).unwrap();
    let mut late = Vec::new();
    for (start, count) in boxes() {
        let PackedBox { bytes, summary } = packer
            .pack(&start, &count, &values(&start, &count))
            .unwrap();
        assert_eq!(summary.bytes(), bytes.len() as u64);
        late.push((writer.set_aside(bytes.len() as u64).unwrap(), bytes.len()));
        let address = writer.set_aside(bytes.len() as u64).unwrap();
        file.write_all_at(&bytes, address).unwrap();
        writer
            .enter_chunks(v, &start, &count, address, &summary)
            .unwrap();
        // Twice is once too often.
        let again = writer.enter_chunks(v, &start, &count, address, &summary);
        let is_omitted = summary.bytes() == 0;
        assert_eq!(again.is_ok(), is_omitted, "{again:?}");
    }
    let report = writer.close().unwrap();
    assert_eq!(report.raw_bytes, SHAPE.iter().product::<u64>() * 4);
    for (address, bytes) in late {
        file.write_all_at(&vec![0xEE; bytes], address).unwrap();
    }
}

fn write_here(path: &Path, settings: &VariableSettings) {
    let (mut writer, v) = create(path, settings);
    let start = SHAPE.map(|_| 0);
    writer
        .put(v, &start, &SHAPE, None, &values(&start, &SHAPE))
        .unwrap();
    writer.close().unwrap();
}

/// The stored bytes of each chunk, by its place.
fn stored(path: &Path) -> Vec<(u64, Vec<u8>)> {
    let input = Input::open(path).unwrap();
    let number = input
        .variables()
        .iter()
        .position(|v| v.path == "/v")
        .unwrap();
    let file = File::open(path).unwrap();
    let located = input.hdf5().unwrap().locate(&input.variables()[number]);
    let bytes = |address, length: u64| {
        let mut bytes = vec![0; length as usize];
        file.read_exact_at(&mut bytes, address).unwrap();
        bytes
    };
    let records = located.unwrap().into_iter();
    records
        .map(|record| (record.index, bytes(record.address, record.stored_bytes)))
        .collect()
}

#[test]
fn chunks_have_the_same_bytes_wherever_they_are_packed() {
    let folder = tempfile::tempdir().unwrap();
    let (a, b) = (folder.path().join("a.nc"), folder.path().join("b.nc"));
    let deflate = |level| {
        let shuffle = frazil_types::FilterSpec::new(frazil_types::filter_id::SHUFFLE, vec![4]);
        let deflate = frazil_types::FilterSpec::new(frazil_types::filter_id::DEFLATE, vec![level]);
        FilterRequest::Exactly(frazil_types::FilterPipeline(vec![shuffle, deflate]))
    };
    let requests = [
        VariableSettings::default(),
        VariableSettings {
            filters: deflate(1),
            ..VariableSettings::default()
        },
        VariableSettings {
            filters: deflate(6),
            is_big_endian: true,
            ..VariableSettings::default()
        },
        VariableSettings {
            filters: FilterRequest::Exactly(frazil_types::FilterPipeline::default()),
            ..VariableSettings::default()
        },
        VariableSettings {
            precision: Some(PrecisionRequest {
                significant_digits: Some(3),
                special_values: vec![f64::NAN, f64::INFINITY],
                ..PrecisionRequest::default()
            }),
            ..VariableSettings::default()
        },
    ];
    let demand = |demand| VariableSettings {
        demand,
        ..VariableSettings::default()
    };
    let chain = frazil_types::FilterConstraints {
        filters: "shuffle+deflate(1)".parse().ok(),
        ..frazil_types::FilterConstraints::default()
    };
    let speed = frazil_types::FilterConstraints {
        min_write_speed: "200MB/s".parse().ok(),
        ..frazil_types::FilterConstraints::default()
    };
    let requests = requests.into_iter().chain([demand(chain), demand(speed)]);
    for settings in requests {
        write_elsewhere(&a, &settings);
        write_here(&b, &settings);
        assert_eq!(read(&a, "/v"), read(&b, "/v"), "{settings:?}");
        let (mut ours, mut theirs) = (stored(&a), stored(&b));
        if settings.filters == deflate(1) {
            // Before its trial is over, the writer packs chunks of one value by what was asked.
            let varies = |(index, _): &(u64, Vec<u8>)| !matches!(*index, 0..3 | 6..9);
            ours.retain(varies);
            theirs.retain(varies);
        }
        assert!(ours == theirs, "{settings:?}");
        std::fs::remove_file(&a).unwrap();
        std::fs::remove_file(&b).unwrap();
    }
}

#[test]
fn boxes_are_packed_into_room_of_the_callers() {
    let folder = tempfile::tempdir().unwrap();
    let (mut writer, v) = create(&folder.path().join("a.nc"), &VariableSettings::default());
    let plan = writer.chunk_plan(v).unwrap().unwrap();
    let choice = ChunkPacker::choose(&plan, Vec::new()).unwrap();
    let packer = ChunkPacker::new(&plan, Some(&choice)).unwrap();
    for (start, count) in boxes() {
        let bytes = values(&start, &count);
        let PackedBox {
            bytes: expected,
            summary,
        } = packer.pack(&start, &count, &bytes).unwrap();
        let mut room = vec![0xEE; usize::try_from(packer.expected_room(&count)).unwrap()];
        assert!(room.len() > bytes.len());
        let found = packer.pack_into(&start, &count, &bytes, &mut room);
        assert_eq!(found.unwrap().unwrap().bytes(), summary.bytes());
        assert_eq!(room[..expected.len()], expected);
        assert!(room[expected.len()..].iter().all(|&byte| byte == 0xEE));
        // Just enough, and a byte too few for the last chunk.
        let enough = &mut room[..expected.len()];
        let found = packer.pack_into(&start, &count, &bytes, enough).unwrap();
        assert!(found.is_some());
        if let Some((_, few)) = enough.split_last_mut() {
            let found = packer.pack_into(&start, &count, &bytes, few).unwrap();
            assert_eq!(found, None);
        }
    }
    assert_eq!(packer.expected_room(&[u64::MAX; 3]), u64::MAX);
}

#[test]
fn what_cannot_be_is_refused() {
    let folder = tempfile::tempdir().unwrap();
    let (mut writer, v) = create(&folder.path().join("a.nc"), &VariableSettings::default());
    let plan = writer.chunk_plan(v).unwrap().unwrap();
    assert_eq!(plan.filters, FilterPlan::Open);
    let trial = ChunkPacker::new(&plan, None).unwrap();
    let (start, count) = ([8, 0, 0], [3, 50, 70]);
    let bytes = values(&start, &count);
    let refused = |outcome: frazil_file::error::Result<PackedBox>| {
        let error = outcome.unwrap_err();
        assert_eq!(error.code, ErrorCode::InvalidArgument);
        assert_eq!(error.variable.as_deref(), Some("/v"));
    };
    // Without filters, off the grid, with too few values, past the end.
    refused(trial.pack(&start, &count, &bytes));
    let untried = ChunkPacker::choose(&plan, Vec::new()).unwrap();
    let packer = ChunkPacker::new(&plan, Some(&untried)).unwrap();
    refused(packer.pack(&[7, 0, 0], &count, &bytes));
    refused(packer.pack(&start, &[3, 40, 70], &bytes[..3 * 40 * 70 * 4]));
    refused(packer.pack(&start, &count, &bytes[4..]));
    refused(packer.pack(&start, &[3, 51, 70], &bytes));
    let packed = packer.pack(&start, &count, &bytes).unwrap();
    // A box other than the one that was packed.
    let address = writer.set_aside(packed.bytes.len() as u64).unwrap();
    let file = File::options().write(true).open(writer.path()).unwrap();
    file.write_all_at(&packed.bytes, address).unwrap();
    let other = writer.enter_chunks(v, &start, &[3, 30, 70], address, &packed.summary);
    assert_eq!(other.unwrap_err().code, ErrorCode::InvalidArgument);
    // The second of two choices that differ.
    let mut differs = packed.summary.clone();
    differs.filters.pipeline = frazil_types::FilterPipeline::default();
    writer
        .enter_chunks(v, &start, &count, address, &packed.summary)
        .unwrap();
    let start = [0, 0, 0];
    let error = writer.enter_chunks(v, &start, &count, address, &differs);
    assert_eq!(error.unwrap_err().code, ErrorCode::InvalidArgument);
    assert!(
        ChunkPacker::new(
            &ChunkPlan {
                chunk: vec![0],
                ..plan
            },
            None
        )
        .is_err()
    );
}
