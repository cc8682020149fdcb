"""Edits files with netCDF4, as somebody would who finds them: edit.py EDIT FILE...

A process of its own: what a stock library does with a file that a commit is half applied to is
nobody's promise. It prints a line for each file that was edited.
"""

import sys

import netCDF4


def attribute(file: netCDF4.Dataset) -> None:
    """A global attribute."""
    file.comment = "edited"


def variable(file: netCDF4.Dataset) -> None:
    """A variable with values."""
    file.createVariable("added", "i4", ("x",))[:] = 7


def records(file: netCDF4.Dataset) -> None:
    """One more record."""
    time = file["time"]
    time[len(time)] = -1.0


EDITS = {"attribute": attribute, "variable": variable, "records": records}


def main() -> None:
    """Edits all files that can be opened."""
    edit = EDITS[sys.argv[1]]
    for path in sys.argv[2:]:
        print(f"try {path}", flush=True)
        try:
            with netCDF4.Dataset(path, "a") as file:
                edit(file)
        except (OSError, RuntimeError, IndexError, KeyError):
            continue
        print(f"done {path}", flush=True)


if __name__ == "__main__":
    main()
