"""Writes the include files of the netCDF faces from the tables in scripts/netcdf_interface/.

    python3 scripts/write_netcdf_interface.py            writes both files
    python3 scripts/write_netcdf_interface.py --check    fails if one of them would change

The C header names every function of netCDF-C that frazil serves with the prefix `frz_`; the
Fortran include file declares the `nf_` functions of netCDF's Fortran 77 interface. Names,
signatures and numbers are facts of these interfaces; a test compares them with the ones of an
installed netCDF.
"""

import re
import sys
from pathlib import Path

from generated import write_or_check

ROOT = Path(__file__).resolve().parent.parent
TABLES = ROOT / "scripts" / "netcdf_interface"
HEADER = ROOT / "crates" / "frazil-capi" / "include" / "frazil_netcdf.h"
INCLUDE = ROOT / "fortran" / "frazil.inc"

# Suffix of a typed function, and the C type of its values.
C_TYPES = {
    "text": "char",
    "schar": "signed char",
    "uchar": "unsigned char",
    "short": "short",
    "int": "int",
    "long": "long",
    "float": "float",
    "double": "double",
    "ubyte": "unsigned char",
    "ushort": "unsigned short",
    "uint": "unsigned int",
    "longlong": "long long",
    "ulonglong": "unsigned long long",
    "string": "char *",
}

# What stands before the values in the argument list of each way to address them.
C_SLABS = {
    "var1": "const size_t *indexp, ",
    "vara": "const size_t *startp, const size_t *countp, ",
    "vars": "const size_t *startp, const size_t *countp, const ptrdiff_t *stridep, ",
    "varm": "const size_t *startp, const size_t *countp, const ptrdiff_t *stridep, "
    "const ptrdiff_t *imapp, ",
    "var": "",
}

FORTRAN_TYPES = ("text", "int1", "int2", "int", "int64", "real", "double")


def rows(name: str) -> list[str]:
    """The lines of a table, without comments."""
    text = (TABLES / name).read_text(encoding="utf-8")
    return [line for line in text.splitlines() if line and not line.startswith("//")]


def array_functions() -> list[str]:
    """Prototypes of nc_put_var1_text and its kin."""
    prototypes = []
    for slab, place in C_SLABS.items():
        head = f"int ncid, int varid, {place}"
        prototypes.append(f"int nc_put_{slab}({head}const void *op)")
        prototypes.append(f"int nc_get_{slab}({head}void *ip)")
        for suffix, kind in C_TYPES.items():
            values = "const char **op" if suffix == "string" else f"const {kind} *op"
            answers = "char **ip" if suffix == "string" else f"{kind} *ip"
            prototypes.append(f"int nc_put_{slab}_{suffix}({head}{values})")
            prototypes.append(f"int nc_get_{slab}_{suffix}({head}{answers})")
    return prototypes


def attribute_functions() -> list[str]:
    """Prototypes of nc_put_att_text and its kin."""
    prototypes = []
    head = "int ncid, int varid, const char *name, "
    for suffix, kind in C_TYPES.items():
        typed = "" if suffix in ("text", "string") else "nc_type xtype, "
        values = "const char **op" if suffix == "string" else f"const {kind} *op"
        answers = "char **ip" if suffix == "string" else f"{kind} *ip"
        prototypes.append(f"int nc_put_att_{suffix}({head}{typed}size_t len, {values})")
        prototypes.append(f"int nc_get_att_{suffix}({head}{answers})")
    return prototypes


def function_name(prototype: str) -> str:
    """The name in a prototype."""
    found = re.search(r"(nc_\w+)\(", prototype)
    if found is None:
        sys.exit(f"write_netcdf_interface: no function in {prototype!r}")
    return found.group(1)


def wrapped(prototype: str) -> str:
    """A prototype with frazil's prefix, in lines of at most 100 characters."""
    name = function_name(prototype)
    text = prototype.replace(name, f"frz_{name}", 1) + ";"
    lines = [""]
    for word in text.split(" "):
        if len(lines[-1]) + len(word) > 98:
            lines.append("   ")
        lines[-1] += (" " if lines[-1] else "") + word
    return "\n".join(lines)


def header() -> str:
    """The text of frazil_netcdf.h."""
    prototypes = rows("functions.txt") + attribute_functions() + array_functions()
    constants = [line.split(maxsplit=1) for line in rows("constants.txt")]
    parts = [(TABLES / "header_top.txt").read_text(encoding="utf-8")]
    for name, value in constants:
        parts.append(f"#ifndef {name.partition('(')[0]}\n#define {name} {value}\n#endif\n")
    parts.append((TABLES / "header_middle.txt").read_text(encoding="utf-8"))
    parts += [wrapped(prototype) + "\n" for prototype in prototypes]
    parts.append((TABLES / "header_helpers.txt").read_text(encoding="utf-8"))
    for prototype in prototypes:
        name = function_name(prototype)
        parts.append(f"#define {name} frz_{name}\n")
    parts.append("\n#endif /* FRAZIL_NETCDF_NAMES */\n\n#endif /* FRAZIL_NETCDF_H */\n")
    return "".join(parts)


def fortran_functions() -> list[str]:
    """Names of the integer functions of the Fortran interface."""
    names = rows("fortran_functions.txt")
    for verb in ("put", "get"):
        for slab in C_SLABS:
            names.append(f"nf_{verb}_{slab}")
            names += [f"nf_{verb}_{slab}_{suffix}" for suffix in FORTRAN_TYPES]
        # Mapped access needs to know the type of the values.
        names.remove(f"nf_{verb}_varm")
        names.append(f"nf_{verb}_att")
        names += [f"nf_{verb}_att_{suffix}" for suffix in FORTRAN_TYPES]
    return names


def include() -> str:
    """The text of frazil.inc: valid in fixed and in free source form."""
    parts = [(TABLES / "include_top.txt").read_text(encoding="utf-8")]
    for line in rows("fortran_constants.txt"):
        kind, name, value = line.split(maxsplit=2)
        kind = {"integer": "integer", "real": "real", "double": "double precision"}[kind]
        parts.append(f"      {kind} {name}\n      parameter ({name} = {value})\n")
    parts.append("\n")
    for kind, name in (
        ("character*80", "nf_inq_libvers"),
        ("character*80", "nf_strerror"),
        ("logical", "nf_issyserr"),
    ):
        parts.append(f"      {kind} {name}\n      external {name}\n")
    for name in fortran_functions():
        parts.append(f"      integer {name}\n      external {name}\n")
    return "".join(parts)


if __name__ == "__main__":
    sys.exit(write_or_check({HEADER: header(), INCLUDE: include()}))
