//! Files opened for reading: frazil's answers beside netCDF-C's.
//!
//! `FRAZIL_READING_FILES` names folders with more files (`:` between them), `FRAZIL_READING_SEED` repeats
//! a sequence of random calls.

use std::collections::BTreeSet;
use std::fmt::Debug;
use std::hash::{DefaultHasher, Hash, Hasher};
use std::path::PathBuf;
use std::time::{SystemTime, UNIX_EPOCH};

use super::*;
use crate::create::open_to_read;

const MEMORY: [MemoryType; 11] = [
    MemoryType::Text,
    MemoryType::SChar,
    MemoryType::UChar,
    MemoryType::Short,
    MemoryType::UShort,
    MemoryType::Int,
    MemoryType::UInt,
    MemoryType::Int64,
    MemoryType::UInt64,
    MemoryType::Float,
    MemoryType::Double,
];
/// Values of larger parts are not compared.
const MOST_ELEMENTS: u64 = 1 << 22;

/// Variables whose values are not compared.
type Skipped = BTreeSet<(GroupNumber, i32)>;

/// The file in both hands; the error says why frazil does not read it.
fn both(path: &Path) -> Result<(Dataset, Dataset, Skipped), String> {
    let opened = open_to_read(path, Mode::NOWRITE, &options()).map_err(|why| why.detail)?;
    let skipped = match &opened {
        Backend::Reading(reading) => reading.beyond_netcdf_c(),
        _ => Skipped::new(),
    };
    let ours = Dataset::new(path, Ok(opened)).unwrap();
    let theirs = Bundled::open(path, Mode::NOWRITE).map(Backend::Bundled);
    let theirs = Dataset::new(path, theirs).map_err(|(status, words)| {
        format!("netCDF-C refuses it ({status:?}, {words}), frazil reads it")
    })?;
    Ok((ours, theirs, skipped))
}

/// What each call answered.
struct Log<'a>(Vec<String>, &'a Skipped);

impl Log<'_> {
    #[expect(
        clippy::needless_pass_by_value,
        reason = "calls are named where they are made"
    )]
    fn note<T: Debug>(&mut self, call: String, answer: Outcome<T>) -> Option<T> {
        let text = format!("{answer:?}");
        // Values of any length, told apart by a number.
        let text = match text.len() {
            0..200 => text,
            _ => format!("{:.100}... {:x}", text, hashed(&text)),
        };
        self.0.push(format!("{call}: {text}"));
        answer.ok()
    }
}

fn hashed<T: Hash + ?Sized>(value: &T) -> u64 {
    let mut hasher = DefaultHasher::new();
    value.hash(&mut hasher);
    hasher.finish()
}

/// Every inquiry, and every value.
fn inventory(data: &mut Dataset, skipped: &Skipped) -> Vec<String> {
    let mut log = Log(Vec::new(), skipped);
    log.note("format".into(), data.inq_format());
    log.note("extended".into(), data.inq_format_extended());
    let mut groups = vec![ROOT];
    while let Some(group) = groups.pop() {
        log.note(format!("inq {group:?}"), data.inq(group));
        log.note("name".into(), data.inq_grpname(group));
        log.note("full name".into(), data.inq_grpname_full(group));
        log.note("parent".into(), data.inq_grp_parent(group));
        log.note("unlimited".into(), data.inq_unlimdims(group));
        log.note("first unlimited".into(), data.inq_unlimdim(group));
        log.note("types".into(), data.inq_typeids(group));
        for parents in [false, true] {
            let dimids = log.note("dimids".into(), data.inq_dimids(group, parents));
            for dimid in dimids.unwrap_or_default() {
                let name = log.note(format!("dim {dimid}"), data.inq_dim(group, dimid));
                let name = name.map_or(String::new(), |dim| dim.name);
                log.note("dimid".into(), data.inq_dimid(group, &name));
            }
        }
        attributes(data, &mut log, group, GLOBAL);
        for varid in log
            .note("varids".into(), data.inq_varids(group))
            .unwrap_or_default()
        {
            variable(data, &mut log, group, varid);
        }
        let below = log.note("groups".into(), data.inq_grps(group));
        groups.extend(below.unwrap_or_default().into_iter().rev());
    }
    log.0
}

