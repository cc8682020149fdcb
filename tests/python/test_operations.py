"""The operations on whole files, and how their reports show themselves."""

import json
import os
import signal
import threading
import time
from html.parser import HTMLParser

import frazil
import netCDF4
import numpy as np
import pytest
from frazil.pictures import chunk_grid_svg
from support.command import SAMPLE

pytestmark = pytest.mark.sampled(one_in=2)


@pytest.fixture(scope="module")
def packed(tmp_path_factory):
    path = tmp_path_factory.mktemp("packed") / "packed.nc"
    return frazil.pack(SAMPLE, path, verify=True)


class Balanced(HTMLParser):
    """Complains about tags that do not match."""

    def __init__(self):
        super().__init__()
        self.open, self.seen = [], []

    def handle_starttag(self, tag, attrs):
        self.open.append(tag)
        self.seen.append(tag)

    def handle_startendtag(self, tag, attrs):
        self.seen.append(tag)

    def handle_endtag(self, tag):
        assert self.open.pop() == tag


def check_html(text):
    parser = Balanced()
    parser.feed(text)
    assert not parser.open
    return parser.seen


def test_pack_makes_a_smaller_equal_file(packed):
    assert packed.verified and packed.output.exists()
    assert packed.output_file_bytes == packed.output.stat().st_size
    assert packed.output_file_bytes < 0.6 * packed.input_file_bytes
    assert packed.saved_bytes == packed.input_file_bytes - packed.output_file_bytes
    assert packed["/T"].filters.startswith("shuffle")
    assert packed["T"] is packed["/T"]
    report = frazil.verify(SAMPLE, packed.output)
    assert report and report.is_equal and report.values > 1_000_000


def test_unpack_undoes_it(packed, tmp_path):
    plain = frazil.unpack(packed.output, tmp_path / "plain.nc", verify=True)
    assert all(one.filters == "none" for one in frazil.info(plain.output).variables)
    classic = frazil.unpack(packed.output, tmp_path / "classic.nc", format="classic")
    assert frazil.info(classic.output).format.startswith("CDF")


def test_what_a_plan_decides_is_told_in_pythons_words(tmp_path):
    stated = {"plan": frazil.plan(SAMPLE), "goal": "size", "chunks": "keep"}
    found = "\n".join(frazil.pack(SAMPLE, tmp_path / "out.nc", **stated).notices)
    assert 'chunks="keep" has no effect' in found and "goal= has no effect" in found


def test_a_dry_run_and_a_plan_write_nothing(tmp_path):
    predicted = frazil.pack(SAMPLE, tmp_path / "never.nc", dry_run=True)
    plan = frazil.plan(SAMPLE)
    assert predicted.output is None and not list(tmp_path.iterdir())
    again = frazil.WritePlan.from_json(plan.to_json())
    assert again == plan
    with_layout = frazil.plan(SAMPLE, layout="cmip7")
    assert with_layout.layout == "cmip7"
    assert frazil.WritePlan.from_json(with_layout.to_json()) == with_layout
    with pytest.raises(ValueError, match=r"layout: .cmip8. is none of"):
        frazil.pack(SAMPLE, tmp_path / "out.nc", plan=frazil.WritePlan([], layout="cmip8"))
    assert {one["path"] for one in plan.variables} >= {"/T", "/U"}
    assert "shuffle" in repr(plan)


def test_options_reach_the_engine(tmp_path):
    report = frazil.pack(
        SAMPLE,
        tmp_path / "out.nc",
        chunks={"T": {"Time": 2}},
        level=2,
        shuffle=True,
        checksum=True,
        precision={"U": {"significant_digits": 3}, "W": None},
        threads=1,
        memory=64 << 20,
    )
    info = frazil.info(report.output)
    assert info["T"].chunk[0] == 2
    assert info["T"].filters == "shuffle+deflate(2)+fletcher32"
    assert report["U"].precision["rounding"].startswith("granular_bitround(3)")
    assert report["W"].precision is None
    assert (report.threads, report.memory_bytes) == (1, 64 << 20)
    rounded = frazil.verify(SAMPLE, report.output)
    assert rounded and [one["path"] for one in rounded.precision] == ["/U"]


