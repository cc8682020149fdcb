"""Damaged files for the Python package, in a process of its own that tries many:
`python -m campaign.package SEED FOLDER MADE [TRY]`; with a number, that try only."""

import os
import random
import sys
from functools import partial
from importlib.util import find_spec
from pathlib import Path

from campaign import blame, judge, seeds
from campaign.mutations import mutated

TRIES = 12
OPERATIONS = ["pack", "unpack", "verify", "read", "info", "plan", "analyze", "xarray", "recover"]
# numpy, and what it brings, is there as well.
MOST_BYTES = judge.BUDGET + (400 << 20)


def case(seed: int, folder: Path, made: Path) -> judge.Verdict:
    """Tries some damaged files; where the process ends, that try is repeated for its cause."""
    if find_spec("frazil") is None:
        return judge.Verdict("no package frazil")
    seeds.make(made)
    words = [sys.executable, "-m", "campaign.package", str(seed), str(folder), str(made)]
    ended = judge.watched(*words, cwd=judge.ROOT, seconds=3 * judge.SECONDS)
    details = {"tries": TRIES}
    at = (folder / "try").read_text() if (folder / "try").exists() else "0"
    where = f"try {at}: "
    if ended.code == 0:
        if ended.peak > MOST_BYTES:
            # Each try alone says which it was.
            return _memory(words, folder, details)
        return judge.Verdict("fine", "", False, details)
    whose = ended.blamed
    if ended.code in judge.CRASHES:
        os.environ["PYTHONPATH"] = str(judge.ROOT)
        whose = blame.of_crash([*words, at], judge.limits())
        damaged = next(folder.glob(f"damaged-{at}.*"), None)
        if whose.startswith("unknown") and damaged is not None:
            # An installed package names no functions; the command does, and has the same parser.
            whose = blame.of_crash([str(judge.BINARY), "info", str(damaged)], judge.limits())
    fault = "hang" if ended.code is None else f"ended with {ended.code}"
    if whose.startswith(("libhdf5", "netCDF-C")):
        return judge.Verdict(f"{fault.split(' ')[0]} inside libhdf5", where + whose, False, details)
    return judge.Verdict(fault, f"{where}{whose} {ended.said[-400:]}", True, details)


def _memory(words: list[str], folder: Path, details: dict) -> judge.Verdict:
    for at in range(TRIES):
        alone = judge.watched(*words, str(at), cwd=judge.ROOT)
        if alone.code == 0 and alone.peak > MOST_BYTES:
            size = f"try {at}: {alone.peak >> 20} MiB"
            damaged = next(folder.glob(f"damaged-{at}.*"))
            # The command has the same parser, and neither Python nor numpy.
            parsing = [judge.BINARY, "info", damaged]
            info = judge.watched(*parsing)
            if info.peak > MOST_BYTES:
                parsed = judge.memory_of(partial(list, parsing), info)
                return judge.Verdict(
                    parsed.what, f"{size}, {parsed.words}", parsed.is_fault, details
                )
            return judge.Verdict("memory", size, True, details)
    return judge.Verdict("fine", "", False, details)


def _attempt(seed: int, at: int, folder: Path, made: Path) -> None:
    import frazil

    chance = random.Random(seed * TRIES + at)
    origin = chance.choice(seeds.make(made))
    operation = chance.choice(OPERATIONS)
    source = folder / f"damaged-{at}{origin.suffix}"
    source.write_bytes(mutated(origin, chance))
    target = folder / f"out-{at}.nc"
    (folder / "try").write_text(str(at))
    before = source.read_bytes()
    try:
        _operate(operation, source, target, origin)
    except (frazil.Error, OSError, ValueError, KeyError, TypeError, MemoryError) as error:
        # xarray's own complaints about what a file says are errors of Python's.
        if target.exists():
            sys.exit(f"{operation} of {origin.name} fails with {error!r}, and has written")
    if source.read_bytes() != before:
        sys.exit(f"{operation} changed {source}")
    left = [path.name for path in folder.iterdir() if path.name.startswith(".")]
    if left:
        sys.exit(f"{operation} left {left}")


def _operate(operation: str, source: Path, target: Path, origin: Path) -> None:
    import frazil

    limits = {"threads": 2, "memory": judge.BUDGET}
    match operation:
        case "pack":
            frazil.pack(source, target, verify=True, **limits)
        case "unpack":
            frazil.unpack(source, target, **limits)
        case "verify":
            frazil.verify(source, origin, **limits)
        case "read":
            with frazil.open(source, threads=2) as file:
                _read_all(file)
        case "xarray":
            import xarray

            with xarray.open_dataset(source, engine="frazil", decode_cf=False) as data:
                for variable in data.variables.values():
                    if variable.size < 1 << 22:
                        variable.load()
        case _:
            getattr(frazil, operation)(source)


def _read_all(file) -> None:
    for variable in list(file.variables.values()):
        dict(variable.attrs)
        shape = variable.shape
        size = 1
        for length in shape:
            size *= length
        if size < 1 << 22:
            variable[...]
        else:
            variable[tuple(slice(length - 1, length) for length in shape)]


def main() -> int:
    """One case, in this process."""
    seed, folder, made = int(sys.argv[1]), Path(sys.argv[2]), Path(sys.argv[3])
    tries = [int(sys.argv[4])] if len(sys.argv) > 4 else range(TRIES)
    for at in tries:
        _attempt(seed, at, folder, made)
    return 0


if __name__ == "__main__":
    sys.exit(main())
