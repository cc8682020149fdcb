"""Keywords that functions share: what is wrong with one is said, and all are documented."""

import inspect

import frazil
import pytest
from frazil.keywords import PackKeywords, PlanKeywords, UnpackKeywords, WriterKeywords
from support.command import SAMPLE


@pytest.mark.parametrize(
    ("options", "words"),
    [
        ({"goal": "sizee"}, ["option goal", '"sizee"', "balanced, size, speed", "`size`"]),
        ({"readable_by": "plugin"}, ["option readable_by", '"plugin"', "any, ", "`plugins`"]),
        ({"storage": "disc"}, ["option storage", '"disc"', "local, disk", "`disk`"]),
        ({"reads": "maps"}, ["option reads", '"maps"', "`map`"]),
        ({"layout": "cmip"}, ["option layout", '"cmip"', "standard or cmip7", "`cmip7`"]),
        ({"filters": "shufle"}, ["option filters", '"shufle"', "a chain of filters"]),
        ({"level": "many"}, ["option level", '"many"', "a number from 0"]),
        ({"checksum": "yes"}, ["option checksum", '"yes"', "True or False"]),
        ({"chunks": "kep"}, ["option chunks", '"kep"', "keep"]),
        ({"threads": -1}, ["option threads", '"-1"', "a number of threads from 0"]),
        ({"filters": "zzz"}, ["option filters", '"zzz"', "shuffle, deflate(0-9)"]),
        ({"most_chunks": "x"}, ["option most_chunks", '"x"', "more than 0"]),
        ({"chunks": {"lat": "x"}}, ["chunks['lat']", "'x'", "a whole number from 1"]),
        ({"chunks": {"T": {"lat": 1.5}}}, ["chunks['T']['lat']", "1.5", "a whole number"]),
        ({"weights": {"szie": 1}}, ["weights", "size, write, read and energy", "'size' meant"]),
        ({"weights": 3}, ["weights is 3", "a mapping"]),
        ({"precision": 3}, ["precision is 3", "a mapping", "a file"]),
        ({"precision": {"T": 3}}, ["precision['T'] is 3", "a mapping"]),
        ({"precision": {"T": {"nbits": "x"}}}, ['T: nbits: "x" is no whole number']),
        ({"precision": {"T": {"lossless": True, "nbits": 3}}}, ["`lossless` keeps every bit"]),
        ({"precision": {"T": {"algorithm": "bitround"}}}, ["for `T`", "how far it rounds"]),
        ({"goal": "size", "filters": "none"}, ["filters and goal are both stated"]),
        ({"level": 3, "filters": "none"}, ["filters and level are both stated"]),
        ({"precision": {"T": {"significant_digit": 3}}}, ["T", "`significant_digits` meant"]),
    ],
)
def test_a_wrong_value_is_named_with_what_is_allowed(options, words):
    with pytest.raises(frazil.errors.InvalidArgumentError) as refused:
        frazil.plan(SAMPLE, **options)
    for word in words:
        assert word in str(refused.value), refused.value


def test_a_writer_says_the_same(tmp_path):
    for options in ({"goal": "sizee"}, {"options": {"goal": "sizee"}}):
        with pytest.raises(frazil.errors.InvalidArgumentError, match=r"option goal is .*`size`"):
            frazil.Writer(tmp_path / "out.nc", **options)
    with pytest.raises(frazil.errors.InvalidArgumentError, match=r"format is .*`classic`"):
        frazil.unpack(SAMPLE, tmp_path / "out.nc", format="clasic")


@pytest.mark.parametrize(
    ("options", "option"),
    [
        ({"axes": {"sotuh_north": "lat"}}, "axes"),
        ({"expected": {"sotuh_north": 8}}, "expected"),
        ({"reads": "sotuh_north:4/west_east:2"}, "reads"),
        ({"chunks": {"sotuh_north": 4, "west_east": 2}}, "chunks"),
        ({"precision": {"*": {"chunks": {"sotuh_north": 4}}}}, "chunks"),
    ],
)
def test_a_dimension_that_is_nowhere_is_refused(options, option):
    with pytest.raises(frazil.errors.InvalidArgumentError) as refused:
        frazil.plan(SAMPLE, **options)
    assert f"option {option} names `sotuh_north`" in str(refused.value)
    assert "write `south_north`" in str(refused.value)


