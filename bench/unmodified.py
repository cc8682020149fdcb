"""Programs that write with the system's netCDF: alone, under `frazil run`, and linked with the
drop-in netCDF; see README.md."""

import argparse
import os
import resource
import shlex
import statistics
import subprocess
import sys
import time
from dataclasses import dataclass, field
from pathlib import Path

import netCDF4
import numpy as np
from inputs import mixtures, real_frames
from options import is_ready, parsed
from record import CORPUS, FOLDER, FRAZIL, machine, result_path, save, show, version_of
from write_fields import ERA

HERE = Path(__file__).parent / "unmodified"
PLACE = FOLDER / "unmodified"
RECORDS, QUICK_RECORDS, Y, X = 100, 20, 512, 1024
WORK_MS = 20
# A case gets no further turn once its turns took so long together.
ENOUGH_S = 90

PLAIN, ENGINE, CODEC, DROP_IN = "plain", "frazil run", "--level codec", "drop-in netCDF"
RUN = [FRAZIL, "run", "-q"]
UNDER = {ENGINE: [*RUN, "--"], CODEC: [*RUN, "--level", "codec", "--"]}
# Seconds over those of the plain program: in its calls if it computes between them, else in all.
WANTED_IN_CALLS, WANTED_WHOLE = 0.25, 1.03
COLUMNS = {
    "case": 32,
    "way": 16,
    "runs": 6,
    "wall_s": 9,
    "cpu_s": 9,
    "in_calls_s": 12,
    "over_plain": 12,
    "output_mb": 11,
}
XARRAY = f"""
import sys, numpy, xarray
values = numpy.fromfile(sys.argv[1], "<f4").reshape(-1, {Y}, {X})
dataset = xarray.Dataset({{"v": (("time", "y", "x"), values)}})
encoding = {{"v": {{"zlib": True, "complevel": 4, "shuffle": True}}}}
dataset.to_netcdf(sys.argv[2], encoding=encoding, engine="netcdf4", unlimited_dims=["time"])
"""


@dataclass
class Case:
    """A program and its arguments, without the output.

    One of this folder is compiled with the netCDF of each way. It prints the seconds in its calls.
    """

    name: str
    program: str
    arguments: list[object]
    is_ours: bool = True
    computes: bool = False

    def ways(self, drop_in: Path | None) -> list[str]:
        is_linked = self.is_ours and drop_in is not None
        return [PLAIN, ENGINE, CODEC, *([DROP_IN] if is_linked else [])]

    def command(self, way: str, output: Path) -> list[str]:
        words: list[object] = [*self.program.split(), *self.arguments, output]
        if self.is_ours:
            words = [built_path(self.program, way), output, *self.arguments]
        return [str(word) for word in [*UNDER.get(way, []), *words]]


@dataclass
class Timed:
    """What the runs of one case in one way took."""

    walls: list[float] = field(default_factory=list)
    cpus: list[float] = field(default_factory=list)
    in_calls: list[float] = field(default_factory=list)
    output_bytes: int = 0

    def run(self, case: Case, way: str, output: Path) -> None:
        output.unlink(missing_ok=True)
        before, began = cpu_seconds(), time.perf_counter()
        done = subprocess.run(case.command(way, output), capture_output=True, text=True)
        self.walls.append(time.perf_counter() - began)
        self.cpus.append(cpu_seconds() - before)
        if done.returncode != 0:
            raise SystemExit(f"{case.name}, {way}: {done.returncode}\n{done.stderr[-2000:]}")
        if case.is_ours:
            self.in_calls.append(float(done.stdout.split()[-1]))
        self.output_bytes = output.stat().st_size


def cpu_seconds() -> float:
    """Of all programs that have ended."""
    used = resource.getrusage(resource.RUSAGE_CHILDREN)
    return used.ru_utime + used.ru_stime


def make_fields(records: int) -> Path:
    """Records of 4 x 4 mixtures of real maps: raw values, and beside them an uncompressed file."""
    path = PLACE / f"fields-{records}.bin"
    if path.exists():
        return path
    frames, _ = real_frames(CORPUS / ERA, "u")
    maps = (one[:128, :256] for one in mixtures(frames, records * 16, None))
    with path.open("wb") as file, netCDF4.Dataset(path.with_suffix(".nc"), "w") as copy:
        for name, length in (("time", None), ("y", Y), ("x", X)):
            copy.createDimension(name, length)
        v = copy.createVariable("v", "f4", ("time", "y", "x"), chunksizes=(1, Y, X))
        for record in range(records):
            values = np.vstack([np.hstack([next(maps) for _ in range(4)]) for _ in range(4)])
            v[record] = values
            values.astype("<f4").tofile(file)
    return path


def built_path(program: str, way: str) -> Path:
    return PLACE / f"{program}-{'drop-in' if way == DROP_IN else 'plain'}"


