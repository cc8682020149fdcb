"""Options as keywords: their types, frazil's words for their values, and their documentation."""

from __future__ import annotations

import functools
import inspect
import json
import math
import os
import re
import textwrap
from collections.abc import Callable, Mapping, Sequence
from pathlib import Path
from typing import Any, TypeVar

import numpy as np

from . import _frazil, checks
from .errors import InvalidArgumentError
from .reports import WritePlan
from .types import whole_count

StrPath = str | os.PathLike[str]
Precision = Mapping[str, Any] | StrPath
Reads = str | Mapping[str, float] | Sequence[str]
Speed = float | str

_Function = TypeVar("_Function", bound=Callable[..., Any])

# Keywords that say what chunk shapes serve.
_CHUNK_GOAL = ("reads", "storage", "axes", "expected", "most_chunks", "calibration")
# What rules state of filters; all else is about precision and chunks.
_ABOUT_FILTERS = ("min_write_speed", "min_read_speed", "filters", "ratio_tolerance_percent")


def as_json(**options: Any) -> str:
    """Options as JSON; what is ``None`` is left to frazil."""
    return _json({key: value for key, value in options.items() if value is not None})


def _json(options: Any) -> str:
    try:
        return json.dumps(options, allow_nan=False)
    except (TypeError, ValueError) as error:
        raise InvalidArgumentError(f"an option cannot be understood: {error}") from None


# Words of the command, of netCDF4 and of h5py for what is stated otherwise here.
_ELSEWHERE = {
    "bits": 'precision={"*": {"significant_bits": 9}}',
    "digits": 'precision={"*": {"significant_digits": 3}}',
    "significant_digits": 'precision={"*": {"significant_digits": 3}}',
    "abs_error": 'precision={"T": {"absolute_tolerance": 0.01}}',
    "rel_error": 'precision={"T": {"relative_tolerance_percent": 0.1}}',
    "keep_information": 'precision={"*": {"keep_information": 0.99}}',
    "lossless": 'precision={"T": None}',
    "complevel": "level=4",
    "compression_opts": "level=4",
    "zlib": "level=4",
    "compression": 'filters="shuffle+deflate(4)"',
    "chunksizes": 'chunks={"time": 24}',
    "keep_chunks": 'chunks="keep"',
}


def stated(
    function: Callable[..., Any], keywords: type, options: Mapping[str, Any]
) -> dict[str, Any]:
    """The options that a caller of a function states, each among `keywords`."""
    for key in options:
        if key not in keywords.__annotations__:
            raise _unexpected(function, key, _ELSEWHERE)
    return {key: value for key, value in options.items() if value is not None}


def _unexpected(function: Callable[..., Any], key: str, elsewhere: Mapping[str, str]) -> TypeError:
    """The error for a keyword that a function does not have, with what to write in its place."""
    known = list(inspect.signature(function).parameters)
    ours = elsewhere.get(key, "")
    meant = _frazil.nearest_word(key, known)
    hint = f". Did you mean {meant!r}?" if meant else ""
    if ours.split("=")[0] in known:
        hint = f". Here this is {ours}"
    return TypeError(f"{function.__name__}() got an unexpected keyword argument {key!r}{hint}")


def explained(**elsewhere: str) -> Callable[[_Function], _Function]:
    """Has a function say what is meant by a keyword that it does not have.

    Parameters
    ----------
    **elsewhere
        Keywords of other packages, and what to write here.
    """

    def explain(function: _Function) -> _Function:
        known = {*inspect.signature(function).parameters}

        @functools.wraps(function)
        def checked(*values: Any, **options: Any) -> Any:
            if not known.issuperset(options):
                key = next(key for key in options if key not in known)
                raise _unexpected(function, key, elsewhere)
            return function(*values, **options)

        return checked  # type: ignore[return-value]

    return explain


def as_text(value: Any) -> str:
    """A value as the command and the environment have it: ``map,series=2`` may be a mapping."""
    if isinstance(value, bool):
        return str(int(value))
    if isinstance(value, Mapping):
        return ",".join(f"{key}={one}" for key, one in value.items())
    if isinstance(value, Sequence) and not isinstance(value, str):
        return ",".join(map(str, value))
    return os.fspath(value) if isinstance(value, os.PathLike) else str(value)


