"""Damaged files: never a crash, a hang or a runaway allocation, and nothing left behind."""

import functools
import tempfile
from pathlib import Path

import h5py
import netCDF4
import numpy as np
import pytest
from support import make
from support.command import DONE, FAILED, SAMPLE, frazil, pack, tool
from support.data import flip_bits

pytestmark = pytest.mark.sampled(one_in=4)

SEEDS_PER_TEST = 25
MEMORY_BYTES = 4 << 30
TIMEOUT_SECONDS = 20


@functools.cache
def original(kind: str) -> bytes:
    """A small whole file of each kind."""
    with tempfile.TemporaryDirectory() as folder:
        path = Path(folder) / kind
        if kind == "netcdf4":
            make.plain_netcdf4(path, steps=4)
        elif kind == "types":
            make.every_netcdf4_type(path)
        elif kind == "hdf5":
            make.hdf5_zoo(path)
        else:
            make.classic(path, {"cdf1": "NETCDF3_CLASSIC", "cdf5": "NETCDF3_64BIT_DATA"}[kind])
        return path.read_bytes()


def damage(kind: str, seed: int) -> bytes:
    """Some bits inverted: mostly where the metadata are, sometimes anywhere."""
    content = original(kind)
    head = min(len(content), 6000)
    # A signature that is gone makes every other damage invisible.
    area = range(8, head) if seed % 3 else range(8, len(content))
    return flip_bits(content, seed, 1 + seed % 7, area)


@pytest.mark.parametrize("block", range(5))
@pytest.mark.parametrize("kind", ["netcdf4", "types", "hdf5", "cdf1", "cdf5"])
def test_flipped_bits_are_survived(tmp_path: Path, kind: str, block: int):
    source, target = tmp_path / "source.nc", tmp_path / "packed.nc"
    trouble = []
    for seed in range(block * SEEDS_PER_TEST, (block + 1) * SEEDS_PER_TEST):
        source.write_bytes(damage(kind, seed))
        outcome = frazil(
            *("pack", source, "-o", target, "--threads", 2, "--verify"),
            memory_bytes=MEMORY_BYTES,
            timeout=TIMEOUT_SECONDS,
        )
        left = sorted(path.name for path in tmp_path.iterdir())
        expected = ["packed.nc", "source.nc"] if outcome.code == DONE else ["source.nc"]
        if outcome.code not in (DONE, FAILED) or left != expected or "panic" in outcome.stderr:
            trouble.append((seed, outcome.code, left, outcome.stderr[-300:]))
        target.unlink(missing_ok=True)
    assert trouble == []


@pytest.mark.parametrize("command", ["info", "verify"])
@pytest.mark.parametrize("kind", ["netcdf4", "hdf5", "cdf1"])
def test_looking_at_damaged_files_is_survived(tmp_path: Path, kind: str, command: str):
    source, whole = tmp_path / "source.nc", tmp_path / "whole.nc"
    whole.write_bytes(original(kind))
    arguments = ("--fill",) if command == "info" else (whole,)
    trouble = []
    for seed in range(1000, 1000 + SEEDS_PER_TEST):
        source.write_bytes(damage(kind, seed))
        outcome = frazil(
            command, source, *arguments, memory_bytes=MEMORY_BYTES, timeout=TIMEOUT_SECONDS
        )
        if outcome.code not in (0, 1, 2) or "panic" in outcome.stderr:
            trouble.append((seed, outcome.code, outcome.stderr[-300:]))
    assert trouble == []


