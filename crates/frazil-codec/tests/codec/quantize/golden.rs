//! Vectors printed from files that netCDF-C 4.10.1 wrote, and hashes of a million values per type.

use frazil_types::Rounding;

use super::plans::{bits, granular, groom, plain};
use super::random::{mix, random};
use super::rounding::{Pattern, quantize};

const PI: u32 = 0x4049_0fdb;
const PI_DOUBLE: u64 = 0x4009_21fb_5444_2d18;

/// Digits; BitGroom of even and of odd elements; Granular BitRound.
const SINGLE_DIGITS: [[u32; 4]; 6] = [
    [1, 0x4048_0000, 0x404b_ffff, 0x4040_0000],
    [2, 0x4049_0000, 0x4049_7fff, 0x4048_0000],
    [3, 0x4049_0000, 0x4049_0fff, 0x4049_0000],
    [4, 0x4049_0f00, 0x4049_0fff, 0x4049_1000],
    [5, 0x4049_0fc0, 0x4049_0fdf, 0x4049_1000],
    [6, 0x4049_0fd8, 0x4049_0fdb, 0x4049_0fe0],
];

/// Bits; BitRound.
const SINGLE_BITS: [[u32; 2]; 17] = [
    [1, 0x4040_0000],
    [2, 0x4040_0000],
    [3, 0x4050_0000],
    [4, 0x4048_0000],
    [5, 0x4048_0000],
    [6, 0x404a_0000],
    [7, 0x4049_0000],
    [8, 0x4049_0000],
    [9, 0x4049_0000],
    [10, 0x4049_0000],
    [12, 0x4049_1000],
    [13, 0x4049_1000],
    [14, 0x4049_1000],
    [15, 0x4049_1000],
    [20, 0x4049_0fd8],
    [22, 0x4049_0fdc],
    [23, 0x4049_0fdb],
];

const DOUBLE_DIGITS: [[u64; 4]; 15] = [
    [
        1,
        0x4009_0000_0000_0000,
        0x4009_7fff_ffff_ffff,
        0x4008_0000_0000_0000,
    ],
    [
        2,
        0x4009_2000_0000_0000,
        0x4009_2fff_ffff_ffff,
        0x4009_0000_0000_0000,
    ],
    [
        3,
        0x4009_2000_0000_0000,
        0x4009_21ff_ffff_ffff,
        0x4009_2000_0000_0000,
    ],
    [
        4,
        0x4009_21e0_0000_0000,
        0x4009_21ff_ffff_ffff,
        0x4009_2200_0000_0000,
    ],
    [
        5,
        0x4009_21f8_0000_0000,
        0x4009_21fb_ffff_ffff,
        0x4009_2200_0000_0000,
    ],
    [
        6,
        0x4009_21fb_0000_0000,
        0x4009_21fb_7fff_ffff,
        0x4009_21fc_0000_0000,
    ],
    [
        7,
        0x4009_21fb_5000_0000,
        0x4009_21fb_57ff_ffff,
        0x4009_21fb_8000_0000,
    ],
    [
        8,
        0x4009_21fb_5400_0000,
        0x4009_21fb_54ff_ffff,
        0x4009_21fb_5800_0000,
    ],
    [
        9,
        0x4009_21fb_5440_0000,
        0x4009_21fb_545f_ffff,
        0x4009_21fb_5400_0000,
    ],
    [
        10,
        0x4009_21fb_5444_0000,
        0x4009_21fb_5445_ffff,
        0x4009_21fb_5440_0000,
    ],
    [
        11,
        0x4009_21fb_5444_0000,
        0x4009_21fb_5444_3fff,
        0x4009_21fb_5444_0000,
    ],
    [
        12,
        0x4009_21fb_5444_2800,
        0x4009_21fb_5444_2fff,
        0x4009_21fb_5444_4000,
    ],
    [
        13,
        0x4009_21fb_5444_2d00,
        0x4009_21fb_5444_2d7f,
        0x4009_21fb_5444_3000,
    ],
    [
        14,
        0x4009_21fb_5444_2d10,
        0x4009_21fb_5444_2d1f,
        0x4009_21fb_5444_2d00,
    ],
    [
        15,
        0x4009_21fb_5444_2d18,
        0x4009_21fb_5444_2d19,
        0x4009_21fb_5444_2d20,
    ],
];

