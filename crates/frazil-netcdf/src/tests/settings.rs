//! Chunks, filters, fill values, rounding: asked for, told again, and found in the file.

use super::*;
use frazil_types::filter_id;

/// A file with one variable `v(t, y, x)` of floats.
fn with_variable(path: &Path) -> Dataset {
    let mut data = engine(path, Mode::CLOBBER);
    for (name, length) in [("t", UNLIMITED), ("y", 40), ("x", 50)] {
        data.def_dim(ROOT, name, length).unwrap();
    }
    data.def_var(ROOT, "v", FLOAT, &[0, 1, 2]).unwrap();
    data
}

fn record() -> Vec<u8> {
    let values: Vec<f32> = (0..2000)
        .map(|it| (it as f32 * 0.37).sin() * 10.0)
        .collect();
    floats(&values)
}

fn put_record(data: &mut Dataset) {
    let region = vara(&[0, 0, 0], &[1, 40, 50]);
    data.put(ROOT, 0, &region, MemoryType::Float, &record())
        .unwrap();
}

/// Closes the file and opens it to be read.
fn reopened(mut data: Dataset) -> Dataset {
    let path = data.path().to_owned();
    data.close().unwrap();
    Dataset::open(&path, Mode::NOWRITE).unwrap()
}

#[test]
fn what_is_asked_for_is_found_in_the_file() {
    let directory = tempfile::tempdir().unwrap();
    let mut data = with_variable(&directory.path().join("a.nc"));
    data.def_var_chunking(ROOT, 0, 0, Some(&[1, 20, 50]))
        .unwrap();
    data.def_var_deflate(ROOT, 0, true, true, 3).unwrap();
    data.def_var_fletcher32(ROOT, 0, true).unwrap();
    data.def_var_endian(ROOT, 0, 2).unwrap();
    data.def_var_fill(ROOT, 0, false, Some(&(-1_f32).to_ne_bytes()))
        .unwrap();
    let ask = |data: &mut Dataset| {
        let ids: Vec<i32> = data
            .inq_var_filters(ROOT, 0)
            .unwrap()
            .iter()
            .map(|it| it.id)
            .collect();
        (
            data.inq_var_chunking(ROOT, 0).unwrap(),
            data.inq_var_deflate(ROOT, 0).unwrap(),
            data.inq_var_fletcher32(ROOT, 0).unwrap(),
            data.inq_var_endian(ROOT, 0).unwrap(),
            data.inq_var_fill(ROOT, 0).unwrap(),
            ids,
        )
    };
    put_record(&mut data);
    let asked = ask(&mut data);
    assert_eq!(asked.0, (Storage::Chunked, vec![1, 20, 50]));
    assert_eq!(
        asked.1,
        DeflateInquiry {
            shuffle: true,
            deflate: true,
            level: 3
        }
    );
    assert_eq!(
        asked.5,
        [
            filter_id::FLETCHER32,
            filter_id::SHUFFLE,
            filter_id::DEFLATE
        ]
    );
    let mut data = reopened(data);
    assert_eq!(ask(&mut data), asked);
    assert_eq!(values(&mut data, 0, MemoryType::Float), Ok(record()));
}

#[test]
fn no_deflate_means_none() {
    let directory = tempfile::tempdir().unwrap();
    let mut data = with_variable(&directory.path().join("a.nc"));
    data.def_var_deflate(ROOT, 0, false, false, 0).unwrap();
    put_record(&mut data);
    let mut data = reopened(data);
    assert!(data.inq_var_filters(ROOT, 0).unwrap().is_empty());
}

#[test]
fn what_nobody_asks_for_is_decided() {
    let directory = tempfile::tempdir().unwrap();
    let mut data = with_variable(&directory.path().join("a.nc"));
    put_record(&mut data);
    let (storage, chunk) = data.inq_var_chunking(ROOT, 0).unwrap();
    assert_eq!((storage, chunk.len()), (Storage::Chunked, 3));
    let mut data = reopened(data);
    assert!(!data.inq_var_filters(ROOT, 0).unwrap().is_empty());
}

