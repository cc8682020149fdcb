//! Dataspaces: the extent of an array.

use crate::cursor::Cursor;
use crate::error::{Result, damaged};

/// Most axes that HDF5 knows (`H5S_MAX_RANK`).
const MAX_RANK: u8 = 32;

/// The extent of an array.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Extent {
    /// No element.
    Null,
    /// One element without axes.
    Scalar,
    /// Axes.
    Simple {
        /// Length of each axis in elements, slowest first.
        shape: Vec<u64>,
        /// How long each may become; `None` without limit.
        max_shape: Vec<Option<u64>>,
    },
}

impl Extent {
    /// Number of elements; `None` on overflow.
    #[must_use]
    pub fn elements(&self) -> Option<u64> {
        match self {
            Self::Null => Some(0),
            Self::Scalar => Some(1),
            Self::Simple { shape, .. } => {
                (shape.iter()).try_fold(1_u64, |product, &n| product.checked_mul(n))
            }
        }
    }

    /// The lengths of the axes; none for a scalar.
    #[must_use]
    pub fn shape(&self) -> &[u64] {
        match self {
            Self::Simple { shape, .. } => shape,
            _ => &[],
        }
    }

    /// Whether an axis may become longer than it is.
    #[must_use]
    pub fn may_grow(&self) -> bool {
        match self {
            Self::Null | Self::Scalar => false,
            Self::Simple { shape, max_shape } => (shape.iter().zip(max_shape))
                .any(|(&length, most)| most.is_none_or(|most| most > length)),
        }
    }

    /// Takes another shape for the one of the file: one that was read before another program made the array longer.
    pub fn set_shape(&mut self, seen: &[u64]) {
        if let Self::Simple { shape, .. } = self
            && shape.len() == seen.len()
        {
            shape.copy_from_slice(seen);
        }
    }

    /// Decodes a dataspace message.
    pub(crate) fn decode(mut at: Cursor<'_>) -> Result<Self> {
        let version = at.version(&[1, 2], "a dataspace")?;
        let (rank, flags) = (at.u8()?, at.u8()?);
        let class = at.u8()?;
        if rank > MAX_RANK {
            return Err(damaged(format!("a dataspace claims {rank} axes")));
        }
        if version == 1 {
            at.skip(4)?;
        }
        match (version, class, rank) {
            (2, 2, 0) => return Ok(Self::Null),
            (2, 0, 0) | (1, _, 0) => return Ok(Self::Scalar),
            (2, 1, _) | (1, ..) => {}
            _ => {
                return Err(damaged(format!(
                    "a dataspace of {rank} axes is of class {class}, which it cannot be"
                )));
            }
        }
        let shape = (0..rank)
            .map(|_| at.length())
            .collect::<Result<Vec<u64>>>()?;
        let max_shape: Vec<Option<u64>> = match flags & 1 {
            0 => shape.iter().copied().map(Some).collect(),
            _ => (0..rank)
                .map(|_| at.optional_length())
                .collect::<Result<_>>()?,
        };
        let is_longer = |(&now, most): (&u64, &Option<u64>)| most.is_some_and(|most| now > most);
        if shape.iter().zip(&max_shape).any(is_longer) {
            return Err(damaged("an axis is longer than it may become"));
        }
        Ok(Self::Simple { shape, max_shape })
    }
}
