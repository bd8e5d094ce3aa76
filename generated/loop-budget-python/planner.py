"""A live model for the loop: asks a chat-completions endpoint for the next step.

This file is given. A planner is one more producer of steps, like the scripted model:
the loop, its budgets, the ledger and the trace stay what they are. Three environment
variables say whom to ask:

    LAB_ENDPOINT  the base URL, ending in /v1, or the whole URL of chat completions
    LAB_MODEL     the name of the model
    LAB_API_KEY   the key, if the endpoint wants one

Live models flake, and a test may not. So freeze what one did: its steps become a
fixture, which the scripted model replays for ever after:

    python planner.py freeze --goal "Make the tests pass" --id my_run_v1

An endpoint that fails is asked again, a few times and not for long; then the planner
stops the loop with the reason `planner_failed`. LAB_TIMEOUT (seconds for one answer),
LAB_TRIES and LAB_LONGEST_WAIT (seconds between two tries) change its patience. It
follows no redirect and uses no proxy, so the key reaches the endpoint and nobody else.
"""

from __future__ import annotations

import argparse
import contextlib
import http.client
import json
import math
import os
import re
import shutil
import socket
import subprocess
import sys
import tempfile
import threading
import time
import traceback
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from importlib import import_module
from pathlib import Path
from typing import Any, NoReturn
from urllib.parse import SplitResult, urlsplit

Step = dict[str, Any]

HERE = Path(__file__).resolve().parent
MOST_BYTES = 1024 * 1024  # of one answer; the rest of a longer one is not read
MOST_STEPS = 200  # of one run: a loop without a working budget must end as well
MOST_LEVELS = 20  # of lists and objects inside each other, in arguments
LONGEST_TEXT = 300  # characters of a goal, of a tool's name, of a reason
FIRST_WAIT = 1.0  # seconds; doubled after each try
REPLAY_SECONDS = 300
TRY_AGAIN = (408, 409, 425, 429)  # and everything from 500 on
FINDING, USAGE_ERROR, CRASH = 1, 64, 70  # exit codes

PLANNER_FAILED: Step = {"type": "stop", "reason": "planner_failed"}
NO_STEP: Step = {"type": "other"}

# --- the endpoint ---


class SettingsError(Exception):
    """The settings do not say whom to ask. The message never contains the key."""


class NoAnswer(Exception):
    """An endpoint gave no answer. `again` says whether asking once more may help."""

    def __init__(self, why: str, again: bool = True, wait: float | None = None) -> None:
        super().__init__(why)
        self.again = again
        self.wait = wait


