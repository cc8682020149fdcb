"""What of HDF5 is kept, converted or refused: the table of docs/format.md, row by row."""

import ctypes
import itertools
from pathlib import Path

import h5py
import netCDF4
import numpy as np
import pyfive
import pytest
from h5py import h5d, h5f, h5p, h5s
from support import h5_compare, libhdf5, make
from support.command import DONE, FAILED, Outcome, frazil, pack, tool
from support.data import NEW_CHUNK_INDEX
from support.dumps import first_difference, h5dump
from support.libhdf5 import DONT_FILTER_PARTIAL_CHUNKS, create_scalar, set_chunk_options

pytestmark = pytest.mark.sampled(one_in=2)


def differences(source: Path, target: Path) -> list[str]:
    return h5_compare.compare(source, target).differences


def refuse(source: Path, target: Path, code: str, *options: str) -> Outcome:
    """Packs and expects a refusal that leaves nothing behind."""
    before = {path.name for path in target.parent.iterdir()}
    outcome = frazil("pack", source, "-o", target, "--json", *options)
    assert outcome.code == FAILED, outcome.stdout
    assert [error["code"] for error in outcome.errors] == [code]
    assert {path.name for path in target.parent.iterdir()} == before
    return outcome


def test_links_references_types_and_the_user_block_are_kept(tmp_path: Path):
    source = make.hdf5_zoo(tmp_path / "source.h5")
    pack(source, tmp_path / "packed.h5")
    assert differences(source, tmp_path / "packed.h5") == []
    assert first_difference(h5dump(source), h5dump(tmp_path / "packed.h5")) is None
    user_block = (tmp_path / "packed.h5").read_bytes()[:1024]
    assert user_block == source.read_bytes()[:1024]


@pytest.mark.parametrize("kind", [h5py.ref_dtype, h5py.regionref_dtype])
def test_references_that_nobody_wrote_are_null(tmp_path: Path, kind: np.dtype):
    """HDF5 gives the room of a deleted dataset to the next one, with the bytes in it."""
    source, target = tmp_path / "source.h5", tmp_path / "packed.h5"
    with h5py.File(source, "w") as file:
        file["x"] = np.arange(10.0)
        file["junk"] = np.full(30000, 0x05, "u1")
        del file["junk"]
        references = file.create_dataset("r", (300,), kind)
        is_region = kind is h5py.regionref_dtype
        references[0] = file["x"].regionref[2:5] if is_region else file["x"].ref
    with h5py.File(source) as file:
        assert file["r"].id.get_space_status() == h5d.SPACE_STATUS_ALLOCATED
        assert file["r"][1], "nothing was there before"
    outcome = pack(source, target, "--verify")
    assert "references to deleted objects are null in the copy: 299, in /r" in outcome.stderr
    with h5py.File(target) as file:
        first, *others = file["r"][...]
        found = file[first][first] if is_region else file[first][2:5]
        assert (found == [2, 3, 4]).all() and not any(others)


def test_hard_links_and_cycles_stay_one_object(tmp_path: Path):
    source = make.hdf5_zoo(tmp_path / "source.h5")
    pack(source, tmp_path / "packed.h5")
    with h5py.File(tmp_path / "packed.h5") as file:
        assert file["same data"] == file["group/data"]
        assert file["group/back"] == file["/"]


def test_external_raw_data_move_into_the_file(tmp_path: Path):
    source = tmp_path / "source.h5"
    values = make.field(20, 30)
    values.tofile(tmp_path / "values.raw")
    with h5py.File(source, "w") as file:
        external = [("values.raw", 0, values.nbytes)]
        file.create_dataset("outside", values.shape, "f4", external=external)
    # HDF5 looks for external files from the working directory.
    pack(source, tmp_path / "packed.h5", cwd=tmp_path)
    (tmp_path / "values.raw").unlink()
    with h5py.File(tmp_path / "packed.h5") as file:
        assert file["outside"].external is None
        assert np.array_equal(file["outside"][:], values)


