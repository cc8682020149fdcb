"""`frazil run --level hdf5`: whole chunks of programs that use HDF5 themselves.

Files are compared with those of the same programs without frazil, by h5py.
"""

import json
import sys
from pathlib import Path

import h5py
import numpy as np
import pytest
from support.capi import PLAIN, needs
from support.command import TROUBLE
from support.fortran import run
from support.running import frazil_run

LEVEL = ("--level", "hdf5")
needs_hdf5 = needs("h5cc")

WRITES = """
import sys, h5py, numpy as np
rng = np.random.default_rng(0)
v = np.round(rng.normal(size=(130, 250, 40)).cumsum(axis=1), 3)
pairs = np.zeros(90_000, np.dtype([("a", "i4"), ("b", "f8", (2,))]))
pairs["a"], pairs["b"][:, 1] = np.arange(90_000), 0.5
with h5py.File(sys.argv[1], "w") as file:
    def make(name, data, **options):
        file.create_dataset(name, data=data, **options)
    chunks = {"chunks": (64, 64, 40)}
    make("shuffled", v.astype("f4"), compression="gzip", shuffle=True, **chunks)
    make("summed", v.astype("f4"), compression="gzip", compression_opts=9, fletcher32=True,
         **chunks)
    make("sum_alone", v.astype("f4"), fletcher32=True, **chunks)
    make("stored", v.astype("f4"), compression="gzip", compression_opts=0, **chunks)
    make("narrowed", v, dtype="f4", compression="gzip", fillvalue=-7, **chunks)
    make("swapped", (v * 100).astype("i8"), dtype=">i4", compression="gzip", **chunks)
    make("flags", v > 0, compression="gzip", **chunks)
    make("pairs", pairs, compression="gzip", shuffle=True, chunks=(10_000,))
    make("words", np.array([b"a", b"bcd"] * 40_000), compression="gzip", chunks=(9_000,))
    make("bare", v.astype("f4"), **chunks)
    make("lzf", v.astype("f4"), compression="lzf", **chunks)
    make("row", v.astype("f4"))
    make("text", np.array(["caf\\u00e9"] * 9_000, dtype=object), dtype=h5py.string_dtype(),
         compression="gzip", chunks=(1_000,))
    grown = file.create_dataset("grown", (0, 250), "f4", chunks=(20, 250), maxshape=(None, 250),
                                compression="gzip", fillvalue=3)
    for record in range(4):
        grown.resize((record + 1) * 100, axis=0)
        grown[record * 100 : (record + 1) * 100] = v[:100, :, record]
    grown.resize(430, axis=0)
    strided = file.create_dataset("strided", (128, 128), "f4", chunks=(64, 64), compression="gzip")
    strided.write_direct(v[:, :, 0].astype("f4"), np.s_[1:129, 100:228], np.s_[:, :])
    file.create_dataset("small", (5,), "f4", chunks=(5,), compression="gzip")[2] = 7
"""
TAKEN = "shuffled summed sum_alone stored narrowed swapped flags pairs words grown strided"
LEFT = {
    "bare": "no filters",
    "lzf": "does not encode its filter here: lzf",
    "row": "no chunks",
    "text": "hold addresses",
}

