#!/usr/bin/env python3
"""Runs the test suites of netCDF's own projects plain, under `frazil run`, and on the drop-in tree.

    scripts/peers_suites.py netcdf-c SOURCE [--stock PREFIX] [--drop-in PREFIX] [--only NAME...]
    scripts/peers_suites.py netcdf-fortran SOURCE [--stock PREFIX] [--drop-in PREFIX]
    scripts/peers_suites.py python FOLDER [--only WORD...]

FOLDER is netCDF4-python's test/, h5netcdf/tests, or xarray/tests/test_backends.py (of that with
`--only NetCDF4`: the classes of the engine). SOURCE is an unpacked source tree of the peer, of the
release that is installed here (`apt-get source netcdf`; the source distributions on PyPI), or that
of the tree of `--drop-in`, with `--stock` the same release built without frazil. Nothing of it is
kept. Programs are compiled once against each library. What passes plain must pass everywhere, but
for what `scripts/peers_suites_exceptions.txt` lists, and the report must show files that frazil has
written.
"""

import argparse
import json
import os
import re
import shutil
import subprocess
import sys
import tempfile
import time
import xml.etree.ElementTree as ElementTree
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass, field
from pathlib import Path

ROOT = Path(__file__).resolve().parent.parent
EXCEPTIONS = ROOT / "scripts/peers_suites_exceptions.txt"
# Seconds for one program, and for one suite of a Python package.
LONGEST = 600
LONGEST_SUITE = 3600
# Those that want other machines, MPI, arguments of a shell script, or minutes and gigabytes.
LEFT_OUT = re.compile(
    r"par(allel)?|pnetcdf|_p5$|mpi|bm_|perf|large|big_|nc4_?perf|test_aws|byterange|s3"
    r"|renamegroup|szip|ref_bzip2|simplerw|tst_mode$|filter_(misc|order|repeat|vlen|reg)$|multifilter"
    r"|test_filter$|tst_filter$|findplugin|tst_udf|virtual_datasets|broken_files|filterx|open_cdf5$"
)


@dataclass
class Outcome:
    """What a mode of running made of the tests."""

    passed: set[str] = field(default_factory=set)
    failed: dict[str, str] = field(default_factory=dict)
    # Files by what became of them, and bytes that frazil has written.
    fates: dict[str, int] = field(default_factory=dict)
    written: int = 0

    def add_report(self, path: Path):
        """Counts a report of `frazil run`, or the lines of `FRAZIL_RUN_REPORT`."""
        if not path.is_file() or not path.stat().st_size:
            return
        text = path.read_text()
        if text.startswith("{\n"):
            for file in json.loads(text)["files"]:
                self.count(file["fate"], file["raw_bytes"])
            return
        for line in map(json.loads, text.splitlines()):
            fate = {"passed": "not_taken", "returned": "given_back", "closed": "written"}
            if event := fate.get(line["event"]):
                self.count("failed" if line.get("error") else event, line.get("raw_bytes", 0))

    def count(self, fate: str, raw_bytes: int):
        self.fates[fate] = self.fates.get(fate, 0) + 1
        self.written += raw_bytes if fate == "written" else 0


def run_prefix(report: Path) -> list[str]:
    """What is put before a command so that frazil writes its files."""
    frazil = os.environ.get("FRAZIL_BIN", str(ROOT / "target/release/frazil"))
    return [frazil, "run", "-q", "--report", str(report), "--"]


def execute(command, folder: Path, log: Path, environment=None, longest=LONGEST) -> bool:
    with log.open("w") as output:
        try:
            done = subprocess.run(
                command,
                cwd=folder,
                stdout=output,
                stderr=subprocess.STDOUT,
                stdin=subprocess.DEVNULL,
                timeout=longest,
                env={**os.environ, **(environment or {})},
                check=False,
            )
        except subprocess.TimeoutExpired:
            output.write("peers_suites: out of time\n")
            return False
    return done.returncode == 0


def last_words(log: Path) -> str:
    lines = [line for line in log.read_text(errors="replace").splitlines() if line.strip()]
    return " | ".join(lines[-3:])[:300]


@dataclass
class Programs:
    """Compiled programs of a peer, by suite, and the files beside their sources."""

    source: Path
    work: Path
    paths: dict[str, list[Path]] = field(default_factory=dict)

    def run(self, mode: str, environment: dict[str, str]) -> Outcome:
        """Runs them in order, each suite in a folder of its own."""
        outcome = Outcome()
        for suite, paths in self.paths.items():
            place = self.work / mode / suite
            shutil.copytree(self.source / suite, place, ignore=shutil.ignore_patterns("*.[cfFo]*"))
            for path in paths:
                self.run_one(path, place, mode, environment, outcome)
        return outcome

    def run_one(self, path: Path, place: Path, mode: str, environment, outcome: Outcome):
        name = f"{place.name}/{path.name}"
        report, log = place / f"{path.name}.report", place / f"{path.name}.log"
        environment = {"srcdir": str(place), **environment}
        command = [str(path)]
        if mode == "run":
            command = run_prefix(report) + command
        if mode == "drop-in":
            environment["FRAZIL_RUN_REPORT"] = str(report)
        started = time.monotonic()
        passed = execute(command, place, log, environment)
        seconds = time.monotonic() - started
        outcome.add_report(report)
        if passed:
            outcome.passed.add(name)
        else:
            outcome.failed[name] = f"{last_words(log)} ({seconds:.0f} s)"


