//! Where ranks' puts begin and end, and chunk edges that these places do not cut.

use serde::{Deserialize, Serialize};

use super::slab::Slab;

/// By axis: the greatest common divisor of all places where puts begin or end; 0: nowhere but at the
/// ends of the axis. Axes that grow have none: records are put one after the other.
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize, Deserialize)]
pub(super) struct Borders(Vec<u64>);

impl Borders {
    /// Takes the borders of a put in; `limits` are the lengths of the axes, `None` if they grow.
    pub(super) fn note(&mut self, slab: &Slab<'_>, limits: &[Option<u64>]) {
        self.0.resize(limits.len(), 0);
        if slab.count.contains(&0) {
            return;
        }
        for (axis, (common, limit)) in self.0.iter_mut().zip(limits).enumerate() {
            let Some(length) = *limit else {
                continue;
            };
            let is_spread = slab.count[axis] > 1 && slab.stride(axis) > 1;
            let ends = [slab.start[axis], slab.end(axis)];
            for place in ends.into_iter().filter(|&place| place < length) {
                *common = gcd(*common, place);
            }
            if is_spread {
                // Other ranks have what lies between.
                *common = 1;
            }
        }
    }

    /// Takes those of another rank in.
    pub(super) fn merge(&mut self, other: &Self) {
        self.0.resize(self.0.len().max(other.0.len()), 0);
        for (common, &place) in self.0.iter_mut().zip(&other.0) {
            *common = gcd(*common, place);
        }
    }

    /// Whether there is none.
    pub(super) fn is_nowhere(&self) -> bool {
        self.0.iter().all(|&common| common == 0)
    }

    /// The shape of the largest box that no border cuts if boxes of it tile the variable; axes
    /// without borders are as long as in `shape`.
    pub(super) fn cell(&self, shape: &[u64]) -> Vec<u64> {
        let own = self.0.iter().copied().chain(std::iter::repeat(0));
        let pairs = shape.iter().zip(own);
        pairs
            .map(|(&length, common)| if common == 0 { length } else { common })
            .collect()
    }

    /// A chunk shape near `chunk` whose chunks no border cuts.
    pub(super) fn uncut(&self, chunk: &[u64]) -> Vec<u64> {
        let own = self.0.iter().copied().chain(std::iter::repeat(0));
        let pairs = chunk.iter().zip(own);
        pairs
            .map(|(&edge, common)| match common {
                0 => edge,
                _ => nearest_divisor(common, edge),
            })
            .collect()
    }
}

fn gcd(a: u64, b: u64) -> u64 {
    let (mut a, mut b) = (a, b);
    while b > 0 {
        (a, b) = (b, a % b);
    }
    a
}

/// The divisor of `number` that is nearest to `wanted`, by their ratio; of two, the smaller.
fn nearest_divisor(number: u64, wanted: u64) -> u64 {
    let wanted = wanted.max(1);
    let distance = |divisor: u64| (divisor as f64 / wanted as f64).ln().abs();
    let mut best = 1;
    let mut low = 1;
    while low <= number / low {
        if number.is_multiple_of(low) {
            for divisor in [low, number / low] {
                let (new, old) = (distance(divisor), distance(best));
                if new < old || new == old && divisor < best {
                    best = divisor;
                }
            }
        }
        low += 1;
    }
    best
}

#[cfg(test)]
mod tests {
    use super::*;

    fn noted(puts: &[(u64, u64)], length: u64) -> Borders {
        let mut borders = Borders::default();
        for &(start, count) in puts {
            let slab = Slab {
                start: &[0, start],
                count: &[1, count],
                stride: None,
            };
            borders.note(&slab, &[None, Some(length)]);
        }
        borders
    }

    #[test]
    fn blocks_of_one_size_give_that_size() {
        let borders = noted(&[(0, 30), (30, 30), (60, 30)], 90);
        assert_eq!(borders, Borders(vec![0, 30]));
        assert_eq!(borders.cell(&[7, 90]), [7, 30]);
        assert_eq!(borders.uncut(&[7, 16]), [7, 15]);
        assert_eq!(borders.uncut(&[7, 90]), [7, 30]);
        // A last block that is shorter cuts no chunk.
        assert_eq!(
            noted(&[(0, 30), (30, 30), (60, 17)], 77).cell(&[1, 77]),
            [1, 30]
        );
    }

    #[test]
    fn whole_axes_have_no_borders() {
        let borders = noted(&[(0, 90)], 90);
        assert!(borders.is_nowhere());
        assert_eq!(borders.cell(&[4, 90]), [4, 90]);
    }

    #[test]
    fn what_ranks_share_out_in_turn_has_borders_everywhere() {
        let mut borders = Borders::default();
        let slab = Slab {
            start: &[2],
            count: &[5],
            stride: Some(&[3]),
        };
        borders.note(&slab, &[Some(20)]);
        assert_eq!(borders, Borders(vec![1]));
    }

    #[test]
    fn ranks_are_merged() {
        let mut borders = noted(&[(0, 24)], 100);
        borders.merge(&noted(&[(24, 36)], 100));
        borders.merge(&Borders::default());
        assert_eq!(borders.cell(&[1, 100]), [1, 12]);
    }

    #[test]
    fn divisors_are_near() {
        assert_eq!(nearest_divisor(60, 17), 15);
        assert_eq!(nearest_divisor(37, 20), 37);
        assert_eq!(nearest_divisor(1, 20), 1);
        assert_eq!(nearest_divisor(64, 1000), 64);
    }
}
