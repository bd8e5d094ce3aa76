"""Items are added to a list of a spec by lines alone, whatever the file looks like."""

from __future__ import annotations

import difflib
from typing import TYPE_CHECKING, Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from labspec.diagnostics import Report, Suggestion
from labspec.source import Mapping, plain, read_data
from labspec.source.insert import InsertError
from labspec.suggestions.add import add_fixtures

if TYPE_CHECKING:
    from collections.abc import Callable

BOM = b"\xef\xbb\xbf"
NEW: dict[str, Any] = {
    "id": "new_v1",
    "title": "It's new: #1",
    "steps": [{"call": "search", "times": 2}, {"stop": "no"}],
    "expect": {"reason": "budget:turns", "last_error": None},
}
NEW_LINES = """\
  # Suggested by labspec check --fix. Read what it expects; then say in your own words what it shows.
  - id: new_v1
    title: "It's new: #1"
    steps:
      - {call: search, times: 2}
      - {stop: "no"}
    expect: {reason: "budget:turns", last_error: null}
"""


def add(text: str | bytes, *fixtures: dict[str, Any]) -> bytes:
    data = text.encode() if isinstance(text, str) else text
    longer, _ = add_fixtures(data, "lab.yaml", [Suggestion(one, "a-code") for one in fixtures or (NEW,)])
    return longer


def values(data: bytes) -> dict[str, Any]:
    report = Report()
    source = read_data(data, "lab.yaml", report)
    assert source is not None, report.diagnostics
    assert isinstance(source.root, Mapping)
    return {entry.key: plain(entry.value) for entry in source.root.entries}


ITEMS: list[Callable[[str, str], list[str]]] = [
    lambda margin, name: [f"{margin}- {{id: {name}, steps: []}}"],
    lambda margin, name: [f"{margin}- {{id: {name}, steps: []}}   # said in passing"],
    lambda margin, name: [f"{margin}- id: {name}", f"{margin}  steps:", f"{margin}    - {{stop: done}}"],
    lambda margin, name: [f"{margin}- id: {name}", f"{margin}  steps:", f"{margin}  - stop: done", f"{margin}  # deep"],
    lambda margin, name: [f"{margin}-   id: '{name}'", "", f"{margin}    title: a", f"{margin}      folded # title"],
    lambda margin, name: [f"{margin}- {{id: {name},", f"{margin}    steps: [],", f"{margin}    }}"],
    lambda margin, name: [f"{margin}- id: {name}", f'{margin}  title: "two', "", f'{margin}    lines"'],
    lambda margin, name: [
        f"{margin}- id: {name}",
        f"{margin}  says: |",
        f"{margin}    # 1",
        "",
        f"{margin}    # 2",
        "",
    ],
    lambda margin, name: [
        f"{margin}- id: {name}",
        f"{margin}  says: >-",
        f"{margin}    - id: x",
        f"{margin}   # not text",
    ],
    lambda margin, name: [f"{margin}- id: {name}", f"{margin}  says: |+", f"{margin}    kept", "", ""],
    lambda margin, name: [f"{margin}# before", f"{margin}- id: {name}", f"{margin}  says: |2-", f"{margin}     odd"],
    lambda margin, name: [f"{margin}-", f"{margin}  id: {name}"],
]
"""Ways to write an item of a list, each as its lines."""

OTHERS = [
    ["title: A lab"],
    ["# About the budgets", "budgets: {turns: 3}", "# no more of them"],
    ["", "# A block, and a blank line", "", "# Another one", "rubric:", "- gate: exits", "- gate: record"],
    ["summary: |", "  # not a comment", "", "  fixtures:", "    - {id: none}", ""],
    ["goal: |+", "  kept", ""],
    ["'quoted': {a: 1}", "", ""],
    ["list:", "    - 1", "    - [2,", "  3]"],
]
"""Sections around the fixtures, each with another key."""

MARGINS = st.sampled_from(["", "  ", "    ", " "])


@st.composite
def specs(draw: st.DrawFn) -> bytes:
    margin = draw(MARGINS)
    written = draw(st.lists(st.sampled_from(ITEMS), max_size=4))
    section = [] if not written else [draw(st.sampled_from(["fixtures:", '"fixtures":', "fixtures:  # the plans"]))]
    for number, item in enumerate(written):
        section += [*([""] if draw(st.booleans()) else []), *item(margin, f"f{number}")]
    around = draw(st.lists(st.sampled_from(OTHERS), min_size=1, unique_by=repr, max_size=4))
    place = draw(st.integers(0, len(around)))
    sections = [*around[:place], section, *around[place:]]
    tail = draw(st.sampled_from([[], ["..."], ["# the end"], ["", ""]]))
    end = draw(st.sampled_from(["\n", "\r\n"]))
    # A block on the last line would get a line end it does not have, which is refused: see below.
    last = "" if tail and tail[0] and draw(st.booleans()) else end
    text = end.join([line for one in (*sections, tail) for line in one]) + last
    return (BOM if draw(st.booleans()) else b"") + text.encode()


