"""The lab: what a spec means once it is valid. Every default is filled in and every reference resolved.

`resolve` makes it, `emit.plan` and `prove` read it. It knows nothing of YAML and nothing of templates.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any, Final, Literal, NamedTuple, TypeAlias

from labspec.conditions.facts import Moment
from labspec.conditions.syntax import Expr
from labspec.machine.runner import Ending
from labspec.machine.runs import Runs

Kind: TypeAlias = Literal["done", "budget", "error"]
Part: TypeAlias = Literal["todo", "given"]
UNLIMITED_ERROR_CHARS = 10_000
"""What the check of error texts allows where the lab sets no limit."""

MachineData: TypeAlias = dict[str, Any]
"""A machine as plain JSON data: the whole of what the reference runner needs."""


class Budget(NamedTuple):
    """A named limit. `meters` are the meters that rows compare it with."""

    name: str
    limit: int
    meters: tuple[str, ...]


class Meter(NamedTuple):
    """A number the loop keeps: it grows by `add` at its moment when `when` holds. `says` is what it counts."""

    name: str
    at: Moment
    add: Expr
    when: Expr | None
    resets_when: Expr | None
    refund_when: Expr | None
    builtin: bool
    says: str | None = None


class Reason(NamedTuple):
    """Why a loop can stop."""

    name: str
    kind: Kind
    exit_code: int
    says: str
    was: str | None


class LastError(NamedTuple):
    """What an exit row writes as `last_error`: nothing, the code of the last failure, or a fixed text."""

    source: Literal["none", "error", "text"]
    text: str | None = None


class Row(NamedTuple):
    """A row of the decision table. An exit row names a reason; a refuse row names an error code."""

    id: str
    verb: Literal["exit", "refuse"]
    outcome: str
    at: Moment
    when: Expr | None
    last_error: LastError
    counted: bool
    says: str | None
    number: int
    """Its place in the table, from 1."""


class Command(NamedTuple):
    """The program behind a tool of kind `command`: its words, its time limit, and the code of its failure."""

    argv: tuple[str, ...]
    seconds: int
    error: str


class Tool(NamedTuple):
    """A tool the plan can call.

    A `scripted` tool's results are carried by the steps; `builtin` tools read and write files of the workspace; a
    `command` runs a program in it.
    """

    name: str
    kind: Literal["scripted", "builtin", "command"]
    says: str | None
    command: Command | None = None


class Workspace(NamedTuple):
    """The files that tools work on, by path, and the roots that a path may lie in."""

    roots: tuple[str, ...]
    files: tuple[tuple[str, str], ...]


class Fixture(NamedTuple):
    """A scripted plan and the ending the reference reaches on it.

    `data` is the fixture as the runners read it: `id`, `planned_calls`, and `budgets` if the fixture overrides any.
    `ending` is what the decision table says, and what the generated tests expect.
    """

    id: str
    title: str
    says: str | None
    hidden: bool
    data: dict[str, Any]
    simulated: dict[str, Any]
    """`data`, and for each call of a command what it will come to."""
    budgets: dict[str, int]
    ending: Ending
    files: dict[str, str] = {}  # noqa: RUF012  # nobody changes it
    """The files of the workspace after the run, by path; empty for a lab without a workspace."""
    trace: Sequence[dict[str, Any]] = ()
    """The events of the run as the reference leaves them; empty for a lab without a workspace."""
    stated: bool = True
    """Whether the spec states the ending itself; otherwise the reference filled it in."""


class Loop(NamedTuple):
    """The resolved loop."""

    budgets: tuple[Budget, ...]
    meters: tuple[Meter, ...]
    tools: tuple[Tool, ...]
    workspace: Workspace | None
    plan_ends: Literal["end", "stop"]
    errors: ErrorText
    taxonomy: tuple[Reason, ...]
    table: tuple[Row, ...]


class Mistake(NamedTuple):
    """A plausible wrong runner: the loop it amounts to, the runs of its machine, and the gates it costs."""

    id: str
    says: str
    hint: str | None
    row: str | None
    """The row of the decision table beside which the handout lists it."""
    costs: tuple[str, ...]
    runs: Runs
    loop: Loop

    @property
    def machine(self) -> MachineData:
        """Its machine as data."""
        return self.runs.data


class Check(NamedTuple):
    """One contract check, made on each of its fixtures. `kind` names a function of `labspec.contract.checks`."""

    kind: str
    fixtures: tuple[str, ...]


class Zero(NamedTuple):
    """A condition that makes a gate or the whole lab an automatic zero. `gates` are those of `without`."""

    kind: Literal["hangs", "changed", "missing", "wrote_outside", "without"]
    gates: tuple[str, ...] = ()


class TestsCatch(NamedTuple):
    """What the student's own tests must do: accept a right loop, and reject `at_least` of the mistakes' loops."""

    mistakes: tuple[str, ...]
    at_least: int


class Gate(NamedTuple):
    """A row of the rubric. `tests_catch` is what it asks of the student's own tests, if it is about them."""

    id: str
    points: int
    says: str
    checks: tuple[Check, ...]
    zero_if: tuple[Zero, ...] = ()
    shared: str | None = None
    """Why every mistake that costs it costs another gate as well."""
    tests_catch: TestsCatch | None = None


class ManualItem(NamedTuple):
    """Something that a person grades."""

    id: str
    points: int
    says: str


