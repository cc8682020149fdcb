"""Many files in one run: trees, lists, runs that go on where they were stopped, what is noted."""

import hashlib
import json
import os
import random
import shutil
import signal
import subprocess
import sys
import time
from pathlib import Path

import netCDF4
import numpy as np
import pytest
from support.command import BINARY, DONE, FAILED, INTERRUPTED, TROUBLE, frazil, start, tool

pytestmark = pytest.mark.sampled(one_in=2)

FILES = 240
INDEX = ".frazil-finished"
FOLDERS = ["", "a", "a/b", "a/b/c", "d", "d/é e"]


def write(path: Path, number: int, rows: int = 60) -> None:
    path.parent.mkdir(parents=True, exist_ok=True)
    values = np.random.default_rng(number).normal(size=(rows, 80)).round(2)
    with netCDF4.Dataset(path, "w") as file:
        file.createDimension("y", rows)
        file.createDimension("x", 80)
        file.createVariable("v", "f8", ("y", "x"))[:] = values


@pytest.fixture(scope="module")
def tree(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A tree of files, of which one is no data file and one is hidden."""
    root = tmp_path_factory.mktemp("many") / "in"
    for number in range(FILES):
        write(root / FOLDERS[number % len(FOLDERS)] / f"file-{number:03}.nc", number)
    (root / "README.txt").write_text("no data")
    (root / "a/.hidden.nc").write_bytes(b"no data")
    return root


def contents(folder: Path) -> dict[str, str]:
    """All files below a folder but the index of finished inputs, with what they hold."""
    files = (path for path in folder.rglob("*") if path.is_file() and path.name != INDEX)
    return {
        str(path.relative_to(folder)): hashlib.sha256(path.read_bytes()).hexdigest()
        for path in files
    }


@pytest.fixture(scope="module")
def undisturbed(tree: Path) -> dict[str, str]:
    out = tree.parent / "undisturbed"
    outcome = frazil("pack", tree, "-r", "--out-dir", out, "--manifest", "sha256", "--level", 1)
    assert outcome.code == DONE, outcome.stderr
    assert f"{FILES} files" in outcome.stdout
    return contents(out)


def test_the_tree_is_kept_and_nothing_else_is_taken(tree: Path, undisturbed: dict[str, str]):
    names = {str(path.relative_to(tree)) for path in tree.rglob("file-*.nc")}
    assert undisturbed.keys() == names | {"SHA256SUMS"}
    out = tree.parent / "undisturbed"
    for name in random.Random(1).sample(sorted(names), 5):
        assert tool("ncdump", out / name).stdout == tool("ncdump", tree / name).stdout
    checked = tool("sh", "-c", f"cd '{out}' && sha256sum --quiet -c SHA256SUMS")
    assert checked.returncode == 0, checked.stdout
    assert len((out / "SHA256SUMS").read_text().splitlines()) == FILES


@pytest.mark.parametrize("kill", [signal.SIGKILL, signal.SIGTERM])
def test_a_run_that_is_killed_twice_ends_as_one_that_is_not(
    tree: Path, undisturbed: dict[str, str], tmp_path: Path, kill: signal.Signals
):
    out, seed = tmp_path / "out", time.time_ns()
    print(f"seed {seed}")
    chance = random.Random(seed)
    words = ("pack", tree, "-r", "--out-dir", out, "--manifest", "sha256", "--level", 1)
    done = 0
    for part in (3, 3 / 2):
        enough = done + chance.randrange(1, int((FILES - done) / part))
        process = start(*words, "--skip-existing")
        while process.poll() is None and len(list(out.rglob("file-*.nc"))) < enough:
            time.sleep(0.002)
        process.send_signal(kill)
        process.communicate()
        assert process.returncode in (-kill, INTERRUPTED - 2 + kill)
        done = len(list(out.rglob("file-*.nc")))
    assert 0 < done < FILES
    outcome = frazil(*words, "--skip-existing")
    assert outcome.code == DONE, outcome.stderr
    assert f"{done} done before" in outcome.stdout
    # What SIGKILL left of files on their way is removed by whoever writes them again.
    found = {name: what for name, what in contents(out).items() if "frazil" not in name}
    assert found == undisturbed


@pytest.mark.parametrize("jobs", [1, 3])
def test_any_number_of_jobs_gives_the_same(
    tree: Path, undisturbed: dict[str, str], tmp_path: Path, jobs: int
):
    words = ("pack", tree, "-r", "--out-dir", tmp_path, "--level", 1, "--jobs", jobs)
    assert frazil(*words).code == DONE
    assert contents(tmp_path).items() <= undisturbed.items()


def test_results_that_are_older_than_their_inputs_are_not_done(tmp_path: Path):
    source, out = tmp_path / "in.nc", tmp_path / "out"
    write(source, 1)
    words = ("pack", source, "--out-dir", out, "--skip-existing", "--json")
    assert len(frazil(*words).report["reports"]) == 1
    assert frazil(*words).report == {"reports": [], "errors": []}
    later = (out / "in.nc").stat().st_mtime + 5
    os.utime(source, (later, later))
    assert frazil(*words).errors[0]["code"] == "already_exists"
    assert len(frazil(*words, "--overwrite").report["reports"]) == 1


def test_patterns_and_lists_choose_files(tree: Path, tmp_path: Path):
    def taken(*words: object, **options: object) -> list[str]:
        outcome = frazil("pack", *words, "--dry-run", "--json", **options)
        assert outcome.code == DONE, outcome.stderr
        names = (Path(one["input"]).relative_to(tree) for one in outcome.report["reports"])
        return sorted(map(str, names))

    top = sorted(path.name for path in tree.glob("*.nc"))
    assert taken(tree) == top
    assert taken(tree, "-r", "--include", "file-00?.nc", "--exclude", "a/**") == [
        "d/file-004.nc",
        "d/é e/file-005.nc",
        "file-000.nc",
        "file-006.nc",
    ]
    names = tmp_path / "names"
    names.write_text(f"{tree}/a/file-001.nc\n\n{tree}/file-000.nc\r\n{tree}/file-000.nc\n")
    assert taken("--files-from", names) == ["a/file-001.nc", "file-000.nc"]
    assert taken("--files-from", names, "--exclude", "*-000*") == ["a/file-001.nc"]
    # As `find -print0` prints them.
    odd = tree / "a/line\nend.nc"
    odd.hardlink_to(tree / "file-000.nc")
    names.write_text(f"{tree}/a/file-001.nc\0{odd}\0")
    assert taken("--files-from", names) == ["a/file-001.nc", "a/line\nend.nc"]
    odd.unlink()
    nothing = frazil("pack", tree / "d", "--include", "*.grb", "--dry-run")
    assert nothing.code == TROUBLE and "none matches --include" in nothing.stderr


def test_a_list_keeps_the_tree_and_may_come_by_a_pipe(tree: Path, tmp_path: Path):
    listed = "a/b/file-002.nc\nfile-000.nc\n"
    command = f"'{BINARY}' pack --files-from - --out-dir '{tmp_path}/out' --quiet"
    done = tool("sh", "-c", f"cd '{tree}' && printf '{listed}' | {command}")
    assert done.returncode == 0, done.stderr
    assert contents(tmp_path / "out").keys() == {"a/b/file-002.nc", "file-000.nc"}
    names = tmp_path / "names"
    for text, part in (("../x.nc\n", "contains `..`"), ("a\0\0b\n", "two NULs")):
        names.write_text(text)
        outcome = frazil("pack", "--files-from", names, "--out-dir", tmp_path / "out")
        assert outcome.code == TROUBLE and part in outcome.stderr
    same = tree / "a/file-001.nc"
    shutil.copy(same, tmp_path / same.name)
    outcome = frazil("pack", same, tmp_path / same.name, "--out-dir", tmp_path / "out")
    assert outcome.code == TROUBLE and "written to the same file" in outcome.stderr


def test_failures_are_told_summed_up_and_noted(tree: Path, tmp_path: Path):
    root, log = tmp_path / "in", tmp_path / "run.log"
    shutil.copytree(tree / "d", root)
    (root / "bad.nc").write_bytes(b"no data at all")
    words = ("pack", root, "-r", "--out-dir", tmp_path / "out", "--log", log)
    outcome = frazil(*words, "--json-lines")
    assert outcome.code == FAILED
    lines = [json.loads(line) for line in outcome.stdout.splitlines()]
    assert {line["outcome"] for line in lines} == {"done", "failed"}
    (failed,) = (line for line in lines if line["outcome"] == "failed")
    assert failed["input"] == str(root / "bad.nc") and failed["error"]["code"]
    assert all(line["report"]["output"] for line in lines if line["outcome"] == "done")
    assert f"1 file of {len(lines)} failed" in outcome.stderr
    again = frazil(*words, "--skip-existing")
    assert again.code == FAILED and f"{len(lines) - 1} done before" in again.stdout
    noted = [line.split("\t")[1] for line in log.read_text().splitlines()]
    assert noted.count("done") == noted.count("skipped") == len(lines) - 1
    assert noted.count("failed") == 2
    assert frazil("pack", root, "-n", "--log", root / "bad.nc").code == TROUBLE


def test_times_and_permissions_are_preserved(tmp_path: Path):
    source, out = tmp_path / "in.nc", tmp_path / "out"
    write(source, 1)
    os.utime(source, ns=(10**18, 10**18 + 123_456_789))
    source.chmod(0o640)
    for words in (["--out-dir", out], ["-o", tmp_path / "named.nc"], ["--in-place"]):
        assert frazil("pack", source, *words, "--preserve", "mtime,mode").code == DONE
    for path in (out / "in.nc", tmp_path / "named.nc", source):
        assert path.stat().st_mtime_ns == 10**18 + 123_456_789
        assert path.stat().st_mode & 0o777 == 0o640
    assert frazil("pack", source, "--out-dir", out, "--skip-existing").code == DONE


def test_a_tree_is_unpacked_again(tree: Path, tmp_path: Path):
    packed, plain = tmp_path / "packed", tmp_path / "plain"
    assert frazil("pack", tree / "a", "-r", "--out-dir", packed, "--quiet").code == DONE
    assert frazil("unpack", packed, "-r", "--out-dir", plain, "--quiet").code == DONE
    names = contents(packed).keys()
    assert names == contents(plain).keys() and "b/c/file-003.nc" in names
    name = sorted(names)[0]
    assert tool("ncdump", plain / name).stdout == tool("ncdump", tree / "a" / name).stdout


# In a process of its own: peak memory as the system counts it begins with the parent's.
PEAK = """
import resource, subprocess, sys
subprocess.run(sys.argv[1:], check=True, stdout=subprocess.DEVNULL)
print(resource.getrusage(resource.RUSAGE_CHILDREN).ru_maxrss)
"""


def test_files_at_a_time_share_the_memory(tmp_path: Path):
    root = tmp_path / "in"
    for number in range(12):
        write(root / f"{number}.nc", number, rows=20000)
    words = ["pack", root, "--out-dir", tmp_path / "out", "--memory", "64M", "--level", "1"]
    command = [sys.executable, "-c", PEAK, BINARY, *words, "--jobs", "4", "--threads", "4"]
    answer = subprocess.run(command, check=True, capture_output=True, text=True)
    peak = int(answer.stdout) / 1024
    # The budget, and what the program itself takes.
    assert peak <= 64 + 64


def test_runs_at_once_keep_each_others_checksums(tmp_path: Path):
    out, sources = tmp_path / "out", [tmp_path / "a", tmp_path / "b"]
    for number in range(40):
        write(sources[number % 2] / f"{number}.nc", number)
    # Names are bytes: neither may become the other.
    for name in (b"\xff.nc", b"\xfe.nc", b"two\nlines.nc"):
        shutil.copy(sources[0] / "0.nc", os.fsdecode(os.fsencode(sources[0]) + b"/" + name))
    words = ("--out-dir", out, "--manifest", "sha256", "--quiet")
    runs = [start("pack", source, *words) for source in sources]
    for run in runs:
        run.communicate(timeout=300)
        assert run.returncode == DONE
    assert len((out / "SHA256SUMS").read_bytes().splitlines()) == 43
    check = ["sha256sum", "--check", "--strict", "--quiet", "SHA256SUMS"]
    subprocess.run(check, cwd=out, check=True)


def test_a_log_or_manifest_that_cannot_be_written_does_not_stop_the_work(tmp_path: Path):
    for number in range(10):
        write(tmp_path / "in" / f"{number}.nc", number)
    out = tmp_path / "out"
    (out / "SHA256SUMS").mkdir(parents=True)
    words = ("pack", tmp_path / "in", "--out-dir", out)
    outcome = frazil(*words, "--log", "/dev/full")
    assert outcome.code == FAILED and "/dev/full: write" in outcome.stderr
    assert "10 files" in outcome.stdout and len(list(out.glob("*.nc"))) == 10
    assert frazil(*words, "--manifest", "sha256", "--overwrite").code == TROUBLE


@pytest.mark.skipif(os.geteuid() != 0, reason="another user is played, which root can do")
def test_a_directory_that_cannot_be_read_does_not_stop_the_others(tmp_path: Path):
    for path in (tmp_path, *tmp_path.parents):
        if path.stat().st_uid == 0 and "pytest" in str(path):
            path.chmod(0o777)
    root = tmp_path / "in"
    write(root / "locked/a.nc", 1)
    write(root / "open/b.nc", 2)
    (root / "locked").chmod(0)
    command = [BINARY, "pack", root, "-r", "--out-dir", tmp_path / "out"]
    done = subprocess.run(command, capture_output=True, text=True, user=65534, check=False)
    assert done.returncode == FAILED and "in/locked: list: Permission denied" in done.stderr
    assert (tmp_path / "out/open/b.nc").exists()


def test_why_there_is_nothing_to_do_is_said(tree: Path, tmp_path: Path):
    names, file = tmp_path / "names", tmp_path / "file"
    names.touch()
    file.touch()
    for words, part in [
        (("--files-from", names, "--out-dir", tmp_path), "the list names none"),
        (
            (tree, "--include", "*.nc", "--exclude", "**", "--out-dir", tmp_path),
            "but not --exclude",
        ),
        ((tree, "--out-dir", file), "it must be a directory"),
        ((tree, "--out-dir", file / "below" / "it"), "it must be a directory"),
    ]:
        place = () if "--out-dir" in words else ("--out-dir", tmp_path)
        outcome = frazil("pack", *words, *place)
        assert outcome.code == TROUBLE and part in outcome.stderr


def test_data_under_other_names_are_told(tmp_path: Path):
    tree, out = tmp_path / "in", tmp_path / "out"
    write(tree / "a.nc", 1)
    write(tree / "below/wrfout_d01_2005-08-28", 2)
    (tree / "notes.txt").write_text("no data")
    outcome = frazil("pack", tree, "-r", "--out-dir", out)
    assert outcome.code == DONE and "1 file left out that holds netCDF or HDF5" in outcome.stderr
    assert "wrfout_d01_2005-08-28; choose them with --include" in outcome.stderr
    assert "left out" in frazil("verify", tree, "-r", out).stderr
    for words in (("--include", "*.nc"), ("--exclude", "wrf*"), ("--quiet",)):
        outcome = frazil("pack", tree, "-r", "--out-dir", out, "--overwrite", *words)
        assert outcome.code == DONE and "left out" not in outcome.stderr


def test_a_dry_run_is_noted_as_one(tree: Path, tmp_path: Path):
    log = tmp_path / "log"
    assert frazil("pack", tree / "d", "--dry-run", "--log", log).code == DONE
    assert {line.split("\t")[1] for line in log.read_text().splitlines()} == {"planned"}


def test_a_result_that_was_changed_since_does_not_count_as_done(tmp_path: Path):
    source, out = tmp_path / "in", tmp_path / "out"
    for number in range(3):
        write(source / f"{number}.nc", number)
    words = ("pack", source, "--out-dir", out, "--skip-existing")
    assert frazil(*words).code == DONE
    index = (out / INDEX).read_text()
    again = frazil(*words)
    assert again.code == DONE and "3 done before" in again.stdout
    assert (out / INDEX).read_text() == index
    damaged = out / "1.nc"
    damaged.write_bytes(damaged.read_bytes()[:-1])
    refused = frazil(*words, "--json")
    assert refused.code == FAILED and "1.nc" in refused.errors[0]["file"]
    mended = frazil(*words, "--overwrite")
    assert mended.code == DONE and "2 done before" in mended.stdout
    assert frazil("verify", source / "1.nc", damaged).code == DONE


@pytest.mark.parametrize("bytes_left", [0, 3000])
def test_a_result_that_was_cut_off_does_not_count_as_done(tmp_path: Path, bytes_left: int):
    """Also where no run has noted it."""
    source, out = tmp_path / "in", tmp_path / "out"
    source.mkdir()
    write(source / "a.nc", 1)
    assert frazil("pack", source, "--out-dir", out).code == DONE
    os.truncate(out / "a.nc", bytes_left)
    refused = frazil("pack", source, "--out-dir", out, "--skip-existing")
    assert refused.code == FAILED and "has changed since it was finished" in refused.stderr
    assert frazil("pack", source, "--out-dir", out, "--skip-existing", "--overwrite").code == DONE
    assert frazil("verify", source / "a.nc", out / "a.nc").code == DONE


def test_a_link_to_nothing_is_no_folder_for_results(tmp_path: Path):
    write(tmp_path / "a.nc", 1)
    (tmp_path / "out").symlink_to(tmp_path / "absent")
    outcome = frazil("pack", tmp_path / "a.nc", "--out-dir", tmp_path / "out")
    assert outcome.code == FAILED and "link to a file that does not exist" in outcome.stderr
    assert not (tmp_path / "absent").exists()


def test_trees_are_verified_as_they_were_packed(tmp_path: Path):
    source, out, log = tmp_path / "in", tmp_path / "out", tmp_path / "run.log"
    for number in range(12):
        write(source / FOLDERS[number % 3] / f"{number}.nc", number)
    words = (source, "-r", "--out-dir", out, "--manifest", "sha256")
    assert frazil("pack", *words).code == DONE
    equal = frazil("verify", *words, "--log", log)
    assert equal.code == DONE and "12 files: 12 equal, 0 different" in equal.stdout
    assert [line.split("\t")[1] for line in log.read_text().splitlines()] == ["equal"] * 12
    assert frazil("verify", "-r", source, out).code == DONE

    with netCDF4.Dataset(out / "a/1.nc", "a") as file:
        file["v"][3, 4] = 99
    (out / "a/b/2.nc").unlink()
    both = frazil("verify", "-r", source, out, "--json-lines")
    assert both.code == FAILED
    found = {Path(one["input"]).name: one for one in map(json.loads, both.stdout.splitlines())}
    assert {one["outcome"] for one in found.values()} == {"equal", "different", "failed"}
    assert found["1.nc"]["report"]["differences"][0]["path"] == "/v"
    assert found["2.nc"]["error"]["code"] == "not_found"
    told = frazil("verify", "-r", source, out)
    assert (
        "2 files of 12 differ or could not be compared:" in told.stderr
        and "/v: first difference at [3, 4]" in told.stderr
    )

    (source / "a/1.nc").unlink()
    write(out / "extra.nc", 1)
    rest = frazil("verify", "-r", source, out)
    assert rest.code == TROUBLE and "without an original" in rest.stderr


def test_a_checksum_tells_of_bytes_that_no_reader_sees(tmp_path: Path):
    source, out = tmp_path / "in", tmp_path / "out"
    write(source / "a.nc", 1)
    words = (source, "--out-dir", out, "--manifest", "sha256")
    assert frazil("pack", *words).code == DONE
    with (out / "a.nc").open("ab") as file:
        file.write(b"\0")
    assert frazil("verify", source, out).code == DONE
    checked = frazil("verify", *words, "--json")
    assert checked.code == TROUBLE and checked.errors[0]["code"] == "corrupt"


def test_several_files_are_compared_with_one_original(tmp_path: Path):
    source = tmp_path / "a.nc"
    write(source, 1)
    exact, coarse, page = tmp_path / "exact.nc", tmp_path / "coarse.nc", tmp_path / "page.html"
    assert frazil("pack", source, "-o", exact).code == DONE
    assert frazil("pack", source, "-o", coarse, "--digits", 2).code == DONE
    outcome = frazil("verify", source, exact, coarse, "--report", page)
    assert outcome.code == DONE and "1 equal, 1 equal except for rounding" in outcome.stdout
    text = page.read_text()
    assert ">Candidates<" in text and "<td>exact</td>" in text


@pytest.mark.parametrize(
    ("words", "said"),
    [
        (("in", "a.nc"), "files and directories"),
        (("a.nc", "--out-dir", "out", "--report", "x.html"), "one original"),
        (("a.nc", "a.nc", "--manifest", "sha256"), "--out-dir"),
        (("out",), "<A>"),
    ],
)
def test_what_cannot_be_compared_is_said(tmp_path: Path, words: tuple[str, ...], said: str):
    for name in ("in", "out"):
        (tmp_path / name).mkdir()
    write(tmp_path / "a.nc", 1)
    outcome = frazil("verify", *words, cwd=tmp_path)
    assert outcome.code == TROUBLE and said in outcome.stderr


def test_a_name_that_is_not_utf8_is_told_in_full(tmp_path: Path):
    write(tmp_path / "a.nc", 1)
    name = (tmp_path / "a.nc").rename(os.fsdecode(os.fsencode(tmp_path) + b"/caf\xe9.nc"))
    outcome = frazil("pack", name, "--out-dir", tmp_path / "out", "--json-lines")
    line = json.loads(outcome.stdout)
    assert bytes.fromhex(line["input_hex"]) == os.fsencode(name)


@pytest.mark.parametrize("files", [3, 12])
def test_failures_are_told_again_and_counted(tmp_path: Path, files: int):
    """With few files, too."""
    source, out = tmp_path / "in", tmp_path / "out"
    for number in range(1, files):
        write(source / f"{number:02}.nc", number)
    (source / "00.nc").write_bytes(b"")
    outcome = frazil("pack", source, "--out-dir", out)
    assert outcome.code == FAILED and f"\n{files - 1} files, 1 failed: " in outcome.stdout
    last = outcome.stderr.split(f"1 file of {files} failed:")[1]
    assert "00.nc" in last
    again = frazil("pack", source, "--out-dir", out, "--skip-existing")
    assert f"0 files, {files - 1} done before, 1 failed" in again.stdout
    (out / "02.nc").write_bytes((out / "01.nc").read_bytes())
    compared = frazil("verify", source, "--out-dir", out)
    counted = f"{files} files: {files - 2} equal, 1 different, 1 not compared"
    assert compared.code == FAILED and counted in compared.stdout
    assert f"{source / '02.nc'}: different: " in compared.stdout.replace(":\n  ", ": ")
    assert f"2 files of {files} differ or could not be compared:" in compared.stderr


def test_files_that_are_compared_with_one_original_are_named(tmp_path: Path):
    for number, name in enumerate(("a.nc", "b.nc", "c.nc")):
        write(tmp_path / name, number)
    outcome = frazil("verify", "a.nc", "a.nc", "c.nc", cwd=tmp_path)
    assert outcome.code == FAILED
    assert "a.nc: equal: " in outcome.stdout and "c.nc: different: " in outcome.stdout
    assert "c.nc: different: " in outcome.stderr
    many = frazil("verify", "a.nc", "b.nc", "c.nc", "--jobs", 2, cwd=tmp_path)
    assert {"b.nc", "c.nc"} <= {line.split(":")[0] for line in many.stdout.splitlines()}


def test_a_result_that_another_run_made_meanwhile_is_skipped(tmp_path: Path):
    source, out = tmp_path / "in", tmp_path / "out"
    for number in range(12):
        write(source / f"{number}.nc", number, 600)
    words = ("pack", source, "--out-dir", out, "--skip-existing", "--json-lines")
    runs = [start(*words) for _ in range(3)]
    for run in runs:
        said, errors = run.communicate(timeout=300)
        assert run.returncode == DONE, errors
        assert {json.loads(line)["outcome"] for line in said.splitlines()} <= {"done", "skipped"}
    assert frazil("verify", source, "--out-dir", out).code == DONE


def test_a_missing_result_is_not_told_as_a_missing_checksum(tmp_path: Path):
    source, out = tmp_path / "in", tmp_path / "out"
    for number in range(2):
        write(source / f"{number}.nc", number)
    words = (source, "--out-dir", out, "--manifest", "sha256")
    assert frazil("pack", *words).code == DONE
    (out / "1.nc").unlink()
    missing = frazil("verify", *words, "--json")
    assert missing.code == TROUBLE and missing.errors[0]["code"] == "not_found"
    assert missing.errors[0]["file"] == str(out / "1.nc")
    assert "SHA256SUMS" not in str(missing.errors[0])
    (out / "SHA256SUMS").unlink()
    without = frazil("verify", *words, "--json")
    assert without.code == TROUBLE and len(without.errors) == 1
    assert without.errors[0]["file"] == str(out / "SHA256SUMS")
    assert "--manifest" in without.errors[0]["cure"]


@pytest.mark.parametrize("options", [(), ("--digits", "absent:3")])
def test_a_run_without_results_leaves_no_folders(tmp_path: Path, options: tuple[str, ...]):
    source = tmp_path / "in"
    write(source / "deep/a.nc", 1)
    if not options:
        (source / "deep/a.nc").write_text("no data")
    outcome = frazil("pack", source, "-r", "--out-dir", tmp_path / "new/out", *options)
    assert outcome.code != DONE and not (tmp_path / "new").exists()
    (tmp_path / "there").mkdir()
    assert frazil("pack", source, "-r", "--out-dir", tmp_path / "there", *options).code != DONE
    assert list((tmp_path / "there").iterdir()) == []
