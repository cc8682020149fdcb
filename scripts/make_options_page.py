"""Writes what follows from the declared options, or checks that it is current: the tables of
docs/options.md, and the keywords of the Python package.

python scripts/make_options_page.py [--check]
"""

import json
import os
import re
import subprocess
import sys
from collections.abc import Iterator
from pathlib import Path

from generated import write_or_check

ROOT = Path(__file__).resolve().parent.parent
PAGE = ROOT / "docs/options.md"
KEYWORDS = ROOT / "python/frazil/keywords.py"
FRAZIL = Path(os.environ.get("FRAZIL_BIN", ROOT / "target/release/frazil"))
TABLE = r"(<!-- generated: {} -->\n).*?(<!-- end -->)"

# Options of a writer that are no keywords: parameters of their own say them (`mode`), or they are
# for ranks, threads and rules of others that a Python program does not have.
NO_KEYWORDS = (
    "mode",
    "overwrite",
    "cores",
    "reproducible",
    "io_ranks",
    "longest_wait",
    "restart_files",
)

HEAD = '''"""Keywords that functions share, by type.

Written by scripts/make_options_page.py from the declared options.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any, Literal, TypedDict

from .options import Precision, Reads, StrPath
from .reports import WritePlan
'''


def of_writer(option: dict) -> str:
    key = option["key"]
    name = f"`{key}`" if option["environment"] else f"`{key}` (no variable)"
    return f"| {name} | {option['values']['text']} | {option['default']} | {option['help']} |\n"


def of_files(option: dict) -> str:
    users = [name for name in ("pack", "plan", "unpack") if option[name]]
    flag = "`--" + option["key"].replace("_", "-") + "`"
    cells = (option["values"]["text"], option["default"], option["help"], option["python"])
    shown = (flag, f"`{option['key']}=`", ", ".join(users), *cells)
    return "| " + " | ".join(cell.replace("|", "\\|") for cell in shown) + " |\n"


def page(options: list[dict]) -> str:
    """The page, with new tables."""
    heads = {
        "options": "| option | values | default | |\n|---|---|---|---|\n",
        "options of files": "| command | Python | of | values | default | | in Python |\n"
        "|---|---|---|---|---|---|---|\n",
    }
    rows = {
        "options": map(of_writer, filter(lambda one: one["writer"], options)),
        "options of files": map(of_files, filter(is_of_files, options)),
    }
    text = PAGE.read_text()
    for name, head in heads.items():
        table = f"\n{head}{''.join(rows[name])}\n"
        place = re.compile(TABLE.format(name), flags=re.DOTALL)
        text, found = place.subn(lambda at, table=table: at[1] + table + at[2], text)
        if found != 1:
            message = f"{PAGE.name} has {found} places for the table of {name}"
            raise ValueError(message)
    return text


def is_of_files(option: dict) -> bool:
    return option["pack"] or option["plan"] or option["unpack"]


def kind(option: dict) -> str:
    """The type of a keyword."""
    values = option["values"]
    if option["python_type"]:
        return option["python_type"]
    if values["is_switch"]:
        return "bool"
    words = ", ".join(f'"{word}"' for word, _ in values["words"])
    return f"Literal[{words}]" if words else "str"


def typed(name: str, text: str, options: list[dict]) -> Iterator[str]:
    yield f'\n\nclass {name}(TypedDict, total=False):\n    """{text}"""\n\n'
    for one in options:
        yield f"    {one['key']}: {kind(one)} | None\n"


def keywords(options: list[dict]) -> str:
    """The module of keywords."""
    text = HEAD
    for user in ("pack", "plan", "unpack"):
        chosen = [one for one in options if one[user]]
        text += "".join(typed(f"{user.title()}Keywords", f"Of :func:`frazil.{user}`.", chosen))
    chosen = [one for one in options if one["writer"] and one["key"] not in NO_KEYWORDS]
    return text + "".join(typed("WriterKeywords", "Of :class:`frazil.Writer`.", chosen))


def main() -> int:
    done = subprocess.run([FRAZIL, "options", "--json"], check=True, capture_output=True, text=True)
    options = json.loads(done.stdout)
    return write_or_check({PAGE: page(options), KEYWORDS: keywords(options)})


if __name__ == "__main__":
    sys.exit(main())
