//! Decodes where a dataset's values are stored.

use crate::cursor::Cursor;
use crate::error::{Result, damaged};
use crate::heap::GlobalId;

/// Most numbers of a chunk's shape: 32 axes and the element (`H5O_LAYOUT_NDIMS`).
const MOST_LENGTHS: u8 = 33;
/// Chunks that stick out of the array are stored without filters.
const RAW_PARTIAL_EDGES: u8 = 1;
/// The single chunk has its size and filter mask in the message.
const SINGLE_FILTERED: u8 = 2;

/// Where a dataset's values are stored.
#[derive(Debug, Clone)]
pub(crate) enum Layout {
    /// In the message.
    Compact(Vec<u8>),
    /// In one run; its size is not in old messages.
    Contiguous {
        address: Option<u64>,
        bytes: Option<u64>,
    },
    /// In chunks.
    Chunked {
        /// In elements.
        chunk: Vec<u64>,
        raw_partial_edges: bool,
        index: ChunkIndex,
        /// Where the index lies; `None`: there is none yet.
        address: Option<u64>,
    },
    /// In other datasets; the list of them is in a global heap.
    Virtual(Option<GlobalId>),
}

/// The kind of a chunk index.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum ChunkIndex {
    Tree1,
    /// One chunk; under filters with its stored size and filter mask.
    Single(Option<(u64, u32)>),
    Implicit,
    FixedArray,
    ExtensibleArray,
    Tree2,
}

impl Layout {
    /// Decodes a layout message.
    pub(crate) fn decode(mut at: Cursor<'_>) -> Result<Self> {
        match at.version(&[1, 2, 3, 4, 5], "a layout")? {
            1 | 2 => decode_old(at),
            version => decode_new(at, version),
        }
    }
}

fn decode_old(mut at: Cursor<'_>) -> Result<Layout> {
    let count = at.u8()?;
    let class = at.u8()?;
    at.skip(5)?;
    if !(1..=MOST_LENGTHS).contains(&count) {
        return Err(damaged(format!("a layout claims {count} axes")));
    }
    let address = if class == 0 { None } else { at.address()? };
    let lengths = decode_lengths(&mut at, count.into(), 4)?;
    match class {
        0 => {
            let bytes = at.count(4)?;
            Ok(Layout::Compact(at.take(bytes)?.to_vec()))
        }
        1 => Ok(Layout::Contiguous {
            address,
            bytes: None,
        }),
        2 => chunked(lengths, false, ChunkIndex::Tree1, address),
        _ => Err(damaged(format!(
            "a layout is of kind {class}, which is none"
        ))),
    }
}

fn decode_new(mut at: Cursor<'_>, version: u8) -> Result<Layout> {
    match at.u8()? {
        0 => {
            let bytes = usize::from(at.u16()?);
            Ok(Layout::Compact(at.take(bytes)?.to_vec()))
        }
        1 => Ok(Layout::Contiguous {
            address: at.address()?,
            bytes: Some(at.length()?),
        }),
        2 if version == 3 => {
            let count = at.u8()?;
            let address = at.address()?;
            let lengths = decode_lengths(&mut at, count.into(), 4)?;
            chunked(lengths, false, ChunkIndex::Tree1, address)
        }
        2 => decode_chunked(at),
        3 if version >= 4 => {
            let (address, index) = (at.address()?, at.u32()?);
            Ok(Layout::Virtual(
                address.map(|address| GlobalId { address, index }),
            ))
        }
        class => Err(damaged(format!(
            "a layout is of kind {class}, which is none"
        ))),
    }
}

/// Versions 4 and 5.
fn decode_chunked(mut at: Cursor<'_>) -> Result<Layout> {
    let (flags, count, size) = (at.u8()?, at.u8()?, at.u8()?);
    if flags & !(RAW_PARTIAL_EDGES | SINGLE_FILTERED) != 0 {
        return Err(damaged("a layout has flags that there are not"));
    }
    if !(1..=8).contains(&size) {
        return Err(damaged("a layout has numbers of no known size"));
    }
    let lengths = decode_lengths(&mut at, count.into(), size.into())?;
    let index = match at.u8()? {
        1 if flags & SINGLE_FILTERED != 0 => ChunkIndex::Single(Some((at.length()?, at.u32()?))),
        1 => ChunkIndex::Single(None),
        2 => ChunkIndex::Implicit,
        3 => {
            at.skip(1)?;
            ChunkIndex::FixedArray
        }
        4 => {
            at.skip(5)?;
            ChunkIndex::ExtensibleArray
        }
        5 => {
            at.skip(6)?;
            ChunkIndex::Tree2
        }
        kind => {
            return Err(damaged(format!(
                "a chunk index is of kind {kind}, which is none"
            )));
        }
    };
    let address = at.address()?;
    chunked(lengths, flags & RAW_PARTIAL_EDGES != 0, index, address)
}

fn decode_lengths(at: &mut Cursor<'_>, count: usize, size: usize) -> Result<Vec<u64>> {
    if count > MOST_LENGTHS.into() {
        return Err(damaged(format!("a layout claims {count} axes")));
    }
    (0..count).map(|_| at.uint(size)).collect()
}

/// A chunk's lengths end with the bytes of an element.
fn chunked(
    mut chunk: Vec<u64>,
    raw_partial_edges: bool,
    index: ChunkIndex,
    address: Option<u64>,
) -> Result<Layout> {
    if chunk.len() < 2 || chunk.contains(&0) {
        return Err(damaged(format!("chunks have no possible shape: {chunk:?}")));
    }
    // libhdf5 takes the size of an element from its datatype.
    chunk.pop();
    Ok(Layout::Chunked {
        chunk,
        raw_partial_edges,
        index,
        address,
    })
}
