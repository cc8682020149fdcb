"""What goes wrong is said clearly; the source is untouched and nothing is left behind."""

import hashlib
import os
import shutil
import signal
import subprocess
import tempfile
import time
import zlib
from collections.abc import Callable, Iterator
from pathlib import Path

import h5py
import numpy as np
import pytest
from support import make
from support.command import (
    BINARY,
    DONE,
    FAILED,
    SAMPLE,
    TROUBLE,
    Outcome,
    frazil,
    start,
    tool,
)

pytestmark = pytest.mark.sampled(one_in=2)

NOBODY = 65534


class Scene:
    """A folder with an input; knows afterwards whether anything in it changed."""

    def __init__(self, folder: Path, source: Path) -> None:
        self.folder, self.source = folder, source
        self.target = folder / "packed.nc"
        self.before = self.content()

    def content(self) -> dict[str, str]:
        files = (path for path in self.folder.rglob("*") if path.is_file())
        return {str(path): hashlib.sha256(path.read_bytes()).hexdigest() for path in files}

    def fails(self, code: str, *options: object, **limits: object) -> Outcome:
        """Packs; expects one error with `code`, a cause, and an unchanged folder."""
        outcome = frazil("pack", self.source, "-o", self.target, "--json", *options, **limits)
        self.check(outcome, code)
        return outcome

    def check(self, outcome: Outcome, code: str) -> None:
        assert outcome.code == FAILED, outcome.stdout + outcome.stderr
        assert [error["code"] for error in outcome.errors] == [code], outcome.errors
        assert outcome.errors[0]["cause"]
        assert "panic" not in outcome.stderr
        assert self.content() == self.before


@pytest.fixture
def scene(tmp_path: Path) -> Scene:
    return Scene(tmp_path, Path(shutil.copy(SAMPLE, tmp_path / "source.nc")))


def test_a_missing_input_is_named(tmp_path: Path):
    scene = Scene(tmp_path, tmp_path / "nowhere.nc")
    outcome = scene.fails("not_found")
    assert outcome.errors[0]["file"].endswith("nowhere.nc")


def test_a_message_names_file_cause_and_cure(scene: Scene):
    scene.target.write_text("precious")
    outcome = frazil("pack", scene.source, "-o", scene.target)
    assert outcome.code == FAILED
    assert "packed.nc" in outcome.stderr and "--overwrite" in outcome.stderr
    assert scene.target.read_text() == "precious"


def test_overwrite_replaces_an_existing_output(scene: Scene):
    scene.target.write_text("worthless")
    outcome = frazil("pack", scene.source, "-o", scene.target, "--overwrite")
    assert outcome.code == DONE and h5py.is_hdf5(scene.target)


def test_the_input_is_not_overwritten_by_its_output(scene: Scene):
    scene.target = scene.source
    outcome = frazil("pack", scene.source, "-o", scene.source, "--overwrite", "--json")
    # A refusal, or a proper replacement: never a destroyed input.
    if outcome.code == FAILED:
        assert scene.content() == scene.before
    else:
        assert outcome.code == DONE and tool("ncdump", "-h", scene.source).returncode == 0


@pytest.mark.parametrize("content", [b"", b"CDF", b"text, not data\n" * 50, b"\x89HDF\r\n\x1a\n"])
def test_what_is_no_data_file_is_refused(tmp_path: Path, content: bytes):
    source = tmp_path / "source.nc"
    source.write_bytes(content)
    outcome = frazil("pack", source, "-o", tmp_path / "packed.nc", "--json")
    assert outcome.code == FAILED
    assert outcome.errors[0]["code"] in {"corrupt", "unsupported", "hdf5"}
    assert [path.name for path in tmp_path.iterdir()] == ["source.nc"]


def test_a_directory_is_no_file(tmp_path: Path):
    assert frazil("pack", tmp_path, "-o", tmp_path / "packed.nc").code == TROUBLE
    outcome = frazil("pack", tmp_path, "--out-dir", tmp_path / "packed", "--json")
    assert outcome.code == TROUBLE and "no files" in outcome.errors[0]["cause"]
    outcome = frazil("plan", tmp_path)
    assert outcome.code == FAILED and "is a directory" in outcome.stderr


@pytest.mark.parametrize("share", [0.001, 0.1, 0.5, 0.9, 0.9999])
def test_truncated_netcdf4_is_refused(tmp_path: Path, share: float):
    content = SAMPLE.read_bytes()
    source = tmp_path / "source.nc"
    source.write_bytes(content[: int(share * len(content))])
    outcome = frazil("pack", source, "-o", tmp_path / "packed.nc", "--json")
    assert outcome.code == FAILED
    assert outcome.errors[0]["code"] in {"corrupt", "hdf5"}
    assert [path.name for path in tmp_path.iterdir()] == ["source.nc"]


