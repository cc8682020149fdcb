"""The reference of the C headers: their own comments, in their own order."""

import re
from collections.abc import Iterable, Iterator
from pathlib import Path

INCLUDE = Path("crates/frazil-capi/include")

# Headings, and what stands first under each.
SECTIONS = {
    "FRZ_VERSION_MAJOR": "Constants",
    "frz_status": "Types",
    "frz_version": "Version and errors",
    "frz_options_new": "Options",
    "frz_create": "Files",
    "frz_create_parallel": "Files of several processes",
    "frz_add_group": "Definitions",
    "frz_find_group": "What is defined",
    "frz_set_fill_value": "Options of a variable",
    "frz_put_attribute": "Attributes",
    "frz_put": "Values",
    "frz_put1_char": "Single values",
    "frz_compression_new": "Values in memory",
}

ITEM = re.compile(
    r"^/\*\*\n(?P<comment>(?: \*.*\n)+?) \*/\n"
    r"(?P<code>#define .*|typedef (?:enum|struct) \{(?s:.*?)^\} \w+;|[^/#{}]*?;)$",
    flags=re.MULTILINE,
)
MEMBER = re.compile(
    r"^    /\*\*\n(?P<comment>(?:     \*.*\n)+?)     \*/\n    (?P<code>.*?)[,;]$",
    flags=re.MULTILINE,
)
NAME = re.compile(
    r"#define (\w+)|\} (\w+);|typedef struct \w+ (\w+);|typedef \w+ \(\*(\w+)\)|(\w+)\("
)
COMMENT = re.compile(r"/\*\*.*?\*/", flags=re.DOTALL)
FUNCTION_POINTER = re.compile(r"(\w+) \(\*(\w+)\)(\(.*\))", flags=re.DOTALL)

HEAD = """# The C headers

The writer's own interface, [frazil.h](../crates/frazil-capi/include/frazil.h), and netCDF's,
[frazil_netcdf.h](../crates/frazil-capi/include/frazil_netcdf.h).
[frazil from C and C++](c_api.md) describes how to build and use them.

<!-- Written by scripts/make_reference.py from the headers. -->
"""

NETCDF = """Every function has the signature, the meaning and the status codes of the function of
netCDF-C that bears its name. It is called `frz_` and that name, and by the bare name where
`FRAZIL_NETCDF_NAMES` is defined before the header is included. Identifiers are numbers of a table
of open files that the whole process shares; each file has its own lock.
"""


def plain(comment: str) -> str:
    """The text of a comment, without its asterisks."""
    return "\n".join(re.sub(r"^ +\* ?", "", line) for line in comment.splitlines()).strip()


def linked(text: str) -> str:
    """`::name` becomes a link to the heading of that name; members have none."""
    text = re.sub(r"::(frz_\w+)", r"[`\1`](#\1)", text)
    return re.sub(r"::(FRZ_\w+)", r"`\1`", text)


def one_line(comment: str) -> str:
    return linked(plain(comment)).replace("\n", " ")


def items(header: str) -> Iterator[tuple[str, str, str]]:
    """Name, comment and code of all that is described."""
    found = list(ITEM.finditer(header))
    if len(found) != len(re.findall(r"^/\*\*$", header, flags=re.MULTILINE)):
        raise SystemExit(f"frazil.h: only {len(found)} comments can be read")
    for match in found:
        name = NAME.search(COMMENT.sub("", match["code"]))
        if name is None:
            raise SystemExit(f"no name in: {match['code']}")
        yield next(filter(None, name.groups())), match["comment"], match["code"]


def members(name: str, code: str) -> Iterable[str]:
    """A table of an enumeration's numbers or a structure's members."""
    is_enum = code.startswith("typedef enum")
    yield "| name | number | |" if is_enum else "| member | type | |"
    yield "|---|---|---|"
    found = list(MEMBER.finditer(code))
    if len(found) != code.count("/**"):
        raise SystemExit(f"{name}: a member cannot be read")
    for member in found:
        if is_enum:
            key, value = member["code"].split(" = ")
        elif pointer := FUNCTION_POINTER.match(member["code"]):
            kind, key, arguments = pointer.groups()
            value = f"`{kind} (*){' '.join(arguments.split())}`"
        else:
            value, key = member["code"].rsplit(" ", 1)
            value = f"`{value}{' *' * key.startswith('*')}`"
            key = key.lstrip("*")
        yield f"| `{key}` | {value} | {one_line(member['comment'])} |"


def described(name: str, comment: str, code: str) -> Iterable[str]:
    yield f"### {name}"
    yield ""
    if "{" in code:
        yield linked(plain(comment))
        yield ""
        yield from members(name, code)
    else:
        yield from ("```c", code, "```", "", linked(plain(comment)))
    yield ""


def own(header: str) -> Iterable[str]:
    """The page's part on frazil.h."""
    yield "## frazil.h"
    yield ""
    top = re.search(r"^/\*\n(?P<comment>.*?)\n \*/", header, flags=re.DOTALL)
    text = plain(top["comment"]).replace("\n\nThis file is generated: `make header`.", "")
    example = re.search(r"(?:^    .*\n)+", text, flags=re.MULTILINE)[0]
    lines = [line[4:] for line in example.splitlines()]
    yield text.replace(example, "\n".join(["```c", *lines, "```", ""]))
    yield ""
    left = dict(SECTIONS)
    for name, comment, code in items(header):
        if name in left:
            yield from (f"## {left.pop(name)}", "")
        yield from described(name, comment, code)
    if left:
        raise SystemExit(f"not in frazil.h any more: {', '.join(left)}")


def netcdf(header: str) -> Iterable[str]:
    """The page's part on frazil_netcdf.h: names only, for they mean what they mean in netCDF-C."""
    functions = re.findall(r"^#define (nc_\w+)\b.* frz_nc_", header, flags=re.MULTILINE)
    constants = set(re.findall(r"^#define (NC_\w+)", header, flags=re.MULTILINE))
    yield "## frazil_netcdf.h"
    yield ""
    yield NETCDF
    yield f"{len(functions)} functions and {len(constants)} constants (`NC_...`, netCDF's values):"
    yield ""
    yield from by_kind(functions)


KINDS = ("nc_put_", "nc_get_", "nc_def_", "nc_inq_")


def by_kind(functions: list[str]) -> Iterable[str]:
    """A table of names, by what they begin with."""
    yield "| | |"
    yield "|---|---|"
    for kind in (*KINDS, ""):
        chosen = [
            name
            for name in functions
            if (name.startswith(kind) if kind else not name.startswith(KINDS))
        ]
        label = f"`{kind}...`" if kind else "others"
        yield f"| {label} | {', '.join(f'`{name}`' for name in sorted(set(chosen)))} |"


def page(root: Path) -> str:
    header = (root / INCLUDE / "frazil.h").read_text()
    netcdf_header = (root / INCLUDE / "frazil_netcdf.h").read_text()
    lines = [HEAD, *own(header), *netcdf(netcdf_header)]
    return "\n".join(lines).rstrip("\n") + "\n"
