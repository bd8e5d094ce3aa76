"""A repository says of its lab what students have, all of that, and a lab can be read back from it."""

from __future__ import annotations

import json
from functools import cache
from pathlib import Path
from typing import TYPE_CHECKING, Any

import pytest
from hypothesis import event, given, settings
from hypothesis import strategies as st

from labspec.differences import compare
from labspec.handed_out import to_data
from labspec.handed_out.read import HandedOutError, as_students_have_it, read_lab
from labspec.pipeline import load

if TYPE_CHECKING:
    from labspec.lab.model import Lab

TESTS = Path(__file__).parent.parent
SPECS = [
    path
    for folder in (TESTS.parent / "specs", TESTS / "specs" / "valid", TESTS / "differences" / "pairs")
    for path in sorted(folder.glob("*.yaml"))
    if not path.name.startswith("_")
]
RICH = TESTS / "differences" / "pairs" / "around-the-loop.new.yaml"
EVERY_SPEC = pytest.mark.parametrize("spec", SPECS, ids=lambda path: path.stem)


@cache
def lab_of(spec: Path) -> Lab:
    lab = load(spec).lab
    assert lab is not None
    return lab


@EVERY_SPEC
def test_the_loop_is_read_back_as_it_was(spec: Path) -> None:
    lab = lab_of(spec)
    seen = as_students_have_it(lab)
    assert seen.machine == lab.machine
    loop = ("budgets", "meters", "tools", "workspace", "plan_ends", "errors", "taxonomy", "table")
    assert {name: getattr(seen, name) for name in loop} == {name: getattr(lab, name) for name in loop}


@EVERY_SPEC
def test_students_know_the_inputs_and_endings_of_the_fixtures_that_are_not_hidden(spec: Path) -> None:
    lab = lab_of(spec)
    told = [(one.id, one.data, one.budgets, one.ending) for one in as_students_have_it(lab).fixtures]
    assert told == [(one.id, one.data, one.budgets, one.ending) for one in lab.fixtures if not one.hidden]


@EVERY_SPEC
def test_nothing_is_lost_on_the_way(spec: Path) -> None:
    lab = lab_of(spec)
    assert json.dumps(to_data(as_students_have_it(lab))) == json.dumps(to_data(lab))


@EVERY_SPEC
def test_what_is_hidden_stays_at_home(spec: Path) -> None:
    lab = lab_of(spec)
    text = json.dumps(to_data(lab))
    goals = () if lab.stretch is None else lab.stretch.goals
    hidden = [one.id for one in (*lab.fixtures, *(one for goal in goals for one in goal.fixtures)) if one.hidden]
    assert [name for name in (*hidden, *(mistake.id for mistake in lab.mistakes)) if f'"{name}"' in text] == []
    assert '"result":' not in text, "what a command will come to"


@pytest.mark.parametrize("data", [b"", b"[]", b"{", b"null", b"\xff", b"[" * 100_000, b'{"form": 2}'])
def test_what_is_no_such_file_is_refused(data: bytes) -> None:
    with pytest.raises(HandedOutError):
        read_lab(data, "")


def test_a_loop_that_makes_no_sense_is_refused() -> None:
    data = to_data(lab_of(RICH))
    data["loop"]["table"][0]["when"] = "turns and result.ok"
    with pytest.raises(HandedOutError, match="its loop is unsound"):
        read_lab(json.dumps(data).encode(), "")


ANYTHING = st.recursive(
    st.none() | st.booleans() | st.integers(-5, 10**20) | st.sampled_from(["", "result", "error", "a b", "turn_cap"]),
    lambda inner: (
        st.lists(inner, max_size=2) | st.dictionaries(st.sampled_from(["id", "kind", "x"]), inner, max_size=2)
    ),
    max_leaves=4,
)


def places(data: Any, *path: str | int) -> list[tuple[str | int, ...]]:
    """The path of every value in `data`."""
    items: list[tuple[str | int, Any]] = []
    if isinstance(data, dict):
        items = list(data.items())
    elif isinstance(data, list):
        items = list(enumerate(data))
    return [path, *(place for key, value in items for place in places(value, *path, key))]


@settings(deadline=None, max_examples=300)
@given(chosen=st.data())
def test_a_file_that_somebody_tampered_with_is_refused_or_can_be_compared(chosen: st.DataObject) -> None:
    lab = lab_of(RICH)
    data = json.loads(json.dumps(to_data(lab)))
    *path, last = chosen.draw(st.sampled_from(places(data)[1:]))
    inner = data
    for step in path:
        inner = inner[step]
    inner[last] = chosen.draw(ANYTHING | st.just(inner[last]))
    try:
        tampered = read_lab(json.dumps(data).encode(), "")
    except HandedOutError:
        event("refused")
        return
    event("read")
    assert compare(tampered, lab, as_handed_out=True, limit=5_000).headline
    assert compare(lab, tampered, as_handed_out=True, limit=5_000).headline