@dataclass(frozen=True)
class Endpoint:
    """Whom to ask, and how patiently. Raises SettingsError where that makes no sense.

    `timeout` is in seconds, from the connection to the last byte of an answer;
    `longest_wait` is the most seconds between two of the `tries`.
    """

    url: str
    model: str
    key: str = field(default="", repr=False)
    timeout: float = 60.0
    tries: int = 4
    longest_wait: float = 20.0
    sleep: Callable[[float], None] = time.sleep

    def __post_init__(self) -> None:
        self.address()
        if not self.model.strip():
            raise SettingsError("LAB_MODEL names no model")
        if not re.fullmatch(r"[!-~]*", self.key):
            raise SettingsError("LAB_API_KEY has characters that no key can have")
        if not 0 < self.timeout <= 600 or not 1 <= self.tries <= 10:
            raise SettingsError("LAB_TIMEOUT is 0 to 600 seconds, LAB_TRIES is 1 to 10")
        if not 0 <= self.longest_wait <= 120:
            raise SettingsError("LAB_LONGEST_WAIT is 0 to 120 seconds")

    @classmethod
    def from_environment(cls, environment: Mapping[str, str]) -> Endpoint:
        """The endpoint that the environment variables describe."""
        url = environment.get("LAB_ENDPOINT", "").strip()
        if not url:
            raise SettingsError("LAB_ENDPOINT is not set; it is the URL to ask")
        return cls(
            url=url,
            model=environment.get("LAB_MODEL", "").strip(),
            key=environment.get("LAB_API_KEY", "").strip(),
            timeout=number(environment, "LAB_TIMEOUT", cls.timeout),
            tries=int(number(environment, "LAB_TRIES", cls.tries)),
            longest_wait=number(environment, "LAB_LONGEST_WAIT", cls.longest_wait),
        )

    def address(self) -> SplitResult:
        """The parts of the URL that is asked."""
        try:
            parts = urlsplit(self.url)
            usable = parts.scheme in ("http", "https") and bool(parts.hostname)
            usable = usable and parts.port != 0 and "@" not in parts.netloc
        except ValueError:
            usable = False
        if not usable or not re.fullmatch(r"[!-~]+", self.url):
            wanted = "an http or https URL without a user or a password"
            raise SettingsError(f"LAB_ENDPOINT has to be {wanted}")
        path = parts.path.rstrip("/")
        if not path:
            path = "/v1"
        if path.endswith("/v1"):
            path += "/chat/completions"
        return parts._replace(path=path, fragment="")

    def ask(self, messages: Sequence[Mapping[str, str]]) -> dict[str, Any]:
        """The message that answers a conversation. Raises NoAnswer after all tries."""
        question = {"model": self.model, "messages": messages}
        body = json.dumps({**question, "temperature": 0, "stream": False}).encode()
        for tried in range(self.tries - 1):
            try:
                return message_of(self.post(body))
            except NoAnswer as problem:
                if not problem.again:
                    raise
                wait = FIRST_WAIT * 2**tried if problem.wait is None else problem.wait
            self.sleep(min(wait, self.longest_wait))
        return message_of(self.post(body))

    def post(self, body: bytes) -> bytes:
        """Send one question; the body of the answer. Raises NoAnswer."""
        where = self.address()
        target = where.path + (f"?{where.query}" if where.query else "")
        headers = {"Content-Type": "application/json", "Accept": "application/json"}
        if self.key:
            headers["Authorization"] = f"Bearer {self.key}"
        connection = connection_to(where, self.timeout)
        try:
            connection.connect()
            with deadline(connection.sock, self.timeout) as passed:
                connection.request("POST", target, body, headers)
                with connection.getresponse() as answer:
                    data = answer.read(MOST_BYTES + 1)
        except TimeoutError:
            raise NoAnswer(self.too_slow()) from None
        except (OSError, ValueError, http.client.HTTPException) as problem:
            raise NoAnswer(f"there is no connection: {cause(problem)}") from None
        finally:
            connection.close()
        if passed.is_set():
            raise NoAnswer(self.too_slow())
        check_status(answer.status, answer.getheader("Retry-After"))
        if len(data) > MOST_BYTES:
            raise NoAnswer(f"the answer has more than {MOST_BYTES} bytes")
        return data

    def too_slow(self) -> str:
        """What to say about an answer that takes too long."""
        return f"there was no whole answer within {self.timeout:g} seconds"


def number(environment: Mapping[str, str], name: str, default: float) -> float:
    """The number in an environment variable. Raises SettingsError if it is none."""
    text = environment.get(name, "").strip()
    if not text:
        return default
    if not re.fullmatch(r"[0-9]{1,4}(\.[0-9]{1,6})?", text):
        raise SettingsError(f"{name} has to be a number such as 2 or 0.5")
    return float(text)


def connection_to(where: SplitResult, timeout: float) -> http.client.HTTPConnection:
    """A connection that is not open yet. http.client knows no proxies."""
    host, port = where.hostname or "", where.port
    if where.scheme == "https":
        return http.client.HTTPSConnection(host, port or 443, timeout=timeout)
    return http.client.HTTPConnection(host, port or 80, timeout=timeout)


@contextlib.contextmanager
def deadline(connected: socket.socket, seconds: float) -> Iterator[threading.Event]:
    """Cut a connection off after so many seconds; the event tells whether it was.

    The time-out of a socket starts again with each byte, so a server that sends one
    byte at a time could hold the planner for hours.
    """
    passed = threading.Event()

    def cut() -> None:
        passed.set()
        with contextlib.suppress(OSError):
            connected.shutdown(socket.SHUT_RDWR)

    timer = threading.Timer(seconds, cut)
    timer.daemon = True
    timer.start()
    try:
        yield passed
    except (OSError, ValueError, http.client.HTTPException):
        if not passed.is_set():
            raise
        raise TimeoutError from None
    finally:
        timer.cancel()


