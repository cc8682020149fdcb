//! Names: which are legal, and which attributes belong to the format.

use std::borrow::Cow;

use crate::status::{Answer, Refusal, Status};
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
    checked_name(name).map_err(|fault| {
        let status = match fault {
            NameFault::Illegal(_) => Status::EBADNAME,
            NameFault::TooLong(_) => Status::EMAXNAME,
        };
        Refusal::new(status, fault.sentence(name))
    })
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
    }
}
