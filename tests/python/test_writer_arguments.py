"""What a writer is asked for and cannot do is refused, and nothing of it is cut off."""

import copy
import gc
import multiprocessing
import pickle
import subprocess
import sys

import frazil
import h5py
import netCDF4
import numpy as np
import pytest
import xarray as xr

REFUSED = frazil.errors.InvalidArgumentError


@pytest.fixture
def writer(tmp_path):
    with frazil.Writer(tmp_path / "out.nc") as writer:
        writer.add_dimension("x", 10)
        writer.add_variable("v", "f4", ["x"])
        yield writer
    with netCDF4.Dataset(tmp_path / "out.nc") as file:
        assert list(file.variables) == ["v"] and list(file.dimensions) == ["x"]
        assert not file.groups and file["v"][:].mask.all()


@pytest.mark.parametrize("number", [1.9, 1.0, np.float32(2), "1", -1, 2**64, [1]])
def test_numbers_that_count_are_whole(writer, number):
    values = np.ones(2, "f4")
    for call in (
        lambda: writer.add_dimension("y", number),
        lambda: writer.add_dimension("y", None, expected=number),
        lambda: writer["v"].put(values, [number]),
        lambda: writer["v"].put(values, [0], [number]),
        lambda: writer.add_variable("w", "f4", ["x"], chunks=[number]),
        lambda: writer.add_variable("w", "f4", ["x"], compression="zlib", level=number),
    ):
        with pytest.raises(REFUSED) as caught:
            call()
        assert caught.value.file is not None and caught.value.variable is not None


@pytest.mark.parametrize("key", [slice(1.9, 3), slice(0, 2.5), slice(0, 4, 1.5), 1.9, True])
def test_indices_are_whole(writer, key):
    with pytest.raises(IndexError):
        writer["v"][key] = 1
    with pytest.raises(IndexError):
        writer["v"][key]


@pytest.mark.parametrize(
    "options",
    [
        {"contiguous": True, "compression": "zlib"},
        {"contiguous": True, "chunks": [5]},
        {"contiguous": True, "level": 3},
        {"contiguous": True, "checksum": True},
        {"no_fill": True, "fill_value": 5},
    ],
)
def test_requests_that_contradict_each_other(writer, options):
    with pytest.raises(REFUSED) as caught:
        writer.add_variable("w", "f4", ["x"], **options)
    assert caught.value.variable == "w"


def test_places_have_a_number_for_each_axis(writer):
    for start, stride in (([], None), ([0, 0], None), ([0], []), ([0], [1, 1])):
        with pytest.raises(REFUSED):
            writer["v"].put(np.ones(2, "f4"), start, stride)


@pytest.mark.parametrize("name", [None, 5, b"name"])
def test_names_are_texts(writer, name):
    for call in (
        lambda: writer.add_group(name),
        lambda: writer.add_dimension(name, 3),
        lambda: writer.add_variable(name, "f4"),
        lambda: writer.add_variable("w", "f4", [name]),
        lambda: writer.set_attribute(name, 1),
        lambda: writer["v"].set_attribute(name, 1),
        lambda: writer[name],
    ):
        with pytest.raises(REFUSED):
            call()
    if name is not None:
        with pytest.raises(REFUSED):
            writer.add_variable("w", "f4", group=name)


def test_whole_numbers_of_numpy_count(tmp_path):
    path = tmp_path / "out.nc"
    with frazil.Writer(path) as writer:
        writer.add_dimension("x", np.int16(10))
        settings = {"chunks": np.array([5]), "compression": "zlib", "level": np.uint8(2)}
        variable = writer.add_variable("v", "f4", ["x"], **settings)
        variable.put(np.ones(2, "f4"), np.array([1]), np.array([3], "u4"))
        contiguous = {"contiguous": True, "compression": "none"}
        writer.add_variable("w", "f4", ["x"], **contiguous)[:] = 1
    with h5py.File(path) as file:
        assert file["v"].chunks == (5,) and file["v"].compression_opts == 2
        assert np.flatnonzero(file["v"][:] == 1).tolist() == [1, 4]
        assert file["w"].chunks is None


