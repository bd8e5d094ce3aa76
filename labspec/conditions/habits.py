"""Words and signs of other languages that authors write out of habit, and what to write in a condition instead."""

from __future__ import annotations

from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from collections.abc import Mapping

_ROWS = "ask one condition a row; the rows of the table are asked in order"
_NOTHING = 'there is no empty value: a text that is absent is "", and a meter starts at 0'

FOREIGN_SIGNS: Mapping[str, str] = {
    "&&": "write `and`",
    "||": "write `or`",
    "&": "write `and`",
    "|": "write `or`",
    "!": "write `not`",
    "=": "write `==`",
    "===": "write `==`",
    "!==": "write `!=`",
    "<>": "write `!=`",
    "~=": "write `!=`",
    "=<": "write `<=`",
    "=>": "write `>=`",
    "≠": "write `!=`",
    "≤": "write `<=`",
    "≥": "write `>=`",
    "\u2212": "write `-`",
    "\u201c": 'write straight quotes: `"`',
    "\u201d": 'write straight quotes: `"`',
    "\u2018": "write straight quotes: `'`",
    "\u2019": "write straight quotes: `'`",
    "`": 'write a text in quotes: `"`',
    "*": "a condition can only add and subtract",
    "**": "a condition can only add and subtract",
    "/": "a condition can only add and subtract",
    "//": "a condition can only add and subtract",
    "%": "a condition can only add and subtract",
    "++": "a condition changes nothing; a meter says with `add` how it grows",
    "--": "a condition changes nothing; a meter says with `add` how it grows",
    "+=": "a condition changes nothing; a meter says with `add` how it grows",
    "-=": "a condition changes nothing; a meter says with `add` how it grows",
    ":=": "a condition changes nothing; a meter says with `add` how it grows",
    "?": _ROWS,
    ":": _ROWS,
    ";": _ROWS,
    "{": "write names as they are, without braces",
    "}": "write names as they are, without braces",
    "{{": "write names as they are, without braces",
    "}}": "write names as they are, without braces",
    "$": "write names as they are, without a sign before them",
    "@": "write names as they are, without a sign before them",
    ".": "write a fact as one word with a dot inside, such as `result.ok`",
    "?.": "write a fact as one word with a dot inside, such as `result.ok`",
    "\u00a0": "write a plain space",
    "\ufeff": "remove the byte order mark",
}

FOREIGN_WORDS: Mapping[str, str] = {
    "True": "write `true`",
    "False": "write `false`",
    "TRUE": "write `true`",
    "FALSE": "write `false`",
    "AND": "write `and`",
    "OR": "write `or`",
    "NOT": "write `not`",
    "IN": "write `in`",
    "is": "write `==`, and `!=` for `is not`",
    "None": _NOTHING,
    "null": _NOTHING,
    "nil": _NOTHING,
    "undefined": _NOTHING,
    "NaN": "there are whole numbers only",
    "if": _ROWS,
    "elif": _ROWS,
    "else": _ROWS,
    "then": _ROWS,
    "lambda": "a condition calls no functions",
    "typeof": "every fact has one type; the table of facts names it",
    "instanceof": "every fact has one type; the table of facts names it",
    "xor": "write `!=` between the two conditions, each in parentheses",
}