@pytest.mark.parametrize("share", [0.2, 0.6, 0.95])
def test_truncated_classic_is_refused(tmp_path: Path, share: float):
    source = make.classic(tmp_path / "source.nc", "NETCDF3_64BIT_OFFSET")
    os.truncate(source, int(share * source.stat().st_size))
    outcome = frazil("pack", source, "-o", tmp_path / "packed.nc", "--json")
    assert outcome.code == FAILED
    assert outcome.errors[0]["code"] in {"corrupt", "netcdf"}
    assert [path.name for path in tmp_path.iterdir()] == ["source.nc"]


def test_a_dimension_that_lies_about_its_size_takes_no_memory(tmp_path: Path):
    source = make.classic(tmp_path / "source.nc", "NETCDF3_CLASSIC")
    content = bytearray(source.read_bytes())
    # The header names the dimension x with its length, 7.
    place = content.index(b"\0\0\0\x01x\0\0\0\0\0\0\x07") + 8
    content[place : place + 4] = (0x70000000).to_bytes(4, "big")
    source.write_bytes(content)
    scene = Scene(tmp_path, source)
    outcome = frazil("pack", source, "-o", scene.target, "--json", memory_bytes=2 << 30, timeout=20)
    assert outcome.code == FAILED
    assert outcome.errors[0]["code"] in {"corrupt", "netcdf"}
    assert scene.content() == scene.before


def with_bad_chunk(path: Path, stored: bytes) -> Path:
    """A dataset whose second chunk holds `stored` instead of what deflate should find."""
    with h5py.File(path, "w") as file:
        values = make.field(32, 64)
        dataset = file.create_dataset("field", data=values, chunks=(8, 64), compression=4)
        dataset.id.write_direct_chunk((8, 0), stored)
    return path


# What a chunk holds instead, made of its values; a bomb takes a second to make.
BAD_CHUNKS: dict[str, Callable[[bytes], bytes]] = {
    "no stream at all": lambda _: b"\xff" * 500,
    "half a stream": lambda whole: zlib.compress(whole)[:300],
    "too few bytes": lambda whole: zlib.compress(whole[:1000]),
    "too many bytes": lambda whole: zlib.compress(whole * 2),
    "a bomb": lambda _: zlib.compress(bytes(1 << 28)),
}


@pytest.mark.parametrize("what", BAD_CHUNKS)
def test_a_bad_chunk_is_named(tmp_path: Path, what: str):
    whole = make.field(32, 64)[8:16].tobytes()
    source = with_bad_chunk(tmp_path / "source.h5", BAD_CHUNKS[what](whole))
    scene = Scene(tmp_path, source)
    outcome = scene.fails("corrupt", "--chunks", "0=16", memory_bytes=2 << 30)
    assert outcome.errors[0]["variable"] == "/field"


# In the first entry of a chunk index (B-tree, version 1): of its offsets, and of the address.
BAD_INDEX = {
    "no place of a chunk": (8, b"\xa5" * 16),
    "out of order": (8, b"\0" * 6 + b"\1" + b"\0" * 9),
    "lies outside the file": (32, b"\0" * 4 + b"\1"),
}


@pytest.mark.parametrize("cause", BAD_INDEX)
@pytest.mark.parametrize("requests", [(), ("--goal", "size")])
def test_a_bad_chunk_index_is_named(tmp_path: Path, cause: str, requests: tuple[str, ...]):
    source = tmp_path / "source.h5"
    with h5py.File(source, "w") as file:
        file.create_dataset("field", data=make.field(32, 64), chunks=(8, 64))
    content = bytearray(source.read_bytes())
    entries = content.index(b"TREE\x01") + 24
    place, spoilt = BAD_INDEX[cause]
    content[entries + place : entries + place + len(spoilt)] = spoilt
    source.write_bytes(content)
    outcome = Scene(tmp_path, source).fails("corrupt", *requests)
    (error,) = outcome.errors
    assert error["variable"] == "/field" and cause in error["cause"]
    assert "copy it again" in error["cure"]


def test_a_wrong_checksum_is_found(tmp_path: Path):
    source = tmp_path / "source.h5"
    with h5py.File(source, "w") as file:
        dataset = file.create_dataset(
            "field", data=make.field(16, 64), chunks=(8, 64), fletcher32=True
        )
        mask, stored = dataset.id.read_direct_chunk((8, 0))
        damaged = stored[:100] + bytes([stored[100] ^ 1]) + stored[101:]
        dataset.id.write_direct_chunk((8, 0), damaged, mask)
    outcome = Scene(tmp_path, source).fails("corrupt", "--chunks", "0=16")
    assert outcome.errors[0]["variable"] == "/field"