const DOUBLE_BITS: [[u64; 2]; 8] = [
    [1, 0x4008_0000_0000_0000],
    [5, 0x4009_0000_0000_0000],
    [10, 0x4009_2000_0000_0000],
    [20, 0x4009_21fb_0000_0000],
    [30, 0x4009_21fb_5440_0000],
    [40, 0x4009_21fb_5444_3000],
    [51, PI_DOUBLE],
    [52, PI_DOUBLE],
];

/// The table of pi of Zender (2016) and the NCO manual: digits, printed value, bits. Its seventh row
/// contradicts itself in print and is left out.
const ZENDER: [(u32, &str, u32); 6] = [
    (6, "3.14159203", 0x4049_0fd8),
    (5, "3.14158630", 0x4049_0fc0),
    (4, "3.14154053", 0x4049_0f00),
    (3, "3.14062500", 0x4049_0000),
    (2, "3.14062500", 0x4049_0000),
    (1, "3.12500000", 0x4048_0000),
];

const SIGN: u32 = 1 << 31;
const SIGN_DOUBLE: u64 = 1 << 63;

#[test]
fn pi_in_single_precision() {
    for [digits, even, odd, rounded] in SINGLE_DIGITS {
        let [groomed, granular] = [groom(digits), granular(digits)].map(plain);
        let minus = PI | SIGN;
        let pis = [PI, PI, minus, minus];
        assert_eq!(
            quantize(&groomed, &pis),
            [even, odd, even | SIGN, odd | SIGN]
        );
        assert_eq!(quantize(&granular, &[PI, minus]), [rounded, rounded | SIGN]);
    }
    for [number, rounded] in SINGLE_BITS {
        let plan = plain(bits(number));
        assert_eq!(quantize(&plan, &[PI, PI | SIGN]), [rounded, rounded | SIGN]);
    }
}

#[test]
fn pi_in_double_precision() {
    for [digits, even, odd, rounded] in DOUBLE_DIGITS {
        let [groomed, granular] = [groom(digits as u32), granular(digits as u32)].map(plain);
        let minus = PI_DOUBLE | SIGN_DOUBLE;
        let pis = [PI_DOUBLE, PI_DOUBLE, minus, minus];
        let expected = [even, odd, even | SIGN_DOUBLE, odd | SIGN_DOUBLE];
        assert_eq!(quantize(&groomed, &pis), expected);
        let expected = [rounded, rounded | SIGN_DOUBLE];
        assert_eq!(quantize(&granular, &[PI_DOUBLE, minus]), expected);
    }
    for [number, rounded] in DOUBLE_BITS {
        let plan = plain(bits(number as u32));
        let expected = [rounded, rounded | SIGN_DOUBLE];
        assert_eq!(
            quantize(&plan, &[PI_DOUBLE, PI_DOUBLE | SIGN_DOUBLE]),
            expected
        );
    }
}

#[test]
fn the_published_table_of_pi() {
    let word = |printed: &str| printed.parse::<f32>().unwrap().to_bits();
    assert_eq!(word("3.14159265"), PI, "the row of the exact value");
    for (digits, printed, bits) in ZENDER {
        assert_eq!(word(printed), bits);
        assert_eq!(quantize(&plain(groom(digits)), &[PI]), [bits]);
    }
}

const SPECIALS: [u32; 14] = [
    0x0000_0000,
    0x8000_0000,
    0x7fc0_0000,
    0x7f80_0000,
    0xff80_0000,
    0x7cf0_0000,
    0xc61c_3c00,
    0x7f7f_ffff,
    0xff7f_ffff,
    0x0000_0001,
    0x0080_0000,
    0x0036_71f7,
    0x60ad_78ec,
    0x7cf0_04de,
];
/// What three digits or bits make of the last eight. Where netCDF-C destroys infinities and
/// subnormals, makes infinities of the largest values or the fill value of the last one, they are
/// as they were.
const GROOMED: [u32; 8] = [
    0xc61c_3000,
    0x7f7f_ffff,
    0xff7f_f000,
    0x0000_0001,
    0x0080_0000,
    0x0036_71f7,
    0x60ad_7000,
    0x7cf0_0fff,
];
const GRANULAR: [u32; 8] = [
    0xc61c_4000,
    0x7f7f_ffff,
    0xff7f_ffff,
    0x0000_0001,
    0x0080_0000,
    0x0036_71f7,
    0x60ad_0000,
    0x7cf0_04de,
];
const ROUNDED: [u32; 8] = [
    0xc620_0000,
    0x7f7f_ffff,
    0xff7f_ffff,
    0x0000_0001,
    0x0080_0000,
    0x0036_71f7,
    0x60b0_0000,
    0x7cf0_04de,
];

