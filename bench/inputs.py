"""Builds large inputs from real fields of the corpus; see README.md.

python bench/inputs.py CASE CORPUS OUTPUT

CASE: tiled, rechunk, cmip7, copies, information, information_large, rounding_f4 or rounding_f8.
"""

import sys
from collections.abc import Iterator
from pathlib import Path

import netCDF4
import numpy as np

# Variables of the tiled file: corpus file, variable, frames to make.
TILED = {
    "u": ("b_atmos/pydata+xarray-data/eraint_uvz.nc", "u", 128),
    "v": ("b_atmos/pydata+xarray-data/eraint_uvz.nc", "v", 128),
    "z": ("b_atmos/pydata+xarray-data/eraint_uvz.nc", "z", 128),
    "pr": ("b_atmos/NCAR+ldcpy/orig.PRECT.10days.nc", "PRECT", 280),
    "tas": ("b_atmos/NCAR+geocat-datafiles/TREFHT.B06.57.atm.1890-1999ANN.nc", "TREFHT", 1800),
    "siconc": ("a_ocean_land/ExeClim+Isca/siconc_clim_amip.nc", "siconc_clim_amip", 240),
    "wa": ("wrf/squall_line.nc", "W", 900),
}

WRF = "wrf/squall_line.nc"
WRF_FIELDS = ("U", "W", "PH", "T", "THM", "P", "QVAPOR", "QRAIN", "QSNOW", "QGRAUP")
WRF_SHAPE = (26, 40, 80, 80)

# Of the squall line, in one file.
COPIES = 5

CMIP = "b_atmos/znicholls+netcdf-scm/tas_Amon_IPSL-CM6A-LR_piControl_r1i1p1f1_gr_284601-284912.nc"
CMIP_STEPS = 4000

# Of the variable that quantizers are measured on.
ROUNDING_BYTES = 256 << 20
# netCDF's default fill value.
FILL = 9.969209968386869e36


def mixtures(
    frames: np.ndarray, count: int, fill: float | None, begin: int = 0
) -> Iterator[np.ndarray]:
    """`count` frames, each a mixture of two real ones, shifted along the last axis."""
    missing = None if fill is None else frames == np.float32(fill)
    for step in range(begin, begin + count):
        first, second = step % len(frames), (step + 1) % len(frames)
        weight = np.float32((0.5 + step * 0.6180339887) % 1)
        mixed = (1 - weight) * frames[first] + weight * frames[second]
        if missing is not None:
            mixed[missing[first] | missing[second]] = fill
        yield np.roll(mixed.astype("f4"), 7 * step, axis=-1)


def real_frames(path: Path, name: str) -> tuple[np.ndarray, float | None]:
    """Maps of a variable, unpacked to float32, and its fill value."""
    with netCDF4.Dataset(path) as file:
        variable = file[name]
        variable.set_auto_mask(False)
        values = np.asarray(variable[...], dtype="f4")
        fill = getattr(variable, "_FillValue", None)
    if name == "W":
        # The squall line is two-dimensional: its two rows along y are alike.
        values = values[:, :, 0, :]
    return values.reshape(-1, *values.shape[-2:]), None if fill is None else float(fill)


def build_tiled(corpus: Path, target: Path) -> None:
    with netCDF4.Dataset(target, "w") as file:
        file.title = "real fields, tiled in time"
        for name, (source, variable, count) in TILED.items():
            frames, fill = real_frames(corpus / source, variable)
            dimensions = (f"time_{name}", f"y_{name}", f"x_{name}")
            for dimension, size in zip(dimensions, (None, *frames.shape[1:]), strict=True):
                file.createDimension(dimension, size)
            chunk = (1, *frames.shape[1:])
            out = file.createVariable(name, "f4", dimensions, chunksizes=chunk, fill_value=fill)
            for step, mixed in enumerate(mixtures(frames, count, fill)):
                out[step] = mixed


