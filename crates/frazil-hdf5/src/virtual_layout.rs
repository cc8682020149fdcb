//! What a virtual dataset is mapped onto.

use crate::checksum::checked;
use crate::cursor::Cursor;
use crate::dataset::{Dataset, Storage};
use crate::error::{Result, damaged, unsupported};
use crate::file::File;
use crate::selection::Selection;
use crate::text;

/// The version of a list whose names may stand for those of earlier parts.
const WITH_FLAGS: u8 = 1;
const FILE_IS_SHARED: u8 = 1;
const DATASET_IS_SHARED: u8 = 2;
const IS_SAME_FILE: u8 = 4;
/// How files name themselves.
const SAME_FILE: &str = ".";
/// The least bytes of a part: two names and two selections.
const LEAST_BYTES: usize = 2 + 2 * 16;

/// A part of a virtual dataset, and where its values are.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct VirtualPart {
    /// The file with the values; `.` is this one. `%b` stands for the number of a block, `%%` for `%`.
    pub file: String,
    /// Path of the dataset in it, with the same signs.
    pub dataset: String,
    /// The values' elements there.
    pub source: Selection,
    /// The elements that they are here: as many, in the same order.
    pub target: Selection,
}

impl File {
    /// What a virtual dataset is mapped onto, in the order of the file; nothing for other datasets.
    ///
    /// # Errors
    /// If the list cannot be read.
    pub fn virtual_parts(&self, dataset: &Dataset) -> Result<Vec<VirtualPart>> {
        let Storage::Virtual(Some(list)) = dataset.storage else {
            return Ok(Vec::new());
        };
        let bytes = self.global_object(list)?;
        let list = checked(&bytes, "the list of a virtual dataset")?;
        decode(self.input().cursor(list))
    }
}

fn decode(mut at: Cursor<'_>) -> Result<Vec<VirtualPart>> {
    let version = at.version(&[0, WITH_FLAGS], "the list of a virtual dataset")?;
    let count = usize::try_from(at.length()?).ok();
    let count = count.filter(|&count| count <= at.rest().len() / LEAST_BYTES);
    let count =
        count.ok_or_else(|| damaged("the list of a virtual dataset is shorter than it says"))?;
    let mut parts: Vec<VirtualPart> = Vec::with_capacity(count);
    for _ in 0..count {
        let flags = if version == WITH_FLAGS { at.u8()? } else { 0 };
        if flags & !(FILE_IS_SHARED | DATASET_IS_SHARED | IS_SAME_FILE) != 0 {
            return Err(damaged("a virtual dataset has flags that there are not"));
        }
        let file = match flags & (FILE_IS_SHARED | IS_SAME_FILE) {
            0 => text::from_bytes(at.until_nul()?),
            FILE_IS_SHARED => earlier(&mut at, &parts)?.file.clone(),
            _ => SAME_FILE.to_owned(),
        };
        let dataset = match flags & DATASET_IS_SHARED {
            0 => text::from_bytes(at.until_nul()?),
            _ => earlier(&mut at, &parts)?.dataset.clone(),
        };
        let (source, target) = (Selection::decode(&mut at)?, Selection::decode(&mut at)?);
        let is_points = |selection| matches!(selection, &Selection::Points { .. });
        if is_points(&source) || is_points(&target) {
            // HDF5 cannot read these either.
            return Err(unsupported("a virtual dataset of single points"));
        }
        parts.push(VirtualPart {
            file,
            dataset,
            source,
            target,
        });
    }
    match at.rest().is_empty() {
        true => Ok(parts),
        false => Err(damaged(
            "the list of a virtual dataset is longer than it says",
        )),
    }
}

/// The part of this number, whose name a later one has too.
fn earlier<'a>(at: &mut Cursor<'_>, parts: &'a [VirtualPart]) -> Result<&'a VirtualPart> {
    let number = usize::try_from(at.length()?).ok();
    let found = number.and_then(|number| parts.get(number));
    found.ok_or_else(|| damaged("a virtual dataset takes a name from a part that comes later"))
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::input::NumberSizes;

    fn decoded(bytes: &[u8]) -> Result<Vec<VirtualPart>> {
        let sizes = NumberSizes {
            address: 8,
            length: 8,
        };
        decode(Cursor::new(bytes, sizes))
    }

    /// Everything.
    fn all() -> Vec<u8> {
        [3_u32, 1, 0, 0].map(u32::to_le_bytes).concat()
    }

    #[test]
    fn names_come_from_earlier_parts() {
        let first = [&[0][..], b"a.h5\0/x\0", &all(), &all()].concat();
        let shared = [&[3][..], &[0; 8], &[0; 8], &all(), &all()].concat();
        let same = [&[4][..], b"y\0", &all(), &all()].concat();
        let list = [&[1, 3, 0, 0, 0, 0, 0, 0, 0][..], &first, &shared, &same].concat();
        let parts = decoded(&list).unwrap();
        let names: Vec<(&str, &str)> = parts
            .iter()
            .map(|part| (part.file.as_str(), part.dataset.as_str()))
            .collect();
        assert_eq!(names, [("a.h5", "/x"), ("a.h5", "/x"), (".", "y")]);
    }

    #[test]
    fn what_is_no_list_is_refused() {
        let part = [b"a.h5\0/x\0".as_slice(), &all(), &all()].concat();
        let list = |version: u8, count: u64, parts: &[u8]| {
            [&[version][..], &count.to_le_bytes(), parts].concat()
        };
        assert_eq!(decoded(&list(0, 1, &part)).unwrap().len(), 1);
        let later = [&[1][..], &[0; 8], b"y\0", &all(), &all()].concat();
        for wrong in [
            list(2, 1, &part),
            list(0, u64::MAX, &part),
            list(0, 2, &part),
            list(0, 0, &part),
            list(1, 1, &later),
        ] {
            assert!(decoded(&wrong).is_err());
        }
    }
}
