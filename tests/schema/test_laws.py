"""The schema and labspec agree about any spec, also about those that nobody has thought of."""

from __future__ import annotations

import copy
import json
from collections.abc import Iterator
from typing import Any, TypeAlias

from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st
from jsonschema import Draft202012Validator

from labspec.diagnostics import Report, Span
from labspec.schema import spec_schema
from labspec.source.merge import IDENTITY, merge
from labspec.source.nodes import Entry, Mapping, Node, Scalar, Sequence, plain
from labspec.spec.validate import validate
from tests.schema.cases import ROOT, values_of

VALIDATOR = Draft202012Validator(spec_schema())
VALID = ROOT / "tests" / "specs" / "valid"
WHOLE = [values_of(VALID / f"{name}.yaml")[1] for name in ("_base", "own-meter", "own-tests", "workspace-and-trace")]
OTHER_RULES = {"change", "zero_if", "submission"}
"""Keys below which the models alone accept more: labspec looks at them once more, with the lab at hand."""

Path: TypeAlias = "tuple[str | int, ...]"


def node(value: Any) -> Node:
    """Values as if they had been read from a file."""
    at = Span("lab.yaml", 1, 1, 1, 1)
    if isinstance(value, dict):
        return Mapping(tuple(Entry(key, at, node(one)) for key, one in value.items()), at)
    if isinstance(value, list):
        return Sequence(tuple(map(node, value)), at)
    return Scalar(value, at)


def is_right(value: object) -> bool:
    """Whether labspec finds nothing wrong with the form of a whole spec."""
    root = node(value)
    return isinstance(root, Mapping) and validate(root, Report()) is not None


def places(value: Any, path: Path = ()) -> Iterator[Path]:
    """Every place below a value, by keys and numbers."""
    if isinstance(value, dict | list):
        for key, below in value.items() if isinstance(value, dict) else enumerate(value):
            if key not in OTHER_RULES:
                yield (*path, key)
                yield from places(below, (*path, key))


PLACES = [(whole, path) for whole in WHOLE for path in places(whole)]

TEXTS = st.sampled_from(
    ["", " ", "a", "A", "a_b", "a:b", "1.0.0", "two\nlines", "turn", "error", "x" * 301, "x" * 6001]
)
SCALARS = TEXTS | st.none() | st.booleans() | st.sampled_from([-1, 0, 1, 2, 64, 1001, 1_000_001, 0.5])
VALUES = st.recursive(
    SCALARS,
    lambda inner: (
        st.lists(inner, max_size=2)
        | st.dictionaries(st.sampled_from(["a", "A", "id", "at", "remove", "call"]), inner, max_size=2)
    ),
    max_leaves=4,
)


def put(whole: Any, path: Path, edit: str, value: Any) -> Any:
    """A copy of the whole with something else at one place, or with nothing there, or with a key more beside it."""
    edited = copy.deepcopy(whole)
    holder = edited
    for part in path[:-1]:
        holder = holder[part]
    if edit == "take away":
        del holder[path[-1]]
    elif edit == "add" and isinstance(holder, dict):
        holder["another"] = value
    else:
        holder[path[-1]] = value
    return edited


@settings(max_examples=300, deadline=None, suppress_health_check=[HealthCheck.too_slow])
@given(st.sampled_from(PLACES), st.sampled_from(["put", "put", "take away", "add"]), VALUES)
def test_a_whole_spec_is_accepted_exactly_if_labspec_accepts_its_form(
    place: tuple[Any, Path], edit: str, value: Any
) -> None:
    edited = put(*place, edit, value)
    assert VALIDATOR.is_valid(edited) == is_right(edited)


@st.composite
def variants(draw: st.DrawFn, of: Any) -> Any:
    """A part of a spec, as a variant repeats it: some keys and some items, with something else here and there."""
    if isinstance(of, dict):
        kept = {key: one for key, one in of.items() if key in IDENTITY or draw(st.integers(0, 3)) == 0}
        whole = {*IDENTITY, *OTHER_RULES}
        return {key: one if key in whole else draw(variants(one)) for key, one in kept.items()}
    if isinstance(of, list) and of and all(isinstance(one, dict) and one.keys() & set(IDENTITY) for one in of):
        return [draw(variants(one)) for one in of if draw(st.integers(0, 3)) == 0]
    return draw(st.just(of) | SCALARS) if draw(st.integers(0, 9)) == 0 else of


@settings(max_examples=150, deadline=None, suppress_health_check=[HealthCheck.too_slow])
@given(st.data())
def test_a_variant_that_makes_a_right_spec_is_accepted(data: st.DataObject) -> None:
    whole: Any = data.draw(st.sampled_from(WHOLE))
    variant = data.draw(variants(whole))
    report = Report()
    merged = merge(node(whole), node(variant), report)
    if not report.diagnostics and is_right(plain(merged)):
        assert VALIDATOR.is_valid({"extends": "./lab.yaml", **variant}), json.dumps(variant)
