//! Chunk shapes that go by the blocks that ranks put.

use std::sync::Arc;

use super::super::borders::Borders;
use super::super::slab::{Slab, check_slab};
use super::super::variable::Variable;
use super::super::writer::Writer;
use super::wire::Agreement;
use frazil_container::schema::VariableId;
use frazil_file::error::Result;

impl Writer {
    /// Says that this rank will put blocks like this one: `count` elements along each axis from
    /// `start`; what it says of axes that grow does not matter. A rank with several blocks says so
    /// of each.
    ///
    /// Where [`WriterOptions::follow_ranks`](super::super::WriterOptions::follow_ranks) is set, and
    /// nobody stated the variable's chunk shape, its chunks are cut by no border of a stated block,
    /// if they can be near frazil's own in size: chunks that one rank covers cost no messages. It
    /// has to be said before the end of definitions, else before the first values are packed;
    /// without any word about it the puts before the first sync count.
    ///
    /// # Errors
    /// [`ErrorCode::InvalidArgument`](frazil_types::ErrorCode::InvalidArgument) if the block does
    /// not fit the variable.
    pub fn state_block(&mut self, id: VariableId, start: &[u64], count: &[u64]) -> Result<()> {
        self.begin()?;
        self.check_variable(id)?;
        let limits = self.schema.limits(id);
        let slab = Slab::new(start, count, None);
        check_slab(&slab, limits.len(), |axis| limits[axis].unwrap_or(u64::MAX)).map_err(
            |error| {
                let path = self.schema.variable_path(id);
                error.in_file(&self.path).at_variable(&path)
            },
        )?;
        let cooperation = Arc::clone(&self.cooperation);
        cooperation.state_block(self, id, &slab)
    }

    /// Notes a block that this writer will put.
    pub(crate) fn note_block(&mut self, id: VariableId, block: &Slab<'_>) {
        let limits = self.schema.limits(id);
        self.details[id.0].borders.note(block, &limits);
    }

    /// Notes where a put begins and ends, as long as chunk shapes may go by that.
    pub(crate) fn note_borders(&mut self, variable: &Variable, slab: &Slab<'_>) {
        let details = &mut self.details[variable.id.0];
        if self.options.follow_ranks && !details.is_in_file {
            details.borders.note(slab, &variable.limits);
        }
    }

    /// By variable: where this rank's puts begin and end.
    pub(super) fn open_borders(&self) -> Vec<Borders> {
        match self.options.follow_ranks {
            true => self.details.iter().map(|d| d.borders.clone()).collect(),
            false => Vec::new(),
        }
    }

    /// Gives variables whose chunk shapes are open such that no border of a rank cuts.
    pub(super) fn follow_blocks(&mut self, agreement: &Agreement) -> Result<()> {
        for (number, borders) in agreement.borders.iter().enumerate() {
            let Some(variable) = self.details[number].active.as_ref().map(Arc::clone) else {
                continue;
            };
            if borders.is_nowhere() || !self.is_shape_open(&variable, &agreement.is_begun) {
                continue;
            }
            self.details[number].agreed_borders = Some(borders.clone());
            let outcome = self.lay_out_anew(&variable);
            outcome.map_err(|error| error.at_variable(&variable.path))?;
        }
        Ok(())
    }
}