#[test]
fn zstandard_is_written_but_not_with_deflate() {
    let directory = tempfile::tempdir().unwrap();
    let mut data = with_variable(&directory.path().join("a.nc"));
    data.def_var_zstandard(ROOT, 0, 3).unwrap();
    assert_eq!(
        data.def_var_deflate(ROOT, 0, true, true, 1),
        Err(Status::EFILTER)
    );
    assert!(
        data.last_message().contains("zstd and deflate"),
        "{}",
        data.last_message()
    );
    assert_eq!(data.def_var_zstandard(ROOT, 0, 23), Err(Status::EINVAL));
    assert_eq!(data.inq_var_zstandard(ROOT, 0), Ok(Some(3)));
    put_record(&mut data);
    assert_eq!(values(&mut data, 0, MemoryType::Float), Ok(record()));
    let more = vara(&[2, 0, 0], &[1, 40, 50]);
    data.put(ROOT, 0, &more, MemoryType::Float, &record())
        .unwrap();
    // Read from the closed file by frazil's own decoder, with conversion, strides and fill.
    let mut data = reopened(data);
    assert_eq!(data.inq_var_zstandard(ROOT, 0), Ok(Some(3)));
    assert_eq!(data.inq_filter_avail(filter_id::ZSTD as u32), Ok(()));
    let all = values(&mut data, 0, MemoryType::Float).unwrap();
    assert_eq!(all[..8000], record());
    assert_eq!(all[8000..16000], floats(&[9.969_21e36; 2000]));
    assert_eq!(all[16000..], record());
    let region = Region {
        stride: Some(&[2, 13, 7]),
        ..vara(&[0, 1, 3], &[2, 3, 6])
    };
    let mut some = vec![0; 2 * 3 * 6 * 8];
    data.get(ROOT, 0, &region, MemoryType::Double, &mut some)
        .unwrap();
    let one = |element: usize| f32::from_ne_bytes(all[4 * element..][..4].try_into().unwrap());
    let mut wanted = Vec::new();
    for (time, y) in [0, 2]
        .into_iter()
        .flat_map(|time| [1, 14, 27].map(|y| (time, y)))
    {
        for x in (3..).step_by(7).take(6) {
            wanted.extend(f64::from(one((time * 40 + y) * 50 + x)).to_ne_bytes());
        }
    }
    assert_eq!(some, wanted);
    data.close().unwrap();
}

#[test]
fn impossible_requests_are_refused_as_in_netcdf_c() {
    let directory = tempfile::tempdir().unwrap();
    let mut data = with_variable(&directory.path().join("a.nc"));
    let scalar = data.def_var(ROOT, "s", FLOAT, &[]).unwrap();
    let fixed = data.def_var(ROOT, "f", INT, &[1, 2]).unwrap();
    assert_eq!(data.def_var_chunking(ROOT, 0, 1, None), Err(Status::EINVAL));
    let long = data.def_var_chunking(ROOT, fixed, 0, Some(&[41, 1]));
    assert_eq!(long, Err(Status::EBADCHUNK));
    assert_eq!(
        data.def_var_chunking(ROOT, scalar, 0, None),
        Err(Status::EINVAL)
    );
    assert_eq!(
        data.def_var_deflate(ROOT, scalar, false, true, 1),
        Err(Status::EINVAL)
    );
    assert_eq!(
        data.def_var_deflate(ROOT, fixed, false, true, 10),
        Err(Status::EINVAL)
    );
    assert_eq!(
        data.def_var_filter(ROOT, fixed, 32013, &[9]),
        Err(Status::ENOFILTER)
    );
    assert_eq!(
        data.def_var_filter(ROOT, fixed, 1, &[]),
        Err(Status::EFILTER)
    );
    assert_eq!(data.def_var_szip(ROOT, fixed, 32, 7), Err(Status::EINVAL));
    assert_eq!(
        data.def_var_quantize(ROOT, fixed, 3, 5),
        Err(Status::EINVAL)
    );
    assert_eq!(data.def_var_quantize(ROOT, 0, 1, 7), Err(Status::EINVAL));
    assert_eq!(data.def_var_quantize(ROOT, 0, 4, 3), Err(Status::EINVAL));
    // A number that means no order is told again.
    assert_eq!(data.def_var_endian(ROOT, 0, 3), Ok(()));
    assert_eq!(data.inq_var_endian(ROOT, 0), Ok(3));
    let other_type = 1_f64.to_ne_bytes();
    let fill = data.put_att(
        ROOT,
        0,
        "_FillValue",
        DOUBLE,
        MemoryType::Double,
        &other_type,
    );
    assert_eq!(fill, Err(Status::EBADTYPE));
    assert_eq!(data.inq_var(ROOT, 0).unwrap().attributes, 0);
    data.def_var_chunking(ROOT, fixed, 1, None).unwrap();
    data.def_var_deflate(ROOT, fixed, false, true, 1).unwrap();
    assert_eq!(
        data.inq_var_chunking(ROOT, fixed).unwrap().0,
        Storage::Chunked
    );
    assert_eq!(
        data.def_var_chunking(ROOT, fixed, 1, None),
        Err(Status::EINVAL)
    );
    data.abort().unwrap();
}

