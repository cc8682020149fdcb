"""Writing from models: our writer beside netCDF-C and netcdf-fortran; see README.md."""

import argparse
import subprocess
import sys
from pathlib import Path

import model_figure
import model_objects
import model_puts
import model_stream
from model_programs import build
from options import is_ready, parsed
from record import FOLDER, machine, version_of

PARTS = {
    "figure": model_figure.measure,
    "stream": model_stream.measure,
    "puts": model_puts.measure,
    "objects": model_objects.measure,
}


def arguments() -> argparse.Namespace:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--parts", default=",".join(PARTS))
    parser.add_argument("--stream-repeats", type=int, default=3)
    parser.add_argument("--slow-repeats", type=int, default=2, help="of what takes over 4 s a step")
    options = parsed(parser, repeats=5, of_what="of the figure's cells and of puts")
    if options.quick:
        options.stream_repeats = 1
    return options


def first_line(*command: str) -> str:
    text = subprocess.run(command, capture_output=True, text=True).stdout
    return text.splitlines()[0].strip() if text else "?"


def main() -> int:
    options = arguments()
    if not is_ready("gcc", "gfortran", "nc-config", "nf-config"):
        return 2
    FOLDER.mkdir(parents=True, exist_ok=True)
    programs = build(FOLDER / "model")
    about = machine(
        netcdf_c=first_line("nc-config", "--version"),
        netcdf_fortran=first_line("nf-config", "--version"),
        hdf5=version_of("h5dump", "--version"),
        gfortran=first_line("gfortran", "--version"),
    )
    for part in options.parts.split(","):
        PARTS[part](Path(programs), about, options)
    return 0


if __name__ == "__main__":
    sys.exit(main())
