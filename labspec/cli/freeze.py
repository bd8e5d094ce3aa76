"""`labspec freeze`: let a live model run a lab once, and print what it did as a fixture."""

from __future__ import annotations

import json
import re
from collections.abc import Sequence
from pathlib import Path

import click

from labspec.cli import EXIT_FINDINGS, EXIT_FINE
from labspec.cli.specs import require_lab
from labspec.freeze.facts import real_tools
from labspec.freeze.fixture import fixture_spec
from labspec.freeze.planner import FreezeError, live_planner
from labspec.freeze.session import check_can_freeze, freeze
from labspec.freeze.yaml import YamlError, list_item
from labspec.machine.runner import Machine, Recorder

_LONGEST_GOAL = 300
_LARGEST_LIMIT = 1_000_000


def _checked_id(_context: click.Context, _parameter: click.Parameter, value: str) -> str:
    if not re.fullmatch(r"[a-z][a-z0-9_]{0,63}", value):
        raise click.BadParameter("an id has lower-case letters, digits and underscores, and begins with a letter")
    return value


def _checked_goal(_context: click.Context, _parameter: click.Parameter, value: str) -> str:
    if not value.strip() or not value.isprintable() or len(value) > _LONGEST_GOAL:
        raise click.BadParameter(f"a goal is one line of at most {_LONGEST_GOAL} characters")
    return value


def _read_budgets(_context: click.Context, _parameter: click.Parameter, value: Sequence[str]) -> dict[str, int]:
    items = [item.strip() for text in value for item in text.split(",")]
    for item in items:
        if not re.fullmatch(r"[a-z0-9_]+=[0-9]{1,9}", item, re.ASCII):
            raise click.BadParameter(f"budgets are written turns=8,retries=1, not {item!a}")
    budgets = {name: int(limit) for name, limit in (item.split("=") for item in items)}
    if any(limit > _LARGEST_LIMIT for limit in budgets.values()):
        raise click.BadParameter(f"a limit is at most {_LARGEST_LIMIT}")
    return budgets


@click.command()
@click.argument("spec", type=click.Path(path_type=Path))
@click.option("--id", "fixture_id", required=True, callback=_checked_id, help="What to call the fixture.")
@click.option("--goal", required=True, callback=_checked_goal, help="What the model is to reach, in one line.")
@click.option(
    "--budgets", multiple=True, callback=_read_budgets, metavar="NAME=LIMIT,...", help="Limits that replace the lab's."
)
def command(spec: Path, fixture_id: str, goal: str, budgets: dict[str, int]) -> int:
    """Let a live model drive the reference runner on SPEC, and print what it did as a fixture, in YAML.

    The model is that of a chat-completions endpoint: LAB_ENDPOINT is its URL, LAB_MODEL the model, LAB_API_KEY the key,
    if it needs one. Its steps are replayed before they are printed. Paste the text into `fixtures:` of the spec.
    The record of the run and the row that decided go to standard error.
    """
    lab = require_lab(spec)
    if any(fixture.id == fixture_id for fixture in lab.fixtures):
        raise click.UsageError(f"the lab has a fixture `{fixture_id}` already")
    machine = Machine(lab.machine)
    try:
        check_can_freeze(machine)
        planner = live_planner(real_tools(lab))
        frozen = freeze(machine, planner, fixture_id, goal, budgets)
        text = list_item(fixture_spec(machine, frozen))
    except (FreezeError, YamlError) as error:
        raise click.ClickException(str(error)) from error
    click.echo(text, nl=False)
    record = Recorder().record(frozen.ending, fixture_id, fixture_id)
    click.echo(json.dumps(record, sort_keys=True), err=True)
    click.echo(f"row `{frozen.ending.row}` decided at `{frozen.ending.at}` of turn {frozen.ending.turn}", err=True)
    click.echo(f"replay: {frozen.differs or 'the same record and the same trace'}", err=True)
    return EXIT_FINDINGS if frozen.differs else EXIT_FINE
