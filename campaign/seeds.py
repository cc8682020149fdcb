"""Small files with much in them, to be damaged."""

from pathlib import Path

import h5py
import netCDF4
import numpy as np


def _netcdf4(path: Path) -> None:
    with netCDF4.Dataset(path, "w") as file:
        file.createDimension("time", None)
        file.createDimension("x", 300)
        for name, kind, options in [
            ("t", "f4", {"zlib": True, "shuffle": True, "chunksizes": (4, 100)}),
            ("q", "f8", {"chunksizes": (3, 300), "fletcher32": True}),
            ("flags", "i2", {"fill_value": -9}),
        ]:
            variable = file.createVariable(name, kind, ("time", "x"), **options)
            variable.units, variable.long_name = "K", "something " * 9
            variable[:] = np.arange(30 * 300).reshape(30, 300) % 1000
        names = file.createVariable("names", str, ("x",))
        names[:] = np.array([f"name {i}" for i in range(300)], dtype=object)


def _classic(form: str):
    def write(path: Path) -> None:
        with netCDF4.Dataset(path, "w", format=form) as file:
            file.title = "classic"
            file.createDimension("time", None)
            file.createDimension("x", 50)
            for name in ("a", "b"):
                variable = file.createVariable(name, "f4", ("time", "x"))
                variable[:] = np.arange(500.0).reshape(10, 50)
            file.createVariable("c", "i2", ("x",))[:] = np.arange(50)

    return write


def _hdf5(version: str):
    def write(path: Path) -> None:
        with h5py.File(path, "w", libver=version) as file:
            data = np.arange(40_000, dtype="f4").reshape(200, 200)
            file.create_dataset("fixed", data=data, chunks=(50, 50), compression="gzip")
            file.create_dataset("grows", data=data, maxshape=(None, 200), chunks=(20, 40))
            file.create_dataset("both", data=data, maxshape=(None, None), chunks=(40, 40))
            group = file.create_group("deep/er", track_order=True)
            for number in range(40):
                group.attrs[f"attribute {number}"] = np.arange(number + 1)
                group[f"scalar {number}"] = number
            kind = np.dtype([("a", "i4"), ("b", ">f8"), ("c", "S5")])
            file["table"] = np.zeros(100, kind)
            file.create_dataset("texts", data=[f"text {i}" for i in range(50)])
            file["link"] = h5py.SoftLink("/deep/er")
            group["reference"] = file["fixed"].ref

    return write


SEEDS = {
    "netcdf4.nc": _netcdf4,
    "classic.nc": _classic("NETCDF3_CLASSIC"),
    "offset.nc": _classic("NETCDF3_64BIT_OFFSET"),
    "data.nc": _classic("NETCDF3_64BIT_DATA"),
    "earliest.h5": _hdf5("earliest"),
    "v108.h5": _hdf5("v108"),
    "latest.h5": _hdf5("latest"),
}


def make(folder: Path) -> list[Path]:
    """All seeds; made again only where they are missing."""
    folder.mkdir(parents=True, exist_ok=True)
    for name, write in SEEDS.items():
        if not (folder / name).exists():
            write(folder / name)
    return [folder / name for name in SEEDS]
