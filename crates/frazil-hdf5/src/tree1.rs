//! B-trees of version 1: old groups, and chunks of old datasets.
//!
//! Readers look chunks up by their keys. So keys in the wrong order are an error: a walk would find chunks that
//! look-ups do not find.

use std::collections::HashSet;

use crate::error::{Result, damaged};
use crate::input::Input;

/// What messages call a node.
const NODE: &str = "a node of a B-tree";

/// A kind of tree: what its keys are.
pub(crate) struct Kind<'a> {
    pub(crate) number: u8,
    pub(crate) key_bytes: usize,
    /// The numbers in a key by which entries are looked up; `None`: not by numbers.
    pub(crate) numbers: Option<Numbers<'a>>,
    /// Half the entries of a node.
    pub(crate) rank: u16,
}

/// Numbers of 8 bytes in a key.
pub(crate) struct Numbers<'a> {
    /// Where they begin.
    pub(crate) at: usize,
    /// Each is a multiple of one of these.
    pub(crate) steps: &'a [u64],
    /// Look-ups are for places below these on each axis.
    pub(crate) ends: &'a [u64],
}

impl Numbers<'_> {
    /// The bytes of a key's numbers.
    fn of<'k>(&self, key: &'k [u8]) -> &'k [u8] {
        key.get(self.at..).unwrap_or_default()
    }

    /// Whether some look-up is for the place `from`.
    fn is_place(&self, from: &[u8]) -> bool {
        numbers(from)
            .zip(self.ends)
            .all(|(number, end)| number < *end)
    }

    /// Whether some look-up is for a place from one to before another.
    fn is_place_between(&self, from: &[u8], to: &[u8]) -> bool {
        if self.ends.contains(&0) {
            return false;
        }
        let mut place: Vec<u64> = numbers(from).take(self.ends.len()).collect();
        // Of the places in the shape, the first that is not before `from`.
        while let Some(outside) = (0..place.len()).find(|&axis| place[axis] >= self.ends[axis]) {
            place[outside..].fill(0);
            let Some(before) = outside.checked_sub(1) else {
                return false;
            };
            place[before] = place[before].saturating_add(self.steps[before].max(1));
        }
        place.into_iter().lt(numbers(to).take(self.ends.len()))
    }

    fn check(&self, key: &[u8]) -> Result<()> {
        let off = |(number, step): (u64, &u64)| number % (*step).max(1) != 0;
        match numbers(self.of(key)).zip(self.steps).any(off) {
            true => Err(damaged("a key of a B-tree is no place of a chunk")),
            false => Ok(()),
        }
    }
}

/// Numbers from the first to the last that are wanted, as keys have them.
pub(crate) struct Window {
    pub(crate) first: Vec<u8>,
    pub(crate) last: Vec<u8>,
}

impl Window {
    /// Whether anything from one number to before another is wanted.
    fn touches(&self, (from, to): (&[u8], &[u8])) -> bool {
        !is_before(&self.last, from) && is_before(&self.first, to)
    }
}

/// A node that is to be read.
struct Node {
    address: u64,
    /// Numbers of what can be found in it: from these, to before those.
    range: Option<(Vec<u8>, Vec<u8>)>,
}

/// Calls `take` with each entry of the leaves, in order: the key on its left, and the address it leads to. With a
/// window, nodes are left out that have nothing in it.
pub(crate) fn each_entry(
    input: &Input,
    root: u64,
    kind: &Kind<'_>,
    window: Option<&Window>,
    mut take: impl FnMut(&[u8], u64) -> Result<()>,
) -> Result<()> {
    let mut seen = HashSet::new();
    let mut nodes = vec![Node {
        address: root,
        range: None,
    }];
    let mut expected: Option<u8> = None;
    while !nodes.is_empty() {
        let bytes = node_bytes(input, kind);
        input.prefetch(nodes.iter().map(|node| (node.address, bytes)))?;
        let mut below = Vec::new();
        let mut level = 0;
        for node in &nodes {
            if !seen.insert(node.address) {
                return Err(damaged("a B-tree leads back to itself"));
            }
            // The last nodes of a file need not be there whole, only what is used of them.
            let bytes = input.read_up_to(node.address, bytes, NODE)?;
            let (of_node, entries) = entries(input, &bytes, kind)?;
            if expected.is_some_and(|level| level != of_node) {
                return Err(damaged("a B-tree has a node of the wrong level"));
            }
            expected = Some(of_node);
            level = of_node;
            let found = found(&entries, node, kind, level)?;
            for ((key, child), found) in entries.pairs.iter().zip(found) {
                let range = match found {
                    Found::Anything => None,
                    Found::Between(from, to) => Some((from, to)),
                    Found::Nothing => continue,
                };
                let is_wanted = window
                    .zip(range)
                    .is_none_or(|(window, range)| window.touches(range));
                match level {
                    0 => take(key, *child)?,
                    _ if is_wanted => below.push(Node {
                        address: *child,
                        range: range.map(|(from, to)| (from.to_vec(), to.to_vec())),
                    }),
                    _ => {}
                }
            }
        }
        expected = level.checked_sub(1);
        nodes = below;
    }
    Ok(())
}