class Goal(NamedTuple):
    """A stretch goal: `loop` and `machine` are the lab's with the goal's change merged in."""

    id: str
    title: str
    says: str
    points: int
    loop: Loop
    machine: MachineData
    fixtures: tuple[Fixture, ...]
    """The fixtures that show the goal. They end as its machine says."""
    checks: tuple[Check, ...]


class Stretch(NamedTuple):
    """Goals beyond the rubric: at most `points` for at most `pick` of them, and only with the gates `needs`.

    `loop` is the lab's loop with the changes of all goals merged in, which the solution shows.
    """

    points: int
    pick: int
    needs: tuple[str, ...]
    goals: tuple[Goal, ...]
    loop: Loop
    machine: MachineData


class AgendaItem(NamedTuple):
    """A stretch of the lab's time, in minutes from its start."""

    start: int
    end: int
    title: str
    says: str | None


class Exercise(NamedTuple):
    """A task of the handout, with the fixtures it is about and the gates that reward it."""

    id: str
    title: str
    says: str
    fixtures: tuple[str, ...]
    gates: tuple[str, ...]


class SubmissionItem(NamedTuple):
    """Something a student hands in: a file, the output of a command, or a text of at most so many words."""

    kind: Literal["file", "command", "text"]
    target: str
    says: str | None
    words: int | None


class ErrorText(NamedTuple):
    """When a failure's text may stand in a record: one line of at most `max_chars` characters.
    Any other text is recorded as the code `otherwise`.
    """

    max_chars: int | None
    otherwise: str


class Starter(NamedTuple):
    """Which parts of the repository the student writes (`todo`) and which are given."""

    loop: Part
    ledger: Part
    tests: Part
    report: Part


class Cover(NamedTuple):
    """What a lab is called and what it is about. No run depends on it, nor any other part of the lab."""

    id: str
    version: str
    title: str
    summary: str
    goal: str
    minutes: int
    objectives: tuple[str, ...]
    agenda: tuple[AgendaItem, ...]
    limitations: tuple[str, ...]
    skip_if: tuple[str, ...]


NO_COVER: Final = Cover("", "", "", "", "", 0, (), (), (), ())
"""The cover of a lab that is looked at without it."""


class Lab(NamedTuple):
    """The whole lab. Everything that comes out of the compiler is made from this value."""

    id: str
    version: str
    title: str
    summary: str
    goal: str
    target: Literal["python", "node"]
    minutes: int
    objectives: tuple[str, ...]
    agenda: tuple[AgendaItem, ...]
    budgets: tuple[Budget, ...]
    meters: tuple[Meter, ...]
    tools: tuple[Tool, ...]
    workspace: Workspace | None
    traced: bool
    """Whether runs leave a trace beside the ledger line."""
    plan_ends: Literal["end", "stop"]
    errors: ErrorText
    taxonomy: tuple[Reason, ...]
    table: tuple[Row, ...]
    fixtures: tuple[Fixture, ...]
    mistakes: tuple[Mistake, ...]
    rubric: tuple[Gate, ...]
    exercises: tuple[Exercise, ...]
    submission: tuple[SubmissionItem, ...]
    zero_if: tuple[Zero, ...]
    manual: tuple[ManualItem, ...]
    stretch: Stretch | None
    starter: Starter
    limitations: tuple[str, ...]
    skip_if: tuple[str, ...]
    machine: MachineData
    digest: str
    """SHA-256 of what the spec says (values only, not layout), in hexadecimal."""

    @property
    def points(self) -> int:
        """The points of all gates together."""
        return sum(gate.points for gate in self.rubric)

    @property
    def own_test_gates(self) -> tuple[Gate, ...]:
        """The gates that ask something of the student's own tests."""
        return tuple(gate for gate in self.rubric if gate.tests_catch is not None)

    @property
    def node_tools(self) -> frozenset[str]:
        """The tools whose command runs on Node."""
        return frozenset(tool.name for tool in self.tools if tool.command and tool.command.argv[0] == "node")

    @property
    def needs_node(self) -> bool:
        """Whether the student repository or a command of the lab runs on Node."""
        return self.target == "node" or bool(self.node_tools)

    @property
    def max_error_chars(self) -> int:
        """The most characters that the `last_error` of a record may have."""
        return self.errors.max_chars or UNLIMITED_ERROR_CHARS

    def fixture(self, name: str) -> Fixture:
        """The fixture called `name`, which must exist."""
        return next(fixture for fixture in self.fixtures if fixture.id == name)

    def reason(self, name: str) -> Reason:
        """The reason called `name`, which must exist."""
        return next(reason for reason in self.taxonomy if reason.name == name)

    def without_cover(self) -> Lab:
        """What variants of the lab have in common that differ in their covers only."""
        return self._replace(**NO_COVER._asdict(), digest="")

    def solved(self) -> Lab:
        """The lab that the solution solves: with the changes of all stretch goals in its loop, and their fixtures."""
        if self.stretch is None:
            return self
        own = tuple(fixture for goal in self.stretch.goals for fixture in goal.fixtures)
        return self._replace(
            **self.stretch.loop._asdict(), machine=self.stretch.machine, fixtures=(*self.fixtures, *own)
        )

    def row(self, name: str) -> Row:
        """The row called `name`, which must exist."""
        return next(row for row in self.table if row.id == name)
