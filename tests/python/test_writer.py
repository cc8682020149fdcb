"""The Writer: numpy's arrays in, what netCDF4 and h5py read out."""

import os
import subprocess
import sys
import threading
from pathlib import Path

import frazil
import netCDF4
import numpy as np
import pytest

NUMBERS = ["i1", "u1", "i2", "u2", "i4", "u4", "i8", "u8", "f4", "f8"]


def test_every_type_of_number_in_both_byte_orders(tmp_path):
    path = tmp_path / "types.nc"
    values = {name: np.arange(-3, 60).astype(name) for name in NUMBERS}
    with frazil.Writer(path) as writer:
        writer.add_dimension("x", 63)
        for name, array in values.items():
            for endian in ("little", "big"):
                variable = writer.add_variable(f"{name}_{endian}", name, ["x"], endian=endian)
                variable[:] = array
                # Another byte order in memory makes no difference.
                variable[5:9] = array[5:9].astype(array.dtype.newbyteorder())
                assert (variable[:] == array).all()
    with netCDF4.Dataset(path) as file, frazil.open(path) as own:
        for name, array in values.items():
            for endian in ("little", "big"):
                found = file[f"{name}_{endian}"]
                found.set_auto_maskandscale(False)
                assert (found[:] == array).all()
                if array.itemsize > 1:
                    assert (found.endian() == "big") == (endian == "big")
                read = own.variables[f"{name}_{endian}"]
                assert read.dtype == array.dtype and (read[:] == array).all()


def test_texts_and_characters(tmp_path):
    path = tmp_path / "texts.nc"
    texts = np.array([["a", "ä", ""], ["long " * 50, "\N{SNOWMAN}", "z"]], dtype=object)
    with frazil.Writer(path) as writer:
        writer.add_dimension("t", None)
        writer.add_dimension("x", 3)
        writer.add_variable("s", str, ["t", "x"])[:] = texts
        writer.add_variable("c", "S1", ["x"], fill_value=b"-")[0:2] = np.array([b"a", b"b"])
        writer.add_variable("scalar", str)[...] = "alone"
        assert (writer["s"][1] == texts[1]).all()
    with netCDF4.Dataset(path) as file:
        assert (file["s"][:] == texts).all()
        assert list(file["c"][:].filled()) == [b"a", b"b", b"-"]
        assert file["scalar"][...] == "alone"


def test_attributes_have_the_types_that_netcdf4_gives_them(tmp_path):
    attributes = {
        "text": "plain",
        "empty": "",
        "unicode": "größer",
        "texts": ["a", "bb"],
        "int": 7,
        "float": 0.5,
        "int16": np.int16(3),
        "array": np.arange(3, dtype="f4"),
        "bytes": b"raw",
    }
    ours, theirs = tmp_path / "ours.nc", tmp_path / "theirs.nc"
    with frazil.Writer(ours) as writer:
        writer.add_variable("v", "i4", attrs=attributes)
        for name, value in attributes.items():
            writer.set_attribute(name, value)
    with netCDF4.Dataset(theirs, "w") as file:
        file.createVariable("v", "i4")
        for at in (file, file["v"]):
            at.setncatts(attributes)
    with netCDF4.Dataset(ours) as a, netCDF4.Dataset(theirs) as b:
        for x, y in ((a, b), (a["v"], b["v"])):
            assert x.ncattrs() == y.ncattrs()
            for name in y.ncattrs():
                one, other = x.getncattr(name), y.getncattr(name)
                assert type(one) is type(other), name
                assert np.array_equal(one, other), name


