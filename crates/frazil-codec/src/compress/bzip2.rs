//! bzip2 streams (filter 307), decoding.

use std::io::Read;

use bzip2_rs::DecoderReader;

use crate::CodecError;
use crate::buffer::OutputSize;

/// Decodes the stream at the start of `stored` into `out`.
pub(crate) fn decode(stored: &[u8], out: &mut Vec<u8>, size: OutputSize) -> Result<(), CodecError> {
    out.clear();
    if let OutputSize::Exact(bytes) = size {
        out.reserve_exact(bytes);
    }
    let mut reader = DecoderReader::new(stored).take(size.limit() as u64 + 1);
    reader.read_to_end(out).map_err(|_| CodecError::Corrupt {
        filter: "bzip2",
        reason: "not a whole bzip2 stream, or a checksum is wrong",
    })?;
    if out.len() > size.limit() {
        return Err(size.overflow());
    }
    size.check(out.len()).map(drop)
}
