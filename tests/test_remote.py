"""Files behind URLs: read as local ones are, in few requests; faults are told once, and soon."""

import os
import time
from collections.abc import Iterator
from pathlib import Path

import h5py
import numpy as np
import pytest
from support import nc_compare
from support.command import DONE, FAILED, SAMPLE, TROUBLE, Outcome, frazil
from support.data import CORPUS, CORPUS_ABSENT, corpus_files, corpus_name, kind
from support.far import KEY, SECRET, Far, Fault, serving

# A limit that tests can wait for, and no credentials but those that a test gives.
HERE = {name: value for name, value in os.environ.items() if not name.startswith("AWS_")}
HERE |= {"FRAZIL_REMOTE_TIMEOUT": "2", "AWS_SHARED_CREDENTIALS_FILE": "/nowhere"}
HERE |= {"AWS_CONFIG_FILE": "/nowhere"}
# Faults must be told within this, whatever the server does.
SOON = 15.0

with_corpus = pytest.mark.skipif(not CORPUS.is_dir(), reason=CORPUS_ABSENT)


@pytest.fixture
def far() -> Iterator[Far]:
    with serving(files={"sample.nc": SAMPLE.read_bytes()}) as served:
        yield served


def run(*words: object, **environment: str) -> Outcome:
    return frazil(*words, env=HERE | environment, timeout=60)


def some_files() -> list[Path]:
    """Corpus files of every folder that are soon read."""
    return [path for path in corpus_files() if path.stat().st_size < 4 << 20]


@with_corpus
@pytest.mark.sampled(one_in=8)
@pytest.mark.parametrize("path", some_files(), ids=corpus_name)
def test_the_corpus_reads_as_it_does_here(far: Far, path: Path):
    far.files["file.nc"] = path.read_bytes()
    here, there = (
        run("verify", path, path, "--json"),
        run("verify", path, far.url("file.nc"), "--json"),
    )
    if here.code == DONE:
        assert there.code == DONE, there.stderr
        assert there.report["reports"] or not here.report["reports"]
    else:
        assert there.code != DONE


def test_a_file_is_packed_from_a_url_as_from_here(far: Far, tmp_path: Path):
    outcome = run("pack", far.url("sample.nc?signed=secret"), "-o", tmp_path / "out.nc", "--verify")
    assert outcome.code == DONE, outcome.stderr
    assert nc_compare.compare(SAMPLE, tmp_path / "out.nc", set()) == []
    assert "secret" not in outcome.stdout + outcome.stderr
    assert run("pack", SAMPLE, "-o", tmp_path / "here.nc").code == DONE
    assert (tmp_path / "here.nc").read_bytes() == (tmp_path / "out.nc").read_bytes()


def test_file_urls_are_paths(tmp_path: Path):
    (tmp_path / "a b.nc").write_bytes(SAMPLE.read_bytes())
    url = f"file://{tmp_path}/a%20b.nc"
    assert run("info", url).code == DONE
    assert run("pack", url, "-o", f"file://{tmp_path}/c.nc").code == DONE
    assert nc_compare.compare(SAMPLE, tmp_path / "c.nc", set()) == []


def test_every_command_reads_urls(far: Far):
    url = far.url("sample.nc")
    for words in (["info"], ["plan"], ["analyze"], ["verify", SAMPLE]):
        outcome = run(*words, url)
        assert outcome.code == DONE, f"{words}: {outcome.stderr}"
    assert far.ranges and all(one.range for one in far.requests)


def test_streams_are_refused_with_the_reason(tmp_path: Path):
    outcome = run("info", "-")
    assert outcome.code == TROUBLE and "standard input does not allow that" in outcome.stderr
    outcome = run("pack", SAMPLE, "-o", "-")
    assert outcome.code == TROUBLE and "standard output does not allow that" in outcome.stderr


def deep(path: Path, layout: str) -> Path:
    """A dataset whose index is a B-tree of depth 3, behind others."""
    with h5py.File(path, "w", libver=layout) as file:
        for name in ("one", "two"):
            file.create_dataset(name, (3,), "i4").attrs["units"] = "K"
        values = np.ones((20_000, 4), "f4")
        file.create_dataset("many", data=values, chunks=(1, 4), maxshape=(None, 4))
    return path


