//! Global heaps: values of variable length.

use std::collections::HashMap;
use std::sync::Arc;

use frazil_types::sync::Mutex;

use crate::error::{Result, damaged};
use crate::input::Input;

/// Collections kept take at most so many bytes together.
const MOST_CACHED: usize = 16 << 20;

/// The first bytes of a collection.
const SIGNATURE: &[u8; 4] = b"GCOL";

/// An object in a global heap.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub struct GlobalId {
    /// Of the collection that it is in.
    pub address: u64,
    /// Its number there.
    pub index: u32,
}

/// A collection of objects.
struct Collection {
    bytes: Vec<u8>,
    /// Begin and length of each object, by its number.
    objects: HashMap<u32, (usize, usize)>,
}

/// The collections of a file that were read.
#[derive(Default)]
pub(crate) struct GlobalHeaps {
    read: Mutex<(HashMap<u64, Arc<Collection>>, usize)>,
}

impl GlobalHeaps {
    /// The bytes of an object.
    pub(crate) fn object(&self, input: &Input, id: GlobalId) -> Result<Vec<u8>> {
        let collection = self.collection(input, id.address)?;
        let object = collection.object(id.index);
        object.ok_or_else(|| damaged(format!("a global heap has no object {}", id.index)))
    }

    /// The bytes of an object; `None` if no heap is there, or it has no such object.
    pub(crate) fn find(&self, input: &Input, id: GlobalId) -> Result<Option<Vec<u8>>> {
        let is_known = self.read.lock().0.contains_key(&id.address);
        if !is_known && !Collection::is_there(input, id.address)? {
            return Ok(None);
        }
        Ok(self.collection(input, id.address)?.object(id.index))
    }

    /// Lets go of all collections.
    pub(crate) fn forget(&self) {
        *self.read.lock() = Default::default();
    }

    fn collection(&self, input: &Input, address: u64) -> Result<Arc<Collection>> {
        if let Some(known) = self.read.lock().0.get(&address) {
            return Ok(Arc::clone(known));
        }
        let collection = Arc::new(Collection::read(input, address)?);
        let (known, bytes) = &mut *self.read.lock();
        if *bytes + collection.bytes.len() > MOST_CACHED {
            known.clear();
            *bytes = 0;
        }
        *bytes += collection.bytes.len();
        known.insert(address, Arc::clone(&collection));
        Ok(collection)
    }
}

impl Collection {
    /// Whether a collection begins at an address.
    fn is_there(input: &Input, address: u64) -> Result<bool> {
        if !input.holds(address, SIGNATURE.len() as u64) {
            return Ok(false);
        }
        let begin = input.read(address, SIGNATURE.len() as u64, "a global heap")?;
        Ok(begin == SIGNATURE)
    }

    fn object(&self, index: u32) -> Option<Vec<u8>> {
        let &(begin, length) = self.objects.get(&index)?;
        Some(self.bytes[begin..begin + length].to_vec())
    }

    fn read(input: &Input, address: u64) -> Result<Self> {
        // Headers, of the collection and of each object, are filled up to whole words of 8 bytes.
        let prefix = (8 + u64::from(input.sizes().length)).next_multiple_of(8);
        let header = input.read(address, prefix, "a global heap")?;
        let mut at = input.cursor(&header);
        at.signature(SIGNATURE, "a global heap")?;
        at.version(&[1], "a global heap")?;
        at.skip(3)?;
        let whole = at.length()?;
        if whole < prefix {
            return Err(damaged("a global heap has no possible size"));
        }
        let bytes = input.read(address, whole, "a global heap")?;
        let objects = Self::places(input, &bytes, prefix as usize)?;
        Ok(Self { bytes, objects })
    }

    fn places(input: &Input, bytes: &[u8], prefix: usize) -> Result<HashMap<u32, (usize, usize)>> {
        let mut objects = HashMap::new();
        let mut begin = prefix;
        while bytes.len() - begin >= prefix {
            let mut at = input.cursor(&bytes[begin..]);
            let index = u32::from(at.u16()?);
            at.skip(6)?;
            let length = at.count(input.sizes().length.into())?;
            if index == 0 {
                // Free space, which counts its own header. libhdf5 loops for ever if it has no size.
                let end = begin.checked_add(length).filter(|&end| end <= bytes.len());
                begin = end.filter(|&end| end > begin).ok_or_else(|| {
                    damaged("the free space of a global heap has no possible size")
                })?;
                continue;
            }
            let place = begin + prefix;
            let end = place.checked_add(length).filter(|&end| end <= bytes.len());
            let end = end.ok_or_else(|| damaged("an object lies outside its global heap"))?;
            objects.insert(index, (place, length));
            begin = place
                .saturating_add(length.next_multiple_of(8))
                .max(end)
                .min(bytes.len());
        }
        Ok(objects)
    }
}
