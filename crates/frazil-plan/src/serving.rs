//! Which candidates serve what is wished for.

use frazil_types::{ByteOrder, ElementClass, ElementType};

use crate::candidates::CandidateFilters;
use crate::wishes::{FilterWishes, ShuffleWish};

/// Whether a candidate serves the wishes, but for its speed.
pub(crate) fn serves(one: &CandidateFilters, wishes: &FilterWishes) -> bool {
    let is_wished = match wishes.shuffle {
        ShuffleWish::Auto => true,
        ShuffleWish::On => one.shuffles(),
        ShuffleWish::Off => !one.shuffles(),
    };
    is_wished && one.readers <= wishes.reader_level && has_only(one, wishes)
}

/// Whether all filters of a candidate are among those that there may be.
fn has_only(one: &CandidateFilters, wishes: &FilterWishes) -> bool {
    let Some(only) = wishes.only else { return true };
    let element = ElementType {
        class: ElementClass::Float,
        size_bytes: 4,
        order: ByteOrder::Little,
    };
    let filters = one.chain().resolve(element, &[16, 16]);
    filters.0.iter().all(|stage| only.contains(&stage.id))
}

#[cfg(test)]
mod tests {
    use frazil_types::{ReaderLevel, filter_id};

    use super::*;
    use crate::candidates::candidates;

    #[test]
    fn candidates_can_be_kept_to_some_filters() {
        let wishes = FilterWishes {
            reader_level: ReaderLevel::Plugins,
            shuffle: ShuffleWish::On,
            only: Some(&[filter_id::SHUFFLE, filter_id::ZSTD]),
            ..FilterWishes::default()
        };
        let serving = candidates().iter().filter(|one| serves(one, &wishes));
        let mut families: Vec<&str> = serving.map(CandidateFilters::family).collect();
        families.dedup();
        assert_eq!(families, ["shuffle+zstd"]);
    }
}
