//! Names: which are legal, and which attributes belong to the format.

use std::borrow::Cow;

use crate::status::{Answer, Outcome, Refusal, Status};
use frazil_container::netcdf::normalized_name;
use frazil_options::names::{MAX_NAME_BYTES, NameFault, checked_name};

/// Bytes of the longest name (`NC_MAX_NAME`).
pub(super) const MAX_NAME: usize = MAX_NAME_BYTES;

/// The fill value's attribute.
pub(super) const FILL_VALUE: &str = "_FillValue";

/// Attributes that belong to the format; programs neither see nor set them.
const RESERVED: [&str; 17] = [
    "CLASS",
    "DIMENSION_LIST",
    "NAME",
    "REFERENCE_LIST",
    "_ARRAY_DIMENSIONS",
    "_Codecs",
    "_Format",
    "_IsNetcdf4",
    "_NCProperties",
    "_Netcdf4Coordinates",
    "_Netcdf4Dimid",
    "_SuperblockVersion",
    "_nc3_strict",
    "_nczarr_array",
    "_nczarr_attr",
    "_nczarr_group",
    "_nczarr_superblock",
];

/// Whether an attribute belongs to the format.
pub(super) fn is_reserved(attribute: &str) -> bool {
    RESERVED.contains(&attribute)
}

/// A name as `nc4_check_name` lets it pass.
///
/// # Errors
/// `NC_EBADNAME`, `NC_EMAXNAME`.
pub(super) fn check_name(name: &str) -> Answer<Cow<'_, str>> {
    // Its bytes are counted as they are given, up to the first that is one too many.
    if let Some(end) = first_too_many(name).filter(|_| !name.contains('/')) {
        let start = format!("{}_", &name[..end]);
        let is_legal = !matches!(checked_name(&start), Err(NameFault::Illegal(_)));
        if is_legal {
            let words = NameFault::TooLong(name.len()).sentence(name);
            return Err(Refusal::new(Status::EMAXNAME, words));
        }
    }
    checked_name(name).map_err(|fault| {
        let status = match fault {
            NameFault::Illegal(_) => Status::EBADNAME,
            NameFault::TooLong(_) => Status::EMAXNAME,
        };
        Refusal::new(status, fault.sentence(name))
    })
}

/// Where the character ends that makes a name too long.
fn first_too_many(name: &str) -> Option<usize> {
    let ends = name
        .char_indices()
        .map(|(at, letter)| at + letter.len_utf8());
    ends.skip(1).find(|&end| end > MAX_NAME)
}

/// A name that is looked for, as `nc4_normalize_name` lets it pass.
///
/// # Errors
/// As [`check_name`].
pub(super) fn check_sought(name: &str) -> Answer<()> {
    let bytes = match name.is_ascii() {
        true => Some(name.len()),
        false => normalized_name(name).map(|name| name.len()),
    };
    match bytes {
        _ if name.contains('\0') => Err(Status::EBADNAME.into()),
        None => Err(Status::EBADNAME.into()),
        Some(bytes) if bytes > MAX_NAME => Err(Status::EMAXNAME.into()),
        Some(_) => Ok(()),
    }
}

/// A name as netCDF-C looks it up.
///
/// # Errors
/// `NC_EBADNAME`, `NC_EMAXNAME`.
pub fn sought_name(name: &str) -> Outcome<String> {
    let name = normalized_name(name).filter(|name| !name.contains('\0'));
    let name = name.ok_or(Status::EBADNAME)?;
    match name.len() {
        0..=MAX_NAME => Ok(name),
        _ => Err(Status::EMAXNAME),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn faults_of_names_have_their_statuses() {
        assert_eq!(check_name("x").unwrap(), "x");
        assert_eq!(check_name("a/b").unwrap_err().status, Status::EBADNAME);
        let long = "x".repeat(MAX_NAME + 1);
        assert_eq!(check_name(&long).unwrap_err().status, Status::EMAXNAME);
        // What follows the first byte that is too many is not looked at, but for slashes.
        let status = |end: &str| check_name(&format!("{long}{end}")).unwrap_err().status;
        assert_eq!(status("\n"), Status::EMAXNAME);
        assert_eq!(status("/"), Status::EBADNAME);
        // 300 bytes as they are given, 200 as they are written.
        let composed = "e\u{301}".repeat(100);
        assert_eq!(check_name(&composed).unwrap_err().status, Status::EMAXNAME);
        assert_eq!(check_sought(&composed), Ok(()));
        assert_eq!(check_sought(&long).unwrap_err().status, Status::EMAXNAME);
    }
}
