//! Creating, opening, closing; groups and strings.

use frazil_container::schema::Text;

use super::*;

/// A classic file as `nc_create` and `nc_close` leave it.
fn classic(path: &Path) {
    let mut data = Dataset::create(path, Mode::CLOBBER).unwrap();
    assert_eq!(data.inq_format(), Ok(1));
    data.def_dim(ROOT, "x", 2).unwrap();
    data.def_var(ROOT, "v", INT, &[0]).unwrap();
    assert_eq!(
        data.def_var_deflate(ROOT, 0, true, true, 1),
        Err(Status::ENOTNC4)
    );
    assert_eq!(data.def_grp(ROOT, "g"), Err(Status::ENOTNC4));
    data.enddef(ROOT).unwrap();
    data.put(ROOT, 0, &Region::default(), MemoryType::Int, &ints(&[1, 2]))
        .unwrap();
    data.close().unwrap();
}

#[test]
fn classic_files_are_netcdf_c_s() {
    let directory = tempfile::tempdir().unwrap();
    let path = directory.path().join("c.nc");
    classic(&path);
    let mut data = Dataset::open(&path, Mode::WRITE).unwrap();
    let one = vara(&[1], &[1]);
    data.put(ROOT, 0, &one, MemoryType::Double, &9_f64.to_ne_bytes())
        .unwrap();
    assert_eq!(values(&mut data, 0, MemoryType::Int), Ok(ints(&[1, 9])));
    data.close().unwrap();
    assert!(std::fs::read(&path).unwrap().starts_with(b"CDF\x01"));
}

#[test]
fn a_classic_file_can_be_upgraded() {
    let directory = tempfile::tempdir().unwrap();
    let path = directory.path().join("u.nc");
    let backend = create_as(&path, Mode::CDF2, options(), true);
    let mut data = Dataset::new(&path, backend).unwrap();
    assert_eq!(data.inq_format(), Ok(4));
    assert_eq!(data.def_grp(ROOT, "g"), Err(Status::ESTRICTNC3));
    data.close().unwrap();
    let mut data = Dataset::open(&path, Mode::NOWRITE).unwrap();
    assert_eq!(data.inq_format(), Ok(4));
}

#[test]
fn what_cannot_be_opened_says_why() {
    let directory = tempfile::tempdir().unwrap();
    let path = directory.path().join("a.nc");
    let status = |outcome: Result<Dataset, (Status, String)>| outcome.unwrap_err().0;
    assert_eq!(
        status(Dataset::open(&path, Mode::NOWRITE)),
        Status::NO_SUCH_FILE
    );
    assert_eq!(
        status(Dataset::open(&path, Mode::WRITE)),
        Status::NO_SUCH_FILE
    );
    std::fs::write(&path, b"neither").unwrap();
    assert_eq!(status(Dataset::open(&path, Mode::NOWRITE)), Status::ENOTNC);
    for format in [Mode::NETCDF4, Mode::CLOBBER] {
        let mode = format | Mode::NOCLOBBER;
        assert_eq!(status(Dataset::create(&path, mode)), Status::EEXIST);
    }
    assert_eq!(
        status(Dataset::create(&path, Mode::DISKLESS)),
        Status::EDISKLESS
    );
    let both = Mode::NETCDF4 | Mode::CDF5;
    assert_eq!(status(Dataset::create(&path, both)), Status::EINVAL);
    assert_eq!(std::fs::read(&path).unwrap(), b"neither");
}

#[test]
fn an_aborted_file_is_gone() {
    let directory = tempfile::tempdir().unwrap();
    let path = directory.path().join("a.nc");
    let mut data = engine(&path, Mode::CLOBBER);
    data.def_dim(ROOT, "x", 2).unwrap();
    data.abort().unwrap();
    assert!(!path.exists());
    assert_eq!(data.sync(), Err(Status::EBADID));
    assert_eq!(data.last_message(), Status::EBADID.message());
}

