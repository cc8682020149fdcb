"""Real files: engine ``frazil`` beside netcdf4 and h5netcdf, in values, types, attributes and
encodings.
"""

import contextlib
import warnings

import frazil
import netCDF4
import numpy as np
import pytest
import xarray as xr
from support.command import SAMPLE
from support.data import CORPUS, CORPUS_ABSENT, corpus_files, corpus_name

pytestmark = pytest.mark.sampled(one_in=6)

PEERS = ("netcdf4", "h5netcdf")
# netCDF-C itself ends the process over these.
FATAL_TO_NETCDF_C = ("sparc-e-k.h5", "sparc-hyperspectral.h5", "temp.g01.hdf")
# Which encodings must be the same. Compression that netCDF-C cannot name is shown by none of them.
ENCODINGS = ("chunksizes", "contiguous", "zlib", "complevel", "shuffle", "fletcher32", "dtype")


def opened(path, engine, **options):
    """A dataset with all values, or why there is none."""
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        try:
            with xr.open_dataset(path, engine=engine, decode_cf=False, **options) as dataset:
                return dataset.load()
        except Exception as error:
            return error


def groups_of(path):
    """Paths of all groups."""

    def below(group):
        yield group.path
        for one in group.groups.values():
            yield from below(one)

    with frazil.open(path) as file:
        return list(below(file))


def peers(path):
    """The stock engines that may be asked."""
    return [one for one in PEERS if one != "netcdf4" or path.name not in FATAL_TO_NETCDF_C]


def real(dims):
    """Dimensions without the numbers that libraries give to those that a file does not have."""
    return tuple("phony" if str(dim).startswith("phony_dim_") else dim for dim in dims)


def same(one, other):
    """Whether two values are the same, NaN included."""
    one, other = np.asarray(one), np.asarray(other)
    if one.shape != other.shape:
        return False
    if one.dtype.kind in "OUS" or other.dtype.kind in "OUS":
        return all(_text(a) == _text(b) for a, b in zip(one.flat, other.flat, strict=True))
    if one.dtype.names or other.dtype.names:
        names = one.dtype.names
        return names == other.dtype.names and all(same(one[name], other[name]) for name in names)
    return np.array_equal(one, other, equal_nan=one.dtype.kind in "fc")


def _text(value):
    if isinstance(value, bytes):
        value = value.rstrip(b"\0").decode("utf-8", errors="replace")
    if isinstance(value, np.ndarray):
        return value.tolist()
    return value


def differences(ours, theirs):
    """What differs between two datasets, in words."""
    found = []
    # Stock engines leave out what they have no type for, opaque data for one.
    shared = [name for name in ours.variables if name in theirs.variables]
    ours = ours.drop_vars(set(ours.variables) - set(shared))
    for dim in set(real(ours.sizes)) - {"phony"}:
        if ours.sizes[dim] != theirs.sizes.get(dim):
            found.append(f"dimension {dim}")
    if list(ours.variables) != list(theirs.variables):
        found.append(f"names: {list(ours.variables)} and {list(theirs.variables)}")
    found += _attributes("", ours.attrs, theirs.attrs)
    unlimited = [set(real(one.encoding["unlimited_dims"])) - {"phony"} for one in (ours, theirs)]
    if unlimited[0] != unlimited[1]:
        found.append(f"unlimited dimensions: {unlimited}")
    for name in set(ours.variables) & set(theirs.variables):
        a, b = ours.variables[name], theirs.variables[name]
        if real(a.dims) != real(b.dims) or a.shape != b.shape:
            found.append(f"{name}: dimensions {a.dims} and {b.dims}")
        elif not same_type(a.dtype, b.dtype):
            found.append(f"{name}: types {a.dtype} and {b.dtype}")
        elif not same(a.values, b.values):
            found.append(f"{name}: values")
        found += _attributes(name, a.attrs, b.attrs)
        found += _encodings(name, a.encoding, b.encoding)
    return found


def same_type(one, other):
    """Whether two types are the same. netCDF-C knows no texts of fixed length but single
    characters: for others it does not matter how they are stored.
    """
    if one.kind in "SUO" and other.kind in "SUO":
        return True
    return one.newbyteorder("=") == other.newbyteorder("=")


def _attributes(name, ours, theirs):
    # Where a file keeps no order of attributes, each library has its own.
    if sorted(ours) != sorted(theirs):
        return [f"{name}: attributes {list(ours)} and {list(theirs)}"]
    return [
        f"{name}:{key}: {ours[key]!r} and {theirs[key]!r}"
        for key in ours
        if not same(ours[key], theirs[key])
    ]


