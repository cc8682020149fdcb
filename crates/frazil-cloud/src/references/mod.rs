//! References: a file's chunks where they lie, as arrays of Zarr version 2.
//!
//! In: a file. Out: plain data, which becomes kerchunk's format, version 1 (`json`). A variable is described, or left out
//! with the reason: a reference that reads as something else does not exist.

mod array;
mod attributes;
mod chunks;
mod datatype;
mod fill;
mod filters;
mod json;
mod number;
mod texts;

use std::path::Path;

use base64::Engine;
use base64::engine::general_purpose::STANDARD;
use frazil_container::model::FileModel;
use frazil_container::schema::VariableId;
use frazil_file::address;
use frazil_file::error::{Error, Result};
use frazil_read::{Reader, ReaderOptions};
use frazil_types::ErrorCode;
use serde::Serialize;

pub(crate) use array::Array;
use chunks::Place;

/// What references are to be like.
#[derive(Debug, Clone)]
pub struct ReferenceOptions {
    /// Where readers find the file; `None`: where it is now.
    pub url: Option<String>,
    /// Chunks of fewer stored bytes are put into the references themselves.
    pub inline_threshold: u64,
    /// Values that lie one after the other become chunks of so many bytes at most, where that can be; 0: one chunk.
    pub split_bytes: u64,
    /// How the file is read.
    pub reader: ReaderOptions,
}

impl Default for ReferenceOptions {
    fn default() -> Self {
        Self {
            url: None,
            inline_threshold: 500,
            split_bytes: 16 << 20,
            reader: ReaderOptions::default(),
        }
    }
}

/// A file as references.
#[derive(Debug)]
pub struct References {
    url: String,
    groups: Vec<Group>,
    arrays: Vec<Array>,
    left_out: Vec<LeftOut>,
}

/// A group: its key, `model/ocean/` or nothing for the root, and its attributes as JSON.
#[derive(Debug)]
struct Group {
    prefix: String,
    attributes: String,
}

/// What could not be told to Zarr's readers.
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
pub struct LeftOut {
    /// The variable, or the attribute as `/variable@attribute`.
    pub path: String,
    /// Why.
    pub cause: String,
    /// What its user can do.
    pub cure: Option<String>,
}

/// What a key of the references leads to.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Reference<'r> {
    /// A text: metadata of Zarr, or bytes as `base64:...`.
    Text(&'r str),
    /// Bytes of the file.
    There {
        /// Where they begin.
        offset: u64,
        /// How many they are.
        length: u64,
    },
}

/// Why something has no place in Zarr.
#[derive(Debug, Clone, PartialEq, Eq)]
struct Refusal {
    cause: String,
    cure: Option<String>,
}

impl Refusal {
    fn new(cause: impl Into<String>) -> Self {
        Self {
            cause: cause.into(),
            cure: None,
        }
    }
}

/// What a variable becomes.
type Described<T> = std::result::Result<T, Trouble>;

/// Why a variable does not become anything.
#[derive(Debug)]
enum Trouble {
    /// Zarr lacks it.
    Refused(Refusal),
    /// The file cannot be read.
    Failed(Error),
}

impl From<Refusal> for Trouble {
    fn from(refusal: Refusal) -> Self {
        Self::Refused(refusal)
    }
}

impl From<Error> for Trouble {
    fn from(error: Error) -> Self {
        Self::Failed(error)
    }
}

/// Describes a file's chunks for Zarr's readers.
///
/// # Errors
/// If the file cannot be read; [`ErrorCode::InvalidArgument`] if it has no URL: its name is not UTF-8.
pub fn references(path: &Path, options: &ReferenceOptions) -> Result<References> {
    let reader = Reader::open(path, &options.reader)?;
    let url = match &options.url {
        Some(url) => url.clone(),
        None => url_of(path)?,
    };
    let mut all = References {
        url,
        groups: Vec::new(),
        arrays: Vec::new(),
        left_out: Vec::new(),
    };
    let model = reader.model();
    for group in &model.groups {
        let attributes = attributes::of_group(&group.attributes);
        all.leave_out(&group.path, attributes.left_out);
        all.groups.push(Group {
            prefix: prefix(&group.path),
            attributes: attributes.json,
        });
    }
    reader.prepare_places();
    for number in 0..model.variables.len() {
        all.add(&reader, model, VariableId(number), options)?;
    }
    Ok(all)
}

