"""Runs WRF's idealised supercell (em_quarter_ss) with one io_form after another."""

import contextlib
import os
import re
import shutil
import signal
import statistics
import subprocess
import time
from dataclasses import dataclass, field
from pathlib import Path

# Seconds of a time step, for the supercell's grid distance of 2 km.
STEP_S = 12
SQUALL_STEP_S = 3
# Of Open MPI; tasks that wait let others compute, as there may be more of them than cores.
LAUNCHER = (
    *("mpirun", "--oversubscribe", "--bind-to", "none"),
    *("--mca", "mpi_yield_when_idle", "1", "-np"),
)
# Where the model says that a frame was written, and where a task does.
WRITTEN = re.compile(r"Timing for Writing (\S+) for domain +\d+: +([\d.]+) elapsed seconds")
LOG = "rsl.error.0000"
END = "SUCCESS COMPLETE WRF"

SPARE_SLOTS = {"PHDF5": 4, "YYY": 8}


@dataclass
class Run:
    """What one run of the model took."""

    wall: float
    frames: list[float]
    output_bytes: int
    folder: Path

    @property
    def first(self) -> float:
        """Seconds of the first frame, which creates the file."""
        return self.frames[0] if self.frames else 0.0

    @property
    def later(self) -> float:
        """Median seconds of the other frames."""
        return statistics.median(self.frames[1:]) if self.frames[1:] else self.first

    @property
    def outputs(self) -> list[Path]:
        return sorted(self.folder.glob("wrfout_d01_*"))


@dataclass(frozen=True)
class Way:
    """How history is written."""

    name: str
    io_form: int
    options: str = ""
    is_classic: bool = False

    def settings(self) -> dict[str, object]:
        chosen: dict[str, object] = {"io_form_history": self.io_form}
        if self.is_classic:
            chosen["use_netcdf_classic"] = ".true."
        return chosen

    def environment(self) -> dict[str, str]:
        return {"FRAZIL_OPTIONS": self.options} if self.options else {}


def with_settings(namelist: str, settings: dict[str, object]) -> str:
    """A namelist with other values; names that it has not are put into &time_control."""
    added = ""
    for name, value in settings.items():
        line = f" {name:<35} = {value},"
        namelist, count = re.subn(
            rf"^ *{name} *=[^\n]*$", line, namelist, flags=re.MULTILINE | re.IGNORECASE
        )
        added += "" if count else f"{line}\n"
    return re.sub(r"(&time_control *\n)", rf"\1{added}", namelist, count=1)


def children(process: int) -> list[int]:
    """The processes that a process started, those first that they started."""
    found = []
    for path in Path("/proc").glob("[0-9]*/stat"):
        try:
            parent = int(path.read_text().rpartition(")")[2].split()[1])
        except OSError:
            continue
        if parent == process:
            found += [*children(int(path.parent.name)), int(path.parent.name)]
    return found


def kill_all(process: int) -> None:
    """Kills a process and what it started, as a power cut would end it."""
    for one in [*children(process), process]:
        with contextlib.suppress(ProcessLookupError):
            os.kill(one, signal.SIGKILL)


def clock(seconds: int) -> dict[str, int]:
    """A time from the start of the case, as the namelist says it."""
    hour, rest = divmod(seconds, 3600)
    minute, second = divmod(rest, 60)
    return {"start_hour": hour, "start_minute": minute, "start_second": second}


