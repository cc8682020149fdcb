"""``frazil.open``: numpy's indices, every type, and what goes wrong."""

import pickle
import subprocess
import sys
import threading
import time

import frazil
import h5py
import netCDF4
import numpy as np
import pytest

pytestmark = pytest.mark.sampled(one_in=3)

NUMBERS = ["i1", "u1", "i2", "u2", "i4", "u4", "i8", "u8", "f4", "f8"]


@pytest.fixture(scope="module")
def box(tmp_path_factory):
    """A file of one chunked variable, and its values."""
    path = tmp_path_factory.mktemp("box") / "box.nc"
    values = np.arange(11 * 30 * 40, dtype="f4").reshape(11, 30, 40)
    with netCDF4.Dataset(path, "w") as file:
        for name, length in zip("tyx", (None, 30, 40), strict=True):
            file.createDimension(name, length)
        variable = file.createVariable("v", "f4", ("t", "y", "x"), zlib=True, chunksizes=(2, 7, 9))
        variable[:] = values
        variable.units = "K"
        file.createVariable("scalar", "i8")[...] = 7
    return path, values


KEYS = [
    np.s_[...],
    np.s_[:],
    np.s_[0],
    np.s_[-1],
    np.s_[2:5, 3:9, 1:30:4],
    np.s_[::-1],
    np.s_[9:2:-3, ::-7, 5],
    np.s_[..., 0],
    np.s_[1, ..., -3:],
    np.s_[100:],
    np.s_[3:3],
    np.s_[[1, 5, 3]],
    np.s_[:, [0, 29, 29, 1]],
    np.s_[np.array([0, 4]), 2, ::2],
    np.s_[[-1, 0]],
    np.s_[:, [], 3],
    np.s_[np.arange(11) % 2 == 0, 4:6],
    np.s_[np.int64(3), np.uint8(2)],
]


@pytest.mark.parametrize("key", KEYS, ids=str)
def test_indices_are_numpys(box, key):
    path, values = box
    with frazil.open(path) as file:
        found = file.variables["v"][key]
        assert found.dtype == values.dtype
        np.testing.assert_array_equal(found, values[key])


def test_arrays_along_several_axes_stand_for_all_combinations(box):
    path, values = box
    with frazil.open(path) as file:
        found = file.variables["v"][[1, 5], [7, 3, 2], 4:6]
        np.testing.assert_array_equal(found, values[np.ix_([1, 5], [7, 3, 2], [4, 5])])


@pytest.mark.parametrize(
    "key",
    [
        np.s_[11],
        np.s_[-12],
        np.s_[0, 0, 0, 0],
        np.s_[[11]],
        np.s_[[0.5]],
        np.s_[1.5],
        np.s_[True],
        np.s_["a"],
        np.s_[[[1]]],
    ],
    ids=str,
)
def test_indices_that_cannot_be_are_indexerrors(box, key):
    with frazil.open(box[0]) as file, pytest.raises(IndexError):
        file.variables["v"][key]


def test_what_a_file_shows(box):
    path, values = box
    with frazil.open(path) as file:
        assert file.format == "netCDF-4"
        assert file.dims == {"t": 11, "y": 30, "x": 40}
        assert file.unlimited_dims == {"t"}
        variable = file["v"]
        assert variable is file.variables["v"] and "v" in file and "w" not in file
        assert (variable.shape, variable.dims, variable.ndim) == ((11, 30, 40), tuple("tyx"), 3)
        assert (variable.chunks, variable.size, len(variable)) == ((2, 7, 9), values.size, 11)
        assert variable.attrs == {"units": "K"} and variable.path == "/v"
        assert variable.filters()["zlib"] and variable.filters()["complevel"] == 4
        np.testing.assert_array_equal(np.asarray(variable), values)
        assert file.variables["scalar"][...] == 7 and file.variables["scalar"].shape == ()
        assert "/v float32 (t: 11, y: 30, x: 40)" in repr(file)
        assert "<svg" in variable._repr_html_() and "<svg" in file._repr_html_()
        assert list(file) == ["v", "scalar"]
        with pytest.raises(frazil.errors.NotFoundError):
            file["nothing"]
        with pytest.raises(TypeError):
            variable.attrs["units"] = "m"
    assert file.closed
    with pytest.raises(ValueError, match="closed"):
        variable[0]