@pytest.mark.parametrize("layout", ["earliest", "latest"])
def test_a_deep_index_takes_four_rounds(far: Far, tmp_path: Path, layout: str):
    # Nothing of the index is in the head.
    path = deep(tmp_path / "deep.h5", layout)
    with h5py.File(path, "a") as file:
        file.create_dataset("behind", data=np.random.default_rng(0).random(300_000))
    far.files["deep.h5"], far.delay = path.read_bytes(), 0.05
    assert run("info", far.url("deep.h5")).code == DONE
    assert far.rounds() <= 4


def test_indexes_of_many_variables_are_looked_for_together(far: Far, tmp_path: Path):
    path = tmp_path / "many.h5"
    with h5py.File(path, "w") as file:
        # Metadata of all of them before any values, and values between the nodes of their trees.
        names = [f"v{number:02}" for number in range(30)]
        for name in names:
            file.create_dataset(name, (3000,), "f4", chunks=(1,), maxshape=(None,))
        for start in range(0, 3000, 500):
            for name in names:
                file[name][start : start + 500] = np.arange(500)
        file["behind"] = np.random.default_rng(0).random(300_000)
    far.files["many.h5"], far.delay = path.read_bytes(), 0.05
    assert len(far.files["many.h5"]) > 4 << 20
    outcome = run("info", far.url("many.h5"), "--json")
    assert outcome.code == DONE
    [report] = outcome.report["reports"]
    counts = {one["path"]: one["chunk_count"] for one in report["variables"]}
    assert counts == {f"/{name}": 3000 for name in names} | {"/behind": None}
    # Three levels of a tree, whatever the number of trees.
    assert far.rounds() <= 6


