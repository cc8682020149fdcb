//! Extensible arrays: chunks of datasets with one unlimited axis.
//!
//! The first elements lie in the index block. Behind them come data blocks, whose sizes grow in
//! steps; addresses of the first are in the index block, of the others in secondary blocks.

use super::{Chunked, Element, ElementForm};
use crate::checksum;
use crate::cursor::Cursor;
use crate::error::{Result, damaged};
use crate::input::Input;

/// What errors call a block.
const BLOCK: &str = "a block of an extensible array";

/// The stored elements with their numbers.
pub(super) fn elements(input: &Input, dataset: &Chunked<'_>) -> Result<Vec<(u64, Element)>> {
    let sizes = input.sizes();
    let length = 12 + 6 * u64::from(sizes.length) + u64::from(sizes.address) + 4;
    let header = input.read(dataset.address, length, "an extensible array")?;
    let mut at = input.cursor(checksum::checked(&header, "an extensible array")?);
    at.signature(b"EAHD", "an extensible array")?;
    at.version(&[0], "an extensible array")?;
    let (client, element_bytes) = (at.u8()?, at.u8()?);
    let mut array = ExtensibleArray {
        input,
        form: ElementForm::new(input, dataset, client, element_bytes)?,
        client,
        header: dataset.address,
        index_bits: at.u8()?,
        in_index: at.u8()?.into(),
        smallest_block: at.u8()?.into(),
        smallest_pointers: at.u8()?.into(),
        page: 0,
        elements: Vec::new(),
    };
    let page_bits = at.u8()?;
    for _ in 0..6 {
        at.length()?;
    }
    let index = at.address()?;
    let are_powers =
        array.smallest_block.is_power_of_two() && array.smallest_pointers.is_power_of_two();
    if !are_powers || array.index_bits > 64 || page_bits >= 64 || array.steps() == 0 {
        return Err(damaged(
            "an extensible array has blocks of no possible size",
        ));
    }
    array.page = 1 << page_bits;
    if let Some(index) = index {
        array.read_index(index)?;
    }
    Ok(array.elements)
}

struct ExtensibleArray<'a> {
    input: &'a Input,
    form: ElementForm,
    client: u8,
    header: u64,
    /// Bits of an element's number.
    index_bits: u8,
    /// Elements in the index block.
    in_index: u64,
    /// Elements of the smallest data block.
    smallest_block: u64,
    /// Addresses that the smallest secondary block has at least.
    smallest_pointers: u64,
    /// Elements of a page: a data block with fewer elements has no pages.
    page: u64,
    elements: Vec<(u64, Element)>,
}

/// Data blocks of one size.
#[derive(Clone, Copy)]
struct Step {
    blocks: u64,
    /// Elements of each.
    elements: u64,
    /// Number of the first element of all.
    first: u64,
}

impl Step {
    /// Number of the first element of a block.
    fn first_of(&self, block: u64) -> u64 {
        self.first
            .saturating_add(block.saturating_mul(self.elements))
    }
}

