"""The guides: their commands run, and the options and variables that they name exist."""

import os
import re
import shutil
import subprocess
from pathlib import Path

import pytest
from support.command import BINARY, DONE, ROOT, SAMPLE

GUIDES = ("hpc", "data_centre", "faq", "install", "versioning", "comparison")
# How many blocks of commands each has at least.
COMMANDS = {"hpc": 1, "data_centre": 3, "faq": 5, "install": 1}
SCRIPTS = 4

# Stand-ins for a cluster's commands. A model is happy if its options are good.
STAND_INS = {
    "srun": '#!/bin/sh\nexec "$@"\n',
    "module": '#!/bin/sh\n[ "$1 $2" = "load frazil" ]\n',
    "lfs": '#!/bin/sh\n[ "$1" = setstripe ] && [ -d "$6" ]\n',
}
MODEL = '#!/bin/sh\n[ -z "$(frazil options 2>&1 >/dev/null)" ]\n'

# Lines and spans of other programs, whose options are not ours.
FOREIGN = re.compile(
    r"^#SBATCH.*$|^.*\b(lfs|podman|rattler-build|eb|spack) .*$|`--signal`|`make [^`]*`",
    re.MULTILINE,
)
NCKS = ("--cnk_map", "--baa", "--ppc")


def text_of(guide: str) -> str:
    return (ROOT / f"docs/{guide}.md").read_text()


def blocks(guide: str, language: str) -> list[str]:
    return re.findall(rf"```{language}\n(.*?)```", text_of(guide), flags=re.DOTALL)


def run(block: str, folder: Path, extra_path: Path | None = None) -> None:
    folder.mkdir()
    shutil.copy(SAMPLE, folder / "input.nc")
    path = f"{BINARY.parent}:{os.environ['PATH']}"
    if extra_path:
        path = f"{extra_path}:{path}"
        for name in ("january", "february", "march"):
            target = folder / "archive" / name / f"{name}.nc"
            target.parent.mkdir(parents=True)
            shutil.copy(SAMPLE, target)
        (folder / "model").write_text(MODEL)
        (folder / "model").chmod(0o755)
    environment = os.environ | {"PATH": path, "SLURM_ARRAY_TASK_ID": "1"}
    answer = subprocess.run(
        ["bash", "-ec", block], cwd=folder, env=environment, capture_output=True, text=True
    )
    assert answer.returncode == DONE, f"{block}\n{answer.stdout}\n{answer.stderr}"
    for written in folder.glob("packed/**/*.nc"):
        subprocess.run(["ncdump", "-h", written], check=True, capture_output=True)


@pytest.mark.parametrize("guide", COMMANDS)
def test_the_commands_of_the_guides_run(guide: str, tmp_path: Path) -> None:
    found = blocks(guide, "sh")
    assert len(found) >= COMMANDS[guide]
    for number, block in enumerate(found):
        run(block, tmp_path / str(number))


def test_the_scripts_for_clusters_run(tmp_path: Path) -> None:
    found = blocks("hpc", "bash")
    assert len(found) >= SCRIPTS
    commands = tmp_path / "commands"
    commands.mkdir()
    for name, script in STAND_INS.items():
        (commands / name).write_text(script)
        (commands / name).chmod(0o755)
    for number, script in enumerate(found):
        folder = tmp_path / str(number)
        run(script, folder, extra_path=commands)
        if "--out-dir packed/" in script:
            assert list(folder.glob("packed/**/*.nc")), script


def test_the_options_of_the_guides_exist() -> None:
    def answer(*words: str) -> str:
        return subprocess.run([BINARY, *words], check=True, capture_output=True, text=True).stdout

    commands = re.findall(r"^  ([a-z-]+) ", answer("--help"), flags=re.MULTILINE)
    helps = [answer("--help"), *(answer(name, "--help") for name in commands if name != "help")]
    options = {word for page in helps for word in re.findall(r"--[a-z][a-z0-9-]+", page)}
    variables = set(re.findall(r"FRAZIL_[A-Z_]+", answer("options")))
    variables |= {"FRAZIL_OPTIONS", "FRAZIL_FORMAT"}
    for guide in GUIDES:
        text = FOREIGN.sub("", text_of(guide))
        code = " ".join(re.findall(r"```.*?```|`[^`]+`", text, flags=re.DOTALL))
        named = set(re.findall(r"(?<![\w-])--[a-z][a-z0-9_-]+", code)) - set(NCKS)
        assert named <= options, f"{guide}: {named - options}"
        assert set(re.findall(r"FRAZIL_[A-Z_]+", code)) <= variables, guide
