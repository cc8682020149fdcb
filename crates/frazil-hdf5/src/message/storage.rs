//! Decodes fill values and lists of external files.

use crate::cursor::Cursor;
use crate::error::{Result, damaged};
use crate::heap::LocalHeap;

/// Bits of a version-3 fill value.
const IS_UNDEFINED: u8 = 0x10;
const HAS_VALUE: u8 = 0x20;

/// When fill values are written.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum FillTime {
    /// When space is allocated.
    Allocation,
    /// Never (`NC_NOFILL`).
    Never,
    /// When space is allocated, if the user set a fill value (netCDF's fill mode).
    IfSet,
}

/// What a dataset's fill value is.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum FillStatus {
    /// Explicitly undefined: unwritten data are garbage.
    Undefined,
    /// The library's default: zeros.
    Default,
    /// Set by the user.
    User,
}

/// A dataset's fill value.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct FillValue {
    /// What it is.
    pub status: FillStatus,
    /// When it is written.
    pub time: FillTime,
    /// One element as stored, if the user set it.
    pub value: Vec<u8>,
}

impl FillValue {
    /// That of a dataset that has no message about it.
    pub(crate) fn unstated() -> Self {
        Self {
            status: FillStatus::Undefined,
            ..Self::usual()
        }
    }

    fn usual() -> Self {
        Self {
            status: FillStatus::Default,
            time: FillTime::IfSet,
            value: Vec::new(),
        }
    }
}

fn fill_time(number: u8) -> Result<FillTime> {
    match number {
        0 => Ok(FillTime::Allocation),
        1 => Ok(FillTime::Never),
        2 => Ok(FillTime::IfSet),
        _ => Err(damaged(format!(
            "a fill value is written at time {number}, which is none"
        ))),
    }
}

/// Decodes a fill value message: an old one holds the value only.
pub(crate) fn decode_fill(mut at: Cursor<'_>, is_old: bool) -> Result<FillValue> {
    let mut fill = FillValue::usual();
    if is_old {
        let bytes = at.count(4)?;
        fill.take_value(&mut at, bytes)?;
        if bytes == 0 {
            fill.status = FillStatus::Undefined;
        }
        return Ok(fill);
    }
    if at.version(&[1, 2, 3], "a fill value")? < 3 {
        at.skip(1)?;
        fill.time = fill_time(at.u8()?)?;
        if at.u8()? == 0 {
            fill.status = FillStatus::Undefined;
            return Ok(fill);
        }
        // A negative size is none, as libhdf5 sees it.
        let bytes = at.u32()?;
        if bytes <= i32::MAX as u32 {
            fill.take_value(&mut at, bytes as usize)?;
        }
        return Ok(fill);
    }
    let flags = at.u8()?;
    fill.time = fill_time(flags >> 2 & 3)?;
    match (flags & IS_UNDEFINED != 0, flags & HAS_VALUE != 0) {
        (true, true) => Err(damaged("a fill value is undefined and given")),
        (true, false) => {
            fill.status = FillStatus::Undefined;
            Ok(fill)
        }
        (false, true) => {
            let bytes = at.count(4)?;
            fill.take_value(&mut at, bytes)?;
            Ok(fill)
        }
        (false, false) => Ok(fill),
    }
}

impl FillValue {
    fn take_value(&mut self, at: &mut Cursor<'_>, bytes: usize) -> Result<()> {
        self.value = at.take(bytes)?.to_vec();
        if bytes > 0 {
            self.status = FillStatus::User;
        }
        Ok(())
    }
}

/// A part of an external file that holds values of a dataset.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct ExternalFile {
    /// Its name as stored.
    pub name: String,
    /// Where the part begins in it.
    pub offset: u64,
    /// Its bytes; `None`: as many as there are.
    pub bytes: Option<u64>,
}

/// Decodes a list of external files.
pub(crate) fn decode_external_files(
    mut at: Cursor<'_>,
    heap: impl FnOnce(u64) -> Result<LocalHeap>,
) -> Result<Vec<ExternalFile>> {
    at.version(&[1], "a list of external files")?;
    at.skip(3)?;
    let (slots, used) = (at.u16()?, at.u16()?);
    if slots == 0 || used > slots {
        return Err(damaged("a list of external files has no possible length"));
    }
    let address = at.address()?;
    let heap = heap(address.ok_or_else(|| damaged("external files have no names"))?)?;
    let mut files = Vec::new();
    for _ in 0..used {
        files.push(ExternalFile {
            name: heap.text(at.length()?)?,
            offset: at.length()?,
            bytes: at.optional_length()?,
        });
    }
    Ok(files)
}
