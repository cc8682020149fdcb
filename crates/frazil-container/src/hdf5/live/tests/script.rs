//! What a test writes: a script that is known at every step.

use std::fs::File;
use std::os::unix::fs::FileExt;
use std::path::Path;
use std::process::Command;

use frazil_types::{FilterPipeline, FilterSpec, Selection};

use crate::classic::NcType;
use crate::commit::faults::{self, Event};
use crate::error::{ContainerError, Result};
use crate::hdf5::{Hdf5Input, Hyperslab, LiveOutput, OutputStorage, Placement};
use crate::schema::{
    DimensionId, Fill, Schema, SchemaDimension, SchemaVariable, ValueType, VariableId,
};

/// Values of a record.
const WIDTH: u64 = 64;
/// Small, so that metadata spread over the file.
const METADATA_BLOCK_BYTES: u64 = 512;
const DEFLATE: i32 = 1;

/// Numbers of the variables.
const FIELD: VariableId = VariableId(0);
const TIME: VariableId = VariableId(1);

/// A writer's whole life; equal scripts write equal files.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) struct Script {
    pub(super) seed: u64,
    pub(super) steps: u64,
    /// Steps between commits.
    pub(super) every: u64,
    pub(super) sync: bool,
    /// Whether old records are written again.
    pub(super) rewrites: bool,
}

/// What is in the file after some steps: how often each record was written.
pub(super) type State = Vec<u64>;

enum Step {
    Append,
    Rewrite(usize),
}

impl Script {
    fn step(self, number: u64, state: &State) -> Step {
        let chance = mix(self.seed, number);
        if self.rewrites && state.len() > 2 && chance % 5 < 2 {
            Step::Rewrite((chance / 5) as usize % state.len())
        } else {
            Step::Append
        }
    }

    /// What is in the file after `steps` steps.
    pub(super) fn state(self, steps: u64) -> State {
        let mut state = State::new();
        for number in 0..steps {
            match self.step(number, &state) {
                Step::Append => state.push(1),
                Step::Rewrite(record) => state[record] += 1,
            }
        }
        state
    }

    /// The step that the first commit after `step` is made at.
    pub(super) fn next_commit(self, step: u64) -> u64 {
        (step / self.every + 1) * self.every
    }

    /// Creates the file, without a commit.
    pub(super) fn create(path: &Path) -> Result<LiveOutput> {
        File::create(path).unwrap();
        let mut output = LiveOutput::create_empty(path, true, METADATA_BLOCK_BYTES)?;
        let schema = schema();
        output.define_variable(&schema, FIELD, &chunked(&[1, WIDTH], true))?;
        output.define_variable(&schema, TIME, &chunked(&[1024], false))?;
        output.complete(&schema)?;
        Ok(output)
    }

    /// Opens the file to go on.
    pub(super) fn open(path: &Path) -> Result<LiveOutput> {
        let (output, found) = LiveOutput::open(path, METADATA_BLOCK_BYTES)?;
        let names = found.schema.variables.iter().map(|v| v.name.as_str());
        assert_eq!(names.collect::<Vec<_>>(), ["t", "time"]);
        Ok(output)
    }

    /// Takes the steps `from..to`, and commits where the script says so.
    pub(super) fn run(
        self,
        output: &LiveOutput,
        path: &Path,
        steps: std::ops::Range<u64>,
        mut on_commit: impl FnMut(u64),
    ) -> Result<()> {
        let data = File::options().write(true).open(path).unwrap();
        let mut state = self.state(steps.start);
        for number in steps {
            self.take(output, &data, number, &mut state)?;
            if (number + 1) % self.every == 0 {
                output.commit(self.sync)?;
                on_commit(number + 1);
            }
        }
        Ok(())
    }

    fn take(self, output: &LiveOutput, data: &File, number: u64, state: &mut State) -> Result<()> {
        let record = match self.step(number, state) {
            Step::Append => {
                let records = state.len() as u64;
                output.extend(FIELD, &[records + 1, WIDTH])?;
                output.extend(TIME, &[records + 1])?;
                let time = time_of(records).to_le_bytes();
                let start = [records];
                let slab = Hyperslab::dense(&start, &[1]);
                output.write_values(TIME, Some(slab), &time)?;
                state.push(1);
                records as usize
            }
            Step::Rewrite(record) => {
                state[record] += 1;
                record
            }
        };
        let bytes = stored(&values(record as u64, state[record]), state[record]);
        let offset = [record as u64, 0];
        if let Placement::WriteAt(address) = output.place_chunk(FIELD, &offset, 0, &bytes)? {
            faults::note(|| Event::Write(address, bytes.clone()));
            data.write_all_at(&bytes, address).unwrap();
        }
        Ok(())
    }
}

fn schema() -> Schema {
    let variable = |name: &str, dimensions: &[usize], nc_type| SchemaVariable {
        name: name.to_owned(),
        group: Schema::ROOT,
        value_type: ValueType::Atomic(nc_type),
        is_big_endian: false,
        dimensions: dimensions.iter().copied().map(DimensionId).collect(),
        fill: Fill::Default,
        attributes: Vec::new(),
    };
    let dimension = |name: &str, length, is_unlimited| SchemaDimension {
        name: name.to_owned(),
        group: Schema::ROOT,
        length,
        is_unlimited,
    };
    Schema {
        dimensions: vec![dimension("time", 0, true), dimension("x", WIDTH, false)],
        variables: vec![
            variable("t", &[0, 1], NcType::Float),
            variable("time", &[0], NcType::Int),
        ],
        ..Schema::default()
    }
}

