"""What a worker of a cluster does with one block, without a cluster."""

import mmap
import pickle
import subprocess
import sys

import numpy as np
import pytest
from dask.sizeof import sizeof
from frazil.cluster_tasks import Packed, packed_bytes

PACK = """
import sys
import frazil, numpy as np
from frazil.cluster_tasks import Recipe
from pathlib import Path

def memory(what):
    lines = Path("/proc/self/status").read_text().splitlines()
    return next(int(line.split()[1]) for line in lines if line.startswith(what)) << 10

with frazil.Writer(sys.argv[1]) as writer:
    for name, length in (("t", 64), ("y", 512), ("x", 512)):
        writer.add_dimension(name, length)
    settings = {"chunks": (8, 256, 256), "compression": "zlib", "level": 1}
    variable = writer.add_variable("v", "i4", ("t", "y", "x"), **settings)
    recipe = Recipe(writer._writer.chunk_plan(variable._number), "<i4", None)
    choice = recipe.choose()
    small = np.zeros((8, 256, 256), "i4")
    recipe.pack(small, choice, ([0, 0, 0], list(small.shape)))
    # No packing makes random numbers small.
    noise = np.random.default_rng(0).bytes(64 << 20)
    values = np.frombuffer(noise, "i4").reshape(64, 512, 512)
    before = memory("VmRSS")
    packed = recipe.pack(values, choice, ([0, 0, 0], list(values.shape)))
    print(len(packed.payload), memory("VmHWM") - before)
    del packed
    print(memory("VmRSS") - before)
"""


@pytest.mark.skipif(sys.platform != "linux", reason="memory as Linux tells it")
def test_packing_takes_the_memory_of_what_is_packed_which_goes_back(tmp_path):
    words = [sys.executable, "-c", PACK, tmp_path / "out.nc"]
    done = subprocess.run(words, capture_output=True, text=True, check=True)
    size, peak, left = map(int, done.stdout.split())
    assert size > 64 << 20
    # Beside them chunks are kept, in case that equal ones come, and one is being packed.
    assert peak < size + (24 << 20)
    assert left < 24 << 20


class Growing:
    """A packer whose chunks take more room than it had expected."""

    def __init__(self, needed):
        self.needed, self.rooms = needed, []

    def expected_room(self, count):
        return count[0]

    def pack(self, region, values, room):
        self.rooms.append(len(room))
        if len(room) < self.needed:
            return None
        room[:3] = values
        return 3, "summary"


def test_chunks_for_which_there_is_too_little_room_are_packed_again():
    page = mmap.PAGESIZE
    packer = Growing(3 * page)
    payload, summary = packed_bytes(packer, ([0], [0]), np.array([1, 2, 3], "u1"))
    assert (bytes(payload), summary) == (b"\1\2\3", "summary")
    assert packer.rooms == [page, 2 * page, 4 * page]


@pytest.mark.parametrize("protocol", [2, 5])
@pytest.mark.parametrize("kind", [bytes, bytearray, memoryview])
def test_packed_chunks_can_go_to_another_worker(protocol, kind):
    packed = Packed(kind(bytes(range(100))), "summary", "token")
    assert sizeof(packed) >= 100 + len("summary")
    found = pickle.loads(pickle.dumps(packed, protocol))
    again = pickle.loads(pickle.dumps(found, protocol))
    for one in (found, again):
        assert bytes(one.payload) == bytes(range(100))
        assert (one.summary, one.token) == ("summary", "token")


def test_packed_chunks_are_not_copied_where_buffers_are_handed_on():
    packed = Packed(memoryview(bytearray(b"chunks")), "summary", "token")
    buffers = []
    pickled = pickle.dumps(packed, 5, buffer_callback=buffers.append)
    assert [bytes(buffer) for buffer in buffers] == [b"chunks"]
    packed.payload[:3] = b"CHU"
    assert bytes(pickle.loads(pickled, buffers=buffers).payload) == b"CHUnks"
