//! The compiled part of the Python package `frazil`.
//!
//! In: texts, numbers and arrays of bytes from the Python part. Out: files, through [`frazil`], and
//! arrays, JSON and exceptions with stable codes.
//!
//! Little passes between the two parts: numbers and texts, options and reports as JSON, and values
//! as numpy arrays of bytes. Python code in `python/frazil` handles numpy's types, xarray's
//! conventions and pictures.

#![forbid(unsafe_code)]
#![expect(
    clippy::needless_pass_by_value,
    reason = "PyO3 hands arguments over by value"
)]

mod attributes;
mod chunks;
mod error;
mod job;
mod memory;
mod model;
mod name_lock;
mod operations;
mod options;
mod reader;
mod settings;
mod source;
mod writer;

use pyo3::prelude::*;

/// Python aligns its objects to 16 bytes, whatever they hold.
const _: () = {
    const fn fits_python<T>() {
        assert!(align_of::<T>() <= 16);
    }
    fits_python::<chunks::Packer>();
    fits_python::<name_lock::NameLock>();
    fits_python::<reader::Reader>();
    fits_python::<writer::Writer>();
};

/// The compiled part of frazil; use the package `frazil`.
#[pymodule(gil_used = false)]
#[pyo3(name = "_frazil")]
fn frazil_python(module: &Bound<'_, PyModule>) -> PyResult<()> {
    // While Python's lock keeps forks out.
    frazil::fork_generation();
    // First of all that is registered: writers are closed before.
    frazil::remove_unfinished_in_the_end();
    #[cfg(feature = "network")]
    frazil_remote::install();
    // As Python writes it (PEP 440): 1.0.0rc1.
    let version = frazil::about().version.replace("-rc.", "rc");
    module.add("__version__", version)?;
    module.add_function(wrap_pyfunction!(operations::about, module)?)?;
    module.add_function(wrap_pyfunction!(operations::environment_warnings, module)?)?;
    module.add_function(wrap_pyfunction!(operations::filter_name, module)?)?;
    module.add_function(wrap_pyfunction!(operations::declared_options, module)?)?;
    module.add_function(wrap_pyfunction!(operations::nearest_word, module)?)?;
    module.add_function(wrap_pyfunction!(operations::narrowness, module)?)?;
    module.add_function(wrap_pyfunction!(operations::pack, module)?)?;
    module.add_function(wrap_pyfunction!(operations::plan, module)?)?;
    module.add_function(wrap_pyfunction!(operations::unpack, module)?)?;
    module.add_function(wrap_pyfunction!(operations::info, module)?)?;
    module.add_function(wrap_pyfunction!(operations::references, module)?)?;
    module.add_function(wrap_pyfunction!(operations::cloud_cost, module)?)?;
    module.add_function(wrap_pyfunction!(operations::verify, module)?)?;
    module.add_function(wrap_pyfunction!(operations::analyze, module)?)?;
    module.add_function(wrap_pyfunction!(operations::recover, module)?)?;
    module.add_function(wrap_pyfunction!(operations::check_url, module)?)?;
    module.add_function(wrap_pyfunction!(operations::upload, module)?)?;
    module.add_function(wrap_pyfunction!(operations::followed_output, module)?)?;
    module.add_function(wrap_pyfunction!(operations::usual_mode, module)?)?;
    module.add_function(wrap_pyfunction!(operations::read_precision, module)?)?;
    module.add_function(wrap_pyfunction!(operations::check_names, module)?)?;
    module.add_function(wrap_pyfunction!(operations::check_names_in, module)?)?;
    module.add_function(wrap_pyfunction!(operations::check_dimensions, module)?)?;
    module.add_function(wrap_pyfunction!(memory::compress, module)?)?;
    module.add_function(wrap_pyfunction!(memory::compressed, module)?)?;
    module.add_function(wrap_pyfunction!(memory::decompress, module)?)?;
    module.add_function(wrap_pyfunction!(reader::read_stats, module)?)?;
    module.add_function(wrap_pyfunction!(reader::set_read_budget, module)?)?;
    module.add_function(wrap_pyfunction!(chunks::choose_filters, module)?)?;
    module.add_class::<chunks::Packer>()?;
    module.add_class::<name_lock::NameLock>()?;
    module.add_class::<reader::Reader>()?;
    module.add_class::<writer::Writer>()
}