NAMES = st.from_regex(r"[a-z][a-z0-9_]{0,9}", fullmatch=True)
TEXTS = st.text(
    st.characters(codec="ascii", categories=("L", "N", "P", "S", "Zs")), min_size=1, max_size=130
) | st.just("two lines\nwith # signs\n")
FIXTURES = st.fixed_dictionaries(
    {"id": NAMES, "title": TEXTS, "steps": st.lists(st.fixed_dictionaries({"stop": TEXTS}), max_size=3)},
    optional={"expect": st.fixed_dictionaries({"turns": st.integers(0, 99), "last_error": st.none() | TEXTS})},
)


@given(specs(), st.lists(FIXTURES, min_size=1, max_size=3))
def test_only_lines_are_added_and_they_mean_the_new_items(data: bytes, fixtures: list[dict[str, Any]]) -> None:
    """All old lines stand in the new text, in one piece or two, and it says what the old one said and the items."""
    before, longer = values(data), add(data, *fixtures)
    assert values(longer) == {**before, "fixtures": [*before.get("fixtures", []), *fixtures]}
    assert longer.startswith(BOM) == data.startswith(BOM)
    assert longer.count(b"\r\n") in (0, longer.count(b"\n"))
    old, new = data.decode().splitlines(), longer.decode().splitlines()
    changes = difflib.SequenceMatcher(None, old, new, autojunk=False).get_opcodes()
    assert {kind for kind, *_ in changes} <= {"equal", "insert"}


@pytest.mark.parametrize(
    ("before", "behind"),
    [
        ("fixtures:\n  - {id: a}\n", ""),
        ("fixtures:\n  - {id: a}\n", "# The rubric.\nrubric: 1\n"),
        ("fixtures:\n  - id: a\n    # Its end.\n", "rubric: 1\n"),
        ("fixtures:\n  - {id: a}\n  - {id: b}\n", "\n\n# The rubric.\n\nrubric: 1\n"),
        ("fixtures:\n  - {id: a}\n", "  # Whose is this? It stays where it is.\n"),
        ("fixtures:\n  - id: a\n    says: |\n      # text\n", "# a comment\n"),
        ("labspec: 1\nfixtures:\n  - {id: a}\n", "...\n"),
    ],
)
def test_comments_stay_with_what_they_are_about(before: str, behind: str) -> None:
    spaced = "" if before.count("- {id") == 2 else "\n"
    assert add(before + behind).decode() == before + spaced + NEW_LINES + behind


def test_a_blank_line_separates_items_where_it_does_so_already() -> None:
    spaced = "fixtures:\n  - {id: a}\n\n  - {id: b}\n"
    assert add(spaced).decode() == f"{spaced}\n{NEW_LINES}"
    assert add(spaced, NEW, {"id": "c"}).decode().count("\n\n") == 3
    close = "fixtures:\n  - {id: a}\n  - {id: b}\n"
    assert add(close, NEW, {"id": "c"}).decode().count("\n\n") == 0


def test_a_spec_without_fixtures_gets_the_section_at_its_end() -> None:
    """As a variant may be, which takes its fixtures from the spec it extends."""
    assert add("extends: ./other.yaml\nid: variant\n# end\n").decode() == (
        f"extends: ./other.yaml\nid: variant\n\nfixtures:\n{NEW_LINES}# end\n"
    )


def test_a_file_without_a_last_line_end_stays_one() -> None:
    assert add("fixtures:\n- {id: a}").decode().endswith("last_error: null}")


@pytest.mark.parametrize(
    ("text", "says"),
    [
        ("fixtures: []\n", "`fixtures` stands in brackets; write it as lines that begin with `- ` first"),
        ("fixtures: [{id: a}]\n", "`fixtures` stands in brackets"),
        ("fixtures:\n  [\n    {id: a}\n  ]\n", "`fixtures` stands in brackets"),
        ("{fixtures: [{id: a}]}\n", "the whole spec stands in braces; write one key to a line first"),
        ("fixtures: none\n", "`fixtures` stands in brackets"),
        ("fixtures:\n  - id: a\n    says: |+\n      text", "line end"),
        ("fixtures: *a\n", "alias"),
    ],
)
def test_what_lines_alone_cannot_do_is_refused(text: str, says: str) -> None:
    with pytest.raises(InsertError, match=r"^.+$") as caught:
        add(text)
    assert says in str(caught.value)


def test_a_file_that_would_be_too_large_is_refused() -> None:
    with pytest.raises(InsertError, match="larger than 1048576 bytes"):
        add("fixtures:\n  - {id: a}\n" + "#" * (2**20 - 100))
