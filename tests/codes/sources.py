"""Every code that a finding can have, as the sources of labspec say it."""

from __future__ import annotations

import ast
import re
from collections.abc import Iterator
from functools import cache
from pathlib import Path
from typing import Final, NamedTuple

PACKAGE: Final = Path(__file__).resolve().parent.parent.parent / "labspec"

NOT_CODES: Final = frozenset(
    {
        *("utf-8", "latin-1", "contract-runs", "reference-runner", "merge-file", "dry-run", "run-001"),
        *("loop-exit-ledger", "unfinished-build"),
    }
)
"""Texts of the sources that look like a code of several words."""

WITHOUT_FINDINGS: Final = frozenset({"contract", "preview"})
"""Packages whose texts of several words are none of codes: headers of HTTP, ids of HTML."""

MADE_CODES: Final = {
    "unknown-{key}": frozenset({"unknown-reason", "unknown-row"}),
    "unknown-{what}": frozenset({"unknown-fixture", "unknown-gate", "unknown-mistake"}),
}
"""Codes that the sources put together, by how they are written there."""

_CODE: Final = re.compile(r"[a-z][a-z0-9]*(-[a-z0-9]+)+")
_WORD: Final = re.compile(r"[a-z]+")
_PRINTED: Final = re.compile(r"(?:error|warning|note)\[([a-z0-9-]+)\]")
_PYDANTIC: Final = frozenset({"PydanticCustomError", "custom_error_type"})


class Codes(NamedTuple):
    """What the sources say: the codes, and the forms of those that are put together."""

    whole: frozenset[str]
    made: frozenset[str]


@cache
def codes_in_sources() -> Codes:
    """The codes of all modules but those that have no findings: what is shipped to students, and the preview's page."""
    whole, made = set[str](), set[str]()
    for path in sorted(PACKAGE.rglob("*.py")):
        if not WITHOUT_FINDINGS.intersection(path.parts):
            tree = ast.parse(path.read_bytes())
            whole.update(_texts_like_codes(tree), _single_words(tree), _of_pydantic(tree), _printed(tree))
            made.update(_put_together(tree))
    return Codes(frozenset(whole - NOT_CODES), frozenset(made))


def _texts_like_codes(tree: ast.AST) -> Iterator[str]:
    """Texts of several words with `-` between them: nearly all codes are, and nearly nothing else is."""
    return (text for text in _texts(tree) if _CODE.fullmatch(text))


def _single_words(tree: ast.AST) -> Iterator[str]:
    """Words that stand where a function takes or gives a code."""
    given = [line for line in ast.walk(tree) if isinstance(line, ast.FunctionDef) and line.name in _GIVES_CODE]
    returned = [line for function in given for line in ast.walk(function) if isinstance(line, ast.Return)]
    return (text for text in _texts(*_arguments(tree), *returned) if _WORD.fullmatch(text))


def _arguments(tree: ast.AST) -> Iterator[ast.expr]:
    """What stands where a function takes a code."""
    for node in ast.walk(tree):
        if isinstance(node, ast.Call) and _name(node.func) in _TAKES_CODE:
            place = _TAKES_CODE[_name(node.func)]
            yield from (text for text in node.args[place : place + 1] if isinstance(text, ast.Constant | ast.JoinedStr))


_TAKES_CODE: Final = {"error": 0, "key_error": 0, "warning": 0, "_error": 0, "_stop": 0, "_refuse_marker": 0,
                      "Diagnostic": 0, "Refused": 0, "WriteRefused": 0, "_syntax": 3}  # fmt: skip
"""The functions that codes of a single word are given to, and which of their arguments it is."""

_GIVES_CODE: Final = {"character_code"}


@cache
def kinds_of_names() -> frozenset[str]:
    """What `check_known` is told that names are the names of: it makes `unknown-{what}` of it."""
    trees = [ast.parse(path.read_bytes()) for path in sorted((PACKAGE / "lab").glob("*.py"))]
    calls = [node for tree in trees for node in ast.walk(tree) if isinstance(node, ast.Call)]
    return frozenset(text for call in calls if _name(call.func) == "check_known" for text in _texts(call.args[2]))


def _of_pydantic(tree: ast.AST) -> Iterator[str]:
    """Kinds of fault of our own models: the code has `-` where the kind has `_`."""
    for node in ast.walk(tree):
        if isinstance(node, ast.Call):
            kinds = [argument.value for argument in node.keywords if argument.arg in _PYDANTIC]
            kinds += node.args[:1] if _name(node.func) in _PYDANTIC else []
            yield from (text.replace("_", "-") for text in _texts(*kinds))


def _printed(tree: ast.AST) -> Iterator[str]:
    """Codes at the start of texts that are printed as they stand."""
    return (found[1] for text in _texts(tree) if (found := _PRINTED.match(text)))


def _put_together(tree: ast.AST) -> Iterator[str]:
    """Formatted texts that are a code when they are filled in."""
    for argument in _arguments(tree):
        if isinstance(argument, ast.JoinedStr):
            yield ast.unparse(argument).removeprefix("f").strip("'\"")


def _texts(*nodes: ast.AST) -> Iterator[str]:
    for root in nodes:
        for node in ast.walk(root):
            if isinstance(node, ast.Constant) and isinstance(node.value, str):
                yield node.value


def _name(function: ast.expr) -> str:
    if isinstance(function, ast.Attribute):
        return function.attr
    return function.id if isinstance(function, ast.Name) else ""
