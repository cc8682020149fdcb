//! Values of chunks on their way to the chunks' owners.
//!
//! A message has values of one chunk or of several small ones, and says whether it is the last to
//! this owner in its round; so that none gets long. Many values of a chunk are copied twice on their way: from
//! where they were gathered to memory that the ranks share, and from there to their place in the chunk.

use std::collections::BTreeMap;
use std::ops::Range;
use std::sync::Arc;

use serde::{Deserialize, Serialize};

use super::super::key::Name;
use super::super::mask::Mask;
use super::super::partial::{PartialChunk, Written};
use super::arrived::Message;
use super::wire::{broken, decode, encode};
use frazil_file::error::Result;

/// Messages get no more parts when they have so many bytes.
const PARCEL_BYTES: usize = 256 << 10;

/// Values of a chunk: a mask and behind it those values that were written.
#[derive(Debug, Serialize, Deserialize)]
struct Part {
    name: Name,
    mask_bytes: usize,
    value_bytes: usize,
}

/// What is in a message: behind all parts, and behind it its bytes (8, little-endian).
#[derive(Debug, Serialize, Deserialize)]
struct List {
    parts: Vec<Part>,
    is_last: bool,
}

/// A message that is being made.
#[derive(Default)]
pub(super) struct Parcel {
    /// Masks and values.
    bytes: Vec<u8>,
    /// Behind them many values of the chunk that was added last, which stay where they are.
    many: Option<Written>,
    parts: Vec<Part>,
    /// The end of the message, when it is sealed.
    list: Vec<u8>,
}

impl Parcel {
    /// Adds what was written of a chunk, unless the message is full.
    pub(super) fn add(&mut self, name: Name, chunk: PartialChunk, element_bytes: usize) {
        let mask = chunk.mask.to_bytes();
        let written = chunk.into_written(element_bytes);
        self.parts.push(Part {
            name,
            mask_bytes: mask.len(),
            value_bytes: written.values.len(),
        });
        self.bytes.extend_from_slice(&mask);
        match written.values.len() < PARCEL_BYTES {
            true => self.bytes.extend_from_slice(&written.values),
            false => self.many = Some(written),
        }
    }

    pub(super) fn is_full(&self) -> bool {
        self.many.is_some() || self.bytes.len() >= PARCEL_BYTES
    }

    /// Ends the message: [`Self::pieces`] are all of it now.
    pub(super) fn seal(&mut self, is_last: bool) -> Result<()> {
        let parts = std::mem::take(&mut self.parts);
        self.list = encode(&List { parts, is_last })?;
        let bytes = (self.list.len() as u64).to_le_bytes();
        self.list.extend_from_slice(&bytes);
        Ok(())
    }

    /// The message, one piece behind the other.
    pub(super) fn pieces(&self) -> [&[u8]; 3] {
        let many = self.many.as_ref().map_or(&[][..], |many| &many.values);
        [&self.bytes, many, &self.list]
    }

    /// Begins another message, in the same memory.
    pub(super) fn clear(&mut self) {
        self.bytes.clear();
        self.list.clear();
        self.many = None;
    }
}

/// Values that another rank has put.
pub(super) struct Foreign {
    pub(super) rank: usize,
    pub(super) mask: Mask,
    message: Arc<Message>,
    /// Where those that were written are in the message, one behind the other.
    written: Range<usize>,
}

impl Foreign {
    /// Puts those that were written into a chunk; `buffer` is for them on their way.
    pub(super) fn overlay(
        &self,
        chunk: &mut PartialChunk,
        element_bytes: usize,
        buffer: &mut Vec<u8>,
    ) -> Result<()> {
        let read = |target: &mut [u8]| self.message.read(self.written.clone(), target);
        match chunk.overlay_run(&self.mask, element_bytes, read)? {
            true => Ok(()),
            false => {
                let written = self.message.look(self.written.clone(), buffer)?;
                chunk.overlay(&self.mask, written, element_bytes)
            }
        }
    }
}

/// What the other ranks have sent, by chunk.
pub(super) type Arrived = BTreeMap<Name, Vec<Foreign>>;

/// Takes a message apart; whether it is the last one.
pub(super) fn unpack(rank: usize, message: Message, arrived: &mut Arrived) -> Result<bool> {
    let short = || broken("it ends early");
    let mut buffer = Vec::new();
    let end = message.len().checked_sub(8).ok_or_else(short)?;
    let list_bytes = message.look(end..message.len(), &mut buffer)?;
    let list_bytes = list_bytes.try_into().map_err(|_| short())?;
    let list_bytes = usize::try_from(u64::from_le_bytes(list_bytes)).map_err(|_| short())?;
    let start = end.checked_sub(list_bytes).ok_or_else(short)?;
    let list: List = decode(message.look(start..end, &mut buffer)?)?;
    let message = Arc::new(message);
    let mut at = 0_usize;
    for part in list.parts {
        let values = at.checked_add(part.mask_bytes).ok_or_else(short)?;
        let behind = values.checked_add(part.value_bytes).ok_or_else(short)?;
        if behind > start {
            return Err(short());
        }
        arrived.entry(part.name).or_default().push(Foreign {
            rank,
            mask: Mask::from_bytes(message.look(at..values, &mut buffer)?),
            message: Arc::clone(&message),
            written: values..behind,
        });
        at = behind;
    }
    Ok(list.is_last)
}