def test_slices_of_any_kind(tmp_path):
    path = tmp_path / "slices.nc"
    expected = np.full((7, 20, 30), -1, dtype="f4")
    with frazil.Writer(path) as writer:
        for name, length in zip("tyx", expected.shape, strict=True):
            writer.add_dimension(name, None if name == "t" else length)
        variable = writer.add_variable("v", "f4", list("tyx"), fill_value=-1, chunks=(2, 8, 8))
        for number, key in enumerate(
            [
                np.s_[0],
                np.s_[2:5, 3:9, 1:30:4],
                np.s_[6, -1],
                np.s_[..., 7],
                np.s_[1::2, :, 11:13],
                np.s_[5, 5, 5],
            ]
        ):
            variable[6, 0, 0] = 0
            expected[6, 0, 0] = 0
            shape = expected[key].shape
            values = np.arange(int(np.prod(shape)), dtype="f4").reshape(shape) + 1000 * number
            variable[key] = values
            expected[key] = values
        variable[3] = 5.5
        expected[3] = 5.5
        assert (variable[:] == expected).all()
        assert (variable[1::2, 3, ::5] == expected[1::2, 3, ::5]).all()
        assert variable.shape == expected.shape
    with netCDF4.Dataset(path) as file:
        assert (file["v"][:].filled() == expected).all()
        assert file["v"].chunking() == [2, 8, 8]


def test_values_in_other_orders_and_types_are_converted(tmp_path):
    path = tmp_path / "order.nc"
    values = np.asfortranarray(np.arange(20_000_000, dtype="f8").reshape(4000, 5000))
    with frazil.Writer(path) as writer:
        writer.add_dimension("y", 4000)
        writer.add_dimension("x", 5000)
        variable = writer.add_variable("v", "f4", ["y", "x"])
        variable[:] = values
        with pytest.raises(ValueError, match="same_kind"):
            writer.add_variable("i", "i4", ["x"])[:] = np.full(5000, 0.5)
        with pytest.raises(ValueError):
            variable[:, 0:7] = np.zeros((4000, 8))
    with netCDF4.Dataset(path) as file:
        assert (file["v"][:] == values.astype("f4")).all()


def test_groups_and_inherited_dimensions(tmp_path):
    path = tmp_path / "groups.nc"
    with frazil.Writer(path) as writer:
        writer.add_dimension("x", 3)
        writer.add_group("a/b")
        writer.add_group("a/b")
        writer.add_variable("v", "i4", ["x"], "a/b")[:] = [1, 2, 3]
        writer.set_attribute("here", 1, "/a")
        assert list(writer.variables("/a/b")) == ["v"] and not writer.variables()
        assert writer.dimensions("a", inherited=True) == {"x": 3}
        with pytest.raises(frazil.errors.NotFoundError):
            writer.add_variable("w", "i4", ["y"], "a")
        with pytest.raises(frazil.errors.NotFoundError):
            writer.add_variable("w", "i4", ["x"], "nowhere")
    with netCDF4.Dataset(path) as file:
        assert list(file["a/b/v"][:]) == [1, 2, 3] and file["a"].here == 1


def test_filters_rounding_and_plans(tmp_path):
    path = tmp_path / "filters.nc"
    values = np.random.default_rng(0).normal(size=(200, 300)).astype("f4")
    with frazil.Writer(path, readable_by="plugins", keep_plan=True) as writer:
        writer.add_dimension("y", 200)
        writer.add_dimension("x", 300)
        options = {
            "zlib": {"compression": "zlib", "level": 7, "shuffle": False, "checksum": True},
            "zstd": {"compression": "zstd"},
            "none": {"compression": "none", "chunks": (50, 50)},
            "contiguous": {"contiguous": True},
            "rounded": {"precision": {"significant_bits": 5}},
        }
        for name, one in options.items():
            writer.add_variable(name, "f4", ["y", "x"], **one)[:] = values
        with pytest.raises(NotImplementedError, match="lzma"):
            writer.add_variable("bad", "f4", ["y", "x"], compression="lzma")
    info = frazil.info(path)
    assert info["zlib"].filters == "deflate(7)+fletcher32"
    assert info["zstd"].filters == "shuffle+zstd(3)"
    assert (info["none"].filters, info["none"].chunk) == ("none", [50, 50])
    assert info["contiguous"].layout == "contiguous"
    with frazil.open(path) as file:
        assert "frazil_plan" in file.attrs
        for name in options:
            found = file.variables[name][:]
            bound = 2.0**-6 if name == "rounded" else 0
            assert (np.abs(found - values) <= bound * np.abs(values)).all()
        assert (file.variables["rounded"][:] != values).any()