impl References {
    /// Where readers find the file.
    #[must_use]
    pub fn url(&self) -> &str {
        &self.url
    }

    /// What could not be told to Zarr's readers.
    #[must_use]
    pub fn left_out(&self) -> &[LeftOut] {
        &self.left_out
    }

    /// Number of variables that are described.
    #[must_use]
    pub fn variable_count(&self) -> usize {
        self.arrays.len()
    }

    /// Number of chunks that lead into the file or are here.
    #[must_use]
    pub fn chunk_count(&self) -> u64 {
        let stored = self.arrays.iter().map(|array| array.chunks.len() as u64);
        stored.sum()
    }

    /// Calls `take` with each key and what it leads to: groups first, then arrays, each before its chunks.
    ///
    /// # Errors
    /// The first of `take`.
    pub fn each<E>(
        &self,
        mut take: impl FnMut(&str, Reference<'_>) -> std::result::Result<(), E>,
    ) -> std::result::Result<(), E> {
        for group in &self.groups {
            let prefix = &group.prefix;
            let kind = Reference::Text("{\"zarr_format\":2}");
            take(&format!("{prefix}.zgroup"), kind)?;
            let attributes = Reference::Text(&group.attributes);
            take(&format!("{prefix}.zattrs"), attributes)?;
        }
        let mut key = String::new();
        for array in &self.arrays {
            take(
                &format!("{}.zarray", array.key),
                Reference::Text(&array.array),
            )?;
            let attributes = Reference::Text(&array.attributes);
            take(&format!("{}.zattrs", array.key), attributes)?;
            for chunk in &array.chunks {
                array.chunk_key(chunk.index, &mut key);
                match &chunk.place {
                    Place::There { offset, length } => {
                        let (offset, length) = (*offset, *length);
                        take(&key, Reference::There { offset, length })?;
                    }
                    Place::Here(bytes) => {
                        let text = format!("base64:{}", STANDARD.encode(bytes));
                        take(&key, Reference::Text(&text))?;
                    }
                }
            }
        }
        Ok(())
    }

    fn add(
        &mut self,
        reader: &Reader,
        model: &FileModel,
        id: VariableId,
        options: &ReferenceOptions,
    ) -> Result<()> {
        let path = model.variable_path(id);
        match array::describe(reader, id, options) {
            Ok((array, left_out)) => {
                self.arrays.push(array);
                self.leave_out(&path, left_out);
            }
            Err(Trouble::Refused(refusal)) => self.left_out.push(LeftOut {
                path,
                cause: refusal.cause,
                cure: refusal.cure,
            }),
            Err(Trouble::Failed(error)) => {
                return Err(error.in_file(reader.path()).at_variable(&path));
            }
        }
        Ok(())
    }

    /// Notes attributes that could not be described.
    fn leave_out(&mut self, path: &str, attributes: Vec<(String, Refusal)>) {
        let notes = attributes.into_iter().map(|(name, refusal)| LeftOut {
            path: format!("{path}@{name}"),
            cause: refusal.cause,
            cure: refusal.cure,
        });
        self.left_out.extend(notes);
    }
}

/// Before the names in a group: `model/ocean/`, nothing in the root.
fn prefix(group: &str) -> String {
    match group.trim_matches('/') {
        "" => String::new(),
        path => format!("{path}/"),
    }
}

/// The URL of a file.
fn url_of(path: &Path) -> Result<String> {
    if let Some(url) = address::url_of(path) {
        return Ok(url.into_owned());
    }
    let path = &*address::local(path)?;
    let absolute = std::path::absolute(path);
    let absolute = absolute.map_err(|error| Error::io(&error, "find the folder of", path))?;
    match absolute.to_str() {
        // As Zarr's readers take it: nothing is escaped.
        Some(text) => Ok(format!("file://{text}")),
        None => Err(Error::new(
            ErrorCode::InvalidArgument,
            "its name is not UTF-8, so references cannot contain it",
        )
        .in_file(path)
        .with_cure("state the URL under which readers will find it")),
    }
}