def test_a_missing_folder_is_named(scene: Scene):
    scene.target = scene.folder / "nowhere" / "packed.nc"
    scene.fails("not_found")


@pytest.mark.parametrize(
    ("words", "name"),
    [
        (("pack", SAMPLE, "-o"), "packed.nc"),
        (("pack", SAMPLE, "-o", "packed.nc", "--write-precision"), "rules.toml"),
        (("unpack", SAMPLE, "-o"), "plain.nc"),
        (("plan", SAMPLE, "--json"), "plan.json"),
        (("plan", SAMPLE, "--plot"), "plan.svg"),
        (("analyze", SAMPLE, "--figure"), "bits.svg"),
        (("verify", SAMPLE, SAMPLE, "--report"), "report.html"),
        (("synth", "-s", "8x8", "-o"), "field.nc"),
        (("calibrate", "-o"), "calibration.json"),
        (("train", SAMPLE.parent, "-o"), "tree.json"),
        (("train", SAMPLE.parent, "--write-table"), "table.csv"),
    ],
    ids=lambda value: value if isinstance(value, str) else value[0],
)
def test_no_folder_is_made_that_only_the_name_of_a_file_mentions(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, words: tuple[object, ...], name: str
):
    monkeypatch.chdir(tmp_path)
    outcome = frazil(*words, f"no/such/{name}")
    assert outcome.code in (FAILED, TROUBLE)
    assert "its folder, no/such, is not there" in outcome.stderr
    assert "mkdir -p no/such" in outcome.stderr
    assert list(tmp_path.iterdir()) == []
    (tmp_path / "file").write_text("")
    outcome = frazil(*words, f"file/{name}")
    assert outcome.code in (FAILED, TROUBLE) and "file" in outcome.stderr


@pytest.fixture
def open_folder() -> Iterator[Path]:
    """A folder that every user may enter (pytest's own are closed), with the command in it."""
    with tempfile.TemporaryDirectory() as name:
        folder = Path(name)
        folder.chmod(0o755)
        shutil.copy(BINARY, folder / "frazil")
        shutil.copy(SAMPLE, folder / "source.nc")
        (folder / "closed").mkdir(mode=0o555)
        yield folder


def test_a_folder_without_permission_is_named(open_folder: Path):
    user = {"user": NOBODY} if os.geteuid() == 0 else {}
    command = [open_folder / "frazil", "pack", open_folder / "source.nc", "--json", "-o"]
    command.append(open_folder / "closed" / "packed.nc")
    answer = subprocess.run(command, capture_output=True, text=True, **user)
    outcome = Outcome(answer.returncode, answer.stdout, answer.stderr)
    assert outcome.code == FAILED
    assert outcome.errors[0]["code"] == "permission_denied"
    assert list((open_folder / "closed").iterdir()) == []


def test_a_file_in_a_closed_folder_cannot_be_replaced_and_it_is_said_why(open_folder: Path):
    closed = open_folder / "closed"
    path = closed / "own.nc"
    closed.chmod(0o755)
    shutil.copy(SAMPLE, path)
    path.chmod(0o666)
    before = path.read_bytes()
    closed.chmod(0o555)
    user = {"user": NOBODY} if os.geteuid() == 0 else {}
    command = [open_folder / "frazil", "pack", path, "--in-place", "--json"]
    answer = subprocess.run(command, capture_output=True, text=True, **user)
    outcome = Outcome(answer.returncode, answer.stdout, answer.stderr)
    assert outcome.code == FAILED and outcome.errors[0]["code"] == "permission_denied"
    assert "its folder lets you make none" in outcome.errors[0]["cure"]
    assert path.read_bytes() == before


def test_an_unreadable_input_is_named(open_folder: Path):
    (open_folder / "source.nc").chmod(0)
    user = {"user": NOBODY} if os.geteuid() == 0 else {}
    command = [open_folder / "frazil", "info", open_folder / "source.nc", "--json"]
    answer = subprocess.run(command, capture_output=True, text=True, **user)
    outcome = Outcome(answer.returncode, answer.stdout, answer.stderr)
    assert outcome.code == FAILED
    assert outcome.errors[0]["code"] == "permission_denied"


