"""Virtual datasets of many forms: selections, names, sources and types by chance."""

import random
from collections.abc import Iterator
from contextlib import suppress
from pathlib import Path

import h5py
import numpy as np
from h5py import h5d, h5f, h5p, h5s, h5t

VERSIONS = [h5f.LIBVER_V110, h5f.LIBVER_V112, h5f.LIBVER_LATEST]
UNLIMITED = h5s.UNLIMITED
NUMBERS = ["i1", "u1", "i2", ">u2", "i4", "u4", ">i8", "u8", "f4", "f8", ">f4", ">f8"]
NATIVE = ["i1", "u1", "i2", "u2", "i4", "u4", "i8", "u8", "f4", "f8"]
NAME = b"v"
# One axis of a selection: start, stride, count, block.
Pattern = list[tuple[int, int, int, int]]


def generate(folder: Path, seed: int) -> Path:
    """Writes the files of a seed; the virtual datasets are in the one that is given back."""
    chance = random.Random(seed)
    path = folder / "all.h5"
    with _create(path, chance) as file:
        writer = _Writer(folder, file, chance)
        for number in range(3):
            writer.dataset(f"v{number}".encode())
    for number in range(chance.choice([0, 0, 1])):
        # A source that there once was.
        with suppress(FileNotFoundError):
            (folder / f"s{number}.h5").unlink()
    return path


def _create(path: Path, chance: random.Random) -> h5py.File:
    access = h5p.create(h5p.FILE_ACCESS)
    access.set_libver_bounds(chance.choice(VERSIONS), h5f.LIBVER_LATEST)
    return h5py.File(h5f.create(str(path).encode(), h5f.ACC_TRUNC, fapl=access))


