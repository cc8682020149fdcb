//! A file and its objects.

use std::fmt;
use std::ops::{Range, RangeInclusive};
use std::sync::Arc;

use frazil_types::ChunkRecord;

use crate::attributes;
use crate::context::Context;
use crate::cursor::Cursor;
use crate::dataset::Dataset;
use crate::datatype::TypeDescription;
use crate::error::{Result, damaged};
use crate::group::{self, LinkOrder};
use crate::header::{self, Header, kind};
use crate::heap::{DecodeBlock, GlobalHeaps, GlobalId};
use crate::input::Input;
use crate::message::{Attribute, Link};
use crate::source::Source;
use crate::superblock::{self, Superblock, TreeRanks};
use crate::text;

/// Indexes of many datasets are brought into memory together up to this, in so many rounds: no index is deeper.
const MOST_INDEX_BYTES: u64 = 6 << 20;
const MOST_INDEX_ROUNDS: usize = 16;

/// What an object is.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum ObjectKind {
    /// A group.
    Group,
    /// A dataset.
    Dataset,
    /// A committed datatype.
    NamedDatatype,
}

/// An object of a file.
#[derive(Debug, Clone)]
pub struct Object {
    /// What it is.
    pub kind: ObjectKind,
    pub(crate) header: Header,
}

impl Object {
    /// Address of its header: what links and references hold.
    #[must_use]
    pub fn address(&self) -> u64 {
        self.header.address
    }

    /// Whether it says when it was made or changed.
    #[must_use]
    pub fn has_times(&self) -> bool {
        self.header.has_times
    }

    /// Whether it has a message of a kind that HDF5 does not know.
    #[must_use]
    pub fn has_unknown_message(&self) -> bool {
        self.header.has_unknown
    }

    /// Whether it keeps the order in which its attributes were created.
    #[must_use]
    pub fn keeps_attribute_order(&self) -> bool {
        self.header.is_ordered
    }

    /// The version of its header: 1 or 2.
    #[must_use]
    pub fn header_version(&self) -> u8 {
        self.header.version
    }

    /// Its comment, if it has one.
    #[must_use]
    pub fn comment(&self) -> Option<String> {
        let message = self.header.message(kind::COMMENT)?;
        Some(text::from_buffer(&message.bytes)).filter(|text| !text.is_empty())
    }
}

/// How free space is managed in a file that says so.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct FileSpace {
    /// The strategy's number (`H5F_fspace_strategy_t`).
    pub strategy: u8,
    /// Whether lists of free space are in the file.
    pub persists: bool,
    /// Bytes of a page.
    pub page_bytes: u64,
}

/// An open HDF5 file.
pub struct File {
    context: Context,
    superblock: Superblock,
    space: Option<FileSpace>,
    global_heaps: GlobalHeaps,
}

impl fmt::Debug for File {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        formatter
            .debug_struct("File")
            .field("superblock", &self.superblock)
            .finish_non_exhaustive()
    }
}

impl File {
    /// Opens a file: reads its superblock. `decode` undoes the filters of heaps, which few files have.
    ///
    /// # Errors
    /// If the source fails, has no HDF5 file, or the file contradicts itself.
    pub fn open(source: Box<dyn Source>, decode: Option<Arc<DecodeBlock>>) -> Result<Self> {
        let mut input = Input::new(source)?;
        let superblock = superblock::read(&mut input)?;
        let mut file = Self {
            context: Context::new(input, superblock.ranks, decode),
            space: None,
            global_heaps: GlobalHeaps::default(),
            superblock,
        };
        let starts = [Some(file.superblock.root), file.superblock.extension];
        file.input()
            .prefetch(starts.into_iter().flatten().map(header::beginning))?;
        if let Some(address) = file.superblock.driver_information {
            let information = file.input().read_up_to(address, 16, "driver information")?;
            refuse_driver(information.get(8..).unwrap_or_default())?;
        }
        if let Some(extension) = file.superblock.extension {
            file.read_extension(extension)?;
        }
        Ok(file)
    }

    /// Lets go of what was read; it is read again where it is needed.
    pub fn forget(&self) {
        self.input().forget();
        self.global_heaps.forget();
    }

    /// Whether bytes of the file take long to come ([`Source::is_far`]).
    #[must_use]
    pub fn is_far(&self) -> bool {
        self.input().is_far()
    }

    /// What the superblock says.
    #[must_use]
    pub fn superblock(&self) -> &Superblock {
        &self.superblock
    }

    /// How free space is managed, if the file says so.
    #[must_use]
    pub fn space(&self) -> Option<FileSpace> {
        self.space
    }

