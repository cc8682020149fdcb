"""``frazil.refs``: values read by zarr through references are those that h5py and kerchunk give."""

import json
import os
import subprocess
import sys
import warnings
from pathlib import Path
from typing import Any

import frazil
import fsspec
import h5py
import netCDF4
import numpy as np
import pytest
import zarr
from kerchunk.hdf import SingleHdf5ToZarr
from support.command import frazil as command
from support.data import CORPUS, corpus_files
from zarr.storage import FsspecStore

# kerchunk 0.2.10 takes minutes for the compounds of these.
ENDLESS = ("temp.g01.hdf", "S2008001.L3b_DAY_RRS.nc")

WRITE = """
import json, sys, h5py, hdf5plugin, numpy as np
filters = json.loads(sys.argv[2])
if isinstance(filters.get("compression_opts"), list):
    filters["compression_opts"] = tuple(filters["compression_opts"])
with h5py.File(f"{sys.argv[1]}/file.h5", "w") as file:
    values = np.load(f"{sys.argv[1]}/values.npy")
    file.create_dataset("a/b/v", data=values, chunks=(20, 37), **filters)
"""


def opened(references: dict[str, Any]) -> zarr.Group:
    files = fsspec.filesystem(
        "reference",
        fo=references,
        asynchronous=True,
        remote_protocol="file",
        remote_options={"asynchronous": True},
    )
    return zarr.open_group(FsspecStore(files, read_only=True), mode="r", zarr_format=2)


def arrays(references: dict[str, Any]) -> set[str]:
    ending = "/.zarray"
    return {key[: -len(ending)] for key in references["refs"] if key.endswith(ending)}


def metadata(references: dict[str, Any], name: str, part: str) -> dict[str, Any]:
    return json.loads(references["refs"][f"{name}/{part}"])


def texts(values: np.ndarray) -> list[str]:
    def text(value: object) -> str:
        return value.decode(errors="replace") if isinstance(value, bytes) else str(value)

    return [text(value) for value in values.ravel().tolist()]


def same(one: object, other: object) -> bool:
    one, other = np.asarray(one), np.asarray(other)
    if one.shape != other.shape:
        return False
    if {one.dtype.kind, other.dtype.kind} & set("OTU"):
        return texts(one) == texts(other)
    if one.dtype.names:
        return one.dtype.names == other.dtype.names and all(
            same(one[name], other[name]) for name in one.dtype.names
        )
    if one.dtype.kind == "V":
        return one.tobytes() == other.tobytes()
    return np.array_equal(one, other, equal_nan=one.dtype.kind in "fc")


def refer(path: Path, **options: Any) -> tuple[dict[str, Any], list[str]]:
    """References, and what was left out of them."""
    with warnings.catch_warnings(record=True) as caught:
        warnings.simplefilter("always")
        found = frazil.refs(path, **options)
    return found, [str(one.message) for one in caught]


def kerchunks(path: Path) -> dict[str, Any]:
    """Of a classic file nothing: that needs scipy."""
    if not h5py.is_hdf5(path) or path.name in ENDLESS:
        return {"refs": {}}
    url = f"file://{path.absolute()}"
    return SingleHdf5ToZarr(str(path), url=url, error="ignore").translate()


def read_or_none(references: dict[str, Any], name: str) -> Any:
    """What zarr reads, if it can."""
    try:
        return opened(references)[name][...]
    except Exception:
        return None


def written(path: Path, name: str) -> np.ndarray | None:
    """A variable as h5py or, of a classic file, netCDF-C reads it; none if a plugin is missing."""
    if h5py.is_hdf5(path):
        with h5py.File(path) as file:
            group, _, last = name.rpartition("/")
            hidden = f"{group}/_nc4_non_coord_{last}"
            try:
                return file[name if name in file else hidden][...]
            except OSError as error:
                assert "plugin" in str(error)
                return None
    with netCDF4.Dataset(path) as file:
        file.set_auto_maskandscale(False)
        file.set_auto_chartostring(False)
        return file[name][...]


