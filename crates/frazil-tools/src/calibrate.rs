//! Measures what reading costs on this machine, and keeps it for later plans.

mod link;
mod storage;

use std::ffi::OsString;
use std::os::unix::fs::FileExt;
use std::path::{Path, PathBuf};
use std::time::Instant;

use frazil_codec::{BoundDecoder, BoundEncoder, Scratch};
use frazil_container::classic::NcType;
use frazil_container::hdf5::Hyperslab;
use frazil_types::{
    Calibration, CodecSpeed, ErrorCode, FigureSource, FilterPipeline, FilterSpec, SpeedDemand,
    StorageSpeed, Transfer, filter_id,
};

use frazil_container::schema::{Schema, ValueType};
use frazil_file::error::{Error, Result};
use frazil_file::folder::check_folder;
use frazil_file::input::Input;
use frazil_file::storage_error::from_container;
use frazil_file::text_file::{read_text, write_text};
use frazil_write::{
    DimensionLength, FilterRequest, LayoutRequest, OwnCommits, VariableSettings, Writer,
    WriterOptions,
};

/// Elements of a small and of a large chunk, 4 and 64 KiB, and how many of each.
const SMALL: (u64, u64) = (1024, 2048);
const LARGE: (u64, u64) = (16_384, 128);
/// Elements of the sample that codecs are timed on: 1 MiB.
const SAMPLE: usize = 262_144;
/// Each measurement is the least of so many.
const ROUNDS: usize = 5;
/// Bytes of one small read, and how many of them are timed.
const PIECE_BYTES: usize = 4096;
const PIECES: usize = 256;

/// What is measured or stated of storage and network.
#[derive(Debug, Clone, Default)]
pub struct CalibrateOptions {
    /// A folder on the machine's own storage, which is written and read, 128 MiB. `None`: what comes
    /// out of the page cache stands for it.
    pub local: Option<PathBuf>,
    /// A folder on the parallel file system, likewise. `None`: its figures are the defaults.
    pub shared: Option<PathBuf>,
    /// The speed of the network, a number and no word. `None`: that of the fastest link that the
    /// machine tells, else the default.
    pub network: Option<SpeedDemand>,
}

/// Measures the constants of this machine: a stock reader's (libhdf5 on one core, out of the page
/// cache), how fast each codec is, and what the options say of storage and network. Takes some
/// seconds, some 20 MB in the folder for temporary files and 128 MiB in each stated one. Other
/// constants stay the defaults; `sources` tells which.
///
/// # Errors
/// [`ErrorCode::InvalidArgument`] if the network's speed is a word (`network`); if the files cannot be
/// written or read.
pub fn calibrate(options: &CalibrateOptions) -> Result<Calibration> {
    let (network, network_source) = network(options.network.as_ref())?;
    let local = options.local.as_deref().map(stored_in).transpose()?;
    let shared = options.shared.as_deref().map(stored_in).transpose()?;
    let mut calibration = measure_in(&std::env::temp_dir())?;
    let sources = &mut calibration.sources;
    sources.local = FigureSource::PageCache;
    if let Some((speed, source)) = local {
        (calibration.local, sources.local) = (speed, source);
    }
    if let Some((speed, source)) = shared {
        (calibration.parallel_fs, sources.parallel_fs) = (speed, source);
    }
    (calibration.network_bytes_per_second, sources.network) = (network, network_source);
    for pipeline in pipelines() {
        if let Some(speed) = codec_speed(&pipeline) {
            calibration.codecs.insert(pipeline.summary(), speed);
        }
    }
    Ok(calibration)
}

/// Where the calibration of this machine is kept: `frazil/calibration.json` in `$XDG_CACHE_HOME`,
/// else in `~/.cache`; `None` without a home.
#[must_use]
pub fn calibration_path() -> Option<PathBuf> {
    let folder = |name: &str, below: &str| {
        let folder = std::env::var_os(name).filter(|value: &OsString| !value.is_empty());
        folder
            .map(PathBuf::from)
            .filter(|folder| folder.is_absolute())
            .map(|folder| folder.join(below))
    };
    let cache = folder("XDG_CACHE_HOME", "").or_else(|| folder("HOME", ".cache"));
    cache.map(|cache| cache.join("frazil").join("calibration.json"))
}

/// Writes a calibration to a JSON file; its folder is made if it is not there.
///
/// # Errors
/// If the file cannot be written.
pub fn write_calibration(path: &Path, calibration: &Calibration) -> Result<()> {
    let text = serde_json::to_string_pretty(calibration).map_err(|error| {
        let cause = format!("the calibration cannot be written as JSON: {error}");
        Error::new(ErrorCode::Internal, cause)
    })?;
    match path.parent() {
        // Its own place, which nobody has named.
        Some(folder) if calibration_path().as_deref() == Some(path) => {
            std::fs::create_dir_all(folder).map_err(|error| Error::io(&error, "make", folder))?;
        }
        _ => check_folder(path)?,
    }
    // Readers meanwhile see the old one or the new one.
    write_text(path, &(text + "\n"))
}