fn attributes(data: &mut Dataset, log: &mut Log<'_>, group: GroupNumber, varid: i32) {
    let mut number = 0;
    while let Some(name) = log.note(
        format!("attname {number}"),
        data.inq_attname(group, varid, number),
    ) {
        number += 1;
        log.note("att".into(), data.inq_att(group, varid, &name));
        log.note("attid".into(), data.inq_attid(group, varid, &name));
        log.note("copied".into(), data.attribute(group, varid, &name));
        attribute(data, log, (group, varid), &name);
    }
    for name in [
        "_FillValue",
        "_NCProperties",
        "_Netcdf4Dimid",
        "CLASS",
        "a/b",
        "_IsNetcdf4",
    ] {
        log.note(name.into(), data.inq_att(group, varid, name));
        attribute(data, log, (group, varid), name);
    }
}

fn attribute(
    data: &mut Dataset,
    log: &mut Log<'_>,
    (group, varid): (GroupNumber, i32),
    name: &str,
) {
    for memory in MEMORY {
        let mut out = Vec::new();
        let answer = data.get_att(group, varid, name, memory, &mut out);
        let stored = data.inq_att(group, varid, name).map(|found| found.nc_type);
        let is_float = |nc_type| [FLOAT, DOUBLE].contains(&nc_type);
        if stored.is_ok_and(is_float) && !matches!(memory, MemoryType::Float | MemoryType::Double) {
            // What becomes of what is no number, C does not say.
            out.clear();
        }
        log.note(format!("get_att {name} {memory:?}"), answer.map(|()| out));
    }
    log.note("strings".into(), data.get_att_strings(group, varid, name));
}

fn variable(data: &mut Dataset, log: &mut Log<'_>, group: GroupNumber, varid: i32) {
    let found = log.note(format!("var {varid}"), data.inq_var(group, varid));
    let name = found.as_ref().map_or("", |found| &found.name);
    log.note("varid".into(), data.inq_varid(group, name));
    log.note("ndims".into(), data.inq_varndims(group, varid));
    log.note("type".into(), data.inq_vartype(group, varid));
    storage(data, log, group, varid);
    attributes(data, log, group, varid);
    let mut elements = 1_u64;
    for dimid in found.map(|found| found.dimensions).unwrap_or_default() {
        elements *= data.inq_dim(group, dimid).map_or(1, |dim| dim.length);
    }
    if elements > MOST_ELEMENTS {
        return;
    }
    for memory in MEMORY {
        values_of(data, log, (group, varid), &Region::default(), memory);
    }
    strings_of(data, log, (group, varid), &Region::default());
}

fn storage(data: &mut Dataset, log: &mut Log<'_>, group: GroupNumber, varid: i32) {
    log.note("fill".into(), data.inq_var_fill(group, varid));
    log.note("chunking".into(), data.inq_var_chunking(group, varid));
    log.note("deflate".into(), data.inq_var_deflate(group, varid));
    log.note("fletcher32".into(), data.inq_var_fletcher32(group, varid));
    log.note("endian".into(), data.inq_var_endian(group, varid));
    log.note("szip".into(), data.inq_var_szip(group, varid));
    log.note("zstandard".into(), data.inq_var_zstandard(group, varid));
    log.note("filters".into(), data.inq_var_filters(group, varid));
    log.note("quantize".into(), data.inq_var_quantize(group, varid));
    log.note("cache".into(), data.get_var_chunk_cache(group, varid));
}

fn values_of(
    data: &mut Dataset,
    log: &mut Log<'_>,
    (group, varid): (GroupNumber, i32),
    region: &Region<'_>,
    memory: MemoryType,
) {
    let call = format!("get {memory:?} {region:?}");
    let span = data.memory_span(group, varid, region, memory, false);
    let Some(span) = log.note(format!("span of {call}"), span) else {
        return;
    };
    if span.len() as u64 > MOST_ELEMENTS || log.1.contains(&(group, varid)) {
        return;
    }
    let mut bytes = vec![0x55; span.len() * memory.size_bytes()];
    let answer = data.get(group, varid, region, memory, &mut bytes);
    log.note(call, answer.map(|()| hashed(&bytes)));
}

fn strings_of(
    data: &mut Dataset,
    log: &mut Log<'_>,
    (group, varid): (GroupNumber, i32),
    region: &Region<'_>,
) {
    let span = data.memory_span(group, varid, region, MemoryType::String, false);
    let length = log
        .note("span of strings".into(), span)
        .map_or(1, |span| span.len());
    if log.1.contains(&(group, varid)) {
        return;
    }
    let mut strings = vec![None; length.min(MOST_ELEMENTS as usize)];
    let answer = data.get_strings(group, varid, region, &mut strings);
    log.note(format!("strings {region:?}"), answer.map(|()| strings));
}