def test_files_and_variables_can_be_pickled(box):
    path, values = box
    with frazil.open(path) as file:
        variable = pickle.loads(pickle.dumps(file.variables["v"]))
    np.testing.assert_array_equal(variable[3], values[3])


def test_every_type_of_number_in_both_byte_orders(tmp_path):
    path = tmp_path / "types.nc"
    with netCDF4.Dataset(path, "w") as file:
        file.createDimension("x", 50)
        for name in NUMBERS:
            for endian in ("little", "big"):
                variable = file.createVariable(f"{name}_{endian}", name, ("x",), endian=endian)
                variable[:] = np.arange(50)
    with frazil.open(path) as file:
        for name in NUMBERS:
            for endian in ("little", "big"):
                variable = file.variables[f"{name}_{endian}"]
                assert variable.dtype == np.dtype(name) and variable.dtype.isnative
                np.testing.assert_array_equal(variable[:], np.arange(50))
                assert variable.is_big_endian == (endian == "big" and variable.dtype.itemsize > 1)


def test_types_of_hdf5(tmp_path):
    path = tmp_path / "types.h5"
    record = np.dtype([("a", "<i2"), ("b", ">f8"), ("c", "S3"), ("d", "<u1", (2,))])
    records = np.array([(1, 2.5, b"xyz", (1, 2)), (-3, 0.1, b"p", (3, 4))], record)
    complexes = np.array([1 + 2j, 3 - 4j])
    ragged = [np.arange(3), np.arange(0), np.arange(5)]
    with h5py.File(path, "w") as file:
        file["record"] = records
        file["complex"] = complexes
        file["bool"] = np.array([True, False])
        file["fixed"] = np.array([b"ab", b"cdef"])
        file["opaque"] = np.array([b"12", b"34"]).view("V2")
        file["half"] = np.array([0.5, 2], "f2")
        vlen = file.create_dataset("vlen", (3,), h5py.vlen_dtype("i8"))
        for i, one in enumerate(ragged):
            vlen[i] = one
        file["texts"] = np.array(["a", "ü", ""], dtype=h5py.string_dtype())
        file["record"].attrs["of_record"] = records[0]
        file["record"].attrs["texts"] = ["x", "yy"]
        file["record"].attrs["empty"] = h5py.Empty("f4")
        file["null"] = h5py.Empty("f4")
    with frazil.open(path) as file:
        found = file.variables["record"]
        assert (found[:] == records).all() and found.attrs["texts"] == ["x", "yy"]
        assert found.attrs["of_record"]["b"] == 2.5 and found.attrs["of_record"]["a"] == 1
        np.testing.assert_array_equal(file.variables["complex"][:], complexes)
        assert file.variables["bool"].enum[1] == {"FALSE": 0, "TRUE": 1}
        assert file.variables["bool"][:].tolist() == [1, 0]
        assert file.variables["fixed"][:].tolist() == [b"ab", b"cdef"]
        assert file.variables["opaque"][:].tobytes() == b"1234"
        assert file.variables["half"][:].tolist() == [0.5, 2]
        for one, other in zip(file.variables["vlen"][:], ragged, strict=True):
            np.testing.assert_array_equal(one, other)
        assert file.variables["texts"][:].tolist() == ["a", "ü", ""]
        assert file.variables["texts"][1] == "ü"