#[test]
fn a_file_is_written_on() {
    let directory = tempfile::tempdir().unwrap();
    let path = directory.path().join("a.nc");
    let mut data = engine(&path, Mode::CLASSIC_MODEL);
    data.def_dim(ROOT, "t", UNLIMITED).unwrap();
    data.def_var(ROOT, "v", INT, &[0]).unwrap();
    data.def_var(ROOT, "w", FLOAT, &[0]).unwrap();
    data.enddef(ROOT).unwrap();
    data.put(ROOT, 0, &vara(&[0], &[2]), MemoryType::Int, &ints(&[1, 2]))
        .unwrap();
    data.close().unwrap();
    assert!(
        data.report()
            .unwrap()
            .is_some_and(|report| report.raw_bytes == 8)
    );

    let mut data = Dataset::open(&path, Mode::WRITE).unwrap();
    assert_eq!(data.inq_format(), Ok(4));
    assert_eq!(
        data.def_var(ROOT, "x", INT, &[0]),
        Err(Status::ENOTINDEFINE)
    );
    assert_eq!(data.inq_varid(ROOT, "w"), Ok(1));
    data.put(ROOT, 0, &vara(&[2], &[1]), MemoryType::Int, &ints(&[3]))
        .unwrap();
    assert_eq!(values(&mut data, 0, MemoryType::Int), Ok(ints(&[1, 2, 3])));
    let late = data.def_var_deflate(ROOT, 0, true, true, 1);
    assert_eq!(late, Err(Status::ELATEDEF));
    data.close().unwrap();
    let mut data = Dataset::open(&path, Mode::NOWRITE).unwrap();
    assert_eq!(values(&mut data, 0, MemoryType::Int), Ok(ints(&[1, 2, 3])));
    let denied = data.put(ROOT, 0, &vara(&[2], &[1]), MemoryType::Int, &ints(&[3]));
    assert_eq!(denied, Err(Status::EPERM));
}

/// What is asked of a file with groups: the same while it is written and when it is read.
fn tour(data: &mut Dataset) -> Vec<String> {
    let mut answers = vec![format!("{:?}", data.inq_grps(ROOT))];
    let mut ask = |answer: String| answers.push(answer);
    let ocean = data.inq_grp_ncid(ROOT, "ocean").unwrap();
    let deep = data.inq_grp_full_ncid(ROOT, "/ocean/deep").unwrap();
    ask(format!("{:?}", data.inq_grp_ncid(ROOT, "air")));
    ask(format!("{:?}", data.inq_grp_parent(deep) == Ok(ocean)));
    ask(format!("{:?}", data.inq_grpname_full(deep)));
    ask(format!("{:?}", data.inq_dimids(deep, false)));
    ask(format!("{:?}", data.inq_dimids(deep, true)));
    ask(format!("{:?}", data.inq_dimid(deep, "x")));
    ask(format!("{:?}", data.inq_dim(ROOT, 1)));
    ask(format!("{:?}", data.inq_unlimdims(ocean)));
    ask(format!("{:?}", data.inq_unlimdim(deep)));
    ask(format!("{:?}", data.inq_var(deep, 0)));
    ask(format!("{:?}", data.inq(deep)));
    ask(format!("{:?}", data.inq(GroupNumber(17))));
    answers
}

#[test]
fn groups_share_the_dimensions_above_them() {
    let directory = tempfile::tempdir().unwrap();
    let path = directory.path().join("g.nc");
    let mut data = engine(&path, Mode::CLOBBER);
    let x = data.def_dim(ROOT, "x", 2).unwrap();
    let ocean = data.def_grp(ROOT, "sea").unwrap();
    assert_eq!(data.def_grp(ROOT, "sea"), Err(Status::ENAMEINUSE));
    let t = data.def_dim(ocean, "t", UNLIMITED).unwrap();
    let deep = data.def_grp(ocean, "deep").unwrap();
    data.rename_grp(ocean, "ocean").unwrap();
    assert_eq!(data.rename_grp(ROOT, "r"), Err(Status::EBADGRPID));
    assert_eq!(data.def_var(ROOT, "v", INT, &[t + 1]), Err(Status::EBADDIM));
    assert_eq!(data.def_var(deep, "v", INT, &[t, x]), Ok(0));
    data.put(
        deep,
        0,
        &vara(&[0, 0], &[1, 2]),
        MemoryType::Int,
        &ints(&[1, 2]),
    )
    .unwrap();
    let written = tour(&mut data);
    data.close().unwrap();
    let mut data = Dataset::open(&path, Mode::NOWRITE).unwrap();
    assert_eq!(written, tour(&mut data));
}

