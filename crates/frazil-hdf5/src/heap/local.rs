//! Local heaps: the names in an old group.

use crate::error::{Result, damaged};
use crate::input::Input;
use crate::text;

/// A local heap's content.
pub(crate) struct LocalHeap {
    bytes: Vec<u8>,
}

impl LocalHeap {
    /// Reads the heap at an address.
    pub(crate) fn read(input: &Input, address: u64) -> Result<Self> {
        let sizes = input.sizes();
        let prefix = 8 + 2 * u64::from(sizes.length) + u64::from(sizes.address);
        let header = input.read(address, prefix, "a local heap")?;
        let mut at = input.cursor(&header);
        at.signature(b"HEAP", "a local heap")?;
        at.version(&[0], "a local heap")?;
        at.skip(3)?;
        let bytes = at.length()?;
        at.length()?;
        let content = match (at.address()?, bytes) {
            (_, 0) => Vec::new(),
            (Some(content), _) => input.read(content, bytes, "a local heap")?,
            (None, _) => return Err(damaged("a local heap lies nowhere")),
        };
        Ok(Self { bytes: content })
    }

    /// The text that begins at an offset.
    pub(crate) fn text(&self, offset: u64) -> Result<String> {
        let begin = usize::try_from(offset).ok();
        let text = begin.and_then(|begin| self.bytes.get(begin..));
        let text = text.ok_or_else(|| damaged("a name lies outside its heap"))?;
        let end = text.iter().position(|&byte| byte == 0);
        let end = end.ok_or_else(|| damaged("a name in a heap has no end"))?;
        match end {
            0 => Err(damaged("a name in a heap is empty")),
            _ => Ok(text::from_bytes(&text[..end])),
        }
    }
}
