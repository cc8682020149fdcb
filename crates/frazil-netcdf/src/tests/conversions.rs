//! Conversions, value by value, beside those of netCDF-C.

use frazil_container::classic::NcType;
use frazil_container::netcdf::{LibraryFile, LibraryStatus};

use crate::convert::convert;
use crate::{Mode, Status};

const WHOLE: [i128; 20] = [
    0,
    1,
    -1,
    127,
    128,
    -128,
    -129,
    255,
    256,
    32_767,
    32_768,
    -32_769,
    65_535,
    65_536,
    i32::MAX as i128,
    i32::MIN as i128 - 1,
    u32::MAX as i128 + 1,
    i64::MAX as i128,
    i64::MIN as i128,
    u64::MAX as i128,
];
const BROKEN: [f64; 8] = [
    1.5,
    -0.5,
    -1.5,
    1e30,
    1e39,
    f64::NAN,
    f64::INFINITY,
    f64::NEG_INFINITY,
];

/// One value of a type after the other, in native bytes.
fn samples(nc_type: NcType) -> Vec<Vec<u8>> {
    macro_rules! whole {
        ($native:ty) => {
            WHOLE
                .iter()
                .map(|&it| (it as $native).to_ne_bytes().to_vec())
                .collect()
        };
    }
    macro_rules! with_broken {
        ($native:ty) => {{
            let all = WHOLE.iter().map(|&it| it as $native);
            let all = all.chain(BROKEN.iter().map(|&it| it as $native));
            all.map(|it| it.to_ne_bytes().to_vec()).collect()
        }};
    }
    match nc_type {
        NcType::Byte => whole!(i8),
        NcType::Char | NcType::UByte => whole!(u8),
        NcType::Short => whole!(i16),
        NcType::UShort => whole!(u16),
        NcType::Int => whole!(i32),
        NcType::UInt => whole!(u32),
        NcType::Int64 => whole!(i64),
        NcType::UInt64 => whole!(u64),
        NcType::Float => with_broken!(f32),
        NcType::Double => with_broken!(f64),
    }
}

fn is_float(nc_type: NcType) -> bool {
    matches!(nc_type, NcType::Float | NcType::Double)
}

/// Whether it is not known what becomes of a value: C leaves that open of floats that no integer can hold.
fn is_undefined(value: &[u8], from: NcType, to: NcType, is_out: bool) -> bool {
    let is_nan = match from {
        NcType::Float => value
            .try_into()
            .is_ok_and(|it| f32::from_ne_bytes(it).is_nan()),
        NcType::Double => value
            .try_into()
            .is_ok_and(|it| f64::from_ne_bytes(it).is_nan()),
        _ => false,
    };
    // 2^63 and 2^64 are not above the greatest integers as netCDF-C compares: as floats.
    let is_large = is_float(from) && matches!(to, NcType::Int64 | NcType::UInt64);
    let is_open = is_float(from) && !is_float(to) && (is_nan || is_out || is_large);
    is_open && cfg!(not(target_arch = "x86_64"))
}

#[test]
fn all_types_become_all_types_as_in_netcdf_c() {
    let directory = tempfile::tempdir().unwrap();
    for model in [Mode::default(), Mode::CLASSIC_MODEL] {
        let classic = model == Mode::CLASSIC_MODEL;
        let file = LibraryFile::create(
            &directory.path().join(format!("{classic}.nc")),
            (Mode::NETCDF4 | model).0,
        )
        .unwrap();
        let types: &[NcType] = if classic {
            &NcType::ALL[..6]
        } else {
            &NcType::ALL
        };
        for &to in types {
            file.def_var(0, to.name(), to.number().cast_signed(), &[])
                .unwrap();
        }
        if classic {
            file.enddef().unwrap();
        }
        for from in NcType::ALL {
            for (varid, &to) in types.iter().enumerate() {
                for value in samples(from) {
                    compare(&file, varid as i32, &value, (from, to), classic);
                }
            }
        }
    }
}

fn compare(
    file: &LibraryFile,
    varid: i32,
    value: &[u8],
    (from, to): (NcType, NcType),
    classic: bool,
) {
    // 2^32 passes netCDF-C as an unsigned integer, since it compares as floats.
    if (from, to) == (NcType::Float, NcType::UInt) && value == 4_294_967_296_f32.to_ne_bytes() {
        return;
    }
    let context = format!("{value:?} {from:?} -> {to:?}, classic model {classic}");
    let theirs = file.put_vars((0, varid), (&[], &[]), None, from, value);
    let ours = convert(value, from, to, classic);
    let status = match &ours {
        Ok((_, true)) => Err(LibraryStatus(Status::ERANGE.0)),
        Ok((_, false)) => Ok(()),
        Err(refusal) => Err(LibraryStatus(refusal.status.0)),
    };
    assert_eq!(status, theirs, "{context}");
    if let Ok((ours, is_out)) = ours
        && !is_undefined(value, from, to, is_out)
    {
        let mut stored = vec![0; to.size_bytes()];
        file.get_vars((0, varid), (&[], &[]), None, to, &mut stored)
            .unwrap();
        assert_eq!(ours, stored, "{context}");
    }
}
