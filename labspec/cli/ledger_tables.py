"""How the results of `labspec ledger` are shown: as plain tables for people, as documents for programs."""

from __future__ import annotations

import json
from collections import Counter
from typing import TYPE_CHECKING, Any

from labspec.contract.wording import show, show_exit
from labspec.diagnostics.display import measure, printable
from labspec.diagnostics.json_format import to_document
from labspec.ledger.check import Endings
from labspec.ledger.migrate import Refused

if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence

    from labspec.diagnostics import Report
    from labspec.lab.model import Lab
    from labspec.ledger.check import Checked
    from labspec.ledger.compare import Comparison, Difference, Run
    from labspec.ledger.migrate import Migrated

_GAP = "  "


def checked_tables(checked: Sequence[Checked], lab: Lab) -> str:
    """A line for each ledger with its reasons, each kind of finding, and each fixture; nothing without ledgers."""
    if not checked:
        return ""
    reasons = [reason.name for reason in lab.solved().taxonomy]
    fixtures = _fixture_rows(checked, lab)
    tables = [_table(["ledger", "lines", *reasons, "with errors"], _ledger_rows(checked, reasons))]
    codes = sum((Counter(one.codes) for one in checked), Counter[str]())
    if codes:
        tables.append(_table(["finding", "times"], [[code, f"{times:,}"] for code, times in sorted(codes.items())]))
    if fixtures:
        tables.append(_table(["fixture", "runs", "as the table says"], fixtures))
    return "\n".join(tables)


def checked_document(checked: Sequence[Checked], report: Report) -> str:
    """One JSON document: the ledgers with what was counted, and the findings that are shown."""
    ledgers = [_checked(one) for one in checked]
    return _json({"ledgers": ledgers, **to_document(report)})


def migrated_line(migrated: Migrated | Refused, *, dry_run: bool) -> str:
    """What was done with a ledger."""
    file = printable(migrated.file)
    if isinstance(migrated, Refused):
        return f"{file}: left as it is"
    if not migrated.renamed:
        return f"{file}: nothing to rename ({_count(migrated.lines, 'line')})"
    renames = ", ".join(f"{old} to {new} ({count:,})" for (old, new), count in sorted(migrated.renamed.items()))
    if dry_run or migrated.kept is None:
        return f"{file}: would rename {renames}"
    return f"{file}: renamed {renames}; the old ledger is {printable(migrated.kept.name)}"


def compared_lines(comparison: Comparison, shown: int) -> str:
    """How many runs agree, and at most `shown` of those that differ and of those without a partner in each ledger."""
    a, b = printable(comparison.a), printable(comparison.b)
    only = ((a, comparison.only_in_a), (b, comparison.only_in_b))
    if not (comparison.agree or comparison.differ or any(runs for _, runs in only)):
        return f"neither {a} nor {b} has a run, so nothing was compared\n"
    counts = [f"{_count(comparison.agree, 'run')} agree{'s' if comparison.agree == 1 else ''}"]
    counts += [f"{len(comparison.differ):,} differ{'s' if len(comparison.differ) == 1 else ''}"]
    counts += [f"{len(runs):,} only in {file}" for file, runs in only if runs]
    lines = [f"{a} and {b}: {', '.join(counts)}"]
    for difference in comparison.differ[:shown]:
        lines += _difference(difference, a, b)
    lines += _more(len(comparison.differ) - shown, "differ")
    for file, runs in only:
        lines += [f"only in {file}: {_run(run)}" for run in runs[:shown]]
        lines += _more(len(runs) - shown, f"only in {file}")
    return "".join(f"{line}\n" for line in lines)


def compared_document(comparison: Comparison | None, report: Report) -> str:
    """One JSON document: all differences, all runs without a partner, and the findings that are shown."""
    if comparison is None:
        return _json({"comparison": None, **to_document(report)})
    found = {
        "a": comparison.a,
        "b": comparison.b,
        "agree": comparison.agree,
        "differ": [{"fields": one.fields, "a": _run_data(one.a), "b": _run_data(one.b)} for one in comparison.differ],
        "only_in_a": [_run_data(run) for run in comparison.only_in_a],
        "only_in_b": [_run_data(run) for run in comparison.only_in_b],
    }
    return _json({"comparison": found, **to_document(report)})


