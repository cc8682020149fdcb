"""A sample of each campaign: the first seeds, for a few seconds."""

import sys
from pathlib import Path

import h5py
import numpy as np
import pytest
from support.command import ROOT

sys.path.insert(0, str(ROOT))

from campaign import __main__ as driver
from campaign import blame
from campaign.checksums import Seal, lookup3, places, repaired, seals

pytestmark = pytest.mark.sampled(one_in=2)

SAMPLE = {
    "inputs": range(20),
    "package": range(2),
    "journals": range(10),
    "texts": range(8),
    "interruptions": range(6),
    "meddlers": range(4),
    "neighbours": range(8),
    "decompress": range(2),
    "plugins": range(3),
    # Not those that edit the file: how they end depends on how busy the machine is.
    "readers": [0, 2],
}


@pytest.fixture(scope="module")
def made(tmp_path_factory: pytest.TempPathFactory) -> Path:
    return tmp_path_factory.mktemp("seeds")


@pytest.mark.parametrize("kind", SAMPLE)
def test_the_first_cases_show_no_fault(kind: str, made: Path, tmp_path: Path) -> None:
    for seed in SAMPLE[kind]:
        verdict = driver.one(kind, seed, made)
        assert not verdict.is_fault, f"{kind}:{seed} {verdict}"


def test_a_campaign_goes_on_where_it_stopped(tmp_path: Path) -> None:
    assert driver.campaign(tmp_path, ["neighbours"], 1.0) == 0
    first = driver.State(tmp_path, "neighbours").next
    driver.campaign(tmp_path, ["neighbours"], 1.0)
    assert driver.State(tmp_path, "neighbours").next > first > 0
    assert (tmp_path / "summary.json").exists()


def test_every_block_with_a_checksum_is_found_and_sealed_again(tmp_path: Path) -> None:
    path = tmp_path / "latest.h5"
    with h5py.File(path, "w", libver="latest") as file:
        for shape in ((None,), (1000,)):
            data = np.arange(1000, dtype="i2")
            file.create_dataset(str(shape), data=data, chunks=(10,), maxshape=shape)
        square = np.zeros((40, 40), "i2")
        file.create_dataset("both", data=square, chunks=(2, 2), maxshape=(None, None))
        for number in range(50):
            file.attrs[f"a{number}"] = np.arange(number)
    data = path.read_bytes()
    known = seals(data)
    assert repaired(data, known) == data
    begin = {seal.start for seal in known}
    for mark in (b"OHDR", b"OCHK", b"BTHD", b"BTIN", b"BTLF", b"FRHP", b"FHDB", b"EADB", b"FADB"):
        assert set(places(data, mark)) <= begin, mark
        assert places(data, mark), mark
    spoilt = bytearray(data)
    for seal in known:
        spoilt[seal.end - 1] ^= 1
    mended = repaired(bytes(spoilt), known)
    for seal in known:
        assert mended[seal.place : seal.place + 4] != data[seal.place : seal.place + 4]
    assert {Seal(seal.start, seal.end, seal.place) for seal in seals(mended)} >= set(known)
    # Bob Jenkins's own example: lookup3's hashlittle("", 0).
    assert lookup3(b"") == 0xDEADBEEF


TRACES = {
    "libhdf5: H5HF__man_op": """
#0  __memcpy_avx_unaligned () at memcpy.S:1
#1  0x00005555 in H5HF__man_op (hdr=0x1) at H5HFman.c:3
#2  0x00005556 in frazil_container::ffi::attribute::read () at attribute.rs:9
""",
    "own: frazil_codec::compress::lz4::decode": """
#0  core::panicking::panic () at panicking.rs:1
#1  0x00005555 in frazil_codec::compress::lz4::decode () at lz4.rs:7
#2  0x00005556 in H5Z_pipeline () at H5Z.c:9
""",
    "unknown < raise < main": """
#0  raise () at raise.c:1
#1  main () at main.c:2
""",
}


@pytest.mark.parametrize("whose", TRACES)
def test_who_crashes_is_told_by_the_innermost_frame(whose: str) -> None:
    assert blame.who(TRACES[whose]) == whose
