"""Packed files open with the same values in jHDF, a reader in pure Java: no libhdf5 is involved."""

import json
import math
import os
import re
import shutil
import subprocess
import zlib
from collections import defaultdict
from collections.abc import Callable
from contextlib import suppress
from dataclasses import dataclass, field
from pathlib import Path
from urllib.parse import unquote_plus

import h5py
import netCDF4
import numpy as np
import pytest
from h5py import h5t
from support.command import ROOT, SAMPLE, pack, tool
from support.data import CORPUS, corpus_files, kind
from support.h5_compare import never_written

pytestmark = pytest.mark.sampled(one_in=6)

JAVA = Path(__file__).with_name("java")
BUILD = ROOT / ".build/java"
PLUGIN = "org.apache.maven.plugins:maven-dependency-plugin"
UNREACHABLE = re.compile(r"could not be resolved|could not (resolve|transfer)|offline mode", re.I)

# One file in so many of each folder of the corpus.
STEP = 5

Record = Callable[[str, object], None]
# Shape and CRC-32 of the elements as little-endian bytes.
Values = tuple[tuple[int, ...], int]


@dataclass
class Answers:
    """What jHDF says of one file."""

    values: dict[str, Values] = field(default_factory=dict)
    unstored: dict[str, tuple[int, ...]] = field(default_factory=dict)
    unread: dict[str, str] = field(default_factory=dict)
    other: int = 0

    def why(self, name: str) -> str:
        """Why there are no values of this dataset."""
        return self.unread.get(name) or f"not found ({self.unread})"


@pytest.fixture(scope="module")
def jars() -> Path:
    """The folder of jHDF and what it needs, fetched once; skips where it cannot be had."""
    for word in ("java", "mvn"):
        if shutil.which(word) is None:
            pytest.skip(f"{word} is not installed, so that jHDF cannot be run")
    pom, stamp = JAVA / "pom.xml", BUILD / "pom.xml"
    if stamp.exists() and stamp.read_bytes() == pom.read_bytes():
        return BUILD / "lib"
    shutil.rmtree(BUILD, ignore_errors=True)
    offline = ["--offline"] if os.environ.get("OFFLINE") == "1" else []
    goal = (f"{PLUGIN}:copy-dependencies", f"-DoutputDirectory={BUILD / 'lib'}")
    answer = tool("mvn", "--batch-mode", "--quiet", *offline, "--file", pom, *goal)
    text = (answer.stdout + answer.stderr).decode(errors="replace")
    if answer.returncode != 0 and UNREACHABLE.search(text):
        pytest.skip(f"jHDF cannot be downloaded: {text[:400]}")
    assert answer.returncode == 0, text
    shutil.copyfile(pom, stamp)
    return BUILD / "lib"


def test_jhdf_reads_the_same_values(jars: Path, tmp_path: Path, record_property: Record):
    pairs = [(SAMPLE, tmp_path / "sample.nc"), (SAMPLE, tmp_path / "sample_checksum.nc")]
    pack(*pairs[0])
    pack(*pairs[1], "--checksum", "--keep-chunks", "--level", 9)
    for number, source in enumerate(corpus_choice()):
        pairs.append((source, tmp_path / f"{number}.nc"))
        pack(*pairs[-1])
    answers = read_with_jhdf(jars, {path for pair in pairs for path in pair})
    for _, packed in pairs[:2]:
        assert "T" in answers[packed].values and answers[packed].unread == {}
    wrong: list[str] = []
    for source, packed in pairs:
        found = compare(source, packed, answers, record_property)
        wrong += [f"{source.name}: {what}" for what in found]
    assert wrong == []


def corpus_choice() -> list[Path]:
    """Files of every folder of the corpus; none where there is no corpus."""
    families: dict[str, list[Path]] = defaultdict(list)
    for path in corpus_files():
        families[path.relative_to(CORPUS).parts[0]].append(path)
    return [path for _, family in sorted(families.items()) for path in family[::STEP]]