@pytest.mark.parametrize(
    "format", ["NETCDF3_CLASSIC", "NETCDF3_64BIT_OFFSET", "NETCDF3_64BIT_DATA"]
)
def test_classic_files(format, tmp_path):
    path = tmp_path / "classic.nc"
    with netCDF4.Dataset(path, "w", format=format) as file:
        file.createDimension("t", None)
        file.createDimension("x", 3)
        file.createVariable("a", "f8", ("t", "x"))[:] = np.arange(12).reshape(4, 3)
        file.createVariable("c", "S1", ("x",))[:] = [b"x", b"y", b"z"]
        file.title = "classic"
    with frazil.open(path) as file:
        assert file.format.startswith("CDF") and file.attrs["title"] == "classic"
        np.testing.assert_array_equal(file.variables["a"][1:3], np.arange(3, 9).reshape(2, 3))
        assert file.variables["c"][:].tolist() == [b"x", b"y", b"z"]


def test_values_that_were_never_written_are_fill_values(tmp_path):
    path = tmp_path / "short.nc"
    with netCDF4.Dataset(path, "w") as file:
        file.createDimension("t", None)
        file.createDimension("x", 100)
        file.createVariable("long", "i4", ("t",))[:] = np.arange(8)
        short = file.createVariable("short", "f4", ("t", "x"), zlib=True, fill_value=-5)
        short[0, :10] = 1
    with frazil.open(path) as file:
        found = file.variables["short"][:]
    assert found.shape == (8, 100)
    assert (found[0, :10] == 1).all() and (found[0, 10:] == -5).all() and (found[1:] == -5).all()


def short_variable(path, dtype, *, fill, attribute, fill_time):
    """A variable of two elements along an unlimited dimension of four."""
    with netCDF4.Dataset(path, "w") as file:
        file.createDimension("t", None)
        file.createVariable("t", "f8", ("t",))[:] = np.arange(4)
    with h5py.File(path, "a") as file:
        creation = h5py.h5p.create(h5py.h5p.DATASET_CREATE)
        creation.set_chunk((2,))
        if fill is not None:
            creation.set_fill_value(np.array([fill], dtype))
        if fill_time is not None:
            creation.set_fill_time(fill_time)
        space = h5py.h5s.create_simple((2,), (h5py.h5s.UNLIMITED,))
        h5py.h5d.create(file.id, b"short", h5py.h5t.py_create(np.dtype(dtype)), space, creation)
        file["short"][:] = np.ones(2, dtype)
        file["short"].dims[0].attach_scale(file["t"])
        if attribute is not None:
            file["short"].attrs["_FillValue"] = np.array([attribute], dtype)


@pytest.mark.parametrize("dtype", [*NUMBERS, ">f4", ">i8", "S1"])
@pytest.mark.parametrize("fill", [None, 7])
@pytest.mark.parametrize("attribute", [None, 3])
@pytest.mark.parametrize("fill_time", [None, h5py.h5d.FILL_TIME_NEVER])
def test_values_beyond_the_end_of_a_variable(tmp_path, dtype, fill, attribute, fill_time):
    path = tmp_path / "short.nc"
    short_variable(path, dtype, fill=fill, attribute=attribute, fill_time=fill_time)
    with netCDF4.Dataset(path) as stored, frazil.open(path) as file:
        variable = stored["short"]
        variable.set_auto_maskandscale(False)
        variable.set_auto_chartostring(False)
        np.testing.assert_array_equal(file["short"][:], variable[:])