class _Writer:
    def __init__(self, folder: Path, file: h5py.File, chance: random.Random) -> None:
        self.folder, self.file, self.chance = folder, file, chance
        self.files = 0
        self.depth = 0

    def dataset(self, name: bytes) -> tuple[np.dtype, tuple[int, ...]]:
        """A virtual dataset in the main file."""
        chance = self.chance
        form = chance.choice(["limited", "limited", "limited", "endless", "series"])
        kind = self.kind()
        shape = tuple(chance.randint(1, 9) for _ in range(chance.randint(1, 3)))
        endless = chance.randrange(len(shape)) if form != "limited" else None
        longest = tuple(UNLIMITED if axis == endless else n for axis, n in enumerate(shape))
        creation = h5p.create(h5p.DATASET_CREATE)
        creation.set_layout(h5d.VIRTUAL)
        if chance.random() < 0.6 and kind.kind in "iuf":
            creation.set_fill_value(np.array(chance.choice([1, 7, 99]), kind))
        # libhdf5 gives random memory for texts between parts that overlap.
        for _ in range(1 if kind.hasobject or kind.subdtype else chance.randint(0, 4)):
            if form == "limited":
                self.limited(creation, kind, shape)
            else:
                self.endless(creation, kind, shape, (endless, form))
        space = h5s.create_simple(shape, longest)
        h5d.create(self.file.id, name, h5t.py_create(kind, logical=True), space, creation)
        return kind, shape

    def kind(self) -> np.dtype:
        chance = self.chance
        others = [
            np.dtype("S5"),
            np.dtype([("a", "i2"), ("b", ">f8")]),
            h5py.string_dtype(),
            h5py.vlen_dtype("i4"),
            np.dtype("?"),
            np.dtype(("f4", (2,))),
            np.dtype("c8"),
        ]
        return np.dtype(chance.choice(NUMBERS)) if chance.random() < 0.7 else chance.choice(others)

    def limited(self, creation: h5p.PropDCID, kind: np.dtype, shape: tuple[int, ...]) -> None:
        """A part whose selections have their ends."""
        chance = self.chance
        target = h5s.create_simple(shape)
        lengths = self.select(target, shape)
        count = target.get_select_npoints()
        if count == 0 and chance.random() < 0.9:
            return
        source = self.source_space(lengths, count)
        extent = source.get_simple_extent_dims()
        if chance.random() < 0.15 and len(extent) == 1 and extent[0] == count:
            source.select_all()
        file, dataset = self.source(kind, extent)
        with suppress(ValueError):
            creation.set_virtual(target, file, dataset, source)

    def select(self, space: h5s.SpaceID, shape: tuple[int, ...]) -> list[int]:
        """Selects by chance; gives the lengths of what is a product of axes."""
        chance = self.chance
        form = chance.choice(["all", "box", "pattern", "pattern", "boxes", "list", "none"])
        if form == "all":
            space.select_all()
            return list(shape)
        if form == "none":
            space.select_none()
            return [0]
        if form == "boxes":
            space.select_none()
            for _ in range(chance.randint(1, 4)):
                _put(space, [self.axis(length, "box") for length in shape], h5s.SELECT_OR)
            return [space.get_select_npoints()]
        axes = [self.axis(length, form) for length in shape]
        if form == "list":
            # Some elements of one axis, all of the others.
            space.select_none()
            one = chance.randrange(len(shape))
            chosen = sorted(chance.sample(range(shape[one]), chance.randint(1, shape[one])))
            for at in chosen:
                box = [(0, 1, 1, length) for length in shape]
                box[one] = (at, 1, 1, 1)
                _put(space, box, h5s.SELECT_OR)
            return [len(chosen) if axis == one else n for axis, n in enumerate(shape)]
        _put(space, axes, h5s.SELECT_SET)
        return [count * block for _, _, count, block in axes]

    def axis(self, length: int, form: str) -> tuple[int, int, int, int]:
        chance = self.chance
        start = chance.randrange(length)
        block = chance.randint(1, min(3, length - start))
        if form != "pattern":
            return start, 1, 1, chance.randint(1, length - start)
        stride = block + chance.randint(0, 2)
        most = (length - start - block) // stride + 1
        return start, stride, chance.randint(1, most), block

    def source_space(self, lengths: list[int], count: int) -> h5s.SpaceID:
        """A dataspace in which as many elements are selected."""
        chance = self.chance
        form = chance.choice(["same", "same", "long", "row", "scattered"])
        lengths = lengths if form in ("same", "long") and count else [count]
        if form == "long":
            lengths = [*lengths[:1], 1, *lengths[1:]]
        axes, shape = [], []
        for length in lengths:
            start, stride = chance.randint(0, 2), chance.randint(1, 3)
            axes.append((start, stride, length, 1))
            shape.append(start + stride * max(length, 1) + chance.randint(0, 2))
        space = h5s.create_simple(tuple(shape))
        if count == 0:
            space.select_none()
        elif form == "scattered":
            width = chance.randint(1, 7)
            rows = count // width + 2
            space = h5s.create_simple((rows, width))
            space.select_none()
            for at in sorted(chance.sample(range(rows * width), count)):
                row, column = divmod(at, width)
                _put(space, [(row, 1, 1, 1), (column, 1, 1, 1)], h5s.SELECT_OR)
        else:
            _put(space, axes, h5s.SELECT_SET)
        return space

    def source(self, kind: np.dtype, shape: tuple[int, ...]) -> tuple[bytes, bytes]:
        """Writes a source, or does not; gives its names."""
        chance = self.chance
        number, self.files = self.files, self.files + 1
        place = chance.choice(["beside", "beside", "below", "whole", "here", "missing", "nested"])
        if place == "missing":
            return (b"nowhere.h5", NAME) if chance.random() < 0.5 else (b".", b"nothing")
        own = self.other_kind(kind)
        if place == "here":
            name = f"own{number}"
            _write(self.file, name, own, shape, chance)
            return b".", name.encode()
        name = f"s{number}.h5" if place != "below" else f"below/s{number}.h5"
        path = self.folder / name
        path.parent.mkdir(exist_ok=True)
        with _create(path, chance) as file:
            if place == "nested":
                _write(file, "inner", own, shape, chance)
                creation = h5p.create(h5p.DATASET_CREATE)
                creation.set_layout(h5d.VIRTUAL)
                space = h5s.create_simple(shape)
                creation.set_virtual(space, b".", b"inner", space)
                middle = h5t.py_create(self.other_kind(kind), logical=True)
                h5d.create(file.id, NAME, middle, space, creation)
            else:
                _write(file, "group/data", own, shape, chance)
                file["v"] = h5py.SoftLink("group/data")
        if place == "whole":
            return str(path).encode(), NAME
        doubled = name.replace("%", "%%")
        return doubled.encode(), b"/v" if chance.random() < 0.5 else NAME

    def other_kind(self, kind: np.dtype) -> np.dtype:
        """What a source's numbers are: others than here, sometimes."""
        chance = self.chance
        if kind.kind in "iuf" and kind.isnative and chance.random() < 0.4:
            return np.dtype(chance.choice(NATIVE))
        if kind.kind == "S" and chance.random() < 0.3:
            return np.dtype(f"S{chance.randint(1, 9)}")
        return kind

    def endless(
        self,
        creation: h5p.PropDCID,
        kind: np.dtype,
        shape: tuple[int, ...],
        way: tuple[int, str],
    ) -> None:
        """A part that goes on along an axis: in one source, or block by block in a series."""
        chance, (axis, form) = self.chance, way
        others = [(0, 1, 1, length) for length in shape]
        block = chance.randint(1, 3)
        start, stride = chance.randint(0, 3), block + chance.randint(0, 2)
        target = list(others)
        target[axis] = (start, stride, UNLIMITED, block)
        longest = tuple(UNLIMITED if i == axis else n for i, n in enumerate(shape))
        space = h5s.create_simple(shape, longest)
        _put(space, target, h5s.SELECT_SET)
        number, self.files = self.files, self.files + 1
        if form == "series":
            extent = tuple(block if i == axis else n for i, n in enumerate(shape))
            name = f"series{number}_%b.h5"
            for i in range(chance.randint(0, 5)):
                if chance.random() < 0.85:
                    with _create(self.folder / name.replace("%b", str(i)), chance) as file:
                        _write(file, "v", self.other_kind(kind), extent, chance)
            creation.set_virtual(space, name.encode(), NAME, h5s.create_simple(extent))
            return
        step = chance.randint(1, 3)
        source = list(others)
        source[axis] = (chance.randint(0, 2), step + chance.randint(0, 2), UNLIMITED, step)
        extent = tuple(chance.randint(0, 12) if i == axis else n for i, n in enumerate(shape))
        own = h5s.create_simple(extent, longest)
        _put(own, source, h5s.SELECT_SET)
        name = f"s{number}.h5"
        with _create(self.folder / name, chance) as file:
            _write(file, "v", self.other_kind(kind), extent, chance)
        creation.set_virtual(space, name.encode(), NAME, own)


