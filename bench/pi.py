"""Pi, groomed to so many digits by frazil and by netCDF-C: Figure 1 of the UFS project's talk."""

import math
import struct
import subprocess
import sys
from pathlib import Path
from tempfile import TemporaryDirectory

import netCDF4
import numpy as np
from options import is_ready
from record import FRAZIL, machine, result_path, save

DIGITS = range(1, 9)
NOT_TAKEN = "not taken"


def bits(value: np.float32) -> str:
    """Sign, exponent and fraction, as the talk shows them."""
    (word,) = struct.unpack(">I", struct.pack(">f", value))
    text = f"{word:032b}"
    return f"{text[0]} {text[1:9]} {text[9:]}"


def only_value(path: Path) -> np.float32:
    with netCDF4.Dataset(path) as file:
        return file["pi"][:].data[0]


def write(path: Path, **options: object) -> None:
    with netCDF4.Dataset(path, "w") as file:
        file.createDimension("place", 1)
        file.createVariable("pi", "f4", ("place",), **options)[:] = np.float32(math.pi)


def by_netcdf(folder: Path, digits: int) -> str:
    path = folder / f"netcdf_{digits}.nc"
    try:
        write(path, compression="zlib", significant_digits=digits, quantize_mode="BitGroom")
    except RuntimeError:
        return NOT_TAKEN
    return bits(only_value(path))


def by_frazil(folder: Path, digits: int) -> str:
    source, packed = folder / "pi.nc", folder / f"frazil_{digits}.nc"
    write(source)
    words = ["--digits", str(digits), "--quantizer", "bitgroom", "--allow-larger", "--quiet"]
    command = [FRAZIL, "pack", source, "-o", packed, "--overwrite", *words]
    answer = subprocess.run(command, capture_output=True, text=True)
    return bits(only_value(packed)) if answer.returncode == 0 else NOT_TAKEN


def main() -> int:
    if not is_ready():
        return 2
    about = machine(netcdf=f"netCDF-C {netCDF4.__netcdf4libversion__}")
    with TemporaryDirectory() as name:
        folder = Path(name)
        rows = [
            {"digits": n, "netcdf_c": by_netcdf(folder, n), "frazil": by_frazil(folder, n)}
            for n in DIGITS
        ]
    for row in rows:
        print(f"{row['digits']}  {row['netcdf_c']:34}  {row['frazil']}")
    save(result_path(about, "pi-"), about, rows)
    return 0


if __name__ == "__main__":
    sys.exit(main())
