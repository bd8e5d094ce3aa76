"""Resolve the loop: budgets, meters, tools, taxonomy and decision table, with every condition parsed and checked.

The same step serves the lab itself and each mistake, whose loop is the lab's with a change merged in.
"""

from __future__ import annotations

from functools import lru_cache
from typing import Final

from labspec.conditions import ConditionError, Names, check_types, comparisons_of, names_in, parse
from labspec.conditions.facts import BUDGET_PREFIX, Moment
from labspec.conditions.syntax import Constant, Expr
from labspec.diagnostics import Related
from labspec.diagnostics.suggest import did_you_mean
from labspec.lab.model import Budget, ErrorText, LastError, Loop, Meter, Reason, Row
from labspec.lab.places import Places, Step
from labspec.lab.tools import resolve_tools, resolve_workspace
from labspec.spec.loop import ExitRow, LoopSpec, MeterSpec, RefuseRow

EXIT_CODES: Final = {"done": 0, "budget": 2, "error": 1}
"""The exit code of each kind of reason."""

BUILTIN_METERS: Final[dict[str, MeterSpec]] = {
    "turns": MeterSpec.model_construct(at="turn", when="not plan.ended"),
    "tool_calls": MeterSpec.model_construct(at="call"),
    "write_bytes": MeterSpec.model_construct(at="call", add="call.bytes", refund_when="not result.ok"),
    "failures": MeterSpec.model_construct(at="result", when="not result.ok"),
}
"""The meters every loop keeps, in the words an author would declare them with."""


def resolve_loop(spec: LoopSpec, places: Places, *, changed: bool = False) -> Loop:
    """The loop that `spec` means. Findings go to the report of `places`; with any, the result must not be used.

    `changed` says that the spec has a mistake merged in: it may redefine built-in meters, and leave things unused.
    """
    before = len(places.report.diagnostics)
    meter_specs = {**BUILTIN_METERS, **spec.meters}
    names = Names(meters=frozenset(meter_specs), budgets=frozenset(spec.budgets))
    meters = tuple(_meter(name, meter, names, places) for name, meter in meter_specs.items())
    table = tuple(_row(index, row, names, places) for index, row in enumerate(spec.table))
    loop = Loop(
        budgets=_budgets(spec, meters, table),
        meters=meters,
        tools=resolve_tools(spec, places),
        workspace=resolve_workspace(spec, places),
        plan_ends=spec.plan_ends,
        errors=ErrorText(spec.errors.max_chars, spec.errors.otherwise),
        taxonomy=tuple(
            Reason(name, one.kind, EXIT_CODES[one.kind] if one.exit_code is None else one.exit_code, one.says, one.was)
            for name, one in spec.taxonomy.items()
        ),
        table=table,
    )
    _check_rows(loop, spec, places)
    if not changed:
        _check_meters_are_new(spec, places)
        _check_budgets_limit(loop, places)
        if len(places.report.diagnostics) == before:  # what a faulty condition reads is not known
            _check_all_is_used(loop, places)
    return loop


def condition(
    text: str | bool | int, at: Moment, names: Names, places: Places, *path: Step, number: bool = False
) -> Expr:
    """The condition (or, with `number`, the sum) at `path`, checked for the moment `at`; reports what is wrong."""
    if not isinstance(text, str):
        return Constant(text)
    expr, findings = _read_condition(text, at, names, number)
    for finding in findings:
        span = places.part(finding.start, finding.end, *path)
        places.report.error(finding.code, finding.message, span, help=finding.help)
    return expr


@lru_cache(maxsize=512)  # a lab and its mistakes ask for the same conditions again and again
def _read_condition(text: str, at: Moment, names: Names, number: bool) -> tuple[Expr, tuple[ConditionError, ...]]:
    try:
        expr = parse(text)
    except ConditionError as error:
        return Constant(0 if number else True), (error,)
    return expr, tuple(check_types(expr, at, names, expects="number" if number else "boolean"))


def _optional(text: str | bool | None, at: Moment, names: Names, places: Places, *path: Step) -> Expr | None:
    return None if text is None or text is True else condition(text, at, names, places, *path)


def _meter(name: str, spec: MeterSpec, names: Names, places: Places) -> Meter:
    path = ("meters", name)
    return Meter(
        name=name,
        at=spec.at,
        add=condition(spec.add, spec.at, names, places, *path, "add", number=True),
        when=_optional(spec.when, spec.at, names, places, *path, "when"),
        resets_when=_optional(spec.resets_when, spec.at, names, places, *path, "resets_when"),
        refund_when=_optional(spec.refund_when, "result", names, places, *path, "refund_when"),
        builtin=name in BUILTIN_METERS,
        says=spec.says,
    )


