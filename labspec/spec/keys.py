"""Which keys the models of a spec know, and where: what `validate` offers when a key is unknown."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any, Final, get_args, get_origin

from pydantic import BaseModel

from labspec.spec.naming import Loc

VERBS: Final = (("exit", "refuse"), ("call", "malformed", "stop"), ("file", "command", "text"))
"""The keys that say which of several kinds a row, a step or a submission item is. Each has exactly one."""


def verbs_beside(verb: str) -> tuple[str, ...]:
    """The verbs that `verb` is one of."""
    return next((verbs for verbs in VERBS if verb in verbs), ())


def keys_at(model: type[BaseModel], loc: Loc) -> set[str]:
    """The keys that the object at `loc` may have, by walking the models' annotations along it."""
    here: list[Any] = [model]
    for part in loc:
        here = [below for annotation in here for below in _below(annotation, part)]
    return {key for annotation in here for one in _models(annotation) for key in one.model_fields}


def _below(annotation: Any, part: int | str) -> Iterator[Any]:
    for model in _models(annotation):
        if part in model.model_fields:
            yield model.model_fields[str(part)].annotation
        elif isinstance(part, str) and part.startswith("<") and part.strip("<>") in model.model_fields:
            yield model
    for container in _containers(annotation):
        arguments = get_args(container)
        if get_origin(container) is list and isinstance(part, int):
            yield arguments[0]
        elif get_origin(container) is dict:
            yield arguments[1]


def _models(annotation: Any) -> Iterator[type[BaseModel]]:
    if isinstance(annotation, type) and issubclass(annotation, BaseModel):
        yield annotation
    elif get_origin(annotation) not in (list, dict):
        for argument in get_args(annotation):
            yield from _models(argument)


def _containers(annotation: Any) -> Iterator[Any]:
    if get_origin(annotation) in (list, dict):
        yield annotation
    else:
        for argument in get_args(annotation):
            yield from _containers(argument)
