"""Refuse import cycles of more than three modules inside a crate.

    python scripts/module_cycles.py [WORKSPACE]

The modules directly under `src/` form one graph, and so do those directly in each folder. A file or
a folder is one module; `lib.rs`, `main.rs` and `mod.rs` are none. Module a points to b if code of a
names something of b: in a `use`, or by a path that begins with `crate`, `super` or `self`. What
only tests name does not count. A name that a `lib.rs` or `mod.rs` above hands on by `use` belongs
to the module that it comes from. Each cycle is printed by its edges, with the names that make them.
"""

import re
import sys
from collections import defaultdict
from dataclasses import dataclass, field
from pathlib import Path

ROOT = Path(__file__).resolve().parent.parent
LARGEST = 3

TOKEN = re.compile(
    r"""
    (?P<blank>\s+|//[^\n]*)
    |(?P<comment>/\*)
    |(?P<text>b?c?r(?P<hashes>\#*)".*?"(?P=hashes)|[bc]?"(?:\\.|[^"\\])*"|b?'(?:\\.[^']*|[^'\\])')
    |(?P<lifetime>'\w+)
    |(?P<word>(?:r\#)?\w+)
    |(?P<mark>::|.)
    """,
    re.S | re.X,
)
BEGINNINGS = {"crate", "super", "self"}

# A module by the names that lead to it from the root of its crate; a path in code.
Module = tuple[str, ...]
Names = tuple[str, ...]


def tokens(text: str) -> list[str]:
    """Words and marks of Rust code, without comments, texts and lifetimes."""
    found, place = [], 0
    while place < len(text):
        match = TOKEN.match(text, place)
        place = match.end()
        if match["comment"]:
            place = _end_of_comment(text, place)
        elif match["word"] or match["mark"]:
            found.append(match[0].removeprefix("r#"))
    return found


def _end_of_comment(text: str, place: int) -> int:
    """The place behind a block comment, which may hold others."""
    depth = 1
    for match in re.compile(r"/\*|\*/").finditer(text, place):
        depth += 1 if match[0] == "/*" else -1
        if depth == 0:
            return match.end()
    return len(text)


def without_tests(code: list[str]) -> list[str]:
    """Code without the items that are compiled for tests only."""
    kept, place = [], 0
    while place < len(code):
        if code[place] != "#" or code[place + 1 : place + 2] != ["["]:
            kept.append(code[place])
            place += 1
            continue
        end = _behind(code, place + 1)
        attribute = code[place:end]
        only_tests = attribute[2:4] == ["cfg", "("] and attribute[4:5] in (["test"], ["all"])
        if only_tests and "test" in attribute and "any" not in attribute and "not" not in attribute:
            place = _behind_item(code, end)
        else:
            place = end
    return kept


def _behind(code: list[str], place: int) -> int:
    """The place behind the bracket that opens at `place`."""
    depth = 0
    for index in range(place, len(code)):
        depth += code[index] in ("(", "[", "{")
        depth -= code[index] in (")", "]", "}")
        if depth == 0:
            return index + 1
    return len(code)


def _behind_item(code: list[str], place: int) -> int:
    """The place behind an item: its semicolon, or its body."""
    is_use = False
    while place < len(code):
        is_use |= code[place] == "use"
        if code[place] in ("(", "[", "{"):
            body = code[place] == "{" and not is_use
            place = _behind(code, place)
            if body:
                return place
        elif code[place] in (";", ",", "}"):
            return place + (code[place] != "}")
        else:
            place += 1
    return place


@dataclass
class Source:
    """What one module declares, brings into scope, and names."""

    children: set[str] = field(default_factory=set)
    in_scope: dict[str, Names] = field(default_factory=dict)
    everything_of: list[Names] = field(default_factory=list)
    named: set[Names] = field(default_factory=set)
    words: set[str] = field(default_factory=set)


