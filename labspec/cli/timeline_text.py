"""A run for people: turn by turn, what the model decided, what came of it, and how far each budget is used up.

Plain ASCII around what others wrote, in lines of at most `WIDTH` columns. Plain ANSI where colour is wanted.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from typing import TYPE_CHECKING, NamedTuple

from labspec.diagnostics.display import measure, printable
from labspec.emit.wording import row_words

if TYPE_CHECKING:
    from labspec.lab.model import Kind, Lab, Row
    from labspec.timeline import Timeline, Turn

WIDTH = 80
CELLS = 10
"""The longest bar of a gauge. A budget of fewer units has a cell for each."""

LONGEST_NAME = 48
"""How many columns of a name, a path or a code are shown."""

_RESET = "\x1b[0m"
_BOLD = "\x1b[1m"
_FULL = "\x1b[1;33m"
_COLOURS: dict[Kind, str] = {"done": "\x1b[32m", "budget": "\x1b[33m", "error": "\x1b[31m"}
_REFUSED = "\x1b[36m"
_BETWEEN = "   "


def timeline_text(timeline: Timeline, lab: Lab, colour: bool) -> str:
    """The run of a fixture under the machine of `lab`, ready to print."""
    told = _Teller(timeline, lab, colour)
    lines = [told.headline(), "", *(line for turn in timeline.turns for line in told.turn(turn))]
    return "".join(f"{line.rstrip()}\n" for line in lines)


class _Piece(NamedTuple):
    """A piece of a line: as it is shown, and how many columns that takes."""

    shown: str
    columns: int


class _Teller:
    """Tells the turns of one run."""

    def __init__(self, timeline: Timeline, lab: Lab, colour: bool) -> None:
        self._timeline = timeline
        self._lab = lab
        self._colour = colour
        self._margin = len(f"turn {len(timeline.turns)}") + 2
        self._measured = {name for names in timeline.measures.values() for name in names}
        self._widest = dict(zip(timeline.limits, self._gauge_widths(), strict=True))

    def headline(self) -> str:
        """The fixture, with its title if it is one of the lab."""
        name = self._timeline.fixture
        title = next((fixture.title for fixture in self._lab.fixtures if fixture.id == name), None)
        words = _short(name) if title is None else f"{_short(name)}: {printable(title)}"
        return "\n".join(_wrapped(words, WIDTH))

    def turn(self, turn: Turn) -> Iterator[str]:
        """The lines of one turn."""
        number = f"turn {turn.number}"
        head = self._paint(number, _BOLD) + " " * (self._margin - len(number))
        first, *rest = _wrapped(_act_words(turn), WIDTH - self._margin)
        yield head + first
        yield from self._indented(rest)
        yield from self._indented(_filled(self._gauges(turn), WIDTH - self._margin))
        if turn.refused is not None:
            row = self._lab.row(turn.refused)
            yield from self._sentence(f"{_named(row)} refuses the call: {row_words(row)}", _REFUSED)
        if turn.ended is not None:
            row = self._lab.row(turn.ended)
            words = f"{_named(row)} ends the run at `{row.at}`: {row_words(row)}{_taken_back(turn)}"
            yield from self._sentence(words, _COLOURS[self._lab.reason(row.outcome).kind])

    def _gauges(self, turn: Turn) -> Iterator[_Piece]:
        """How far each budget is used up, then the lab's own meters that no budget limits."""
        for name, limit in self._timeline.limits.items():
            value = self._value(name, turn)
            yield self._gauge(name, value, limit)
        for meter in self._lab.meters:
            if not meter.builtin and meter.name not in self._measured:
                text = f"{_short(meter.name)} {turn.meters[meter.name]}"
                yield _Piece(text, measure(text))

    def _gauge(self, name: str, value: int, limit: int) -> _Piece:
        bar, numbers = bar_of(value, limit), f"{value}/{limit}"
        painted = self._paint(bar, _FULL) if value >= limit else bar
        plain = f"{_short(name)} {bar} {numbers}"
        columns = self._widest[name]
        shown = f"{_short(name)} {painted} {numbers}" + " " * (columns - measure(plain))
        return _Piece(shown, columns)

    def _gauge_widths(self) -> Iterator[int]:
        """The columns that the gauge of each budget takes in every turn."""
        for name, limit in self._timeline.limits.items():
            most = max(self._value(name, turn) for turn in self._timeline.turns)
            yield measure(f"{_short(name)} {bar_of(0, limit)} {most}/{limit}")

    def _value(self, budget: str, turn: Turn) -> int:
        return max((turn.meters[meter] for meter in self._timeline.measures[budget]), default=0)

    def _sentence(self, words: str, colour: str) -> Iterator[str]:
        lines = _wrapped(printable(words), WIDTH - self._margin)
        return self._indented(self._paint(line, colour) for line in lines)

    def _indented(self, lines: Iterable[str]) -> Iterator[str]:
        return (" " * self._margin + line for line in lines)

    def _paint(self, text: str, colour: str) -> str:
        return f"{colour}{text}{_RESET}" if self._colour else text


