"""Writes, reads or compares one file through h5py; prints what it took.

python bench/filter_peer.py write SOURCE TARGET FILTER    (and reads it)
python bench/filter_peer.py read FILE
python bench/filter_peer.py check SOURCE FILE

`HDF5_PLUGIN_PATH` has to be set before this starts where frazil's plugins, or one of MAFISC, are
needed.
"""

import json
import sys
from collections.abc import Callable
from dataclasses import asdict
from pathlib import Path

import h5py
import hdf5plugin
import numpy as np
from energy import Meter

MAFISC = 32002
Options = dict[str, object]

# Of what SCIL's chooser takes for random.
SCIL_SAMPLE, SCIL_RANDOM_PERCENT = 10_000, 95


def scil(values: np.ndarray) -> Options:
    """What SCIL's chooser does: LZ4, unless the first bytes hardly shrink by it.

    Its sample is as many bytes as the array has elements, at most 10 000.
    """
    import numcodecs

    sample = values.tobytes()[: min(values.size, SCIL_SAMPLE)]
    if values.size < 10:
        return {}
    packed = numcodecs.LZ4().encode(sample)
    return {} if 100 * len(packed) > SCIL_RANDOM_PERCENT * len(sample) else LZ4(values)


def scil_by_data(values: np.ndarray) -> Options:
    """What the paper advises for ratio and energy: zstd for integers, level 11 for model data."""
    return zstd(3 if values.dtype.kind in "iu" else 11)(values)


def LZ4(_: np.ndarray) -> Options:
    return {"compression": hdf5plugin.LZ4()}


def zstd(level: int, shuffle: bool = False) -> Callable[[np.ndarray], Options]:
    return lambda _: {"compression": hdf5plugin.Zstd(clevel=level), "shuffle": shuffle}


def gzip(level: int, shuffle: bool = False) -> Callable[[np.ndarray], Options]:
    return lambda _: {"compression": "gzip", "compression_opts": level, "shuffle": shuffle}


def szip(shuffle: bool = False) -> Callable[[np.ndarray], Options]:
    return lambda _: {"compression": "szip", "compression_opts": ("nn", 8), "shuffle": shuffle}


def blosc(_: np.ndarray) -> Options:
    return {"compression": hdf5plugin.Blosc(cname="lz4", shuffle=hdf5plugin.Blosc.SHUFFLE)}


FILTERS: dict[str, Callable[[np.ndarray], Options]] = {
    "off": lambda _: {},
    "blosc-lz4": blosc,
    "lz4": LZ4,
    "zstd": zstd(3),
    "zstd-11": zstd(11),
    "zstd-22": zstd(22),
    "MAFISC": lambda _: {"compression": MAFISC},
    "SCIL": scil,
    "SCIL, by data": scil_by_data,
    "szip": szip(),
    "shuffle+szip": szip(shuffle=True),
    "gzip-1": gzip(1),
    "gzip-6": gzip(6),
    "gzip-9": gzip(9),
    "shuffle+gzip-1": gzip(1, shuffle=True),
    "shuffle+gzip-6": gzip(6, shuffle=True),
    "shuffle+zstd": zstd(3, shuffle=True),
    "bitshuffle+lz4": lambda _: {"compression": hdf5plugin.Bitshuffle(cname="lz4")},
}


def names(file: h5py.File) -> list[str]:
    found: list[str] = []
    file.visititems(
        lambda name, item: found.append(name) if isinstance(item, h5py.Dataset) else None
    )
    return found


def write(source: Path, target: Path, row: str) -> None:
    """Reads each dataset and writes it with the row's filter, in the same chunks."""
    choose = FILTERS[row]
    with h5py.File(source) as file, h5py.File(target, "w") as out:
        for name in names(file):
            values = file[name][...]
            options = {"data": values, "chunks": file[name].chunks}
            try:
                out.create_dataset(name, **options, **choose(values))
            except (ValueError, RuntimeError, OSError):
                # Where a filter has nothing for a type or shape, its users store plain values.
                if name in out:
                    del out[name]
                out.create_dataset(name, **options)


def read(path: Path) -> None:
    with h5py.File(path) as file:
        for name in names(file):
            file[name][...]


def check(source: Path, path: Path) -> None:
    """Every value of every dataset, bit by bit."""
    with h5py.File(source) as first, h5py.File(path) as second:
        for name in names(first):
            if first[name][...].tobytes() != second[name][...].tobytes():
                raise SystemExit(f"{path}: the values of {name} are not those of {source}")


def main() -> None:
    what, *words = sys.argv[1:]
    took = {}
    if what == "write":
        source, target = Path(words[0]), Path(words[1])
        meter = Meter()
        write(source, target, words[2])
        moved = source.stat().st_size + target.stat().st_size
        took["write"] = asdict(meter.spent(moved))
    if what == "check":
        check(Path(words[0]), Path(words[1]))
    else:
        path = Path(words[1] if what == "write" else words[0])
        meter = Meter()
        read(path)
        took["read"] = asdict(meter.spent(path.stat().st_size))
    print(json.dumps(took))


if __name__ == "__main__":
    main()