fn chunked(chunk: &[u64], compressed: bool) -> OutputStorage {
    let deflate = FilterSpec {
        id: DEFLATE,
        flags: 0,
        cd_values: vec![1],
        name: "deflate".to_owned(),
    };
    OutputStorage::Chunked {
        chunk: chunk.to_vec(),
        pipeline: FilterPipeline(if compressed {
            vec![deflate]
        } else {
            Vec::new()
        }),
    }
}

fn time_of(record: u64) -> i32 {
    i32::try_from(record).unwrap() * 10
}

/// Whole numbers, so that text holds them exactly.
fn values(record: u64, version: u64) -> Vec<f32> {
    let value = |i| (mix(record * 1000 + version, i) % 1_000_000) as f32;
    (0..WIDTH).map(value).collect()
}

/// A zlib stream (RFC 1950, RFC 1951) without compression, of a length that differs by version.
fn stored(values: &[f32], version: u64) -> Vec<u8> {
    let raw: Vec<u8> = values.iter().flat_map(|v| v.to_le_bytes()).collect();
    let blocks = [1, 1, 3, 2, 40][(version % 5) as usize];
    let parts: Vec<&[u8]> = raw.chunks(raw.len().div_ceil(blocks)).collect();
    let mut stream = vec![0x78, 0x01];
    for (i, part) in parts.iter().enumerate() {
        let length = u16::try_from(part.len()).unwrap();
        stream.push(u8::from(i + 1 == parts.len()));
        stream.extend(length.to_le_bytes());
        stream.extend((!length).to_le_bytes());
        stream.extend_from_slice(part);
    }
    let (mut a, mut b) = (1_u32, 0_u32);
    for &byte in &raw {
        a = (a + u32::from(byte)) % 65521;
        b = (b + a) % 65521;
    }
    stream.extend((b << 16 | a).to_be_bytes());
    stream
}

/// A number from two (SplitMix64).
pub(super) fn mix(a: u64, b: u64) -> u64 {
    let mut z = a
        .wrapping_mul(0x9e37_79b9_7f4a_7c15)
        .wrapping_add(b.wrapping_mul(0xd1b5_4a32_d192_ed03))
        .wrapping_add(0x2545_f491_4f6c_dd1d);
    z = (z ^ (z >> 30)).wrapping_mul(0xbf58_476d_1ce4_e5b9);
    z = (z ^ (z >> 27)).wrapping_mul(0x94d0_49bb_1331_11eb);
    z ^ (z >> 31)
}

/// The bytes of a dataset as our reader has them.
fn read(input: &Hdf5Input, path: &str) -> Result<Vec<u8>> {
    let missing = || ContainerError::Corrupt(format!("no {path}"));
    let found = input.datasets().iter().find(|d| d.path == path);
    let dataset = found.ok_or_else(missing)?;
    let datatype = input.describe_datatype(dataset)?;
    let whole = Selection {
        start: vec![0; dataset.shape.len()],
        count: dataset.shape.clone(),
    };
    let values = input.expanded_values(dataset, &datatype, &whole)?;
    Ok(values.bytes().to_vec())
}

/// Whether the file holds this state, by our reader.
pub(super) fn holds(path: &Path, state: &State) -> std::result::Result<(), String> {
    let input = Hdf5Input::open(path).map_err(|error| error.to_string())?;
    let expected: Vec<u8> = numbers_of(state)
        .flat_map(|value| value.to_le_bytes())
        .collect();
    let times: Vec<u8> = (0..state.len() as u64)
        .flat_map(|record| time_of(record).to_le_bytes())
        .collect();
    let text = |error: ContainerError| error.to_string();
    if read(&input, "/time").map_err(text)? != times {
        return Err("other times".to_owned());
    }
    if read(&input, "/t").map_err(text)? != expected {
        return Err("other values".to_owned());
    }
    Ok(())
}

fn numbers_of(state: &State) -> impl Iterator<Item = f32> {
    (0..)
        .zip(state)
        .flat_map(|(record, &version)| values(record, version))
}

/// As [`holds`], by the stock tools that are installed.
pub(super) fn stock_tools_read(path: &Path, state: &State) -> std::result::Result<(), String> {
    let run = |tool: &str, arguments: &[&str]| {
        let output = Command::new(tool).args(arguments).arg(path).output();
        match output {
            Ok(output) if output.status.success() => {
                Ok(Some(String::from_utf8_lossy(&output.stdout).into_owned()))
            }
            Ok(output) => Err(format!(
                "{tool}: {}",
                String::from_utf8_lossy(&output.stderr)
            )),
            Err(error) if error.kind() == std::io::ErrorKind::NotFound => Ok(None),
            Err(error) => Err(format!("{tool}: {error}")),
        }
    };
    if let Some(text) = run("ncdump", &["-v", "t"])? {
        let text = text.split(" t =").nth(1).unwrap_or("}");
        let numbers = text
            .split(|c: char| !c.is_ascii_digit())
            .filter(|n| !n.is_empty());
        let numbers: Vec<f32> = numbers.map(|n| n.parse().unwrap()).collect();
        if numbers != numbers_of(state).collect::<Vec<f32>>() {
            return Err("ncdump: other values".to_owned());
        }
    }
    run("h5dump", &["-d", "/t", "-d", "/time"]).map(|_| ())
}
