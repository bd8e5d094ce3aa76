"""Gives the contract tests their bench, and prints the rubric after a run.

The tests start the lab's command line as a child process, or the command that the
environment variable LAB_RUNNER names. With LAB_REPORT=FILE the points are written to
that file as JSON, too. LAB_MUTANTS=FOLDER has the wrong loops that a student's own
tests must catch (see `contract/own_tests.py`). LAB_RUN_ONCE is for runners that are
known to do the same every time: no run is made twice.
"""

from __future__ import annotations

import json
import os
import sys
from collections import defaultdict
from pathlib import Path

import pytest

sys.path.insert(0, str(Path(__file__).resolve().parent))  # where `contract` stands

from contract import Bench, Observation
from contract.command import RUNNER_VARIABLE, RunnerCommandError, runner_command
from contract.execute import child_process_execute, child_process_report, run_once
from contract.handed_out import find_changes
from contract.own_tests import (
    ANOTHER_PROGRAM,
    NOT_AT_HAND,
    Mutants,
    MutantsError,
    OwnTests,
    read_mutants,
)
from contract.rubric import Rubric, ScoreboardError, load_rubric
from contract.score import Outcome, Status, judge, worst
from contract.scoreboard import report_data, scoreboard_lines

TESTS = Path(__file__).resolve().parent
ROOT = TESTS.parent
COMMAND = pytest.StashKey[list[str]]()
RUBRIC = pytest.StashKey[Rubric]()
HUNG = pytest.StashKey[set[str]]()
SEEN = pytest.StashKey[dict[tuple[object, ...], Observation]]()
MUTANTS = pytest.StashKey["Mutants | None"]()
EVENTS = "contract events"
OTHER_RUNS = "contract-runs"
"""The name of a pytest plugin that runs fixtures in its own way, if there is one."""

STATUS_OF: dict[str, Status] = {
    "passed": "passed",
    "xpassed": "passed",
    "skipped": "skipped",
    "xfailed": "skipped",
    "failed": "failed",
    "error": "error",
}
"""What pytest calls an outcome, and what the rubric makes of it."""


def pytest_configure(config: pytest.Config) -> None:
    """Read the rubric and find the program under test, or say why that fails."""
    try:
        config.stash[RUBRIC] = load_rubric(TESTS / "gates.json")
        config.stash[COMMAND] = runner_command(ROOT, os.environ)
        config.stash[HUNG] = set()
        config.stash[SEEN] = {}
        config.stash[MUTANTS] = read_mutants(os.environ)
    except (ScoreboardError, RunnerCommandError, MutantsError) as error:
        raise pytest.UsageError(str(error)) from None


@pytest.fixture
def bench(pytestconfig: pytest.Config, tmp_path: Path) -> Bench:
    """A place to run fixtures in, with an empty folder for what they leave."""
    other = pytestconfig.pluginmanager.get_plugin(OTHER_RUNS)
    if other is not None:
        return Bench(other.execute, other.report)
    rubric, command = pytestconfig.stash[RUBRIC], pytestconfig.stash[COMMAND]
    timeout = rubric.timeout_seconds
    execute = child_process_execute(
        command,
        ROOT / "fixtures",
        tmp_path,
        timeout,
        rubric.setting,
        pytestconfig.stash[HUNG],
    )
    if os.environ.get("LAB_RUN_ONCE"):
        execute = run_once(execute, pytestconfig.stash[SEEN])
    return Bench(execute, child_process_report(command, tmp_path, timeout))


@pytest.fixture(scope="session")
def own_tests(
    pytestconfig: pytest.Config, tmp_path_factory: pytest.TempPathFactory
) -> OwnTests:
    """The student's own tests, to be tried with loops."""
    if os.environ.get(RUNNER_VARIABLE):
        pytest.skip(ANOTHER_PROGRAM)
    folder = tmp_path_factory.mktemp("own-tests")
    return OwnTests(ROOT, folder, pytestconfig.stash[MUTANTS])


@pytest.fixture
def mutants(pytestconfig: pytest.Config) -> Mutants:
    """The wrong loops that the student's own tests must catch."""
    found = pytestconfig.stash[MUTANTS]
    if found is None:
        pytest.skip(NOT_AT_HAND)
    return found


@pytest.hookimpl(tryfirst=True)
def pytest_runtest_makereport(item: pytest.Item, call: pytest.CallInfo[None]) -> None:
    """Give the report of a test what happened in its runs, for the rubric."""
    bench = getattr(item, "funcargs", {}).get("bench")
    if call.when == "call" and isinstance(bench, Bench):
        item.user_properties.append((EVENTS, sorted(bench.events)))


def pytest_terminal_summary(
    terminalreporter: pytest.TerminalReporter, config: pytest.Config
) -> None:
    """Print the rubric if a contract test was run, and write the report if wanted."""
    rubric = config.stash[RUBRIC]
    outcomes = {
        key: outcome
        for key, outcome in collect_outcomes(terminalreporter, config).items()
        if key[0] in rubric.files
    }
    scores = judge(rubric, outcomes, find_changes(ROOT))
    if outcomes:
        terminalreporter.section(f"rubric of {rubric.lab}")
        for line in scoreboard_lines(scores):
            terminalreporter.line(line)
    if report := os.environ.get("LAB_REPORT"):
        write_json(Path(report), report_data(rubric, scores))


def collect_outcomes(
    reporter: pytest.TerminalReporter, config: pytest.Config
) -> dict[tuple[str, str], Outcome]:
    """What became of each test in this folder, by file name and test name."""
    paths: dict[str, Path] = {}
    found: dict[tuple[str, str], list[Outcome]] = defaultdict(list)
    for category, status in STATUS_OF.items():
        for report in reporter.stats.get(category, ()):
            file, _, test = report.nodeid.partition("::")
            if file not in paths:
                paths[file] = (config.rootpath / file).resolve()
            if paths[file].parent == TESTS:
                outcome = Outcome(status, first_line(report), events_of(report))
                name = test or "(the file itself)"
                found[paths[file].name, name].append(outcome)
    return {key: combine(outcomes) for key, outcomes in found.items()}


def combine(outcomes: list[Outcome]) -> Outcome:
    """One outcome for a test that has several."""
    status = worst(outcome.status for outcome in outcomes)
    first = next(outcome for outcome in outcomes if outcome.status == status)
    events = frozenset().union(*(outcome.events for outcome in outcomes))
    return Outcome(status, first.message, events)


def events_of(report: pytest.TestReport | pytest.CollectReport) -> frozenset[str]:
    """What happened in the runs of a test, as its bench has remembered it."""
    properties = dict(getattr(report, "user_properties", ()))
    return frozenset(properties.get(EVENTS, ()))


def first_line(report: pytest.TestReport | pytest.CollectReport) -> str:
    """The first line of what went wrong, without the name of the exception."""
    crash = getattr(report.longrepr, "reprcrash", None)
    if isinstance(report.longrepr, tuple):  # a skipped test: file, line, reason
        message = report.longrepr[2].removeprefix("Skipped: ")
    elif crash is None:
        message = report.longreprtext
    else:
        message = str(crash.message)
    _, _, failure = message.partition("ContractFailure: ")
    return next(iter((failure or message).splitlines()), "")


def write_json(path: Path, data: object) -> None:
    """Write a file as a whole or not at all."""
    text = json.dumps(data, indent=2, sort_keys=True) + "\n"
    path.parent.mkdir(parents=True, exist_ok=True)
    temporary = path.with_name(f"{path.name}.{os.getpid()}.tmp")
    temporary.write_text(text, encoding="utf-8", newline="\n")
    temporary.replace(path)
