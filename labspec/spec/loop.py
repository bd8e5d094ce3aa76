"""The sections of a spec that say what the loop does: these make the machine, and a mistake may change them."""

from typing import Annotated, Any, Literal, TypeAlias

from pydantic import Discriminator, Field, Tag

from labspec.spec.base import Amount, ConditionText, FieldValue, Limit, Line, Model, Name, ReasonName

MomentName: TypeAlias = Literal["turn", "decision", "call", "result"]


class MeterSpec(Model, title="meter"):
    """A meter: `add` is charged at `at` when `when` holds; `resets_when` sets it back to zero first."""

    at: MomentName = Field(description="The moment at which the meter is charged.")
    add: Amount = Field(
        1,
        description="What is charged: a whole number, or a numeric fact such as `call.bytes`.",
        examples=["call.bytes"],
    )
    when: ConditionText | None = Field(
        None, description="Charge only when this holds.", examples=['call.name == "run_tests" and not result.ok']
    )
    resets_when: ConditionText | None = Field(
        None, description="Set the meter to zero, before charging, when this holds.", examples=["result.ok"]
    )
    refund_when: ConditionText | None = Field(
        None,
        description="At `result`: give back what was charged at `call` when this holds.",
        examples=["not result.ok"],
    )
    says: Line | None = Field(
        None, description="What the meter counts, in the handout's words.", examples=["Red test runs"]
    )


class ToolSpec(Model, title="tool"):
    """A tool that the plan can call."""

    kind: Literal["scripted", "builtin", "command"] = Field(
        "scripted",
        description="Where the result of a call comes from.",
    )
    argv: list[Line] | None = Field(
        None,
        min_length=2,
        max_length=20,
        description="`python` or `node`, then a script.",
        examples=[["python", "check.py"]],
    )
    seconds: int | None = Field(
        None, ge=1, le=60, description="How long the command may take; 10 by default.", examples=[20]
    )
    error: ReasonName | None = Field(
        None, description="The code of a failing command; `command_failed` by default.", examples=["test_failed"]
    )
    says: Line | None = Field(
        None, description="What the tool is for, in one line.", examples=["Looks the weather up."]
    )


class WorkspaceSpec(Model, title="workspace"):
    """The files that the tools work on. Every run starts with a fresh copy of them."""

    roots: list[Line] = Field(
        min_length=1, max_length=20, description="The folders that a path may lie in.", examples=[["fixtures"]]
    )
    files: dict[str, str] = Field(
        min_length=1,
        max_length=100,
        description="The text of each file, by path.",
        examples=[{"fixtures/notes.txt": "to do"}],
    )


class ReasonSpec(Model, title="reason of the taxonomy"):
    """A reason why the loop can stop."""

    kind: Literal["done", "budget", "error"] = Field(description="What kind of end this is, which gives the exit code.")
    says: Line = Field(
        description="What has happened when the loop stops for this reason.", examples=["The turns are used up"]
    )
    exit_code: int | None = Field(None, ge=0, le=63, description="Replaces the exit code of the kind.", examples=[3])
    was: ReasonName | None = Field(
        None, description="The name this reason had in an earlier version.", examples=["max_turns"]
    )


class ExitRow(Model, title="exit row"):
    """A row that ends the loop."""

    exit: ReasonName = Field(description="The reason the loop ends with.", examples=["turn_cap"])
    id: Name | None = Field(
        None, description="The row's own name; by default that of its reason.", examples=["ran_out"]
    )
    at: MomentName = Field(description="The moment at which the row is asked.")
    when: ConditionText | None = Field(
        None, description="The condition; without one the row always holds.", examples=["turns > budgets.turns"]
    )
    last_error: Line = Field(
        "error",
        description="`none`, `error` (the code of the last failure), or a fixed text.",
        examples=["missing tool name"],
    )
    says: Line | None = Field(
        None,
        description="The condition in the handout's words.",
        examples=["the model asks for more turns than there are"],
    )


class RefuseRow(Model, title="refuse row"):
    """A row that refuses one call: the call becomes a failed result with this code, and the loop goes on."""

    refuse: ReasonName = Field(description="The code of the failed result.", examples=["path_escape"])
    id: Name | None = Field(None, description="The row's own name; by default that of its code.", examples=["outside"])
    when: ConditionText | None = Field(
        None, description="The condition; without one every call is refused.", examples=["not call.inside"]
    )
    counted: bool = Field(True, description="false takes the `tool_calls` charge of a refused call back.")
    says: Line | None = Field(
        None, description="The condition in the handout's words.", examples=["the path lies outside the workspace"]
    )


