//! Variables that were defined since define mode was entered, of a file that has content: the program's own
//! library is to store them as the program asks, which it can say no more once they are in the file.
//!
//! Until that library has opened the file, their definitions wait in a file in memory.

use std::ffi::c_int;

use crate::files::{CLASSIC_MODEL, Taken};
use crate::invoke::invoke_on;
use crate::library::Library;
use crate::shadow::create_in_memory;
use crate::twin::{Source, Twin, variables_of};
use crate::values::done;

/// Such variables.
pub(crate) struct Late {
    memory: InMemory,
    source: Source,
}

impl Late {
    /// Takes the variables out of a file in frazil's hands; `None`: there are none.
    ///
    /// # Errors
    /// The status of the library that refuses; frazil then has them still.
    pub(crate) fn take(file: &Taken, frazil: &'static Library) -> Result<Option<Self>, c_int> {
        let source = Source::of(file, frazil)?;
        let (mut settled, mut all) = (Vec::new(), Vec::new());
        for &group in &source.groups {
            let mut count: c_int = 0;
            let place = (&raw mut count) as usize;
            // SAFETY: frz_nc_settled_variables with its arguments.
            done(unsafe { invoke_on(frazil, "nc_settled_variables", group, [place]) })?;
            settled.push(count);
            all.push(variables_of(frazil, group)?);
        }
        if settled == all {
            return Ok(None);
        }
        let memory = InMemory::create(file)?;
        let mut twin = Twin::of(&source, file.program, memory.id);
        twin.without.clone_from(&settled);
        twin.define_groups()?;
        twin.define_dimensions()?;
        for group in 0..all.len() {
            twin.define_variables(group, settled[group]..all[group])?;
        }
        let groups = twin.groups;
        // SAFETY: frz_nc_take_back_variables with the file's number.
        done(unsafe { invoke_on(frazil, "nc_take_back_variables", file.own, []) })?;
        let source = source.copied(file.program, groups, settled);
        Ok(Some(Self { memory, source }))
    }

    /// Defines them in the file, which the program's own library has now; its numbers of the groups.
    ///
    /// # Errors
    /// That library's status.
    pub(crate) fn define(&self, groups: &[c_int]) -> Result<(), c_int> {
        let mut twin = Twin::of(&self.source, self.memory.program, 0);
        twin.groups = groups.to_vec();
        for (group, &first) in self.source.without.iter().enumerate() {
            let here = variables_of(self.source.library, self.source.groups[group])?;
            twin.define_variables(group, first..first + here)?;
        }
        Ok(())
    }
}

/// A file in memory of the program's own library.
struct InMemory {
    program: &'static Library,
    id: c_int,
}

impl InMemory {
    fn create(file: &Taken) -> Result<Self, c_int> {
        let program = file.program;
        let id = create_in_memory(program, file.mode & CLASSIC_MODEL)?;
        Ok(Self { program, id })
    }
}

impl Drop for InMemory {
    fn drop(&mut self) {
        // SAFETY: nc_abort with the number of a file of our own.
        unsafe { invoke_on(self.program, "nc_abort", self.id, []) };
    }
}
