"""The sections of a spec that say what a lab is called and what it is about: variants of one lab differ in them."""

from typing import Annotated

from pydantic import Field

from labspec.spec.base import LabId, LanguageVersion, Line, Model, Prose
from labspec.spec.handout import AgendaItemSpec


class CoverSpec(Model, title="cover"):
    """Name, version and words for people. Nothing else in a spec refers to these sections, and no run depends on them.

    So a spec that says the same as another but for its cover has the same findings in all other sections.
    """

    labspec: LanguageVersion = Field(description="The version of this language.")
    id: LabId = Field(description="The lab's id, which names its folder.", examples=["loop-exit-ledger"])
    version: Annotated[str, Field(title="version", pattern=r"^[0-9]{1,9}\.[0-9]{1,9}\.[0-9]{1,9}$")] = Field(
        description="The version of this lab, as MAJOR.MINOR.PATCH.", examples=["1.0.0"]
    )
    title: Line = Field(description="The lab's title.", examples=["Record every loop exit as a structured event"])
    summary: Prose = Field(
        description="What the lab is about, for the top of the handout.",
        examples=["A loop leaves one line of data that says why it stopped."],
    )
    goal: Prose = Field(
        description="What the student's work must do in the end.",
        examples=["Every run leaves exactly one line in the ledger."],
    )
    minutes: int = Field(ge=1, le=10_000, description="How long the lab takes.", examples=[80])
    objectives: list[Line] = Field(
        [], description="What a student can do afterwards.", examples=[["Tell a budget that is used up from an error"]]
    )
    agenda: list[AgendaItemSpec] = Field(
        min_length=1,
        description="The lab's time, stretch by stretch.",
        examples=[[{"minutes": 80, "title": "Write the loop"}]],
    )
    limitations: list[Prose] = Field(
        [],
        description="What the lab does not teach or promise.",
        examples=[["The model is scripted: nothing here says how often a real one fails."]],
    )
    skip_if: list[Prose] = Field(
        [],
        description="Who should not take the lab.",
        examples=[["You have written an agent loop with budgets before."]],
    )


COVER_SECTIONS = frozenset(CoverSpec.model_fields)
