//! What targets and seeds share: how the first bytes of an input say which filters undo the rest.

use std::path::PathBuf;

use frazil_types::{ByteOrder, ElementClass, ElementType, FilterPipeline, FilterSpec, filter_id};

/// Chains as users name them: every filter that is encoded.
pub const CHAINS: [&str; 22] = [
    "shuffle+deflate(4)",
    "deflate(1)+fletcher32",
    "szip",
    "bzip2(3)",
    "lz4",
    "zstd(3)",
    "bitshuffle",
    "bitshuffle+lz4",
    "bitshuffle+zstd(3)",
    "blosc(blosclz)",
    "blosc(lz4)",
    "blosc(zstd)",
    "blosc(zlib)",
    "blosc(snappy)",
    "pcodec",
    "delta+shuffle+zstd(3)",
    "mafisc",
    "frazil",
    "shuffle",
    "delta+bitshuffle+lz4",
    "shuffle+bzip2(1)",
    "delta+pcodec",
];

/// Filters with client data values of the input's choice.
pub const FILTERS: [i32; 17] = [
    filter_id::DEFLATE,
    filter_id::SHUFFLE,
    filter_id::FLETCHER32,
    filter_id::SZIP,
    filter_id::NBIT,
    filter_id::SCALEOFFSET,
    filter_id::BZIP2,
    filter_id::LZF,
    filter_id::BLOSC,
    filter_id::MAFISC,
    filter_id::LZ4,
    filter_id::BITSHUFFLE,
    filter_id::ZSTD,
    filter_id::PCODEC,
    filter_id::DELTA,
    filter_id::FRAZIL,
    filter_id::LZO,
];

/// Bytes that say how a chunk was made, before the chunk.
pub const HEAD: usize = 4;

/// What the head of an input says.
#[derive(Debug)]
pub struct Case<'a> {
    /// What undoes the chunk.
    pub pipeline: FilterPipeline,
    /// What one element is.
    pub element: ElementType,
    /// Bytes of the decoded chunk.
    pub chunk_bytes: usize,
    /// The stored chunk.
    pub stored: &'a [u8],
}

/// Elements by a number.
pub fn element(number: u8) -> ElementType {
    let class = match number & 3 {
        0 => ElementClass::Float,
        1 => ElementClass::SignedInteger,
        2 => ElementClass::UnsignedInteger,
        _ => ElementClass::Opaque,
    };
    let size_bytes = match (class, number >> 2 & 3) {
        (ElementClass::Float, size) => 4 << (size & 1),
        (ElementClass::Opaque, size) => usize::from(size) * 5 + 1,
        (_, size) => 1 << size,
    };
    let order = match number & 16 {
        0 => ByteOrder::Little,
        _ => ByteOrder::Big,
    };
    ElementType {
        class,
        size_bytes,
        order,
    }
}

/// Takes an input apart; `None`: it is too short.
pub fn case(input: &[u8]) -> Option<Case<'_>> {
    let (&[which, kind, low, high], mut stored) = input.split_first_chunk::<HEAD>()?;
    let element = element(kind);
    let length = u64::from(u16::from_le_bytes([low, high])) % 5000;
    let pipeline = match CHAINS.get(usize::from(which)) {
        Some(chain) => chain
            .parse::<frazil_types::FilterChain>()
            .ok()?
            .resolve(element, &[length]),
        None => {
            let (&count, rest) = stored.split_first()?;
            let (words, rest) = rest.split_at_checked(usize::from(count & 15) * 4)?;
            stored = rest;
            let values = words
                .as_chunks::<4>()
                .0
                .iter()
                .map(|word| u32::from_le_bytes(*word));
            let id = FILTERS[usize::from(which) % FILTERS.len()];
            FilterPipeline(vec![FilterSpec::new(id, values.collect())])
        }
    };
    let chunk_bytes = length as usize * element.size_bytes;
    Some(Case {
        pipeline,
        element,
        chunk_bytes,
        stored,
    })
}

/// A file of this process in memory, for what only reads files.
pub fn scratch_file(name: &str) -> PathBuf {
    let folder = PathBuf::from(format!("/dev/shm/frazil-fuzz-{}", std::process::id()));
    // It is there already from the second time on.
    let _ = std::fs::create_dir(&folder);
    folder.join(name)
}
