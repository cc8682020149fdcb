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
}

impl OutputSize {
    /// The largest acceptable length.
    pub(crate) fn limit(self) -> usize {
        match self {
            Self::Exact(bytes) | Self::AtMost(bytes) => bytes,
        }
    }

    /// Accepts or refuses a length (one that a header claims, or one that came out).
    pub(crate) fn check(self, got: usize) -> Result<usize, CodecError> {
        let expected = self.limit();
        let fits = match self {
            Self::Exact(bytes) => got == bytes,
            Self::AtMost(bytes) => got <= bytes,
        };
        if fits {
            Ok(got)
        } else {
            Err(CodecError::WrongSize { got, expected })
        }
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
