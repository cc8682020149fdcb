//! `info`: what is in a file, how it is stored, and who can read it.

mod fill_fraction;
mod readers;
mod report;

use std::path::Path;

use frazil_container::hdf5::{
    DatasetInfo, DatasetStorage, EntryKind, Hdf5Input, TypeClass, TypeDescription,
};
use frazil_types::{ChunkRecord, ElementClass, ErrorCode, FilterPipeline};

use frazil_file::error::{Result, guarded};
use frazil_file::input::Input;
use frazil_file::resources::Resources;
use frazil_file::run;
use frazil_file::storage_error::from_container;
use frazil_precision::stated::{StatedPrecision, stated_precision};

pub use report::{FileInfo, VariableInfo};

/// Looks at a file that changes meanwhile.
const ATTEMPTS: usize = 4;
/// Names in one notice.
const LISTED: usize = 5;

/// Looks at a file. With `fill_fraction`, all values are read to count those equal to the fill
/// value.
///
/// # Errors
/// If the file cannot be read; with `fill_fraction`, if values cannot be decoded.
pub fn info(path: &Path, fill_fraction: bool, resources: &Resources) -> Result<FileInfo> {
    let look = || {
        guarded(path, || {
            let input = Input::open(path)?;
            input.judge(look(&input, fill_fraction, resources))
        })
    };
    let mut outcome = look();
    for _ in 1..ATTEMPTS {
        // A writer may have been in the middle of something.
        if !matches!(&outcome, Err(error) if error.code == ErrorCode::FileChanged) {
            break;
        }
        outcome = look();
    }
    outcome
}

fn look(input: &Input, fill_fraction: bool, resources: &Resources) -> Result<FileInfo> {
    if let Some(far) = input.hdf5().filter(|hdf5| hdf5.is_far()) {
        // Describing a variable whose index is damaged gives the error.
        let _ = far.prefetch_indexes();
    }
    let mut numbers = Vec::new();
    let mut variables = Vec::new();
    for (number, variable) in input.variables().iter().enumerate() {
        run::check_cancel(resources)?;
        if !variable.is_dimension_only {
            numbers.push(number);
            variables.push(VariableInfo {
                precision: precision(input, number)?,
                ..describe(input, variable)?
            });
        }
    }
    if fill_fraction {
        let fractions = fill_fraction::count(input, &numbers, resources)?;
        for (variable, fraction) in variables.iter_mut().zip(fractions) {
            variable.fill_fraction = fraction;
        }
    }
    Ok(FileInfo {
        path: input.path().to_owned(),
        format: input.format_name()?,
        file_bytes: input.file_bytes(),
        superblock: input.hdf5().map(Hdf5Input::superblock),
        readable_by: readers::sentence(input, &variables)?,
        notices: [
            input.notices(),
            input.hdf5().map(notices).unwrap_or_default(),
        ]
        .concat(),
        variables,
    })
}

fn describe(input: &Input, variable: &DatasetInfo) -> Result<VariableInfo> {
    let name_error = |error| from_container(error, input.path()).at_variable(&variable.path);
    let records = match (input.hdf5(), &variable.storage) {
        (Some(hdf5), DatasetStorage::Chunked { .. }) => {
            Some(hdf5.locate(variable).map_err(name_error)?)
        }
        _ => None,
    };
    let none = FilterPipeline::default();
    let (chunk, pipeline) = match &variable.storage {
        DatasetStorage::Chunked {
            chunk, pipeline, ..
        } => (Some(chunk.clone()), pipeline),
        _ => (None, &none),
    };
    let missing_filters = match (input.hdf5(), &records) {
        (Some(hdf5), Some(records)) => {
            missing_filters(hdf5, pipeline, records).map_err(name_error)?
        }
        _ => Vec::new(),
    };
    let has_dimensions = variable.dimension_names.iter().any(|name| !name.is_empty());
    Ok(VariableInfo {
        path: variable.path.clone(),
        element: element_name(input, variable)?,
        dimensions: if has_dimensions {
            variable.dimension_names.clone()
        } else {
            Vec::new()
        },
        shape: variable.shape.clone(),
        unlimited: variable.unlimited.clone(),
        layout: layout_name(input, variable).to_owned(),
        chunk,
        chunk_count: records.as_ref().map(|records| records.len() as u64),
        filters: pipeline.summary(),
        raw_bytes: variable.raw_bytes().unwrap_or(u64::MAX),
        stored_bytes: records.map_or(variable.stored_bytes, |records| {
            records.iter().map(|record| record.stored_bytes).sum()
        }),
        fill_fraction: None,
        readable_by: missing_filters.is_empty().then(|| pipeline.reader_level()),
        missing_filters,
        precision: None,
    })
}

