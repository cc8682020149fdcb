//! Opening and creating: which back end serves a file, and with what options.

use std::env;
use std::ffi::OsString;
use std::fs::File;
use std::io::Read;
use std::path::Path;
use std::time::Duration;

use frazil_types::ReaderLevel;

use crate::environment::allowed;
use crate::netcdf::bundled::Bundled;
use crate::netcdf::dataset::Backend;
use crate::netcdf::engine::Engine;
use crate::netcdf::status::{Answer, Refusal, Status};
use crate::netcdf::types::Mode;
use crate::precision::rule_file::read_precision;
use crate::recover::{bring_in_order, look_beside};
use crate::{Comm, Cores, Error, Writer, WriterOptions};

/// `NC_FORMAT_NETCDF4_CLASSIC`.
pub(super) const FORMAT_NETCDF4_CLASSIC: i32 = 4;
/// `NC_FORMAT_NETCDF4`.
pub(super) const FORMAT_NETCDF4: i32 = 3;

/// How the writer works, as the environment says: `FRAZIL_THREADS`, `FRAZIL_MEMORY` (bytes, or
/// with K, M or G), `FRAZIL_CORES=any`, `FRAZIL_MODE=sync`, `FRAZIL_DURABLE=1`,
/// `FRAZIL_READABLE_BY=plugins`, `FRAZIL_WISHES` (a file of wishes by variable); and where several ranks write a file, `FRAZIL_LONGEST_WAIT`
/// (seconds that ranks wait for each other), `FRAZIL_REPRODUCIBLE=0`, `FRAZIL_IO_RANKS` (how many
/// write for the others).
///
/// # Errors
/// `NC_EINVAL` for a value that none of them can have.
pub(super) fn options_from_environment() -> Answer<WriterOptions> {
    options_from(&|name| env::var_os(name))
}

fn options_from(variable: &dyn Fn(&str) -> Option<OsString>) -> Answer<WriterOptions> {
    let text = |name: &str| {
        let value = variable(name).filter(|value| !value.is_empty());
        value.map(|value| value.to_string_lossy().into_owned())
    };
    let refuse = |name: &str, value: &str| {
        let allowed = allowed(name);
        let words = format!("the environment variable {name} is {value:?}; it must be {allowed}");
        Refusal::new(Status::EINVAL, words)
    };
    let mut options = WriterOptions::default();
    if let Some(value) = text("FRAZIL_THREADS") {
        let threads = value
            .parse()
            .map_err(|_| refuse("FRAZIL_THREADS", &value))?;
        options.resources.threads = threads;
        let outcome = options.resources.check();
        outcome.map_err(|_| refuse("FRAZIL_THREADS", &value))?;
    }
    if let Some(value) = text("FRAZIL_MEMORY") {
        let bytes = bytes_of(&value).ok_or_else(|| refuse("FRAZIL_MEMORY", &value))?;
        options.resources.memory_bytes = bytes;
        let outcome = options.resources.check();
        outcome.map_err(|_| refuse("FRAZIL_MEMORY", &value))?;
    }
    match text("FRAZIL_FORMAT").as_deref() {
        None | Some("netcdf4") => {}
        Some(other) => return Err(refuse("FRAZIL_FORMAT", other)),
    }
    match text("FRAZIL_MODE").as_deref() {
        None | Some("async") => {}
        Some("sync") => options.synchronous = true,
        Some(other) => return Err(refuse("FRAZIL_MODE", other)),
    }
    match text("FRAZIL_CORES").as_deref() {
        None | Some("spare") => {}
        Some("any") => options.cores = Cores::Any,
        Some(other) => return Err(refuse("FRAZIL_CORES", other)),
    }
    if let Some(value) = text("FRAZIL_LONGEST_WAIT") {
        let seconds = value.parse().ok();
        let wait = seconds.and_then(|seconds| Duration::try_from_secs_f64(seconds).ok());
        let wait = wait.filter(|wait| !wait.is_zero());
        options.longest_wait = Some(wait.ok_or_else(|| refuse("FRAZIL_LONGEST_WAIT", &value))?);
    }
    match text("FRAZIL_REPRODUCIBLE").as_deref() {
        None | Some("1") => {}
        Some("0") => options.follow_ranks = true,
        Some(other) => return Err(refuse("FRAZIL_REPRODUCIBLE", other)),
    }
    if let Some(value) = text("FRAZIL_IO_RANKS") {
        let ranks = value.parse();
        options.io_ranks = ranks.map_err(|_| refuse("FRAZIL_IO_RANKS", &value))?;
    }
    match text("FRAZIL_DURABLE").as_deref() {
        None | Some("0") => {}
        Some("1") => options.durable = true,
        Some(other) => return Err(refuse("FRAZIL_DURABLE", other)),
    }
    match text("FRAZIL_READABLE_BY").as_deref() {
        None | Some("netcdf4" | "any") => {}
        Some("plugins") => options.readable_by = ReaderLevel::Plugins,
        Some("frazil") => options.readable_by = ReaderLevel::Frazil,
        Some(other) => return Err(refuse("FRAZIL_READABLE_BY", other)),
    }
    if let Some(file) = variable("FRAZIL_WISHES").filter(|file| !file.is_empty()) {
        options.rules = read_precision(Path::new(&file)).map_err(Refusal::from)?;
        // Programs write files of all kinds.
        options.rules_are_shared = true;
    }
    Ok(options)
}

