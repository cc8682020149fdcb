//! Opening and creating: which back end serves a file, and with what options.

use std::fs::File;
use std::io::Read;
use std::path::Path;

use crate::appending;
use crate::bundled::Bundled;
use crate::engine::Engine;
use crate::environment::upgrades;
use crate::reading::Reading;
use crate::status::{Answer, Refusal, Status};
use crate::types::{FORMAT_NETCDF4_CLASSIC, GLOBAL, GroupNumber, Mode};
use frazil_file::error::Error;
use frazil_file::left_commit::look_beside;
use frazil_file::recover::bring_in_order;
use frazil_write::{Comm, Writer, WriterOptions, WriterReport};

/// Who serves a file.
#[derive(Debug)]
pub(super) enum Backend {
    /// This crate's writer.
    Engine(Box<Engine>),
    /// This workspace's reader.
    Reading(Box<Reading>),
    /// The netCDF-C library that is built in.
    Bundled(Bundled),
    /// Nobody any more; what the writer had done.
    Closed(Option<Box<WriterReport>>),
}

/// `nc_create`; the environment may ask for netCDF-4 in place of the classic formats.
pub(super) fn create(path: &Path, mode: Mode, options: WriterOptions) -> Answer<Backend> {
    let upgrade = upgrades()?;
    create_as(path, mode, options, upgrade)
}

/// `nc_create`; with `upgrade` a classic file becomes a netCDF-4 one of the classic model.
pub(super) fn create_as(
    path: &Path,
    mode: Mode,
    options: WriterOptions,
    upgrade: bool,
) -> Answer<Backend> {
    refuse_memory_files(mode)?;
    let formats = [Mode::NETCDF4, Mode::CDF2, Mode::CDF5];
    if formats.iter().filter(|&&format| mode.has(format)).count() > 1 {
        return Err(Refusal::new(
            Status::EINVAL,
            "only one of NC_NETCDF4, NC_64BIT_OFFSET and NC_64BIT_DATA can be asked for",
        ));
    }
    if !mode.has(Mode::NETCDF4) && !upgrade {
        return Bundled::create(path, mode).map(Backend::Bundled);
    }
    let options = WriterOptions {
        overwrite: !mode.has(Mode::NOCLOBBER),
        classic_model: mode.has(Mode::CLASSIC_MODEL) || !mode.has(Mode::NETCDF4),
        ..options
    };
    Ok(Backend::Engine(Box::new(Engine::create(path, &options)?)))
}

/// `nc_create_par`.
pub(super) fn create_parallel(
    path: &Path,
    mode: Mode,
    comm: Box<dyn Comm>,
    options: WriterOptions,
) -> Answer<Backend> {
    refuse_memory_files(mode)?;
    let upgrade = upgrades()?;
    if !mode.has(Mode::NETCDF4) && !upgrade {
        return Err(Refusal::new(
            Status::ENOPAR,
            "several processes write netCDF-4 files together, not classic ones: ask for NC_NETCDF4",
        ));
    }
    let options = WriterOptions {
        overwrite: !mode.has(Mode::NOCLOBBER),
        classic_model: mode.has(Mode::CLASSIC_MODEL) || !mode.has(Mode::NETCDF4),
        ..options
    };
    let engine = Engine::create_parallel(path, comm, &options)?;
    Ok(Backend::Engine(Box::new(engine)))
}

/// `nc_open`.
pub(super) fn open(path: &Path, mode: Mode, options: WriterOptions) -> Answer<Backend> {
    refuse_memory_files(mode)?;
    let is_hdf5 = is_hdf5(path)?;
    if is_hdf5 && mode.has(Mode::WRITE) {
        bring_in_order(path)?;
    } else if is_hdf5 {
        // There is no place for a notice: what is read is a whole commit, or an error.
        look_beside(path)?;
        // Of what is not served, netCDF-C says what there is to say.
        if let Ok(reading) = Reading::open(path, mode, &options) {
            return Ok(Backend::Reading(Box::new(reading)));
        }
    }
    if !is_hdf5 || !mode.has(Mode::WRITE) {
        return Bundled::open(path, mode).map(Backend::Bundled);
    }
    let mut as_it_is = Bundled::open(path, Mode::NOWRITE)?;
    let options = WriterOptions {
        classic_model: as_it_is.inq_format()? == FORMAT_NETCDF4_CLASSIC,
        ..options
    };
    let engine = Engine::append(path, &options)?;
    refuse_hidden(engine, &mut as_it_is)
}

/// As `nc_open` for reading, if frazil itself reads the file; else refused with the reason.
pub(super) fn open_to_read(path: &Path, mode: Mode, options: &WriterOptions) -> Answer<Backend> {
    refuse_memory_files(mode)?;
    if !is_hdf5(path)? {
        return Err(Refusal::new(
            Status::ENOTBUILT,
            "it is of another format than netCDF-4",
        ));
    }
    look_beside(path)?;
    let reading = Reading::open(path, mode, options);
    let reading = reading.map_err(|why| Refusal::new(Status::ENOTBUILT, why))?;
    Ok(Backend::Reading(Box::new(reading)))
}

