//! Superblocks: where a file begins, how large its numbers are, and where its root group is.

use crate::checksum;
use crate::cursor::Cursor;
use crate::error::{Error, Result, damaged};
use crate::input::{Input, NumberSizes};

/// First bytes of every superblock.
const SIGNATURE: [u8; 8] = *b"\x89HDF\r\n\x1a\n";
/// A superblock begins at byte 0, or at this one or twice, four times, ... as far.
const FIRST_USER_BLOCK: u64 = 512;
/// The flag of a file that a program has open for writing: it may end before what it says.
const IS_WRITTEN: u8 = 1;
/// More than any superblock has.
const MOST_BYTES: u64 = 256;
/// `H5F_CRT_SYM_LEAF_DEF` and `HDF5_BTREE_SNODE_IK_DEF` and `HDF5_BTREE_CHUNK_IK_DEF`.
const USUAL_RANKS: TreeRanks = TreeRanks {
    symbol_leaf: 4,
    symbol_node: 16,
    chunk_node: 32,
};

/// Half the entries of the nodes of version-1 B-trees.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct TreeRanks {
    /// Of symbol table nodes.
    pub symbol_leaf: u16,
    /// Of B-trees of groups.
    pub symbol_node: u16,
    /// Of B-trees of chunks.
    pub chunk_node: u16,
}

impl TreeRanks {
    /// Whether they are those of files that say nothing else.
    #[must_use]
    pub fn are_usual(&self) -> bool {
        *self == USUAL_RANKS
    }
}

/// What the superblock says.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Superblock {
    /// Its version.
    pub version: u8,
    /// Bytes before the HDF5 part.
    pub user_block_bytes: u64,
    /// Sizes of numbers.
    pub sizes: NumberSizes,
    /// File consistency flags; none before version 3.
    pub flags: u8,
    /// Where the file ends, its user block included.
    pub end: u64,
    /// Address of the root group's object header.
    pub root: u64,
    /// Address of the object header with more about the file.
    pub extension: Option<u64>,
    /// Ranks of B-trees; an extension may say others.
    pub ranks: TreeRanks,
    /// Where a program wrote driver information: files of other drivers have several parts.
    pub driver_information: Option<u64>,
}

/// Finds and decodes the superblock.
pub(crate) fn read(input: &mut Input) -> Result<Superblock> {
    input.read_head()?;
    let at = find(input)?;
    let block = input.read_up_to(at, MOST_BYTES, "the superblock")?;
    let (mut superblock, base) = decode(&block)?;
    // libhdf5 believes the place where it found the superblock rather than the address in it.
    superblock.user_block_bytes = at;
    superblock.end = superblock.end.wrapping_add(at).wrapping_sub(base);
    input.set_form(at, superblock.sizes)?;
    let (bytes, end) = (input.bytes() + at, superblock.end);
    if superblock.flags & IS_WRITTEN != 0 {
        return Ok(superblock);
    }
    if end > bytes {
        return Err(damaged(format!(
            "it ends too early: {bytes} bytes of {end}"
        )));
    }
    // Metadata behind the end that the file states are no part of it.
    input.set_end(end.saturating_sub(at));
    Ok(superblock)
}

fn find(input: &Input) -> Result<u64> {
    let mut at = 0;
    while at < input.bytes() {
        let begin = input.read_up_to(at, SIGNATURE.len() as u64, "the superblock")?;
        if begin == SIGNATURE {
            return Ok(at);
        }
        at = (2 * at).max(FIRST_USER_BLOCK);
    }
    Err(Error::NotHdf5)
}

fn decode(block: &[u8]) -> Result<(Superblock, u64)> {
    let start = block.get(SIGNATURE.len()..).unwrap_or_default();
    match start.first() {
        Some(0 | 1) => decode_old(start),
        Some(2 | 3) => decode_new(block),
        Some(version) => Err(damaged(format!(
            "its superblock has version {version}, which is none"
        ))),
        None => Err(damaged("its superblock ends too early")),
    }
}

fn sizes(address: u8, length: u8) -> Result<NumberSizes> {
    let is_size = |size: u8| matches!(size, 2 | 4 | 8 | 16 | 32);
    match is_size(address) && is_size(length) {
        true => Ok(NumberSizes { address, length }),
        false => Err(damaged("its superblock has numbers of no known size")),
    }
}

fn is_required(address: Option<u64>) -> Result<u64> {
    address.ok_or_else(|| damaged("its superblock lacks an address"))
}

/// Versions 0 and 1.
fn decode_old(block: &[u8]) -> Result<(Superblock, u64)> {
    let mut at = Cursor::new(
        block,
        NumberSizes {
            address: 8,
            length: 8,
        },
    );
    let version = at.u8()?;
    let versions = at.take(4)?;
    if versions[0] != 0 || versions[1] != 0 || versions[3] != 0 {
        return Err(damaged("its superblock names a version that there is not"));
    }
    let sizes = sizes(at.u8()?, at.u8()?)?;
    at.skip(1)?;
    let (symbol_leaf, symbol_node) = (at.u16()?, at.u16()?);
    at.skip(4)?;
    let chunk_node = match version {
        0 => USUAL_RANKS.chunk_node,
        _ => {
            let rank = at.u16()?;
            at.skip(2)?;
            rank
        }
    };
    let ranks = TreeRanks {
        symbol_leaf,
        symbol_node,
        chunk_node,
    };
    if [symbol_leaf, symbol_node, chunk_node].contains(&0) {
        return Err(damaged("its superblock has B-trees without entries"));
    }
    let mut at = Cursor::new(at.rest(), sizes);
    let base = is_required(at.address()?)?;
    at.address()?;
    let end = is_required(at.address()?)?;
    let driver_information = at.address()?;
    // The root group's entry: its name's place, then its header.
    at.skip(sizes.length.into())?;
    let root = is_required(at.address()?)?;
    let superblock = Superblock {
        version,
        user_block_bytes: 0,
        sizes,
        flags: 0,
        end,
        root,
        extension: None,
        ranks,
        driver_information,
    };
    Ok((superblock, base))
}

/// Versions 2 and 3.
fn decode_new(block: &[u8]) -> Result<(Superblock, u64)> {
    let start = NumberSizes {
        address: 8,
        length: 8,
    };
    let mut at = Cursor::new(block, start);
    at.skip(SIGNATURE.len())?;
    let version = at.u8()?;
    let sizes = sizes(at.u8()?, at.u8()?)?;
    let flags = at.u8()?;
    let mut at = Cursor::new(at.rest(), sizes);
    let base = is_required(at.address()?)?;
    let extension = at.address()?;
    let end = is_required(at.address()?)?;
    let root = is_required(at.address()?)?;
    let length = SIGNATURE.len() + 4 + 4 * usize::from(sizes.address) + 4;
    let whole = block
        .get(..length)
        .ok_or_else(|| damaged("its superblock ends too early"))?;
    checksum::checked(whole, "the superblock")?;
    let superblock = Superblock {
        version,
        user_block_bytes: 0,
        sizes,
        flags: if version >= 3 { flags } else { 0 },
        end,
        root,
        extension,
        ranks: USUAL_RANKS,
        driver_information: None,
    };
    Ok((superblock, base))
}
