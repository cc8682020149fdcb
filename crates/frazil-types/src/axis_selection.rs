//! Which elements of an array are wanted, axis by axis ("outer" or "orthogonal" indexing).

/// The elements wanted along one axis, in the order wanted.
///
/// An array of selections, one for each axis, stands for all combinations; the result has one axis
/// for each of them.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum AxisSelection {
    /// `count` elements from `start` on, every `stride`-th.
    Range {
        /// First element.
        start: u64,
        /// Number of elements.
        count: u64,
        /// From one element to the next, at least 1.
        stride: u64,
    },
    /// These elements, in any order and as often as they are named.
    List(Vec<u64>),
}

impl AxisSelection {
    /// All elements of an axis.
    #[must_use]
    pub fn all(extent: u64) -> Self {
        Self::dense(0, extent)
    }

    /// `count` elements from `start` on.
    #[must_use]
    pub fn dense(start: u64, count: u64) -> Self {
        Self::Range {
            start,
            count,
            stride: 1,
        }
    }

    /// All elements of an array.
    #[must_use]
    pub fn whole(shape: &[u64]) -> Vec<Self> {
        shape.iter().map(|&extent| Self::all(extent)).collect()
    }

    /// Number of elements.
    #[must_use]
    pub fn count(&self) -> u64 {
        match self {
            Self::Range { count, .. } => *count,
            Self::List(list) => list.len() as u64,
        }
    }

    /// Element number `i` of the selection; `None` if there is none, or on overflow.
    #[must_use]
    pub fn element(&self, i: u64) -> Option<u64> {
        match self {
            Self::Range {
                start,
                count,
                stride,
            } => {
                let step = i.checked_mul(*stride)?;
                (i < *count).then(|| start.checked_add(step))?
            }
            Self::List(list) => list.get(usize::try_from(i).ok()?).copied(),
        }
    }

    /// The first and the last element by place; `None` if there are none, or on overflow.
    #[must_use]
    pub fn span(&self) -> Option<(u64, u64)> {
        match self {
            Self::Range { start, count, .. } => {
                Some((*start, self.element(count.checked_sub(1)?)?))
            }
            Self::List(list) => Some((*list.iter().min()?, *list.iter().max()?)),
        }
    }

    /// How often the element is named that is named most often; at least 1.
    #[must_use]
    pub fn most_repeats(&self) -> u64 {
        let Self::List(list) = self else {
            return 1;
        };
        let mut list = list.clone();
        list.sort_unstable();
        let same = list.chunk_by(|a, b| a == b).map(|same| same.len() as u64);
        same.max().unwrap_or(1)
    }

    /// Whether all elements lie below `extent`.
    #[must_use]
    pub fn is_inside(&self, extent: u64) -> bool {
        match self {
            Self::Range {
                count: 0, stride, ..
            } => *stride > 0,
            Self::Range { count, stride, .. } => {
                let last = self.element(count - 1);
                *stride > 0 && last.is_some_and(|last| last < extent)
            }
            Self::List(list) => list.iter().all(|&at| at < extent),
        }
    }
}

/// Number of elements that selections along all axes stand for; `None` on overflow.
#[must_use]
pub fn selected_elements(selections: &[AxisSelection]) -> Option<u64> {
    let mut counts = selections.iter().map(AxisSelection::count);
    if counts.clone().any(|count| count == 0) {
        return Some(0);
    }
    counts.try_fold(1_u64, u64::checked_mul)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn ranges_and_lists_name_their_elements() {
        let range = AxisSelection::Range {
            start: 3,
            count: 3,
            stride: 4,
        };
        assert_eq!((range.element(2), range.element(3)), (Some(11), None));
        assert!(range.is_inside(12) && !range.is_inside(11));
        let list = AxisSelection::List(vec![5, 0, 5]);
        assert_eq!((list.count(), list.element(0)), (3, Some(5)));
        assert_eq!((range.span(), list.span()), (Some((3, 11)), Some((0, 5))));
        assert_eq!(AxisSelection::dense(4, 0).span(), None);
        assert!(list.is_inside(6) && !list.is_inside(5));
        assert_eq!(selected_elements(&[range, list]), Some(9));
        assert_eq!(selected_elements(&[]), Some(1));
    }

    #[test]
    fn hostile_ranges_do_not_overflow() {
        let far = AxisSelection::Range {
            start: u64::MAX,
            count: 3,
            stride: 1,
        };
        assert!(!far.is_inside(u64::MAX));
        assert_eq!(far.element(2), None);
        let still = AxisSelection::Range {
            start: 0,
            count: 2,
            stride: 0,
        };
        assert!(!still.is_inside(5));
        let many = AxisSelection::all(u64::MAX);
        assert_eq!(selected_elements(&[many.clone(), many.clone()]), None);
        assert_eq!(
            selected_elements(&[many.clone(), many, AxisSelection::List(vec![])]),
            Some(0)
        );
    }
}
