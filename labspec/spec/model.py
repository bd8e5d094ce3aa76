"""The whole spec: one class for the YAML file, one field per section. `validate` makes it from a `Source`."""

from typing import Annotated, Literal

from pydantic import Field

from labspec.spec.base import LabId, Line, Prose
from labspec.spec.fixtures import FixtureSpec
from labspec.spec.handout import AgendaItemSpec, ExerciseSpec, StarterSpec, SubmissionItemSpec
from labspec.spec.loop import LoopSpec
from labspec.spec.rubric import GateSpec, MistakeSpec, ZeroSpec
from labspec.spec.stretch import ManualSpec, StretchSpec


class Spec(LoopSpec):
    """A lab spec, as an instructor writes it."""

    labspec: Literal[1] = Field(description="The version of this language.")
    id: LabId = Field(description="The lab's id, which names its folder.")
    version: Annotated[str, Field(pattern=r"^[0-9]{1,9}\.[0-9]{1,9}\.[0-9]{1,9}$")] = Field(
        description="The version of this lab, as MAJOR.MINOR.PATCH."
    )
    title: Line = Field(description="The lab's title.")
    summary: Prose = Field(description="What the lab is about, for the top of the handout.")
    goal: Prose = Field(description="What the student's work must do in the end.")
    target: Literal["python", "node"] = Field(description="The language of the student repository.")
    minutes: int = Field(ge=1, le=10_000, description="How long the lab takes.")
    records: list[Literal["ledger", "trace"]] = Field(
        ["ledger"], min_length=1, max_length=2, description="What a run leaves: a line in the ledger, and a trace."
    )
    points: int = Field(100, ge=1, le=100_000, description="The points of all gates together.")
    objectives: list[Line] = Field([], description="What a student can do afterwards.")
    agenda: list[AgendaItemSpec] = Field(min_length=1, description="The lab's time, stretch by stretch.")
    mistakes: list[MistakeSpec] = Field([], description="Plausible wrong runners, each with the gates it costs.")
    fixtures: list[FixtureSpec] = Field(min_length=1, max_length=200, description="The scripted plans.")
    rubric: list[GateSpec] = Field(min_length=1, description="What earns points.")
    zero_if: list[ZeroSpec] = Field([], description="What makes the whole lab an automatic zero.")
    manual: list[ManualSpec] = Field([], description="What a person grades, beside the rubric.")
    stretch: StretchSpec | None = Field(None, description="Goals beyond the rubric.")
    exercises: list[ExerciseSpec] = Field([], description="The tasks of the handout.")
    submission: list[SubmissionItemSpec] = Field([], description="What is handed in.")
    starter: StarterSpec = Field(default_factory=StarterSpec, description="Which parts the student writes.")
    limitations: list[Prose] = Field([], description="What the lab does not teach or promise.")
    skip_if: list[Prose] = Field([], description="Who should not take the lab.")
