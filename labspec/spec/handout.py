"""The sections that only people read: agenda, exercises, what to hand in, what is the student's to write."""

from typing import Annotated, Any, Literal, TypeAlias

from pydantic import Discriminator, Field, Tag

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


class FileItem(Model):
    """A file that is handed in."""

    file: Line = Field(description="The file's path in the repository.")
    says: Line | None = Field(None, description="What it must show.")


class CommandItem(Model):
    """The output of a command that is handed in."""

    command: Line = Field(description="The command to run.")
    says: Line | None = Field(None, description="What its output must show.")


class TextItem(Model):
    """A text that the student writes."""

    text: Line = Field(description="The file it is written in.")
    words: int = Field(ge=1, le=5000, description="How many words it has at most.")
    says: Line | None = Field(None, description="What it is about.")


def _item_tag(value: Any) -> str | None:
    keys = value if isinstance(value, dict) else {}
    return next((f"<{verb}>" for verb in ("file", "command", "text") if verb in keys), None)


SubmissionItemSpec: TypeAlias = Annotated[
    Annotated[FileItem, Tag("<file>")] | Annotated[CommandItem, Tag("<command>")] | Annotated[TextItem, Tag("<text>")],
    Discriminator(
        _item_tag,
        custom_error_type="item_without_verb",
        custom_error_message="must say `file: PATH`, `command: COMMAND` or `text: PATH`",
    ),
]


class StarterSpec(Model):
    """Which parts of the repository the student writes."""

    loop: Literal["todo", "given"] = Field("todo", description="The loop itself, `run_loop`.")
    ledger: Literal["todo", "given"] = Field("given", description="The record and its ledger, `append_exit`.")
    tests: Literal["todo", "given"] = Field("todo", description="The student's own tests.")
    report: Literal["todo", "given"] = Field("given", description="The fuel report of a trace.")
