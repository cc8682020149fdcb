//! The only door to libhdf5 and netCDF-C: open, locate, define, place.
