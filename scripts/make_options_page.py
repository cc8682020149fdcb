"""Writes the table of docs/options.md from `frazil options --json`, or checks that it is current.

python scripts/make_options_page.py [--check]
"""

import json
import os
import re
import subprocess
import sys
from pathlib import Path

ROOT = Path(__file__).resolve().parent.parent
PAGE = ROOT / "docs/options.md"
FRAZIL = Path(os.environ.get("FRAZIL_BIN", ROOT / "target/release/frazil"))
TABLE = re.compile(r"(<!-- generated: options -->\n\n).*?(\n<!-- end -->)", flags=re.DOTALL)


def row(option: dict[str, str]) -> str:
    key, text = option["key"], option["help"]
    name = f"`{key}`" if option["is_for_users"] else f"`{key}` (no variable)"
    return f"| {name} | {option['values']} | {option['default']} | {text} |\n"


def page() -> str:
    """The page, with a new table."""
    done = subprocess.run([FRAZIL, "options", "--json"], check=True, capture_output=True, text=True)
    rows = "| option | values | default | |\n|---|---|---|---|\n"
    rows += "".join(map(row, json.loads(done.stdout)))
    return TABLE.sub(lambda found: found[1] + rows + found[2], PAGE.read_text())


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
