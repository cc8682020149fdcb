//! Identifiers that are closed when they go, and HDF5's talk of errors, which is turned off meanwhile.

use std::ffi::c_int;

use crate::library::{Functions, Hid};

/// `H5E_DEFAULT`
const STACK: Hid = 0;

/// An identifier that this library has opened.
pub(crate) struct Owned {
    pub(crate) id: Hid,
    close: unsafe extern "C" fn(Hid) -> c_int,
}

impl Owned {
    /// Takes what HDF5 has returned; `None`: it has failed.
    pub(crate) fn new(id: Hid, close: unsafe extern "C" fn(Hid) -> c_int) -> Option<Self> {
        (id >= 0).then_some(Self { id, close })
    }
}

impl Drop for Owned {
    fn drop(&mut self) {
        // SAFETY: HDF5's function for this kind of identifier, which is open and ours.
        unsafe { (self.close)(self.id) };
    }
}

/// HDF5 prints no errors of this thread as long as this lives: what fails here is asked again of the
/// program's own `H5Dwrite`.
pub(crate) struct Silence<'a> {
    hdf5: &'a Functions,
    function: usize,
    data: usize,
}

impl<'a> Silence<'a> {
    pub(crate) fn begin(hdf5: &'a Functions) -> Self {
        let (mut function, mut data) = (0, 0);
        // SAFETY: the default stack, with places for what is set; then nothing.
        unsafe {
            (hdf5.H5Eget_auto2)(STACK, &raw mut function, &raw mut data);
            (hdf5.H5Eset_auto2)(STACK, 0, 0);
        }
        Self {
            hdf5,
            function,
            data,
        }
    }
}

impl Drop for Silence<'_> {
    fn drop(&mut self) {
        // SAFETY: as the program has set it.
        unsafe { (self.hdf5.H5Eset_auto2)(STACK, self.function, self.data) };
    }
}
