//! The types of the interface: their names, and which memory type a number means.

use std::ffi::c_int;

use frazil::netcdf::{MemoryType, Outcome, Status};

use crate::nc::table;

/// Names and sizes of the atomic types, from `NC_BYTE` (1) to `NC_STRING` (12).
const ATOMIC: [(&str, usize); 12] = [
    ("byte", 1),
    ("char", 1),
    ("short", 2),
    ("int", 4),
    ("float", 4),
    ("double", 8),
    ("ubyte", 1),
    ("ushort", 2),
    ("uint", 4),
    ("int64", 8),
    ("uint64", 8),
    ("string", size_of::<*const u8>()),
];

/// Whether a type is one of netCDF's own.
pub(crate) fn is_atomic(nc_type: c_int) -> bool {
    nc_type <= ATOMIC.len() as c_int
}

/// `nc_inq_type`: name and size in bytes.
pub(crate) fn describe(nc_type: c_int) -> Outcome<(&'static str, usize)> {
    let index = usize::try_from(nc_type).ok().and_then(|n| n.checked_sub(1));
    let found = index.and_then(|index| ATOMIC.get(index));
    found.copied().ok_or(Status::EBADTYPE)
}

/// `nc_inq_typeid`: a type by its name.
pub(crate) fn by_name(name: &str) -> Outcome<c_int> {
    let index = ATOMIC.iter().position(|&(known, _)| known == name);
    index
        .map(|index| index as c_int + 1)
        .ok_or(Status::EBADTYPE)
}

/// The memory type of values that look like `nc_type`.
pub(crate) fn memory(nc_type: c_int) -> Outcome<MemoryType> {
    MemoryType::of_number(nc_type).ok_or(Status::EBADTYPE)
}

/// The status for dimensions that cannot be: what netCDF-C says of the type comes first.
pub(crate) fn or_bad_type(ncid: c_int, nc_type: c_int, status: Status) -> Status {
    match table::with(ncid, |file, _| file.inq_format()) {
        Err(closed) => closed,
        Ok(_) if nc_type == 0 => Status::EBADTYPE,
        Ok(1 | 2) if !(1..=6).contains(&nc_type) => Status::EBADTYPE,
        Ok(5) if !(1..=11).contains(&nc_type) => Status::EBADTYPE,
        Ok(4) if nc_type > 6 => Status::ESTRICTNC3,
        Ok(_) => status,
    }
}
