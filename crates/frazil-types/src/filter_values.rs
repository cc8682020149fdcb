//! Client data values that depend on the dataset: element type and chunk shape.

use crate::element::ElementType;
use crate::filter_chain::FilterChain;
use crate::filter_spec::{FilterPipeline, FilterSpec, filter_id};

/// Complete values of a filter from those that a user gives, who knows neither element nor chunk
/// shape; values that are complete stay. `None` if the filter cannot be applied to such elements.
///
/// `docs/filters.md` lists what may be given. It is what the `set_local` of the registered filters does.
#[must_use]
pub fn completed_values(
    id: i32,
    given: &[u32],
    element: ElementType,
    chunk: &[u64],
) -> Option<Vec<u32>> {
    let by_chain = |text: &str| -> Option<FilterSpec> {
        let chain: FilterChain = text.parse().ok()?;
        chain.resolve(element, chunk).0.pop()
    };
    let size = u32::try_from(element.size_bytes).ok()?;
    match id {
        filter_id::SHUFFLE => Some(vec![size]),
        // A user gives options and pixels of a block.
        filter_id::SZIP => {
            let &[options, pixels, ..] = given else {
                return None;
            };
            const ENTROPY: u32 = 4;
            // A chunk has a block of pixels at least.
            if u64::from(pixels) > chunk.iter().product::<u64>() {
                return None;
            }
            let coding = if options & ENTROPY != 0 { ",ec" } else { "" };
            Some(by_chain(&format!("szip({pixels}{coding})"))?.cd_values)
        }
        // Version, version, element size, then what a user gives: block size, compressor, level.
        filter_id::BITSHUFFLE => {
            let users = if given.len() >= 5 { &given[3..] } else { given };
            Some([&[0, 4, size], users].concat())
        }
        // A user's values are in their places, and the first four are the filter's.
        filter_id::BLOSC => {
            let mut values = by_chain("blosc(lz4)")?.cd_values;
            for (value, &given) in values.iter_mut().zip(given).skip(4) {
                *value = given;
            }
            Some(values)
        }
        // A user gives the level or nothing.
        filter_id::PCODEC => {
            let mut values = by_chain("pcodec")?.cd_values;
            if let Some(&level) = given.get(3).or(given.first().filter(|_| given.len() == 1)) {
                values[3] = level;
            }
            Some(values)
        }
        // A user gives the axes as a bit mask or nothing.
        filter_id::DELTA => {
            let mut values = by_chain("delta")?.cd_values;
            if let Some(&mask) = given.get(3).or(given.first().filter(|_| given.len() == 1)) {
                values[3] = mask;
            }
            Some(values)
        }
        // A user gives how many methods are compared or nothing.
        filter_id::MAFISC => {
            let mut values = by_chain("mafisc")?.cd_values;
            match given {
                [] => {}
                &[methods @ 0..=270] => values[1] = values[1] & !0xFFFF | methods,
                complete => values[1] = *complete.get(1)?,
            }
            Some(values)
        }
        // A user gives the goal, or goal and level, or nothing.
        filter_id::FRAZIL => {
            let mut values = by_chain("frazil")?.cd_values;
            let users = if given.len() >= 7 {
                &given[4..6]
            } else {
                given
            };
            match users {
                [] => {}
                &[goal] => values[4] = goal,
                &[goal, level] => values[4..6].copy_from_slice(&[goal, level]),
                _ => return None,
            }
            Some(values)
        }
        _ => Some(given.to_vec()),
    }
}