def leave_open(path):
    global left
    left = frazil.Writer(path)
    left.add_dimension("x", 3)
    left.add_variable("v", "i4", ["x"])[:] = [1, 2, 3]


@pytest.mark.parametrize("method", ["fork", "spawn", "forkserver"])
def test_what_a_child_process_does_not_close_is_committed(tmp_path, method):
    path = tmp_path / "out.nc"
    parents = frazil.Writer(tmp_path / "parent.nc")
    child = multiprocessing.get_context(method).Process(target=leave_open, args=(path,))
    child.start()
    child.join(timeout=120)
    assert child.exitcode == 0
    with netCDF4.Dataset(path) as file:
        assert file["v"][:].tolist() == [1, 2, 3]
    parents.add_dimension("y", 2)
    parents.close()
    with netCDF4.Dataset(tmp_path / "parent.nc") as file:
        assert list(file.dimensions) == ["y"]


AT_THE_END = """
import frazil, numpy as np
class Late:
    def __del__(self):
        for work in (
            lambda: frazil.Writer("late.nc"),
            lambda: self.variable.__setitem__(0, 1),
            lambda: self.variable.set_attribute("a", 1),
            lambda: self.variable[0],
            lambda: self.writer.add_group("g"),
            lambda: self.writer.sync(),
            lambda: self.writer.close() and None,
        ):
            try:
                work()
                print("done")
            except Exception as error:
                print(type(error).__name__, error)
late = Late()
late.writer = frazil.Writer("out.nc")
late.writer.add_dimension("x", 3)
late.variable = late.writer.add_variable("v", "i4", ["x"])
"""


def test_writing_while_the_interpreter_ends_is_refused(tmp_path):
    words = [sys.executable, "-c", AT_THE_END]
    done = subprocess.run(words, cwd=tmp_path, capture_output=True, text=True, check=True)
    lines = done.stdout.splitlines()
    assert len(lines) == 7, done.stderr
    assert lines[0].startswith("InvalidArgumentError") and "is ending" in lines[0]
    assert all("the writer is closed" in line for line in lines[1:6])
    assert all(line.startswith("InvalidArgumentError") for line in lines[:6])
    assert lines[6] == "done"
    assert done.stderr == "" and not (tmp_path / "late.nc").exists()


@pytest.mark.parametrize(
    ("dtype", "values"),
    [
        ("i1", np.array([1, 300], "i8")),
        ("i2", np.array([-40_000, 1], "i4")),
        ("u1", np.array([256, 1], "u2")),
        ("i8", np.array([1, 2**63], "u8")),
        ("f4", np.array([1, 1e300])),
        ("i1", np.ma.masked_array([300, 300], [True, False], dtype="i8")),
    ],
)
def test_values_beyond_their_type_are_refused_and_others_kept(tmp_path, dtype, values):
    path = tmp_path / "file.nc"
    with frazil.Writer(path) as writer:
        writer.add_dimension("x", 2)
        variable = writer.add_variable("v", dtype, ["x"])
        variable[:] = np.array([1, 100], values.dtype)
        with pytest.raises(frazil.errors.InvalidArgumentError, match=r"v: .* beyond"):
            variable[:] = values
    with netCDF4.Dataset(path) as file:
        assert file["v"][:].tolist() == [1, 100]


def test_infinities_and_masked_values_are_not_beyond_a_type(tmp_path):
    path = tmp_path / "file.nc"
    with frazil.Writer(path) as writer:
        writer.add_dimension("x", 3)
        writer.add_variable("f", "f4", ["x"])[:] = np.array([np.inf, np.nan, 1e-300])
        masked = np.ma.masked_array([300, 5, 6], [True, False, False], dtype="i8")
        writer.add_variable("i", "i1", ["x"], fill_value=-1)[:] = masked
    with netCDF4.Dataset(path) as file:
        assert np.isposinf(file["f"][0]) and file["f"][2] == 0
        assert file["i"][:].tolist() == [None, 5, 6]