impl ExtensibleArray<'_> {
    fn steps(&self) -> u32 {
        (u32::from(self.index_bits) + 1).saturating_sub(self.smallest_block.ilog2())
    }

    fn step(&self, number: u32) -> Result<Step> {
        let no_end = || damaged("an extensible array has no end");
        let mut first = self.in_index;
        for step in 0..=number {
            let blocks = 1_u64.checked_shl(step / 2).ok_or_else(no_end)?;
            let elements = (1_u64.checked_shl(step.div_ceil(2)))
                .and_then(|blocks| blocks.checked_mul(self.smallest_block))
                .ok_or_else(no_end)?;
            if step == number {
                return Ok(Step {
                    blocks,
                    elements,
                    first,
                });
            }
            let all = blocks.checked_mul(elements);
            first = all
                .and_then(|all| first.checked_add(all))
                .ok_or_else(no_end)?;
        }
        Err(no_end())
    }

    fn offset_bytes(&self) -> u64 {
        u64::from(self.index_bits).div_ceil(8)
    }

    /// Reads a block whose last bytes are its checksum, up to there; it begins with its kind and the array that it
    /// belongs to, and but for the index block with its place there.
    fn read_block(&self, address: u64, bytes: u64, signature: &[u8; 4]) -> Result<Vec<u8>> {
        let mut block = self.input.read(address, bytes, BLOCK)?;
        let content = checksum::checked(&block, BLOCK)?;
        let mut at = self.input.cursor(content);
        at.signature(signature, BLOCK)?;
        at.version(&[0], BLOCK)?;
        if at.u8()? != self.client || at.address()? != Some(self.header) {
            return Err(damaged("a block belongs to another extensible array"));
        }
        if signature != b"EAIB" {
            at.skip(self.offset_bytes() as usize)?;
        }
        let (begin, end) = (content.len() - at.rest().len(), content.len());
        block.truncate(end);
        block.drain(..begin);
        Ok(block)
    }

    fn prefix_bytes(&self) -> u64 {
        6 + u64::from(self.input.sizes().address)
    }

    fn read_index(&mut self, address: u64) -> Result<()> {
        // Steps whose data blocks have their addresses in the index block.
        let direct_steps = (2 * self.smallest_pointers.ilog2()).min(self.steps());
        let direct = (0..direct_steps)
            .map(|step| 1_u64 << (step / 2))
            .sum::<u64>();
        let secondary = u64::from(self.steps() - direct_steps);
        let address_bytes = u64::from(self.input.sizes().address);
        let whole = self.prefix_bytes()
            + self.in_index * self.form.bytes as u64
            + (direct + secondary) * address_bytes
            + 4;
        let block = self.read_block(address, whole, b"EAIB")?;
        let mut at = self.input.cursor(&block);
        self.form
            .decode(&mut at, 0, self.in_index, &mut self.elements)?;
        let mut data = Vec::new();
        for number in 0..direct_steps {
            self.take_data_blocks(&mut at, self.step(number)?, &mut data)?;
        }
        let mut blocks = Vec::new();
        for number in direct_steps..self.steps() {
            blocks.extend(at.address()?.map(|address| (address, number)));
        }
        self.input
            .prefetch(blocks.iter().map(|&(address, _)| (address, 512)))?;
        for (address, number) in blocks {
            self.read_secondary(address, self.step(number)?, &mut data)?;
        }
        let reach = |block: &DataBlock| {
            (
                block.address,
                block.elements.saturating_mul(self.form.bytes as u64),
            )
        };
        self.input.prefetch(data.iter().map(reach))?;
        data.iter().try_for_each(|block| self.read_data(block))
    }

    /// Addresses of a step's data blocks.
    fn take_data_blocks(
        &self,
        at: &mut Cursor<'_>,
        step: Step,
        data: &mut Vec<DataBlock>,
    ) -> Result<()> {
        for number in 0..step.blocks {
            if let Some(address) = at.address()? {
                data.push(DataBlock {
                    address,
                    elements: step.elements,
                    first: step.first_of(number),
                    written: None,
                });
            }
        }
        Ok(())
    }

    fn pages(&self, elements: u64) -> u64 {
        if elements > self.page {
            elements / self.page
        } else {
            0
        }
    }

    fn read_secondary(
        &mut self,
        address: u64,
        step: Step,
        data: &mut Vec<DataBlock>,
    ) -> Result<()> {
        let no_end = || damaged("an extensible array has no end");
        let mask_bytes = self.pages(step.elements).div_ceil(8);
        let each = mask_bytes + u64::from(self.input.sizes().address);
        let blocks = step.blocks.checked_mul(each).ok_or_else(no_end)?;
        let whole = (self.prefix_bytes() + self.offset_bytes() + 4)
            .checked_add(blocks)
            .ok_or_else(no_end)?;
        let block = self.read_block(address, whole, b"EASB")?;
        let mut at = self.input.cursor(&block);
        let masks = at.take((step.blocks * mask_bytes) as usize)?;
        for number in 0..step.blocks {
            let Some(address) = at.address()? else {
                continue;
            };
            let begin = (number * mask_bytes) as usize;
            data.push(DataBlock {
                address,
                elements: step.elements,
                first: step.first_of(number),
                written: Some(masks[begin..begin + mask_bytes as usize].to_vec()),
            });
        }
        Ok(())
    }

    fn read_data(&mut self, block: &DataBlock) -> Result<()> {
        let no_end = || damaged("an extensible array has no end");
        let pages = self.pages(block.elements);
        let bytes = block
            .elements
            .checked_mul(self.form.bytes as u64)
            .ok_or_else(no_end)?;
        let prefix = self.prefix_bytes() + self.offset_bytes() + 4;
        let whole = if pages == 0 {
            prefix.checked_add(bytes)
        } else {
            Some(prefix)
        };
        let whole = whole.ok_or_else(no_end)?;
        let content = self.read_block(block.address, whole, b"EADB")?;
        let mut at = self.input.cursor(&content);
        if pages == 0 {
            return self
                .form
                .decode(&mut at, block.first, block.elements, &mut self.elements);
        }
        let page_bytes = self.page * self.form.bytes as u64 + 4;
        for page in (0..pages).filter(|&page| block.has_page(page)) {
            let place = page
                .checked_mul(page_bytes)
                .and_then(|skip| (block.address + whole).checked_add(skip));
            let place = place.ok_or_else(no_end)?;
            let content = self
                .input
                .read(place, page_bytes, "a page of an extensible array")?;
            let content = checksum::checked(&content, "a page of an extensible array")?;
            let first = block.first.saturating_add(page * self.page);
            self.form.decode(
                &mut self.input.cursor(content),
                first,
                self.page,
                &mut self.elements,
            )?;
        }
        Ok(())
    }
}

/// A data block.
struct DataBlock {
    address: u64,
    elements: u64,
    /// Number of its first element.
    first: u64,
    /// Which of its pages were written, a bit each; blocks of the index block have no pages.
    written: Option<Vec<u8>>,
}

impl DataBlock {
    fn has_page(&self, page: u64) -> bool {
        let mask = self
            .written
            .as_ref()
            .and_then(|mask| mask.get((page / 8) as usize));
        mask.is_some_and(|byte| byte >> (7 - page % 8) & 1 != 0)
    }
}
