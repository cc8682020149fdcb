//! `frazil unpack`.

use std::path::PathBuf;
use std::sync::Arc;
use std::sync::atomic::AtomicBool;

use clap::{Args, ValueEnum};
use frazil::{Destination, UnpackFormat, UnpackOptions};

use super::{OutputArgs, ResourceArgs, TargetArgs};

#[derive(Debug, Args)]
pub(crate) struct UnpackArgs {
    /// Files to unpack
    #[arg(required = true, value_name = "IN")]
    pub(crate) inputs: Vec<PathBuf>,
    #[command(flatten)]
    pub(super) target: TargetArgs,
    /// Format of the result
    #[arg(long, value_enum, default_value_t = Format::Netcdf4)]
    format: Format,
    #[command(flatten)]
    resources: ResourceArgs,
    /// Show every variable, however many
    #[arg(long)]
    pub(crate) all_variables: bool,
    #[command(flatten)]
    pub(crate) output: OutputArgs,
}

#[derive(Debug, Clone, Copy, ValueEnum)]
enum Format {
    /// netCDF-4/HDF5 without filters
    Netcdf4,
    /// Classic netCDF: the smallest of CDF-1, CDF-2 and CDF-5 that holds the data
    Classic,
}

impl UnpackArgs {
    /// Where the results go; [`super::parse`] lets no arguments through that leave it open.
    pub(crate) fn destination(&self) -> Option<Destination> {
        self.target.destination()
    }

    /// The facade's options.
    pub(crate) fn options(&self, cancel: &Arc<AtomicBool>) -> UnpackOptions {
        UnpackOptions {
            format: match self.format {
                Format::Netcdf4 => UnpackFormat::Hdf5,
                Format::Classic => UnpackFormat::Classic,
            },
            overwrite: self.target.overwrite,
            verify: self.target.verify,
            resources: self.resources.resources(cancel),
        }
    }
}
