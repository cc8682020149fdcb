//! Values behind filters that netCDF-C would need a plugin for: frazil decodes them itself.

use std::collections::BTreeMap;
use std::path::Path;

use frazil_pipeline::{ArraySource, Block, MemoryBudget, Request, RunOptions, Task, run_ordered};
use frazil_types::{ByteOrder, ErrorCode, Selection};

use frazil_file::error::{Error, Result};
use frazil_file::input::Input;
use frazil_file::resources::Resources;
use frazil_file::run::{self, RunError};
use frazil_file::sources::{Access, access, missing_filter_error};

/// A file's chunked variables, as frazil reads them.
#[derive(Debug)]
pub(super) struct DecodedFile {
    input: Input,
    resources: Resources,
    /// By number in the input; `None`: none of ours to read.
    sources: BTreeMap<usize, Option<Source>>,
}

/// One variable's chunks; the array of one that [`run_ordered`] asks for.
struct Source([ArraySource; 1]);

impl std::fmt::Debug for Source {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.debug_tuple("Source")
            .field(&self.0[0].grid.shape())
            .finish()
    }
}

/// What is to be read: `count` elements along each axis from `start`, every `stride`-th.
#[derive(Clone, Copy)]
pub(super) struct Wanted<'a> {
    pub(super) start: &'a [u64],
    pub(super) count: &'a [u64],
    pub(super) stride: Option<&'a [i64]>,
}

impl Wanted<'_> {
    fn step(&self, axis: usize) -> u64 {
        self.stride.map_or(1, |stride| stride[axis].unsigned_abs())
    }

    /// The smallest box around `count` of the elements of an axis, from the `first`-th on.
    fn hull(&self, axis: usize, first: u64, count: u64) -> (u64, u64) {
        let step = self.step(axis);
        (self.start[axis] + first * step, (count - 1) * step + 1)
    }

    /// Boxes along the first axis that make up all of it: of one chunk, or of one element where
    /// some are left out. With each, how many of the wanted elements of that axis it has.
    fn boxes(&self, chunk: &[u64]) -> Vec<(Selection, u64)> {
        let rest = |axis: usize| self.hull(axis, 0, self.count[axis]);
        let (mut boxes, mut first) = (Vec::new(), 0);
        while first < self.count[0] {
            let at = self.start[0] + first * self.step(0);
            let within = if self.step(0) == 1 {
                chunk[0] - at % chunk[0]
            } else {
                1
            };
            let count = within.min(self.count[0] - first);
            let axes = (0..self.count.len()).map(|axis| match axis {
                0 => self.hull(0, first, count),
                axis => rest(axis),
            });
            let (start, lengths) = axes.unzip();
            let selection = Selection {
                start,
                count: lengths,
            };
            boxes.push((selection, count));
            first += count;
        }
        boxes
    }

    /// Of the values of a box, those that are wanted: every step-th along each axis but the first.
    fn pick(&self, values: Vec<u8>, hull: &Selection, rows: u64, size: usize) -> Vec<u8> {
        if (1..self.count.len()).all(|axis| self.step(axis) == 1) {
            return values;
        }
        let mut picked = Vec::new();
        let mut index = vec![0_u64; self.count.len()];
        let counts: Vec<u64> = std::iter::once(rows)
            .chain(self.count[1..].iter().copied())
            .collect();
        for _ in 0..counts.iter().product::<u64>() {
            let mut place = 0;
            for (axis, &i) in index.iter().enumerate() {
                let step = if axis == 0 { 1 } else { self.step(axis) };
                place = place * hull.count[axis] + i * step;
            }
            let place = place as usize * size;
            picked.extend_from_slice(&values[place..place + size]);
            for axis in (0..index.len()).rev() {
                index[axis] += 1;
                if index[axis] < counts[axis] {
                    break;
                }
                index[axis] = 0;
            }
        }
        picked
    }
}

