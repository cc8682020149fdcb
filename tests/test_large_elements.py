"""Elements of which one alone is larger than its file."""

from pathlib import Path

import frazil
import h5py
import numpy as np
import pytest
from support.command import pack


@pytest.mark.parametrize("libver", ["earliest", "latest"])
def test_elements_may_be_larger_than_their_file(tmp_path: Path, libver: str):
    path, packed = tmp_path / "large.h5", tmp_path / "packed.h5"
    large = 1 << 27
    with h5py.File(path, "w", libver=libver) as file:
        file.create_dataset("unwritten", (), np.dtype(("u1", (large,))))
        file.create_dataset("chunks", (2,), np.dtype(("u1", (large // 8,))), chunks=(1,))
        packed_type = np.dtype(("i4", (1 << 20,)))
        written = file.create_dataset(
            "written", (2,), packed_type, chunks=(1,), compression=9, shuffle=True
        )
        written[1] = np.full(1 << 20, 7, "i4")
        half = ("u1", (1 << 28,))
        file.create_dataset("beyond", (), np.dtype([("x", *half), ("y", *half)]))
        file["small"] = np.arange(5)
    with frazil.open(path) as file:
        assert file["unwritten"].shape == ()
        assert not file["unwritten"][...].any()
        assert not file["chunks"][1].any()
        assert (file["written"][:] == [[0], [7]]).all()
        with pytest.raises(frazil.Error, match="more than there is memory for"):
            file["beyond"][...]
        assert list(file["small"][:]) == [0, 1, 2, 3, 4]
    with h5py.File(path, "a") as file:
        del file["beyond"]
    pack(path, packed, "--memory", "1G", "--verify")
    with h5py.File(packed) as file:
        assert (file["written"][:] == [[0], [7]]).all()
        assert file["unwritten"].id.get_storage_size() == 0
