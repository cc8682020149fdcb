//! Where a file that frazil writes is between its making and its end.

use std::ffi::c_int;

use crate::files::Taken;
use crate::invoke::invoke_on;
use crate::library::frazil;

/// The bits of `frz_nc_state`.
pub(crate) struct State(c_int);

impl State {
    pub(crate) fn of(file: &Taken) -> Self {
        let mut flags: c_int = 0;
        if let Ok(library) = frazil() {
            let place = (&raw mut flags) as usize;
            // SAFETY: frz_nc_state with its arguments.
            unsafe { invoke_on(library, "nc_state", file.own, [place]) };
        }
        Self(flags)
    }

    pub(crate) fn is_in_data_mode(&self) -> bool {
        self.0 & 1 != 0
    }

    /// Whether the program has called `nc_enddef`.
    pub(crate) fn is_ended(&self) -> bool {
        self.0 & 2 != 0
    }

    /// Whether values were put.
    pub(crate) fn has_values(&self) -> bool {
        self.0 & 4 != 0
    }
}
