"""Makes small input files: netCDF of every kind, HDF5 with odd objects."""

from pathlib import Path

import h5py
import netCDF4
import numpy as np

SEED = 20260401


def field(*shape: int, dtype: str = "f4") -> np.ndarray:
    """A smooth field with noise: compresses a little, as model output does."""
    chance = np.random.default_rng(SEED)
    smooth = sum(np.sin(axis / 7.0) for axis in np.indices(shape, dtype="f8", sparse=True))
    return (280 + 10 * smooth + chance.normal(0, 0.05, shape)).astype(dtype)


def plain_netcdf4(path: Path, steps: int = 40) -> Path:
    """A usual model output file: unlimited time, one step per chunk, deflate."""
    with netCDF4.Dataset(path, "w") as file:
        for name, size in {"time": None, "lat": 30, "lon": 60}.items():
            file.createDimension(name, size)
        for name in ("time", "lat", "lon"):
            axis = file.createVariable(name, "f8", (name,))
            axis.units = {"time": "days since 2000-01-01"}.get(name, "degrees")
            axis[:] = np.arange(steps if name == "time" else file.dimensions[name].size)
        dimensions = ("time", "lat", "lon")
        tas = file.createVariable(
            "tas", "f4", dimensions, zlib=True, complevel=1, chunksizes=(1, 30, 60)
        )
        tas.setncatts({"units": "K", "valid_range": np.array([200, 330], "f4")})
        tas[:] = field(steps, 30, 60)
        file.title = "a small file"
    return path


def every_netcdf4_type(path: Path) -> Path:
    """All atomic and user-defined types, groups, fill modes, byte orders, odd attributes."""
    with netCDF4.Dataset(path, "w") as file:
        _dimensions(file)
        _atomic_variables(file)
        _user_types(file)
        _groups(file)
        _attributes(file)
    return path


def _dimensions(file: netCDF4.Dataset) -> None:
    # Defined in another order than their coordinate variables.
    for name, size in {"x": 7, "time": None, "station": None, "y": 5, "unused": 3}.items():
        file.createDimension(name, size)
    file.createVariable("y", "f8", ("y",))[:] = np.linspace(-1, 1, 5)
    file.createVariable("time", "i4", ("time",))[:] = np.arange(11)
    file.createVariable("x", "f4", ("x",))[:] = np.arange(7)


def _atomic_variables(file: netCDF4.Dataset) -> None:
    for code in ("i1", "u1", "i2", "u2", "i4", "u4", "i8", "u8", "f4", "f8"):
        one = file.createVariable(f"v_{code}", code, ("time", "y", "x"), fill_value=7)
        one[:] = (np.arange(11 * 35) % 120).reshape(11, 5, 7)
        file.createVariable(f"scalar_{code}", code, ())[...] = 3
    file.createVariable("big", ">f4", ("y", "x"), endian="big")[:] = field(5, 7)
    file.createVariable("text", "S1", ("y", "x"))[:] = np.full((5, 7), b"q", "S1")
    words = file.createVariable("words", str, ("y",))
    words[:] = np.array(["", "a", "Zürich", "a longer word", "語"], dtype=object)
    file.createVariable("no_fill", "i4", ("y", "x"), fill_value=False)[:] = 1
    file.createVariable("unwritten", "f8", ("time", "x"), chunksizes=(4, 7))
    two_unlimited = file.createVariable("ragged", "i2", ("time", "station"))
    two_unlimited[:] = np.full((11, 3), 5)
    checked = file.createVariable("checked", "f4", ("x",), fletcher32=True, zlib=True)
    checked[:] = np.array([0.0, -0.0, np.nan, np.inf, -np.inf, 1e-45, 3], "f4")


def _user_types(file: netCDF4.Dataset) -> None:
    enum = file.createEnumType("u1", "cloud", {"clear": 0, "cumulus": 2, "stratus": 7})
    file.createVariable("clouds", enum, ("y",), fill_value=0)[:] = [0, 2, 7, 2, 0]
    pair = np.dtype([("n", "i2"), ("value", "f8"), ("counts", "i4", (3,))], align=True)
    kind = file.createCompoundType(pair, "pair")
    values = np.zeros(5, pair)
    values["n"], values["value"], values["counts"] = 1, 2.5, [3, 4, 5]
    file.createVariable("pairs", kind, ("y",))[:] = values
    rows = file.createVLType("i4", "rows")
    lists = file.createVariable("lists", rows, ("y",))
    lists[:] = np.array([np.arange(n, dtype="i4") for n in range(1, 6)], dtype=object)


def _groups(file: netCDF4.Dataset) -> None:
    inner = file.createGroup("forecast").createGroup("surface")
    inner.createDimension("level", 2)
    inner.createVariable("level", "f4", ("level",))[:] = [0.5, 2]
    inner.createVariable("t2", "f4", ("time", "level", "y"), zlib=True)[:] = field(11, 2, 5)
    inner.note = "in a group"
    file.createGroup("empty")


