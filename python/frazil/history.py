"""What a file that was packed or unpacked says in its attribute ``history``."""

from __future__ import annotations

import os
from collections.abc import Mapping
from typing import Any

from . import checks

# Longer calls are cut: a history is no list of rules.
_MOST_CHARACTERS = 2000


def call(function: str, options: Mapping[str, Any], *arguments: Any) -> str | None:
    """The call of a function with these options, in Python's words; ``None``: nobody asks."""
    asked = options.get("history", False)
    if asked not in (True, False):
        raise checks.refuse("history", asked, "True or False")
    if not asked:
        return None
    paths = [os.fspath(one) if isinstance(one, os.PathLike) else one for one in arguments]
    named = {key: value for key, value in options.items() if key != "history"}
    words = [*map(repr, paths), *(f"{key}={value!r}" for key, value in named.items())]
    text = f"frazil.{function}({', '.join(words)})"
    return text if len(text) <= _MOST_CHARACTERS else f"{text[:_MOST_CHARACTERS]} ..."
