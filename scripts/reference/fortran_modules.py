"""The reference of the Fortran modules: public names, arguments and comments of their sources."""

import re
from collections.abc import Iterable
from dataclasses import dataclass
from pathlib import Path

SOURCES = Path("fortran")

WRITER = (
    "frazil.f90",
    "frazil_writer_options.f90",
    "frazil_writer_settings.f90",
    "frazil_writer_values.f90",
)
# Headings of the modules that frazil_netcdf consists of.
NETCDF = {
    "frazil_netcdf_files.f90": "Files",
    "frazil_netcdf_groups.f90": "Dimensions and groups",
    "frazil_netcdf_variables.f90": "Variables",
    "frazil_netcdf_storage.f90": "How variables are stored",
    "frazil_netcdf_values.f90": "Values",
    "frazil_netcdf_attributes.f90": "Attributes",
}

FUNCTION = re.compile(
    r"(?P<comment>(?:^ *!>.*\n)*)"
    r"(?P<code>^ *(?:pure )?function (?P<name>\w+) *\((?P<arguments>[^)]*)\)(?s:.*?))"
    r"^(?:\n| *end function| *integer(?:\(c_int\))? :: status\n)",
    flags=re.MULTILINE,
)
INTERFACE = re.compile(
    r"(?P<comment>(?:^ *!>.*\n)+) *interface (?P<name>\w+)\n *module procedure (?P<all>.*)\n",
    flags=re.MULTILINE,
)
PUBLIC = re.compile(r"^ *public :: (.*)$", flags=re.MULTILINE)
PARAMETER = re.compile(
    r"^(?P<comment>(?: *!>.*\n)+)(?P<code> *integer, parameter, public ::(?:.*&\n)*.*)",
    flags=re.MULTILINE,
)
TYPE = re.compile(
    r"(?P<comment>(?:^ *!>.*\n)+)"
    r"(?P<code> *type, bind\(C\) :: (?P<name>\w+)\n(?s:.*?)end type \w+)",
    flags=re.MULTILINE,
)

HEAD = """# The Fortran modules

Module [`frazil`](#module-frazil), the writer itself; module
[`frazil_netcdf`](#module-frazil_netcdf), the drop-in for netcdf-fortran; include file
[`frazil.inc`](#include-file-frazilinc), the drop-in for Fortran 77.
[frazil from Fortran](fortran.md) describes how to build and use them.

<!-- Written by scripts/make_reference.py from the sources in fortran/. -->
"""


@dataclass
class Function:
    """One procedure that a module offers, or one of the forms of it."""

    comment: str
    code: str
    arguments: str


def plain(comment: str) -> str:
    """The text of `!>` lines; brackets of references fall away."""
    lines = [re.sub(r"^ *!> ?", "", line) for line in comment.splitlines()]
    return re.sub(r"\[(`\w+`)\]", r"\1", "\n".join(lines).strip())


def dedent(code: str) -> str:
    lines = [
        line
        for line in code.splitlines()
        if line.strip() and not line.strip().startswith("import ")
    ]
    margin = min(len(line) - len(line.lstrip()) for line in lines)
    return "\n".join(line[margin:] for line in lines)


def functions(source: str) -> dict[str, Function]:
    """All functions of a module, by name; the lines up to their result's declaration."""
    found = {}
    for match in FUNCTION.finditer(source):
        words = " ".join(match["arguments"].replace("&", " ").split())
        # How C names it is no concern of callers.
        code = re.sub(r"\s*&?\s*bind\(C, name='\w+'\)", "", match["code"])
        found[match["name"]] = Function(match["comment"], dedent(code), words)
    return found


def public_names(source: str) -> list[str]:
    return [name for line in PUBLIC.findall(source) for name in re.split(r",\s*", line.strip())]


def forms(source: str) -> dict[str, tuple[str, list[str]]]:
    """Comment and procedures of each generic name."""
    found = INTERFACE.finditer(source)
    return {match["name"]: (match["comment"], re.split(r",\s*", match["all"])) for match in found}