@pytest.mark.sampled(one_in=16)
@pytest.mark.parametrize("path", corpus_files(), ids=lambda path: str(path.relative_to(CORPUS)))
def test_values_of_the_corpus_are_those_of_h5py_and_kerchunk(path: Path):
    ours, left_out = refer(path)
    group = opened(ours)
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        theirs = kerchunks(path)
    named = {text.split(" ")[0].strip("/") for text in left_out}
    # What kerchunk describes and we do not was said.
    assert {name for name in arrays(theirs) if name.split("/")[-1]} - arrays(ours) <= named | {
        name for name in arrays(theirs) if is_only_a_dimension(path, name)
    }
    for name in arrays(ours):
        values, right = group[name][...], written(path, name)
        if right is None:
            continue
        # Of a file that is shorter along an unlimited dimension, netCDF shows fill values behind.
        if shape := np.shape(right):
            values = values[tuple(map(slice, shape))]
        assert same(values, right), name
        # kerchunk writes single strings empty, and some references that zarr cannot read.
        if name in arrays(theirs) and same(other := read_or_none(theirs, name), right):
            assert same(values, other), name


def is_only_a_dimension(path: Path, name: str) -> bool:
    with h5py.File(path) as file:
        label = file[name].attrs.get("NAME", b"")
    return label.startswith(b"This is a netCDF dimension but not a netCDF variable")


@pytest.mark.parametrize(
    ("filters", "ids"),
    [
        ({}, []),
        ({"compression": "gzip", "compression_opts": 3, "shuffle": True}, ["shuffle", "zlib"]),
        ({"compression": "gzip", "fletcher32": True}, ["zlib", "fletcher32"]),
        ({"compression": 32015, "compression_opts": (5,)}, ["zstd"]),
        ({"compression": 32001, "compression_opts": (0, 0, 0, 0, 5, 1, 5)}, ["blosc"]),
    ],
)
@pytest.mark.parametrize("kind", ["<f4", ">f8", "<i2", "|u1", "<f2"])
def test_filters_and_types(tmp_path: Path, filters: dict, ids: list[str], kind: str):
    path = tmp_path / "file.h5"
    values = np.random.default_rng(1).integers(0, 100, (50, 37)).astype(kind)
    np.save(tmp_path / "values.npy", values)
    # netCDF4 names its own plugins for the process; its Blosc calls another libhdf5 than h5py's.
    plain = {key: text for key, text in os.environ.items() if key != "HDF5_PLUGIN_PATH"}
    command_line = [sys.executable, "-c", WRITE, tmp_path, json.dumps(filters)]
    subprocess.run(command_line, check=True, env=plain)
    found, left_out = refer(path)
    array = metadata(found, "a/b/v", ".zarray")
    assert [codec["id"] for codec in array["filters"] or []] == ids
    assert (array["dtype"], left_out) == (np.dtype(kind).str, [])
    assert same(opened(found)["a/b/v"][...], values)


def test_what_zarr_lacks_is_named_with_the_way_out(tmp_path: Path):
    path, packed = tmp_path / "file.h5", tmp_path / "packed.h5"
    values = np.arange(4000, dtype="i4").reshape(40, 100)
    with h5py.File(path, "w") as file:
        file.create_dataset("lzf", data=values, chunks=(10, 100), compression="lzf")
        file.create_dataset("refs", data=[file["lzf"].ref], dtype=h5py.ref_dtype)
        file["vlen"] = np.array([np.arange(2), np.arange(3)], dtype=object, copy=None).astype(
            h5py.vlen_dtype("i8")
        )
        mixed = file.create_dataset("mixed", (4, 10), "i4", chunks=(2, 10), compression="gzip")
        mixed.id.write_direct_chunk((0, 0), bytes(80), filter_mask=1)
        mixed[2:] = 7
    _, left_out = refer(path)
    said = {text.split(" ")[0]: text for text in left_out}
    assert set(said) == {"/lzf", "/refs", "/vlen", "/mixed"}
    assert "lzf (filter 32000)" in said["/lzf"]
    for name in ("/lzf", "/mixed"):
        assert "frazil pack --readable-by netcdf4" in said[name]
    done = command("pack", path, "--readable-by", "netcdf4", "-o", packed)
    assert done.code == 0, done.stderr
    found, _ = refer(packed)
    assert same(opened(found)["lzf"][...], values)