/// Reads a calibration from a JSON file. What it leaves out is the default.
///
/// # Errors
/// If the file cannot be read; [`ErrorCode::InvalidArgument`] for what is no calibration.
pub fn read_calibration(path: &Path) -> Result<Calibration> {
    let text = read_text(path)?;
    let refuse = |cause: String| {
        Error::new(ErrorCode::InvalidArgument, cause)
            .in_file(path)
            .with_cure("measure again: frazil calibrate")
    };
    // An array would pass as the first fields.
    let found: Calibration = serde_json::from_str(&text)
        .and_then(|fields: serde_json::Map<_, _>| serde_json::from_value(fields.into()))
        .map_err(|error| refuse(format!("this is no calibration: {error}")))?;
    match found.is_sound() {
        true => Ok(found),
        false => Err(refuse(
            "a time or speed of this calibration cannot be".to_owned(),
        )),
    }
}

/// The calibration to plan with: `default`, the file of another name, or (`None`) what
/// [`calibrate`] measured here, if it did.
///
/// # Errors
/// As [`read_calibration`].
pub fn calibration_in_use(request: Option<&str>) -> Result<Calibration> {
    match request {
        Some("default") => Ok(Calibration::default()),
        Some(path) => read_calibration(Path::new(path)),
        None => match calibration_path().filter(|path| path.exists()) {
            Some(path) => read_calibration(&path),
            None => Ok(Calibration::default()),
        },
    }
}

/// Bytes a second of the network, and who says so.
fn network(stated: Option<&SpeedDemand>) -> Result<(f64, FigureSource)> {
    let defaults = Calibration::default();
    let Some(speed) = stated else {
        return Ok(match link::fastest(Path::new(link::INTERFACES)) {
            Some(link) => (
                link.bytes_per_second,
                FigureSource::Interface(link.interface),
            ),
            None => (defaults.network_bytes_per_second, FigureSource::Default),
        });
    };
    if let Some(words) = speed.words() {
        let cause = format!(
            "the speed of the network cannot be stated as `{words}`: state a \
                             number, such as 25Gbit/s"
        );
        let cure = "state a number: 25Gbit/s, 1.25GB/s";
        return Err(Error::new(ErrorCode::InvalidArgument, cause).with_cure(cure));
    }
    let bytes_per_second = speed.mb_s(Transfer::Writing, &defaults) * 1e6;
    Ok((bytes_per_second, FigureSource::Stated))
}

/// How fast the storage behind a folder is.
fn stored_in(folder: &Path) -> Result<(StorageSpeed, FigureSource)> {
    let speed = storage::measure(folder, storage::BYTES)?;
    let source = FigureSource::Measured(folder.to_string_lossy().into_owned());
    Ok((speed, source))
}

/// Measures on a file in a folder of its own, which only this user may enter.
fn measure_in(parent: &Path) -> Result<Calibration> {
    let made = tempfile::Builder::new()
        .prefix("frazil-")
        .tempdir_in(parent);
    let folder = made.map_err(|error| Error::io(&error, "make a folder in", parent))?;
    let path = folder.path().join("calibration.nc");
    write_sample(&path)?;
    measure(&path)
}

/// A smooth field with noise, as temperatures have it.
fn values(count: usize) -> Vec<u8> {
    let mut state = 0x9e37_79b9_u32;
    let mut noise = || {
        state ^= state << 13;
        state ^= state >> 17;
        state ^= state << 5;
        f64::from(state >> 8) / f64::from(1_u32 << 24) - 0.5
    };
    let value = |i: usize| {
        let place = i as f64;
        280.0 + 25.0 * (place / 3000.0).sin() + 4.0 * (place / 170.0).cos()
    };
    (0..count)
        .flat_map(|i| ((value(i) + 0.1 * noise()) as f32).to_le_bytes())
        .collect()
}

fn shuffle_and(stage: FilterSpec) -> FilterPipeline {
    FilterPipeline(vec![FilterSpec::new(filter_id::SHUFFLE, vec![4]), stage])
}

/// The filters whose speed plans show.
fn pipelines() -> Vec<FilterPipeline> {
    let deflate = |level| FilterSpec::new(filter_id::DEFLATE, vec![level]);
    let zstd = |level| FilterSpec::new(filter_id::ZSTD, vec![level]);
    let mut found = vec![FilterPipeline(vec![deflate(1)])];
    found.extend([1, 4, 6, 9].map(|level| shuffle_and(deflate(level))));
    found.extend([1, 3, 9].map(|level| shuffle_and(zstd(level))));
    found
}

