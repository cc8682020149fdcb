//! What libhdf5's index of chunks takes in a file: a version-1 B-tree, as older readers know it.

/// Chunks that one node lists at most.
const MOST_IN_NODE: u64 = 64;
/// Chunks that come in order leave so many in a node that was split.
const LEFT_IN_NODE: u64 = 57;

/// Bytes of the index of an array's chunks: whole nodes, however few chunks there are.
#[must_use]
pub fn index_bytes(shape: &[u64], chunk: &[u64]) -> u64 {
    let axes = shape.iter().zip(chunk);
    let chunks = axes.fold(1_u64, |n, (&length, &extent)| {
        n.saturating_mul(length.div_ceil(extent.max(1)))
    });
    let key = 8 * (shape.len() as u64 + 2);
    let node = 24 + (MOST_IN_NODE + 1) * key + MOST_IN_NODE * 8;
    match chunks {
        0 => 0,
        1..=MOST_IN_NODE => node,
        // Nodes below one more.
        more => (more.div_ceil(LEFT_IN_NODE) + 1).saturating_mul(node),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn an_index_takes_whole_nodes() {
        assert_eq!(index_bytes(&[0], &[10]), 0);
        assert_eq!(index_bytes(&[10], &[10]), 24 + 65 * 24 + 512);
        assert_eq!(index_bytes(&[640], &[10]), index_bytes(&[10], &[10]));
        let many = index_bytes(&[100_000, 4], &[1, 4]);
        assert!((4_500_000..4_700_000).contains(&many), "{many}");
    }
}