RANDOM = """
import sys, h5py, numpy as np
seed, path = int(sys.argv[2]), sys.argv[1]
rng = np.random.default_rng(seed)
shape, chunk = [600, 500], (128, 128)
cache, version = int(rng.choice([0, 200_000, 50_000_000])), rng.choice(["earliest", "latest"])
with h5py.File(path, "w", rdcc_nbytes=cache, libver=str(version)) as file:
    most = (None, [None, 700][rng.integers(2)])
    data = file.create_dataset("v", shape, "f4", chunks=chunk, maxshape=most, shuffle=True,
                               compression="gzip", compression_opts=1, fillvalue=-1)
    model = np.full(shape, -1, "f4")
    kinds = ["whole", "part", "resize", "read", "flush", "again"]
    for step in range(120):
        kind = rng.choice(kinds, p=[.4, .3, .1, .1, .05, .05])
        if kind in ("whole", "part"):
            box = []
            for length, size in zip(model.shape, chunk):
                if kind == "whole":
                    first = rng.integers(0, -(-length // size)) * size
                    last = min(length, first + size * rng.integers(1, 5))
                else:
                    first = rng.integers(0, length)
                    last = rng.integers(first, length) + 1
                box.append(slice(int(first), int(last)))
            values = rng.integers(0, 50, [one.stop - one.start for one in box]).astype("f4")
            data[tuple(box)] = values
            model[tuple(box)] = values
        elif kind == "resize":
            shape = [int(rng.integers(250, 700)) for _ in range(2)]
            data.resize(shape)
            kept, model = model, np.full(shape, -1, "f4")
            both = tuple(slice(0, min(pair)) for pair in zip(kept.shape, shape))
            model[both] = kept[both]
        elif kind == "flush":
            file.flush()
        elif kind == "again":
            data = None
            data = file["v"]
        assert np.array_equal(data[:], model), (step, kind)
"""

PROGRAM = r"""
#include <hdf5.h>
#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>
#define N 256
#define MUST(call) do { if ((call) < 0) { printf("%s failed\n", #call); exit(9); } } while (0)
static float values[N][N], back[N][N];

static hid_t made(hid_t file, const char *name) {
    hsize_t shape[2] = {N, N}, most[2] = {H5S_UNLIMITED, N}, chunk[2] = {64, 64};
    hid_t space = H5Screate_simple(2, shape, most), how = H5Pcreate(H5P_DATASET_CREATE);
    H5Pset_chunk(how, 2, chunk);
    H5Pset_shuffle(how);
    H5Pset_deflate(how, 4);
    hid_t made = H5Dcreate2(file, name, H5T_NATIVE_FLOAT, space, H5P_DEFAULT, how, H5P_DEFAULT);
    H5Sclose(space);
    H5Pclose(how);
    return made;
}

/* Rows from `first` on, of which each has this value. */
static int put(hid_t data, hsize_t first, hsize_t rows, float value) {
    hsize_t start[2] = {first, 0}, count[2] = {rows, N}, begin[2] = {0, 0};
    hid_t space = H5Dget_space(data), memory = H5Screate_simple(2, (hsize_t[2]){N, N}, NULL);
    H5Sselect_hyperslab(space, H5S_SELECT_SET, start, NULL, count, NULL);
    H5Sselect_hyperslab(memory, H5S_SELECT_SET, begin, NULL, count, NULL);
    float *mine = malloc(sizeof values);
    for (size_t i = 0; i < N * N; i++)
        mine[i] = value;
    int status = H5Dwrite(data, H5T_NATIVE_FLOAT, memory, space, H5P_DEFAULT, mine);
    free(mine);
    H5Sclose(space);
    H5Sclose(memory);
    return status;
}

static void show(hid_t data) {
    MUST(H5Dread(data, H5T_NATIVE_FLOAT, H5S_ALL, H5S_ALL, H5P_DEFAULT, back));
    for (int row = 0; row < N; row += 10)
        printf("%g ", back[row][row]);
    puts("");
}

static void *of_thread(void *data) {
    for (int step = 0; step < 8; step++)
        MUST(put(*(hid_t *)data, step % 2 * 128, 128, step));
    return NULL;
}

static void in_threads(hid_t file) {
    hid_t data[4];
    pthread_t threads[4];
    for (int i = 0; i < 4; i++) {
        char name[] = {'t', '0' + i, 0};
        data[i] = made(file, name);
    }
    for (int i = 0; i < 4; i++)
        pthread_create(threads + i, NULL, of_thread, data + i);
    for (int i = 0; i < 4; i++) {
        pthread_join(threads[i], NULL);
        H5Dclose(data[i]);
    }
}

int main(int argc, char **argv) {
    hid_t file = H5Fcreate(argv[1], H5F_ACC_TRUNC, H5P_DEFAULT, H5P_DEFAULT);
    hid_t data = made(file, "v");
    int is_child = 0;
    MUST(put(data, 10, 100, 1)); /* dirty parts of chunks in the cache */
    MUST(put(data, 0, 128, 2));  /* whole chunks over them */
    MUST(put(data, 120, 30, 3)); /* parts of both rows of chunks */
    show(data);
    MUST(put(data, 128, 128, 4));
    MUST(put(data, 0, 64, 5));
    show(data);
    in_threads(file);
    if (strcmp(argv[2], "fork") == 0) {
        fflush(stdout);
        if (fork() == 0) {
            is_child = 1;
            hid_t other = H5Fcreate("child.h5", H5F_ACC_TRUNC, H5P_DEFAULT, H5P_DEFAULT);
            hid_t w = made(other, "w");
            MUST(put(w, 0, 256, 6));
            H5Dclose(w);
            H5Fclose(other);
            exit(0);
        }
        int status;
        wait(&status);
        printf("child: %d\n", status);
    }
    if (strcmp(argv[2], "errors") == 0) {
        printf("%d\n", put(data, 200, 200, 7));
        printf("%d\n", H5Dwrite(data, H5T_NATIVE_FLOAT, H5S_ALL, file, H5P_DEFAULT, back));
        printf("%d\n", H5Dwrite(file, H5T_NATIVE_FLOAT, H5S_ALL, H5S_ALL, H5P_DEFAULT, back));
        printf("%d\n", H5Dwrite(data, H5T_C_S1, H5S_ALL, H5S_ALL, H5P_DEFAULT, back));
        hid_t reader = H5Fopen(argv[3], H5F_ACC_RDONLY, H5P_DEFAULT);
        printf("%d\n", put(H5Dopen2(reader, "v", H5P_DEFAULT), 0, 256, 8));
    }
    if (strcmp(argv[2], "_exit") == 0) {
        H5Fflush(file, H5F_SCOPE_LOCAL);
        _exit(0);
    }
    H5Dclose(data);
    H5Fclose(file);
    return is_child;
}
"""


