"""Writes the reference pages of the site from the C headers, the Fortran modules and the
Python package.

python scripts/make_reference.py [--check]

With `--check` nothing is written: it fails if a page would change.
"""

import sys
from pathlib import Path

from reference import c_headers, fortran_modules, python_package

ROOT = Path(__file__).resolve().parent.parent
PAGES = {
    ROOT / "docs/c_reference.md": c_headers.page,
    ROOT / "docs/fortran_reference.md": fortran_modules.page,
    ROOT / "docs/python_reference.md": python_package.page,
}


def main() -> int:
    stale = []
    for path, page in PAGES.items():
        text = page(ROOT)
        if "--check" not in sys.argv[1:]:
            path.write_text(text)
        elif not path.exists() or path.read_text() != text:
            stale.append(path)
    for path in stale:
        print(f"{path.relative_to(ROOT)}: run scripts/make_reference.py", file=sys.stderr)
    return int(bool(stale))


if __name__ == "__main__":
    sys.exit(main())
