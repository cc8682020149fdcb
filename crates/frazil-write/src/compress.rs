//! Values in memory, compressed for those who store or send them by themselves.

use frazil_codec::{BoxPlace, CodecError, ErrorCheck, Quantizer, Scratch, ordinary_range};
use frazil_codec::{
    VALUES_FILTERS, decode_values, decode_values_grown, encode_values, encode_values_by,
    values_info,
};
use frazil_plan::{
    FilterChoice, FilterOptions, Goal, PrecisionChoice, SelectionCriteria, choose_filters,
    choose_precision, sample_chunks, sample_plan,
};
use frazil_types::{
    Calibration, ChunkGoal, ElementType, ErrorCode, FilterConstraints, PrecisionRequest,
    QuantizePlan, ReaderLevel, Rounding,
};

use frazil_file::attributes::Attributes;
use frazil_file::error::{Error, Result};
use frazil_options::filter_options::{FROM_RULES, weighing};
use frazil_precision::protected::protected_by;

/// Values in memory are one chunk: their samples are not smaller pieces of it.
const LEAST_PIECE_BYTES: u64 = 256 << 10;

pub use frazil_codec::{ValuesInfo as CompressedValues, values_bound as compressed_bound};

/// How values in memory are compressed.
#[derive(Debug, Clone, PartialEq, Default)]
pub struct CompressOptions {
    /// What filters are chosen for.
    pub goal: Goal,
    /// zstd's level where it is among them, 1 to 22; 0: as the goal has it.
    pub level: u32,
    /// How exactly floating-point values are kept; nothing stated: every bit.
    pub precision: PrecisionRequest,
    /// How fast filters must be, which they are to be, and what differences of them do not matter.
    pub demand: FilterConstraints,
    /// What words for speeds stand for.
    pub calibration: Calibration,
}

/// Compresses `values`, the elements of an array of this shape (slowest axis first), on the calling
/// thread. What comes out says itself what the elements are, and is at most
/// [`compressed_bound`] long. Equal values and options give equal bytes.
///
/// # Errors
/// [`ErrorCode::InvalidArgument`] if the bytes are not the elements of the shape, there are more than
/// 32 axes, or a request cannot be honoured; [`ErrorCode::BoundExceeded`] if rounding broke a bound: a bug.
pub fn compress(
    values: &[u8],
    element: ElementType,
    shape: &[u64],
    options: &CompressOptions,
) -> Result<Vec<u8>> {
    let goal = match options.goal {
        Goal::Balanced => ChunkGoal::Balanced,
        Goal::Size => ChunkGoal::Size,
        // In memory joules are CPU seconds.
        Goal::Speed | Goal::Energy => ChunkGoal::Speed,
        Goal::Archive => ChunkGoal::Archive,
    };
    let rounded = match rounding(values, element, &options.precision)? {
        Some(plan) => Some(round(values, element, shape, &plan)?),
        None => None,
    };
    let values = rounded.as_deref().unwrap_or(values);
    let mut scratch = Scratch::default();
    let made = match options.demand.is_empty() || values.is_empty() {
        true => encode_values(values, element, shape, goal, options.level, &mut scratch),
        false => {
            let choice = filters(values, element, shape, options, &mut scratch)?;
            let filters = (&choice.pipeline, choice.deflate_encoder);
            encode_values_by(values, element, shape, filters, &mut scratch)
        }
    };
    made.map_err(|error| from_codec(&error))
}