/// Whether filters that need a plugin count as absent.
pub(super) fn plugins_are_absent() -> bool {
    env::var_os("FRAZIL_READABLE_BY").is_some_and(|value| value == "netcdf4")
}

/// `300000`, `512M`, `2G`.
fn bytes_of(text: &str) -> Option<u64> {
    let (digits, shift) = match text.trim_end_matches(['B', 'b', 'i']) {
        number if number.ends_with(['K', 'k']) => (number, 10),
        number if number.ends_with(['M', 'm']) => (number, 20),
        number if number.ends_with(['G', 'g']) => (number, 30),
        number => return number.parse().ok(),
    };
    let number: u64 = digits[..digits.len() - 1].trim().parse().ok()?;
    number.checked_mul(1 << shift)
}

/// `nc_create`; the environment may ask for netCDF-4 in place of the classic formats.
pub(super) fn create(path: &Path, mode: Mode, options: WriterOptions) -> Answer<Backend> {
    let upgrade = env::var_os("FRAZIL_FORMAT").is_some_and(|value| value == "netcdf4");
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
    let upgrade = env::var_os("FRAZIL_FORMAT").is_some_and(|value| value == "netcdf4");
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
    }
    if !is_hdf5 || !mode.has(Mode::WRITE) {
        return Bundled::open(path, mode).map(Backend::Bundled);
    }
    let format = Bundled::open(path, Mode::NOWRITE)?.inq_format()?;
    let options = WriterOptions {
        classic_model: format == FORMAT_NETCDF4_CLASSIC,
        ..options
    };
    Ok(Backend::Engine(Box::new(Engine::append(path, &options)?)))
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
    let format = Bundled::open(path, Mode::NOWRITE)?.inq_format()?;
    let engine = Engine::of(writer, format == FORMAT_NETCDF4_CLASSIC);
    Ok(Backend::Engine(Box::new(engine)))
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

#[cfg(test)]
mod tests {
    use super::*;

    fn with(pairs: &'static [(&str, &str)]) -> Answer<WriterOptions> {
        options_from(&|name| {
            let found = pairs.iter().find(|(known, _)| *known == name);
            found.map(|(_, value)| OsString::from(value))
        })
    }

    #[test]
    fn the_environment_says_how_the_writer_works() {
        let options = with(&[
            ("FRAZIL_THREADS", "3"),
            ("FRAZIL_MEMORY", "512M"),
            ("FRAZIL_MODE", "sync"),
            ("FRAZIL_DURABLE", "1"),
            ("FRAZIL_READABLE_BY", "plugins"),
            ("FRAZIL_IO_RANKS", "2"),
        ]);
        let options = options.unwrap();
        assert_eq!(options.resources.threads, 3);
        assert_eq!(options.resources.memory_bytes, 512 << 20);
        assert!(options.synchronous && options.durable);
        assert_eq!(options.io_ranks, 2);
        assert_eq!(options.readable_by, ReaderLevel::Plugins);
        assert!(!with(&[]).unwrap().synchronous);
        for wrong in [
            &[("FRAZIL_THREADS", "many")],
            &[("FRAZIL_MEMORY", "1X")],
            &[("FRAZIL_MODE", "fast")],
            &[("FRAZIL_THREADS", "100000")],
            &[("FRAZIL_MEMORY", "1")],
            &[("FRAZIL_FORMAT", "netcdf5")],
            &[("FRAZIL_IO_RANKS", "-1")],
            &[("FRAZIL_WISHES", "Cargo.toml")],
        ] {
            let refusal = with(wrong).unwrap_err();
            assert_eq!(refusal.status, Status::EINVAL);
            let (name, value) = wrong[0];
            if name != "FRAZIL_WISHES" {
                let words = format!("{name} is {value:?}; it must be {}", allowed(name));
                assert!(refusal.detail.contains(&words), "{}", refusal.detail);
            }
        }
    }

    #[test]
    fn sizes_have_units() {
        let sizes = ["17", "2K", "2KiB", "1G"].map(bytes_of);
        assert_eq!(sizes, [Some(17), Some(2048), Some(2048), Some(1 << 30)]);
        assert_eq!(bytes_of("G"), None);
    }
}
