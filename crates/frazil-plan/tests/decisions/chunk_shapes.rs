//! Chunk shapes of typical variables, and what must hold for all of them.

use frazil_plan::{
    CMIP7_CHUNK_BYTES, ChunkChoice, DEFAULT_TARGET_BYTES, ExistingShape, MAX_CHUNK_BYTES,
    PlanError, ReadCosts, ShapeInput, ShapePolicy, apply_override, choose, cmip7_data_shape,
    whole_shape,
};
use proptest::prelude::*;

fn input<'a>(shape: &'a [u64], unlimited: &'a [bool], element_bytes: usize) -> ShapeInput<'a> {
    ShapeInput {
        shape,
        unlimited,
        element_bytes,
        current: None,
        dimension_names: &[],
        must_chunk: false,
    }
}

/// Which axes are unlimited: the first of `rank`, or none.
fn record(rank: usize, unlimited: bool) -> Vec<bool> {
    (0..rank).map(|axis| unlimited && axis == 0).collect()
}

fn choose_fresh(shape: &[u64], unlimited: bool, element_bytes: usize) -> ChunkChoice {
    choose(
        &input(shape, &record(shape.len(), unlimited), element_bytes),
        &ShapePolicy::default(),
    )
}

/// The table in the documentation of `chunk_shape.rs`: shape, unlimited, element bytes, chunk,
/// chunks touched by a map and by a series.
type Golden<'a> = (&'a [u64], bool, usize, &'a [u64], u64, u64);

#[test]
fn typical_variables_get_the_documented_shapes() {
    let cases: &[Golden<'_>] = &[
        (&[1560, 128, 256], false, 4, &[98, 32, 64], 16, 16),
        (&[98128, 277, 349], false, 4, &[439, 18, 25], 224, 224),
        (&[28, 201, 2, 80], false, 4, &[14, 101, 2, 40], 2, 2),
        (&[1460, 37, 721, 1440], false, 4, &[18, 1, 81, 160], 81, 82),
        (
            &[365, 50, 17, 192, 288],
            false,
            4,
            &[22, 3, 1, 48, 72],
            16,
            17,
        ),
        (&[1, 37, 721, 1440], true, 4, &[1, 3, 241, 360], 12, 1),
        (&[10, 721, 1440], false, 4, &[1, 241, 480], 9, 10),
        (&[0, 180, 360], true, 4, &[64, 45, 90], 16, 16),
        (&[8760, 5000], false, 4, &[674, 385], 13, 13),
        (&[1_000_000, 2], true, 8, &[62500, 2], 1, 16),
        (&[3650], true, 8, &[3650], 1, 1),
        (&[1_000_000_000], false, 8, &[131_062], 1, 7630),
    ];
    for &(shape, unlimited, element_bytes, chunk, map, series) in cases {
        let chosen = choose_fresh(shape, unlimited, element_bytes).chunk.unwrap();
        assert_eq!(chosen, chunk, "{shape:?}");
        let planned: Vec<u64> = shape
            .iter()
            .map(|&length| if length == 0 { 1024 } else { length })
            .collect();
        let costs = ReadCosts::new(&planned, &chosen, element_bytes);
        assert_eq!(
            (costs.map.chunks, costs.series().chunks),
            (map, series),
            "{shape:?}"
        );
    }
}

#[test]
fn scalars_and_tiny_fixed_variables_are_contiguous() {
    assert_eq!(choose_fresh(&[], false, 8).chunk, None);
    assert_eq!(choose_fresh(&[1], false, 8).chunk, None);
    assert_eq!(choose_fresh(&[100], false, 8).chunk, None);
    assert_eq!(choose_fresh(&[1, 1, 1], false, 4).chunk, None);
    assert_eq!(choose_fresh(&[5, 0], false, 4).chunk, None);
    let reason = choose_fresh(&[100], false, 8).reason;
    assert_eq!(reason, "contiguous: 800 B are too few for chunks to pay");
}

