"""The live planners of both languages, against an endpoint that answers in every way but the right one."""

from __future__ import annotations

import json
import re
import socket
from pathlib import Path
from typing import Any, Final

import pytest

from . import fake_server as fake
from .fake_server import serving
from .planners import COMMANDS, KEY, NODE_PLANNER, PYTHON_PLANNER, decide, environment, needed, start

READ = {"type": "tool", "name": "read_file", "args": {"file": "a.js"}}
TESTS = {"type": "tool", "name": "run_tests", "args": {}}
OTHER = {"type": "other"}
FAILED = {"type": "stop", "reason": "planner_failed"}


def fenced(text: str, word: str = "json") -> str:
    return f"```{word}\n{text}\n```"


def called(name: object, arguments: object) -> fake.Reply:
    call = {"id": "c1", "type": "function", "function": {"name": name, "arguments": arguments}}
    return fake.message({"role": "assistant", "content": None, "tool_calls": [call, call]})


FENCE_INSIDE = {"type": "tool", "name": "write_file", "args": {"file": "a.md", "contents": "```js\n1\n```\n"}}
DEEP: Any = 1
for _ in range(30):
    DEEP = [DEEP]

ANSWERS: Final[dict[str, tuple[fake.Reply, dict[str, Any]]]] = {
    "a tool": (fake.says(READ), READ),
    "a tool without a type": (fake.says({"name": "run_tests"}), TESTS),
    "extra keys": (fake.says({**TESTS, "ok": True, "final": True}), TESTS),
    "in a fence": (fake.says(fenced(json.dumps(READ))), READ),
    "in a fence without a word": (fake.says(fenced(json.dumps(READ), "")), READ),
    "in a fence with prose": (fake.says(f"Let me look.\n{fenced(json.dumps(READ))}\nThat helps."), READ),
    "a fence inside": (fake.says(FENCE_INSIDE), FENCE_INSIDE),
    "a fence inside a fence": (fake.says(fenced(json.dumps(FENCE_INSIDE))), FENCE_INSIDE),
    "in parts": (fake.message({"content": [{"type": "text", "text": json.dumps(READ)}, 7, {"text": 8}]}), READ),
    "a tool call": (called("read_file", '{"file": "a.js"}'), READ),
    "a tool call with an object": (called("read_file", {"file": "a.js"}), READ),
    "a tool call without arguments": (called("run_tests", ""), TESTS),
    "a tool call with null": (called("run_tests", None), TESTS),
    "a tool call with broken arguments": (called("read_file", '{"file": '), OTHER),
    "a tool call that is none": (fake.message({"tool_calls": [None]}), OTHER),
    "an unknown tool": (fake.says({"type": "tool", "name": "constructor"}), {**TESTS, "name": "constructor"}),
    "arguments that are a list": (fake.says({**TESTS, "args": ["x"]}), {**TESTS, "args": ["x"]}),
    "another script": (fake.says({**READ, "args": {"file": "é 🎉"}}), {**READ, "args": {"file": "é 🎉"}}),
    "a stop": (fake.says({"type": "stop", "reason": "tests_green"}), {"type": "stop", "reason": "tests_green"}),
    "a stop on two lines": (fake.says({"type": "stop", "reason": " a\n b "}), {"type": "stop", "reason": "a b"}),
    "a stop without a reason": (fake.says({"type": "stop"}), {"type": "stop", "reason": "model_stop"}),
    "a stop with ESC": (fake.says({"type": "stop", "reason": "\x1b[2J"}), {"type": "stop", "reason": "model_stop"}),
    "broken JSON": (fake.says('{"type": "tool", "name"'), OTHER),
    "prose": (fake.says("I would rather not."), OTHER),
    "nothing": (fake.message({"role": "assistant", "content": None}), OTHER),
    "a list": (fake.says([READ]), OTHER),
    "a number": (fake.says("7"), OTHER),
    "another type": (fake.says({"type": "dance"}), OTHER),
    "a number for a type": (fake.says({"type": 7, "name": "x"}), OTHER),
    "a number for a name": (fake.says({"type": "tool", "name": 7}), OTHER),
    "a blank name": (fake.says({"type": "tool", "name": " "}), OTHER),
    "a name of two lines": (fake.says({"type": "tool", "name": "a\nb"}), OTHER),
    "NaN": (fake.says('{"name": "x", "args": {"n": NaN}}'), OTHER),
    "a number without bounds": (fake.says('{"name": "x", "args": {"n": 1e999}}'), OTHER),
    "half a character": (fake.says('{"name": "x", "args": {"n": "\\ud800"}}'), OTHER),
    "half a character for a key": (fake.says('{"name": "x", "args": {"\\ud800": 1}}'), OTHER),
    "an escaped escape": (fake.says({**TESTS, "args": {"n": "\\ud800 "}}), {**TESTS, "args": {"n": "\\ud800 "}}),
    "too deep": (fake.says({**TESTS, "args": DEEP}), OTHER),
    "far too deep": (fake.says("[" * 100_000), OTHER),
}


