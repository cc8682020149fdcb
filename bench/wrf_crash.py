"""Kills WRF while it writes through frazil, and lets its disk get full; looks at what is left."""

import shutil
import subprocess
from pathlib import Path

import netCDF4
from wrf_model import LOG, STEP_S, Model, Run

FRAMES, RESTART_FRAMES = 8, 3
FRAME_S = STEP_S


def records_equal(ours: Path, theirs: Path) -> tuple[int, str]:
    """How many frames a file has, and which variables differ from those of a whole run."""
    with netCDF4.Dataset(ours) as a, netCDF4.Dataset(theirs) as b:
        a.set_auto_maskandscale(False)
        b.set_auto_maskandscale(False)
        count = len(a.dimensions["Time"])
        differing = [
            name
            for name in b.variables
            if name not in a.variables or a[name][:].tobytes() != b[name][:count].tobytes()
        ]
    return count, " ".join(differing) or "nothing"


def settings(model: Model) -> dict[str, object]:
    return {
        "io_form_history": model.io_form,
        "io_form_restart": model.io_form,
        "restart_interval_s": RESTART_FRAMES * FRAME_S,
    }


def run(model: Model, name: str, tasks: int, killed_after: float | None = None) -> Run:
    return model.run(
        name, tasks, FRAMES * FRAME_S, settings(model), frame_s=FRAME_S, must_end=False,
        killed_after=killed_after,
    )  # fmt: skip


def whole_restarts(killed: Run) -> list[Path]:
    """Restart files that were complete when the run was killed."""
    kept = []
    for path in sorted(killed.folder.glob("wrfrst_d01_*")):
        try:
            with netCDF4.Dataset(path) as data:
                if not path.is_symlink() and len(data.dimensions["Time"]) == 1:
                    kept.append(path)
        except OSError:
            continue
    return kept


def go_on(model: Model, killed: Run, tasks: int, whole: Run) -> str:
    """Starts again from the last restart file, and appends; what differs in the end."""
    kept = whole_restarts(killed)
    if not kept:
        return "not begun again: no restart file yet"
    last, began = kept[-1], model.started_from
    hour, minute, second = (int(one) for one in last.name[-8:].split(":"))
    at = hour * 3600 + minute * 60 + second
    lent = model.folder / "start" / last.name
    shutil.copyfile(last, lent)
    output = killed.outputs[0]
    rest = began + FRAMES * FRAME_S - at
    try:
        model.started_from = at
        chosen = {**settings(model), "history_outname": f"'{output}'"}
        model.run(
            f"{killed.folder.name}-again", tasks, rest, chosen, frame_s=FRAME_S,
            environment={"FRAZIL_OPTIONS": "append=1"},
        )  # fmt: skip
    finally:
        model.started_from = began
        lent.unlink()
    count, differs = records_equal(output, whole.outputs[0])
    return f"begun again from {last.name[-8:]}: {count} frames, differs: {differs}"


def kills(model: Model, tasks: int, instants: int) -> list[dict[str, object]]:
    """Kills the run at instants between its start and its end."""
    whole = run(model, f"whole-{tasks}", tasks)
    rows = []
    for number in range(instants):
        after = whole.wall * (number + 0.7) / instants
        killed = run(model, f"killed-{tasks}-{number}", tasks, after)
        said = (killed.folder / LOG).read_text("latin-1") if killed.outputs else ""
        printed = said.count("Timing for Writing wrfout")
        row = {"what": f"killed after {after:.1f} s", "tasks": tasks, "frames_said": printed}
        if not killed.outputs:
            rows.append({**row, "frames": 0, "differs": "no file yet", "again": ""})
            continue
        try:
            count, differs = records_equal(killed.outputs[0], whole.outputs[0])
        except OSError as error:
            count, differs = -1, str(error)
        again = go_on(model, killed, tasks, whole)
        rows.append({**row, "frames": count, "differs": differs, "again": again})
        print(f"  {rows[-1]}", flush=True)
    return rows


def full_disk(model: Model, tasks: int, megabytes: int) -> dict[str, object]:
    """History on a small file system; what the model says, and which frames are whole."""
    small = model.folder / "small"
    small.mkdir(exist_ok=True)
    mount = ["mount", "-t", "tmpfs", "-o", f"size={megabytes}m", "tmpfs", small]
    subprocess.run([str(word) for word in mount], check=True)
    try:
        output = small / "wrfout_d01_full"
        chosen = {**settings(model), "restart_interval_s": 0, "history_outname": f"'{output}'"}
        ended = model.run(
            f"full-{tasks}", tasks, FRAMES * FRAME_S, chosen, frame_s=FRAME_S, must_end=False
        )
        logs = [path.read_text("latin-1") for path in ended.folder.glob("rsl.error.*")]
        lines = [line.replace(f"{small}/", "") for log in logs for line in log.splitlines()]
        said = sorted({line for line in lines if "frazil:" in line})
        whole = run(model, f"whole-{tasks}", tasks)
        count, differs = records_equal(output, whole.outputs[0])
    finally:
        subprocess.run(["umount", str(small)], check=True)
    row = {
        "what": f"disk of {megabytes} MB", "tasks": tasks,
        "frames_said": len(ended.frames), "frames": count, "differs": differs,
        "again": " | ".join(said) + (" | SUCCESS" if "SUCCESS" in "".join(logs) else ""),
    }  # fmt: skip
    print(f"  {row}", flush=True)
    return row
