"""The objects of a spec as pydantic describes them, tidied: the first half of the schema."""

from __future__ import annotations

from typing import Any, Final, TypeAlias

from pydantic.json_schema import GenerateJsonSchema, models_json_schema
from pydantic_core import core_schema

from labspec.schema.choices import words_of
from labspec.spec.cover import CoverSpec
from labspec.spec.explain import PATTERNS
from labspec.spec.loop import ChangedLoopSpec
from labspec.spec.model import Spec

Schema: TypeAlias = dict[str, Any]
"""A JSON Schema, or a part of one."""

REFERENCE: Final = "#/$defs/"
"""What stands before the name of an object where another one refers to it."""

_TEXT_MESSAGES: Final = {
    r"^[^\n]*\S[^\n]*$(?!\n)": "must be one line, and not blank",
    r"\S": "must not be empty or blank",
}
"""What editors say of a text that does not match the pattern of a line or of a longer text."""


class _Generator(GenerateJsonSchema):
    """pydantic's own, which makes no titles of the names of keys: the title of a key says what kind of value it has."""

    def field_title_should_be_set(self, schema: object) -> bool:  # noqa: ARG002 - pydantic's signature
        return False

    def sort(self, value: Any, parent_key: str | None = None) -> Any:  # noqa: ARG002 - pydantic's signature
        """Keys stay in the order of the models, which is that of a well-written spec."""
        return value

    def nullable_schema(self, schema: core_schema.NullableSchema) -> Schema:
        """One type more, instead of a choice between two schemas: completion and messages are about the first alone."""
        either = super().nullable_schema(schema)
        forms = [form for form in either.get("anyOf", []) if form != {"type": "null"}]
        return _with_null(forms[0]) if len(forms) == 1 else either


def objects() -> dict[str, Schema]:
    """Every object that a spec has, by the name of its model, with references between them."""
    _, schema = models_json_schema(
        [(Spec, "validation"), (ChangedLoopSpec, "validation")],
        ref_template=f"{REFERENCE}{{model}}",
        schema_generator=_Generator,
    )
    return {name: _tidy(_own_keys_first(name, definition)) for name, definition in schema["$defs"].items()}


def referred(schema: Schema) -> str | None:
    """The name of the object that a schema refers to, or None."""
    reference = schema.get("$ref")
    return None if reference is None else str(reference).removeprefix(REFERENCE)


def _own_keys_first(name: str, definition: Schema) -> Schema:
    """A spec begins with its cover, then come the sections of its own; in the model, what is inherited comes first."""
    if name != Spec.__name__:
        return definition
    keys = dict.fromkeys((*CoverSpec.model_fields, *Spec.__annotations__, *definition["properties"]))
    return {**definition, "properties": {key: definition["properties"][key] for key in keys}}


def _with_null(schema: Schema) -> Schema:
    if "$ref" in schema:
        return {"anyOf": [schema, {"type": "null"}]}
    if "anyOf" in schema:
        return {**schema, "anyOf": [*schema["anyOf"], {"type": "null"}]}
    if "const" in schema:
        schema = {**schema, "enum": [schema["const"]]}
        del schema["const"]
    if "enum" in schema:
        schema = {**schema, "enum": [*schema["enum"], None]}
    return {**schema, "type": [schema["type"], "null"]}


def _tidy(schema: Schema) -> Schema:
    """The same, said in the way that editors show best."""
    tidied = {key: _tidy_part(key, value) for key, value in schema.items() if not _says_nothing(key, value)}
    if "oneOf" in tidied:  # the forms exclude each other, and an editor completes whichever is not yet excluded
        tidied["anyOf"] = tidied.pop("oneOf")
    if all(set(form) == {"type"} for form in tidied.get("anyOf", [{}])):
        tidied["type"] = [form["type"] for form in tidied.pop("anyOf")]
    if "patternProperties" in tidied:
        tidied["additionalProperties"] = False
    if "pattern" in tidied:
        tidied["patternErrorMessage"] = _message(tidied["pattern"])
    if len([value for value in tidied.get("enum", []) if isinstance(value, str)]) > 1:
        tidied["markdownEnumDescriptions"] = words_of(tidied["enum"])
    return tidied


def _tidy_part(key: str, value: Any) -> Any:
    if key in ("items", "additionalProperties") and isinstance(value, dict):
        return _tidy(value)
    if key in ("anyOf", "oneOf"):
        return [_tidy(form) for form in value]
    if key in ("properties", "patternProperties"):
        return {name: _tidy(one) for name, one in value.items()}
    return value


def _says_nothing(key: str, value: object) -> bool:
    """A default that means "nothing" would be written into the file by an editor that completes the key."""
    return key == "default" and value in (None, [], {})


def _message(pattern: str) -> str:
    if pattern in _TEXT_MESSAGES:
        return _TEXT_MESSAGES[pattern]
    _, wanted, help = PATTERNS[pattern]
    return f"must be {wanted}: {help}" if help else f"must be {wanted}"
