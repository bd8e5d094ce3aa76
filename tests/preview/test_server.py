"""The server answers browsers on this machine that ask for the page, and nobody else."""

from __future__ import annotations

import json
import socket
import threading
from collections.abc import Iterator
from contextlib import contextmanager
from http.client import HTTPConnection, HTTPResponse
from typing import NamedTuple

import pytest
from hypothesis import given
from hypothesis import strategies as st

from labspec.preview import Board, Server, Shown

PAGE = Shown("<!DOCTYPE html>é".encode(), "first")


class Answer(NamedTuple):
    """An answer as a browser gets it."""

    status: int
    headers: dict[str, str]
    body: bytes


@contextmanager
def serving(board: Board) -> Iterator[Server]:
    """A server that shows what is on the board."""
    with Server(0, board) as server:
        thread = threading.Thread(target=server.serve_forever, args=(0.01,))
        thread.start()
        try:
            yield server
        finally:
            server.shutdown()
            thread.join()


@pytest.fixture(scope="module")
def server() -> Iterator[Server]:
    with serving(Board(PAGE)) as server:
        yield server


def ask(server: Server, path: str = "/", method: str = "GET", **headers: str | None) -> Answer:
    """Ask with the headers given; `Host` is that of the server unless it is given, and left out if it is None."""
    wanted = {"Host": f"127.0.0.1:{server.port}", **headers}
    connection = HTTPConnection("127.0.0.1", server.port, timeout=10)
    connection.putrequest(method, path, skip_host=True, skip_accept_encoding=True)
    for name, value in wanted.items():
        if value is not None:
            connection.putheader(name, value)
    connection.endheaders()
    response = connection.getresponse()
    answer = Answer(response.status, dict(response.getheaders()), response.read())
    connection.close()
    return answer


def test_the_page_is_what_is_shown(server: Server) -> None:
    answer = ask(server)
    assert (answer.status, answer.body) == (200, PAGE.page)
    assert answer.headers["Content-Type"] == "text/html; charset=utf-8"


@pytest.mark.parametrize("path", ["/", "/style.css", "/script.js", "/icon.svg", "/nothing"])
def test_every_answer_forbids_what_a_page_from_elsewhere_could_do_with_it(server: Server, path: str) -> None:
    headers = ask(server, path).headers
    policy = headers["Content-Security-Policy"].split("; ")
    assert policy[0] == "default-src 'none'"
    assert "frame-ancestors 'none'" in policy
    assert not any("unsafe" in rule or "*" in rule or "http" in rule for rule in policy)
    assert headers["Cross-Origin-Resource-Policy"] == "same-origin"
    assert headers["X-Content-Type-Options"] == "nosniff"
    assert headers["Cache-Control"] == "no-store"
    assert "Access-Control-Allow-Origin" not in headers
    assert headers["Server"].strip() == "labspec"


@pytest.mark.parametrize(
    "host", ["example.org", "example.org:{port}", "127.0.0.1", "127.0.0.1:1", "127.0.0.1.nip.io:{port}", "", None]
)
@pytest.mark.parametrize("path", ["/", "/changes", "/script.js"])
def test_who_asks_for_another_host_is_refused(server: Server, host: str | None, path: str) -> None:
    """A name that is made to point to this machine does not open the page to others (DNS rebinding)."""
    answer = ask(server, path, Host=None if host is None else host.format(port=server.port))
    assert (answer.status, answer.body) == (421, b"421 Misdirected Request\n")


def test_this_machine_may_be_called_localhost(server: Server) -> None:
    assert ask(server, Host=f"localhost:{server.port}").status == 200


def test_two_hosts_in_one_request_are_refused(server: Server) -> None:
    with socket.create_connection(("127.0.0.1", server.port), timeout=10) as connection:
        connection.sendall(f"GET / HTTP/1.1\r\nHost: 127.0.0.1:{server.port}\r\nHost: a.example\r\n\r\n".encode())
        assert connection.makefile("rb").readline().startswith(b"HTTP/1.0 421 ")