/// How the file says that a variable was rounded; only floating point ever is.
fn precision(input: &Input, number: usize) -> Result<Option<StatedPrecision>> {
    if input.variables()[number].element.class != ElementClass::Float {
        return Ok(None);
    }
    stated_precision(input, number)
}

/// Filters that stored chunks went through and that neither this build nor a plugin can undo.
fn missing_filters(
    hdf5: &Hdf5Input,
    pipeline: &FilterPipeline,
    records: &[ChunkRecord],
) -> frazil_container::Result<Vec<(i32, String)>> {
    let mut missing = Vec::new();
    for (position, filter) in pipeline.0.iter().enumerate() {
        let is_used = records.iter().any(|record| {
            u32::try_from(position).is_ok_and(|bit| {
                record
                    .filter_mask
                    .checked_shr(bit)
                    .is_none_or(|mask| mask & 1 == 0)
            })
        });
        let can_decode = frazil_codec::filters()
            .iter()
            .any(|known| known.id == filter.id && known.can_decode);
        if is_used && !can_decode && !hdf5.has_plugin(filter.id)? {
            missing.push((filter.id, filter.display_name()));
        }
    }
    Ok(missing)
}

fn layout_name(input: &Input, variable: &DatasetInfo) -> &'static str {
    if input.hdf5().is_none() {
        return "classic";
    }
    match &variable.storage {
        DatasetStorage::Compact => "compact",
        DatasetStorage::Contiguous { .. } => "contiguous",
        DatasetStorage::External => "external",
        DatasetStorage::Virtual => "virtual",
        DatasetStorage::Chunked { .. } => "chunked",
    }
}

/// The element's name; for anything but numbers and text, what the file says it is.
fn element_name(input: &Input, variable: &DatasetInfo) -> Result<String> {
    let Some(hdf5) = input.hdf5() else {
        return Ok(variable.element.name());
    };
    if !matches!(
        variable.element.class,
        ElementClass::Indirect | ElementClass::Opaque
    ) {
        return Ok(variable.element.name());
    }
    let datatype = hdf5
        .describe_datatype(variable)
        .map_err(|error| from_container(error, input.path()).at_variable(&variable.path))?;
    Ok(type_name(&datatype))
}

fn type_name(datatype: &TypeDescription) -> String {
    let bits = datatype.size_bytes * 8;
    match &datatype.class {
        TypeClass::Integer { signed: true, .. } => format!("int{bits}"),
        TypeClass::Integer { signed: false, .. } => format!("uint{bits}"),
        TypeClass::Float { .. } => format!("float{bits}"),
        TypeClass::Bitfield { .. } => format!("bitfield{bits}"),
        TypeClass::Time { .. } => format!("time{bits}"),
        TypeClass::Complex { .. } => format!("complex{bits}"),
        TypeClass::FixedText { .. } => format!("text({})", datatype.size_bytes),
        TypeClass::VariableText { .. } => "string".to_owned(),
        TypeClass::Opaque { .. } => format!("opaque({})", datatype.size_bytes),
        TypeClass::Enumeration { .. } => format!("enum{bits}"),
        TypeClass::Compound { .. } => format!("compound({})", datatype.size_bytes),
        TypeClass::Array { base, shape } => format!("{}{shape:?}", type_name(base)),
        TypeClass::VariableLength { base } => format!("vlen of {}", type_name(base)),
        TypeClass::ObjectReference | TypeClass::NewReference => "reference".to_owned(),
        TypeClass::RegionReference => "region reference".to_owned(),
    }
}

