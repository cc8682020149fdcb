//! The result of analysing one file, as plain data.

use std::path::PathBuf;

use serde::Serialize;

use crate::information::VariableInformation;
use frazil_file::wording::lossy;

/// The result of analysing one file.
#[derive(Debug, Clone, Serialize)]
pub struct AnalyzeReport {
    /// The file.
    #[serde(serialize_with = "lossy")]
    pub path: PathBuf,
    /// Floating-point variables in file order.
    pub variables: Vec<VariableInformation>,
    /// Variables that were left out and why, one line each.
    pub notices: Vec<String>,
    /// Wall seconds.
    pub seconds: f64,
}