@pytest.fixture(params=[needed("python"), needed("node")])
def language(request: pytest.FixtureRequest) -> str:
    return str(request.param)


def test_every_answer_becomes_the_step_it_means(language: str) -> None:
    """JSON, fences and tool calls are steps; whatever is no step is one of type other, and the run goes on."""
    with serving(*(reply for reply, _ in ANSWERS.values())) as server:
        answered = decide(language, server.url, turns=len(ANSWERS))
    assert dict(zip(ANSWERS, answered.given, strict=True)) == {name: step for name, (_, step) in ANSWERS.items()}
    assert answered.steps == answered.given
    assert (answered.failed, answered.stderr) == (False, "")


SSE = b'data: {"choices":[{"delta":{"content":"{"}}]}\n\ndata: [DONE]\n\n'
FAILURES: Final[dict[str, tuple[fake.Reply, int, str]]] = {
    "server error": (fake.status(500), 3, "it answers with status 500"),
    "rate limit": (fake.status(429, Retry_After="3600"), 3, "it answers with status 429"),
    "rate limit until a date": (fake.status(429, Retry_After="Wed, 21 Oct 2065 07:28:00 GMT"), 3, "status 429"),
    "wrong key": (fake.status(401), 1, "it answers with status 401"),
    "no such model": (fake.status(404), 1, "it answers with status 404"),
    "redirect to itself": (fake.status(307, Location="/v1/chat/completions"), 1, "it redirects (status 307)"),
    "a page": (fake.body(b"<html>Welcome</html>"), 3, "the answer is no chat completion"),
    "a stream of events": (fake.body(SSE, Content_Type="text/event-stream"), 3, "the answer is no chat completion"),
    "an error with status 200": (fake.body(b'{"error": {"message": "busy"}}'), 3, "the answer is no chat completion"),
    "no choices": (fake.body(b'{"choices": []}'), 3, "the answer is no chat completion"),
    "not UTF-8": (fake.body(b'{"choices": "\xff"}'), 3, "the answer is no chat completion"),
    "far too deep": (fake.body(b"[" * 100_000), 3, "the answer is no chat completion"),
    "nothing": (fake.body(b"", status=204), 3, "the answer is no chat completion"),
    "no answer at all": (fake.hang_up, 3, "there is no connection"),
    "not HTTP": (fake.raw(b"SSH-2.0-OpenSSH_9.6\r\n"), 3, "there is no connection"),
    "a flood": (fake.flood, 3, "the answer has more than 1048576 bytes"),
}


@pytest.mark.parametrize("name", FAILURES)
def test_failures_end_in_a_stop(language: str, name: str) -> None:
    """After its tries, the planner stops with planner_failed and one line, and never asks again."""
    reply, tries, said = FAILURES[name]
    with serving(reply) as server:
        answered = decide(language, server.url, turns=2)
    assert answered.given == [FAILED, FAILED]
    assert answered.failed
    assert len(server.asked) == tries
    assert re.fullmatch(r"planner\.(py|mjs): no step from 127\.0\.0\.1: .*\n", answered.stderr)
    assert said in answered.stderr
    assert KEY not in answered.stderr


SLOW: Final[dict[str, fake.Reply]] = {
    "silent": fake.hang,
    "one byte of the headers at a time": fake.drip(b"HTTP/1.1 200 OK\r\nX-A: "),
    "one byte of the body at a time": fake.drip(b"HTTP/1.1 200 OK\r\nConnection: close\r\n\r\n"),
    "one byte of a long body at a time": fake.drip(b"HTTP/1.1 200 OK\r\nContent-Length: 99999\r\n\r\n"),
}


