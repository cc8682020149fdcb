"""Programs that nobody rebuilt, with `frazil run` and without."""

import json
import re
import subprocess
from pathlib import Path

from support.capi import PLAIN
from support.command import BINARY
from support.dumps import first_difference, ncdump


def frazil_run(folder: Path, *arguments: object, **environment: str) -> subprocess.CompletedProcess:
    """`frazil run`, in a folder; arguments up to `--` are its own."""
    command = [str(BINARY), "run", "--report", "report.json", *map(str, arguments)]
    variables = {**PLAIN, **environment}
    return subprocess.run(
        command, cwd=folder, env=variables, capture_output=True, text=True, timeout=120, check=False
    )


def fates(folder: Path) -> list[str]:
    return [file["fate"] for file in json.loads((folder / "report.json").read_text())["files"]]


def check_equal(plain: Path, ours: Path) -> None:
    """Compares files by all that ncdump says, storage included; but for what wrote them, and for
    NC_NOFILL of a variable that has a fill value: frazil fills it."""
    texts = [ncdump(path, "-s") for path in (plain, ours)]
    texts = [re.sub(rb"\n.*:_(NCProperties|NoFill) = .*", b"", text) for text in texts]
    difference = first_difference(*texts)
    assert difference is None, difference
