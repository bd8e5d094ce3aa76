"""The sections that only people read: agenda, exercises, what to hand in, what is the student's to write."""

from typing import Literal

from pydantic import Field

from labspec.spec.base import Line, Model, Name, Prose


class AgendaItemSpec(Model):
    """A stretch of the lab's time."""

    minutes: int = Field(ge=1, le=1000, description="How long it takes.")
    title: Line = Field(description="What it is called.")
    says: Prose | None = Field(None, description="What happens in it.")


class ExerciseSpec(Model):
    """A task of the handout."""

    id: Name = Field(description="The exercise's name.")
    title: Line = Field(description="What it is called.")
    says: Prose = Field(description="What to do.")
    fixtures: list[Name] = Field([], description="The fixtures it is about.")
    gates: list[Name] = Field([], description="The gates that reward it.")


class SubmissionItemSpec(Model):
    """Something that is handed in. Exactly one of `file`, `command` and `text` is set."""

    file: Line | None = Field(None, description="A file, by its path in the repository.")
    command: Line | None = Field(None, description="A command, whose output is handed in.")
    text: Line | None = Field(None, description="A text that the student writes, by the file it is written in.")
    words: int | None = Field(None, ge=1, le=5000, description="How many words a text has at most.")
    says: Line | None = Field(None, description="What it must show, or what it is about.")


class StarterSpec(Model):
    """Which parts of the repository the student writes."""

    loop: Literal["todo", "given"] = Field("todo", description="The loop itself, `run_loop`.")
    ledger: Literal["todo", "given"] = Field("given", description="The record and its ledger, `append_exit`.")
    tests: Literal["todo", "given"] = Field("todo", description="The student's own tests.")
    report: Literal["todo", "given"] = Field("given", description="The fuel report of a trace.")