@pytest.mark.parametrize("name", SLOW)
def test_a_slow_answer_is_cut_off(language: str, name: str) -> None:
    """The time-out is for the whole answer, however it drips."""
    with serving(SLOW[name]) as server:
        answered = decide(language, server.url, LAB_TIMEOUT="0.2", LAB_TRIES="2")
    assert answered.given == [FAILED]
    assert len(server.asked) == 2
    assert "there was no whole answer within 0.2 seconds" in answered.stderr


def test_a_torn_answer_is_no_answer(language: str) -> None:
    """A body that ends before its length is a failed try."""
    torn = fake.raw(b'HTTP/1.1 200 OK\r\nContent-Length: 999\r\n\r\n{"choices": [{"message"')
    with serving(torn, fake.says(READ)) as server:
        answered = decide(language, server.url)
    assert answered.given == [READ]


def test_a_closed_port_is_no_answer(language: str) -> None:
    """A refused connection ends as every other failure does."""
    with socket.socket() as taken:
        taken.bind(("127.0.0.1", 0))
        answered = decide(language, f"http://127.0.0.1:{taken.getsockname()[1]}/v1")
    assert answered.given == [FAILED]
    assert "there is no connection" in answered.stderr


def test_it_recovers(language: str) -> None:
    """A rate limit, an overload and a garbled body in a row cost tries, not the run."""
    troubles = (fake.status(429, Retry_After="0"), fake.status(503), fake.body(b"\x00"))
    with serving(*troubles, fake.says(READ), *troubles, fake.says(TESTS)) as server:
        answered = decide(language, server.url, turns=2, LAB_TRIES="4")
    assert answered.given == [READ, TESTS]
    assert answered.stderr == ""


def test_redirects_lead_nowhere(language: str) -> None:
    """Neither the question nor the key reaches another host."""
    with serving(fake.says(READ)) as other, serving(fake.status(302, Location=other.url)) as server:
        answered = decide(language, server.url)
    assert answered.given == [FAILED]
    assert other.asked == []


def test_the_number_of_steps_is_bounded(language: str) -> None:
    """A loop that never ends is told to stop, even though every answer is fine."""
    with serving(fake.says(TESTS)) as server:
        answered = decide(language, server.url, turns=202)
    assert answered.given == [TESTS] * 200 + [FAILED] * 2
    assert len(server.asked) == 200


LASTS: Final[list[Any]] = [
    None,
    {"seq": 3, "type": "tool_result", "turn": 1, "name": "read_file", "result": "é\n\u2028"},
    {"seq": 6, "type": "tool_error", "turn": 2, "name": "run_tests", "error": "command_failed"},
    {"seq": 8, "type": "turn", "turn": 4},
]


def conversation(language: str, **changes: str) -> list[fake.Asked]:
    replies = [READ, TESTS, "no step", {"type": "stop", "reason": "enough"}]
    with serving(*map(fake.says, replies)) as server:
        decide(language, server.url, turns=0, lasts=LASTS, goal="Grüße, 🎉", **changes)
    return server.asked


def test_the_model_is_told_what_happened(language: str) -> None:
    """Each question says what the last step came to; the goal and the tools come first."""
    asked = conversation(language)
    first, last = asked[0].body, asked[-1].body
    assert set(first) == {"model", "messages", "temperature", "stream"}
    assert (first["model"], first["temperature"], first["stream"]) == ("m", 0, False)
    assert [message["role"] for message in first["messages"]] == ["system", "user"]
    assert "- read_file(file): Reads a file.\n- run_tests(): Runs the tests.\n" in first["messages"][0]["content"]
    assert [message["content"] for message in last["messages"][1:]] == [
        "Goal: Grüße, 🎉",
        '{"type":"tool","name":"read_file","args":{"file":"a.js"}}',
        '{"type":"tool_result","name":"read_file","result":"é\n\u2028"}'.replace("\n", "\\n"),
        '{"type":"tool","name":"run_tests","args":{}}',
        '{"type":"tool_error","name":"run_tests","error":"command_failed"}',
        "no step",
        "That was no step. Answer with one JSON object and nothing else.",
    ]


def test_questions_are_the_same_every_time_and_in_both_languages(language: str) -> None:
    """Request bodies depend on nothing but the run."""
    asked = conversation(language)
    assert [one.raw for one in asked] == [one.raw for one in conversation(language)]
    assert [one.body for one in asked] == [one.body for one in conversation("python")]