@pytest.mark.parametrize("file_bytes", [1, 4096, 1_000_000, 3_000_000])
def test_a_file_size_limit_is_like_a_full_disk(scene: Scene, file_bytes: int):
    scene.fails("no_space", file_bytes=file_bytes)


@pytest.mark.skipif(os.geteuid() != 0, reason="only root may mount a small file system")
def test_a_full_disk_leaves_nothing_behind(tmp_path: Path):
    disk = tmp_path / "disk"
    disk.mkdir()
    if tool("mount", "-t", "tmpfs", "-o", "size=1m", "tmpfs", disk).returncode != 0:
        pytest.skip("mounting is not permitted here")
    try:
        scene = Scene(disk, SAMPLE)
        scene.fails("no_space")
        assert list(disk.iterdir()) == []
    finally:
        tool("umount", disk)


@pytest.mark.skipif(not Path("/dev/full").exists(), reason="there is no /dev/full")
def test_a_table_that_cannot_be_printed_is_an_error(scene: Scene):
    with Path("/dev/full").open("w") as full:
        answer = subprocess.run([BINARY, "info", scene.source], stdout=full, stderr=subprocess.PIPE)
    assert answer.returncode == FAILED and answer.stderr
    with Path("/dev/full").open("w") as full:
        words = [BINARY, "pack", scene.source, "-o", scene.target, "--overwrite", "--json"]
        answer = subprocess.run(words, stdout=full, stderr=subprocess.PIPE, text=True)
    assert answer.returncode == FAILED and "only the report is lost" in answer.stderr
    assert frazil("verify", scene.source, scene.target).code == DONE


@pytest.mark.parametrize("number", [signal.SIGINT, signal.SIGTERM])
def test_ctrl_c_leaves_nothing_behind(tmp_path: Path, number: signal.Signals):
    source = make.noise(tmp_path / "noise.h5", 300)
    options = ("--level", 9, "--shuffle", "on", "--threads", 1)
    process = start("pack", source, "-o", tmp_path / "packed.h5", *options)
    deadline = time.monotonic() + 60
    # The temporary file appears as soon as packing begins.
    while len(list(tmp_path.iterdir())) < 2 and process.poll() is None:
        assert time.monotonic() < deadline, "no output appears"
        time.sleep(0.01)
    process.send_signal(number)
    _, stderr = process.communicate(timeout=30)
    assert process.returncode == 128 + number, stderr
    assert [path.name for path in tmp_path.iterdir()] == ["noise.h5"]


def test_one_bad_file_does_not_stop_the_others(tmp_path: Path):
    good = make.plain_netcdf4(tmp_path / "good.nc")
    bad = tmp_path / "bad.nc"
    bad.write_bytes(b"nothing")
    (tmp_path / "out").mkdir()
    outcome = frazil("pack", bad, good, "--out-dir", tmp_path / "out", "--json")
    assert outcome.code == FAILED
    assert len(outcome.errors) == 1 and len(outcome.report["reports"]) == 1
    assert [path.name for path in (tmp_path / "out").iterdir()] == ["good.nc"]


@pytest.mark.parametrize(
    "arguments",
    [
        ("pack",),
        ("pack", "a.nc"),
        ("pack", "a.nc", "-o", "b.nc", "--in-place"),
        ("pack", "a.nc", "b.nc", "-o", "c.nc"),
        ("pack", "a.nc", "-o", "b.nc", "--level", "many"),
        ("pack", "a.nc", "-o", "b.nc", "--memory", "-3"),
        ("pack", "a.nc", "-o", "b.nc", "--chunks", "x=0"),
        ("unknown",),
    ],
)
def test_wrong_usage_is_code_2(arguments: tuple[str, ...], tmp_path: Path):
    outcome = frazil(*arguments, cwd=tmp_path)
    assert outcome.code == TROUBLE and outcome.stderr
    assert list(tmp_path.iterdir()) == []


def test_chunks_for_an_unknown_variable_are_an_error(scene: Scene):
    scene.fails("invalid_argument", "--chunks", "NO_SUCH_VARIABLE:Time=3")


def test_an_impossible_memory_budget_is_an_error_or_kept(tmp_path: Path):
    source = tmp_path / "source.h5"
    with h5py.File(source, "w") as file:
        shape = (1, 32 << 20)
        file.create_dataset("large", data=np.zeros(shape, "f4"), chunks=shape, compression=1)
    outcome = frazil("pack", source, "-o", tmp_path / "packed.h5", "--json", "--memory", "64MiB")
    if outcome.code == FAILED:
        assert outcome.errors[0]["code"] == "memory_budget" and outcome.errors[0]["cure"]
    else:
        assert outcome.code == DONE
