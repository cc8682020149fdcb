"""Writes the reference pages of the site from the C headers, the Fortran modules and the
Python package.

python scripts/make_reference.py [--check]

With `--check` nothing is written: it fails if a page would change.
"""

import sys
from pathlib import Path

from generated import write_or_check
from reference import c_headers, fortran_modules, python_package

ROOT = Path(__file__).resolve().parent.parent
PAGES = {
    ROOT / "docs/c_reference.md": c_headers.page,
    ROOT / "docs/fortran_reference.md": fortran_modules.page,
    ROOT / "docs/python_reference.md": python_package.page,
}


if __name__ == "__main__":
    sys.exit(write_or_check({path: page(ROOT) for path, page in PAGES.items()}))
