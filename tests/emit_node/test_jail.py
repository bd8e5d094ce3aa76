"""Nothing outside the allowed roots is read or written on Node, however a path looks; inside, everything works."""

from __future__ import annotations

import os
from pathlib import Path
from typing import TYPE_CHECKING, Any

import pytest

from labspec.lab.model import Command, Tool, Workspace

from ..emit.labs import exit_row, refuse_row
from ..emit.test_tools import left_by
from ..emit.tool_labs import FILES, STOP, call_of, lab_of, tool_loop
from .played import Job, code_of, node, played

if TYPE_CHECKING:
    from collections.abc import Sequence

    from labspec.lab.model import Lab

TABLE = (
    refuse_row(1, "path_escape", "not call.inside"),
    exit_row(2, "stopped_red", "decision", 'decision.type != "tool"'),
)
JAIL = lab_of(tool_loop(*TABLE, budgets=()))
OPEN = lab_of(tool_loop(TABLE[1]._replace(number=1), budgets=()))
"""A table that refuses nothing: even so nothing beside the workspace's own folder is touched."""

FILES_ON_DISK = {
    "workspace/fixtures/app.txt": "app",
    "workspace/fixtures/a folder/é.txt": "accent",
    "workspace/fixtures/..x": "dots",
    "workspace/fixtures-evil/x": "twin",
    "workspace/secret.txt": "secret",
    ".env": "TOKEN",
}
LINKS = {
    "workspace/fixtures/out": "../secret.txt",
    "workspace/fixtures/dangling": "../new.txt",
    "workspace/fixtures/far": "../../.env",
    "workspace/fixtures/up": "..",
    "workspace/fixtures/up2": "up",
    "workspace/fixtures/loop": "loop",
    "workspace/fixtures/ping": "pong",
    "workspace/fixtures/pong": "ping",
    "workspace/fixtures/self": ".",
    "workspace/fixtures/inner": "app.txt",
    "workspace/fixtures/soon": "a folder/soon.txt",
    "workspace/way": "fixtures",
}
OUTSIDE = [
    "../.env",
    "fixtures/../.env",
    "fixtures/../../.env",
    "fixtures-evil/x",
    "secret.txt",
    "check.mjs",
    ".",
    "",
    "/",
    "/etc/hostname",
    "fixtures/out",
    "fixtures/dangling",
    "fixtures/far",
    "fixtures/up/secret.txt",
    "fixtures/up2/secret.txt",
    "fixtures/up/new.txt",
    "fixtures/up/up/secret.txt",
    "fixtures/loop/../up/secret.txt",
    "fixtures/ping/../up/secret.txt",
    "fixtures/" + "self/" * 60 + "up/secret.txt",
    "fixtures/none/../../secret.txt",
    "fixtures/app.txt/../../secret.txt",
    "~/x",
    "fixtures\\..\\..\\x",
]
INSIDE = {
    "fixtures/app.txt": "fixtures/app.txt",
    "./fixtures//app.txt": "fixtures/app.txt",
    "fixtures/../fixtures/app.txt": "fixtures/app.txt",
    "fixtures/a folder/é.txt": "fixtures/a folder/é.txt",
    "fixtures/a folder/new é.txt": "fixtures/a folder/new é.txt",
    "fixtures/..x": "fixtures/..x",
    "fixtures/...": "fixtures/...",
    "fixtures/inner": "fixtures/app.txt",
    "fixtures/soon": "fixtures/a folder/soon.txt",
    "fixtures/self/self/app.txt": "fixtures/app.txt",
    "way/app.txt": "fixtures/app.txt",
    "fixtures/up/fixtures/app.txt": "fixtures/app.txt",
    "fixtures/constructor": "fixtures/constructor",
}


def sandbox_in(folder: Path) -> Path:
    """A workspace with everything that could lead out of it, and what lies around it."""
    for name, text in FILES_ON_DISK.items():
        (folder / name).parent.mkdir(parents=True, exist_ok=True)
        (folder / name).write_text(text, "utf-8")
    for name, target in LINKS.items():
        (folder / name).symlink_to(target)
    return folder / "workspace"


def run(lab: Lab, folder: Path, steps: Sequence[Any], code: Path | None = None) -> list[dict[str, Any]]:
    """The events of a run in a sandbox, but for those of turns."""
    code = code or code_of(lab, folder.with_name(f"{folder.name} code"))
    (answer,) = played([Job(code, {"id": "f", "planned_calls": [*steps, STOP]}, folder / "workspace")])
    assert "crash" not in answer, answer
    return [event for event in answer["events"] if event["type"] != "turn"]


