//! What decoding of every object needs: the file's bytes, and messages that are kept elsewhere.

use std::sync::Arc;

use crate::cache_image;
use crate::checksum;
use crate::cursor::Cursor;
use crate::datatype::TypeDescription;
use crate::error::{Result, damaged};
use crate::header::{Header, Message, kind};
use crate::heap::{DecodeBlock, FractalHeap, LocalHeap};
use crate::input::Input;
use crate::message::{ExternalFile, Shared, decode_external_files, read_datatype, read_shared};
use crate::superblock::TreeRanks;

/// Most heaps of shared messages (`H5O_SHMESG_MAX_NINDEXES`).
const MOST_SHARED_HEAPS: u8 = 8;

/// The file's bytes, and messages that are kept elsewhere.
pub(crate) struct Context {
    input: Input,
    ranks: TreeRanks,
    shared_heaps: Vec<(u16, FractalHeap)>,
    decode: Option<Arc<DecodeBlock>>,
}

impl Context {
    /// Of a file whose superblock was read.
    pub(crate) fn new(input: Input, ranks: TreeRanks, decode: Option<Arc<DecodeBlock>>) -> Self {
        Self {
            input,
            ranks,
            shared_heaps: Vec::new(),
            decode,
        }
    }

    /// Takes metadata from the image of a cache that a message leads to.
    pub(crate) fn read_cache_image(&mut self, message: &Message) -> Result<()> {
        let sizes = self.input.sizes();
        cache_image::read(&mut self.input, Cursor::new(&message.bytes, sizes))
    }

    pub(crate) fn ranks(&self) -> TreeRanks {
        self.ranks
    }

    pub(crate) fn set_ranks(&mut self, ranks: TreeRanks) {
        self.ranks = ranks;
    }

    pub(crate) fn shares_messages(&self) -> bool {
        !self.shared_heaps.is_empty()
    }

    pub(crate) fn input(&self) -> &Input {
        &self.input
    }

    pub(crate) fn shared(&self) -> Shared<'_> {
        Shared {
            input: &self.input,
            heaps: &self.shared_heaps,
        }
    }

    pub(crate) fn fractal_heap(&self, address: u64) -> Result<FractalHeap> {
        FractalHeap::read(&self.input, address, self.decode.clone())
    }

    /// A message's bytes, wherever they are.
    pub(crate) fn message_bytes(&self, message: &Message) -> Result<Vec<u8>> {
        if !message.is_shared {
            return Ok(message.bytes.clone());
        }
        let at = self.input.cursor(&message.bytes);
        read_shared(&self.shared(), at, message.kind, |at| {
            Ok(at.rest().to_vec())
        })
    }

    /// The first message of a kind, decoded.
    pub(crate) fn decoded<T>(
        &self,
        header: &Header,
        kind: u16,
        decode: impl FnOnce(Cursor<'_>) -> Result<T>,
    ) -> Result<Option<T>> {
        let Some(message) = header.message(kind) else {
            return Ok(None);
        };
        let bytes = self.message_bytes(message)?;
        decode(self.input.cursor(&bytes)).map(Some)
    }

    pub(crate) fn datatype_of(&self, header: &Header) -> Result<(TypeDescription, Option<u64>)> {
        let message = header
            .message(kind::DATATYPE)
            .ok_or_else(|| damaged("it has no datatype"))?;
        let mut at = self.input.cursor(&message.bytes);
        read_datatype(&self.shared(), &mut at, message.is_shared)
    }

    pub(crate) fn external_files(&self, header: &Header) -> Result<Option<Vec<ExternalFile>>> {
        let heap = |address| LocalHeap::read(&self.input, address);
        self.decoded(header, kind::EXTERNAL_FILES, |at| {
            decode_external_files(at, heap)
        })
    }

    /// Reads the heaps of shared messages.
    pub(crate) fn read_shared_heaps(&mut self, address: u64, count: u8) -> Result<()> {
        if !(1..=MOST_SHARED_HEAPS).contains(&count) {
            return Err(damaged(format!(
                "the file claims {count} lists of shared messages"
            )));
        }
        let each = 1 + 1 + 2 + 4 + 3 * 2 + 2 * u64::from(self.input.sizes().address);
        let name = "the list of shared messages";
        let bytes = self
            .input
            .read(address, 4 + u64::from(count) * each + 4, name)?;
        let mut at = self.input.cursor(checksum::checked(&bytes, name)?);
        at.signature(b"SMTB", name)?;
        let mut heaps = Vec::new();
        for _ in 0..count {
            at.version(&[0], name)?;
            at.skip(1)?;
            let kinds = at.u16()?;
            at.skip(4 + 3 * 2)?;
            at.address()?;
            if let Some(heap) = at.address()? {
                heaps.push((kinds, self.fractal_heap(heap)?));
            }
        }
        self.shared_heaps = heaps;
        Ok(())
    }
}
