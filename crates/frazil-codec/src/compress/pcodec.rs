//! Pcodec (frazil's private filter 47101): numbers by their distribution instead of their bytes.
//!
//! Source: `docs/format.md`, which specifies the frame; the runs inside are Pcodec's wrapped format,
//! version 4 (`docs/format.md` of the crate pco). Numbers go to the compressor in runs of 2^18, each
//! one Pcodec chunk of one page, preceded by its length; a run that does not shrink is stored raw.

mod limits;

use frazil_types::FilterSpec;
use pco::data_types::Number;
use pco::wrapped::{FileCompressor, FileDecompressor};
use pco::{ChunkConfig, PagingSpec};

use crate::CodecError;
use crate::buffer::{OutputSize, pieces};
use crate::cursor::Cursor;
use crate::error::invalid;
use crate::frame::{FRAME_BYTES, Frame};

const NAME: &str = "pcodec";
const MAGIC: [u8; 4] = *b"FZpc";
/// Version of the client data values.
const PARAMETERS_VERSION: u32 = 1;
/// Numbers of a run: one page of one Pcodec chunk.
const RUN_NUMBERS: usize = 1 << 18;
/// The length in front of a run.
const LENGTH_BYTES: usize = 4;
/// Pcodec's own header, once in each chunk: the version of its format.
const FORMAT_BYTES: usize = 2;
const FORMAT_MAJOR: u8 = 4;
/// `pco::MAX_COMPRESSION_LEVEL`.
const HIGHEST_LEVEL: u32 = 12;
/// Numbers that are decoded at a time: a multiple of Pcodec's batch of 256.
const BATCH_NUMBERS: usize = 4096;

/// Kinds of numbers, by Pcodec's own codes.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Kind {
    U32 = 1,
    U64 = 2,
    I32 = 3,
    I64 = 4,
    F32 = 5,
    F64 = 6,
    U16 = 7,
    I16 = 8,
    U8 = 10,
    I8 = 11,
}

impl Kind {
    fn of(code: u32) -> Option<Self> {
        Some(match code {
            1 => Self::U32,
            2 => Self::U64,
            3 => Self::I32,
            4 => Self::I64,
            5 => Self::F32,
            6 => Self::F64,
            7 => Self::U16,
            8 => Self::I16,
            10 => Self::U8,
            11 => Self::I8,
            _ => return None,
        })
    }

    fn bytes(self) -> usize {
        match self {
            Self::U8 | Self::I8 => 1,
            Self::U16 | Self::I16 => 2,
            Self::U32 | Self::I32 | Self::F32 => 4,
            Self::U64 | Self::I64 | Self::F64 => 8,
        }
    }
}

/// What the client data values say: version, kind of number, byte order (0 little, 1 big), level.
#[derive(Debug, Clone, Copy)]
pub(crate) struct Pcodec {
    kind: Kind,
    is_big_endian: bool,
    level: usize,
}

/// Calls a generic function for the kind's number type.
macro_rules! by_kind {
    ($kind:expr, $function:ident($($argument:expr),*)) => {
        match $kind {
            Kind::U8 => $function::<u8, 1>($($argument),*),
            Kind::I8 => $function::<i8, 1>($($argument),*),
            Kind::U16 => $function::<u16, 2>($($argument),*),
            Kind::I16 => $function::<i16, 2>($($argument),*),
            Kind::U32 => $function::<u32, 4>($($argument),*),
            Kind::I32 => $function::<i32, 4>($($argument),*),
            Kind::F32 => $function::<f32, 4>($($argument),*),
            Kind::U64 => $function::<u64, 8>($($argument),*),
            Kind::I64 => $function::<i64, 8>($($argument),*),
            Kind::F64 => $function::<f64, 8>($($argument),*),
        }
    };
}

impl Pcodec {
    /// Reads the client data values.
    pub(crate) fn bind(spec: &FilterSpec) -> Result<Self, CodecError> {
        let [version, kind, order, level] = spec.cd_values[..] else {
            return Err(invalid(NAME, "needs exactly 4 values"));
        };
        if version != PARAMETERS_VERSION {
            return Err(invalid(NAME, format!("version {version} is not known")));
        }
        let Some(kind) = Kind::of(kind) else {
            return Err(invalid(NAME, format!("no kind of number has code {kind}")));
        };
        if order > 1 || level > HIGHEST_LEVEL {
            return Err(invalid(NAME, "byte orders are 0 and 1, levels 0 to 12"));
        }
        Ok(Self {
            kind,
            is_big_endian: order == 1,
            level: level as usize,
        })
    }

    fn frame(&self) -> Frame {
        Frame {
            filter: NAME,
            magic: MAGIC,
            parameters: [self.kind as u8, u8::from(self.is_big_endian), 0],
        }
    }

    /// Length of the encoded form of `raw_bytes` at most.
    pub(crate) fn encode_bound(&self, raw_bytes: usize) -> usize {
        // Runs that do not shrink are stored raw.
        let runs = raw_bytes.div_ceil(RUN_NUMBERS * self.kind.bytes());
        let lengths = runs.saturating_mul(LENGTH_BYTES);
        raw_bytes
            .saturating_add(lengths)
            .saturating_add(FRAME_BYTES + FORMAT_BYTES)
    }

