//! Fractal heaps: links and attributes of new groups, and shared messages.
//!
//! A heap is an address space of its own, cut into blocks that double in size row by row. Small
//! objects lie in the blocks, tiny ones in their own identifiers, huge ones anywhere in the file.

use std::collections::{HashMap, HashSet};
use std::sync::Arc;

use frazil_types::FilterPipeline;
use frazil_types::sync::Mutex;

use crate::checksum;
use crate::cursor::{Cursor, bytes_for};
use crate::error::{Result, damaged, unsupported};
use crate::input::Input;
use crate::message::decode_filters;
use crate::tree2::Tree2;

/// Direct blocks have checksums.
const HAS_CHECKSUMS: u8 = 2;
/// Longest tiny object whose length fits the first byte of its identifier.
const LONGEST_SHORT_TINY: usize = 16;
/// Direct blocks kept take at most so many bytes together.
const MOST_CACHED: usize = 16 << 20;
/// Most bytes that the identifier of an object may have.
const MOST_ID_BYTES: u16 = 4096;

/// Undoes filters of one block: the filters, the filter mask, the stored bytes, most bytes that can come.
pub type DecodeBlock = dyn Fn(&FilterPipeline, u32, &[u8], usize) -> std::result::Result<Vec<u8>, String>
    + Send
    + Sync;

/// How blocks double.
#[derive(Debug, Clone, Copy)]
struct Table {
    width: u64,
    first_bytes: u64,
    most_direct_bytes: u64,
    /// Bits of an offset in the heap.
    bits: u32,
}

impl Table {
    /// Bytes of each block in a row.
    fn row_bytes(&self, row: u32) -> Option<u64> {
        match row {
            0 | 1 => Some(self.first_bytes),
            _ => self
                .first_bytes
                .checked_shl(row - 1)
                .filter(|bytes| bytes >> (row - 1) == self.first_bytes),
        }
    }

    /// Rows of direct blocks.
    fn direct_rows(&self) -> u32 {
        self.most_direct_bytes.ilog2() - self.first_bytes.ilog2() + 2
    }

    /// Rows of an indirect block that takes so many bytes of the heap.
    fn rows_of(&self, bytes: u64) -> u32 {
        let first_row = self.first_bytes.ilog2() + self.width.ilog2();
        (bytes.max(1).ilog2() + 1).saturating_sub(first_row)
    }
}

/// Where the filters of a block leave it.
#[derive(Debug, Clone, Copy)]
struct Filtered {
    stored_bytes: u64,
    mask: u32,
}

/// A block, and the bytes of the heap before it.
#[derive(Debug, Clone, Copy)]
struct Block {
    address: u64,
    offset: u64,
    bytes: u64,
    /// For an indirect block, its rows.
    rows: u32,
    filtered: Option<Filtered>,
}

/// Direct blocks that were read.
#[derive(Default)]
struct Blocks {
    by_address: HashMap<u64, Arc<Vec<u8>>>,
    bytes: usize,
}

/// An indirect block's children, by their numbers.
type Children = Arc<Vec<Option<Block>>>;

/// A fractal heap.
pub(crate) struct FractalHeap {
    address: u64,
    id_bytes: usize,
    most_managed_bytes: u64,
    table: Table,
    has_checksums: bool,
    filters: FilterPipeline,
    root: Option<Block>,
    huge_tree: Option<u64>,
    huge: Mutex<Option<Arc<HashMap<u64, HugePlace>>>>,
    indirect: Mutex<HashMap<u64, Children>>,
    direct: Mutex<Blocks>,
    decode: Option<Arc<DecodeBlock>>,
}

/// Where a huge object lies.
#[derive(Debug, Clone, Copy)]
struct HugePlace {
    address: u64,
    stored_bytes: u64,
    mask: u32,
    bytes: u64,
}

