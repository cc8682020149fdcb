"""Plans that people edit: followed where a file can, else refused in words that name the place."""

import json
from collections.abc import Callable
from pathlib import Path

import h5py
import netCDF4
import numpy as np
import pytest
from support import h5_compare
from support.command import DONE, FAILED, TROUBLE, frazil, pack

pytestmark = pytest.mark.sampled(one_in=2)

SHUFFLE = {"id": 2, "flags": 1, "cd_values": [4], "name": ""}
DEFLATE = {"id": 1, "flags": 1, "cd_values": [1], "name": ""}
BITSHUFFLE = {"id": 32008, "flags": 0, "cd_values": [], "name": "bitshuffle"}


@pytest.fixture(scope="module")
def field(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A variable that may grow, large enough for chunks with filters."""
    path = tmp_path_factory.mktemp("plan") / "field.nc"
    noise = np.random.default_rng(3).normal(0, 0.01, (40, 48, 72))
    with netCDF4.Dataset(path, "w") as file:
        for name, size in zip("abc", noise.shape, strict=True):
            file.createDimension(name, None if name == "a" else size)
        values = np.sin(np.linspace(0, 9, 72)) + noise
        file.createVariable("v", "f4", tuple("abc"), chunksizes=(1, 48, 72))[:] = values
    return path


def test_an_edited_plan_is_followed(field: Path, tmp_path: Path):
    plan, target = tmp_path / "plan.json", tmp_path / "packed.nc"
    assert frazil("plan", field, "--json", plan).code == DONE
    document = json.loads(plan.read_text())
    (of_v,) = [one for one in document["variables"] if one["path"] == "/v"]
    of_v["layout"]["chunk"] = [7, 11, 13]
    of_v["pipeline"] = [{"id": 1, "flags": 1, "cd_values": [9]}]
    of_v["deflate_encoder"] = None
    plan.write_text(json.dumps(document))
    pack(field, target, "--plan", plan, "--verify")
    with h5py.File(target) as file:
        assert file["v"].chunks == (7, 11, 13)
        assert file["v"].compression_opts == 9 and not file["v"].shuffle
    assert h5_compare.compare(field, target).differences == []


def test_a_plan_that_cannot_be_followed_is_refused(field: Path, tmp_path: Path):
    plan, target = tmp_path / "plan.json", tmp_path / "packed.nc"
    assert frazil("plan", field, "--json", plan).code == DONE
    text = plan.read_text()
    for change, word in (
        (lambda one: one["layout"].update(chunk=[7, 11]), "axes"),
        (lambda one: one["layout"].update(chunk=[0, 1, 1]), "at least 1"),
        (lambda one: one.update(layout={"kind": "contiguous"}), "may grow"),
        (lambda one: one["pipeline"].append(BITSHUFFLE), "bitshuffle: cannot follow a filter"),
        (lambda one: one.update(pipeline=[SHUFFLE, DEFLATE | {"cd_values": [77]}]), "from 0 to 9"),
    ):
        document = json.loads(text)
        change(next(one for one in document["variables"] if one["path"] == "/v"))
        plan.write_text(json.dumps(document))
        for dry in ((), ("--dry-run",)):
            outcome = frazil("pack", field, "-o", target, "--plan", plan, *dry)
            assert outcome.code == FAILED and "/v" in outcome.stderr and word in outcome.stderr, (
                outcome.stderr
            )
            assert "plan" in outcome.stderr and "hint: correct the plan" in outcome.stderr
            assert not target.exists()


def test_a_plan_wants_no_chunks_of_a_single_value(tmp_path: Path):
    source, plan = tmp_path / "in.nc", tmp_path / "plan.json"
    with netCDF4.Dataset(source, "w") as file:
        file.createVariable("height", "f8", ())[...] = 2
    assert frazil("plan", source, "--json", plan).code == DONE
    document = json.loads(plan.read_text())
    document["variables"][0]["layout"] = {"kind": "chunked", "chunk": []}
    plan.write_text(json.dumps(document))
    refused = frazil("pack", source, "-o", tmp_path / "out.nc", "--plan", plan)
    assert refused.code == FAILED and "/height: the plan wants chunks" in refused.stderr


@pytest.mark.parametrize(
    ("change", "said"),
    [
        (lambda plan, v: plan.update(layout="cmip8"), 'layout: "cmip8" is none of standard, cmip7'),
        (lambda plan, v: v["layout"].update(kind="compact"), "/v: layout.kind: "),
        (
            lambda plan, v: v.update(deflate_encoder={"encoder": "x"}),
            "/v: deflate_encoder.encoder:",
        ),
        (lambda plan, v: v.pop("pipeline"), "/v: `pipeline` is missing"),
        (lambda plan, v: plan["variables"].append(v), "/v: the plan cannot be followed: it names"),
        (lambda plan, v: v.update(pipeline=[DEFLATE | {"flags": 256}]), "/v: the plan cannot be"),
    ],
)
def test_what_is_wrong_in_a_plan_is_named(
    field: Path, tmp_path: Path, change: Callable[[dict, dict], None], said: str
):
    plan = tmp_path / "plan.json"
    assert frazil("plan", field, "--json", plan).code == DONE
    document = json.loads(plan.read_text())
    change(document, next(one for one in document["variables"] if one["path"] == "/v"))
    plan.write_text(json.dumps(document, indent=1))
    refused = frazil("pack", field, "-o", tmp_path / "out.nc", "--plan", plan)
    assert refused.code == TROUBLE and said in refused.stderr, refused.stderr
    assert "plan.json" in refused.stderr and "hint:" in refused.stderr


def test_a_plan_needs_no_words_for_people(field: Path, tmp_path: Path):
    plan, target = tmp_path / "plan.json", tmp_path / "packed.nc"
    assert frazil("plan", field, "--json", plan).code == DONE
    document = json.loads(plan.read_text())
    for one in document["variables"]:
        for key in ("reason", "copy_raw", "predicted_bytes", "deflate_encoder"):
            del one[key]
    plan.write_text(json.dumps(document))
    pack(field, target, "--plan", plan, "--verify")
    assert h5_compare.compare(field, target).differences == []
