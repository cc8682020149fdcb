"""Checks the dependency law on `cargo metadata`: edges, doors, licences, sources.

The law is docs/architecture.md. A crate or an edge that is not named here is refused, so that a
new one is a decision and not an accident. Cycles of modules inside a crate are refused as well
(module_cycles.py).
"""

import json
import re
import subprocess
import sys
from pathlib import Path

from module_cycles import all_cycles

ROOT = Path(__file__).resolve().parent.parent

# What all that works on files may name: the two legs, and where they meet.
TRANSFORM = {"frazil-types", "frazil-codec", "frazil-plan", "frazil-pipeline"}
LEGS = TRANSFORM | {"frazil-container"}
FILES = LEGS | {"frazil-file", "frazil-precision"}

# Our crates, and which of our crates each may name (tests and build scripts included).
# "*" is for leaves, which nothing depends on.
ALLOWED_EDGES = {
    "frazil-features": set(),
    "frazil-types": {"frazil-features"},
    "frazil-codec": {"frazil-types"},
    "frazil-plan": {"frazil-types", "frazil-codec"},
    "frazil-signals": set(),
    "frazil-pipeline": {"frazil-types", "frazil-codec", "frazil-signals"},
    "frazil-plugin": {"frazil-types", "frazil-codec"},
    "frazil-hdf5": {"frazil-types"},
    "frazil-container": {"frazil-types", "frazil-hdf5"},
    "frazil-file": LEGS - {"frazil-plan"},
    "frazil-remote": {"frazil-types", "frazil-hdf5", "frazil-file", "frazil-signals"},
    "frazil-precision": LEGS | {"frazil-file"},
    "frazil-options": FILES - {"frazil-codec", "frazil-pipeline"},
    "frazil-read": FILES - {"frazil-precision"} | {"frazil-options"},
    "frazil-verify": FILES - {"frazil-plan"},
    # Its tests make files with frazil-tools.
    "frazil-repack": FILES | {"frazil-options", "frazil-verify", "frazil-tools"},
    "frazil-write": FILES | {"frazil-options"},
    "frazil-netcdf": FILES | {"frazil-options", "frazil-read", "frazil-write"},
    "frazil-tools": FILES | {"frazil-write"},
    "frazil-cloud": {
        "frazil-types",
        "frazil-hdf5",
        "frazil-container",
        "frazil-file",
        "frazil-read",
    },
    "frazil": FILES - {"frazil-codec"}
    | {"frazil-cloud", "frazil-netcdf", "frazil-options", "frazil-read", "frazil-repack"}
    | {"frazil-signals", "frazil-tools", "frazil-verify", "frazil-write"},
    "frazil-figures": {"frazil"},
    "frazil-train": {"frazil", "frazil-plan", "frazil-types"},
    "frazil-cli": {"frazil", "frazil-figures", "frazil-remote", "frazil-train"},
    "frazil-capi": {"frazil"},
    # What goes into other people's programs holds as little as can be.
    "frazil-interpose": set(),
    "frazil-preload": {"frazil-interpose", "frazil-signals"},
    "frazil-preload-hdf5": {"frazil-interpose", "frazil-types", "frazil-codec", "frazil-pipeline"},
    "frazil-preload-zlib": {"frazil-interpose"},
    "frazil-python": {"frazil", "frazil-remote"},
    "frazil-bench": {"*"},
}

# Leaves: no other crate may depend on them, except where named (for tests only).
LEAVES = {"frazil-cli", "frazil-capi", "frazil-python", "frazil-plugin", "frazil-bench"} | {
    "frazil-preload",
    "frazil-preload-hdf5",
    "frazil-preload-zlib",
}

# Foreign crates that only the named crates may depend on directly.
DOORS = {
    "hdf5-metno-sys": {"frazil-container", "netcdf-sys", "netcdf-src"},
    "hdf5-metno-src": {"hdf5-metno-sys", "netcdf-src"},
    "netcdf-sys": {"frazil-container"},
    "netcdf-src": {"netcdf-sys"},
    "crossbeam-channel": {"frazil-pipeline"},
    "clap": {"frazil-cli", "frazil-bench", "clap_complete", "clap_mangen"},
    "indicatif": {"frazil-cli"},
    "sha2": {"frazil-cli"},
    "png": {"frazil-figures"},
    "colorous": {"frazil-figures"},
    "smartcore": {"frazil-train"},
    "pyo3": {"frazil-python", "numpy"},
    "numpy": {"frazil-python"},
    # The network: one crate knows it.
    "object_store": {"frazil-remote"},
    "reqwest": {"frazil-remote", "object_store"},
    "tokio": {
        "frazil-remote",
        "h2",
        "hyper",
        "hyper-rustls",
        "hyper-util",
        "object_store",
        "reqwest",
        "tokio-rustls",
        "tokio-util",
        "tower",
        "tower-http",
        "wasm-bindgen-futures",
    },
    # Threads belong to frazil-pipeline, which takes them from std; nothing else is asynchronous.
    "rayon": set(),
    "rayon-core": set(),
    "threadpool": set(),
    "aws-lc-sys": set(),
    "openssl-sys": set(),
    "curl-sys": set(),
}

LICENCES = {
    "0BSD",
    "Apache-2.0",
    "Apache-2.0 WITH LLVM-exception",
    "BSD-2-Clause",
    "BSD-3-Clause",
    # Of certificates, on systems that have none of their own.
    "CDLA-Permissive-2.0",
    "ISC",
    "MIT",
    "Unicode-3.0",
    "Unicode-DFS-2016",
    "Zlib",
}

