//! Writing a classic file: the header at once, then values box by box.

use std::fs::File;
use std::io;
use std::os::unix::fs::FileExt;
use std::path::{Path, PathBuf};

use super::encode;
use super::error::ClassicError;
use super::format::ClassicFormat;
use super::model::ClassicModel;
use super::window::Window;

/// Runs of values that are not further apart than this go through a window of the file: a call of
/// the system for each would cost more than the bytes between.
const NEAR_BYTES: u64 = 4 << 10;

/// A classic file being written: defined by a model at once, then filled box by box.
///
/// Elements that are never put are zeros. Dropped before [`finish`](Self::finish), the file is left
/// incomplete and for the caller to remove.
#[derive(Debug)]
pub struct ClassicWriter {
    path: PathBuf,
    file: File,
    window: Window,
    variables: Vec<Place>,
}

/// Where a variable's elements go.
#[derive(Debug)]
struct Place {
    name: String,
    shape: Vec<u64>,
    /// Bytes from one element to the next along each axis.
    strides: Vec<u64>,
    begin: u64,
    element_bytes: usize,
}

impl ClassicWriter {
    /// Creates a file, or replaces an existing one, with the dimensions, attributes and variables
    /// of a model, names and values byte for byte. The record dimension's length is the number of
    /// records.
    ///
    /// # Errors
    /// [`ClassicError::NotRepresentable`] if the format cannot hold the model,
    /// [`ClassicError::Write`] if the system refuses.
    pub fn create(
        path: impl AsRef<Path>,
        format: ClassicFormat,
        model: &ClassicModel,
    ) -> Result<Self, ClassicError> {
        format.check(model)?;
        let path = path.as_ref();
        let failed = |source| ClassicError::Write {
            path: path.to_owned(),
            source,
        };
        let layout = encode::Layout::of(format, model)?;
        let mut options = File::options();
        options.read(true).write(true).create(true).truncate(true);
        let file = options.open(path).map_err(failed)?;
        let header = encode::header(format, model, &layout);
        file.write_all_at(&header, 0).map_err(failed)?;
        file.set_len(layout.end).map_err(failed)?;
        let places = model.variables.iter().zip(&layout.begins);
        let variables = places.map(|(variable, &begin)| {
            let shape = model.shape(variable);
            let element_bytes = variable.nc_type.size_bytes();
            let mut strides = vec![element_bytes as u64; shape.len()];
            for axis in (1..shape.len()).rev() {
                strides[axis - 1] = strides[axis].saturating_mul(shape[axis]);
            }
            if model.is_record_variable(variable) {
                strides[0] = layout.record_bytes;
            }
            Place {
                name: variable.name.clone(),
                shape,
                strides,
                begin,
                element_bytes,
            }
        });
        Ok(Self {
            path: path.to_owned(),
            variables: variables.collect(),
            window: Window::default(),
            file,
        })
    }

    /// Writes the box of `count` elements from `start` of the variable at this position in the
    /// model. `native_bytes` are its values in C order and in this machine's byte order.
    ///
    /// # Errors
    /// [`ClassicError::InvalidArgument`] if there is no such variable, or the box or the number of
    /// bytes does not fit it; [`ClassicError::Write`] if the system refuses.
    pub fn put(
        &mut self,
        variable: usize,
        start: &[u64],
        count: &[u64],
        native_bytes: &[u8],
    ) -> Result<(), ClassicError> {
        let Some(place) = self.variables.get(variable) else {
            let what = format!("there is no variable number {variable}");
            return Err(ClassicError::InvalidArgument { what });
        };
        place.check(start, count, native_bytes.len())?;
        if native_bytes.is_empty() {
            return Ok(());
        }
        let mut values = native_bytes.to_vec();
        if cfg!(target_endian = "little") && place.element_bytes > 1 {
            let elements = values.chunks_exact_mut(place.element_bytes);
            elements.for_each(<[u8]>::reverse);
        }
        let (run_axis, run_bytes) = place.run(count);
        let is_near = run_axis > 0 && place.strides[run_axis - 1] <= NEAR_BYTES;
        let runs = values.chunks_exact(run_bytes);
        let written = place
            .addresses(start, count, run_axis)
            .zip(runs)
            .try_for_each(|(address, run)| match is_near {
                true => self.window.write(&self.file, address, run),
                false => {
                    self.window.flush(&self.file)?;
                    self.file.write_all_at(run, address)
                }
            });
        written.map_err(|source| self.failed(source))
    }

    /// Writes what is still held.
    ///
    /// # Errors
    /// [`ClassicError::Write`] if the system refuses.
    pub fn finish(mut self) -> Result<(), ClassicError> {
        let flushed = self.window.flush(&self.file);
        flushed.map_err(|source| self.failed(source))
    }

    fn failed(&self, source: io::Error) -> ClassicError {
        ClassicError::Write {
            path: self.path.clone(),
            source,
        }
    }
}

impl Place {
    /// Refuses a box outside the variable, and bytes that do not fill it.
    fn check(&self, start: &[u64], count: &[u64], bytes: usize) -> Result<(), ClassicError> {
        let rank = self.shape.len();
        let is_inside = start.len() == rank
            && count.len() == rank
            && (0..rank).all(|axis| {
                let end = start[axis].checked_add(count[axis]);
                end.is_some_and(|end| end <= self.shape[axis])
            });
        let needed = (count.iter()).try_fold(self.element_bytes as u64, |n, &extent| {
            n.checked_mul(extent)
        });
        if is_inside && needed == Some(bytes as u64) {
            return Ok(());
        }
        let what = format!(
            "variable `{}`: {bytes} bytes for {count:?} elements at {start:?} do not fit its shape \
             {:?}",
            self.name, self.shape
        );
        Err(ClassicError::InvalidArgument { what })
    }

    /// The first axis along which a box of `count` elements lies in one run, and the run's bytes.
    fn run(&self, count: &[u64]) -> (usize, usize) {
        let mut bytes = self.element_bytes as u64;
        for axis in (0..count.len()).rev() {
            if count[axis] != 1 && self.strides[axis] != bytes {
                return (axis + 1, bytes as usize);
            }
            bytes *= count[axis];
            if count[axis] != self.shape[axis] {
                return (axis, bytes as usize);
            }
        }
        (0, bytes as usize)
    }

    /// First addresses of the runs of a box, along the axes before `run_axis`.
    fn addresses<'a>(
        &'a self,
        start: &'a [u64],
        count: &'a [u64],
        run_axis: usize,
    ) -> impl Iterator<Item = u64> + use<'a> {
        let first = start.iter().zip(&self.strides);
        let first = first.fold(self.begin, |at, (&index, &stride)| at + index * stride);
        let runs: u64 = count[..run_axis].iter().product();
        (0..runs).map(move |number| {
            let (mut rest, mut address) = (number, first);
            for axis in (0..run_axis).rev() {
                address += rest % count[axis] * self.strides[axis];
                rest /= count[axis];
            }
            address
        })
    }
}
