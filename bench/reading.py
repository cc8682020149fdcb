"""Reading with 1 and 4 threads, beside netCDF4, h5py, tensorstore and others; see README.md."""

import argparse
import json
import statistics
import subprocess
import sys
from dataclasses import dataclass, field
from pathlib import Path

from measure import Contender, cores, files_of, run_once, warm
from options import is_ready, parsed
from page_cache import drop
from read_patterns import PATTERNS, VARIABLE, key, shares, values_in
from record import CORPUS, FOLDER, machine, result_path, save, show
from versions import in_a_process, package_versions

STEPS, QUICK_STEPS = 1560, 390
THREADS = (1, 4)
CACHES = ("warm", "cold")
HERE = Path(__file__).parent
HDF5_READ = FOLDER / "read/hdf5_read"

OURS, OUR_XARRAY = "frazil", "xarray-frazil"
HDF5_LIBRARIES = ("netCDF4", "h5py", "h5netcdf", "HDF5", OURS)
XARRAY = ("xarray-netcdf4", "xarray-h5netcdf", OUR_XARRAY)
# By compression: file or store, and who reads it.
CASES: dict[str, list[tuple[str, tuple[str, ...]]]] = {
    "none": [
        ("none.nc", (*HDF5_LIBRARIES, "hidefix", *XARRAY, "xarray-hidefix")),
        ("none.zarr", ("zarr", "tensorstore")),
    ],
    "deflate": [
        ("deflate.nc", (*HDF5_LIBRARIES, "hidefix", *XARRAY, "xarray-hidefix")),
        ("shuffle-zlib.zarr", ("zarr",)),
        ("blosc-zlib.zarr", ("zarr", "tensorstore")),
    ],
    # hidefix knows no zstd.
    "zstd": [
        ("zstd.nc", (*HDF5_LIBRARIES, *XARRAY)),
        ("blosc2.nc", ("b2h5py",)),
        ("blosc-zstd.zarr", ("zarr", "tensorstore")),
    ],
}

# How many times as fast as a peer: compression, pattern (or any), threads, peer.
WANTED = {
    ("deflate", "full", 1, "netCDF4"): 1.8,
    ("deflate", "full", 1, "h5py"): 1.8,
    ("deflate", "full", 4, "netCDF4"): 5.0,
    ("deflate", "full", 4, "h5py"): 5.0,
    ("zstd", "", 1, "tensorstore"): 1.0,
    ("zstd", "", 4, "tensorstore"): 1.0,
}
WANTED_OF_ALL = 0.95


@dataclass
class Way:
    """One library, reading one file in one pattern."""

    library: str
    path: Path
    pattern: str
    steps: int
    threads: int
    plugins: str
    times: list[dict[str, float]] = field(default_factory=list)
    # Runs before which the page cache could not be emptied.
    not_cold: int = 0

    def command(self, _: Path) -> list[object]:
        if self.library == "HDF5":
            regions = map(key, shares(self.pattern, self.steps, self.threads))
            # It finds zstd where h5py does.
            plugins = f"HDF5_PLUGIN_PATH={self.plugins}"
            return ["env", plugins, HDF5_READ, self.path, VARIABLE, self.threads, *regions]
        script = HERE / "peer_read.py"
        numbers = (self.steps, self.threads)
        return [sys.executable, script, self.library, self.path, self.pattern, *numbers]

    def run(self, truth: dict[str, int]) -> None:
        def seconds(text: str) -> float:
            answer = json.loads(text.splitlines()[-1])
            if any(truth[region] != crc for region, crc in answer["crcs"].items()):
                raise SystemExit(f"{self.library} reads wrong values from {self.path}")
            self.times.append(answer)
            return answer["read_s"]

        contender = Contender(self.library, self.command, self.threads, seconds)
        run_once(contender, FOLDER / "read/no-output")

    def median(self, what: str) -> float:
        return statistics.median(times[what] for times in self.times)


def prepare(path: Path, cache: str) -> bool:
    """Whether the page cache is as it should be."""
    if cache == "cold":
        # Pages that are in use for a moment stay where they are.
        return any(all(map(drop, files_of(path))) for _ in range(3))
    for file in files_of(path):
        warm(file)
    return True


def ways_of(case: str, pattern: str, threads: int, setting: "Setting") -> list[Way]:
    return [
        Way(library, setting.folder / name, pattern, setting.steps, threads, setting.plugins)
        for name, libraries in CASES[case]
        for library in libraries
        if library in setting.libraries
    ]


@dataclass
class Setting:
    """What is read, by whom, how often."""

    folder: Path
    steps: int
    truth: dict[str, int]
    repeats: dict[str, int]
    libraries: set[str]
    plugins: str


