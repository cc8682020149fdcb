"""netcdf-fortran's own nf90 programs, built with `use frazil_netcdf` in place of `use netcdf`.

They are not part of this repository: FRAZIL_NETCDF_FORTRAN names a folder with netcdf-fortran's
source. `pytest -s` prints the table of programs and results that docs/fortran.md shows.
"""

import os
import re
import shutil
from pathlib import Path

import pytest
from support.command import ROOT
from support.fortran import install, needs_gfortran, run, with_frazil

SOURCE = Path(os.environ.get("FRAZIL_NETCDF_FORTRAN", ROOT / "../shared/netcdf-fortran"))

pytestmark = [
    needs_gfortran,
    pytest.mark.skipif(
        not (SOURCE / "nf03_test4").is_dir(),
        reason=f"no source of netcdf-fortran in {SOURCE}: set FRAZIL_NETCDF_FORTRAN",
    ),
]

# A program that reads comes after the one that writes its file.
PROGRAMS = [
    *(f"nf03_test/{name}" for name in ("tst_f90", "tst_fill_int64")),
    *(
        f"nf03_test4/f90tst_{name}"
        for name in ("att", "fill", "fill2", "flarge", "grps", "io", "nc4", "path", "rengrps")
    ),
    *(
        f"nf03_test4/f90tst_{name}"
        for name in ("types2", "vars", "vars2", "vars3", "vars4", "vars5", "vars_vlen", "zstandard")
    ),
    *(
        f"examples/F90/{name}_wr+examples/F90/{name}_rd"
        for name in ("simple_xy", "simple_xy_nc4", "sfc_pres_temp", "pres_temp_4D")
    ),
]

# Calls outside what frazil_netcdf covers, and which.
NOT_COVERED = {
    "nf03_test4/f90tst_types": "types that programs define (nf90_def_opaque)",
    "nf03_test4/f90tst_var_szip": "frazil writes no szip",
    "nf03_test4/f90tst_parallel": "MPI",
}

# As a netCDF with all formats and filters is configured.
DEFINES = ("-DUSE_NETCDF4", "-DENABLE_CDF5", "-DENABLE_ZSTD", "-w")
USE = re.compile(r"^(\s*use\s+)netcdf\b", re.IGNORECASE | re.MULTILINE)


@pytest.fixture(scope="session")
def prefix(tmp_path_factory: pytest.TempPathFactory) -> Path:
    return install(tmp_path_factory.mktemp("installed"))


@pytest.fixture(scope="session", autouse=True)
def table():
    results: dict[str, str] = {}
    yield results
    for program, result in (results | NOT_COVERED).items():
        print(f"\n| `{program}` | {result} |", end="")


@pytest.mark.parametrize("program", PROGRAMS)
def test_a_program_of_netcdf_fortran(
    prefix: Path, tmp_path: Path, table: dict[str, str], program: str
):
    # Included by some beside the module: the Fortran 77 face.
    (tmp_path / "netcdf.inc").write_text("      include 'frazil.inc'\n")
    shutil.copy(SOURCE / "nf03_test4/ref_att.nc", tmp_path / "att.nc")
    include = (f"-I{tmp_path}", f"-I{ROOT / 'fortran'}")
    for name in program.split("+"):
        table[name] = "fails"
        text = (SOURCE / f"{name}.F90").read_text()
        changed, uses = USE.subn(r"\1frazil_netcdf", text)
        assert uses > 0, f"{name} does not use netcdf"
        source = tmp_path / f"{Path(name).name}.F90"
        source.write_text(changed)
        built = with_frazil(prefix, source, source.with_suffix(""), *DEFINES, *include)
        said = run(built, cwd=tmp_path, timeout=300)
        assert not re.search(r"\b(error|fail)", said, re.IGNORECASE), said
        table[name] = "passes"