def test_speeds_and_tolerances_are_requested_for(tmp_path):
    def reasons(**options):
        plan = frazil.plan(SAMPLE, readable_by="plugins", **options)
        return {one["path"]: one["reason"] for one in plan.variables}

    asked = reasons(min_write_speed=2000, min_read_speed="network", ratio_tolerance=0.05)
    floors = "write floor of 2000 MB/s as asked, read floor of 1250 MB/s (network) as asked"
    assert floors in asked["/T"] and "within 5 %" in asked["/T"]
    requests = {"T": {"min_read_speed": "0.5*local"}, "U": {"filters": "shuffle+lz4"}}
    by_variable = reasons(precision=requests)
    assert "read floor of 1000 MB/s (0.5*local) from rules" in by_variable["/T"]
    assert "shuffle+lz4: from rules, " in by_variable["/U"]
    assert "requests" not in by_variable["/W"]
    rules = tmp_path / "rules.toml"
    rules.write_text('[[rule]]\nvariables = ["U"]\nfilters = "shuffle+lz4"\n')
    report = frazil.pack(SAMPLE, tmp_path / "out.nc", precision=rules, readable_by="plugins")
    assert report["U"].filters == "shuffle+lz4"
    for wrong in (
        {"min_read_speed": "fast"},
        {"min_write_speed": 0},
        {"ratio_tolerance": 1},
        {"precision": {"U": {"min_write_speed": -1}}},
        {"precision": {"U": {"filters": "lz4"}}, "readable_by": "any"},
    ):
        with pytest.raises(ValueError):
            frazil.plan(SAMPLE, **wrong)


def test_in_place(tmp_path):
    path = tmp_path / "mine.nc"
    path.write_bytes(SAMPLE.read_bytes())
    for call in (frazil.pack, frazil.unpack):
        with pytest.raises(frazil.errors.InvalidArgumentError, match="in_place=True"):
            call(path)
        with pytest.raises(frazil.errors.InvalidArgumentError, match="both stated"):
            call(path, tmp_path / "out.nc", in_place=True)
        with pytest.raises(frazil.errors.InvalidArgumentError, match="in_place is 'yes'"):
            call(path, in_place="yes")
    assert path.read_bytes() == SAMPLE.read_bytes()
    assert frazil.pack(path, dry_run=True).output is None
    report = frazil.pack(path, in_place=True)
    assert report.output == path and report.verified
    assert frazil.verify(SAMPLE, path)
    assert frazil.unpack(path, in_place=True).output == path


def test_what_would_not_shrink_is_kept(tmp_path):
    path, out = tmp_path / "noise.nc", tmp_path / "out"
    out.mkdir()
    with netCDF4.Dataset(path, "w", format="NETCDF3_CLASSIC") as file:
        file.createDimension("n", 500)
        file.createVariable("v", "f8", ("n",))[:] = np.random.default_rng(7).normal(size=500)
    before = path.read_bytes()
    for target in (None, out):
        report = frazil.pack(path, target, in_place=target is None)
        assert report.kept_input and report.saved_bytes == 0
        assert "kept as it is" in repr(report)
        assert report.output.read_bytes() == before
    report = frazil.pack(path, out, overwrite=True, allow_larger=True)
    assert not report.kept_input and report.saved_bytes < 0
    assert not frazil.pack(path, tmp_path / "named.nc").kept_input


def test_a_comparison_has_the_words_of_the_command(tmp_path):
    rounded = tmp_path / "rounded.nc"
    frazil.pack(SAMPLE, rounded, precision={"U": {"absolute_tolerance": 2.0}})
    title = repr(frazil.verify(SAMPLE, rounded)).splitlines()[0]
    assert title.endswith("equal, except for rounding within the stated bounds of 1 variable")


def test_a_difference_is_a_false_report_or_an_exception(tmp_path):
    path = tmp_path / "other.nc"
    path.write_bytes(SAMPLE.read_bytes())
    with netCDF4.Dataset(path, "a") as file:
        file["T"][0, 0, 0, 0] += 1
    report = frazil.verify(SAMPLE, path)
    assert not report and report.difference_count == 1
    assert "/T" in repr(report) and ": different: " in repr(report)
    with pytest.raises(frazil.errors.MismatchError) as caught:
        frazil.verify(SAMPLE, path, check=True)
    assert caught.value.variable == "/T"


