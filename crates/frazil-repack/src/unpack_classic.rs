//! `unpack --format classic`: values in parallel out of any input, into CDF-1, CDF-2 or CDF-5.

use std::ops::Range;
use std::path::Path;

use frazil_container::classic::{ClassicError, ClassicFormat, ClassicModel, ClassicWriter};
use frazil_container::hdf5::{DatasetInfo, FillStatus, Hdf5Input, NewAttribute};
use frazil_pipeline::{ArraySource, Block, Request, Task};
use frazil_types::{AxisSelection, ByteOrder, ChunkGrid, ErrorCode, Selection};

use crate::job::Job;
use frazil_file::error::{Error, Result};
use frazil_file::input::{Input, InputKind};
use frazil_file::progress::Progress;
use frazil_file::resources::Resources;
use frazil_file::run::{self, InputRun};
use frazil_file::sources::{self, Access};
use frazil_file::storage_error::from_container;

/// What is to be written: a model, and which input variable fills which of its variables.
struct Contents {
    model: ClassicModel,
    variables: Vec<usize>,
}

/// Writes all of `source` to the classic file `path`, and its `history`. Returns notices for the user.
pub(crate) fn write(
    source: &Input,
    path: &Path,
    history: Option<&NewAttribute>,
    job: &Job<'_>,
    progress: &mut dyn Progress,
) -> Result<Vec<String>> {
    let (resources, budget) = (job.resources, job.budget);
    let mut notices = Vec::new();
    let mut contents = contents(source, &mut notices)?;
    if let Some(history) = history {
        let global = &mut contents.model.attributes;
        global.retain(|attribute| attribute.name != history.name);
        global.push(history.to_classic());
    }
    let wrap = |error: ClassicError, file: &Path| from_container(error.into(), file);
    let format = ClassicFormat::smallest_for(&contents.model).map_err(|error| {
        wrap(error, source.path()).with_cure("unpack to netCDF-4 instead (--format netcdf4)")
    })?;
    let mut writer =
        ClassicWriter::create(path, format, &contents.model).map_err(|error| wrap(error, path))?;
    progress.stage(
        "unpack",
        source
            .variables()
            .iter()
            .filter_map(DatasetInfo::raw_bytes)
            .sum(),
    );
    let (arrays, positions) = library_values(source, &contents, &mut writer, path, resources)?;
    let grids: Vec<ChunkGrid> = positions
        .iter()
        .map(|&position| slab_grid(source, contents.variables[position]))
        .collect::<Result<_>>()?;
    let run = InputRun {
        input: source,
        sources: &arrays,
        resources,
        budget,
    };
    run.run(
        slab_tasks(&grids),
        |array| Some(contents.variables[positions[array]]),
        |_, blocks, _| first_values(blocks),
        |(array, part): (usize, Selection), values| {
            writer
                .put(positions[array], &part.start, &part.count, &values)
                .map_err(|error| wrap(error, path))?;
            progress.advance(values.len() as u64);
            Ok(())
        },
    )?;
    writer.finish().map_err(|error| wrap(error, path))?;
    Ok(notices)
}

/// The classic model of any input, or the first thing that has no place in it.
fn contents(source: &Input, notices: &mut Vec<String>) -> Result<Contents> {
    let hdf5 = match source.kind() {
        InputKind::Classic(classic) => {
            let model = classic.model().clone();
            let variables = (0..model.variables.len()).collect();
            return Ok(Contents { model, variables });
        }
        InputKind::Hdf5(hdf5) => hdf5,
    };
    let view = hdf5
        .classic_view()
        .map_err(|error| from_container(error, source.path()))?;
    if let Some(obstacle) = view.obstacles.first() {
        let cause = format!("the classic formats have no place for {}", obstacle.what);
        return Err(Error::new(ErrorCode::Unsupported, cause)
            .in_file(source.path())
            .at_variable(&obstacle.path)
            .with_cure("unpack to netCDF-4 instead (--format netcdf4)"));
    }
    for (object, name) in &view.strings {
        notices.push(format!(
            "{object}: attribute {name} was a string and is now text"
        ));
    }
    Ok(Contents {
        model: view.model,
        variables: view.datasets,
    })
}

/// Writes what only libhdf5 can read (small variables, mostly) and gathers sources for the rest,
/// with the position of each in the output.
fn library_values(
    source: &Input,
    contents: &Contents,
    writer: &mut ClassicWriter,
    path: &Path,
    resources: &Resources,
) -> Result<(Vec<ArraySource>, Vec<usize>)> {
    let (mut arrays, mut positions) = (Vec::new(), Vec::new());
    for (position, &i) in contents.variables.iter().enumerate() {
        run::check_cancel(resources)?;
        let variable = &source.variables()[i];
        match sources::access(source, i, None)? {
            Access::Parallel(array, _) | Access::Apart(array) => {
                arrays.push(in_native_order(array, variable));
                positions.push(position);
            }
            Access::Undecodable(_, _, missing) => {
                return Err(sources::missing_filter_error(&missing)
                    .in_file(source.path())
                    .at_variable(&variable.path));
            }
            Access::Library | Access::Indirect(..) => {
                let Some(hdf5) = source.hdf5() else { continue };
                let values = read_through_library(hdf5, variable, source.path())?;
                let start = vec![0; variable.shape.len()];
                writer
                    .put(position, &start, &variable.shape, &values)
                    .map_err(|error| from_container(error.into(), path))?;
            }
            Access::Elsewhere(values) => {
                let values = values.expanded(&AxisSelection::whole(&variable.shape))?;
                let start = vec![0; variable.shape.len()];
                writer
                    .put(position, &start, &variable.shape, values.bytes())
                    .map_err(|error| from_container(error.into(), path))?;
            }
            Access::Nothing => {
                let never_written = never_written(contents, position, variable);
                put_records(
                    contents,
                    position,
                    0..own_records(variable),
                    &never_written,
                    (writer, path),
                )?;
            }
        }
        put_missing_records(contents, position, variable, (writer, path))?;
    }
    Ok((arrays, positions))
}

