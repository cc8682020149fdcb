//! The same calls on this crate's writer and on netCDF-C: same answers, same values.

use std::fmt::Debug;

use super::*;

/// What each call answered.
#[derive(Default)]
struct Log(Vec<String>);

impl Log {
    #[expect(
        clippy::needless_pass_by_value,
        reason = "answers come straight from calls"
    )]
    fn note<T: Debug>(&mut self, call: &str, answer: Outcome<T>) {
        self.0.push(format!("{call}: {answer:?}"));
    }
}

/// Definitions, good and bad.
fn define(data: &mut Dataset, log: &mut Log) {
    log.note("redef at once", data.redef());
    for (name, length) in [
        ("time", 0),
        ("y", 3),
        ("x", 4),
        ("x", 5),
        ("a/b", 1),
        ("", 1),
    ] {
        log.note("def_dim", data.def_dim(ROOT, name, length));
    }
    log.note("second unlimited", data.def_dim(ROOT, "more", 0));
    for (name, nc_type, dimids) in [
        ("field", FLOAT, &[0, 1, 2][..]),
        ("count", INT, &[1]),
        ("scalar", DOUBLE, &[]),
        ("label", 2, &[1, 2]),
        ("byte", 1, &[2]),
        ("wide", 10, &[2]),
        ("field", FLOAT, &[1]),
        ("lost", FLOAT, &[9]),
        ("none", 0, &[1]),
        ("strange", 99, &[1]),
        ("-x", FLOAT, &[1]),
        ("x", DOUBLE, &[2]),
    ] {
        log.note(name, data.def_var(ROOT, name, nc_type, dimids));
    }
    log.note("rename_var", data.rename_var(ROOT, 1, "number"));
    log.note("rename_var taken", data.rename_var(ROOT, 1, "scalar"));
    log.note("rename_dim", data.rename_dim(ROOT, 1, "row"));
    log.note("rename_dim taken", data.rename_dim(ROOT, 1, "x"));
    log.note("rename_dim lost", data.rename_dim(ROOT, 77, "z"));
    log.note("set_fill", data.set_fill(0x100));
    log.note("set_fill back", data.set_fill(0));
    log.note("set_fill strange", data.set_fill(5));
}

fn attributes(data: &mut Dataset, log: &mut Log) {
    let mut put = |varid, name, nc_type, memory, bytes: &[u8]| {
        log.note(
            name,
            data.put_att(ROOT, varid, name, nc_type, memory, bytes),
        );
    };
    put(GLOBAL, "title", 2, MemoryType::Text, b"a model");
    put(GLOBAL, "empty", 2, MemoryType::Text, b"");
    put(
        0,
        "scale",
        FLOAT,
        MemoryType::Double,
        &1.5_f64.to_ne_bytes(),
    );
    put(0, "small", 1, MemoryType::Int, &ints(&[1, 300, -2]));
    put(0, "echar", 2, MemoryType::Int, &ints(&[1]));
    put(0, "echar too", INT, MemoryType::Text, b"1");
    put(0, "type", 0, MemoryType::Int, &ints(&[1]));
    put(0, "bad/name", INT, MemoryType::Int, &ints(&[1]));
    put(0, "DIMENSION_LIST", INT, MemoryType::Int, &ints(&[1]));
    put(GLOBAL, "_NCProperties", 2, MemoryType::Text, b"x");
    put(99, "lost", INT, MemoryType::Int, &ints(&[1]));
    put(1, "_FillValue", INT, MemoryType::Int, &ints(&[1, 2]));
    put(1, "_FillValue", INT, MemoryType::Int, &ints(&[-7]));
    let mut out = Vec::new();
    for (varid, name, memory) in [
        (GLOBAL, "title", MemoryType::Text),
        (GLOBAL, "title", MemoryType::Int),
        (GLOBAL, "empty", MemoryType::Int),
        (0, "scale", MemoryType::Short),
        (0, "scale", MemoryType::Text),
        (0, "small", MemoryType::SChar),
        (0, "small", MemoryType::UChar),
        (1, "_FillValue", MemoryType::Int64),
        (0, "lost", MemoryType::Int),
    ] {
        log.note(name, data.get_att(ROOT, varid, name, memory, &mut out));
        log.note("is", Ok(&out));
        log.note("inq", data.inq_att(ROOT, varid, name));
        log.note("id", data.inq_attid(ROOT, varid, name));
    }
    log.note("rename", data.rename_att(ROOT, 0, "small", "smallest"));
    log.note(
        "rename taken",
        data.rename_att(ROOT, 0, "scale", "smallest"),
    );
    log.note("rename lost", data.rename_att(ROOT, 0, "lost", "found"));
    log.note("name", data.inq_attname(ROOT, 0, 1));
    log.note("name lost", data.inq_attname(ROOT, 0, 9));
    log.note("del", data.del_att(ROOT, 0, "scale"));
    log.note("del lost", data.del_att(ROOT, 0, "scale"));
    log.note("title", data.attribute(ROOT, GLOBAL, "title"));
}

