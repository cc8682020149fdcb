//! Fixed arrays: chunks of datasets that do not grow without limit.

use super::{Chunked, Element, ElementForm};
use crate::checksum;
use crate::error::{Result, damaged};
use crate::input::Input;

/// The stored elements with their numbers.
pub(super) fn elements(input: &Input, dataset: &Chunked<'_>) -> Result<Vec<(u64, Element)>> {
    let sizes = input.sizes();
    let length = 8 + u64::from(sizes.length) + u64::from(sizes.address) + 4;
    let header = input.read(dataset.address, length, "a fixed array")?;
    let mut at = input.cursor(checksum::checked(&header, "a fixed array")?);
    at.signature(b"FAHD", "a fixed array")?;
    at.version(&[0], "a fixed array")?;
    let (client, element_bytes, page_bits) = (at.u8()?, at.u8()?, at.u8()?);
    let count = at.length()?;
    let form = ElementForm::new(input, dataset, client, element_bytes)?;
    let Some(block) = at.address()? else {
        return Ok(Vec::new());
    };
    if count != dataset.most_elements()? || page_bits >= 64 {
        return Err(damaged("a fixed array has another length than its dataset"));
    }
    let array = FixedArray {
        form,
        client,
        header: dataset.address,
        count,
        page: 1 << page_bits,
    };
    array.read(input, block)
}

struct FixedArray {
    form: ElementForm,
    client: u8,
    header: u64,
    count: u64,
    /// Elements of a page; one with fewer elements has no pages.
    page: u64,
}

impl FixedArray {
    fn read(&self, input: &Input, block: u64) -> Result<Vec<(u64, Element)>> {
        let outside = || damaged("a fixed array is larger than its file");
        let bytes = self
            .count
            .checked_mul(self.form.bytes as u64)
            .ok_or_else(outside)?;
        let pages = if self.count > self.page {
            self.count.div_ceil(self.page)
        } else {
            0
        };
        let prefix = 6 + u64::from(input.sizes().address) + pages.div_ceil(8);
        let whole = if pages == 0 {
            prefix.checked_add(bytes)
        } else {
            Some(prefix)
        };
        let whole = whole
            .and_then(|bytes| bytes.checked_add(4))
            .ok_or_else(outside)?;
        let content = input.read(block, whole, "a block of a fixed array")?;
        let mut at = input.cursor(checksum::checked(&content, "a block of a fixed array")?);
        at.signature(b"FADB", "a block of a fixed array")?;
        at.version(&[0], "a block of a fixed array")?;
        if at.u8()? != self.client || at.address()? != Some(self.header) {
            return Err(damaged("a block belongs to another fixed array"));
        }
        let mut elements = Vec::new();
        if pages == 0 {
            self.form.decode(&mut at, 0, self.count, &mut elements)?;
            return Ok(elements);
        }
        let written = at.rest();
        let page_bytes = self
            .page
            .saturating_mul(self.form.bytes as u64)
            .saturating_add(4);
        let is_written = |page: u64| written[(page / 8) as usize] >> (7 - page % 8) & 1 != 0;
        let place = |page: u64| {
            block
                .saturating_add(whole)
                .saturating_add(page.saturating_mul(page_bytes))
        };
        let used: Vec<u64> = (0..pages).filter(|&page| is_written(page)).collect();
        input.prefetch(used.iter().map(|&page| (place(page), page_bytes)))?;
        for page in used {
            let first = page * self.page;
            let count = self.page.min(self.count - first);
            let bytes = count * self.form.bytes as u64 + 4;
            let content = input.read(place(page), bytes, "a page of a fixed array")?;
            let content = checksum::checked(&content, "a page of a fixed array")?;
            self.form
                .decode(&mut input.cursor(content), first, count, &mut elements)?;
        }
        Ok(elements)
    }
}