def settings_of(config: str, *options: str) -> list[str]:
    """What `nc-config` or `nf-config` says."""
    said = subprocess.run([config, *options], capture_output=True, text=True, check=True)
    return said.stdout.split()


def compile_all(jobs: list[tuple[Path, list[str]]], log: Path) -> list[Path]:
    """Compiles programs; what cannot be compiled here is named, and left out."""

    def build(job) -> Path | None:
        program, command = job
        if program.exists():
            return program
        done = subprocess.run(command, capture_output=True, text=True, check=False)
        if done.returncode:
            with log.open("a") as file:
                file.write(f"{program.name}: {done.stderr}\n")
            print(f"not compiled here: {program.name} ({log})")
            return None
        return program

    with ThreadPoolExecutor(os.cpu_count()) as pool:
        return [program for program in pool.map(build, jobs) if program]


def netcdf_c(source: Path, work: Path, names: list[str], config: str) -> Programs:
    """netCDF-C's nc_test, nc_test4 and unit_test, against the library that `config` describes."""
    configured = work / "configured"
    if not configured.is_dir():
        # For config.h only.
        off = [
            f"-D{prefix}ENABLE_{it}=OFF" for prefix in ("", "NETCDF_") for it in ("DAP", "TESTS")
        ]
        command = ["cmake", source, *off]
        configured.mkdir(parents=True)
        if not execute(command, configured, work / "cmake.log"):
            said = (work / "cmake.log").read_text(errors="replace").splitlines()[-20:]
            sys.exit("\n".join([*said, f"{source} cannot be configured"]))
    flags = ["-O1", "-w", "-DUSE_NETCDF4", f"-DTOPSRCDIR={source}", f"-DTOPBINDIR={configured}"]
    flags += [f"-I{it}" for it in (configured, configured / "include", source / "include")]
    flags += [f"-I{source / it}" for it in ("oc2", "libsrc", "libdispatch", "libhdf5", "nc_test")]
    flags += [
        f"-include{configured / 'config.h'}",
        "-DHAVE_CONFIG_H",
        *settings_of(config, "--cflags"),
    ]
    # HDF5 is the installed library's, also beside the drop-in.
    flags += settings_of("nc-config", "--cflags")
    hdf5 = [it for it in settings_of("nc-config", "--libs") if it.startswith("-L")]
    found = settings_of(config, "--libs")
    paths = [f"-Wl,-rpath,{it[2:]}" for it in found if it.startswith("-L")]
    libraries = [*found, *paths, *hdf5, "-lhdf5_hl", "-lhdf5", "-lm"]
    programs = Programs(source, work)
    for suite in ("nc_test", "nc_test4", "unit_test"):
        built = work / config.replace("/", "+") / suite
        built.mkdir(parents=True, exist_ok=True)
        jobs = []
        for main in sorted((source / suite).glob("*.c"), key=order_of(source / suite)):
            has_main = re.search(r"^(int\s+)?main\s*\(", main.read_text(errors="replace"), re.M)
            wanted = not names or main.stem in names
            if not has_main or not wanted or LEFT_OUT.search(main.stem):
                continue
            parts = [main]
            if main.stem == "nc_test":
                others = ("error", "util", "test_get", "test_put", "test_read", "test_write")
                parts += [source / suite / f"{it}.c" for it in others]
            if main.stem in ("tst_exhash", "tst_xcache"):
                parts.append(source / suite / "timer_utils.c")
            command = ["cc", *flags, *map(str, parts), "-o", str(built / main.stem), *libraries]
            jobs.append((built / main.stem, command))
        programs.paths[suite] = compile_all(jobs, work / "compile.log")
    return programs


def netcdf_fortran(source: Path, work: Path, config: str) -> Programs:
    """netCDF-Fortran's programs, with its library in them, as its own makefiles build them."""
    built = work / config.replace("/", "+")
    found = settings_of(config, "--libs")
    paths = [f"-Wl,-rpath,{it[2:]}" for it in found if it.startswith("-L")]
    flags = "-g -O1 -w -fallow-argument-mismatch"
    environment = {
        "CPPFLAGS": " ".join(settings_of(config, "--cflags")),
        "LDFLAGS": " ".join([*(it for it in found if it.startswith("-L")), *paths]),
        **dict.fromkeys(("FC", "F77"), "gfortran"),
        **dict.fromkeys(("FCFLAGS", "FFLAGS"), flags),
    }
    configure = [str(source / "configure"), "--disable-shared"]
    # All that is to be tested, and no test.
    make = ["make", f"-j{os.cpu_count()}", "check", "TESTS="]
    built.mkdir(parents=True, exist_ok=True)
    for command in (configure, make):
        log = work / f"{Path(command[0]).name}.log"
        if not execute(command, built, log, environment):
            sys.exit(f"{source} cannot be built: see {log}")
    programs = Programs(source, work)
    for suite in ("nf_test", "nf_test4", "nf03_test", "nf03_test4"):
        order = order_of(source / suite, "Makefile.am")
        found = [it for it in (built / suite).iterdir() if it.is_file() and not it.suffix]
        found = [it for it in found if it.name != "Makefile" and not LEFT_OUT.search(it.name)]
        programs.paths[suite] = sorted(found, key=order)
    return programs


