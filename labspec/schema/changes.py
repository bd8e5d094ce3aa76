"""What may be laid over an object: the schema of a variant, which `extends` another spec, and of a `change`.

Follows `labspec.source.merge`. Mappings merge by key and lists of named items by name, so in both nothing is missing,
`remove` takes away, and `before` and `after` move. All else replaces what is there, and has to be whole.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from typing import Any, Final

from labspec.schema.objects import REFERENCE, Schema, referred
from labspec.source.merge import IDENTITY, PLACES, REMOVE

CHANGE: Final = ".change"
"""What the name of an object ends with where it stands for what is laid over one."""

_REMOVED: Final = "Removed"
_REMOVED_ITEMS: Final = "RemovedItems"

WORDS: Final[Mapping[str, Schema]] = {
    REMOVE: {"description": "The keys or items of the other spec to take away.", "examples": [["ran_out"]]},
    "before": {
        "description": "The item that this one goes before; without it, new ones go last.",
        "examples": ["turn_cap"],
    },
    "after": {
        "description": "The item that this one goes after; without it, new ones go last.",
        "examples": ["turn_cap"],
    },
}
"""The keys that only what is laid over something has."""


def changes(objects: Mapping[str, Schema]) -> dict[str, Schema]:
    """For each object, what may be laid over it: its name ends with `CHANGE`."""
    named = {name for name in _in_lists(list(objects.values())) if _names(objects[name])}
    return {
        _REMOVED: {"title": "names", **WORDS[REMOVE], "type": "array", "items": {"type": "string"}},
        _REMOVED_ITEMS: {
            "title": "items to take away",
            "description": "Takes items of the list away, by name.",
            "type": "object",
            "properties": {REMOVE: _refer(_REMOVED)},
            "required": [REMOVE],
            "additionalProperties": False,
        },
        **{f"{name}{CHANGE}": _change(one, named, is_item=name in named) for name, one in objects.items()},
    }


def _in_lists(part: Any) -> Iterator[str]:
    """The objects that are items of lists, anywhere below a part of a schema."""
    if isinstance(part, list):
        for one in part:
            yield from _in_lists(one)
    elif isinstance(part, dict):
        yield from _items(part)
        yield from _in_lists(list(part.values()))


def _items(schema: Schema) -> list[str]:
    """The objects that the items of a list are; empty if the items are no objects, or this is no list."""
    items = schema.get("items", {})
    names = [referred(form) for form in items.get("anyOf", [items])]
    return [name for name in names if name is not None]


def _names(definition: Schema) -> list[str]:
    """The keys that can name the object as an item of a list."""
    return [key for key in IDENTITY if key in definition["properties"]]


def _change(definition: Schema, named: set[str], *, is_item: bool) -> Schema:
    changed = _without(definition, "required", "minProperties")
    changed["properties"] = {
        key: _laid_over(_without(value, "default"), named) for key, value in definition["properties"].items()
    }
    changed["properties"][REMOVE] = _refer(_REMOVED)
    if is_item:
        changed["properties"] |= {
            place: {"title": "name of an item", **WORDS[place], "type": "string"} for place in PLACES
        }
        ways = [{"required": [key]} for key in _names(definition)]
        changed |= ways[0] if len(ways) == 1 else {"anyOf": ways}
    return changed


def _laid_over(schema: Schema, named: set[str]) -> Schema:
    """What may be laid over a value."""
    name = referred(schema)
    if name is not None:
        changed = name if name.endswith(CHANGE) else f"{name}{CHANGE}"
        return {**_without(schema, "minProperties"), **_refer(changed)}
    if "anyOf" in schema:
        return {**schema, "anyOf": [_laid_over(form, named) for form in schema["anyOf"]]}
    items = _items(schema)
    if items:
        return _laid_over_list(schema, items) if named.issuperset(items) else schema
    return _laid_over_mapping(schema, named)


def _laid_over_list(schema: Schema, items: list[str]) -> Schema:
    forms = [*(_refer(f"{name}{CHANGE}") for name in items), _refer(_REMOVED_ITEMS)]
    return {**_without(schema, "maxItems"), "items": {"anyOf": forms}}


def _laid_over_mapping(schema: Schema, named: set[str]) -> Schema:
    """Also a name of the author's can be `remove`; then its value is no list of names."""
    changed = _without(schema, "minProperties", "maxProperties")
    if isinstance(schema.get("additionalProperties"), dict):
        value = changed["additionalProperties"] = _laid_over(schema["additionalProperties"], named)
    elif "patternProperties" in schema:
        ((pattern, value),) = schema["patternProperties"].items()
        value = _laid_over(value, named)
        changed["patternProperties"] = {rf"^(?!{REMOVE}$){pattern.removeprefix('^')}": value}
    else:
        return schema
    return {**changed, "properties": {REMOVE: {"anyOf": [_refer(_REMOVED), value]}}}


def _without(schema: Schema, *keys: str) -> Schema:
    return {key: value for key, value in schema.items() if key not in keys}


def _refer(name: str) -> Schema:
    return {"$ref": f"{REFERENCE}{name}"}
