"""The fields that the model writes: raw floats, record after record, with the spectra of real ones.

python bench/model_fields.py CORPUS OUTPUT LEVELS RECORDS

Eight fields of LEVELS x 384 x 768. A level is a mixture of two real maps, refined to the model's
grid: what the map resolves comes from its own Fourier modes; below its grid spacing the power law
of its smallest octave goes on, with random phases. Levels and records follow smoothly.
Rain and the like keep their zeros.
"""

import sys
from pathlib import Path

import netCDF4
import numpy as np

LATITUDES, LONGITUDES = 384, 768
ERA = "b_atmos/pydata+xarray-data/eraint_uvz.nc"
SQUALL = "wrf/squall_line.nc"
SOURCES = (
    (ERA, "u"),
    (ERA, "v"),
    (ERA, "z"),
    ("b_atmos/NCAR+geocat-datafiles/TREFHT.B06.57.atm.1890-1999ANN.nc", "TREFHT"),
    ("b_atmos/NCAR+ldcpy/orig.PRECT.10days.nc", "PRECT"),
    (SQUALL, "W"),
    (SQUALL, "QVAPOR"),
    (SQUALL, "QRAIN"),
)
# Random maps of small scales; levels mix two of them.
NOISES = 6


def real_maps(path: Path, name: str) -> np.ndarray:
    """All maps of a variable, as (map, y, x)."""
    with netCDF4.Dataset(path) as file:
        variable = file[name]
        variable.set_auto_mask(False)
        values = np.asarray(variable[...], dtype="f8")
    if path.name == Path(SQUALL).name:
        # Two-dimensional in x and z: the rows along y are alike. Early steps hold no storm yet.
        values = values[8:, :, 0, :]
    return values.reshape(-1, *values.shape[-2:])


def wave_numbers(shape: tuple[int, int]) -> np.ndarray:
    """Total wave number of each mode of a real transform, in waves across the map."""
    y = np.fft.fftfreq(shape[0], 1 / shape[0])[:, None]
    x = np.fft.rfftfreq(shape[1], 1 / shape[1])[None, :]
    return np.hypot(y, x)


def mirrored(maps: np.ndarray) -> np.ndarray:
    """Periodic in y as well; along x a map is taken as periodic."""
    return np.concatenate([maps, maps[..., ::-1, :]], axis=-2)


def tail(modes: np.ndarray, waves: np.ndarray, cut: float) -> tuple[float, float]:
    """Exponent and logarithm of the factor of the amplitudes in the octave below `cut`."""
    chosen = (waves > cut / 2) & (waves < cut)
    amplitude = np.abs(modes[..., chosen]).mean(axis=tuple(range(modes.ndim - 2)))
    amplitude = np.maximum(amplitude, 1e-12 * np.abs(modes).max())
    exponent, factor = np.polyfit(np.log(waves[chosen]), np.log(amplitude), 1)
    return min(exponent, -1.5), factor


def refined(maps: np.ndarray, generator: np.random.Generator) -> tuple[np.ndarray, np.ndarray]:
    """Maps on the model's grid, smooth below their own grid spacing, and what to add there."""
    fine = (2 * LATITUDES, LONGITUDES)
    source = mirrored(maps)
    rows, columns = source.shape[-2:]
    modes = np.fft.rfft2(source)
    keep_rows, keep_columns = min(rows, fine[0]) // 2, min(columns, fine[1]) // 2
    large = np.zeros((*modes.shape[:-2], fine[0], fine[1] // 2 + 1), complex)
    for half in (slice(0, keep_rows), slice(-keep_rows, None)):
        large[..., half, :keep_columns] = modes[..., half, :keep_columns]
    scale = fine[0] * fine[1] / (rows * columns)
    smooth = np.fft.irfft2(large * scale, fine)[..., :LATITUDES, :]

    cut = min(keep_rows, keep_columns)
    exponent, factor = tail(modes, wave_numbers((rows, columns)), cut)
    waves = wave_numbers(fine)
    beyond = np.where(waves >= cut, np.exp(factor) * np.maximum(waves, 1) ** exponent, 0.0)
    phases = generator.standard_normal((2, NOISES, *waves.shape))
    random_modes = beyond * (phases[0] + 1j * phases[1]) / np.sqrt(2)
    small = np.fft.irfft2(random_modes * scale, fine)[..., :LATITUDES, :]
    return smooth, small


def blend(maps: np.ndarray, position: float) -> np.ndarray:
    """Between two neighbouring maps, the last one followed by the first."""
    first, weight = int(position) % len(maps), position % 1
    return (1 - weight) * maps[first] + weight * maps[(first + 1) % len(maps)]


def field(path: Path, name: str, levels: int, records: int, number: int) -> np.ndarray:
    generator = np.random.default_rng(number)
    maps = real_maps(path, name)
    # No more maps than levels and records meet.
    maps = maps[:: max(1, len(maps) // 12)]
    smooth, small = refined(maps, generator)
    is_positive = maps.min() >= 0
    floor = 1e-4 * maps.max()
    out = np.empty((records, levels, LATITUDES, LONGITUDES), "f4")
    for record in range(records):
        for level in range(levels):
            values = blend(smooth, 0.15 * level + 0.4 * record)
            noise = blend(small, 0.31 * level + 0.77 * record)
            if is_positive:
                # Where there is nothing, there is nothing at small scales either.
                values = np.where(values > floor, np.maximum(values + noise, 0), 0)
            else:
                values = values + noise
            out[record, level] = np.roll(values, 5 * record, axis=-1)
    return out


def main(corpus: Path, target: Path, levels: int, records: int) -> None:
    unfinished = target.with_suffix(".part")
    values = levels * LATITUDES * LONGITUDES
    shape = (records, len(SOURCES), values)
    out = np.memmap(unfinished, "<f4", "w+", shape=shape)
    for number, (source, name) in enumerate(SOURCES):
        one = field(corpus / source, name, levels, records, number)
        out[:, number] = one.reshape(records, values)
        print(f"  {name}: {one.min():.4g} to {one.max():.4g}", flush=True)
    out.flush()
    unfinished.rename(target)


if __name__ == "__main__":
    main(Path(sys.argv[1]), Path(sys.argv[2]), int(sys.argv[3]), int(sys.argv[4]))
