"""The page about the language of conditions, `docs/reference/conditions.md`: its facts, its signs and its grammar."""

from __future__ import annotations

import sys
from collections.abc import Iterator, Mapping
from typing import Final

from labspec.conditions import FACTS, MAX_DEPTH, MAX_LENGTH, MOMENTS, Fact, Moment, ValueType, parse
from labspec.conditions.english import to_english
from labspec.conditions.habits import FOREIGN_SIGNS, FOREIGN_WORDS
from labspec.conditions.syntax import LARGEST_NUMBER
from labspec.emit.wording import METERS
from labspec.emit.wording import MOMENTS as MOMENT_WORDS
from labspec.lab.loop import BUILTIN_METERS
from tests.reference.markdown import code, page, sentence, table

_HEAD: Final = """\
A row of the decision table, a meter and a refund ask a condition: `failures > budgets.retries`. The language is small,
and it is no Python: `labspec check` reads a condition, checks that every name exists at the moment at which it is asked
and that types fit, and prints it as Python, as JavaScript and, for the handout, in words. Nothing that you write is
ever evaluated as code.

In YAML, put a condition that has `: `, ` #`, or a quote at its beginning in quotes; all others stand as they are."""

_MOMENTS: Final = """\
Each turn passes four moments, in this order. A fact exists from its moment to the end of the turn."""

_METERS: Final = """\
A meter is a number, and so is a budget. Both exist at every moment, a budget under `budgets.` and its name. A spec can
declare more meters; these are always there. What is charged at a moment is charged before its rows are asked."""

_EXAMPLES: Final = (
    ("compare numbers", "`==` `!=` `<` `<=` `>` `>=`", "failures > budgets.retries"),
    ("compare texts", "`==` `!=`", 'decision.type == "stop"'),
    ("one of several", "`in [...]`, `not in [...]`", 'call.name in ["read_file", "write_file"]'),
    ("both, either", "`and`, `or`", "result.ok and result.final"),
    ("the opposite", "`not`", "not call.inside"),
    ("add, subtract", "`+`, `-`", "call.bytes + 100 > budgets.tokens"),
    ("what belongs together", "`( )`", "not (call.known or call.inside)"),
    ("always, never", "`true`, `false`", "true"),
)
"""What one can say, with which signs, and an example of it."""

_LIMITS: Final = f"""\
`not` binds closer than `and`, and `and` closer than `or`. Numbers are whole and at most {LARGEST_NUMBER:,}. A text
stands in `"` or `'` on one line, and knows the escapes `\\"`, `\\'`, `\\\\` and `\\n`. A condition has at most
{MAX_LENGTH} characters, and at most {MAX_DEPTH} levels of brackets and operators.

The whole grammar, loosest first:"""

_HABITS: Final = "Words and signs of other languages are findings that say what to write instead:"


_TYPES: Final[dict[ValueType, str]] = {"boolean": "true or false", "number": "number", "text": "text"}


def conditions_page() -> str:
    """The whole page."""
    return page(
        "The language of conditions",
        _HEAD,
        f"## Moments and facts\n\n{_MOMENTS}",
        *map(_moment, MOMENTS),
        f"## Meters and budgets\n\n{_METERS}\n\n{_meters()}",
        f"## What one can say\n\n{_operators()}\n\n{_LIMITS}\n\n```text\n{_grammar()}\n```",
        f"## Habits\n\n{_HABITS}\n\n{_habits()}",
    )


def _moment(moment: Moment) -> str:
    facts = {name: fact for name, fact in FACTS.items() if fact.moment == moment}
    rows = [(code(name), _TYPES[fact.type], _meaning(fact)) for name, fact in facts.items()]
    return f"### `{moment}`\n\n{sentence(MOMENT_WORDS[moment])}\n\n{table(('fact', 'type', 'meaning'), rows)}"


def _meaning(fact: Fact) -> str:
    values = [code(f'"{value}"') for value in fact.values]
    choice = f": {', '.join(values[:-1])} or {values[-1]}" if values else ""
    return sentence(f"{fact.says}{choice}") + (f" Only at `{fact.moment}`." if fact.only_there else "")


def _meters() -> str:
    return table(
        ("meter", "counts", "charged at", "by", "when", "given back when"),
        [
            (
                code(name),
                METERS[name],
                code(meter.at),
                code(str(meter.add)),
                _asked(meter.when),
                _asked(meter.refund_when),
            )
            for name, meter in BUILTIN_METERS.items()
        ],
    )


def _asked(condition: object) -> str:
    return "" if condition is None else code(str(condition))


def _operators() -> str:
    rows = [(what, signs, code(example), to_english(parse(example))) for what, signs, example in _EXAMPLES]
    return table(("to", "write", "example", "in the handout"), rows)


def _grammar() -> str:
    """The lines of the grammar in the docstring of the parser."""
    lines = (sys.modules["labspec.conditions.parse"].__doc__ or "").splitlines()
    return "\n".join(line.strip() for line in lines if "::=" in line)


def _habits() -> str:
    """Every habit once, those with the same advice together."""
    return table(("instead of", "do this"), list(_by_advice({**FOREIGN_SIGNS, **FOREIGN_WORDS})))


def _by_advice(habits: Mapping[str, str]) -> Iterator[tuple[str, str]]:
    for advice in dict.fromkeys(habits.values()):
        words = [_shown(word) for word, said in habits.items() if said == advice]
        yield " ".join(words), sentence(advice)


def _shown(word: str) -> str:
    return code(word) if word.isprintable() and word.strip() else f"U+{ord(word):04X}"