def order_of(folder: Path, listing: str = "CMakeLists.txt"):
    """Programs as a file of the folder names them: some read files of others."""
    listed = re.findall(r"\w+", (folder / listing).read_text())
    return lambda path: (listed.index(path.stem) if path.stem in listed else len(listed), path.stem)


def python_suite(source: Path, work: Path, words: list[str], mode: str) -> Outcome:
    """Tests of a Python package, by pytest: a folder, which is copied, or an installed file."""
    place = work / mode
    place.mkdir(parents=True)
    tests = source
    if source.is_dir() and not (source / "__init__.py").exists():
        shutil.copytree(source, place / "test", ignore=shutil.ignore_patterns("__pycache__"))
        tests, place = place / "test", place / "test"
    found, report, log = place / "junit.xml", place / "report", place / "log"
    command = [
        sys.executable,
        "-m",
        "pytest",
        "-q",
        "-p",
        "no:cacheprovider",
        f"--junitxml={found}",
        *(["-k", " or ".join(words)] if words else []),
    ]
    if mode == "run":
        command = run_prefix(report) + command
    execute([*command, str(tests)], place, log, longest=LONGEST_SUITE)
    outcome = Outcome()
    outcome.add_report(report)
    if not found.exists():
        sys.exit(f"pytest said nothing: see {log}")
    for case in ElementTree.parse(found).iter("testcase"):
        name = f"{case.get('classname')}.{case.get('name')}".replace(" ", "_")
        bad = [it for it in case if it.tag in ("failure", "error")]
        if bad:
            outcome.failed[name] = (bad[0].get("message") or "").replace("\n", " | ")[:300]
        elif not any(it.tag == "skipped" for it in case):
            outcome.passed.add(name)
    return outcome


def exceptions() -> dict[tuple[str, str], str]:
    """Tests that may fail in a mode, and why."""
    lines = [line for line in EXCEPTIONS.read_text().splitlines() if line and line[0] != "#"]
    rows = [line.split(maxsplit=2) for line in lines]
    return {(mode, name): why for mode, name, why in rows}


def judge(peer: str, outcomes: dict[str, Outcome]) -> bool:
    """Says what passed; false if something fails that passes plain and is not an exception."""
    plain, allowed, good = outcomes["plain"], exceptions(), True
    for mode, outcome in outcomes.items():
        print(f"{peer}, {mode}: {len(outcome.passed)} passed, {len(outcome.failed)} failed")
        if mode == "plain":
            for name, words in outcome.failed.items():
                print(f"  fails plain, so not looked at: {name}: {words}")
            continue
        written = outcome.fates.get("written", 0)
        print(f"  {outcome.written} bytes in {written} files by frazil; all files: {outcome.fates}")
        good &= written > 0
        for name, words in sorted(outcome.failed.items()):
            if name not in plain.passed:
                continue
            why = allowed.get((mode, name))
            good &= why is not None
            print(f"  {'as listed' if why else 'FAILS'}: {name}: {why or words}")
    return good


def main() -> int:
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("peer", choices=["netcdf-c", "netcdf-fortran", "python"])
    parser.add_argument("source", type=Path)
    parser.add_argument(
        "--only", nargs="+", default=[], metavar="NAME", help="these programs or classes alone"
    )
    parser.add_argument("--drop-in", type=Path, help="a tree that `make install-netcdf` made")
    parser.add_argument("--stock", type=Path, help="where the plain library is, if not installed")
    parser.add_argument("--work", type=Path, help="where to work, and to keep what was built")
    parser.add_argument("--modes", default="plain,run,drop-in")
    arguments = parser.parse_args()
    with tempfile.TemporaryDirectory(prefix="peers-suites-") as temporary:
        work = (arguments.work or Path(temporary)).absolute()
        work.mkdir(parents=True, exist_ok=True)
        modes = [
            mode for mode in arguments.modes.split(",") if mode != "drop-in" or arguments.drop_in
        ]
        source = arguments.source.absolute()
        for mode in modes:
            shutil.rmtree(work / mode, ignore_errors=True)

        def outcome(mode: str) -> Outcome:
            if arguments.peer == "python":
                return python_suite(source, work, arguments.only, mode)
            tree = arguments.drop_in if mode == "drop-in" else arguments.stock
            config = str(tree.absolute() / "bin/nc-config") if tree else "nc-config"
            if arguments.peer == "netcdf-fortran":
                return netcdf_fortran(source, work, config).run(mode, {})
            return netcdf_c(source, work, arguments.only, config).run(mode, {})

        outcomes = {mode: outcome(mode) for mode in modes}
        return 0 if judge(arguments.peer, outcomes) else 1


if __name__ == "__main__":
    sys.exit(main())
