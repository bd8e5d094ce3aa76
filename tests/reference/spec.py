"""The page about the language of specs, `docs/reference/spec.md`: every key of every object, from the models."""

from __future__ import annotations

import json
from collections.abc import Iterable, Iterator
from functools import cache
from typing import Any, Final

import yaml

from labspec.schema.changes import WORDS
from labspec.schema.document import EXTENDS_WORDS
from labspec.schema.objects import Schema, objects, referred
from labspec.source.extends import EXTENDS
from labspec.spec.loop import ChangedLoopSpec, LoopSpec
from labspec.spec.model import Spec
from tests.reference.markdown import anchor, code, page, sentence, table

_HEAD: Final = """\
A spec is one YAML file about one lab. This page has every key of it. `labspec check` says what is wrong with a spec,
and each of its findings has [a page](../codes/README.md). How a spec looks as a whole is best seen in
[`specs/`](../../specs). Conditions have [a page of their own](conditions.md).

An editor with the language server for YAML shows the same while you type. Write the schema beside your specs, and begin
each of them with a line that names it:

```sh
labspec schema -o labspec.schema.json
```

```yaml
# yaml-language-server: $schema=labspec.schema.json
labspec: 1
```

In the tables, keys in **bold** are needed. All others can be left out."""

_KINDS_HEAD: Final = """\
YAML has texts, whole numbers, `true` and `false`, lists and mappings. labspec takes no value for another one: a number
is no text, and what YAML would read in a surprising way (`NO`, `10:25`, `0755`, a date) has to be in quotes. Some texts
and numbers have a form:"""

_KINDS: Final = {
    "condition": "A text in [the language of conditions](conditions.md), `true` or `false`.",
    "amount": "A whole number, or a fact or sum that is one, such as `call.bytes` or `call.bytes + 100`.",
    "any data": "Any value, as it would stand in JSON.",
    "value of a field": "A text, a whole number, `true`, `false` or `null`.",
}
"""The kinds of values that have no form which one pattern could tell."""

_TYPES: Final = {
    "string": "text",
    "integer": "whole number",
    "boolean": "`true` or `false`",
    "object": "mapping",
    "array": "list",
    "null": "`null`",
}

_VARIANTS: Final = """\
A spec with the key `extends` is a variant of another one. It says only what differs: mappings merge by key, and lists
of named items merge by name, where the name is the item's `id`, `gate`, `exit` or `refuse`. So in a variant no key is
needed but those that name an item. Everything else replaces what the other spec says, lists without names too. The
`change` of a mistake or of a stretch goal is laid over the loop in the same way."""

_CHANGE: Final = """\
The `change` of a mistake or of a stretch goal is [laid over](#variants) these sections of the lab. That of a mistake
can have a section more, `recorder`."""


@cache
def _every() -> dict[str, Schema]:
    """The objects of a spec, by the name of their model."""
    return objects()


def spec_page() -> str:
    """The whole page."""
    shown = [name for name in _in_order() if name not in (LoopSpec.__name__, ChangedLoopSpec.__name__)]
    return page(
        "The language of specs",
        _HEAD,
        _section(Spec.__name__),
        *(_section(name) for name in shown if name != Spec.__name__),
        _change_section(),
        _variants_section(),
        _kinds_section(),
    )


def keys_shown(definition: Schema) -> str:
    """The table of the keys of an object."""
    needed = definition.get("required", [])
    rows = [_row(key, said, needed=key in needed) for key, said in definition["properties"].items()]
    return table(("key", "takes", "meaning", "example"), rows)


def heading_of(definition: Schema) -> str:
    """What the section about an object is called."""
    return sentence(definition["title"]).removesuffix(".")


def example_line(key: str, value: object) -> str:
    """A key with a value, as it can be written on one line of a spec."""
    mapping = yaml.safe_dump({key: value}, default_flow_style=True, sort_keys=False, allow_unicode=True, width=10**6)
    return mapping.strip().removeprefix("{").removesuffix("}")


def _in_order() -> list[str]:
    """The names of the objects, each after one that holds it."""
    order: dict[str, None] = {}
    waiting = [Spec.__name__, ChangedLoopSpec.__name__]
    while waiting:
        name = waiting.pop(0)
        if name not in order:
            order[name] = None
            waiting += _held(_every()[name]["properties"])
    return list(order)


def _held(part: Any) -> Iterator[str]:
    if isinstance(part, dict):
        name = referred(part)
        if name is not None:
            yield name
        for key, one in part.items():
            if key != "examples":
                yield from _held(one)
    elif isinstance(part, list):
        for one in part:
            yield from _held(one)


def _section(name: str) -> str:
    definition = _every()[name]
    holders = [
        f"`{key}` of {_linked(_every()[holder])}"
        for holder in _in_order()
        for key, said in _every()[holder]["properties"].items()
        if name in _held(said) and holder != ChangedLoopSpec.__name__
    ]
    stands = f" Stands in {_listed(holders, 'and')}." if holders else ""
    return f"## {heading_of(definition)}\n\n{definition['description']}{stands}\n\n{keys_shown(definition)}"


