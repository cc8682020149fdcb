//! Values of a file that several ranks write: each rank reads for itself what the last commit has.
//!
//! What a rank has put since then waits for the next commit, and it does not know what others have put.

use super::Engine;
use crate::reading::Reading;
use crate::status::{Answer, Refusal, Status};
use crate::types::{GroupNumber, Mode};

/// Why values are not read back.
const CHANGED: &str = "this rank has changed a file that several ranks write: call nc_sync on all \
                       of them before values are read back";
const BEHIND: &str = "values cannot be read back where I/O ranks write them";

/// The file as its last commit left it, and what it calls a variable.
pub(super) struct Committed<'a> {
    pub(super) file: &'a mut Reading,
    pub(super) group: GroupNumber,
    pub(super) varid: i32,
}

impl Engine {
    /// Where to read a variable of a file that several ranks write; `None`: one process has it.
    pub(super) fn committed(
        &mut self,
        group: GroupNumber,
        varid: i32,
    ) -> Answer<Option<Committed<'_>>> {
        if !self.is_parallel() {
            return Ok(None);
        }
        let refused = |why: &str| Err(Refusal::new(Status::ENOTBUILT, why));
        if self.options.io_ranks > 0 {
            return refused(BEHIND);
        }
        if self.is_changed {
            return refused(CHANGED);
        }
        // Groups and variables may have other numbers in the file.
        let path = self.inq_grpname_full(group)?;
        let name = self.inq_var(group, varid)?.name;
        let mut file = match self.read_back.take() {
            Some(file) => file,
            None => {
                let opened = Reading::open(self.writer.path(), Mode::NOWRITE, &self.options);
                Box::new(opened.map_err(|why| Refusal::new(Status::ENOTBUILT, why))?)
            }
        };
        let group = file.inq_grp_full_ncid(GroupNumber(0), &path)?;
        let varid = file.inq_varid(group, &name)?;
        let file = self.read_back.insert(file);
        Ok(Some(Committed { file, group, varid }))
    }
}
