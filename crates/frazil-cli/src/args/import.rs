//! `frazil import`.

use std::path::PathBuf;
use std::sync::Arc;
use std::sync::atomic::AtomicBool;

use clap::Args;
use frazil::{Columns, ImportLayout, ImportOptions, Matrix};

use super::synth::extents;
use super::{OutputArgs, ResourceArgs};

#[derive(Debug, Args)]
pub(crate) struct ImportArgs {
    /// Text file with delimiters (CSV): columns of numbers under a row of names
    #[arg(value_name = "IN")]
    pub(crate) input: PathBuf,
    /// Write this netCDF-4 file
    #[arg(short, long, value_name = "OUT")]
    pub(crate) output: PathBuf,
    /// Character between two cells; `tab` for a tab
    #[arg(short, long, value_name = "C", default_value = ",", value_parser = parse_delimiter)]
    delimiter: u8,
    /// The file has no row of names
    #[arg(long)]
    no_header: bool,
    /// Text that means a missing value, in addition to empty cells; you can repeat this option
    #[arg(long, value_name = "TEXT", allow_hyphen_values = true)]
    missing: Vec<String>,
    /// Make this column the coordinate variable of the rows
    #[arg(long, value_name = "COLUMN")]
    coordinate: Option<String>,
    /// Leave out this column; you can repeat this option
    #[arg(long, value_name = "COLUMN")]
    skip: Vec<String>,
    /// Read the whole file as one matrix without names: one variable of two dimensions
    #[arg(long, conflicts_with_all = ["no_header", "coordinate", "skip"])]
    matrix: bool,
    /// Same as --matrix, but refuse a file of another size
    #[arg(long, value_name = "ROWSxCOLS", value_parser = parse_grid)]
    #[arg(conflicts_with_all = ["no_header", "coordinate", "skip"])]
    grid: Option<(u64, u64)>,
    /// Name of the variable for a matrix
    #[arg(long, value_name = "NAME", default_value = "data")]
    name: String,
    /// Store floating-point columns as float32
    #[arg(long)]
    float32: bool,
    /// Replace an existing output file
    #[arg(long)]
    overwrite: bool,
    #[command(flatten)]
    resources: ResourceArgs,
    /// Show all variables, not only the largest
    #[arg(long)]
    pub(crate) all_variables: bool,
    #[command(flatten)]
    pub(crate) print: OutputArgs,
}

impl ImportArgs {
    /// The facade's options.
    pub(crate) fn options(&self, cancel: &Arc<AtomicBool>) -> ImportOptions {
        ImportOptions {
            layout: match self.matrix || self.grid.is_some() {
                true => ImportLayout::Matrix(Matrix {
                    shape: self.grid,
                    name: self.name.clone(),
                }),
                false => ImportLayout::Table(Columns {
                    header: !self.no_header,
                    coordinate: self.coordinate.clone(),
                    skip: self.skip.clone(),
                }),
            },
            delimiter: self.delimiter,
            missing: self.missing.clone(),
            float32: self.float32,
            overwrite: self.overwrite,
            resources: self.resources.resources(cancel),
        }
    }
}

fn parse_delimiter(text: &str) -> Result<u8, String> {
    match text.as_bytes() {
        b"tab" | b"\\t" => Ok(b'\t'),
        &[byte] if byte.is_ascii() => Ok(byte),
        _ => Err("write one character, or `tab`".to_owned()),
    }
}

fn parse_grid(text: &str) -> Result<(u64, u64), String> {
    match extents(text).as_deref() {
        Some(&[rows, columns]) => Ok((rows, columns)),
        _ => Err("write rows and columns, for example 180x360".to_owned()),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn delimiters_and_grids_are_parsed() {
        assert_eq!(parse_delimiter("tab"), Ok(b'\t'));
        assert_eq!(parse_delimiter(";"), Ok(b';'));
        assert!(parse_delimiter("||").is_err() && parse_delimiter("é").is_err());
        assert_eq!(parse_grid("3x4"), Ok((3, 4)));
        assert!(parse_grid("3").is_err() && parse_grid("3x4x5").is_err());
    }
}
