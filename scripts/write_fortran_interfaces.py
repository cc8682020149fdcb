"""Writes the Fortran interfaces to C functions from the C headers.

    python3 scripts/write_fortran_interfaces.py            writes the modules
    python3 scripts/write_fortran_interfaces.py --check    fails if one of them would change

The tables in scripts/fortran_interfaces/ name the functions of each module, one to a line:

    ! Files                              a comment between the functions
    nc_create                            the function frz_nc_create
    nc_open_par = frz_netcdf_open_parallel
    nc_inq_grps numgrps? ncids?[]        arguments that the header says too little of

An argument is optional (`?`), an array (`[]`), or read and written (`&`). Other arguments are what
their C types say: values, texts, handles (`type(c_ptr)`), arrays that are read (`const`), and
numbers that are written.
"""

import re
import sys
from dataclasses import dataclass
from pathlib import Path

from generated import write_or_check

ROOT = Path(__file__).resolve().parent.parent
TABLES = ROOT / "scripts" / "fortran_interfaces"
HEADERS = ROOT / "crates" / "frazil-capi" / "include"
LINE = 100

# The kind of a number's C type, and what it is in Fortran.
NUMBERS = {
    "int": ("integer", "c_int"),
    "unsigned int": ("integer", "c_int"),
    "nc_type": ("integer", "c_int"),
    "frz_status": ("integer", "c_int"),
    "size_t": ("integer", "c_size_t"),
    "uint64_t": ("integer", "c_int64_t"),
    "int64_t": ("integer", "c_int64_t"),
    "float": ("real", "c_float"),
    "double": ("real", "c_double"),
}


@dataclass
class Argument:
    """An argument as Fortran declares it: its kind, `type, attributes`, and its shape."""

    name: str
    kind: str
    declared: str
    shape: str = ""


def prototypes() -> dict[str, tuple[str, str]]:
    """The result and the arguments of each function in the headers."""
    found = {}
    for header in ("frazil.h", "frazil_netcdf.h"):
        text = (HEADERS / header).read_text(encoding="utf-8")
        text = re.sub(r"/\*.*?\*/|^[ \t]*#.*?$", "", text, flags=re.DOTALL | re.MULTILINE)
        for result, name, arguments in re.findall(
            r"([\w ]+?[ *]+)(frz_\w+)\(([^;{()]*)\);", " ".join(text.split())
        ):
            found[name] = (result.strip(), arguments)
    return found


def argument(text: str, marks: dict[str, str]) -> Argument:
    """What a C declaration, such as `const char *path`, is in Fortran."""
    base, stars, name = re.fullmatch(r"(.*?)\s*(\**)\s*(\w+)", text.strip()).groups()
    is_const = base.startswith("const ")
    base = base.removeprefix("const ").strip()
    mark = marks.pop(name, "")
    intent = "inout" if "&" in mark else "in" if is_const else "out"
    attributes = f", intent({intent})" + (", optional" if "?" in mark else "")
    if base == "char" and stars == "*":
        return Argument(name, "c_char", f"character(kind=c_char){attributes}", "(*)")
    if base in NUMBERS:
        word, kind = NUMBERS[base]
        if not stars:
            return Argument(name, kind, f"{word}({kind}), value")
        shape = "(*)" if is_const or "[]" in mark else ""
        return Argument(name, kind, f"{word}({kind}){attributes}", shape)
    if len(stars) == 2:
        intent = "inout" if "&" in mark else "out"
        return Argument(name, "c_ptr", f"type(c_ptr), intent({intent})")
    return Argument(name, "c_ptr", "type(c_ptr), value")


def wrapped(line: str) -> str:
    """A line of Fortran, broken before its binding, or at a space, if it is long."""
    if len(line) <= LINE:
        return line + "\n"
    at = line.rfind(" bind(", 0, LINE - 1)
    at = line.rindex(" ", 0, LINE - 1) if at < 0 else at
    return line[:at] + " &\n" + wrapped("      " + line[at + 1 :])


def interface(name: str, symbol: str, prototype: tuple[str, str], marks: dict[str, str]) -> str:
    """The interface of one function or subroutine."""
    result, arguments = prototype
    arguments = [] if arguments in ("", "void") else arguments.split(",")
    arguments = [argument(one, marks) for one in arguments]
    if marks:
        sys.exit(f"{name}: the header has no {', '.join(marks)}")
    procedure, ending = "function", ""
    kinds = {one.kind for one in arguments}
    last = ""
    if result == "void":
        procedure = "subroutine"
    else:
        is_number = result in NUMBERS
        kind, declared = ("c_int", "integer(c_int)") if is_number else ("c_ptr", "type(c_ptr)")
        value = "status" if is_number else "pointer"
        kinds.add(kind)
        ending, last = f" result({value})", f"      {declared} :: {value}\n"
    bind = "bind(C)" if name == symbol else f"bind(C, name='{symbol}')"
    names = ", ".join(one.name for one in arguments)
    text = wrapped(f"    {procedure} {name}({names}) {bind}{ending}")
    if kinds:
        text += f"      import :: {', '.join(sorted(kinds))}\n"
    for one in arguments:
        text += f"      {one.declared} :: {one.name}{one.shape}\n"
    return text + last + f"    end {procedure}\n"


def module(table: Path, known: dict[str, tuple[str, str]]) -> str:
    """The text of a module."""
    top, body = [], ""
    for line in table.read_text(encoding="utf-8").splitlines():
        if line.startswith("!>"):
            top.append(line)
        elif line.startswith("!"):
            body += f"    {line}\n"
        elif line:
            name, *rest = line.split()
            symbol = name if name.startswith("frz_") else f"frz_{name}"
            if rest[:1] == ["="]:
                symbol, rest = rest[1], rest[2:]
            if symbol not in known:
                sys.exit(f"{table.name}: no header has {symbol}")
            marks = {re.match(r"\w+", mark)[0]: mark for mark in rest}
            body += interface(name, symbol, known[symbol], marks)
    kinds = ", ".join(
        sorted(set(re.findall(r"\bc_(?:char|double|float|int|int64_t|ptr|size_t)\b", body)))
    )
    return (
        "\n".join(top)
        + f"\n! Written by scripts/{Path(__file__).name}.\n"
        + f"module {table.stem}\n"
        + f"  use, intrinsic :: iso_c_binding, only: {kinds}\n"
        + f"  implicit none\n  public\n  private :: {kinds}\n\n  interface\n"
        + f"{body}  end interface\nend module {table.stem}\n"
    )


def main() -> int:
    """Writes or checks all modules."""
    known = prototypes()
    tables = sorted(TABLES.glob("*.txt"))
    return write_or_check(
        {ROOT / "fortran" / f"{table.stem}.f90": module(table, known) for table in tables}
    )


if __name__ == "__main__":
    sys.exit(main())
