"""Ledgers that tests make up: records, lines, and bytes that are nearly lines."""

from __future__ import annotations

import json
from functools import cache
from typing import TYPE_CHECKING, Any

from hypothesis import strategies as st

from labspec.pipeline import load
from tests.ledger.cases import LAB

if TYPE_CHECKING:
    from labspec.lab.model import Lab

RECORD: dict[str, Any] = {
    "run_id": "r1",
    "fixture_id": "recovers",
    "reason": "completed",
    "turns": 2,
    "tool_names": ["search", "search"],
    "last_error": None,
    "stopped_on_turn": 2,
}
RENAMED = {"turn_cap": "turns_spent", "schema_mismatch": "no_name"}
"""What `lab.yaml` renames."""


@cache
def small_lab() -> Lab:
    """The lab that `lab.yaml` means."""
    lab = load(LAB).lab
    assert lab is not None
    return lab


def line(**changes: Any) -> bytes:
    """The line of a record."""
    return json.dumps(RECORD | changes, sort_keys=True).encode("ascii") + b"\n"


TEXTS = st.one_of(
    st.text(max_size=6),
    st.sampled_from(
        ["turn_cap", '"reason": "turn_cap"', '", "run_id": "x', "run_id", "\\", '\\"', "\u2028", "é", "\r\n"]
    ),
)
NAMES = st.sampled_from(["completed", "retry_exhausted", "turn_cap", "schema_mismatch", "turns_spent", "no_name"])
RECORDS = st.fixed_dictionaries(
    {
        "run_id": TEXTS,
        "fixture_id": st.one_of(st.sampled_from(["recovers", "never_final"]), TEXTS),
        "reason": NAMES,
        "turns": st.integers(0, 5),
        "tool_names": st.lists(TEXTS, max_size=3),
        "last_error": st.one_of(st.none(), TEXTS),
        "stopped_on_turn": st.integers(0, 5),
    }
)


@st.composite
def lines(draw: st.DrawFn) -> bytes:
    """The line of a record, in any of the forms that JSON allows."""
    record = draw(RECORDS)
    keys = draw(st.permutations(sorted(record)))
    separators = draw(st.sampled_from([(", ", ": "), (",", ":"), (" ,\t", " :  ")]))
    text = json.dumps({key: record[key] for key in keys}, ensure_ascii=draw(st.booleans()), separators=separators)
    end = draw(st.sampled_from(["\n", "\r\n", " \n"]))
    return (text + end).encode("utf-8", "surrogatepass")


PIECES = st.sampled_from(
    [
        line(), line(reason="turn_cap"), line()[:40], b"\n", b"\r\n", b"{", b"}", b'"', b"\\", b",", b":", b"[", b"]",
        b'"run_id": "r2"', b'"run_id": "', b'"reason"', b"1e400", b"\x00", b"\xff", b"\xef\xbb\xbf", b"\xed\xa0\x80",
        b"NaN", b"null", b"{}\n", b'{"reason": "turn_cap"}\n', b" ", b"9" * 30,
    ]
)  # fmt: skip
HOSTILE = st.one_of(st.binary(max_size=80), st.lists(PIECES, max_size=12).map(b"".join))
