"""What a packed file is: standard, the same at any thread count, laid out as asked."""

import os
from pathlib import Path

import h5py
import numpy as np
import pytest
from support import h5_compare, make
from support.command import DONE, SAMPLE, frazil, pack, tool
from support.data import HDF5_SIGNATURE, NEW_CHUNK_INDEX
from support.dumps import first_difference, ncdump


@pytest.fixture(scope="module")
def packed_sample(tmp_path_factory: pytest.TempPathFactory) -> Path:
    target = tmp_path_factory.mktemp("sample") / "packed.nc"
    pack(SAMPLE, target, "--verify")
    return target


def filters(dataset: h5py.Dataset) -> list[int]:
    plist = dataset.id.get_create_plist()
    return [plist.get_filter(number)[0] for number in range(plist.get_nfilters())]


def test_the_sample_is_packed_and_nothing_is_lost(packed_sample: Path):
    assert first_difference(ncdump(SAMPLE), ncdump(packed_sample)) is None
    assert h5_compare.compare(SAMPLE, packed_sample).differences == []
    assert packed_sample.stat().st_size < SAMPLE.stat().st_size


@pytest.mark.parametrize("threads", [1, 2, 3, 4, 13])
def test_the_same_bytes_at_any_thread_count(packed_sample: Path, tmp_path: Path, threads: int):
    target = tmp_path / "packed.nc"
    pack(SAMPLE, target, "--threads", threads)
    assert target.read_bytes() == packed_sample.read_bytes()


def test_the_same_bytes_with_little_memory(packed_sample: Path, tmp_path: Path):
    target = tmp_path / "packed.nc"
    pack(SAMPLE, target, "--memory", "64MiB", "--threads", 2)
    assert target.read_bytes() == packed_sample.read_bytes()


def test_readers_since_2008_open_the_file(packed_sample: Path):
    content = packed_sample.read_bytes()
    assert content.startswith(HDF5_SIGNATURE) and content[8] == 2, "superblock version 2"
    assert b"TREE" in content and NEW_CHUNK_INDEX.search(content) is None, "version-1 B-trees only"
    with h5py.File(packed_sample) as file:
        used = {number for dataset in file.values() for number in filters(dataset)}
    assert used <= {1, 2, 3}


def test_the_file_says_who_made_it(packed_sample: Path):
    with h5py.File(packed_sample) as file:
        properties = file.attrs["_NCProperties"]
    text = properties.decode() if isinstance(properties, bytes) else properties
    entries = dict(entry.split("=") for entry in text.split(","))
    assert list(entries) == ["version", "frazil", "hdf5"] and entries["version"] == "2"


def test_unlimited_stays_unlimited_and_no_chunk_exceeds_the_data(packed_sample: Path):
    with h5py.File(SAMPLE) as before, h5py.File(packed_sample) as after:
        for name, dataset in before.items():
            assert after[name].maxshape == dataset.maxshape
            if after[name].chunks:
                assert np.all(np.array(after[name].chunks) <= np.maximum(dataset.shape, 1)), name


def test_keep_chunks_keeps_them(tmp_path: Path):
    pack(SAMPLE, tmp_path / "packed.nc", "--keep-chunks", "--level", 5, "--shuffle", "on")
    with h5py.File(SAMPLE) as before, h5py.File(tmp_path / "packed.nc") as after:
        assert {name: one.chunks for name, one in before.items()} == {
            name: one.chunks for name, one in after.items()
        }
        assert after["T"].compression_opts == 5 and after["T"].shuffle


def test_chunks_can_be_given_by_dimension(tmp_path: Path):
    options = ("--chunks", "T:Time=3,bottom_top=40", "--chunks", "QRAIN:west_east=67")
    pack(SAMPLE, tmp_path / "packed.nc", *options)
    with h5py.File(tmp_path / "packed.nc") as after:
        assert after["T"].chunks[:2] == (3, 40)
        assert after["QRAIN"].chunks[3] == 67
    assert h5_compare.compare(SAMPLE, tmp_path / "packed.nc").differences == []


def test_level_0_and_shuffle_off_mean_what_they_say(tmp_path: Path):
    pack(SAMPLE, tmp_path / "none.nc", "--level", 0, "--shuffle", "off")
    pack(SAMPLE, tmp_path / "plain.nc", "--level", 3, "--shuffle", "off")
    with h5py.File(tmp_path / "none.nc") as none, h5py.File(tmp_path / "plain.nc") as plain:
        assert filters(none["T"]) == []
        assert filters(plain["T"]) == [1]


def test_checksum_adds_fletcher32(tmp_path: Path):
    pack(SAMPLE, tmp_path / "packed.nc", "--checksum", "--verify")
    with h5py.File(tmp_path / "packed.nc") as file:
        assert file["T"].fletcher32
    assert h5_compare.compare(SAMPLE, tmp_path / "packed.nc").differences == []


def test_zstd_is_for_those_who_have_plugins(tmp_path: Path):
    pack(SAMPLE, tmp_path / "packed.nc", "--readable-by", "plugins", "--level", 3)
    with h5py.File(tmp_path / "packed.nc") as file:
        assert 32015 in filters(file["T"])
    assert h5_compare.compare(SAMPLE, tmp_path / "packed.nc").differences == []