/// A pipeline whose filters have [`completed_values`].
///
/// # Errors
/// The filter that cannot be applied to such elements with what it is given.
pub fn completed(
    pipeline: &FilterPipeline,
    element: ElementType,
    chunk: &[u64],
) -> Result<FilterPipeline, FilterSpec> {
    let complete = |spec: &FilterSpec| {
        let cd_values = completed_values(spec.id, &spec.cd_values, element, chunk);
        let cd_values = cd_values.ok_or_else(|| spec.clone())?;
        Ok(FilterSpec {
            cd_values,
            ..spec.clone()
        })
    };
    let specs: Result<Vec<FilterSpec>, FilterSpec> = pipeline.0.iter().map(complete).collect();
    specs.map(FilterPipeline)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::{ByteOrder, ElementClass};

    const FLOAT32: ElementType = ElementType {
        class: ElementClass::Float,
        size_bytes: 4,
        order: ByteOrder::Little,
    };

    #[test]
    fn users_give_what_they_know_and_complete_values_stay() {
        for (id, given, complete) in [
            (filter_id::SHUFFLE, vec![], vec![4]),
            (filter_id::SHUFFLE, vec![8], vec![4]),
            (filter_id::SZIP, vec![32, 8], vec![169, 8, 32, 16]),
            (filter_id::SZIP, vec![4, 16], vec![141, 16, 32, 16]),
            (filter_id::BITSHUFFLE, vec![], vec![0, 4, 4]),
            (filter_id::BITSHUFFLE, vec![0, 2], vec![0, 4, 4, 0, 2]),
            (filter_id::BITSHUFFLE, vec![0, 3, 5], vec![0, 4, 4, 0, 3, 5]),
            (filter_id::BLOSC, vec![], vec![2, 2, 4, 512, 5, 1, 1]),
            (
                filter_id::BLOSC,
                vec![0, 0, 0, 0, 9, 2, 5],
                vec![2, 2, 4, 512, 9, 2, 5],
            ),
            (filter_id::PCODEC, vec![], vec![1, 5, 0, 8]),
            (filter_id::PCODEC, vec![12], vec![1, 5, 0, 12]),
            (filter_id::DELTA, vec![], vec![1, 4, 2, 2, 2, 8, 16]),
            (filter_id::DELTA, vec![3], vec![1, 4, 2, 3, 2, 8, 16]),
            (
                filter_id::MAFISC,
                vec![],
                vec![0, 0x667A_0004, 4, 1, 1, 2, 8, 16],
            ),
            (
                filter_id::MAFISC,
                vec![0],
                vec![0, 0x667A_0000, 4, 1, 1, 2, 8, 16],
            ),
            (filter_id::FRAZIL, vec![], vec![1, 5, 0, 4, 0, 0, 2, 8, 16]),
            (filter_id::FRAZIL, vec![3], vec![1, 5, 0, 4, 3, 0, 2, 8, 16]),
            (
                filter_id::FRAZIL,
                vec![1, 12],
                vec![1, 5, 0, 4, 1, 12, 2, 8, 16],
            ),
            (filter_id::ZSTD, vec![7], vec![7]),
            (filter_id::LZ4, vec![], vec![]),
        ] {
            let made = completed_values(id, &given, FLOAT32, &[8, 16]).unwrap();
            assert_eq!(made, complete, "{id} {given:?}");
            let again = completed_values(id, &made, FLOAT32, &[8, 16]).unwrap();
            let is_bare_bitshuffle = id == filter_id::BITSHUFFLE && made.len() < 5;
            assert!(
                is_bare_bitshuffle || again == made,
                "{id} {made:?} {again:?}"
            );
        }
    }

    #[test]
    fn what_looks_at_numbers_is_not_applied_to_text() {
        let text = ElementType {
            class: ElementClass::Opaque,
            size_bytes: 7,
            order: ByteOrder::Little,
        };
        assert_eq!(completed_values(filter_id::PCODEC, &[], text, &[8]), None);
        // A block has no more pixels than a chunk.
        let szip = |chunk: &[u64]| completed_values(filter_id::SZIP, &[32, 32], FLOAT32, chunk);
        assert!(szip(&[4, 8]).is_some() && szip(&[31]).is_none());
        assert_eq!(
            completed_values(filter_id::SZIP, &[32, 8], text, &[8]),
            None
        );
        assert_eq!(
            completed_values(filter_id::SZIP, &[32], FLOAT32, &[8]),
            None
        );
        assert_eq!(completed_values(filter_id::DELTA, &[], text, &[8]), None);
        assert_eq!(completed_values(filter_id::MAFISC, &[], text, &[8]), None);
        let bytes = completed_values(filter_id::FRAZIL, &[2], text, &[8]).unwrap();
        assert_eq!(bytes, [1, 0, 0, 7, 2, 0, 1, 8]);
    }
}
