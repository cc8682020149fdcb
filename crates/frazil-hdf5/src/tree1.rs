//! B-trees of version 1: old groups, and chunks of old datasets.
//!
//! Readers look chunks up by their keys. So keys in the wrong order are an error: a walk would find chunks that
//! look-ups do not find.

use std::collections::HashSet;

use crate::cursor::Cursor;
use crate::error::{Result, damaged};
use crate::input::Input;

/// A kind of tree: what its keys are.
pub(crate) struct Kind {
    pub(crate) number: u8,
    pub(crate) key_bytes: usize,
    /// Where the numbers of 8 bytes begin in a key by which entries are looked up; `None`: not by numbers.
    pub(crate) numbers_at: Option<usize>,
    /// Half the entries of a node.
    pub(crate) rank: u16,
}

/// One entry of a node: the key on its left, and the address it leads to.
pub(crate) struct Entry {
    pub(crate) key: Vec<u8>,
    pub(crate) child: u64,
    /// Numbers of what can be found behind an inner node's entry: from these, to before those.
    range: Option<(Vec<u8>, Vec<u8>)>,
}

/// The entries of all leaves, in order.
pub(crate) fn entries(input: &Input, root: u64, kind: &Kind) -> Result<Vec<Entry>> {
    let mut seen = HashSet::new();
    let mut nodes = vec![Entry {
        key: Vec::new(),
        child: root,
        range: None,
    }];
    let mut expected: Option<u8> = None;
    loop {
        let bytes = node_bytes(input, kind);
        input.prefetch(nodes.iter().map(|node| (node.child, bytes)))?;
        let mut found = Vec::new();
        let mut level = 0;
        for node in &nodes {
            if !seen.insert(node.child) {
                return Err(damaged("a B-tree leads back to itself"));
            }
            let (of_node, entries) = read_node(input, node, kind)?;
            if expected.is_some_and(|level| level != of_node) {
                return Err(damaged("a B-tree has a node of the wrong level"));
            }
            expected = Some(of_node);
            level = of_node;
            found.extend(entries);
        }
        if level == 0 {
            return Ok(found);
        }
        expected = Some(level - 1);
        nodes = found;
    }
}

fn node_bytes(input: &Input, kind: &Kind) -> u64 {
    let sizes = input.sizes();
    let most = 2 * u64::from(kind.rank);
    let prefix = 8 + 2 * u64::from(sizes.address);
    prefix + most * (kind.key_bytes as u64 + u64::from(sizes.address)) + kind.key_bytes as u64
}

fn read_node(input: &Input, node: &Entry, kind: &Kind) -> Result<(u8, Vec<Entry>)> {
    // The last nodes of a file need not be there whole, only what is used of them.
    let name = "a node of a B-tree";
    let bytes = input.read_up_to(node.child, node_bytes(input, kind), name)?;
    let mut at = input.cursor(&bytes);
    at.signature(b"TREE", name)?;
    if at.u8()? != kind.number {
        return Err(damaged("a B-tree is of another kind than its use"));
    }
    let level = at.u8()?;
    let count = at.u16()?;
    at.address()?;
    at.address()?;
    if u32::from(count) > 2 * u32::from(kind.rank) {
        return Err(damaged(format!(
            "a node of a B-tree claims {count} entries"
        )));
    }
    let mut entries = (0..count)
        .map(|_| read_entry(&mut at, kind))
        .collect::<Result<Vec<_>>>()?;
    if let Some(numbers_at) = kind.numbers_at.filter(|_| count > 0) {
        let last = at.take(kind.key_bytes)?;
        set_ranges(&mut entries, (level, last), node, numbers_at)?;
    }
    Ok((level, entries))
}

fn read_entry(at: &mut Cursor<'_>, kind: &Kind) -> Result<Entry> {
    let key = at.take(kind.key_bytes)?.to_vec();
    let child = at
        .address()?
        .ok_or_else(|| damaged("a B-tree leads nowhere"))?;
    Ok(Entry {
        key,
        child,
        range: None,
    })
}

/// Checks that each entry can be found by its key, and says of those of inner nodes what can be found behind them.
fn set_ranges(
    entries: &mut [Entry],
    (level, last): (u8, &[u8]),
    node: &Entry,
    numbers_at: usize,
) -> Result<()> {
    let numbers = |key: &[u8]| key.get(numbers_at..).unwrap_or_default().to_vec();
    let end = match &node.range {
        Some((_, end)) if is_before(end, &numbers(last)) => end.clone(),
        _ => numbers(last),
    };
    for number in (0..entries.len()).rev() {
        let (entry, behind) = entries.split_at_mut(number + 1);
        let entry = &mut entry[number];
        let first = entry.key.get(numbers_at..).unwrap_or_default();
        let next = behind
            .first()
            .map(|next| next.key.get(numbers_at..).unwrap_or_default());
        let next = next.filter(|next| is_before(next, &end)).unwrap_or(&end);
        let is_reached = node
            .range
            .as_ref()
            .is_none_or(|(least, _)| !is_before(first, least));
        if !is_reached || !is_before(first, next) {
            return Err(damaged("the keys of a B-tree are out of order"));
        }
        if level > 0 {
            entry.range = Some((first.to_vec(), next.to_vec()));
        }
    }
    Ok(())
}

/// Whether some numbers come before others of as many.
fn is_before(one: &[u8], other: &[u8]) -> bool {
    fn numbers(bytes: &[u8]) -> impl Iterator<Item = u64> {
        let (numbers, _) = bytes.as_chunks::<8>();
        numbers.iter().map(|bytes| u64::from_le_bytes(*bytes))
    }
    numbers(one).lt(numbers(other))
}
