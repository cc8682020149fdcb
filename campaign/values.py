"""Damaged values in memory and damaged chunks: `frazil.decompress` and the HDF5 plugins.

Each case is a process of its own, which tries many damaged forms: `python -m campaign.values KIND
SEED FOLDER`.
"""

import random
import resource
import sys
from contextlib import suppress
from importlib.util import find_spec
from pathlib import Path

from campaign import judge

TRIES = 200
MEMORY = 2 << 30
# None: chosen by trial.
FILTERS = [None, "shuffle+deflate(4)", "bitshuffle+zstd(3)", "bitshuffle+lz4", "shuffle+lz4", "lz4",
           "zstd(5)", "pcodec", "delta+shuffle+zstd(3)", "mafisc"]  # fmt: skip
# Numbers of the plugins, with the values that a chunk of 1000 float32 needs.
PLUGINS = {32004: (), 32008: (0, 2), 32015: (3,), 307: (3,), 32001: (2, 2, 4, 4000, 4, 1, 1),
           32002: (), 47101: (), 47102: (), 47103: ()}  # fmt: skip


def decompress(seed: int, folder: Path, made: Path) -> judge.Verdict:
    """Damages what `frazil.compress` made."""
    return _apart("decompress", seed, folder)


def plugins(seed: int, folder: Path, made: Path) -> judge.Verdict:
    """Damages chunks of a file that h5py reads through frazil's plugins."""
    return _apart("plugins", seed, folder)


def _apart(kind: str, seed: int, folder: Path) -> judge.Verdict:
    if find_spec("frazil") is None:
        return judge.Verdict("no package frazil")
    words = [sys.executable, "-m", "campaign.values", kind, seed, folder]
    code, said = judge.run(*words, cwd=judge.ROOT, env=judge.with_plugins())
    details = {"tries": TRIES}
    if code is None:
        return judge.Verdict("hang", "", True, details)
    if code != 0:
        return judge.Verdict(f"ended with {code}", said[-400:], True, details)
    return judge.Verdict("fine", "", False, details)


def _damaged(data: bytes, chance: random.Random) -> bytes:
    changed = bytearray(data)
    for _ in range(chance.choice([1, 1, 2, 5])):
        # Most of what decoders believe is at the front.
        end = len(changed) if chance.random() < 0.5 else min(len(changed), 40)
        changed[chance.randrange(end)] = chance.choice([0, 1, 0x7F, 0x80, 0xFF, 0x10])
    if chance.random() < 0.2:
        del changed[chance.randrange(1, len(changed)) :]
    return bytes(changed)


def _try_decompress(chance: random.Random) -> None:
    import frazil
    import numpy as np

    values = np.round(np.cumsum(np.arange(1000) % 7)).astype("f4").reshape(10, 100)
    packed = frazil.compress(values, filters=chance.choice(FILTERS))
    for _ in range(TRIES):
        with suppress(frazil.Error, ValueError, MemoryError):
            frazil.decompress(_damaged(packed, chance))


def _try_plugins(chance: random.Random, folder: Path) -> None:
    import h5py
    import numpy as np

    values = np.arange(1000, dtype="f4") % 37
    number = chance.choice(list(PLUGINS))
    with h5py.File(folder / "chunks.h5", "w") as file:
        options = {"compression": number, "compression_opts": PLUGINS[number]}
        data = file.create_dataset("v", data=values, chunks=(1000,), **options)
        _, packed = data.id.read_direct_chunk((0,))
        for _ in range(TRIES):
            damaged = _damaged(packed, chance)
            data.id.write_direct_chunk((0,), damaged)
            with suppress(OSError):
                np.asarray(data[()])


def main() -> int:
    """One case, in this process."""
    kind, seed, folder = sys.argv[1], int(sys.argv[2]), Path(sys.argv[3])
    resource.setrlimit(resource.RLIMIT_AS, (MEMORY, MEMORY))
    chance = random.Random(seed)
    if kind == "decompress":
        _try_decompress(chance)
    else:
        _try_plugins(chance, folder)
    return 0


if __name__ == "__main__":
    sys.exit(main())
