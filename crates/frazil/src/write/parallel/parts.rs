//! Values of chunks on their way to the chunks' owners.
//!
//! A message has values of one chunk or of several small ones, and says whether it is the last to
//! this owner in its round; so that none gets long, and a chunk's values are copied once.

use std::collections::BTreeMap;
use std::ops::Range;
use std::sync::Arc;

use serde::{Deserialize, Serialize};

use super::super::mask::Mask;
use super::super::partial::PartialChunk;
use super::letter::Letter;
use super::wire::{Name, broken, decode, encode};
use crate::error::Result;

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
    pub(super) bytes: Vec<u8>,
    parts: Vec<Part>,
}

impl Parcel {
    /// Adds what was written of a chunk.
    pub(super) fn add(&mut self, name: Name, chunk: &PartialChunk, element_bytes: usize) {
        let before = self.bytes.len();
        self.bytes.extend_from_slice(&chunk.mask.to_bytes());
        let values = self.bytes.len();
        self.bytes.extend_from_slice(&chunk.written(element_bytes));
        self.parts.push(Part {
            name,
            mask_bytes: values - before,
            value_bytes: self.bytes.len() - values,
        });
    }

    pub(super) fn is_full(&self) -> bool {
        self.bytes.len() >= PARCEL_BYTES
    }

    /// Ends the message: [`Self::bytes`] are all of it now.
    pub(super) fn seal(&mut self, is_last: bool) -> Result<()> {
        let parts = std::mem::take(&mut self.parts);
        let list = encode(&List { parts, is_last })?;
        self.bytes.extend_from_slice(&list);
        let bytes = (list.len() as u64).to_le_bytes();
        self.bytes.extend_from_slice(&bytes);
        Ok(())
    }
}

/// Values that another rank has put.
pub(super) struct Foreign {
    pub(super) rank: usize,
    pub(super) mask: Mask,
    letter: Arc<Letter>,
    /// Where those that were written are in the message, one behind the other.
    written: Range<usize>,
}

impl Foreign {
    /// Those that were written; `buffer` is for them if they are not in this rank's memory.
    pub(super) fn written<'a>(&'a self, buffer: &'a mut Vec<u8>) -> Result<&'a [u8]> {
        self.letter.look(self.written.clone(), buffer)
    }
}

/// What the other ranks have sent, by chunk.
pub(super) type Arrived = BTreeMap<Name, Vec<Foreign>>;

/// Takes a message apart; whether it is the last one.
pub(super) fn unpack(rank: usize, letter: Letter, arrived: &mut Arrived) -> Result<bool> {
    let short = || broken("it ends early");
    let mut buffer = Vec::new();
    let end = letter.len().checked_sub(8).ok_or_else(short)?;
    let list_bytes = letter.look(end..letter.len(), &mut buffer)?;
    let list_bytes = list_bytes.try_into().map_err(|_| short())?;
    let list_bytes = usize::try_from(u64::from_le_bytes(list_bytes)).map_err(|_| short())?;
    let start = end.checked_sub(list_bytes).ok_or_else(short)?;
    let list: List = decode(letter.look(start..end, &mut buffer)?)?;
    let letter = Arc::new(letter);
    let mut at = 0_usize;
    for part in list.parts {
        let values = at.checked_add(part.mask_bytes).ok_or_else(short)?;
        let behind = values.checked_add(part.value_bytes).ok_or_else(short)?;
        if behind > start {
            return Err(short());
        }
        arrived.entry(part.name).or_default().push(Foreign {
            rank,
            mask: Mask::from_bytes(letter.look(at..values, &mut buffer)?),
            letter: Arc::clone(&letter),
            written: values..behind,
        });
        at = behind;
    }
    Ok(list.is_last)
}