def precision_rules(
    precision: Precision | list[dict[str, Any]] | None,
) -> list[dict[str, Any]]:
    """``precision=`` as rules: a mapping of patterns to what is stated, or a TOML file of rules.

    In a mapping, names override patterns, and these override ``"*"``, wherever they stand.
    Before the rules of a file stand its defaults, if it has some. Rules stay as they are.
    """
    if precision is None:
        return []
    allowed = "a mapping of names or patterns to their options, or a file of rules"
    if isinstance(precision, list):
        if not all(isinstance(rule, Mapping) for rule in precision):
            raise checks.refuse("precision", precision, allowed)
        return precision
    if isinstance(precision, Mapping):
        rules = [_rule(pattern, request) for pattern, request in precision.items()]
        # A mapping is read without thought of its order: a name goes before a pattern.
        return sorted(rules, key=lambda rule: _frazil.narrowness(rule["variables"][0]))
    return json.loads(_frazil.read_precision(checks.path("precision", precision, allowed)))


def _rule(pattern: str, request: Any) -> dict[str, Any]:
    """What is stated of the variables that a pattern matches; ``None``: they stay exact."""
    if not isinstance(pattern, str):
        raise checks.refuse("a key of precision", pattern, "a name or a pattern of variables")
    stated = {"lossless": True}
    if request is not None:
        stated = precision_request(f"precision[{pattern!r}]", request)
    return {"variables": [pattern], "request": stated}


def precision_request(name: str, request: Any) -> dict[str, Any]:
    """What is stated of the precision of one variable."""
    stated = checks.mapping(name, request, 'a mapping, {"significant_digits": 4}, or None')
    for key, value in stated.items():
        if isinstance(value, float | np.floating) and not math.isfinite(value):
            raise checks.refuse(f"{name}[{key!r}]", value, "a finite number")
    return stated


def check_names(rules: list[dict[str, Any]], paths: Sequence[str], file: StrPath) -> None:
    """Refuses rules about precision that name a variable which a file to be does not get."""
    try:
        _frazil.check_names(_json(rules), list(paths))
    except InvalidArgumentError as error:
        error.file = os.fspath(file)
        raise


def names_are_checked(options: Mapping[str, Any], inputs: Sequence[Path]) -> bool:
    """Whether all variables and dimensions that options of a pack name are in some input.

    ``False``: no input can be read here.
    """
    return _frazil.check_names_in(pack_options(options), list(inputs))


def filter_rules(rules: list[dict[str, Any]]) -> list[dict[str, Any]]:
    """What of rules is about filters and chunk shapes."""
    kept = (*_ABOUT_FILTERS, "chunks")
    found = []
    for rule in rules:
        part = {key: value for key, value in rule.get("request", {}).items() if key in kept}
        if part or "defaults" in rule:
            found.append({**rule, "request": part} if part else rule)
    return found


def chunk_goal(options: Mapping[str, Any]) -> dict[str, Any] | None:
    """What chunk shapes are to serve, in frazil's words; ``None`` where nothing is stated."""
    goal = {key: as_text(options[key]) for key in _CHUNK_GOAL if options.get(key) is not None}
    return goal or None


def plan_dict(plan: WritePlan | None) -> dict[str, Any] | None:
    """A plan as frazil reads it."""
    if plan is None:
        return None
    if not isinstance(plan, WritePlan):
        cure = "read a file of `frazil plan --json` by frazil.WritePlan.from_json(text)"
        raise checks.refuse("plan", plan, "a WritePlan, as frazil.plan returns it", cure)
    return plan._stored()


def _overrides(chunks: Any) -> dict[str, Any]:
    """``chunks=``: a policy, extents by dimension, or extents by variable and dimension."""
    if chunks is not None and not isinstance(chunks, str | Mapping):
        allowed = '"auto", "keep", or a mapping of dimensions to lengths, {"time": 24}'
        raise checks.refuse("chunks", chunks, allowed)
    if not isinstance(chunks, Mapping):
        return {} if chunks is None else {"chunks": chunks}
    overrides = []
    for key, value in chunks.items():
        stated = value if isinstance(value, Mapping) else {key: value}
        named = f"chunks[{key!r}]" if stated is value else "chunks"
        extents = [
            (str(dim), whole_count(count, f"{named}[{dim!r}]", least=1))
            for dim, count in stated.items()
        ]
        overrides.append({"variable": str(key) if stated is value else "*", "extents": extents})
    return {"chunk_overrides": overrides}


