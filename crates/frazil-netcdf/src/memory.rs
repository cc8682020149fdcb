//! The memory that values go to: its type, and room for what is on its way.

use frazil_container::classic::NcType;

use crate::status::{Answer, Refusal, Status};
use crate::types::{MemoryType, STRING};

/// What netCDF-C looks at before it looks where the values of a variable are to go or come from: text is
/// neither numbers nor strings.
pub(super) fn check_text(stored: i32, memory: MemoryType) -> Answer<()> {
    match is_text(stored) == (memory == MemoryType::Text) {
        true => Ok(()),
        false => Err(Status::ECHAR.into()),
    }
}

/// What it looks at afterwards: strings are no numbers.
pub(super) fn check_strings(stored: i32, memory: MemoryType) -> Answer<()> {
    match (stored == STRING) == (memory == MemoryType::String) {
        true => Ok(()),
        false => Err(Status::EBADTYPE.into()),
    }
}

fn is_text(stored: i32) -> bool {
    stored == NcType::Char.number().cast_signed()
}

/// The type of numbers or text.
pub(super) fn atomic(nc_type: i32) -> Answer<NcType> {
    let number = u32::try_from(nc_type).ok();
    number.and_then(NcType::from_number).ok_or_else(|| {
        Refusal::new(
            Status::EBADTYPE,
            format!("values of type {nc_type} are neither numbers nor text"),
        )
    })
}

/// Zeroed memory for so many elements.
pub(super) fn zeroed(elements: usize, size: usize) -> Answer<Vec<u8>> {
    let mut memory = Vec::new();
    let bytes = elements.checked_mul(size);
    let bytes = bytes.filter(|&bytes| memory.try_reserve_exact(bytes).is_ok());
    memory.resize(bytes.ok_or(Status::ENOMEM)?, 0);
    Ok(memory)
}
