//! Random puts, and what the file must hold after them.

use std::collections::HashMap;
use std::path::Path;

use frazil_container::classic::NcType;

use super::read;
use crate::{
    DimensionLength, FilterRequest, LayoutRequest, OwnCommits, VariableSettings, Writer,
    WriterOptions,
};
use frazil_container::schema::{DimensionId, Fill, Schema, ValueType, VariableId};
use frazil_file::error::Result;
use frazil_file::resources::Resources;

/// Random numbers that are the same in every run (SplitMix64).
pub(crate) struct Random(pub(crate) u64);

impl Random {
    pub(crate) fn next(&mut self) -> u64 {
        self.0 = self.0.wrapping_add(0x9e37_79b9_7f4a_7c15);
        let mut z = self.0;
        z = (z ^ (z >> 30)).wrapping_mul(0xbf58_476d_1ce4_e5b9);
        z = (z ^ (z >> 27)).wrapping_mul(0x94d0_49bb_1331_11eb);
        z ^ (z >> 31)
    }

    /// A number below `end`.
    pub(crate) fn below(&mut self, end: u64) -> u64 {
        self.next() % end
    }

    fn one_in(&mut self, n: u64) -> bool {
        self.below(n) == 0
    }
}

/// How far puts let unlimited dimensions grow.
const MOST_RECORDS: u64 = 24;

/// A variable and all values that were put into it.
struct Mirror {
    id: VariableId,
    is_big_endian: bool,
    name: String,
    path: String,
    size: usize,
    fill: Vec<u8>,
    dimensions: Vec<usize>,
    values: HashMap<Vec<u64>, Vec<u8>>,
    /// In which period, and by which rank, they were put.
    origins: HashMap<Vec<u64>, (u64, u64)>,
}

/// A random file with a mirror of it in memory.
pub(crate) struct Script {
    random: Random,
    ids: Vec<DimensionId>,
    own_shapes: bool,
    /// Lengths of dimensions; those of unlimited ones grow.
    lengths: Vec<u64>,
    is_unlimited: Vec<bool>,
    mirrors: Vec<Mirror>,
    /// The rank that follows the script, and how many there are.
    pub ranks: (u64, u64),
    /// Commits so far.
    pub period: u64,
}

/// Options with so much memory and so many threads; none: everything in the calls.
pub(crate) fn options(memory_bytes: u64, threads: usize) -> WriterOptions {
    WriterOptions {
        resources: Resources {
            threads,
            memory_bytes,
            ..Resources::default()
        },
        synchronous: threads == 0,
        commits: OwnCommits::EveryBytes(1 << 10),
        ..WriterOptions::default()
    }
}

impl Script {
    /// A script; with `own_shapes` some variables leave their chunk shape to us.
    pub(crate) fn new(seed: u64, own_shapes: bool, writer: &mut Writer) -> Self {
        let mut script = Self {
            random: Random(seed),
            ids: Vec::new(),
            own_shapes,
            lengths: Vec::new(),
            is_unlimited: Vec::new(),
            mirrors: Vec::new(),
            ranks: (0, 1),
            period: 0,
        };
        for i in 0..4 {
            script.dimension(i, writer);
        }
        for _ in 0..1 + script.random.below(4) {
            script.variable(writer);
        }
        script
    }

    fn dimension(&mut self, i: usize, writer: &mut Writer) {
        // One of them is always unlimited.
        let is_unlimited = i == 0 || self.random.one_in(4);
        self.is_unlimited.push(is_unlimited);
        let length = 1 + self.random.below(20);
        let (length, known) = match is_unlimited {
            true => (DimensionLength::Unlimited { expected: None }, 0),
            false => (DimensionLength::Fixed(length), length),
        };
        self.lengths.push(known);
        let id = writer.add_dimension(Schema::ROOT, &format!("d{i}"), length);
        self.ids.push(id.unwrap());
    }

    /// Adds a random variable.
    pub(crate) fn variable(&mut self, writer: &mut Writer) {
        let i = self.mirrors.len();
        let (ids, own_shapes) = (&self.ids, self.own_shapes);
        let random = &mut self.random;
        let nc_type = NcType::ALL[random.below(NcType::ALL.len() as u64) as usize];
        let size = nc_type.size_bytes();
        let dimensions: Vec<usize> = (0..ids.len()).filter(|_| random.one_in(2)).collect();
        let axes: Vec<DimensionId> = dimensions.iter().map(|&d| ids[d]).collect();
        // Some variables have the name of a dimension.
        let name = match i {
            0 => "d1".to_owned(),
            _ => format!("v{i}"),
        };
        let mut settings = VariableSettings {
            is_big_endian: random.one_in(4),
            ..VariableSettings::default()
        };
        if random.one_in(2) {
            let bytes = (random.below(3) * 0x0101).to_be_bytes();
            let value = frazil_container::classic::AttributeValue::from_be_bytes(
                nc_type,
                &bytes[8 - size..],
            );
            settings.fill = Fill::Value(value);
        }
        let is_ours = own_shapes && random.one_in(3);
        if !axes.is_empty() && !is_ours {
            let edge = |&d: &usize| match self.is_unlimited[d] {
                true => 1 + random.below(4),
                false => (1 + random.below(4)).min(self.lengths[d]),
            };
            let chunk: Vec<u64> = dimensions.iter().map(edge).collect();
            settings.layout = LayoutRequest::Chunked(chunk);
        }
        if random.one_in(6) {
            settings.filters = FilterRequest::Exactly(frazil_types::FilterPipeline::default());
        }
        let fill = match &settings.fill {
            Fill::Value(value) => value.clone(),
            _ => nc_type.default_fill(),
        };
        let mut fill = fill.to_be_bytes();
        fill.reverse();
        let value_type = ValueType::Atomic(nc_type);
        let is_big_endian = settings.is_big_endian;
        let id = writer.add_variable(Schema::ROOT, &name, value_type, &axes, settings);
        self.mirrors.push(Mirror {
            id: id.unwrap(),
            is_big_endian,
            name: name.clone(),
            path: match name.as_str() {
                "d1" if dimensions.first() != Some(&1) => "/_nc4_non_coord_d1".to_owned(),
                other => format!("/{other}"),
            },
            size,
            fill,
            dimensions,
            values: HashMap::new(),
            origins: HashMap::new(),
        });
    }

