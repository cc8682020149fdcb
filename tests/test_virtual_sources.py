"""Where virtual datasets find their values, and that copies of them find the same."""

from pathlib import Path

import frazil as frazil_package
import h5py
import numpy as np
import pytest
from support.command import DONE, frazil, pack


@pytest.mark.parametrize("libver", ["earliest", "latest"])
def test_virtual_datasets_keep_mappings_of_every_form(tmp_path: Path, libver: str):
    source, packed = tmp_path / "source.h5", tmp_path / "packed.h5"
    with h5py.File(tmp_path / "part.h5", "w") as file:
        file["cube"] = np.arange(6 * 8 * 10, dtype="i4").reshape(6, 8, 10)
        for number in range(3):
            file[f"row {number}"] = np.full(10, number, "i4")
    views = {}
    views["steps"] = h5py.VirtualLayout((3, 8, 5), "i8")
    cube = h5py.VirtualSource("part.h5", "cube", (6, 8, 10))
    views["steps"][:] = cube[::2, :, 1::2]
    views["holes"] = h5py.VirtualLayout((4, 10), "f4")
    views["holes"][1, 2:] = h5py.VirtualSource("part.h5", "row 1", (10,))[:8]
    views["holes"][[0, 3], :2] = h5py.VirtualSource("part.h5", "cube", (6, 8, 10))[1, 2:4, 3:5]
    views["one"] = h5py.VirtualLayout((10,), "i4")
    views["one"][:] = h5py.VirtualSource("part.h5", "row 2", (10,))
    with h5py.File(source, "w", libver=libver) as file:
        for name, layout in views.items():
            file.create_virtual_dataset(name, layout, fillvalue=-7)
        space = h5py.h5s.create_simple((0, 10), (h5py.h5s.UNLIMITED, 10))
        space.select_hyperslab((0, 0), (h5py.h5s.UNLIMITED, 1), block=(1, 10))
        creation = h5py.h5p.create(h5py.h5p.DATASET_CREATE)
        creation.set_virtual(space, b"part.h5", b"row %b", h5py.h5s.create_simple((10,)))
        h5py.h5d.create(file.id, b"series", h5py.h5t.STD_I32LE, space, creation)
    pack(source, packed, "--verify")
    assert frazil("verify", source, packed).code == DONE
    with h5py.File(source) as before, h5py.File(packed) as after:
        for name in [*views, "series"]:
            assert after[name].is_virtual
            mappings = [
                [(part.file_name, part.dset_name) for part in mapping]
                for mapping in (before[name].virtual_sources(), after[name].virtual_sources())
            ]
            assert mappings[0] == mappings[1], name
            assert np.array_equal(before[name][:], after[name][:]), name


def test_sources_of_virtual_datasets_are_found_through_links(tmp_path: Path):
    (tmp_path / "below").mkdir()
    with h5py.File(tmp_path / "below" / "far.h5", "w") as file:
        file["group/x"] = np.arange(10)
        file["group/near"] = h5py.SoftLink("x")
        file["back"] = h5py.ExternalLink("../linked.h5", "/own")
    with h5py.File(tmp_path / "linked.h5", "w") as file:
        file["own"] = np.arange(10) + 100
        file["out"] = h5py.ExternalLink("below/far.h5", "/group/x")
        file["group"] = h5py.ExternalLink("below/far.h5", "group")
        file["soft"] = h5py.SoftLink("/group/near")
        file["there and back"] = h5py.ExternalLink("below/far.h5", "back")
        file["circle"] = h5py.ExternalLink("linked.h5", "circle")
        file["gone"] = h5py.ExternalLink("nowhere.h5", "x")
    path = tmp_path / "view.h5"
    with h5py.File(path, "w", libver="latest") as file:
        for name, paths in {
            "view": ["own", "out", "group/x", "soft", "gone"],
            # What comes back to a file that is open makes libhdf5 crash.
            "circles": ["there and back", "circle"],
        }.items():
            layout = h5py.VirtualLayout((len(paths), 10), "i8")
            for row, source in enumerate(paths):
                layout[row] = h5py.VirtualSource("linked.h5", source, (10,))
            file.create_virtual_dataset(name, layout, fillvalue=-1)
    with h5py.File(path) as file:
        expected = file["view"][:]
    assert np.array_equal(expected[:, 1], [101, 1, 1, 1, -1])
    with frazil_package.open(path) as file:
        assert np.array_equal(file["view"][:], expected)
        assert np.array_equal(file["circles"][:, 1], [101, -1])
