//! LZF blocks (filter 32000, h5py), decoding.
//!
//! Source: LibLZF `lzf_d.c`, `lzf_filter.c`. A control byte below 32 starts a literal run; any other
//! holds the length and the high bits of the distance of a match.

use crate::CodecError;
use crate::buffer::OutputSize;

const NAME: &str = "lzf";
const LONGEST_SHORT_MATCH: usize = 7;

const CUT_SHORT: CodecError = CodecError::Corrupt {
    filter: NAME,
    reason: "cut short",
};

/// Decodes `stored` into `out`.
pub(crate) fn decode(stored: &[u8], out: &mut Vec<u8>, size: OutputSize) -> Result<(), CodecError> {
    out.clear();
    if let OutputSize::Exact(bytes) = size {
        out.reserve_exact(bytes);
    }
    let mut rest = stored;
    while let Some((&control, tail)) = rest.split_first() {
        rest = tail;
        let control = usize::from(control);
        let length = if control < 32 {
            let (run, tail) = rest.split_at_checked(control + 1).ok_or(CUT_SHORT)?;
            out.extend_from_slice(run);
            rest = tail;
            0
        } else if control >> 5 == LONGEST_SHORT_MATCH {
            LONGEST_SHORT_MATCH + usize::from(next(&mut rest)?) + 2
        } else {
            (control >> 5) + 2
        };
        if length > 0 {
            let distance = ((control & 31) << 8) + usize::from(next(&mut rest)?) + 1;
            copy_match(out, distance, length)?;
        }
        if out.len() > size.limit() {
            return Err(size.overflow());
        }
    }
    size.check(out.len()).map(drop)
}

fn next(rest: &mut &[u8]) -> Result<u8, CodecError> {
    let (&byte, tail) = rest.split_first().ok_or(CUT_SHORT)?;
    *rest = tail;
    Ok(byte)
}

/// Appends `length` bytes from `distance` before the end; the two may overlap.
fn copy_match(out: &mut Vec<u8>, distance: usize, length: usize) -> Result<(), CodecError> {
    let start = out.len().checked_sub(distance).ok_or(CodecError::Corrupt {
        filter: NAME,
        reason: "a match before the start",
    })?;
    if distance >= length {
        out.extend_from_within(start..start + length);
    } else {
        for i in start..start + length {
            out.push(out[i]);
        }
    }
    Ok(())
}
