//! The definition of an output, as decided.

use frazil_container::hdf5::{Hdf5Output, OutputTarget};

use crate::routes::Decisions;
use frazil_file::error::Result;
use frazil_file::input::{Input, InputKind};
use frazil_file::storage_error::from_copying;

/// Defines all objects of the output.
pub(crate) fn define(
    source: &Input,
    target: OutputTarget<'_>,
    decisions: &Decisions,
) -> Result<Hdf5Output> {
    let (storage, additions) = (&decisions.storage, &decisions.additions);
    let output = match &target {
        OutputTarget::File { path, .. } => path.to_path_buf(),
        OutputTarget::Measure { .. } => source.path().to_owned(),
    };
    let defined = match source.kind() {
        InputKind::Hdf5(hdf5) => Hdf5Output::define_copy(hdf5, target, storage, additions),
        InputKind::Classic(classic) => {
            let (model, strict) = (classic.model(), source.is_strict());
            Hdf5Output::define_classic(model, strict, target, storage, additions)
        }
    };
    defined.map_err(|error| from_copying(error, source.path(), &output))
}
