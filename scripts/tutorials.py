"""Runs a tutorial of docs/tutorials and makes a page and a notebook of it.

python scripts/tutorials.py [--write] [TUTORIAL.py ...]

Tutorials are Python programs in the percent format, which editors and jupytext open as notebooks:
`# %% [markdown]` begins text, `# %%` begins code. They run in an empty folder with a link to
`data/`; what they print, and the value of each cell's last line, stands in the page. Without
arguments all are run; nothing is written. With `--write` first, what they gave is kept beside them
as notebooks, which Jupyter and code hosts show with their pictures; a test holds that these have
the cells of the programs.
"""

import ast
import contextlib
import io
import json
import re
import subprocess
import sys
import tempfile
import traceback
from dataclasses import asdict, dataclass, field
from pathlib import Path

ROOT = Path(__file__).resolve().parent.parent
FOLDER = ROOT / "docs/tutorials"
SECONDS = 300
MARKER = re.compile(r"^# %%(?P<text> \[markdown\])?\n", flags=re.MULTILINE)


@dataclass
class Cell:
    """Text or code, and what the code gave: printed text, and a value as HTML or text."""

    is_code: bool
    source: str
    printed: str = ""
    value: dict[str, str] = field(default_factory=dict)


def cells_of(program: str) -> list[Cell]:
    """The cells of a program in the percent format."""
    _, *parts = MARKER.split(program)
    cells = []
    for marker, body in zip(parts[::2], parts[1::2], strict=True):
        source = body.strip("\n")
        if marker:
            source = "\n".join(re.sub(r"^# ?", "", line) for line in source.splitlines())
        cells.append(Cell(not marker, source))
    return cells


def shown(value: object) -> dict[str, str]:
    """A value as a notebook shows it, by MIME type."""
    if value is None:
        return {}
    found = {"text/plain": repr(value)}
    rich = getattr(value, "_repr_html_", None)
    if rich is not None:
        found["text/html"] = rich()
    return found


def run_cell(cell: Cell, names: dict[str, object]) -> None:
    tree = ast.parse(cell.source)
    last = tree.body.pop() if tree.body and isinstance(tree.body[-1], ast.Expr) else None
    printed = io.StringIO()
    with contextlib.redirect_stdout(printed):
        exec(compile(tree, "<tutorial>", "exec"), names)
        if last is not None:
            code = compile(ast.Expression(last.value), "<tutorial>", "eval")
            cell.value = shown(eval(code, names))
    cell.printed = printed.getvalue()


def run_here(path: Path) -> list[Cell]:
    """Runs a tutorial in this process and folder."""
    cells = cells_of(path.read_text())
    names: dict[str, object] = {"__name__": "__main__"}
    for cell in cells:
        if not cell.is_code:
            continue
        try:
            run_cell(cell, names)
        except Exception:
            raise SystemExit(f"{path.name}:\n{cell.source}\n\n{traceback.format_exc()}") from None
    return cells


def run(path: Path) -> list[Cell]:
    """Runs a tutorial in a process and an empty folder of its own."""
    with tempfile.TemporaryDirectory() as folder:
        Path(folder, "data").symlink_to(ROOT / "data")
        done = subprocess.run(
            [sys.executable, __file__, "--here", path],
            cwd=folder,
            capture_output=True,
            text=True,
            timeout=SECONDS,
        )
    if done.returncode != 0:
        raise RuntimeError(done.stderr)
    return [Cell(**cell) for cell in json.loads(done.stdout)]


def page(path: Path, cells: list[Cell]) -> str:
    """The page of a tutorial that was run."""
    parts = []
    for cell in cells:
        parts.append(f"```python\n{cell.source}\n```" if cell.is_code else cell.source)
        if cell.printed:
            parts.append(f"```text\n{cell.printed.rstrip()}\n```")
        if "text/html" in cell.value:
            # Blank lines would end it.
            lines = [line for line in cell.value["text/html"].splitlines() if line.strip()]
            parts.append("<div>" + "\n".join(lines) + "</div>")
        elif cell.value:
            parts.append(f"```text\n{cell.value['text/plain']}\n```")
    about = f"This page is a notebook: [{path.stem}.ipynb]({path.stem}.ipynb)."
    return "\n\n".join([parts[0], about, *parts[1:]]) + "\n"


def notebook(cells: list[Cell]) -> str:
    """A notebook (nbformat 4.5) of a tutorial that was run."""
    made = []
    for number, cell in enumerate(cells):
        one = {"id": f"cell-{number}", "metadata": {}, "source": cell.source}
        if not cell.is_code:
            made.append({"cell_type": "markdown", **one})
            continue
        outputs = []
        if cell.printed:
            outputs.append({"output_type": "stream", "name": "stdout", "text": cell.printed})
        if cell.value:
            result = {"data": cell.value, "metadata": {}, "execution_count": None}
            outputs.append({"output_type": "execute_result", **result})
        made.append({"cell_type": "code", "execution_count": None, "outputs": outputs, **one})
    kernel = {"name": "python3", "display_name": "Python 3", "language": "python"}
    metadata = {"kernelspec": kernel, "language_info": {"name": "python"}}
    whole = {"nbformat": 4, "nbformat_minor": 5, "metadata": metadata, "cells": made}
    return json.dumps(whole, indent=1)


def tutorials() -> list[Path]:
    """All tutorials."""
    return sorted(FOLDER.glob("*.py"))


def main(words: list[str]) -> int:
    if words[:1] == ["--here"]:
        print(json.dumps([asdict(cell) for cell in run_here(Path(words[1]))]))
        return 0
    is_kept = words[:1] == ["--write"]
    for path in [Path(word).resolve() for word in words[is_kept:]] or tutorials():
        cells = run(path)
        if is_kept:
            path.with_suffix(".ipynb").write_text(notebook(cells) + "\n")
        print(f"{path.name}: {sum(cell.is_code for cell in cells)} cells")
    return 0


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
