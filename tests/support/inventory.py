"""Cases of the table "Every part of the format" in docs/format.md."""

import re
from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path

import h5py

from support.command import ROOT

TABLE = ROOT / "docs/format.md"


def unchanged(seen: object) -> object:
    """What a part becomes that is kept."""
    return seen


@dataclass(frozen=True)
class Case:
    """One part of the format: a file that has it, and how it is seen."""

    name: str
    # Writes a file; with 1 one that only differs in this part.
    make: Callable[[Path, int], object]
    # What h5py's low level says of the part.
    look: Callable[[h5py.File], object]
    # kept, converted, named (in a notice) or refused.
    outcome: str = "kept"
    # What `look` gives of the output.
    becomes: Callable[[object], object] = unchanged
    # What verify says of the two files: difference, notice or nothing.
    verify: str = "difference"
    # Part of the notice, or of the refusal.
    says: str = ""


def documented() -> dict[str, tuple[str, str]]:
    """Outcome and verify's answer of each row of the table."""
    text = TABLE.read_text().split("## Every part of the format\n")[1].split("\n## ")[0]
    rows = re.findall(r"^\| ([^|]+?) \| (\w+) \| [^|]* \| (\w+) \|$", text, flags=re.MULTILINE)
    return {name: (outcome, verify) for name, outcome, verify in rows if name != "part"}


def look_at(path: Path, look: Callable[[h5py.File], object]) -> object:
    with h5py.File(path) as file:
        return look(file)
