"""Collects the licence texts of everything that is linked into the command, or other packages.

    python scripts/third_party_notices.py OUTPUT [PACKAGE]

Whoever ships a frazil binary ships this file with it.
"""

import json
import re
import sys
from pathlib import Path

from check_dependencies import LICENCE_FILES, ROOT, cargo

TEXT_NAME = re.compile(r"(licen[cs]e|copying|copyright|notice|unlicense)", re.IGNORECASE)

# C libraries that come inside a crate, with texts of their own.
BUNDLED = {
    "hdf5-metno-src": ["ext/hdf5/LICENSE"],
    "netcdf-src": ["source/COPYRIGHT"],
}


def linked_packages(package: str) -> list[dict]:
    """Foreign packages in one of ours, build-time tools left out, by name."""
    tree = cargo("tree", f"--package={package}", "--edges=normal", "--prefix=none", "--format={p}")
    words = [line.split() for line in tree.splitlines() if line]
    names = {(name, version.removeprefix("v")) for name, version, *_ in words}
    packages = json.loads(cargo("metadata", "--format-version=1"))["packages"]
    linked = [one for one in packages if (one["name"], one["version"]) in names and one["source"]]
    # Source crates are built by build scripts, yet what they hold is linked in.
    linked += [one for one in packages if one["name"] in BUNDLED and one not in linked]
    return sorted(linked, key=lambda one: (one["name"], one["version"]))


def licence_texts(package: dict) -> list[tuple[str, str]]:
    """Name and content of the licence files of a package, nested C sources included."""
    folder = Path(package["manifest_path"]).parent
    paths = [folder / name for name in BUNDLED.get(package["name"], [])]
    for depth in ("*", "*/*", "*/*/*"):
        paths += [path for path in sorted(folder.glob(depth)) if TEXT_NAME.match(path.name)]
    unique = dict.fromkeys(path for path in paths if path.is_file() and path.suffix != ".rs")
    texts = [(str(path.relative_to(folder)), path.read_text(errors="replace")) for path in unique]
    return [(name, text) for name, text in texts if len(text) > 200]


def main(output: str, package: str = "frazil-cli") -> int:
    lines = ["frazil is linked with the libraries below. Their licences:\n"]
    packages = linked_packages(package)
    for package in packages:
        licence = package["license"] or LICENCE_FILES[package["name"]]
        lines.append(f"\n{'=' * 100}\n{package['name']} {package['version']} ({licence})")
        lines.append(f"{package['repository'] or ''}\n{', '.join(package['authors'])}\n")
        for name, text in licence_texts(package):
            lines.append(f"--- {name}\n{text.strip()}\n")
    target = ROOT / output
    target.parent.mkdir(parents=True, exist_ok=True)
    target.write_text("\n".join(lines))
    print(f"{output}: {len(packages)} libraries, {target.stat().st_size // 1024} KiB")
    return 0


if __name__ == "__main__":
    sys.exit(main(*sys.argv[1:]))