#[test]
fn rounding_is_stated_as_netcdf_c_states_it() {
    let directory = tempfile::tempdir().unwrap();
    for (mode, kept) in [(1, 3), (2, 3), (3, 9)] {
        let mut data = with_variable(&directory.path().join(format!("{mode}.nc")));
        data.def_var_quantize(ROOT, 0, mode, kept).unwrap();
        assert_eq!(data.inq_var_quantize(ROOT, 0), Ok((mode, kept)));
        put_record(&mut data);
        let mut data = reopened(data);
        assert_eq!(data.inq_var_quantize(ROOT, 0), Ok((mode, kept)));
        // Read as doubles the values are the rounded ones, though netCDF-C would round again.
        let single = values(&mut data, 0, MemoryType::Float).unwrap();
        let double = values(&mut data, 0, MemoryType::Double).unwrap();
        assert_ne!(single, record());
        let single = single
            .as_chunks::<4>()
            .0
            .iter()
            .map(|&it| f64::from(f32::from_ne_bytes(it)));
        let double = double
            .as_chunks::<8>()
            .0
            .iter()
            .map(|&it| f64::from_ne_bytes(it));
        assert!(single.eq(double), "mode {mode}");
    }
}

#[test]
fn the_chunk_cache_is_told_again() {
    let directory = tempfile::tempdir().unwrap();
    let mut data = with_variable(&directory.path().join("a.nc"));
    assert_eq!(data.get_var_chunk_cache(ROOT, 0), Ok(ChunkCache::default()));
    let cache = ChunkCache {
        size_bytes: 1 << 20,
        slots: 7,
        preemption: 0.5,
    };
    data.set_var_chunk_cache(ROOT, 0, cache).unwrap();
    assert_eq!(data.get_var_chunk_cache(ROOT, 0), Ok(cache));
    data.abort().unwrap();

    // Where netCDF-C reads, it is what netCDF-C has.
    let path = directory.path().join("b.nc");
    with_variable(&path).close().unwrap();
    let mut data = Dataset::open(&path, Mode::NOWRITE).unwrap();
    assert_eq!(data.get_var_chunk_cache(ROOT, 0), Ok(ChunkCache::default()));
    data.set_var_chunk_cache(ROOT, 0, cache).unwrap();
    assert_eq!(data.get_var_chunk_cache(ROOT, 0), Ok(cache));
    data.close().unwrap();
}

