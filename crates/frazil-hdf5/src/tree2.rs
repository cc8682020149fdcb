//! B-trees of version 2: indexes of new groups, of attributes, of heaps and of chunks.

use std::cmp::Ordering;
use std::collections::HashSet;

use crate::checksum;
use crate::cursor::bytes_for;
use crate::error::{Result, damaged};
use crate::input::Input;

/// Signature, version and kind, and the checksum.
const NODE_OVERHEAD: u64 = 4 + 1 + 1 + 4;
/// Deepest tree that is believed: each level has at least two children.
const MAX_DEPTH: u16 = 64;

/// A tree's header.
pub(crate) struct Tree2 {
    kind: u8,
    node_bytes: u64,
    pub(crate) record_bytes: u16,
    depth: u16,
    root: Option<Node>,
    /// All records that the header claims.
    pub(crate) total: u64,
}

/// A node, and how many records it has.
#[derive(Clone, Copy)]
struct Node {
    address: u64,
    records: u64,
}

/// Sizes of numbers in the nodes of each level.
struct Level {
    most_records: u64,
    /// Bytes of the number of all records below a child.
    total_bytes: usize,
}

impl Tree2 {
    /// Reads the header at an address.
    pub(crate) fn read(input: &Input, address: u64) -> Result<Self> {
        let sizes = input.sizes();
        let length = 16 + u64::from(sizes.address) + 2 + u64::from(sizes.length) + 4;
        let bytes = input.read(address, length, "a B-tree")?;
        let content = checksum::checked(&bytes, "a B-tree")?;
        let mut at = input.cursor(content);
        at.signature(b"BTHD", "a B-tree")?;
        at.version(&[0], "a B-tree")?;
        let kind = at.u8()?;
        let node_bytes = at.uint(4)?;
        let (record_bytes, depth) = (at.u16()?, at.u16()?);
        at.skip(2)?;
        let root = at.address()?;
        let records = u64::from(at.u16()?);
        let tree = Self {
            kind,
            node_bytes,
            record_bytes,
            depth,
            root: root.map(|address| Node { address, records }),
            total: at.length()?,
        };
        let is_possible = record_bytes > 0
            && depth <= MAX_DEPTH
            && node_bytes >= NODE_OVERHEAD + u64::from(record_bytes);
        match is_possible {
            true => Ok(tree),
            false => Err(damaged("a B-tree has nodes of no possible size")),
        }
    }

    /// The kind of its records.
    pub(crate) fn kind(&self) -> u8 {
        self.kind
    }

    /// All records in order; the tree must be of this kind.
    pub(crate) fn records(&self, input: &Input, kind: u8) -> Result<Vec<Vec<u8>>> {
        let records = self.records_where(input, kind, None)?;
        match records.len() as u64 == self.total {
            true => Ok(records),
            false => Err(damaged(
                "a B-tree has another number of records than stated",
            )),
        }
    }

    /// The records that are wanted, in order, and some beside them; `None`: all.
    pub(crate) fn records_where(
        &self,
        input: &Input,
        kind: u8,
        place: Option<Place<'_>>,
    ) -> Result<Vec<Vec<u8>>> {
        if self.kind != kind {
            return Err(damaged("a B-tree is of another kind than its use"));
        }
        let most = input.bytes() / u64::from(self.record_bytes);
        if self.total > most {
            return Err(damaged(
                "a B-tree claims more records than the file can hold",
            ));
        }
        let walk = Walk {
            tree: self,
            input,
            levels: self.levels(input)?,
            place,
            seen: HashSet::new(),
        };
        self.root.map_or(Ok(Vec::new()), |root| walk.collect(root))
    }

    fn levels(&self, input: &Input) -> Result<Vec<Level>> {
        let room = self.node_bytes - NODE_OVERHEAD;
        let record = u64::from(self.record_bytes);
        let most_in_leaf = room / record;
        let mut below = most_in_leaf;
        let mut levels = vec![Level {
            most_records: most_in_leaf,
            total_bytes: 0,
        }];
        for depth in 1..=usize::from(self.depth) {
            let pointer = u64::from(input.sizes().address)
                + bytes_for(most_in_leaf) as u64
                + levels[depth - 1].total_bytes as u64;
            let most_records = room.saturating_sub(pointer) / (record + pointer);
            if most_records == 0 {
                return Err(damaged("a B-tree has nodes of no possible size"));
            }
            below = (most_records + 1)
                .saturating_mul(below)
                .saturating_add(most_records);
            levels.push(Level {
                most_records,
                total_bytes: bytes_for(below),
            });
        }
        Ok(levels)
    }
}

