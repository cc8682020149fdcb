"""Names and texts of files never steer a terminal: tables, errors, notices, JSON, figures."""

import json
import os
import pty
import subprocess
import unicodedata
from pathlib import Path

import h5py
import numpy as np
import pytest
from support.command import BINARY

# A title for the window, a bell, "clear the screen" of C1, text turned round, invisible marks, ends
# of lines, a carriage return that goes back over a line.
EVIL = "\x1b]0;owned\x07\x9b2J\u202eevil\u2066\u061c\u200b\ufeff\u2028\x7f\r\nfrazil: done"
HARMFUL = ("Cc", "Cf", "Zl", "Zp")
FORBIDDEN = [*EVIL[:1], "\x07", "\x9b", "\x7f", "\u202e", "\u2066", "\u061c", "\u200b", "\ufeff"]


def make(path: Path) -> None:
    """A file in which everything that can have a name or a text has an evil one."""
    generator = np.random.default_rng(3)
    with h5py.File(path, "w") as file:
        group = file.create_group(f"group {EVIL}")
        text = h5py.string_dtype()
        for owner in (file, group):
            owner.attrs[f"attribute {EVIL}"] = f"value {EVIL}"
        dim = file.create_dataset(f"dimension {EVIL}", data=np.arange(64.0))
        dim.make_scale(f"scale {EVIL}")
        for place, name in ((file, f"variable {EVIL}"), (group, f"field {EVIL}")):
            values = np.cumsum(generator.normal(size=(64, 640)), axis=1).astype("f4")
            x = place.create_dataset(name, data=values, chunks=(8, 64), compression="gzip")
            x.dims[0].attach_scale(dim)
            x.attrs["units"] = f"K {EVIL}"
            x.attrs["long_name"] = np.array([EVIL, EVIL], text)
            x.attrs["quantization"] = f"BitRound {EVIL}"
            h5py.h5o.set_comment(x.id, f"comment {EVIL}".encode())
        enum = h5py.enum_dtype({f"member {EVIL}": 1, "b": 2}, basetype="i1")
        file[f"type {EVIL}"] = np.dtype(enum)
        compound = np.dtype([(f"member {EVIL}", "f4"), ("other", "i2")])
        file.create_dataset(f"compound {EVIL}", data=np.zeros(3, compound))
        file.create_dataset(f"enumeration {EVIL}", data=np.zeros(3, "i1"), dtype=enum)
        file.create_dataset(f"texts {EVIL}", data=np.array([EVIL] * 3, text), dtype=text)
        file[f"soft {EVIL}"] = h5py.SoftLink(f"/nowhere {EVIL}")
        file[f"external {EVIL}"] = h5py.ExternalLink(f"other {EVIL}.h5", f"/x {EVIL}")


def check(output: bytes) -> str:
    text = output.decode("utf-8")
    bad = [c for c in text if unicodedata.category(c) in HARMFUL and c not in "\n\t"]
    assert bad == [], text[max(0, text.index(bad[0]) - 80) :][:200]
    return text


def check_lines(output: bytes) -> None:
    """Nor can a name begin a line of its own."""
    assert not any(line.startswith("frazil: done") for line in check(output).splitlines())


def run(*arguments: object) -> subprocess.CompletedProcess:
    command = [BINARY, *(os.fsencode(str(a)) if not isinstance(a, bytes) else a for a in arguments)]
    return subprocess.run(command, stdin=subprocess.DEVNULL, capture_output=True, timeout=300)


def run_in_terminal(*arguments: object) -> bytes:
    """All that a terminal gets to see."""
    primary, secondary = pty.openpty()
    command = [BINARY, *(os.fsencode(str(a)) for a in arguments)]
    with subprocess.Popen(command, stdin=secondary, stdout=secondary, stderr=secondary) as process:
        os.close(secondary)
        seen = b""
        while True:
            try:
                more = os.read(primary, 65536)
            except OSError:
                more = b""
            if not more:
                break
            seen += more
        process.wait(timeout=300)
    os.close(primary)
    return seen


@pytest.fixture(scope="module")
def folder(tmp_path_factory: pytest.TempPathFactory) -> Path:
    folder = tmp_path_factory.mktemp("names")
    make(folder / f"file {EVIL}.h5")
    make(folder / "plain.h5")
    with h5py.File(folder / "plain.h5", "a") as file:
        # What verify has to tell.
        for name in list(file):
            if name.startswith(("variable", "texts")):
                del file[name]
        file.create_dataset(f"new {EVIL}", data=[1.0])
    (folder / "table.csv").write_text(f'"a {EVIL}","b [m {EVIL}]"\n1,2\n3,"x{EVIL}"\n')
    (folder / "good.csv").write_text(f'"a {EVIL}","b [m {EVIL}]"\n1,2\n3,4\n')
    (folder / "cut.h5").write_bytes((folder / f"file {EVIL}.h5").read_bytes()[:3000])
    return folder


