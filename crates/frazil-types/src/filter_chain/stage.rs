//! One filter of a chain, with what a user may state about it.

use crate::chunk_goal::ChunkGoal;
use crate::filter_spec::filter_id;

/// One filter with what a user may state about it.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Stage {
    Shuffle,
    Deflate {
        level: u32,
    },
    Fletcher32,
    Szip {
        coding: Coding,
        pixels: u32,
    },
    Bzip2 {
        level: u32,
    },
    Lz4,
    Zstd {
        level: i32,
    },
    Bitshuffle(Inside),
    Blosc(Blosc),
    Pcodec {
        level: u32,
    },
    Delta(Axes),
    /// How many methods are compressed to be compared; 0: all.
    Mafisc {
        methods: u32,
    },
    /// Chosen for every chunk; level 0: as the goal says.
    Frazil {
        goal: ChunkGoal,
        level: u32,
    },
}

/// The compressor inside a bitshuffle filter.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Inside {
    Nothing,
    Lz4,
    Zstd(i32),
}

/// How szip treats neighbours.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Coding {
    NearestNeighbour,
    Entropy,
}

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) struct Blosc {
    pub(super) compressor: BloscCompressor,
    pub(super) level: u32,
    pub(super) shuffle: BloscShuffle,
}

/// The compressor inside a blosc filter. The numbers are those of `blosc.h`.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum BloscCompressor {
    BloscLz = 0,
    Lz4 = 1,
    Snappy = 3,
    Zlib = 4,
    Zstd = 5,
}

/// The shuffle inside a blosc filter. The numbers are those of `blosc.h`.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum BloscShuffle {
    None = 0,
    Bytes = 1,
    Bits = 2,
}

/// Axes along which differences are taken.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Axes {
    Fastest,
    All,
    /// By number, slowest first.
    These(u32),
}

impl Stage {
    /// The filter's registered identifier.
    pub(super) fn id(self) -> i32 {
        match self {
            Self::Shuffle => filter_id::SHUFFLE,
            Self::Deflate { .. } => filter_id::DEFLATE,
            Self::Fletcher32 => filter_id::FLETCHER32,
            Self::Szip { .. } => filter_id::SZIP,
            Self::Bzip2 { .. } => filter_id::BZIP2,
            Self::Lz4 => filter_id::LZ4,
            Self::Zstd { .. } => filter_id::ZSTD,
            Self::Bitshuffle(_) => filter_id::BITSHUFFLE,
            Self::Blosc(_) => filter_id::BLOSC,
            Self::Pcodec { .. } => filter_id::PCODEC,
            Self::Delta(_) => filter_id::DELTA,
            Self::Mafisc { .. } => filter_id::MAFISC,
            Self::Frazil { .. } => filter_id::FRAZIL,
        }
    }
}