/// All values of a small variable, little-endian.
fn read_through_library(hdf5: &Hdf5Input, variable: &DatasetInfo, path: &Path) -> Result<Vec<u8>> {
    let read = || {
        let datatype = hdf5.describe_datatype(variable)?;
        hdf5.expanded_values(variable, &datatype, &Selection::whole(&variable.shape))
    };
    let values = read().map_err(|e| from_container(e, path).at_variable(&variable.path))?;
    Ok(values.bytes().to_vec())
}

/// The records that a variable has itself; 1 of a scalar.
fn own_records(variable: &DatasetInfo) -> u64 {
    variable.shape.first().copied().unwrap_or(1)
}

/// One element, little-endian, of what was never written: as HDF5 reads it.
fn never_written(contents: &Contents, position: usize, variable: &DatasetInfo) -> Vec<u8> {
    let model = &contents.model.variables[position];
    let mut fill = variable.fill.clone();
    if fill.len() != model.nc_type.size_bytes() {
        return model.fill_value().to_native_bytes();
    }
    if variable.element.order == ByteOrder::Big {
        fill.reverse();
    }
    fill
}

/// Where a variable has fewer records than its file, readers see fill values, and so will the classic file: the
/// value that HDF5 fills with where somebody has set it, else that of the type, whatever `_FillValue` says.
fn put_missing_records(
    contents: &Contents,
    position: usize,
    variable: &DatasetInfo,
    output: (&mut ClassicWriter, &Path),
) -> Result<()> {
    let model = &contents.model.variables[position];
    let records = contents.model.shape(model).first().copied().unwrap_or(1);
    let fill = match variable.fill_status {
        FillStatus::User => never_written(contents, position, variable),
        _ => model.nc_type.default_fill().to_native_bytes(),
    };
    put_records(
        contents,
        position,
        own_records(variable)..records,
        &fill,
        output,
    )
}

/// Writes one value into all elements of some records.
fn put_records(
    contents: &Contents,
    position: usize,
    records: Range<u64>,
    fill: &[u8],
    (writer, path): (&mut ClassicWriter, &Path),
) -> Result<()> {
    let shape = contents.model.shape(&contents.model.variables[position]);
    let inner = shape.get(1..).unwrap_or_default();
    let elements = inner
        .iter()
        .try_fold(1_usize, |n, &c| n.checked_mul(usize::try_from(c).ok()?));
    let elements = elements.ok_or_else(|| Error::new(ErrorCode::Corrupt, "size overflows"))?;
    if elements == 0 {
        return Ok(());
    }
    let one = fill.repeat(elements);
    for record in records {
        let (mut start, mut count) = (vec![0; shape.len()], shape.clone());
        if !shape.is_empty() {
            start[0] = record;
            count[0] = 1;
        }
        writer
            .put(position, &start, &count, &one)
            .map_err(|error| from_container(error.into(), path))?;
    }
    Ok(())
}

/// Values in this machine's order (which is little-endian wherever frazil is built).
fn in_native_order(mut array: ArraySource, variable: &DatasetInfo) -> ArraySource {
    if variable.element.order == ByteOrder::Big && variable.element.size_bytes > 1 {
        array.byte_swap = Some(variable.element.size_bytes);
        array.fill.reverse();
    }
    array
}

/// Slabs over what a variable holds itself, which may be fewer records than its file has.
fn slab_grid(source: &Input, number: usize) -> Result<ChunkGrid> {
    let variable = &source.variables()[number];
    let slab = sources::slab_shape(&variable.shape, variable.element.size_bytes as u64, None);
    ChunkGrid::new(&variable.shape, &slab).ok_or_else(|| {
        Error::new(ErrorCode::Corrupt, "the number of slabs is beyond counting")
            .in_file(source.path())
            .at_variable(&variable.path)
    })
}

fn slab_tasks(grids: &[ChunkGrid]) -> impl Iterator<Item = Task<(usize, Selection)>> + Send + '_ {
    grids.iter().enumerate().flat_map(|(array, grid)| {
        (0..grid.chunk_count()).map(move |slab| {
            let selection = grid.valid_box(slab);
            let request = Request::Values {
                source: array,
                selection: selection.clone(),
            };
            Task {
                meta: (array, selection),
                requests: vec![request],
                output_bytes: 0,
            }
        })
    })
}

fn first_values(blocks: Vec<Block>) -> Result<Vec<u8>> {
    match blocks.into_iter().next() {
        Some(Block::Values(values)) => Ok(values.into_vec()),
        _ => Err(Error::new(
            ErrorCode::Internal,
            "an answer to another question",
        )),
    }
}
