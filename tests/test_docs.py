"""What docs/precision.md shows is what the command does."""

import re
import shlex
import shutil
import subprocess
import sys
from pathlib import Path

import pytest
from support.command import BINARY, DONE, ROOT, SAMPLE

DOCUMENT = ROOT / "docs/precision.md"


def blocks(language: str) -> list[str]:
    """Code blocks of one language."""
    return re.findall(rf"```{language}\n(.*?)```", DOCUMENT.read_text(), flags=re.DOTALL)


def test_commands_of_the_document_run(tmp_path: Path) -> None:
    shutil.copy(SAMPLE, tmp_path / "input.nc")
    (tmp_path / "precision.toml").write_text("\n".join(blocks("toml")))
    commands = [line for block in blocks("sh") for line in block.splitlines() if line.strip()]
    assert len(commands) > 5
    for line in commands:
        name, *words = shlex.split(line, comments=True)
        assert name == "frazil", line
        answer = subprocess.run([BINARY, *words], cwd=tmp_path, capture_output=True, text=True)
        assert answer.returncode == DONE, f"{line}\n{answer.stderr}"


def test_generated_parts_of_the_document_are_current() -> None:
    if not shutil.which("ncdump"):
        pytest.skip("ncdump is not installed")
    script = ROOT / "scripts/make_precision_tables.py"
    answer = subprocess.run([sys.executable, script, "--check"], capture_output=True, text=True)
    assert answer.returncode == 0, answer.stderr
