//! Which requests bring which ranges.

use std::ops::Range;

/// Requests that together bring all ranges: those closer than `gap` joined, longer ones cut into `piece`s.
pub(crate) fn requests(ranges: &[Range<u64>], gap: u64, piece: u64) -> Vec<Range<u64>> {
    let mut wanted: Vec<Range<u64>> = ranges.iter().filter(|r| !r.is_empty()).cloned().collect();
    wanted.sort_unstable_by_key(|range| range.start);
    let mut joined: Vec<Range<u64>> = Vec::new();
    for range in wanted {
        match joined.last_mut() {
            Some(last) if range.start.saturating_sub(last.end) <= gap => {
                last.end = last.end.max(range.end);
            }
            _ => joined.push(range),
        }
    }
    joined
        .into_iter()
        .flat_map(|run| cut(&run, piece))
        .collect()
}

/// Pieces of about the same length.
fn cut(run: &Range<u64>, piece: u64) -> Vec<Range<u64>> {
    let length = run.end - run.start;
    let pieces = length.div_ceil(piece.max(1)).max(1);
    let at = |i: u64| run.start + (u128::from(length) * u128::from(i) / u128::from(pieces)) as u64;
    (0..pieces).map(|i| at(i)..at(i + 1)).collect()
}

/// Copies of a range's bytes out of requests in order of place that have come; `None` if they do not cover it.
pub(crate) fn pick(range: &Range<u64>, come: &[(Range<u64>, Vec<u8>)]) -> Option<Vec<u8>> {
    let mut bytes = Vec::with_capacity(usize::try_from(range.end.checked_sub(range.start)?).ok()?);
    let mut at = range.start;
    let first = come.partition_point(|(place, _)| place.end <= at);
    for (place, found) in &come[first..] {
        if at >= range.end || place.start > at {
            break;
        }
        let from = usize::try_from(at - place.start).ok()?;
        let to = usize::try_from(range.end.min(place.end) - place.start).ok()?;
        bytes.extend_from_slice(found.get(from..to)?);
        at = range.end.min(place.end);
    }
    (at >= range.end).then_some(bytes)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn neighbours_are_joined_and_long_runs_cut() {
        let wanted = [500..600, 0..100, 110..200, 5000..5001, 300..300];
        assert_eq!(
            requests(&wanted, 10, 1000),
            vec![0..200, 500..600, 5000..5001]
        );
        assert_eq!(
            requests(std::slice::from_ref(&(0..10)), 0, 4),
            vec![0..3, 3..6, 6..10]
        );
        assert_eq!(requests(&[0..10, 2..4], 0, 100), vec![0..10]);
        assert!(requests(&[], 0, 1).is_empty());
        let all = requests(std::slice::from_ref(&(0..u64::MAX)), 0, 1 << 60);
        assert_eq!((all[0].start, all[all.len() - 1].end), (0, u64::MAX));
    }

    #[test]
    fn bytes_are_picked_out_of_several_answers() {
        let come = [
            (0..4, b"0123".to_vec()),
            (4..8, b"4567".to_vec()),
            (10..12, b"ab".to_vec()),
        ];
        assert_eq!(pick(&(2..6), &come).unwrap(), b"2345");
        assert_eq!(pick(&(10..11), &come).unwrap(), b"a");
        assert_eq!(pick(&(3..3), &come).unwrap(), b"");
        assert!(pick(&(7..11), &come).is_none());
        assert!(pick(&(11..13), &come).is_none());
    }
}
