//! Errors of the pipeline in a user's words.

use frazil_pipeline::PipelineError;
use frazil_types::ErrorCode;

use crate::error::Error;
use crate::resources::not_enough_memory;

/// Says what happened, where, and what helps. `place` names a chunk, by the number of its source
/// and its own: "the chunk at [0, 5]".
pub fn from_pipeline(error: PipelineError, place: impl Fn(usize, u64) -> String) -> Error {
    let code = error.code();
    let explained = match error {
        PipelineError::Io {
            source_index,
            chunk,
            error,
        } => {
            let place = place(source_index, chunk);
            let cause = match error.kind() {
                std::io::ErrorKind::UnexpectedEof => format!("the file ends before {place} does"),
                _ => format!("reading {place}: {error}"),
            };
            if let Some((code, cure)) = Error::behind(&error) {
                let mut behind = Error::new(code, cause);
                behind.cure = cure;
                return behind;
            }
            Error::new(code, cause)
        }
        PipelineError::Decode {
            source_index,
            chunk,
            error,
        } => Error::new(code, format!("{}: {error}", place(source_index, chunk))),
        PipelineError::ChunkTooLarge {
            needed_bytes,
            budget_bytes,
        } => return not_enough_memory(needed_bytes, budget_bytes),
        other => Error::new(code, other.to_string()),
    };
    match code {
        ErrorCode::Corrupt => {
            explained.with_cure("the file is damaged; copy it again from its source")
        }
        _ => explained,
    }
}
