//! Attributes of one object in two HDF5 files.

use frazil_container::hdf5::{AttributeDescription, Extent, Hdf5Input, ObjectAttributes};

use super::elements::{Unequal, compare_expanded};
use super::findings::Findings;
use super::lossy::Promise;
use super::{datatypes, order, particulars};
use frazil_file::attributes::Attributes;
use frazil_file::error::Result;
use frazil_file::history::{self, HISTORY};
use frazil_file::input::Input;
use frazil_file::storage_error::from_container;
use frazil_precision::names;

/// Who wrote the file: no part of what it says.
const PROVENANCE: &str = "_NCProperties";
/// What dimension scales and netCDF-4 keep their books in: no reader shows its place among the
/// attributes.
const BOOKKEEPING: [&str; 7] = [
    "CLASS",
    "DIMENSION_LIST",
    "NAME",
    "REFERENCE_LIST",
    "_Netcdf4Coordinates",
    "_Netcdf4Dimid",
    "_nc3_strict",
];
/// The variables along a dimension scale; in whatever order they were attached.
const REFERENCE_LIST: &str = "REFERENCE_LIST";

/// One object in both files.
#[derive(Clone, Copy)]
pub(super) struct Objects<'a> {
    pub(super) a: (&'a Input, &'a Hdf5Input),
    pub(super) b: (&'a Input, &'a Hdf5Input),
    /// Its path in the first file.
    pub(super) path_a: &'a str,
    /// Its path in the second file.
    pub(super) path_b: &'a str,
}

/// Compares the attributes of an object, and its comment.
pub(super) fn compare(objects: Objects<'_>, findings: &mut Findings) -> Result<()> {
    compare_variable(objects, None, findings)
}

/// Compares the attributes of a variable, and its comment. Where the second file promises something
/// of a rounding, the attributes that tell of it may differ.
pub(super) fn compare_variable(
    objects: Objects<'_>,
    promise: Option<&Promise>,
    findings: &mut Findings,
) -> Result<()> {
    particulars::comments(objects, findings)?;
    let path = objects.path_a;
    let read = |(input, hdf5): (&Input, &Hdf5Input), at: &str| {
        hdf5.describe_attributes(at)
            .map_err(|error| from_container(error, input.path()).at_variable(at))
    };
    let mut a = read(objects.a, path)?;
    let mut b = read(objects.b, objects.path_b)?;
    if path == "/" {
        for all in [&mut a, &mut b] {
            all.list.retain(|attribute| attribute.name != PROVENANCE);
        }
        let texts = [&a, &b].map(|all| Attributes::of_descriptions(&all.list));
        if history::is_prolonged(&texts[0], &texts[1]) {
            for all in [&mut a, &mut b] {
                all.list.retain(|attribute| attribute.name != HISTORY);
            }
        }
    }
    if let Some(promise) = promise {
        check_unpacking(path, promise, &b, findings);
        for (all, told) in [&mut a, &mut b].into_iter().zip(&promise.told_by) {
            let tells = |name: &str| told.contains(&name);
            all.list.retain(|attribute| !tells(&attribute.name));
        }
    }
    compare_names(path, &a, &b, findings);
    for first in &a.list {
        if let Some(second) = b.named(&first.name) {
            findings.attributes += 1;
            let sets = (first.has_utf8_name, second.has_utf8_name);
            findings.character_set(path, &first.name, sets);
            if let Some(what) = difference(first, second) {
                findings.differ_in_attribute(path, &first.name, &format!(": {what}"));
            }
            if first.values.is_none() || second.values.is_none() {
                findings.notice(format!(
                    "{path}: the value of attribute `{}` is not compared (references of HDF5 1.12)",
                    first.name
                ));
            }
        }
    }
    Ok(())
}

/// Compares the attributes that readers unpack integers by with those that the values were packed for.
fn check_unpacking(
    path: &str,
    promise: &Promise,
    attributes: &ObjectAttributes,
    findings: &mut Findings,
) {
    if promise.packing.is_none() {
        return;
    }
    for wanted in &promise.unpacked_by {
        let found = attributes.named(&wanted.name).is_some_and(|found| {
            let (number, bytes) = wanted.value.number();
            let values = found.values.as_ref();
            found.datatype.number() == Some(number)
                && values.is_some_and(|values| values.bytes() == bytes)
        });
        if !found {
            findings.differ_in_values(path, unlike_codes(&wanted.name));
        }
    }
    let is_wanted = |name: &str| promise.unpacked_by.iter().any(|wanted| wanted.name == name);
    if attributes.named(names::MISSING_VALUE).is_some() && !is_wanted(names::MISSING_VALUE) {
        findings.differ_in_values(path, unlike_codes(names::MISSING_VALUE));
    }
}