#[test]
fn chunks_that_nobody_states_are_chunks() {
    let directory = tempfile::tempdir().unwrap();
    let mut data = engine(&directory.path().join("a.nc"), Mode::CLOBBER);
    data.def_dim(ROOT, "few", 3).unwrap();
    data.def_dim(ROOT, "many", 5_000_000).unwrap();
    let cases = [
        ("a", FLOAT, 0),
        ("b", FLOAT, 1),
        ("s", STRING, 0),
        ("t", STRING, 1),
    ];
    for (varid, (name, nc_type, dimid)) in cases.into_iter().enumerate() {
        let varid = varid as i32;
        data.def_var(ROOT, name, nc_type, &[dimid]).unwrap();
        data.def_var_chunking(ROOT, varid, 0, None).unwrap();
        let (storage, chunk) = data.inq_var_chunking(ROOT, varid).unwrap();
        assert_eq!(storage, Storage::Chunked, "{name}");
        assert!((1..=1 << 20).contains(&chunk[0]), "{name}: {chunk:?}");
    }
    let told: Vec<_> = (0..4).map(|it| data.inq_var_chunking(ROOT, it)).collect();
    let mut read = reopened(data);
    let found: Vec<_> = (0..4).map(|it| read.inq_var_chunking(ROOT, it)).collect();
    assert_eq!(found, told);
}

/// As in netCDF-C: once define mode was left, storage is settled; the fill value of a variable without values
/// as well if that was by `nc_enddef`.
#[test]
fn storage_is_settled_when_define_mode_ends() {
    let directory = tempfile::tempdir().unwrap();
    let mut data = with_variable(&directory.path().join("a.nc"));
    let other = data.def_var(ROOT, "other", FLOAT, &[0]).unwrap();
    put_record(&mut data);
    let fill = |data: &mut Dataset, varid| {
        let value = 1_f32.to_ne_bytes();
        data.put_att(ROOT, varid, "_FillValue", FLOAT, MemoryType::Float, &value)
    };
    let deflate = data.def_var_deflate(ROOT, other, false, true, 1);
    assert_eq!(deflate, Err(Status::ELATEDEF));
    assert_eq!(fill(&mut data, 0), Err(Status::ELATEFILL));
    assert_eq!(fill(&mut data, other), Ok(()));
    data.enddef(ROOT).unwrap();
    assert_eq!(fill(&mut data, other), Err(Status::ELATEFILL));
    assert_eq!(
        data.def_var_fill(ROOT, GLOBAL, false, None),
        Err(Status::EGLOBAL)
    );
    data.close().unwrap();
}

#[test]
fn reading_settles_no_fill_value_and_deleting_its_attribute_keeps_it() {
    let directory = tempfile::tempdir().unwrap();
    let mut data = with_variable(&directory.path().join("a.nc"));
    let one = data.def_var(ROOT, "one", FLOAT, &[]).unwrap();
    values(&mut data, one, MemoryType::Float).unwrap();
    let value = 1_f32.to_ne_bytes();
    data.put_att(ROOT, one, "_FillValue", FLOAT, MemoryType::Float, &value)
        .unwrap();
    assert_eq!(
        values(&mut data, one, MemoryType::Float),
        Ok(value.to_vec())
    );
    data.del_att(ROOT, one, "_FillValue").unwrap();
    assert_eq!(
        data.inq_att(ROOT, one, "_FillValue").err(),
        Some(Status::ENOTATT)
    );
    let mut read = reopened(data);
    assert_eq!(
        values(&mut read, one, MemoryType::Float),
        Ok(value.to_vec())
    );
}

#[test]
fn strings_get_the_filters_that_were_asked_for() {
    let directory = tempfile::tempdir().unwrap();
    let mut data = with_variable(&directory.path().join("a.nc"));
    let names = data.def_var(ROOT, "names", STRING, &[0]).unwrap();
    data.def_var_chunking(ROOT, names, 0, None).unwrap();
    data.def_var_deflate(ROOT, names, true, true, 5).unwrap();
    let texts = ["a".into(), "b".into()];
    data.put_strings(ROOT, names, &vara(&[0], &[2]), &texts)
        .unwrap();
    let mut read = reopened(data);
    let found = read.inq_var_deflate(ROOT, names).unwrap();
    assert!(found.shuffle && found.deflate && found.level == 5);
    let mut back = vec![None; 2];
    read.get_strings(ROOT, names, &vara(&[0], &[2]), &mut back)
        .unwrap();
    assert_eq!(back, texts.map(Some).map(Some));
}
