"""A sample of each campaign: the first seeds, for a few seconds."""

import sys
from pathlib import Path

import h5py
import numpy as np
import pytest
from support.command import ROOT

sys.path.insert(0, str(ROOT))

from campaign import __main__ as driver
from campaign.checksums import lookup3, repaired

SAMPLE = {
    "inputs": 12,
    "interruptions": 6,
    "meddlers": 4,
    "neighbours": 8,
    "decompress": 2,
    "plugins": 3,
}


@pytest.fixture(scope="module")
def made(tmp_path_factory: pytest.TempPathFactory) -> Path:
    return tmp_path_factory.mktemp("seeds")


@pytest.mark.parametrize("kind", SAMPLE)
def test_the_first_cases_show_no_fault(kind: str, made: Path, tmp_path: Path) -> None:
    for seed in range(SAMPLE[kind]):
        verdict = driver.one(kind, seed, made)
        assert not verdict.is_fault, f"{kind}:{seed} {verdict}"


def test_a_campaign_goes_on_where_it_stopped(tmp_path: Path) -> None:
    assert driver.campaign(tmp_path, ["neighbours"], 1.0) == 0
    first = driver.State(tmp_path, "neighbours").next
    driver.campaign(tmp_path, ["neighbours"], 1.0)
    assert driver.State(tmp_path, "neighbours").next > first > 0
    assert (tmp_path / "summary.json").exists()


def test_checksums_of_a_damaged_file_are_made_right_again(tmp_path: Path) -> None:
    path = tmp_path / "latest.h5"
    with h5py.File(path, "w", libver="latest") as file:
        for options in ({"maxshape": (None,)}, {"maxshape": (1000,)}, {}):
            name = str(options)
            file.create_dataset(name, data=np.arange(1000), chunks=(10,), **options)
        for number in range(50):
            file.attrs[f"a{number}"] = number
    data = path.read_bytes()
    assert repaired(data) == data
    at = data.find(b"OHDR")
    spoilt = bytearray(data)
    # The time of the last change, which any value can have.
    spoilt[at + 10] ^= 1
    assert repaired(bytes(spoilt)) not in (data, bytes(spoilt))
    # Bob Jenkins's own example: lookup3's hashlittle("", 0).
    assert lookup3(b"") == 0xDEADBEEF