/// Numbers that come again from the same seed (xorshift).
struct Random(u64);

impl Random {
    fn below(&mut self, limit: u64) -> u64 {
        self.0 ^= self.0 << 13;
        self.0 ^= self.0 >> 7;
        self.0 ^= self.0 << 17;
        self.0 % limit.max(1)
    }

    fn of<T: Copy>(&mut self, list: &[T]) -> T {
        list[self.below(list.len() as u64) as usize]
    }
}

/// Calls of any kind with arguments of any kind, good and bad.
fn random_calls(data: &mut Dataset, skipped: &Skipped, seed: u64, calls: usize) -> Vec<String> {
    let mut random = Random(seed | 1);
    let mut log = Log(Vec::new(), skipped);
    for number in 0..calls {
        let group = match random.below(8) {
            0 => GroupNumber(random.below(70) as u16),
            _ => ROOT,
        };
        let variables = data.inq_varids(group).map_or(0, |all| all.len()) as i64;
        let varid = random.below(variables as u64 + 3) as i32 - 2;
        log.0.push(format!("{number} {group:?} {varid}"));
        match random.below(9) {
            0 => lookups(data, &mut log, &mut random, group),
            1 => storage(data, &mut log, group, varid),
            2 => writing(data, &mut log, &mut random, (group, varid)),
            3 => attributes(data, &mut log, group, varid),
            _ => part(data, &mut log, &mut random, (group, varid)),
        }
    }
    log.0
}

const NAMES: [&str; 12] = [
    "x",
    "time",
    "v",
    "/x",
    "g",
    "g/h",
    "/g/h/",
    "",
    "a b",
    "nan\u{301}",
    "/",
    "-x",
];

fn lookups(data: &mut Dataset, log: &mut Log<'_>, random: &mut Random, group: GroupNumber) {
    let name = random.of(&NAMES);
    let number = random.below(20) as i32 - 3;
    log.note(format!("dimid {name}"), data.inq_dimid(group, name));
    log.note(format!("varid {name}"), data.inq_varid(group, name));
    log.note(format!("grp {name}"), data.inq_grp_ncid(group, name));
    log.note(format!("full {name}"), data.inq_grp_full_ncid(group, name));
    log.note(format!("dim {number}"), data.inq_dim(group, number));
    log.note("inq".into(), data.inq(group));
    log.note("parent".into(), data.inq_grp_parent(group));
    log.note("groups".into(), data.inq_grps(group));
    log.note("dimids".into(), data.inq_dimids(group, true));
    log.note("sync".into(), data.sync());
    let id = random.below(40_000) as u32;
    log.note(format!("filter {id}"), data.inq_filter_avail(id));
}

/// Calls that a file opened for reading refuses.
fn writing(
    data: &mut Dataset,
    log: &mut Log<'_>,
    random: &mut Random,
    (group, varid): (GroupNumber, i32),
) {
    let name = random.of(&NAMES);
    let whole = Region::default();
    match random.below(12) {
        0 => _ = log.note("redef".into(), data.redef()),
        1 => _ = log.note("enddef".into(), data.enddef(ROOT)),
        2 => _ = log.note("set_fill".into(), data.set_fill(0x100)),
        3 => _ = log.note(format!("def_dim {name}"), data.def_dim(group, name, 3)),
        4 => {
            let answer = data.def_var(group, name, INT, &[]);
            log.note(format!("def_var {name}"), answer);
        }
        5 => _ = log.note(format!("def_grp {name}"), data.def_grp(group, name)),
        6 => {
            let answer = data.put_att(group, varid, name, INT, MemoryType::Int, &ints(&[1]));
            log.note(format!("put_att {name}"), answer);
        }
        7 => _ = log.note("del_att".into(), data.del_att(group, varid, name)),
        8 => _ = log.note("rename_var".into(), data.rename_var(group, varid, name)),
        9 => _ = log.note("rename_dim".into(), data.rename_dim(group, varid, name)),
        10 => {
            let answer = data.def_var_deflate(group, varid, true, true, 1);
            log.note("def_var_deflate".into(), answer);
            log.note("fill".into(), data.def_var_fill(group, varid, true, None));
        }
        _ => {
            let span = data.memory_span(group, varid, &whole, MemoryType::Int, true);
            log.note("span of put".into(), span);
            let answer = data.put(group, varid, &whole, MemoryType::Int, &[]);
            log.note("put".into(), answer);
        }
    }
}