/// What is said of an attribute that does not fit packed integers.
pub(super) fn unlike_codes(name: &str) -> String {
    format!("attribute `{name}` is not that of the values that were packed into integers")
}

fn compare_names(path: &str, a: &ObjectAttributes, b: &ObjectAttributes, findings: &mut Findings) {
    let names = |all: &ObjectAttributes| -> Vec<String> {
        all.list
            .iter()
            .map(|attribute| attribute.name.clone())
            .collect()
    };
    let (first, second) = (names(a), names(b));
    let found = order::compare(&first, &second);
    for name in found.only_first {
        findings.differ_in_attribute(path, name, " is only in the first file");
    }
    for name in found.only_second {
        findings.differ_in_attribute(path, name, " is only in the second file");
    }
    let shown = |names: &[String]| -> Vec<String> {
        let is_shown = |name: &&String| !BOOKKEEPING.contains(&name.as_str());
        names.iter().filter(is_shown).cloned().collect()
    };
    let (first, second) = (shown(&first), shown(&second));
    let Some((one, other)) = order::compare(&first, &second).order else {
        return;
    };
    match (a.is_ordered, b.is_ordered) {
        (true, true) => findings.differ(
            path,
            format!(
                "order of attributes: `{one}` in the first file where the second has `{other}`"
            ),
        ),
        (false, false) => {}
        (first_only, _) => findings.notice(order::lost_notice(path, "attributes", first_only)),
    }
}

fn difference(a: &AttributeDescription, b: &AttributeDescription) -> Option<String> {
    // Versions of HDF5 number dimensions there with or without a sign.
    let is_same_list = a.name == REFERENCE_LIST
        && datatypes::without_signs(&a.datatype) == datatypes::without_signs(&b.datatype);
    if let Some(what) = datatypes::difference(&a.datatype, &b.datatype).filter(|_| !is_same_list) {
        return Some(format!("datatype: {what}"));
    }
    if a.extent != b.extent {
        return Some(format!(
            "shape: {} against {}",
            extent(&a.extent),
            extent(&b.extent)
        ));
    }
    let (Some(first), Some(second)) = (&a.values, &b.values) else {
        return None;
    };
    let unequal = compare_expanded((&a.datatype, first), (&b.datatype, second));
    if unequal.count == 0 || (a.name == REFERENCE_LIST && same_entries(a, b)) {
        return None;
    }
    describe(&unequal, &a.extent)
}

fn describe(unequal: &Unequal, extent: &Extent) -> Option<String> {
    match extent {
        Extent::Simple { shape, .. } if extent.elements() != Some(1) => {
            unequal.describe(shape, extent.elements().unwrap_or(0))
        }
        _ => unequal.describe(&[], 1),
    }
}

fn same_entries(a: &AttributeDescription, b: &AttributeDescription) -> bool {
    let sorted = |attribute: &AttributeDescription| {
        let values = attribute.values.as_ref();
        let mut entries: Vec<Vec<u8>> = values
            .map(|values| {
                (0..values.len())
                    .map(|i| values.element(i).to_vec())
                    .collect()
            })
            .unwrap_or_default();
        entries.sort();
        entries
    };
    sorted(a) == sorted(b)
}

/// A shape in words.
pub(super) fn extent(extent: &Extent) -> String {
    match extent {
        Extent::Null => "null".to_owned(),
        Extent::Scalar => "scalar".to_owned(),
        Extent::Simple { shape, max_shape } => {
            let fixed = shape
                .iter()
                .zip(max_shape)
                .all(|(&n, &most)| most == Some(n));
            if fixed {
                return format!("{shape:?}");
            }
            let limits: Vec<String> = max_shape
                .iter()
                .map(|most| most.map_or_else(|| "unlimited".to_owned(), |n| n.to_string()))
                .collect();
            format!("{shape:?} (up to [{}])", limits.join(", "))
        }
    }
}
