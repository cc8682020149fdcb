"""The reference of the Python package: its docstrings, in the order of the page."""

import ast
import re
from collections.abc import Iterable, Iterator
from pathlib import Path

PACKAGE = Path("python/frazil")

# Headings, and what stands under each: module, names.
SECTIONS = {
    "Whole files": [
        ("operations", ["pack", "plan", "unpack", "info", "verify", "analyze", "recover", "about"]),
        ("cluster_pack", ["pack_files"]),
        ("verify_many", ["verify_files"]),
    ],
    "Writing": [("xarray_write", ["to_netcdf"]), ("writer", ["Writer", "VariableWriter"])],
    "Reading": [
        ("xarray_engine", ["FrazilBackendEntrypoint"]),
        ("file", ["open", "File", "Group", "Variable", "read_stats", "set_read_budget"]),
    ],
    "Reports": [
        (
            "reports",
            [
                *["PackReport", "VariableReport", "WritePlan", "WriterReport", "FileInfo"],
                *["VariableInfo", "VerifyReport", "AnalyzeReport", "RecoverReport"],
            ],
        )
    ],
    "Values in memory": [("memory", ["compress", "decompress"])],
    "Progress": [("progress", ["Progress", "ProgressBar"])],
    "Errors": [("errors", None)],
}

HEAD = """# The Python package

All of this is in the module `frazil`; exceptions are in `frazil.errors`.
[frazil for Python](python.md) explains how to use it.

<!-- Written by scripts/make_reference.py from the docstrings. -->
"""

ROLE = re.compile(r":\w+:`~?([^`]+)`")
UNDERLINE = re.compile(r"^(?P<name>[A-Z]\w+)\n-{3,}\n", flags=re.MULTILINE)
# What a class gets from Python or from xarray's protocol, and is not called by name.
UNNAMED = re.compile(r"^_")

Definition = ast.FunctionDef | ast.ClassDef


def plain(text: str) -> str:
    """A docstring's inline markup in Markdown."""
    return ROLE.sub(r"`\1`", text).replace("``", "`")


def one_line(text: str) -> str:
    return " ".join(plain(text).split()).replace("|", "\\|")


def parts_of(docstring: str) -> tuple[str, list[tuple[str, str]]]:
    """What comes before the sections of a docstring, and the sections."""
    head, *rest = UNDERLINE.split(docstring)
    return head.strip(), list(zip(rest[::2], rest[1::2], strict=True))


def entries(section: str) -> Iterator[tuple[str, str, str]]:
    """Name, type and text of the entries of a section."""
    for entry in re.split(r"^(?=\S)", section, flags=re.MULTILINE):
        if entry.strip():
            head, _, text = entry.partition("\n")
            name, _, kind = head.partition(" : ")
            yield name.strip(), kind.strip(), one_line(text)


def described(docstring: str) -> Iterable[str]:
    head, sections = parts_of(docstring)
    yield from (plain(head), "")
    for name, text in sections:
        if name in ("Notes", "Examples"):
            yield from (plain(re.sub(r"^    ", "", text, flags=re.MULTILINE)).strip(), "")
            continue
        rows = list(entries(text))
        if name == "Parameters":
            yield from ("| parameter | | |", "|---|---|---|")
            yield from (f"| `{one}` | {one_line(kind)} | {text} |" for one, kind, text in rows)
        elif name == "Attributes":
            yield from ("| attribute | | |", "|---|---|---|")
            yield from (f"| `{one}` | {one_line(kind)} | {text} |" for one, kind, text in rows)
        else:
            for one, _, text in rows:
                yield from (f"{name} `{one}`{': ' if text else ''}{text}", "")
        yield ""


def is_property(node: ast.FunctionDef) -> bool:
    names = {one.id for one in node.decorator_list if isinstance(one, ast.Name)}
    return not names.isdisjoint({"property", "cached_property"})