@pytest.mark.parametrize("chain", ["shuffle+deflate(2)", "bitshuffle+zstd(4)", "lorenzo+pcodec(8)"])
def test_stated_filters_and_goals(tmp_path, chain):
    path = tmp_path / "stated.nc"
    values = np.cumsum(np.random.default_rng(0).normal(size=(200, 300)), axis=1).astype("f4")

    def write(**options):
        with frazil.Writer(path, **options) as writer:
            writer.add_dimension("y", 200)
            writer.add_dimension("x", 300)
            writer.add_variable("v", "f4", ["y", "x"], chunks=(100, 300))[:] = values
        with frazil.open(path) as file:
            assert (file.variables["v"][:] == values).all()
        return frazil.info(path)["v"]

    assert write(readable_by="frazil", filters=chain).filters == chain.replace("lorenzo", "delta")
    goals = ("speed", "balanced", "size", "archive")
    sizes = [write(goal=goal, readable_by="plugins").stored_bytes for goal in goals]
    assert sizes[3] <= sizes[2] * 1.01 and sizes[3] < values.nbytes
    with pytest.raises(frazil.errors.InvalidArgumentError, match="readable by"):
        write(filters="pcodec")
    with pytest.raises(frazil.errors.InvalidArgumentError, match="gzip"):
        write(filters="gzip")
    with pytest.raises(frazil.errors.InvalidArgumentError, match="fast"):
        write(goal="fast")


def test_requests_for_filters(tmp_path):
    path = tmp_path / "requested.nc"
    values = np.cumsum(np.random.default_rng(0).normal(size=(200, 300)), axis=1).astype("f4")
    requests = {"*": {"filters": "shuffle+deflate(3)"}, "c": {"significant_bits": 9}}
    with frazil.Writer(path, readable_by="plugins", precision=requests) as writer:
        writer.add_dimension("y", 200)
        writer.add_dimension("x", 300)
        own = {"precision": {"min_write_speed": "2GB/s"}}
        kinds = {"a": {}, "b": own, "c": {}, "d": {"compression": "zstd"}}
        for name, options in kinds.items():
            writer.add_variable(name, "f4", ["y", "x"], chunks=(50, 300), **options)
        for name in kinds:
            writer[name][:] = values
        reasons = {one["path"]: one["reason"] for one in writer.plan().variables}
        with pytest.raises(
            frazil.errors.InvalidArgumentError, match="rules about filters cannot apply"
        ) as caught:
            writer.add_variable("e", "f4", ["y", "x"], compression="zlib", **own)
        assert caught.value.file == str(path) and caught.value.variable == "e"
        with pytest.raises(frazil.errors.InvalidArgumentError, match="only chunks can be filtered"):
            chain = {"filters": "shuffle+deflate(1)"}
            writer.add_variable("e", "f4", ["y", "x"], contiguous=True, precision=chain)
    info = frazil.info(path)
    assert info["a"].filters == info["c"].filters == "shuffle+deflate(3)"
    assert info["d"].filters == "shuffle+zstd(3)"
    assert info["b"].filters != "shuffle+deflate(3)"
    assert reasons["/a"] == "from rules"
    assert "write floor of 2000 MB/s from rules" in reasons["/b"]
    with netCDF4.Dataset(path) as file:
        assert file["a"].filters()["complevel"] == 3
        assert (file["a"][:] == values).all() and (file["c"][:] != values).any()


