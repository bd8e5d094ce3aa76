"""The server of the preview: for browsers on this machine only, and only for pages that it has served itself.

It listens on the loopback interface. A page from elsewhere can't read what it answers: it allows no other origin, and
refuses requests that come for another host, as they do when a name is made to point here (DNS rebinding).
"""

from __future__ import annotations

import json
import os
import sys
from functools import partial
from http import HTTPStatus
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from socketserver import TCPServer
from typing import TYPE_CHECKING, Any, Final, NamedTuple

from labspec.emit.templates import template_text

if TYPE_CHECKING:
    from labspec.preview.board import Board, Shown

HOST: Final = "127.0.0.1"
QUIET_SECONDS: Final = 15
"""After so long without a change something is sent all the same, which shows whether the browser is still there."""

_HEADERS: Final = {
    "Cache-Control": "no-store",
    "Content-Security-Policy": "default-src 'none'; style-src 'self'; script-src 'self'; connect-src 'self'; "
    "img-src 'self'; base-uri 'none'; form-action 'none'; frame-ancestors 'none'",
    "Cross-Origin-Opener-Policy": "same-origin",
    "Cross-Origin-Resource-Policy": "same-origin",
    "Referrer-Policy": "no-referrer",
    "X-Content-Type-Options": "nosniff",
}


class _File(NamedTuple):
    """A file that stays the same as long as the server runs."""

    kind: str
    data: bytes


class Server(ThreadingHTTPServer):
    """Serves what is on a board. Raises OSError if the port can't be had; port 0 is any that is free."""

    daemon_threads = True
    # On Windows this option would let two servers have the same port.
    allow_reuse_address = os.name != "nt"

    def __init__(self, port: int, board: Board) -> None:
        super().__init__((HOST, port), partial(_Handler, board=board, files=_files()))

    def server_bind(self) -> None:
        """Bind without asking a name server what this machine is called, as http.server does."""
        TCPServer.server_bind(self)
        self.server_name, self.server_port = HOST, self.port

    @property
    def port(self) -> int:
        """The port it listens on."""
        return int(self.server_address[1])

    @property
    def address(self) -> str:
        """Where a browser finds it."""
        return f"http://{HOST}:{self.port}/"

    def handle_error(self, request: Any, client_address: Any) -> None:
        """A browser that goes away in the middle of an answer is no error."""
        if not isinstance(sys.exception(), ConnectionError | TimeoutError):
            super().handle_error(request, client_address)


def _files() -> dict[str, _File]:
    style = template_text("page/base.css") + template_text("preview/style.css")
    return {
        "/style.css": _File("text/css; charset=utf-8", style.encode()),
        "/script.js": _File("text/javascript; charset=utf-8", template_text("preview/script.js").encode()),
        "/icon.svg": _File("image/svg+xml", template_text("preview/icon.svg").encode()),
    }


class _Handler(BaseHTTPRequestHandler):
    """Answers one request."""

    server: Server
    server_version = "labspec"
    sys_version = ""
    timeout = 60
    """Seconds that a browser may take to ask, or to take an answer."""

    def __init__(self, *arguments: Any, board: Board, files: dict[str, _File]) -> None:
        self._board, self._files = board, files
        super().__init__(*arguments)

    def do_GET(self) -> None:
        """Answer with the page, a file that it needs, or its changes as they come."""
        if self.headers.get_all("Host") not in [[host] for host in self._hosts()]:
            return self._refuse(HTTPStatus.MISDIRECTED_REQUEST)
        path = self.path.partition("?")[0]
        if path == "/":
            return self._send("text/html; charset=utf-8", self._board.shown().page)
        if path == "/changes":
            return self._send_changes()
        if path in self._files:
            return self._send(*self._files[path])
        return self._refuse(HTTPStatus.NOT_FOUND)

    do_HEAD = do_GET  # noqa: N815 - the name that http.server asks for

    def log_message(self, *arguments: Any) -> None:
        """Say nothing: the terminal is the instructor's."""

    def _hosts(self) -> list[str]:
        names = (HOST, "localhost")
        return [f"{name}:{self.server.port}" for name in names] + [name for name in names if self.server.port == 80]

    def _refuse(self, status: HTTPStatus) -> None:
        self._send("text/plain; charset=utf-8", f"{status.value} {status.phrase}\n".encode(), status)

    def _send(self, kind: str, data: bytes, status: HTTPStatus = HTTPStatus.OK) -> None:
        self._begin(kind, status)
        self.send_header("Content-Length", str(len(data)))
        self.end_headers()
        if self.command != "HEAD":
            self.wfile.write(data)

    def _send_changes(self) -> None:
        """What is shown, and again whenever that changes, as server-sent events."""
        self._begin("text/event-stream; charset=utf-8", HTTPStatus.OK)
        self.end_headers()
        if self.command == "HEAD":
            return
        self.wfile.write(b"retry: 1000\n\n")  # a preview that is started again is found within a second
        shown = self._board.shown()
        while True:
            self.wfile.write(_event(shown))
            self.wfile.flush()
            shown = self._board.wait(shown, QUIET_SECONDS)

    def _begin(self, kind: str, status: HTTPStatus) -> None:
        self.send_response(status)
        self.send_header("Content-Type", kind)
        for name, value in _HEADERS.items():
            self.send_header(name, value)


def _event(shown: Shown) -> bytes:
    return f"data: {json.dumps({'revision': shown.revision, 'checking': shown.checking})}\n\n".encode()