def test_virtual_data_become_classic_and_are_analysed(tmp_path: Path):
    source, values = tmp_path / "source.h5", make.field(40, 50)
    with h5py.File(tmp_path / "part.h5", "w") as file:
        file.create_dataset("values", data=values.astype("f8"), compression=1)
    layout = h5py.VirtualLayout((40, 50), ">f4")
    layout[:] = h5py.VirtualSource("part.h5", "values", (40, 50))
    with h5py.File(source, "w") as file:
        file.create_virtual_dataset("view", layout)
        for axis, name in enumerate("yx"):
            file[name] = np.arange(values.shape[axis], dtype="f4")
            file[name].make_scale(name)
            file["view"].dims[axis].attach_scale(file[name])
    outcome = frazil("unpack", "--format", "classic", source, "-o", tmp_path / "classic.nc")
    assert outcome.code == DONE, outcome.stderr
    with netCDF4.Dataset(tmp_path / "classic.nc") as file:
        assert file.data_model.startswith("NETCDF3")
        assert np.array_equal(file["view"][:], values)
    assert frazil("verify", source, source).code == DONE
    outcome = frazil("analyze", source)
    assert "view" in outcome.stdout, outcome.stderr


def test_virtual_datasets_are_kept_as_they_are(tmp_path: Path):
    source, part = tmp_path / "source.h5", tmp_path / "part.h5"
    with h5py.File(part, "w") as file:
        file["values"] = np.arange(10)
    layout = h5py.VirtualLayout((10,), "i8")
    layout[:] = h5py.VirtualSource("part.h5", "values", (10,))
    with h5py.File(source, "w") as file:
        file.create_virtual_dataset("view", layout)
        file["plain"] = make.field(50, 60)
    pack(source, tmp_path / "packed.h5")
    with h5py.File(source) as before, h5py.File(tmp_path / "packed.h5") as after:
        assert after["view"].is_virtual
        (mapped,), (original,) = (one["view"].virtual_sources() for one in (after, before))
        assert mapped.file_name == original.file_name == "part.h5"
        assert mapped.dset_name == original.dset_name
        assert np.array_equal(after["view"][:], np.arange(10))


def test_virtual_datasets_keep_their_mapping_before_their_sources_have_anything(tmp_path: Path):
    source, packed = tmp_path / "source.h5", tmp_path / "packed.h5"
    with h5py.File(source, "w", libver="latest") as file:
        layout = h5py.VirtualLayout((5, 10), "f8", maxshape=(None, 10))
        later = h5py.VirtualSource("later.h5", "x", shape=(5, 10), maxshape=(None, 10))
        layout[0 : h5s.UNLIMITED] = later[0 : h5s.UNLIMITED]
        file.create_virtual_dataset("view", layout, fillvalue=-1)
        assert file["view"].shape == (0, 10)
    for command in ("pack", "unpack"):
        outcome = frazil(command, source, "-o", packed, "--overwrite", "--verify")
        assert outcome.code == DONE and "virtual" in outcome.stderr, outcome.stderr
        with h5py.File(packed) as file:
            assert file["view"].is_virtual
    with h5py.File(tmp_path / "none.h5", "w", libver="latest") as file:
        file.create_dataset("view", (0, 10), "f8", maxshape=(None, 10), fillvalue=-1)
    assert frazil("verify", source, tmp_path / "none.h5").code != DONE
    with h5py.File(tmp_path / "later.h5", "w") as file:
        file.create_dataset("x", data=np.ones((7, 10)), maxshape=(None, 10), chunks=(5, 10))
    with h5py.File(source) as before, h5py.File(packed) as after:
        assert before["view"].shape == (7, 10)
        assert np.array_equal(after["view"][:], before["view"][:])


def test_indexes_of_new_formats_become_version_1_b_trees(tmp_path: Path):
    source = tmp_path / "source.h5"
    with h5py.File(source, "w", libver="latest") as file:
        for name, maxshape in {"fixed": (30, 40), "one": (None, 40), "two": (None, None)}.items():
            file.create_dataset(
                name, data=make.field(30, 40), maxshape=maxshape, chunks=(7, 9), compression=2
            )
    pack(source, tmp_path / "packed.h5")
    assert differences(source, tmp_path / "packed.h5") == []
    content = (tmp_path / "packed.h5").read_bytes()
    assert content[8] == 2 and NEW_CHUNK_INDEX.search(content) is None


