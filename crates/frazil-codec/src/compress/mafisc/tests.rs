use frazil_types::filter_id;
use proptest::prelude::*;

use super::*;

fn mafisc(bytes: u32, is_float: u32, is_little: u32, chunk: &[u32], methods: u32) -> Mafisc {
    let head = [
        0,
        OF_FRAZIL | methods,
        bytes,
        is_float,
        is_little,
        chunk.len() as u32,
    ];
    Mafisc::bind(&FilterSpec::new(
        filter_id::MAFISC,
        [&head[..], chunk].concat(),
    ))
    .unwrap()
}

fn after<T: Number>(letters: &str, numbers: &[T], shape: &[usize]) -> Vec<T> {
    let mut changed = numbers.to_vec();
    for step in step::parse(letters.as_bytes(), shape.len()).unwrap() {
        step.apply(&mut changed, shape);
    }
    changed
}

#[test]
fn steps_are_those_of_the_registered_filter() {
    // Computed by hand from the source.
    let field = [1_i16, 2, 4, 7, 11, 16];
    assert_eq!(after("dz", &field, &[2, 3]), [1, 1, 2, 3, 4, 5]);
    assert_eq!(after("d0", &field, &[2, 3]), [1, 1, 2, 6, 9, 12]);
    // 7 - (4 + 1 - 0): the corner before the first row is missing, 4 and 1 are there.
    assert_eq!(after("l", &field, &[2, 3]), [1, 1, 2, 2, 3, 3]);
    assert_eq!(after("sn", &[-1_i8, -128, 5], &[3]), [-128, -1, 5]);
    assert_eq!(after("sr", &[-1_i8, -128, 5], &[3]), [1, -1, 10]);
    assert_eq!(after("bb", &[0x0102_u16.cast_signed()], &[1])[0], 0x1001);
    // Bits of the lowest byte come first.
    assert_eq!(
        after("bg", &[1_i8, -1, 1, 1, 0, 0, 0, 0], &[8])[..8],
        [64, 64, 64, 64, 64, 64, 64, -16]
    );
    assert_eq!(after("t", &field, &[6]), field);
    // Zero until another predictor was better, then the last number, then a line.
    assert_eq!(
        after("al", &[10_i32, 12, 14, 16, 18], &[5]),
        [10, 12, 2, 0, 0]
    );
}

#[test]
fn methods_that_nobody_writes_are_refused() {
    for letters in ["x", "d", "a", "alal", "tt", "dA", "s", "b"] {
        assert!(step::parse(letters.as_bytes(), 2).is_err(), "{letters}");
    }
    assert!(step::parse(b"l", 9).is_err());
    assert_eq!(step::parse(b"d0dzalsrbg", 2).unwrap().len(), 5);
}

#[test]
fn the_full_search_is_never_beaten_by_a_shorter_one() {
    let raw: Vec<u8> = (0..3000_u32)
        .flat_map(|i| (280.0 + (i % 60) as f32 * 0.25 + (i / 60) as f32 * 0.5).to_le_bytes())
        .collect();
    let size = |methods| {
        let filter = mafisc(4, 1, 1, &[50, 60], methods);
        let (mut out, mut codecs) = (Vec::new(), Codecs::default());
        filter.encode(&raw, &mut out, &mut codecs).unwrap();
        assert!(out.len() <= filter.encode_bound(raw.len()));
        let mut again = Vec::new();
        filter
            .encode(&raw, &mut again, &mut Codecs::default())
            .unwrap();
        assert!(out == again, "the same chunk, the same bytes");
        out.len()
    };
    let all = size(0);
    assert!(
        all <= size(8) && size(8) <= size(1),
        "{all} {} {}",
        size(8),
        size(1)
    );
    assert!(all < raw.len() / 20, "{all}");
}

