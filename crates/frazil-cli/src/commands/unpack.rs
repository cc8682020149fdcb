//! `frazil unpack`.

use std::io;
use std::sync::Arc;
use std::sync::atomic::AtomicBool;

use super::Status;
use super::transform::{Transform, each};
use crate::args::UnpackArgs;

/// Unpacks every input.
///
/// # Errors
/// Standard output's.
pub(crate) fn run(args: &UnpackArgs, cancel: &Arc<AtomicBool>) -> io::Result<Status> {
    let Some(destination) = args.destination() else {
        return Ok(Status::Trouble);
    };
    let options = args.options(cancel);
    let transform = Transform {
        inputs: &args.inputs,
        output: args.output,
        all_variables: args.all_variables,
        energy: false,
        cancel,
    };
    each(&transform, |input, progress| {
        frazil::unpack(input, &destination, &options, progress)
    })
}
