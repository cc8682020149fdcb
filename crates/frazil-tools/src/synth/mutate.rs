//! Repeaters and interpolators: values on a coarse lattice, spread over all elements.

use super::pattern::Mutator;

/// Where one element of an axis gets its value: between two nodes.
#[derive(Debug, Clone, Copy, PartialEq)]
struct Between {
    lower: usize,
    upper: usize,
    /// Share of the upper node.
    weight: f64,
}

/// One axis of a mutated box: the nodes it needs, and how elements follow from them.
#[derive(Debug, Clone, PartialEq)]
pub(super) struct Axis {
    /// Element numbers of the nodes, ascending.
    pub(super) nodes: Vec<u64>,
    elements: Vec<Between>,
}

impl Axis {
    /// The lattice behind `elements` (ascending) of an axis of `length`.
    pub(super) fn new(mutator: Mutator, elements: &[u64], length: u64) -> Self {
        let bracket = |element: u64| match mutator {
            Mutator::Repeater(n) => (element / n * n, element / n * n),
            Mutator::Interpolator(n) => {
                let lower = element / n * n;
                (lower, lower.saturating_add(n).min(length.saturating_sub(1)))
            }
        };
        let mut nodes: Vec<u64> = Vec::new();
        for &element in elements {
            let (lower, upper) = bracket(element);
            nodes.extend([lower, upper]);
        }
        nodes.sort_unstable();
        nodes.dedup();
        let position = |node: u64| nodes.partition_point(|&other| other < node);
        let between = |&element: &u64| {
            let (lower, upper) = bracket(element);
            Between {
                lower: position(lower),
                upper: position(upper),
                weight: weight(element, lower, upper),
            }
        };
        Self {
            elements: elements.iter().map(between).collect(),
            nodes,
        }
    }

    /// Spreads values along this axis: `values` has `outer` slabs of one row per node, rows of
    /// `inner` values.
    pub(super) fn spread(&self, values: &[f64], outer: usize, inner: usize) -> Vec<f64> {
        let mut spread = Vec::with_capacity(outer * self.elements.len() * inner);
        for slab in values.chunks_exact((self.nodes.len() * inner).max(1)) {
            let row = |node: usize| &slab[node * inner..(node + 1) * inner];
            for between in &self.elements {
                let (lower, upper) = (row(between.lower), row(between.upper));
                let weight = between.weight;
                let mixed = lower.iter().zip(upper);
                spread.extend(
                    mixed.map(|(&a, &b)| {
                        ((1.0 - weight) * a + weight * b).clamp(a.min(b), a.max(b))
                    }),
                );
            }
        }
        spread
    }
}

/// Share of the upper node: half a cosine wave leads from one to the other.
fn weight(element: u64, lower: u64, upper: u64) -> f64 {
    if upper <= lower {
        return 0.0;
    }
    let way = (element - lower) as f64 / (upper - lower) as f64;
    (1.0 - libm::cos(std::f64::consts::PI * way)) / 2.0
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_repeater_takes_the_first_value_of_each_block() {
        let axis = Axis::new(Mutator::Repeater(3), &[1, 2, 3, 4], 5);
        assert_eq!(axis.nodes, [0, 3]);
        assert_eq!(axis.spread(&[7.0, 9.0], 1, 1), [7.0, 7.0, 9.0, 9.0]);
    }

    #[test]
    fn an_interpolator_keeps_its_nodes_and_the_last_element() {
        let axis = Axis::new(Mutator::Interpolator(4), &[0, 1, 2, 3, 4, 5, 6], 7);
        assert_eq!(axis.nodes, [0, 4, 6]);
        let values = axis.spread(&[0.0, 8.0, 2.0], 1, 1);
        assert_eq!((values[0], values[4], values[6]), (0.0, 8.0, 2.0));
        assert!(
            (values[2] - 4.0).abs() < 1e-12,
            "half way between two nodes"
        );
        assert!(values[1] < 2.0, "a cosine starts more slowly than a line");
    }

    #[test]
    fn slabs_and_rows_are_spread_alike() {
        let axis = Axis::new(Mutator::Repeater(2), &[0, 1], 2);
        let values = axis.spread(&[1.0, 2.0, 3.0, 4.0], 2, 2);
        assert_eq!(values, [1.0, 2.0, 1.0, 2.0, 3.0, 4.0, 3.0, 4.0]);
    }
}