#[test]
fn tiny_variables_are_chunked_where_they_must_be() {
    assert_eq!(choose_fresh(&[1], true, 8).chunk, Some(vec![1]));
    assert_eq!(choose_fresh(&[28, 19], true, 1).chunk, Some(vec![28, 19]));
    // A fixed axis of length 0 beside an unlimited one still needs a chunk extent.
    assert_eq!(choose_fresh(&[5, 0], true, 4).chunk, Some(vec![5, 1]));
    let checksummed = ShapeInput {
        must_chunk: true,
        ..input(&[100], &[false], 8)
    };
    let choice = choose(&checksummed, &ShapePolicy::default());
    assert_eq!(choice.chunk, Some(vec![100]));
    assert_eq!(choice.reason, "single chunk: 800 B in all");
}

/// What becomes of an existing chunk shape of float32 data.
fn choose_existing(shape: &[u64], current: &[u64], existing: ExistingShape) -> ChunkChoice {
    let unlimited = record(shape.len(), true);
    let variable = ShapeInput {
        current: Some(current),
        ..input(shape, &unlimited, 4)
    };
    choose(
        &variable,
        &ShapePolicy {
            existing,
            ..ShapePolicy::default()
        },
    )
}

#[test]
fn good_existing_shapes_are_kept() {
    let shape = [1560, 128, 256];
    for good in [[111, 34, 69], [64, 64, 64], [98, 32, 64], [120, 16, 32]] {
        let choice = choose_existing(&shape, &good, ExistingShape::KeepIfGood);
        assert_eq!(
            choice.chunk.as_deref(),
            Some(&good[..]),
            "{}",
            choice.reason
        );
        assert!(
            choice.reason.starts_with("kept: map and series"),
            "{}",
            choice.reason
        );
    }
    let choice = choose_existing(&shape, &[64, 64, 64], ExistingShape::KeepIfGood);
    assert_eq!(
        choice.reason,
        "kept: map and series reads within 2.0x of the balanced shape"
    );
}

#[test]
fn existing_shapes_that_starve_one_read_are_replaced() {
    let shape = [1560, 128, 256];
    // One map per chunk, whole series, one huge chunk, thousands of tiny ones, nonsense.
    for bad in [
        [1, 128, 256],
        [1560, 4, 4],
        [1560, 128, 256],
        [8, 8, 8],
        [0, 1, 1],
    ] {
        let choice = choose_existing(&shape, &bad, ExistingShape::KeepIfGood);
        assert_eq!(choice.chunk, Some(vec![98, 32, 64]), "{bad:?}");
    }
}

#[test]
fn existing_shapes_are_kept_or_replaced_as_asked() {
    let shape = [1560, 128, 256];
    let kept = choose_existing(&shape, &[1, 128, 256], ExistingShape::KeepAlways);
    assert_eq!(kept.chunk, Some(vec![1, 128, 256]));
    assert_eq!(kept.reason, "kept: existing chunk shape, as asked");
    let replaced = choose_existing(&shape, &[64, 64, 64], ExistingShape::Replace);
    assert_eq!(replaced.chunk, Some(vec![98, 32, 64]));
    let keep = ShapePolicy {
        existing: ExistingShape::KeepAlways,
        ..ShapePolicy::default()
    };
    let contiguous = choose(&input(&[1560, 128, 256], &[false; 3], 4), &keep);
    assert_eq!(contiguous.chunk, None);
    let classic_record = choose(&input(&shape, &[true, false, false], 4), &keep);
    assert_eq!(classic_record.chunk, Some(vec![98, 32, 64]));
}

#[test]
fn record_coordinates_grow_out_of_single_values_and_the_netcdf_default() {
    for poor in [1, 512] {
        let variable = ShapeInput {
            current: Some(&[poor]),
            ..input(&[3650], &[true], 8)
        };
        let choice = choose(&variable, &ShapePolicy::default());
        assert_eq!(choice.chunk, Some(vec![3650]));
    }
}

#[test]
fn absurd_ranks_and_lengths_are_planned_all_the_same() {
    let chosen = choose_fresh(&[3; 32], false, 4).chunk.unwrap();
    assert!(chosen.iter().product::<u64>() * 4 <= DEFAULT_TARGET_BYTES);
    let chosen = choose_fresh(&[u64::MAX, u64::MAX, u64::MAX], true, 8)
        .chunk
        .unwrap();
    assert!(chosen.iter().product::<u64>() * 8 <= DEFAULT_TARGET_BYTES);
    // One element larger than any target.
    assert_eq!(
        choose_fresh(&[5, 7], false, 8 << 20).chunk,
        Some(vec![1, 1])
    );
}

