"""A chat-completions endpoint on the loopback interface that answers, or misbehaves, as it is told."""

from __future__ import annotations

import contextlib
import json
import threading
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass, field
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from typing import Any

Reply = Callable[["Handler"], None]
"""What a server does with one request."""


@dataclass
class Asked:
    """A request as it came in."""

    path: str
    headers: dict[str, str]
    raw: bytes

    @property
    def body(self) -> Any:
        """The body as JSON."""
        return json.loads(self.raw)


@dataclass
class FakeServer:
    """The address of a running server, and what it was asked. The last reply is given again and again."""

    port: int
    replies: list[Reply]
    asked: list[Asked] = field(default_factory=list)
    closing: threading.Event = field(default_factory=threading.Event)

    @property
    def url(self) -> str:
        """The base URL."""
        return f"http://127.0.0.1:{self.port}/v1"


class Handler(BaseHTTPRequestHandler):
    """Records a request and plays the next reply."""

    fake: FakeServer

    def do_POST(self) -> None:
        """Answer one question."""
        raw = self.rfile.read(int(self.headers.get("Content-Length", 0)))
        fake = self.fake
        reply = fake.replies[min(len(fake.asked), len(fake.replies) - 1)]
        fake.asked.append(Asked(self.path, {key.lower(): value for key, value in self.headers.items()}, raw))
        with contextlib.suppress(OSError):  # the planner may have hung up, which is its right
            reply(self)
        self.close_connection = True

    def log_message(self, format: str, *args: object) -> None:
        """Say nothing."""

    def send(self, status: int, body: bytes, **headers: str) -> None:
        """Send a whole answer."""
        self.send_response(status)
        for name, value in {"Content-Length": str(len(body)), **headers}.items():
            self.send_header(name.replace("_", "-"), value)
        self.end_headers()
        self.wfile.write(body)


@contextlib.contextmanager
def serving(*replies: Reply) -> Iterator[FakeServer]:
    """A server that gives these replies, on a free port."""
    server = ThreadingHTTPServer(("127.0.0.1", 0), Handler)
    fake = FakeServer(server.server_address[1], list(replies))
    server.RequestHandlerClass = type("Bound", (Handler,), {"fake": fake})
    thread = threading.Thread(target=server.serve_forever, kwargs={"poll_interval": 0.02}, daemon=True)
    thread.start()
    try:
        yield fake
    finally:
        fake.closing.set()
        server.shutdown()
        server.server_close()
        thread.join()


# --- replies ---


def says(content: object) -> Reply:
    """A completion whose message has this content; anything but text is sent as JSON text."""
    return message({"role": "assistant", "content": content if isinstance(content, str) else json.dumps(content)})


def message(value: object) -> Reply:
    """A completion with this message."""
    return body(json.dumps({"choices": [{"index": 0, "message": value}]}).encode())


def body(data: bytes, status: int = 200, **headers: str) -> Reply:
    """An answer with this body."""
    return lambda handler: handler.send(status, data, **headers)


def status(code: int, **headers: str) -> Reply:
    """An answer with this status, whose body repeats the key as some servers do."""
    return lambda handler: handler.send(code, f"bad key: {handler.headers['Authorization']}".encode(), **headers)


def hang(handler: Handler) -> None:
    """Say nothing until the server is closed."""
    handler.fake.closing.wait(10)


def hang_up(handler: Handler) -> None:
    """Close the connection without an answer."""
    handler.close_connection = True


def drip(start: bytes) -> Reply:
    """Send `start`, and then byte after byte without an end."""

    def reply(handler: Handler) -> None:
        handler.wfile.write(start)
        while not handler.fake.closing.wait(0.02):
            handler.wfile.write(b"x")

    return reply


def flood(handler: Handler) -> None:
    """Send 64 MiB of a completion, without saying how long it is."""
    handler.wfile.write(b"HTTP/1.1 200 OK\r\nConnection: close\r\n\r\n")
    for _ in range(1024):
        handler.wfile.write(b" " * 65536)


def raw(data: bytes) -> Reply:
    """Send these bytes, whatever they are, and close the connection."""

    def reply(handler: Handler) -> None:
        handler.wfile.write(data)

    return reply


def script(steps: Sequence[object]) -> list[Reply]:
    """One completion for each step, and after them a stop."""
    return [*map(says, steps), says({"type": "stop", "reason": "out_of_ideas"})]
