"""Dry runs where a few places hold almost all bytes: the result lies in the printed range."""

import sys
from pathlib import Path

import h5py
import netCDF4
import numpy as np
import pytest
from support.command import DONE, ROOT, frazil

sys.path.insert(0, str(ROOT / "bench"))
from decision_files import make

SHAPE = (40, 100, 120)
STORED = {
    "raw": {"contiguous": True},
    "deflated": {"zlib": True, "complevel": 2, "chunksizes": (10, 50, 60)},
    "in large chunks": {"zlib": True, "complevel": 2, "chunksizes": SHAPE},
}


def corner(noise: np.ndarray) -> np.ndarray:
    values = np.zeros(SHAPE, "f4")
    part = tuple(slice(0, extent // 4) for extent in SHAPE)
    values[part] = noise[part]
    return values


def last_records(noise: np.ndarray) -> np.ndarray:
    return np.where(np.arange(SHAPE[0])[:, None, None] < 36, np.float32(0), noise)


def one_edge(noise: np.ndarray) -> np.ndarray:
    return np.where(np.arange(SHAPE[2]) < 100, np.float32(0), noise)


def alike(noise: np.ndarray) -> np.ndarray:
    return noise


@pytest.mark.parametrize("words", [(), ("--rel-error", "1e-3")], ids=["exact", "rounded"])
@pytest.mark.parametrize("stored", STORED)
@pytest.mark.parametrize("field", [corner, last_records, one_edge, alike])
def test_a_range_holds_where_samples_are_unlike_the_rest(
    field, stored: str, words: tuple[str, ...], tmp_path: Path
):
    source, packed = tmp_path / "in.nc", tmp_path / "out.nc"
    noise = np.random.default_rng(3).normal(size=SHAPE).astype("f4")
    with netCDF4.Dataset(source, "w") as file:
        for name, extent in zip("tyx", SHAPE, strict=True):
            file.createDimension(name, extent)
        file.createVariable("v", "f4", tuple("tyx"), **STORED[stored])[:] = field(noise)
    foretold = frazil("pack", source, "-o", packed, "--dry-run", "--json", *words)
    assert foretold.code == DONE and not packed.exists(), foretold.stderr
    (report,) = foretold.report["reports"]
    assert frazil("pack", source, "-o", packed, *words).code == DONE
    least, most = report["range"]["file_bytes"]
    assert least <= packed.stat().st_size <= most


@pytest.mark.parametrize("words", [(), ("--rel-error", "1e-3")], ids=["exact", "rounded"])
def test_a_range_holds_where_one_chunk_of_the_input_is_many_of_the_output(
    words: tuple[str, ...], tmp_path: Path
):
    """What the input's filters made of that chunk is known, and samples are compared with it."""
    (source,), packed = make(tmp_path, ["late_noise_packed"]), tmp_path / "out.h5"
    foretold = frazil("pack", source, "-o", packed, "--dry-run", "--json", *words)
    (report,) = foretold.report["reports"]
    assert frazil("pack", source, "-o", packed, *words).code == DONE
    least, most = report["range"]["file_bytes"]
    assert least <= packed.stat().st_size <= most, report["range"]


def test_what_blocks_of_metadata_lose_is_foretold(tmp_path: Path):
    """Blocks end where small chunks lie behind them: of small variables that is much of a file."""
    source, packed = tmp_path / "in.nc", tmp_path / "out.nc"
    with netCDF4.Dataset(source, "w") as file:
        file.createDimension("n", 9000)
        for number in range(25):
            variable = file.createVariable(f"v{number}", "f4", ("n",), zlib=True, complevel=2)
            variable[:] = np.round(np.sin(np.arange(9000) / 30 + number) * 5, 1)
    foretold = frazil("pack", source, "-o", packed, "--dry-run", "--json")
    (report,) = foretold.report["reports"]
    assert frazil("pack", source, "-o", packed).code == DONE
    assert abs(report["output_file_bytes"] / packed.stat().st_size - 1) < 0.002


@pytest.mark.parametrize("goal", ["balanced", "size"])
def test_room_for_metadata_of_a_layout_is_foretold(tmp_path: Path, goal: str):
    """In one block, with some room in it: of a small file that is much."""
    source, packed = tmp_path / "in.nc", tmp_path / "out.nc"
    with netCDF4.Dataset(source, "w") as file:
        file.createDimension("time", None)
        for name in ("time", "tas"):
            file.createVariable(name, "f4", ("time",))[:] = np.arange(40)
    words = ("pack", source, "-o", packed, "--layout", "cmip7", "--goal", goal)
    (report,) = frazil(*words, "--dry-run", "--json").report["reports"]
    assert frazil(*words).code == DONE
    least, most = report["range"]["file_bytes"]
    assert least <= packed.stat().st_size <= most, report["range"]


@pytest.mark.parametrize("count", [300, 5000])
def test_texts_count_where_they_are_all_of_a_file(count: int, tmp_path: Path):
    source, packed = tmp_path / "in.h5", tmp_path / "out.h5"
    with h5py.File(source, "w") as file:
        file.create_dataset("texts", data=[f"text number {i} " * 3 for i in range(count)])
    foretold = frazil("pack", source, "-o", packed, "--dry-run", "--json")
    (report,) = foretold.report["reports"]
    assert frazil("pack", source, "-o", packed).code == DONE
    assert abs(report["output_file_bytes"] / packed.stat().st_size - 1) < 0.02