class Crate:
    """The modules of a crate, found by their declarations from `lib.rs` and `main.rs` on."""

    def __init__(self, folder: Path) -> None:
        self.sources: dict[Module, Source] = defaultdict(Source)
        for name in ("lib.rs", "main.rs"):
            if (folder / name).is_file():
                self._read((), folder / name, folder)

    def _read(self, module: Module, file: Path, folder: Path) -> None:
        """Read a module, and all that it declares; the files of these lie in `folder`."""
        code = without_tests(tokens(file.read_text()))
        for child in self._read_code(module, code):
            place = folder.joinpath(*child[len(module) :])
            candidates = (place.with_suffix(".rs"), place / "mod.rs")
            for candidate in filter(Path.is_file, candidates):
                self._read(child, candidate, place)

    def _read_code(self, module: Module, code: list[str]) -> list[Module]:
        """Note what the code of a module says; returns the modules that have files of their own."""
        declared = []
        # Modules that are open at this place, and the depth of brackets at which each ends.
        open_modules, depth, place = [(module, 0)], 0, 0
        while place < len(code):
            inside = open_modules[-1][0]
            source = self.sources[inside]
            word, after = code[place], code[place + 1 : place + 3]
            if word == "mod" and after[1:] in ([";"], ["{"]):
                source.children.add(after[0])
                if after[1] == ";":
                    declared.append((*inside, after[0]))
                else:
                    open_modules.append(((*inside, after[0]), depth))
                    depth += 1
                place += 3
                continue
            # `use<'a>` in a type brings nothing into scope.
            if word == "use" and after[:1] != ["<"]:
                place = self._read_use(inside, source, code, place + 1)
                continue
            if _is_start(code, place):
                place = _read_path(inside, source, code, place)
                continue
            source.words.add(word)
            depth += (word == "{") - (word == "}")
            if word == "}" and len(open_modules) > 1 and open_modules[-1][1] == depth:
                open_modules.pop()
            place += 1
        return declared

    def _read_use(self, module: Module, source: Source, code: list[str], place: int) -> int:
        """Note what a `use` brings into scope; returns the place behind it."""
        end = code.index(";", place)
        for path, name in _use_tree(code[place:end]):
            whole = _absolute(module, path)
            if name == "*":
                source.everything_of.append(whole)
            elif name != "_":
                source.in_scope[name] = whole
            source.named.add(whole)
        return end + 1

    def target(self, origin: Module, path: Names, steps: int = 16) -> tuple[Module, Names]:
        """The module that a path leads to, seen from `origin`, and the names behind it."""
        module: Module = ()
        for place, name in enumerate(path):
            source = self.sources[module]
            if name in source.children:
                module = (*module, name)
                continue
            # What another module hands on is that module's affair; what a folder that the origin
            # lies in hands on comes from one of its neighbours.
            if origin[: len(module)] == module and steps > 0:
                rest = path[place + 1 :]
                if name in source.in_scope and source.in_scope[name] != path:
                    return self.target(origin, source.in_scope[name] + rest, steps - 1)
            return module, path[place:]
        return module, ()

    def names_of(self, module: Module) -> set[Names]:
        """All paths that a module names, those behind a `*` included as far as can be told."""
        source = self.sources[module]
        names = set(source.named)
        for everything in source.everything_of:
            offered = self.sources[everything]
            scope = offered.in_scope.keys() | offered.children
            names |= {(*everything, name) for name in source.words & scope}
        return names

    def graphs(self) -> dict[Module, dict[tuple[str, str], set[str]]]:
        """Of each folder the edges between its modules, with the names that make each."""
        graphs: dict[Module, dict] = defaultdict(lambda: defaultdict(set))
        for module in list(self.sources):
            for path in self.names_of(module):
                target, names = self.target(module, path)
                level = _common(module, target)
                if level < min(len(module), len(target)):
                    edge = (module[level], target[level])
                    name = "::".join((*target[level + 1 :], *names)) or "the module"
                    graphs[module[:level]][edge].add(name)
        return graphs


def _common(first: Module, second: Module) -> int:
    """How many names two paths have in common at their beginning."""
    pairs = zip(first, second, strict=False)
    return next((at for at, (a, b) in enumerate(pairs) if a != b), min(len(first), len(second)))


def _is_start(code: list[str], place: int) -> bool:
    """Whether a path begins here that says where it starts; that of `pub(in ...)` names nothing."""
    is_path = code[place] in BEGINNINGS and code[place + 1 : place + 2] == ["::"]
    before = code[max(place - 2, 0) : place]
    return is_path and before[-1:] != ["::"] and before != ["(", "in"]