def writer(root: Path) -> Iterable[str]:
    """The page's part on module frazil."""
    sources = [(root / SOURCES / name).read_text() for name in WRITER]
    known: dict[str, Function] = {}
    for source in sources:
        known |= functions(source)
    yield from ("## Module frazil", "", "```fortran", "use frazil", "```", "")
    yield (
        "Every function returns `frazil_ok` (0) or a status that `frazil_message` explains. "
        "Positions\ncount from 1, the fastest axis first."
    )
    yield ""
    parameters = list(PARAMETER.finditer("\n".join(sources)))
    for match in parameters:
        yield from (plain(match["comment"]), "", "```fortran", dedent(match["code"]), "```", "")
    for match in TYPE.finditer("".join(sources)):
        yield from (f"### {match['name']}", "", plain(match["comment"]), "")
        if match["name"] == "frazil_report":
            yield from ("```fortran", dedent(match["code"]), "```", "")
    generic = forms(sources[0])
    for name in public_names(sources[0]):
        if name in generic:
            comment, procedures = generic[name]
            yield from entry(name, comment, [known[one] for one in procedures])
        elif name in known:
            yield from entry(name, known[name].comment, [known[name]])
        elif any(re.search(rf"\b{name} =", match["code"]) for match in parameters):
            continue
        elif not re.search(rf"type, bind\(C\) :: {name}\n", "".join(sources)):
            raise SystemExit(f"{name}: not found in {WRITER}")


def entry(name: str, comment: str, all_forms: list[Function]) -> Iterable[str]:
    if not comment:
        raise SystemExit(f"{name} has no comment in fortran/")
    yield from (f"### {name}", "", "```fortran")
    codes = (re.sub(r"function \w+", f"function {name}", form.code, count=1) for form in all_forms)
    yield "\n\n".join(codes)
    yield from ("```", "", plain(comment), "")


def netcdf(root: Path) -> Iterable[str]:
    """The page's part on module frazil_netcdf: what can be said in a call."""
    yield from ("## Module frazil_netcdf", "", "```fortran", "use frazil_netcdf", "```", "")
    yield (
        "Names, arguments and values are those of netcdf-fortran 4.6, with the same meaning, "
        "except\n[where it differs](fortran.md#frazil_netcdf)."
    )
    yield ""
    exported = re.sub(r"\s*&\s*", " ", (root / SOURCES / "frazil_netcdf.f90").read_text())
    for file, heading in NETCDF.items():
        source = (root / SOURCES / file).read_text()
        only = re.search(rf"use {file.removesuffix('.f90')}, only: (.*)", exported)
        names = [name for name in public_names(source) if not only or name in only[1]]
        yield from (f"### {heading}", "", "| function | |", "|---|---|")
        yield from rows(source, names)
        yield ""
    yield from parameters((root / SOURCES / "frazil_netcdf_parameters.f90").read_text())


def rows(source: str, names: list[str]) -> Iterable[str]:
    known, generic = functions(source), forms(source)
    for name in names:
        comment, procedures = generic.get(name, ("", [name]))
        if any(one not in known for one in procedures):
            raise SystemExit(f"{name}: not found")
        # The longest form has all arguments.
        longest = max((known[one] for one in procedures), key=lambda one: len(one.arguments))
        text = plain(comment or longest.comment).replace("\n", " ")
        yield f"| `{name}({longest.arguments})` | {text} |"


def parameters(source: str) -> Iterable[str]:
    names = re.findall(r"\b(nf90_\w+) *=", re.sub(r"!.*", "", source))
    yield from ("### Parameters", "", f"{len(names)}, with netCDF's values:", "")
    yield from (", ".join(f"`{name}`" for name in sorted(set(names))), "")


def include_file(root: Path) -> Iterable[str]:
    """The page's part on frazil.inc."""
    text = (root / SOURCES / "frazil.inc").read_text()
    names = sorted(set(re.findall(r"external (nf_\w+)", text)))
    constants = set(re.findall(r"parameter \((nf_\w+)", text))
    yield from ("## Include file frazil.inc", "")
    yield (
        f"netCDF's Fortran 77 interface: {len(constants)} parameters by netCDF's names and "
        f"values, and these {len(names)} functions."
    )
    yield from ("", ", ".join(f"`{name}`" for name in names), "")


def page(root: Path) -> str:
    lines = [HEAD, *writer(root), *netcdf(root), *include_file(root)]
    return "\n".join(lines).rstrip("\n") + "\n"