def test_missing_chunks_read_as_the_fill_value(tmp_path: Path):
    path = tmp_path / "file.nc"
    with netCDF4.Dataset(path, "w") as file:
        file.createDimension("time", None)
        file.createDimension("x", 5)
        file.createVariable("filled", "f4", ("time", "x"), chunksizes=(2, 5), fill_value=-9)[
            3:4
        ] = 1
        file.createVariable("usual", "i4", ("time", "x"), chunksizes=(2, 5))[5:6] = 2
        file.createVariable("whole", "i4", ("x",))[:] = 0
    found, _ = refer(path)
    # The shorter one is as long as its dimension.
    assert metadata(found, "filled", ".zarray")["shape"] == [6, 5]
    assert metadata(found, "filled", ".zarray")["fill_value"] == -9.0
    assert "_FillValue" not in metadata(found, "filled", ".zattrs")
    assert metadata(found, "whole", ".zarray")["fill_value"] is None
    group = opened(found)
    for name in ("filled", "usual", "whole"):
        assert same(group[name][...], written_whole(path, name)), name


def written_whole(path: Path, name: str) -> np.ndarray:
    with netCDF4.Dataset(path) as file:
        file.set_auto_maskandscale(False)
        return file[name][...]


def test_texts_scalars_compounds_and_small_values_are_in_the_references(tmp_path: Path):
    path = tmp_path / "file.h5"
    pairs = np.array([(1, 2.5), (-3, 4.0)], dtype=[("n", "<i4"), ("x", ">f8")])
    with h5py.File(path, "w") as file:
        file["texts"] = np.array([["ä", ""], ["longer", "b"]], dtype=h5py.string_dtype())
        file["fixed"] = np.array([b"one", b"three"])
        file["scalar"] = 2.5
        file["pairs"] = pairs
        compact = h5py.h5p.create(h5py.h5p.DATASET_CREATE)
        compact.set_layout(h5py.h5d.COMPACT)
        space = h5py.h5s.create_simple((3,))
        made = h5py.h5d.create(file.id, b"compact", h5py.h5t.STD_I32BE, space, compact)
        made.write(h5py.h5s.ALL, h5py.h5s.ALL, np.array([1, -2, 3], "i4"))
    found, left_out = refer(path)
    assert left_out == []
    places = [key for key, value in found["refs"].items() if isinstance(value, list)]
    assert places == []
    group = opened(found)
    for name in arrays(found):
        assert same(group[name][...], written(path, name)), name
    # Without a threshold, what has a place in the file is left there.
    there, _ = refer(path, inline_threshold=0)
    assert isinstance(there["refs"]["scalar/0"], list)
    assert opened(there)["scalar"][...] == 2.5


def test_runs_are_split_and_values_of_other_files_are_brought_in(tmp_path: Path):
    path = tmp_path / "file.h5"
    values = np.arange(24_000, dtype="f4").reshape(60, 400)
    with h5py.File(path, "w") as file:
        file["run"] = values
        outside = [(tmp_path / "outside.bin", 0, 1600)]
        external = file.create_dataset("external", (400,), ">f4", external=outside)
        external[...] = values[3]
        layout = h5py.VirtualLayout((2, 400), "f4")
        layout[0] = h5py.VirtualSource(path, "run", (60, 400))[5]
        layout[1] = h5py.VirtualSource(path, "run", (60, 400))[6]
        file.create_virtual_dataset("virtual", layout)
    found, _ = refer(path, split=16_000)
    assert metadata(found, "run", ".zarray")["chunks"] == [10, 400]
    group = opened(found)
    for name, expected in (("run", values), ("external", values[3]), ("virtual", values[5:7])):
        assert same(group[name][...], expected), name
    whole, _ = refer(path, split=0)
    assert len([key for key in whole["refs"] if key.startswith("run/0")]) == 1