@pytest.mark.parametrize(("base", "fill"), [("<i4", -7), (">i4", -7), ("<u2", 9), ("<i8", None)])
def test_fill_values_of_integers_of_unusual_precision(tmp_path, base, fill):
    """netCDF-C has no name for the type; h5py reads chunks that were never written."""
    path = tmp_path / "short.nc"
    with netCDF4.Dataset(path, "w") as file:
        file.createDimension("t", None)
        file.createVariable("t", "f8", ("t",))[:] = np.arange(9)
    with h5py.File(path, "a") as file:
        kind = h5py.h5t.py_create(np.dtype(base)).copy()
        kind.set_precision(8 * kind.get_size() - 4)
        creation = h5py.h5p.create(h5py.h5p.DATASET_CREATE)
        creation.set_chunk((3,))
        if fill is not None:
            creation.set_fill_value(np.array(fill, "i4"))
        space = h5py.h5s.create_simple((6,), (h5py.h5s.UNLIMITED,))
        h5py.h5d.create(file.id, b"short", kind, space, creation)
        file["short"][:2] = [1, 2]
        file["short"].dims[0].attach_scale(file["t"])
    with h5py.File(path) as stored, frazil.open(path) as file:
        inside = stored["short"][:]
        assert inside.tolist() == [1, 2] + [fill or 0] * 4
        assert file["short"][:].tolist() == [*inside, *[fill or 0] * 3]


@pytest.mark.parametrize(("unused", "offset"), [(4, 0), (4, 3), (6, 5), (1, 1)])
@pytest.mark.parametrize("base", ["<i2", ">i2", "<i4", ">i4", "<u2", ">u8", ">i8"])
def test_integers_in_some_of_their_bits(tmp_path, base, unused, offset):
    """libhdf5 1.10 only swaps the bytes of big-endian ones: h5dump shows 4095 for -1."""
    path = tmp_path / "odd.h5"
    values = np.array([0, 1, 5, 100, 255, 17], "i8")
    if np.dtype(base).kind == "i":
        values[1::2] *= -1
    with h5py.File(path, "w") as file:
        kind = h5py.h5t.py_create(np.dtype(base)).copy()
        kind.set_precision(8 * kind.get_size() - unused)
        kind.set_offset(offset)
        space = h5py.h5s.create_simple((6,))
        h5py.h5d.create(file.id, b"v", kind, space).write(h5py.h5s.ALL, h5py.h5s.ALL, values)
        chunked = h5py.h5p.create(h5py.h5p.DATASET_CREATE)
        chunked.set_chunk((4,))
        chunked.set_deflate(1)
        packed = h5py.h5d.create(file.id, b"packed", kind, space, chunked)
        packed.write(h5py.h5s.ALL, h5py.h5s.ALL, values)
        h5py.h5a.create(file["v"].id, b"a", kind, space).write(values)
        pair = h5py.h5t.create(h5py.h5t.COMPOUND, kind.get_size() + 4)
        pair.insert(b"odd", 0, kind)
        pair.insert(b"even", kind.get_size(), h5py.h5t.STD_I32LE)
        h5py.h5d.create(file.id, b"pair", pair, space)
    with frazil.open(path) as file:
        assert file["v"].dtype == np.dtype(base).newbyteorder("=")
        assert file["v"][:].tolist() == file["packed"][:].tolist() == values.tolist()
        assert file["v"][1::2].tolist() == values[1::2].tolist()
        assert file["v"].attrs["a"].tolist() == values.tolist()
        # Bytes rather than other numbers.
        assert file["pair"].dtype["odd"].kind == "V" and file["pair"].dtype["even"] == "i4"


def test_integers_of_more_than_eight_bytes_are_bytes(tmp_path):
    path = tmp_path / "wide.h5"
    with h5py.File(path, "w") as file:
        kind = h5py.h5t.STD_I32LE.copy()
        kind.set_size(12)
        kind.set_precision(90)
        h5py.h5d.create(file.id, b"wide", kind, h5py.h5s.create_simple((3,)))
        file["other"] = np.arange(4)
    with frazil.open(path) as file:
        assert file["wide"].dtype == "V12" and file["wide"].shape == (3,)
        assert file["other"][:].tolist() == [0, 1, 2, 3]