def test_any_option_can_be_stated_by_its_name(tmp_path):
    path = tmp_path / "out.nc"
    with frazil.Writer(
        path, options={"filters": "deflate(3)", "threads": 1, "keep_plan": True}
    ) as out:
        out.add_dimension("x", 20_000)
        out.add_variable("v", "f4", ["x"])
        out["v"][:] = np.arange(20_000) % 777
    with netCDF4.Dataset(path) as file:
        assert file["v"].filters()["complevel"] == 3
        assert "frazil_plan" in file.ncattrs()
    with pytest.raises(REFUSED, match="is `goal` meant"):
        frazil.Writer(path, options={"gaol": "size"})
    with pytest.raises(REFUSED, match="it must be a number of threads from 0"):
        frazil.Writer(path, options={"threads": "many"})


def test_names_that_are_not_there_are_named_with_what_was_meant(writer):
    with pytest.raises(frazil.errors.NotFoundError, match=r"xs: .*write 'x'"):
        writer.add_variable("w", "f4", ["xs"])
    with pytest.raises(frazil.errors.NotFoundError, match=r"latitude: .*there is 'x'"):
        writer.add_variable("w", "f4", ["latitude"])


def test_values_that_do_not_fit_are_told_with_both_shapes(writer):
    with pytest.raises(REFUSED, match=r"v: values of shape \(3,\) do not fit .* \(2,\)"):
        writer["v"][0:2] = [1, 2, 3]


def test_what_reading_does_not_find_is_named_with_what_was_meant(tmp_path):
    with h5py.File(tmp_path / "in.h5", "w") as file:
        file["temperature"] = np.arange(3.0)
        file.attrs["level"] = np.float32(2.5)
    with frazil.open(tmp_path / "in.h5") as file:
        with pytest.raises(frazil.errors.NotFoundError, match="write 'temperature'"):
            file["temperatur"]
        assert ":level = 2.5" in repr(file)


@pytest.mark.parametrize("value", [None, 3, float("nan"), ["a", None]], ids=str)
def test_only_texts_become_strings(tmp_path, value):
    path = tmp_path / "out.nc"
    with frazil.Writer(path) as writer:
        writer.add_dimension("x", 2)
        texts = writer.add_variable("s", str, ["x"])
        with pytest.raises(REFUSED, match=r"s: .* is no text") as refused:
            texts[:] = np.array(value, dtype=object)
        assert refused.value.file == str(path) and "str(value)" in refused.value.cure
        texts[:] = np.array(["a", b"b"], dtype=object)
    with netCDF4.Dataset(path) as file:
        assert list(file["s"][:]) == ["a", "b"]


@pytest.mark.parametrize(
    "copied", [copy.copy, copy.deepcopy, pickle.dumps], ids=lambda one: one.__name__
)
def test_a_writer_has_no_copies(writer, copied):
    with pytest.raises(TypeError, match="cannot be copied or pickled"):
        copied(writer)
    gc.collect()
    assert "open" in repr(writer)


@pytest.mark.parametrize("value", [None, {"a": 1}, ["a", None], [[1], [2, 3]], 1j], ids=str)
def test_attributes_are_texts_or_numbers(writer, value):
    for target, name in ((writer, "title"), (writer["v"], "units")):
        with pytest.raises(frazil.Error) as refused:
            target.set_attribute(name, value)
        assert refused.value.variable == name and refused.value.file == str(writer.path)


