"""The matrix: runners, mistakes and mutants against the gates, and for each gate what it alone catches."""

from __future__ import annotations

from collections.abc import Collection, Mapping
from typing import TYPE_CHECKING, Literal, NamedTuple, TypeAlias

from labspec.mutants.model import FAMILIES, Family
from labspec.page.words import Words, code, counted, words

if TYPE_CHECKING:
    from labspec.lab.model import Lab
    from labspec.prove.proof import Caught, Fate, Proof, Verdict

State: TypeAlias = Literal["missed", "earned", "lost", "gained", "unknown"]
"""What became of a gate: missed or earned as it had to be, missed or earned against the promise, or not known."""

_SPOKEN: dict[State, str] = {
    "missed": "missed",
    "earned": "earned",
    "lost": "missed, and should be earned",
    "gained": "earned, and should be missed",
    "unknown": "not known",
}

_TITLES: dict[Family, str] = {
    "table": "Slips in the decision table",
    "refusals": "Slips with refused calls",
    "meters": "Slips with meters",
    "budgets": "Slips with budgets",
    "recorder": "Slips of the recorder",
}

_ORDER: tuple[Fate, ...] = ("survives", "not decided", "caught", "equivalent")
"""What needs a reader's eye comes first."""


class Cell(NamedTuple):
    """What one runner does at one gate. `says` is empty where there is nothing to say of it."""

    gate: str
    state: State
    says: str

    @property
    def spoken(self) -> str:
        """The cell for who can't see it."""
        return _SPOKEN[self.state]


class Reason(NamedTuple):
    """Why a gate is missed."""

    gate: str
    says: Words


class Line(NamedTuple):
    """A row of the matrix. `mark` is shown beside the name where something is to be seen, in the look of `tone`."""

    anchor: str
    name: str
    says: Words
    mark: str
    tone: Literal["plain", "good", "bad", "unsure", "grey"]
    cells: tuple[Cell, ...]
    reasons: tuple[Reason, ...]
    note: Words
    block: tuple[str, ...]
    """What else is to be read as it stands, line by line."""

    @property
    def wants_attention(self) -> bool:
        """Whether something is wrong with this row."""
        return self.tone in ("bad", "unsure")

    @property
    def explained(self) -> bool:
        """Whether there is more to say than the cells show."""
        return bool(self.reasons or self.note or self.block)


class Group(NamedTuple):
    """Rows that belong together, and what is to be said of them in a few words."""

    title: str
    sums_up: str
    lines: tuple[Line, ...]

    @property
    def wants_attention(self) -> bool:
        """Whether something is wrong in this group."""
        return any(line.wants_attention for line in self.lines)


class Column(NamedTuple):
    """A gate: what it catches of everything it should, and what no other gate catches."""

    gate: str
    points: int
    catches: int
    alone: int


MANY = 10
"""More gates than these get a box of their own to scroll in on every screen."""


class Matrix(NamedTuple):
    """The whole matrix. `catchable` is how many mistakes and mutants a gate could catch."""

    columns: tuple[Column, ...]
    groups: tuple[Group, ...]
    catchable: int

    @property
    def is_wide(self) -> bool:
        """Whether the gates may not fit beside each other."""
        return len(self.columns) > MANY

    @property
    def attention(self) -> tuple[Line, ...]:
        """The rows that something is wrong with."""
        return tuple(line for group in self.groups for line in group.lines if line.wants_attention)


def plan_matrix(proof: Proof, lab: Lab) -> Matrix:
    """The matrix of a proof of a lab."""
    groups = (_runners(proof), _mistakes(proof, lab), *(_family(proof, family) for family in FAMILIES))
    catches = _catches(proof)
    return Matrix(
        columns=tuple(_column(gate, points, catches) for gate, points in proof.gates),
        groups=tuple(group for group in groups if group.lines),
        catchable=len(catches),
    )


def _catches(proof: Proof) -> list[Collection[str]]:
    """For each mistake and each mutant that can be caught: the gates that catch it."""
    mistakes = [one for one in proof.verdicts if one.kind == "mistake" and one.result.fault is None]
    mutants = [one.missed for one in proof.mutants if one.verdict != "equivalent"]
    return [*map(proof.missed, mistakes), *mutants]


def _column(gate: str, points: int, catches: list[Collection[str]]) -> Column:
    by_this = [missed for missed in catches if gate in missed]
    return Column(gate, points, len(by_this), sum(len(missed) == 1 for missed in by_this))


# --- runners and mistakes ---


def _runners(proof: Proof) -> Group:
    verdicts = [verdict for verdict in proof.verdicts if verdict.kind != "mistake"]
    says = {verdict.name: f"The {verdict.name} {verdict.promise}" for verdict in verdicts}
    return _group("Runners", "keep their promise", proof, verdicts, says)


