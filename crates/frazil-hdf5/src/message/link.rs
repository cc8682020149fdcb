//! Decodes links, and what a group says of where they are kept.

use crate::cursor::Cursor;
use crate::error::{Result, damaged};
use crate::text;

/// Bits of a link's flags.
const NAME_SIZE: u8 = 0x03;
const HAS_ORDER: u8 = 0x04;
const HAS_KIND: u8 = 0x08;
const HAS_CHARACTER_SET: u8 = 0x10;
const ALL_FLAGS: u8 = 0x1f;
/// Kinds of links (`H5L_TYPE_*`).
const HARD: u8 = 0;
const SOFT: u8 = 1;
const EXTERNAL: u8 = 64;

/// Where a link leads.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum LinkTarget {
    /// An object of this file, by the address of its header.
    Hard(u64),
    /// A path, resolved when followed.
    Soft(String),
    /// A path in another file.
    External {
        /// The other file.
        file: String,
        /// The path in it.
        path: String,
    },
    /// A class of links that only the program that wrote it knows.
    UserDefined {
        /// The class's number.
        class: u8,
        /// The link's value.
        value: Vec<u8>,
    },
}

/// A link.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Link {
    /// Its name; empty in no file.
    pub name: String,
    /// Whether the name is said to be UTF-8 rather than ASCII.
    pub is_utf8: bool,
    /// The order of creation, if it is kept.
    pub order: Option<u64>,
    /// Where it leads.
    pub target: LinkTarget,
}

/// Decodes a link message.
pub(crate) fn decode(mut at: Cursor<'_>) -> Result<Link> {
    at.version(&[1], "a link")?;
    let flags = at.u8()?;
    if flags & !ALL_FLAGS != 0 {
        return Err(damaged("a link has flags that there are not"));
    }
    let is = |flag| flags & flag != 0;
    let kind = if is(HAS_KIND) { at.u8()? } else { HARD };
    let order = if is(HAS_ORDER) {
        Some(at.uint(8)?)
    } else {
        None
    };
    let character_set = if is(HAS_CHARACTER_SET) { at.u8()? } else { 0 };
    if character_set > 1 {
        return Err(damaged("a link's name has no known character set"));
    }
    let name_bytes = at.count(1 << (flags & NAME_SIZE))?;
    let name = at.take(name_bytes)?;
    if name.first().is_none_or(|&byte| byte == 0) {
        return Err(damaged("a link has no name"));
    }
    Ok(Link {
        name: text::from_buffer(name),
        is_utf8: character_set == 1,
        order,
        target: decode_target(&mut at, kind)?,
    })
}

fn decode_target(at: &mut Cursor<'_>, kind: u8) -> Result<LinkTarget> {
    if kind == HARD {
        let address = at.address()?;
        let address = address.ok_or_else(|| damaged("a link leads to no object"))?;
        return Ok(LinkTarget::Hard(address));
    }
    let bytes = usize::from(at.u16()?);
    let value = at.take(bytes)?;
    match kind {
        SOFT if value.is_empty() => Err(damaged("a soft link has no path")),
        SOFT => Ok(LinkTarget::Soft(text::from_buffer(value))),
        EXTERNAL => decode_external(value),
        class if class > EXTERNAL => Ok(LinkTarget::UserDefined {
            class,
            value: value.to_vec(),
        }),
        _ => Err(damaged(format!("no link is of kind {kind}"))),
    }
}

/// Flags, then the two texts.
fn decode_external(value: &[u8]) -> Result<LinkTarget> {
    let mut texts = value.get(1..).unwrap_or_default().split(|&byte| byte == 0);
    let is_whole = value.len() >= 3 && value.last() == Some(&0);
    match (texts.next(), texts.next()) {
        // Behind the second text is its NUL, so that there is a third piece.
        (Some(file), Some(path)) if is_whole && texts.next().is_some() && value[0] == 0 => {
            Ok(LinkTarget::External {
                file: text::from_bytes(file),
                path: text::from_bytes(path),
            })
        }
        _ => Err(damaged("an external link has no possible value")),
    }
}

/// Where the links, or the attributes, of an object are kept beside its header.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) struct GroupIndexes {
    /// Whether the order of creation is kept.
    pub(crate) is_ordered: bool,
    /// Whether it is indexed.
    pub(crate) is_indexed: bool,
    pub(crate) heap: Option<u64>,
    pub(crate) by_name: Option<u64>,
}

/// Decodes a link info or attribute info message: the highest order has 8 or 2 bytes.
pub(crate) fn decode_indexes(mut at: Cursor<'_>, order_bytes: usize) -> Result<GroupIndexes> {
    at.version(&[0], "what an object says of its names")?;
    let flags = at.u8()?;
    if flags & !3 != 0 {
        return Err(damaged("an object has flags that there are not"));
    }
    if flags & 1 != 0 {
        at.skip(order_bytes)?;
    }
    Ok(GroupIndexes {
        is_ordered: flags & 1 != 0,
        is_indexed: flags & 2 != 0,
        heap: at.address()?,
        by_name: at.address()?,
    })
}