@pytest.mark.parametrize("attribute", [None, -3])
def test_values_beyond_the_end_of_a_variable_without_fill_values(tmp_path, attribute):
    path = tmp_path / "short.nc"
    with netCDF4.Dataset(path, "w") as file:
        file.createDimension("t", None)
        file.createVariable("long", "f4", ("t",))[:4] = 1
        file.createVariable("short", "f4", ("t",), fill_value=False)[:2] = 1
    if attribute is not None:
        with h5py.File(path, "a") as file:
            file["short"].attrs["_FillValue"] = np.array([attribute], "f4")
    with netCDF4.Dataset(path) as stored, frazil.open(path) as file:
        stored["short"].set_auto_mask(False)
        np.testing.assert_array_equal(file["short"][:], stored["short"][:])


def test_damage_names_file_variable_and_chunk(box, tmp_path):
    content = bytearray(box[0].read_bytes())
    path = tmp_path / "damaged.nc"
    with netCDF4.Dataset(path, "w") as file:
        file.createDimension("x", 100_000)
        noise = np.random.default_rng(0).normal(size=100_000)
        file.createVariable("v", "f8", ("x",), zlib=True, chunksizes=(1000,))[:] = noise
    content = bytearray(path.read_bytes())
    middle = len(content) // 2
    content[middle : middle + 3000] = b"\xff" * 3000
    path.write_bytes(content)
    with frazil.open(path) as file, pytest.raises(frazil.errors.CorruptError) as caught:
        file.variables["v"][:]
    assert caught.value.file == str(path) and caught.value.variable == "/v"
    assert "chunk" in caught.value.cause


def test_checksums_can_be_skipped(tmp_path):
    path = tmp_path / "sum.nc"
    with netCDF4.Dataset(path, "w") as file:
        file.createDimension("x", 1000)
        file.createVariable("v", "f8", ("x",), fletcher32=True, chunksizes=(1000,))[:] = 1.5
    content = bytearray(path.read_bytes())
    at = content.index(np.full(100, 1.5).tobytes())
    content[at + 80] ^= 1
    path.write_bytes(content)
    with (
        frazil.open(path) as file,
        pytest.raises(frazil.errors.CorruptError, match=r"(?i)fletcher"),
    ):
        file.variables["v"][:]
    with frazil.open(path, verify="never") as file:
        assert (file.variables["v"][:] != 1.5).sum() == 1
    with pytest.raises(ValueError):
        frazil.open(path, verify="sometimes")


def test_a_file_that_changed_is_read_anew_or_refused(tmp_path):
    path = tmp_path / "changes.nc"

    def write(name, value):
        with netCDF4.Dataset(path, "w") as file:
            file.createDimension("x", 1000)
            file.createVariable(name, "i4", ("x",), zlib=True)[:] = value

    write("v", 1)
    with frazil.open(path) as file:
        assert (file.variables["v"][:] == 1).all()
        write("v", 2)
        assert (file.variables["v"][:] == 2).all()
        write("w", 3)
        with pytest.raises(frazil.errors.FileChangedError):
            file.variables["v"][:]


RESTLESS = """
import sys, time, h5py
with h5py.File(sys.argv[1], "r+", locking=False) as file:
    end, number = time.time() + float(sys.argv[2]), 0
    while time.time() < end:
        number += 1
        file["v"][:300] = number
        file.flush()
        time.sleep(0.04)
        file["v"][300:] = number
        file.flush()
        time.sleep(0.04)
"""