def read_with_jhdf(jars: Path, paths: set[Path]) -> dict[Path, Answers]:
    files = sorted(path for path in paths if kind(path) == "hdf5")
    program = ("java", "-cp", f"{jars}/*", JAVA / "JhdfChecksums.java")
    listing = "".join(f"{path}\n" for path in files)
    answer = subprocess.run(program, input=listing.encode(), capture_output=True, timeout=300)
    assert answer.returncode == 0, answer.stderr.decode(errors="replace")
    answers = {path: Answers() for path in files}
    for line in answer.stdout.decode().splitlines():
        number, name, word, what = line.split("\t")
        found, name = answers[files[int(number)]], unquote_plus(name).removeprefix("/")
        if word == "values":
            shape, checksum = what.split(" ")
            found.values[name] = (tuple(json.loads(shape)), int(checksum))
        elif word == "unstored":
            found.unstored[name] = tuple(json.loads(what))
        elif word == "unread":
            found.unread[name] = what
        else:
            found.other += 1
    return answers


def compare(source: Path, packed: Path, answers: dict[Path, Answers], record: Record) -> list[str]:
    """Datasets whose values became others, or that jHDF reads otherwise than h5py, or not at all.

    Not judged is what jHDF cannot read in the input either; there is no such excuse for classic
    inputs.
    """
    found, original = answers[packed], answers.get(source)
    before, after, gaps = input_values(source), h5py_values(packed), with_gaps(packed)
    wrong = [
        f"{name}: input {before[name]}, output {values}"
        for name, values in after.items()
        if before.get(name, values) != values
    ]
    for name, values in after.items():
        if name in gaps:
            record("corpus", "datasets left out under jHDF, which does not know fill values")
        elif name in found.unstored:
            record("corpus", "datasets without stored elements under jHDF")
            if found.unstored[name] != values[0]:
                wrong.append(f"{name}: jHDF shape {found.unstored[name]}, h5py {values[0]}")
        elif name in found.values:
            record("corpus", "datasets equal under jHDF")
            if found.values[name] != values:
                wrong.append(f"{name}: jHDF {found.values[name]}, h5py {values}")
        elif original is None or name in original.values:
            wrong.append(f"{name}: {found.why(name)}")
        else:
            record("corpus", "datasets not judged by jHDF, which does not read the input's")
    for _ in range(found.other):
        record("corpus", "datasets left out under jHDF: strings, compounds and the like")
    return wrong


def input_values(path: Path) -> dict[str, Values]:
    if kind(path) == "hdf5":
        ignored = never_written(path)
        return {name: one for name, one in h5py_values(path).items() if name not in ignored}
    with netCDF4.Dataset(path) as file:
        file.set_auto_maskandscale(False)
        file.set_auto_chartostring(False)
        return {stored_name(one): summary(one[...]) for one in file.variables.values()}


def stored_name(variable: netCDF4.Variable) -> str:
    """As netCDF-4 stores it: a dimension of the same name that it does not describe comes first."""
    name, group = variable.name, variable.group()
    if name in group.dimensions and variable.dimensions[:1] != (name,):
        return f"_nc4_non_coord_{name}"
    return name


def h5py_values(path: Path) -> dict[str, Values]:
    """Of the datasets of integers and floats, less those for whose filter there is no plugin."""
    found: dict[str, Values] = {}

    def visit(name: str, item: object) -> None:
        if is_numeric(item):
            with suppress(OSError):
                found[name] = summary(item[()])

    with h5py.File(path) as file:
        file.visititems(visit)
    return found


def with_gaps(path: Path) -> set[str]:
    """Datasets of which some chunks are not stored but mean a fill value: jHDF reads zeros."""
    found: set[str] = set()

    def visit(name: str, item: object) -> None:
        if is_numeric(item) and item.chunks and item.fillvalue != 0:
            grid = [-(-n // chunk) for n, chunk in zip(item.shape, item.chunks, strict=True)]
            if 0 < item.id.get_num_chunks() < math.prod(grid):
                found.add(name)

    with h5py.File(path) as file:
        file.visititems(visit)
    return found


def is_numeric(item: object) -> bool:
    if not isinstance(item, h5py.Dataset) or item.shape is None:
        return False
    return item.id.get_type().get_class() in (h5t.INTEGER, h5t.FLOAT)


def summary(values: object) -> Values:
    array = np.asarray(values)
    little = array.astype(array.dtype.newbyteorder("<"), copy=False)
    return array.shape, zlib.crc32(little.tobytes())
