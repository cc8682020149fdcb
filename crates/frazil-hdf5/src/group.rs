//! The links of a group, however they are kept.

use crate::context::Context;
use crate::cursor::Cursor;
use crate::error::{Result, damaged};
use crate::header::{Header, kind};
use crate::heap::{LocalHeap, are_different};
use crate::message::{GroupIndexes, Link, LinkTarget, decode_indexes, decode_link};
use crate::tree1;
use crate::tree2::Tree2;

/// Kinds of groups' B-trees.
const TREE1_OF_GROUPS: u8 = 0;
const TREE2_OF_LINKS: u8 = 5;
/// Bytes of the hash of a name before the identifier of its link.
const HASH_BYTES: usize = 4;
/// Bytes of a symbol table entry's type and scratch space.
const SCRATCH_BYTES: usize = 16;
/// The scratch space of an entry of this type holds a soft link.
const IS_SOFT_LINK: u32 = 2;

/// What a group says of its links.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct LinkOrder {
    /// The order of creation is kept.
    pub is_tracked: bool,
    /// There is an index by it.
    pub is_indexed: bool,
}

fn indexes(context: &Context, header: &Header) -> Result<Option<GroupIndexes>> {
    let message = header.message(kind::LINK_INFO);
    message
        .map(|message| decode_indexes(context.input().cursor(&message.bytes), 8))
        .transpose()
}

/// Whether the group keeps the order of creation.
pub(crate) fn link_order(context: &Context, header: &Header) -> Result<LinkOrder> {
    let indexes = indexes(context, header)?;
    Ok(LinkOrder {
        is_tracked: indexes.is_some_and(|indexes| indexes.is_ordered),
        is_indexed: indexes.is_some_and(|indexes| indexes.is_indexed),
    })
}

/// The links of a group: by creation if that is kept, else by name.
pub(crate) fn links(context: &Context, header: &Header) -> Result<Vec<Link>> {
    let indexes = indexes(context, header)?;
    let mut links = match (header.message(kind::SYMBOL_TABLE), indexes) {
        (Some(table), _) => from_symbol_table(context, context.input().cursor(&table.bytes))?,
        (None, Some(indexes)) if indexes.heap.is_some() => from_heap(context, &indexes)?,
        _ => (header.all(kind::LINK))
            .map(|message| decode_link(context.input().cursor(&message.bytes)))
            .collect::<Result<_>>()?,
    };
    let is_ordered = indexes.is_some_and(|indexes| indexes.is_ordered);
    links.sort_by(|a, b| a.name.as_bytes().cmp(b.name.as_bytes()));
    if let Some(pair) = links.windows(2).find(|pair| pair[0].name == pair[1].name) {
        return Err(damaged(format!("a group holds {:?} twice", pair[0].name)));
    }
    if is_ordered {
        links.sort_by_key(|link| link.order);
    }
    Ok(links)
}

fn from_heap(context: &Context, indexes: &GroupIndexes) -> Result<Vec<Link>> {
    let tree = indexes
        .by_name
        .ok_or_else(|| damaged("a group has no index of its links"))?;
    let records = Tree2::read(context.input(), tree)?.records(context.input(), TREE2_OF_LINKS)?;
    let ids = records
        .iter()
        .map(|record| record.get(HASH_BYTES..).unwrap_or_default());
    if !are_different(ids.clone()) {
        return Err(damaged("two links of a group are one object of its heap"));
    }
    let heap = context.fractal_heap(indexes.heap.unwrap_or_default())?;
    ids.map(|id| {
        let message = heap.object(context.input(), id)?;
        decode_link(context.input().cursor(&message))
    })
    .collect()
}

fn from_symbol_table(context: &Context, mut at: Cursor<'_>) -> Result<Vec<Link>> {
    let nowhere = || damaged("a group has no list of its links");
    let (tree, heap) = (
        at.address()?.ok_or_else(nowhere)?,
        at.address()?.ok_or_else(nowhere)?,
    );
    let input = context.input();
    let heap = LocalHeap::read(input, heap)?;
    let sizes = input.sizes();
    let ranks = context.ranks();
    let kind = tree1::Kind {
        number: TREE1_OF_GROUPS,
        key_bytes: sizes.length.into(),
        numbers: None,
        rank: ranks.symbol_node,
    };
    let entry_bytes =
        u64::from(sizes.length) + u64::from(sizes.address) + 4 + 4 + SCRATCH_BYTES as u64;
    let most = 2 * u64::from(ranks.symbol_leaf);
    let node_bytes = 8 + most * entry_bytes;
    let mut leaves = Vec::new();
    tree1::each_entry(input, tree, &kind, None, |_, leaf| {
        leaves.push(leaf);
        Ok(())
    })?;
    input.prefetch(leaves.iter().map(|&leaf| (leaf, node_bytes)))?;
    let mut links = Vec::new();
    for leaf in leaves {
        let node = input.read_up_to(leaf, node_bytes, "a node of a symbol table")?;
        let mut at = input.cursor(&node);
        at.signature(b"SNOD", "a node of a symbol table")?;
        at.version(&[1], "a node of a symbol table")?;
        at.skip(1)?;
        let count = at.u16()?;
        if u64::from(count) > most {
            return Err(damaged(format!(
                "a node of a symbol table claims {count} entries"
            )));
        }
        for _ in 0..count {
            links.push(symbol(&mut at, &heap)?);
        }
    }
    Ok(links)
}

fn symbol(at: &mut Cursor<'_>, heap: &LocalHeap) -> Result<Link> {
    let name = heap.text(at.length()?)?;
    let address = at.address()?;
    let class = at.u32()?;
    at.skip(4)?;
    let mut scratch = at.part(SCRATCH_BYTES)?;
    let target = match (class, address) {
        (IS_SOFT_LINK, _) => LinkTarget::Soft(heap.text(scratch.uint(4)?)?),
        (_, Some(address)) => LinkTarget::Hard(address),
        (_, None) => return Err(damaged(format!("the link {name} leads to no object"))),
    };
    Ok(Link {
        name,
        is_utf8: false,
        order: None,
        target,
    })
}