def test_analyze_says_how_many_bits_to_keep():
    report = frazil.analyze(SAMPLE, variables=["T", "U"])
    assert [one["path"] for one in report.variables] == ["/T", "/U"]
    assert 1 <= report.variables[0]["significant_bits"] <= 23
    with pytest.raises(ValueError):
        frazil.analyze(SAMPLE, keep_information=2)


def test_recover_leaves_a_whole_file_alone(tmp_path):
    path = tmp_path / "whole.nc"
    path.write_bytes(SAMPLE.read_bytes())
    assert frazil.recover(path).outcome == "clean"
    assert path.read_bytes() == SAMPLE.read_bytes()


def test_reports_show_themselves(packed):
    info = frazil.info(packed.output, fill_fraction=True)
    assert info["T"].fill_fraction is not None
    reports = [packed, info, frazil.plan(SAMPLE), frazil.analyze(SAMPLE, variables="T")]
    for report in reports:
        assert "/T" in repr(report)
        tags = check_html(report._repr_html_())
        assert "table" in tags
        json.dumps(report.to_dict(), default=str)
    assert check_html(info._repr_html_()).count("svg") == len(info)
    assert "svg" in check_html(info["T"]._repr_html_())


def test_notebooks_show_the_largest_thirty_and_fold_the_rest(packed):
    info = frazil.info(packed.output)
    with frazil.open(packed.output) as file:
        pages = [info._repr_html_(), file._repr_html_(), packed._repr_html_()]
    largest = max(info.variables, key=lambda one: one.raw_bytes).path
    smallest = min(info.variables, key=lambda one: one.raw_bytes).path
    for page in pages:
        seen, rest = page.split("<details>", 1)
        assert f"{len(info) - 30} more" in rest
        assert seen.count("<tr>") == 30 + 1
        assert largest in seen and smallest in rest and smallest not in seen


def test_names_cannot_break_out_of_a_page(tmp_path):
    name = "v<script>alert(1)<"
    path = tmp_path / "evil.nc"
    with frazil.Writer(path) as writer:
        writer.add_dimension('d"<b>', 4)
        writer.add_variable(name, "f4", ['d"<b>'], attrs={"a<i>": "<u>"})[:] = 1
    for page in (frazil.info(path)._repr_html_(), frazil.open(path)._repr_html_()):
        tags = check_html(page)
        assert not {"script", "b>", "i", "u"} & set(tags)


def test_the_picture_shows_where_chunks_meet():
    assert chunk_grid_svg((), None) == ""
    plain = chunk_grid_svg((100, 50), None, ("y", "x"))
    cut = chunk_grid_svg((100, 50), (50, 10), ("y", "x"))
    # One more line down, four more across.
    assert cut.count("<line") - plain.count("<line") == 5
    assert "y 100 by 50, x 50 by 10" in cut
    check_html(cut)
    check_html(chunk_grid_svg((3, 10_000_000, 7, 9), (1, 1, 7, 9)))
    check_html(chunk_grid_svg((0, 5), (1, 5)))


class Recorder:
    """Notes progress."""

    def __init__(self):
        self.stages, self.bytes, self.notices = [], 0, []

    def stage(self, name, total_bytes):
        self.stages.append((name, total_bytes))

    def advance(self, count):
        self.bytes += count

    def notice(self, line):
        self.notices.append(line)


def test_progress_is_told(tmp_path):
    seen = Recorder()
    report = frazil.pack(SAMPLE, tmp_path / "out.nc", verify=True, progress=seen)
    names = [name for name, _ in seen.stages]
    assert names[0] == "plan" and names[-1] == "verify"
    assert seen.bytes >= 2 * report.raw_bytes * 0.99


def test_an_exception_in_progress_stops_the_work(tmp_path):
    class Stop(Exception):
        pass

    class Stubborn(Recorder):
        def stage(self, name, total_bytes):
            raise Stop

    with pytest.raises(Stop):
        frazil.pack(SAMPLE, tmp_path / "out.nc", progress=Stubborn())
    assert not list(tmp_path.iterdir())


def test_the_bar_ends_its_line(tmp_path, capsys):
    frazil.pack(SAMPLE, tmp_path / "out.nc", progress=True)
    shown = capsys.readouterr().err
    assert "100 %" in shown and shown.endswith("\n")


