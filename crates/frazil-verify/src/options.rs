//! What a caller of [`verify`](crate()) may ask for.

use frazil_file::resources::Resources;

/// Documented sets of tests that decide, on request, whether rounded variables pass.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Thresholds {
    /// The tests of ldcpy (Large Data Comparison for Python; Baker et al. 2016,
    /// doi:10.5194/gmd-9-4381-2016).
    Ldcpy,
}

/// How to verify.
#[derive(Debug, Clone, Default)]
pub struct VerifyOptions {
    /// Limits.
    pub resources: Resources,
    /// Tests that rounded variables must pass beside what the file states. All known tests are
    /// reported in any case.
    pub thresholds: Option<Thresholds>,
    /// Whether only variables, with their types, shapes and values, count, and the attributes that values are
    /// unpacked by. Other differences are counted in a notice.
    pub values_only: bool,
    /// For how many rounded variables, those of the most concern first, data for pictures are
    /// collected; 0: for none.
    pub figures: usize,
    /// Only of variables that match one of these globs; empty: of all.
    pub pictured: Vec<String>,
}
