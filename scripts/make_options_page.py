"""Writes what follows from the declared options, or checks that it is current: the tables and
the texts about each option in docs/options.md, and the keywords of the Python package.

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


def row(*cells: str) -> str:
    return "| " + " | ".join(cell.replace("|", "\\|") for cell in cells) + " |\n"


def what(option: dict) -> tuple[str, ...]:
    """The cells that all tables have."""
    return option["values"]["text"], option["unit"], option["default"], option["help"]


def link(option: dict, shown: str) -> str:
    """A link to all about an option."""
    return f"[`{shown}`](#{option['key']})"


def of_writer(option: dict) -> str:
    name = link(option, option["key"])
    return row(name if option["environment"] else f"{name} (no variable)", *what(option))


def flag(option: dict) -> str:
    return "--" + option["key"].replace("_", "-")


def of_files(option: dict) -> str:
    users = [name for name in ("pack", "plan", "unpack") if option[name]]
    return row(link(option, flag(option)), f"`{option['key']}=`", ", ".join(users), *what(option))


def explained(option: dict) -> str:
    """All about an option."""
    words = option["values"]["words"]
    meanings = "".join(f"- `{word}`: {meaning}.\n" for word, meaning in words)
    stated = f"Default: {option['default']}. Since {option['since']}."
    written = [
        ("With the command: ", option["command"]),
        ("In Python: ", option["python"]),
    ]
    written = [name + text for name, text in written if text]
    unit = [f"Unit: {option['unit']}."] if option["unit"] else []
    texts = (option["help"], meanings.rstrip(), option["details"], *written)
    shown = (*texts, " ".join([*unit, stated]))
    return f"### {option['key']}\n\n" + "\n\n".join(filter(None, shown)) + "\n"


def page(options: list[dict]) -> str:
    """The page, with new tables."""
    writers = [one for one in options if one["writer"]]
    files = [one for one in options if is_of_files(one)]
    cells = "values | unit | default | |\n"
    parts = {
        "options": f"| option | {cells}" + "|---" * 5 + "|\n" + "".join(map(of_writer, writers)),
        "options of files": f"| command | Python | of | {cells}"
        + "|---" * 7
        + "|\n"
        + "".join(map(of_files, files)),
        "details": "\n".join(map(explained, options)),
    }
    text = PAGE.read_text()
    for name, part in parts.items():
        place = re.compile(TABLE.format(name), flags=re.DOTALL)
        text, found = place.subn(lambda at, part=part: f"{at[1]}\n{part}\n{at[2]}", text)
        if found != 1:
            message = f"{PAGE.name} has {found} places for {name}"
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