def _row_tag(value: Any) -> str | None:
    keys = value if isinstance(value, dict) else {}
    return next((f"<{verb}>" for verb in ("exit", "refuse") if verb in keys), None)


RowSpec: TypeAlias = Annotated[
    Annotated[ExitRow, Tag("<exit>")] | Annotated[RefuseRow, Tag("<refuse>")],
    Discriminator(
        _row_tag,
        custom_error_type="row_without_verb",
        custom_error_message="must say `exit: REASON` or `refuse: CODE`",
    ),
]


class ErrorTextSpec(Model, title="error texts"):
    """Which texts may stand in a record as the code of a failure."""

    max_chars: int | None = Field(
        80, ge=1, le=1000, description="The longest code, in characters; null for no limit.", examples=[120]
    )
    otherwise: ReasonName = Field(
        "tool_error", description="The code recorded for any other text.", examples=["tool_error"]
    )


class RecorderSpec(Model, title="recorder of a mistake"):
    """How runs are recorded. Only the `change` of a mistake sets this: every key is a slip."""

    lines: int = Field(1, ge=0, le=3, description="How many ledger lines a run leaves.", examples=[2])
    mode: Literal["append", "overwrite"] = Field("append", description="How the ledger is opened.")
    only_on: Literal["always", "done"] = Field("always", description="Which runs are recorded.")
    sort_keys: bool = Field(True, description="Whether the keys of a line are in order.")
    extra: dict[str, FieldValue] = Field(
        {}, description="Fields that do not belong in a record.", examples=[{"success": True}]
    )
    run_id: Line | None = Field(None, description="A run id that replaces the given one.", examples=["run"])
    fixture_id: Line | None = Field(None, description="A fixture id that replaces the given one.", examples=["fixture"])
    turns_offset: int = Field(
        0, ge=-3, le=3, description="How far off `turns` and `stopped_on_turn` are.", examples=[-1]
    )
    stopped_on_turn: int | None = Field(None, description="A number that replaces the right one.", examples=[1])
    drop_names_on: list[ReasonName] = Field(
        [], description="Reasons whose records lose their tool names.", examples=[["turn_cap"]]
    )
    exit_code: int | None = Field(
        None, ge=0, le=63, description="An exit code that replaces the right one.", examples=[0]
    )
    trace: Literal["always", "done", "never"] = Field("always", description="Which runs leave a trace.")
    closing_event: bool = Field(True, description="Whether a trace is closed.")


class LoopSpec(Model, title="loop"):
    """Budgets, meters, tools, taxonomy and decision table: the whole loop."""

    budgets: dict[Name, Limit] = Field(
        description="The limits the loop runs under.", examples=[{"turns": 4, "retries": 1}]
    )
    meters: dict[Name, MeterSpec] = Field(
        {},
        description="Meters besides `turns`, `tool_calls`, `failures`, `write_bytes`.",
        examples=[{"red_tests": {"at": "result", "when": "not result.ok"}}],
    )
    tools: dict[Name, ToolSpec] = Field(
        min_length=1, description="The tools a plan can call.", examples=[{"get_weather": {"kind": "scripted"}}]
    )
    workspace: WorkspaceSpec | None = Field(
        None,
        description="The files that builtin tools and commands work on.",
        examples=[{"roots": ["fixtures"], "files": {"fixtures/notes.txt": "to do"}}],
    )
    plan_ends: Literal["end", "stop"] = Field(
        "end",
        description="What happens at a turn for which the plan has no step.",
    )
    errors: ErrorTextSpec = Field(
        default_factory=ErrorTextSpec,
        description="Which error texts may stand in a record.",
        examples=[{"max_chars": 120}],
    )
    taxonomy: dict[ReasonName, ReasonSpec] = Field(
        min_length=1,
        description="The closed set of reasons.",
        examples=[{"turn_cap": {"kind": "budget", "says": "The turns are used up"}}],
    )
    table: list[RowSpec] = Field(
        min_length=1,
        max_length=64,
        description="The decision table: order is precedence.",
        examples=[[{"exit": "turn_cap", "at": "turn", "when": "turns > budgets.turns"}]],
    )


class ChangedLoopSpec(LoopSpec, title="change to the loop"):
    """A loop with a mistake in it."""

    recorder: RecorderSpec = Field(
        default_factory=RecorderSpec, description="How the mistaken runner records.", examples=[{"lines": 2}]
    )


LOOP_SECTIONS = frozenset(LoopSpec.model_fields)