impl FractalHeap {
    /// Reads the heap whose header is at an address.
    pub(crate) fn read(
        input: &Input,
        address: u64,
        decode: Option<Arc<DecodeBlock>>,
    ) -> Result<Self> {
        let sizes = input.sizes();
        let (a, l) = (u64::from(sizes.address), u64::from(sizes.length));
        let fixed = 22 + 12 * l + 3 * a;
        let start = input.read(address, fixed, "a fractal heap")?;
        let filter_bytes = u64::from(u16::from_le_bytes([start[7], start[8]]));
        let whole = match filter_bytes {
            0 => fixed + 4,
            _ => fixed + l + 4 + filter_bytes + 4,
        };
        let header = input.read(address, whole, "a fractal heap")?;
        let content = checksum::checked(&header, "a fractal heap")?;
        let mut at = input.cursor(content);
        at.signature(b"FRHP", "a fractal heap")?;
        at.version(&[0], "a fractal heap")?;
        let id_bytes = at.u16()?;
        at.skip(2)?;
        let flags = at.u8()?;
        let most_managed_bytes = at.uint(4)?;
        at.length()?;
        let huge_tree = at.address()?;
        at.length()?;
        at.address()?;
        for _ in 0..8 {
            at.length()?;
        }
        let heap = Self {
            address,
            id_bytes: id_bytes.into(),
            most_managed_bytes,
            table: decode_table(&mut at)?,
            has_checksums: flags & HAS_CHECKSUMS != 0,
            filters: FilterPipeline::default(),
            root: None,
            huge_tree,
            huge: Mutex::default(),
            indirect: Mutex::default(),
            direct: Mutex::default(),
            decode,
        };
        if !(1..=MOST_ID_BYTES).contains(&id_bytes) {
            return Err(damaged(
                "a fractal heap has identifiers of no possible size",
            ));
        }
        heap.with_root(&mut at, filter_bytes > 0)
    }

    fn with_root(mut self, at: &mut Cursor<'_>, has_filters: bool) -> Result<Self> {
        let most_rows = self
            .table
            .rows_of(1_u64.checked_shl(self.table.bits).unwrap_or(u64::MAX));
        at.skip(2)?;
        let root = at.address()?;
        let rows = u32::from(at.u16()?);
        let mut filtered = None;
        if has_filters {
            filtered = Some(Filtered {
                stored_bytes: at.length()?,
                mask: at.u32()?,
            });
            self.filters = decode_filters(at.clone())?;
        }
        if rows > most_rows + 1 {
            return Err(damaged("a fractal heap has more rows than it can have"));
        }
        self.root = root.map(|address| Block {
            address,
            offset: 0,
            bytes: match rows {
                0 => self.table.first_bytes,
                _ => u64::MAX,
            },
            rows,
            filtered: filtered.filter(|_| rows == 0),
        });
        Ok(self)
    }

    /// The bytes of the object with this identifier.
    pub(crate) fn object(&self, input: &Input, id: &[u8]) -> Result<Vec<u8>> {
        let id = id.get(..self.id_bytes.min(id.len())).unwrap_or_default();
        let first = *id
            .first()
            .ok_or_else(|| damaged("an object of a heap has no identifier"))?;
        if first >> 6 != 0 {
            return Err(damaged(
                "an object of a heap has an identifier of no known version",
            ));
        }
        match first >> 4 & 3 {
            0 => self.managed(input, id),
            1 => self.huge(input, id),
            2 => self.tiny(id),
            _ => Err(damaged("an object of a heap is of no known kind")),
        }
    }

    fn tiny(&self, id: &[u8]) -> Result<Vec<u8>> {
        let (length, rest) = match self.id_bytes - 1 <= LONGEST_SHORT_TINY {
            true => (usize::from(id[0] & 0xf), id.get(1..)),
            false => {
                let low = usize::from(id.get(1).copied().unwrap_or_default());
                (usize::from(id[0] & 0xf) << 8 | low, id.get(2..))
            }
        };
        let object = rest.and_then(|rest| rest.get(..=length));
        object
            .map(<[u8]>::to_vec)
            .ok_or_else(|| damaged("a tiny object is longer than its identifier"))
    }

    fn offset_bytes(&self) -> usize {
        (self.table.bits as usize).div_ceil(8)
    }

    fn managed(&self, input: &Input, id: &[u8]) -> Result<Vec<u8>> {
        let of_block = (self.table.most_direct_bytes.ilog2() as usize).div_ceil(8);
        let length_bytes = of_block.min(bytes_for(self.most_managed_bytes));
        let mut at = input.cursor(&id[1..]);
        let offset = at.uint(self.offset_bytes())?;
        let length = at.count(length_bytes)?;
        input.spend(length as u64)?;
        let outside = || damaged("an object lies outside its fractal heap");
        let block = self.block_at(input, offset)?;
        let begin = usize::try_from(offset - block.offset).map_err(|_| outside())?;
        let end = begin.checked_add(length).ok_or_else(outside)?;
        let content = self.content(input, &block)?;
        content
            .get(begin..end)
            .map(<[u8]>::to_vec)
            .ok_or_else(outside)
    }