/// What stands in the order of the records: one of them, or a node that has more.
enum Item {
    Record(Vec<u8>),
    Child(Node),
}

/// Whether a record lies before those that are wanted, among them, or behind them.
pub(crate) type Place<'a> = &'a dyn Fn(&[u8]) -> Result<Ordering>;

struct Walk<'a> {
    tree: &'a Tree2,
    input: &'a Input,
    levels: Vec<Level>,
    place: Option<Place<'a>>,
    seen: HashSet<u64>,
}

impl Walk<'_> {
    /// Collects the records below the root, level by level: the nodes of one are read together.
    fn collect(mut self, root: Node) -> Result<Vec<Vec<u8>>> {
        let mut items = vec![Item::Child(root)];
        for depth in (0..=usize::from(self.tree.depth)).rev() {
            let reach = items.iter().filter_map(|item| match item {
                Item::Child(node) => Some((node.address, self.tree.node_bytes)),
                Item::Record(_) => None,
            });
            self.input.prefetch(reach)?;
            let mut expanded = Vec::with_capacity(items.len());
            for item in items {
                match item {
                    Item::Record(_) => expanded.push(item),
                    Item::Child(node) => self.expand(node, depth, &mut expanded)?,
                }
            }
            items = expanded;
        }
        let record = |item| match item {
            Item::Record(record) => Some(record),
            Item::Child(_) => None,
        };
        Ok(items.into_iter().filter_map(record).collect())
    }

    /// Puts what a node has in its place.
    fn expand(&mut self, node: Node, depth: usize, items: &mut Vec<Item>) -> Result<()> {
        if !self.seen.insert(node.address) {
            return Err(damaged("a B-tree leads back to itself"));
        }
        if node.records > self.levels[depth].most_records {
            return Err(damaged(
                "a node of a B-tree claims more records than it can hold",
            ));
        }
        let (records, children) = self.read_node(node, depth)?;
        let places = match self.place {
            Some(place) => (records.iter().map(|record| place(record))).collect::<Result<_>>()?,
            None => vec![Ordering::Equal; records.len()],
        };
        // A child lies between two records: what it has comes behind the one and before the other.
        let is_wanted = |number: usize| {
            let left = number.checked_sub(1).and_then(|left| places.get(left));
            left != Some(&Ordering::Greater) && places.get(number) != Some(&Ordering::Less)
        };
        let children = children.into_iter().enumerate();
        let mut children =
            children.map(|(number, child)| is_wanted(number).then_some(Item::Child(child)));
        items.extend(children.next().flatten());
        for record in records {
            items.push(Item::Record(record));
            items.extend(children.next().flatten());
        }
        Ok(())
    }

    fn read_node(&self, node: Node, depth: usize) -> Result<(Vec<Vec<u8>>, Vec<Node>)> {
        let record_bytes = usize::from(self.tree.record_bytes);
        let count = node.records as usize;
        let number_bytes = bytes_for(self.levels[0].most_records);
        let total_bytes = if depth > 1 {
            self.levels[depth - 1].total_bytes
        } else {
            0
        };
        let pointer = usize::from(self.input.sizes().address) + number_bytes + total_bytes;
        let used = count * record_bytes + if depth > 0 { (count + 1) * pointer } else { 0 };
        let name = "a node of a B-tree";
        let bytes = self
            .input
            .read(node.address, NODE_OVERHEAD + used as u64, name)?;
        let content = checksum::checked(&bytes, name)?;
        let mut at = self.input.cursor(content);
        at.signature(if depth > 0 { b"BTIN" } else { b"BTLF" }, name)?;
        at.version(&[0], name)?;
        if at.u8()? != self.tree.kind {
            return Err(damaged("a node belongs to a B-tree of another kind"));
        }
        let mut records = Vec::with_capacity(count);
        for _ in 0..count {
            records.push(at.take(record_bytes)?.to_vec());
        }
        let mut children = Vec::new();
        for _ in 0..if depth > 0 { count + 1 } else { 0 } {
            let address = at
                .address()?
                .ok_or_else(|| damaged("a B-tree leads nowhere"))?;
            let records = at.uint(number_bytes)?;
            at.skip(total_bytes)?;
            children.push(Node { address, records });
        }
        Ok((records, children))
    }
}