@pytest.mark.parametrize(
    "path",
    [
        "/index.html", "/../server.py", "/..%2f..%2fetc/passwd", "//etc/passwd", "/%2e%2e/%2e%2e/etc/passwd",
        "/lab.yaml", "/style.css/../../x", "/script.js%00", "/STYLE.CSS", "http://example.org/",
        "/templates/preview/page.html",
    ],
)  # fmt: skip
def test_nothing_else_is_there(server: Server, path: str) -> None:
    answer = ask(server, path)
    assert (answer.status, answer.body) == (404, b"404 Not Found\n")


@given(st.text(st.characters(codec="ascii", exclude_categories=["Cc", "Zs"]), max_size=60))
def test_no_path_leads_to_a_file(server: Server, path: str) -> None:
    known = {"", "style.css", "script.js", "icon.svg", "changes"}
    if path.lstrip("/").partition("?")[0] not in known:  # Python's server takes `//` at the beginning for `/`
        assert ask(server, f"/{path}").status == 404


def test_a_question_behind_the_path_changes_nothing(server: Server) -> None:
    assert ask(server, "/?file=/etc/passwd").body == PAGE.page


@pytest.mark.parametrize("method", ["POST", "PUT", "DELETE", "OPTIONS", "PATCH"])
def test_nothing_can_be_changed(server: Server, method: str) -> None:
    assert ask(server, "/", method).status == 501


@pytest.mark.parametrize("path", ["/", "/script.js", "/changes"])
def test_head_is_an_answer_without_its_body(server: Server, path: str) -> None:
    answer = ask(server, path, "HEAD")
    assert (answer.status, answer.body) == (200, b"")


def test_it_listens_on_the_loopback_interface_only(server: Server) -> None:
    assert server.socket.getsockname()[0] == "127.0.0.1"
    assert server.address == f"http://127.0.0.1:{server.port}/"


def test_a_port_is_had_once(server: Server) -> None:
    with pytest.raises(OSError, match=r"in use|only one usage"):
        Server(server.port, Board(PAGE))


# --- changes ---


def _events(response: HTTPResponse) -> Iterator[dict[str, object]]:
    while line := response.readline():
        if line.startswith(b"data: "):
            yield json.loads(line.removeprefix(b"data: "))


def test_changes_are_told_as_they_come() -> None:
    board = Board(PAGE)
    with serving(board) as server:
        connection = HTTPConnection("127.0.0.1", server.port, timeout=10)
        connection.request("GET", "/changes")
        response = connection.getresponse()
        assert response.getheader("Content-Type") == "text/event-stream; charset=utf-8"
        events = _events(response)
        assert next(events) == {"revision": "first", "checking": False}
        board.show(PAGE._replace(checking=True))
        assert next(events) == {"revision": "first", "checking": True}
        board.show(Shown(b"new", "second"))
        assert next(events) == {"revision": "second", "checking": False}
        assert ask(server).body == b"new"
        connection.close()


def test_a_browser_that_goes_away_disturbs_nobody(capfd: pytest.CaptureFixture[str]) -> None:
    board = Board(PAGE)
    with serving(board) as server:
        for _ in range(3):
            with socket.create_connection(("127.0.0.1", server.port), timeout=10) as gone:
                gone.sendall(f"GET /changes HTTP/1.0\r\nHost: 127.0.0.1:{server.port}\r\n\r\n".encode())
                assert gone.recv(20).startswith(b"HTTP/1.0 200 ")
        for number in range(20):
            board.show(Shown(b"", str(number)))
            assert ask(server).status == 200
    assert capfd.readouterr().err == ""


def test_who_waits_is_woken_by_a_change_only() -> None:
    board = Board(PAGE)
    assert board.wait(PAGE, 0.01) is PAGE
    other = Shown(b"", "other")
    threading.Timer(0.05, board.show, [other]).start()
    assert board.wait(PAGE, 30) is other
    assert board.wait(PAGE, 30) is other, "what has changed meanwhile is told at once"