    /// Replaces the content of `out` by the encoded form of `raw`.
    pub(crate) fn encode(&self, raw: &[u8], out: &mut Vec<u8>) -> Result<(), CodecError> {
        self.frame().begin(raw.len(), out);
        let compressor = FileCompressor::default();
        compressor.write_header(&mut *out).map_err(encode_failed)?;
        let (numbers, rest) = raw.split_at(raw.len() - raw.len() % self.kind.bytes());
        for run in numbers.chunks(RUN_NUMBERS * self.kind.bytes()) {
            let start = out.len();
            out.extend_from_slice(&[0; LENGTH_BYTES]);
            by_kind!(self.kind, append_run(self, &compressor, run, out))?;
            if out.len() - start - LENGTH_BYTES >= run.len() {
                out.truncate(start + LENGTH_BYTES);
                out.extend_from_slice(run);
            }
            let length = (out.len() - start - LENGTH_BYTES) as u32;
            out[start..start + LENGTH_BYTES].copy_from_slice(&length.to_le_bytes());
        }
        out.extend_from_slice(rest);
        Ok(())
    }

    /// Decodes `stored` into `out`.
    pub(crate) fn decode(
        &self,
        stored: &[u8],
        out: &mut Vec<u8>,
        size: OutputSize,
    ) -> Result<(), CodecError> {
        let (raw_bytes, mut cursor) = self.frame().open(stored, size)?;
        let format = cursor.take(FORMAT_BYTES)?;
        if format[0] != FORMAT_MAJOR {
            return Err(corrupt("made by another version of Pcodec"));
        }
        let (decompressor, _) = FileDecompressor::new(format).map_err(|_| NO_RUN)?;
        size.begin(out, raw_bytes);
        let number_bytes = raw_bytes - raw_bytes % self.kind.bytes();
        for (start, end) in pieces(number_bytes, RUN_NUMBERS * self.kind.bytes()) {
            let length = cursor.u32_le()? as usize;
            let stored = cursor.take(length)?;
            let run = size.part(out, start, end)?;
            if length == run.len() {
                run.copy_from_slice(stored);
            } else {
                by_kind!(self.kind, decode_run(self, &decompressor, stored, run))?;
            }
        }
        take_rest(&mut cursor, size.part(out, number_bytes, raw_bytes)?)
    }
}

/// Takes the bytes that fill no number, which must be the last.
fn take_rest(cursor: &mut Cursor<'_>, rest: &mut [u8]) -> Result<(), CodecError> {
    rest.copy_from_slice(cursor.take(rest.len())?);
    if cursor.is_empty() {
        Ok(())
    } else {
        Err(corrupt("something follows its end"))
    }
}

/// A number with its bytes.
trait FixedBytes<const N: usize>: Number {
    fn of(bytes: [u8; N]) -> Self;
    fn bytes(self) -> [u8; N];
}

macro_rules! fixed_bytes {
    ($($number:ty: $bytes:literal),*) => {$(
        impl FixedBytes<$bytes> for $number {
            fn of(bytes: [u8; $bytes]) -> Self {
                Self::from_le_bytes(bytes)
            }

            fn bytes(self) -> [u8; $bytes] {
                self.to_le_bytes()
            }
        }
    )*};
}

fixed_bytes!(u8: 1, i8: 1, u16: 2, i16: 2, u32: 4, i32: 4, f32: 4, u64: 8, i64: 8, f64: 8);

/// Appends the numbers in `run` as one Pcodec chunk with one page.
fn append_run<T: FixedBytes<N>, const N: usize>(
    pcodec: &Pcodec,
    compressor: &FileCompressor,
    run: &[u8],
    out: &mut Vec<u8>,
) -> Result<(), CodecError> {
    let (cells, _) = run.as_chunks::<N>();
    let number = |cell: &[u8; N]| {
        let mut cell = *cell;
        if pcodec.is_big_endian {
            cell.reverse();
        }
        T::of(cell)
    };
    let numbers: Vec<T> = cells.iter().map(number).collect();
    let config = ChunkConfig::default()
        .with_compression_level(pcodec.level)
        .with_enable_8_bit(true)
        .with_paging_spec(PagingSpec::Exact(vec![numbers.len()]));
    let chunk = compressor.chunk_compressor(&numbers, &config);
    let mut chunk = chunk.map_err(encode_failed)?;
    chunk.write_meta(&mut *out).map_err(encode_failed)?;
    chunk.write_page(0, out).map_err(encode_failed)?;
    Ok(())
}

/// Decodes one run, which must fill `run` and use all of `stored`.
fn decode_run<T: FixedBytes<N>, const N: usize>(
    pcodec: &Pcodec,
    decompressor: &FileDecompressor,
    stored: &[u8],
    run: &mut [u8],
) -> Result<(), CodecError> {
    let (cells, _) = run.as_chunks_mut::<N>();
    limits::check(stored, N as u32 * 8, cells.len())?;
    let (mut chunk, page) = decompressor
        .chunk_decompressor::<T, _>(stored)
        .map_err(|_| NO_RUN)?;
    let mut page = chunk
        .page_decompressor(page, cells.len())
        .map_err(|_| NO_RUN)?;
    let mut batch = [T::default(); BATCH_NUMBERS];
    for cells in cells.chunks_mut(BATCH_NUMBERS) {
        let progress = page.read(&mut batch).map_err(|_| NO_RUN)?;
        if progress.n_processed != cells.len() {
            return Err(NO_RUN);
        }
        for (cell, number) in cells.iter_mut().zip(batch) {
            *cell = number.bytes();
            if pcodec.is_big_endian {
                cell.reverse();
            }
        }
    }
    if page.into_src().is_empty() {
        Ok(())
    } else {
        Err(corrupt("a run is longer than its numbers"))
    }
}

const NO_RUN: CodecError = corrupt("a run is no Pcodec stream of its numbers");

const fn corrupt(reason: &'static str) -> CodecError {
    CodecError::Corrupt {
        filter: NAME,
        reason,
    }
}

fn encode_failed(_: pco::errors::PcoError) -> CodecError {
    CodecError::EncodeFailed {
        filter: NAME,
        reason: "Pcodec refuses a run",
    }
}
