//! What a file is created with beyond its objects.

use std::ffi::{c_int, c_uint};

use super::handle::{api, check};
use super::property::PropertyList;
use crate::error::Result;
use crate::lock::library_lock;

/// libhdf5's own ranks of the B-trees of groups (nodes, leaves) and of chunks.
const USUAL_RANKS: [c_uint; 3] = [16, 4, 32];
/// Usual bytes of an address and of a length.
const USUAL_BYTES: usize = 8;

impl PropertyList {
    /// What of a file's creation list is not as usual, in words. No value depends on it.
    pub(crate) fn unusual_file_form(&self) -> Result<Vec<String>> {
        let mut found = self.file_space()?;
        found.extend(self.sizes_and_ranks()?);
        let mut indexes: c_uint = 0;
        let _guard = library_lock();
        // SAFETY: a live property list and a valid out-pointer.
        let status = unsafe { (api().H5Pget_shared_mesg_nindexes)(self.0.id(), &raw mut indexes) };
        check(status, "read how messages are shared")?;
        if indexes > 0 {
            found.push("messages that objects share".to_owned());
        }
        Ok(found)
    }

    fn file_space(&self) -> Result<Vec<String>> {
        let (mut strategy, mut persists, mut threshold): (c_int, u8, u64) = (0, 0, 0);
        let mut page_bytes = 0;
        let _guard = library_lock();
        // SAFETY: a live property list and valid out-pointers.
        unsafe {
            let id = self.0.id();
            let status = (api().H5Pget_file_space_strategy)(
                id,
                &raw mut strategy,
                &raw mut persists,
                &raw mut threshold,
            );
            check(status, "read how file space is managed")?;
            let status = (api().H5Pget_file_space_page_size)(id, &raw mut page_bytes);
            check(status, "read the page size")?;
        }
        let mut found = Vec::new();
        match strategy {
            0 => {}
            1 => found.push(format!("file space in pages of {page_bytes} bytes")),
            2 => found.push("file space without lists of free space".to_owned()),
            _ => found.push("file space at the end of the file only".to_owned()),
        }
        if persists != 0 {
            found.push("lists of free space in the file".to_owned());
        }
        Ok(found)
    }

    fn sizes_and_ranks(&self) -> Result<Vec<String>> {
        let (mut address, mut length) = (0, 0);
        let [mut node, mut leaf, mut chunk] = [0; 3];
        let _guard = library_lock();
        // SAFETY: a live property list and valid out-pointers.
        unsafe {
            let id = self.0.id();
            let status = (api().H5Pget_sizes)(id, &raw mut address, &raw mut length);
            check(status, "read sizes of addresses")?;
            let status = (api().H5Pget_sym_k)(id, &raw mut node, &raw mut leaf);
            check(status, "read ranks of groups")?;
            let status = (api().H5Pget_istore_k)(id, &raw mut chunk);
            check(status, "read ranks of chunks")?;
        }
        let mut found = Vec::new();
        if (address, length) != (USUAL_BYTES, USUAL_BYTES) {
            found.push(format!(
                "addresses of {address} and lengths of {length} bytes"
            ));
        }
        if [node, leaf, chunk] != USUAL_RANKS {
            found.push(format!("B-tree ranks ({node}, {leaf}, {chunk})"));
        }
        Ok(found)
    }
}
