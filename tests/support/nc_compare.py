"""Compares two files through netCDF4-python, in a process of its own: it crashes on some inputs."""

import json
import sys
from pathlib import Path

import netCDF4

from support.command import ROOT, tool
from support.dumps import Unreadable
from support.values import same


def contents(path: str) -> dict:
    """Everything netCDF-C shows of a file, by full path."""
    found: dict = {}
    with netCDF4.Dataset(path) as file:
        _group(file, "", found)
    return found


def _group(group: netCDF4.Dataset, prefix: str, found: dict) -> None:
    found[f"{prefix}/ dimensions"] = [
        (name, one.size, one.isunlimited()) for name, one in group.dimensions.items()
    ]
    found[f"{prefix}/ types"] = [list(group.cmptypes), list(group.vltypes), list(group.enumtypes)]
    _attributes(group, f"{prefix}/", found)
    found[f"{prefix}/ variables"] = list(group.variables)
    for name, variable in group.variables.items():
        variable.set_auto_maskandscale(False)
        variable.set_auto_chartostring(False)
        label = f"{prefix}/{name}"
        found[f"{label} is"] = (str(variable.dtype).lstrip("<>=|"), list(variable.dimensions))
        _attributes(variable, label, found)
        try:
            found[label] = variable[...]
        except RuntimeError:
            found[label] = "cannot be read"
    for name, inner in group.groups.items():
        _group(inner, f"{prefix}/{name}", found)


def _attributes(item: object, label: str, found: dict) -> None:
    names = [name for name in item.ncattrs() if name != "_NCProperties"]
    found[f"{label} attributes"] = names
    for name in names:
        found[f"{label}@{name}"] = item.getncattr(name)


def differences(a: str, b: str, ignored: set[str]) -> list[str]:
    """Paths at which the files differ. Says on stdout which file it is reading."""
    print("reading the input", flush=True)
    one = contents(a)
    print("reading the output", flush=True)
    two = contents(b)
    keys = dict.fromkeys([*one, *two])
    return [
        key
        for key in keys
        if key.lstrip("/") not in ignored
        and (key not in one or key not in two or not _equal(one[key], two[key]))
    ]


def _equal(a: object, b: object) -> bool:
    # What the input's reader cannot decode (a missing plugin) is judged by other readers.
    if isinstance(a, str) and a == "cannot be read":
        return True
    return same(a, b)


def compare(a: Path, b: Path, ignored: set[str]) -> list[str]:
    """Paths at which two files differ under netCDF4-python; raises `Unreadable` for the input."""
    command = [sys.executable, "-m", "support.nc_compare", a, b, json.dumps(sorted(ignored))]
    answer = tool("env", f"PYTHONPATH={ROOT / 'tests'}", *command)
    stages = answer.stdout.decode().splitlines()
    if answer.returncode == 0:
        return json.loads(stages[-1])
    message = f"netCDF4-python ends with {answer.returncode}: {answer.stderr[-300:].decode()}"
    if "reading the output" not in stages:
        raise Unreadable(message)
    return [message]


if __name__ == "__main__":
    print(json.dumps(differences(sys.argv[1], sys.argv[2], set(json.loads(sys.argv[3])))))
