"""``frazil.compress`` and ``frazil.decompress``: exact round trips, requests, refusals."""

import threading

import frazil
import numpy as np
import pytest
from frazil import errors

TYPES = [*[f"{kind}{size}" for kind in "iu" for size in (1, 2, 4, 8)], "f4", "f8"]


def field(shape=(60, 90), dtype="f4"):
    """A smooth field with digits behind it that no filter foresees."""
    chance = np.random.default_rng(7)
    waves = sum(
        np.sin(np.linspace(0, 5, n)).reshape(-1, *[1] * i) for i, n in enumerate(shape[::-1])
    )
    return (20 + 10 * waves + chance.normal(0, 0.01, shape)).astype(dtype)


def same(a, b):
    return a.dtype == b.dtype and a.shape == b.shape and a.tobytes() == b.tobytes()


@pytest.mark.parametrize("order", ["<", ">"])
@pytest.mark.parametrize("kind", TYPES)
def test_every_type_comes_back_exact_in_its_byte_order(kind, order):
    values = field(dtype=kind).astype(order + kind)
    packed = frazil.compress(values)
    assert isinstance(packed, bytes) and len(packed) < values.nbytes
    again = frazil.decompress(packed)
    assert same(again, values) and again.flags.writeable
    again[0, 0] = 1


@pytest.mark.parametrize(
    "values",
    [
        np.float64(2.5),
        np.array(7, ">i4"),
        np.empty((0,), "f4"),
        np.empty((3, 0, 2), "i2"),
        np.ones((1,) * 32, "u1"),
        np.array([b"a", b"", b"z"], "S1"),
        np.array([np.nan, -0.0, np.inf, 1e-42], "f4"),
        field()[::2, ::-3],
        field().T,
    ],
    ids=["scalar", "0-d", "empty", "no rows", "32 axes", "text", "special", "strided", "turned"],
)
def test_every_shape_comes_back_exact(values):
    assert same(frazil.decompress(frazil.compress(values)), np.asarray(values))


def test_lists_are_arrays_and_any_bytes_are_taken():
    packed = frazil.compress([[1, 2], [3, 4]])
    for one in (packed, bytearray(packed), memoryview(packed), np.frombuffer(packed, np.uint8)):
        assert frazil.decompress(one).tolist() == [[1, 2], [3, 4]]


def test_goals_and_levels_are_heeded_and_bytes_are_the_same_each_time():
    values = field((200, 300))
    sizes = {goal: len(frazil.compress(values, goal=goal)) for goal in ("speed", "size", "archive")}
    assert sizes["archive"] <= sizes["size"] <= sizes["speed"] < values.nbytes
    assert frazil.compress(values) == frazil.compress(values.copy(), goal="balanced")
    assert same(frazil.decompress(frazil.compress(values, goal="size", level=19)), values)


@pytest.mark.parametrize("order", ["<", ">"])
def test_rounded_values_keep_the_bound_and_what_is_protected(order):
    values = field().astype(f"{order}f4")
    values[3, 4:20] = -999
    request = {"absolute_tolerance": 0.05, "fill_value": -999}
    packed = frazil.compress(values, precision=request)
    assert len(packed) < 0.7 * len(frazil.compress(values))
    again = frazil.decompress(packed)
    assert again.dtype == values.dtype
    assert np.abs(again.astype("f8") - values.astype("f8")).max() <= 0.05
    assert (again[3, 4:20] == -999).all()
    assert not same(again, values)
    assert same(frazil.decompress(frazil.compress(values, precision={"lossless": True})), values)


@pytest.mark.parametrize(
    ("values", "cure"),
    [
        (np.array(["a", "bc"]), "encode"),
        (np.array(["a", None], dtype=object), "numbers"),
        (np.array([b"ab"]), "S1"),
        (np.array([True]), "u1"),
        (np.array([1 + 2j]), "f8"),
        (np.array(["2000-01-01"], "M8[s]"), "i8"),
        (np.zeros(3, "f2"), "f4"),
        (np.zeros(3, [("a", "f4")]), "name"),
    ],
    ids=["text", "object", "bytes", "bool", "complex", "date", "half", "structure"],
)
def test_other_types_are_refused_with_a_cure(values, cure):
    with pytest.raises(errors.UnsupportedError, match="not compressed") as caught:
        frazil.compress(values)
    assert cure in caught.value.cure


@pytest.mark.parametrize(
    ("options", "said"),
    [
        ({"goal": "small"}, "small"),
        ({"level": 23}, "23"),
        ({"level": -1}, "-1"),
        ({"precision": {"digits": 3}}, "digits"),
        ({"precision": {"significant_digits": 40}}, "digits"),
        ({"precision": {"keep_information": 0.99}}, "information"),
        ({"precision": {"absolute_tolerance": np.nan}}, "finite"),
        ({"precision": {"absolute_tolerance": 0.1, "pack_integers": True}}, "integers"),
    ],
)
def test_requests_that_cannot_be_are_refused(options, said):
    with pytest.raises(errors.InvalidArgumentError, match=said):
        frazil.compress(field(), **options)


def test_masked_arrays_and_too_many_axes_are_refused():
    with pytest.raises(errors.InvalidArgumentError, match="mask") as caught:
        frazil.compress(np.ma.masked_greater(field(), 25))
    assert "filled" in caught.value.cure
    with pytest.raises(errors.InvalidArgumentError, match="32"):
        frazil.compress(np.ones((1,) * 33, "u1"))


def test_damaged_bytes_are_an_error_and_no_crash():
    values = field()
    packed = frazil.compress(values)
    for wrong in (b"", b"nothing of the kind", packed[:10], packed[:40], packed[:-1]):
        with pytest.raises(errors.CorruptError):
            frazil.decompress(wrong)
    chance = np.random.default_rng(1)
    refused = 0
    for _ in range(300):
        damaged = bytearray(packed)
        damaged[chance.integers(0, min(len(packed), 400))] ^= int(chance.integers(1, 256))
        try:
            frazil.decompress(damaged)
        except errors.Error as error:
            assert isinstance(error, errors.CorruptError | errors.MemoryBudgetError)
            refused += 1
    # There is no checksum: most changes give other values.
    assert refused > 30
    for wrong in (None, "text", 5):
        with pytest.raises(errors.InvalidArgumentError, match="not a block of bytes"):
            frazil.decompress(wrong)


def test_threads_compress_at_the_same_time():
    fields = [field() + i for i in range(8)]
    found = [None] * 8

    def work(i):
        found[i] = frazil.decompress(frazil.compress(fields[i]))

    threads = [threading.Thread(target=work, args=(i,)) for i in range(8)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert all(same(*pair) for pair in zip(found, fields, strict=True))


def test_filters_and_speeds_may_be_stated_as_for_pack():
    values = field()
    chosen = frazil.compress(values, goal="archive")
    stated = frazil.compress(values, filters="shuffle+lz4")
    fast = frazil.compress(values, goal="archive", min_write_speed="1GB/s")
    assert len(chosen) < len(fast) < len(stated) + 1 and stated != chosen
    for packed in (chosen, stated, fast):
        assert same(frazil.decompress(packed), values)
    with pytest.raises(errors.InvalidArgumentError, match="zip"):
        frazil.compress(values, filters="zip")
    with pytest.raises(errors.InvalidArgumentError, match="sailing"):
        frazil.compress(values, min_read_speed="sailing")