def _encodings(name, ours, theirs):
    found = []
    for key in ENCODINGS:
        a, b = ours.get(key), theirs.get(key)
        if key == "dtype" and same_type(np.dtype(a or "O"), np.dtype(b or "O")):
            continue
        if key in ours and key in theirs and a != b:
            found.append(f"{name}: encoding {key} {a!r} and {b!r}")
    return found


@pytest.mark.skipif(not CORPUS.is_dir(), reason=CORPUS_ABSENT)
@pytest.mark.parametrize("path", corpus_files(), ids=corpus_name)
def test_engine_frazil_gives_what_a_stock_engine_gives(path, record_property):
    ours = opened(path, "frazil")
    theirs = {engine: opened(path, engine) for engine in peers(path)}
    readable = {engine: one for engine, one in theirs.items() if isinstance(one, xr.Dataset)}
    if isinstance(ours, Exception):
        record_property("corpus", "refused by the engine and by all others")
        assert not readable, f"{ours!r}, but {list(readable)} read it"
        assert isinstance(ours, frazil.Error | ValueError), ours
        return
    if not readable:
        record_property("corpus", "read by engine frazil alone")
        return
    record_property("corpus", "equal under engine frazil and a stock engine")
    found = {engine: differences(ours, one) for engine, one in readable.items()}
    assert any(not one for one in found.values()), found


@pytest.mark.skipif(not CORPUS.is_dir(), reason=CORPUS_ABSENT)
@pytest.mark.parametrize("path", corpus_files(), ids=corpus_name)
def test_groups_are_the_same_too(path):
    with contextlib.suppress(frazil.Error):
        groups = groups_of(path)
        if len(groups) < 2:
            return
        # Detectors' files have hundreds of them.
        for group in groups[1:40]:
            ours = opened(path, "frazil", group=group)
            theirs = [opened(path, engine, group=group) for engine in peers(path)]
            readable = [one for one in theirs if isinstance(one, xr.Dataset)]
            if isinstance(ours, Exception):
                assert not readable, (group, ours)
            elif readable:
                found = [differences(ours, one) for one in readable]
                assert any(not one for one in found), (group, found)


def test_the_sample_decoded():
    with (
        xr.open_dataset(SAMPLE, engine="frazil") as ours,
        xr.open_dataset(SAMPLE, engine="netcdf4") as theirs,
    ):
        xr.testing.assert_identical(ours, theirs)


@pytest.mark.skipif(not CORPUS.is_dir(), reason=CORPUS_ABSENT)
@pytest.mark.parametrize("path", corpus_files(), ids=corpus_name)
def test_what_is_read_can_be_written_and_read_again(path, tmp_path):
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        try:
            dataset = xr.open_dataset(path, engine="frazil", decode_times=False).load()
            dataset.to_netcdf(tmp_path / "theirs.nc", engine="netcdf4")
        except Exception as error:
            pytest.skip(f"nothing that xarray can write: {type(error).__name__}")
        frazil.to_netcdf(dataset, tmp_path / "ours.nc")
        with (
            xr.open_dataset(tmp_path / "ours.nc", engine="netcdf4", decode_times=False) as ours,
            xr.open_dataset(tmp_path / "theirs.nc", engine="netcdf4", decode_times=False) as theirs,
        ):
            xr.testing.assert_equal(ours, theirs)


def phony_names(group, dimensions):
    """The names of all variables' dimensions, by path."""
    found = {f"{name}": dimensions(one) for name, one in group.variables.items()}
    for name, below in group.groups.items():
        found |= {f"{name}/{key}": one for key, one in phony_names(below, dimensions).items()}
    return found


@pytest.mark.skipif(not CORPUS.is_dir(), reason=CORPUS_ABSENT)
@pytest.mark.parametrize("path", corpus_files(), ids=corpus_name)
def test_phony_dimensions_have_the_names_that_netcdf_c_gives_them(path):
    if path.name in FATAL_TO_NETCDF_C:
        pytest.skip("netCDF-C does not survive it")
    with contextlib.suppress(frazil.Error, OSError):
        with netCDF4.Dataset(path) as file:
            theirs = phony_names(file, lambda variable: variable.dimensions)
        with frazil.open(path) as file:
            ours = phony_names(file, lambda variable: variable.dims)
        shared = ours.keys() & theirs.keys()
        assert {key: ours[key] for key in shared} == {key: theirs[key] for key in shared}
