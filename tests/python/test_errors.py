"""Exceptions: the stable codes, and what Python calls such errors."""

import errno
import io
import pickle
import re
from pathlib import Path

import frazil
import h5py
import numpy as np
import pytest
import xarray as xr
from frazil import errors
from support.command import SAMPLE

CODES = Path(__file__).parents[2] / "crates/frazil-types/src/error_code.rs"


def test_every_code_has_its_exception():
    stated = re.findall(r"^    (\w+) = (\d+),$", CODES.read_text(), re.MULTILINE)
    assert len(stated) >= 18
    for name, number in stated:
        error = errors.from_parts(int(number), None, None, "cause", None)
        assert type(error) is not frazil.Error, name
        assert error.code == int(number)


def test_a_missing_file_is_a_filenotfounderror(tmp_path):
    path = tmp_path / "no.nc"
    for call in (frazil.info, frazil.open, frazil.recover, lambda p: frazil.pack(p, "x.nc")):
        with pytest.raises(FileNotFoundError) as caught:
            call(path)
        error = caught.value
        assert isinstance(error, frazil.Error)
        assert (error.code, error.errno, error.filename) == (2, errno.ENOENT, str(path))
        assert error.file == str(path)


def test_a_missing_file_comes_with_a_cure(tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    for path, cure in (
        ("no.nc", f"the folder '{tmp_path}' has no such file"),
        (tmp_path / "no.nc", f"the folder '{tmp_path}' has no such file"),
        ("none/no.nc", f"there is no '{tmp_path}/none'"),
    ):
        for call in (frazil.info, frazil.open, lambda one: xr.open_dataset(one, engine="frazil")):
            with pytest.raises(FileNotFoundError) as caught:
                call(path)
            assert cure in caught.value.cure


def test_a_full_disk_comes_with_a_cure():
    full = errors.from_parts(6, "a.nc", None, "write: No space left on device", None)
    assert isinstance(full, errors.NoSpaceError) and "free space" in full.cure
    assert errors.from_parts(6, "a.nc", None, "full", "delete it").cure == "delete it"


def test_unknown_words_come_with_those_that_are_known(tmp_path):
    for call in (frazil.Writer, lambda path, **goal: frazil.pack(SAMPLE, path, **goal)):
        with pytest.raises(errors.InvalidArgumentError, match="it must be balanced, size") as no:
            call(tmp_path / "out.nc", goal="tiny")
        assert no.value.cure == 'state one of these, for example goal="balanced"'


def test_an_existing_output_is_a_fileexistserror(tmp_path):
    output = tmp_path / "out.nc"
    output.write_bytes(b"mine")
    with pytest.raises(FileExistsError) as caught:
        frazil.pack(SAMPLE, output)
    assert caught.value.code == 4
    assert caught.value.cure == "add overwrite=True to replace it"
    assert output.read_bytes() == b"mine"


def test_errors_survive_pickling():
    for code in range(1, 19):
        error = errors.from_parts(code, "/no/such/file", "v", "cause", "cure")
        again = pickle.loads(pickle.dumps(error))
        assert type(again) is type(error)
        for name in ("code", "file", "variable", "cause", "cure"):
            assert getattr(again, name) == getattr(error, name)
        assert str(again) == "/no/such/file: v: cause (cure)"


@pytest.mark.parametrize(
    "options",
    [
        {"readable_by": "nobody"},
        {"level": "high"},
        {"precision": {"T": {"no_such_key": 1}}},
        {"precision": {"T": {"absolute_tolerance": float("nan")}}},
        {"layout": "round"},
    ],
)
def test_options_that_cannot_be_are_valueerrors(options, tmp_path):
    with pytest.raises(ValueError) as caught:
        frazil.pack(SAMPLE, tmp_path / "out.nc", **options)
    assert caught.value.code == 1
    assert not (tmp_path / "out.nc").exists()


def test_a_damaged_file_is_an_oserror(tmp_path):
    path = tmp_path / "damaged.nc"
    path.write_bytes(b"\x89HDF\r\n\x1a\n" + b"\xff" * 2000)
    with pytest.raises(OSError) as caught:
        frazil.info(path)
    assert isinstance(caught.value, frazil.Error)


def test_messages_and_representations_cannot_steer_a_terminal(tmp_path: Path):
    name = "a\x1b]0;b\x07\u202e\n\x9b2J"
    with pytest.raises(frazil.errors.NotFoundError) as caught:
        frazil.info(tmp_path / name)
    shown = r"a\x1b]0;b\x07\u202e\n\x9b2J"
    assert shown in str(caught.value) and name not in str(caught.value)
    assert caught.value.file == str(tmp_path / name)
    with h5py.File(tmp_path / name, "w") as file:
        file[name] = np.arange(3.0)
        file.attrs[name] = name
    with frazil.open(tmp_path / name) as file:
        texts = [repr(file), repr(file[name]), file._repr_html_(), file[name]._repr_html_()]
        with pytest.raises(frazil.errors.NotFoundError) as caught:
            file[f"no {name}"]
    texts += [repr(frazil.info(tmp_path / name)), str(caught.value)]
    for text in texts:
        assert shown in text
        assert not {"\x1b", "\x07", "\u202e", "\x9b"} & set(text)


def test_an_error_shows_its_file(tmp_path):
    with pytest.raises(FileNotFoundError) as missing:
        frazil.info(tmp_path / "no.nc")
    assert repr(missing.value).startswith("FileMissingError(") and "no.nc" in repr(missing.value)


@pytest.mark.parametrize(
    ("option", "value", "told"),
    [
        ("level", "4", "it must be .* without quotes"),
        ("memory", "lots", "`lots` is not a size"),
        ("memory", [1], "memory"),
        ("chunks", {"nothing": {"x": 3}}, "chunks are stated for `nothing`, but no variable"),
        ("chunks", {"nothing": 3}, "`nothing`, but no dimension has that name"),
        ("chunks", {"9": 3}, "the option chunks names axis 9, but no variable has one"),
    ],
    ids=str,
)
def test_refused_values_are_told_by_what_is_wrong_with_them(tmp_path, option, value, told):
    with pytest.raises(errors.InvalidArgumentError, match=told) as refused:
        frazil.pack(SAMPLE, tmp_path / "out.nc", **{option: value})
    assert "--" not in str(refused.value)


@pytest.mark.parametrize(
    "path", [b"out.nc", io.BytesIO(), None, 3], ids=["bytes", "file", "none", "number"]
)
def test_what_is_no_path_is_told(path):
    with pytest.raises(errors.InvalidArgumentError, match=r"path is .* frazil writes files"):
        frazil.to_netcdf(xr.Dataset({"v": ("x", [1.0])}), path)


def test_memory_may_have_a_unit(tmp_path):
    for number, memory in enumerate(("64M", 64 << 20)):
        frazil.pack(SAMPLE, tmp_path / f"{number}.nc", memory=memory)
    assert (tmp_path / "0.nc").read_bytes() == (tmp_path / "1.nc").read_bytes()
    frazil.info(SAMPLE, memory="64M")


@pytest.mark.parametrize(
    ("said", "here"),
    [
        ("add --overwrite to replace it", "add overwrite=True to replace it"),
        ("raise --memory, or choose chunks", "raise memory=, or choose chunks"),
        ("name files; `frazil pack --recursive` takes all of them", "frazil.pack_files"),
        (
            "correct the plan, or make one for this file: frazil plan --json FILE",
            "frazil.plan(FILE)",
        ),
        ("state: --abs-error 'T:X'", 'precision={"T": {"absolute_tolerance": X}}'),
        ("h5clear -s --increment=0 a.nc", "h5clear -s --increment=0 a.nc"),
        ("a--b is a name", "a--b is a name"),
    ],
)
def test_cures_are_in_the_words_of_the_package(said, here):
    cure = errors.from_parts(1, None, None, "cause", said).cure
    assert here in cure and ("--" in cure) == ("--" in here)


def test_what_is_raised_is_an_error_of_this_package_and_pythons(tmp_path):
    path = tmp_path / "a.nc"
    dataset = xr.Dataset({"temperature": ("x", [1, 2])})
    frazil.to_netcdf(dataset, path)
    for function, builtin in (
        (lambda: frazil.to_netcdf(dataset, path, mode="x"), FileExistsError),
        (lambda: frazil.to_netcdf(dataset, tmp_path), IsADirectoryError),
        (lambda: xr.open_dataset(path, engine="frazil", group="none"), OSError),
        (lambda: xr.open_dataset(path, engine="frazil", group=3), ValueError),
        (lambda: frazil.to_netcdf(dataset, path, append_dim="none"), ValueError),
        (lambda: frazil.to_netcdf(dataset, path, append_dim="x"), ValueError),
        (lambda: frazil.to_netcdf(dataset, path, encoding={"temperature": {"a": 1}}), ValueError),
        (lambda: frazil.info(path)["temparature"], KeyError),
        (lambda: frazil.open(path).variables["temparature"], KeyError),
        (lambda: frazil.open(path).groups["none"], KeyError),
    ):
        with pytest.raises(builtin) as caught:
            function()
        assert isinstance(caught.value, frazil.Error)
        if builtin is KeyError and "temp" in caught.value.variable:
            assert "'temperature'" in caught.value.cure or "'/temperature'" in caught.value.cure


def test_a_classic_file_is_not_written_on(tmp_path):
    path = tmp_path / "classic.nc"
    xr.Dataset({"a": ("x", [1.0])}).to_netcdf(path, format="NETCDF3_CLASSIC", engine="netcdf4")
    for function in (
        lambda: frazil.Writer(path, "a"),
        lambda: frazil.to_netcdf(xr.Dataset({"b": ("x", [1.0])}), path, mode="a"),
    ):
        with pytest.raises(frazil.errors.UnsupportedError, match="classic") as caught:
            function()
        assert "in_place=True" in caught.value.cure
    frazil.pack(path, in_place=True, allow_larger=True)
    frazil.to_netcdf(xr.Dataset({"b": ("x", [1.0])}), path, mode="a")
