//! Existing files that ranks go on with.

use std::path::Path;

use super::{create, options, together};
use crate::tests::read;
use crate::{
    DimensionLength, FilterRequest, LayoutRequest, LocalComm, VariableSettings, Writer,
    WriterOptions,
};
use frazil_container::classic::{AttributeValue, NcType};
use frazil_container::schema::{AttributeOwner, Schema, SchemaValue, ValueType, VariableId};
use frazil_file::error::Result;
use frazil_types::{ErrorCode, FilterPipeline, FilterSpec, filter_id};

const NY: u64 = 12;
const NX: u64 = 500;

/// A record's row, or one of the variable without records.
fn row_of(record: u64, y: u64) -> Vec<u8> {
    let values = (0..NX as u32).map(|x| x * 3 + 1000 * y as u32 + 100_000 * record as u32);
    values.flat_map(u32::to_le_bytes).collect()
}

fn open(path: &Path, comm: LocalComm, options: &WriterOptions) -> Result<Writer> {
    Writer::append_parallel(path, Box::new(comm), options)
}

/// A file of two records, written by one process: `v` in chunks of five rows, `w`, contiguous, and
/// texts.
fn begin(path: &Path) {
    let mut writer = Writer::create(path, &options(1 << 20, 0)).unwrap();
    let root = Schema::ROOT;
    let grows = DimensionLength::Unlimited { expected: None };
    let time = writer.add_dimension(root, "time", grows).unwrap();
    let y = writer.add_dimension(root, "y", DimensionLength::Fixed(NY));
    let x = writer.add_dimension(root, "x", DimensionLength::Fixed(NX));
    let (y, x) = (y.unwrap(), x.unwrap());
    let deflate = FilterPipeline(vec![
        FilterSpec::new(filter_id::SHUFFLE, vec![4]),
        FilterSpec::new(filter_id::DEFLATE, vec![1]),
    ]);
    let chunked = VariableSettings {
        layout: LayoutRequest::Chunked(vec![2, 5, 200]),
        filters: FilterRequest::Exactly(deflate),
        ..VariableSettings::default()
    };
    let plain = VariableSettings {
        layout: LayoutRequest::Contiguous,
        ..VariableSettings::default()
    };
    let int = ValueType::Atomic(NcType::Int);
    let v = writer.add_variable(root, "v", int, &[time, y, x], chunked);
    let w = writer.add_variable(root, "w", int, &[y, x], plain);
    let names = writer.add_variable(
        root,
        "names",
        ValueType::String,
        &[time],
        Default::default(),
    );
    let (v, w, names) = (v.unwrap(), w.unwrap(), names.unwrap());
    for y in 0..NY {
        // Record 1 has half of its rows.
        for record in 0..1 + u64::from(y < 6) {
            let at = [record, y, 0];
            writer
                .put(v, &at, &[1, 1, NX], None, &row_of(record, y))
                .unwrap();
        }
        writer
            .put(w, &[y, 0], &[1, NX], None, &row_of(0, y))
            .unwrap();
    }
    let texts = ["a", "b"].map(Into::into);
    writer.put_strings(names, &[0], &[2], None, &texts).unwrap();
    writer.close().unwrap();
}

fn find(writer: &Writer, name: &str) -> VariableId {
    writer.schema().variable_in(Schema::ROOT, name).unwrap()
}

