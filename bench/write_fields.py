"""A dataset of four fields for dask, of real maps; see README.md.

python bench/write_fields.py CORPUS OUTPUT

Builds the frames that the fields repeat: mixtures of real maps (`inputs.mixtures`), 128 x 256.
"""

import functools
import sys
from pathlib import Path

import dask.array
import numpy as np
import xarray
from inputs import mixtures, real_frames

ERA = "b_atmos/pydata+xarray-data/eraint_uvz.nc"
FIELDS = {
    "u": (ERA, "u"),
    "v": (ERA, "v"),
    "z": (ERA, "z"),
    "pr": ("b_atmos/NCAR+ldcpy/orig.PRECT.10days.nc", "PRECT"),
}
FRAMES, LATITUDES, LONGITUDES = 250, 128, 256
# Time steps of dask's blocks; those of rain do not end where the file's chunks end.
BLOCK = {"u": 256, "v": 256, "z": 256, "pr": 100}


def build(corpus: Path, target: Path) -> None:
    unfinished = target.with_suffix(".part")
    with unfinished.open("wb") as file:
        for source, name in FIELDS.values():
            frames, fill = real_frames(corpus / source, name)
            # ERA's packed missing value is none.
            fill = None if fill is None or np.isnan(fill) else fill
            for mixed in mixtures(frames, FRAMES, fill):
                mixed[32 : 32 + LATITUDES, :LONGITUDES].astype("<f4").tofile(file)
    unfinished.rename(target)


class Repeated:
    """The frames again and again, each time shifted along the last axis."""

    ndim = 3
    dtype = np.dtype("f4")

    def __init__(self, frames: np.ndarray, steps: int) -> None:
        self.frames = frames
        self.shape = (steps, *frames.shape[1:])

    def __getitem__(self, where: tuple[slice, ...]) -> np.ndarray:
        steps = range(*where[0].indices(self.shape[0]))
        out = np.empty((len(steps), *self.shape[1:]), self.dtype)
        for i, step in enumerate(steps):
            shift = 7 * (step // FRAMES) % LONGITUDES
            frame = self.frames[step % FRAMES]
            out[i, :, shift:] = frame[:, : LONGITUDES - shift]
            out[i, :, :shift] = frame[:, LONGITUDES - shift :]
        return out[(slice(None), *where[1:])]


SHAPE = (len(FIELDS), FRAMES, LATITUDES, LONGITUDES)


@functools.cache
def mapped(path: Path) -> np.ndarray:
    return np.memmap(path, "<f4", "r", shape=SHAPE)


class RepeatedElsewhere(Repeated):
    """The same for workers, each of which opens the frames itself."""

    def __init__(self, path: Path, field: int, steps: int) -> None:
        self.path, self.field = path, field
        self.shape = (steps, LATITUDES, LONGITUDES)

    @property
    def frames(self) -> np.ndarray:
        return mapped(self.path)[self.field]


def make_dataset(frames: Path, steps: int, on_cluster: bool = False) -> xarray.Dataset:
    if on_cluster:
        fields = [RepeatedElsewhere(frames, i, steps) for i in range(len(FIELDS))]
    else:
        all_frames = np.fromfile(frames, "<f4").reshape(SHAPE)
        fields = [Repeated(of_field, steps) for of_field in all_frames]
    dimensions = ("time", "lat", "lon")
    variables = {}
    for name, of_field in zip(FIELDS, fields, strict=True):
        values = dask.array.from_array(
            of_field,
            chunks=(BLOCK[name], LATITUDES, LONGITUDES),
            name=name,
            meta=np.empty((0, 0, 0), "f4"),
        )
        variables[name] = (dimensions, values)
    time = ("time", np.arange(steps), {"units": "days since 1850-01-01", "calendar": "noleap"})
    coordinates = {
        "time": time,
        "lat": np.linspace(-60, 60, LATITUDES),
        "lon": np.linspace(0, 358.6, LONGITUDES),
    }
    return xarray.Dataset(variables, coordinates)


if __name__ == "__main__":
    build(Path(sys.argv[1]), Path(sys.argv[2]))
