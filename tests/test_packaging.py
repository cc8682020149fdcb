"""Recipes name what exists: versions, targets, installed files; the release scripts are sound."""

import json
import re
import shutil
import subprocess
import sys
import tomllib
from pathlib import Path

import pytest
import yaml
from support.command import ROOT

PACKAGING = ROOT / "packaging"
VERSION = tomllib.loads((ROOT / "Cargo.toml").read_text())["workspace"]["package"]["version"]
TARGETS = re.findall(r"^([a-z-]+):", (ROOT / "Makefile").read_text(), flags=re.MULTILINE)
RECIPES = [
    PACKAGING / "spack/spack_repo/frazil/packages/frazil/package.py",
    PACKAGING / "conda/recipe.yaml",
    PACKAGING / "Containerfile",
    *PACKAGING.glob("easybuild/*.eb"),
]
MODULES = [PACKAGING / f"modulefiles/frazil/{VERSION}{ending}" for ending in ("", ".lua")]


@pytest.mark.parametrize("recipe", RECIPES, ids=lambda path: path.name)
def test_recipes_make_targets_that_exist(recipe: Path) -> None:
    text = recipe.read_text()
    named = re.findall(r"(?<![-\w])install-[a-z]+\b", text)
    named += (
        re.findall(r"^buildopts = '(.*)'", text, flags=re.MULTILINE)[0].split()
        if recipe.suffix == ".eb"
        else []
    )
    assert named
    assert set(named) <= set(TARGETS)


def test_recipes_have_the_version_of_the_sources() -> None:
    (easyconfig,) = PACKAGING.glob("easybuild/*.eb")
    assert easyconfig.name.startswith(f"frazil-{VERSION}-")
    assert f"version = '{VERSION}'" in easyconfig.read_text()
    recipe = yaml.safe_load((PACKAGING / "conda/recipe.yaml").read_text())
    # Conda has no hyphens in versions.
    assert recipe["context"]["version"] == VERSION.replace("-rc.", "rc")
    citation = yaml.safe_load((ROOT / "CITATION.cff").read_text())
    assert citation["version"] == VERSION
    for module in MODULES:
        assert f"/opt/frazil/{VERSION}" in module.read_text()


def test_recipes_need_the_rust_that_the_sources_need() -> None:
    needed = tomllib.loads((ROOT / "Cargo.toml").read_text())["workspace"]["package"][
        "rust-version"
    ]
    spack = (PACKAGING / "spack/spack_repo/frazil/packages/frazil/package.py").read_text()
    assert f"rust@{needed}:" in spack
    (easyconfig,) = PACKAGING.glob("easybuild/*.eb")
    found = re.search(r"\('Rust', '(\d+)\.(\d+)", easyconfig.read_text())
    assert tuple(map(int, found.groups())) >= tuple(map(int, needed.split(".")))


@pytest.mark.parametrize("module", MODULES, ids=lambda path: path.name)
def test_modules_name_what_is_installed(module: Path) -> None:
    scripts = "".join(path.read_text() for path in ROOT.glob("scripts/install-*"))
    scripts += (ROOT / "Makefile").read_text()
    text = module.read_text()
    folders = re.findall(r"\$root/([\w/]+)", text) + re.findall(r'root, "([\w/]+)"', text)
    assert {"bin", "lib", "lib/frazil/plugins", "share/man"} <= set(folders)
    for folder in folders:
        assert folder.split("/")[-1] in scripts, folder


@pytest.mark.skipif(not shutil.which("tclsh"), reason="tclsh runs the module")
def test_the_tcl_module_sets_paths(tmp_path: Path) -> None:
    """With stand-ins for the commands of Environment Modules."""
    script = tmp_path / "load.tcl"
    script.write_text(
        "proc module-whatis {text} {}\nproc conflict {name} {}\n"
        'proc prepend-path {name value} { puts "$name=$value" }\n'
        f"source {{{MODULES[0]}}}\n"
    )
    answer = subprocess.run(["tclsh", script], check=True, capture_output=True, text=True)
    assert f"PATH=/opt/frazil/{VERSION}/bin\n" in answer.stdout
    assert f"HDF5_PLUGIN_PATH=/opt/frazil/{VERSION}/lib/frazil/plugins\n" in answer.stdout


def test_the_list_of_what_is_linked_in_is_whole(tmp_path: Path) -> None:
    output = tmp_path / "frazil.cdx.json"
    command = [sys.executable, ROOT / "scripts/release/sbom.py", output]
    subprocess.run(command, check=True, capture_output=True)
    document = json.loads(output.read_text())
    assert (document["bomFormat"], document["specVersion"]) == ("CycloneDX", "1.5")
    parts = {part["name"]: part for part in document["components"]}
    assert {"hdf5-metno-src", "netcdf-src", "zstd-sys", "pyo3"} <= parts.keys()
    locked = tomllib.loads((ROOT / "Cargo.lock").read_text())["package"]
    checksums = {(one["name"], one["version"]): one.get("checksum") for one in locked}
    for part in document["components"]:
        assert part["licenses"][0]["expression"]
        assert part["hashes"][0]["content"] == checksums[part["name"], part["version"]]
    assert document["dependencies"][0]["dependsOn"] == [
        part["bom-ref"] for part in document["components"]
    ]


@pytest.mark.parametrize("script", ["build", "smoke-wheel", "smoke-tarball"])
def test_release_scripts_are_shell(script: str) -> None:
    subprocess.run(["bash", "-n", ROOT / "scripts/release" / script], check=True)


def test_the_workflow_runs_what_exists() -> None:
    workflow = yaml.safe_load((ROOT / ".github/workflows/ci.yml").read_text())
    steps = [step for job in workflow["jobs"].values() for step in job["steps"]]
    commands = [step["run"] for step in steps if "run" in step]
    for target in re.findall(r"make ([a-z-]+)", "\n".join(commands)):
        assert target in TARGETS
    for path in re.findall(r"(?:^|\s)((?:\.ci|scripts)/[\w/-]+)", "\n".join(commands)):
        assert (ROOT / path).is_file(), path


@pytest.mark.parametrize("form", ["fault", "request"])
def test_issue_forms_have_what_a_form_needs(form: str) -> None:
    text = (ROOT / f".github/ISSUE_TEMPLATE/{form}.yml").read_text()
    document = yaml.safe_load(text)
    assert document["name"] and document["description"]
    assert all(
        "label" in part["attributes"] or part["type"] == "markdown" for part in document["body"]
    )
