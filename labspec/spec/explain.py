"""What pydantic finds wrong with a spec, put back to its place and into the author's words.

`validate` calls it, and imports it only for a spec that has faults.
"""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any, Final, NamedTuple

from pydantic import BaseModel, ValidationError
from pydantic_core import ErrorDetails

from labspec.diagnostics import Report
from labspec.diagnostics.suggest import did_you_mean
from labspec.source.extends import EXTENDS
from labspec.source.locate import locate, locate_key
from labspec.source.nodes import Mapping, Node, Scalar
from labspec.spec.keys import keys_at, verbs_beside
from labspec.spec.model import Spec
from labspec.spec.naming import KEY_PART, Loc, node_at, quoted, singular, steps, subject, what_stands_there

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
    "too_short": ("min_length", "at least", "entry", "entries"),
    "too_long": ("max_length", "at most", "entry", "entries"),
    "string_too_short": ("min_length", "at least", "character", "characters"),
    "string_too_long": ("max_length", "at most", "character", "characters"),
}
_NAME_HELP: Final = "a name is a small letter, then small letters, digits and `_`, at most 64 in all"
PATTERNS: Final = {
    "^[a-z][a-z0-9_]{0,63}$": ("bad-name", "a name", _NAME_HELP),
    "^[a-z][a-z0-9_:]{0,63}$": ("bad-name", "a name", _NAME_HELP.replace("and `_`", "`_` and `:`")),
    "^[a-z][a-z0-9]*(-[a-z0-9]+)*$": (
        "bad-name",
        "the name of a folder",
        "an id is words of small letters and digits, joined by single `-`",
    ),
    "^[0-9]{1,9}\\.[0-9]{1,9}\\.[0-9]{1,9}$": ("bad-version", "three numbers such as `1.0.0`", ""),
}
"""For each pattern of the models: the code of the finding, what the text is not, and what would be one."""


def explain(model: type[BaseModel], root: Mapping, error: ValidationError, called: str, report: Report) -> None:
    """Add every finding of `error`, which came of reading `root` as a `model`, to `report`."""
    all_details = error.errors(include_url=False)
    misspelt = set[Loc]()
    for details in all_details:
        fault = _Fault(model, root, details["loc"], called)
        if details["type"] == "extra_forbidden":
            misspelt.add((*fault.loc[:-1], _explain_unknown_key(fault, report) or ""))
        elif details["type"] != "missing":
            _explain(fault, details, report)
    if (EXTENDS,) in misspelt:
        return  # what is missing stands in the spec that was to be extended
    missing = [details["loc"] for details in all_details if details["type"] == "missing"]
    _explain_missing_keys([loc for loc in missing if loc not in misspelt], root, called, report)


class _Fault(NamedTuple):
    """Where a model and what an author wrote disagree."""

    model: type[BaseModel]
    root: Mapping
    loc: Loc
    called: str

    @property
    def subject(self) -> str:
        """What the fault is about, in the author's words."""
        return subject(self.root, self.loc) or self.called

    @property
    def holder(self) -> str:
        """What has a key too many."""
        return subject(self.root, self.loc[:-1]) or self.called

    @property
    def node(self) -> Node | None:
        """What stands there."""
        return node_at(self.root, self.loc)


def _explain(fault: _Fault, details: ErrorDetails, report: Report) -> None:
    kind, context = details["type"], details.get("ctx", {})
    if kind == "string_pattern_mismatch":
        _explain_pattern(fault, context["pattern"], report)
    elif kind == "literal_error":
        _explain_choice(fault, context["expected"], report)
    else:
        code, predicate, help = _predicate(fault, details)
        report.error(code, f"{fault.subject} {predicate}", locate(fault.root, fault.loc), help=help)


def _predicate(fault: _Fault, details: ErrorDetails) -> tuple[str, str, str | None]:
    """The code, what the subject must be, and the help."""
    kind, context = details["type"], details.get("ctx", {})
    if kind in _TYPE_WORDS:
        wanted, found = _TYPE_WORDS[kind], what_stands_there(fault.node)
        return "wrong-type", f"must be {wanted}, not {found}", _type_help(kind, fault.node)
    if kind in _COMPARISONS:
        key, words = _COMPARISONS[kind]
        return "out-of-range", f"must be {words} {context[key]}", None
    if kind in _SIZES:
        return "wrong-length", _size(kind, context, fault.node), None
    # A rule of our own models: its message is written as a predicate.
    return kind.replace("_", "-"), details["msg"], _verb_help(kind, fault.node)


