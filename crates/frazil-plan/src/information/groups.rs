//! Which parts of a variable have a say of their own.

/// Most bands of levels.
pub const MOST_LEVELS: u64 = 48;
/// Most samples along the slowest axis.
pub const MOST_SAMPLES: u64 = 8;

/// An axis cut into bands of equal width (the last one may be narrower).
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Bands {
    /// The axis.
    pub axis: usize,
    /// Elements per band, at least 1.
    pub width: u64,
    /// Number of bands, at least 2.
    pub count: usize,
}

impl Bands {
    /// At most `most` bands of an axis; `None` if it has less than two elements.
    fn new(shape: &[u64], axis: usize, most: u64) -> Option<Self> {
        let extent = *shape.get(axis)?;
        if extent < 2 {
            return None;
        }
        let width = extent.div_ceil(most);
        let count = usize::try_from(extent.div_ceil(width)).ok()?;
        (count >= 2).then_some(Self { axis, width, count })
    }
}

/// How a variable's pairs are grouped: by level, and by sample along the slowest axis that is left.
///
/// A variable may need more bits at one height or time than on average, so each group has a vote.
/// The groups depend on shape and axes only, never on chunks.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Grouping {
    /// The axis along which neighbours are compared.
    pub axis: usize,
    /// Bands of levels, if there is a vertical axis (other than `axis`).
    pub levels: Option<Bands>,
    /// Samples along the slowest axis that is neither of these.
    pub samples: Option<Bands>,
}

impl Grouping {
    /// Groups for neighbours along `axis`; `vertical` is the vertical axis, if one is known.
    #[must_use]
    pub fn new(shape: &[u64], axis: usize, vertical: Option<usize>) -> Self {
        let vertical = vertical.filter(|&v| v != axis);
        let levels = vertical.and_then(|v| Bands::new(shape, v, MOST_LEVELS));
        let slowest = (0..shape.len()).find(|&i| i != axis && Some(i) != vertical && shape[i] > 1);
        let samples = slowest.and_then(|i| Bands::new(shape, i, MOST_SAMPLES));
        Self {
            axis,
            levels,
            samples,
        }
    }

    /// No groups: everything together.
    #[must_use]
    pub fn none(axis: usize) -> Self {
        Self {
            axis,
            levels: None,
            samples: None,
        }
    }

    /// Number of groups.
    #[must_use]
    pub fn count(&self) -> usize {
        [self.levels, self.samples]
            .iter()
            .flatten()
            .map(|bands| bands.count)
            .sum()
    }
}

/// One band's part of a box: its number, and the first element (from the box's start) and number of
/// elements along the banded axis.
pub(super) type Piece = (Option<usize>, u64, u64);

/// The pieces of a box of `extent` elements from `start` on along a banded axis; one piece without
/// a number where there are no bands.
pub(super) fn pieces(bands: Option<&Bands>, start: &[u64], extents: &[u64]) -> Vec<Piece> {
    let Some(bands) = bands else {
        return vec![(None, 0, 0)];
    };
    let (first, extent) = (start[bands.axis], extents[bands.axis]);
    let mut found = Vec::new();
    let mut at = first;
    while at < first + extent {
        let band = at / bands.width;
        let end = ((band + 1) * bands.width).min(first + extent);
        found.push((usize::try_from(band).ok(), at - first, end - at));
        at = end;
    }
    found
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn levels_and_samples_are_not_the_analysed_axis() {
        let grouping = Grouping::new(&[100, 60, 40, 80], 3, Some(1));
        let levels = grouping.levels.unwrap();
        assert_eq!((levels.axis, levels.width, levels.count), (1, 2, 30));
        let samples = grouping.samples.unwrap();
        assert_eq!((samples.axis, samples.width, samples.count), (0, 13, 8));
        assert_eq!(grouping.count(), 38);

        let along_time = Grouping::new(&[100, 1, 40, 80], 0, Some(1));
        assert!(along_time.levels.is_none());
        assert_eq!(along_time.samples.unwrap().axis, 2);
        let vertical = Grouping::new(&[60, 80], 0, Some(0));
        assert!(vertical.levels.is_none());
        assert_eq!(vertical.samples.unwrap().axis, 1);
        assert_eq!(Grouping::new(&[60], 0, None), Grouping::none(0));
    }

    #[test]
    fn a_box_is_cut_at_the_borders_of_bands() {
        let bands = Bands::new(&[100], 0, 8).unwrap();
        assert_eq!(
            pieces(Some(&bands), &[10], &[20]),
            [(Some(0), 0, 3), (Some(1), 3, 13), (Some(2), 16, 4)]
        );
        assert_eq!(pieces(None, &[10], &[20]), [(None, 0, 0)]);
    }
}
