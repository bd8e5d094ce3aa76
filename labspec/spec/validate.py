"""The step from `Source` to `Spec`: pydantic checks the values, and every finding is put back to its place."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any, Final, TypeVar, get_args, get_origin

from pydantic import BaseModel, ValidationError
from pydantic_core import ErrorDetails

from labspec.diagnostics import Report
from labspec.diagnostics.suggest import did_you_mean
from labspec.source.locate import locate, locate_key
from labspec.source.nodes import Mapping, Node, Scalar, plain
from labspec.spec.model import Spec
from labspec.spec.plugins import without_plugins

AnyModel = TypeVar("AnyModel", bound=BaseModel)
Loc = tuple[int | str, ...]

_TYPE_WORDS: Final = {
    "string_type": "a text",
    "int_type": "a whole number",
    "float_type": "a number",
    "bool_type": "true or false",
    "list_type": "a list",
    "dict_type": "a mapping",
    "model_type": "a mapping",
    "model_attributes_type": "a mapping",
}
_COMPARISONS: Final = {
    "greater_than_equal": ("ge", "at least"),
    "less_than_equal": ("le", "at most"),
}
_SIZES: Final = {
    "too_short": ("min_length", "at least", "entries"),
    "too_long": ("max_length", "at most", "entries"),
    "string_too_short": ("min_length", "at least", "characters"),
    "string_too_long": ("max_length", "at most", "characters"),
}
_NAMES_IN_LISTS: Final = ("id", "gate", "exit", "refuse", "title", "call", "file", "command", "text")


def validate(root: Mapping, report: Report) -> Spec | None:
    """The spec that the file says, or None after adding every finding to `report`."""
    return validate_as(Spec, root, report)


def validate_as(model: type[AnyModel], root: Mapping, report: Report) -> AnyModel | None:
    """`root` as an instance of `model`, or None after adding every finding to `report`."""
    try:
        with without_plugins():
            return model.model_validate(plain(root))
    except ValidationError as error:
        for details in error.errors(include_url=False):
            _explain(model, root, details, report)
        return None


def subject(root: Node, loc: Loc) -> str:
    """What a loc is about, named as the author names it: "`points` of gate `completes`"."""
    names = [f"`{part}`" if isinstance(part, str) else part for part in _steps(loc)]
    words: list[str] = []
    node: Node | None = root
    section = ""
    for part, shown in zip(_steps(loc), names, strict=True):
        node = _child(node, part)
        if isinstance(part, int):
            words.append(f"{_singular(section)} {_item_name(node, part)}")
        else:
            section = part
            words.append(str(shown))
    return _join(words)


def _explain(model: type[BaseModel], root: Mapping, details: ErrorDetails, report: Report) -> None:
    loc, kind, context = details["loc"], details["type"], details.get("ctx", {})
    if kind == "missing":
        holder = subject(root, loc[:-1]) or "the spec"
        report.error("missing-key", f"{holder} needs the key `{loc[-1]}`", locate(root, loc[:-1]))
    elif kind == "extra_forbidden":
        _explain_unknown_key(model, root, loc, report)
    elif kind in _TYPE_WORDS:
        found = _words_for(_node_at(root, loc))
        report.error("wrong-type", f"{subject(root, loc)} must be {_TYPE_WORDS[kind]}, not {found}", locate(root, loc))
    elif kind in _COMPARISONS:
        key, words = _COMPARISONS[kind]
        report.error("out-of-range", f"{subject(root, loc)} must be {words} {context[key]}", locate(root, loc))
    elif kind in _SIZES:
        key, words, unit = _SIZES[kind]
        report.error("wrong-length", f"{subject(root, loc)} must have {words} {context[key]} {unit}", locate(root, loc))
    elif kind == "string_pattern_mismatch":
        _explain_pattern(root, loc, context, report)
    elif kind == "literal_error":
        _explain_choice(root, loc, context, report)
    else:
        report.error(kind.replace("_", "-"), f"{subject(root, loc)}: {details['msg']}", locate(root, loc))


def _explain_unknown_key(model: type[BaseModel], root: Mapping, loc: Loc, report: Report) -> None:
    key = str(loc[-1])
    known = sorted(keys_at(model, loc[:-1]))
    near = did_you_mean(key, known)
    holder = subject(root, loc[:-1]) or "the spec"
    suggestion = f"did you mean `{near}`?" if near else f"known keys are {_listed(known)}"
    report.error("unknown-key", f"{holder} has no key `{key}`", locate_key(root, loc), help=suggestion)


def _explain_pattern(root: Mapping, loc: Loc, context: dict[str, Any], report: Report) -> None:
    is_key = loc[-1] == "[key]"
    loc = loc[:-1] if is_key else loc
    span = locate_key(root, loc) if is_key else locate(root, loc)
    name = loc[-1] if is_key else _words_for(_node_at(root, loc))
    help = _PATTERN_HELP.get(context["pattern"], f"it must match {context['pattern']}")
    report.error("bad-name", f"{subject(root, loc)}: {name} can't be used as a name here", span, help=help)


def _explain_choice(root: Mapping, loc: Loc, context: dict[str, Any], report: Report) -> None:
    options = [str(option) for option in _quoted(context["expected"])]
    node = _node_at(root, loc)
    near = did_you_mean(str(node.value), options) if isinstance(node, Scalar) else None
    found = _words_for(node)
    report.error(
        "unknown-value",
        f"{subject(root, loc)} must be {_listed(options, last='or')}, not {found}",
        locate(root, loc),
        help=f"did you mean `{near}`?" if near else None,
    )


_PATTERN_HELP: Final = {
    "^[a-z][a-z0-9_]{0,63}$": "a name is a small letter, then small letters, digits and `_`, at most 64 in all",
    "^[a-z][a-z0-9]*(-[a-z0-9]+)*$": "an id is words of small letters and digits, joined by single `-`",
    "^[a-z][a-z0-9_:]{0,63}$": "a reason is a small letter, then small letters, digits, `_` and `:`, at most 64 in all",
    "^[0-9]{1,9}\\.[0-9]{1,9}\\.[0-9]{1,9}$": "a version is three numbers with dots, such as 1.0.0",
}


def _quoted(expected: str) -> Iterator[str]:
    for word in expected.replace(" or ", ", ").split(", "):
        yield word.strip("'")


def _listed(words: list[str], last: str = "and") -> str:
    shown = [f"`{word}`" for word in words]
    return shown[0] if len(shown) == 1 else f"{', '.join(shown[:-1])} {last} {shown[-1]}"


# --- from a loc to what stands there ---


def _steps(loc: Loc) -> list[int | str]:
    return [part for part in loc if isinstance(part, int) or not (part.startswith("<") or part == "[key]")]


def _child(node: Node | None, part: int | str) -> Node | None:
    if isinstance(node, Mapping) and isinstance(part, str):
        return node.get(part)
    if node is not None and not isinstance(node, Mapping | Scalar) and isinstance(part, int):
        return node.items[part] if part < len(node.items) else None
    return None


def _node_at(root: Node, loc: Loc) -> Node | None:
    node: Node | None = root
    for part in _steps(loc):
        node = _child(node, part)
    return node


def _item_name(node: Node | None, index: int) -> str:
    if isinstance(node, Mapping):
        for key in _NAMES_IN_LISTS:
            name = node.get(key)
            if isinstance(name, Scalar) and isinstance(name.value, str) and len(name.value) <= 60:
                return f"`{name.value}`"
    return str(index + 1)


_SINGULAR: Final = {
    "table": "row",
    "fixtures": "fixture",
    "mistakes": "mistake",
    "rubric": "gate",
    "agenda": "agenda item",
    "exercises": "exercise",
    "steps": "step",
    "checks": "check",
}


def _singular(section: str) -> str:
    return _SINGULAR.get(section, "item")


def _join(words: list[str]) -> str:
    """From the inside out, leaving out section names that an item's own word already says."""
    kept = [
        word for word, following in zip(words, [*words[1:], ""], strict=True) if not _names_section_of(word, following)
    ]
    return " of ".join(reversed(kept))


def _names_section_of(word: str, following: str) -> bool:
    return word.startswith("`") and bool(following) and following.startswith(f"{_singular(word.strip('`'))} ")


def _words_for(node: Node | None) -> str:
    if isinstance(node, Mapping):
        return "a mapping"
    if isinstance(node, Scalar):
        return _words_for_value(node.value)
    return "nothing" if node is None else "a list"


def _words_for_value(value: object) -> str:
    if value is None:
        return "null"
    if isinstance(value, bool):
        return "true" if value else "false"
    if isinstance(value, str):
        shown = value if len(value) <= 40 else f"{value[:37]}..."
        return "the text `" + shown.replace("\n", " ") + "`"
    return f"the number {value}"


# --- which keys the models know ---


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