    /// Finds all objects again in a file that was opened anew.
    pub(crate) fn look_up(&mut self, writer: &Writer) {
        let schema = writer.schema();
        for (i, id) in self.ids.iter_mut().enumerate() {
            *id = schema.dimension_in(Schema::ROOT, &format!("d{i}")).unwrap();
        }
        for mirror in &mut self.mirrors {
            mirror.id = schema.variable_in(Schema::ROOT, &mirror.name).unwrap();
        }
    }

    /// Writes a random slab, to the file and to the mirror.
    pub(crate) fn put(&mut self, writer: &mut Writer) -> Result<()> {
        let random = &mut self.random;
        let number = random.below(self.mirrors.len() as u64) as usize;
        let mirror = &mut self.mirrors[number];
        let (mut start, mut count, mut stride) = (Vec::new(), Vec::new(), Vec::new());
        let is_single = random.one_in(3);
        for &dimension in &mirror.dimensions {
            let length = match self.is_unlimited[dimension] {
                true => MOST_RECORDS,
                false => self.lengths[dimension],
            };
            let first = random.below(length);
            let step = 1 + random.below(4) * random.below(2);
            let most = (length - 1 - first) / step + 1;
            start.push(first);
            stride.push(step);
            count.push(if is_single { 1 } else { 1 + random.below(most) });
        }
        let elements = count.iter().product::<u64>() as usize;
        let bytes: Vec<u8> = match random.below(3) {
            // Constants, fill values among them.
            0 => mirror.fill.repeat(elements),
            1 => vec![random.below(3) as u8; elements * mirror.size],
            _ => (0..elements * mirror.size)
                .map(|_| random.below(5) as u8)
                .collect(),
        };
        let strided = stride.iter().any(|&step| step > 1) || random.one_in(2);
        let given = strided.then_some(stride.as_slice());
        let (rank, ranks) = self.ranks;
        let turn = if ranks > 1 { random.below(ranks) } else { 0 };
        if turn == rank {
            writer.put(mirror.id, &start, &count, given, &bytes)?;
        }
        for (i, value) in bytes.chunks_exact(mirror.size).enumerate() {
            let mut rest = i as u64;
            let mut at = vec![0; start.len()];
            for axis in (0..start.len()).rev() {
                at[axis] = start[axis] + rest % count[axis] * stride[axis];
                rest /= count[axis];
            }
            // Between two commits the highest rank counts.
            let origin = mirror.origins.entry(at.clone()).or_default();
            if (self.period, turn) >= *origin {
                *origin = (self.period, turn);
                mirror.values.insert(at, value.to_vec());
            }
        }
        for (axis, &dimension) in mirror.dimensions.iter().enumerate() {
            let end = start[axis] + (count[axis] - 1) * stride[axis] + 1;
            self.lengths[dimension] = self.lengths[dimension].max(end);
        }
        Ok(())
    }

    /// A random slab must be read back as it was put, committed or not.
    pub(crate) fn read_back(&mut self, writer: &mut Writer) {
        let random = &mut self.random;
        let number = random.below(self.mirrors.len() as u64) as usize;
        let mirror = &self.mirrors[number];
        let (mut start, mut count, mut stride) = (Vec::new(), Vec::new(), Vec::new());
        for &dimension in &mirror.dimensions {
            let length = self.lengths[dimension];
            if length == 0 {
                return;
            }
            let first = random.below(length);
            let step = 1 + random.below(4) * random.below(2);
            start.push(first);
            stride.push(step);
            count.push(1 + random.below((length - 1 - first) / step + 1));
        }
        let values = writer
            .read(mirror.id, &start, &count, Some(&stride))
            .unwrap();
        for (i, value) in values.chunks_exact(mirror.size).enumerate() {
            let mut rest = i as u64;
            let mut at = vec![0; start.len()];
            for axis in (0..start.len()).rev() {
                at[axis] = start[axis] + rest % count[axis] * stride[axis];
                rest /= count[axis];
            }
            let expected = mirror.values.get(&at).unwrap_or(&mirror.fill);
            assert_eq!(value, expected, "{} at {at:?}", mirror.path);
        }
    }

    /// The file at `path` must hold what was put so far.
    pub(crate) fn check(&self, path: &Path) {
        for mirror in &self.mirrors {
            let (shape, values) = read(path, &mirror.path);
            let lengths = mirror.dimensions.iter().map(|&d| self.lengths[d]);
            assert_eq!(shape, lengths.collect::<Vec<_>>(), "{}", mirror.path);
            let elements = shape.iter().product::<u64>() as usize;
            assert_eq!(values.len(), elements * mirror.size, "{}", mirror.path);
            for (i, value) in values.chunks_exact(mirror.size).enumerate() {
                let mut rest = i as u64;
                let mut at = vec![0; shape.len()];
                for axis in (0..shape.len()).rev() {
                    at[axis] = rest % shape[axis];
                    rest /= shape[axis];
                }
                let mut expected = mirror.values.get(&at).unwrap_or(&mirror.fill).clone();
                if mirror.is_big_endian {
                    expected.reverse();
                }
                assert_eq!(value, expected, "{} at {at:?}", mirror.path);
            }
        }
    }
}