/// A part of a variable, with indices that may lie outside.
fn part(
    data: &mut Dataset,
    log: &mut Log<'_>,
    random: &mut Random,
    (group, varid): (GroupNumber, i32),
) {
    let dimensions = data
        .inq_var(group, varid)
        .map_or(Vec::new(), |found| found.dimensions);
    let mut shape = Vec::new();
    for dimid in dimensions {
        shape.push(data.inq_dim(group, dimid).map_or(0, |found| found.length));
    }
    let is_bad = random.below(4) == 0;
    let beyond = if is_bad { 2 } else { 0 };
    let (mut start, mut count, mut stride) = (Vec::new(), Vec::new(), Vec::new());
    for &length in &shape {
        let step = if is_bad {
            random.below(4) as i64 - 1
        } else {
            random.below(3) as i64 + 1
        };
        let first = random.below(length + beyond);
        let rest = length
            .saturating_sub(first)
            .div_ceil(step.unsigned_abs().max(1));
        start.push(first);
        count.push(random.below((rest + 1 + beyond).min(200)));
        stride.push(step);
    }
    let mut map: Vec<i64> = vec![1; shape.len()];
    for axis in (0..shape.len().saturating_sub(1)).rev() {
        map[axis] = map[axis + 1] * count[axis + 1].max(1) as i64 + random.below(2) as i64;
    }
    let region = Region {
        start: (random.below(12) > 0).then_some(&start[..]),
        count: (random.below(6) > 0).then_some(&count[..]),
        stride: (random.below(3) == 0).then_some(&stride[..]),
        map: (random.below(5) == 0).then_some(&map[..]),
    };
    let memory = random.of(&MEMORY);
    values_of(data, log, (group, varid), &region, memory);
    strings_of(data, log, (group, varid), &region);
}

/// The first answer in which both differ.
fn first_difference(ours: &[String], theirs: &[String]) -> Option<String> {
    let pairs = ours.iter().zip(theirs).enumerate();
    let found = pairs.clone().find(|(_, (a, b))| a != b);
    let before = |at: usize| ours[at.saturating_sub(4)..at].join("\n  ");
    match found {
        Some((at, (ours_, theirs_))) => Some(format!(
            "of {:?}, after\n  {}\nfrazil:   {ours_}\nnetCDF-C: {theirs_}",
            ours[..at].iter().rfind(|line| line.starts_with("var ")),
            before(at)
        )),
        None if ours.len() != theirs.len() => {
            Some(format!("{} answers and {}", ours.len(), theirs.len()))
        }
        None => None,
    }
}

fn seed() -> u64 {
    let stated = std::env::var("FRAZIL_READING_SEED").ok();
    let now = SystemTime::now().duration_since(UNIX_EPOCH).unwrap();
    let seed = stated.map_or(now.subsec_nanos().into(), |text| text.parse().unwrap());
    eprintln!("FRAZIL_READING_SEED={seed}");
    seed
}

/// What differs in a file; `Err`: why frazil does not read it.
fn compared(path: &Path, seed: u64, calls: usize) -> Result<Option<String>, String> {
    let (mut ours, mut theirs, skipped) = both(path)?;
    let (in_ours, in_theirs) = (
        inventory(&mut ours, &skipped),
        inventory(&mut theirs, &skipped),
    );
    let found = first_difference(&in_ours, &in_theirs);
    Ok(found.or_else(|| {
        let ours = random_calls(&mut ours, &skipped, seed, calls);
        first_difference(&ours, &random_calls(&mut theirs, &skipped, seed, calls))
    }))
}

/// Numbers, texts, and what is out of range.
fn add_attributes(data: &mut Dataset, owners: &[(i32, &str)]) {
    for &(owner, name) in owners {
        let values = ints(&[3, -4, 70_000]);
        data.put_att(ROOT, owner, name, INT, MemoryType::Int, &values)
            .unwrap();
        data.put_att(ROOT, owner, "t", 2, MemoryType::Text, b"text\0x")
            .unwrap();
        data.put_att(ROOT, owner, "e", 2, MemoryType::Text, b"")
            .unwrap();
        let values = 1e300_f64.to_ne_bytes();
        data.put_att(ROOT, owner, "d", DOUBLE, MemoryType::Double, &values)
            .unwrap();
    }
}

