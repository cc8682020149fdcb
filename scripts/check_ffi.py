"""Refuse calls into libhdf5 that go around its table of functions.

A file decides which numbers libhdf5 returns for its enumerations, and a Rust enumeration that holds
a number without a name is undefined behaviour. The table in `ffi/api.rs` does not compile with a
function that returns one; this script sees to it that every call goes through the table, that
nothing turns a number into an enumeration unchecked, and that the table's promise (the trait
`Plain`) names numbers only.
"""

import re
import sys
from pathlib import Path

ROOT = Path(__file__).resolve().parent.parent
TABLE = "crates/frazil-container/src/ffi/api.rs"
# libhdf5's functions have a lower-case letter after their module's letters; its types end in _t,
# and its constants are in capitals.
FUNCTION = re.compile(r"\bH5(?:DS|FD|PL|LT|TB|[ADEFGILOPRSTZ])?[a-z][a-z0-9_]*\b")
TYPE = re.compile(r"_t(?:__\w+)?$")
USE = re.compile(r"(?:hdf5_sys|netcdf_sys)::[\w:]*(?:\{[^}]*\})?", re.S)
PLAIN = re.compile(r"implement!\(Plain: ([^)]*)\)|impl(?:<T>)? Plain for ([^{]*)\{")
ALLOWED = {
    # C's char is one of i8 and u8, by machine.
    *("c_void", "i8", "u8", "i32", "u32", "i64", "u64", "isize", "usize"),
    *("LinkInfo", "ObjectInfo", "AttributeInfo", "NativeInfo"),
    *("hdf5_sys::h5f::H5F_info2_t", "*mut T", "*const T"),
}


def faults_of(path: str, text: str) -> list[str]:
    """What is wrong with one source file, a line for each fault."""
    code = re.sub(r"//.*", "", text)
    faults = []
    for use in USE.findall(code):
        names = [name for name in FUNCTION.findall(use) if not TYPE.search(name)]
        faults += [f"{path}: {name} is called outside the table of {TABLE}" for name in names]
    if "frazil-container" in path and re.search(r"\btransmute\b", code):
        faults.append(f"{path}: transmute makes a value of any number")
    if re.search(r'extern "C" \{', code) and re.search(r"fn \w+\([^;]*->\s*H5\w+_t\b", code):
        faults.append(f"{path}: a function of C is declared that returns an enumeration")
    return faults


def faults_of_table(text: str) -> list[str]:
    """What the table believes to be plain numbers although nobody said so here."""
    named = [name for found in PLAIN.findall(text) for name in ",".join(found).split(",")]
    unknown = {name.strip() for name in named} - ALLOWED - {""}
    return [f"{TABLE}: is {name} a plain number? Then say so in {__file__}" for name in unknown]


def main() -> int:
    """Check all sources; the exit status is 1 if there is a fault."""
    faults = faults_of_table((ROOT / TABLE).read_text())
    for source in sorted((ROOT / "crates").glob("*/src/**/*.rs")):
        path = str(source.relative_to(ROOT))
        if path != TABLE:
            faults += faults_of(path, source.read_text())
    for fault in faults:
        print(fault, file=sys.stderr)
    return 1 if faults else 0


if __name__ == "__main__":
    sys.exit(main())
