//! Images of a metadata cache: metadata that a program left in one block when it closed the file, instead of writing
//! them to their places.

use crate::checksum;
use crate::cursor::Cursor;
use crate::error::{Result, damaged};
use crate::input::Input;

/// Reads the image that a message leads to.
pub(crate) fn read(input: &mut Input, mut message: Cursor<'_>) -> Result<()> {
    message.version(&[0], "the place of a cache image")?;
    let (Some(address), length @ 1..) = (message.address()?, message.length()?) else {
        return Ok(());
    };
    let name = "a cache image";
    let block = input.read(address, length, name)?;
    let mut at = input.cursor(checksum::checked(&block, name)?);
    at.signature(b"MDCI", name)?;
    at.version(&[0], name)?;
    at.skip(1)?;
    at.length()?;
    let count = at.u32()?;
    let mut entries = Vec::new();
    for _ in 0..count {
        entries.push(read_entry(&mut at)?);
    }
    for (address, bytes) in entries {
        let end = address.checked_add(bytes.len() as u64);
        if end.is_none_or(|end| end > input.bytes()) {
            return Err(damaged("an entry of a cache image lies outside the file"));
        }
        input.set_image(address, bytes);
    }
    Ok(())
}

fn read_entry(at: &mut Cursor<'_>) -> Result<(u64, Vec<u8>)> {
    // Type, flags, ring and age; numbers of children; place in the order of use.
    at.skip(4 + 2 + 2)?;
    let parents = at.u16()?;
    at.skip(4)?;
    let address = at
        .address()?
        .ok_or_else(|| damaged("an entry of a cache image lies nowhere"))?;
    let bytes = usize::try_from(at.length()?).map_err(|_| damaged("a cache image is too large"))?;
    for _ in 0..parents {
        at.address()?;
    }
    Ok((address, at.take(bytes)?.to_vec()))
}