/// The rule of `check_cmip7_packing`.
fn passes_cmip7(shape: &[u64], chunk: &[u64], element_bytes: u64) -> bool {
    let chunks: u128 = shape
        .iter()
        .zip(chunk)
        .map(|(&length, &extent)| u128::from(length.div_ceil(extent)))
        .product();
    let bytes = |extents: &[u64]| extents.iter().product::<u64>() * element_bytes;
    let one_index_more = if chunk.len() > 1 {
        bytes(&chunk[1..])
    } else {
        0
    };
    chunks <= 1 || bytes(chunk) + one_index_more >= CMIP7_CHUNK_BYTES
}

#[test]
fn cmip7_chunks_are_whole_slabs_of_at_least_four_mebibytes() {
    let cases: &[(&[u64], &[u64])] = &[
        (&[1980, 180, 360], &[17, 180, 360]),
        (&[20, 180, 360], &[20, 180, 360]),
        (&[5, 180, 360], &[5, 180, 360]),
        (&[0, 180, 360], &[17, 180, 360]),
        (&[1460, 37, 721, 1440], &[1, 2, 721, 1440]),
        (&[3650, 4320, 8640], &[1, 122, 8640]),
        (&[5_000_000], &[1_048_576]),
    ];
    for &(shape, expected) in cases {
        let unlimited = record(shape.len(), true);
        let chunk = cmip7_data_shape(&input(shape, &unlimited, 4)).unwrap();
        assert_eq!(chunk, expected, "{shape:?}");
        assert!(passes_cmip7(shape, &chunk, 4), "{shape:?}");
    }
}

#[test]
fn whole_shapes_hold_everything_or_say_that_they_cannot() {
    let bounds = whole_shape(&input(&[3650, 2], &[true, false], 8)).unwrap();
    assert_eq!(bounds, [3650, 2]);
    assert_eq!(whole_shape(&input(&[0], &[true], 8)).unwrap(), [1024]);
    let error = whole_shape(&input(&[1 << 30, 2], &[true, false], 8)).unwrap_err();
    assert!(matches!(error, PlanError::ChunkTooLarge { .. }));
}

#[test]
fn overrides_go_by_name_or_axis() {
    let names = ["time".to_owned(), "lat".to_owned(), "lon".to_owned()];
    let variable = ShapeInput {
        dimension_names: &names,
        ..input(&[10, 180, 360], &[true, false, false], 4)
    };
    let apply = |extents: &[(&str, u64)]| {
        let extents: Vec<(String, u64)> = extents
            .iter()
            .map(|&(name, extent)| (name.to_owned(), extent))
            .collect();
        apply_override(&[10, 90, 180], &variable, &extents)
    };
    assert_eq!(apply(&[("lat", 45), ("2", 60)]).unwrap(), [10, 45, 60]);
    // Fixed axes bound their extents, unlimited ones do not.
    assert_eq!(
        apply(&[("lat", 9999), ("time", 24)]).unwrap(),
        [24, 180, 180]
    );
    let unknown = apply(&[("level", 1)]).unwrap_err();
    assert_eq!(
        unknown.to_string(),
        "no dimension \"level\"; the variable has time, lat, lon"
    );
    assert_eq!(unknown.code(), frazil_types::ErrorCode::InvalidArgument);
    assert!(matches!(
        apply(&[("3", 1)]),
        Err(PlanError::UnknownDimension { .. })
    ));
    assert!(matches!(
        apply(&[("lat", 0)]),
        Err(PlanError::ZeroExtent { .. })
    ));
    let huge = apply(&[("time", 1 << 20)]);
    assert!(matches!(huge, Err(PlanError::ChunkTooLarge { .. })));
    let wrong_rank = apply_override(&[1], &variable, &[]);
    assert!(matches!(wrong_rank, Err(PlanError::RankMismatch { .. })));
}

