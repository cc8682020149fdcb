"""The fields and files of the benchmark of chunk shapes; see README.md."""

import math
import shutil
import subprocess
from dataclasses import dataclass, replace
from itertools import product
from pathlib import Path

import h5py
import netCDF4
import numpy as np
from inputs import mixtures, real_frames
from record import CORPUS, FRAZIL

MAPS = ("b_atmos/NCAR+ldcpy/orig.PRECT.10days.nc", "PRECT")
VARIABLE = "pr"
FILTERS: dict[str, tuple[int, bool]] = {
    "none": (0, False),
    "deflate": (1, False),
    "shuffle+deflate": (1, True),
}


@dataclass(frozen=True)
class Field:
    """One variable, and the chunk shapes of its table."""

    name: str
    dimensions: tuple[str, ...]
    shape: tuple[int, ...]
    # By axis.
    extents: tuple[tuple[int, ...], ...]
    filters: tuple[str, ...] = ("shuffle+deflate",)
    # Whether constants of the choice of chunks were found on it.
    tuned: bool = True

    def chunks(self, chunk: tuple[int, ...]) -> int:
        """How many chunks of a shape it has."""
        pairs = zip(self.shape, chunk, strict=True)
        return math.prod(-(-size // extent) for size, extent in pairs)

    def grid(self) -> list[tuple[int, ...]]:
        return list(product(*self.extents))

    def shorter(self) -> "Field":
        """An eighth of the records, and of each axis only both ends and one between them."""
        records = self.shape[0] // 8
        extents = [
            tuple(dict.fromkeys(min(one[place], size) for place in (0, len(one) // 2, -1)))
            for one, size in zip(self.extents, (records, *self.shape[1:]), strict=True)
        ]
        return replace(self, shape=(records, *self.shape[1:]), extents=tuple(extents))

    def map_at(self, step: int) -> tuple[int | slice, ...]:
        """One time (and level), all of the rest."""
        spatial = 1 if len(self.shape) == 2 else 2
        middle = [size // 3 for size in self.shape[1 : len(self.shape) - spatial]]
        return (step, *middle, *(slice(None),) * spatial)

    def series_at(self, number: int) -> tuple[int | slice, ...]:
        """All times at one place; those of different numbers lie far apart."""
        return (slice(None), *((number * 37 + size // 3) % size for size in self.shape[1:]))


_MAP = ("time", "lat", "lon")
FIELDS = [
    # The table of "Chunking Data: Choosing Shapes" (Unidata, 2013).
    Field(
        "precipitation",
        _MAP,
        (1560, 128, 256),
        ((1, 10, 256, 1024, 1560), (16, 64, 128), (32, 128, 256)),
        tuple(FILTERS),
    ),
    Field(
        "levels",
        ("time", "level", "lat", "lon"),
        (240, 20, 96, 144),
        ((1, 10, 60, 240), (1, 5, 20), (16, 96), (18, 144)),
    ),
    Field(
        "stations",
        ("time", "station"),
        (8760, 5000),
        ((1, 32, 256, 2048, 8760), (16, 128, 1000, 5000)),
    ),
    Field("regional", _MAP, (90, 400, 500), ((1, 4, 16, 90), (25, 100, 400), (32, 125, 500))),
    Field("daily", _MAP, (7300, 73, 96), ((1, 10, 128, 1024, 7300), (19, 37, 73), (24, 48, 96))),
    Field("hourly", _MAP, (720, 181, 360), ((1, 10, 64, 720), (16, 61, 181), (30, 120, 360))),
    Field("climate", _MAP, (1980, 145, 192), ((1, 10, 128, 1980), (16, 48, 145), (16, 48, 192))),
    Field("basin", _MAP, (14600, 40, 50), ((1, 16, 256, 14600), (10, 20, 40), (10, 25, 50))),
    Field("storm", _MAP, (48, 700, 900), ((1, 4, 12, 48), (25, 100, 700), (30, 150, 900))),
    Field("lake", _MAP, (3650, 60, 110), ((1, 16, 128, 3650), (10, 30, 60), (11, 37, 110))),
    Field(
        "buoys", ("time", "buoy"), (17520, 1500), ((1, 64, 512, 4096, 17520), (10, 100, 500, 1500))
    ),
    # Shapes that no constant was found on: they must not be looked at when one is changed.
    Field(
        "soil",
        ("time", "depth", "lat", "lon"),
        (730, 8, 90, 120),
        ((1, 16, 128, 730), (1, 8), (15, 30, 90), (20, 40, 120)),
        tuned=False,
    ),
    Field(
        "radar",
        _MAP,
        (600, 300, 360),
        ((1, 8, 64, 600), (20, 75, 300), (24, 90, 360)),
        tuned=False,
    ),
    Field(
        "moorings",
        ("time", "mooring"),
        (4380, 12000),
        ((1, 32, 256, 1024, 4380), (20, 200, 2000, 12000)),
        tuned=False,
    ),
]


def values_of(field: Field) -> np.ndarray:
    """Mixtures of real maps; where a map is larger than these are, several beside each other."""
    frames, _ = real_frames(CORPUS / MAPS[0], MAPS[1])
    if len(field.shape) == 2:
        mixed = mixtures(frames, field.shape[0], None)
        return np.stack([np.resize(one, field.shape[1]) for one in mixed])
    maps, (rows, columns) = math.prod(field.shape[:-2]), field.shape[-2:]
    values = np.empty((maps, rows, columns), "<f4")
    places = product(range(0, rows, frames.shape[1]), range(0, columns, frames.shape[2]))
    for number, (row, column) in enumerate(places):
        part = values[:, row : row + frames.shape[1], column : column + frames.shape[2]]
        # None repeats another.
        for step, mixed in enumerate(mixtures(frames, maps, None, begin=number * maps)):
            part[step] = mixed[: part.shape[1], : part.shape[2]]
    return values.reshape(field.shape)


def write_classic(path: Path, field: Field, values: np.ndarray) -> None:
    with netCDF4.Dataset(path, "w", format="NETCDF3_64BIT_OFFSET") as file:
        for name, size in zip(field.dimensions, field.shape, strict=True):
            file.createDimension(name, size)
        file.createVariable(VARIABLE, "f4", field.dimensions)[...] = values


def packed(source: Path, target: Path, filters: str, *words: str) -> tuple[int, ...]:
    """A file that frazil packs; its chunk shape."""
    level, shuffle = FILTERS[filters]
    # The largest chunks of the grid are whole variables.
    command = [FRAZIL, "pack", source, "-o", target, "--overwrite", "--quiet", "--memory", "2GiB"]
    command += ["--level", level, "--shuffle", "on" if shuffle else "off", *words]
    subprocess.run([str(word) for word in command], check=True)
    return chunk_of(target)


def in_grid(
    source: Path, target: Path, field: Field, chunk: tuple[int, ...], filters: str
) -> tuple[int, ...]:
    pairs = zip(field.dimensions, chunk, strict=True)
    extents = ",".join(f"{name}={extent}" for name, extent in pairs)
    return packed(source, target, filters, "--chunks", f"{VARIABLE}:{extents}")


def chunk_of(path: Path) -> tuple[int, ...]:
    with h5py.File(path) as file:
        return file[VARIABLE].chunks or ()


def by_netcdf(
    target: Path, field: Field, values: np.ndarray, filters: str, unlimited: bool
) -> None:
    """netCDF-C's default chunks: of fixed dimensions, or with an unlimited one."""
    level, shuffle = FILTERS[filters]
    with netCDF4.Dataset(target, "w") as file:
        for place, (name, size) in enumerate(zip(field.dimensions, field.shape, strict=True)):
            file.createDimension(name, None if unlimited and place == 0 else size)
        options = {"zlib": level > 0, "complevel": level, "shuffle": shuffle}
        out = file.createVariable(VARIABLE, "f4", field.dimensions, **options)
        for step in range(0, len(values), 64):
            part = values[step : step + 64]
            out[step : step + len(part)] = part


def by_h5py(target: Path, values: np.ndarray, filters: str, chunk: object = True) -> None:
    level, shuffle = FILTERS[filters]
    options = {"compression": "gzip", "compression_opts": level} if level else {}
    with h5py.File(target, "w", libver=("earliest", "v108")) as file:
        file.create_dataset(VARIABLE, data=values, chunks=chunk, shuffle=shuffle, **options)


def by_nccopy(source: Path, target: Path, filters: str) -> None:
    level, shuffle = FILTERS[filters]
    words = ["-d", str(level), *(["-s"] if shuffle else [])] if level else []
    subprocess.run(["nccopy", "-k", "nc4", *words, source, target], check=True)


def by_nco(source: Path, target: Path, filters: str) -> None:
    """Rew's balance, which NCO has for three dimensions."""
    level, _ = FILTERS[filters]
    words = ["--cnk_plc=all", "--cnk_map=rew", "-L", str(level)]
    subprocess.run(["ncks", "-4", "-O", *words, source, target], check=True)


def by_zarr(target: Path, values: np.ndarray, filters: str) -> None:
    """The chunks that zarr takes by itself, in an HDF5 file: the reader is the same for all."""
    import zarr

    store = zarr.storage.MemoryStore()
    made = zarr.create_array(store, shape=values.shape, chunks="auto", dtype="<f4")
    by_h5py(target, values, filters, made.chunks)


def peers(field: Field) -> list[str]:
    """Whose defaults are compared."""
    found = ["netCDF-C, unlimited", "netCDF-C, fixed", "nccopy", "h5py", "zarr"]
    if len(field.shape) == 3 and shutil.which("ncks"):
        found.append("NCO rew")
    return found


def by_peer(
    peer: str, source: Path, target: Path, field: Field, values: np.ndarray, filters: str
) -> tuple[int, ...]:
    """A file as a peer writes it by default; its chunk shape, empty if contiguous."""
    target.unlink(missing_ok=True)
    match peer:
        case "netCDF-C, unlimited" | "netCDF-C, fixed":
            by_netcdf(target, field, values, filters, peer.endswith("unlimited"))
        case "nccopy":
            by_nccopy(source, target, filters)
        case "h5py":
            by_h5py(target, values, filters)
        case "zarr":
            by_zarr(target, values, filters)
        case "NCO rew":
            by_nco(source, target, filters)
    return chunk_of(target)
