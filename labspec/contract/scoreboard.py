"""The rubric with the points earned, as lines to print and as data to write down."""

from __future__ import annotations

from typing import Any

from .handed_out import change_lines
from .rubric import Rubric, Stretch
from .score import Score, Scores
from .wording import printable, shorten

MAX_SAYS = 72
STATE_WIDTH = 7

SELF_CHECK = (
    "This is a self-check. What counts is the grade your instructor gives,",
    "and that may look at more than these tests do.",
)


def scoreboard_lines(scores: Scores) -> list[str]:
    """The table, its total, and what it is worth."""
    rubric = scores.rubric
    goals = rubric.stretch.goals if rubric.stretch else ()
    ids = [row.id for row in (*rubric.gates, *goals)]
    ids += [row.id for row in rubric.manual]
    width = max(map(len, ids), default=0)
    return [
        *(_row(score, width) for score in scores.gates),
        *(_stretch_lines(rubric.stretch, scores, width) if rubric.stretch else ()),
        _total(scores, width),
        *_manual_lines(rubric, width),
        *_not_run(scores),
        *_changes(scores),
        "",
        *SELF_CHECK,
    ]


def _row(score: Score, width: int) -> str:
    gate = score.gate
    row = f"  {score.state:<{STATE_WIDTH}}  {gate.id:<{width}}"
    row += f"  {score.earned:>3} / {gate.points:<3}  {_says(gate.says)}"
    return row + _remark(score)


def _says(text: str) -> str:
    return shorten(" ".join(text.split()), MAX_SAYS)


def _remark(score: Score) -> str:
    total = max(score.gate.tests, len(score.outcomes))
    remarks = []
    if score.failed:
        remarks.append(f"{score.failed} of {total} tests failed")
    if score.not_run:
        remarks.append(f"{score.not_run} of {total} tests not run{_why_skipped(score)}")
    if score.zeroed:
        remarks.append(f"zero: {score.zeroed}")
    elif score.state == "earned" and score.earned < score.gate.points:
        counted = f"{score.earned} points count" if score.earned else "not counted"
        remarks.append(counted)
    return f" ({', '.join(remarks)})" if remarks else ""


def _why_skipped(score: Score) -> str:
    """What the skipped tests say, if they all say the same."""
    skipped = (each for each in score.outcomes.values() if each.status == "skipped")
    reasons = {each.message for each in skipped if each.message}
    return f": {printable(reasons.pop())}" if len(reasons) == 1 else ""


def _stretch_lines(stretch: Stretch, scores: Scores, width: int) -> list[str]:
    goals = "1 goal" if stretch.pick == 1 else f"{stretch.pick} goals"
    needs = f", once earned: {', '.join(stretch.needs)}" if stretch.needs else ""
    headline = f"  stretch: at most {stretch.points} points for {goals}{needs}"
    return [headline, *(_row(score, width) for score in scores.goals)]


def _total(scores: Scores, width: int) -> str:
    line = (
        f"  {'total':<{width + STATE_WIDTH + 2}}  {scores.total:>3} / {scores.points}"
    )
    if scores.zeroed:
        return f"{line} (zero: {scores.zeroed})"
    return f"{line} ({scores.stretch} of them for stretch)" if scores.stretch else line


def _manual_lines(rubric: Rubric, width: int) -> list[str]:
    return [
        f"  {'':<{STATE_WIDTH}}  {row.id:<{width}}    - / {row.points:<3}  "
        f"{_says(row.says)} (graded by a person)"
        for row in rubric.manual
    ]


def _not_run(scores: Scores) -> list[str]:
    whole = sum(score.state != "not run" for score in scores.gates)
    total = len(scores.gates)
    return [f"Only {whole} of {total} gates were run in full."] if whole < total else []


def _changes(scores: Scores) -> list[str]:
    if not scores.changes:
        return []
    return [
        "These files, which the tests rely on, are not as they were handed out:",
        *change_lines(scores.changes),
    ]


def report_data(rubric: Rubric, scores: Scores) -> dict[str, Any]:
    """The scores as JSON data, for programs that read them.

    `earned` and `points` are those of the gates. `total` has everything the tests give.
    """
    return {
        "lab": rubric.lab,
        "earned": scores.earned,
        "points": scores.points,
        "gates": {score.gate.id: _gate_data(score) for score in scores.gates},
        "stretch": _stretch_data(rubric.stretch, scores) if rubric.stretch else None,
        "manual": [
            {"id": row.id, "points": row.points, "says": row.says}
            for row in rubric.manual
        ],
        "total": {
            "earned": scores.total,
            "points": scores.points,
            "zeroed": scores.zeroed,
        },
        "changes": [
            {"path": printable(path, 300), "what": what}
            for path, what in scores.changes
        ],
    }


def _gate_data(score: Score) -> dict[str, Any]:
    return {
        "state": score.state,
        "earned": score.earned,
        "points": score.gate.points,
        "zeroed": score.zeroed,
        "not_run": score.not_run,
        "tests": {name: each.status for name, each in score.outcomes.items()},
        "messages": {
            name: printable(each.message, 300)
            for name, each in score.outcomes.items()
            if each.message
        },
        "events": sorted(score.events),
    }


def _stretch_data(stretch: Stretch, scores: Scores) -> dict[str, Any]:
    return {
        "earned": scores.stretch,
        "points": stretch.points,
        "pick": stretch.pick,
        "needs": list(stretch.needs),
        "goals": {score.gate.id: _gate_data(score) for score in scores.goals},
    }
