"""Reading over HTTP, 50 ms away, beside h5netcdf, kerchunk, Zarr and others; see README.md."""

import argparse
import json
import statistics
import subprocess
import sys
import time
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

from options import is_ready, parsed
from peer_cloud import ENGINES, FLOOR, LIBRARIES
from record import CORPUS, FOLDER, FRAZIL, machine, result_path, save, show
from versions import package_versions

HERE = Path(__file__).parent
STEPS, QUICK_STEPS = 780, 390
FILES = 20
LATENCY_MS, MB_PER_S = 50, 100
CASES = ("open", "map", "series", "full", "many files")
LAYOUTS = ("models", "buckets", "maps")
WIDTHS = {
    "layout": 9,
    "case": 12,
    "library": 30,
    "seconds": 9,
    "requests": 10,
    "rounds": 8,
    "mb": 9,
    "frazil_times": 14,
}
# The longest that one library may take for one case; what takes long is run once.
LIMIT_S, LONG_S = 90, 10

# Of each layout: how many times as fast as a peer frazil is to be.
WANTED = {
    ("full", "h5netcdf, fsspec, blocks"): 5.0,
    ("full", "h5netcdf, fsspec, read-ahead"): 5.0,
    ("full", "Zarr, fsspec"): 1.0,
    ("full", "Zarr, obstore"): 1.0,
}
# Sequential rounds to open a file with a B-tree of three levels.
WANTED_ROUNDS = 4
# A map, beside the two rounds of requests that it needs where metadata are at the file's begin.
WANTED_FLOOR = 1 / 1.2
# kerchunk's time for references, beside ours.
WANTED_REFERENCES = 30.0


def build(steps: int) -> Path:
    folder = FOLDER / f"cloud-{steps}"
    if not folder.exists():
        print(f"building {folder.name} from real fields ...", flush=True)
        numbers = (steps, FILES, FRAZIL)
        command = [sys.executable, HERE / "cloud_files.py", CORPUS, folder, *numbers]
        subprocess.run([str(word) for word in command], check=True)
    return folder


@contextmanager
def served(folder: Path) -> Iterator[str]:
    """The files of a folder at a URL."""
    command = [sys.executable, HERE / "cloud_server.py", folder, LATENCY_MS, MB_PER_S]
    words = [str(word) for word in command]
    with subprocess.Popen(words, stdout=subprocess.PIPE, text=True) as server:
        try:
            yield f"http://127.0.0.1:{int(server.stdout.readline())}"
        finally:
            server.terminate()


def point(folder: Path, url: str) -> None:
    """References lead to where the files are now."""
    for path in sorted(folder.glob("*/**/*.nc.*json")):
        references = json.loads(path.read_text())
        name = path.relative_to(folder).as_posix().split(".nc.")[0]
        for value in references["refs"].values():
            if isinstance(value, list):
                value[0] = f"{url}/{name}.nc"
        path.write_text(json.dumps(references))


def run(library: str, case: str, url: str, layout: str, steps: int) -> dict[str, float] | str:
    """Seconds and what the server counted; else why there is nothing."""
    where = f"{url}/{layout}"
    command = [sys.executable, HERE / "peer_cloud.py", library, case, where, steps, FILES]
    words = [str(word) for word in command]
    try:
        done = subprocess.run(words, capture_output=True, text=True, timeout=LIMIT_S)
    except subprocess.TimeoutExpired:
        return f"took more than {LIMIT_S} s"
    if done.returncode != 0:
        return (done.stderr.strip().splitlines() or ["said nothing"])[-1][:150]
    return json.loads(done.stdout.splitlines()[-1])


def row(key: tuple[str, str, str], times: list[dict], ours: float | None) -> dict[str, object]:
    layout, case, library = key
    seconds = statistics.median(one["seconds"] for one in times)
    last = times[-1]
    is_ours = library == "frazil"
    ratio = None if is_ours or not ours else seconds / ours
    wanted = WANTED.get((case, library))
    missed = ""
    if is_ours and case == "open" and last["rounds"] > WANTED_ROUNDS:
        missed = f"rounds over {WANTED_ROUNDS}"
    if ratio is not None and library == FLOOR and layout != "models" and ratio < WANTED_FLOOR:
        missed = f"under {WANTED_FLOOR:.2f}"
    if ratio is not None and wanted and ratio < wanted:
        missed = f"under {wanted:g}"
    return {
        "layout": layout,
        "case": case,
        "library": library,
        "seconds": f"{seconds:.3f}",
        **{name: last[name] for name in ("requests", "rounds")},
        "mb": f"{last['bytes'] / 1e6:.2f}",
        "frazil_times": "" if ratio is None else f"{ratio:.2f}",
        "missed": missed,
    }