/// Each rank puts every so many-th row: the other half of record 1, record 3, then record 2, some of
/// `w`, a new variable.
fn go_on(path: &Path, ranks: usize, options: &WriterOptions) {
    let writers = ranks - options.io_ranks;
    together(ranks, |rank, comm| {
        let mut writer = open(path, comm, options).unwrap();
        let (v, w, names) = (
            find(&writer, "v"),
            find(&writer, "w"),
            find(&writer, "names"),
        );
        assert_eq!(writer.schema().dimensions[0].length, 2);
        let x = writer.schema().dimension_in(Schema::ROOT, "x").unwrap();
        let int = ValueType::Atomic(NcType::Int);
        let more = writer.add_variable(Schema::ROOT, "more", int, &[x], Default::default());
        let more = more.unwrap();
        let note = SchemaValue::Atomic(AttributeValue::Char(b"continued".to_vec()));
        let owner = AttributeOwner::Group(Schema::ROOT);
        writer.put_attribute(owner, "note", note).unwrap();
        let is_own = |y: u64| y as usize % writers == rank;
        for (number, record) in [1, 3, 2].into_iter().enumerate() {
            for y in (0..NY).filter(|&y| is_own(y) && (record > 1 || y >= 6)) {
                let at = [record, y, 0];
                writer
                    .put(v, &at, &[1, 1, NX], None, &row_of(record, y))
                    .unwrap();
            }
            if number == 1 {
                writer.sync().unwrap();
            }
        }
        for y in (3..5).filter(|&y| is_own(y)) {
            writer
                .put(w, &[y, 0], &[1, NX], None, &row_of(9, y))
                .unwrap();
        }
        if rank == writers - 1 {
            let text = ["d".into()];
            writer.put_strings(names, &[3], &[1], None, &text).unwrap();
            writer.put(more, &[0], &[NX], None, &row_of(7, 7)).unwrap();
        }
        writer.close().unwrap();
    });
}

fn check(path: &Path) {
    let (shape, values) = read(path, "/v");
    assert_eq!(shape, [4, NY, NX]);
    for (i, found) in values.chunks_exact(NX as usize * 4).enumerate() {
        let (record, y) = (i as u64 / NY, i as u64 % NY);
        assert!(found == row_of(record, y), "record {record}, row {y}");
    }
    let (_, values) = read(path, "/w");
    for (y, found) in (0..NY).zip(values.chunks_exact(NX as usize * 4)) {
        let record = if (3..5).contains(&y) { 9 } else { 0 };
        assert!(found == row_of(record, y), "row {y} of w");
    }
    assert!(read(path, "/more").1 == row_of(7, 7));
    let writer = Writer::append(path, &options(1 << 20, 0)).unwrap();
    let notes = writer
        .schema()
        .attributes(AttributeOwner::Group(Schema::ROOT));
    assert!(notes.iter().any(|attribute| attribute.name == "note"));
}

#[test]
fn ranks_go_on_with_a_file() {
    let mut files = Vec::new();
    for (ranks, io_ranks) in [(1, 0), (2, 0), (3, 0), (4, 0), (2, 1), (5, 2)] {
        println!("{ranks} ranks, {io_ranks} of them for others");
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join("out.nc");
        begin(&path);
        let own = WriterOptions {
            io_ranks,
            follow_ranks: ranks == 3,
            ..options(1 << 20, ranks % 3)
        };
        go_on(&path, ranks, &own);
        check(&path);
        let names = std::fs::read_dir(folder.path()).unwrap();
        assert_eq!(names.count(), 1, "something is left beside the output");
        files.push(std::fs::read(&path).unwrap());
    }
    assert!(files.iter().all(|file| *file == files[0]), "other bytes");
}

#[test]
fn ranks_that_give_up_leave_the_file_as_it_was() {
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("out.nc");
    begin(&path);
    let before = std::fs::read(&path).unwrap();
    together(3, |rank, comm| {
        let mut writer = open(&path, comm, &options(1 << 20, 1)).unwrap();
        let v = find(&writer, "v");
        writer
            .put(v, &[2, 0, 0], &[1, 1, NX], None, &row_of(2, 0))
            .unwrap();
        if rank == 1 {
            return writer.abandon();
        }
        let text = writer.sync().unwrap_err().to_string();
        assert!(text.contains("rank 1 gave"), "{text}");
    });
    assert!(std::fs::read(&path).unwrap() == before);
}

#[test]
fn what_cannot_be_continued_is_everybodys_error() {
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("none.nc");
    for outcome in together(2, |_, comm| {
        open(&path, comm, &options(1 << 20, 1)).map(drop)
    }) {
        assert_eq!(outcome.unwrap_err().code, ErrorCode::NotFound);
    }
    begin(&path);
    // One creates what the other continues.
    let outcomes = together(2, |rank, comm| match rank {
        0 => open(&path, comm, &options(1 << 20, 1)).map(drop),
        _ => create(&path, comm, &options(1 << 20, 1)).map(drop),
    });
    for outcome in outcomes {
        assert_eq!(outcome.unwrap_err().code, ErrorCode::InvalidArgument);
    }
}