/// What netCDF-C spoils stays; the ordinary values beside it are as netCDF-C rounds them.
#[test]
fn specials_at_three_digits_and_bits() {
    let rows = [
        (groom(3), GROOMED),
        (granular(3), GRANULAR),
        (bits(3), ROUNDED),
    ];
    for (rounding, expected) in rows {
        let mut plan = plain(rounding);
        plan.protected.values = vec![9.969_209_968_386_869e36];
        let rounded = quantize(&plan, &SPECIALS);
        assert_eq!(rounded[..6], SPECIALS[..6], "{rounding:?}");
        assert_eq!(rounded[6..], expected, "{rounding:?}");
        // With another fill value the default one is data like any other.
        plan.protected.values = vec![-9999.0];
        let rounded = quantize(&plan, &SPECIALS);
        assert_eq!(rounded[6], 0xc61c_3c00, "{rounding:?}");
        let of_odd_index = if rounding == groom(3) {
            0x7cf0_0fff
        } else {
            0x7cf0_0000
        };
        assert_eq!(rounded[5], of_odd_index, "{rounding:?}");
    }
}

/// The million values of `golden/quantize.py`.
fn ordinary<P: Pattern>(mantissa_bits: u32, exponents: u64, powers: u64) -> Vec<P> {
    let sign_bit = 8 * P::BYTES as u32 - 1;
    let value = |i: u64| {
        let number = random(i);
        if number.is_multiple_of(8) {
            let power = (number >> 3) % powers;
            let nearest = format!("1e{}", power as i64 - powers as i64 / 2);
            let bytes = match P::BYTES {
                4 => u64::from(nearest.parse::<f32>().unwrap().to_bits()),
                _ => nearest.parse::<f64>().unwrap().to_bits(),
            };
            let beside = mix(power.wrapping_add(number)) % 9;
            return P::from_random(bytes + beside - 4);
        }
        let exponent = 1 + (number >> 8) % exponents;
        let mut fraction = mix(number) & ((1 << mantissa_bits) - 1);
        if number % 8 == 1 {
            fraction &= 3;
        }
        P::from_random(((number & 1) << sign_bit) | (exponent << mantissa_bits) | fraction)
    };
    (1..=1_000_000).map(value).collect()
}

fn digest(words: impl Iterator<Item = u64>) -> u64 {
    let (mut power, mut sum) = (1_u64, 0_u64);
    for word in words {
        power = power.wrapping_mul(0x9e37_79b9_7f4a_7c15);
        sum = sum.wrapping_add(word.wrapping_mul(power));
    }
    sum
}

#[test]
fn a_million_values_as_netcdf_c_rounds_them() {
    let singles: Vec<u32> = ordinary(23, 253, 70);
    let doubles: Vec<u64> = ordinary(52, 2045, 600);
    let mut rows = 0;
    for line in include_str!("../../golden/quantize.txt").lines().skip(1) {
        let words: Vec<&str> = line.split(' ').collect();
        let number: u32 = words[2].parse().unwrap();
        let rounding: Option<Rounding> = match words[1] {
            "none" => None,
            "bitround" => Some(bits(number)),
            "granular_bitround" => Some(granular(number)),
            "bitgroom" => Some(groom(number)),
            other => panic!("{other}"),
        };
        let rounded = |values: &[u32]| match rounding {
            Some(rounding) => quantize(&plain(rounding), values),
            None => values.to_vec(),
        };
        let rounded_double = |values: &[u64]| match rounding {
            Some(rounding) => quantize(&plain(rounding), values),
            None => values.to_vec(),
        };
        let got = match words[0] {
            "float32" => digest(rounded(&singles).into_iter().map(u64::from)),
            _ => digest(rounded_double(&doubles).into_iter()),
        };
        assert_eq!(format!("{got:016x}"), words[3], "{line}");
        rows += 1;
    }
    assert_eq!(rows, 2 + 23 + 52 + 2 * (6 + 15));
}