    /// The direct block that holds an offset of the heap.
    fn block_at(&self, input: &Input, offset: u64) -> Result<Block> {
        let outside = || damaged("an object lies outside its fractal heap");
        let mut block = self.root.ok_or_else(outside)?;
        // Each step leads to a smaller block.
        while block.rows > 0 {
            let children = self.children(input, &block)?;
            let holds =
                |child: &&Block| child.offset <= offset && offset - child.offset < child.bytes;
            let child = children
                .iter()
                .flatten()
                .find(holds)
                .copied()
                .ok_or_else(outside)?;
            if child.rows >= block.rows && child.bytes >= block.bytes {
                return Err(damaged("a fractal heap leads back to itself"));
            }
            block = child;
        }
        match offset.checked_sub(block.offset) {
            Some(within) if within < block.bytes => Ok(block),
            _ => Err(outside()),
        }
    }

    fn children(&self, input: &Input, block: &Block) -> Result<Children> {
        if let Some(known) = self.indirect.lock().get(&block.address) {
            return Ok(Arc::clone(known));
        }
        let children = Arc::new(self.read_children(input, block)?);
        self.indirect
            .lock()
            .insert(block.address, Arc::clone(&children));
        Ok(children)
    }

    fn read_children(&self, input: &Input, block: &Block) -> Result<Vec<Option<Block>>> {
        let sizes = input.sizes();
        let (a, l) = (u64::from(sizes.address), u64::from(sizes.length));
        let direct_rows = self.table.direct_rows().min(block.rows);
        let is_filtered = !self.filters.0.is_empty();
        let direct_entry = if is_filtered { a + l + 4 } else { a };
        let entries =
            u64::from(direct_rows) * direct_entry + u64::from(block.rows - direct_rows) * a;
        let prefix = 5 + a + self.offset_bytes() as u64;
        let whole = prefix + entries * self.table.width + 4;
        let bytes = input.read(block.address, whole, "a block of a fractal heap")?;
        let content = checksum::checked(&bytes, "a block of a fractal heap")?;
        let mut at = input.cursor(content);
        self.check_prefix(&mut at, b"FHIB", block)?;
        let mut children = Vec::new();
        let mut offset = block.offset;
        for row in 0..block.rows {
            let bytes = self
                .table
                .row_bytes(row)
                .ok_or_else(|| damaged("a fractal heap has no end"))?;
            for _ in 0..self.table.width {
                let address = at.address()?;
                let mut filtered = None;
                if is_filtered && row < direct_rows {
                    filtered = Some(Filtered {
                        stored_bytes: at.length()?,
                        mask: at.u32()?,
                    });
                }
                let rows = if row < direct_rows {
                    0
                } else {
                    self.table.rows_of(bytes)
                };
                children.push(address.map(|address| Block {
                    address,
                    offset,
                    bytes,
                    rows,
                    filtered,
                }));
                offset = offset
                    .checked_add(bytes)
                    .ok_or_else(|| damaged("a fractal heap has no end"))?;
            }
        }
        Ok(children)
    }

    fn check_prefix(&self, at: &mut Cursor<'_>, signature: &[u8; 4], block: &Block) -> Result<()> {
        at.signature(signature, "a block of a fractal heap")?;
        at.version(&[0], "a block of a fractal heap")?;
        let (heap, offset) = (at.address()?, at.uint(self.offset_bytes())?);
        match heap == Some(self.address) && offset == block.offset {
            true => Ok(()),
            false => Err(damaged(
                "a block belongs to another place of another fractal heap",
            )),
        }
    }

    /// The content of a direct block, its own prefix included.
    fn content(&self, input: &Input, block: &Block) -> Result<Arc<Vec<u8>>> {
        if let Some(known) = self.direct.lock().by_address.get(&block.address) {
            return Ok(Arc::clone(known));
        }
        let name = "a block of a fractal heap";
        let mut bytes = match block.filtered {
            None => input.read(block.address, block.bytes, name)?,
            Some(filtered) => {
                let stored = input.read(block.address, filtered.stored_bytes, name)?;
                self.decoded(filtered.mask, &stored, block.bytes)?
            }
        };
        if bytes.len() as u64 != block.bytes {
            return Err(damaged(
                "a block of a fractal heap has another size than stated",
            ));
        }
        let mut at = input.cursor(&bytes);
        self.check_prefix(&mut at, b"FHDB", block)?;
        if self.has_checksums {
            let place = bytes.len() - at.rest().len();
            let stored = at.u32()?;
            bytes[place..place + 4].fill(0);
            if !cfg!(fuzzing) && checksum::lookup3(&bytes) != stored {
                return Err(damaged(
                    "the checksum of a block of a fractal heap is wrong",
                ));
            }
        }
        let bytes = Arc::new(bytes);
        let mut known = self.direct.lock();
        known.bytes += bytes.len();
        if known.bytes > MOST_CACHED {
            *known = Blocks::default();
        }
        known.by_address.insert(block.address, Arc::clone(&bytes));
        Ok(bytes)
    }

