"""Large variables get smaller chunks than the standard ones where they pack as well in them."""

import math
from pathlib import Path

import netCDF4
import numpy as np
import pytest
from support.command import DONE, frazil

pytestmark = pytest.mark.sampled(one_in=2)

SHAPE = (400, 180, 200)
# Of four bytes each: what the standard rule makes of this shape.
STANDARD_BYTES = 600_000


@pytest.fixture(scope="module")
def source(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """Waves and noise that packs to about two thirds; 58 MB."""
    chance = np.random.default_rng(7)
    time, lat, lon = np.ogrid[0 : SHAPE[0], 0 : SHAPE[1], 0 : SHAPE[2]]
    waves = np.sin(time / 30) + np.cos(lat / 20) * np.sin(lon / 25 + time / 50)
    values = waves + 0.05 * chance.standard_normal(SHAPE, dtype="f4")
    path = tmp_path_factory.mktemp("finer") / "source.nc"
    with netCDF4.Dataset(path, "w", format="NETCDF3_64BIT_OFFSET") as file:
        for name, length in zip(("time", "lat", "lon"), SHAPE, strict=True):
            file.createDimension(name, length)
        file.createVariable("v", "f4", ("time", "lat", "lon"))[:] = np.round(values * 512) / 512
    return path


def packed(source: Path, *words: object) -> dict:
    output = source.with_name("packed.nc")
    outcome = frazil("pack", source, "-o", output, "--overwrite", "--json", *words)
    assert outcome.code == DONE, outcome.stderr
    (variable,) = outcome.report["reports"][0]["variables"]
    return variable


def test_chunks_are_finer_where_that_costs_little(source: Path):
    finer, coarse = packed(source), packed(source, "--goal", "size")
    assert 4 * math.prod(coarse["chunk"]) >= STANDARD_BYTES > 4 * math.prod(finer["chunk"])
    assert "more bytes" in finer["reason"]
    shape = ",".join(f"{axis}={n}" for axis, n in enumerate(coarse["chunk"]))
    as_coarse = packed(source, "--chunks", f"v:{shape}")
    assert finer["stored_bytes"] <= 1.03 * as_coarse["stored_bytes"]
    # The same choice whatever the level, and at any number of threads.
    assert packed(source, "--level", 4)["chunk"] == finer["chunk"]
    one, three = packed(source, "--threads", 1), packed(source, "--threads", 3)
    assert (one["chunk"], one["stored_bytes"]) == (three["chunk"], three["stored_bytes"])


def test_what_is_stated_keeps_its_chunks(source: Path):
    reads = packed(source, "--reads", "map,series")
    assert "more bytes" not in reads["reason"]
    assert packed(source, "--chunks", "v:0=100,1=60,2=50")["chunk"] == [100, 60, 50]


def test_what_hardly_packs_is_not_cut_until_it_packs_no_more(tmp_path: Path):
    """Of four bytes three are noise, and one has 70 values: 94 % are left."""
    chance = np.random.default_rng(7)
    noise = chance.integers(0, 1 << 24, SHAPE, dtype="i4")
    noise |= chance.integers(0, 70, SHAPE, dtype="i4") << 24
    source = tmp_path / "source.nc"
    with netCDF4.Dataset(source, "w", format="NETCDF3_64BIT_OFFSET") as file:
        for name, length in zip(("time", "lat", "lon"), SHAPE, strict=True):
            file.createDimension(name, length)
        file.createVariable("v", "i4", ("time", "lat", "lon"))[:] = noise
    coarse = packed(source, "--goal", "size")["chunk"]
    by_default = packed(source)["stored_bytes"]
    if coarse is not None:
        shape = ",".join(f"{axis}={n}" for axis, n in enumerate(coarse))
        assert by_default <= 1.03 * packed(source, "--chunks", f"v:{shape}")["stored_bytes"]
    assert by_default <= noise.nbytes