def bar_of(value: int, limit: int) -> str:
    """A bar such as `[##--]`. It is full only when nothing is left, and empty only when nothing is used."""
    cells = min(limit, CELLS)
    used = cells if value >= limit else min(-(-value * cells // limit), cells - 1)
    return f"[{'#' * used}{'-' * (cells - used)}]"


# --- words ---


def _act_words(turn: Turn) -> str:
    """What the model decided in a turn, and what came of it."""
    decision = turn.decision
    if decision is None:
        return "the model is not asked"
    if decision.type == "stop":
        words = f"stop: {_short(decision.reason)}" if decision.reason else "stop"
        return (
            f"{words}{_passed_over(turn)}" if turn.step is not None else f"{words}, because the plan has no step left"
        )
    if decision.type == "other":
        return f"an answer that is neither a call nor a stop{_passed_over(turn)}"
    return f"{_call_words(turn, decision.name)}{_result_words(turn)}"


def _passed_over(turn: Turn) -> str:
    return ", passed over" if turn.ended is None and turn.call is None else ""


def _call_words(turn: Turn, name: str) -> str:
    if not name.strip():
        return "a call without a usable name"
    words, call = _short(name), turn.call
    if call is not None and call.path:
        words += f" {_short(call.path)}"
        words += f" ({call.size} bytes)" if name == "write_file" else ""
    return words


def _result_words(turn: Turn) -> str:
    result = turn.result
    if result is None:
        return ", not run"
    if turn.refused is not None:
        return f" -> refused: {_short(result.error)}" + ("" if turn.counted else ", and not counted")
    if result.ok:
        return " -> ok, final" if result.final else " -> ok"
    return f" -> failed: {_short(result.error)}" + (", final" if result.final else "")


def _named(row: Row) -> str:
    return f"row {row.number} `{row.id}`"


def _taken_back(turn: Turn) -> str:
    """What the row that ended the run read, where that charge does not stand any more."""
    read = turn.asked[-1].meters
    gone = [f"{name} {value}" for name, value in read.items() if value != turn.meters[name]]
    return f" (it read {', '.join(gone)}; then that is taken back)" if gone else ""


# --- layout ---


def _short(text: str) -> str:
    """A text on one line, cut to a length that leaves room for the rest."""
    shown = printable(text)
    if measure(shown) <= LONGEST_NAME:
        return shown
    while measure(shown) > LONGEST_NAME - 3:
        shown = shown[: min(len(shown) - 1, LONGEST_NAME)]
    return f"{shown}..."


def _wrapped(text: str, width: int) -> list[str]:
    """A text in lines of at most so many columns; a word that is longer is cut into pieces."""
    words = [piece for word in text.split(" ") for piece in _pieces(word, width)]
    return list(_filled([_Piece(word, measure(word)) for word in words], width, between=" "))


def _pieces(word: str, width: int) -> Iterator[str]:
    while measure(word) > width:
        end = next(end for end in range(1, len(word) + 1) if measure(word[: end + 1]) > width)
        yield word[:end]
        word = word[end:]
    yield word


def _filled(pieces: Iterable[_Piece], width: int, between: str = _BETWEEN) -> Iterator[str]:
    """Pieces side by side, in as many lines as they need."""
    line: list[str] = []
    columns = 0
    for piece in pieces:
        if line and columns + len(between) + piece.columns > width:
            yield between.join(line)
            line, columns = [], 0
        columns += piece.columns + (len(between) if line else 0)
        line.append(piece.shown)
    if line:
        yield between.join(line)