#[test]
fn strings_are_written_and_read() {
    let directory = tempfile::tempdir().unwrap();
    let path = directory.path().join("s.nc");
    let mut data = engine(&path, Mode::CLOBBER);
    let texts = ["one", "zwei", ""].map(Into::into);
    data.def_dim(ROOT, "x", 3).unwrap();
    data.def_var(ROOT, "s", STRING, &[0]).unwrap();
    data.put_att_strings(ROOT, GLOBAL, "names", &texts).unwrap();
    data.put_strings(ROOT, 0, &Region::default(), &texts)
        .unwrap();
    let number = data.put(
        ROOT,
        0,
        &Region::default(),
        MemoryType::Int,
        &ints(&[1, 2, 3]),
    );
    assert_eq!(number, Err(Status::EBADTYPE));
    let read = |data: &mut Dataset| {
        let backwards = Region {
            map: Some(&[-1]),
            ..Region::default()
        };
        let mut out = vec![None; 3];
        data.get_strings(ROOT, 0, &backwards, &mut out).unwrap();
        let attribute = data.get_att_strings(ROOT, GLOBAL, "names").unwrap();
        let put: Vec<Text> = out.into_iter().flatten().flatten().collect();
        (put, attribute.into_iter().flatten().collect::<Vec<Text>>())
    };
    let expected = (vec!["".into(), "zwei".into(), "one".into()], texts.to_vec());
    assert_eq!(read(&mut data), expected);
    data.close().unwrap();
    assert_eq!(
        read(&mut Dataset::open(&path, Mode::NOWRITE).unwrap()),
        expected
    );
}

#[test]
fn aborting_goes_back_to_where_define_mode_began() {
    let directory = tempfile::tempdir().unwrap();
    let path = directory.path().join("a.nc");
    let mut data = engine(&path, Mode::CLOBBER);
    data.def_dim(ROOT, "x", 2).unwrap();
    data.def_var(ROOT, "v", INT, &[0]).unwrap();
    data.enddef(ROOT).unwrap();
    data.redef().unwrap();
    data.def_dim(ROOT, "y", 2).unwrap();
    data.rename_var(ROOT, 0, "w").unwrap();
    data.abort().unwrap();
    let mut data = Dataset::open(&path, Mode::NOWRITE).unwrap();
    assert_eq!(data.inq_dimid(ROOT, "y"), Err(Status::EBADDIM));
    assert_eq!(data.inq_varid(ROOT, "v"), Ok(0));
    data.close().unwrap();

    // In data mode it closes.
    let mut data = Dataset::open(&path, Mode::WRITE).unwrap();
    data.put(ROOT, 0, &vara(&[0], &[2]), MemoryType::Int, &ints(&[1, 2]))
        .unwrap();
    data.abort().unwrap();
    let mut data = Dataset::open(&path, Mode::NOWRITE).unwrap();
    let mut read = vec![0; 8];
    data.get(ROOT, 0, &vara(&[0], &[2]), MemoryType::Int, &mut read)
        .unwrap();
    assert_eq!(read, ints(&[1, 2]));
}

#[test]
fn a_dimension_made_and_renamed_after_a_commit_is_in_the_file() {
    let directory = tempfile::tempdir().unwrap();
    let path = directory.path().join("a.nc");
    let mut data = Dataset::create(&path, Mode::NETCDF4).unwrap();
    data.def_dim(ROOT, "x", 2).unwrap();
    data.sync().unwrap();
    let dimid = data.def_dim(ROOT, "y", 3).unwrap();
    data.rename_dim(ROOT, dimid, "z").unwrap();
    data.close().unwrap();
    let mut data = Dataset::open(&path, Mode::NOWRITE).unwrap();
    assert_eq!(data.inq_dimid(ROOT, "z"), Ok(dimid));
    assert_eq!(data.inq_dim(ROOT, dimid).unwrap().length, 3);
}

#[test]
fn dimensions_are_found_by_their_paths() {
    let directory = tempfile::tempdir().unwrap();
    let mut data = Dataset::create(&directory.path().join("a.nc"), Mode::NETCDF4).unwrap();
    let group = data.def_grp(ROOT, "g").unwrap();
    let dimid = data.def_dim(group, "x", 2).unwrap();
    assert_eq!(data.inq_dimid(ROOT, "/g/x"), Ok(dimid));
    // As in netCDF-C, odd ones among them.
    assert_eq!(data.inq_dimid(ROOT, "g/x"), Err(Status::EINVAL));
    assert_eq!(data.inq_dimid(group, "/x"), Err(Status::EINVAL));
    assert_eq!(data.inq_dimid(ROOT, "/g/y"), Err(Status::EBADTYPE));
    assert_eq!(data.inq_dimid(ROOT, "/h/x"), Err(Status::ENOGRP));
    data.close().unwrap();
}