def row(case: str, cache: str, way: Way, ours: dict[str, Way]) -> dict[str, object]:
    """A peer's row says how many times as fast frazil is: through xarray, beside xarray."""
    own = ours.get(OUR_XARRAY if way.library.startswith("xarray") else OURS)
    is_ours = way.library in (OURS, OUR_XARRAY)
    seconds = way.median("read_s")
    times = seconds / own.median("read_s") if own and not is_ours else None
    wanted = None
    if not is_ours:
        exact = WANTED.get((case, way.pattern, way.threads, way.library))
        of_all_patterns = WANTED.get((case, "", way.threads, way.library))
        wanted = exact or of_all_patterns or WANTED_OF_ALL
    megabytes = 4e-6 * sum(map(values_in, PATTERNS[way.pattern](way.steps)))
    return {
        "compression": case,
        "file": way.path.name,
        "pattern": way.pattern,
        "threads": way.threads,
        "cache": cache,
        "library": way.library,
        "runs": len(way.times),
        "not_cold": way.not_cold or "",
        "read_s": f"{seconds:.5f}",
        "min_s": f"{min(times['read_s'] for times in way.times):.5f}",
        "max_s": f"{max(times['read_s'] for times in way.times):.5f}",
        "open_s": f"{way.median('open_s'):.5f}",
        "cpu_s": f"{way.median('cpu_s'):.5f}",
        "mb_per_s": f"{megabytes / seconds:.3g}",
        "memory_mib": round(way.median("memory_kib") / 1024, 1),
        "frazil_times": round(times, 2) if times else "",
        "wanted_times": wanted if times else "",
        "missed": "speed" if times and wanted and times < wanted else "",
    }


COLUMNS = {
    "file": 19,
    "library": 17,
    "read_s": 10,
    "open_s": 10,
    "cpu_s": 10,
    "mb_per_s": 10,
    "memory_mib": 11,
    "frazil_times": 13,
    "wanted_times": 13,
}


def measure(case: str, pattern: str, setting: Setting) -> list[dict[str, object]]:
    rows = []
    for threads in THREADS:
        for cache in CACHES:
            ways = ways_of(case, pattern, threads, setting)
            for _ in range(setting.repeats[cache]):
                for way in ways:
                    way.not_cold += not prepare(way.path, cache)
                    with cores(threads):
                        way.run(setting.truth)
            ours = {way.library: way for way in ways if way.library in (OURS, OUR_XARRAY)}
            found = [row(case, cache, way, ours) for way in ways]
            print(f"\n{case}, {pattern}, {threads} threads, {cache}", flush=True)
            show(found, COLUMNS)
            rows += found
    return rows


def make_files(steps: int) -> Path:
    """In a process of its own (see `record.build_input`)."""
    folder = FOLDER / f"read/{steps}"
    if not folder.exists():
        print(f"building {folder.name} steps from real fields ...", flush=True)
        command = [sys.executable, HERE / "read_files.py", CORPUS, folder, str(steps)]
        subprocess.run(command, check=True)
    return folder


def compile_hdf5_read() -> dict[str, str]:
    """HDF5's own reader; its version."""

    # Beside a parallel HDF5, Debian's `hdf5` means that one.
    has_serial = subprocess.run(["pkg-config", "--exists", "hdf5-serial"]).returncode == 0
    package = "hdf5-serial" if has_serial else "hdf5"

    def ask(*options: str) -> str:
        return subprocess.check_output(["pkg-config", *options, package], text=True)

    source = HERE / "read/hdf5_read.c"
    command = ["gcc", "-std=c11", "-O2", "-fopenmp", source, "-o", HDF5_READ]
    subprocess.run([*command, *ask("--cflags", "--libs").split(), "-lz"], check=True)
    return {"HDF5": ask("--modversion").strip()}


def arguments() -> argparse.Namespace:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--cases", default=",".join(CASES))
    parser.add_argument("--patterns", default=",".join(PATTERNS))
    parser.add_argument("--libraries", default="", help="these only; all if left out")
    parser.add_argument("--cold-repeats", type=int, default=3)
    options = parsed(parser, repeats=5)
    if options.quick:
        options.cold_repeats = 1
    return options


def main() -> int:
    options = arguments()
    if not is_ready("gcc", "pkg-config"):
        return 2
    plugins = in_a_process("import hdf5plugin; print(hdf5plugin.PLUGIN_PATH)")
    every = {name for case in CASES.values() for _, names in case for name in names}
    wanted = set(options.libraries.split(",")) if options.libraries else every
    repeats = {"warm": options.repeats, "cold": options.cold_repeats}
    steps = QUICK_STEPS if options.quick else STEPS
    (FOLDER / "read").mkdir(parents=True, exist_ok=True)
    hdf5 = compile_hdf5_read()
    folder = make_files(steps)
    truth = json.loads((folder / "truth.json").read_text())
    setting = Setting(folder, steps, truth, repeats, wanted, plugins)
    about = machine(**package_versions(), **hdf5)
    rows = []
    for case in options.cases.split(","):
        for pattern in options.patterns.split(","):
            rows += measure(case, pattern, setting)
        not_cold = sum(1 for one in rows if one["not_cold"])
        about["page_cache"] = f"could not be emptied before all runs in {not_cold} rows"
        if not options.quick:
            save(result_path(about, "read-"), about, rows)
    print(f"page cache: {about['page_cache']}")
    return 0


if __name__ == "__main__":
    sys.exit(main())