def _absolute(module: Module, path: Names) -> Names:
    """A path from the root of the crate; one that begins with another name starts here."""
    if path[:1] == ("crate",):
        return path[1:]
    while path[:1] in (("self",), ("super",)):
        module = module[:-1] if path[0] == "super" else module
        path = path[1:]
    return (*module, *path)


def _read_path(module: Module, source: Source, code: list[str], place: int) -> int:
    """Note a path in code; returns the place behind it."""
    path = [code[place]]
    place += 1
    while code[place : place + 1] == ["::"] and re.match(r"\w", code[place + 1]):
        path.append(code[place + 1])
        place += 2
    source.named.add(_absolute(module, tuple(path)))
    return place


def _use_tree(code: list[str], beginning: Names = ()) -> list[tuple[Names, str]]:
    """The paths of a `use`, each with the name that it gets here; `*` for everything."""
    found = []
    for part in _parts(code):
        if "{" in part:
            brace = part.index("{")
            start = beginning + tuple(word for word in part[:brace] if word != "::")
            found += _use_tree(part[brace + 1 : -1], start)
            continue
        words = [word for word in part if word not in ("::", "*")]
        alias = words[-1] if "as" in words else None
        path = beginning + tuple(words[:-2] if alias else words)
        if len(path) > 1 and path[-1] == "self":
            path = path[:-1]
        found.append((path, "*" if "*" in part else alias or path[-1]))
    return found


def _parts(code: list[str]) -> list[list[str]]:
    """What commas outside of brackets divide; empty parts are left out."""
    parts: list[list[str]] = [[]]
    depth = 0
    for word in code:
        depth += (word == "{") - (word == "}")
        if word == "," and depth == 0:
            parts.append([])
        else:
            parts[-1].append(word)
    return [part for part in parts if part]


def components(edges: dict[tuple[str, str], set[str]]) -> list[set[str]]:
    """Groups of modules that all reach each other, by Tarjan's algorithm without recursion."""
    followers: dict[str, list[str]] = defaultdict(list)
    for start, end in sorted(edges):
        followers[start].append(end)
        followers[end] += []
    found: list[set[str]] = []
    number: dict[str, int] = {}
    lowest: dict[str, int] = {}
    open_nodes: list[str] = []
    for root in sorted(followers):
        path = [] if root in number else [(root, iter(followers[root]))]
        while path:
            node, rest = path[-1]
            if node not in number:
                number[node] = lowest[node] = len(number)
                open_nodes.append(node)
            follower = next(rest, None)
            if follower is None:
                path.pop()
                if path:
                    lowest[path[-1][0]] = min(lowest[path[-1][0]], lowest[node])
                if lowest[node] == number[node]:
                    first = open_nodes.index(node)
                    found.append(set(open_nodes[first:]))
                    del open_nodes[first:]
            elif follower not in number:
                path.append((follower, iter(followers[follower])))
            elif follower in open_nodes:
                lowest[node] = min(lowest[node], number[follower])
    return found


def cycles(folder: Path) -> list[str]:
    """What is wrong with a crate: one text for each component that is too large."""
    wrong = []
    for module, edges in sorted(Crate(folder / "src").graphs().items()):
        place = "/".join((folder.name, "src", *module))
        for component in components(edges):
            if len(component) <= LARGEST:
                continue
            lines = [f"{place}: {len(component)} modules form a cycle"]
            lines += [
                f"  {start} -> {end}: {', '.join(sorted(names))}"
                for (start, end), names in sorted(edges.items())
                if {start, end} <= component
            ]
            wrong.append("\n".join(lines))
    return wrong


def all_cycles(root: Path = ROOT) -> list[str]:
    """The cycles of all crates of a workspace."""
    crates = sorted(path.parent for path in (root / "crates").glob("*/Cargo.toml"))
    return [text for crate in crates for text in cycles(crate)]


def main(arguments: list[str]) -> int:
    """Print the cycles; the exit status is 1 if there is one."""
    wrong = all_cycles(Path(arguments[0]) if arguments else ROOT)
    for text in wrong:
        print(f"module_cycles: {text}", file=sys.stderr)
    return 1 if wrong else 0


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
