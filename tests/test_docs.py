"""What README.md and docs/precision.md show is what the command and the libraries do."""

import os
import re
import shlex
import shutil
import subprocess
import sys
from pathlib import Path

import netCDF4
import pytest
from frazil import errors
from support import capi, fortran
from support.command import BINARY, DONE, ROOT, SAMPLE

README = ROOT / "README.md"
PRECISION = ROOT / "docs/precision.md"
COOKBOOK = ROOT / "docs/cookbook.md"
TROUBLESHOOTING = ROOT / "docs/troubleshooting.md"


def blocks(document: Path, language: str) -> list[str]:
    """Code blocks of one language."""
    return re.findall(rf"```{language}\n(.*?)```", document.read_text(), flags=re.DOTALL)


def test_commands_of_the_document_run(tmp_path: Path) -> None:
    shutil.copy(SAMPLE, tmp_path / "input.nc")
    for name, rules in zip(
        ("policy", "precision", "rules"), blocks(PRECISION, "toml"), strict=True
    ):
        (tmp_path / f"{name}.toml").write_text(rules)
    commands = [line for block in blocks(PRECISION, "sh") for line in block.splitlines()]
    commands = [line for line in commands if line.strip()]
    assert len(commands) > 5
    for line in commands:
        name, *words = shlex.split(line, comments=True)
        assert name == "frazil", line
        answer = subprocess.run([BINARY, *words], cwd=tmp_path, capture_output=True, text=True)
        assert answer.returncode == DONE, f"{line}\n{answer.stderr}"


def test_the_policy_of_the_document_holds(tmp_path: Path) -> None:
    policy = tmp_path / "policy.toml"
    policy.write_text(blocks(PRECISION, "toml")[0])
    packed = tmp_path / "packed.nc"
    words = ["pack", SAMPLE, "-o", packed, "--precision", policy]
    subprocess.run([BINARY, *words], check=True, capture_output=True)
    with netCDF4.Dataset(packed) as file:
        height, humidity = file["HGT"], file["QVAPOR"]
        assert (height.chunking()[0], height.chunking()[2]) == (2, 100)
        assert height.filters()["zlib"] and height.filters()["complevel"] == 1
        assert humidity.chunking()[0] == 2
        assert "quantization" not in height.ncattrs()
        assert "quantization" in humidity.ncattrs()
        with netCDF4.Dataset(SAMPLE) as original:
            assert (height[:] == original["HGT"][:]).all()


def test_commands_of_the_readme_run(tmp_path: Path) -> None:
    found = blocks(README, "sh")
    assert sum(block.count("\nfrazil ") for block in found) > 5
    environment = os.environ | {"PATH": f"{BINARY.parent}:{os.environ['PATH']}"}
    for number, block in enumerate(found):
        folder = tmp_path / str(number)
        folder.mkdir()
        for name in ("input.nc", "output.nc"):
            shutil.copy(SAMPLE, folder / name)
        (folder / "archive").mkdir()
        shutil.copy(SAMPLE, folder / "archive/january.nc")
        (folder / "table.csv").write_text("place,height\n1,10.5\n2,11.5\n")
        answer = subprocess.run(
            ["bash", "-ec", block], cwd=folder, env=environment, capture_output=True, text=True
        )
        assert answer.returncode == DONE, f"{block}\n{answer.stderr}"


@pytest.mark.parametrize("language", ["sh", "python"])
def test_the_tasks_of_the_cookbook_run(language: str, tmp_path: Path) -> None:
    found = blocks(COOKBOOK, language)
    assert len(found) >= {"sh": 15, "python": 3}[language]
    start = {"sh": ["bash", "-ec"], "python": [sys.executable, "-c"]}[language]
    environment = os.environ | {"PATH": f"{BINARY.parent}:{os.environ['PATH']}"}
    for number, block in enumerate(found):
        folder = tmp_path / str(number)
        folder.mkdir()
        shutil.copy(SAMPLE, folder / "input.nc")
        answer = subprocess.run(
            [*start, block], cwd=folder, env=environment, capture_output=True, text=True
        )
        assert answer.returncode == DONE, f"{block}\n{answer.stderr}"
        written = [path for path in folder.glob("**/*.nc") if path.name != "input.nc"]
        for path in written:
            subprocess.run(["ncdump", "-h", path], check=True, capture_output=True)


def test_the_page_of_errors_has_all_codes() -> None:
    rows = re.findall(
        r"^\| (\d+) \| \[`(\w+)`\]\(#(\w+)\) \| `(\w+)`",
        TROUBLESHOOTING.read_text(),
        flags=re.MULTILINE,
    )
    assert {(int(number), kind) for number, _, _, kind in rows} == {
        (kind.code, kind.__name__)
        for kind in vars(errors).values()
        if isinstance(kind, type) and issubclass(kind, errors.Error) and "code" in vars(kind)
    } - {(0, "Error")}
    headings = re.findall(r"^## (\w+)$", TROUBLESHOOTING.read_text(), flags=re.MULTILINE)
    for _, name, anchor, _ in rows:
        assert name == anchor
        assert name in headings


@fortran.needs_gfortran
def test_the_fortran_lines_of_the_readme_run(tmp_path: Path) -> None:
    (block,) = blocks(README, "fortran")
    use, *rest = block.splitlines()
    source = tmp_path / "model.f90"
    lines = ["program model", use, "implicit none", *rest, "if (status /= 0) stop 1", "end program"]
    source.write_text("\n".join(lines) + "\n")
    prefix = fortran.install(tmp_path / "installed")
    fortran.run(fortran.with_frazil(prefix, source, tmp_path / "model"), cwd=tmp_path)
    with netCDF4.Dataset(tmp_path / "out.nc") as file:
        assert file["temperature"][:].tolist() == [280.5, 281.0, 281.5]


@capi.needs("pkg-config")
def test_the_c_lines_of_the_readme_run(tmp_path: Path) -> None:
    (block,) = blocks(README, "c")
    source = tmp_path / "model.c"
    source.write_text(f"#include <frazil.h>\n\nint main(void)\n{{\n{block}return 0;\n}}\n")
    prefix = capi.install(tmp_path / "installed")
    fortran.run(capi.compiled(prefix, source, tmp_path / "model"), cwd=tmp_path)
    with netCDF4.Dataset(tmp_path / "out.nc") as file:
        assert file["temperature"].shape == (1000,)
        assert abs(file["temperature"][999] - 289.99) < 1e-4


def test_generated_parts_of_the_document_are_current() -> None:
    if not shutil.which("ncdump"):
        pytest.skip("ncdump is not installed")
    script = ROOT / "scripts/make_precision_tables.py"
    answer = subprocess.run([sys.executable, script, "--check"], capture_output=True, text=True)
    assert answer.returncode == 0, answer.stderr


def test_the_page_of_options_is_current() -> None:
    script = ROOT / "scripts/make_options_page.py"
    answer = subprocess.run([sys.executable, script, "--check"], capture_output=True, text=True)
    assert answer.returncode == 0, answer.stderr