def large_file(path):
    noise = np.random.default_rng(1)
    with frazil.Writer(path) as writer:
        writer.add_dimension("t", 60)
        writer.add_dimension("x", 1_000_000)
        values = writer.add_variable("v", "f8", ["t", "x"], compression="none")
        for i in range(60):
            values[i] = noise.normal(size=1_000_000)


@pytest.fixture
def interruptible():
    """Python as it is at a terminal; what a shell starts in the background ignores Ctrl-C."""
    before = signal.signal(signal.SIGINT, signal.default_int_handler)
    yield
    signal.signal(signal.SIGINT, before)


@pytest.mark.usefixtures("interruptible")
def test_ctrl_c_stops_the_work_and_leaves_nothing(tmp_path):
    path = tmp_path / "in.nc"
    large_file(path)
    timer = threading.Timer(0.3, os.kill, (os.getpid(), signal.SIGINT))
    timer.start()
    began = time.monotonic()
    with pytest.raises(KeyboardInterrupt):
        frazil.pack(path, tmp_path / "out.nc", level=9, threads=1)
    timer.join()
    # Packed at level 9 by one thread it takes half a minute.
    assert time.monotonic() - began < 15
    assert [one.name for one in tmp_path.iterdir()] == ["in.nc"]


def test_other_threads_run_meanwhile(tmp_path):
    path = tmp_path / "in.nc"
    large_file(path)
    done = threading.Event()
    turns = 0

    def work():
        frazil.pack(path, tmp_path / "out.nc", level=1)
        done.set()

    worker = threading.Thread(target=work)
    worker.start()
    while not done.is_set():
        turns += 1
        time.sleep(0.001)
    worker.join()
    assert turns > 50


def test_trees_are_verified(tmp_path):
    source, out = tmp_path / "in", tmp_path / "out"
    (source / "deep").mkdir(parents=True)
    (out / "deep").mkdir(parents=True)
    for name in ("a.nc", "deep/b.nc"):
        (source / name).write_bytes(SAMPLE.read_bytes())
        frazil.pack(source / name, out / name)
    found = frazil.verify_files(source, out, recursive=True, jobs=2, check=True)
    assert [report.b for report in found] == [out / "a.nc", out / "deep/b.nc"] and all(found)
    assert len(frazil.verify_files([source / "a.nc"], out)) == 1
    with netCDF4.Dataset(out / "deep/b.nc", "a") as file:
        file["T"][0, 0, 0, 0] += 1
    assert [bool(one) for one in frazil.verify_files(source, out, recursive=True)] == [True, False]
    with pytest.raises(frazil.errors.MismatchError, match="T"):
        frazil.verify_files(source, out, recursive=True, check=True)
    (out / "a.nc").unlink()
    with pytest.raises(frazil.errors.NotFoundError, match=r"a\.nc"):
        frazil.verify_files(source, out)


def test_a_history_has_the_call(tmp_path):
    out, back = tmp_path / "out.nc", tmp_path / "back.nc"
    frazil.pack(SAMPLE, out, history=True, level=2)
    frazil.unpack(out, back, history=True)
    with netCDF4.Dataset(back) as file:
        second, first = file.history.split("\n")[:2]
    assert first.endswith(f": frazil.pack({str(SAMPLE)!r}, {str(out)!r}, level=2)")
    assert "Z: frazil.unpack(" in second
    assert frazil.verify(SAMPLE, back)
    with pytest.raises(frazil.errors.InvalidArgumentError, match="history is 'yes'"):
        frazil.pack(SAMPLE, out, history="yes")


def test_unknown_dimensions_of_reads_are_refused(tmp_path):
    with pytest.raises(frazil.errors.InvalidArgumentError, match="`Tme`") as caught:
        frazil.open(SAMPLE, reads="Tme:3")
    assert "`Time`" in caught.value.cure
    with (
        pytest.raises(frazil.errors.InvalidArgumentError, match="`tme`"),
        frazil.Writer(tmp_path / "w.nc", axes={"tme": "time"}) as writer,
    ):
        writer.add_dimension("time", 4)
        writer.add_variable("v", "f4", ["time"])[:] = [1, 2, 3, 4]
