"""Every real file is packed, or refused for a listed reason; and everything is still there."""

import tomllib
from collections.abc import Callable
from pathlib import Path

import pytest
from support import h5_compare, nc_compare, pyfive_compare
from support.command import DONE, FAILED, frazil, tool
from support.data import CORPUS, CORPUS_ABSENT, corpus_files, corpus_name, kind
from support.dumps import Unreadable, first_difference, h5dump, ncdump, without_variables

Record = Callable[[str, object], None]

REFUSED = {
    one["path"]: one
    for one in tomllib.loads(Path(__file__).with_name("refusals.toml").read_text()).get(
        "refused", []
    )
}

pytestmark = [
    pytest.mark.skipif(not CORPUS.is_dir(), reason=CORPUS_ABSENT),
    pytest.mark.sampled(one_in=10),
]

every_file = pytest.mark.parametrize("source", corpus_files(), ids=corpus_name)


def test_the_list_of_refusals_is_short_and_says_why():
    assert len(REFUSED) <= 5
    for path, one in REFUSED.items():
        assert (CORPUS / path).exists() and len(one["reason"]) > 10


@every_file
def test_pack_by_default_keeps_what_dumps_and_readers_show(
    source: Path, tmp_path: Path, record_property: Record
):
    packed = tmp_path / "packed.nc"
    if not packed_or_refused(source, packed, record_property):
        return
    ignored = h5_compare.never_written(source) if kind(source) == "hdf5" else set()
    check_ncdump(source, packed, ignored, record_property)
    if is_plain_hdf5(source) and not ignored:
        check_h5dump(source, packed, record_property)
    check_readers(source, packed, ignored, record_property)


@every_file
def test_pack_at_level_1_with_shuffle_keeps_every_value(
    source: Path, tmp_path: Path, record_property: Record
):
    packed = tmp_path / "packed.nc"
    options = ("--level", "1", "--shuffle", "on")
    outcome = frazil("pack", source, "-o", packed, *options)
    if corpus_name(source) in REFUSED:
        assert outcome.code == FAILED
        return
    assert outcome.code == DONE, outcome.stderr
    if kind(source) == "hdf5":
        assert h5_compare.compare(source, packed).differences == []
    else:
        assert nc_compare.compare(source, packed, set()) == []


def packed_or_refused(source: Path, packed: Path, record: Record) -> bool:
    """Packs; True if there is an output. A refusal must be listed with its code."""
    name = corpus_name(source)
    outcome = frazil("pack", source, "-o", packed, "--json")
    if name not in REFUSED:
        assert outcome.code == DONE, outcome.stderr + outcome.stdout
        record("corpus", f"packed ({kind(source)})")
        return True
    assert outcome.code == FAILED, f"{name} is listed as refused, but was packed"
    assert [error["code"] for error in outcome.errors] == [REFUSED[name]["code"]]
    assert not packed.exists()
    record("corpus", "refused")
    record("refused", f"{name}: {REFUSED[name]['reason']}")
    return False


def is_plain_hdf5(path: Path) -> bool:
    """Whether netCDF-4 had no hand in the file."""
    content = path.read_bytes()
    marks = (b"DIMENSION_SCALE", b"_NCProperties", b"_nc3_strict")
    return kind(path) == "hdf5" and not any(mark in content for mark in marks)


def check_ncdump(source: Path, packed: Path, ignored: set[str], record: Record) -> None:
    try:
        expected = ncdump(source)
    except Unreadable:
        record("corpus", "not judged by ncdump, which does not read the input")
        return
    found = ncdump(packed)
    if kind(source) == "hdf5":
        ignored = ignored | h5_compare.unterminated_strings(source)
    names = {name.rsplit("/", 1)[-1] for name in ignored}
    difference = first_difference(
        without_variables(expected, names), without_variables(found, names)
    )
    assert difference is None, difference
    record("corpus", "equal under ncdump")


def check_h5dump(source: Path, packed: Path, record: Record) -> None:
    try:
        expected = h5dump(source)
    except Unreadable:
        record("corpus", "not judged by h5dump, which does not read the input")
        return
    difference = first_difference(expected, h5dump(packed))
    assert difference is None, difference
    record("corpus", "equal under h5dump")


def check_readers(source: Path, packed: Path, ignored: set[str], record: Record) -> None:
    try:
        assert nc_compare.compare(source, packed, ignored) == []
        record("corpus", "equal under netCDF4-python")
    except Unreadable:
        record("corpus", "not judged by netCDF4-python, which does not read the input")
    if kind(source) == "hdf5":
        assert h5_compare.compare(source, packed).differences == []
        record("corpus", "equal under h5py, types, links and attributes included")
    else:
        assert tool("h5dump", "-H", packed).returncode == 0
    differences, count = pyfive_compare.compare(source, packed, ignored)
    assert differences == []
    record("corpus", "read by pyfive" if count else "nothing in it for pyfive")