fn lengths() -> impl Strategy<Value = Vec<u64>> {
    let length = prop_oneof![1_u64..4, 1_u64..50, 1_u64..2000, 1_u64..1_000_000];
    prop::collection::vec(length, 1..6)
}

fn element_sizes() -> impl Strategy<Value = usize> {
    prop::sample::select(vec![1_usize, 2, 4, 8, 12])
}

proptest! {
    #[test]
    fn chunks_fit_the_array_the_target_and_hdf5(
        shape in lengths(), element_bytes in element_sizes(), unlimited: bool,
    ) {
        let choice = choose_fresh(&shape, unlimited, element_bytes);
        prop_assert_eq!(&choice, &choose_fresh(&shape, unlimited, element_bytes));
        prop_assert!(!choice.reason.is_empty() && !choice.reason.contains('\n'));
        let raw: u128 = shape.iter().map(|&l| u128::from(l)).product::<u128>() * element_bytes as u128;
        let Some(chunk) = choice.chunk else {
            prop_assert!(!unlimited && raw < 8 << 10);
            return Ok(());
        };
        prop_assert_eq!(chunk.len(), shape.len());
        prop_assert!(chunk.iter().zip(&shape).all(|(&c, &l)| c >= 1 && c <= l));
        let bytes = u128::from(chunk.iter().product::<u64>()) * element_bytes as u128;
        prop_assert!(bytes <= u128::from(DEFAULT_TARGET_BYTES));
        prop_assert!(bytes >= raw.min(64 << 10), "{:?} -> {:?}", shape, chunk);
        let count: u128 = shape.iter().zip(&chunk).map(|(&l, &c)| u128::from(l.div_ceil(c))).product();
        prop_assert!(count <= 1 + 32 * raw / u128::from(DEFAULT_TARGET_BYTES), "{:?} -> {:?}", shape, chunk);
    }

    #[test]
    fn map_and_series_cost_about_the_same_where_both_can_be_split(
        time in 200_u64..50_000, rows in 100_u64..1000, columns in 100_u64..1000,
    ) {
        let shape = [time, rows, columns];
        let chunk = choose_fresh(&shape, true, 4).chunk.unwrap();
        let costs = ReadCosts::new(&shape, &chunk, 4);
        let (map, series) = (costs.map.chunks as f64, costs.series().chunks as f64);
        prop_assert!(map / series < 1.5 && series / map < 1.5, "{:?} -> {:?}: {} {}", shape, chunk, map, series);
        let padded: u64 = shape.iter().zip(&chunk).map(|(&l, &c)| l.div_ceil(c) * c).product();
        prop_assert!((padded as f64) < 1.2 * shape.iter().product::<u64>() as f64, "{:?} -> {:?}", shape, chunk);
    }

    #[test]
    fn cmip7_shapes_pass_the_check(shape in lengths(), element_bytes in element_sizes(), unlimited: bool) {
        let unlimited = record(shape.len(), unlimited);
        let chunk = cmip7_data_shape(&input(&shape, &unlimited, element_bytes)).unwrap();
        prop_assert!(chunk.iter().zip(&shape).all(|(&c, &l)| c >= 1 && c <= l));
        prop_assert!(passes_cmip7(&shape, &chunk, element_bytes as u64), "{:?} -> {:?}", shape, chunk);
        prop_assert!(chunk.iter().product::<u64>() * element_bytes as u64 <= MAX_CHUNK_BYTES);
    }

    #[test]
    fn kept_shapes_are_never_much_worse(
        shape in prop::collection::vec(1_u64..3000, 3), parts in prop::collection::vec(1_u64..100, 3),
    ) {
        let current: Vec<u64> = shape.iter().zip(&parts).map(|(&l, &p)| l.div_ceil(p)).collect();
        let balanced = choose_fresh(&shape, true, 4).chunk.unwrap();
        let chosen = choose_existing(&shape, &current, ExistingShape::KeepIfGood).chunk.unwrap();
        let costs = ReadCosts::new(&shape, &chosen, 4);
        prop_assert!(chosen == balanced || chosen == current);
        prop_assert!(costs.worst_factor(&ReadCosts::new(&shape, &balanced, 4)) <= frazil_plan::KEEP_FACTOR);
    }
}
