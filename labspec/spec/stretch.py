"""The sections around the rubric: stretch goals, and what a person grades."""

from typing import Any

from pydantic import Field

from labspec.spec.base import Line, Model, Name, Prose
from labspec.spec.fixtures import FixtureSpec
from labspec.spec.rubric import CheckSpec


class ManualSpec(Model):
    """Something that a person grades: it is named in the rubric, and no test earns it."""

    id: Name = Field(description="The item's name.")
    points: int = Field(ge=1, le=1000, description="The points it is worth.")
    says: Line = Field(description="What is looked at.")


class GoalSpec(Model):
    """A stretch goal: a change to the loop, with fixtures that show it and checks that reward it."""

    id: Name = Field(description="The goal's name, also that of its test file.")
    title: Line = Field(description="What it is called.")
    says: Prose = Field(description="What to do.")
    points: int = Field(ge=1, le=1000, description="The points it is worth.")
    change: dict[str, Any] = Field({}, description="The change to meters, taxonomy or table.")
    fixtures: list[FixtureSpec] = Field([], max_length=50, description="Fixtures that belong to the goal.")
    checks: list[CheckSpec] = Field(
        min_length=1, description="What earns the points; by default made on the goal's own fixtures."
    )


class StretchSpec(Model):
    """Goals beyond the rubric."""

    points: int = Field(ge=1, le=1000, description="The most points that all goals together give.")
    pick: int = Field(1, ge=1, le=50, description="How many goals count.")
    needs: list[Name] = Field([], description="The gates without which no goal counts.")
    goals: list[GoalSpec] = Field(min_length=1, max_length=20, description="The goals to choose from.")