def test_no_path_leads_out(tmp_path: Path) -> None:
    folder = tmp_path / "sandbox"
    sandbox_in(folder)
    before = left_by(tmp_path)
    steps = [call for path in OUTSIDE for call in (writing(path), call_of("read_file", file=path))]
    results = run(JAIL, folder, steps)[1::2]
    came = {(step["args"]["file"], event["error"]) for step, event in zip(steps, results, strict=False)}
    odd = {"~/x": "not_writable", "": "bad_arguments"}
    assert {path for path, error in came if error == "path_escape"} >= set(OUTSIDE) - {"", "fixtures\\..\\..\\x"}
    assert {error for path, error in came if path in odd} <= {*odd.values(), "path_escape"}
    after = left_by(tmp_path)
    assert {name: after[name] for name in before} == before
    assert {name for name in after if name.startswith("sandbox/") and name not in before} <= {
        "sandbox/workspace/fixtures\\..\\..\\x"
    }


def writing(path: str) -> dict[str, Any]:
    return call_of("write_file", file=path, contents="new")


def test_every_path_inside_can_be_written_and_read(tmp_path: Path) -> None:
    code = code_of(JAIL, tmp_path / "code")
    jobs = []
    for number, path in enumerate(INSIDE):
        workspace = sandbox_in(tmp_path / str(number))
        steps = [writing(path), call_of("read_file", file=path), STOP]
        jobs.append(Job(code, {"id": "f", "planned_calls": steps}, workspace))
    for job, answer, (path, place) in zip(jobs, played(jobs), INSIDE.items(), strict=True):
        results = [event["result"] for event in answer["events"] if event["type"] == "tool_result"]
        assert results == ["wrote 3 bytes", "new"], path
        assert job.workspace is not None
        assert not (job.workspace / place).is_symlink()
        assert (job.workspace / place).read_text("utf-8") == "new"
        assert not [name for name in left_by(job.workspace) if name.endswith(".tmp")]


@pytest.mark.parametrize("root", ["fixtures", "fixtures/", "./fixtures", "way", "fixtures/self/"])
def test_roots_can_be_written_in_any_way(tmp_path: Path, root: str) -> None:
    lab = lab_of(tool_loop(*TABLE, budgets=(), workspace=Workspace((root,), FILES)))
    sandbox_in(tmp_path / "sandbox")
    events = run(lab, tmp_path / "sandbox", [writing("fixtures/app.txt"), writing("secret.txt")])
    assert [event.get("error") for event in events[1::2]] == [None, "path_escape"]


def test_workspace_may_be_reached_through_a_link(tmp_path: Path) -> None:
    sandbox_in(tmp_path / "real")
    (tmp_path / "link").mkdir()
    (tmp_path / "link" / "workspace").symlink_to("../real/workspace")
    events = run(JAIL, tmp_path / "link", [writing("fixtures/app.txt"), writing("../.env")])
    assert [event.get("error") for event in events[1::2]] == [None, "path_escape"]
    assert (tmp_path / "real/workspace/fixtures/app.txt").read_text("utf-8") == "new"


def test_absolute_path_inside_is_inside(tmp_path: Path) -> None:
    workspace = sandbox_in(tmp_path / "sandbox")
    events = run(JAIL, tmp_path / "sandbox", [writing(str(workspace / "fixtures" / "app.txt"))])
    assert events[1]["result"] == "wrote 3 bytes"


def test_table_without_a_jail_still_stays_beside_the_workspace(tmp_path: Path) -> None:
    (tmp_path / "beside.txt").write_text("untouched", "utf-8")
    sandbox_in(tmp_path / "sandbox")
    beside = str(tmp_path / "beside.txt")
    steps = [writing("../.env"), writing("../../beside.txt"), writing(beside), call_of("read_file", file=beside)]
    events = run(OPEN, tmp_path / "sandbox", steps)
    assert [event.get("error") for event in events[1::2]] == [None, "not_writable", "not_writable", "not_readable"]
    assert (tmp_path / "beside.txt").read_text("utf-8") == "untouched"


@pytest.mark.skipif(os.name == "nt" or os.geteuid() == 0, reason="the superuser may write everywhere")
def test_failed_write_leaves_the_old_content(tmp_path: Path) -> None:
    workspace = sandbox_in(tmp_path / "sandbox")
    (workspace / "fixtures").chmod(0o555)
    try:
        events = run(JAIL, tmp_path / "sandbox", [writing("fixtures/app.txt")])
    finally:
        (workspace / "fixtures").chmod(0o755)
    assert events[1]["error"] == "not_writable"
    assert (workspace / "fixtures/app.txt").read_text("utf-8") == "app"