def _attributes(file: netCDF4.Dataset) -> None:
    file.setncatts({"title": "every type", "empty": "", "number": np.int8(-3)})
    file.setncattr("several", np.array([1.5, 2.5], ">f4"))
    file.setncattr_string("one_string", "text as a string")
    file.setncattr_string("strings", ["one", "", "drei"])
    file.setncattr("long", "z" * 70_000)


CLASSIC_VERSIONS = ("NETCDF3_CLASSIC", "NETCDF3_64BIT_OFFSET", "NETCDF3_64BIT_DATA")


def classic(path: Path, version: str) -> Path:
    """A classic file: fixed and record variables of every type the version has."""
    codes = ["i1", "S1", "i2", "i4", "f4", "f8"]
    if version == "NETCDF3_64BIT_DATA":
        codes += ["u1", "u2", "u4", "i8", "u8"]
    with netCDF4.Dataset(path, "w", format=version) as file:
        file.createDimension("time", None)
        file.createDimension("x", 7)
        file.title = "classic"
        for code in codes:
            content = np.full((5, 7), b"w", "S1")
            if code != "S1":
                content = (np.arange(35) % 100).reshape(5, 7).astype(code)
            one = file.createVariable(f"record_{code}", code, ("time", "x"))
            one.units = "1"
            one[:] = content
            file.createVariable(f"fixed_{code}", code, ("x",))[:] = content[0]
        file.createVariable("scalar", "f8", ())[...] = 2.5
    return path


def cmip_like(path: Path, steps: int = 100) -> Path:
    """What CMIP data look like before repacking: one step per chunk, time in chunks of one."""
    with netCDF4.Dataset(path, "w", format="NETCDF4_CLASSIC") as file:
        file.variable_id = "tas"
        for name, size in {"time": None, "bnds": 2, "lat": 180, "lon": 288}.items():
            file.createDimension(name, size)
        time = file.createVariable("time", "f8", ("time",), chunksizes=(1,))
        time.setncatts({"units": "days since 1850-01-01", "bounds": "time_bnds"})
        bounds = file.createVariable("time_bnds", "f8", ("time", "bnds"), chunksizes=(1, 2))
        dimensions, chunk = ("time", "lat", "lon"), (1, 180, 288)
        tas = file.createVariable("tas", "f4", dimensions, zlib=True, chunksizes=chunk)
        time[:] = np.arange(steps)
        bounds[:] = np.stack([np.arange(steps), np.arange(steps) + 1.0], axis=1)
        tas[:] = field(steps, 180, 288)
    return path


def hdf5_zoo(path: Path) -> Path:
    """HDF5 that netCDF-4 never writes: links of all kinds, references, odd types, a user block."""
    with h5py.File(path, "w", userblock_size=1024, libver=("earliest", "v108")) as file:
        data = file.create_dataset("group/data", data=field(40, 50), chunks=(8, 50), shuffle=True)
        file["same data"] = data
        file["group/back"] = file["/"]
        file["soft"] = h5py.SoftLink("/group/data")
        file["dangling"] = h5py.SoftLink("/nowhere")
        file["outside"] = h5py.ExternalLink("other file.h5", "/there")
        file["type"] = np.dtype([("a", "<i4"), ("b", "S5")])
        file.create_dataset("of type", (3,), dtype=file["type"])
        file.create_dataset(
            "references", data=np.array([data.ref, file["group"].ref], h5py.ref_dtype)
        )
        regions = file.create_dataset("regions", (1,), dtype=h5py.regionref_dtype)
        regions[0] = data.regionref[3:9, 2:20]
        file.create_dataset("nothing", data=h5py.Empty("f4"))
        file.create_dataset("bits", data=np.array([True, False, True]))
        file.create_dataset("compact", data=np.arange(4), dcpl=_compact())
        file.create_dataset("extendible", (3, 0), maxshape=(None, 10), dtype="i8", chunks=(2, 5))
        file["group"].attrs["points to"] = data.ref
        file.attrs.create("complex", 1 + 2j)
    with path.open("r+b") as raw:
        raw.write(b"user block of the file".ljust(1024, b"."))
    return path


def _compact() -> h5py.h5p.PropDCID:
    plist = h5py.h5p.create(h5py.h5p.DATASET_CREATE)
    plist.set_layout(h5py.h5d.COMPACT)
    return plist


def noise(path: Path, megabytes: int) -> Path:
    """Takes long to pack: incompressible floats."""
    chance = np.random.default_rng(SEED)
    with h5py.File(path, "w") as file:
        values = chance.standard_normal((megabytes, 1 << 18), dtype="f4")
        file.create_dataset("noise", data=values, chunks=(1, 1 << 18))
    return path
