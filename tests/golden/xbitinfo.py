"""Makes xbitinfo.json: the information in every bit of some fields, along every axis.

Needs xbitinfo (0.0.7) and xarray; `python tests/golden/xbitinfo.py > tests/golden/xbitinfo.json`.
"""

import importlib
import json
import sys
from pathlib import Path

import numpy as np
import xarray as xr

FOLDER = Path(__file__).resolve().parent


def main() -> None:
    """Prints the numbers."""
    sys.path.insert(0, str(FOLDER.parent))
    # This file has the library's name.
    sys.path = [entry for entry in sys.path if Path(entry or ".").resolve() != FOLDER]
    library = importlib.import_module("xbitinfo")
    fields = importlib.import_module("support.information").analysed_fields()
    document = {"xbitinfo": library.__version__, "information": {}, "keepbits_99": {}}
    for name, values in fields.items():
        dimensions = [f"d{axis}" for axis in range(values.ndim)]
        data = xr.Dataset({name: (dimensions, values)})
        by_axis, bits_by_axis = [], []
        for dimension in dimensions:
            found = library.get_bitinformation(data, dim=dimension, implementation="python")
            by_axis.append([round(float(one), 12) for one in np.ravel(found[name].to_numpy())])
            kept = library.get_keepbits(found, inflevel=0.99)
            bits_by_axis.append(int(np.ravel(kept[name].to_numpy())[0]))
        document["information"][name] = by_axis
        document["keepbits_99"][name] = bits_by_axis
    json.dump(document, sys.stdout, indent=1)
    print()


if __name__ == "__main__":
    main()