def test_files_that_are_no_text_cannot_be_read_and_text_comes_out_as_it_is(tmp_path: Path) -> None:
    workspace = sandbox_in(tmp_path / "sandbox")
    contents = {"bom": b"\xef\xbb\xbfx", "crlf": b"a\r\n", "latin": b"\xe9", "half": b"\xed\xa0\x80", "empty": b""}
    for name, data in contents.items():
        (workspace / "fixtures" / name).write_bytes(data)
    os.mkfifo(workspace / "fixtures" / "pipe")
    names = [*contents, "pipe", "a folder", "nothing", "loop"]
    events = run(JAIL, tmp_path / "sandbox", [call_of("read_file", file=f"fixtures/{name}") for name in names])
    came = {name: event.get("result", event.get("error")) for name, event in zip(names, events[1::2], strict=False)}
    assert came == {
        "bom": "\ufeffx",
        "crlf": "a\r\n",
        "empty": "",
        **dict.fromkeys(("latin", "half", "pipe", "a folder", "nothing", "loop"), "not_readable"),
    }


def test_trace_shows_two_hundred_characters_and_cuts_none_in_two(tmp_path: Path) -> None:
    workspace = sandbox_in(tmp_path / "sandbox")
    (workspace / "fixtures" / "long").write_text("\U0001f600" * 201, "utf-8")
    events = run(JAIL, tmp_path / "sandbox", [call_of("read_file", file="fixtures/long")])
    assert events[1]["result"] == "\U0001f600" * 200


def test_mode_of_a_file_stays_as_it_is(tmp_path: Path) -> None:
    workspace = sandbox_in(tmp_path / "sandbox")
    (workspace / "fixtures/app.txt").chmod(0o750)
    run(JAIL, tmp_path / "sandbox", [writing("fixtures/app.txt"), writing("fixtures/new.txt")])
    modes = [(workspace / "fixtures" / name).stat().st_mode & 0o777 for name in ("app.txt", "new.txt")]
    assert modes == [0o750, 0o644]


# --- commands ---

COMMANDS = {
    "killer": "process.kill(process.pid, 'SIGKILL');",
    "liar": "process.exitCode = 3;",
    "printer": "for (let n = 0; n < 2000; n += 1) console.log('x'.repeat(1000));",
    "hanging": "setInterval(() => {}, 1000);",
    "parent": """
const { spawn } = await import("node:child_process");
const { writeFileSync } = await import("node:fs");
const child = spawn(process.execPath, ["-e", "setTimeout(() => {}, 60000)"], { stdio: "inherit" });
writeFileSync("child.txt", String(child.pid));
process.exit(0);
""",
    "runner": "process.exitCode = process.env.NODE_TEST_CONTEXT ? 1 : 0;",
}


def test_command_is_ok_only_if_it_ends_well_in_time_and_leaves_nobody_behind(tmp_path: Path) -> None:
    tools = tuple(Tool(name, "command", None, Command(("node", f"{name}.mjs"), 1, "failed")) for name in COMMANDS)
    lab = lab_of(tool_loop(TABLE[1]._replace(number=1), budgets=(), tools=tools))
    workspace = sandbox_in(tmp_path / "sandbox")
    for name, source in COMMANDS.items():
        (workspace / f"{name}.mjs").write_text(source, "utf-8")
    os.environ["NODE_TEST_CONTEXT"] = "child-v8"
    try:
        events = run(lab, tmp_path / "sandbox", [call_of(name) for name in COMMANDS])
    finally:
        del os.environ["NODE_TEST_CONTEXT"]
    came = [event.get("result", event.get("error")) for event in events[1::2] if "name" in event]
    assert dict(zip(COMMANDS, came, strict=True)) == {
        "killer": "failed",
        "liar": "failed",
        "printer": "pass",
        "hanging": "failed",
        "parent": "pass",
        "runner": "pass",
    }
    assert not is_running(int((workspace / "child.txt").read_text("utf-8")))


def is_running(process: int) -> bool:
    """Whether a process is there and not only waits to be forgotten."""
    try:
        state = Path(f"/proc/{process}/stat").read_text("utf-8").rsplit(")", 1)[1].split()[0]
    except OSError:
        return False
    return state != "Z"


def test_program_that_is_not_there_is_a_failed_command(tmp_path: Path) -> None:
    code = code_of(JAIL, tmp_path / "code")
    sandbox_in(tmp_path / "sandbox")
    script = f"""
const {{ Workspace }} = await import({(code / "tools.mjs").as_uri()!r});
const workspace = new Workspace("workspace", []);
console.log(JSON.stringify(await workspace.runCommand({{ argv: ["no such program"], seconds: 1, error: "failed" }})));
"""
    done = node("--input-type=module", "-e", script, cwd=tmp_path / "sandbox")
    assert '"error":"failed"' in done.stdout, done.stderr
