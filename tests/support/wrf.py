"""Builds the I/O package for WRF and programs that stand in for the model; compares files."""

from dataclasses import dataclass
from pathlib import Path

import h5py
import netCDF4
import numpy as np

from support.command import ROOT
from support.fortran import GFORTRAN, LIBRARIES, run

WRF = ROOT / "wrf"
PROGRAMS = ROOT / "tests/wrf"
HEADERS = ROOT / "crates/frazil-capi/include"

# The model's memory for each order of a field in the file.
IN_MEMORY = {"XYZ": "XZY", "XY": "XY", "Z": "Z", "C": "C", "0": "0"}


@dataclass(frozen=True)
class Package:
    """libwrfio_frazil.a with entries of one prefix."""

    prefix: str
    library: Path
    fortran: str = GFORTRAN

    def program(self, source: Path, target: Path, *options: object) -> Path:
        """A program that calls the package; its source says ext_frz_."""
        renamed = target.with_suffix(".F90")
        renamed.write_text(source.read_text().replace("ext_frz_", self.prefix))
        # Both netcdf-fortran and libfrazil have nf_ calls: the first one serves.
        link = (self.library, *options, f"-L{LIBRARIES}", "-lfrazil", f"-Wl,-rpath,{LIBRARIES}")
        flags = ("-g", "-O1", "-fcheck=bounds", "-fallow-argument-mismatch", "-w", "-pthread")
        words = (*flags, renamed, "-o", target, *link)
        run(self.fortran, *words, cwd=target.parent)
        return target


def package(folder: Path, prefix: str, **variables: str) -> Package:
    """Makes the package in `folder`."""
    folder.mkdir(parents=True, exist_ok=True)
    settings = {
        "PREFIX_OF_ENTRIES": prefix,
        "BUILD": folder,
        "FRAZIL_INCLUDE": HEADERS,
        "FRAZIL_MPI": ROOT / "mpi",
        "CFLAGS": "-O1 -g -Wall -Wextra -Werror",
        **variables,
    }
    run("make", "-C", WRF, *(f"{name}={value}" for name, value in settings.items()))
    return Package(prefix, folder / "libwrfio_frazil.a")


def empty_texts(path: Path) -> dict[str, int]:
    """Texts without characters: whether there is nothing, or one NUL, which netCDF4 shows alike."""
    found = {}
    with h5py.File(path) as data:
        for place in ("/", *data):
            for name in data[place].attrs:
                attribute = data[place].attrs.get_id(name)
                is_nothing = attribute.get_space().get_simple_extent_type() == h5py.h5s.NULL
                if is_nothing or (attribute.dtype == "S1" and data[place].attrs[name] == b""):
                    found[f"{place} {name}"] = 0 if is_nothing else 1
    return found


def attribute_line(name: str, value: object, empty: dict[str, int]) -> str:
    """A global attribute as the stand-in reads it: name, kind, count, values."""
    if isinstance(value, str):
        return f"{name}|char|{len(value) or empty[f'/ {name}']}|{value}|"
    values = np.atleast_1d(value)
    kind = {"f4": "real", "f8": "double", "i4": "integer"}[values.dtype.str[1:]]
    return f"{name}|{kind}|{values.size}|{' '.join(repr(one.item()) for one in values)}|"


def field_line(variable: netCDF4.Variable) -> str:
    """A field as the stand-in reads it."""
    order = IN_MEMORY[variable.MemoryOrder.strip()]
    axes = list(zip(variable.dimensions, variable.shape, strict=True))[1:][::-1]
    if order == "XZY":
        axes = [axes[0], axes[2], axes[1]]
    texts = [getattr(variable, name, "") for name in ("description", "units", "coordinates")]
    parts = [variable.name, f"{variable.FieldType} {len(axes)}", order, variable.stagger, *texts]
    parts += [str(part) for axis in axes for part in axis]
    return "|".join(parts) + "|"


def write_list(source: Path, target: Path) -> Path:
    """What the stand-in must know of a file of WRF."""
    with netCDF4.Dataset(source) as data:
        empty = empty_texts(source)
        values = {name: data.getncattr(name) for name in data.ncattrs()}
        attributes = [attribute_line(name, value, empty) for name, value in values.items()]
        fields = [field_line(data[name]) for name in data.variables if name != "Times"]
    counts = f"{len(attributes)} {len(fields)}"
    target.write_text("\n".join([counts, *attributes, *fields, ""]))
    return target


def raw_attributes(item: netCDF4.Dataset | netCDF4.Variable) -> dict[str, tuple]:
    """Attributes with their types and bytes."""
    values = {name: item.getncattr(name) for name in item.ncattrs()}
    return {
        name: ("text", value) if isinstance(value, str) else (value.dtype.str, value.tobytes())
        for name, value in values.items()
    }


def assert_same_file(ours: Path, theirs: Path) -> None:
    """Dimensions, attributes and every bit of every variable."""
    assert empty_texts(ours) == empty_texts(theirs)
    with netCDF4.Dataset(ours) as a, netCDF4.Dataset(theirs) as b:
        a.set_auto_mask(False)
        b.set_auto_mask(False)
        # The model tells dimensions by its fields: one that no field has does not exist.
        used = {name for variable in b.variables.values() for name in variable.dimensions}
        lengths = {name: len(one) for name, one in a.dimensions.items()}
        assert lengths == {name: len(b.dimensions[name]) for name in used}
        assert a.dimensions["Time"].isunlimited()
        assert raw_attributes(a) == raw_attributes(b)
        assert set(a.variables) == set(b.variables)
        assert next(iter(a.variables)) == "Times"
        for name, variable in b.variables.items():
            assert a[name].dimensions == variable.dimensions, name
            assert a[name].dtype == variable.dtype, name
            assert raw_attributes(a[name]) == raw_attributes(variable), name
            assert a[name][:].tobytes() == variable[:].tobytes(), name
