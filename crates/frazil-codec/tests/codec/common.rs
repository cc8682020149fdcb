//! Reads golden chunks: `golden/golden.bin`, made by libhdf5 and hdf5plugin (see `golden/make.py`),
//! `golden/mafisc.bin`, made by the registered MAFISC filter (see `golden/mafisc.py`), and
//! `golden/own.bin`, made by this crate for its own formats (see `own_formats.rs`).

#![allow(
    unreachable_pub,
    clippy::unwrap_used,
    clippy::panic,
    reason = "helpers of tests may fail the test"
)]

use frazil_codec::{BoundDecoder, CodecError, Scratch};
use frazil_types::{FilterPipeline, FilterSpec};

static GOLDEN: &[u8] = include_bytes!("../golden/golden.bin");
static OWN: &[u8] = include_bytes!("../golden/own.bin");
static MAFISC: &[u8] = include_bytes!("../golden/mafisc.bin");
/// First bytes of all.
pub const MAGIC: &[u8; 16] = b"frazil golden 1\n";

/// One stored chunk and what it decodes to.
pub struct GoldenChunk {
    pub name: String,
    pub element_bytes: usize,
    pub filter_mask: u32,
    pub pipeline: FilterPipeline,
    pub stored: Vec<u8>,
    pub raw: Vec<u8>,
}

impl GoldenChunk {
    pub fn decoder(&self) -> BoundDecoder {
        BoundDecoder::bind(&self.pipeline, self.element_bytes, self.raw.len())
            .unwrap_or_else(|error| panic!("{}: {error}", self.name))
    }

    pub fn decode(&self, scratch: &mut Scratch) -> Result<Vec<u8>, CodecError> {
        self.decoder()
            .decode(&self.stored, self.filter_mask, scratch)
    }
}

struct Reader(&'static [u8]);

impl Reader {
    fn take(&mut self, count: usize) -> &'static [u8] {
        let (taken, rest) = self.0.split_at(count);
        self.0 = rest;
        taken
    }

    fn number(&mut self) -> u32 {
        u32::from_le_bytes(self.take(4).try_into().unwrap())
    }

    fn blob(&mut self) -> &'static [u8] {
        let count = self.number() as usize;
        self.take(count)
    }

    fn filter(&mut self) -> FilterSpec {
        let id = self.number().cast_signed();
        let flags = self.number();
        let count = self.number();
        FilterSpec {
            id,
            flags,
            cd_values: (0..count).map(|_| self.number()).collect(),
            name: String::new(),
        }
    }

    fn chunk(&mut self) -> GoldenChunk {
        let name = String::from_utf8(self.blob().to_vec()).unwrap();
        let element_bytes = self.number() as usize;
        let filter_mask = self.number();
        let filters = self.number();
        let pipeline = FilterPipeline((0..filters).map(|_| self.filter()).collect());
        let stored = self.blob().to_vec();
        let raw_bytes = self.number() as usize;
        let raw = miniz_oxide::inflate::decompress_to_vec_zlib(self.blob()).unwrap();
        assert_eq!(raw.len(), raw_bytes, "{name}");
        GoldenChunk {
            name,
            element_bytes,
            filter_mask,
            pipeline,
            stored,
            raw,
        }
    }
}

/// All golden chunks.
pub fn golden_chunks() -> Vec<GoldenChunk> {
    let mut chunks = chunks_in(GOLDEN);
    chunks.extend(chunks_in(MAFISC));
    chunks.extend(own_chunks());
    chunks
}

/// Those of frazil's own formats.
pub fn own_chunks() -> Vec<GoldenChunk> {
    chunks_in(OWN)
}

fn chunks_in(file: &'static [u8]) -> Vec<GoldenChunk> {
    let mut reader = Reader(file);
    assert_eq!(reader.take(16), MAGIC);
    let count = reader.number();
    let chunks = (0..count).map(|_| reader.chunk()).collect();
    assert!(reader.0.is_empty());
    chunks
}

/// A small generator of repeatable numbers (64-bit linear congruential, upper bits).
pub struct Random(pub u64);

impl Random {
    pub fn below(&mut self, limit: usize) -> usize {
        self.0 = self
            .0
            .wrapping_mul(6_364_136_223_846_793_005)
            .wrapping_add(1_442_695_040_888_963_407);
        ((self.0 >> 33) as usize) % limit.max(1)
    }
}