/// Filters by what is demanded of them: as for a variable that only frazil need read.
fn filters(
    values: &[u8],
    element: ElementType,
    shape: &[u64],
    options: &CompressOptions,
    scratch: &mut Scratch,
) -> Result<FilterChoice> {
    let refuse = |cause: String| Error::new(ErrorCode::InvalidArgument, cause);
    // Filters go before speeds and a tolerance, as where rules of a file meet.
    let numbers = FilterConstraints {
        filters: None,
        ..options.demand.clone()
    };
    numbers.check().map_err(refuse)?;
    if options.level > 0 {
        let cause = "a level is stated, so speeds, a tolerance or filters cannot apply";
        let cure = "state a level, or one of these";
        return Err(refuse(cause.to_owned()).with_cure(cure));
    }
    let bytes = values.len() as u64;
    let requests = FilterOptions {
        reader_level: ReaderLevel::Frazil,
        goal: options.goal,
        weighing: weighing(
            &SelectionCriteria::default(),
            &options.demand,
            &options.calibration,
        ),
        chain: options.demand.filters.clone(),
        chain_origin: FROM_RULES,
        only: Some(VALUES_FILTERS),
        chunk: shape.to_vec(),
        chunk_bytes: Some(bytes),
        ..FilterOptions::default()
    };
    let plan = sample_plan(bytes, LEAST_PIECE_BYTES, bytes, options.goal);
    let piece = plan.window_bytes.max(1) / element.size_bytes.max(1) * element.size_bytes;
    let pieces = (values.len() / piece.max(1)) as u64;
    let samples: Vec<Vec<u8>> = match pieces > plan.pieces as u64 {
        true => sample_chunks(pieces, plan.pieces)
            .into_iter()
            .map(|i| values[i as usize * piece..][..piece].to_vec())
            .collect(),
        false => vec![values.to_vec()],
    };
    choose_filters(&samples, element, &requests, None, scratch)
        .map_err(|error| Error::new(error.code(), error.to_string()))
}

/// What compressed values are.
///
/// # Errors
/// [`ErrorCode::Corrupt`] if `compressed` is not what [`compress`] makes.
pub fn compressed_values(compressed: &[u8]) -> Result<CompressedValues> {
    values_info(compressed).map_err(|error| damaged(&error))
}

/// Decompresses values into `values`, which must have their length.
///
/// # Errors
/// [`ErrorCode::InvalidArgument`] if `values` has another length; [`ErrorCode::Corrupt`] if the bytes
/// are damaged, and `values` then means nothing.
pub fn decompress_into(compressed: &[u8], values: &mut [u8]) -> Result<()> {
    let expected = compressed_values(compressed)?.raw_bytes;
    if values.len() != expected {
        let cause = format!(
            "room for {} bytes, where the values are {expected}",
            values.len()
        );
        return Err(Error::new(ErrorCode::InvalidArgument, cause));
    }
    decode_values(compressed, values, &mut Scratch::default()).map_err(|error| damaged(&error))
}

/// The values that were compressed. Memory grows with what is decoded, whatever the bytes state.
///
/// # Errors
/// [`ErrorCode::Corrupt`] if the bytes are damaged.
pub fn decompress(compressed: &[u8]) -> Result<Vec<u8>> {
    compressed_values(compressed)?;
    decode_values_grown(compressed, &mut Scratch::default()).map_err(|error| damaged(&error))
}

/// How the values are to be rounded, if at all.
fn rounding(
    values: &[u8],
    element: ElementType,
    request: &PrecisionRequest,
) -> Result<Option<QuantizePlan>> {
    if request.keep_information.is_some() {
        let cause = "keeping a share of the information is not possible for values in memory";
        let cure = "state digits, bits or a tolerance; `frazil analyze` says how many bits matter";
        return Err(Error::new(ErrorCode::InvalidArgument, cause).with_cure(cure));
    }
    if request.pack_integers == Some(true) {
        let cause = "values in memory have no attributes that packed integers need";
        let cure = "state absolute_tolerance alone";
        return Err(Error::new(ErrorCode::InvalidArgument, cause).with_cure(cure));
    }
    let protected = protected_by(&Attributes::default(), None, Some(request));
    let choice = choose_precision(request, element, &protected, None);
    let choice = choice.map_err(|error| Error::new(error.code(), error.to_string()))?;
    let PrecisionChoice::Round(mut plan) = choice else {
        return Ok(None);
    };
    if let Rounding::Linear { range, .. } = &mut plan.rounding {
        let found =
            ordinary_range(values, &plan.protected, element).map_err(|error| from_codec(&error))?;
        // Nothing that could be rounded.
        let Some(found) = found else { return Ok(None) };
        *range = Some(found);
    }
    Ok(Some(plan))
}