@dataclass
class Model:
    """A built WRF source tree, and a grid of the case."""

    tree: Path
    folder: Path
    points: int
    launcher: tuple[str, ...] = LAUNCHER
    name: str = "WRF"
    case: str = "em_quarter_ss"
    physics: dict[str, object] = field(default_factory=lambda: {"mp_physics": 6})
    started_from: int = 0

    def __post_init__(self) -> None:
        for program in ("wrf.exe", "ideal.exe"):
            if not (self.tree / "main" / program).exists():
                raise SystemExit(f"{self.tree}/main/{program} is missing: build WRF first")
        self.folder.mkdir(parents=True, exist_ok=True)

    @property
    def step_s(self) -> int:
        return SQUALL_STEP_S if "squall" in self.case else STEP_S

    @property
    def configured(self) -> str:
        return (self.tree / "configure.wrf").read_text("latin-1")

    def has(self, macro: str) -> bool:
        return re.search(rf"^[^#\n]*-D{macro}\b", self.configured, re.MULTILINE) is not None

    @property
    def io_form(self) -> int:
        """That of the package: its own number, else a spare slot."""
        registry = (self.tree / "Registry/Registry.EM_COMMON").read_text("latin-1")
        if self.has("FRAZIL_IO"):
            return int(re.search(r"io_frz +io_form_restart==(\d+)", registry)[1])
        for macro, number in SPARE_SLOTS.items():
            if self.has(macro):
                return number
        raise SystemExit(f"{self.tree} has no package of frazil: run wrf/install")

    def about(self) -> dict[str, str]:
        fortran = re.search(r"^FCOPTIM *= *(.*)$", self.configured, re.MULTILINE)
        version = (self.tree / "README").read_text("latin-1").splitlines()[0].strip()
        return {"wrf": f"{version}; {fortran[1].strip()}", "case": f"{self.case}, {self.points}"}

    def namelist(self, settings: dict[str, object]) -> str:
        shipped = (self.tree / "test" / self.case / "namelist.input").read_text()
        grid = {"e_we": self.points + 1, "e_sn": self.points + 1} if self.points else {}
        return with_settings(
            shipped, {**grid, "time_step": self.step_s, **self.physics, **settings}
        )

    def enter(self, name: str, settings: dict[str, object]) -> Path:
        """A folder of its own for a run, with what the model reads."""
        folder = self.folder / name
        shutil.rmtree(folder, ignore_errors=True)
        folder.mkdir()
        (folder / "namelist.input").write_text(self.namelist(settings))
        sounding = self.tree / "test" / self.case / "input_sounding"
        (folder / "input_sounding").symlink_to(sounding)
        at = ":".join(f"{number:02}" for number in clock(self.started_from).values())
        began = f"start/wrfrst_d01_*_{at}" if self.started_from else "start/wrfinput_d01"
        for one in self.folder.glob(began):
            (folder / one.name).symlink_to(one)
        return folder

    def command(self, program: str, tasks: int) -> list[str]:
        is_parallel = self.has("DM_PARALLEL")
        start = [*self.launcher, str(tasks)] if is_parallel else []
        return [*start, str(self.tree / "main" / program)]

    def start(
        self, folder: Path, program: str, tasks: int, environment: dict[str, str],
        killed_after: float | None = None,
    ) -> float:  # fmt: skip
        """Runs a program, and perhaps kills it after so many seconds; its wall seconds."""
        began = time.perf_counter()
        with (folder / "said").open("w") as said:
            process = subprocess.Popen(
                self.command(program, tasks),
                cwd=folder,
                stdout=said,
                stderr=subprocess.STDOUT,
                env={**os.environ, **environment},
            )
            try:
                process.wait(killed_after)
            except subprocess.TimeoutExpired:
                kill_all(process.pid)
                process.wait()
        return time.perf_counter() - began

    def log(self, folder: Path) -> str:
        name = LOG if (folder / LOG).exists() else "said"
        return (folder / name).read_text("latin-1")

    def make_input(self) -> None:
        """What all runs begin with: wrfinput."""
        folder = self.enter("input", {})
        self.start(folder, "ideal.exe", 1, {})
        made = folder / "wrfinput_d01"
        if not made.exists():
            raise SystemExit(f"ideal.exe made no wrfinput_d01: see {folder}")
        start = self.folder / "start"
        shutil.rmtree(start, ignore_errors=True)
        start.mkdir()
        made.rename(start / made.name)

    def spin_up(self, seconds: int, tasks: int) -> None:
        """Lets a storm grow, and keeps a restart file of it, from which all runs begin."""
        kept = [*self.folder.glob("start/wrfrst_d01_*")]
        if not kept:
            run = self.run("spin-up", tasks, seconds, {"restart_interval_s": seconds}, frame_s=0)
            kept = sorted(run.folder.glob("wrfrst_d01_*"))
            kept[-1].rename(self.folder / "start" / kept[-1].name)
        self.started_from = seconds

    def run(
        self, name: str, tasks: int, seconds: int, settings: dict[str, object], *,
        frame_s: int, environment: dict[str, str] | None = None, must_end: bool = True,
        killed_after: float | None = None,
    ) -> Run:  # fmt: skip
        """Computes so many seconds, with a frame of history every `frame_s` seconds (0: none)."""
        hours, rest = divmod(seconds, 3600)
        length = {"run_days": 0, "run_hours": hours, "run_minutes": rest // 60}
        settings = {
            **length,
            "run_seconds": rest % 60,
            "end_minute": 0,
            "end_hour": 24,
            **clock(self.started_from),
            "restart": ".true." if self.started_from else ".false.",
            # A restart file has the alarms of the run that wrote it.
            "override_restart_timers": ".true.",
            "restart_interval": 0,
            "history_interval": 0,
            "history_interval_s": frame_s,
            "frames_per_outfile": 100000,
            **settings,
        }
        folder = self.enter(name, settings)
        wall = self.start(folder, "wrf.exe", tasks, environment or {}, killed_after)
        log = self.log(folder)
        if must_end and END not in log:
            raise SystemExit(f"{name}: WRF did not end well: see {folder}\n{log[-1500:]}")
        written = WRITTEN.findall(log)
        frames = [float(s) for path, s in written if Path(path).name.startswith("wrfout")]
        size = sum(path.stat().st_size for path in folder.glob("wrfout_d01_*"))
        return Run(wall, frames, size, folder)

    def write(self, way: Way, tasks: int, frames: int, steps: int) -> Run:
        """A run that writes frames, with so many steps between."""
        is_silent = way.io_form == 0
        settings = {} if is_silent else way.settings()
        # The first frame of a run from a restart file comes after the first steps.
        seconds = frames * steps * STEP_S
        frame_s = 0 if is_silent else steps * STEP_S
        name = re.sub(r"\W+", "-", f"{way.name}-{tasks}")
        return self.run(
            name, tasks, seconds, settings, frame_s=frame_s, environment=way.environment()
        )

    def clean(self, run: Run) -> None:
        shutil.rmtree(run.folder, ignore_errors=True)
