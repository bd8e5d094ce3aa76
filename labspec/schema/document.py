"""The whole schema: a spec, or with `extends` a variant of one."""

from __future__ import annotations

import json
from collections.abc import Iterator
from typing import Any, Final

from labspec.schema.changes import CHANGE, changes
from labspec.schema.objects import REFERENCE, Schema, objects, referred
from labspec.source.extends import EXTENDS
from labspec.spec.loop import ChangedLoopSpec
from labspec.spec.model import Spec

DIALECT: Final = "https://json-schema.org/draft/2020-12/schema"

TITLE: Final = "Lab spec of labspec"
"""The title of the whole schema, by which one that `labspec schema` wrote is known."""

_WHOLE: Final = Spec.__name__
_VARIANT: Final = f"{_WHOLE}{CHANGE}"
EXTENDS_WORDS: Final[Schema] = {
    "title": "path",
    "description": "The spec that this one is a variant of: a file in the same folder or below. It says what differs.",
    "examples": ["./other.yaml"],
    "type": "string",
    "pattern": r"\S",
    "patternErrorMessage": "must be the path of another spec, such as `./other.yaml`",
}


def spec_schema() -> Schema:
    """The JSON Schema (2020-12) of a spec: it accepts all that labspec accepts, and rejects what has the wrong form.

    What takes more than one place to see (a name that nobody declares, a sum, a condition) is the business of
    `labspec check`. Of a variant it is not known what the other spec says, so nothing is missing there.
    """
    whole = {name: _with_change(definition) for name, definition in objects().items()}
    every = {**whole, **changes(whole)}
    for name in (_WHOLE, _VARIANT):
        every[name] = {**every[name], "properties": {EXTENDS: EXTENDS_WORDS, **every[name]["properties"]}}
    every[_VARIANT] |= {"title": "variant of a lab", "description": "What differs from another spec."}
    return {
        "$schema": DIALECT,
        "title": TITLE,
        "description": "A lab about an agent loop, from which `labspec build` makes a repository for students.",
        "type": "object",
        "if": {"required": [EXTENDS]},
        "then": {"$ref": f"{REFERENCE}{_VARIANT}"},
        "else": {"$ref": f"{REFERENCE}{_WHOLE}"},
        "$defs": {name: every[name] for name in _reached_from((_WHOLE, _VARIANT), every)},
    }


def schema_text() -> str:
    """The schema as a file of JSON."""
    return f"{json.dumps(spec_schema(), indent=2)}\n"


def _with_change(definition: Schema) -> Schema:
    """The `change` of an object, if it has one, is a change to the loop.

    The model takes any mapping there, because it is laid over the loop before it is validated.
    """
    properties = definition["properties"]
    if "change" not in properties:
        return definition
    kept = {key: value for key, value in properties["change"].items() if key not in ("additionalProperties", "type")}
    change = {**kept, "$ref": f"{REFERENCE}{ChangedLoopSpec.__name__}{CHANGE}"}
    return {**definition, "properties": {**properties, "change": change}}


def _reached_from(names: tuple[str, ...], every: dict[str, Schema]) -> list[str]:
    """The objects that are used, those that are used first before what they use."""
    reached: dict[str, None] = {}
    waiting = list(names)
    while waiting:
        name = waiting.pop(0)
        if name not in reached:
            reached[name] = None
            waiting.extend(_references(every[name]))
    return list(reached)


def _references(part: Any) -> Iterator[str]:
    if isinstance(part, list):
        for one in part:
            yield from _references(one)
    elif isinstance(part, dict):
        name = referred(part)
        if name is not None:
            yield name
        yield from _references([value for key, value in part.items() if key != "examples"])
