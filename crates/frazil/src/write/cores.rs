//! Where the background threads run.

use super::options::WriterOptions;
use crate::run;

/// How many background threads there are; none: every call does its work itself.
pub(super) fn workers(options: &WriterOptions) -> usize {
    match options.synchronous {
        true => 0,
        false => run::threads(&options.resources),
    }
}