def test_metadata_are_kept_for_the_next_process(far: Far, tmp_path: Path):
    path, folder = deep(tmp_path / "deep.h5", "earliest"), tmp_path / "a" / "kept"
    with h5py.File(path, "a") as file:
        file.create_dataset("behind", data=np.random.default_rng(0).random(300_000))
    far.files["deep.h5"] = path.read_bytes()

    def look() -> str:
        far.requests.clear()
        outcome = run("info", far.url("deep.h5"), "--json", FRAZIL_INDEX_CACHE=str(folder))
        assert outcome.code == DONE, outcome.stderr
        return outcome.stdout

    first = look()
    assert len(far.requests) > 1
    assert look() == first
    assert [one.sent for one in far.requests] == [0]
    [kept] = folder.iterdir()
    assert kept.stat().st_size < len(far.files["deep.h5"])
    damaged = bytearray(kept.read_bytes())
    damaged[len(damaged) // 2] ^= 1
    for content in (bytes(damaged), kept.read_bytes()[:-1], b""):
        kept.write_bytes(content)
        assert look() == first
        assert sum(one.sent for one in far.requests) > 0
        assert kept.read_bytes() != content
    # Another version of the file.
    with h5py.File(path, "a") as file:
        file["new"] = np.arange(3)
    far.files["deep.h5"] = path.read_bytes()
    assert '"/new"' in look()
    # What cannot be kept is read all the same.
    folder = tmp_path / "file"
    folder.write_bytes(b"")
    assert '"/new"' in look()


def test_without_tags_nothing_is_kept(far: Far, tmp_path: Path):
    far.has_tags = False
    for _ in range(2):
        outcome = run("info", far.url("sample.nc"), FRAZIL_INDEX_CACHE=str(tmp_path / "kept"))
        assert outcome.code == DONE
    assert not (tmp_path / "kept").exists()


def test_a_file_for_cmip7_opens_in_one_round(far: Far, tmp_path: Path):
    with h5py.File(tmp_path / "source.nc", "w") as file:
        for number in range(10):
            values = np.random.default_rng(number).random((40, 100, 100), "f4")
            file.create_dataset(f"v{number}", data=values).attrs["units"] = "K"
    packed = tmp_path / "packed.nc"
    assert run("pack", tmp_path / "source.nc", "-o", packed, "--layout", "cmip7").code == DONE
    far.files["packed.nc"] = packed.read_bytes()
    assert len(far.files["packed.nc"]) > 4 << 20
    assert run("info", far.url("packed.nc")).code == DONE
    assert len(far.requests) == 1


@pytest.mark.parametrize(
    "fault",
    [Fault("500"), Fault("503", times=3), Fault("429", times=2), Fault("cut", times=2)],
    ids=lambda fault: fault.kind,
)
def test_what_passes_is_tried_again(far: Far, fault: Fault):
    far.faults = [fault]
    outcome = run("verify", SAMPLE, far.url("sample.nc"))
    assert outcome.code == DONE, outcome.stderr


@pytest.mark.parametrize(
    ("kind", "words"),
    [
        ("500", "HTTP 500"),
        ("503", "HTTP 503"),
        ("429", "HTTP 429"),
        ("cut", "connection broke"),
        ("silent", "in time"),
        ("slow", "too slowly"),
        ("other range", "another part of the file"),
    ],
)
@pytest.mark.parametrize("spared", [0, 1], ids=["at once", "later"])
@pytest.mark.sampled(one_in=4)
def test_what_stays_wrong_is_said_once_and_soon(far: Far, kind: str, words: str, spared: int):
    # Larger than its head, so that there are later requests.
    far.files["large.nc"] = large()
    far.faults = [Fault(kind, times=1000, spared=spared)]
    begun = time.monotonic()
    outcome = run("verify", far.url("large.nc"), far.url("large.nc"))
    assert outcome.code != DONE
    assert time.monotonic() - begun < SOON
    [line] = [one for one in outcome.stderr.splitlines() if words in one]
    assert "http://127.0.0.1" in line
    assert "hint" in outcome.stderr


_LARGE: list[bytes] = []


def large() -> bytes:
    """A file whose values are not in its head."""
    if not _LARGE:
        with h5py.File("large", "w", driver="core", backing_store=False) as file:
            values = np.random.default_rng(3).random((40, 50_000), "f4")
            file.create_dataset("v", data=values, chunks=(1, 50_000), compression=1)
            file.flush()
            _LARGE.append(file.id.get_file_image())
    return _LARGE[0]


@pytest.mark.parametrize("has_tags", [True, False])
def test_a_file_that_is_replaced_is_an_error_and_never_a_mixture(far: Far, has_tags: bool):
    far.has_tags = has_tags
    far.files["large.nc"] = large()

    def replace(number: int) -> None:
        if number == 3:
            far.files["large.nc"] = far.files["large.nc"] + b"\0"

    far.on_request = replace
    outcome = run("verify", far.url("large.nc"), far.url("large.nc"))
    assert outcome.code != DONE
    assert "replaced while it was being read" in outcome.stderr


@pytest.mark.parametrize(
    ("name", "words"),
    [
        ("nothing.nc", "no such file"),
        ("empty.nc", "empty"),
        ("text.nc", "not a netCDF or HDF5 file"),
        ("half.nc", "large.nc"),
    ],
)
def test_what_is_no_file_of_data_is_refused(far: Far, name: str, words: str):
    far.files |= {"empty.nc": b"", "text.nc": b"words " * 99, "half.nc": large()[:2_000_000]}
    outcome = run("info", "--fill", far.url(name))
    assert outcome.code != DONE
    assert words.replace("large.nc", name) in outcome.stderr


def test_servers_without_ranges_are_refused(far: Far):
    far.has_ranges = False
    outcome = run("info", far.url("sample.nc"))
    assert outcome.code == FAILED and "no parts of them" in outcome.stderr


def test_requests_go_only_where_the_url_says(far: Far):
    with serving(files={"sample.nc": SAMPLE.read_bytes()}) as other:
        far.redirects = {"same": far.url("sample.nc"), "other": other.url("sample.nc")}
        assert run("info", far.url("same")).code == DONE
        outcome = run("info", far.url("other"))
        assert outcome.code == FAILED and "FRAZIL_REMOTE_REDIRECTS" in outcome.stderr
        assert not other.requests
        allowed = run("info", far.url("other"), FRAZIL_REMOTE_REDIRECTS="127.0.0.1")
        assert allowed.code == DONE, allowed.stderr


def test_the_way_can_be_closed(far: Far):
    outcome = run("info", far.url("sample.nc"), FRAZIL_REMOTE="off")
    assert outcome.code == FAILED and "switched off" in outcome.stderr
    assert not far.requests
    assert "network code: linked" in run("--version", "--all").stdout


def test_buckets_are_read_with_credentials_and_say_when_they_lack(far: Far):
    far.files["bucket/in a folder/sample.nc"], far.needs_key = SAMPLE.read_bytes(), True
    url = "s3://bucket/in a folder/sample.nc"
    assert run("verify", SAMPLE, url, **far.s3).code == DONE
    without = {name: value for name, value in far.s3.items() if "KEY" not in name}
    outcome = run("info", url, **without)
    assert outcome.code == FAILED and "there are no credentials" in outcome.stderr
    outcome = run("info", url, **far.s3 | {"AWS_ACCESS_KEY_ID": "other"})
    assert outcome.code == FAILED and "InvalidAccessKeyId" in outcome.stderr
    assert KEY not in outcome.stderr and far.s3["AWS_SECRET_ACCESS_KEY"] not in outcome.stderr


def test_keys_of_profiles_are_used(far: Far, tmp_path: Path):
    far.files["bucket/sample.nc"], far.needs_key = SAMPLE.read_bytes(), True
    keys, settings = tmp_path / "credentials", tmp_path / "config"
    lines = f"aws_access_key_id = {KEY}\naws_secret_access_key = {SECRET}\n"
    keys.write_text(f"[default]\naws_access_key_id = other\n\n[lab]\n{lines}[empty]\n")
    settings.write_text(f"[profile lab]\nregion = eu-1\nendpoint_url = {far.url('')[:-1]}\n")
    files = {"AWS_SHARED_CREDENTIALS_FILE": str(keys), "AWS_CONFIG_FILE": str(settings)}
    url = "s3://bucket/sample.nc"
    outcome = run("verify", SAMPLE, url, **files, AWS_PROFILE="lab")
    assert outcome.code == DONE, outcome.stderr
    for profile in ("empty", "nobody"):
        outcome = run("info", url, **files, AWS_PROFILE=profile)
        assert outcome.code == FAILED and f"`{profile}` has no keys" in outcome.stderr
    # The environment's own keys go first, and a profile that nobody named is the one of that name.
    assert run("info", url, **files, **far.s3).code == DONE
    place = {name: text for name, text in far.s3.items() if "KEY" not in name}
    lines = f"[default]\n{lines}"
    keys.write_text(lines)
    assert run("info", url, **files, **place).code == DONE
    assert SECRET not in outcome.stderr


@pytest.mark.parametrize("service", ["gcs", "azure"])
def test_other_services_are_read_and_written(far: Far, tmp_path: Path, service: str):
    far.files["box/in a folder/sample.nc"] = SAMPLE.read_bytes()
    far.needs_key = service == "azure"
    box = {"gcs": "gs://box", "azure": "az://box"}[service]
    here = {name: value for name, value in HERE.items() if not name.startswith(("AZURE", "GOOGLE"))}
    here |= {"gcs": far.gcs, "azure": far.azure}[service]

    def done(*words: object) -> Outcome:
        return frazil(*words, env=here, timeout=60)

    outcome = done("verify", SAMPLE, f"{box}/in a folder/sample.nc")
    assert outcome.code == DONE, outcome.stderr
    outcome = done("pack", SAMPLE, "-o", f"{box}/out.nc")
    assert outcome.code == DONE, outcome.stderr
    (tmp_path / "out.nc").write_bytes(far.files["box/out.nc"])
    assert nc_compare.compare(SAMPLE, tmp_path / "out.nc", set()) == []
    outcome = done("pack", SAMPLE, "-o", f"{box}/out.nc")
    assert outcome.code == FAILED and "exists already" in outcome.stderr
    outcome = done("info", f"{box}/nothing.nc")
    assert outcome.code == FAILED and "no such file" in outcome.stderr


def test_results_go_to_buckets_whole_or_not_at_all(far: Far, tmp_path: Path):
    url = "s3://bucket/out.nc"
    outcome = run("pack", SAMPLE, "-o", url, **far.s3)
    assert outcome.code == DONE, outcome.stderr
    (tmp_path / "out.nc").write_bytes(far.files["bucket/out.nc"])
    assert nc_compare.compare(SAMPLE, tmp_path / "out.nc", set()) == []
    before = far.files["bucket/out.nc"]
    outcome = run("pack", SAMPLE, "-o", url, **far.s3)
    assert outcome.code == FAILED and "exists already" in outcome.stderr
    far.faults = [Fault("refuse parts", times=100)]
    outcome = run("pack", SAMPLE, "-o", url, "--overwrite", "--fast", **far.s3)
    assert outcome.code != DONE
    assert far.files["bucket/out.nc"] == before and not far.uploads
    outcome = run("pack", SAMPLE, "-o", far.url("out.nc"))
    assert outcome.code == FAILED and "cannot write to a web server" in outcome.stderr


def test_a_classic_file_is_read_from_a_url(far: Far, tmp_path: Path):
    packed, plain = tmp_path / "packed.nc", tmp_path / "plain.nc"
    assert run("pack", SAMPLE, "-o", packed).code == DONE
    assert run("unpack", packed, "-o", plain, "--format", "classic").code == DONE
    assert kind(plain) == "classic"
    far.files["plain.nc"] = plain.read_bytes()
    assert run("verify", plain, far.url("plain.nc")).code == DONE