/// As `nc_open` for writing, if frazil goes on with the file as netCDF-C would; else refused with the
/// reason.
pub(super) fn open_to_write(path: &Path, mode: Mode, options: WriterOptions) -> Answer<Backend> {
    if !is_hdf5(path)? {
        return Err(Refusal::new(
            Status::ENOTBUILT,
            "it is of another format than netCDF-4",
        ));
    }
    bring_in_order(path)?;
    let engine = appending::open(path, mode, options)?;
    Ok(Backend::Engine(Box::new(engine)))
}

/// `nc_open_par` for writing.
pub(super) fn open_parallel(
    path: &Path,
    mode: Mode,
    comm: Box<dyn Comm>,
    options: &WriterOptions,
) -> Answer<Backend> {
    refuse_memory_files(mode)?;
    if !is_hdf5(path)? {
        return Err(Refusal::new(
            Status::ENOPAR,
            "several processes write netCDF-4 files together, not classic ones",
        ));
    }
    let writer = Writer::append_parallel(path, comm, options)?;
    // Now that the file is in order.
    let mut as_it_is = Bundled::open(path, Mode::NOWRITE)?;
    let options = WriterOptions {
        classic_model: as_it_is.inq_format()? == FORMAT_NETCDF4_CLASSIC,
        ..options.clone()
    };
    let engine = Engine::of(writer, options);
    refuse_hidden(engine, &mut as_it_is)
}

/// Refuses a file with objects of user-defined types: the writer leaves them as they are and does not
/// show them, so that numbers of variables would not be netCDF-C's.
fn refuse_hidden(mut engine: Engine, as_it_is: &mut Bundled) -> Answer<Backend> {
    let Some(hidden) = first_hidden(&mut engine, as_it_is)? else {
        return Ok(Backend::Engine(Box::new(engine)));
    };
    engine.discard();
    let words = format!(
        "{hidden} has a user-defined type (compound, enum, vlen, opaque), which these calls do not \
         write: open the file with netCDF-C, or with frazil's writer, which goes by names"
    );
    Err(Refusal::new(Status::ENOTBUILT, words))
}

/// What netCDF-C sees first in a file and the writer does not show.
fn first_hidden(engine: &mut Engine, as_it_is: &mut Bundled) -> Answer<Option<String>> {
    for group in (0..engine.groups()).map(GroupNumber) {
        for varid in as_it_is.inq_varids(group)? {
            let variable = as_it_is.inq_var(group, varid)?;
            if engine.inq_varid(group, &variable.name).ok() != Some(varid) {
                return Ok(Some(format!("the variable `{}`", variable.name)));
            }
            let hidden = hidden_attribute(engine, as_it_is, (group, varid), variable.attributes)?;
            if let Some(name) = hidden {
                let words = format!("the attribute `{name}` of `{}`", variable.name);
                return Ok(Some(words));
            }
        }
        let attributes = as_it_is.inq(group)?.attributes;
        let hidden = hidden_attribute(engine, as_it_is, (group, GLOBAL), attributes)?;
        if let Some(name) = hidden {
            return Ok(Some(format!("the attribute `{name}`")));
        }
    }
    Ok(None)
}

/// The first of an object's attributes that the writer does not show.
fn hidden_attribute(
    engine: &mut Engine,
    as_it_is: &mut Bundled,
    (group, varid): (GroupNumber, i32),
    attributes: i32,
) -> Answer<Option<String>> {
    for number in 0..attributes {
        let name = as_it_is.inq_attname(group, varid, number)?;
        if engine.inq_att(group, varid, &name).is_err() {
            return Ok(Some(name));
        }
    }
    Ok(None)
}

fn refuse_memory_files(mode: Mode) -> Answer<()> {
    let in_memory = [Mode::DISKLESS, Mode::MMAP, Mode::INMEMORY];
    if in_memory.iter().any(|&flag| mode.has(flag)) {
        return Err(Refusal::new(
            Status::EDISKLESS,
            "files in memory (NC_DISKLESS, NC_MMAP, NC_INMEMORY) are not served",
        ));
    }
    Ok(())
}

/// Whether a file is of the netCDF-4 format; what is neither is left to netCDF-C.
fn is_hdf5(path: &Path) -> Answer<bool> {
    let mut start = Vec::new();
    let mut file = File::open(path).map_err(|error| Error::io(&error, "open", path))?;
    let read = file.by_ref().take(8).read_to_end(&mut start);
    read.map_err(|error| Error::io(&error, "read", path))?;
    Ok(start == *b"\x89HDF\r\n\x1a\n")
}
