"""Checks of the exit, the ledger and the exit code; see `checks.py`."""

from __future__ import annotations

from .bench import Bench, Run
from .form import FIELDS, error_problem, field_problems
from .observation import Expected
from .records import Record
from .signature import canonical, ending_signature, exit_signature
from .wording import (
    EXIT_FIELDS,
    printable,
    show_exit,
    show_exit_code,
    show_lines,
)

# Two ids, and not the usual one, so that an id written into the program is found out.
RUN_IDS = ("run-0042-b", "run 0043 c")

# The two fields that count turns; a run stops on the last turn it took.
COUNTED = ("turns", "stopped_on_turn")

# Written without the blanks of `json.dumps`: a program that reads the ledger and writes
# it anew changes these bytes.
EARLIER_LINE = (
    b'{"fixture_id":"an_earlier_fixture","last_error":null,"reason":"completed",'
    b'"run_id":"an-earlier-run","stopped_on_turn":1,"tool_names":["a_tool"],"turns":1}\n'
)


def check_exit(bench: Bench, fixture_id: str, expected: Expected) -> None:
    """The last line records the exit that the decision table calls for."""
    __tracebackhide__ = True
    run = bench.run(fixture_id, expected)
    record = run.last_record()
    wanted = expected.as_record()
    differs = _differences(record, wanted)
    if not differs:
        return
    shown = tuple(dict.fromkeys((*EXIT_FIELDS, *differs)))
    raise run.failure(
        f"the run of `{fixture_id}` ended with another exit than the table says",
        expected=show_exit(wanted, shown),
        came=show_exit(record, shown),
        decides=expected.decided_by,
        differs=", ".join(differs),
        **_known_mistake(expected, exit_signature(record)),
    )


def check_one_line(bench: Bench, fixture_id: str, expected: Expected) -> None:
    """A run leaves exactly one line, and ends it with a newline."""
    __tracebackhide__ = True
    run = bench.run(fixture_id, expected)
    lines = run.lines()
    if len(lines) != 1:
        raise run.failure(
            f"the run of `{fixture_id}` left {len(lines)} lines in the ledger",
            expected="exactly one line for one run",
            came=show_lines(lines[0].raw, lines[-1].raw),
        )
    run.record(lines[0])


def check_append(bench: Bench, fixture_id: str, expected: Expected) -> None:
    """What stood in the ledger stays, byte for byte, and one line follows it."""
    __tracebackhide__ = True
    run = bench.run(fixture_id, expected, earlier=EARLIER_LINE)
    lines = run.lines()
    if lines[0].raw != EARLIER_LINE:
        raise run.failure(
            f"the run of `{fixture_id}` changed a line that stood in the ledger before",
            expected=show_lines(EARLIER_LINE),
            came=show_lines(lines[0].raw),
        )
    added = lines[1:]
    if len(added) != 1:
        raise run.failure(
            f"the run of `{fixture_id}` added {len(added)} lines to the ledger",
            expected="the earlier line, followed by one new line",
            came=show_lines(*(line.raw for line in added[:3])) or "the earlier line",
        )
    run.record(added[0])


def check_fields(bench: Bench, fixture_id: str, expected: Expected) -> None:
    """A record has the seven fields, of the right types, and the ids of its run."""
    __tracebackhide__ = True
    for run_id in RUN_IDS:
        run = bench.run(fixture_id, expected, run_id=run_id)
        record = run.last_record()
        problems = list(field_problems(record, run_id, fixture_id))
        if problems:
            raise run.failure(
                f"the record of `{fixture_id}` does not have the agreed fields",
                expected=", ".join(FIELDS),
                came=printable(", ".join(record), 300),
                differs="\n".join(problems[:10]),
            )


def check_sorted_keys(bench: Bench, fixture_id: str, expected: Expected) -> None:
    """The keys of a record stand in alphabetical order."""
    __tracebackhide__ = True
    run = bench.run(fixture_id, expected)
    keys = list(run.last_record())
    if keys != sorted(keys):
        raise run.failure(
            f"the keys in the record of `{fixture_id}` are not in alphabetical order",
            expected=printable(", ".join(sorted(keys)), 300),
            came=printable(", ".join(keys), 300),
        )


def check_error_text(bench: Bench, fixture_id: str, expected: Expected) -> None:
    """The last error is null or one short line of text, whatever the tool said."""
    __tracebackhide__ = True
    run = bench.run(fixture_id, expected)
    record = run.last_record()
    problem = error_problem(record, expected.max_error_chars)
    if problem:
        raise run.failure(
            f"the last error in the record of `{fixture_id}` {problem}",
            expected=f"null, or one line of 1 to {expected.max_error_chars} characters",
            came=show_exit(record, ("last_error",)),
        )


def check_repeat(bench: Bench, fixture_id: str, expected: Expected) -> None:
    """The same run twice gives two lines, the same exit and the same exit code."""
    __tracebackhide__ = True
    first = bench.run(fixture_id, expected)
    first.lines()
    second = bench.run(fixture_id, expected, earlier=first.observation.ledger)
    lines = second.lines()
    if len(lines) != 2:
        left = "1 line" if len(lines) == 1 else f"{len(lines)} lines"
        raise second.failure(
            f"two runs of `{fixture_id}` left {left} in the ledger",
            expected="one line for each run",
            came=show_lines(*(line.raw for line in lines[:3])),
        )
    _require_same_exit(first, second, [second.record(line) for line in lines])


def check_exit_code(bench: Bench, fixture_id: str, expected: Expected) -> None:
    """The process ends with the exit code of the reason, having left its record."""
    __tracebackhide__ = True
    run = bench.run(fixture_id, expected)
    record = run.last_record()
    code = run.observation.exit_code
    if code != expected.exit_code:
        raise run.failure(
            f"the run of `{fixture_id}` ended with the wrong exit code",
            expected=f"exit code {expected.exit_code}, for {expected.reason}",
            came=show_exit_code(code),
            decides=expected.decided_by,
            **_known_mistake(expected, ending_signature(record, code)),
        )


def _known_mistake(expected: Expected, seen: str) -> dict[str, str]:
    """The row of a message that says which known mistakes end so; none if none do."""
    return {"mistake": expected.hints[seen]} if seen in expected.hints else {}


def _differences(record: Record, wanted: Record) -> list[str]:
    """The fields of an exit that differ, in value or in type."""
    differs = [
        name
        for name in wanted
        if name not in record or not _same(record[name], wanted[name])
    ]
    # A wrong count of turns that stands in both fields is one finding, not two.
    turns, stopped = (canonical(record.get(name)) for name in COUNTED)
    if "turns" in differs and stopped == turns:
        differs.remove("stopped_on_turn")
    return differs


def _same(one: object, other: object) -> bool:
    """Equal in value and in type, so that true is not 1 and 1.0 is not 1."""
    return one == other and canonical(one) == canonical(other)


def _require_same_exit(first: Run, second: Run, records: list[Record]) -> None:
    __tracebackhide__ = True
    exits = [
        f"{show_exit(record)}, {show_exit_code(run.observation.exit_code)}"
        for run, record in zip((first, second), records, strict=True)
    ]
    signatures = {exit_signature(record) for record in records}
    codes = {first.observation.exit_code, second.observation.exit_code}
    if len(signatures) > 1 or len(codes) > 1:
        raise second.failure(
            f"two runs of `{second.fixture_id}` did not end in the same way",
            first=exits[0],
            second=exits[1],
        )
