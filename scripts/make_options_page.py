"""Writes docs/options.md from what `frazil options --json` prints, or checks that it is current.

python scripts/make_options_page.py [--check]
"""

import json
import os
import subprocess
import sys
from pathlib import Path

ROOT = Path(__file__).resolve().parent.parent
PAGE = ROOT / "docs/options.md"
FRAZIL = Path(os.environ.get("FRAZIL_BIN", ROOT / "target/release/frazil"))

TOP = """# Options of writers

Every program that writes through frazil has these options, under the same names:

| where | how |
|---|---|
| programs that call netCDF, and WRF | the variable `FRAZIL_GOAL=size`, or `FRAZIL_OPTIONS="goal=size,threads=4"` |
| C | `frz_options_set(options, "goal", "size")`, `frz_options_set_list(options, "goal=size,threads=4")` |
| Fortran | `frazil_create(path, writer, options='goal=size,threads=4')` |
| Python | `frazil.Writer(path, options={"goal": "size", "threads": 4})` |
| Rust | `WriterOptions::set("goal", "size")` |
| to see this list | `frazil options` |

A wrong value is an error that names the option, the value, and what is allowed. An unknown name is an error that names the
nearest one. What a program asks for one variable overrides an option.

| option | values | default | |
|---|---|---|---|
"""
END = """
Options without a variable are for the program itself: `FRAZIL_OPTIONS` refuses them. `frazil pack` has options for whole
files; `frazil pack --help` lists them.
"""


def row(option: dict[str, str]) -> str:
    key, text = option["key"], option["help"]
    name = f"`{key}`" if option["is_for_users"] else f"`{key}` (no variable)"
    return f"| {name} | {option['values']} | {option['default']} | {text} |\n"


def page() -> str:
    done = subprocess.run([FRAZIL, "options", "--json"], check=True, capture_output=True, text=True)
    return TOP + "".join(map(row, json.loads(done.stdout))) + END


def main() -> int:
    text = page()
    if "--check" in sys.argv[1:]:
        if PAGE.read_text() == text:
            return 0
        print(f"{PAGE.relative_to(ROOT)} is not current: run {sys.argv[0]}", file=sys.stderr)
        return 1
    PAGE.write_text(text)
    return 0


if __name__ == "__main__":
    sys.exit(main())
