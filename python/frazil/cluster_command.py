"""What ``frazil pack --scheduler`` does: the command hands over what it was asked for.

It comes as one JSON object on the standard input; see ``commands/cluster.rs`` of the command.
"""

from __future__ import annotations

import json
import sys
from typing import Any

from .cluster_pack import packed
from .errors import Error, plain
from .reports import PackReport

DONE, FAILED, INTERRUPTED = 0, 1, 130


def _record(error: Exception) -> dict[str, Any]:
    """An error as the command's JSON document has it."""
    parts = ("file", "variable", "cause", "cure")
    if isinstance(error, Error):
        return {"number": error.code, **{key: getattr(error, key) for key in parts}}
    return {"number": 0, "file": None, "variable": None, "cause": repr(error), "cure": None}


def _pack(asked: dict[str, Any]) -> int:
    from distributed import Client

    options = json.dumps(
        {
            "understood": asked["options"],
            # A task may be done twice: whether a file may be replaced is asked here, once.
            "overwrite": True,
            "break_hard_links": asked["break_hard_links"],
        }
    )
    whether = {"may_replace": asked["overwrite"], "dry_run": asked["options"]["dry_run"]}
    document: dict[str, list] = {"reports": [], "errors": []}
    with Client(asked["scheduler"], timeout="10 s", set_as_default=False) as client:
        for _, outcome in packed(asked["inputs"], asked["out_dir"], client, options, **whether):
            if isinstance(outcome, PackReport):
                document["reports"].append(outcome.to_dict())
                if not (asked["quiet"] or asked["json"]):
                    print(outcome, flush=True)
            else:
                document["errors"].append(_record(outcome))
                notes = "".join(f" ({note})" for note in getattr(outcome, "__notes__", ()))
                print(plain(f"frazil: {outcome}{notes}"), file=sys.stderr, flush=True)
    if asked["json"]:
        print(json.dumps(document, default=str))
    return FAILED if document["errors"] else DONE


def main() -> int:
    """Does what is asked for; the exit code."""
    try:
        return _pack(json.load(sys.stdin))
    except KeyboardInterrupt:
        print("frazil: stopped", file=sys.stderr)
        return INTERRUPTED
    except (Error, OSError) as error:
        print(plain(f"frazil: {error}"), file=sys.stderr)
        return FAILED


if __name__ == "__main__":
    sys.exit(main())
