"""What precision costs and brings: quantizers, information analysis, real files; see README.md."""

import argparse
import shutil
import subprocess
import sys

import netCDF4
import precision_files
import precision_information
import precision_quantizers
from options import is_ready
from record import FOLDER, FRAZIL_BENCH, machine, result_path, save, version_of

PARTS = {
    "quantizers": precision_quantizers.measure,
    "information": precision_information.measure,
    "files": precision_files.measure,
}


def arguments() -> argparse.Namespace:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--parts", default=",".join(PARTS))
    parser.add_argument("--repeats", type=int, default=5)
    return parser.parse_args()


def xbitinfo_version() -> str:
    python = precision_information.PEER_PYTHON
    code = (
        "import importlib.metadata as m; print(m.version('xbitinfo'), 'numpy', m.version('numpy'))"
    )
    answer = subprocess.run([python, "-c", code], capture_output=True, text=True)
    return answer.stdout.strip() or "not installed"


def main() -> int:
    options = arguments()
    parts = options.parts.split(",")
    if not is_ready("nccopy", FRAZIL_BENCH, precision_information.PEER_PYTHON):
        return 2
    if not shutil.which("ncks"):
        print("NCO is not installed: its rows are left out")
    FOLDER.mkdir(parents=True, exist_ok=True)
    about = machine(
        netcdf=f"{netCDF4.__netcdf4libversion__} (netCDF4-python {netCDF4.__version__})",
        nco=version_of("ncks", "--version") if shutil.which("ncks") else "not installed",
        nccopy=version_of("ncdump"),
        xbitinfo=xbitinfo_version(),
        repeats=str(options.repeats),
    )
    for name in parts:
        rows = PARTS[name](options.repeats)
        save(result_path(about, f"precision-{name}-"), about, rows)
    return 0


if __name__ == "__main__":
    sys.exit(main())
