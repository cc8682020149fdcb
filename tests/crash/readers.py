"""What three stock readers see of a file of the writer."""

import re
from collections.abc import Callable
from pathlib import Path

import h5py
import netCDF4
import numpy as np
from support.dumps import Unreadable, ncdump

from crash.model import TYPES, State, state
from crash.program import Run


def _text(value: object) -> str:
    return value.decode() if isinstance(value, bytes) else str(value)


def by_h5py(path: Path) -> State:
    """Everything in a file, read by h5py."""
    with h5py.File(path, "r") as file:
        names = [name for name in file if name in TYPES or name == "label"]
        values = {name: file[name][()] for name in names}
        attributes = {name: file.attrs[name] for name in ("records", "history")}
    if "label" in values:
        texts = [_text(text) for text in values["label"]]
        # Strings end with the last one that was put, as in netCDF-C, whose readers see empty ones
        # behind it.
        missing = [""] * (len(values["time"]) - len(texts))
        values["label"] = np.array(texts + missing, object)
    history = _text(attributes["history"])
    return State(values, {"records": int(np.ravel(attributes["records"])[0]), "history": history})


def by_netcdf4(path: Path) -> State:
    """Everything in a file, read by netCDF4."""
    with netCDF4.Dataset(path) as file:
        file.set_auto_maskandscale(False)
        file.set_auto_chartostring(False)
        names = [name for name in file.variables if name in TYPES or name == "label"]
        values = {name: np.asarray(file[name][...]) for name in names}
        return State(values, {"records": int(file.records), "history": file.history})


_VARIABLE = re.compile(r"^ (\w+) =(.*?) ;$", re.MULTILINE | re.DOTALL)
_RECORDS = re.compile(r"^\t\t:records = (\d+) ;$", re.MULTILINE)
_HISTORY = re.compile(r'^\t\t:history = "(h*)" ;$', re.MULTILINE)
_LENGTH = re.compile(r"time = UNLIMITED ; // \((\d+) currently\)")
_SHAPE = re.compile(r"^\t\w+ (\w+)(?:\((.*)\))? ;$", re.MULTILINE)
_FIXED = re.compile(r"^\t([xy]) = (\d+) ;$", re.MULTILINE)


def by_ncdump(path: Path) -> State:
    """Everything in a file, as ncdump prints it."""
    text = ncdump(path).decode()
    header, data = text.split("\ndata:\n", 1)
    lengths = {name: int(length) for name, length in _FIXED.findall(header)}
    lengths["time"] = int(_LENGTH.search(header)[1])
    shapes = {
        name: tuple(lengths[dimension] for dimension in dimensions.split(", ") if dimension)
        for name, dimensions in _SHAPE.findall(header)
    }
    values = {}
    for name, listed in _VARIABLE.findall(data):
        words = [word.strip() for word in listed.split(",")]
        if name == "label":
            texts = ["" if word in ("NIL", "_") else word.strip('"') for word in words]
            values[name] = np.array(texts, object)
            continue
        fill = "9.9692099683868690e+36" if TYPES[name][0] == "f" else None
        fill = fill or {"i2": "-32767", "i4": "-2147483647"}[TYPES[name]]
        numbers = np.array([fill if word == "_" else word for word in words])
        kind = float if TYPES[name][0] == "f" else int
        values[name] = numbers.astype(kind).astype(TYPES[name]).reshape(shapes[name])
    records = int(_RECORDS.search(header)[1])
    return State(values, {"records": records, "history": _HISTORY.search(header)[1]})


READERS: dict[str, Callable[[Path], State]] = {
    "h5py": by_h5py,
    "netCDF4": by_netcdf4,
    "ncdump": by_ncdump,
}

# What readers raise at a file that they cannot read.
REFUSALS = (OSError, Unreadable, RuntimeError, KeyError, AttributeError)


def differences(found: State, orders: dict[str, int]) -> list[str]:
    """What is wrong with a file, given how many records it says it has."""
    wanted = state(int(found.attributes["records"]), orders)
    wrong = []
    if found.attributes != wanted.attributes:
        wrong.append(f"attributes {found.attributes}, not {wanted.attributes}")
    if set(found.variables) != set(wanted.variables):
        wrong.append(f"variables {sorted(found.variables)}, not {sorted(wanted.variables)}")
    for name in set(found.variables) & set(wanted.variables):
        there, here = found.variables[name], wanted.variables[name]
        if there.shape != here.shape:
            wrong.append(f"{name} has shape {there.shape}, not {here.shape}")
        elif not np.array_equal(there, here):
            first = np.argwhere(there != here)[0]
            wrong.append(
                f"{name}{first.tolist()} is {there[tuple(first)]}, not {here[tuple(first)]}"
            )
    return wrong


def check(path: Path, orders: dict[str, int], at_least: int, at_most: int) -> int:
    """Reads a file by all readers and compares every value; how many records it has."""
    seen = set()
    for name, read in READERS.items():
        found = read(path)
        wrong = differences(found, orders)
        assert not wrong, f"{name} reads {path}: {wrong}"
        seen.add(found.attributes["records"])
    assert len(seen) == 1, f"{path} has {seen} records"
    records = seen.pop()
    assert at_least <= records <= at_most, f"{records}, not {at_least} to {at_most}: {path}"
    return records


def inspect(run: Run, step: int = 1) -> tuple[int, bool]:
    """What must hold of a file whose writer is gone: how many records it has once it is brought in
    order, and whether a commit was left half-done.

    Without a journal it reads right as it is, and recovering only cuts off what no reader sees.
    """
    has_journal = run.has_journal
    if not run.path.exists():
        assert run.committed == 0, "a committed file is gone"
        return 0, has_journal
    before = run.path.read_bytes()
    if has_journal:
        assert run.recover() == "completed"
    elif not _has_superblock(before):
        assert run.committed == 0, "a committed file is no file any more"
        assert run.recover() in ("clean", "discarded")
        return 0, has_journal
    records = check(run.path, run.orders, run.committed, run.committed + step)
    if not has_journal:
        assert run.recover() in ("clean", "discarded")
        after = run.path.read_bytes()
        assert before.startswith(after), "recovering changed what readers see"
        if after != before:
            assert check(run.path, run.orders, records, records) == records
    return records, has_journal


def _has_superblock(content: bytes) -> bool:
    return content.startswith(b"\x89HDF")