def test_the_key_travels_in_one_header(language: str) -> None:
    """The key is in the Authorization header and nowhere else; without a key there is no such header."""
    (asked, *_) = conversation(language)
    assert asked.headers["authorization"] == f"Bearer {KEY}"
    assert KEY.encode() not in asked.raw
    assert "authorization" not in conversation(language, LAB_API_KEY="")[0].headers


def test_proxies_are_not_used(language: str) -> None:
    """Variables that name a proxy change nothing."""
    dead = "http://127.0.0.1:9"
    with serving(fake.says(READ)) as server:
        answered = decide(language, server.url, HTTP_PROXY=dead, http_proxy=dead, ALL_PROXY=dead)
    assert answered.given == [READ]


@pytest.mark.parametrize(
    ("suffix", "path"),
    [
        ("", "/v1/chat/completions"),
        ("/", "/v1/chat/completions"),
        ("/v1", "/v1/chat/completions"),
        ("/team/v1/", "/team/v1/chat/completions"),
        ("/v1/chat/completions", "/v1/chat/completions"),
        ("/deployments/x/chat/completions?api-version=1", "/deployments/x/chat/completions?api-version=1"),
    ],
)
def test_an_endpoint_is_a_base_or_a_whole_url(language: str, suffix: str, path: str) -> None:
    with serving(fake.says(READ)) as server:
        decide(language, server.url.removesuffix("/v1") + suffix)
    assert [one.path for one in server.asked] == [path]


@pytest.mark.parametrize(
    "changes",
    [
        {"LAB_ENDPOINT": ""},
        {"LAB_ENDPOINT": "file:///etc/passwd"},
        {"LAB_ENDPOINT": "ftp://host/v1"},
        {"LAB_ENDPOINT": "http:///v1"},
        {"LAB_ENDPOINT": "http://user:secret@host/v1"},
        {"LAB_ENDPOINT": "http://host:99999/v1"},
        {"LAB_ENDPOINT": "http://host/v1 and more"},
        {"LAB_MODEL": " "},
        {"LAB_API_KEY": f"{KEY}\r\nX-Injected: 1"},
        {"LAB_API_KEY": f"{KEY}é"},
        {"LAB_TIMEOUT": "0"},
        {"LAB_TIMEOUT": "nan"},
        {"LAB_TIMEOUT": "1e9"},
        {"LAB_TRIES": "0"},
        {"LAB_TRIES": "1000"},
        {"LAB_LONGEST_WAIT": "-1"},
        {"LAB_LONGEST_WAIT": "9999"},
    ],
    ids=lambda changes: json.dumps(changes).replace(KEY, "KEY"),
)
def test_senseless_settings_are_refused(language: str, changes: dict[str, str]) -> None:
    """Settings are checked before anything is sent, and the message does not repeat a secret."""
    done = start(COMMANDS[language], environment("http://127.0.0.1:9/v1", **changes), "{}")
    assert done.returncode == 1
    assert "settings: LAB_" in done.stderr
    assert KEY not in done.stderr
    assert "secret" not in done.stderr


def test_the_planners_read_like_the_rest_of_the_repository(tmp_path: Path) -> None:
    """The Python planner is formatted, linted and typed as everything that comes out."""
    settings = tmp_path / "ruff.toml"
    select = 'line-length = 88\ntarget-version = "py310"\nlint.select = ["E", "F", "B", "I", "SIM", "UP"]\n'
    settings.write_text(select + 'lint.ignore = ["E501"]\n', encoding="utf-8")
    tools = Path(COMMANDS["python"][0]).parent
    ruff, options = str(tools / "ruff"), ["--config", str(settings), str(PYTHON_PLANNER)]
    nothing = tmp_path / "mypy.ini"
    nothing.write_text("[mypy]\nstrict = true\npython_version = 3.10\n", encoding="utf-8")
    mypy = [str(tools / "mypy"), "--config-file", str(nothing), "--cache-dir", str(tmp_path), str(PYTHON_PLANNER)]
    for command in ([ruff, "format", "--check", *options], [ruff, "check", *options], mypy):
        done = start(command, environment(""))
        assert done.returncode == 0, done.stdout + done.stderr
    assert max(map(len, NODE_PLANNER.read_text(encoding="utf-8").splitlines())) <= 100
