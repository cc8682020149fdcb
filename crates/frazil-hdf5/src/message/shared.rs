//! Messages that are kept elsewhere: in another object, or in the file's heap of shared messages.

use super::datatype;
use crate::cursor::Cursor;
use crate::datatype::TypeDescription;
use crate::error::{Result, damaged, unsupported};
use crate::header::{self, kind};
use crate::heap::FractalHeap;
use crate::input::Input;

/// Where shared messages come from.
pub(crate) struct Shared<'a> {
    pub(crate) input: &'a Input,
    /// Heaps of shared messages, each with the kinds of messages in it (bit by kind).
    pub(crate) heaps: &'a [(u16, FractalHeap)],
}

impl Shared<'_> {
    /// An object of the heap of messages of a kind.
    pub(crate) fn heap_object(&self, kind: u16, id: &[u8]) -> Result<Vec<u8>> {
        let holds = |&&(kinds, _): &&(u16, FractalHeap)| kinds >> kind & 1 != 0;
        let heap = self.heaps.iter().find(holds);
        let (_, heap) =
            heap.ok_or_else(|| damaged("the file has no heap of such shared messages"))?;
        heap.object(self.input, id)
    }
}

/// Where a shared message is.
enum Place {
    Object(u64),
    Heap([u8; 8]),
}

fn decode_place(mut at: Cursor<'_>) -> Result<Place> {
    const IN_HEAP: u8 = 1;
    let version = at.version(&[1, 2, 3], "the place of a shared message")?;
    let class = at.u8()?;
    if version == 1 {
        at.skip(6)?;
        at.length()?;
    }
    if version == 3 && class == IN_HEAP {
        let mut id = [0; 8];
        id.copy_from_slice(at.take(8)?);
        return Ok(Place::Heap(id));
    }
    let address = at.address()?;
    address
        .map(Place::Object)
        .ok_or_else(|| damaged("a shared message is nowhere"))
}

/// Decodes a message of a kind whose place is given.
pub(crate) fn read_shared<T>(
    shared: &Shared<'_>,
    at: Cursor<'_>,
    kind: u16,
    decode: impl FnOnce(Cursor<'_>) -> Result<T>,
) -> Result<T> {
    let bytes = message_bytes(shared, &decode_place(at)?, kind)?;
    decode(shared.input.cursor(&bytes))
}

fn message_bytes(shared: &Shared<'_>, place: &Place, kind: u16) -> Result<Vec<u8>> {
    match place {
        Place::Object(address) => {
            let header = header::read(shared.input, *address)?;
            let message = header
                .message(kind)
                .ok_or_else(|| damaged("a message leads to an object that has none of its kind"))?;
            match message.is_shared {
                true => Err(unsupported("a shared message that is shared itself")),
                false => Ok(message.bytes.clone()),
            }
        }
        Place::Heap(id) => shared.heap_object(kind, id),
    }
}

/// Decodes a datatype, and says which committed datatype it is (by the address of its header).
pub(crate) fn read_datatype(
    shared: &Shared<'_>,
    at: &mut Cursor<'_>,
    is_shared: bool,
) -> Result<(TypeDescription, Option<u64>)> {
    if !is_shared {
        return Ok((datatype::decode(at)?, None));
    }
    let place = decode_place(at.clone())?;
    let bytes = message_bytes(shared, &place, kind::DATATYPE)?;
    let datatype = datatype::decode(&mut shared.input.cursor(&bytes))?;
    let committed = match place {
        Place::Object(address) => Some(address),
        Place::Heap(_) => None,
    };
    Ok((datatype, committed))
}