def _size(kind: str, context: dict[str, Any], node: Node | None) -> str:
    key, words, one, many = _SIZES[kind]
    limit = context[key]
    has = f", and has {len(node.value)}" if isinstance(node, Scalar) and isinstance(node.value, str) else ""
    return f"must have {words} {limit} {one if limit == 1 else many}{has}"


def _type_help(kind: str, node: Node | None) -> str | None:
    if not isinstance(node, Scalar) or node.value is None:
        return None
    if kind == "string_type":
        return "put it in quotes"
    text = node.value if isinstance(node.value, str) else ""
    could_be = text.isascii() and text.isdigit() if kind == "int_type" else text in ("true", "false")
    return "write it without quotes" if could_be and kind in ("int_type", "bool_type") else None


def _verb_help(kind: str, node: Node | None) -> str | None:
    if not kind.endswith("_without_verb") or not isinstance(node, Mapping):
        return None
    near = (did_you_mean(entry.key, verbs_beside(_FIRST_VERBS[kind])) for entry in node.entries)
    return next((f"did you mean `{verb}`?" for verb in near if verb), None)


_FIRST_VERBS: Final = {"row_without_verb": "exit", "step_without_verb": "call"}


def _explain_missing_keys(locs: list[Loc], root: Mapping, called: str, report: Report) -> None:
    """One finding for each mapping that lacks keys."""
    missing: dict[Loc, list[str]] = {}
    for loc in locs:
        missing.setdefault(loc[:-1], []).append(str(loc[-1]))
    for holder, keys in missing.items():
        message = f"{subject(root, holder) or called} needs the key{'s' if keys[1:] else ''} {_listed(keys)}"
        report.error("missing-key", message, locate(root, holder))


def _explain_unknown_key(fault: _Fault, report: Report) -> str | None:
    """Report it; returns the key that it most likely misspells."""
    key, at = str(fault.loc[-1]), locate_key(fault.root, fault.loc)
    verb = str(fault.loc[-2]).strip("<>") if len(fault.loc) > 1 else ""
    if key in verbs_beside(verb):
        message = f"{fault.holder} says both `{verb}` and `{key}`"
        report.error("two-verbs", message, at, help="keep one of the two")
        return None
    is_section = fault.model is Spec and len(fault.loc) == 1
    known = sorted([*keys_at(fault.model, fault.loc[:-1]), *([EXTENDS] if is_section else [])])
    near = did_you_mean(key, known)
    help = f"did you mean `{near}`?" if near else f"known keys are {_listed(known)}"
    report.error("unknown-key", f"{fault.holder} has no key {quoted(key)}", at, help=help)
    return near


def _explain_pattern(fault: _Fault, pattern: str, report: Report) -> None:
    code, wanted, help = PATTERNS.get(pattern, ("wrong-form", f"text of the form {pattern}", ""))
    if fault.loc[-1] == KEY_PART:
        *_, section, key = steps(fault.loc)
        message = f"{quoted(str(key))} can't be the name of a {singular(str(section))}"
        report.error(code, message, locate_key(fault.root, fault.loc), help=help)
        return
    message = f"{fault.subject} must be {wanted}, not {what_stands_there(fault.node)}"
    report.error(code, message, locate(fault.root, fault.loc), help=help or None)


def _explain_choice(fault: _Fault, expected: str, report: Report) -> None:
    options = list(_options(expected))
    node = fault.node
    near = did_you_mean(str(node.value), options) if isinstance(node, Scalar) else None
    report.error(
        "unknown-value",
        f"{fault.subject} must be {_listed(options, last='or')}, not {what_stands_there(node)}",
        locate(fault.root, fault.loc),
        help=f"did you mean `{near}`?" if near else None,
    )


def _options(expected: str) -> Iterator[str]:
    """The options of pydantic's sentence about them: `'a', 'b' or 'c'`."""
    for word in expected.replace(" or ", ", ").split(", "):
        yield {"True": "true", "False": "false"}.get(word) or word.strip("'")


def _listed(words: list[str], last: str = "and") -> str:
    shown = [f"`{word}`" for word in words]
    return shown[0] if len(shown) == 1 else f"{', '.join(shown[:-1])} {last} {shown[-1]}"
