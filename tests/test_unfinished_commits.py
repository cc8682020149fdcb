"""A commit that a killed writer left unfinished: who reads is told and changes nothing, who writes
completes it first."""

import hashlib
import os
from pathlib import Path

import h5py
import numpy as np
import pytest
from support.command import DONE, FAILED, frazil
from support.journals import journal, journal_of, leave

VALUES = np.arange(100, dtype="<i4")
# Far apart: in other sectors of the disk.
FIRST, LAST = 3, 2000


@pytest.fixture
def source(tmp_path: Path) -> Path:
    path = tmp_path / "data.nc"
    with h5py.File(path, "w") as file:
        file["x"] = np.arange(4000, dtype="<i4")
    return path


def places(path: Path) -> list[tuple[int, bytes]]:
    """Two values that a commit changes."""
    with h5py.File(path) as file:
        start = file["x"].id.get_offset()
    new = np.int32(-1).tobytes()
    return [(start + 4 * FIRST, new), (start + 4 * LAST, new)]


def content(path: Path) -> dict[str, str]:
    """All files of a folder."""
    files = (one for one in path.parent.iterdir() if one.is_file())
    return {one.name: hashlib.sha256(one.read_bytes()).hexdigest() for one in files}


def reading(path: Path, output: Path) -> list[tuple[object, ...]]:
    """Commands that only read a file."""
    return [
        ("info", path, "--json"),
        ("plan", path),
        ("analyze", path),
        ("verify", path, path),
        ("pack", path, "-o", output / "packed.nc", "--overwrite"),
        ("unpack", path, "-o", output / "plain.nc", "--overwrite"),
    ]


@pytest.mark.parametrize("applied", [0, 2])
def test_readers_report_an_unfinished_commit_and_leave_it(source: Path, applied: int):
    left = leave(source, *places(source), applied=applied)
    before = content(source)
    output = source.parent / "output"
    output.mkdir()
    for command in reading(source, output):
        outcome = frazil(*command, timeout=60)
        assert outcome.code == DONE, (command, outcome.stderr)
        said = outcome.stdout + outcome.stderr
        assert left.name in said and "frazil recover" in said, (command, said)
        assert content(source) == before, command
    with h5py.File(output / "packed.nc") as packed:
        assert packed["x"][FIRST] == (-1 if applied else FIRST)


def test_what_mixes_two_states_is_not_read(source: Path):
    leave(source, *places(source), applied=1)
    before = content(source)
    for command in reading(source, source.parent):
        outcome = frazil(*command, timeout=60)
        assert outcome.code != DONE, command
        assert "frazil recover" in outcome.stdout + outcome.stderr, command
        assert content(source) == before, command
    assert frazil("recover", source).code == DONE
    with h5py.File(source) as file:
        assert file["x"][FIRST] == file["x"][LAST] == -1
    assert list(content(source)) == ["data.nc"]


def test_a_file_with_an_unfinished_commit_is_not_replaced(source: Path):
    leave(source, *places(source))
    before = content(source)
    for command in ("pack", "unpack"):
        outcome = frazil(command, source, "--in-place", "--json")
        assert outcome.code == FAILED
        assert "frazil recover" in outcome.errors[0]["cure"]
        assert content(source) == before
    assert frazil("recover", source).code == DONE
    assert frazil("pack", source, "--in-place").code == DONE
    with h5py.File(source) as file:
        assert file["x"][FIRST] == -1


@pytest.mark.parametrize(
    "forged",
    [
        lambda path: b"",
        lambda path: b"FRZJRNL1",
        lambda path: journal(path, [(path.stat().st_size - 2, b"1234", b"5678")]),
        lambda path: journal(path, [(1 << 62, b"1234", b"5678")]),
        lambda path: journal(path, [(800, b"1234", b"5678")], end=1 << 40)[:-1] + b"?",
        lambda path: journal(path, [(0, path.read_bytes()[:8], b"no HDF5!")] * 2)[:-3],
    ],
    ids=["empty", "short", "behind the end", "far away", "long", "cut"],
)
def test_what_is_no_journal_of_the_file_is_reported_and_never_applied(source: Path, forged):
    journal_of(source).write_bytes(forged(source))
    before = content(source)
    outcome = frazil("info", source, "--json")
    assert outcome.code == DONE and journal_of(source).name in outcome.stdout
    assert frazil("recover", source).code == FAILED
    assert content(source) == before