def test_unfiltered_edge_chunks_are_understood(tmp_path: Path):
    source = tmp_path / "source.h5"
    with h5py.File(source, "w", libver="latest") as file:
        plist = h5p.create(h5p.DATASET_CREATE)
        plist.set_chunk((8, 8))
        plist.set_deflate(4)
        set_chunk_options(plist, DONT_FILTER_PARTIAL_CHUNKS)
        space = h5s.create_simple((20, 20))
        dataset = h5d.create(file.id, b"edges", h5py.h5t.IEEE_F32LE, space, plist)
        dataset.write(h5s.ALL, h5s.ALL, make.field(20, 20))
    pack(source, tmp_path / "packed.h5")
    assert differences(source, tmp_path / "packed.h5") == []


def test_filter_masks_are_honoured(tmp_path: Path):
    """A chunk whose filters were skipped decodes to what it says, copied or packed anew."""
    source = tmp_path / "source.h5"
    values = make.field(32, 16)
    with h5py.File(source, "w") as file:
        options = {"chunks": (8, 16), "compression": 4, "shuffle": True}
        dataset = file.create_dataset("masked", data=values, **options)
        dataset.id.write_direct_chunk((8, 0), values[8:16].tobytes(), filter_mask=3)
    for name, options in {"kept": ["--keep-chunks"], "new": ["--chunks", "0=16"]}.items():
        pack(source, tmp_path / f"{name}.h5", *options)
        assert differences(source, tmp_path / f"{name}.h5") == []


def test_fill_values_decide_which_chunks_may_be_left_out(tmp_path: Path):
    """-0.0 is not 0.0 and one NaN is not another: only bit-equal chunks stay unwritten."""
    source = tmp_path / "source.h5"
    with h5py.File(source, "w") as file:
        zeros = np.zeros((64, 64), "f8")
        file.create_dataset("negative", data=-zeros, chunks=(8, 64), compression=1)
        file.create_dataset("zero", data=zeros, chunks=(8, 64), compression=1)
        file.create_dataset("partly", (64, 64), "f8", chunks=(8, 64), fillvalue=-0.0)[:8] = 0.0
        nan = np.frombuffer(np.uint64(0x7FF8000000001234).tobytes(), "f8")[0]
        file.create_dataset("nan", data=np.full((64, 64), nan), fillvalue=np.nan, chunks=(8, 64))
    pack(source, tmp_path / "packed.h5")
    assert differences(source, tmp_path / "packed.h5") == []


def test_chunks_of_4_gib_and_more_are_refused(tmp_path: Path):
    source = tmp_path / "source.h5"
    with h5py.File(source, "w", libver="latest") as file:
        shape = (5 << 30,)
        file.create_dataset("huge", shape, "u1", chunks=shape, compression=1)
    outcome = refuse(source, tmp_path / "packed.h5", "unsupported", "--keep-chunks")
    assert "/huge" in str(outcome.errors[0])
    pack(source, tmp_path / "packed.h5")
    with h5py.File(tmp_path / "packed.h5") as file:
        assert np.prod(file["huge"].chunks) < 1 << 32


@pytest.mark.parametrize("type_name", ["H5T_STD_REF", "H5T_COMPLEX_IEEE_F32LE"])
def test_types_that_hdf5_1_8_cannot_read_are_refused(tmp_path: Path, type_name: str):
    source = tmp_path / "source.h5"
    with h5py.File(source, "w", libver="latest") as file:
        create_scalar(file, "new", type_name)
        file["old"] = make.field(20, 30)
    outcome = refuse(source, tmp_path / "packed.h5", "unsupported")
    assert "/new" in str(outcome.errors[0])


