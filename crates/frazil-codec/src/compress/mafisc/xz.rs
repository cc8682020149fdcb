//! .xz streams, with the options that MAFISC's encoder has.

use liblzma::stream::{
    Action, CONCATENATED, Check, Filters, LzmaOptions, MatchFinder, Mode, Status, Stream,
};

use super::{NAME, corrupt};
use crate::CodecError;

/// Dictionaries that LZMA has at least, and MAFISC's encoder at most.
const SMALLEST_DICTIONARY: usize = 4096;
const LARGEST_DICTIONARY: usize = 8 << 20;
/// What a decoder may take beside a dictionary as long as the chunk: another encoder may have left
/// the dictionary at its default of 8 MiB.
const DECODER_BYTES: u64 = 16 << 20;

/// Length of a stream of `raw_bytes` at most.
pub(crate) fn bound(raw_bytes: usize) -> usize {
    // 3 bytes for each 64 KiB that do not shrink; headers, index and check.
    raw_bytes.saturating_add(raw_bytes / 1024 + 256)
}

/// Compresses `raw`.
pub(crate) fn encode(raw: &[u8]) -> Result<Vec<u8>, CodecError> {
    let dictionary = raw.len().clamp(SMALLEST_DICTIONARY, LARGEST_DICTIONARY);
    let mut options = LzmaOptions::new();
    options
        .dict_size(dictionary as u32)
        .literal_context_bits(1)
        .literal_position_bits(0)
        .position_bits(2)
        .mode(Mode::Fast)
        .nice_len(273)
        .match_finder(MatchFinder::HashChain4)
        .depth(1);
    let mut filters = Filters::new();
    filters.lzma2(&options);
    let failed = |_| CodecError::EncodeFailed {
        filter: NAME,
        reason: "liblzma refuses the chunk",
    };
    let mut stream = Stream::new_stream_encoder(&filters, Check::Crc64).map_err(failed)?;
    let mut out = Vec::with_capacity(bound(raw.len()));
    match stream
        .process_vec(raw, &mut out, Action::Finish)
        .map_err(failed)?
    {
        Status::StreamEnd => Ok(out),
        _ => Err(CodecError::EncodeFailed {
            filter: NAME,
            reason: "the stream exceeds its bound",
        }),
    }
}

/// Decompresses streams that must hold `raw_bytes`.
pub(crate) fn decode(stored: &[u8], raw_bytes: usize) -> Result<Vec<u8>, CodecError> {
    let limit = DECODER_BYTES.saturating_add(2 * raw_bytes as u64);
    let no_stream = |_| corrupt("no .xz stream of its elements");
    let mut stream = Stream::new_stream_decoder(limit, CONCATENATED).map_err(no_stream)?;
    let mut out = vec![0; raw_bytes];
    let status = stream.process(stored, &mut out, Action::Finish);
    let status = match status {
        // The buffer is full, and the end of the stream needs another look.
        Ok(Status::Ok) if stream.total_out() == raw_bytes as u64 => {
            let rest = stored.get(stream.total_in() as usize..).unwrap_or_default();
            stream.process(rest, &mut [], Action::Finish)
        }
        status => status,
    };
    match status.map_err(no_stream)? {
        Status::StreamEnd if stream.total_out() == raw_bytes as u64 => Ok(out),
        _ => Err(corrupt("its stream does not hold its elements")),
    }
}