#[test]
fn chunks_must_be_whole() {
    let filter = mafisc(4, 1, 1, &[5], 1);
    assert!(filter.check_input(20).is_ok() && filter.check_input(24).is_err());
    for values in [
        vec![],
        vec![1, 0, 4, 1, 1, 1, 5],
        vec![0, 0, 3, 1, 1, 1, 5],
        vec![0, 0, 4, 1, 1, 2, 5],
        vec![0, 0, 4, 1, 1, 0],
        vec![0, 0, 4, 1, 1, 1, 0],
        vec![0, 0, 8, 1, 1, 3, u32::MAX, u32::MAX, 2],
    ] {
        assert!(Mafisc::bind(&FilterSpec::new(filter_id::MAFISC, values)).is_err());
    }
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(64))]

    #[test]
    fn every_step_is_undone(
        shape in proptest::collection::vec(1_usize..5, 1..4),
        steps in proptest::collection::vec(0_usize..10, 0..6),
        seed in any::<u64>(),
        width in 0_usize..4,
    ) {
        fn check<T: Number + PartialEq + std::fmt::Debug>(
            shape: &[usize], letters: &str, seed: u64,
        ) -> Result<(), TestCaseError> {
            let mut state = seed;
            let count = shape.iter().product();
            let numbers: Vec<T> = (0..count).map(|i: usize| {
                state = state.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(99);
                T::of_bits(if i.is_multiple_of(3) { state } else { state >> 56 })
            }).collect();
            let mut changed = after(letters, &numbers, shape);
            for step in step::parse(letters.as_bytes(), shape.len()).unwrap().into_iter().rev() {
                step.undo(&mut changed, shape);
            }
            prop_assert_eq!(changed, numbers);
            Ok(())
        }
        let letters = ["d0", "d1", "dz", "l", "sn", "sr", "bb", "bg", "al", "as"];
        let mut text = String::new();
        for step in steps {
            let is_repeated = step >= 8 && text.contains(letters[step]);
            text += if is_repeated { "" } else { letters[step] };
        }
        match width {
            0 => check::<i8>(&shape, &text, seed)?,
            1 => check::<i16>(&shape, &text, seed)?,
            2 => check::<i32>(&shape, &text, seed)?,
            _ => check::<i64>(&shape, &text, seed)?,
        }
    }

    #[test]
    fn planes_of_bits_follow_each_other(numbers in proptest::collection::vec(any::<i32>(), 1..100)) {
        let mut planes = vec![0_u8; 4 * numbers.len()];
        let mut next = 0;
        for (byte, bit) in (0..4).flat_map(|byte| (0..8).rev().map(move |bit| (byte, bit))) {
            for number in &numbers {
                planes[next / 8] |= (number.to_le_bytes()[byte] >> bit & 1) << (7 - next % 8);
                next += 1;
            }
        }
        let sorted = after("bg", &numbers, &[numbers.len()]);
        let sorted: Vec<u8> = sorted.into_iter().flat_map(i32::to_le_bytes).collect();
        prop_assert_eq!(sorted, planes);
    }

    #[test]
    fn chunks_come_back(
        width in prop_oneof![Just(1_u32), Just(2), Just(4), Just(8)],
        is_float in 0_u32..2,
        is_little in 0_u32..2,
        chunk in proptest::collection::vec(1_u32..9, 1..4),
        seed in any::<u64>(),
    ) {
        let filter = mafisc(width, is_float, is_little, &chunk, 2);
        let mut state = seed;
        let raw: Vec<u8> = (0..filter.elements.raw_bytes()).map(|_| {
            state = state.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1);
            (state >> 60) as u8
        }).collect();
        let (mut stored, mut back) = (Vec::new(), Vec::new());
        filter.encode(&raw, &mut stored, &mut Codecs::default()).unwrap();
        prop_assert_eq!(stated_length(&stored).unwrap(), raw.len());
        decode(&stored, &mut back, OutputSize::Exact(raw.len())).unwrap();
        prop_assert_eq!(back, raw);
    }
}
