"""What an editor is told about a spec: all that labspec accepts, and no key without an explanation."""

from __future__ import annotations

from pathlib import Path

import pytest
from jsonschema import Draft202012Validator

from labspec.schema import DIALECT, spec_schema
from labspec.schema.objects import Schema
from tests.schema.cases import ROOT, SOUND, Broken, broken, values_of

SCHEMA = spec_schema()
VALIDATOR = Draft202012Validator(SCHEMA)
DEFINITIONS: dict[str, Schema] = SCHEMA["$defs"]

STRUCTURAL = {
    "bad-name",
    "bad-version",
    "blank-text",
    "extends-not-a-path",
    "missing-key",
    "not-one-line",
    "out-of-range",
    "row-without-verb",
    "step-without-verb",
    "two-verbs",
    "unknown-key",
    "unknown-value",
    "wrong-length",
    "wrong-type",
    "zero-without-condition",
}
"""The codes of findings that one look at a value and the keys around it leads to: what a schema can see.

All other codes are about more than one place (a name that is declared elsewhere, a sum, how a run ends), about the
inside of a text (a condition, a path), or about YAML, which has no values as long as it can't be read.
"""
MAY_BE_IN_THE_OTHER = {"missing-key", "row-without-verb", "wrong-length"}
"""What a variant lacks may stand in the spec that it extends: only the two together show that it is missing."""

ONLY_FOR_LABSPEC = {"strict-fraction"}
"""The files whose fault a schema can't see: to JSON Schema, 4.0 is a whole number."""


def name_of(case: Broken) -> str:
    return case.path.stem


def readable() -> list[Broken]:
    return [case for case in broken() if case.written is not None]


def test_the_schema_is_one() -> None:
    assert SCHEMA["$schema"] == DIALECT == Draft202012Validator.META_SCHEMA["$id"]
    Draft202012Validator.check_schema(SCHEMA)


@pytest.mark.parametrize("spec", SOUND, ids=lambda path: path.relative_to(ROOT).as_posix())
def test_a_sound_spec_is_accepted_alone_and_with_what_it_extends(spec: Path) -> None:
    for values in values_of(spec):
        assert values is not None
        VALIDATOR.validate(values)


@pytest.mark.parametrize("case", readable(), ids=name_of)
def test_a_spec_is_rejected_exactly_if_its_form_is_wrong(case: Broken) -> None:
    """Also no false alarm: what only `labspec check` can find is accepted."""
    seen = set() if case.path.stem in ONLY_FOR_LABSPEC else STRUCTURAL
    if case.whole is not None:
        assert VALIDATOR.is_valid(case.whole) == (not case.whole_codes & seen)
    if not case.written_codes & seen & MAY_BE_IN_THE_OTHER:
        assert VALIDATOR.is_valid(case.written) == (not case.written_codes & seen)
    elif case.written_codes & seen - MAY_BE_IN_THE_OTHER:
        assert not VALIDATOR.is_valid(case.written)


def test_specs_are_left_out_only_where_there_are_no_values() -> None:
    unread = [case for case in broken() if case.written is None]
    assert [case.path.stem for case in unread if case.written_codes & STRUCTURAL] == []


def test_every_code_that_a_schema_can_see_has_a_case() -> None:
    cases = [case for case in readable() if case.whole is not None and case.path.stem not in ONLY_FOR_LABSPEC]
    assert STRUCTURAL - {code for case in cases for code in case.whole_codes} == {"extends-not-a-path"}
    assert {case.path.stem for case in readable() if case.whole_codes & STRUCTURAL} >= ONLY_FOR_LABSPEC


def keys() -> dict[str, Schema]:
    """Every key of every object, as `Object.key`, with what the schema says of it."""
    return {
        f"{name}.{key}": said
        for name, definition in DEFINITIONS.items()
        for key, said in definition.get("properties", {}).items()
    }


def with_target(said: Schema) -> Schema:
    """What a schema says, together with what it refers to."""
    reference = said.get("$ref", "").rpartition("/")[2]
    return {**DEFINITIONS[reference], **said} if reference else said


def test_every_object_says_what_it_is_and_takes_no_other_key() -> None:
    for name, definition in DEFINITIONS.items():
        assert definition["title"], name
        assert definition["description"].endswith("."), name
        if definition["type"] == "object":
            assert definition["additionalProperties"] is False, name


def test_every_key_is_explained() -> None:
    """With a sentence, and with an example unless its values are a closed set or an object of ours."""
    for name, said in keys().items():
        whole = with_target(said)
        assert whole["description"].endswith("."), name
        assert said.keys() & {"enum", "const", "anyOf"} or said.get("type") == "boolean" or whole["examples"], name


def test_every_example_and_every_default_is_accepted() -> None:
    shown = [
        (name, said, value)
        for name, said in keys().items()
        for value in [*said.get("examples", []), *([said["default"]] if "default" in said else [])]
    ]
    assert len(shown) > len(keys()) / 2
    for name, said, value in shown:
        assert Draft202012Validator({**said, "$defs": DEFINITIONS}).is_valid(value), (name, value)


def test_every_choice_says_what_each_value_means() -> None:
    """Where there is something to choose: a lone value is explained by its key."""
    parts = [part for said in keys().values() for part in (said, said.get("items", {}))]
    choices = [part for part in parts if sum(isinstance(value, str) for value in part.get("enum", [])) > 1]
    assert choices
    for choice in choices:
        meanings = dict(zip(choice["enum"], choice["markdownEnumDescriptions"], strict=True))
        assert all(meanings[value] for value in choice["enum"] if isinstance(value, str)), choice["enum"]