def _change_section() -> str:
    definition = _every()[ChangedLoopSpec.__name__]
    sections = _listed([f"`{key}`" for key in definition["properties"]], "and")
    own = {
        key: said for key, said in definition["properties"].items() if key not in _every()[Spec.__name__]["properties"]
    }
    return (
        f"## {heading_of(definition)}\n\n{_CHANGE}\n\nThe sections are {sections}.\n\n{keys_shown({'properties': own})}"
    )


def _variants_section() -> str:
    words = {EXTENDS: EXTENDS_WORDS, **{key: {"type": "string", **said} for key, said in WORDS.items()}}
    words["remove"] = {**words["remove"], "type": "array", "items": {"type": "string"}}
    return f"## Variants\n\n{_VARIANTS}\n\n{keys_shown({'properties': words})}"


def _kinds_section() -> str:
    kinds: dict[str, str] = {}
    for properties in ({EXTENDS: EXTENDS_WORDS}, *(definition["properties"] for definition in _every().values())):
        for said in _values(properties.values()):
            if "title" in said and said["title"] not in kinds:
                kinds[said["title"]] = _KINDS.get(said["title"]) or _form(said)
    rows = [(f'<a id="{kind.replace(" ", "-")}"></a>{kind}', kinds[kind]) for kind in sorted(kinds)]
    return f"## Kinds of values\n\n{_KINDS_HEAD}\n\n{table(('kind', 'what it is'), rows)}"


def _values(schemas: Iterable[Schema]) -> Iterator[Schema]:
    for said in schemas:
        yield said
        if isinstance(said.get("items"), dict):
            yield said["items"]


def _form(said: Schema) -> str:
    """What a kind of text or number has to look like."""
    form = [sentence(said["patternErrorMessage"].removeprefix("must be a name: "))] if "pattern" in said else []
    if "maxLength" in said:
        form.append(f"At most {said['maxLength']:,} characters.")
    if said.get("type") == "integer":
        form.append(sentence(f"a whole number{_between(said)}"))
    return " ".join(form)


def _row(key: str, said: Schema, *, needed: bool) -> tuple[str, str, str, str]:
    meaning = "<br>".join([said["description"], *_meanings(said), *_meanings(said.get("items", {}))])
    examples = [code(example_line(key, value)) for value in said.get("examples", [])]
    return (f"**`{key}`**" if needed else f"`{key}`", _takes(said), meaning, "<br>".join(examples))


def _meanings(choice: Schema) -> list[str]:
    """What each of the values means that can be chosen from."""
    words = choice.get("markdownEnumDescriptions")
    if words is None:
        return []
    return [f"{code(str(value))}: {word}" for value, word in zip(choice["enum"], words, strict=True) if word]


def _takes(said: Schema) -> str:
    """What kind of value a key takes, in which limits, and what it is by default."""
    taken = _kind(said)
    return f"{taken}; default {code(_plain(said['default']))}" if "default" in said else taken


def _kind(said: Schema) -> str:
    if referred(said) is not None:
        return _linked(_every()[str(referred(said))])
    if "anyOf" in said:
        return _listed([_kind(form) for form in said["anyOf"] if form != {"type": "null"}], "or")
    if "markdownEnumDescriptions" in said:
        return "one of these"
    if "enum" in said:
        return _listed([code(_plain(value)) for value in said["enum"] if value is not None], "or")
    if "const" in said:
        return code(_plain(said["const"]))
    if "title" in said:
        return f"[{said['title']}](#{said['title'].replace(' ', '-')})"
    types = said.get("type", "object")
    kinds = [kind for kind in (types if isinstance(types, list) else [types]) if kind != "null"]
    if kinds == ["array"]:
        return f"list of {_kind(said['items'])}{_count(said, 'minItems', 'maxItems')}"
    if kinds == ["object"]:
        return _mapping(said)
    return _listed([_TYPES[kind] for kind in kinds], "or") + _between(said)


def _mapping(said: Schema) -> str:
    if "patternProperties" in said:
        (value,) = said["patternProperties"].values()
        return f"mapping of names to {_kind(value)}"
    value = said["additionalProperties"]
    if value is True:  # the model takes any mapping, because it is laid over the loop before it is validated
        return _linked(_every()[ChangedLoopSpec.__name__])
    return f"mapping of paths or names to {_kind(value)}{_count(said, 'minProperties', 'maxProperties')}"


def _count(said: Schema, least: str, most: str) -> str:
    if least in said and most in said:
        return f", {said[least]} to {said[most]:,}"
    if least in said:
        return f", at least {said[least]}"
    return f", at most {said[most]:,}" if most in said else ""


def _between(said: Schema) -> str:
    return _count(said, "minimum", "maximum")


def _plain(value: object) -> str:
    return value if isinstance(value, str) else json.dumps(value)


def _linked(definition: Schema) -> str:
    return f"[{definition['title']}](#{anchor(heading_of(definition))})"


def _listed(words: list[str], last: str) -> str:
    return words[0] if len(words) == 1 else f"{', '.join(words[:-1])} {last} {words[-1]}"
