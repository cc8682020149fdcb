"""The tutorials run, and what they give becomes a page and a notebook."""

import importlib.util
import json
import sys
from pathlib import Path

import pytest

ROOT = Path(__file__).parents[2]
TUTORIALS = sorted((ROOT / "docs/tutorials").glob("*.py"))


@pytest.fixture(scope="module")
def runner():
    spec = importlib.util.spec_from_file_location("tutorials", ROOT / "scripts/tutorials.py")
    module = importlib.util.module_from_spec(spec)
    # Its data classes look for their module.
    with pytest.MonkeyPatch.context() as patch:
        patch.setitem(sys.modules, "tutorials", module)
        spec.loader.exec_module(module)
        yield module


@pytest.mark.sampled(one_in=2)
@pytest.mark.parametrize("path", TUTORIALS, ids=lambda path: path.stem)
def test_a_tutorial_runs(runner, path):
    cells = runner.run(path)
    code = [cell for cell in cells if cell.is_code]
    assert len(code) >= 6 and len(cells) > len(code)
    assert sum(bool(cell.printed or cell.value) for cell in code) >= len(code) // 2
    page = runner.page(path, cells)
    assert page.startswith("# ") and page.count("```python\n") == len(code)
    notebook = json.loads(runner.notebook(cells))
    assert [one["cell_type"] for one in notebook["cells"]].count("code") == len(code)
    # Nothing of the machine stands in them.
    assert str(ROOT) not in page and str(Path.home()) not in page


@pytest.mark.parametrize("path", TUTORIALS, ids=lambda path: path.stem)
def test_the_notebook_that_is_kept_has_the_cells_and_what_they_gave(runner, path):
    kept = json.loads(path.with_suffix(".ipynb").read_text())
    cells = runner.cells_of(path.read_text())
    assert [one["source"] for one in kept["cells"]] == [cell.source for cell in cells]
    shown = [out.get("data", {}) for one in kept["cells"] for out in one.get("outputs", [])]
    assert any("<table>" in one.get("text/html", "") for one in shown)


def test_a_tutorial_that_fails_says_where(runner, tmp_path):
    path = tmp_path / "wrong.py"
    path.write_text("# %% [markdown]\n# # Wrong\n\n# %%\nvalues = [1]\nvalues[7]\n")
    with pytest.raises(RuntimeError, match=r"wrong.py:\nvalues = \[1\](?s:.*)IndexError"):
        runner.run(path)


def test_cells_of_a_program(runner):
    text, code = runner.cells_of("# %% [markdown]\n# # Title\n#\n# Text.\n\n# %%\n1 + 1\n")
    assert (text.is_code, text.source) == (False, "# Title\n\nText.")
    assert (code.is_code, code.source) == (True, "1 + 1")
    runner.run_cell(code, {})
    assert code.value == {"text/plain": "2"}
