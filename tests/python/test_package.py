"""The package as it is installed: what it shows, hides, and lives beside."""

import ast
import importlib.metadata
import inspect
import subprocess
import sys
import tarfile
from pathlib import Path

import frazil
import frazil._frazil as compiled
import pytest

HERE = Path(frazil.__file__).parent


def test_the_version_is_that_of_the_distribution():
    assert frazil.__version__ == importlib.metadata.version("frazil")
    assert frazil.about()["version"].replace("-rc.", "rc") == frazil.__version__
    assert "HDF5" in dict(frazil.about()["libraries"])


def test_nothing_but_the_module_is_exported():
    """Symbols of the bundled libhdf5 would be taken for those of h5py or netCDF4."""
    listed = subprocess.run(
        ["nm", "--dynamic", "--defined-only", compiled.__file__],
        capture_output=True,
        text=True,
        check=True,
    )
    names = {line.split()[-1] for line in listed.stdout.splitlines()}
    # object_store has a crate of checksums that exports its own; nobody else has these names.
    assert {name for name in names if not name.startswith("crc_fast_")} == {"PyInit__frazil"}


@pytest.mark.parametrize(
    "order",
    [
        ("frazil", "netCDF4", "h5py"),
        ("h5py", "frazil", "netCDF4"),
        ("netCDF4", "h5py", "frazil"),
    ],
)
def test_it_lives_beside_h5py_and_netcdf4_in_one_process(order, tmp_path):
    program = f"""
import {order[0]}, {order[1]}, {order[2]}
import frazil, h5py, netCDF4, numpy as np
path = {str(tmp_path / "beside.nc")!r}
with frazil.Writer(path) as writer:
    writer.add_dimension("x", 1000)
    variable = writer.add_variable("v", "f4", ["x"], compression="zlib")
    variable[:] = np.arange(1000, dtype="f4")
with h5py.File(path) as a, netCDF4.Dataset(path) as b, frazil.open(path) as c:
    for values in (a["v"][:], b["v"][:], c.variables["v"][:]):
        assert (np.asarray(values) == np.arange(1000)).all()
assert frazil.verify(path, path)
print("fine")
"""
    done = subprocess.run([sys.executable, "-c", program], capture_output=True, text=True)
    assert done.stdout == "fine\n", done.stderr


def test_the_source_distribution_is_complete(tmp_path):
    """It holds every crate that the package needs: cargo resolves them without the repository."""
    maturin = Path(sys.executable).with_name("maturin")
    project = Path(__file__).parents[2] / "python"
    subprocess.run(
        [maturin, "sdist", "--out", tmp_path], cwd=project, check=True, capture_output=True
    )
    (archive,) = tmp_path.glob("*.tar.gz")
    with tarfile.open(archive) as file:
        file.extractall(tmp_path, filter="data")
    (unpacked,) = (path for path in tmp_path.iterdir() if path.is_dir())
    assert (unpacked / "frazil/py.typed").exists() and (unpacked / "Cargo.lock").exists()
    subprocess.run(
        ["cargo", "metadata", "--offline", "--format-version=1"],
        cwd=unpacked,
        check=True,
        capture_output=True,
    )


def test_everything_public_is_documented():
    for name in frazil.__all__:
        thing = getattr(frazil, name)
        if inspect.isclass(thing) or inspect.isfunction(thing):
            assert inspect.getdoc(thing), name
        if inspect.isclass(thing) and thing.__module__.startswith("frazil"):
            for key, member in vars(thing).items():
                if inspect.isfunction(member) and not key.startswith("_"):
                    assert inspect.getdoc(member), f"{name}.{key}"


def test_the_stub_names_what_the_compiled_part_has():
    assert (HERE / "py.typed").exists()
    tree = ast.parse((HERE / "_frazil.pyi").read_text())
    functions = {node.name for node in tree.body if isinstance(node, ast.FunctionDef)}
    classes = {node.name: node for node in tree.body if isinstance(node, ast.ClassDef)}
    present = {name for name in dir(compiled) if not name.startswith("__")}
    assert present == functions | set(classes)
    for name, node in classes.items():
        stated = {one.name for one in node.body if isinstance(one, ast.FunctionDef)}
        real = {key for key in vars(getattr(compiled, name)) if not key.startswith("__")}
        assert stated == real, name