/// The least seconds of some rounds.
fn least_seconds(mut work: impl FnMut() -> Result<()>) -> Result<f64> {
    let mut least = f64::INFINITY;
    for _ in 0..ROUNDS {
        let begin = Instant::now();
        work()?;
        least = least.min(begin.elapsed().as_secs_f64());
    }
    Ok(least.max(1e-9))
}

/// How fast our own codecs are on one core; `None` for filters that this build does not write.
fn codec_speed(pipeline: &FilterPipeline) -> Option<CodecSpeed> {
    let raw = values(SAMPLE);
    let mut scratch = Scratch::default();
    let encoder = BoundEncoder::bind(pipeline, None, 4, raw.len()).ok()?;
    let decoder = BoundDecoder::bind(pipeline, 4, raw.len()).ok()?;
    let stored = encoder.encode(&raw, &mut scratch).ok()?;
    let failed = |error: frazil_codec::CodecError| Error::new(error.code(), error.to_string());
    let encode = least_seconds(|| {
        encoder.encode(&raw, &mut scratch).map_err(failed)?;
        Ok(())
    });
    let decode = least_seconds(|| {
        decoder.decode(&stored, 0, &mut scratch).map_err(failed)?;
        Ok(())
    });
    Some(CodecSpeed {
        encode_bytes_per_second: raw.len() as f64 / encode.ok()?,
        decode_bytes_per_second: raw.len() as f64 / decode.ok()?,
    })
}

/// Writes the file that reading is measured on.
fn write_sample(path: &Path) -> Result<()> {
    let options = WriterOptions {
        overwrite: true,
        commits: OwnCommits::Never,
        ..WriterOptions::default()
    };
    let mut writer = Writer::create(path, &options)?;
    let deflate = shuffle_and(FilterSpec::new(filter_id::DEFLATE, vec![1]));
    for (name, (elements, chunks), pipeline) in [
        ("small", SMALL, deflate.clone()),
        ("large", LARGE, deflate),
        ("plain", LARGE, FilterPipeline::default()),
    ] {
        let mut dimensions = Vec::new();
        for (axis, length) in [("y", chunks), ("x", elements)] {
            let length = DimensionLength::Fixed(length);
            dimensions.push(writer.add_dimension(
                Schema::ROOT,
                &format!("{name}_{axis}"),
                length,
            )?);
        }
        let settings = VariableSettings {
            layout: LayoutRequest::Chunked(vec![1, elements]),
            filters: FilterRequest::Exactly(pipeline),
            ..VariableSettings::default()
        };
        let number = ValueType::Atomic(NcType::Float);
        let id = writer.add_variable(Schema::ROOT, name, number, &dimensions, settings)?;
        // No two chunks alike, which would be packed once.
        let all = values((elements * chunks) as usize);
        writer.put(id, &[0, 0], &[chunks, elements], None, &all)?;
    }
    writer.close()?;
    Ok(())
}

fn measure(path: &Path) -> Result<Calibration> {
    let small = read_by_library(path, "/small", SMALL)? / SMALL.1 as f64;
    let large = read_by_library(path, "/large", LARGE)? / LARGE.1 as f64;
    let plain = read_by_library(path, "/plain", LARGE)? / LARGE.1 as f64;
    let bytes = |(elements, _): (u64, u64)| 4.0 * elements as f64;
    let more_bytes = bytes(LARGE) - bytes(SMALL);
    let decode = more_bytes / (large - small).max(1e-9);
    let chunk_seconds = (small - bytes(SMALL) / decode).max(1e-6);
    let copy = bytes(LARGE) / (plain - chunk_seconds).max(bytes(LARGE) / 100e9);
    let mut calibration = Calibration {
        chunk_seconds,
        decode_bytes_per_second: decode,
        copy_bytes_per_second: copy,
        ..Calibration::default()
    };
    (
        calibration.local.seek_seconds,
        calibration.local.fetch_bytes_per_second,
    ) = local_storage(path)?;
    Ok(calibration)
}

/// Seconds of reading a variable through libhdf5 from a file opened anew.
fn read_by_library(path: &Path, name: &str, (elements, chunks): (u64, u64)) -> Result<f64> {
    let mut target = vec![0_u8; (chunks * elements * 4) as usize];
    let count = [chunks, elements];
    let mut least = f64::INFINITY;
    for _ in 0..ROUNDS {
        let input = Input::open(path)?;
        let dataset = input.variables().iter().find(|one| one.path == name);
        let (Some(hdf5), Some(dataset)) = (input.hdf5(), dataset) else {
            return Err(Error::new(
                ErrorCode::Internal,
                "the file lacks what was written",
            ));
        };
        let begin = Instant::now();
        hdf5.read_slab(dataset, Hyperslab::dense(&[0, 0], &count), &mut target)
            .map_err(|error| from_container(error, path))?;
        least = least.min(begin.elapsed().as_secs_f64());
    }
    Ok(least)
}

