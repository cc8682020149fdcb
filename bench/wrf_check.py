"""Compares what WRF wrote through frazil with what it wrote through its own netCDF package."""

import shutil
from pathlib import Path

import netCDF4
from wrf_model import Model, Run, Way

STEPS = 20
REFERENCE = Way("io_form 2", 2)


def attributes(item: netCDF4.Dataset | netCDF4.Variable) -> dict[str, object]:
    """By name, with types and bytes."""
    values = {name: item.getncattr(name) for name in item.ncattrs()}
    return {
        name: value if isinstance(value, str) else (value.dtype.str, value.tobytes())
        for name, value in values.items()
    }


def of_whole(ours: netCDF4.Dataset, theirs: netCDF4.Dataset) -> list[str]:
    """Differences of dimensions and global attributes."""
    found = []
    for what, a, b in (
        ("dimensions", {n: len(d) for n, d in ours.dimensions.items()}, dict_of(theirs)),
        ("global attributes", attributes(ours), attributes(theirs)),
    ):
        differing = sorted(name for name in {*a, *b} if a.get(name) != b.get(name))
        if differing:
            found.append(f"{len(differing)} {what}: {' '.join(differing)}")
        elif list(a) != list(b):
            found.append(f"order of {what}")
    return found


def dict_of(file: netCDF4.Dataset) -> dict[str, int]:
    return {name: len(one) for name, one in file.dimensions.items()}


def of_variables(ours: netCDF4.Dataset, theirs: netCDF4.Dataset) -> list[str]:
    """Differences of variables: bits, types, dimensions, attributes, order."""
    missing = sorted({*ours.variables} ^ {*theirs.variables})
    found = [f"variables of one file only: {' '.join(missing)}"] if missing else []
    values, described = [], {}
    for name in (name for name in theirs.variables if name in ours.variables):
        a, b = ours[name], theirs[name]
        is_alike = (a.dtype, a.dimensions, a.shape) == (b.dtype, b.dimensions, b.shape)
        if not is_alike or a[:].tobytes() != b[:].tobytes():
            values.append(name)
        first, second = attributes(a), attributes(b)
        for one in {*first, *second}:
            if first.get(one) != second.get(one):
                described.setdefault(one, []).append(name)
    if values:
        found.append(f"values of {len(values)} variables: {' '.join(values)}")
    for one, names in sorted(described.items()):
        found.append(f"attribute {one} of {len(names)} variables")
    if not missing and list(ours.variables) != list(theirs.variables):
        found.append("order of variables")
    return found


def differences(ours: Path, theirs: Path) -> list[str]:
    with netCDF4.Dataset(ours) as a, netCDF4.Dataset(theirs) as b:
        a.set_auto_maskandscale(False)
        b.set_auto_maskandscale(False)
        return [*of_whole(a, b), *of_variables(a, b)]


def count(path: Path) -> str:
    with netCDF4.Dataset(path) as data:
        return f"{len(data.variables)} variables, {len(data.dimensions['Time'])} frames"


def compare(ours: Run, theirs: Run, kind: str) -> tuple[str, str]:
    """What was compared, and what differs."""
    paths = sorted(ours.folder.glob(f"{kind}_d01_*"))
    others = sorted(theirs.folder.glob(f"{kind}_d01_*"))
    paths, others = ([p for p in some if not p.is_symlink()] for some in (paths, others))
    names, wanted = [p.name for p in paths], [p.name for p in others]
    if names != wanted or not names:
        return "", f"{kind} files: {names}, wanted {wanted}"
    found = [one for a, b in zip(paths, others, strict=True) for one in differences(a, b)]
    return f"{len(paths)} {kind}: {count(others[0])}", "; ".join(found) or "nothing"


def run(model: Model, way: Way, tasks: int, steps: int, continued: Run | None = None) -> Run:
    """From the start, with a frame and a restart file half way and at the end; or from the restart
    file of another run that is half way."""
    began, half = model.started_from, steps // 2 * model.step_s
    name = f"check-{way.io_form}-{tasks}"
    settings = way.settings() | {"io_form_restart": way.io_form}
    settings["restart_interval_s"] = half
    if continued is None:
        return model.run(
            name, tasks, 2 * half, settings, frame_s=half, environment=way.environment()
        )
    start = model.folder / "start"
    files = sorted(continued.folder.glob("wrfrst_d01_*"))
    kept = [one for one in files if not one.is_symlink()][:1]
    lent = [start / one.name for one in kept if not (start / one.name).exists()]
    for one in lent:
        shutil.copyfile(continued.folder / one.name, one)
    try:
        model.started_from = began + half
        return model.run(
            f"{name}-continued", tasks, half, settings, frame_s=half,
            environment=way.environment(),
        )  # fmt: skip
    finally:
        model.started_from = began
        for one in lent:
            one.unlink()


def row(what: str, way: Way, tasks: int, said: tuple[str, str]) -> dict[str, object]:
    print(f"  {what:26} {way.name:22} {tasks} tasks: {said[0]}; differs: {said[1]}", flush=True)
    return {
        "what": what, "way": way.name, "tasks": tasks, "compared": said[0],
        "differs": said[1], "missed": "" if said[1] == "nothing" else "equality",
    }  # fmt: skip


def check(
    model: Model, ways: list[Way], tasks: tuple[int, ...], steps: int
) -> list[dict[str, object]]:
    """Every way beside io_form 2, with as many tasks; then continued from its restart file."""
    rows = []
    for number in tasks:
        reference = run(model, REFERENCE, number, steps)
        after = run(model, REFERENCE, number, steps, reference)
        for way in ways:
            ours = run(model, way, number, steps)
            rows.append(row("history", way, number, compare(ours, reference, "wrfout")))
            rows.append(row("restart files", way, number, compare(ours, reference, "wrfrst")))
            # The slot 8 cannot be read with several tasks: WRF's own package reads its file.
            reads = REFERENCE if way.io_form == 8 and number > 1 else way
            again = run(model, reads, number, steps, ours)
            rows.append(row("continued", way, number, compare(again, after, "wrfout")))
    return rows
