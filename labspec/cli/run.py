"""`labspec run`: the reference runner on one fixture of a spec."""

from __future__ import annotations

import json
from pathlib import Path
from typing import TYPE_CHECKING, Any

import click

from labspec.cli.specs import require_lab
from labspec.diagnostics.suggest import did_you_mean
from labspec.machine.runner import Machine, MachineError, Recorder, run

if TYPE_CHECKING:
    from labspec.lab.model import Lab


@click.command()
@click.argument("spec", type=click.Path(path_type=Path))
@click.argument("fixture")
@click.option("--ledger", type=click.Path(path_type=Path, dir_okay=False), help="Append the record to this JSONL file.")
@click.option("--trace", type=click.Path(path_type=Path, dir_okay=False), help="Write the events to this JSON file.")
@click.option("--run-id", default="reference", show_default=True, help="The name of this run in the record.")
def command(spec: Path, fixture: str, ledger: Path | None, trace: Path | None, run_id: str) -> int:
    """Run FIXTURE of SPEC through the reference runner.

    FIXTURE is the id of a fixture in the spec, or the path of a fixture file. Prints the record and the row that
    decided. The exit code is that of the reason the run ends with.
    """
    lab = require_lab(spec)
    machine = Machine(lab.machine)
    data = _fixture(lab, fixture)
    try:
        ending = run(machine, data, run_id, ledger, trace)
    except MachineError as error:
        raise click.ClickException(f"{fixture}: {error}") from error
    except OSError as error:
        place = error.filename or " or ".join(str(path) for path in (ledger, trace) if path is not None)
        raise click.ClickException(f"can't write {place}: {error.strerror or error}") from error
    click.echo(json.dumps(Recorder().record(ending, run_id, data["id"]), sort_keys=True))
    click.echo(f"row `{ending.row}` decided at `{ending.at}` of turn {ending.turn}", err=True)
    return ending.exit_code


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