def cause(problem: Exception) -> str:
    """What went wrong, in words of the system: the server's own are not repeated."""
    text = problem.strerror if isinstance(problem, OSError) else None
    return text or type(problem).__name__


def check_status(status: int, retry_after: str | None) -> None:
    """Raise NoAnswer for every status but success."""
    if 200 <= status < 300:
        return
    if 300 <= status < 400:
        raise NoAnswer(f"it redirects (status {status}), which is not followed", False)
    again = status in TRY_AGAIN or status >= 500
    seconds = (retry_after or "").strip()
    wait = float(seconds) if re.fullmatch(r"[0-9]{1,9}", seconds, re.ASCII) else None
    raise NoAnswer(f"it answers with status {status}", again, wait)


def message_of(body: bytes) -> dict[str, Any]:
    """The message in a chat completion. Raises NoAnswer if the body is none."""
    try:
        message = json.loads(body.decode("utf-8-sig"))["choices"][0]["message"]
    except (ValueError, KeyError, IndexError, TypeError, RecursionError):
        message = None
    if not isinstance(message, dict):
        raise NoAnswer("the answer is no chat completion")
    return message


# --- from an answer to a step ---


def step_of(message: Mapping[str, Any]) -> Step:
    """The step in a model's message; NO_STEP if there is none.

    A tool that does not exist and arguments of the wrong shape are passed on: it is
    for the loop to judge them. Of several tool calls only the first is taken.
    """
    try:
        calls = message.get("tool_calls")
        if isinstance(calls, list) and calls:
            return tool_step(*function_of(calls[0]))
        answer = strict_json(without_fence(text_of(message)))
        kind = answer.get("type", "tool")
        if kind == "stop":
            return {"type": "stop", "reason": reason_of(answer.get("reason"))}
        if kind == "tool":
            return tool_step(answer.get("name"), answer.get("args"))
    except (ValueError, TypeError, KeyError, AttributeError, RecursionError):
        pass  # whatever is wrong with it, it is no step
    return dict(NO_STEP)


def function_of(call: Mapping[str, Any]) -> tuple[Any, Any]:
    """The name and the arguments of a tool call in the form of the API."""
    function = call["function"]
    arguments = function.get("arguments")
    if isinstance(arguments, str):
        arguments = strict_json(arguments) if arguments.strip() else {}
    return function["name"], arguments


def tool_step(name: Any, args: Any) -> Step:
    """The step that calls a tool. Raises ValueError without a usable name."""
    if not isinstance(name, str) or not name.strip() or len(name) > LONGEST_TEXT:
        raise ValueError("no name")
    if not name.isprintable() or levels(args) > MOST_LEVELS:
        raise ValueError("not one line, or nested too deeply")
    step = {"type": "tool", "name": name, "args": {} if args is None else args}
    json.dumps(step, ensure_ascii=False, allow_nan=False).encode()  # must be storable
    return step


def levels(value: Any) -> int:
    """How many lists and objects stand inside each other."""
    if isinstance(value, dict):
        value = list(value.values())
    return 1 + max(map(levels, value), default=0) if isinstance(value, list) else 0


def reason_of(reason: Any) -> str:
    """A stop's reason on one short line, `model_stop` if it gives none."""
    words = reason.split() if isinstance(reason, str) else []
    text = " ".join(words)[:LONGEST_TEXT].strip()
    return text if text and text.isprintable() else "model_stop"


def text_of(message: Mapping[str, Any]) -> str:
    """The text of a message, which may come in parts."""
    content = message.get("content")
    parts = content if isinstance(content, list) else [{"text": content}]
    texts = [part.get("text") for part in parts if isinstance(part, dict)]
    return "".join(text for text in texts if isinstance(text, str)).strip()


def without_fence(text: str) -> str:
    """What stands between the first and the last ``` of a text, if it has them."""
    if text.startswith("{"):
        return text
    match = re.search(r"```[A-Za-z]*\s(.*)```", text, re.DOTALL)
    return match[1] if match else text


