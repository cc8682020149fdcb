"""What a reader is to keep of each variable, whatever else is read."""

from __future__ import annotations

import json
from collections.abc import Mapping

from . import checks
from .errors import InvalidArgumentError
from .options import Reads, StrPath, chunk_goal
from .reports import WritePlan
from .types import whole_count

ChunkCache = WritePlan | StrPath | Mapping[str, int]


def stated_chunk_cache(chunk_cache: ChunkCache | None, reads: Reads | None) -> str | None:
    """What a reader is to keep, as the compiled part takes it; ``None`` where nothing is stated."""
    if reads is not None:
        if chunk_cache is not None:
            raise InvalidArgumentError("chunk_cache= and reads= are both stated: state one of them")
        return json.dumps({"reads": chunk_goal({"reads": reads}) or {}})
    if chunk_cache is None:
        return None
    if isinstance(chunk_cache, Mapping):
        counts = {
            str(name): whole_count(count, f"chunk_cache[{name!r}]")
            for name, count in chunk_cache.items()
        }
        return json.dumps({"bytes": counts})
    if not isinstance(chunk_cache, WritePlan):
        allowed = "a WritePlan, a plan's file, or a mapping of names to bytes"
        path = checks.path("chunk_cache", chunk_cache, allowed)
        chunk_cache = WritePlan.from_json(path.read_text(encoding="utf-8"))
    return json.dumps({"plan": chunk_cache._stored()})
