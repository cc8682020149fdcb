//! `frazil unpack`.

use std::io;
use std::sync::Arc;
use std::sync::atomic::AtomicBool;

use frazil::UnpackOptions;

use super::Status;
use super::batch;
use super::command_line;
use super::summary::Shown;
use super::transform::{Transform, each, end};
use crate::args::UnpackArgs;
use crate::printer::Printer;

/// Unpacks every input.
///
/// # Errors
/// Standard output's.
pub(crate) fn run(args: &UnpackArgs, cancel: &Arc<AtomicBool>) -> io::Result<Status> {
    let Some(destination) = args.destination() else {
        return Ok(Status::Trouble);
    };
    let chosen = match batch::choose(
        &args.inputs.named,
        &args.inputs.selection,
        args.target.out_dir(),
        Printer::new(args.output),
    )
    .and_then(|chosen| args.target.check_output().map(|()| chosen))
    {
        Ok(chosen) => chosen,
        Err(error) => return end(args.output, error, Status::Trouble),
    };
    let options = args.options(cancel);
    let transform = Transform {
        chosen: &chosen,
        out_dir: args.target.out_dir(),
        destination: &destination,
        batch: &args.batch,
        results: &args.results,
        output: args.output,
        shown: Shown {
            all_variables: args.all_variables,
            ..Shown::default()
        },
        resources: &options.resources,
    };
    each(&transform, &|input, destination, resources, progress| {
        let asked = args.target.history;
        let options = UnpackOptions {
            resources,
            history: asked.then(|| command_line::about(input, &args.inputs.named)),
            ..options.clone()
        };
        frazil::unpack(input, destination, &options, progress)
    })
}
