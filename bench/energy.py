"""Joules of a piece of work: the machine's counters where they can be read, else frazil's model.

The same counters and the same model as in `frazil pack` (docs/energy.md), so that all rows of a
table are measured alike.
"""

import time
from dataclasses import dataclass
from pathlib import Path

COUNTERS = Path("/sys/class/powercap")
# crates/frazil-plan/src/energy/power.rs has the reasons.
AWAKE_WATTS, CORE_WATTS, JOULES_PER_BYTE = 12.0, 9.0, 4e-9


def by_model(cpu_seconds: float, wall_seconds: float, moved_bytes: float) -> float:
    return AWAKE_WATTS * wall_seconds + CORE_WATTS * cpu_seconds + JOULES_PER_BYTE * moved_bytes


def counters(root: Path = COUNTERS) -> list[tuple[Path, int]]:
    """Counters of packages and memory with the microjoules after which they begin again."""
    found = []
    for folder in sorted(root.glob("intel-rapl:*")):
        try:
            name = (folder / "name").read_text().strip()
            if not (name.startswith("package") or name == "dram"):
                continue
            (folder / "energy_uj").read_text()
            found.append((folder / "energy_uj", int((folder / "max_energy_range_uj").read_text())))
        except (OSError, ValueError):
            return []
    return found


@dataclass(frozen=True)
class Spent:
    """What a piece of work took; `energy_by` is `rapl` or `model`."""

    wall_s: float
    cpu_s: float
    joules: float
    energy_by: str


class Meter:
    """Counts from its creation on; for work that is shorter than a counter's range."""

    def __init__(self) -> None:
        self.counters = counters()
        self.began = [int(file.read_text()) for file, _ in self.counters]
        self.cpu, self.wall = time.process_time(), time.perf_counter()

    def spent(self, moved_bytes: float) -> Spent:
        wall, cpu = time.perf_counter() - self.wall, time.process_time() - self.cpu
        if not self.counters:
            return Spent(wall, cpu, by_model(cpu, wall, moved_bytes), "model")
        microjoules = 0
        for (file, span), before in zip(self.counters, self.began, strict=True):
            difference = int(file.read_text()) - before
            microjoules += difference if difference >= 0 else difference + span
        return Spent(wall, cpu, microjoules / 1e6, "rapl")
