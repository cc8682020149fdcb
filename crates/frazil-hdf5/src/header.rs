//! Object headers: the messages that say what an object is.

use std::collections::HashSet;

use crate::checksum;
use crate::cursor::Cursor;
use crate::error::{Result, damaged, unsupported};
use crate::input::Input;

/// Kinds of messages.
pub(crate) mod kind {
    pub(crate) const DATASPACE: u16 = 0x01;
    pub(crate) const LINK_INFO: u16 = 0x02;
    pub(crate) const DATATYPE: u16 = 0x03;
    pub(crate) const OLD_FILL_VALUE: u16 = 0x04;
    pub(crate) const FILL_VALUE: u16 = 0x05;
    pub(crate) const LINK: u16 = 0x06;
    pub(crate) const EXTERNAL_FILES: u16 = 0x07;
    pub(crate) const LAYOUT: u16 = 0x08;
    pub(crate) const FILTERS: u16 = 0x0b;
    pub(crate) const ATTRIBUTE: u16 = 0x0c;
    pub(crate) const COMMENT: u16 = 0x0d;
    pub(crate) const OLD_MODIFICATION_TIME: u16 = 0x0e;
    pub(crate) const SHARED_TABLE: u16 = 0x0f;
    pub(crate) const CONTINUATION: u16 = 0x10;
    pub(crate) const SYMBOL_TABLE: u16 = 0x11;
    pub(crate) const MODIFICATION_TIME: u16 = 0x12;
    pub(crate) const TREE_RANKS: u16 = 0x13;
    pub(crate) const ATTRIBUTE_INFO: u16 = 0x15;
    pub(crate) const DRIVER_INFORMATION: u16 = 0x14;
    pub(crate) const LINK_COUNT: u16 = 0x16;
    pub(crate) const FILE_SPACE: u16 = 0x17;
    pub(crate) const CACHE_IMAGE: u16 = 0x18;
    /// The first number without a meaning (`H5O_UNKNOWN_ID`).
    pub(crate) const FIRST_UNKNOWN: u16 = 0x19;
    /// A number that libhdf5 uses in tests only.
    pub(crate) const BOGUS: u16 = 0x09;
}

/// The message's bytes say where it is, not what.
const IS_SHARED: u8 = 0x02;
/// Who does not know the message must not read the object.
const FAIL_IF_UNKNOWN: u8 = 0x80;
/// A program that did not know the message changed the object.
const WAS_UNKNOWN: u8 = 0x20;
/// Bits of a version-2 header's flags.
const ORDER_TRACKED: u8 = 0x04;
const PHASE_CHANGE: u8 = 0x10;
const HAS_TIMES: u8 = 0x20;
const ALL_FLAGS: u8 = 0x3f;
/// As much as most headers have at least: read at once.
const FIRST_READING: u64 = 512;

/// A message.
#[derive(Debug, Clone)]
pub(crate) struct Message {
    pub(crate) kind: u16,
    pub(crate) is_shared: bool,
    /// Whether it may be out of date: a program that did not know it changed the object.
    pub(crate) was_unknown: bool,
    pub(crate) bytes: Vec<u8>,
    /// The order of creation, where the header keeps one.
    pub(crate) order: u16,
}

/// An object header.
#[derive(Debug, Clone)]
pub(crate) struct Header {
    pub(crate) address: u64,
    pub(crate) version: u8,
    /// Whether it keeps the order in which attributes were created.
    pub(crate) is_ordered: bool,
    pub(crate) has_times: bool,
    pub(crate) messages: Vec<Message>,
    pub(crate) has_unknown: bool,
}

impl Header {
    /// The first message of a kind.
    pub(crate) fn message(&self, kind: u16) -> Option<&Message> {
        self.messages.iter().find(|message| message.kind == kind)
    }

    /// All messages of a kind.
    pub(crate) fn all(&self, kind: u16) -> impl Iterator<Item = &Message> {
        self.messages
            .iter()
            .filter(move |message| message.kind == kind)
    }
}

/// The place of a header's first part in the file, as far as it is worth reading ahead.
pub(crate) fn beginning(address: u64) -> (u64, u64) {
    (address, FIRST_READING)
}

/// Reads an object header.
pub(crate) fn read(input: &Input, address: u64) -> Result<Header> {
    let begin = input.read_with_reach(address, FIRST_READING, "an object header")?;
    let mut header = Header {
        address,
        version: 1,
        is_ordered: false,
        has_times: false,
        messages: Vec::new(),
        has_unknown: false,
    };
    let mut parts = Parts {
        input,
        seen: HashSet::new(),
        next: Vec::new(),
    };
    match begin.starts_with(b"OHDR") {
        true => read_new(&mut parts, &mut header, &begin)?,
        false => read_old(&mut parts, &mut header, &begin)?,
    }
    let mut done = 0;
    while let Some(&(address, length)) = parts.next.get(done) {
        parts.read_part(&mut header, address, length)?;
        done += 1;
    }
    Ok(header)
}

/// The parts that a header consists of.
struct Parts<'a> {
    input: &'a Input,
    seen: HashSet<u64>,
    /// Places of further parts, in the order in which they are named.
    next: Vec<(u64, u64)>,
}