def test_a_file_that_changes_all_the_time_is_refused_or_read_in_peace(tmp_path):
    path = tmp_path / "restless.h5"
    with h5py.File(path, "w") as file:
        file.create_dataset("v", data=np.zeros(600, "i4"), chunks=(100,))
    command = [sys.executable, "-c", RESTLESS, path, "6"]
    with subprocess.Popen(command) as writer:
        refused = 0
        while writer.poll() is None:
            begun = time.monotonic()
            try:
                with frazil.open(path) as file:
                    values = file.variables["v"][:]
            except frazil.Error as error:
                refused += isinstance(error, frazil.errors.FileChangedError)
                # On a busy machine the writer may pause for long.
                assert time.monotonic() - begun < 60
                continue
            # A writer that gets no time stays between its two halves; that is a state of the file.
            # A second half that is ahead of the first never was one.
            halves = values.reshape(2, 300)
            assert (halves == halves[:, :1]).all(), np.unique(values)
            assert halves[0, 0] - halves[1, 0] in (0, 1), np.unique(values)
        assert writer.returncode == 0
    assert refused
    with frazil.open(path) as file:
        values = file.variables["v"][:]
    assert values[0] > 1 and (values == values[0]).all()


def test_one_budget_for_all_files(box):
    frazil.set_read_budget(32 << 20)
    try:
        with frazil.open(box[0]) as file:
            for _ in range(3):
                file.variables["v"][0, 0, 0]
        stats = frazil.read_stats()
        assert stats["budget_bytes"] == 32 << 20
        assert stats["hits"] > 0 and 0 < stats["hit_rate"] < 1
        frazil.set_read_budget(0)
        assert frazil.read_stats()["kept_bytes"] == 0
    finally:
        frazil.set_read_budget(256 << 20)


def test_threads_of_python_read_at_the_same_time(box):
    path, values = box
    failures = []
    with frazil.open(path) as file:
        variable = file.variables["v"]

        def work(seed):
            chance = np.random.default_rng(seed)
            for _ in range(200):
                t, y, x = (chance.integers(0, n) for n in values.shape)
                key = np.s_[t:, : y + 1, x]
                if not (variable[key] == values[key]).all():
                    failures.append(key)

        threads = [threading.Thread(target=work, args=(seed,)) for seed in range(16)]
        for thread in threads:
            thread.start()
        for thread in threads:
            thread.join()
    assert not failures


def test_a_file_whose_name_went_to_another_is_read_as_it_was(tmp_path):
    def write(name, scale):
        with netCDF4.Dataset(tmp_path / name, "w") as file:
            file.createDimension("x", 1000)
            variable = file.createVariable("v", "i2", ("x",), zlib=True, chunksizes=(100,))
            variable.set_auto_scale(False)
            variable.scale_factor = scale
            variable[:] = 100

    write("v.nc", 0.5)
    write("next.nc", 0.25)
    with frazil.open(tmp_path / "v.nc") as file:
        before = file.variables["v"][:500]
        (tmp_path / "next.nc").replace(tmp_path / "v.nc")
        assert (file.variables["v"][500:] == before).all()
        assert file.variables["v"].attrs["scale_factor"] == 0.5
    with frazil.open(tmp_path / "v.nc") as file:
        assert file.variables["v"].attrs["scale_factor"] == 0.25
        # The same file, made anew: what was found does not hold for it.
        write("v.nc", 0.5)
        with pytest.raises(frazil.errors.FileChangedError):
            file.variables["v"][:]


def test_what_would_be_opened_by_a_name_that_went_to_another_is_refused(tmp_path):
    """More files than stay open with their metadata, and texts, which libhdf5 may have to read."""

    def write(name, value):
        with netCDF4.Dataset(tmp_path / name, "w") as file:
            file.createDimension("x", 20)
            file.createVariable("v", "i4", ("x",), zlib=True)[:] = value
            file.createVariable("s", str, ("x",))[:] = np.array([str(value)] * 20, object)

    for number in range(40):
        write(f"{number}.nc", number)
    files = [frazil.open(tmp_path / f"{number}.nc") for number in range(40)]
    for number in range(40):
        write("next.nc", 100 + number)
        (tmp_path / "next.nc").replace(tmp_path / f"{number}.nc")
    for number, file in enumerate(reversed(files)):
        for name in ("v", "s"):
            try:
                values = file.variables[name][:]
            except frazil.errors.FileChangedError:
                continue
            assert (values.astype(int) == 39 - number).all()
        file.close()