def test_what_is_stated_twice_must_be_the_same(tmp_path):
    with pytest.raises(frazil.errors.InvalidArgumentError, match=r"goal is stated twice: 'speed'"):
        frazil.Writer(tmp_path / "out.nc", goal="speed", options={"goal": "size"})
    with frazil.Writer(tmp_path / "out.nc", threads=1, options={"threads": "1"}):
        pass


def test_wrong_values_of_readers_are_refused_in_the_same_words():
    for options, words in (
        ({"threads": -1}, "threads is -1; it must be a whole number"),
        ({"threads": 5000}, "threads is 5000; it must be a number of threads from 0"),
        ({"chunk_cache": 3}, "chunk_cache is 3; it must be a WritePlan"),
        ({"chunk_cache": {"T": "x"}}, "'x'; it must be a whole number"),
    ):
        with pytest.raises(frazil.errors.InvalidArgumentError) as refused:
            frazil.open(SAMPLE, **options)
        assert words in str(refused.value)
    with pytest.raises(frazil.errors.InvalidArgumentError, match="plan is 'file'"):
        frazil.pack(SAMPLE, "out.nc", plan="file")


def test_a_key_within_an_option_is_named():
    with pytest.raises(frazil.errors.InvalidArgumentError, match="`digits`"):
        frazil.compress([1.0], precision={"digits": 3})
    with pytest.raises(frazil.errors.InvalidArgumentError, match=r"option precision.*`lossless`"):
        frazil.compress([1.0], precision={"losless": True})


@pytest.mark.parametrize(
    ("word", "ours"),
    [("bits", "significant_bits"), ("zlib", "level=4"), ("chunksizes", "chunks=")],
)
def test_words_of_other_libraries_are_known(word: str, ours: str) -> None:
    with pytest.raises(TypeError, match=rf"'{word}'\. Here this is .*{ours}"):
        frazil.pack("a.nc", "b.nc", **{word: 3})


def test_an_unknown_keyword_is_named_with_what_was_meant(tmp_path):
    with pytest.raises(TypeError, match=r"pack\(\).*'gaol'. Did you mean 'goal'"):
        frazil.pack(SAMPLE, tmp_path / "out.nc", gaol="size")
    with pytest.raises(TypeError, match=r"plan\(\).*'overwrite'"):
        frazil.plan(SAMPLE, overwrite=True)
    with pytest.raises(TypeError, match=r"Writer\(\).*'durabel'. Did you mean 'durable'"):
        frazil.Writer(tmp_path / "out.nc", durabel=True)
    with pytest.raises(TypeError, match=r"Writer\(\).*'treads'. Did you mean 'threads'"):
        frazil.Writer(tmp_path / "out.nc", treads=4)


@pytest.mark.parametrize(
    ("function", "keywords"),
    [
        (frazil.pack, PackKeywords),
        (frazil.pack_files, PackKeywords),
        (frazil.plan, PlanKeywords),
        (frazil.unpack, UnpackKeywords),
        (frazil.Writer, WriterKeywords),
        (frazil.to_netcdf, WriterKeywords),
    ],
)
def test_keywords_are_in_the_signature_and_documented(function, keywords):
    documented = {line.split(" : ")[0].strip() for line in function.__doc__.splitlines()}
    for key in keywords.__annotations__:
        assert key in inspect.signature(function).parameters
        assert key in documented, key
    assert "**" not in function.__doc__
    text = " ".join(function.__doc__.split())
    assert "example 512M. A number, or a text with K, M or G. Unit: bytes." in text
    assert "scratch file beside the output" in text


def test_text_serves_where_mappings_do():
    stated = frazil.plan(SAMPLE, reads="map,series=2", expected="Time=100", storage="disk")
    mapped = frazil.plan(
        SAMPLE, reads={"map": 1, "series": 2}, expected={"Time": 100}, storage="disk"
    )
    assert stated.variables == mapped.variables