def test_nothing_is_applied_to_a_file_that_is_not_hdf5(tmp_path: Path):
    text = tmp_path / "notes.txt"
    text.write_bytes(b"precious " * 1000)
    leave(text, (100, b"worthless"))
    before = content(text)
    outcome = frazil("recover", text, "--json")
    assert outcome.code == FAILED and "not HDF5" in outcome.errors[0]["cause"]
    assert frazil("info", text).code == FAILED
    assert content(text) == before


def test_the_journal_is_that_beside_the_file_not_beside_a_link(source: Path, tmp_path: Path):
    folder = tmp_path / "links"
    folder.mkdir()
    link = folder / "link.nc"
    link.symlink_to(source)
    leave(source, *places(source))
    sealed = journal_of(source).read_bytes()
    journal_of(source).unlink()
    journal_of(link).write_bytes(sealed)
    before = content(source)
    assert frazil("info", link).code == DONE
    assert frazil("recover", link).code == DONE
    assert content(source) == before and journal_of(link).exists()
    journal_of(source).write_bytes(sealed)
    assert frazil("recover", link).code == DONE
    assert not journal_of(source).exists()


@pytest.mark.parametrize("kind", ["a pipe", "a folder"])
def test_only_regular_files_are_recovered(tmp_path: Path, kind: str):
    path = tmp_path / "here"
    os.mkfifo(path) if kind == "a pipe" else path.mkdir()
    done = frazil("recover", path)
    assert done.code == FAILED, done
    assert "not a regular file" in done.stderr


@pytest.mark.parametrize("damage", [b"", b"no journal", None])
def test_a_damaged_journal_of_ones_own_keeps_the_file_from_being_replaced(
    source: Path, tmp_path: Path, damage: bytes | None
):
    left = leave(source, *places(source), applied=1)
    sealed = bytearray(left.read_bytes())
    sealed[-10] ^= 1
    left.write_bytes(bytes(sealed) if damage is None else damage)
    before = content(source)
    for words in (("info", source), ("pack", source, "-o", tmp_path / "packed.nc")):
        outcome = frazil(*words)
        said = outcome.stdout + outcome.stderr
        assert outcome.code == DONE and "its journal is damaged" in said, words
    (tmp_path / "packed.nc").unlink()
    for command in ("pack", "unpack"):
        outcome = frazil(command, source, "--in-place")
        assert outcome.code == FAILED and "a commit to it is unfinished" in outcome.stderr
    assert frazil("recover", source).code == FAILED
    assert content(source) == before


@pytest.mark.parametrize("content_of", ["text", "cut"])
def test_what_info_refuses_is_not_at_its_last_commit(source: Path, content_of: str):
    whole = source.read_bytes()
    source.write_bytes({"text": b"a text\n", "cut": whole[: len(whole) // 2]}[content_of])
    seen = frazil("info", source, "--json")
    recovered = frazil("recover", source, "--json")
    assert recovered.code == FAILED
    assert [one["code"] for one in recovered.errors] == [one["code"] for one in seen.errors]


def test_what_is_empty_was_never_committed(source: Path):
    source.write_bytes(b"")
    recovered = frazil("recover", source)
    assert recovered.code == DONE and "nothing was committed" in recovered.stdout, recovered


def test_a_blank_user_block_is_no_file_without_commits(tmp_path: Path):
    path = tmp_path / "data.h5"
    with h5py.File(path, "w", userblock_size=1024) as file:
        file["x"] = VALUES
    before = path.read_bytes()
    recovered = frazil("recover", path)
    assert recovered.code == DONE and "at its last commit" in recovered.stdout, recovered
    assert path.read_bytes() == before
