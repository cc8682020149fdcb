"""frazil: standard netCDF-4/HDF5 files, read and written on all cores.

``pack``, ``pack_files``, ``unpack``, ``plan``, ``info``, ``verify``, ``analyze``, ``recover`` work
on whole files; ``open`` reads; :class:`Writer` writes from a running program; ``to_netcdf`` writes
xarray datasets, and ``engine="frazil"`` opens them; ``refs`` and ``virtual_dataset`` describe a
file's chunks for readers of Zarr; ``compress`` and ``decompress`` pack arrays in memory.
"""

import warnings
from contextlib import suppress
from importlib.util import find_spec

import numpy as _np

from . import errors
from ._frazil import __version__, environment_warnings
from ._frazil import compressed as _compressed
from .cluster_pack import pack_files
from .errors import Error
from .file import File, Group, Variable, open, read_stats, set_read_budget
from .memory import compress, decompress
from .operations import about, analyze, info, pack, plan, recover, unpack, verify
from .progress import Progress, ProgressBar
from .references import refs, write_refs
from .reports import (
    AnalyzeReport,
    FileInfo,
    PackReport,
    RecoverReport,
    VariableInfo,
    VariableReport,
    VerifyReport,
    WritePlan,
    WriterReport,
)
from .verify_many import verify_files
from .virtual import virtual_dataset
from .writer import VariableWriter, Writer

__all__ = [
    "AnalyzeReport",
    "Error",
    "File",
    "FileInfo",
    "Group",
    "PackReport",
    "Progress",
    "ProgressBar",
    "RecoverReport",
    "Variable",
    "VariableInfo",
    "VariableReport",
    "VariableWriter",
    "VerifyReport",
    "WritePlan",
    "Writer",
    "WriterReport",
    "__version__",
    "about",
    "analyze",
    "compress",
    "decompress",
    "errors",
    "info",
    "open",
    "pack",
    "pack_files",
    "plan",
    "read_stats",
    "recover",
    "refs",
    "set_read_budget",
    "to_netcdf",
    "unpack",
    "verify",
    "verify_files",
    "virtual_dataset",
    "write_refs",
]

# The compiled part finds numpy when it first sees an array; when the program ends, it is too late.
with suppress(Error):
    _compressed(_np.empty(0, dtype=_np.uint8))

for _words in environment_warnings():
    warnings.warn(_words, stacklevel=2)

# `ds.frazil` must be there whichever is imported first.
if find_spec("xarray") is not None:
    from .xarray_write import to_netcdf
else:

    def to_netcdf(*_arguments: object, **_options: object) -> None:
        """Write a dataset to a netCDF-4 file; needs xarray."""
        raise ImportError("frazil.to_netcdf needs xarray: pip install xarray")


def __dir__() -> list[str]:
    """What is meant for users; submodules that they import show themselves."""
    return [*__all__, "virtual"]