/// A file with all that the crate's writer makes.
fn written(path: &Path, mode: Mode) {
    let mut data = engine(path, mode);
    let time = data.def_dim(ROOT, "time", 0).unwrap();
    let x = data.def_dim(ROOT, "x", 5).unwrap();
    let is_classic = mode.has(Mode::CLASSIC_MODEL);
    data.def_dim(ROOT, "lone", u64::from(is_classic)).unwrap();
    // Coordinates in another order than dimensions.
    let coordinate = data.def_var(ROOT, "x", DOUBLE, &[x]).unwrap();
    let field = data.def_var(ROOT, "v", FLOAT, &[time, x]).unwrap();
    let short = data.def_var(ROOT, "time", INT, &[time]).unwrap();
    data.def_var(ROOT, "lone", DOUBLE, &[x]).unwrap();
    let label = data.def_var(ROOT, "label", 2, &[time, x]).unwrap();
    let scalar = data.def_var(ROOT, "scalar", 3, &[]).unwrap();
    data.def_var_deflate(ROOT, field, true, true, 3).unwrap();
    data.def_var_fletcher32(ROOT, field, true).unwrap();
    data.def_var_endian(ROOT, coordinate, 2).unwrap();
    data.def_var_fill(ROOT, field, false, Some(&9_f32.to_ne_bytes()))
        .unwrap();
    add_attributes(&mut data, &[(GLOBAL, "n"), (field, "scale"), (short, "n")]);
    if !is_classic {
        let texts = data.def_var(ROOT, "texts", STRING, &[time]).unwrap();
        let strings = ["a".into(), "é".into()];
        data.put_att_strings(ROOT, texts, "s", &strings).unwrap();
        let group = data.def_grp(ROOT, "g").unwrap();
        let below = data.def_grp(group, "h").unwrap();
        let deep = data.def_dim(below, "deep", 0).unwrap();
        data.def_var(below, "v", 10, &[deep, time]).unwrap();
        data.enddef(ROOT).unwrap();
        let region = vara(&[0], &[2]);
        data.put_strings(ROOT, texts, &region, &strings).unwrap();
    } else {
        data.enddef(ROOT).unwrap();
    }
    let whole = vara(&[0, 0], &[4, 5]);
    let values: Vec<f32> = (0..20).map(|n| n as f32 * 1000.5).collect();
    data.put(ROOT, field, &whole, MemoryType::Float, &floats(&values))
        .unwrap();
    // Shorter than its dimension.
    data.put(
        ROOT,
        short,
        &vara(&[0], &[3]),
        MemoryType::Int,
        &ints(&[1, 300, -7]),
    )
    .unwrap();
    data.put(
        ROOT,
        label,
        &vara(&[1, 0], &[1, 5]),
        MemoryType::Text,
        b"abcde",
    )
    .unwrap();
    data.put(
        ROOT,
        scalar,
        &Region::default(),
        MemoryType::Int,
        &ints(&[77]),
    )
    .unwrap();
    data.close().unwrap();
}

#[test]
fn files_of_frazil_are_read_as_netcdf_c_reads_them() {
    let directory = tempfile::tempdir().unwrap();
    let seed = seed();
    for (number, mode) in [Mode(0), Mode::CLASSIC_MODEL].into_iter().enumerate() {
        let path = directory.path().join(format!("{number}.nc"));
        written(&path, mode);
        for round in 0..4 {
            let found = compared(&path, seed + round, 500);
            let found = found.unwrap_or_else(|why| panic!("{mode:?} is not read: {why}"));
            assert_eq!(found, None, "seed {}", seed + round);
        }
    }
}

#[test]
fn files_in_stated_folders_are_read_as_netcdf_c_reads_them() {
    let Some(folders) = std::env::var_os("FRAZIL_READING_FILES") else {
        return;
    };
    let seed = seed();
    let mut folders: Vec<PathBuf> = std::env::split_paths(&folders).collect();
    let (mut read, mut left, mut failed) = (0, 0, Vec::new());
    while let Some(path) = folders.pop() {
        if path.is_dir() {
            let entries = std::fs::read_dir(&path).unwrap();
            folders.extend(entries.map(|entry| entry.unwrap().path()));
            continue;
        }
        eprintln!("{}", path.display());
        match compared(&path, seed, 100) {
            Ok(None) => read += 1,
            Ok(Some(difference)) => {
                eprintln!("{}: {difference}", path.display());
                failed.push(path);
            }
            Err(why) => {
                eprintln!("{}: left to netCDF-C: {why}", path.display());
                left += 1;
            }
        }
    }
    eprintln!("{read} files equal, {left} left to netCDF-C");
    assert!(failed.is_empty(), "{failed:?}");
}
