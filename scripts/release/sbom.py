"""Lists what a release is linked with, in CycloneDX's form: crates, their licences and checksums.

python scripts/release/sbom.py OUTPUT
"""

import json
import os
import subprocess
import sys
import tomllib
from datetime import UTC, datetime
from pathlib import Path

# The folder of the other scripts.
sys.path.insert(0, str(Path(__file__).resolve().parent.parent))
from check_dependencies import LICENCE_FILES, ROOT, cargo
from third_party_notices import BUNDLED, linked_packages

# Our packages that a release is made of.
SHIPPED = (
    "frazil-cli",
    "frazil-capi",
    "frazil-plugin",
    "frazil-preload",
    "frazil-preload-hdf5",
    "frazil-python",
)
SPECIFICATION = "1.5"
# The licence texts of C sources inside crates are in the notices.
INSIDE = {"hdf5-metno-src": "HDF5", "netcdf-src": "netCDF-C"}


def checksums() -> dict[tuple[str, str], str]:
    """What Cargo.lock knows of the crates' archives."""
    locked = tomllib.loads((ROOT / "Cargo.lock").read_text())["package"]
    return {(one["name"], one["version"]): one.get("checksum", "") for one in locked}


def purl(package: dict) -> str:
    return f"pkg:cargo/{package['name']}@{package['version']}"


def component(package: dict, checksum: str) -> dict:
    # `MIT/Apache-2.0` is an older way to write `MIT OR Apache-2.0`.
    licence = (package["license"] or LICENCE_FILES[package["name"]]).replace("/", " OR ")
    found = {
        "type": "library",
        "bom-ref": purl(package),
        "name": package["name"],
        "version": package["version"],
        "purl": purl(package),
        "licenses": [{"expression": licence}],
    }
    if checksum:
        found["hashes"] = [{"alg": "SHA-256", "content": checksum}]
    if package["name"] in BUNDLED:
        found["description"] = f"holds the sources of {INSIDE[package['name']]}"
    if package["repository"]:
        found["externalReferences"] = [{"type": "vcs", "url": package["repository"]}]
    return found


def commit_time() -> str:
    """The commit's: the same commit gives the same list."""
    stated = os.environ.get("SOURCE_DATE_EPOCH")
    if not stated:
        command = ["git", "log", "-1", "--format=%ct"]
        stated = subprocess.run(
            command, cwd=ROOT, check=True, capture_output=True, text=True
        ).stdout
    return datetime.fromtimestamp(int(stated), UTC).strftime("%Y-%m-%dT%H:%M:%SZ")


def main(output: str) -> int:
    metadata = json.loads(cargo("metadata", "--format-version=1", "--no-deps"))
    (facade,) = (one for one in metadata["packages"] if one["name"] == "frazil")
    linked = {purl(one): one for name in SHIPPED for one in linked_packages(name)}
    known = checksums()
    parts = [
        component(one, known.get((one["name"], one["version"]), "")) for one in linked.values()
    ]
    parts.sort(key=lambda part: part["bom-ref"])
    document = {
        "bomFormat": "CycloneDX",
        "specVersion": SPECIFICATION,
        "version": 1,
        "metadata": {
            "timestamp": commit_time(),
            "component": {
                "type": "application",
                "bom-ref": "frazil",
                "name": "frazil",
                "version": facade["version"],
                "licenses": [{"expression": facade["license"]}],
            },
        },
        "components": parts,
        "dependencies": [{"ref": "frazil", "dependsOn": [part["bom-ref"] for part in parts]}],
    }
    Path(output).write_text(json.dumps(document, indent=2) + "\n")
    print(f"{output}: {len(parts)} crates")
    return 0


if __name__ == "__main__":
    sys.exit(main(*sys.argv[1:]))
