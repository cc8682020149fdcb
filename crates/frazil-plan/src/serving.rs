//! Which candidates serve what is requested.

use frazil_types::{ByteOrder, ElementClass, ElementType};

use crate::candidates::CandidateFilters;
use crate::requests::{FilterOptions, ShuffleRequest};

/// Whether a candidate serves the requests, but for its speed.
pub(crate) fn serves(one: &CandidateFilters, requests: &FilterOptions) -> bool {
    let is_requested = match requests.shuffle {
        ShuffleRequest::Auto => true,
        ShuffleRequest::On => one.shuffles(),
        ShuffleRequest::Off => !one.shuffles(),
    };
    is_requested && one.readers <= requests.reader_level && has_only(one, requests)
}

/// Whether all filters of a candidate are among those that there may be.
fn has_only(one: &CandidateFilters, requests: &FilterOptions) -> bool {
    let Some(only) = requests.only else {
        return true;
    };
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
        let requests = FilterOptions {
            reader_level: ReaderLevel::Plugins,
            shuffle: ShuffleRequest::On,
            only: Some(&[filter_id::SHUFFLE, filter_id::ZSTD]),
            ..FilterOptions::default()
        };
        let serving = candidates().iter().filter(|one| serves(one, &requests));
        let mut families: Vec<&str> = serving.map(CandidateFilters::family).collect();
        families.dedup();
        assert_eq!(families, ["shuffle+zstd"]);
    }
}
