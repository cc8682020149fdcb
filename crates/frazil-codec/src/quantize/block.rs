//! Words in blocks that stay in the first-level cache.
//!
//! Every step of a kernel is a plain loop over a block of a fixed number of words, which compilers
//! turn into vector instructions without further help; a block is short enough that several such
//! loops over it cost little more than one.

use frazil_types::ByteOrder;

use super::word::Word;

/// Words of a block; even, so that even and odd positions are the same in every block.
pub(super) const LANES: usize = 256;

/// A few words of a chunk. What lies beyond the chunk's end is zero, which is never touched.
pub(super) type Block<W> = [W; LANES];

/// Reads words of either byte order; the block's rest becomes zero.
#[inline(always)]
pub(super) fn load<W: Word>(bytes: &[u8], order: ByteOrder, block: &mut Block<W>) {
    if bytes.len() < LANES * W::BYTES {
        *block = [W::default(); LANES];
    }
    if order == ByteOrder::Big {
        for (word, bytes) in block.iter_mut().zip(bytes.chunks_exact(W::BYTES)) {
            *word = W::from_little(bytes).swapped();
        }
    } else {
        for (word, bytes) in block.iter_mut().zip(bytes.chunks_exact(W::BYTES)) {
            *word = W::from_little(bytes);
        }
    }
}

/// Writes as many words as `bytes` holds, in either byte order: those of `x` where `keep` has its
/// bits set, those of `y` where it has not.
#[inline(always)]
pub(super) fn store_merged<W: Word>(
    [x, y, keep]: [&Block<W>; 3],
    order: ByteOrder,
    bytes: &mut [u8],
) {
    let elements = bytes.chunks_exact_mut(W::BYTES);
    let words = x.iter().zip(y).zip(keep).zip(elements);
    if order == ByteOrder::Big {
        for (((x, y), keep), bytes) in words {
            merge(*x, *y, *keep).swapped().to_little(bytes);
        }
    } else {
        for (((x, y), keep), bytes) in words {
            merge(*x, *y, *keep).to_little(bytes);
        }
    }
}

/// `x` where `keep` has its bits set, `y` where it has not.
#[inline(always)]
pub(super) fn merge<W: Word>(x: W, y: W, keep: W) -> W {
    (x & keep) | (y & !keep)
}