def commands(folder: Path) -> list[tuple[object, ...]]:
    evil, other = folder / f"file {EVIL}.h5", folder / "plain.h5"
    out = folder / f"out {EVIL}.nc"
    return [
        ("info", evil, "--fill", "--all-variables"),
        ("info", evil, "--json"),
        ("plan", evil),
        ("plan", evil, "--encoding", "xarray"),
        ("plan", evil, "--encoding", "nco"),
        ("plan", evil, "--encoding", "nccopy"),
        ("plan", evil, "--encoding", "nf90"),
        ("pack", evil, "-o", out, "--overwrite", "--dry-run"),
        ("pack", evil, "-o", out, "--overwrite", "--verify", "--energy"),
        ("pack", evil, "-o", out, "--overwrite", "--json", "--rel-error", "1e-3"),
        ("pack", evil, "-o", out),
        ("pack", evil, "-o", folder / "x.nc", "--keep-information", "0.99", "--overwrite"),
        ("unpack", evil, "-o", out, "--overwrite"),
        ("unpack", evil, "-o", out, "--overwrite", "--format", "classic"),
        ("verify", evil, evil),
        ("verify", evil, other),
        ("verify", evil, other, "--json"),
        ("analyze", evil),
        ("analyze", evil, "--json", "--variables", f"nothing {EVIL}"),
        ("recover", evil, folder / f"missing {EVIL}"),
        ("info", folder / f"missing {EVIL}"),
        ("info", folder / "cut.h5"),
        ("import", folder / "table.csv", "-o", folder / "table.nc", "--overwrite"),
        ("import", folder / "good.csv", "-o", folder / "good.nc", "--overwrite"),
        ("pack", evil, f"--{EVIL}"),
        ("pack", evil, "-o", out, "--chunks", EVIL),
        ("pack", evil, "-o", out, "--filters", EVIL),
        ("pack", evil, "-o", out, "--plan", folder / f"plan {EVIL}"),
        (f"{EVIL}",),
    ]


def test_nothing_harmful_reaches_a_pipe(folder: Path):
    for arguments in commands(folder):
        outcome = run(*arguments)
        check_lines(outcome.stdout)
        check_lines(outcome.stderr)
        if "--json" in arguments:
            document = json.loads(outcome.stdout)
            assert (
                outcome.returncode > 1
                or EVIL in json.dumps(document, ensure_ascii=False)
                or (json.dumps(EVIL)[1:-1] in json.dumps(document))
            )


def test_nothing_harmful_reaches_a_terminal(folder: Path):
    for arguments in commands(folder)[:20]:
        text = run_in_terminal(*arguments).decode("utf-8")
        assert "\x1b]0;" not in text, arguments
        for character in FORBIDDEN[1:]:
            assert character not in text, (arguments, character)


def test_bytes_that_are_no_text_are_written_out(folder: Path):
    outcome = run("info", os.fsencode(folder) + b"/missing \xff\x1b[2J\xc2\x9b.nc")
    assert outcome.returncode == 1
    check(outcome.stderr)
    assert rb"missing \xff\u{1b}[2J\u{9b}.nc" in outcome.stderr


def test_figures_show_no_names_that_hide(folder: Path):
    evil = folder / f"file {EVIL}.h5"
    for command, ending in (("plan", "html"), ("plan", "svg"), ("analyze", "svg")):
        target = folder / f"{command}.{ending}"
        option = "--plot" if command == "plan" else "--figure"
        outcome = run(command, evil, option, target)
        assert outcome.returncode == 0, outcome.stderr
        check(target.read_bytes())


def test_plans_in_others_words_have_the_exact_names(folder: Path):
    evil = folder / f"file {EVIL}.h5"
    printed = run("plan", evil, "--encoding", "xarray").stdout.decode()
    namespace: dict = {}
    exec(printed, namespace)
    assert f"variable {EVIL}" in namespace["encoding"]
    shown = run("plan", evil, "--encoding", "nco").stdout.decode()
    words = subprocess.run(
        ["bash", "-c", f"ncks() {{ printf '%s\\0' \"$@\"; }}\n{shown}"], capture_output=True
    ).stdout.split(b"\0")
    assert f"variable {EVIL}".encode() in words and os.fsencode(evil) in words