fn read_old(parts: &mut Parts<'_>, header: &mut Header, begin: &[u8]) -> Result<()> {
    let mut at = parts.input.cursor(begin);
    at.version(&[1], "an object header")?;
    at.skip(1)?;
    let count = usize::from(at.u16()?);
    at.skip(4)?;
    let length = u64::from(at.u32()?);
    let smallest = u64::from(count > 0) * 8;
    if length < smallest || (count == 0 && length > 0) {
        return Err(damaged("an object header has a part of no possible size"));
    }
    let part = parts
        .input
        .read(header.address + 16, length, "an object header")?;
    parts.seen.insert(header.address);
    parts.take_messages(header, &part)?;
    // Those that follow come on top of these.
    match header.messages.len() > count {
        true => Err(damaged("an object header has more messages than it says")),
        false => Ok(()),
    }
}

fn read_new(parts: &mut Parts<'_>, header: &mut Header, begin: &[u8]) -> Result<()> {
    let mut at = parts.input.cursor(begin);
    at.signature(b"OHDR", "an object header")?;
    header.version = at.version(&[2], "an object header")?;
    let flags = at.u8()?;
    if flags & !ALL_FLAGS != 0 {
        return Err(damaged("an object header has flags that there are not"));
    }
    header.is_ordered = flags & ORDER_TRACKED != 0;
    if flags & HAS_TIMES != 0 {
        header.has_times = at.take(16)?.iter().any(|&byte| byte != 0);
    }
    if flags & PHASE_CHANGE != 0 {
        at.skip(4)?;
    }
    let length = at.uint(1 << (flags & 3))?;
    let prefix = (begin.len() - at.rest().len()) as u64;
    let whole = prefix
        .checked_add(length)
        .and_then(|bytes| bytes.checked_add(4));
    let whole = whole.ok_or_else(|| damaged("an object header has a part of no possible size"))?;
    let part = parts
        .input
        .read(header.address, whole, "an object header")?;
    let content = checksum::checked(&part, "an object header")?;
    parts.seen.insert(header.address);
    parts.take_messages(header, &content[prefix as usize..])
}

impl Parts<'_> {
    fn read_part(&mut self, header: &mut Header, address: u64, length: u64) -> Result<()> {
        if !self.seen.insert(address) {
            return Err(damaged("an object header leads back to itself"));
        }
        let part = self
            .input
            .read(address, length, "a part of an object header")?;
        if header.version == 1 {
            return self.take_messages(header, &part);
        }
        let content = checksum::checked(&part, "a part of an object header")?;
        let mut at = self.input.cursor(content);
        at.signature(b"OCHK", "a part of an object header")?;
        self.take_messages(header, at.rest())
    }

    fn take_messages(&mut self, header: &mut Header, part: &[u8]) -> Result<()> {
        let prefix = match (header.version, header.is_ordered) {
            (1, _) => 8,
            (_, true) => 6,
            (_, false) => 4,
        };
        let mut at = self.input.cursor(part);
        while !at.rest().is_empty() {
            if at.rest().len() < prefix {
                return match header.version {
                    1 => Err(damaged("an object header has a gap")),
                    _ => Ok(()),
                };
            }
            self.input.spend(16)?;
            self.take_message(header, &mut at)?;
        }
        Ok(())
    }

    fn take_message(&mut self, header: &mut Header, at: &mut Cursor<'_>) -> Result<()> {
        let is_old = header.version == 1;
        let kind = if is_old { at.u16()? } else { at.u8()?.into() };
        let length = usize::from(at.u16()?);
        let flags = at.u8()?;
        let order = match (is_old, header.is_ordered) {
            (true, _) => {
                at.skip(3)?;
                0
            }
            (false, true) => at.u16()?,
            (false, false) => 0,
        };
        if is_old && length % 8 != 0 {
            return Err(damaged(
                "a message of an object header has no possible size",
            ));
        }
        let bytes = at.take(length)?;
        if kind >= kind::FIRST_UNKNOWN || kind == kind::BOGUS {
            header.has_unknown = true;
            if flags & FAIL_IF_UNKNOWN != 0 {
                return Err(unsupported(format!(
                    "an object has a message of kind {kind}, and says that who does not know it must not read it"
                )));
            }
        }
        if is_old && kind == kind::LINK_COUNT {
            return Err(damaged(
                "an old object header counts its links in a message",
            ));
        }
        if kind == kind::CONTINUATION {
            self.take_continuation(bytes)?;
        }
        let is_time = matches!(kind, kind::OLD_MODIFICATION_TIME | kind::MODIFICATION_TIME);
        header.has_times |= is_time;
        header.messages.push(Message {
            kind,
            is_shared: flags & IS_SHARED != 0,
            was_unknown: flags & WAS_UNKNOWN != 0,
            bytes: bytes.to_vec(),
            order,
        });
        Ok(())
    }

    fn take_continuation(&mut self, bytes: &[u8]) -> Result<()> {
        let mut at = self.input.cursor(bytes);
        let (address, length) = (at.address()?, at.length()?);
        let address = address.ok_or_else(|| damaged("an object header goes on nowhere"))?;
        if length == 0 {
            return Err(damaged("an object header goes on with nothing"));
        }
        self.next.push((address, length));
        Ok(())
    }
}
