//! Both back ends, and netCDF-C as the judge of what a call returns.

mod conversions;
mod files;
mod reading;
mod script;
mod settings;

use std::path::Path;

use super::*;
use crate::bundled::Bundled;
use crate::create::{Backend, create_as};
use frazil_file::resources::Resources;
use frazil_write::WriterOptions;

const ROOT: GroupNumber = GroupNumber::ROOT;
const INT: i32 = 4;
const FLOAT: i32 = 5;
const DOUBLE: i32 = 6;

/// Little memory and one thread: tests run beside each other.
fn options() -> WriterOptions {
    WriterOptions {
        resources: Resources {
            threads: 1,
            memory_bytes: 16 << 20,
            ..Resources::default()
        },
        ..WriterOptions::default()
    }
}

/// A new file in the writer's hands.
fn engine(path: &Path, mode: Mode) -> Dataset {
    Dataset::create_with(path, mode | Mode::NETCDF4, &options()).unwrap()
}

/// A new file in netCDF-C's hands, of any format.
fn library(path: &Path, mode: Mode) -> Dataset {
    Dataset::new(path, Bundled::create(path, mode).map(Backend::Bundled)).unwrap()
}

fn bytes<T: Copy, const N: usize>(values: &[T], native: fn(T) -> [u8; N]) -> Vec<u8> {
    values.iter().flat_map(|&value| native(value)).collect()
}

fn ints(values: &[i32]) -> Vec<u8> {
    bytes(values, i32::to_ne_bytes)
}

fn floats(values: &[f32]) -> Vec<u8> {
    bytes(values, f32::to_ne_bytes)
}

fn vara<'a>(start: &'a [u64], count: &'a [u64]) -> Region<'a> {
    Region {
        start: Some(start),
        count: Some(count),
        ..Region::default()
    }
}

/// All values of a variable.
fn values(dataset: &mut Dataset, varid: i32, memory: MemoryType) -> Outcome<Vec<u8>> {
    let region = Region::default();
    let span = dataset.memory_span(ROOT, varid, &region, memory, false)?;
    let mut values = vec![0; span.len() * memory.size_bytes()];
    dataset.get(ROOT, varid, &region, memory, &mut values)?;
    Ok(values)
}
