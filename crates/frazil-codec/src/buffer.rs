//! Output buffers: their length limits, and filling them without zeroing first.

use std::mem::MaybeUninit;

use crate::CodecError;

/// What is known about the length of a decoder's output, in bytes.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum OutputSize {
    /// The output must have this length.
    Exact(usize),
    /// The length follows from the stream and must not exceed this.
    AtMost(usize),
    /// The stream states this length, and nobody vouches for it: memory grows with what is decoded.
    /// The caller looks whether it was reached.
    Stated(usize),
}

impl OutputSize {
    /// The largest acceptable length.
    pub(crate) fn limit(self) -> usize {
        match self {
            Self::Exact(bytes) | Self::AtMost(bytes) | Self::Stated(bytes) => bytes,
        }
    }

    /// Accepts or refuses a length (one that a header claims, or one that came out).
    pub(crate) fn check(self, got: usize) -> Result<usize, CodecError> {
        let expected = self.limit();
        let fits = match self {
            Self::Exact(bytes) => got == bytes,
            Self::AtMost(bytes) | Self::Stated(bytes) => got <= bytes,
        };
        if fits {
            Ok(got)
        } else {
            Err(CodecError::WrongSize { got, expected })
        }
    }

    /// Gives `out` its length, if that is known by more than the stream; [`Self::part`] does the rest.
    pub(crate) fn begin(self, out: &mut Vec<u8>, total: usize) {
        match self {
            Self::Exact(_) | Self::AtMost(_) => out.resize(total, 0),
            Self::Stated(_) => out.clear(),
        }
    }

    /// The next part of `out`, which ends at `end` and follows the part before. Call it only once what
    /// is stored of the part was found: so memory follows the stored bytes and not their claims.
    pub(crate) fn part(
        self,
        out: &mut Vec<u8>,
        start: usize,
        end: usize,
    ) -> Result<&mut [u8], CodecError> {
        if out.len() < end {
            let more = end - out.len();
            out.try_reserve(more).map_err(|_| self.overflow())?;
            out.resize(end, 0);
        }
        Ok(&mut out[start..end])
    }

    /// The error for an output that does not fit its limit.
    pub(crate) fn overflow(self) -> CodecError {
        CodecError::WrongSize {
            got: self.limit().saturating_add(1),
            expected: self.limit(),
        }
    }
}

/// Replaces the content of `out` by the first bytes that `fill` writes.
///
/// `fill` gets `capacity` possibly uninitialised bytes and returns how many it initialised from the
/// start. On error `out` is left empty.
///
/// # Safety
/// If `fill` returns `Ok(n)`, then `n <= capacity` and the first `n` bytes are initialised.
#[expect(
    unsafe_code,
    reason = "the one place where uninitialised capacity becomes length"
)]
pub(crate) unsafe fn fill_uninit<E>(
    out: &mut Vec<u8>,
    capacity: usize,
    fill: impl FnOnce(&mut [MaybeUninit<u8>]) -> Result<usize, E>,
) -> Result<(), E> {
    out.clear();
    out.reserve_exact(capacity);
    let written = fill(&mut out.spare_capacity_mut()[..capacity])?;
    // SAFETY: the caller promises that `written <= capacity` bytes are initialised.
    unsafe { out.set_len(written) };
    Ok(())
}

/// The pieces of `total` bytes, each of `piece` bytes but for the last: start and end.
pub(crate) fn pieces(total: usize, piece: usize) -> impl Iterator<Item = (usize, usize)> {
    let piece = piece.max(1);
    (0..total.div_ceil(piece))
        .map(move |i| (i * piece, (i * piece).saturating_add(piece).min(total)))
}
