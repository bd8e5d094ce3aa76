"""The loop as a drawing: the four moments on a spine, the rows of the table as questions, and the reasons.

Everything is placed here, in pixels of the drawing; the template only prints it.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Literal, NamedTuple, TypeAlias

from labspec.conditions import MOMENTS as ORDER
from labspec.emit.moments import Moments
from labspec.emit.wording import MOMENTS
from labspec.page.words import Words, code, condition, lines, words

if TYPE_CHECKING:
    from labspec.conditions import Moment
    from labspec.lab.model import Kind, Lab, Row

WIDTH = 716
"""Of the whole drawing."""
RAIL, SPINE, REFUSALS = 12, 52, 704
"""Where the way back to the next turn, the way down, and the way of refused calls to their result run."""
HEADER_LEFT, HEADER_HEIGHT = 30, 42
ASKS_LEFT, ASKS_WIDTH, ASKS_COLUMNS = 80, 356, 44
PILL_LEFT, PILL_WIDTH, PILL_COLUMNS = 474, 216, 23
LINE, GAP = 18, 12
"""How far apart lines of text are, and boxes."""

Look: TypeAlias = Literal["done", "budget", "error", "refuse"]


class Text(NamedTuple):
    """A line of text; `y` is its base line."""

    x: int
    y: int
    words: Words


class Box(NamedTuple):
    """A rectangle."""

    x: int
    y: int
    width: int
    height: int

    @property
    def middle(self) -> int:
        """Half way down."""
        return self.y + self.height // 2

    @property
    def right(self) -> int:
        """Its right edge."""
        return self.x + self.width

    @property
    def bottom(self) -> int:
        """Its lower edge."""
        return self.y + self.height


class Header(NamedTuple):
    """A moment: its box, its name and what has just happened."""

    box: Box
    name: Text
    says: Text


class Question(NamedTuple):
    """A row of the table: its number on the spine, what it asks, and where a yes leads."""

    number: Text
    diamond: str
    asks: Box
    texts: tuple[Text, ...]
    arrow: str
    pill: Box
    look: Look
    outcome: tuple[Text, ...]
    then: Text
    loops_back: str

    @property
    def round(self) -> int:
        """How round the corners of the pill are: a good end looks unlike the others without its colour, too."""
        return self.pill.height // 2 if self.look == "done" else 6


class Diagram(NamedTuple):
    """The whole drawing. `ways` are the lines between its parts, `notes` what is said beside them."""

    width: int
    height: int
    headers: tuple[Header, ...]
    questions: tuple[Question, ...]
    ways: tuple[str, ...]
    notes: tuple[Text, ...]


def plan_diagram(lab: Lab) -> Diagram:
    """The drawing of a lab's loop."""
    return _Drawing(lab).draw()


class _Drawing:
    def __init__(self, lab: Lab) -> None:
        self.lab = lab
        self.kinds: dict[str, Kind] = {reason.name: reason.kind for reason in lab.taxonomy}
        self.passes_over = not Moments(lab).only_calls_get_through
        self.y = 8
        self.headers: dict[Moment, Header] = {}
        self.questions: list[Question] = []
        self.ways: list[str] = []
        self.notes: list[Text] = []

    def draw(self) -> Diagram:
        for moment in ORDER:
            self._moment(moment)
        self.ways.append(f"M {SPINE} {self.headers['turn'].box.bottom} V {self.y + 8}")
        self._back_to_the_start("otherwise the next turn begins")
        target = self.headers["result"].box
        questions = [self._with_way_back(question, target) for question in self.questions]
        return Diagram(
            WIDTH, self.y + GAP, tuple(self.headers.values()), tuple(questions), tuple(self.ways), tuple(self.notes)
        )

    def _moment(self, moment: Moment) -> None:
        box = Box(HEADER_LEFT, self.y, ASKS_LEFT + ASKS_WIDTH - HEADER_LEFT, HEADER_HEIGHT)
        base = box.middle + 5
        name = Text(box.x + 18, base, words(moment))
        self.headers[moment] = Header(box, name, Text(box.x + 106, base, words(MOMENTS[moment])))
        self.y = box.bottom + GAP
        rows = [row for row in self.lab.table if row.at == moment]
        self.questions.extend(map(self._question, rows))
        if moment == "decision" and self.passes_over:
            self._back_to_the_start("no call: the next turn begins")

    def _back_to_the_start(self, says: str) -> None:
        """A way from the spine to the next turn, with a note beside it."""
        y = self.y + 8
        top = self.headers["turn"].box
        self.ways.append(f"M {SPINE} {y} H {RAIL} V {top.middle} H {top.x - 2} m -7 -4 l 7 4 l -7 4")
        self.notes.append(Text(ASKS_LEFT, y + 5, words(says)))
        self.y = y + GAP + 8

    def _question(self, row: Row) -> Question:
        asks, outcome = lines(condition(row.when), ASKS_COLUMNS), lines(code(row.outcome), PILL_COLUMNS)
        height = max(LINE * len(asks) + 20, LINE * (len(outcome) + 1) + 14)
        box, pill = Box(ASKS_LEFT, self.y, ASKS_WIDTH, height), Box(PILL_LEFT, self.y, PILL_WIDTH, height)
        self.y = box.bottom + GAP
        look: Look = "refuse" if row.verb == "refuse" else self.kinds[row.outcome]
        last = pill.middle + LINE * len(outcome) // 2
        return Question(
            number=Text(SPINE, box.middle + 5, words(str(row.number))),
            diamond=f"M {SPINE} {box.middle - 19} l 19 19 l -19 19 l -19 -19 z",
            asks=box,
            texts=_centred(asks, box, box.x + 16),
            arrow=f"M {box.right} {box.middle} H {pill.x - 3} m -7 -4 l 7 4 l -7 4",
            pill=pill,
            look=look,
            outcome=_centred(outcome, pill._replace(y=pill.y - LINE // 2), pill.x + 16),
            then=Text(pill.x + 16, last + 5, words(self._then(row))),
            loops_back="",
        )

    def _then(self, row: Row) -> str:
        if row.verb == "refuse":
            return "refused" if row.counted else "refused, does not count"
        reason = self.lab.reason(row.outcome)
        return f"{reason.kind}, exit code {reason.exit_code}"

    def _with_way_back(self, question: Question, result: Box) -> Question:
        if question.look != "refuse":
            return question
        start = f"M {question.pill.right} {question.pill.middle} H {REFUSALS}"
        return question._replace(loops_back=f"{start} V {result.middle} H {result.right + 3} m 7 -4 l -7 4 l 7 4")


def _centred(texts: tuple[Words, ...], box: Box, x: int) -> tuple[Text, ...]:
    """The lines of a text, one below the other around the middle of a box."""
    first = box.middle - LINE * (len(texts) - 1) // 2 + 5
    return tuple(Text(x, first + LINE * number, text) for number, text in enumerate(texts))
