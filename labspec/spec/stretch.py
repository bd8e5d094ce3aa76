"""The sections around the rubric: stretch goals, and what a person grades."""

from typing import Any

from pydantic import Field

from labspec.spec.base import Line, Model, Name, Prose
from labspec.spec.fixtures import FixtureSpec
from labspec.spec.rubric import CheckSpec


class ManualSpec(Model, title="manual item"):
    """Something that a person grades: it is named in the rubric, and no test earns it."""

    id: Name = Field(description="The item's name.", examples=["reflection"])
    points: int = Field(ge=1, le=1000, description="The points it is worth.", examples=[10])
    says: Line = Field(description="What is looked at.", examples=["The notes name one exit that surprised you"])


class GoalSpec(Model, title="stretch goal"):
    """A stretch goal: a change to the loop, with fixtures that show it and checks that reward it."""

    id: Name = Field(description="The goal's name, also that of its test file.", examples=["kill_switch"])
    title: Line = Field(description="What it is called.", examples=["A kill switch"])
    says: Prose = Field(description="What to do.", examples=["End the run as soon as a file called STOP appears."])
    points: int = Field(ge=1, le=1000, description="The points it is worth.", examples=[5])
    change: dict[str, Any] = Field(
        {},
        description="The change to meters, taxonomy or table.",
        examples=[{"taxonomy": {"killed": {"kind": "error", "says": "Somebody stopped the run"}}}],
    )
    fixtures: list[FixtureSpec] = Field(
        [],
        max_length=50,
        description="Fixtures that belong to the goal.",
        examples=[[{"id": "killed_v1", "title": "Somebody stops the run", "steps": [{"stop": "killed"}]}]],
    )
    checks: list[CheckSpec] = Field(
        min_length=1,
        description="What earns the points; by default made on the goal's own fixtures.",
        examples=[[{"check": "exit"}]],
    )


class StretchSpec(Model, title="stretch goals"):
    """Goals beyond the rubric."""

    points: int = Field(ge=1, le=1000, description="The most points that all goals together give.", examples=[10])
    pick: int = Field(1, ge=1, le=50, description="How many goals count.", examples=[2])
    needs: list[Name] = Field([], description="The gates without which no goal counts.", examples=[["retries"]])
    goals: list[GoalSpec] = Field(
        min_length=1,
        max_length=20,
        description="The goals to choose from.",
        examples=[
            [{"id": "kill_switch", "title": "A kill switch", "says": "...", "points": 5, "checks": [{"check": "exit"}]}]
        ],
    )