def build_wrf(corpus: Path, target: Path) -> None:
    """The squall line's x-z planes, one per row along y, as a three-dimensional storm."""
    steps, levels, rows, columns = WRF_SHAPE
    names = ("Time", "bottom_top", "south_north", "west_east")
    with netCDF4.Dataset(corpus / WRF) as source, netCDF4.Dataset(target, "w") as file:
        for name, size in zip(names, (None, levels, rows, columns), strict=True):
            file.createDimension(name, size)
        for name in WRF_FIELDS:
            planes = np.asarray(source[name][:, : 2 * levels : 2, 0, :201], dtype="f4")
            out = file.createVariable(
                *(name, "f4", names),
                compression="zlib",
                complevel=2,
                shuffle=True,
                chunksizes=(1, levels, rows // 2, columns // 2),
            )
            mixed = mixtures(planes, steps * rows, None)
            for step in range(steps):
                block = [next(mixed)[:, :columns] for _ in range(rows)]
                out[step] = np.stack(block, axis=1)


def build_cmip(corpus: Path, target: Path) -> None:
    frames, fill = real_frames(corpus / CMIP, "tas")
    lat, lon = frames.shape[1:]
    with netCDF4.Dataset(target, "w", format="NETCDF4_CLASSIC") as file:
        file.variable_id = "tas"
        for name, size in {"time": None, "bnds": 2, "lat": lat, "lon": lon}.items():
            file.createDimension(name, size)
        time = file.createVariable("time", "f8", ("time",), chunksizes=(512,))
        time.setncatts({"units": "days since 1850-01-01", "bounds": "time_bnds"})
        bounds = file.createVariable("time_bnds", "f8", ("time", "bnds"), chunksizes=(1, 2))
        tas = file.createVariable(
            *("tas", "f4", ("time", "lat", "lon")),
            compression="zlib",
            complevel=1,
            chunksizes=(1, lat, lon),
            fill_value=fill,
        )
        time[:] = 30.5 * np.arange(CMIP_STEPS)
        bounds[:] = 30.5 * np.stack([np.arange(CMIP_STEPS), np.arange(CMIP_STEPS) + 1], axis=1)
        for step, mixed in enumerate(mixtures(frames, CMIP_STEPS, fill)):
            tas[step] = mixed


def build_copies(corpus: Path, target: Path) -> None:
    """All variables of the squall line several times, each copy turned by some columns."""
    with netCDF4.Dataset(corpus / WRF) as source, netCDF4.Dataset(target, "w") as file:
        source.set_auto_mask(False)
        for name, dimension in source.dimensions.items():
            file.createDimension(name, None if dimension.isunlimited() else len(dimension))
        for number in range(COPIES):
            group = file.createGroup(f"member_{number}")
            for name, variable in source.variables.items():
                out = group.createVariable(name, variable.dtype, variable.dimensions)
                values = np.asarray(variable[...])
                out[...] = np.roll(values, 7 * number, axis=-1) if values.ndim else values


def build_information(target: Path, corpus: Path, steps: int) -> None:
    """One float32 variable of real temperatures, uncompressed, in chunks of 2 MiB."""
    name, steps_per_chunk = "b_atmos/NCAR+geocat-datafiles/TREFHT.B06.57.atm.1890-1999ANN.nc", 64
    frames, fill = real_frames(corpus / name, "TREFHT")
    lat, lon = frames.shape[1:]
    with netCDF4.Dataset(target, "w") as file:
        for name, size in {"time": steps, "lat": lat, "lon": lon}.items():
            file.createDimension(name, size)
        out = file.createVariable(
            *("tas", "f4", ("time", "lat", "lon")),
            chunksizes=(steps_per_chunk, lat, lon),
            fill_value=fill,
        )
        for step, mixed in enumerate(mixtures(frames, steps, fill)):
            out[step] = mixed


def build_rounding(target: Path, kind: str) -> None:
    """One variable of 256 MiB, contiguous: the field that `frazil-bench quantize` makes."""
    count = ROUNDING_BYTES // np.dtype(kind).itemsize
    with netCDF4.Dataset(target, "w") as file:
        file.createDimension("x", count)
        out = file.createVariable("v", kind, ("x",), fill_value=FILL, contiguous=True)
        out.set_auto_mask(False)
        out[:] = rounding_field(count).astype(kind)


def rounding_field(count: int) -> np.ndarray:
    """Smooth with noise, 250 to 310 as a temperature is, a tenth of it fill value in runs."""
    places = np.arange(count)
    smooth = 280 + 25 * np.sin(places / 3000) + 4 * np.cos(places / 170)
    values = smooth + np.random.default_rng(1).uniform(-0.5, 0.5, count)
    values[places // 64 % 10 == 3] = FILL
    return values


BUILDERS = {
    "tiled": build_tiled,
    "rechunk": build_wrf,
    "cmip7": build_cmip,
    "copies": build_copies,
    "information": lambda corpus, target: build_information(target, corpus, 896),
    "information_large": lambda corpus, target: build_information(target, corpus, 10_496),
    "rounding_f4": lambda _, target: build_rounding(target, "f4"),
    "rounding_f8": lambda _, target: build_rounding(target, "f8"),
}


def build(case: str, corpus: Path, path: Path) -> None:
    """Writes the input of a case; a half-written one never has its name."""
    unfinished = path.with_suffix(".part")
    BUILDERS[case](corpus, unfinished)
    unfinished.rename(path)


if __name__ == "__main__":
    build(sys.argv[1], Path(sys.argv[2]), Path(sys.argv[3]))