impl DecodedFile {
    /// Looks at a file that netCDF-C has open.
    pub(super) fn open(path: &Path) -> Result<Self> {
        Ok(Self {
            input: Input::open(path)?,
            resources: Resources::default(),
            sources: BTreeMap::new(),
        })
    }

    /// Values of the variable with one of these paths, row-major, in this machine's byte order;
    /// `None`: they are none of ours to read. The slab is not empty; what lies beyond the values
    /// in the file is fill.
    ///
    /// # Errors
    /// If the values cannot be read or decoded: with the cure where a filter is missing.
    pub(super) fn read(&mut self, paths: &[String], wanted: Wanted<'_>) -> Result<Option<Vec<u8>>> {
        let variables = self.input.variables();
        let Some(number) = variables.iter().position(|one| paths.contains(&one.path)) else {
            return Ok(None);
        };
        if !self.sources.contains_key(&number) {
            let source = source_of(&self.input, number)?;
            self.sources.insert(number, source);
        }
        let Some(Some(source)) = self.sources.get(&number) else {
            return Ok(None);
        };
        let array = &source.0[0];
        if array.grid.shape().len() != wanted.count.len() || wanted.count.is_empty() {
            return Ok(None);
        }
        let size = array.element_bytes;
        let boxes = wanted.boxes(array.grid.chunk());
        let tasks = boxes.into_iter().map(|(selection, rows)| Task {
            meta: (selection.clone(), rows),
            requests: vec![Request::Values {
                source: 0,
                selection,
            }],
            output_bytes: 0,
        });
        // The caller has memory for the values; a box needs as much again, its chunks some more.
        let budget = MemoryBudget::new(u64::MAX / 4);
        let options = RunOptions {
            threads: run::threads(&self.resources),
            budget: &budget,
            cancel: &self.resources.cancel,
        };
        let mut values = Vec::new();
        let outcome = run_ordered(
            &source.0,
            tasks,
            &options,
            |meta: &(Selection, u64), blocks, _scratch| {
                let values = blocks.into_iter().find_map(|block| match block {
                    Block::Values(values) => Some(values.into_vec()),
                    Block::Stored { .. } | Block::Absent => None,
                });
                Ok::<_, RunError>(wanted.pick(values.unwrap_or_default(), &meta.0, meta.1, size))
            },
            |_, part| {
                values.extend_from_slice(&part);
                Ok(())
            },
        );
        match outcome {
            Ok(_) => Ok(Some(values)),
            Err(RunError::Facade(error)) => Err(error.in_file(self.input.path())),
            Err(RunError::Pipeline(error)) => {
                let owner = |_| Some(number);
                Err(run::explain(
                    error,
                    &self.input,
                    &source.0,
                    owner,
                    &self.resources,
                ))
            }
        }
    }
}

/// The chunks of a variable, in this machine's byte order; `None`: others read it.
fn source_of(input: &Input, number: usize) -> Result<Option<Source>> {
    let variable = &input.variables()[number];
    let mut array = match access(input, number, None)? {
        Access::Parallel(array, _) => array,
        Access::Undecodable(_, _, missing) => {
            let error = missing_filter_error(&missing);
            return Err(error.in_file(input.path()).at_variable(&variable.path));
        }
        Access::Apart(_)
        | Access::Indirect(..)
        | Access::Elsewhere(_)
        | Access::Library
        | Access::Nothing => {
            return Ok(None);
        }
    };
    if array.element_bytes == 0 || array.fill.len() != array.element_bytes {
        let error = Error::new(ErrorCode::Corrupt, "the fill value is no element");
        return Err(error.in_file(input.path()).at_variable(&variable.path));
    }
    if variable.element.order == ByteOrder::Big && array.element_bytes > 1 {
        array.byte_swap = Some(array.element_bytes);
        array.fill.reverse();
    }
    Ok(Some(Source([array])))
}