fn inquire(data: &mut Dataset, log: &mut Log) {
    log.note("inq", data.inq(ROOT));
    log.note("format", data.inq_format());
    log.note("unlimdims", data.inq_unlimdims(ROOT));
    log.note("unlimdim", data.inq_unlimdim(ROOT));
    log.note("dimids", data.inq_dimids(ROOT, true));
    log.note("varids", data.inq_varids(ROOT));
    for id in -2..9 {
        log.note("dim", data.inq_dim(ROOT, id));
        if id != GLOBAL {
            log.note("var", data.inq_var(ROOT, id));
            log.note("fill", data.inq_var_fill(ROOT, id));
        }
    }
    for name in ["time", "row", "field", "number", "lost"] {
        log.note("dimid", data.inq_dimid(ROOT, name));
        log.note("varid", data.inq_varid(ROOT, name));
    }
    log.note("groups", data.inq_grps(ROOT));
    log.note("group", data.inq_grpname(ROOT));
    log.note("full", data.inq_grpname_full(ROOT));
    log.note("parent", data.inq_grp_parent(ROOT));
    log.note("types", data.inq_typeids(ROOT));
}

fn puts(data: &mut Dataset, log: &mut Log) {
    let twelve: Vec<f32> = (0..12).map(|it| it as f32 - 3.5).collect();
    let twelve = floats(&twelve);
    let mut put = |call, varid, region: &Region<'_>, memory, bytes: &[u8]| {
        log.note(call, data.put(ROOT, varid, region, memory, bytes));
    };
    let float = MemoryType::Float;
    put("record", 0, &vara(&[1, 0, 0], &[1, 3, 4]), float, &twelve);
    put("start", 0, &vara(&[0, 3, 0], &[1, 1, 1]), float, &twelve);
    put("edge", 0, &vara(&[0, 1, 0], &[1, 3, 4]), float, &twelve);
    put("nothing", 0, &vara(&[0, 3, 0], &[1, 0, 4]), float, &twelve);
    put(
        "text",
        0,
        &vara(&[0, 0, 0], &[1, 1, 1]),
        MemoryType::Text,
        b"1",
    );
    put("lost", 40, &vara(&[0], &[1]), float, &twelve);
    for stride in [[1, 2, 3], [1, 0, 1], [1, 1, -1]] {
        let region = Region {
            stride: Some(&stride),
            ..vara(&[2, 0, 0], &[1, 2, 2])
        };
        put("stride", 0, &region, MemoryType::Int, &ints(&[1, 2, 3, 4]));
    }
    let whole = Region::default();
    let mixed = [7.9_f64, -1e20, 3.0].map(f64::to_ne_bytes).concat();
    put("range", 1, &whole, MemoryType::Double, &mixed[..16]);
    put(
        "in range",
        1,
        &vara(&[1], &[1]),
        MemoryType::Double,
        &mixed[16..],
    );
    put(
        "scalar",
        2,
        &whole,
        MemoryType::Short,
        &(-5_i16).to_ne_bytes(),
    );
    put("label", 3, &whole, MemoryType::Text, b"abcdefghijkl");
    put(
        "label as number",
        3,
        &whole,
        MemoryType::UChar,
        b"abcdefghijkl",
    );
    put("bytes", 4, &whole, MemoryType::UChar, &[1, 127, 128, 255]);
    let one = Region {
        start: Some(&[0, 2, 3]),
        ..Region::default()
    };
    put("one", 0, &one, MemoryType::Int64, &9_i64.to_ne_bytes());
}