def signature(node: ast.FunctionDef, name: str, is_method: bool) -> str:
    """A call as it may be written, on one line or on one for each parameter."""
    arguments = node.args
    plain_ones = [*arguments.posonlyargs, *arguments.args]
    missing = [None] * (len(plain_ones) - len(arguments.defaults))
    shown = [
        parameter(one, value)
        for one, value in zip(plain_ones, [*missing, *arguments.defaults], strict=True)
    ]
    if is_method and not any(ast.unparse(one) == "staticmethod" for one in node.decorator_list):
        shown = shown[1:]
    if arguments.vararg:
        shown.append(f"*{arguments.vararg.arg}")
    elif arguments.kwonlyargs:
        shown.append("*")
    pairs = zip(arguments.kwonlyargs, arguments.kw_defaults, strict=True)
    shown += [parameter(one, value) for one, value in pairs]
    if arguments.kwarg:
        shown.append(f"**{arguments.kwarg.arg}")
    returned = f" -> {ast.unparse(node.returns)}" if node.returns else ""
    line = f"{name}({', '.join(shown)}){returned}"
    if len(line) <= 88:
        return line
    return f"{name}(\n" + "".join(f"    {one},\n" for one in shown) + f"){returned}"


def parameter(one: ast.arg, default: ast.expr | None) -> str:
    kind = f": {ast.unparse(one.annotation)}" if one.annotation else ""
    if default is None:
        return one.arg + kind
    return f"{one.arg}{kind}{' = ' if kind else '='}{ast.unparse(default)}"


def of_function(node: ast.FunctionDef, name: str, level: str) -> Iterable[str]:
    docstring = ast.get_docstring(node)
    if docstring is None:
        raise SystemExit(f"{name} has no docstring")
    is_method = level == "####"
    yield from (f"{level} {name}", "")
    if not is_property(node):
        yield from ("```python", signature(node, name.rpartition(".")[2], is_method), "```", "")
    yield from described(docstring)


def fields_of(node: ast.ClassDef) -> Iterable[str]:
    """A table of the fields of a class of plain data."""
    fields = [one for one in node.body if isinstance(one, ast.AnnAssign)]
    if fields:
        yield from ("| attribute | |", "|---|---|")
        for one in fields:
            kind = ast.unparse(one.annotation).replace("|", "\\|")
            yield f"| `{ast.unparse(one.target)}` | `{kind}` |"
        yield ""


def of_class(node: ast.ClassDef) -> Iterable[str]:
    bases = ", ".join(ast.unparse(base) for base in node.bases)
    yield from (f"### {node.name}", "")
    methods = [one for one in node.body if isinstance(one, ast.FunctionDef)]
    made = next((one for one in methods if one.name == "__init__"), None)
    docstring = ast.get_docstring(node) or ""
    if made is not None and "Parameters\n---" in docstring:
        yield from ("```python", signature(made, node.name, True), "```", "")
    elif bases and "_" not in bases:
        yield from (f"`class {node.name}({bases})`", "")
    yield from described(docstring)
    yield from fields_of(node)
    for one in methods:
        if not UNNAMED.match(one.name) and ast.get_docstring(one):
            yield from of_function(one, f"{node.name}.{one.name}", "####")


def definitions(root: Path, module: str) -> dict[str, Definition]:
    tree = ast.parse((root / PACKAGE / f"{module}.py").read_text())
    kinds = (ast.FunctionDef, ast.ClassDef)
    return {one.name: one for one in tree.body if isinstance(one, kinds)}


def page(root: Path) -> str:
    lines = [HEAD]
    for title, modules in SECTIONS.items():
        lines += [f"## {title}", ""]
        for module, names in modules:
            found = definitions(root, module)
            public = [name for name, one in found.items() if isinstance(one, ast.ClassDef)]
            for name in names or [name for name in public if not UNNAMED.match(name)]:
                node = found[name]
                is_class = isinstance(node, ast.ClassDef)
                lines += of_class(node) if is_class else of_function(node, name, "###")
    return re.sub(r"\n{3,}", "\n\n", "\n".join(lines)).rstrip() + "\n"
