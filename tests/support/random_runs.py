"""Runs random sequences of calls, and finds the shortest that still shows a difference.

    python -m support.random_runs SEED FIRST COUNT FOLDER

Each line of the output is a JSON document; the last one says what became of it.
"""

import json
import os
import shutil
import sys
from pathlib import Path

from support.call_pairs import Call, Different, FaultOfNetcdf, Pair
from support.netcdf_calls import Calls, stock_library
from support.random_calls import run_one

# Numbers of files that frazil has taken have this bit.
TAKEN = 0x40000000


class Runs:
    """Sequences in the hands of both libraries."""

    def __init__(self, folder: Path) -> None:
        self.folder = folder
        self.ours = Calls(Path(os.environ["FRAZIL_NETCDF"]).resolve())
        self.stock = Calls(stock_library())
        self.number = 0

    def pair(self) -> Pair:
        self.number += 1
        return Pair(self.ours, self.stock, self.folder / str(self.number))

    def leave(self, pair: Pair) -> None:
        pair.leave()
        shutil.rmtree(self.folder / str(self.number), ignore_errors=True)

    def fails(self, calls: list[Call], name: str) -> bool:
        """Whether calls lead to a difference in the last one, of that name."""
        pair = self.pair()
        try:
            pair.repeat(calls)
        except Different:
            return pair.log[-1].name == name
        except (FaultOfNetcdf, AssertionError, OSError):
            # Without some of its calls a sequence may leave a file open, which cannot be compared.
            return False
        finally:
            self.leave(pair)
        return False

    def shortest(self, calls: list[Call]) -> list[Call]:
        """As few of the calls as still show a difference."""
        name, step = calls[-1].name, len(calls) // 2
        while step > 0:
            start = 1
            while start < len(calls):
                fewer = calls[:start] + calls[start + step :]
                if self.fails(fewer, name):
                    calls = fewer
                else:
                    start += step
            step //= 2
        return calls


def tell(**words: object) -> None:
    print(json.dumps(words), flush=True)


def main() -> None:
    seed, first, count, folder = sys.argv[1:]
    runs = Runs(Path(folder))
    equal = faulty = taken = 0
    for sequence in range(int(first), int(first) + int(count)):
        # Said before, for the case that the process does not survive it.
        tell(sequence=sequence)
        pair = runs.pair()
        try:
            run_one(pair, f"{seed} {sequence}", classic_model=sequence % 3 == 2)
            equal += 1
            taken += bool(pair.sides[0].first & TAKEN)
        except FaultOfNetcdf:
            faulty += 1
        except Different as difference:
            calls = [str(call) for call in runs.shortest(pair.log)]
            tell(sequence=sequence, different=str(difference), calls=calls)
            return
        finally:
            runs.leave(pair)
    tell(sequence=sequence, equal=equal, faulty=faulty, taken=taken)


if __name__ == "__main__":
    main()
