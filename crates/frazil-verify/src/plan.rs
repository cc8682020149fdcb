//! Which values are to be compared, and how each side is read.

use frazil_container::hdf5::{DatasetInfo, FillStatus, FillTime, TypeDescription};

use super::lossy::Promise;
use frazil_file::input::Input;

/// One variable of one file.
#[derive(Debug, Clone)]
pub(super) struct Side {
    /// Its number in [`Input::variables`].
    pub(super) variable: usize,
    /// Its elements.
    pub(super) datatype: TypeDescription,
}

/// A variable that both files have, with values that can be compared.
#[derive(Debug, Clone)]
pub(super) struct Pair {
    /// Its path, for the report.
    pub(super) path: String,
    /// The box to compare: a variable that is shorter is fill beyond its end.
    pub(super) shape: Vec<u64>,
    pub(super) a: Side,
    pub(super) b: Side,
    /// What the second file promises where values need not be equal.
    pub(super) promise: Option<Promise>,
}

impl Pair {
    /// Number of elements to compare.
    pub(super) fn elements(&self) -> u64 {
        self.shape
            .iter()
            .fold(1, |product, &n| product.saturating_mul(n))
    }

    /// Bytes of these elements in the first file.
    pub(super) fn bytes(&self) -> u64 {
        self.elements()
            .saturating_mul(self.a.datatype.size_bytes as u64)
    }

    /// The variable in the first file.
    pub(super) fn info_a<'a>(&self, a: &'a Input) -> &'a DatasetInfo {
        &a.variables()[self.a.variable]
    }

    /// The variable in the second file.
    pub(super) fn info_b<'b>(&self, b: &'b Input) -> &'b DatasetInfo {
        &b.variables()[self.b.variable]
    }
}

/// Whether elements that were never written have no defined value.
pub(super) fn has_undefined_fill(variable: &DatasetInfo) -> bool {
    variable.fill_time == FillTime::Never || variable.fill_status == FillStatus::Undefined
}