def _mistakes(proof: Proof, lab: Lab) -> Group:
    verdicts = [verdict for verdict in proof.verdicts if verdict.kind == "mistake"]
    says = {mistake.id: mistake.says for mistake in lab.mistakes}
    return _group("Mistakes", "cost exactly the gates they should", proof, verdicts, says)


def _group(title: str, claim: str, proof: Proof, verdicts: list[Verdict], says: Mapping[str, str]) -> Group:
    """The rows of some verdicts, broken promises first; `says` has what is to be said of each, by its name."""
    ordered = sorted(verdicts, key=lambda verdict: verdict.kept)
    lines = tuple(
        _judged(proof, verdict, proof.verdicts.index(verdict) + 1, says.get(verdict.name, verdict.promise))
        for verdict in ordered
    )
    return Group(title, f"{sum(verdict.kept for verdict in verdicts)} of {len(verdicts)} {claim}", lines)


def _judged(proof: Proof, verdict: Verdict, number: int, says: str) -> Line:
    failures = verdict.result.first_failures
    return Line(
        anchor=f"runner-{number}",
        name=verdict.name if verdict.kind == "mistake" else verdict.kind,
        says=words(says),
        mark="" if verdict.kept else "promise broken",
        tone="plain" if verdict.kept else "bad",
        cells=tuple(_judged_cell(proof, gate, verdict) for gate, _ in proof.gates),
        reasons=_reasons(proof, failures),
        note=words("" if verdict.kept else f"The promise was: {verdict.promise}."),
        block=tuple((verdict.result.fault or "").splitlines()),
    )


def _judged_cell(proof: Proof, gate: str, verdict: Verdict) -> Cell:
    if verdict.result.fault is not None:
        return _cell(gate, "unknown")
    if verdict.kind == "mistake" and gate in proof.about_tests:
        return _cell(gate, "earned")  # an empty cell: a wrong runner is not asked for tests
    expected, earned = gate in verdict.expected, gate in verdict.result.earned
    state: State = ("earned" if expected else "gained") if earned else ("lost" if expected else "missed")
    return _cell(gate, state, verdict.result.first_failures.get(gate, ""))


def _cell(gate: str, state: State, why: str = "") -> Cell:
    says = "" if state == "earned" else f"{gate}: {_SPOKEN[state]}"
    return Cell(gate, state, f"{says}; {why}" if why else says)


def _reasons(proof: Proof, sentences: Mapping[str, str]) -> tuple[Reason, ...]:
    return tuple(Reason(gate, words(sentences[gate])) for gate, _ in proof.gates if sentences.get(gate))


# --- mutants ---


def _family(proof: Proof, family: Family) -> Group:
    mutants = [mutant for mutant in proof.mutants if mutant.family == family]
    ordered = sorted(mutants, key=lambda mutant: _ORDER.index(mutant.verdict))
    lines = tuple(_slip(proof, mutant, proof.mutants.index(mutant) + 1) for mutant in ordered)
    return Group(_TITLES[family], _sum_up(mutants), lines)


def _sum_up(mutants: list[Caught]) -> str:
    number = {fate: sum(mutant.verdict == fate for mutant in mutants) for fate in _ORDER}
    parts = [f"{number['caught']} of {len(mutants) - number['equivalent']} caught"]
    if number["survives"]:
        parts.append(f"{number['survives']} {'survives' if number['survives'] == 1 else 'survive'}")
    if number["not decided"]:
        parts.append(f"{number['not decided']} not decided")
    if number["equivalent"]:
        parts.append(counted(number["equivalent"], "changes nothing", "change nothing"))
    return ", ".join(parts)


def _slip(proof: Proof, mutant: Caught, number: int) -> Line:
    marks: dict[Fate, tuple[str, Literal["plain", "bad", "unsure", "grey"]]] = {
        "survives": ("survives", "bad"),
        "not decided": ("not decided", "unsure"),
        "caught": ("", "plain"),
        "equivalent": ("equivalent", "grey"),
    }
    mark, tone = marks[mutant.verdict]
    note, _, block = mutant.note.partition("\n")
    return Line(
        anchor=f"slip-{number}",
        name=mutant.id,
        says=words(mutant.says) or code(mutant.id),
        mark=mark,
        tone=tone,
        cells=tuple(_slip_cell(gate, mutant) for gate, _ in proof.gates),
        reasons=_reasons(proof, mutant.missed),
        note=words(note),
        block=tuple(block.splitlines()),
    )


def _slip_cell(gate: str, mutant: Caught) -> Cell:
    if gate in mutant.missed:
        return _cell(gate, "missed", mutant.missed[gate])
    return _cell(gate, "unknown" if mutant.verdict == "not decided" else "earned")
