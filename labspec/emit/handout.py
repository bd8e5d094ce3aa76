"""The plan of the handout: `README.md` and `SUBMISSION.md`."""

from __future__ import annotations

from typing import TYPE_CHECKING, NamedTuple

from labspec.emit.diagram import plan_diagram
from labspec.emit.encode import (
    Markdown,
    json_text,
    markdown_cell_code,
    markdown_code,
    markdown_paragraphs,
    markdown_text,
)
from labspec.emit.moments import Moments
from labspec.emit.rubric_words import StretchText, plan_stretch
from labspec.emit.shared import shared
from labspec.emit.suite import catch_words, fixture_json, goal_fixtures, own_tests_file, shown_fixtures
from labspec.emit.tool_words import TraceText, WorkspaceText, plan_trace, plan_workspace
from labspec.emit.wording import (
    last_error_markdown,
    meter_cells,
    meter_words,
    outcome_markdown,
    reason_cells,
    row_markdown,
)

if TYPE_CHECKING:
    from collections.abc import Iterable

    from labspec.lab.model import Budget, Exercise, Fixture, Lab, Meter, Mistake, Row, SubmissionItem, Tool

Rows = tuple[tuple[Markdown, ...], ...]
"""The cells of a table, row by row."""


class TargetWords(NamedTuple):
    """What the handout calls things in one target.

    `needs` is a sentence, `runner` the command in front of `run FIXTURE`, `own_tests` the one that runs the student's
    own tests, `known_tools` completes "a tool that is not", `constants` are the names of the limits, budget by budget,
    `writes` are the files that the student writes, and `planner` is the command of the live planner.
    """

    needs: Markdown
    runner: Markdown
    own_tests: Markdown
    known_tools: Markdown
    constants: tuple[str, ...]
    writes: tuple[Markdown, ...]
    planner: Markdown | None = None


class ExerciseText(NamedTuple):
    """An exercise of the handout."""

    letter: Markdown
    title: Markdown
    says: Markdown
    fixtures: Markdown
    gates: Markdown


class OwnTestsText(NamedTuple):
    """What the handout says about tests of the student's own, where a gate asks for them."""

    gates: Rows
    other_goals: bool


class ReadmeCover(NamedTuple):
    """What the template of `README.md` is given of the lab's cover, and how the target calls things."""

    title: Markdown
    summary: Markdown
    goal: Markdown
    minutes: int
    objectives: tuple[Markdown, ...]
    agenda: Rows
    limitations: tuple[Markdown, ...]
    skip_if: tuple[Markdown, ...]
    needs: Markdown
    runner: Markdown
    known_tools: Markdown
    own_tests_file: Markdown
    planner: Markdown | None
    writes: tuple[Markdown, ...]


class Readme(NamedTuple):
    """What else the template of `README.md` is given."""

    example: Markdown
    example_json: Markdown
    table: Rows
    other_mistakes: tuple[Markdown, ...]
    taxonomy: Rows
    diagram: tuple[Markdown, ...]
    budgets: Rows
    budget_example: Markdown
    meters: Rows
    refuses: bool
    passes_over: bool
    script_ends_with_stop: bool
    error_chars: int | None
    error_otherwise: Markdown
    exercises: tuple[ExerciseText, ...]
    fixtures: Rows
    scripted: tuple[Markdown, ...]
    workspace: WorkspaceText | None
    trace: TraceText | None
    stretch: StretchText | None
    own_tests: OwnTestsText | None
    points: int


class TitleCover(NamedTuple):
    """What the templates of `RUBRIC.md` and `SUBMISSION.md` are given of the lab's cover."""

    title: Markdown


class Submission(NamedTuple):
    """What else the template of `SUBMISSION.md` is given."""

    items: tuple[Markdown, ...]


def plan_readme_cover(lab: Lab, words: TargetWords) -> ReadmeCover:
    """What the handout says of the lab's cover, in the words of its target."""
    return ReadmeCover(
        title=markdown_text(lab.title),
        summary=markdown_paragraphs(lab.summary),
        goal=markdown_paragraphs(lab.goal),
        minutes=lab.minutes,
        objectives=_texts(lab.objectives),
        agenda=_agenda(lab),
        limitations=_texts(lab.limitations),
        skip_if=_texts(lab.skip_if),
        needs=words.needs,
        runner=words.runner,
        known_tools=words.known_tools,
        own_tests_file=markdown_code(own_tests_file(lab)),
        planner=words.planner,
        writes=words.writes,
    )