def pack_options(options: Mapping[str, Any], **others: Any) -> str:
    """The options of :func:`frazil.pack` as JSON."""
    asked = {key: value for key, value in options.items() if key not in _CHUNK_GOAL}
    weights, tree = asked.pop("weights", None), asked.pop("tree", None)
    described = {
        **_overrides(asked.pop("chunks", None)),
        "chunk_goal": chunk_goal(options),
        "plan": plan_dict(asked.pop("plan", None)),
        "precision": precision_rules(asked.pop("precision", None)),
        "weights": None if weights is None else checks.weights(weights),
        "tree": None if tree is None else str(checks.path("tree", tree, "a file")),
    }
    return as_json(**described, **{**asked, **others})


def documented(keywords: type) -> Callable[[_Function], _Function]:
    """Gives a function the signature and the documentation of its keywords.

    They stand in its docstring in place of the entry for all of them.
    """

    def complete(function: _Function) -> _Function:
        own = inspect.signature(function)
        parameters = [one for one in own.parameters.values() if one.kind is not one.VAR_KEYWORD]
        parameters += [
            _keyword(key, kind)
            for key, kind in keywords.__annotations__.items()
            if key not in own.parameters
        ]
        function.__signature__ = own.replace(parameters=parameters)  # type: ignore[attr-defined]
        entry = re.compile(r"^( *)\*\*\w+\n(?:\1 +.*\n)+", flags=re.MULTILINE)
        if function.__doc__:
            listed = entry.sub(lambda found: _entries(keywords, found[1]), function.__doc__)
            function.__doc__ = listed
        return function

    return complete


def _keyword(key: str, kind: Any) -> inspect.Parameter:
    """A keyword in a signature, with its type as text."""
    text = getattr(kind, "__forward_arg__", kind)
    return inspect.Parameter(key, inspect.Parameter.KEYWORD_ONLY, default=None, annotation=text)


def _entries(keywords: type, indent: str) -> str:
    """The entries of keywords in a docstring."""
    entries = []
    for one in json.loads(_frazil.declared_options()):
        if one["key"] in keywords.__annotations__:
            entries.append(f"{indent}{one['key']} : {_kind(one)}, optional\n")
            first = " ".join(filter(None, (one["help"], one["python"], _unit(one))))
            texts = [first, one["details"]] if one["details"] else [first]
            wrapped = ("\n".join(textwrap.wrap(text, 92 - len(indent))) for text in texts)
            entries.append(textwrap.indent("\n\n".join(wrapped), f"{indent}    ") + "\n")
    return "".join(entries)


def _unit(option: Mapping[str, Any]) -> str:
    """The unit of an option, unless its sentence names it."""
    is_said = option["unit"].lower() in option["help"].lower()
    return "" if is_said else f"Unit: {option['unit']}."


def _kind(option: Mapping[str, Any]) -> str:
    """The type of an option, as docstrings have it."""
    if option["python_type"]:
        return option["python_type"]
    if option["values"]["is_switch"]:
        return "bool"
    words = [f'"{word}"' for word, _ in option["values"]["words"]]
    return " or ".join(filter(None, (", ".join(words[:-1]), *words[-1:]))) or "str"


def without_contradiction(
    options: Mapping[str, Any] | None, keywords: Mapping[str, Any]
) -> dict[str, Any]:
    """``options=`` of a writer, if no keyword states otherwise."""
    stated = {} if options is None else checks.mapping("options", options, "a mapping of names")
    for key, value in stated.items():
        other = keywords.get(key)
        if other is not None and as_text(other) != as_text(value):
            raise InvalidArgumentError(
                f"{key} is stated twice: {other!r} by its keyword, {value!r} in options=",
                cure="leave one of them out",
            )
    return stated
