"""`labspec preview` as a program: what it prints, and how it ends."""

from __future__ import annotations

import http.client
import signal
import socket
import sys
from pathlib import Path

import pytest

from tests.cli.users import BASE, INVALID, ROOT, program, small_lab
from tests.preview.programs import previewing

posix_only = pytest.mark.skipif(sys.platform == "win32", reason="an interrupt can't be sent to one process on Windows")


def page_at(port: int) -> str:
    connection = http.client.HTTPConnection("127.0.0.1", port, timeout=60)
    connection.request("GET", "/")
    text = connection.getresponse().read().decode()
    connection.close()
    return text


@posix_only
def test_it_says_where_the_page_is_and_ends_quietly_on_an_interrupt() -> None:
    with previewing(BASE, "--port", "0") as (child, port):
        assert "A search that says why it stopped" in page_at(port)
        child.send_signal(signal.SIGINT)
        out, err = child.communicate(timeout=60)
    assert (child.returncode, out, err) == (0, "\n", "")


@posix_only
def test_an_open_page_does_not_keep_it_from_ending() -> None:
    with (
        previewing(BASE, "--port", "0") as (child, port),
        socket.create_connection(("127.0.0.1", port), timeout=60) as page,
    ):
        page.sendall(f"GET /changes HTTP/1.1\r\nHost: 127.0.0.1:{port}\r\n\r\n".encode())
        assert page.recv(20).startswith(b"HTTP/1.0 200 ")
        child.send_signal(signal.SIGINT)
        assert child.wait(60) == 0


def test_a_spec_with_errors_is_shown() -> None:
    with previewing(INVALID / "budget-zero.yaml", "--port", "0") as (_, port):
        assert "budget-is-zero" in page_at(port)


@posix_only
@pytest.mark.parametrize(("options", "opened"), [((), False), (("--no-browser",), False), (("--open",), True)])
def test_a_browser_opens_only_where_somebody_sees_it(tmp_path: Path, options: tuple[str, ...], opened: bool) -> None:
    """Not in a pipe, unless it is asked for."""
    asked, browser = tmp_path / "asked", tmp_path / "browser"
    browser.write_text(f'#!/bin/sh\necho "$1" >"{asked}"\n', encoding="utf-8")
    browser.chmod(0o755)
    with previewing(BASE, "--port", "0", *options, browser=f"{browser} %s") as (child, port):
        page_at(port)
        child.send_signal(signal.SIGINT)
        assert child.wait(60) == 0
    assert asked.exists() == opened
    assert not opened or asked.read_text(encoding="utf-8") == f"http://127.0.0.1:{port}/\n"


def test_nothing_is_written_beside_the_spec(tmp_path: Path) -> None:
    with previewing(small_lab(tmp_path / "lab.yaml"), "--port", "0") as (_, port):
        page_at(port)
    assert [path.name for path in tmp_path.iterdir()] == ["lab.yaml"]


def test_a_port_that_is_in_use_is_said_in_a_line() -> None:
    with socket.create_server(("127.0.0.1", 0)) as taken:
        port = taken.getsockname()[1]
        done = program("preview", BASE, "--port", str(port))
    says = f"Error: port {port} is in use: choose another one, or leave --port out\n"
    assert (done.returncode, done.stdout, done.stderr.decode()) == (1, b"", says)


def test_two_previews_have_a_page_each() -> None:
    """Without --port, the second takes another one."""
    with previewing(BASE) as (_, first), previewing(INVALID / "budget-zero.yaml") as (_, second):
        assert first != second
        assert "budget-is-zero" not in page_at(first)
        assert "budget-is-zero" in page_at(second)


@pytest.mark.parametrize(("name", "code"), [("nothing.yaml", "file-not-found"), (".", "not-a-file")])
def test_a_spec_that_is_not_there_is_an_error_at_once(tmp_path: Path, name: str, code: str) -> None:
    done = program("preview", name, folder=tmp_path, environment={"PYTHONPATH": str(ROOT)})
    assert (done.returncode, done.stdout) == (1, b"")
    assert done.stderr.startswith(f"error[{code}] ".encode())


@pytest.mark.parametrize("port", ["-1", "65536", "http"])
def test_what_is_no_port_is_wrong_usage(port: str) -> None:
    done = program("preview", BASE, "--port", port)
    assert done.returncode == 2
    assert b"Invalid value for '--port'" in done.stderr
