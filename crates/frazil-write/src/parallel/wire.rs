//! What the ranks tell each other.

use std::path::PathBuf;

use frazil_types::ErrorCode;
use serde::de::DeserializeOwned;
use serde::{Deserialize, Serialize};

use super::super::books::Stored;
use super::super::borders::Borders;
use super::super::cooperation::Call;
use super::super::key::Name;
use super::super::slab::Slab;
use frazil_container::schema::{Text, VariableId};
use frazil_file::error::{Error, Result};

impl Call {
    pub(super) fn name(self) -> &'static str {
        match self {
            Self::Create => "create",
            Self::Define => "end of definitions",
            Self::Sync => "sync",
            Self::Close => "close",
        }
    }
}

/// An error on its way to other ranks.
#[derive(Debug, Clone, Serialize, Deserialize)]
pub(super) struct Failure {
    code: ErrorCode,
    file: Option<PathBuf>,
    variable: Option<String>,
    cause: String,
    cure: Option<String>,
}

impl Failure {
    /// An error, with the rank where it happened.
    pub(super) fn on_rank(rank: usize, error: &Error) -> Self {
        Self {
            code: error.code,
            file: error.file.clone(),
            variable: error.variable.clone(),
            cause: match error.cause.starts_with("rank ") {
                true => error.cause.clone(),
                false => format!("rank {rank}: {}", error.cause),
            },
            cure: error.cure.clone(),
        }
    }

    pub(super) fn into_error(self) -> Error {
        Error {
            code: self.code,
            file: self.file,
            variable: self.variable,
            cause: self.cause,
            cure: self.cure,
        }
    }
}

/// Texts put into a variable of strings.
#[derive(Debug, Clone, Serialize, Deserialize)]
pub(super) struct TextPut {
    pub variable: usize,
    pub start: Vec<u64>,
    pub count: Vec<u64>,
    pub stride: Option<Vec<u64>>,
    pub values: Vec<Text>,
}

impl TextPut {
    pub(super) fn new(variable: VariableId, slab: &Slab<'_>, values: &[Text]) -> Self {
        Self {
            variable: variable.0,
            start: slab.start.to_vec(),
            count: slab.count.to_vec(),
            stride: slab.stride.map(<[u64]>::to_vec),
            values: values.to_vec(),
        }
    }

    /// The texts one by one, each with its place in the variable.
    pub(super) fn elements(&self) -> impl Iterator<Item = (Vec<u64>, &Text)> {
        self.values.iter().enumerate().map(|(number, text)| {
            let mut rest = number as u64;
            let mut at = self.start.clone();
            for axis in (0..at.len()).rev() {
                let stride = self.stride.as_ref().map_or(1, |stride| stride[axis]);
                at[axis] += rest % self.count[axis] * stride;
                rest /= self.count[axis];
            }
            (at, text)
        })
    }
}

/// What a rank brings to a call.
#[derive(Debug, Serialize, Deserialize)]
pub(super) struct Arrival {
    pub(super) call: Call,
    /// Of all that is defined.
    pub(super) digest: u64,
    /// Of the dimensions.
    pub(super) lengths: Vec<u64>,
    /// By variable: whether chunks of it are packed already.
    pub(super) is_begun: Vec<bool>,
    /// Bytes handed to put so far.
    pub(super) raw_bytes: u64,
    /// By variable: where this rank's puts begin and end; nothing if chunk shapes do not go by
    /// that.
    pub(super) borders: Vec<Borders>,
    pub(super) texts: Vec<TextPut>,
}

/// What all ranks go on with.
#[derive(Debug, Clone, Serialize, Deserialize)]
pub(super) struct Agreement {
    /// Whether all ranks have the same definitions.
    pub(super) is_same: bool,
    pub(super) lengths: Vec<u64>,
    pub(super) is_begun: Vec<bool>,
    pub(super) raw_bytes: u64,
    /// Those of all ranks.
    pub(super) borders: Vec<Borders>,
}

/// One thing that is defined, in words.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub(super) struct Item {
    pub(super) name: String,
    pub(super) text: String,
}

/// A chunk that a rank has values of.
#[derive(Debug, Clone, Serialize, Deserialize)]
pub(super) struct Claim {
    pub(super) name: Name,
    pub(super) is_whole: bool,
    /// Bytes that the rank would have to send.
    pub(super) bytes: u64,
}

/// What a rank has to do with its claims; those that are not named stay as they are.
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize, Deserialize)]
pub(super) struct Assignment {
    /// Claims that other ranks' puts replace, by number.
    pub(super) drops: Vec<usize>,
    pub(super) sends: Vec<ClaimTransfer>,
    pub(super) owns: Vec<Owned>,
    /// Rounds of the exchange, the same for all ranks.
    pub(super) rounds: usize,
}

/// A claim to be sent to the owner of its chunk.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub(super) struct ClaimTransfer {
    pub(super) claim: usize,
    pub(super) to: usize,
    pub(super) round: usize,
}

/// A chunk that a rank has to make whole.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub(super) struct Owned {
    pub(super) name: Name,
    /// Other ranks that send values, in ascending order.
    pub(super) from: Vec<usize>,
    pub(super) round: usize,
    pub(super) base: Option<Stored>,
}

/// What became of a packed chunk.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
pub(super) enum Spot {
    /// Its owner writes it here.
    At(u64),
    /// Rank 0 needs its bytes: this place belongs to the last commit.
    Held,
    /// It is where it belongs.
    Done,
    /// It is not stored.
    Omitted,
}

pub(super) fn encode<T: Serialize>(value: &T) -> Result<Vec<u8>> {
    postcard::to_allocvec(value).map_err(|error| broken(&error.to_string()))
}

pub(super) fn decode<T: DeserializeOwned>(bytes: &[u8]) -> Result<T> {
    postcard::from_bytes(bytes).map_err(|error| broken(&error.to_string()))
}

/// The error of a message that no rank sends.
pub(super) fn broken(cause: &str) -> Error {
    Error::new(
        ErrorCode::Internal,
        format!("a message of another rank cannot be understood: {cause}"),
    )
    .with_cure("run the same version of frazil on all ranks")
}
