//! The Burrows-Wheeler transform: the last bytes of a block's rotations in their order.
//!
//! Rotations are sorted by their first 8 bytes, then groups of equal ones by the rank of what follows
//! at twice the distance each time (N. J. Larsson, K. Sadakane, "Faster suffix sorting", 2007).

/// Bytes that the first sorting looks at.
const FIRST: usize = 8;

/// A block transformed.
pub(super) struct Transformed {
    /// The byte before each rotation, in the rotations' order.
    pub(super) last: Vec<u8>,
    /// Where in this order the block itself is.
    pub(super) origin: usize,
}

/// Transforms a block of less than 2^32 bytes.
pub(super) fn transform(block: &[u8]) -> Transformed {
    let order = sorted(block);
    let n = block.len();
    let before = |&start: &u32| block[(start as usize + n - 1) % n];
    Transformed {
        last: order.iter().map(before).collect(),
        origin: order.iter().position(|&start| start == 0).unwrap_or(0),
    }
}

/// Starts of the rotations in order; equal rotations in any, but always the same.
fn sorted(block: &[u8]) -> Vec<u32> {
    let n = block.len();
    let mut keyed = first_keys(block);
    keyed.sort_unstable();
    let mut order: Vec<u32> = keyed.iter().map(|&(_, start)| start).collect();
    // Of each rotation, where its group begins.
    let mut rank = vec![0_u32; n];
    let mut group = 0;
    for (i, &(key, start)) in keyed.iter().enumerate() {
        if i > 0 && key != keyed[i - 1].0 {
            group = i;
        }
        rank[start as usize] = group as u32;
    }
    drop(keyed);
    let mut distance = FIRST;
    while distance < n && refine(&mut order, &mut rank, distance) {
        distance *= 2;
    }
    order
}

/// The first 8 bytes of every rotation as a number, with its start.
fn first_keys(block: &[u8]) -> Vec<(u64, u32)> {
    let n = block.len();
    let mut key = (0..FIRST).fold(0, |key, i| key << 8 | u64::from(block[i % n]));
    let mut keyed = Vec::with_capacity(n);
    for start in 0..n {
        keyed.push((key, start as u32));
        key = key << 8 | u64::from(block[(start + FIRST) % n]);
    }
    keyed
}

/// Sorts within groups by what follows at `distance`; whether a group of several is left.
fn refine(order: &mut [u32], rank: &mut [u32], distance: usize) -> bool {
    let n = order.len();
    let mut changes = Vec::new();
    let mut is_unsorted = false;
    let mut from = 0;
    while from < n {
        let group = rank[order[from] as usize];
        let same = order[from..]
            .iter()
            .take_while(|&&start| rank[start as usize] == group);
        let to = from + same.count();
        if to - from > 1 {
            let follows = |start: u32| rank[(start as usize + distance) % n];
            let members = &mut order[from..to];
            members.sort_unstable_by_key(|&start| (follows(start), start));
            let mut first = from;
            for i in 1..members.len() {
                if follows(members[i]) == follows(members[i - 1]) {
                    is_unsorted = true;
                } else {
                    first = from + i;
                }
                changes.push((members[i], first as u32));
            }
        }
        from = to;
    }
    // Only now: all groups were sorted by the same ranks.
    for (start, first) in changes {
        rank[start as usize] = first;
    }
    is_unsorted
}

#[cfg(test)]
mod tests {
    use super::*;

    /// By sorting whole rotations.
    fn by_definition(block: &[u8]) -> Vec<u8> {
        let doubled = [block, block].concat();
        let mut rotations: Vec<&[u8]> = (0..block.len())
            .map(|start| &doubled[start..start + block.len()])
            .collect();
        rotations.sort_unstable();
        rotations
            .iter()
            .map(|rotation| rotation[block.len() - 1])
            .collect()
    }

    #[test]
    fn rotations_are_in_order() {
        let mut state = 1_u32;
        for (length, alphabet) in [(1, 2), (2, 1), (7, 2), (50, 1), (64, 2), (300, 2), (999, 5)] {
            let mut next = || {
                state = state.wrapping_mul(1_664_525).wrapping_add(1_013_904_223);
                (state >> 24) as u8 % alphabet
            };
            let block: Vec<u8> = (0..length).map(|_| next()).collect();
            assert_eq!(transform(&block).last, by_definition(&block), "{block:?}");
            let periodic = block.repeat(3);
            assert_eq!(transform(&periodic).last, by_definition(&periodic));
        }
        let banana = transform(b"banana");
        assert_eq!((&banana.last[..], banana.origin), (&b"nnbaaa"[..], 3));
    }
}
