"""The form of `.labspec/lab.json`, strict: it may come from a student's folder."""

from typing import Literal

from pydantic import JsonValue

from labspec.lab.model import Check, Gate, ManualItem, Starter, SubmissionItem, Zero
from labspec.machine.runner import Ending
from labspec.spec.base import LabId, Model, Name
from labspec.spec.loop import LoopSpec


class HandedOutInput(Model):
    """What a runner is given. A step is data: what is strange in it is for the loop to find out."""

    goal: str | None = None
    planned_calls: list[JsonValue]
    budgets: dict[str, int] | None = None
    workspace: JsonValue = None


class HandedOutFixture(Model):
    """A fixture: its input as runners read it, and the ending that the tests expect."""

    id: Name
    title: str
    input: HandedOutInput
    ending: Ending


class HandedOutGoal(Model):
    """A stretch goal, without its change to the loop."""

    id: Name
    title: str
    says: str
    points: int
    fixtures: tuple[HandedOutFixture, ...]
    checks: tuple[Check, ...]


class HandedOutStretch(Model):
    """The stretch goals."""

    points: int
    pick: int
    needs: tuple[str, ...]
    goals: tuple[HandedOutGoal, ...]


class HandedOut(Model):
    """The file. Its loop is in the words of the spec."""

    form: Literal[1]
    id: LabId
    version: str
    target: Literal["python", "node"]
    minutes: int
    traced: bool
    loop: LoopSpec
    fixtures: tuple[HandedOutFixture, ...]
    rubric: tuple[Gate, ...]
    zero_if: tuple[Zero, ...]
    manual: tuple[ManualItem, ...]
    submission: tuple[SubmissionItem, ...]
    starter: Starter
    stretch: HandedOutStretch | None = None
