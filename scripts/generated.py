"""Files of the tree that scripts write: written, or with `--check` compared with what is there."""

import sys
from collections.abc import Mapping
from pathlib import Path

ROOT = Path(__file__).resolve().parent.parent


def write_or_check(files: Mapping[Path, str]) -> int:
    """Writes the texts; with `--check` it says which files would change.

    The exit status: 1 if one would.
    """
    if "--check" not in sys.argv[1:]:
        for path, text in files.items():
            path.write_text(text, encoding="utf-8")
        return 0
    stale = [
        path
        for path, text in files.items()
        if not path.exists() or path.read_text(encoding="utf-8") != text
    ]
    for path in stale:
        script = Path(sys.argv[0]).name
        print(f"{path.relative_to(ROOT)} is not current: run scripts/{script}", file=sys.stderr)
    return int(bool(stale))