def test_times_of_objects_do_not_change_the_bytes(tmp_path: Path):
    with h5py.File(tmp_path / "timed.h5", "w") as file:
        file.create_dataset("a", data=make.field(30, 30), track_times=True)
    pack(tmp_path / "timed.h5", tmp_path / "one.h5")
    tool("sleep", "1.1")
    pack(tmp_path / "timed.h5", tmp_path / "two.h5")
    assert (tmp_path / "one.h5").read_bytes() == (tmp_path / "two.h5").read_bytes()


def with_attributes(file: h5py.File) -> None:
    for number in range(300):
        dataset = file.create_dataset(f"variable{number:03}", data=np.arange(20, dtype="f4"))
        for attribute in range(10):
            dataset.attrs[f"a{attribute}"] = np.int32(attribute)


def test_objects_with_many_attributes_stay_small_and_are_read_without_libhdf5(tmp_path: Path):
    source, packed = tmp_path / "source.h5", tmp_path / "packed.h5"
    with h5py.File(source, "w", libver="earliest") as file:
        with_attributes(file)
    pack(source, packed)
    assert packed.stat().st_size <= source.stat().st_size
    with pyfive.File(packed) as file:
        assert dict(file["variable007"].attrs) == {f"a{number}": number for number in range(10)}
    with netCDF4.Dataset(packed) as file:
        assert file["variable007"].ncattrs() == [f"a{number}" for number in range(10)]
    assert differences(source, packed) == []


@pytest.mark.parametrize("kind", ["group", "type"])
@pytest.mark.parametrize("attributes", [8, 9, 40])
def test_groups_and_types_with_many_attributes_stay_small(
    tmp_path: Path, kind: str, attributes: int
):
    source, packed = tmp_path / "source.h5", tmp_path / "packed.h5"
    with h5py.File(source, "w", libver="earliest") as file:
        for number in range(200):
            name = f"{kind}{number:03}"
            if kind == "group":
                thing = file.create_group(name)
                thing[f"ä{number}"] = np.arange(3)
            else:
                file[name] = np.dtype([("a", "i4"), ("b", "f8")])
                thing = file[name]
            for attribute in range(attributes):
                thing.attrs[f"a{attribute}"] = np.int32(attribute)
        file.create_dataset("noise", data=np.random.default_rng(1).integers(0, 9, 9999, "u1"))
    pack(source, packed, "--allow-larger", "--level", "1", "--verify")
    assert packed.stat().st_size <= source.stat().st_size
    assert differences(source, packed) == []
    with pyfive.File(packed) as file:
        assert len(file[f"{kind}007"].attrs) == attributes if kind == "group" else True


def test_attributes_without_an_order_get_no_index_of_one(tmp_path: Path):
    source, packed = tmp_path / "source.h5", tmp_path / "packed.h5"
    with h5py.File(source, "w", libver="latest") as file:
        with_attributes(file)
    pack(source, packed)
    # An index of the order would take 550 bytes and more for each object.
    assert packed.stat().st_size <= source.stat().st_size + 300 * 350
    assert differences(source, packed) == []


def test_attributes_in_a_heap_without_an_order_come_as_libhdf5_gives_them(tmp_path: Path):
    source, packed = tmp_path / "source.h5", tmp_path / "packed.h5"
    with h5py.File(source, "w", libver="latest") as file:
        for number in range(20):
            file.attrs[f"attribute {number}"] = number
    # The root of the copy keeps an order.
    pack(source, packed)

    def in_order_of_creation(path: Path) -> list[str]:
        found: list[str] = []
        with h5py.File(path) as file:
            order = h5py.h5.INDEX_CRT_ORDER
            h5py.h5a.iterate(
                file["/"].id, lambda name: found.append(name.decode()), index_type=order
            )
        return found

    expected = in_order_of_creation(source)
    assert sorted(expected) != expected and len(expected) == 20
    assert in_order_of_creation(packed) == expected


