"""Compares files by what ncdump and h5dump print."""

import re
from pathlib import Path

from support.command import tool

# Enough digits to tell any two floats and doubles apart.
NCDUMP = ("ncdump", "-p", "9,17")


class Unreadable(Exception):
    """The dump tool does not read this file."""


def _run(*command: object) -> bytes:
    answer = tool(*command)
    if answer.returncode != 0:
        raise Unreadable(f"{command[0]} ends with {answer.returncode}: {answer.stderr[-200:]!r}")
    return answer.stdout


def ncdump(path: Path, *options: str) -> bytes:
    """Header and data without the file's name."""
    text = _run(*NCDUMP, *options, path)
    return text[text.index(b"\n") + 1 :]


# Addresses of objects, `DATASET 1400 /name` or `DATASET 1400 "/name"`; types without a name,
# `"/#1832"`.
_REFERENCE = re.compile(rb'\b(GROUP|DATASET|DATATYPE) \d+ (?="?/)')
_UNNAMED = re.compile(rb'"/#\d+(:\d+)?"')


def h5dump(path: Path) -> bytes:
    """Groups, types, attributes and data without the file's name and object addresses."""
    text = _run("h5dump", path)
    text = text[text.index(b"\n") + 1 :]
    return _UNNAMED.sub(b'"/#"', _REFERENCE.sub(rb"\1 ", text))


def without_variables(text: bytes, names: set[str]) -> bytes:
    """An ncdump text without the data of some variables."""
    for name in names:
        # ` name =`, then lines up to the one that ends with a semicolon; deeper in groups.
        pattern = rb"^ +" + re.escape(name.encode()) + rb" =.*?;\n"
        text = re.sub(pattern, b"", text, flags=re.MULTILINE | re.DOTALL)
    return text


def first_difference(a: bytes, b: bytes) -> str | None:
    """The first line in which two texts differ; None if they do not."""
    if a == b:
        return None
    lines_a, lines_b = a.split(b"\n"), b.split(b"\n")
    for number, (line_a, line_b) in enumerate(zip(lines_a, lines_b, strict=False), start=2):
        if line_a != line_b:
            return f"line {number}: {line_a[:200]!r} became {line_b[:200]!r}"
    return f"{len(lines_a)} lines became {len(lines_b)}"
