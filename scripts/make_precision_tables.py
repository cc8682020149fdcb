"""Writes the generated parts of docs/precision.md, or checks that they are current.

python scripts/make_precision_tables.py [--check]

What stands between `<!-- generated: NAME -->` and `<!-- end -->` is made here: the tables of pi and
the header by running the command on small files, the results from the benchmark's CSV file that the
document names. Without a built command (FRAZIL_BIN) only the results are looked at.
"""

import csv
import json
import math
import os
import re
import struct
import subprocess
import sys
import tempfile
from collections.abc import Callable, Iterable
from pathlib import Path

import netCDF4
import numpy as np
from generated import write_or_check

ROOT = Path(__file__).resolve().parent.parent
DOCUMENT = ROOT / "docs/precision.md"
FRAZIL = Path(os.environ.get("FRAZIL_BIN", ROOT / "target/release/frazil"))
SAMPLE = ROOT / "data/sample/squall_line_sample.nc"
PART = re.compile(
    r"(<!-- generated: (?P<name>[a-z0-9-]+)(?: from (?P<source>\S+))? -->\n).*?(<!-- end -->)",
    flags=re.DOTALL,
)

# Even and odd places hold pi; the ends give the linear grid its range, 1 to 5.
VALUES = [math.pi, math.pi, 1.0, 5.0]
KINDS = {"f4": ("float32", range(1, 7), 23), "f8": ("float64", range(1, 16), 52)}
LINEAR_BITS = (4, 8, 12, 16, 20, 24)

Rounded = dict[str, np.ndarray]


def rules(kind: str) -> dict[str, dict[str, object]]:
    """What is stated of each variable, by its name."""
    _, digits, most_bits = KINDS[kind]
    found: dict[str, dict[str, object]] = {}
    for n in digits:
        for algorithm in ("bitgroom", "granular_bitround"):
            found[f"{algorithm}_{n}"] = {"algorithm": algorithm, "significant_digits": n}
    for n in range(1, most_bits):
        found[f"bitround_{n}"] = {"algorithm": "bitround", "significant_bits": n}
    for n in LINEAR_BITS:
        found[f"linear_{n}"] = {"algorithm": "linear", "nbits": n}
    return found


def run(*words: object) -> str:
    command = [str(word) for word in words]
    return subprocess.run(command, check=True, capture_output=True, text=True).stdout


def rounded(kind: str, folder: Path) -> Rounded:
    """Pi, rounded by the command in every way."""
    source, packed, file = folder / "pi.nc", folder / "packed.nc", folder / "precision.toml"
    lines = []
    with netCDF4.Dataset(source, "w") as out:
        out.createDimension("place", len(VALUES))
        for name, stated in rules(kind).items():
            out.createVariable(name, kind, ("place",))[:] = np.array(VALUES, kind)
            lines += ["[[rule]]", f'variables = ["{name}"]']
            lines += [f"{key} = {json.dumps(value)}" for key, value in stated.items()]
    file.write_text("\n".join(lines) + "\n")
    # Attributes make such a small file larger; without --allow-larger it would be copied as it is.
    options = ["--precision", file, "--allow-larger", "--overwrite", "--quiet"]
    run(FRAZIL, "pack", source, "-o", packed, *options)
    with netCDF4.Dataset(packed) as found:
        return {name: found[name][:].data for name in rules(kind)}


def hexadecimal(value: np.floating) -> str:
    pattern = ">f" if value.dtype.itemsize == 4 else ">d"
    return struct.pack(pattern, value).hex()


def cell(value: np.floating) -> str:
    """Decimal digits that tell it from its neighbours, and its bits."""
    return f"{value!s} `{hexadecimal(value)}`"


def digits_table(kind: str, found: Rounded) -> Iterable[str]:
    name, digits, _ = KINDS[kind]
    yield f"| {name}, digits | BitGroom, even place | BitGroom, odd place | Granular BitRound |"
    yield "|---|---|---|---|"
    exact = np.array(math.pi, kind)[()]
    yield f"| exact | {cell(exact)} | {cell(exact)} | {cell(exact)} |"
    for n in digits:
        groomed, granular = found[f"bitgroom_{n}"], found[f"granular_bitround_{n}"]
        yield f"| {n} | {cell(groomed[0])} | {cell(groomed[1])} | {cell(granular[0])} |"


def bits_table(kind: str, found: Rounded) -> Iterable[str]:
    """One row for the numbers of bits that give the same value."""
    name, _, most_bits = KINDS[kind]
    yield f"| {name}, bits | BitRound |"
    yield "|---|---|"
    values = [(n, found[f"bitround_{n}"][0]) for n in range(1, most_bits)]
    first = 1
    for (n, value), following in zip(values, [*values[1:], (0, None)], strict=True):
        if value == following[1]:
            continue
        yield f"| {first if first == n else f'{first} to {n}'} | {cell(value)} |"
        first = n + 1
    yield f"| {most_bits}: all | {cell(np.array(math.pi, kind)[()])} |"