def in_turns(
    key: tuple[str, str], url: str, steps: int, repeats: int, libraries: set[str], truth: int
) -> dict[str, list[dict]]:
    """What each library took, one after the other and again."""
    layout, case = key
    some = list(ENGINES if case == "many files" else LIBRARIES)
    left = [one for one in some if one in libraries]
    if case == "map":
        left.append(FLOOR)
    times: dict[str, list[dict]] = {}
    for _ in range(repeats):
        for library in list(left):
            answer = run(library, case, url, layout, steps)
            if isinstance(answer, str):
                print(f"{layout}, {case}, {library}: {answer}", flush=True)
                left.remove(library)
                continue
            if answer["crc"] != truth and library != FLOOR:
                raise SystemExit(f"{library} reads wrong values: {layout}, {case}")
            times.setdefault(library, []).append(answer)
            if answer["seconds"] > LONG_S:
                left.remove(library)
    return times


def read_all(folder: Path, steps: int, repeats: int, libraries: set[str]) -> list[dict]:
    truth = json.loads((folder / "truth.json").read_text())
    rows = []
    with served(folder) as url:
        point(folder, url)
        for layout in LAYOUTS:
            for case in CASES:
                times = in_turns((layout, case), url, steps, repeats, libraries, truth[case])
                ours = times.get("frazil")
                own = statistics.median(one["seconds"] for one in ours) if ours else None
                keys = [(layout, case, library) for library in times]
                rows += [row(key, times[key[2]], own) for key in keys]
    return rows


def described(layout: str, library: str, seconds: float, times: float | None) -> dict[str, object]:
    return {
        "layout": layout,
        "case": "references",
        "library": library,
        "seconds": f"{seconds:.4f}",
        **dict.fromkeys(("requests", "rounds", "mb"), ""),
        "frazil_times": "" if times is None else f"{times:.1f}",
        "missed": f"under {WANTED_REFERENCES:g}" if times and times < WANTED_REFERENCES else "",
    }


def describe(folder: Path, repeats: int) -> list[dict]:
    """The time that references of the local file take, beside kerchunk."""
    import frazil
    from kerchunk.hdf import SingleHdf5ToZarr

    def seconds(work) -> float:
        begin = time.perf_counter()
        work()
        return time.perf_counter() - begin

    rows = []
    for layout in LAYOUTS:
        path = str(folder / layout / "file.nc")
        ways = {
            "frazil": lambda path=path: frazil.refs(path),
            "kerchunk": lambda path=path: SingleHdf5ToZarr(path, url=path).translate(),
        }
        measured: dict[str, list[float]] = {name: [] for name in ways}
        # The first turn is for imports, and for the file to be in memory.
        for turn in range(repeats + 1):
            for name, work in ways.items():
                took = seconds(work)
                measured[name] += [took] if turn else []
        medians = {name: statistics.median(all_of) for name, all_of in measured.items()}
        times = medians["kerchunk"] / medians["frazil"]
        rows.append(described(layout, "frazil", medians["frazil"], None))
        rows.append(described(layout, "kerchunk", medians["kerchunk"], times))
    return rows


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--libraries", help="some of them, separated by semicolons")
    options = parsed(parser, 3)
    if not is_ready(FRAZIL):
        raise SystemExit(2)
    names = ("h5netcdf", "fsspec", "aiohttp", "kerchunk", "virtualizarr", "zarr", "obstore")
    about = machine(**package_versions((*names, "xarray", "netCDF4", "h5py")))
    about["link"] = f"{LATENCY_MS} ms a request, {MB_PER_S} MB/s a connection, loopback"
    steps = QUICK_STEPS if options.quick else STEPS
    folder = build(steps)
    libraries = set(options.libraries.split(";")) if options.libraries else set(LIBRARIES)
    rows = describe(folder, max(options.repeats, 3))
    rows += read_all(folder, steps, options.repeats, libraries)
    show(rows, WIDTHS)
    if not options.quick:
        save(result_path(about, "cloud-"), about, rows)


if __name__ == "__main__":
    main()