def test_attributes_are_as_kerchunk_has_them(tmp_path: Path):
    path = tmp_path / "file.nc"
    with netCDF4.Dataset(path, "w") as file:
        file.title = "Käse"
        file.setncattr("levels", np.array([1, 2], "i2"))
        file.createDimension("x", 3)
        variable = file.createVariable("v", "f4", ("x",), fill_value=1e20)
        variable[:] = 1
        variable.setncattr("scale", np.float32(0.1))
        variable.setncattr("missing_value", np.float64("nan"))
        variable.setncattr_string("names", ["a", "b"])
    ours, theirs = refer(path)[0], kerchunks(path)
    for key in (".zattrs", "v/.zattrs"):
        one, other = (json.loads(refs["refs"][key]) for refs in (ours, theirs))
        assert str(one) == str({name: other[name] for name in one})
        assert set(one) == set(other)
    assert (
        metadata(ours, "v", ".zarray")["fill_value"]
        == metadata(theirs, "v", ".zarray")["fill_value"]
    )


def test_the_command_points_to_where_files_will_be(tmp_path: Path):
    folder, out = tmp_path / "in", tmp_path / "out"
    (folder / "deep").mkdir(parents=True)
    for name in ("a.nc", "deep/b.nc"):
        with h5py.File(folder / name, "w") as file:
            file.create_dataset("v", data=np.arange(5000), chunks=(2500,))
    prefix = "https://host.example/data"
    done = command("refs", folder, "-r", "--out-dir", out, "--url-prefix", prefix, "--json")
    assert done.code == 0, done.stderr
    assert [one["chunks"] for one in json.loads(done.stdout)["reports"]] == [2, 2]
    made = json.loads((out / "deep/b.nc.json").read_text())
    assert made["refs"]["v/1"][0] == f"{prefix}/deep/b.nc"
    again = command("refs", folder / "a.nc", "-o", out / "a.nc.json", "--template")
    assert (again.code, "exists already" in again.stderr) == (1, True)
    once = command("refs", folder / "a.nc", "-o", out / "a.nc.json", "--template", "--overwrite")
    assert once.code == 0, once.stderr
    short = json.loads((out / "a.nc.json").read_text())
    assert (short["refs"]["v/0"][0], short["templates"]["u"]) == ("{{u}}", f"file://{folder}/a.nc")
    assert same(opened(short)["v"][...], np.arange(5000))


def test_parquet_is_read_as_json_is(tmp_path: Path):
    # The tests' packages have fastparquet, by which fsspec reads; pyarrow is taken where it is.
    path, folder = tmp_path / "file.h5", tmp_path / "refs.parquet"
    values = np.arange(30_000, dtype="i4").reshape(15_000, 2)
    with h5py.File(path, "w") as file:
        file.create_dataset("g/many", data=values, chunks=(1, 2))
        file.create_dataset("g/sparse", (12, 300), "f8", chunks=(2, 300))[4:6] = 1.5
        file["scalar"] = 7
    for threshold in (0, 500):
        frazil.write_refs(refer(path, inline_threshold=threshold)[0], folder, overwrite=True)
        files = fsspec.filesystem("reference", fo=str(folder), remote_protocol="file")
        group = zarr.open_group(files.get_mapper(""), mode="r", zarr_format=2)
        for name in ("g/many", "g/sparse", "scalar"):
            assert same(group[name][...], written(path, name)), name