def test_keywords_of_other_packages_are_named_as_ours(writer, tmp_path):
    for keyword, ours in (
        ("complevel", "level=4"),
        ("dimensions", r"dims=\["),
        ("cunks", "chunks"),
    ):
        with pytest.raises(TypeError, match=rf"unexpected keyword .*{keyword}.*{ours}"):
            writer.add_variable("w", "f4", ["x"], **{keyword: 1})
    data = xr.Dataset({"v": ("x", [1.0])})
    for call, keyword, ours in (
        (lambda **one: frazil.to_netcdf(data, tmp_path / "no.nc", **one), "encodings", "encoding"),
        (lambda **one: frazil.Writer(tmp_path / "no.nc", **one), "own_commit", "own_commits"),
        (lambda **one: frazil.open(tmp_path / "no.nc", **one), "chunk_cach", "chunk_cache"),
        (lambda **one: frazil.compress([1.0], **one), "clevel", "level=3"),
        (lambda **one: frazil.pack("a.nc", "b.nc", **one), "in_plase", "in_place"),
    ):
        with pytest.raises(TypeError, match=rf"unexpected keyword .*{keyword}.*{ours}"):
            call(**{keyword: 1})


def test_one_name_is_no_list_of_letters(tmp_path):
    with frazil.Writer(tmp_path / "out.nc") as writer:
        writer.add_dimension("time", 2)
        assert writer.add_variable("v", "f4", "time").dims == ("time",)
    with pytest.raises(REFUSED, match=r"inputs is .* a sequence of paths"):
        frazil.pack_files("out.nc", tmp_path, client=None)


def test_a_mask_is_no_index(tmp_path):
    with frazil.Writer(tmp_path / "out.nc") as writer:
        writer.add_dimension("x", 3)
        variable = writer.add_variable("v", "f8", "x")
        with pytest.raises(IndexError, match="indices are integers and slices"):
            variable[np.array([True, False, True])] = 1.0
        with pytest.raises(IndexError, match="indices are integers and slices"):
            variable[np.array([0, 2]), ...] = 1.0


@pytest.mark.parametrize(
    ("precision", "told"),
    [
        ([1], "precision is \\[1\\]; it must be a mapping"),
        ({"v": {"absolute_tolerance": float("nan")}}, "'absolute_tolerance'\\] is nan"),
        ({"v": {"absolute_tolerance": np.float32("inf")}}, "it must be a finite number"),
    ],
)
def test_precision_that_cannot_be_is_refused_in_words(precision, told, tmp_path):
    with pytest.raises(frazil.errors.InvalidArgumentError, match=told):
        frazil.Writer(tmp_path / "out.nc", precision=precision)


def test_a_folder_that_is_not_there_is_named(tmp_path):
    path = tmp_path / "none" / "out.nc"
    data = xr.Dataset({"v": ("x", [1.0])})
    for write in (lambda: frazil.Writer(path), lambda: frazil.to_netcdf(data, path)):
        with pytest.raises(FileNotFoundError, match=r"folder .*none' does not exist") as caught:
            write()
        assert caught.value.file == str(path)
        assert caught.value.cure


def test_other_words_of_arguments(tmp_path):
    with pytest.raises(frazil.errors.InvalidArgumentError, match="they must be a Dataset"):
        frazil.to_netcdf(np.zeros(3), tmp_path / "out.nc")
    with pytest.raises(frazil.errors.InvalidArgumentError, match=r"chunks is .*mapping of dimen"):
        frazil.plan(tmp_path / "any.nc", chunks=[1, 2, 3])


@pytest.mark.parametrize(
    ("theirs", "ours"),
    [
        ("createDimension", "add_dimension"),
        ("createVariable", "add_variable"),
        ("createGroup", "add_group"),
        ("setncattr", "set_attribute"),
    ],
)
def test_names_of_netcdf4_lead_to_ours(theirs, ours, tmp_path):
    with frazil.Writer(tmp_path / "a.nc") as writer:
        with pytest.raises(AttributeError, match=f"netCDF4's {theirs} is {ours} here"):
            getattr(writer, theirs)
        assert callable(getattr(writer, ours))
        with pytest.raises(AttributeError, match=r"has no attribute 'nothing'$"):
            _ = writer.nothing