@shared
def plan_readme(lab: Lab, hidden: bool, constants: tuple[str, ...]) -> Readme:
    """What else the handout says. `constants` are the names of the limits, budget by budget."""
    fixtures = shown_fixtures(lab, hidden)
    example = fixtures[0]
    moments = Moments(lab)
    return Readme(
        example=Markdown(f"fixtures/{example.id}.json"),
        example_json=Markdown(fixture_json(example).rstrip("\n")),
        table=tuple(_row(row, lab.mistakes) for row in lab.table),
        other_mistakes=_texts(mistake.says for mistake in lab.mistakes if mistake.row is None),
        taxonomy=tuple(map(reason_cells, lab.taxonomy)),
        diagram=plan_diagram(lab),
        budgets=tuple(_budget(budget, name, lab) for budget, name in zip(lab.budgets, constants, strict=True)),
        budget_example=_budget_example(lab),
        meters=tuple(meter_cells(meter) for meter in lab.meters if not meter.builtin),
        refuses=moments.refuses,
        passes_over=not moments.only_calls_get_through,
        script_ends_with_stop=lab.plan_ends == "stop",
        error_chars=lab.errors.max_chars,
        error_otherwise=markdown_code(lab.errors.otherwise),
        exercises=tuple(_exercise(number, exercise, fixtures) for number, exercise in enumerate(lab.exercises)),
        fixtures=tuple((_fixture_path(one), _story(one)) for one in (*fixtures, *goal_fixtures(lab, hidden))),
        scripted=tuple(_tool(tool) for tool in lab.tools if tool.kind == "scripted"),
        workspace=plan_workspace(lab),
        trace=plan_trace(lab, example),
        stretch=plan_stretch(lab, hidden),
        own_tests=_own_tests(lab),
        points=lab.points,
    )


def _own_tests(lab: Lab) -> OwnTestsText | None:
    asked = [(gate.id, gate.tests_catch) for gate in lab.own_test_gates if gate.tests_catch is not None]
    if not asked:
        return None
    return OwnTestsText(
        gates=tuple((markdown_code(name), Markdown(catch_words(each))) for name, each in asked),
        other_goals=lab.stretch is not None,
    )


def _texts(texts: Iterable[str]) -> tuple[Markdown, ...]:
    return tuple(markdown_text(text) for text in texts)


def _agenda(lab: Lab) -> Rows:
    return tuple(
        (Markdown(f"{item.start}–{item.end}"), markdown_text(item.title), markdown_text(item.says or ""))  # noqa: RUF001 - a range
        for item in lab.agenda
    )


def _row(row: Row, mistakes: tuple[Mistake, ...]) -> tuple[Markdown, ...]:
    beside = [markdown_text(mistake.says) for mistake in mistakes if mistake.row == row.id]
    return (
        Markdown.of("{}", row.number),
        markdown_cell_code(row.at),
        row_markdown(row),
        outcome_markdown(row),
        last_error_markdown(row),
        Markdown.joined("<br>", beside),
    )


def _budget(budget: Budget, constant: str, lab: Lab) -> tuple[Markdown, ...]:
    meters = Markdown.joined(", ", (_counts(meter) for meter in lab.meters if meter.name in budget.meters))
    return (
        markdown_cell_code(budget.name),
        markdown_cell_code(constant),
        Markdown.of("{}", budget.limit),
        meters,
    )


def _counts(meter: Meter) -> Markdown:
    """What a budget counts. A meter of the lab's own is explained in the table of the meters."""
    return markdown_text(meter_words(meter.name)) if meter.builtin else markdown_cell_code(meter.name)


def _budget_example(lab: Lab) -> Markdown:
    return markdown_code(json_text({budget.name: budget.limit + 2 for budget in lab.budgets[:1]}))


def _exercise(number: int, exercise: Exercise, fixtures: tuple[Fixture, ...]) -> ExerciseText:
    shown = [fixture for fixture in fixtures if fixture.id in exercise.fixtures]
    return ExerciseText(
        letter=Markdown(chr(ord("A") + number) if number < 26 else str(number + 1)),
        title=markdown_text(exercise.title),
        says=markdown_paragraphs(exercise.says),
        fixtures=Markdown.joined(", ", map(_fixture_path, shown)),
        gates=Markdown.joined(", ", map(markdown_code, exercise.gates)),
    )


def _fixture_path(fixture: Fixture) -> Markdown:
    return markdown_cell_code(f"fixtures/{fixture.id}.json")


def _story(fixture: Fixture) -> Markdown:
    title = markdown_text(fixture.title)
    return title if fixture.says is None else Markdown.of("{}<br>{}", title, markdown_text(fixture.says))


def _tool(tool: Tool) -> Markdown:
    name = markdown_code(tool.name)
    return name if tool.says is None else Markdown.of("{}: {}", name, markdown_text(tool.says))


def plan_title_cover(lab: Lab) -> TitleCover:
    """What rubric and submission list say of the lab's cover."""
    return TitleCover(markdown_text(lab.title))


@shared
def plan_submission(lab: Lab) -> Submission:
    """What to hand in."""
    return Submission(tuple(map(_item, lab.submission)))


def _item(item: SubmissionItem) -> Markdown:
    target = markdown_code(item.target)
    what = {
        "file": Markdown.of("the file {}", target),
        "command": Markdown.of("what {} prints", target),
        "text": Markdown.of("{}, in at most {} words", target, item.words or 0),
    }[item.kind]
    return what if item.says is None else Markdown.of("{}: {}", what, markdown_text(item.says))
