"""With frazil's plugins stock readers read what frazil writes, and stock writers write it."""

import os
import shutil
import subprocess
import sys
from pathlib import Path

import h5py
import hdf5plugin
import numpy as np
import pytest
from support import h5_compare, make
from support.command import DONE, FAILED, ROOT, frazil, pack, tool

pytestmark = pytest.mark.sampled(one_in=3)

FOLDER = Path(os.environ.get("FRAZIL_PLUGIN_PATH", ROOT / ".build/plugins"))
WITH_OURS = {**os.environ, "HDF5_PLUGIN_PATH": str(FOLDER)}
NAMES = ("lz4", "bitshuffle", "blosc", "bzip2", "zstd", "pcodec", "delta", "mafisc", "frazil")

CHAINS = (
    "lz4",
    "bitshuffle",
    "bitshuffle+lz4",
    "bitshuffle+zstd(5)",
    "blosc(lz4)",
    "blosc(zlib,6,bitshuffle)",
    "blosc(zstd,1,noshuffle)",
    "shuffle+zstd(3)",
    "bzip2(1)",
    "pcodec",
    "delta+shuffle+zstd(1)",
    "lorenzo+bitshuffle+lz4",
    "fletcher32+pcodec(4)",
    "mafisc(2)",
    "frazil",
    "frazil(size)+fletcher32",
)

# What h5repack is told: id, flag, number of values, values; most are completed by the plugin.
REPACKED = {
    "lz4": "32004,0,1,4096",
    "bitshuffle and lz4": "32008,0,2,0,2",
    "bitshuffle and zstd": "32008,0,3,0,3,9",
    "blosc": "32001,0,7,0,0,0,0,7,1,5",
    "zstd": "32015,0,1,6",
    "bzip2": "307,0,1,5",
    "blosclz": "32001,0,7,0,0,0,0,5,2,0",
    "pcodec": "47101,0,1,9",
    "delta": "47102,0,1,3",
    "mafisc": "32002,0,1,2",
    "frazil": "47103,0,0",
    "frazil for archives": "47103,0,1,3",
}


def with_plugins(*command: object, **options: object) -> subprocess.CompletedProcess:
    """Runs a stock tool that finds frazil's plugins, and no others."""
    words = [str(word) for word in command]
    return subprocess.run(
        words, env=WITH_OURS, stdin=subprocess.DEVNULL, capture_output=True, timeout=300, **options
    )


