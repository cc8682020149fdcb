//! Names: which are legal, and which attributes belong to the format.

use crate::netcdf::status::{Answer, Status};

/// Bytes of the longest name (`NC_MAX_NAME`).
pub(super) const MAX_NAME: usize = 256;

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

/// Checks a name as `NC_check_name` does.
///
/// # Errors
/// `NC_EBADNAME`, `NC_EMAXNAME`.
pub(super) fn check_name(name: &str) -> Answer<()> {
    let is_start = |first: char| !first.is_ascii() || first.is_ascii_alphanumeric() || first == '_';
    let is_legal = name.starts_with(is_start)
        && !name.contains(|character: char| character.is_ascii_control() || character == '/')
        && !name.ends_with(' ');
    if !is_legal {
        return Err(Status::EBADNAME.into());
    }
    if name.len() > MAX_NAME {
        return Err(Status::EMAXNAME.into());
    }
    Ok(())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn names_are_those_of_netcdf() {
        for name in ["a", "_x", "0", "über", "temp at 2 m", "a.b+c@d"] {
            assert_eq!(check_name(name), Ok(()), "{name}");
        }
        for name in ["", "a/b", " a", "a ", "-a", "a\n", "a\u{7f}"] {
            assert_eq!(
                check_name(name).unwrap_err().status,
                Status::EBADNAME,
                "{name:?}"
            );
        }
        let long = "x".repeat(MAX_NAME + 1);
        assert_eq!(check_name(&long).unwrap_err().status, Status::EMAXNAME);
        assert_eq!(check_name(&long[1..]), Ok(()));
    }
}
