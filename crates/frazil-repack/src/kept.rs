//! An input that packing would not make smaller stays as it is, in its place or in the output's folder;
//! one that packing would make larger than is promised is copied to an output that has a name.

use std::os::unix::fs::FileExt;
use std::sync::atomic::Ordering;

use frazil_container::hdf5::{DatasetInfo, DatasetStorage, Hdf5Input};
use frazil_pipeline::ByteSource;
use frazil_types::{ErrorCode, FilterPipeline, LayoutProfile, ReaderLevel};

use frazil_file::error::{Error, Result};
use frazil_file::input::Input;
use frazil_file::output::{Destination, Target};
use frazil_file::pending::{PendingOutput, rename_file};
use frazil_file::resources::Resources;
use frazil_options::options::PackOptions;
use frazil_options::pack_report::PackReport;

/// When an input is kept in place of its packed form.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Keep {
    /// Never: a form is asked for, whatever its size.
    Never,
    /// Where the packed form is not smaller.
    IfNotSmaller,
    /// Where the packed form of an HDF5 file is larger by more than is promised, and these readers can read
    /// the file as it is.
    IfLarger(ReaderLevel),
}

/// What an output that is named may be larger than its input: a share, and bytes beside it.
const PROMISED_SHARE: f64 = 0.005;
const PROMISED_BYTES: u64 = 4096;
/// What became of an input that is kept.
const KEPT: &str = "kept as it is";

impl Keep {
    /// Not where a form is asked for that the input may not have. Precision is leave to drop bits, not
    /// a form: exact values keep every bound. Who names an output wants the packed file, if it keeps
    /// the promise.
    pub(crate) fn of(options: &PackOptions, destination: &Destination) -> Self {
        match (options.allow_larger, destination) {
            (Some(true), _) => Self::Never,
            _ if states_a_form(options) => Self::Never,
            (None, Destination::File(_)) => Self::IfLarger(options.readers()),
            _ => Self::IfNotSmaller,
        }
    }

    /// Whether it is kept, given the bytes of the input and of its packed form.
    fn keeps(self, source: &Input, [before, packed]: [u64; 2]) -> bool {
        match self {
            Self::Never => false,
            Self::IfNotSmaller => packed >= before,
            Self::IfLarger(readers) => {
                let most = before + (before as f64 * PROMISED_SHARE) as u64 + PROMISED_BYTES;
                packed > most && is_readable_by(source, readers)
            }
        }
    }
}

fn states_a_form(options: &PackOptions) -> bool {
    let mut rules = options.precision.rules.iter();
    !options.chunk_overrides.is_empty()
        || options.chunk_goal.is_stated()
        || options.plan.is_some()
        || options.level == Some(0)
        || options.filters.is_some()
        || options.checksum
        || options.layout_profile() != LayoutProfile::Standard
        || rules.any(|rule| rule.demand.filters.is_some() || !rule.chunks.is_empty())
}

/// The finished packed form, or the input's own bytes where the input is kept and the report says so.
/// `None`: it stays in its place.
///
/// # Errors
/// If one of the files cannot be read or written, the input changed, or the work is cancelled.
pub(crate) fn settle(
    source: &Input,
    target: &Target,
    pending: PendingOutput,
    report: &mut PackReport,
    keep: Keep,
    resources: &Resources,
) -> Result<Option<PendingOutput>> {
    let sizes = sizes(source, &pending)?;
    if !can_be_copied(source) || !keep.keeps(source, sizes) {
        return Ok(Some(pending));
    }
    describe(report, source);
    report.notices.push(line(KEPT, sizes));
    if target.in_place {
        return source.check_unchanged().map(|()| None);
    }
    let copied = copy(source, &pending, resources);
    copied.map_err(|error| rename_file(error, pending.path(), &target.path))?;
    Ok(Some(pending))
}

/// Whether readers of HDF5 that know these filters can read all variables, those of HDF5 1.8 among them.
fn is_readable_by(source: &Input, readers: ReaderLevel) -> bool {
    /// HDF5 1.8 knows versions up to this one.
    const MOST_SUPERBLOCK: u32 = 2;
    let is_known = |hdf5: &Hdf5Input| hdf5.superblock() <= MOST_SUPERBLOCK;
    if !source.hdf5().is_some_and(is_known) {
        return false;
    }
    let mut variables = source.variables().iter();
    variables.all(|variable| match &variable.storage {
        DatasetStorage::Chunked { pipeline, .. } => pipeline.reader_level() <= readers,
        _ => true,
    })
}

/// Whether a copy of its bytes would hold all its values, and those of one state.
fn can_be_copied(source: &Input) -> bool {
    let is_swmr = source.hdf5().is_some_and(|hdf5| hdf5.contents().is_swmr());
    let lies_outside = |variable: &DatasetInfo| variable.storage == DatasetStorage::External;
    !is_swmr && !source.variables().iter().any(lies_outside)
}

