"""`labspec run`: the reference runner on one fixture of a spec."""

from __future__ import annotations

import contextlib
import json
import shutil
import sys
from collections.abc import Iterator, Mapping, Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Any

import click

from labspec.cli.findings import wants_colour
from labspec.cli.specs import FindingsError, require_lab
from labspec.contract.sandbox import SandboxError, build_sandbox
from labspec.diagnostics.suggest import did_you_mean
from labspec.machine.runner import Machine, MachineError, Recorder, fresh_workspace, run_in_workspace
from labspec.timeline import WatchedLoop

if TYPE_CHECKING:
    from labspec.lab.model import Lab


@click.command()
@click.argument("spec", type=click.Path(path_type=Path))
@click.argument("fixture")
@click.option("--ledger", type=click.Path(path_type=Path, dir_okay=False), help="Append the record to this JSONL file.")
@click.option("--trace", type=click.Path(path_type=Path, dir_okay=False), help="Write the events to this JSON file.")
@click.option("--run-id", default="reference", show_default=True, help="The name of this run in the record.")
@click.option("--json", "as_json", is_flag=True, help="Print one JSON document with the record and every turn.")
def command(spec: Path, fixture: str, ledger: Path | None, trace: Path | None, run_id: str, as_json: bool) -> int:
    """Run FIXTURE of SPEC through the reference runner, turn by turn.

    FIXTURE is the id of a fixture in the spec, or the path of a fixture file. For people, standard error shows what the
    model decided in each turn, how far each budget is used up, and the rows that fired; standard output has the record.
    The tools really run, in a fresh workspace. The exit code is that of the reason the run ends with.
    """
    lab = require_lab(spec)
    machine = Machine(lab.machine)
    data = _fixture(lab, fixture)
    try:
        loop = WatchedLoop(machine, data)
        _require_node(lab, loop.steps)
        with _workspace(machine, data) as root:
            ending = run_in_workspace(machine, data, run_id, ledger, trace, root, loop=loop)
    except (MachineError, SandboxError) as error:
        raise click.ClickException(f"{fixture}: {error}") from error
    except OSError as error:
        place = error.filename or " or ".join(str(path) for path in (ledger, trace) if path is not None)
        raise click.ClickException(f"can't write {place}: {error.strerror or error}") from error
    timeline = loop.timeline(ending)
    record = dict(sorted(Recorder().record(ending, run_id, data["id"]).items()))
    if as_json:
        from labspec.cli.timeline_json import timeline_json  # each form is imported only where it is printed

        click.echo(timeline_json(timeline, record, ending.exit_code), nl=False)
        return ending.exit_code
    from labspec.cli.timeline_text import timeline_text

    click.echo(timeline_text(timeline, lab, wants_colour(sys.stderr)), err=True)
    click.echo(f"row `{ending.row}` decided at `{ending.at}` of turn {ending.turn}", err=True)
    click.echo(json.dumps(record))
    return ending.exit_code


def _require_node(lab: Lab, steps: Sequence[Any]) -> None:
    """Without Node a tool that runs on it would fail, and the run would seem to end so. Raises FindingsError."""
    called = [step.get("name") for step in steps if isinstance(step, Mapping)]
    if any(name in called for name in lab.node_tools) and shutil.which("node") is None:
        click.echo(f"error[no-node] {lab.id}: can't be run here, because there is no `node` on PATH", err=True)
        click.echo("  help: install Node 20 or newer, or run this fixture on another machine", err=True)
        raise FindingsError("")


@contextlib.contextmanager
def _workspace(machine: Machine, fixture: Mapping[str, Any]) -> Iterator[Path | None]:
    """A fresh workspace with the fixture's changes, for a lab that has one. Raises SandboxError.

    A fixture file can hold anything, so the changes are made as the tests of a student repository make them: none leads
    out of the workspace.
    """
    if machine.workspace is None:
        yield None
        return
    with fresh_workspace(machine, {}) as base:
        changes = fixture.get("workspace") or {}
        yield build_sandbox(base.parent / "sandbox", base, changes, machine.workspace["roots"]).workspace


def _fixture(lab: Lab, name: str) -> dict[str, Any]:
    by_id = {fixture.id: fixture.data for fixture in lab.fixtures}
    if name in by_id:
        return by_id[name]
    path = Path(name)
    if not path.is_file():
        near = did_you_mean(name, by_id)
        hint = f" Did you mean `{near}`?" if near else ""
        raise click.UsageError(f"the lab has no fixture `{name}`, and there is no such file.{hint}")
    try:
        data: dict[str, Any] = json.loads(path.read_text(encoding="utf-8"))
    except (OSError, ValueError, RecursionError) as error:
        raise click.ClickException(f"{name} is not a fixture file: {error}") from error
    return data
