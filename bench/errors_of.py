"""The errors that a lossy copy makes, measured by numpy alone.

python bench/errors_of.py ORIGINAL COPY

Prints a JSON object. Over all floating-point variables, values with a meaning of their own left
out: the largest relative error, and the largest root mean squared error relative to the standard
deviation of its variable; the number of special values that changed.
"""

import json
import sys

import netCDF4
import numpy as np


def variables(group: netCDF4.Dataset, prefix: str = "") -> dict[str, netCDF4.Variable]:
    """Floating-point variables by path."""
    found = {f"{prefix}/{name}": one for name, one in group.variables.items() if is_float(one)}
    for name, inner in group.groups.items():
        found |= variables(inner, f"{prefix}/{name}")
    return found


def is_float(variable: netCDF4.Variable) -> bool:
    return isinstance(variable.dtype, np.dtype) and variable.dtype.kind == "f"


def raw(variable: netCDF4.Variable) -> np.ndarray:
    variable.set_auto_maskandscale(False)
    return np.asarray(variable[...]).ravel()


def is_special(variable: netCDF4.Variable, values: np.ndarray) -> np.ndarray:
    """Where a value is fill, missing, out of the valid range or not finite."""
    variable.set_auto_mask(True)
    masked = np.ma.getmaskarray(variable[...]).ravel()
    return masked | ~np.isfinite(values)


def compare(original: netCDF4.Variable, copy: netCDF4.Variable) -> tuple[float, float, int]:
    before, after = raw(original), raw(copy)
    special = is_special(original, before)
    size = f"u{before.dtype.itemsize}"
    native = before.dtype.newbyteorder("=")
    changed = before.astype(native).view(size) != after.astype(native).view(size)
    data = before[~special].astype("f8")
    error = after[~special].astype("f8") - data
    nonzero = data != 0
    relative = np.abs(error[nonzero] / data[nonzero]).max(initial=0.0)
    spread = data.std() if data.size else 0.0
    rmse = np.sqrt(np.mean(error**2)) / spread if spread > 0 else 0.0
    return float(relative), float(rmse), int(np.count_nonzero(changed & special))


def main(original: str, copy: str) -> None:
    with netCDF4.Dataset(original) as before, netCDF4.Dataset(copy) as after:
        copies = variables(after)
        found = [compare(one, copies[path]) for path, one in variables(before).items()]
    relative, rmse, special = zip(*found, strict=True) if found else ((0.0,), (0.0,), (0,))
    answer = {
        "largest_relative_error": max(relative),
        "largest_rmse_over_std": max(rmse),
        "special_changed": sum(special),
    }
    print(json.dumps(answer))


if __name__ == "__main__":
    main(*sys.argv[1:])