/// Groups, links and other things worth knowing.
fn notices(hdf5: &Hdf5Input) -> Vec<String> {
    let mut notices = Vec::new();
    if hdf5.user_block_bytes() > 0 {
        notices.push(format!(
            "{} bytes before the HDF5 part (user block)",
            hdf5.user_block_bytes()
        ));
    }
    if hdf5.superblock() >= 3 {
        notices.push(format!(
            "superblock {}: HDF5 1.10 and newer only",
            hdf5.superblock()
        ));
    }
    let entries = |kind: fn(&EntryKind) -> bool| -> Vec<&str> {
        let found = hdf5.entries().iter().filter(|entry| kind(&entry.kind));
        found.map(|entry| entry.path.as_str()).collect()
    };
    let datasets = |kind: fn(&DatasetStorage) -> bool| -> Vec<&str> {
        let found = hdf5
            .datasets()
            .iter()
            .filter(|dataset| kind(&dataset.storage));
        found.map(|dataset| dataset.path.as_str()).collect()
    };
    let lists = [
        (
            "group",
            entries(|kind| matches!(kind, EntryKind::Group { .. })),
        ),
        (
            "committed datatype",
            entries(|kind| matches!(kind, EntryKind::NamedDatatype { .. })),
        ),
        (
            "further hard link",
            entries(|kind| matches!(kind, EntryKind::HardLink { .. })),
        ),
        (
            "soft link",
            entries(|kind| matches!(kind, EntryKind::Soft(_))),
        ),
        (
            "external link",
            entries(|kind| matches!(kind, EntryKind::External { .. })),
        ),
        (
            "user-defined link",
            entries(|kind| matches!(kind, EntryKind::UserDefined { .. })),
        ),
        (
            "virtual dataset (values in other datasets)",
            datasets(|storage| *storage == DatasetStorage::Virtual),
        ),
        (
            "external dataset (values in other files)",
            datasets(|storage| *storage == DatasetStorage::External),
        ),
    ];
    notices.extend(
        lists
            .into_iter()
            .filter_map(|(what, paths)| counted(what, &paths)),
    );
    notices
}

/// `2 groups: /a, /b`; `None` if there are none.
fn counted(what: &str, paths: &[&str]) -> Option<String> {
    if paths.is_empty() {
        return None;
    }
    // The noun is what stands before the parenthesis.
    let what = match (paths.len(), what.split_once(" (")) {
        (1, _) => what.to_owned(),
        (_, Some((noun, rest))) => format!("{noun}s ({rest}"),
        (_, None) => format!("{what}s"),
    };
    let listed: Vec<&str> = paths.iter().take(LISTED).copied().collect();
    let more = match paths.len().saturating_sub(LISTED) {
        0 => String::new(),
        more => format!(" and {more} more"),
    };
    Some(format!(
        "{} {what}: {}{more}",
        paths.len(),
        listed.join(", ")
    ))
}

#[cfg(test)]
mod tests {
    use super::counted;

    #[test]
    fn things_are_counted_and_the_first_are_named() {
        assert_eq!(counted("group", &[]), None);
        assert_eq!(counted("group", &["/a"]).unwrap(), "1 group: /a");
        let text = counted("virtual dataset (elsewhere)", &["/a", "/b"]).unwrap();
        assert_eq!(text, "2 virtual datasets (elsewhere): /a, /b");
        let text = counted("group", &["/a"; 7]).unwrap();
        assert_eq!(text, "7 groups: /a, /a, /a, /a, /a and 2 more");
    }
}
