"""What writer.c writes: the values of the file after any number of records."""

from dataclasses import dataclass

import numpy as np

X, Y, HALF, EXTRA_FROM = 48, 6, 3, 2
FIELD, ROWS, LATE, EXTRA, HEAD, RECORD, FIRST, COUNT, AGAIN = range(1, 10)

FILL = {"i2": -32767, "i4": -2147483647, "f4": 9.969209968386869e36, "f8": 9.969209968386869e36}
TYPES = {
    "time": "f8",
    "field": "f4",
    "rows": "i4",
    "late": "i2",
    "extra": "i4",
    "head": "i4",
    "step": "i4",
}


@dataclass
class State:
    """The values of a file."""

    variables: dict[str, np.ndarray]
    attributes: dict[str, object]


def _draw(what: int, record: int, i: np.ndarray | int) -> np.ndarray:
    with np.errstate(over="ignore"):
        known = (what * 2654435761 + record * 2246822519) % 2**32
        x = np.uint32(known) + np.atleast_1d(i).astype(np.uint32) * np.uint32(3266489917)
        x = (x ^ (x >> np.uint32(15))) * np.uint32(2246822519)
        return x ^ (x >> np.uint32(13))


def _one(what: int, record: int) -> int:
    return int(_draw(what, record, 0)[0])


def _row(what: int, record: int) -> np.ndarray:
    return _draw(what, record, np.arange(X)) % 1000


def state(records: int, orders: dict[str, int]) -> State:
    """The file once `records` records are committed, by the orders of the writer."""
    in_turn = bool(orders.get("own_commits", 0))
    # Else records are written in pairs in one variable, the later one first.
    length = records if in_turn else records + records % 2
    shapes = {
        "time": (length,),
        "field": (length, Y, X),
        "rows": (length, X),
        "late": (length, X),
        "head": (X,),
        "step": (),
    }
    if records > EXTRA_FROM:
        shapes["extra"] = (length, X)
    values = {
        name: np.full(shape, FILL[TYPES[name]], TYPES[name]) for name, shape in shapes.items()
    }
    for record in range(records):
        values["time"][record] = 0.25 * record
        noise = (_draw(FIELD, record, np.arange(Y * X)) >> np.uint32(8)) * np.float32(2.0**-24)
        # The second half of a record comes with the next one.
        known = Y if in_turn or record + 1 < records else HALF
        values["field"][record, :known] = noise.reshape(Y, X)[:known]
        values["rows"][record] = _row(ROWS, record)
        late = record if in_turn else record ^ 1
        values["late"][late] = _row(LATE, late)
        if record >= EXTRA_FROM:
            values["extra"][record] = _row(EXTRA, record)
        if orders.get("rewrites", 1):
            _rewrite(values, record)
    values["step"][...] = records
    if orders.get("strings", 0):
        texts = [f"record {i}" if i < records else "" for i in range(length)]
        values["label"] = np.array(texts, object)
    history = "h" * (1 + (records - 1) % 40)
    return State(values, {"records": records, "history": history})


def _rewrite(values: dict[str, np.ndarray], record: int) -> None:
    values["head"][:] = _draw(HEAD, record, np.arange(X)).astype(np.int32)
    if record == 0:
        return
    first = _one(FIRST, record) % X
    count = 1 + _one(COUNT, record) % (X - first)
    again = _draw(AGAIN, record, np.arange(count)).astype(np.int32)
    values["rows"][_one(RECORD, record) % record, first : first + count] = again