/// Bytes of an input and of its finished packed form.
fn sizes(source: &Input, pending: &PendingOutput) -> Result<[u64; 2]> {
    let inspect = |error| Error::io(&error, "inspect", pending.path());
    let packed = pending.file().metadata().map_err(inspect)?.len();
    Ok([file_bytes(source)?, packed])
}

fn file_bytes(source: &Input) -> Result<u64> {
    let length = source.bytes().length();
    length.map_err(|error| Error::io(&error, "inspect", source.path()))
}

/// Makes an output the input's bytes.
fn copy(source: &Input, pending: &PendingOutput, resources: &Resources) -> Result<()> {
    const PART_BYTES: u64 = 1 << 20;
    let write = |error| Error::io(&error, "write", pending.path());
    let bytes = file_bytes(source)?;
    pending.file().set_len(0).map_err(write)?;
    let mut buffer = vec![0_u8; PART_BYTES.min(bytes) as usize];
    let mut at = 0;
    while at < bytes {
        if resources.cancel.load(Ordering::Relaxed) {
            return Err(Error::new(ErrorCode::Interrupted, "stopped").in_file(source.path()));
        }
        let part = &mut buffer[..(bytes - at).min(PART_BYTES) as usize];
        let read = source.bytes().read_exact_at(part, at);
        read.map_err(|error| Error::io(&error, "read", source.path()))?;
        pending.file().write_all_at(part, at).map_err(write)?;
        at += part.len() as u64;
    }
    Ok(())
}

/// Has a report say that the input is kept.
fn describe(report: &mut PackReport, source: &Input) {
    report.kept_input = true;
    report.output_file_bytes = report.input_file_bytes;
    let kept = source.variables().iter();
    let kept = kept.filter(|variable| !variable.is_dimension_only);
    for (row, variable) in report.variables.iter_mut().zip(kept) {
        let (chunk, filters) = match &variable.storage {
            DatasetStorage::Chunked {
                chunk, pipeline, ..
            } => (Some(chunk.clone()), pipeline.summary()),
            _ => (None, FilterPipeline::default().summary()),
        };
        (row.chunk, row.filters) = (chunk, filters);
        row.stored_bytes = row.input_bytes;
        row.precision = None;
        row.kept = true;
        "kept as it was".clone_into(&mut row.reason);
    }
}

/// The report of a dry run, which says where the input would be kept.
pub(crate) fn foretold(mut report: PackReport, source: &Input, keep: Keep) -> PackReport {
    let sizes = [report.input_file_bytes, report.output_file_bytes];
    if can_be_copied(source) && keep.keeps(source, sizes) {
        let what = match keep {
            Keep::IfLarger(_) => KEPT,
            _ => "--in-place and --out-dir would keep it as it is",
        };
        describe(&mut report, source);
        report.notices.push(line(what, sizes));
        if let Some(range) = &mut report.range {
            range.file_bytes = range.file_bytes.map(|bytes| bytes.min(sizes[0]));
        }
    }
    report
}

fn line(what: &str, [before, packed]: [u64; 2]) -> String {
    let why = match packed == before {
        true => format!("packing does not make its {before} bytes fewer"),
        false => format!("its {before} bytes would be {packed} when packed"),
    };
    format!("{what}: {why} (--allow-larger packs it all the same)")
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_kept_input_says_why() {
        assert!(line(KEPT, [2128, 2128]).contains("does not make its 2128 bytes fewer"));
        assert!(line(KEPT, [2128, 3000]).contains("its 2128 bytes would be 3000"));
    }

    #[test]
    fn an_input_is_kept_unless_a_name_or_a_form_is_asked_for() {
        let folder = Destination::Directory("out".into());
        let in_place = Destination::InPlace {
            break_hard_links: false,
        };
        let default = PackOptions::default();
        let named = Destination::File("out.nc".into());
        assert_eq!(Keep::of(&default, &folder), Keep::IfNotSmaller);
        assert_eq!(Keep::of(&default, &in_place), Keep::IfNotSmaller);
        assert_eq!(Keep::of(&default, &named), Keep::IfLarger(ReaderLevel::Any));
        let options = |change: fn(&mut PackOptions)| {
            let mut options = PackOptions::default();
            change(&mut options);
            options
        };
        let not_kept: [fn(&mut PackOptions); 5] = [
            |options| options.allow_larger = Some(true),
            |options| options.level = Some(0),
            |options| options.checksum = true,
            |options| options.layout = Some(LayoutProfile::Cmip7),
            |options| options.chunk_goal.most_chunks = Some(7),
        ];
        for change in not_kept {
            for destination in [&folder, &named] {
                assert_eq!(Keep::of(&options(change), destination), Keep::Never);
            }
        }
        let strong = options(|options| options.level = Some(9));
        assert_eq!(Keep::of(&strong, &in_place), Keep::IfNotSmaller);
    }
}