def _row(index: int, spec: ExitRow | RefuseRow, names: Names, places: Places) -> Row:
    path = ("table", index, "when")
    if isinstance(spec, ExitRow):
        return Row(
            id=spec.id or _id_of(spec.exit),
            verb="exit",
            outcome=spec.exit,
            at=spec.at,
            when=_optional(spec.when, spec.at, names, places, *path),
            last_error=_last_error(spec.last_error),
            counted=True,
            says=spec.says,
            number=index + 1,
        )
    return Row(
        id=spec.id or _id_of(spec.refuse),
        verb="refuse",
        outcome=spec.refuse,
        at="call",
        when=_optional(spec.when, "call", names, places, *path),
        last_error=LastError("error"),
        counted=spec.counted,
        says=spec.says,
        number=index + 1,
    )


def _id_of(name: str) -> str:
    return name.replace(":", "_")


def _last_error(text: str) -> LastError:
    if text == "none":
        return LastError("none")
    return LastError("error") if text == "error" else LastError("text", text)


def _budgets(spec: LoopSpec, meters: tuple[Meter, ...], table: tuple[Row, ...]) -> tuple[Budget, ...]:
    pairs = {pair for row in table if row.when is not None for pair in comparisons_of(row.when)}
    order = [meter.name for meter in meters]
    return tuple(
        Budget(name, limit, tuple(meter for meter in order if (meter, name) in pairs))
        for name, limit in spec.budgets.items()
    )


def _check_rows(loop: Loop, spec: LoopSpec, places: Places) -> None:
    reasons = [reason.name for reason in loop.taxonomy]
    first: dict[str, int] = {}
    for index, row in enumerate(loop.table):
        if row.verb == "exit" and row.outcome not in reasons:
            near = did_you_mean(row.outcome, reasons)
            help: str | None = f"did you mean `{near}`?" if near else "declare it in the taxonomy, with its kind"
            places.error(
                "unknown-reason", f"the taxonomy has no reason `{row.outcome}`", "table", index, "exit", help=help
            )
        if row.id in first:
            at, first_at = (places.at(*_name_path(spec, number)) for number in (index, first[row.id]))
            related = (Related("the first one stands here", first_at),)
            help = "give each an `id` of its own"
            places.report.error("duplicate-id", f"two rows are called `{row.id}`", at, help=help, related=related)
        first.setdefault(row.id, index)
        _check_last_error(row, loop.errors, index, places)


def _name_path(spec: LoopSpec, index: int) -> tuple[Step, ...]:
    row = spec.table[index]
    verb = "exit" if isinstance(row, ExitRow) else "refuse"
    return ("table", index, "id" if row.id else verb)


def _check_last_error(row: Row, errors: ErrorText, index: int, places: Places) -> None:
    text = row.last_error.text
    if text is not None and errors.max_chars is not None and len(text) > errors.max_chars:
        message = f"the `last_error` of row `{row.id}` has {len(text)} characters; `errors` allows {errors.max_chars}"
        places.error("last-error-too-long", message, "table", index, "last_error")


def _check_meters_are_new(spec: LoopSpec, places: Places) -> None:
    for name in spec.meters:
        if name in BUILTIN_METERS:
            message = f"the meter `{name}` is built in"
            places.key_error("meter-is-built-in", message, "meters", name, help="give your meter another name")


def _check_budgets_limit(loop: Loop, places: Places) -> None:
    for budget in loop.budgets:
        if budget.limit == 0:
            message = f"the budget `{budget.name}` is 0, so there is nothing to use up"
            help = "give it at least 1, or compare the meter with 0 in the row; a fixture may set it to 0"
            places.error("budget-is-zero", message, "budgets", budget.name, help=help)


def _check_all_is_used(loop: Loop, places: Places) -> None:
    read = _names_read(loop)
    for budget in loop.budgets:
        if f"{BUDGET_PREFIX}{budget.name}" not in read:
            message = f"no row reads the budget `{budget.name}`, so it limits nothing"
            help = (
                f"add a row such as `{{exit: ..., at: ..., when: METER > budgets.{budget.name}}}`, or drop the budget"
            )
            places.key_error("budget-not-read", message, "budgets", budget.name, help=help)
    for meter in loop.meters:
        if not meter.builtin and meter.name not in read:
            places.key_error("meter-not-read", f"no row reads the meter `{meter.name}`", "meters", meter.name)
    ending = {row.outcome for row in loop.table if row.verb == "exit"}
    for reason in loop.taxonomy:
        if reason.name not in ending:
            message = f"no row ends the loop with the reason `{reason.name}`"
            places.key_error(
                "reason-without-row", message, "taxonomy", reason.name, help="add a row, or drop the reason"
            )


def _names_read(loop: Loop) -> frozenset[str]:
    conditions = [row.when for row in loop.table]
    for meter in loop.meters:
        conditions += [meter.add, meter.when, meter.resets_when, meter.refund_when]
    return frozenset(name for expr in conditions if expr is not None for name in names_in(expr))
