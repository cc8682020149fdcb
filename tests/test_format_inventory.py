"""Every part of the HDF5 format is kept, converted, named or refused as docs/format.md says."""

from pathlib import Path

import pytest
from support import (
    inventory,
    inventory_datasets,
    inventory_file,
    inventory_objects,
    inventory_types,
)
from support.command import DONE, FAILED, TROUBLE, Outcome, frazil
from support.inventory import Case, look_at

pytestmark = pytest.mark.sampled(one_in=4)

CASES = [
    *inventory_file.CASES,
    *inventory_objects.CASES,
    *inventory_datasets.CASES,
    *inventory_types.CASES,
]

each_case = pytest.mark.parametrize("case", CASES, ids=[case.name for case in CASES])


def notices(outcome: Outcome) -> list[str]:
    """All notices of a report."""
    return [line for report in outcome.report["reports"] for line in report["notices"]]


def test_the_table_says_what_is_tested():
    tested = {case.name: (case.outcome, case.verify) for case in CASES}
    assert len(tested) == len(CASES)
    assert inventory.documented() == tested


@each_case
def test_a_part_becomes_what_the_table_says(case: Case, tmp_path: Path):
    source, packed = tmp_path / "source.h5", tmp_path / "packed.h5"
    case.make(source, 0)
    outcome = frazil("pack", source, "-o", packed, "--verify", "--json")
    if case.outcome == "refused":
        assert outcome.code == FAILED and not packed.exists()
        assert case.says in str(outcome.errors[0])
        return
    assert outcome.code == DONE, outcome.stderr + outcome.stdout
    expected = case.becomes(look_at(source, case.look))
    assert look_at(packed, case.look) == expected
    if case.outcome == "named":
        assert any(case.says in line for line in notices(outcome)), outcome.stdout


@each_case
def test_unpack_treats_a_part_as_pack_does(case: Case, tmp_path: Path):
    if case.outcome == "refused" or case.name == "filter that nobody here decodes":
        return
    source, unpacked = tmp_path / "source.h5", tmp_path / "unpacked.h5"
    case.make(source, 0)
    outcome = frazil("unpack", source, "-o", unpacked, "--json")
    assert outcome.code == DONE, outcome.stderr + outcome.stdout
    assert look_at(unpacked, case.look) == case.becomes(look_at(source, case.look))


@each_case
def test_verify_sees_a_part(case: Case, tmp_path: Path):
    paths = [tmp_path / "first.h5", tmp_path / "second.h5"]
    for variant, path in enumerate(paths):
        case.make(path, variant)
    outcome = frazil("verify", *paths, "--json")
    codes = {"difference": FAILED, "notice": DONE, "nothing": DONE, "trouble": TROUBLE}
    assert outcome.code == codes[case.verify], outcome.stdout
    if case.verify == "notice":
        assert notices(outcome)
    if case.verify == "nothing":
        assert not notices(outcome)
