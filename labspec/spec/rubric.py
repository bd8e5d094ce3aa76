"""The `rubric` and `mistakes` sections: what earns points, and the slips that must cost them."""

from typing import Annotated, Any, Literal, TypeAlias

from pydantic import Field

from labspec.spec.base import Line, Model, Name, Prose, Yes

CheckKind: TypeAlias = Literal[
    "exit",
    "one_line",
    "append",
    "fields",
    "sorted_keys",
    "error_text",
    "repeat",
    "exit_code",
    "trace",
    "closing",
    "use",
    "report",
    "workspace",
    "inside",
]


class CheckSpec(Model, title="check of a goal"):
    """One contract check, made on each of its fixtures."""

    check: CheckKind = Field("exit", description="What is checked of each run.")
    fixtures: list[Name] | None = Field(
        None, min_length=1, description="The fixtures it is made on; by default all.", examples=[["weather_timeout_v1"]]
    )


class TestsCatchSpec(Model, title="check of the student's own tests"):
    """A check of the student's own tests: they accept a right loop, and reject wrong ones."""

    mistakes: list[Name] | None = Field(
        None,
        min_length=1,
        description="The mistakes whose loops must be rejected; by default all of the loop.",
        examples=[["timeout_is_terminal", "no_turn_cap"]],
    )
    at_least: int | None = Field(None, ge=1, description="How many of them; by default all.", examples=[2])


class GateCheckSpec(CheckSpec, title="check of a gate"):
    """A check of a gate: one of the contract's, or `tests_catch`."""

    tests_catch: TestsCatchSpec | None = Field(
        None,
        description="What the student's own tests must tell apart.",
        examples=[{"mistakes": ["timeout_is_terminal"]}],
    )


class ZeroSpec(Model, title="automatic zero", json_schema_extra={"minProperties": 1}):
    """A condition under which a gate, or the whole lab, gives no points. Exactly one key is set."""

    hangs: Yes | None = Field(None, description="A run did not end in time.")
    changed: Literal["tests"] | None = Field(None, description="The given tests are not as they were handed out.")
    missing: Literal["trace"] | None = Field(None, description="A run left no trace.")
    wrote_outside: Yes | None = Field(None, description="A run changed something outside the roots.")
    without: list[Name] | None = Field(
        None, min_length=1, description="One of these gates is not earned.", examples=[["record"]]
    )


class GateSpec(Model, title="gate"):
    """A row of the rubric: its points are earned when all its checks pass."""

    gate: Name = Field(description="The gate's name, also that of its test file.", examples=["retries"])
    points: int = Field(ge=1, le=1000, description="The points it is worth.", examples=[25])
    says: Line = Field(
        description="The promise the student's work must keep.", examples=["A timeout followed by a success completes"]
    )
    checks: list[GateCheckSpec] = Field(
        min_length=1,
        description="What earns the points.",
        examples=[[{"check": "exit", "fixtures": ["weather_timeout_v1"]}]],
    )
    zero_if: list[ZeroSpec] = Field(
        [], description="What makes the gate an automatic zero.", examples=[[{"hangs": True}]]
    )
    shared: Line | None = Field(
        None,
        description="Why no listed mistake costs this gate alone.",
        examples=["Whoever gets retries wrong gets the record wrong too"],
    )


class MistakeSpec(Model, title="mistake"):
    """A plausible wrong runner, as a change to the loop."""

    id: Name = Field(description="The mistake's name.", examples=["timeout_is_terminal"])
    says: Line = Field(description="What the student did.", examples=["The first failure ends the run"])
    change: dict[str, Any] = Field(
        min_length=1,
        description="The change to budgets, meters, table, errors or recorder.",
        examples=[{"budgets": {"retries": 0}}],
    )
    hint: Prose | None = Field(
        None,
        description="What helps, without giving the answer.",
        examples=["A failure is only the end when the retries are used up."],
    )
    row: Name | None = Field(
        None, description="The row of the decision table it is listed beside.", examples=["retry_exhausted"]
    )
    costs: Annotated[list[Name], Field(min_length=1)] = Field(
        description="The gates it costs, all of them.", examples=[["retries"]]
    )
