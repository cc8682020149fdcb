"""What a reader is to keep of each variable, whatever else is read."""

from __future__ import annotations

import json
from collections.abc import Mapping
from pathlib import Path

from .errors import InvalidArgumentError
from .options import Reads, StrPath, chunk_goal
from .reports import WritePlan

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
        return json.dumps({"bytes": {name: int(count) for name, count in chunk_cache.items()}})
    if not isinstance(chunk_cache, WritePlan):
        chunk_cache = WritePlan.from_json(Path(chunk_cache).read_text(encoding="utf-8"))
    return json.dumps({"plan": {"variables": chunk_cache.variables}})
