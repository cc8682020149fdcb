"""Builds the writer and the faults, and runs the one under the other."""

import atexit
import os
import shutil
import signal
import subprocess
import tempfile
from dataclasses import dataclass, field
from functools import cache
from pathlib import Path

import pytest
from support.command import ROOT, frazil

HERE = Path(__file__).parent
INCLUDE = ROOT / "crates/frazil-capi/include"
# Where `make lib` puts libfrazil.so.
LIBRARY = Path(os.environ.get("FRAZIL_LIB", ROOT / ".build/lib")) / "libfrazil.so"

DATA = "out.nc"
JOURNAL = f"{DATA}.frazil-journal"
LOCK = f".{DATA}.frazil-lock"


def _compile(*arguments: object) -> None:
    compiler = os.environ.get("CC", "cc")
    command = [compiler, "-std=gnu11", "-O1", "-Wall", "-Wextra", "-Werror", *map(str, arguments)]
    done = subprocess.run(command, capture_output=True, text=True)
    assert done.returncode == 0, done.stderr


@cache
def built() -> Path:
    """The folder of the programs, compiled when first asked for."""
    if not LIBRARY.exists():
        pytest.fail(f"{LIBRARY} is missing: run 'make lib' (or set FRAZIL_LIB)")
    folder = Path(tempfile.mkdtemp(prefix="frazil-crash-"))
    atexit.register(shutil.rmtree, folder, ignore_errors=True)
    # The name under which programs look for it when they start.
    (folder / "libfrazil.so.1").symlink_to(LIBRARY)
    _compile("-shared", "-fPIC", "-o", folder / "faults.so", HERE / "faults.c")
    for name in ("writer", "bulk"):
        libraries = [LIBRARY, f"-Wl,-rpath,{folder}", "-lm"]
        _compile(f"-I{INCLUDE}", "-o", folder / name, HERE / f"{name}.c", *libraries)
    return folder


@dataclass
class Fault:
    """What happens at the chosen system call."""

    at: int
    how: str
    error: int = 0
    is_lasting: bool = False


@dataclass
class Run:
    """A folder with one file and how its writer fared."""

    folder: Path
    orders: dict[str, int]
    printed: list[str] = field(default_factory=list)
    code: int | None = None

    def __post_init__(self) -> None:
        self.folder.mkdir(exist_ok=True)

    def continued(self, orders: dict[str, int]) -> "Run":
        """Another writer on the same file."""
        return Run(self.folder, orders)

    @property
    def path(self) -> Path:
        """The file being written."""
        return self.folder / DATA

    @property
    def has_journal(self) -> bool:
        """Whether a commit was left half-done."""
        return (self.folder / JOURNAL).exists()

    @property
    def files(self) -> set[str]:
        """Everything in the folder."""
        return {path.name for path in self.folder.iterdir()}

    @property
    def calls(self) -> list[tuple[str, str, int]]:
        """The changes that were asked of the system: call, file, bytes."""
        log = self.folder.with_suffix(".log")
        lines = (line.split() for line in log.read_text().splitlines())
        return [(call, name, int(size)) for _, call, name, size in lines]

    @property
    def temporary(self) -> set[str]:
        """What only a killed writer leaves, or one that cannot remove it."""
        return {name for name in self.files if name.endswith(".frazil-part") or name == LOCK}

    def count(self, what: str) -> int:
        """The number on the last line `what N`; 0 if there is none."""
        lines = [line.split() for line in self.printed]
        return max((int(line[1]) for line in lines if line[0] == what), default=0)

    @property
    def committed(self) -> int:
        """Records whose commit was acknowledged."""
        return max(self.count("synced"), self.count("closed"))

    def start(self, fault: Fault | None = None, program: str = "writer") -> subprocess.Popen:
        """Starts the writer."""
        environment = os.environ | {
            "LD_PRELOAD": str(built() / "faults.so"),
            "FAULTS_FOLDER": str(self.folder),
            "FAULTS_LOG": str(self.folder.with_suffix(".log")),
        }
        if fault is not None:
            environment |= {
                "FAULTS_AT": str(fault.at),
                "FAULTS_HOW": fault.how,
                "FAULTS_ERRNO": str(fault.error),
                "FAULTS_LASTING": str(int(fault.is_lasting)),
            }
        command = [built() / program, self.path]
        command += [f"{name}={value}" for name, value in self.orders.items()]
        return subprocess.Popen(
            command,
            env=environment,
            stdin=subprocess.DEVNULL,
            stdout=subprocess.PIPE,
            stderr=subprocess.PIPE,
            # Lines behind the first one are not read before they are asked for.
            bufsize=0,
        )

    def await_line(self, process: subprocess.Popen) -> None:
        """Waits for the next line that the writer prints."""
        self.printed.append(process.stdout.readline().decode().strip())

    def finish(self, process: subprocess.Popen, timeout: float = 60) -> "Run":
        """Waits for the writer; raises `TimeoutExpired` if it hangs."""
        with process:
            try:
                stdout, stderr = process.communicate(timeout=timeout)
            except subprocess.TimeoutExpired:
                process.kill()
                raise
        assert b"panic" not in stderr, stderr
        self.printed += stdout.decode().splitlines()
        self.code = process.returncode
        return self

    def run(self, fault: Fault | None = None, timeout: float = 60) -> "Run":
        """Runs the writer to its end."""
        return self.finish(self.start(fault), timeout)

    @property
    def is_killed(self) -> bool:
        """Whether it did not end by itself."""
        return self.code == -signal.SIGKILL

    def recover(self) -> str:
        """`frazil recover`; what it did."""
        outcome = frazil("recover", "--json", self.path)
        assert outcome.code == 0, outcome.stdout + outcome.stderr
        assert self.files == {DATA}, self.files
        return outcome.report["reports"][0]["outcome"]

    def forget(self) -> None:
        """Removes what was written."""
        shutil.rmtree(self.folder)
        self.folder.with_suffix(".log").unlink(missing_ok=True)
