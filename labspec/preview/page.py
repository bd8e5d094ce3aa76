"""The page of the preview: what it shows of a lab, and what it shows of a spec, sound or not."""

from __future__ import annotations

import hashlib
from typing import TYPE_CHECKING, Literal, NamedTuple

from markupsafe import Markup

from labspec.diagnostics.terminal import count
from labspec.page import print_page
from labspec.page.diagram import Diagram, plan_diagram
from labspec.page.gauges import Gauge, plan_gauges
from labspec.preview.documents import Document, plan_documents
from labspec.preview.rubric import RubricView, plan_rubric_view
from labspec.preview.runs import RunView, plan_runs
from labspec.preview.source import Note, SourceView, plan_source
from labspec.preview.table import TableRow, plan_table
from labspec.preview.text import as_written

if TYPE_CHECKING:
    from labspec.lab.model import Lab
    from labspec.pipeline import Loaded

ERRORS_AT_ONCE = 3
"""How many errors stand above every part of the page. All of them stand in the spec."""


class LabView(NamedTuple):
    """All that is shown of a lab."""

    id: str
    version: str
    title: str
    target: str
    minutes: int
    points: int
    table: tuple[TableRow, ...]
    diagram: Diagram
    gauges: tuple[Gauge, ...]
    runs: tuple[RunView, ...]
    documents: tuple[Document, ...]
    rubric: RubricView


class PreviewPlan(NamedTuple):
    """What the template of the page is given.

    `lab` is the last one that the spec has meant; `is_old` says that the spec as it stands means none. `errors` are the
    first of them, `more_errors` is how many there are besides; `fault` is the report of a fault of our own.
    """

    file: str
    title: str
    lab: LabView | None
    is_old: bool
    tone: Literal["done", "budget", "error"]
    found: str
    errors: tuple[Note, ...]
    more_errors: int
    source: SourceView
    fault: Markup


class Shell(NamedTuple):
    """The page around its parts."""

    title: str
    revision: str
    parts: Markup


class _Drawing(NamedTuple):
    diagram: Diagram
    name: str


class PrintedPage(NamedTuple):
    """A finished page, and the name of its content: pages that differ have different ones."""

    text: str
    revision: str


def plan_lab(lab: Lab) -> LabView:
    """Everything that the page shows of a lab."""
    diagram, runs = plan_diagram(lab), plan_runs(lab)
    drawing = print_page("preview/drawing.html", _Drawing(diagram, "handout-loop"))
    return LabView(
        id=lab.id,
        version=lab.version,
        title=lab.title,
        target={"python": "Python", "node": "Node"}[lab.target],
        minutes=lab.minutes,
        points=lab.points,
        table=plan_table(lab),
        diagram=diagram,
        gauges=plan_gauges(lab),
        runs=runs,
        documents=plan_documents(lab, drawing),
        rubric=plan_rubric_view(lab, runs),
    )


def plan_preview(file: str, loaded: Loaded, lab: LabView | None, fault: str = "") -> PreviewPlan:
    """The page of the spec `file` as it was `loaded`; `lab` is the last one that it has meant."""
    source = plan_source(loaded.report, loaded.texts)
    errors = tuple(note for note in source.notes if note.severity == "error")
    return PreviewPlan(
        file=file,
        title=file if lab is None else lab.title,
        lab=lab,
        is_old=loaded.resolved is None and lab is not None,
        tone="error" if errors or fault else "budget" if source.notes else "done",
        found="a fault of labspec" if fault else count(loaded.report) or "no findings",
        errors=errors[:ERRORS_AT_ONCE],
        more_errors=len(errors[ERRORS_AT_ONCE:]),
        source=source,
        fault=as_written(fault),
    )


def print_preview(plan: PreviewPlan) -> PrintedPage:
    """The page as HTML. The same plan gives the same text."""
    parts = print_page("preview/parts.html", plan)
    revision = hashlib.sha256(parts.encode()).hexdigest()[:16]
    title = f"{plan.found} · {plan.title}" if plan.tone == "error" else plan.title
    shell = Shell(title, revision, Markup(parts))  # noqa: S704 - a template has printed it
    return PrintedPage(print_page("preview/page.html", shell), revision)