def strict_json(text: str) -> Any:
    """JSON as the standard has it: NaN and Infinity are no numbers."""

    def refuse(constant: str) -> NoReturn:
        raise ValueError(constant)

    return json.loads(text, parse_constant=refuse, parse_float=finite)


def finite(text: str) -> float:
    """A number with a decimal point. Raises ValueError if it is too large for one."""
    value = float(text)
    if not math.isfinite(value):
        raise ValueError(text)
    return value


# --- the planner ---

INSTRUCTIONS = """\
You work towards a goal in a small folder of files, one step at a time.
Answer with your next step: one JSON object and nothing else.

To use a tool:
{"type": "tool", "name": "NAME", "args": {"ARGUMENT": "TEXT"}}
To stop, with a short reason such as tests_green or stuck:
{"type": "stop", "reason": "REASON"}

The tools:
"""
NOT_UNDERSTOOD = "That was no step. Answer with one JSON object and nothing else."


class LivePlanner:
    """Asks an endpoint for one step after the other, and remembers all of them.

    It never raises: an answer that is no step becomes a step of type `other`, and an
    endpoint that gives no answer a stop. `failed` says that it had to stop so.
    """

    def __init__(self, endpoint: Endpoint, tools: Sequence[Mapping[str, Any]]) -> None:
        self.endpoint = endpoint
        self.steps: list[Step] = []
        self.failed = False
        instructions = INSTRUCTIONS + "".join(map(tool_line, tools))
        self.messages = [{"role": "system", "content": instructions}]

    def decide(self, turn: int, goal: str, last: Mapping[str, Any] | None) -> Step:
        """The next step towards a goal; `last` is the last event of the trace."""
        del turn  # the conversation has one question for each
        step = self.next_step(goal, last)
        self.steps.append(step)
        return dict(step)

    def next_step(self, goal: str, last: Mapping[str, Any] | None) -> Step:
        """Ask for a step, and stop once and for all if there is no answer."""
        if not self.failed:
            try:
                if len(self.steps) >= MOST_STEPS:
                    raise NoAnswer(f"the loop asked for more than {MOST_STEPS} steps")
                return self.ask(goal, last)
            except NoAnswer as problem:
                self.failed = True
                say(f"no step from {self.endpoint.address().hostname}: {problem}")
        return dict(PLANNER_FAILED)

    def ask(self, goal: str, last: Mapping[str, Any] | None) -> Step:
        """Carry the conversation on by one question and one answer."""
        question = f"Goal: {goal}"
        if self.steps:
            question = NOT_UNDERSTOOD if self.steps[-1] == NO_STEP else report(last)
        self.messages.append({"role": "user", "content": question})
        message = self.endpoint.ask(self.messages)
        step = step_of(message)
        said = text_of(message)[:LONGEST_TEXT] if step == NO_STEP else compact(step)
        self.messages.append({"role": "assistant", "content": said or "(nothing)"})
        return step


def tool_line(tool: Mapping[str, Any]) -> str:
    """What a model is told about a tool."""
    return f"- {tool['name']}({', '.join(tool['args'])}): {tool['says']}\n"


def report(last: Mapping[str, Any] | None) -> str:
    """What a model is told about the step before: the event that the loop left."""
    event = {} if last is None else last
    if event.get("type") not in ("tool_result", "tool_error"):
        return "The loop goes on. Your next step?"
    shown = ("type", "name", "result", "error", "final")
    return compact({key: event[key] for key in shown if key in event})


def compact(value: Any) -> str:
    """JSON on one line, readable in every language."""
    return json.dumps(value, ensure_ascii=False, separators=(",", ":"))


def say(sentence: str) -> None:
    """Tell the person at the keyboard something."""
    print(f"planner.py: {plain(sentence)}", file=sys.stderr)


def show(line: str) -> None:
    """Print a line of output."""
    print(plain(line))


def plain(text: str) -> str:
    """A text that every terminal can show."""
    return text.encode("ascii", "backslashreplace").decode("ascii")


# --- freezing ---


class FreezeError(Exception):
    """There is nothing to freeze, or to compare."""


class CrashError(Exception):
    """The loop raised an exception, which is printed already."""


@dataclass(frozen=True)
class Run:
    """What a run left: its line in the ledger, what that says, and its trace."""

    line: str
    record: Mapping[str, Any]
    trace: Sequence[Any]