/// Rounded values, each compared with its original.
fn round(
    values: &[u8],
    element: ElementType,
    shape: &[u64],
    plan: &QuantizePlan,
) -> Result<Vec<u8>> {
    let place = BoxPlace {
        shape,
        start: &vec![0; shape.len()],
        count: shape,
    };
    let mut rounded = Vec::with_capacity(values.len());
    let quantizer = Quantizer::bind(plan, element).map_err(|error| from_codec(&error))?;
    let check = ErrorCheck::bind(plan, element).map_err(|error| from_codec(&error))?;
    quantizer
        .quantize(values, &place, &mut rounded)
        .map_err(|error| from_codec(&error))?;
    check
        .check(values, &rounded)
        .map_err(|error| from_codec(&error))?;
    Ok(rounded)
}

fn from_codec(error: &CodecError) -> Error {
    let code = match error {
        // Of values that the caller hands in, not of a file.
        CodecError::WrongSize { .. } => ErrorCode::InvalidArgument,
        other => other.code(),
    };
    Error::new(code, error.to_string())
}

/// What is wrong with bytes that cannot be decompressed.
fn damaged(error: &CodecError) -> Error {
    let code = match error {
        // Of what they state themselves: the caller's memory has the size that they ask for.
        CodecError::WrongSize { .. } => ErrorCode::Corrupt,
        other => other.code(),
    };
    Error::new(code, error.to_string())
}

#[cfg(test)]
mod tests {
    use frazil_types::{ByteOrder, ElementClass};

    use super::*;

    const FLOAT: ElementType = ElementType {
        class: ElementClass::Float,
        size_bytes: 4,
        order: ByteOrder::Little,
    };

    fn field() -> Vec<f32> {
        // Digits that no filter foresees stand behind those that matter.
        let noise = |i: u32| (i.wrapping_mul(2_654_435_761) >> 20) as f32 * 1e-5;
        let value = |i: u32| 280.0 + (i % 90) as f32 * 0.37 + (i / 90) as f32 * 0.11 + noise(i);
        (0..5400).map(value).collect()
    }

    fn bytes(values: &[f32]) -> Vec<u8> {
        values
            .iter()
            .flat_map(|value| value.to_le_bytes())
            .collect()
    }

    #[test]
    fn values_come_back_exact_or_within_the_stated_bound() {
        let mut values = field();
        values[17] = -999.0;
        let raw = bytes(&values);
        let exact = compress(&raw, FLOAT, &[60, 90], &CompressOptions::default()).unwrap();
        assert!(decompress(&exact).unwrap() == raw);
        assert!(exact.len() <= compressed_bound(2, raw.len()));

        let mut options = CompressOptions::default();
        options.precision.absolute_tolerance = Some(0.05);
        options.precision.fill_value = Some(-999.0);
        let rounded = compress(&raw, FLOAT, &[60, 90], &options).unwrap();
        assert!(
            rounded.len() < exact.len() * 2 / 3,
            "{} {}",
            rounded.len(),
            exact.len()
        );
        let back = decompress(&rounded).unwrap();
        let (cells, _) = back.as_chunks::<4>();
        for (value, cell) in values.iter().zip(cells) {
            let found = f32::from_le_bytes(*cell);
            assert!((found - value).abs() <= 0.05, "{value} became {found}");
        }
        assert_eq!(cells[17], (-999.0_f32).to_le_bytes());
    }

    #[test]
    fn a_linear_grid_takes_its_range_from_the_values() {
        let raw = bytes(&field());
        let mut options = CompressOptions::default();
        options.precision.nbits = Some(12);
        let rounded = compress(&raw, FLOAT, &[5400], &options).unwrap();
        assert!(decompress(&rounded).unwrap() != raw);
    }

