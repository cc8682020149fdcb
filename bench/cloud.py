"""Reading over HTTP, 50 ms away, beside h5netcdf, kerchunk, Zarr and others; see README.md."""

import argparse
import json
import statistics
import subprocess
import sys
import time
import urllib.request
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

from options import is_ready, parsed
from peer_cloud import ENGINES, LIBRARIES
from record import CORPUS, FOLDER, FRAZIL, machine, result_path, save, show
from versions import package_versions

HERE = Path(__file__).parent
STEPS, QUICK_STEPS = 1560, 390
FILES = 20
LATENCY_MS, MB_PER_S = 50, 100
CASES = ("open", "map", "series", "full", "many files")
LAYOUTS = ("models", "buckets")
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
# The longest that one library may take for one case.
LIMIT_S = 300

# Of each layout: how many times as fast as a peer frazil is to be.
WANTED = {
    ("full", "h5netcdf, fsspec, blocks"): 5.0,
    ("full", "h5netcdf, fsspec, read-ahead"): 5.0,
    ("full", "Zarr, fsspec"): 1.0,
    ("full", "Zarr, obstore"): 1.0,
}
# Sequential rounds to open a file with a B-tree of three levels, and seconds of a map: two rounds
# and 20 %.
WANTED_ROUNDS = 4
WANTED_MAP_S = 1.2 * 2 * LATENCY_MS / 1e3
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


def asked(url: str, what: str) -> dict[str, int]:
    with urllib.request.urlopen(f"{url}/-/{what}", timeout=10) as answer:
        return json.load(answer)


def run(library: str, case: str, url: str, layout: str, steps: int) -> dict[str, float] | str:
    """Seconds and what the server counted; else why there is nothing."""
    asked(url, "reset")
    where = f"{url}/{layout}"
    command = [sys.executable, HERE / "peer_cloud.py", library, case, where, steps, FILES]
    words = [str(word) for word in command]
    try:
        done = subprocess.run(words, capture_output=True, text=True, timeout=LIMIT_S)
    except subprocess.TimeoutExpired:
        return f"took more than {LIMIT_S} s"
    if done.returncode != 0:
        return (done.stderr.strip().splitlines() or ["said nothing"])[-1][:150]
    return json.loads(done.stdout.splitlines()[-1]) | asked(url, "counts")


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
    if is_ours and case == "map" and layout == "buckets" and seconds > WANTED_MAP_S:
        missed = f"over {WANTED_MAP_S:.2f} s"
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


def read_all(folder: Path, steps: int, repeats: int, libraries: set[str]) -> list[dict]:
    truth = json.loads((folder / "truth.json").read_text())
    rows = []
    with served(folder) as url:
        point(folder, url)
        for layout in LAYOUTS:
            for case in CASES:
                some = ENGINES if case == "many files" else LIBRARIES
                times: dict[str, list[dict]] = {}
                for library in [one for one in some if one in libraries] * repeats:
                    answer = run(library, case, url, layout, steps)
                    if isinstance(answer, str):
                        print(f"{layout}, {case}, {library}: {answer}", flush=True)
                    elif answer["crc"] != truth[case]:
                        raise SystemExit(f"{library} reads wrong values: {layout}, {case}")
                    else:
                        times.setdefault(library, []).append(answer)
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
        medians = {
            name: statistics.median(seconds(work) for _ in range(repeats))
            for name, work in ways.items()
        }
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
