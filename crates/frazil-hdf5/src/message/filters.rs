//! Decodes the list of filters.

use frazil_types::{FilterPipeline, FilterSpec};

use crate::cursor::Cursor;
use crate::error::{Result, damaged};
use crate::text;

/// `H5Z_MAX_NFILTERS`.
const MOST_FILTERS: u8 = 32;
/// Filters below this number need no name (`H5Z_FILTER_RESERVED`).
const FIRST_NAMED: u16 = 256;

/// Decodes a filter message, in writing order.
pub(crate) fn decode(mut at: Cursor<'_>) -> Result<FilterPipeline> {
    let version = at.version(&[1, 2], "a list of filters")?;
    let count = at.u8()?;
    if count > MOST_FILTERS {
        return Err(damaged(format!("a dataset claims {count} filters")));
    }
    if version == 1 {
        at.skip(6)?;
    }
    let stages = (0..count).map(|_| decode_stage(&mut at, version));
    Ok(FilterPipeline(stages.collect::<Result<_>>()?))
}

fn decode_stage(at: &mut Cursor<'_>, version: u8) -> Result<FilterSpec> {
    let id = at.u16()?;
    let name_bytes = match version > 1 && id < FIRST_NAMED {
        true => 0,
        false => usize::from(at.u16()?),
    };
    let flags = at.u16()?;
    let count = at.u16()?;
    if version == 1 && name_bytes % 8 != 0 {
        return Err(damaged("a filter's name has no possible size"));
    }
    let name = text::from_buffer(at.take(name_bytes)?);
    let cd_values = (0..count).map(|_| at.u32()).collect::<Result<Vec<u32>>>()?;
    if version == 1 && count % 2 != 0 {
        at.skip(4)?;
    }
    Ok(FilterSpec {
        id: id.into(),
        flags: flags.into(),
        cd_values,
        name,
    })
}
