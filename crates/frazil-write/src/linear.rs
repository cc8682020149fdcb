//! Linear rounding of values on their way into chunks: over the range of the values of each call,
//! as the GFS model rounds a field before it writes it.
//!
//! The range of the whole variable is known only when nothing can be rounded any more. A call with
//! one value leaves it as it is: it is the only point of its grid.

use std::sync::Arc;

use frazil_codec::{implied_absolute_bound, ordinary_range};
use frazil_plan::information::mantissa_bits;
use frazil_types::{QuantizePlan, Rounding, Selection};

use super::pack::Step;
use super::slab::Slab;
use super::variable::Variable;
use super::writer::Writer;
use frazil_file::error::{Error, Result};
use frazil_precision::{RoundingStats, VariableRounding};

/// Values are rounded in pieces of about so many bytes, since each piece is copied.
const PIECE_BYTES: usize = 1 << 20;

impl Writer {
    /// As [`Writer::gather`], with the values rounded to a grid over their range.
    pub(super) fn gather_on_grid(
        &mut self,
        variable: &Arc<Variable>,
        slab: &Slab<'_>,
        bytes: &[u8],
    ) -> Result<()> {
        let Some(grid) = grid_over(variable, bytes)? else {
            return self.gather(variable, slab, bytes);
        };
        slab.cut(bytes, PIECE_BYTES, &mut |slab, bytes| {
            let elements = (bytes.len() / variable.element_bytes()) as u64;
            let (rounded, stats) = grid.round(bytes, &Selection::whole(&[elements]))?;
            self.note_error(variable, stats);
            self.gather(variable, slab, &rounded)
        })
    }

    /// Tells the placer of a larger error than before, in its turn: ahead of the chunks that hold
    /// it, since a commit may come at any of them.
    fn note_error(&mut self, variable: &Arc<Variable>, stats: RoundingStats) {
        let largest = &mut self.details[variable.id.0].largest_error;
        let error = stats.errors.max_absolute_error;
        if largest.is_none_or(|largest| error > largest) {
            *largest = Some(error);
            self.submission.pass_on(Step::Rounded(variable.id, stats));
        }
    }
}

/// The grid over the range of some values; `None`: they stay as they are, since no value is
/// ordinary, all are equal, or the range is too wide.
fn grid_over(variable: &Variable, bytes: &[u8]) -> Result<Option<VariableRounding>> {
    let Some((nbits, plan)) = linear(variable) else {
        return Ok(None);
    };
    let found = ordinary_range(bytes, &plan.protected, variable.element)
        .map_err(|error| Error::new(error.code(), error.to_string()))?;
    let is_usable = |&[low, high]: &[f64; 2]| low < high && (high - low).is_finite();
    let Some(range) = found.filter(is_usable) else {
        return Ok(None);
    };
    let mut plan = plan.clone();
    plan.rounding = Rounding::Linear {
        nbits,
        range: Some(range),
    };
    let bits = mantissa_bits(variable.element_bytes());
    plan.bound.absolute = implied_absolute_bound(&plan.rounding, bits);
    let elements = (bytes.len() / variable.element_bytes()) as u64;
    VariableRounding::bind(&plan, variable.element, &[elements]).map(Some)
}

/// The bits of a variable's linear grid, and the plan that says so.
fn linear(variable: &Variable) -> Option<(u32, &QuantizePlan)> {
    let plan = variable.quantize.as_ref()?;
    match plan.rounding {
        Rounding::Linear { nbits, .. } => Some((nbits, plan)),
        _ => None,
    }
}
