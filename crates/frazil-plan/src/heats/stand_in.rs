//! Where nothing can be compared.

use std::ops::Range;

use frazil_types::ReaderLevel;

use super::entry::{Entry, entries, on_all};
use super::{LITTLE, Outcome, outcome};
use crate::candidates::{CandidateFilters, candidate};
use crate::error::PlanError;
use crate::trial::Trial;

/// What tells whether filters pay where none can be tried: their own trials take next to nothing.
const STAND_INS: [&str; 2] = ["shuffle+zstd(1)", "lorenzo+shuffle+zstd(1)"];

/// What a stand-in alone leaves where others cannot tell otherwise: filters pay, and something is left.
const TELLING: Range<f64> = 0.2..0.8;

/// What is named first, with the share that a fast compressor keeps of all samples, or one like it behind
/// differences where those may be. Where that leaves next to nothing, only filters like it are known to.
pub(super) fn by_stand_in(
    trial: &mut Trial<'_>,
    mut named: Vec<Entry>,
) -> Result<Outcome, PlanError> {
    let Some(first) = named.first() else {
        return Ok(outcome(trial, named, |_| true));
    };
    let readers = first.candidate.readers.max(ReaderLevel::Plugins);
    let stand_ins = STAND_INS.iter().filter_map(|name| candidate(name));
    let stand_ins: Vec<&CandidateFilters> =
        stand_ins.filter(|one| one.readers <= readers).collect();
    let mut share = f64::INFINITY;
    for stand_in in entries(trial, &stand_ins) {
        share = share.min(on_all(trial, &stand_in, None)?);
        if TELLING.contains(&share) {
            break;
        }
    }
    let is_like_it = |entry: &Entry| entry.candidate.family().ends_with("zstd");
    let taken = match share <= LITTLE {
        true => named.iter().position(is_like_it).unwrap_or(0),
        false => 0,
    };
    let mut taken = named.swap_remove(taken);
    taken.share = share;
    Ok(outcome(trial, vec![taken], |_| true))
}