def test_a_plan_is_replayed(tmp_path):
    values = np.random.default_rng(0).normal(size=(100, 300)).astype("f4")

    def write(path, **options):
        with frazil.Writer(path, **options) as writer:
            writer.add_dimension("y", 100)
            writer.add_dimension("x", 300)
            writer.add_variable("v", "f4", ["y", "x"])[:] = values
            writer.sync()
            return writer.plan()

    plan = write(tmp_path / "a.nc")
    plan.variables[0]["layout"] = {"kind": "chunked", "chunk": [10, 60]}
    write(tmp_path / "b.nc", plan=frazil.WritePlan.from_json(plan.to_json()))
    assert frazil.info(tmp_path / "b.nc")["v"].chunk == [10, 60]


def test_a_plan_that_protects_nan_is_replayed(tmp_path):
    """JSON has no word for NaN; a plan does."""
    values = np.random.default_rng(0).normal(size=(100, 300)).astype("f4")
    values[5] = np.nan

    def write(path, precision, **options):
        with frazil.Writer(path, **options) as writer:
            writer.add_dimension("y", 100)
            writer.add_dimension("x", 300)
            writer.add_variable("v", "f4", ["y", "x"], fill_value=np.nan, precision=precision)[
                :
            ] = values
            writer.sync()
            return writer.plan()

    plan = write(tmp_path / "a.nc", {"significant_digits": 3})
    assert plan.variables[0]["quantize"]["protected"]["values"] == ["NaN"]
    write(tmp_path / "b.nc", None, plan=frazil.WritePlan.from_json(plan.to_json()))
    first, second = (frazil.open(tmp_path / name).variables["v"][:] for name in ("a.nc", "b.nc"))
    np.testing.assert_array_equal(first, second)
    assert not np.array_equal(first, values, equal_nan=True)


def test_an_exception_gives_up_what_was_not_committed(tmp_path):
    path = tmp_path / "given_up.nc"
    with pytest.raises(ZeroDivisionError), frazil.Writer(path) as writer:
        writer.add_dimension("x", 3)
        writer.add_variable("v", "i4", ["x"])[:] = 1
        raise ZeroDivisionError
    assert not path.exists()
    with pytest.raises(ZeroDivisionError), frazil.Writer(path) as writer:
        writer.add_dimension("t", None)
        variable = writer.add_variable("v", "i4", ["t"])
        variable[0:3] = [1, 2, 3]
        writer.sync()
        variable[3:5] = [4, 5]
        raise ZeroDivisionError
    assert list(frazil.open(path).variables["v"][:]) == [1, 2, 3]


def test_appending_and_modes(tmp_path):
    path = tmp_path / "grows.nc"
    with frazil.Writer(path, "x") as writer:
        writer.add_dimension("t", None)
        writer.add_variable("v", "i4", ["t"])[0:2] = [1, 2]
    with pytest.raises(FileExistsError):
        frazil.Writer(path, "x")
    with frazil.Writer(path, "a") as writer:
        writer["v"][2:4] = [3, 4]
        assert writer["v"][:].tolist() == [1, 2, 3, 4]
    assert frazil.open(path).variables["v"][:].tolist() == [1, 2, 3, 4]
    with pytest.raises(ValueError):
        frazil.Writer(path, "q")
    closed = frazil.Writer(path, "w")
    report = closed.close()
    assert closed.close() is report and "closed" in repr(closed)
    with pytest.raises(ValueError, match="closed"):
        closed.sync()


def test_many_threads_put_into_one_writer(tmp_path):
    path = tmp_path / "threads.nc"
    values = np.random.default_rng(0).integers(0, 1000, (64, 100, 100)).astype("i4")
    with frazil.Writer(path) as writer:
        writer.add_dimension("t", None)
        for name in "yx":
            writer.add_dimension(name, 100)
        variable = writer.add_variable("v", "i4", ["t", "y", "x"])

        def work(first):
            for i in range(first, 64, 8):
                variable[i] = values[i]

        threads = [threading.Thread(target=work, args=(i,)) for i in range(8)]
        for thread in threads:
            thread.start()
        for thread in threads:
            thread.join()
    assert (frazil.open(path).variables["v"][:] == values).all()


