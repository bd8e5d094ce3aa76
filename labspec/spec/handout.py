"""The sections that only people read: agenda, exercises, what to hand in, what is the student's to write."""

from typing import Any, Final, Literal

from pydantic import Field

from labspec.spec.base import Line, Model, Name, Prose


class AgendaItemSpec(Model, title="agenda item"):
    """A stretch of the lab's time."""

    minutes: int = Field(ge=1, le=1000, description="How long it takes.", examples=[10])
    title: Line = Field(description="What it is called.", examples=["Failure review"])
    says: Prose | None = Field(
        None, description="What happens in it.", examples=["Read three ledgers, and say why each run stopped."]
    )


class ExerciseSpec(Model, title="exercise"):
    """A task of the handout."""

    id: Name = Field(description="The exercise's name.", examples=["five_failures"])
    title: Line = Field(description="What it is called.", examples=["Five failures in a row"])
    says: Prose = Field(description="What to do.", examples=["Say how the run ends before you start it."])
    fixtures: list[Name] = Field([], description="The fixtures it is about.", examples=[["weather_timeout_v1"]])
    gates: list[Name] = Field([], description="The gates that reward it.", examples=[["retries"]])


# For editors. `labspec check` says it with a rule of its own, in better words.
_KINDS: Final[dict[str, Any]] = {"anyOf": [{"required": [kind]} for kind in ("file", "command", "text")]}


class SubmissionItemSpec(Model, title="submission item", json_schema_extra=_KINDS):
    """Something that is handed in. Exactly one of `file`, `command` and `text` is set."""

    file: Line | None = Field(None, description="A file, by its path in the repository.", examples=["run_loop.py"])
    command: Line | None = Field(
        None, description="A command, whose output is handed in.", examples=["python -m pytest"]
    )
    text: Line | None = Field(
        None, description="A text that the student writes, by the file it is written in.", examples=["notes.md"]
    )
    words: int | None = Field(None, ge=1, le=5000, description="How many words a text has at most.", examples=[120])
    says: Line | None = Field(
        None,
        description="What it must show, or what it is about.",
        examples=["Which exit was the hardest to get right, and why"],
    )


class StarterSpec(Model, title="starter"):
    """Which parts of the repository the student writes."""

    loop: Literal["todo", "given"] = Field("todo", description="The loop itself, `run_loop`.")
    ledger: Literal["todo", "given"] = Field("given", description="The record and its ledger, `append_exit`.")
    tests: Literal["todo", "given"] = Field("todo", description="The student's own tests.")
    report: Literal["todo", "given"] = Field("given", description="The fuel report of a trace.")
