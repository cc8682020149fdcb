use super::*;

const FLOAT32: ElementType = ElementType {
    class: ElementClass::Float,
    size_bytes: 4,
    order: ByteOrder::Little,
};

fn by_chunk(text: &str, element: ElementType, chunk: &[u64]) -> ByChunk {
    let chain: FilterChain = text.parse().unwrap();
    ByChunk::bind(&chain.resolve(element, chunk).0[0]).unwrap()
}

/// A field that rises along both axes, with small steps.
fn field(rows: u32, columns: u32) -> Vec<u8> {
    let value = |i: u32| (i / columns) as f32 * 0.125 + (i % columns) as f32 * 0.5;
    (0..rows * columns)
        .flat_map(|i| value(i).to_le_bytes())
        .collect()
}

fn noise(bytes: usize) -> Vec<u8> {
    let mut state = 7_u64;
    let next = |_| {
        state = state
            .wrapping_mul(6_364_136_223_846_793_005)
            .wrapping_add(1);
        (state >> 56) as u8
    };
    (0..bytes).map(next).collect()
}

fn encode(filter: &ByChunk, raw: &[u8]) -> Vec<u8> {
    let mut codecs = Codecs::default();
    let (mut stored, mut back) = (Vec::new(), Vec::new());
    filter.encode(raw, &mut stored, &mut codecs).unwrap();
    assert!(stored.len() <= filter.encode_bound(raw.len()));
    let size = OutputSize::Exact(raw.len());
    filter
        .decode(&stored, &mut back, size, &mut codecs)
        .unwrap();
    assert!(back == raw);
    let mut again = Vec::new();
    filter
        .encode(raw, &mut again, &mut Codecs::default())
        .unwrap();
    assert!(again == stored, "the same chunk, the same bytes");
    stored
}

fn chain(stored: &[u8]) -> String {
    let opened = open(stored, OutputSize::AtMost(MAX_CHUNK_BYTES)).unwrap();
    opened.pipeline.summary()
}

#[test]
fn each_chunk_gets_filters_of_its_own() {
    let filter = by_chunk("frazil", FLOAT32, &[200, 300]);
    let smooth = encode(&filter, &field(200, 300));
    assert!(
        smooth.len() < 240_000 / 8,
        "{} {}",
        smooth.len(),
        chain(&smooth)
    );
    let random = encode(&filter, &noise(240_000));
    assert_eq!(chain(&random), "none");
    assert_eq!(random.len(), 240_000 + 16 + 2 + 8);
    let zeros = encode(&filter, &[0; 240_000]);
    assert!(zeros.len() < 200);
    assert_ne!(chain(&smooth), chain(&random));
}

#[test]
fn goals_differ_in_what_they_take() {
    let raw = field(200, 300);
    let size = |goal: &str| {
        let filter = by_chunk(&format!("frazil({goal})"), FLOAT32, &[200, 300]);
        encode(&filter, &raw).len()
    };
    assert!(size("archive") <= size("size") && size("size") <= size("balanced"));
    let fast = by_chunk("frazil(speed)", FLOAT32, &[200, 300]);
    assert!(encode(&fast, &raw).len() < raw.len());
}

#[test]
fn any_element_and_any_length_come_back() {
    let text = |bytes| ElementType {
        class: ElementClass::Text,
        size_bytes: bytes,
        order: ByteOrder::None,
    };
    for (element, chunk, bytes) in [
        (text(1), vec![1000], 1000),
        (text(300), vec![20], 6000),
        (text(12), vec![5, 5], 300),
        (FLOAT32, vec![], 4),
        (FLOAT32, vec![7], 28),
        (FLOAT32, vec![7], 32),
        (FLOAT32, vec![0], 0),
        (FLOAT32, vec![100, 100], 11),
    ] {
        for goal in ChunkGoal::ALL {
            let filter = by_chunk(&format!("frazil({})", goal.name()), element, &chunk);
            encode(&filter, &vec![b'x'; bytes]);
            encode(&filter, &noise(bytes));
        }
    }
}

#[test]
fn a_chunk_that_contradicts_the_values_or_itself_is_refused() {
    let filter = by_chunk("frazil", FLOAT32, &[200, 300]);
    let stored = encode(&filter, &field(200, 300));
    let other = by_chunk("frazil", FLOAT32, &[300, 200]);
    let mut codecs = Codecs::default();
    let size = OutputSize::Exact(240_000);
    let mut refused = |filter: &ByChunk, stored: &[u8]| {
        let found = filter.decode(stored, &mut Vec::new(), size, &mut codecs);
        matches!(
            found,
            Err(CodecError::Corrupt { .. } | CodecError::WrongSize { .. })
        )
    };
    assert!(refused(&other, &stored));
    // Magic, version, kind, flags, element bytes, length, axes, filters, a length, a filter's id.
    for at in [0, 4, 5, 6, 7, 8, 16, 17, 18, 26] {
        let mut damaged = stored.clone();
        damaged[at] ^= 0x55;
        assert!(refused(&filter, &damaged), "byte {at}");
    }
    for cut in [0, 5, 7, 15, 16, 17, 20, 27, 40] {
        assert!(refused(&filter, &stored[..cut]), "cut at {cut}");
    }
}

#[test]
fn a_chunk_cannot_hold_itself() {
    let filter = by_chunk("frazil", FLOAT32, &[4]);
    let mut stored = Vec::new();
    filter.elements.begin(1, 16, &mut stored);
    stored.extend_from_slice(&(filter_id::FRAZIL as u16).to_le_bytes());
    stored.extend_from_slice(&[0; 17]);
    let size = OutputSize::Exact(16);
    assert!(open(&stored, size).is_err());
}