def _ledger_rows(checked: Sequence[Checked], reasons: Sequence[str]) -> list[list[str]]:
    rows = [_ledger_row(one.file, one.lines, one.reasons, reasons) for one in checked]
    if len(checked) > 1:
        total = sum((Counter(one.reasons) for one in checked), Counter[str]())
        rows.append(_ledger_row(f"all {len(checked):,}", sum(one.lines for one in checked), total, reasons))
    return rows


def _ledger_row(name: str, lines: int, found: dict[str, int], reasons: Sequence[str]) -> list[str]:
    counts = [found.get(reason, 0) for reason in reasons]
    return [printable(name), *(f"{count:,}" for count in (lines, *counts, lines - sum(counts)))]


def _fixture_rows(checked: Sequence[Checked], lab: Lab) -> list[list[str]]:
    """A row for each fixture of which there are sound records, those of no fixture of the lab last."""
    rows = []
    for fixture in (*(one.id for one in lab.solved().fixtures), None):
        endings = [one.fixtures[fixture] for one in checked if fixture in one.fixtures]
        runs = sum(ending.runs for ending in endings)
        if fixture is None and runs:
            rows.append(["(not in the lab)", f"{runs:,}", ""])
        elif runs:
            rows.append([str(fixture), f"{runs:,}", f"{sum(ending.as_table for ending in endings):,}"])
    return rows


def _table(head: list[str], rows: list[list[str]]) -> str:
    """Text in columns: the first to the left, numbers to the right."""
    widths = [max(map(measure, column)) for column in zip(head, *rows, strict=True)]
    return "".join(f"{_row(row, widths)}\n" for row in (head, *rows))


def _row(row: list[str], widths: list[int]) -> str:
    first, *numbers = (" " * (width - measure(text)) for text, width in zip(row, widths, strict=True))
    cells = [row[0] + first, *(blanks + text for blanks, text in zip(numbers, row[1:], strict=True))]
    return _GAP.join(cells).rstrip()


def _checked(one: Checked) -> dict[str, Any]:
    fixtures = {name: ending for name, ending in one.fixtures.items() if name is not None}
    return {
        "file": one.file,
        "lines": one.lines,
        "lines_with_errors": one.lines - one.sound,
        "codes": dict(sorted(one.codes.items())),
        "reasons": dict(sorted(one.reasons.items())),
        "fixtures": {name: _endings(ending) for name, ending in sorted(fixtures.items())},
        "runs_of_unknown_fixtures": one.fixtures.get(None, Endings(0, 0)).runs,
    }


def _endings(endings: Endings) -> dict[str, int]:
    return {"runs": endings.runs, "as_table": endings.as_table}


def _difference(difference: Difference, a: str, b: str) -> Iterator[str]:
    one, other = difference.a, difference.b
    same_id = one.run_id == other.run_id
    runs = _run(one) if same_id else f"{_run(one)} and {_run(other)}"
    yield f"{runs}: {', '.join(difference.fields)}"
    width = max(measure(a), measure(b))
    for file, run in ((a, one), (b, other)):
        place = f"{file}:{run.line}" if same_id else file
        yield f"  {place}{' ' * (width - measure(file))}  {show_exit(run.exit.record, difference.fields)}"


def _run(run: Run) -> str:
    return f"run {show(run.run_id)} of {show(run.exit.fixture_id)} on line {run.line}"


def _run_data(run: Run) -> dict[str, Any]:
    return {
        "line": run.line,
        "run_id": run.run_id,
        "fixture_id": run.exit.fixture_id,
        "signature": run.exit.signature,
        **{name: run.exit.record[name] for name in ("reason", "turns", "tool_names", "last_error")},
    }


def _more(count: int, what: str) -> list[str]:
    return [f"and {count:,} more {what}"] if count > 0 else []


def _count(number: int, noun: str) -> str:
    return f"{number:,} {noun}{'' if number == 1 else 's'}"


def _json(document: dict[str, Any]) -> str:
    return json.dumps(document, indent=2) + "\n"
