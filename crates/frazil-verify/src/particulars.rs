//! What two HDF5 files say beside attributes and values: comments, mappings, names' character sets,
//! the form of the file.

use frazil_container::hdf5::{DatasetInfo, ElementSelection, Hdf5Input, VirtualPart};

use super::attributes::Objects;
use super::findings::Findings;
use frazil_file::error::Result;
use frazil_file::input::Input;
use frazil_file::storage_error::from_container;

/// Compares the comments of an object.
pub(super) fn comments(objects: Objects<'_>, findings: &mut Findings) -> Result<()> {
    let read = |(input, hdf5): (&Input, &Hdf5Input), path: &str| {
        hdf5.comment(path)
            .map_err(|error| from_container(error, input.path()).at_variable(path))
    };
    let first = read(objects.a, objects.path_a)?;
    let second = read(objects.b, objects.path_b)?;
    if first != second {
        let say = |text: Option<String>| text.map_or("none".to_owned(), |t| format!("`{t}`"));
        let what = format!("comment: {} against {}", say(first), say(second));
        findings.differ(objects.path_a, what);
    }
    Ok(())
}

/// Compares what two virtual datasets are mapped onto.
pub(super) fn mappings(
    (a, info_a): ((&Input, &Hdf5Input), &DatasetInfo),
    (b, info_b): ((&Input, &Hdf5Input), &DatasetInfo),
    findings: &mut Findings,
) -> Result<()> {
    let read = |(input, hdf5): (&Input, &Hdf5Input), info: &DatasetInfo| {
        hdf5.virtual_parts(info)
            .map_err(|error| from_container(error, input.path()).at_variable(&info.path))
    };
    let (first, second) = (read(a, info_a)?, read(b, info_b)?);
    if let Some(what) = difference(&first, &second) {
        findings.differ_in_values(&info_a.path, format!("mapping: {what}"));
    }
    Ok(())
}

fn difference(a: &[VirtualPart], b: &[VirtualPart]) -> Option<String> {
    if a.len() != b.len() {
        return Some(format!("{} sources against {}", a.len(), b.len()));
    }
    // One selection has several forms in files.
    let pairs = a.iter().zip(b).filter(|(first, second)| first != second);
    let mut said = pairs.map(|(first, second)| (words(first), words(second)));
    let (first, second) = said.find(|(first, second)| first != second)?;
    Some(format!("{first} against {second}"))
}

fn words(part: &VirtualPart) -> String {
    let elements = |selection: &ElementSelection| {
        let same = selection.clone().spelled_out();
        same.unwrap_or_else(|_| selection.clone()).to_string()
    };
    format!(
        "{} from {} of {} in {}",
        elements(&part.target),
        elements(&part.source),
        part.dataset,
        part.file
    )
}

/// Says how the form of the files differs, which no value depends on.
pub(super) fn form(a: &Hdf5Input, b: &Hdf5Input, findings: &mut Findings) {
    let (first, second) = (a.unusual_form(), b.unusual_form());
    if first != second {
        let say = |form: &[&str]| match form {
            [] => "nothing of the kind".to_owned(),
            some => some.join(", "),
        };
        findings.notice(format!(
            "the files differ in what no value depends on: the first has {}; the second has {}",
            say(&first),
            say(&second)
        ));
    }
}