def _put(space: h5s.SpaceID, axes: Pattern, way: int) -> None:
    start, stride, count, block = zip(*axes, strict=True)
    space.select_hyperslab(start, count, stride, block, op=way)


def _write(
    file: h5py.Group, name: str, kind: np.dtype, shape: tuple[int, ...], chance: random.Random
) -> None:
    """A dataset that is stored somehow."""
    options: dict = {}
    form = chance.choice(["plain", "chunked", "filtered", "unwritten"])
    if form in ("chunked", "filtered") and shape and 0 not in shape:
        options["chunks"] = tuple(chance.randint(1, length) for length in shape)
    if form == "filtered" and options and h5py.check_vlen_dtype(kind) is None:
        options |= {"compression": 1, "shuffle": chance.random() < 0.5}
    dataset = file.create_dataset(name, shape, kind, **options)
    if form != "unwritten" and dataset.size:
        dataset[...] = _values(kind, shape, chance)


def _values(kind: np.dtype, shape: tuple[int, ...], chance: random.Random) -> np.ndarray:
    many = np.random.default_rng(chance.randrange(1 << 30))
    if h5py.check_string_dtype(kind) is not None and kind.kind == "O":
        texts = [f"text {i} \u00fc"[: chance.randint(0, 9)] for i in range(int(np.prod(shape)))]
        return np.array(texts, object).reshape(shape)
    if (base := h5py.check_vlen_dtype(kind)) is not None:
        found = np.empty(int(np.prod(shape)), object)
        for i in range(found.size):
            found[i] = many.integers(-9, 9, chance.randint(0, 4)).astype(base)
        return found.reshape(shape)
    if kind.kind == "b":
        return many.integers(0, 2, shape).astype(kind)
    if kind.kind == "S":
        words = [b"a", b"abc ", b"", b"longest!", b"  x"]
        return many.choice(np.array(words, kind), shape)
    if kind.kind == "f":
        values = many.normal(size=shape) * 10.0 ** many.integers(-3, 25, shape)
        special = many.choice([np.nan, np.inf, -np.inf, -0.0, 2.0**31, 2.0**63, 300.0], shape)
        return np.where(many.random(shape) < 0.2, special, values).astype(kind)
    if kind.names or kind.subdtype or kind.kind == "c":
        size = int(np.prod(shape)) * kind.itemsize
        raw = many.integers(0, 100, size, dtype="u1")
        base, inner = kind.subdtype or (kind, ())
        return np.frombuffer(raw.tobytes(), base).reshape(shape + inner)
    return many.integers(0, 256, (*shape, kind.itemsize), dtype="u1").view(kind)[..., 0]


def parts(shape: tuple[int, ...], seed: int) -> Iterator[tuple]:
    """Everything, and some parts of an array."""
    chance = random.Random(seed)
    yield ()
    # HDF5 cannot read nothing of a series.
    for _ in range(0 if 0 in shape else 3):
        steps = []
        for length in shape:
            begin = chance.randrange(length)
            end = chance.randint(begin + 1, length)
            steps.append(slice(begin, end, chance.randint(1, 3)))
        yield tuple(steps)
