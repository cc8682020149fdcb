//! Elements of the same box of two variables, one by one.

use frazil_container::ContainerError;
use frazil_container::hdf5::{Expanded, TypeDescription, expand_plain};
use frazil_types::Selection;

use super::datatypes;
use super::render;
use frazil_file::sources;

/// Where some elements of two variables differ.
#[derive(Debug, Clone, Default)]
pub(crate) struct Unequal {
    /// How many.
    pub count: u64,
    /// The first one: its number, and both values in words.
    pub first: Option<(u64, String)>,
}

impl Unequal {
    /// Notes one more element.
    fn note(&mut self, number: u64, say: impl FnOnce() -> String) {
        self.count += 1;
        if self.first.is_none() {
            self.first = Some((number, say()));
        }
    }

    /// Adds what was found elsewhere; the smaller number of the two is the first.
    pub(crate) fn merge(&mut self, other: Self) {
        self.count += other.count;
        let earlier = match (&self.first, &other.first) {
            (Some((mine, _)), Some((others, _))) => others < mine,
            (None, Some(_)) => true,
            _ => false,
        };
        if earlier {
            self.first = other.first;
        }
    }

    /// Turns the number of an element in a box into its number in an array of `shape`.
    pub(crate) fn in_array(mut self, part: &Selection, shape: &[u64]) -> Self {
        if let Some((number, _)) = &mut self.first {
            let inside = indices(&part.count, *number);
            let at: Vec<u64> = inside
                .iter()
                .zip(&part.start)
                .map(|(i, start)| i + start)
                .collect();
            *number = sources::linear(shape, &at).unwrap_or(u64::MAX);
        }
        self
    }

    /// One line about `elements` values of an array of `shape`; `None` if all are equal.
    pub(crate) fn describe(&self, shape: &[u64], elements: u64) -> Option<String> {
        let (number, values) = self.first.as_ref()?;
        if shape.is_empty() {
            return Some(format!("the values differ: {values}"));
        }
        let at = indices(shape, *number);
        Some(format!(
            "first difference at {at:?}: {values} ({} of {elements} values differ)",
            self.count
        ))
    }
}

/// Array indices of the element with row-major number `number`.
pub(super) fn indices(shape: &[u64], number: u64) -> Vec<u64> {
    let mut rest = number;
    let mut at = vec![0; shape.len()];
    for axis in (0..shape.len()).rev() {
        let extent = shape[axis].max(1);
        at[axis] = rest % extent;
        rest /= extent;
    }
    at
}

/// Compares expanded elements; numbers count from 0.
pub(crate) fn compare_expanded(
    (type_a, a): (&TypeDescription, &Expanded),
    (type_b, b): (&TypeDescription, &Expanded),
) -> Unequal {
    let mut unequal = Unequal::default();
    if a == b {
        return unequal;
    }
    for i in 0..a.len().max(b.len()) {
        let (one, other) = (a.element(i), b.element(i));
        if one != other {
            unequal.note(i as u64, || render::against((type_a, one), (type_b, other)));
        }
    }
    unequal
}

/// How raw elements of two types are compared.
#[derive(Debug, Clone)]
pub(crate) struct RawComparison {
    type_a: TypeDescription,
    type_b: TypeDescription,
    same_layout: bool,
}

impl RawComparison {
    /// For elements without heap data and references, as they lie in their files.
    pub(crate) fn new(type_a: TypeDescription, type_b: TypeDescription) -> Self {
        let same_layout = datatypes::have_same_layout(&type_a, &type_b);
        Self {
            type_a,
            type_b,
            same_layout,
        }
    }

    /// Compares raw elements; numbers count from 0.
    pub(crate) fn compare(&self, a: &[u8], b: &[u8]) -> Result<Unequal, ContainerError> {
        let mut unequal = Unequal::default();
        if self.same_layout && a == b {
            return Ok(unequal);
        }
        let elements_a = a.chunks_exact(self.type_a.size_bytes.max(1));
        let elements_b = b.chunks_exact(self.type_b.size_bytes.max(1));
        for (number, (one, other)) in elements_a.zip(elements_b).enumerate() {
            if self.same_layout && one == other {
                continue;
            }
            let expanded_a = expand_plain(&self.type_a, one)?;
            let expanded_b = expand_plain(&self.type_b, other)?;
            if expanded_a != expanded_b {
                unequal.note(number as u64, || {
                    render::against(
                        (&self.type_a, expanded_a.bytes()),
                        (&self.type_b, expanded_b.bytes()),
                    )
                });
            }
        }
        Ok(unequal)
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use frazil_container::classic::NcType;

    #[test]
    fn the_first_difference_has_its_place_and_both_values() {
        let short = NcType::Short.description();
        let comparison = RawComparison::new(short.clone(), short);
        let a = [1_i16, 2, 3, 4].map(i16::to_le_bytes).concat();
        let b = [1_i16, 2, -3, 5].map(i16::to_le_bytes).concat();
        assert_eq!(comparison.compare(&a, &a).unwrap().count, 0);
        let unequal = comparison.compare(&a, &b).unwrap();
        let text = unequal.describe(&[2, 2], 4).unwrap();
        assert_eq!(
            text,
            "first difference at [1, 0]: 3 against -3 (2 of 4 values differ)"
        );
        assert_eq!(
            unequal.describe(&[], 1).unwrap(),
            "the values differ: 3 against -3"
        );
    }

    #[test]
    fn merging_keeps_the_earliest() {
        let at = |number| Unequal {
            count: 1,
            first: Some((number, number.to_string())),
        };
        let mut all = Unequal::default();
        for number in [7, 3, 9] {
            all.merge(at(number));
        }
        assert_eq!((all.count, all.first.unwrap().0), (3, 3));
    }
}
