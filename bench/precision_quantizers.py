"""GB/s per core of each quantizer, beside netCDF-C and NCO."""

import json
import shutil
import subprocess
import sys
from dataclasses import dataclass
from pathlib import Path

from inputs import ROUNDING_BYTES
from measure import Contender, take_turns, warm
from record import FOLDER, FRAZIL, FRAZIL_BENCH, build_input, show

# GB/s per core.
WANTED = {"bitround": 2.0, "granular_bitround": 1.0}
ELEMENTS = {"f4": "float32", "f8": "float64"}


@dataclass
class Quantizer:
    """One algorithm, and how each tool is asked for it."""

    name: str
    setting: str
    frazil: tuple[str, ...]
    # NCO's `--baa` (bit adjustment algorithm) and its precision.
    nco: tuple[int, int]


QUANTIZERS = [
    Quantizer("bitround", "9 bits", ("--bits", "9"), (8, 9)),
    Quantizer("granular_bitround", "3 digits", ("--digits", "3"), (4, 3)),
    Quantizer("bitgroom", "3 digits", ("--digits", "3", "--quantizer", "bitgroom"), (0, 3)),
]


def kernels(repeats: int) -> dict[tuple[str, str], float]:
    """GB/s of frazil's kernels, by algorithm and element type; the first setting of each."""
    command = [FRAZIL_BENCH, "quantize", "--json", "--repeats", str(repeats)]
    answer = json.loads(subprocess.run(command, check=True, capture_output=True).stdout)
    found: dict[tuple[str, str], float] = {}
    for row in answer["kernels"]:
        key = (row["kernel"], row["element"])
        found.setdefault(key, row["gigabytes_per_second"])
    return found


def netcdf(kind: str, repeats: int) -> dict[str, float]:
    """GB/s of netCDF-C's quantization over a plain write."""
    script = Path(__file__).with_name("peer_netcdf.py")
    command = [sys.executable, script, kind, str(repeats), FOLDER]
    answer = json.loads(subprocess.run(command, check=True, capture_output=True).stdout)
    seconds = answer["seconds"]
    return {
        one.name: speed(seconds[one.name] - seconds["plain"], answer["bytes"]) for one in QUANTIZERS
    }


def speed(seconds: float, size: int = ROUNDING_BYTES) -> float:
    """GB/s; what is too fast to be told from the plain job counts as a microsecond."""
    return size / max(seconds, 1e-6) / 1e9


def commands(source: Path, repeats: int) -> dict[tuple[str, str], float]:
    """GB/s of whole commands over the same command without rounding, by contender and algorithm."""
    pack = (FRAZIL, "pack", source, "--quiet", "--level", 0, "--keep-chunks", "--threads", 1)
    plain = {"frazil pack": Contender("frazil pack", lambda out: [*pack, "-o", out])}
    rounding = {
        ("frazil pack", one.name): Contender(
            f"frazil pack, {one.name}", lambda out, one=one: [*pack, *one.frazil, "-o", out]
        )
        for one in QUANTIZERS
    }
    if shutil.which("ncks"):
        copy = ("ncks", "-O", "-h")
        plain["NCO"] = Contender("ncks", lambda out: [*copy, source, out])
        for one in QUANTIZERS:
            algorithm, precision = one.nco
            words = (*copy, f"--baa={algorithm}", "--ppc", f"default={precision}")
            rounding["NCO", one.name] = Contender(
                f"ncks, {one.name}", lambda out, words=words: [*words, source, out]
            )
    warm(source)
    take_turns([*plain.values(), *rounding.values()], repeats, FOLDER, lambda _: None)
    return {
        (tool, name): speed(one.user - plain[tool].user) for (tool, name), one in rounding.items()
    }


COLUMNS = {
    "quantizer": 20,
    "setting": 22,
    "element": 9,
    "contender": 40,
    "gb_per_s": 10,
    "cpu_s_per_gb": 14,
    "frazil_times": 14,
    "wanted_gb_per_s": 17,
}


def row(quantizer: str, setting: str, element: str, contender: str, gb_per_s: float) -> dict:
    wanted = WANTED.get(quantizer) if contender == KERNEL else None
    return {
        "quantizer": quantizer,
        "setting": setting,
        "element": element,
        "contender": contender,
        "gb_per_s": round(gb_per_s, 3),
        "cpu_s_per_gb": round(1 / gb_per_s, 3),
        "frazil_times": "",
        "wanted_gb_per_s": wanted or "",
        "missed": "speed" if wanted and gb_per_s < wanted else "",
    }


KERNEL = "frazil, kernel"
# All three are what rounding itself costs; the kernel has its values in cache.
PEERS = ("netCDF-C, over a plain write", "NCO, over ncks")


def measure(repeats: int) -> list[dict]:
    """All rows."""
    print("\nquantizers, GB/s on one core")
    rows = []
    ours = kernels(repeats)
    for kind, element in ELEMENTS.items():
        library = netcdf(kind, repeats)
        whole = commands(build_input(f"rounding_{kind}"), repeats)
        for one in QUANTIZERS:
            common = (one.name, one.setting, element)
            found = [row(*common, KERNEL, ours[one.name, element])]
            found.append(row(*common, "netCDF-C, over a plain write", library[one.name]))
            found += [
                row(*common, f"{tool}, over {'ncks' if tool == 'NCO' else tool}", gb_per_s)
                for (tool, name), gb_per_s in whole.items()
                if name == one.name
            ]
            rows += compare(found)
        others = [name for name, of in ours if of == element and name not in library]
        rows += [row(name, "", element, KERNEL, ours[name, element]) for name in others]
    show(rows, COLUMNS)
    return rows


def compare(rows: list[dict]) -> list[dict]:
    """Says beside each peer how many times as fast frazil's kernel is."""
    ours = next(one["gb_per_s"] for one in rows if one["contender"] == KERNEL)
    for one in rows:
        if one["contender"] in PEERS:
            one["frazil_times"] = round(ours / one["gb_per_s"], 2)
    return rows
