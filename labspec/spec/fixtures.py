"""The `fixtures` section: scripted plans, and the exits they must lead to."""

from typing import Annotated, Any, Literal, TypeAlias

from pydantic import Discriminator, Field, Tag

from labspec.spec.base import ErrorCode, Limit, Line, Model, Name, Payload, Prose, ReasonName

Times: TypeAlias = Annotated[int, Field(ge=1, le=1000)]


class CallStep(Model, title="call"):
    """The model calls a tool. A scripted result is a failure (`error`) or a success (`payload`)."""

    call: Line = Field(description="The tool that is called.", examples=["get_weather"])
    error: ErrorCode | None = Field(None, description="The call fails with this error.", examples=["timeout"])
    payload: Payload = Field(
        None, description="The call succeeds with this result.", examples=[{"city": "Lisbon", "celsius": 22}]
    )
    args: Payload = Field(
        None, description="The arguments of a tool that really runs.", examples=[{"file": "fixtures/notes.txt"}]
    )
    result: Literal["ok", "failed"] | None = Field(None, description="What a command will come to.")
    final: bool = Field(False, description="The step says that the goal is reached.")
    unknown: bool = Field(False, description="true when the lab has no such tool, on purpose.")
    times: Times = Field(1, description="How many times in a row.", examples=[5])


class MalformedStep(Model, title="malformed decision"):
    """The model answers with something that is not a usable call."""

    malformed: Literal["no_name", "empty_name", "number_name", "not_a_call"] = Field(
        description="What is wrong with it."
    )
    payload: Payload = Field(
        None, description="The result the step carries all the same.", examples=[{"city": "Lisbon"}]
    )
    final: bool = Field(False, description="The step says that the goal is reached.")
    times: Times = Field(1, description="How many times in a row.", examples=[2])


class StopStep(Model, title="stop"):
    """The model says that it stops."""

    stop: Line = Field(description="The reason the model gives.", examples=["tests_green"])
    times: Times = Field(1, description="How many times in a row.", examples=[2])


def _step_tag(value: Any) -> str | None:
    keys = value if isinstance(value, dict) else {}
    return next((f"<{verb}>" for verb in ("call", "malformed", "stop") if verb in keys), None)


StepSpec: TypeAlias = Annotated[
    Annotated[CallStep, Tag("<call>")]
    | Annotated[MalformedStep, Tag("<malformed>")]
    | Annotated[StopStep, Tag("<stop>")],
    Discriminator(
        _step_tag,
        custom_error_type="step_without_verb",
        custom_error_message="must say `call: TOOL`, `malformed: KIND` or `stop: REASON`",
    ),
]


class ExpectSpec(Model, title="expected exit"):
    """The exit a fixture must lead to. What is left out is filled in by the reference runner."""

    reason: ReasonName = Field(description="The reason the run ends with.", examples=["completed"])
    turns: int | None = Field(None, ge=0, description="The number of decisions received.", examples=[2])
    tools: list[Line] | None = Field(
        None, description="The names of the tools called, in order.", examples=[["get_weather", "get_weather"]]
    )
    last_error: Line | None = Field(None, description="The `last_error` of the record.", examples=["timeout"])
    row: Name | None = Field(None, description="The row of the decision table that ends the run.", examples=["ran_out"])


class FixtureWorkspaceSpec(Model, title="workspace of a fixture"):
    """How the workspace of a fixture differs from the lab's."""

    files: dict[str, str | None] = Field(
        {},
        max_length=100,
        description="Files to add or replace; null takes one away.",
        examples=[{"fixtures/notes.txt": None}],
    )
    links: dict[str, Line] = Field(
        {},
        max_length=20,
        description="Symbolic links, by path, with what they lead to.",
        examples=[{"fixtures/way_out": "../secret"}],
    )


class FixtureSpec(Model, title="fixture"):
    """A scripted plan, with the exit it must lead to."""

    id: Name = Field(description="The fixture's name, also that of its file.", examples=["weather_timeout_v1"])
    title: Line = Field(
        description="What happens, in one line.", examples=["The first call times out, the retry succeeds"]
    )
    says: Prose | None = Field(
        None,
        description="What the fixture is there to show.",
        examples=["A failure is not the end while there are retries."],
    )
    steps: list[StepSpec] = Field(
        max_length=200,
        description="The plan: one step per decision of the model.",
        examples=[[{"call": "get_weather", "error": "timeout"}, {"stop": "done"}]],
    )
    budgets: dict[Name, Limit] = Field(
        {}, description="Limits that replace the lab's for this fixture.", examples=[{"turns": 2}]
    )
    goal: Line | None = Field(
        None,
        description="What the model is asked to do; by default the fixture's title.",
        examples=["make the tests green"],
    )
    workspace: FixtureWorkspaceSpec | None = Field(
        None,
        description="How the workspace differs from the lab's.",
        examples=[{"files": {"fixtures/notes.txt": "done"}}],
    )
    visibility: Literal["visible", "hidden"] = Field("visible", description="Who gets the fixture and its tests.")
    expect: ExpectSpec | None = Field(
        None, description="The exit it must lead to.", examples=[{"reason": "completed", "turns": 2}]
    )
    gates: list[Name] | None = Field(
        None,
        min_length=1,
        description="Gates that make every kind of their checks on this fixture too.",
        examples=[["retries"]],
    )
