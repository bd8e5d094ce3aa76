"""The whole spec: one class for the YAML file, one field per section. `validate` makes it from a `Source`."""

from typing import Literal

from pydantic import Field

from labspec.spec.cover import CoverSpec
from labspec.spec.fixtures import FixtureSpec
from labspec.spec.handout import ExerciseSpec, StarterSpec, SubmissionItemSpec
from labspec.spec.loop import LoopSpec
from labspec.spec.rubric import GateSpec, MistakeSpec, ZeroSpec
from labspec.spec.stretch import ManualSpec, StretchSpec


class Spec(CoverSpec, LoopSpec, title="lab spec"):
    """A lab spec, as an instructor writes it."""

    target: Literal["python", "node"] = Field(description="The language of the student repository.")
    records: list[Literal["ledger", "trace"]] = Field(
        ["ledger"],
        min_length=1,
        max_length=2,
        description="What a run leaves: a line in the ledger, and a trace.",
        examples=[["ledger", "trace"]],
    )
    points: int = Field(100, ge=1, le=100_000, description="The points of all gates together.", examples=[100])
    mistakes: list[MistakeSpec] = Field(
        [],
        description="Plausible wrong runners, each with the gates it costs.",
        examples=[
            [
                {
                    "id": "no_cap",
                    "says": "Turns are not counted",
                    "change": {"table": [{"remove": ["turn_cap"]}]},
                    "costs": ["turn_cap"],
                }
            ]
        ],
    )
    fixtures: list[FixtureSpec] = Field(
        min_length=1,
        max_length=200,
        description="The scripted plans.",
        examples=[
            [{"id": "weather_timeout_v1", "title": "One call", "steps": [{"call": "get_weather", "error": "timeout"}]}]
        ],
    )
    rubric: list[GateSpec] = Field(
        min_length=1,
        description="What earns points.",
        examples=[[{"gate": "retries", "points": 100, "says": "A timeout is retried", "checks": [{"check": "exit"}]}]],
    )
    zero_if: list[ZeroSpec] = Field(
        [], description="What makes the whole lab an automatic zero.", examples=[[{"changed": "tests"}]]
    )
    manual: list[ManualSpec] = Field(
        [],
        description="What a person grades, beside the rubric.",
        examples=[[{"id": "reflection", "points": 10, "says": "The notes name one exit that surprised you"}]],
    )
    stretch: StretchSpec | None = Field(None, description="Goals beyond the rubric.")
    exercises: list[ExerciseSpec] = Field(
        [],
        description="The tasks of the handout.",
        examples=[
            [{"id": "five_failures", "title": "Five failures", "says": "Say how the run ends before you start it."}]
        ],
    )
    submission: list[SubmissionItemSpec] = Field(
        [], description="What is handed in.", examples=[[{"file": "run_loop.py"}]]
    )
    starter: StarterSpec = Field(
        default_factory=StarterSpec, description="Which parts the student writes.", examples=[{"report": "todo"}]
    )
