"""Keywords that functions share, by type.

Written by scripts/make_options_page.py from the declared options.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any, Literal, TypedDict

from .options import Precision, Reads, StrPath
from .reports import WritePlan


class PackKeywords(TypedDict, total=False):
    """Of :func:`frazil.pack`."""

    goal: Literal["balanced", "size", "speed", "archive", "energy"] | None
    filters: str | None
    readable_by: Literal["any", "netcdf4", "plugins", "frazil"] | None
    precision: Precision | None
    reads: Reads | None
    storage: Literal["local", "disk", "parallel-fs", "object-store"] | None
    axes: Mapping[str, str] | None
    expected: Mapping[str, int] | None
    most_chunks: int | None
    plan: WritePlan | None
    threads: int | None
    memory: int | str | None
    overwrite: bool | None
    chunks: Literal["auto", "keep"] | Mapping[str, Any] | None
    level: int | None
    shuffle: bool | None
    weights: Mapping[str, float] | None
    min_write_speed: float | str | None
    min_read_speed: float | str | None
    ratio_tolerance: float | None
    tree: StrPath | None
    layout: Literal["standard", "cmip7"] | None
    calibration: StrPath | None
    checksum: bool | None
    netcdf_attribute: bool | None
    dry_run: bool | None
    allow_larger: bool | None
    verify: bool | None
    history: bool | None
    carbon_intensity: float | None
    break_hard_links: bool | None


class PlanKeywords(TypedDict, total=False):
    """Of :func:`frazil.plan`."""

    goal: Literal["balanced", "size", "speed", "archive", "energy"] | None
    filters: str | None
    readable_by: Literal["any", "netcdf4", "plugins", "frazil"] | None
    precision: Precision | None
    reads: Reads | None
    storage: Literal["local", "disk", "parallel-fs", "object-store"] | None
    axes: Mapping[str, str] | None
    expected: Mapping[str, int] | None
    most_chunks: int | None
    threads: int | None
    memory: int | str | None
    chunks: Literal["auto", "keep"] | Mapping[str, Any] | None
    level: int | None
    shuffle: bool | None
    weights: Mapping[str, float] | None
    min_write_speed: float | str | None
    min_read_speed: float | str | None
    ratio_tolerance: float | None
    tree: StrPath | None
    layout: Literal["standard", "cmip7"] | None
    calibration: StrPath | None
    checksum: bool | None
    netcdf_attribute: bool | None


class UnpackKeywords(TypedDict, total=False):
    """Of :func:`frazil.unpack`."""

    threads: int | None
    memory: int | str | None
    overwrite: bool | None
    verify: bool | None
    history: bool | None
    break_hard_links: bool | None
    format: Literal["netcdf4", "classic"] | None


class WriterKeywords(TypedDict, total=False):
    """Of :class:`frazil.Writer`."""

    goal: Literal["balanced", "size", "speed", "archive", "energy"] | None
    filters: str | None
    readable_by: Literal["any", "netcdf4", "plugins", "frazil"] | None
    precision: Precision | None
    reads: Reads | None
    storage: Literal["local", "disk", "parallel-fs", "object-store"] | None
    axes: Mapping[str, str] | None
    expected: Mapping[str, int] | None
    most_chunks: int | None
    plan: WritePlan | None
    threads: int | None
    memory: int | str | None
    keep_plan: bool | None
    durable: bool | None
    commit_bytes: int | str | None
    records_per_sync: int | None
    classic_model: bool | None
    precision_is_shared: bool | None
