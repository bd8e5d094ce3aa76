"""What the values mean that a key can be chosen from: an editor shows them beside each choice.

By the values, so that keys with the same choice share the words.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Final

from labspec.emit.suite import PROMISES
from labspec.emit.wording import MOMENTS
from labspec.lab.loop import EXIT_CODES

_CHOICES: Final[tuple[dict[str, str], ...]] = (
    {str(moment): says for moment, says in MOMENTS.items()},
    {kind: f"a run {promise}" for kind, promise in PROMISES.items()},
    {
        "scripted": "the steps of the fixtures carry the results",
        "builtin": "`read_file` or `write_file`, which work on the files of the workspace",
        "command": "`argv` is run in the workspace",
    },
    {
        "done": f"the loop has done what it was asked to do; exit code {EXIT_CODES['done']}",
        "budget": f"a budget is used up; exit code {EXIT_CODES['budget']}",
        "error": f"something went wrong; exit code {EXIT_CODES['error']}",
    },
    {
        "end": "an ended plan makes `plan.ended` true, and a row decides",
        "stop": "an ended plan is a stop decision with the reason `script_exhausted`",
    },
    {
        "no_name": "a call without a name",
        "empty_name": 'a call whose name is ""',
        "number_name": "a call whose name is a number",
        "not_a_call": "neither a call nor a stop",
    },
    {"ok": "the command ends with 0", "failed": "the command ends with another code"},
    {"visible": "students get the fixture and its tests", "hidden": "only `labspec build --hidden` writes it"},
    {"todo": "students write it", "given": "students get it as it is in the solution"},
    {"append": "a run adds its line to the ledger", "overwrite": "a run replaces the ledger"},
    {"always": "every run", "done": "only runs that end well"},
    {"always": "every run", "done": "only runs that end well", "never": "no run"},
    {"ledger": "one line of JSON for each run", "trace": "the events of a run, as JSON"},
    {"python": "students write Python", "node": "students write JavaScript for Node"},
)
_WORDS: Final = {tuple(words): words for words in _CHOICES}


def words_of(values: Sequence[object]) -> list[str]:
    """What each of the values of a choice means; `null` says it itself.

    Raises KeyError if a new choice has no words yet.
    """
    words = _WORDS[tuple(value for value in values if isinstance(value, str))]
    return [words[value] if isinstance(value, str) else "" for value in values]
