"""Made-up files whose parts are unlike each other, or like nothing that samples tell of."""

from collections.abc import Callable
from pathlib import Path

import h5py
import numpy as np

SHAPE = (60, 96, 128)
SEED = 26


def smooth(*shape: int) -> np.ndarray:
    chance = np.random.default_rng(SEED)
    waves = sum(np.sin(axis / 9.0) for axis in np.indices(shape, dtype="f8", sparse=True))
    return (280 + 10 * waves + chance.normal(0, 0.05, shape)).astype("f4")


def half_zero() -> np.ndarray:
    values = smooth(*SHAPE)
    values[: SHAPE[0] // 2] = 0
    return values


def levels() -> np.ndarray:
    """Every level has another magnitude and another share of noise."""
    chance = np.random.default_rng(SEED)
    values = smooth(*SHAPE)
    for level in range(SHAPE[0]):
        noise = chance.normal(0, 10.0 ** (level % 7 - 4), SHAPE[1:])
        values[level] = (values[level] + noise) * 10.0 ** (level % 11 - 5)
    return values


def noise() -> np.ndarray:
    return np.random.default_rng(SEED).integers(0, 1 << 32, SHAPE, dtype="u4").view("f4")


def periodic() -> np.ndarray:
    """Of every ten maps one is noise: what looks at every tenth sees only that or nothing of it."""
    values = np.zeros(SHAPE, "f4")
    values[::10] = np.random.default_rng(SEED).normal(size=(SHAPE[0] // 10, *SHAPE[1:]))
    return values


def masked() -> np.ndarray:
    values = smooth(*SHAPE)
    values[:, :20], values[:, :, -30:] = np.float32(1e20), np.float32(1e20)
    return values


def characters() -> np.ndarray:
    chance = np.random.default_rng(SEED)
    words = chance.integers(97, 123, (2000, 64), dtype="u1")
    words[:, 20:] = 32
    return words.view("S1")


def last_spot() -> np.ndarray:
    """Almost all bytes lie in the last chunk, which samples do not reach."""
    values = np.zeros((64, 200, 200), "f4")
    values[-12:, -100:, -100:] = np.round(smooth(12, 100, 100), 1)
    return values


def late_noise() -> np.ndarray:
    """One long series, of zeros but for its last eighth."""
    values = np.zeros(1_600_000, "f4")
    values[1_400_000:] = np.random.default_rng(SEED).normal(size=200_000)
    return values


def events() -> np.ndarray:
    values = np.zeros((80, 128, 160), "u2")
    places = np.random.default_rng(SEED).integers(0, values.size, 60_000)
    np.add.at(values.reshape(-1), places, 1)
    return values


def nearly_sorted() -> np.ndarray:
    chance = np.random.default_rng(SEED)
    steps, jitter = chance.integers(0, 9, 250_000), chance.integers(-20, 21, 250_000)
    return np.cumsum(steps) + jitter


# Values, chunk shape (none: one run), filters as h5py has them.
Case = tuple[Callable[[], np.ndarray], tuple[int, ...] | None, dict]
PACKED = {"compression": "gzip", "compression_opts": 9, "shuffle": True}
CASES: dict[str, Case] = {
    "half_zero": (half_zero, None, {}),
    "half_zero_packed": (half_zero, (1, 96, 128), PACKED),
    "levels": (levels, None, {}),
    "levels_packed": (levels, (10, 32, 128), PACKED),
    "noise": (noise, None, {}),
    "noise_chunked": (noise, (7, 96, 128), {}),
    "constant": (lambda: np.full(SHAPE, 7.5, "f4"), (10, 96, 128), PACKED),
    "periodic": (periodic, None, {}),
    "periodic_packed": (periodic, (10, 96, 128), PACKED),
    "five_records": (lambda: smooth(5, 96, 128), (3, 96, 128), PACKED),
    "five_records_noise": (lambda: noise()[:5], (3, 96, 128), {}),
    "chars": (characters, None, {}),
    "chars_packed": (characters, (500, 64), PACKED),
    "tiny": (lambda: smooth(40), None, {}),
    "tiny_packed": (lambda: smooth(400), (400,), PACKED),
    "masked": (masked, None, {}),
    "masked_packed": (masked, (10, 48, 64), PACKED),
    "last_spot": (last_spot, None, {}),
    "last_spot_packed": (last_spot, (8, 200, 200), PACKED),
    "late_noise_packed": (late_noise, (1_600_000,), {"compression": 4}),
    "events": (events, None, {}),
    "events_packed": (events, (1, 128, 160), {"compression": 1, "shuffle": True}),
    "nearly_sorted": (nearly_sorted, None, {}),
    "nearly_sorted_packed": (nearly_sorted, (25_000,), PACKED),
    "big_endian": (lambda: smooth(*SHAPE).astype(">f8"), None, {}),
    "prime": (lambda: smooth(61, 97, 37), (13, 97, 37), PACKED),
    "szip": (lambda: np.round(smooth(*SHAPE), 1), (6, 96, 128), {"compression": "szip"}),
    "lzf": (lambda: np.round(smooth(*SHAPE), 1), (6, 96, 128), {"compression": "lzf"}),
}


def make(folder: Path, names: list[str] | None = None) -> list[Path]:
    """The files of these cases, of all of them without a word."""
    found = []
    for name in names or list(CASES):
        values, chunks, filters = CASES[name]
        path = folder / f"{name}.h5"
        with h5py.File(path, "w") as file:
            file.create_dataset("v", data=values(), chunks=chunks, **filters)
        found.append(path)
    return found