fn node_bytes(input: &Input, kind: &Kind<'_>) -> u64 {
    let sizes = input.sizes();
    let most = 2 * u64::from(kind.rank);
    let prefix = 8 + 2 * u64::from(sizes.address);
    prefix + most * (kind.key_bytes as u64 + u64::from(sizes.address)) + kind.key_bytes as u64
}

/// What a node has: keys on the left of entries with the addresses these lead to, and the last key.
struct Entries<'a> {
    pairs: Vec<(&'a [u8], u64)>,
    last: &'a [u8],
}

/// A node's level and entries.
fn entries<'a>(input: &Input, bytes: &'a [u8], kind: &Kind<'_>) -> Result<(u8, Entries<'a>)> {
    let mut at = input.cursor(bytes);
    at.signature(b"TREE", NODE)?;
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
    let mut pairs = Vec::with_capacity(count.into());
    for _ in 0..count {
        let key = at.take(kind.key_bytes)?;
        let child = at.address()?;
        pairs.push((key, child.ok_or_else(|| damaged("a B-tree leads nowhere"))?));
    }
    let last: &[u8] = match &kind.numbers {
        Some(numbers) if count > 0 => {
            let last = at.take(kind.key_bytes)?;
            let keys = pairs.iter().map(|(key, _)| *key);
            keys.chain([last]).try_for_each(|key| numbers.check(key))?;
            last
        }
        _ => &[],
    };
    Ok((level, Entries { pairs, last }))
}

/// What look-ups find behind an entry.
enum Found<'a> {
    /// Keys are no numbers.
    Anything,
    /// From these numbers, to before those.
    Between(&'a [u8], &'a [u8]),
    /// No look-up reaches it, and none wants to.
    Nothing,
}

/// Checks that look-ups reach each entry that they are for, and says what they find behind each.
///
/// A node may be newer than the one above it, or than those below it, where a writer was killed: HDF5 writes nodes when
/// its cache is full, and the dataset's shape at the end. Its new entries are for places outside that shape.
fn found<'a>(
    entries: &Entries<'a>,
    node: &'a Node,
    kind: &Kind<'_>,
    level: u8,
) -> Result<Vec<Found<'a>>> {
    let out_of_order = || damaged("the keys of a B-tree are out of order");
    let pairs = &entries.pairs;
    let Some(numbers) = &kind.numbers else {
        return Ok(pairs.iter().map(|_| Found::Anything).collect());
    };
    let mut found = Vec::with_capacity(pairs.len());
    for (number, (key, _)) in pairs.iter().enumerate() {
        let first = numbers.of(key);
        let next = pairs.get(number + 1).map_or(entries.last, |(key, _)| key);
        let mut next = numbers.of(next);
        if !is_before(first, next) {
            return Err(out_of_order());
        }
        let is_wanted = match level {
            0 => numbers.is_place(first),
            _ => numbers.is_place_between(first, next),
        };
        let mut is_reached = true;
        if let Some((least, end)) = &node.range {
            next = if is_before(end, next) { end } else { next };
            is_reached = !is_before(first, least) && is_before(first, next);
        }
        found.push(match (is_wanted, is_reached) {
            (true, true) => Found::Between(first, next),
            (true, false) => return Err(out_of_order()),
            (false, _) => Found::Nothing,
        });
    }
    Ok(found)
}

fn numbers(bytes: &[u8]) -> impl Iterator<Item = u64> {
    let (numbers, _) = bytes.as_chunks::<8>();
    numbers.iter().map(|bytes| u64::from_le_bytes(*bytes))
}

/// Whether some numbers come before others of as many.
fn is_before(one: &[u8], other: &[u8]) -> bool {
    numbers(one).lt(numbers(other))
}

#[cfg(test)]
mod tests {
    use super::Numbers;

    fn key(numbers: &[u64]) -> Vec<u8> {
        numbers.iter().flat_map(|n| n.to_le_bytes()).collect()
    }

    #[test]
    fn places_between_keys_are_those_of_the_shape() {
        let is_between = |ends: &[u64], from: &[u64], to: &[u64]| {
            let numbers = Numbers {
                at: 0,
                steps: &[5, 1, 8],
                ends,
            };
            numbers.is_place_between(&key(from), &key(to))
        };
        assert!(is_between(&[5, 100], &[0, 90], &[0, 120]));
        assert!(!is_between(&[5, 100], &[0, 100], &[0, 120]));
        // The next row is behind it, where there is one.
        assert!(is_between(&[10, 100], &[0, 100], &[5, 3]));
        assert!(!is_between(&[5, 100], &[0, 100], &[5, 3]));
        assert!(!is_between(&[5, 100], &[u64::MAX, 0], &[u64::MAX, 3]));
        // Nothing is looked up in an empty dataset, however long its other axes.
        assert!(!is_between(&[u64::MAX, 0], &[0, 0], &[5, 0]));
    }
}
