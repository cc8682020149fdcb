//! A box of array elements.

use serde::{Deserialize, Serialize};

/// A contiguous box: `count` elements from `start` along each axis.
#[derive(Debug, Clone, PartialEq, Eq, Hash, Serialize, Deserialize)]
pub struct Selection {
    /// First element along each axis.
    pub start: Vec<u64>,
    /// Number of elements along each axis.
    pub count: Vec<u64>,
}

impl Selection {
    /// `count` elements from `start` along each axis.
    #[must_use]
    pub fn new(start: &[u64], count: &[u64]) -> Self {
        Self {
            start: start.to_vec(),
            count: count.to_vec(),
        }
    }

    /// A whole array.
    #[must_use]
    pub fn whole(shape: &[u64]) -> Self {
        Self {
            start: vec![0; shape.len()],
            count: shape.to_vec(),
        }
    }

    /// Number of selected elements; `None` on overflow.
    #[must_use]
    pub fn elements(&self) -> Option<u64> {
        self.count
            .iter()
            .try_fold(1_u64, |product, &count| product.checked_mul(count))
    }

    /// The part both boxes share, or `None` if they are disjoint.
    #[must_use]
    pub fn intersect(&self, other: &Self) -> Option<Self> {
        let mut start = Vec::with_capacity(self.start.len());
        let mut count = Vec::with_capacity(self.start.len());
        for axis in 0..self.start.len() {
            let first = self.start[axis].max(other.start[axis]);
            let end = (self.start[axis].saturating_add(self.count[axis]))
                .min(other.start[axis].saturating_add(other.count[axis]));
            if first >= end {
                return None;
            }
            start.push(first);
            count.push(end - first);
        }
        Some(Self { start, count })
    }
}
