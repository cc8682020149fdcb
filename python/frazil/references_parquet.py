"""What ``frazil refs -o OUT.parquet`` does: references come as JSON on the standard input.

See ``commands/refs.rs`` of the command.
"""

from __future__ import annotations

import json
import sys

from .references import write_refs

if __name__ == "__main__":
    # Whether the folder may be replaced was asked before.
    write_refs(json.load(sys.stdin), sys.argv[1], overwrite=True)