def linear_table(found: Rounded) -> Iterable[str]:
    yield "| float32, nbits | linear over 1 to 5 |"
    yield "|---|---|"
    for n in LINEAR_BITS:
        yield f"| {n} | {cell(found[f'linear_{n}'][0])} |"


def header(folder: Path) -> Iterable[str]:
    """What ncdump shows of a rounded variable and of the container."""
    packed = folder / "packed.nc"
    words = ("--digits", "T:3", "--abs-error", "W:0.01")
    run(FRAZIL, "pack", SAMPLE, "-o", packed, "--overwrite", "--quiet", *words)
    yield "```"
    yield "$ frazil pack input.nc -o packed.nc --digits T:3 --abs-error W:0.01"
    yield "$ ncdump -h packed.nc"
    for line in run("ncdump", "-h", packed).splitlines():
        if re.match(r"\s+(\w+ (T|W|quantization\w*)(\(| ;)|(T|W|quantization\w*):)", line):
            yield line.replace("\t", "    ")
    yield "```"


def results(source: str) -> Iterable[str]:
    """The benchmark's rows, one- and four-threaded runs side by side."""
    if not (ROOT / source).exists():
        yield "Not measured yet: `make bench-precision`."
        return
    with (ROOT / source).open(newline="") as file:
        lines = list(file)
    about = dict(line[2:].strip().split(": ", 1) for line in lines if line.startswith("# "))
    rows = list(csv.DictReader(line for line in lines if not line.startswith("#")))
    machine = f"{about['processor']}, {about['cores']} cores"
    yield f"{machine}, {about['frazil']}; medians of {about['repeats']}."
    for family in dict.fromkeys(row["family"] for row in rows):
        yield from family_table([row for row in rows if row["family"] == family])


def family_table(rows: list[dict[str, str]]) -> Iterable[str]:
    first = rows[0]
    size = int(first["input_bytes"]) / 1e6
    yield ""
    yield f"**{first['family']}** ({first['files']} file(s), {size:.1f} MB as they are)"
    yield ""
    yield (
        "| precision | compression | by | size, MB | of lossless | write, 1 thread "
        "| 4 threads | largest relative error | RMSE / std |"
    )
    yield "|---|---|---|---|---|---|---|---|---|"
    for row in rows:
        if row["threads"] == "4":
            continue
        same = ("precision", "compression", "contender")
        twin = [r for r in rows if r["threads"] == "4" and all(r[k] == row[k] for k in same)]
        four = f"{float(twin[0]['wall_s']):.2f} s" if twin else ""
        cells = (
            *(row["precision"], row["compression"], row["contender"]),
            f"{int(row['output_bytes']) / 1e6:.2f}",
            f"{100 * float(row['over_lossless_deflate']):.1f} %",
            f"{float(row['wall_s']):.2f} s",
            four,
            number(row["largest_relative_error"]),
            number(row["largest_rmse_over_std"]),
        )
        yield "| " + " | ".join(cells) + " |"


def number(text: str) -> str:
    return "0" if float(text) == 0 else f"{float(text):.1e}"


def parts_of_command(folder: Path) -> dict[str, list[str]]:
    """All parts that need the command; none where it is not built."""
    if not FRAZIL.exists():
        return {}
    single, double = rounded("f4", folder), rounded("f8", folder)
    return {
        "pi-digits-float32": list(digits_table("f4", single)),
        "pi-bits-float32": list(bits_table("f4", single)),
        "pi-linear": list(linear_table(single)),
        "pi-digits-float64": list(digits_table("f8", double)),
        "header": list(header(folder)),
    }


def replacer(parts: dict[str, list[str]]) -> Callable[[re.Match[str]], str]:
    def replace(match: re.Match[str]) -> str:
        source = match["source"]
        lines = list(results(source)) if source else parts.get(match["name"])
        if lines is None:
            if parts:
                raise SystemExit(f"{DOCUMENT.name}: nothing makes `{match['name']}`")
            return match[0]
        return match[1] + "\n".join(lines) + "\n" + match[4]

    return replace


def main() -> int:
    with tempfile.TemporaryDirectory() as folder:
        parts = parts_of_command(Path(folder))
    if not parts:
        print(f"{FRAZIL} is not built: only results are looked at", file=sys.stderr)
    return write_or_check({DOCUMENT: PART.sub(replacer(parts), DOCUMENT.read_text())})


if __name__ == "__main__":
    sys.exit(main())