    /// Whether objects share messages through heaps.
    #[must_use]
    pub fn shares_messages(&self) -> bool {
        self.context.shares_messages()
    }

    /// Half the entries of version-1 B-trees' nodes.
    #[must_use]
    pub fn ranks(&self) -> TreeRanks {
        self.context.ranks()
    }

    /// Brings the headers of objects into memory, in one request.
    ///
    /// # Errors
    /// If the source fails.
    pub fn prefetch(&self, addresses: &[u64]) -> Result<()> {
        self.context
            .input()
            .prefetch(addresses.iter().copied().map(header::beginning))
    }

    /// The object whose header is at an address.
    ///
    /// # Errors
    /// If there is none, or it contradicts itself.
    pub fn object(&self, address: u64) -> Result<Object> {
        let header = header::read(self.context.input(), address)?;
        let has = |kind| header.message(kind).is_some();
        let kind = if has(kind::SYMBOL_TABLE) || has(kind::LINK_INFO) {
            ObjectKind::Group
        } else if has(kind::DATATYPE) && has(kind::DATASPACE) {
            ObjectKind::Dataset
        } else if has(kind::DATATYPE) {
            ObjectKind::NamedDatatype
        } else {
            return Err(damaged("an object is no group, no dataset and no datatype"));
        };
        Ok(Object { kind, header })
    }

    /// The root group.
    ///
    /// # Errors
    /// As [`Self::object`].
    pub fn root(&self) -> Result<Object> {
        self.object(self.superblock.root)
    }

    /// The links of a group: by creation if that is kept, else by name.
    ///
    /// # Errors
    /// If they cannot be read.
    pub fn links(&self, group: &Object) -> Result<Vec<Link>> {
        group::links(&self.context, &group.header)
    }

    /// Whether a group keeps the order in which its links were created.
    ///
    /// # Errors
    /// If the group contradicts itself.
    pub fn link_order(&self, group: &Object) -> Result<LinkOrder> {
        group::link_order(&self.context, &group.header)
    }

    /// An object's attributes: by creation if that is kept, else as they come.
    ///
    /// # Errors
    /// If they cannot be read.
    pub fn attributes(&self, object: &Object) -> Result<Vec<Attribute>> {
        attributes::attributes(&self.context, &object.header)
    }

    /// The attribute of this name, if the object has it.
    ///
    /// # Errors
    /// If the attributes cannot be read.
    pub fn attribute(&self, object: &Object, name: &str) -> Result<Option<Attribute>> {
        attributes::attribute(&self.context, &object.header, name)
    }

    /// What a dataset is.
    ///
    /// # Errors
    /// If it contradicts itself.
    pub fn dataset(&self, object: &Object) -> Result<Dataset> {
        Dataset::read(&self.context, &object.header)
    }

    /// The type of a dataset or committed datatype.
    ///
    /// # Errors
    /// If it cannot be read.
    pub fn datatype(&self, object: &Object) -> Result<TypeDescription> {
        self.context
            .datatype_of(&object.header)
            .map(|(datatype, _)| datatype)
    }

    /// Where the stored chunks of a dataset lie, in row-major order of the grid; none if it has no chunks.
    ///
    /// # Errors
    /// If the index cannot be read, or names chunks outside the file.
    pub fn locate(&self, dataset: &Dataset) -> Result<Vec<ChunkRecord>> {
        self.locate_within(dataset, None)
    }

    /// As [`Self::locate`], but only chunks whose numbers in the grid lie `within`. Less of an index is read for that
    /// where it is a B-tree.
    ///
    /// # Errors
    /// As [`Self::locate`].
    pub fn locate_within(
        &self,
        dataset: &Dataset,
        within: Option<&Range<u64>>,
    ) -> Result<Vec<ChunkRecord>> {
        let records = dataset.locate(&self.context, within)?;
        self.input().settle();
        Ok(records)
    }

    /// Brings the chunk indexes of datasets into memory, as far as there is room for them: what all of them need next
    /// is one request. Locating says what is wrong with an index.
    ///
    /// # Errors
    /// If the source fails.
    pub fn prefetch_indexes(&self, datasets: &[Dataset]) -> Result<()> {
        let mut left: Vec<&Dataset> = datasets.iter().collect();
        let mut room = MOST_INDEX_BYTES;
        for _ in 0..MOST_INDEX_ROUNDS {
            let noted = self.input().note(|| {
                left.retain(|one| {
                    let tried = one.locate(&self.context, None);
                    tried.is_err_and(|error| Input::is_waiting(&error))
                });
            });
            let mut wanted = noted.unwrap_or_default();
            wanted.retain(|(_, length)| {
                let fits = *length <= room;
                room -= if fits { *length } else { 0 };
                fits
            });
            if wanted.is_empty() {
                break;
            }
            self.input().prefetch(wanted)?;
        }
        Ok(())
    }