def freeze(planner: LivePlanner, plan: Step, path: Path) -> str:
    """Run the loop live, write its steps to `path`, and replay them.

    `plan` is the fixture without steps. Returns how the replay differs from the run,
    empty if it does not. Raises FreezeError, CrashError and OSError.
    """
    with tempfile.TemporaryDirectory(prefix="planner-") as name:
        folder = Path(name).resolve()
        live = run_live(planner, plan, folder)
        if planner.failed or not planner.steps:
            raise FreezeError("nothing was frozen: there is no whole run")
        write_new(path, fixture_of(plan, planner.steps))
        show(live.line)
        show(f"frozen: {path} ({len(planner.steps)} steps)")
        return difference(live, replay(path, plan["id"], folder))


def run_live(planner: LivePlanner, plan: Step, folder: Path) -> Run:
    """Run the lab's loop with a live model, in a fresh copy of the workspace."""
    ledger, trace = folder / "live.jsonl", folder / "live.json"
    with working_in(fresh_workspace(folder / "sandbox")), crashes_told():
        loop: Any = import_module("run_loop")
        check_budgets(loop, plan.get("budgets", {}))
        loop.run_loop(plan["id"], dict(plan), ledger, trace=trace, model=planner)
    return read_run(ledger, trace)


def check_budgets(loop: Any, budgets: Mapping[str, int]) -> None:
    """Raise SettingsError if the loop has no constant for a budget."""
    for name in budgets:
        if not hasattr(loop, f"MAX_{name.upper()}"):
            raise SettingsError(f"the lab has no budget {name}")


def replay(path: Path, run_id: str, folder: Path) -> Run:
    """Run a fixture as the tests do: with the scripted model, in another process."""
    ledger, trace = folder / "replay.jsonl", folder / "replay.json"
    command = [sys.executable, str(HERE / "lab.py"), "run", str(path)]
    command += ["--ledger", str(ledger), "--run-id", run_id, "--trace", str(trace)]
    quiet = subprocess.DEVNULL
    try:
        subprocess.run(command, stdin=quiet, stdout=quiet, timeout=REPLAY_SECONDS)
    except subprocess.TimeoutExpired:
        raise FreezeError(f"the replay took over {REPLAY_SECONDS} seconds") from None
    return read_run(ledger, trace)


def fresh_workspace(folder: Path) -> Path:
    """A copy of the workspace that the run may change."""
    if (HERE / "workspace").is_dir():
        shutil.copytree(HERE / "workspace", folder / "workspace", symlinks=True)
    else:
        (folder / "workspace").mkdir(parents=True)
    return folder / "workspace"


@contextlib.contextmanager
def working_in(folder: Path) -> Iterator[None]:
    """Make `folder` the current one for a while."""
    before = Path.cwd()
    os.chdir(folder)
    try:
        yield
    finally:
        os.chdir(before)


@contextlib.contextmanager
def crashes_told() -> Iterator[None]:
    """Print what the loop raises, as `lab.py` does, and raise CrashError instead."""
    try:
        yield
    except SettingsError:
        raise
    except NotImplementedError as problem:
        say(str(problem) or "the loop is not written yet: open run_loop.py")
        raise CrashError from None
    except (Exception, SystemExit):
        traceback.print_exc()
        say("the loop crashed; the lines above say how")
        raise CrashError from None


def read_run(ledger: Path, trace: Path) -> Run:
    """What a run left. Raises FreezeError if it left no record or no trace."""
    try:
        line = ledger.read_text(encoding="utf-8").rstrip("\n").split("\n")[-1]
        record, events = json.loads(line), json.loads(trace.read_text(encoding="utf-8"))
    except (OSError, ValueError):
        record, events = None, None
    if not isinstance(record, dict) or not isinstance(events, list):
        raise FreezeError("the loop left no ledger line or no trace")
    ids = ("run_id", "fixture_id")
    return Run(line, {k: v for k, v in record.items() if k not in ids}, events)