    #[test]
    fn what_is_demanded_of_filters_holds() {
        let raw = bytes(&field());
        let by = |demand: FilterConstraints, goal| {
            let options = CompressOptions {
                goal,
                demand,
                ..CompressOptions::default()
            };
            let packed = compress(&raw, FLOAT, &[60, 90], &options)?;
            assert!(decompress(&packed)? == raw);
            Result::Ok(packed.len())
        };
        let fast = |speed: &str| FilterConstraints {
            min_write_speed: speed.parse().ok(),
            ..FilterConstraints::default()
        };
        let smallest = by(fast("1MB/s"), Goal::Archive).unwrap();
        let quick = by(fast("2GB/s"), Goal::Archive).unwrap();
        assert!(smallest < quick && quick < raw.len(), "{smallest} {quick}");
        // Nothing is as fast: values stay as they are.
        let bound = compressed_bound(2, raw.len());
        assert_eq!(by(fast("100GB/s"), Goal::Balanced).unwrap(), bound);
        let tolerant = FilterConstraints {
            ratio_tolerance_percent: Some(40.0),
            ..FilterConstraints::default()
        };
        let near = by(tolerant, Goal::Archive).unwrap();
        assert!(
            near as f64 <= smallest as f64 / 0.6 * 1.01,
            "{near} {smallest}"
        );
        let chain = |chain: &str| FilterConstraints {
            filters: chain.parse().ok(),
            ..FilterConstraints::default()
        };
        assert!(by(chain("shuffle+deflate(6)"), Goal::Balanced).unwrap() < raw.len());
        assert_eq!(by(chain("none"), Goal::Balanced).unwrap(), bound);
        let refused = by(chain("bzip2"), Goal::Balanced).unwrap_err();
        assert_eq!(refused.code, ErrorCode::InvalidArgument);
    }

    #[test]
    fn what_cannot_be_is_refused() {
        let raw = bytes(&field());
        let code = |options: &CompressOptions, shape: &[u64]| {
            compress(&raw, FLOAT, shape, options).unwrap_err().code
        };
        let plain = CompressOptions::default();
        assert_eq!(code(&plain, &[5401]), ErrorCode::InvalidArgument);
        let mut request = plain.clone();
        request.precision.keep_information = Some(0.99);
        assert_eq!(code(&request, &[5400]), ErrorCode::InvalidArgument);
        request = plain.clone();
        request.precision.significant_digits = Some(40);
        assert_eq!(code(&request, &[5400]), ErrorCode::InvalidArgument);
        request = CompressOptions {
            level: 23,
            ..plain.clone()
        };
        assert_eq!(code(&request, &[5400]), ErrorCode::InvalidArgument);
        request = CompressOptions { level: 3, ..plain };
        request.demand.ratio_tolerance_percent = Some(3.0);
        assert_eq!(code(&request, &[5400]), ErrorCode::InvalidArgument);
        (request.level, request.demand.ratio_tolerance_percent) = (0, Some(100.0));
        assert_eq!(code(&request, &[5400]), ErrorCode::InvalidArgument);
    }

    #[test]
    fn damaged_bytes_are_an_error() {
        let raw = bytes(&field());
        let packed = compress(&raw, FLOAT, &[60, 90], &CompressOptions::default()).unwrap();
        assert_eq!(
            decompress(b"no such thing").unwrap_err().code,
            ErrorCode::Corrupt
        );
        for cut in [0, 10, 20, 40, packed.len() - 1] {
            assert!(decompress(&packed[..cut]).is_err(), "{cut}");
        }
        let mut short = vec![0; raw.len() - 1];
        let refused = decompress_into(&packed, &mut short).unwrap_err();
        assert_eq!(refused.code, ErrorCode::InvalidArgument);
        // There is no checksum: what is changed may be another value, or what nobody can be.
        let mut refused = 0;
        for at in 0..packed.len().min(400) {
            let mut wrong = packed.clone();
            wrong[at] ^= 0x7f;
            if let Err(error) = decompress(&wrong) {
                let is_named = [ErrorCode::Corrupt, ErrorCode::MemoryBudget].contains(&error.code);
                assert!(is_named, "{at}: {error}");
                refused += 1;
            }
        }
        assert!(refused > 10, "{refused}");
    }
}