    /// The bytes of an object of a global heap.
    ///
    /// # Errors
    /// If there is none.
    pub fn global_object(&self, id: GlobalId) -> Result<Vec<u8>> {
        let bytes = self.global_heaps.object(self.context.input(), id)?;
        self.input().spend(bytes.len() as u64)?;
        Ok(bytes)
    }

    /// The bytes of an object of a global heap; `None` if no heap is there, or it has no such object.
    pub(crate) fn global_object_if_any(&self, id: GlobalId) -> Result<Option<Vec<u8>>> {
        let bytes = self.global_heaps.find(self.context.input(), id)?;
        self.input()
            .spend(bytes.as_ref().map_or(0, Vec::len) as u64)?;
        Ok(bytes)
    }

    pub(crate) fn input(&self) -> &Input {
        self.context.input()
    }

    /// What the file says of itself beside the superblock.
    fn read_extension(&mut self, address: u64) -> Result<()> {
        let header = header::read(self.context.input(), address)?;
        let ranks = self.context.decoded(&header, kind::TREE_RANKS, |mut at| {
            at.version(&[0], "the ranks of B-trees")?;
            let (chunk_node, symbol_node, symbol_leaf) = (at.u16()?, at.u16()?, at.u16()?);
            Ok(TreeRanks {
                symbol_leaf,
                symbol_node,
                chunk_node,
            })
        })?;
        if let Some(ranks) = ranks {
            self.context.set_ranks(ranks);
        }
        let space = header.message(kind::FILE_SPACE);
        if space.is_some_and(|message| !message.was_unknown) {
            self.space = self
                .context
                .decoded(&header, kind::FILE_SPACE, decode_space)?;
        }
        if let Some(message) = header.message(kind::DRIVER_INFORMATION) {
            refuse_driver(message.bytes.get(1..).unwrap_or_default())?;
        }
        if let Some(message) = header.message(kind::CACHE_IMAGE) {
            self.context.read_cache_image(message)?;
        }
        let table = self
            .context
            .decoded(&header, kind::SHARED_TABLE, |mut at| {
                at.version(&[0], "the list of shared messages")?;
                Ok((at.address()?, at.u8()?))
            })?;
        if let Some((Some(address), count)) = table {
            self.context.read_shared_heaps(address, count)?;
        }
        Ok(())
    }
}

/// Drivers that make several files of one, by the names that they leave: the others say nothing about a file.
fn refuse_driver(name: &[u8]) -> Result<()> {
    let driver = match name.get(..8) {
        Some(b"NCSAfami") => "family",
        Some(b"NCSAmult") => "multi",
        _ => return Ok(()),
    };
    Err(damaged(format!(
        "it is one of several files that HDF5's {driver} driver makes of one"
    )))
}

fn decode_space(mut at: Cursor<'_>) -> Result<FileSpace> {
    /// `H5F_FILE_SPACE_PAGE_SIZE_DEF`, `H5F_FILE_SPACE_PAGE_SIZE_MIN` and `H5F_FILE_SPACE_PAGE_SIZE_MAX`.
    const USUAL_PAGE: u64 = 4096;
    const PAGES: RangeInclusive<u64> = 512..=1 << 30;
    /// Lists of free space, today and before HDF5 1.10.1.
    const LISTS: usize = 12;
    const OLD_LISTS: usize = 6;

    let is_old = at.u8()? == 0;
    let (strategy, persists) = match (is_old, at.u8()?) {
        (false, strategy) => (strategy, at.u8()? != 0),
        // Strategies of before HDF5 1.10.1, by today's numbers.
        (true, 1) => (0, true),
        (true, 2) => (0, false),
        (true, 3) => (2, false),
        (true, 4) => (3, false),
        (true, _) => return Err(damaged("free space is managed in no known way")),
    };
    at.length()?;
    let mut page_bytes = USUAL_PAGE;
    if !is_old {
        page_bytes = at.length()?;
        at.skip(2)?;
        at.address()?;
    }
    if !PAGES.contains(&page_bytes) {
        return Err(damaged(format!("its pages claim {page_bytes} bytes")));
    }
    for _ in 0..if is_old { OLD_LISTS } else { LISTS } {
        if persists {
            at.address()?;
        }
    }
    Ok(FileSpace {
        strategy,
        persists,
        page_bytes,
    })
}