def test_a_file_without_gain_is_not_made_larger(tmp_path: Path):
    source = make.noise(tmp_path / "noise.h5", 4)
    pack(source, tmp_path / "packed.h5")
    assert (tmp_path / "packed.h5").stat().st_size <= source.stat().st_size * 1.005
    with h5py.File(tmp_path / "packed.h5") as file:
        # Shuffled exponents still shrink; what must not happen is deflate without gain.
        assert file["noise"].id.get_storage_size() <= file["noise"].nbytes


def test_a_packed_file_packs_to_itself(packed_sample: Path, tmp_path: Path):
    pack(packed_sample, tmp_path / "again.nc")
    assert h5_compare.compare(packed_sample, tmp_path / "again.nc").differences == []
    size = (tmp_path / "again.nc").stat().st_size
    assert abs(size - packed_sample.stat().st_size) <= 0.01 * size


def test_stock_tools_read_and_rewrite_the_file(packed_sample: Path, tmp_path: Path):
    assert tool("h5repack", packed_sample, tmp_path / "repacked.nc").returncode == 0
    assert tool("nccopy", packed_sample, tmp_path / "copied.nc").returncode == 0
    assert first_difference(ncdump(SAMPLE), ncdump(tmp_path / "copied.nc")) is None


def test_a_dry_run_writes_nothing_and_predicts_the_size(packed_sample: Path, tmp_path: Path):
    outcome = frazil("pack", SAMPLE, "-o", tmp_path / "packed.nc", "--dry-run", "--json")
    assert outcome.code == DONE, outcome.stderr
    assert list(tmp_path.iterdir()) == []
    (report,) = outcome.report["reports"]
    assert report["dry_run"] and report["output"] is None
    actual = packed_sample.stat().st_size
    assert abs(report["output_file_bytes"] - actual) < 0.25 * actual


def test_json_reports_what_is_in_the_file(packed_sample: Path, tmp_path: Path):
    outcome = pack(SAMPLE, tmp_path / "packed.nc", "--json", "--verify", "--threads", 2)
    (report,) = outcome.report["reports"]
    assert report["verified"] and report["threads"] == 2
    assert report["output_file_bytes"] == packed_sample.stat().st_size
    with h5py.File(tmp_path / "packed.nc") as file:
        for entry in report["variables"]:
            dataset = file[entry["path"]]
            assert entry["shape"] == list(dataset.shape)
            assert entry["chunk"] == (list(dataset.chunks) if dataset.chunks else None)
            assert entry["stored_bytes"] == dataset.id.get_storage_size()
            assert entry["raw_bytes"] == dataset.nbytes


def test_the_table_goes_to_stdout_and_a_pipe_sees_no_progress_bar(tmp_path: Path):
    outcome = pack(SAMPLE, tmp_path / "packed.nc")
    assert "QVAPOR" in outcome.stdout and "ratio" in outcome.stdout.lower()
    assert "\r" not in outcome.stdout + outcome.stderr and "\x1b" not in outcome.stderr
    quiet = pack(SAMPLE, tmp_path / "quiet.nc", "--quiet")
    assert (quiet.stdout, quiet.stderr) == ("", "")


def test_several_files_go_into_a_directory(tmp_path: Path):
    sources = [make.plain_netcdf4(tmp_path / f"{name}.nc") for name in "abc"]
    (tmp_path / "packed").mkdir()
    outcome = frazil("pack", *sources, "--out-dir", tmp_path / "packed", "--verify")
    assert outcome.code == DONE, outcome.stderr
    assert sorted(path.name for path in (tmp_path / "packed").iterdir()) == ["a.nc", "b.nc", "c.nc"]


def test_the_longest_names_and_those_that_are_not_utf8_serve(tmp_path: Path):
    for name in (b"x" * 255, b"caf\xe9.nc"):
        target = tmp_path / os.fsdecode(name)
        pack(SAMPLE, target)
        assert frazil("info", target).code == frazil("verify", SAMPLE, target).code == DONE
        assert frazil("pack", target, "--in-place").code == DONE
        assert [os.fsencode(path.name) for path in tmp_path.iterdir()] == [name]
        target.unlink()


def test_info_shows_the_layout(packed_sample: Path):
    outcome = frazil("info", packed_sample, "--json", "--fill")
    assert outcome.code == DONE, outcome.stderr
    (report,) = outcome.report["reports"]
    assert report["format"] == "netCDF-4" and report["superblock"] == 2
    by_path = {entry["path"]: entry for entry in report["variables"]}
    assert by_path["/T"]["dimensions"] == ["Time", "bottom_top", "south_north", "west_east"]
    assert by_path["/T"]["unlimited"] == [True, False, False, False]
    with h5py.File(packed_sample) as file:
        assert by_path["/T"]["stored_bytes"] == file["T"].id.get_storage_size()
        assert by_path["/T"]["chunk"] == list(file["T"].chunks)


def test_version_names_libraries_and_filters():
    outcome = frazil("--version", "--all")
    assert outcome.code == DONE
    for word in ("frazil", "HDF5", "netCDF", "deflate", "szip", "zstd", "network"):
        assert word.lower() in outcome.stdout.lower()