/// Seconds until a small read comes back, and bytes a second of a large one, out of the page cache.
fn local_storage(path: &Path) -> Result<(f64, f64)> {
    let io = |error: std::io::Error| Error::io(&error, "read", path);
    let file = std::fs::File::open(path).map_err(io)?;
    let bytes = file.metadata().map_err(io)?.len();
    let mut all = vec![0_u8; usize::try_from(bytes).unwrap_or(0)];
    let whole = least_seconds(|| file.read_exact_at(&mut all, 0).map_err(io))?;
    let last = bytes.saturating_sub(PIECE_BYTES as u64).max(1);
    let mut piece = [0_u8; PIECE_BYTES];
    let pieces = least_seconds(|| {
        (0..PIECES as u64).try_for_each(|i| {
            // Far from the piece before.
            let at = i.wrapping_mul(2_654_435_761) % last;
            file.read_exact_at(&mut piece, at).map_err(io)
        })
    })?;
    Ok((pieces / PIECES as f64, bytes as f64 / whole))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_is_measured_can_be_kept_and_read() {
        let stated = CalibrateOptions {
            network: "25Gbit/s".parse().ok(),
            ..CalibrateOptions::default()
        };
        let measured = calibrate(&stated).unwrap();
        assert!(measured.is_sound(), "{measured:?}");
        assert_eq!(measured.network_bytes_per_second, 3.125e9);
        assert_eq!(measured.sources.network, FigureSource::Stated);
        assert_eq!(measured.sources.local, FigureSource::PageCache);
        assert_eq!(measured.sources.parallel_fs, FigureSource::Default);
        assert!(measured.codecs.contains_key("shuffle+deflate(1)"));
        let folder = tempfile::tempdir().unwrap();
        let missing = write_calibration(&folder.path().join("no/such.json"), &measured);
        assert_eq!(missing.unwrap_err().code, ErrorCode::NotFound);
        let path = folder.path().join("calibration.json");
        write_calibration(&path, &measured).unwrap();
        let kept = read_calibration(&path).unwrap();
        assert_eq!(kept.codecs.len(), measured.codecs.len());
        assert_eq!(kept.sources, measured.sources);
        assert!((kept.chunk_seconds / measured.chunk_seconds - 1.0).abs() < 1e-9);
        assert_eq!(
            calibration_in_use(path.to_str()).unwrap().chunk_seconds,
            kept.chunk_seconds
        );
        assert_eq!(
            calibration_in_use(Some("default")).unwrap(),
            Calibration::default()
        );
    }

    #[test]
    fn what_cannot_be_measured_or_stated_is_refused() {
        let folder = tempfile::tempdir().unwrap();
        let missing = CalibrateOptions {
            shared: Some(folder.path().join("no/such")),
            ..CalibrateOptions::default()
        };
        let error = calibrate(&missing).unwrap_err();
        assert_eq!(error.code, ErrorCode::NotFound);
        assert!(error.cure.is_some());
        let word = CalibrateOptions {
            network: "2*network".parse().ok(),
            ..CalibrateOptions::default()
        };
        let error = calibrate(&word).unwrap_err();
        assert_eq!(error.code, ErrorCode::InvalidArgument);
        assert!(error.cause.contains("2*network"), "{}", error.cause);
    }

    #[test]
    fn a_file_of_an_older_frazil_is_read() {
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join("calibration.json");
        let old = r#"{"local": {"seek_seconds": 1e-6, "fetch_bytes_per_second": 3e9},
            "network_bytes_per_second": 2e9}"#;
        std::fs::write(&path, old).unwrap();
        let read = read_calibration(&path).unwrap();
        assert_eq!(read.local.store_rate(), 3e9);
        assert_eq!(read.sources.local, FigureSource::NotSaid);
        assert_eq!(read.sources.network, FigureSource::NotSaid);
    }

    #[test]
    fn what_is_no_calibration_is_refused() {
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join("calibration.json");
        for text in [
            "",
            "[1]",
            "{\"chunk_seconds\": -1}",
            "{\"chunk_seconds\": \"x\"}",
        ] {
            std::fs::write(&path, text).unwrap();
            let error = read_calibration(&path).unwrap_err();
            assert_eq!(error.code, ErrorCode::InvalidArgument, "{text}");
        }
        let missing = read_calibration(&folder.path().join("none")).unwrap_err();
        assert_eq!(missing.code, ErrorCode::NotFound);
        std::fs::write(&path, "{\"chunk_seconds\": 1e-5}").unwrap();
        let partial = read_calibration(&path).unwrap();
        assert_eq!(partial.chunk_seconds, 1e-5);
        assert_eq!(partial.disk, Calibration::default().disk);
    }
}