STORAGE = ("shape", "dtype", "chunks", "compression", "compression_opts", "shuffle", "fletcher32")


def hdf5_report(folder: Path) -> dict[str, dict]:
    report = json.loads((folder / "report.json").read_text())
    return {one["dataset"].strip("/"): one for one in report["datasets"]}


def both(folder: Path, *command: object, options: tuple = LEVEL) -> str:
    """Runs a program for `plain.h5`, and under `frazil run` for `ours.h5`; what the latter says."""
    plain = run(*command[:2], "plain.h5", *command[2:], cwd=folder, env=PLAIN)
    ours = frazil_run(folder, *options, "--", *command[:2], "ours.h5", *command[2:])
    assert (ours.returncode, ours.stdout) == (0, plain), ours.stderr
    return ours.stderr


def check_same(plain: Path, ours: Path, share: float = 1.01) -> None:
    """Values, types, shapes, chunks, filters, fill values are equal, and sizes nearly so."""
    with h5py.File(plain) as one, h5py.File(ours) as other:
        assert list(one) == list(other)
        for name, expected in one.items():
            found = other[name]
            for what in STORAGE:
                assert getattr(found, what) == getattr(expected, what), (name, what)
            assert np.array_equal(found.fillvalue, expected.fillvalue)
            assert np.array_equal(found[()], expected[()]), name
            sizes = [one.id.get_storage_size() for one in (expected, found)]
            assert sizes[1] <= share * sizes[0], (name, sizes)


def test_h5py_writes_the_same(tmp_path: Path):
    (tmp_path / "program.py").write_text(WRITES)
    said = both(tmp_path, sys.executable, "program.py")
    check_same(tmp_path / "plain.h5", tmp_path / "ours.h5")
    report = hdf5_report(tmp_path)
    for name in TAKEN.split():
        one = report[name]
        assert (one["raw_bytes"] > 0, one["left"], one["why"]) == (True, {}, None), one
    for name, why in LEFT.items():
        one = report[name]
        assert (one["raw_bytes"], why in str([one["why"], one["left"]])) == (0, True), one
    assert "/shuffled: packed by frazil" in said and "writes of less than 64 KiB" in said, said


