//! How to analyse.

use frazil_file::resources::Resources;

/// How to analyse the information in a file.
#[derive(Debug, Clone)]
pub struct AnalyzeOptions {
    /// The share of information that the recommended bits keep, above 0 and at most 1.
    pub keep_information: f64,
    /// Patterns of paths or bare names (`*`, `?`, `[...]`); empty: all variables.
    pub variables: Vec<String>,
    /// Limits.
    pub resources: Resources,
}

impl AnalyzeOptions {
    /// The share that Klöwer et al. 2021 recommend.
    pub const DEFAULT_KEEP_INFORMATION: f64 = 0.99;
}

impl Default for AnalyzeOptions {
    fn default() -> Self {
        Self {
            keep_information: Self::DEFAULT_KEEP_INFORMATION,
            variables: Vec::new(),
            resources: Resources::default(),
        }
    }
}