@pytest.fixture(scope="module")
def source(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A netCDF-4 file with numbers of several types, in chunks that stick out."""
    path = tmp_path_factory.mktemp("plugins") / "source.nc"
    with h5py.File(path, "w") as file:
        for kind in ("u1", "i2", "i4", "f4", "f8", ">f4", ">i8"):
            values = (make.field(45, 60, dtype="f8") % 97).astype(kind)
            name = kind.replace(">", "big_")
            file.create_dataset(name, data=values, chunks=(10, 60))
    return path


@pytest.mark.parametrize("name", NAMES)
def test_a_plugin_stands_alone(name: str):
    path = FOLDER / f"libh5frazil_{name}.so"
    assert path.exists(), "run 'make plugins'"
    needs = tool("ldd", path).stdout.decode()
    assert "hdf5" not in needs and "netcdf" not in needs
    symbols = tool("nm", "-D", "--defined-only", path).stdout.decode().split("\n")
    names = {line.split()[-1] for line in symbols if line}
    assert {"H5PLget_plugin_info", "H5PLget_plugin_type"} <= names
    assert not {one for one in names if one.startswith(("ZSTD_", "deflate", "LZ4_"))}


@pytest.mark.parametrize("chain", CHAINS)
def test_stock_readers_read_what_frazil_writes(source: Path, tmp_path: Path, chain: str):
    packed, copied, plain = (tmp_path / name for name in ("packed.nc", "copied.nc", "plain.h5"))
    pack(source, packed, "--keep-chunks", "--readable-by", "frazil", "--filters", chain)
    assert frazil("verify", source, packed).code == DONE

    dumped = with_plugins("h5dump", "-d", "/f4", packed)
    assert dumped.returncode == 0 and b"unable" not in dumped.stdout, dumped.stderr.decode()
    header = with_plugins("ncdump", packed)
    assert header.returncode == 0, header.stderr.decode()
    copy = with_plugins("nccopy", packed, copied)
    assert copy.returncode == 0, copy.stderr.decode()
    repacked = with_plugins("h5repack", "-f", "NONE", packed, plain)
    assert repacked.returncode == 0, repacked.stderr.decode()
    assert h5_compare.compare(source, plain).differences == []

    script = (
        "import sys, h5py, numpy\n"
        "with h5py.File(sys.argv[1]) as a, h5py.File(sys.argv[2]) as b:\n"
        "    assert set(a) <= set(b)\n"
        "    assert all(numpy.array_equal(a[name][:], b[name][:]) for name in a)\n"
    )
    # nccopy adds dimensions.
    for written in (packed, copied):
        read = with_plugins(sys.executable, "-c", script, source, written)
        assert read.returncode == 0, read.stderr.decode()


@pytest.mark.parametrize("name", REPACKED)
def test_h5repack_writes_what_frazil_and_others_read(source: Path, tmp_path: Path, name: str):
    written = tmp_path / "written.h5"
    answer = with_plugins("h5repack", "-f", f"UD={REPACKED[name]}", source, written)
    assert answer.returncode == 0, answer.stderr.decode()
    assert frazil("verify", source, written).code == DONE
    code = int(REPACKED[name].split(",")[0])
    with h5py.File(written) as file:
        plists = [dataset.id.get_create_plist() for dataset in file.values()]
        assert all(plist.get_filter(0)[0] == code for plist in plists)
        masks = [dataset.id.get_chunk_info(0).filter_mask for dataset in file.values()]
        assert set(masks) == {0}
        # hdf5plugin has no MAFISC.
        if code < 47000 and code != 32002:
            with h5py.File(source) as plain:
                for key, dataset in file.items():
                    assert np.array_equal(dataset[:], plain[key][:])


@pytest.mark.parametrize(
    "options",
    [
        hdf5plugin.LZ4(nbytes=2048),
        hdf5plugin.Bitshuffle(cname="none"),
        hdf5plugin.Bitshuffle(cname="lz4"),
        hdf5plugin.Bitshuffle(cname="zstd"),
        hdf5plugin.Zstd(clevel=9),
        hdf5plugin.BZip2(blocksize=3),
        *(
            hdf5plugin.Blosc(cname=name, shuffle=shuffle)
            for name in ("blosclz", "lz4", "lz4hc", "zlib", "zstd")
            for shuffle in (0, 1, 2)
        ),
    ],
    ids=lambda options: f"{options.filter_id} {options.filter_options}",
)
def test_files_of_other_plugins_are_read(tmp_path: Path, options):
    theirs, plain = tmp_path / "theirs.h5", tmp_path / "plain.h5"
    with h5py.File(theirs, "w") as file:
        for kind in ("u1", "i2", "f4", "f8"):
            values = (make.field(45, 60, dtype="f8") % 97).astype(kind)
            file.create_dataset(kind, data=values, chunks=(10, 60), **options)
    answer = with_plugins("h5repack", "-f", "NONE", theirs, plain)
    assert answer.returncode == 0, answer.stderr.decode()
    assert h5_compare.compare(theirs, plain).differences == []


@pytest.mark.parametrize(
    "chain", ["lz4", "bitshuffle+zstd(3)", "blosc(lz4)", "pcodec", "delta", "mafisc(1)", "frazil"]
)
def test_damaged_chunks_are_an_error_and_nothing_else(source: Path, tmp_path: Path, chain: str):
    packed = tmp_path / "packed.nc"
    pack(source, packed, "--keep-chunks", "--readable-by", "frazil", "--filters", chain)
    with h5py.File(packed) as file:
        chunk = file["f8"].id.get_chunk_info(0)
    content = bytearray(packed.read_bytes())
    middle = chunk.byte_offset + 16 if chain != "delta" else chunk.byte_offset
    content[middle : middle + 8] = b"\xff" * 8
    packed.write_bytes(content)
    answer = with_plugins("h5dump", "-d", "/f8", packed)
    assert answer.returncode in (0, 1)
    assert b"panicked" not in answer.stdout + answer.stderr


READ_ALL = """
import sys, h5py
with h5py.File(sys.argv[1]) as file:
    for name in file:
        try:
            file[name][:]
        except OSError as error:
            print(name, "refused")
"""


@pytest.mark.parametrize("chain", [*CHAINS, "mafisc(1)", "frazil(speed)"])
def test_h5py_and_ncdump_survive_damaged_chunks(source: Path, tmp_path: Path, chain: str):
    packed = tmp_path / "packed.nc"
    pack(source, packed, "--keep-chunks", "--readable-by", "frazil", "--filters", chain)
    extents = []
    with h5py.File(packed) as file:
        for dataset in file.values():
            if dataset.chunks:
                chunks = range(dataset.id.get_num_chunks())
                extents += [dataset.id.get_chunk_info(i) for i in chunks]
    content = packed.read_bytes()
    random = np.random.default_rng(5)
    for round_ in range(4):
        damaged = bytearray(content)
        for chunk in extents:
            # Headers deserve more than their share.
            reach = min(chunk.size, 40) if round_ % 2 == 0 else chunk.size
            for at in random.integers(reach, size=3):
                damaged[chunk.byte_offset + at] ^= 1 << int(random.integers(8))
        packed.write_bytes(damaged)
        read = with_plugins(sys.executable, "-c", READ_ALL, packed)
        assert read.returncode == 0, (read.returncode, read.stderr.decode())
        dumped = with_plugins("ncdump", packed)
        # A status of its own, not a signal.
        assert dumped.returncode in (0, 1), dumped.returncode
        for answer in (read, dumped):
            assert b"panicked" not in answer.stdout + answer.stderr


def test_text_is_not_what_pcodec_is_for(tmp_path: Path):
    source = tmp_path / "text.h5"
    with h5py.File(source, "w") as file:
        file.create_dataset("names", data=np.array([b"ice"] * 500), chunks=(100,))
    written = tmp_path / "written.h5"
    answer = with_plugins("h5repack", "-f", "names:UD=47101,0,1,8", source, written)
    assert answer.returncode != 0 or frazil("verify", source, written).code == DONE


def test_the_folder_is_printed(tmp_path: Path):
    told = {**os.environ, "FRAZIL_PLUGIN_PATH": str(FOLDER)}
    outcome = frazil("plugin-path", env=told)
    assert (outcome.code, outcome.stdout.strip()) == (DONE, str(FOLDER))

    empty = {**os.environ, "FRAZIL_PLUGIN_PATH": str(tmp_path)}
    outcome = frazil("plugin-path", env=empty)
    assert outcome.code == FAILED and str(tmp_path) in outcome.stderr
    assert "make plugins" in outcome.stderr

    # Installed: beside the command's folder.
    prefix = tmp_path / "prefix"
    (prefix / "bin").mkdir(parents=True)
    shutil.copy(os.environ.get("FRAZIL_BIN", ROOT / "target/release/frazil"), prefix / "bin/frazil")
    plugins = prefix / "lib/frazil/plugins"
    plugins.mkdir(parents=True)
    shutil.copy(FOLDER / "libh5frazil_lz4.so", plugins)
    bare = {key: value for key, value in os.environ.items() if key != "FRAZIL_PLUGIN_PATH"}
    answer = subprocess.run(
        [prefix / "bin/frazil", "plugin-path"], env=bare, capture_output=True, timeout=60
    )
    assert answer.stdout.decode().strip() == str(plugins), answer.stderr.decode()