def build(way: str, prefix: Path | None) -> None:
    """Compiles the programs of this folder with a netCDF, the system's without a prefix."""

    def asked(config: str, *questions: str) -> list[str]:
        name = str(prefix / "bin" / config) if prefix else config
        done = subprocess.run([name, *questions], capture_output=True, text=True, check=True)
        return shlex.split(done.stdout)

    for source, compiler, flags in (
        ("puts.c", "cc", asked("nc-config", "--cflags", "--libs")),
        (
            "model.F90",
            "gfortran",
            [*asked("nf-config", "--fflags"), *asked("nf-config", "--flibs")],
        ),
    ):
        output = str(built_path(source.split(".")[0], way))
        subprocess.run([compiler, "-O2", str(HERE / source), "-o", output, *flags], check=True)


def cases_of(fields: Path, records: int) -> list[Case]:
    shape: list[object] = [fields, records, Y, X]
    file = fields.with_suffix(".nc")
    script = PLACE / "to_netcdf.py"
    script.write_text(XARRAY)
    parts = [1, Y // 2, X // 2]
    work = f"{WORK_MS} ms of work"
    return [
        Case("C, chunks divide each record", "puts", [*shape, 0, *parts]),
        Case(f"C, the same, {work}", "puts", [*shape, WORK_MS, *parts], computes=True),
        Case("C, chunks of the library", "puts", [*shape, 0]),
        Case("C, chunks of 10 x 256 x 256", "puts", [*shape, 0, 10, 256, 256]),
        Case(f"Fortran, {work}", "model", [*shape, WORK_MS], computes=True),
        Case("ncks -L 4", "ncks -O -L 4", [file], is_ours=False),
        Case("cdo -z zip_4", "cdo -s -z zip_4 copy", [file], is_ours=False),
        Case("xarray, to_netcdf", f"{sys.executable} {script}", [fields], is_ours=False),
    ]


def is_equal(one: Path, other: Path) -> bool:
    with netCDF4.Dataset(one) as first, netCDF4.Dataset(other) as second:
        first.set_auto_mask(False)
        second.set_auto_mask(False)
        return np.array_equal(first["v"][...], second["v"][...])


def measure(case: Case, ways: list[str], repeats: int) -> list[dict[str, object]]:
    """Runs the ways in turns; the values of each are compared with those of the plain program."""
    found = {way: Timed() for way in ways}
    outputs = {way: PLACE / f"output-{i}.nc" for i, way in enumerate(ways)}
    began = time.perf_counter()
    for turn in range(repeats):
        if time.perf_counter() - began > ENOUGH_S:
            break
        os.sync()
        for way, timed in found.items():
            timed.run(case, way, outputs[way])
            print(f"  {case.name:32} {way:16} {timed.walls[-1]:8.2f} s", flush=True)
            if turn == 0 and not is_equal(outputs[way], outputs[PLAIN]):
                raise SystemExit(f"{case.name}: {way} wrote other values")
    for output in outputs.values():
        output.unlink()
    return [row_of(case, way, timed, found[PLAIN]) for way, timed in found.items()]


def row_of(case: Case, way: str, timed: Timed, plain: Timed) -> dict[str, object]:
    def cost(of: Timed) -> float:
        return statistics.median(of.in_calls if case.computes else of.walls)

    over = cost(timed) / cost(plain)
    hides_work = case.computes and way != CODEC
    missed = way != PLAIN and over > (WANTED_IN_CALLS if hides_work else WANTED_WHOLE)
    in_calls = round(statistics.median(timed.in_calls), 3) if case.is_ours else ""
    return {
        "case": case.name,
        "way": way,
        "runs": len(timed.walls),
        "wall_s": round(statistics.median(timed.walls), 3),
        "cpu_s": round(statistics.median(timed.cpus), 3),
        "in_calls_s": in_calls,
        "over_plain": round(over, 3),
        "output_mb": round(timed.output_bytes / 1e6, 1),
        "missed": "speed" if missed else "",
    }


def main() -> int:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--drop-in", type=Path, help="a tree for C and Fortran")
    parser.add_argument("--only", default="", metavar="WORD", help="cases with this in their name")
    options = parsed(parser, repeats=5)
    if not is_ready("cc", "gfortran", "nc-config", "nf-config", "ncks", "cdo"):
        return 1
    PLACE.mkdir(parents=True, exist_ok=True)
    build(PLAIN, None)
    if options.drop_in:
        build(DROP_IN, options.drop_in)
    records = QUICK_RECORDS if options.quick else RECORDS
    cases = [one for one in cases_of(make_fields(records), records) if options.only in one.name]
    about = machine(
        netcdf_c=version_of("nc-config", "--version"),
        nco=version_of("ncks", "--version").split(" built by ")[0],
        cdo=version_of("cdo", "--version"),
        netCDF4=netCDF4.__version__,
    )
    rows = []
    for case in cases:
        rows += measure(case, case.ways(options.drop_in), options.repeats)
    show(rows, COLUMNS)
    about["load_at_end"] = f"{os.getloadavg()[0]:.2f}"
    if not options.quick:
        save(result_path(about, "unmodified-"), about, rows)
    return 0


if __name__ == "__main__":
    sys.exit(main())