def test_flipped_bits_in_chunks_are_found_or_harmless(tmp_path: Path):
    """Damage in compressed chunks: an error that names the variable, or a readable file."""
    pack(SAMPLE, tmp_path / "compressed.nc")
    content = (tmp_path / "compressed.nc").read_bytes()
    source, target = tmp_path / "source.nc", tmp_path / "packed.nc"
    found = 0
    for seed in range(20):
        source.write_bytes(flip_bits(content, seed, 20, range(len(content) // 4, len(content))))
        # Other filters than the input's: every chunk must be decoded.
        options = ("--level", 3, "--shuffle", "off", "--json")
        outcome = frazil("pack", source, "-o", target, *options, timeout=60)
        assert outcome.code in (DONE, FAILED), outcome.stderr
        if outcome.code == FAILED:
            found += outcome.errors[0]["code"] in {"corrupt", "hdf5"}
            assert not target.exists()
        else:
            assert tool("ncdump", "-h", target).returncode == 0
            target.unlink()
    assert found >= 10, "deflate streams carry a checksum: most damage must be noticed"


def test_damaged_texts_are_corrupt_and_named(tmp_path: Path):
    """Only libhdf5 reads them: its refusal is the file's fault."""
    source = tmp_path / "texts.h5"
    with h5py.File(source, "w") as file:
        texts = [f"text {number} " * 9 for number in range(400)]
        file.create_dataset("texts", data=texts, dtype=h5py.string_dtype(), chunks=(400,))
    content = source.read_bytes()
    source.write_bytes(content.replace(b"GCOL", b"GCOX"))
    outcome = frazil("pack", source, "-o", tmp_path / "packed.nc", "--json")
    assert outcome.code == FAILED and not (tmp_path / "packed.nc").exists()
    [error] = outcome.errors
    assert error["code"] == "corrupt" and error["variable"] == "/texts" and error["cure"]


@pytest.mark.parametrize("command", ["unpack", "pack"])
def test_a_copied_chunk_has_its_checksum_checked(tmp_path: Path, command: str):
    source = tmp_path / "checked.h5"
    values = np.random.default_rng(1).integers(0, 99, 4000, "i4")
    with h5py.File(source, "w") as file:
        file.create_dataset("v", data=values, chunks=(1000,), maxshape=(None,), fletcher32=True)
        offset = file["v"].id.get_chunk_info(2).byte_offset
    options = ["--level", "0", "--keep-chunks"] if command == "pack" else []
    words = [command, source, "-o", tmp_path / "copied.h5", *options]
    assert frazil(*words).code == DONE
    (tmp_path / "copied.h5").unlink()
    content = bytearray(source.read_bytes())
    content[offset + 8] ^= 1
    source.write_bytes(content)
    outcome = frazil(*words, "--json")
    assert outcome.code == FAILED and not (tmp_path / "copied.h5").exists()
    [error] = outcome.errors
    assert error["code"] == "corrupt" and "[2000]" in error["cause"], error


@pytest.mark.parametrize("way", ["name", "folder", "in place"])
def test_damage_in_kept_chunks_is_an_error(tmp_path: Path, way: str):
    """Chunks that stay as they are carry their damage into no output."""
    source = tmp_path / "kept.nc"
    values = np.random.default_rng(1).normal(size=(60, 1000)).astype("f4")
    with netCDF4.Dataset(tmp_path / "raw.nc", "w") as file:
        file.createDimension("t", 60)
        file.createDimension("x", 1000)
        settings = {"zlib": True, "chunksizes": (2, 1000)}
        file.createVariable("v", "f4", ("t", "x"), **settings)[:] = np.round(values, 2)
    assert frazil("pack", tmp_path / "raw.nc", "-o", source).code == DONE
    with h5py.File(source, "r") as file:
        stored = file["v"].id.get_chunk_info(file["v"].id.get_num_chunks() - 1)
    output = {
        "name": ["-o", tmp_path / "out.nc"],
        "folder": ["--out-dir", tmp_path / "out"],
        "in place": ["--in-place"],
    }
    sound = frazil("pack", source, *output[way], "--keep-chunks")
    assert sound.code == DONE, sound.stderr
    content = bytearray(source.read_bytes())
    content[stored.byte_offset + stored.size // 2] ^= 0x55
    source.write_bytes(content)
    outcome = frazil("pack", source, *output[way], "--keep-chunks", "--overwrite", "--json")
    assert outcome.code == FAILED
    [error] = outcome.errors
    assert error["code"] == "corrupt" and error["variable"] == "/v", error
    assert source.read_bytes() == content
