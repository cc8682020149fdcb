//! Names and texts by which netCDF-4 tells its objects in HDF5.

/// Link name of a variable that has a dimension's name without being its coordinate.
pub const NON_COORDINATE_PREFIX: &str = "_nc4_non_coord_";
/// A dimension's number, so that numbers survive any order of creation.
pub(super) const NUMBER: &str = "_Netcdf4Dimid";
/// How the NAME of a scale begins that stands for a dimension alone.
pub(super) const PLACEHOLDER: &str = "This is a netCDF dimension but not a netCDF variable.";
/// Marks a file that keeps to the classic model.
pub(super) const STRICT: &str = "_nc3_strict";
/// The numbers of a variable's dimensions.
pub(super) const COORDINATES: &str = "_Netcdf4Coordinates";