UNCLOSED = """
import os, signal, sys
import frazil
writer = frazil.Writer("out.nc")
writer.add_dimension("x", 3)
writer.add_variable("v", "i4", ["x"])[:] = [1, 2, 3]
"""


@pytest.mark.parametrize(
    ("end", "code"),
    [
        ("", 0),
        ("sys.exit(3)", 3),
        ("raise KeyError", 1),
        ("if os.fork() == 0: sys.exit()\nos.wait()", 0),
        ("signal.signal(signal.SIGTERM, lambda *_: sys.exit(7))\nos.kill(os.getpid(), 15)", 7),
    ],
)
def test_a_program_that_does_not_close_is_committed(tmp_path, end, code):
    done = subprocess.run([sys.executable, "-c", UNCLOSED + end], cwd=tmp_path, check=False)
    assert done.returncode == code
    with netCDF4.Dataset(tmp_path / "out.nc") as file:
        assert file["v"][:].tolist() == [1, 2, 3]


def test_a_writer_that_nothing_refers_to_is_committed(tmp_path):
    def write():
        writer = frazil.Writer(tmp_path / "out.nc")
        writer.add_dimension("x", 3)
        writer.add_variable("v", "i4", ["x"])[:] = [1, 2, 3]

    with pytest.warns(ResourceWarning, match="unclosed file"):
        write()
    assert frazil.open(tmp_path / "out.nc").variables["v"][:].tolist() == [1, 2, 3]


def test_what_cannot_be_is_refused_by_the_call_that_asks_for_it(tmp_path):
    with frazil.Writer(tmp_path / "out.nc") as writer:
        for name in ("", ".", "a/b", "x\n", "\x7f", "y" * 257):
            with pytest.raises(frazil.errors.InvalidArgumentError):
                writer.add_dimension(name, 3)
        writer.add_dimension("x", 3)
        for settings in (
            {"precision": {"significant_digits": 7}},
            {"precision": {"significant_bits": 24}},
            {"precision": {"absolute_tolerance": -1.0}},
            {"precision": {"keep_information": 0.99}},
            {"precision": {"absolute_tolerance": 0.1, "pack_integers": True}},
            {"chunks": [4]},
            {"chunks": [0]},
            {"compression": "zlib", "level": 10},
        ):
            with pytest.raises(frazil.errors.InvalidArgumentError):
                writer.add_variable("v", "f4", ["x"], **settings)
        for length in (-3, 0, 2**62, 2**64):
            with pytest.raises((frazil.errors.InvalidArgumentError, OverflowError)):
                writer.add_dimension("n", length)
        writer.add_variable("v", "f4", ["x"])[:] = [1, 2, 3]
    with netCDF4.Dataset(tmp_path / "out.nc") as file:
        assert list(file.variables) == ["v"] and file["v"][:].tolist() == [1, 2, 3]


@pytest.mark.parametrize("limits", [{"threads": 100_000}, {"memory": 1}, {"memory": 2**62}])
def test_limits_that_nobody_can_mean_are_refused(tmp_path, limits):
    (option,) = limits
    with pytest.raises(frazil.errors.InvalidArgumentError, match=f"option {option} is .*must be"):
        frazil.Writer(tmp_path / "out.nc", **limits)
    assert list(tmp_path.iterdir()) == []


def test_a_misspelled_variable_of_the_environment_is_named():
    environment = {**os.environ, "FRAZIL_THREDS": "3"}
    done = subprocess.run(
        [sys.executable, "-c", "import frazil"], env=environment, capture_output=True, text=True
    )
    assert "FRAZIL_THREDS" in done.stderr and "FRAZIL_THREADS" in done.stderr