# Crates that name a licence file instead of a licence; what the file is.
LICENCE_FILES = {"hdf5-metno-src": "BSD-3-Clause", "netcdf-src": "BSD-3-Clause"}

REGISTRY = "registry+https://github.com/rust-lang/crates.io-index"


def cargo(*arguments: str) -> str:
    """What a cargo command prints, from what is fetched already."""
    command = ["cargo", *arguments, "--offline", "--locked"]
    answer = subprocess.run(command, cwd=ROOT, capture_output=True, text=True)
    if answer.returncode != 0:
        sys.exit(f"check_dependencies: {answer.stderr}Run 'cargo fetch --locked' first.")
    return answer.stdout


def built_packages() -> set[tuple[str, str]]:
    """Name and version of everything that is built on some target with default features.

    Cargo's metadata also lists optional crates that no build contains, hence `cargo tree`.
    """
    tree = cargo(
        "tree", "--workspace", "--target=all", "--edges=all", "--prefix=none", "--format={p}"
    )
    words = [line.split() for line in tree.splitlines() if line]
    return {(name, version.removeprefix("v")) for name, version, *_ in words}


def licence_allowed(expression: str) -> bool:
    """Whether an SPDX expression can be met with allowed licences only."""
    # The old style writes MIT/Apache-2.0 for a choice.
    expression = expression.replace("/", " OR ")
    words = re.findall(r"[()]|[^\s()]+(?:\s+WITH\s+[^\s()]+)?", expression)
    return _any_of(words)


def _any_of(words: list[str]) -> bool:
    """Terms joined by OR; consumes `words`."""
    result = _all_of(words)
    while words and words[0] == "OR":
        words.pop(0)
        result = _all_of(words) or result
    return result


def _all_of(words: list[str]) -> bool:
    """Terms joined by AND; consumes `words`."""
    result = _term(words)
    while words and words[0] == "AND":
        words.pop(0)
        result = _term(words) and result
    return result


def _term(words: list[str]) -> bool:
    """One licence or a bracket; consumes `words`."""
    if not words:
        return False
    word = words.pop(0)
    if word != "(":
        return " ".join(word.split()) in LICENCES
    result = _any_of(words)
    if words and words[0] == ")":
        words.pop(0)
    return result


def check_edges(package: dict, ours: set[str]) -> list[str]:
    """Edges from one of our crates to another."""
    name = package["name"]
    if name not in ALLOWED_EDGES:
        return [f"{name}: not in the law; add it to ALLOWED_EDGES and docs/architecture.md"]
    allowed = ALLOWED_EDGES[name]
    wrong = []
    for dependency in package["dependencies"]:
        target = dependency["name"]
        if target not in ours:
            continue
        # A crate may name itself in its own tests.
        if dependency["kind"] == "dev" and target == name:
            continue
        if target in LEAVES or (target not in allowed and "*" not in allowed):
            wrong.append(f"{name} may not depend on {target}")
    return wrong


def check_doors(package: dict) -> list[str]:
    """Direct dependencies on foreign crates that have a door."""
    name = package["name"]
    return [
        f"{name} may not depend on {dependency['name']} directly"
        for dependency in package["dependencies"]
        if dependency["kind"] != "dev" and name not in DOORS.get(dependency["name"], {name})
    ]


def check_origin(package: dict) -> list[str]:
    """Licence and source of a foreign crate."""
    label = f"{package['name']} {package['version']}"
    wrong = []
    licence = package["license"] or LICENCE_FILES.get(package["name"])
    if not licence or not licence_allowed(licence):
        wrong.append(f"{label}: licence {licence or 'unknown'} is not on the list")
    if package["source"] != REGISTRY:
        wrong.append(f"{label}: comes from {package['source']}, not from crates.io")
    return wrong


def check_doors_of_foreign(node: dict, packages: dict[str, dict], built: set[str]) -> list[str]:
    """Doors for a foreign crate, by what is resolved (it declares much that it does not use)."""
    name = packages[node["id"]]["name"]
    wrong = []
    for dependency in node["deps"]:
        target = packages[dependency["pkg"]]["name"]
        only_for_tests = {kind["kind"] for kind in dependency["dep_kinds"]} == {"dev"}
        if only_for_tests or dependency["pkg"] not in built:
            continue
        if name not in DOORS.get(target, {name}):
            wrong.append(f"{name} brings in {target}, which has no business here")
    return wrong


def main() -> int:
    data = json.loads(cargo("metadata", "--format-version=1"))
    packages = {package["id"]: package for package in data["packages"]}
    names = built_packages()
    built = {key for key, one in packages.items() if (one["name"], one["version"]) in names}
    members = set(data["workspace_members"])
    ours = {packages[key]["name"] for key in members}
    wrong: list[str] = []
    for key in sorted(members):
        wrong += check_edges(packages[key], ours) + check_doors(packages[key])
    for key in sorted(built - members):
        wrong += check_origin(packages[key])
    for node in data["resolve"]["nodes"]:
        if node["id"] in built - members:
            wrong += check_doors_of_foreign(node, packages, built)
    wrong += all_cycles()
    for line in wrong:
        print(f"check_dependencies: {line}", file=sys.stderr)
    if not wrong:
        print(
            f"check_dependencies: {len(members)} of our crates, {len(built - members)} others: fine"
        )
    return 1 if wrong else 0


if __name__ == "__main__":
    sys.exit(main())