def fixture_of(plan: Step, steps: Sequence[Step]) -> Step:
    """The fixture that replays a run.

    A loop that a budget ends never asks for the next step, so its plan must not run
    out: it gets one more step, which no replay reaches.
    """
    beyond: list[Step] = [{"type": "stop", "reason": "never_reached"}]
    planned = [*steps, *([] if steps[-1]["type"] == "stop" else beyond)]
    return {key: planned if key == "planned_calls" else plan[key] for key in plan}


def write_new(path: Path, fixture: Step) -> None:
    """Write a fixture to a file that must not exist. Raises OSError."""
    path.parent.mkdir(parents=True, exist_ok=True)
    with path.open("x", encoding="utf-8", newline="\n") as file:
        file.write(json.dumps(fixture, indent=2) + "\n")


def difference(live: Run, replayed: Run) -> str:
    """The first thing in which two runs differ, empty if there is none."""
    for key in sorted({*live.record, *replayed.record}):
        was, now = compact(live.record.get(key)), compact(replayed.record.get(key))
        if was != now:
            return f"it differs: {key} was {was} and is now {now}"
    before, after = (
        [compact(event) for event in run.trace] for run in (live, replayed)
    )
    if before == after:
        return ""
    shared = min(len(before), len(after))
    at = next((i for i in range(shared) if before[i] != after[i]), shared)
    return f"it differs: the traces are not the same from event {at + 1} on"


# --- the command line ---


class Parser(argparse.ArgumentParser):
    """A parser whose usage errors are told apart from the other exit codes."""

    def error(self, message: str) -> NoReturn:
        self.print_usage(sys.stderr)
        self.exit(USAGE_ERROR, f"planner.py: {message}\n")


def main(arguments: Sequence[str] | None = None) -> int:
    """Run one command; returns the exit code of the process."""
    options = parser().parse_args(arguments)
    path = (options.out or HERE / "fixtures" / f"{options.id}.json").absolute()
    try:
        plan = plan_of(options.id, options.goal, options.budgets, path)
        tools = json.loads((HERE / "planner.json").read_text(encoding="utf-8"))["tools"]
        planner = LivePlanner(Endpoint.from_environment(os.environ), tools)
        differs = freeze(planner, plan, path)
    except SettingsError as problem:
        say(str(problem))
        return USAGE_ERROR
    except CrashError:
        return CRASH
    except (FreezeError, OSError) as problem:
        say(str(problem))
        return FINDING
    same = "the same ledger line and the same trace"
    show(f"replay: {differs or same}")
    return FINDING if differs else 0


def parser() -> Parser:
    """The command line."""
    whole = Parser(prog="planner.py", description="A live model for the loop.")
    commands = whole.add_subparsers(dest="command", required=True)
    one = commands.add_parser("freeze", help="run live, and keep it as a fixture")
    one.add_argument("--goal", required=True, help="what the model is to reach")
    one.add_argument("--id", required=True, help="what to call the fixture")
    one.add_argument("--budgets", default="", help="limits, such as turns=8,retries=1")
    one.add_argument("--out", type=Path, help="a file; fixtures/ID.json by default")
    return whole


def plan_of(fixture_id: str, goal: str, budgets: str, path: Path) -> Step:
    """A fixture without steps. Raises SettingsError if it could not be kept."""
    if not re.fullmatch(r"[a-z][a-z0-9_]{0,63}", fixture_id):
        raise SettingsError("an id has lower-case letters, digits and underscores")
    if not goal.strip() or not goal.isprintable() or len(goal) > LONGEST_TEXT:
        raise SettingsError(f"a goal is a line of at most {LONGEST_TEXT} characters")
    if path.exists():
        raise SettingsError(f"{path} is there already: choose another id or file")
    plan: Step = {"id": fixture_id, "goal": goal, "planned_calls": []}
    return {**plan, "budgets": budgets_of(budgets)} if budgets else plan


def budgets_of(text: str) -> dict[str, int]:
    """Limits by name, from text such as turns=8. Raises SettingsError."""
    items = [item.strip().partition("=") for item in text.split(",")]
    for name, _, limit in items:
        if not re.fullmatch(r"[a-z0-9_]+=[0-9]{1,9}", f"{name}={limit}"):
            raise SettingsError("budgets are written turns=8,retries=1")
    return {name: int(limit) for name, _, limit in items}


if __name__ == "__main__":
    sys.exit(main())
