"""Progress of long work."""

from __future__ import annotations

import sys
import time
from typing import Protocol, TextIO, runtime_checkable

from .errors import InvalidArgumentError, plain
from .pictures import bytes_text
from .spellings import in_python


@runtime_checkable
class Progress(Protocol):
    """Interface of objects for ``progress``. An exception in it stops the work and is raised."""

    def stage(self, name: str, total_bytes: int) -> None:
        """A new stage begins: ``plan``, ``pack``, ``verify``; ``total_bytes`` to go through."""

    def advance(self, count: int) -> None:
        """``count`` more bytes are done."""

    def notice(self, line: str) -> None:
        """A line for the user."""


class ProgressBar:
    """A bar on a terminal: one line that is written over."""

    def __init__(self, stream: TextIO | None = None, width: int = 30) -> None:
        self._stream = sys.stderr if stream is None else stream
        self._width = width
        self._name, self._total, self._done = "", 0, 0
        self._began = self._drawn = time.monotonic()

    def stage(self, name: str, total_bytes: int) -> None:
        """Begin a new line."""
        self._end()
        self._name, self._total, self._done = name, total_bytes, 0
        self._began = time.monotonic()
        self._drawn = 0.0

    def advance(self, count: int) -> None:
        """Draw the bar, at most ten times a second."""
        self._done += count
        now = time.monotonic()
        if now - self._drawn >= 0.1 or self._done >= self._total:
            self._drawn = now
            self._draw(now)

    def notice(self, line: str) -> None:
        """Write a line of its own."""
        self._stream.write(f"\r{plain(in_python(line))}\n")

    def close(self) -> None:
        """Ends the line."""
        self._end()

    def _draw(self, now: float) -> None:
        share = min(1.0, self._done / self._total) if self._total else 0.0
        bar = "#" * round(share * self._width)
        speed = self._done / max(now - self._began, 1e-9)
        self._stream.write(
            f"\r{self._name:<8}[{bar:<{self._width}}] {100 * share:3.0f} % "
            f"{bytes_text(self._done)}, {bytes_text(speed)}/s   "
        )
        self._stream.flush()

    def _end(self) -> None:
        if self._done:
            self._draw(time.monotonic())
            self._stream.write("\n")
            self._stream.flush()
            self._done = 0


def listener(progress: bool | Progress | None) -> Progress | None:
    """What ``progress=`` means: ``True`` is a bar, ``None`` and ``False`` nothing."""
    if progress is True:
        return ProgressBar()
    if progress in (None, False) or isinstance(progress, Progress):
        return progress or None
    cause = f"progress is {progress!r}; it must be True, False, or have stage, advance and notice"
    raise InvalidArgumentError(cause)