@pytest.mark.parametrize("seed", range(4))
def test_chunks_in_libhdf5s_cache_and_ours_agree(tmp_path: Path, seed: int):
    (tmp_path / "program.py").write_text(RANDOM)
    both(tmp_path, sys.executable, "program.py", seed)
    check_same(tmp_path / "plain.h5", tmp_path / "ours.h5", share=1.1)
    one = hdf5_report(tmp_path)["v"]
    assert one["raw_bytes"] > 0 and one["left"].keys() == {"they wrote parts of chunks"}, one


@pytest.fixture(scope="module")
def program(tmp_path_factory: pytest.TempPathFactory) -> Path:
    folder = tmp_path_factory.mktemp("program")
    (folder / "program.c").write_text(PROGRAM)
    run(
        "h5cc",
        "-shlib",
        "-std=gnu99",
        "program.c",
        "-o",
        "program",
        "-lpthread",
        cwd=folder,
        env=PLAIN,
    )
    return folder / "program"


@needs_hdf5
@pytest.mark.parametrize("how", ["plain", "fork", "_exit"])
def test_a_program_in_c(program: Path, tmp_path: Path, how: str):
    plain = run(program, "plain.h5", how, cwd=tmp_path, env=PLAIN)
    ours = frazil_run(tmp_path, *LEVEL, "--threads", 3, "--", program, "ours.h5", how)
    assert (ours.returncode, ours.stdout) == (0, plain), ours.stderr
    check_same(tmp_path / "plain.h5", tmp_path / "ours.h5", share=1.1)
    if how == "_exit":
        assert "/v: its process ended before it said what it wrote" in ours.stderr
        return
    report = hdf5_report(tmp_path)
    assert report["t0"]["raw_bytes"] == 8 * 128 * 256 * 4
    if how == "fork":
        assert report["w"]["raw_bytes"] == 256 * 256 * 4
        with h5py.File(tmp_path / "child.h5") as file:
            assert (file["w"][:] == 6).all()


@needs_hdf5
def test_errors_are_libhdf5s(program: Path, tmp_path: Path):
    """Statuses and stacks of errors that libhdf5 prints are the same, but for thread numbers."""
    with h5py.File(tmp_path / "reader.h5", "w") as file:
        file.create_dataset("v", (256, 256), "f4", chunks=(64, 64), compression="gzip")
    command = ("sh", "-c", f"{program} out.h5 errors reader.h5 2>errors.txt")
    said, words = [], []
    for level in (None, LEVEL):
        if level:
            said.append(frazil_run(tmp_path, *level, "--", *command).stdout)
        else:
            said.append(run(*command, cwd=tmp_path, env=PLAIN))
        lines = (tmp_path / "errors.txt").read_text().splitlines()
        words.append([line for line in lines if "thread" not in line])
    assert said[0] == said[1] and said[0].splitlines()[-5:] == ["-1"] * 5
    assert words[0] == words[1] and len(words[0]) > 10


def test_netcdf_through_hdf5_is_served_too(tmp_path: Path):
    (tmp_path / "program.py").write_text(
        "import sys, numpy as np, netCDF4\n"
        "with netCDF4.Dataset(sys.argv[1], 'w') as file:\n"
        "    file.createDimension('t', None), file.createDimension('x', 40_000)\n"
        "    v = file.createVariable('v', 'f4', ('t', 'x'), zlib=True, chunksizes=(1, 20_000))\n"
        "    for record in range(5):\n"
        "        v[record] = np.arange(40_000) // 7 + record\n"
    )
    both(tmp_path, sys.executable, "program.py")
    check_same(tmp_path / "plain.h5", tmp_path / "ours.h5")
    assert hdf5_report(tmp_path)["v"]["raw_bytes"] == 5 * 160_000


def test_what_this_level_does_not_serve(tmp_path: Path):
    for options in (("--goal", "size"), ("--compress",)):
        refused = frazil_run(tmp_path, *LEVEL, *options, "--", "true")
        assert (refused.returncode, "--level engine" in refused.stderr) == (TROUBLE, True)
    nothing = frazil_run(tmp_path, *LEVEL, "--", "true")
    assert "nothing was accelerated, because no process called H5Dwrite" in nothing.stderr