def test_files_that_links_lead_to_and_that_stay_behind_are_named(tmp_path: Path):
    (tmp_path / "elsewhere").mkdir()
    source = tmp_path / "master.h5"
    for name in ("linked.h5", "viewed_0.h5"):
        with h5py.File(tmp_path / name, "w") as file:
            file["x"] = np.arange(10)
    with h5py.File(source, "w", libver="latest") as file:
        file["near"] = h5py.ExternalLink("linked.h5", "/x")
        file["gone"] = h5py.ExternalLink("not there.h5", "/x")
        layout = h5py.VirtualLayout((10,), "i8")
        layout[:] = h5py.VirtualSource("viewed_0.h5", "x", (10,))
        file.create_virtual_dataset("view", layout)
    moved = pack(source, tmp_path / "elsewhere" / "packed.h5")
    (line,) = [line for line in moved.stderr.splitlines() if "beside the input" in line]
    assert "linked.h5, viewed_0.h5;" in line
    assert "beside the input" not in pack(source, tmp_path / "packed.h5").stderr


@pytest.mark.parametrize("bound", ["--rel-error=0.01", "--abs-error=0.01"])
def test_a_view_of_rounded_data_stays_a_view(tmp_path: Path, bound: str):
    source, packed = tmp_path / "source.h5", tmp_path / "packed.h5"
    with h5py.File(source, "w", libver="latest") as file:
        file["own"] = make.field(200, 100, dtype="f8")
        layout = h5py.VirtualLayout((200, 100), "f8")
        layout[:] = h5py.VirtualSource(".", "own", (200, 100))
        file.create_virtual_dataset("view", layout)
    pack(source, packed, bound, "--verify")
    with h5py.File(packed) as file:
        assert np.array_equal(file["view"][:], file["own"][:])


def _with_shared_messages(path: Path, attributes: int) -> None:
    """A file whose objects share their types, fill values and attributes."""
    library, creation = libhdf5.load(), h5p.create(h5p.FILE_CREATE)
    identifier = ctypes.c_int64(creation.id)
    assert library.H5Pset_shared_mesg_nindexes(identifier, 1) >= 0
    # All kinds of messages from 10 bytes on.
    assert library.H5Pset_shared_mesg_index(identifier, 0, 0x1F, 10) >= 0
    access = h5p.create(h5p.FILE_ACCESS)
    access.set_libver_bounds(h5f.LIBVER_V18, h5f.LIBVER_LATEST)
    row = np.dtype([("number", "<i4"), ("place", "<f8", (3,)), ("name", h5py.string_dtype())])
    colours = h5py.enum_dtype({"red": 0, "blue": 42}, basetype="i2")
    with h5py.File(h5f.create(bytes(path), h5f.ACC_TRUNC, creation, access)) as file:
        file["committed"] = np.dtype([("a", "<i4"), ("b", "<f8")])
        for number in range(3):
            datasets = [
                file.create_dataset(f"rows{number}", (100,), row, chunks=(10,)),
                file.create_dataset(f"x{number}", data=np.arange(8e3), chunks=True, fillvalue=3.5),
                file.create_dataset(f"colours{number}", data=np.zeros(50, "i2"), dtype=colours),
                file.create_dataset(f"pairs{number}", (50,), file["committed"]),
            ]
            datasets[0][:20] = np.array([(i, (i, i, i), f"row {i}") for i in range(20)], row)
            for dataset, i in itertools.product(datasets, range(attributes)):
                dataset.attrs[f"numbers{i}"] = np.arange(4.0) + i
                dataset.attrs[f"text{i}"] = "degrees of arc"
                dataset.attrs.create(f"row{i}", np.array([(1, (1, 2, 3), "a")], row))


@pytest.mark.parametrize("attributes", [0, 2, 9])
@pytest.mark.parametrize("command", ["pack", "unpack"])
def test_messages_that_objects_share_are_kept_in_each(
    tmp_path: Path, command: str, attributes: int
):
    # A copied type said that it lies in a heap of shared messages, which the output does not have.
    # So its attributes could not be read.
    source, output = tmp_path / "shared.h5", tmp_path / "output.h5"
    _with_shared_messages(source, attributes)
    options = ["--allow-larger"] if command == "pack" else []
    assert frazil(command, source, "-o", output, "--verify", *options).code == DONE
    assert differences(source, output) == []
    assert first_difference(h5dump(source), h5dump(output)) is None
