//! What the tests of the reader share.

use std::fs;
use std::path::{Path, PathBuf};

use frazil::schema::VariableId;
use frazil::{AxisSelection, Reader, Result};

/// A small generator of numbers that look random (SplitMix64).
pub(crate) struct Random(pub(crate) u64);

impl Random {
    pub(crate) fn next(&mut self) -> u64 {
        self.0 = self.0.wrapping_add(0x9e37_79b9_7f4a_7c15);
        let mixed = (self.0 ^ (self.0 >> 30)).wrapping_mul(0xbf58_476d_1ce4_e5b9);
        let mixed = (mixed ^ (mixed >> 27)).wrapping_mul(0x94d0_49bb_1331_11eb);
        mixed ^ (mixed >> 31)
    }

    pub(crate) fn below(&mut self, end: u64) -> u64 {
        self.next() % end.max(1)
    }
}

/// All files of the corpus; without it, says so.
pub(crate) fn corpus_files() -> Option<Vec<PathBuf>> {
    let beside = Path::new(env!("CARGO_MANIFEST_DIR")).join("../../../shared/corpus");
    let path = std::env::var_os("FRAZIL_CORPUS").map_or(beside, PathBuf::from);
    if !path.is_dir() {
        println!("skipped: there is no corpus (FRAZIL_CORPUS)");
        return None;
    }
    let mut found = Vec::new();
    files_below(&path, &mut found);
    found.sort();
    Some(found)
}

fn files_below(folder: &Path, found: &mut Vec<PathBuf>) {
    for entry in fs::read_dir(folder).unwrap() {
        let path = entry.unwrap().path();
        if path.is_dir() {
            files_below(&path, found);
        } else {
            found.push(path);
        }
    }
}

/// All values of a variable.
pub(crate) fn whole(reader: &Reader, id: VariableId) -> Result<Vec<u8>> {
    let shape = reader.model().shape(id);
    let elements: u64 = shape.iter().product();
    let mut values = vec![0x5a; elements as usize * reader.element(id)?.size_bytes];
    reader.read(id, &AxisSelection::whole(&shape), &mut values)?;
    Ok(values)
}

/// Selections of every kind inside a shape.
pub(crate) fn random_selections(shape: &[u64], random: &mut Random) -> Vec<AxisSelection> {
    let one = |&extent: &u64, random: &mut Random| match random.below(5) {
        _ if extent == 0 => AxisSelection::all(0),
        0 => AxisSelection::all(extent),
        1 => {
            let length = random.below(extent.min(7) + 1);
            AxisSelection::List((0..length).map(|_| random.below(extent)).collect())
        }
        kind => {
            let start = random.below(extent);
            let stride = if kind == 2 { 1 + random.below(4) } else { 1 };
            let most = (extent - start).div_ceil(stride);
            AxisSelection::Range {
                start,
                count: random.below(most.min(40) + 1),
                stride,
            }
        }
    };
    shape.iter().map(|extent| one(extent, random)).collect()
}

/// The selected elements of a whole array, one by one.
pub(crate) fn pick(
    values: &[u8],
    shape: &[u64],
    selections: &[AxisSelection],
    size: usize,
) -> Vec<u8> {
    let counts: Vec<u64> = selections.iter().map(AxisSelection::count).collect();
    let elements: u64 = counts.iter().product();
    let mut picked = Vec::with_capacity(elements as usize * size);
    for number in 0..elements {
        let (mut rest, mut place, mut step) = (number, 0, 1);
        for axis in (0..shape.len()).rev() {
            let element = selections[axis].element(rest % counts[axis]).unwrap();
            place += element * step;
            step *= shape[axis];
            rest /= counts[axis];
        }
        let at = place as usize * size;
        picked.extend_from_slice(&values[at..at + size]);
    }
    picked
}

/// A file made by `data/read/make.py`.
pub(crate) fn data(name: &str) -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR"))
        .join("tests/data/read")
        .join(name)
}