fn gets(data: &mut Dataset, log: &mut Log) {
    for varid in 0..6 {
        for memory in [
            MemoryType::Float,
            MemoryType::Int,
            MemoryType::UShort,
            MemoryType::Text,
            MemoryType::UChar,
        ] {
            let region = Region::default();
            let mut out = vec![0; 36 * memory.size_bytes()];
            let status = data.get(ROOT, varid, &region, memory, &mut out);
            // Where C leaves a converted value open, so do we.
            let is_open = status == Err(Status::ERANGE) && [0, 1].contains(&varid);
            log.note("get", status);
            if !is_open {
                log.note("got", Ok(out));
            }
        }
    }
    let float = MemoryType::Float;
    let mut out = [0; 8];
    for (start, count) in [
        ([3, 0, 0], [1, 1, 1]),
        ([3, 0, 0], [0, 1, 1]),
        ([4, 0, 0], [0, 1, 1]),
        ([2, 0, 0], [2, 1, 1]),
        ([0, 0, 4], [1, 1, 1]),
        ([0, 0, 2], [1, 1, 3]),
        ([1, 2, 1], [1, 1, 2]),
    ] {
        let region = vara(&start, &count);
        log.note("get", data.get(ROOT, 0, &region, float, &mut out));
        log.note("got", Ok(out));
    }
}

/// Everything, in one go, on one back end.
fn run(data: &mut Dataset) -> Vec<String> {
    let mut log = Log::default();
    log.note(
        "put while defining",
        data.put(ROOT, 0, &Region::default(), MemoryType::Int, &[]),
    );
    define(data, &mut log);
    attributes(data, &mut log);
    inquire(data, &mut log);
    log.note("sync", data.sync());
    log.note("enddef", data.enddef(ROOT));
    log.note("enddef again", data.enddef(ROOT));
    puts(data, &mut log);
    inquire(data, &mut log);
    gets(data, &mut log);
    log.note("def_dim late", data.def_dim(ROOT, "late", 2));
    log.note(
        "att late",
        data.put_att(ROOT, 0, "late", INT, MemoryType::Int, &ints(&[1])),
    );
    log.note(
        "longer name",
        data.rename_var(ROOT, 2, "a much longer name"),
    );
    log.note("shorter name", data.rename_var(ROOT, 2, "s"));
    log.note("redef", data.redef());
    log.note("sync", data.sync());
    log.note("def_var late", data.def_var(ROOT, "late", INT, &[0]));
    log.note("enddef", data.enddef(ROOT));
    log.note("late", values(data, 6, MemoryType::Int));
    gets(data, &mut log);
    log.note("close", data.close());
    log.note("closed", data.inq(ROOT));
    log.0
}

fn compare(mode: Mode) {
    let directory = tempfile::tempdir().unwrap();
    let (ours, theirs) = (directory.path().join("o.nc"), directory.path().join("t.nc"));
    let our_log = run(&mut engine(&ours, mode));
    let their_log = run(&mut library(&theirs, mode | Mode::NETCDF4));
    for (number, (ours, theirs)) in our_log.iter().zip(&their_log).enumerate() {
        assert_eq!(ours, theirs, "call {number}");
    }
    assert_eq!(our_log.len(), their_log.len());
    // What lies in the files is the same too.
    let logs = [ours, theirs].map(|path| {
        let mut data = Dataset::open(&path, Mode::NOWRITE).unwrap();
        let mut log = Log::default();
        inquire(&mut data, &mut log);
        gets(&mut data, &mut log);
        log.0
    });
    for (number, (ours, theirs)) in logs[0].iter().zip(&logs[1]).enumerate() {
        assert_eq!(ours, theirs, "in the file, call {number}");
    }
}

#[test]
fn netcdf_4_answers_as_netcdf_c() {
    compare(Mode::default());
}

#[test]
fn the_classic_model_answers_as_netcdf_c() {
    compare(Mode::CLASSIC_MODEL);
}
