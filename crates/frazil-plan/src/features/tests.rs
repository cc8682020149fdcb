use frazil_types::ByteOrder;
use proptest::prelude::*;

use super::*;

const FLOAT32: ElementType = ElementType {
    class: ElementClass::Float,
    size_bytes: 4,
    order: ByteOrder::Little,
};

fn floats(values: impl IntoIterator<Item = f32>) -> Vec<u8> {
    values.into_iter().flat_map(f32::to_le_bytes).collect()
}

fn feature(samples: &[Vec<u8>], chunk: &[u64], name: &str) -> f64 {
    Features::of(samples, FLOAT32, chunk).get(name).unwrap()
}

#[test]
fn all_features_are_known_by_name() {
    let sample = [floats([1.0, 2.0])];
    let counted = Counted::new(&sample, FLOAT32, &[2]);
    for name in FEATURE_NAMES {
        assert!(counted.feature(name).is_some(), "{name}");
    }
    assert_eq!(counted.feature("no_such_feature"), None);
}

#[test]
fn zeros_fill_values_and_steps_are_counted() {
    let mut values = vec![0.0; 500];
    values.extend([1e20; 300]);
    values.extend((0..200).map(|i| 1.0 + i as f32 / 256.0));
    let sample = [floats(values)];
    assert_eq!(feature(&sample, &[10, 100], "zero_fraction"), 0.5);
    assert_eq!(feature(&sample, &[10, 100], "fill_fraction"), 0.3);
    assert_eq!(feature(&sample, &[10, 100], "distinct_fraction"), 0.202);
    assert_eq!(feature(&sample, &[10, 100], "repeat_fraction"), 0.798);
    // Numbers from 1 to 2 in steps of 1/256 need 8 bits of 23.
    assert_eq!(feature(&sample, &[10, 100], "trailing_zeros"), 15.0 / 32.0);
    assert_eq!(feature(&sample, &[10, 100], "rank"), 2.0);
    assert_eq!(feature(&sample, &[10, 100], "element_bytes"), 4.0);
    assert_eq!(feature(&sample, &[10, 100], "is_float"), 1.0);
}

#[test]
fn entropies_are_of_planes() {
    // Big-endian 16-bit numbers: the high byte has 4 values, the low one 256.
    let element = ElementType {
        class: ElementClass::UnsignedInteger,
        size_bytes: 2,
        order: ByteOrder::Big,
    };
    let sample: Vec<u8> = (0..1024_u16).flat_map(u16::to_be_bytes).collect();
    let features = Features::of(&[sample], element, &[1024]);
    assert_eq!(features.get("entropy_first"), Some(2.0));
    assert_eq!(features.get("entropy_second"), Some(8.0));
    assert_eq!(features.get("entropy_last"), Some(8.0));
    assert_eq!(features.get("entropy_mean"), Some(5.0));
    // All differences are 1.
    assert_eq!(features.get("delta_entropy"), Some(0.0));
    assert!(features.get("lag_fastest").unwrap() > 0.999);
    assert_eq!(features.get("lag_second"), Some(0.0));
}

#[test]
fn correlations_are_along_axes() {
    // Alternating along the fastest axis, constant along the second, rising along the slowest.
    let value =
        |t: usize, x: usize| (t as f32) * 0.01 + if x.is_multiple_of(2) { -1.0 } else { 1.0 };
    let mut values = Vec::new();
    for t in 0..8 {
        for _y in 0..16 {
            values.extend((0..32).map(|x| value(t, x)));
        }
    }
    let features = Features::of(&[floats(values)], FLOAT32, &[8, 16, 32]);
    assert!(features.get("lag_fastest").unwrap() < -0.9);
    assert!(features.get("lag_second").unwrap() > 0.9);
    assert!(features.get("lag_slowest").unwrap() > 0.9);
}

#[test]
fn odd_elements_and_empty_samples_have_features() {
    let text = ElementType {
        class: ElementClass::Text,
        size_bytes: 5,
        order: ByteOrder::None,
    };
    let features = Features::of(&[b"helloworld".to_vec()], text, &[2]);
    assert_eq!(features.get("element_bytes"), Some(5.0));
    assert!(features.get("entropy_mean").unwrap() > 2.0);
    let empty = Features::of(&[Vec::new()], FLOAT32, &[]);
    assert!(empty.values()[3..].iter().all(|&value| value == 0.0));
    assert_eq!(empty.get("no_such_feature"), None);
}

proptest! {
    #[test]
    fn features_are_finite_bounded_and_repeatable(
        bytes in prop::collection::vec(any::<u8>(), 0..4000),
        size in prop::sample::select(vec![1_usize, 2, 3, 4, 8, 16]),
        big: bool, float: bool, width in 1_u64..40,
    ) {
        let element = ElementType {
            class: if float { ElementClass::Float } else { ElementClass::SignedInteger },
            size_bytes: size,
            order: if big { ByteOrder::Big } else { ByteOrder::Little },
        };
        let samples = [bytes[..bytes.len() / size * size].to_vec()];
        let features = Features::of(&samples, element, &[4, width]);
        prop_assert_eq!(&features, &Features::of(&samples, element, &[4, width]));
        for (name, value) in FEATURE_NAMES.iter().zip(features.values()) {
            prop_assert!(value.is_finite(), "{name}");
        }
        for name in ["zero_fraction", "fill_fraction", "repeat_fraction", "distinct_fraction",
            "trailing_zeros"] {
            prop_assert!((0.0..=1.0).contains(&features.get(name).unwrap()), "{name}");
        }
        for name in ["entropy_first", "entropy_second", "entropy_last", "entropy_mean",
            "delta_entropy"] {
            prop_assert!((0.0..=8.0).contains(&features.get(name).unwrap()), "{name}");
        }
        for name in ["lag_fastest", "lag_second", "lag_slowest"] {
            prop_assert!((-1.0..=1.0).contains(&features.get(name).unwrap()), "{name}");
        }
    }

    #[test]
    fn byte_order_changes_nothing(values in prop::collection::vec(any::<u32>(), 1..500)) {
        let sample = |bytes: fn(u32) -> [u8; 4]| -> [Vec<u8>; 1] {
            [values.iter().flat_map(|&value| bytes(value)).collect()]
        };
        let big = ElementType { order: ByteOrder::Big, ..FLOAT32 };
        let chunk = [values.len() as u64];
        prop_assert_eq!(
            Features::of(&sample(u32::to_be_bytes), big, &chunk),
            Features::of(&sample(u32::to_le_bytes), FLOAT32, &chunk)
        );
    }
}