def linked_writers(folder: Path, *, linked_first: bool) -> tuple[frazil.Writer, Path]:
    """A writer of a file, and another name of the file."""
    path, other = folder / "file.nc", folder / "other.nc"
    with frazil.Writer(path) as writer:
        writer.add_dimension("x", 10)
        writer.add_variable("kept", "f8", ["x"])[:] = np.arange(10)
    if linked_first:
        other.hardlink_to(path)
    writer = frazil.Writer(path, "a")
    if not linked_first:
        other.hardlink_to(path)
    return writer, other


@pytest.mark.parametrize("linked_first", [True, False])
def test_another_name_of_a_file_lets_no_second_writer_in(tmp_path, linked_first: bool):
    writer, other = linked_writers(tmp_path, linked_first=linked_first)
    with pytest.raises(frazil.errors.LockedError):
        frazil.Writer(other, "a")
    program = f"import frazil; frazil.Writer({str(other)!r}, 'a')"
    outcome = subprocess.run([sys.executable, "-c", program], capture_output=True, text=True)
    assert "LockedError" in outcome.stderr
    with netCDF4.Dataset(other) as file:
        assert (file["kept"][:] == np.arange(10)).all()
    writer.add_variable("new", "f8", ["x"])[:] = 1
    writer.close()
    with frazil.Writer(other, "a") as again:
        again.set_attribute("title", "later")
    with netCDF4.Dataset(other) as file:
        assert (file["new"][:] == 1).all() and file.title == "later"


def name_of_a_group(writer: frazil.Writer) -> None:
    writer.add_group("g")
    writer.add_dimension("g", 3)


def name_of_a_dimension(writer: frazil.Writer) -> None:
    writer.add_group("x")


def name_of_the_format(writer: frazil.Writer) -> None:
    writer.add_variable("_nc4_non_coord_x", "f8", ["x"])


def dimension_of_the_format(writer: frazil.Writer) -> None:
    writer.add_dimension("_nc4_non_coord_good", 3)


def texts_with_nul(writer: frazil.Writer) -> None:
    writer.set_attribute("texts", ["fine", "x\0y"])


def texts_of_a_variable_with_nul(writer: frazil.Writer) -> None:
    writer.variables()["good"].set_attribute("texts", ["fine", "x\0y"])


def value_with_nul(writer: frazil.Writer) -> None:
    writer.add_variable("s", str, ["x"])[0] = "x\0y"


def strings_without_fill(writer: frazil.Writer) -> None:
    writer.add_variable("s", str, ["x"], no_fill=True)


REFUSED = [
    name_of_a_group,
    name_of_a_dimension,
    name_of_the_format,
    dimension_of_the_format,
    texts_with_nul,
    texts_of_a_variable_with_nul,
    value_with_nul,
    strings_without_fill,
]


@pytest.mark.parametrize("is_synced", [False, True])
@pytest.mark.parametrize("refused", REFUSED)
def test_what_cannot_be_is_refused_at_the_call_and_costs_nothing_else(
    tmp_path, refused, is_synced: bool
):
    path = tmp_path / "file.nc"
    writer = frazil.Writer(path)
    writer.add_dimension("x", 10)
    writer.add_variable("good", "f8", ["x"])[:] = np.arange(10)
    if is_synced:
        writer.sync()
    with pytest.raises(frazil.Error):
        refused(writer)
    writer.close()
    with netCDF4.Dataset(path) as file:
        assert (file["good"][:] == np.arange(10)).all()


def test_the_lock_goes_though_the_program_went_elsewhere(tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    writer = frazil.Writer("file.nc")
    writer.add_dimension("x", 10)
    (tmp_path / "elsewhere").mkdir()
    monkeypatch.chdir(tmp_path / "elsewhere")
    writer.add_variable("good", "f8", ["x"])[:] = 1
    writer.close()
    assert sorted(path.name for path in tmp_path.iterdir()) == ["elsewhere", "file.nc"]
    assert list((tmp_path / "elsewhere").iterdir()) == []
