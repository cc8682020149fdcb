//! Names of the attributes that say how a variable was rounded.
//!
//! Source: CF conventions 1.12, section 8.4 (`quantization`, `quantization_nsb`,
//! `quantization_nsd`, and the container's `algorithm` and `implementation`); netCDF-C's
//! `nc_def_var_quantize`; fv3atm's `module_write_netcdf`. The bounds are ours: CF has no attribute
//! for them.

/// On a variable: the name of its quantization container.
pub(crate) const CONTAINER: &str = "quantization";
/// On a variable: explicit mantissa bits kept (the smallest number of any chunk).
pub(crate) const SIGNIFICANT_BITS: &str = "quantization_nsb";
/// On a variable: decimal digits kept.
pub(crate) const SIGNIFICANT_DIGITS: &str = "quantization_nsd";
/// On a variable: no value's error exceeds this.
pub(crate) const ABSOLUTE_BOUND: &str = "quantization_maximum_absolute_error";
/// On a variable: no value's error exceeds this share of the value.
pub(crate) const RELATIVE_BOUND: &str = "quantization_maximum_relative_error";
/// On a variable: the relative bound never demands a smaller error than this.
pub(crate) const FINEST_ABSOLUTE: &str = "quantization_finest_absolute_error";
/// On a variable: the share of bitwise real information that was asked for.
pub(crate) const KEEP_INFORMATION: &str = "quantization_keep_information";
/// On a variable: bits of the linear grid, as fv3atm writes them.
pub(crate) const LINEAR_BITS: &str = "nbits";
/// On a variable: the largest absolute error of the linear grid, as fv3atm writes it.
pub(crate) const LINEAR_ERROR: &str = "max_abs_compression_error";
/// On a container: the algorithm.
pub const ALGORITHM: &str = "algorithm";
/// On a container: who rounded.
pub const IMPLEMENTATION: &str = "implementation";
/// The container variable.
pub const CONTAINER_VARIABLE: &str = "quantization_info";
/// netCDF-C's attribute for BitGroom.
pub const NETCDF_BITGROOM: &str = "_QuantizeBitGroomNumberOfSignificantDigits";
/// netCDF-C's attribute for Granular BitRound.
pub const NETCDF_GRANULAR: &str = "_QuantizeGranularBitRoundNumberOfSignificantDigits";
/// netCDF-C's attribute for BitRound.
pub const NETCDF_BITROUND: &str = "_QuantizeBitRoundNumberOfSignificantBits";

/// The attributes that CF and frazil have for all roundings.
pub(crate) const OF_ROUNDING: [&str; 7] = [
    CONTAINER,
    SIGNIFICANT_BITS,
    SIGNIFICANT_DIGITS,
    ABSOLUTE_BOUND,
    RELATIVE_BOUND,
    FINEST_ABSOLUTE,
    KEEP_INFORMATION,
];
/// Of these, the bounds.
pub const OF_BOUNDS: [&str; 3] = [ABSOLUTE_BOUND, RELATIVE_BOUND, FINEST_ABSOLUTE];
/// On a variable of packed integers: what codes are multiplied by.
pub(crate) const SCALE_FACTOR: &str = "scale_factor";
/// On a variable of packed integers: what is added then.
pub(crate) const ADD_OFFSET: &str = "add_offset";
/// On a variable: what stands for values that are not there.
pub const FILL_VALUE: &str = "_FillValue";
/// On a variable: another such value.
pub const MISSING_VALUE: &str = "missing_value";

/// The new attributes of packed integers.
pub const OF_PACKING: [&str; 3] = [SCALE_FACTOR, ADD_OFFSET, ABSOLUTE_BOUND];
/// The attributes of a linear grid.
pub(crate) const OF_LINEAR: [&str; 2] = [LINEAR_BITS, LINEAR_ERROR];
/// netCDF-C's attributes.
pub(crate) const OF_NETCDF: [&str; 3] = [NETCDF_BITGROOM, NETCDF_GRANULAR, NETCDF_BITROUND];