    fn decoded(&self, mask: u32, stored: &[u8], bytes: u64) -> Result<Vec<u8>> {
        let decode = self.decode.as_ref();
        let decode =
            decode.ok_or_else(|| unsupported("a heap whose blocks went through filters"))?;
        let most = usize::try_from(bytes).map_err(|_| damaged("a heap's object is too large"))?;
        decode(&self.filters, mask, stored, most).map_err(damaged)
    }

    fn huge(&self, input: &Input, id: &[u8]) -> Result<Vec<u8>> {
        let sizes = input.sizes();
        let is_filtered = !self.filters.0.is_empty();
        let plain = usize::from(sizes.address) + usize::from(sizes.length);
        let direct = if is_filtered {
            plain + 4 + usize::from(sizes.length)
        } else {
            plain
        };
        let mut at = input.cursor(&id[1..]);
        let place = if direct < self.id_bytes {
            HugePlace::decode(&mut at, is_filtered)?
        } else {
            let number = at.uint(8.min(self.id_bytes - 1))?;
            let places = self.huge_places(input)?;
            let place = places.get(&number).copied();
            place.ok_or_else(|| damaged("a heap has no huge object of this number"))?
        };
        let stored = input.read(place.address, place.stored_bytes, "a huge object of a heap")?;
        match is_filtered {
            true => self.decoded(place.mask, &stored, place.bytes),
            false => Ok(stored),
        }
    }

    fn huge_places(&self, input: &Input) -> Result<Arc<HashMap<u64, HugePlace>>> {
        if let Some(known) = &*self.huge.lock() {
            return Ok(Arc::clone(known));
        }
        let tree = self
            .huge_tree
            .ok_or_else(|| damaged("a heap has no list of huge objects"))?;
        let is_filtered = !self.filters.0.is_empty();
        let mut places = HashMap::new();
        let kind = if is_filtered { 2 } else { 1 };
        for record in Tree2::read(input, tree)?.records(input, kind)? {
            let mut at = input.cursor(&record);
            let place = HugePlace::decode(&mut at, is_filtered)?;
            places.insert(at.length()?, place);
        }
        let places = Arc::new(places);
        *self.huge.lock() = Some(Arc::clone(&places));
        Ok(places)
    }
}

impl HugePlace {
    fn decode(at: &mut Cursor<'_>, is_filtered: bool) -> Result<Self> {
        let address = at
            .address()?
            .ok_or_else(|| damaged("a huge object lies nowhere"))?;
        let stored_bytes = at.length()?;
        let (mask, bytes) = match is_filtered {
            true => (at.u32()?, at.length()?),
            false => (0, stored_bytes),
        };
        Ok(Self {
            address,
            stored_bytes,
            mask,
            bytes,
        })
    }
}

fn decode_table(at: &mut Cursor<'_>) -> Result<Table> {
    let width = u64::from(at.u16()?);
    let table = Table {
        width,
        first_bytes: at.length()?,
        most_direct_bytes: at.length()?,
        bits: u32::from(at.u16()?),
    };
    let are_powers = [table.width, table.first_bytes, table.most_direct_bytes]
        .iter()
        .all(|number| number.is_power_of_two());
    let fits = table.first_bytes <= table.most_direct_bytes && (1..=64).contains(&table.bits);
    match are_powers && fits && table.most_direct_bytes <= 1 << 31 {
        true => Ok(table),
        false => Err(damaged("a fractal heap has blocks of no possible size")),
    }
}

/// Whether identifiers differ: two names of one heap object would make a small file a large one.
pub(crate) fn are_different<'a>(ids: impl IntoIterator<Item = &'a [u8]>) -> bool {
    let mut seen = HashSet::new();
    ids.into_iter().all(|id| seen.insert(id))
}
