"""The process in which mutants are tested: pytest, warm, with the tests of one repository collected.

    python -m labspec.prove.warm_tests MACHINE FOLDER MEMORY

MACHINE is the file of the reference machine, FOLDER an empty folder, MEMORY the folder of remembered commands. Requests
come from the standard input, a line of JSON each, and for each of them the process forks. The child puts one machine to
the collected tests, and leaves the report that the tests write. When it has ended, its number and a word are written to
the standard output. The end of the input ends everything.

In a child the runner is no process of its own: `in_process` makes the runs that the tests ask for. A test that would
see nothing but what it saw of the reference is not run again: `outcomes` knows how it ends.
"""

from __future__ import annotations

import contextlib
import gc
import os
import selectors
import signal
import sys
import time
from collections.abc import Generator, Iterable, Iterator, Sequence
from pathlib import Path
from typing import NamedTuple

import pytest

from labspec.prove.in_process import InProcessRuns
from labspec.prove.outcomes import learn_outcomes
from labspec.prove.requests import ENDED, STOPPED, Answer, Request

GRACE = 2.0
"""Seconds a child has to end, once it is asked to, before it is killed."""

ARGUMENTS = (
    *("-q", "--no-header", "--capture=no", "--tb=native", "-r", "N"),
    # These cost each test more than a run does, and no test of ours knows of them.
    *("-p", "no:cacheprovider", "-p", "no:logging", "-p", "no:unraisableexception", "-p", "no:threadexception"),
    "tests",
)


class _Child(NamedTuple):
    number: int
    pid: int
    deadline: float


class WarmTests:
    """A pytest plugin: in place of the loop over the tests it takes requests, and lets each child run that loop."""

    def __init__(self, runs: InProcessRuns, requests: int, answers: int) -> None:
        self._runs = runs
        self._requests = requests
        self._answers = answers
        self._children: dict[int, _Child] = {}
        self._unread = b""
        self._folder = Path()
        self.is_child = False

    @pytest.hookimpl(tryfirst=True)
    def pytest_configure(self, config: pytest.Config) -> None:
        """Bring our way to run fixtures, under the name that the tests ask for."""
        config.pluginmanager.register(self._runs, "contract-runs")

    @pytest.fixture
    def tmp_path(self) -> Path:
        """One folder for all tests: they only hand it to their bench, which does not need it here."""
        return self._folder

    @pytest.hookimpl(wrapper=True)
    def pytest_runtestloop(self, session: pytest.Session) -> Generator[None, object, object]:
        """Serve until the input ends. In a child: run the tests whose outcome is not known, and tell of the others."""
        session.config.option.tbstyle = "no"  # of a test that fails, the report has one line only
        outcomes = learn_outcomes(session.items, self._runs)
        gc.collect()
        gc.freeze()  # or the first collection in each child would copy all of the memory
        self._serve_all()
        same = [outcome for outcome in outcomes if outcome.is_same_with(self._runs)] if self.is_child else outcomes
        known = {outcome.item for outcome in same}
        session.items = [item for item in session.items if item not in known]
        result = yield
        if self.is_child:
            for outcome in same:
                outcome.tell()
        return result

    def _serve_all(self) -> None:
        """Serve until the input ends, or this process is a child."""
        with selectors.DefaultSelector() as selector:
            selector.register(self._requests, selectors.EVENT_READ)
            try:
                while not self.is_child and self._serve(selector):
                    pass
            finally:
                if not self.is_child:
                    self._stop(self._children.values())

    def _serve(self, selector: selectors.BaseSelector) -> bool:
        """Look at what happens next; False once the input has ended."""
        for key, _ in selector.select(self._until_next_deadline()):
            if key.fd != self._requests:
                self._answer(selector, key.fd, ENDED)
                continue
            data = os.read(self._requests, 65_536)
            if not data:
                return False
            for request in self._read(data):
                self._fork(selector, request)
                if self.is_child:
                    return True
        for descriptor, child in list(self._children.items()):
            if child.deadline <= time.monotonic():
                self._stop([child])
                self._answer(selector, descriptor, STOPPED)
        return True

    def _until_next_deadline(self) -> float | None:
        deadlines = [child.deadline for child in self._children.values()]
        return max(0.0, min(deadlines) - time.monotonic()) if deadlines else None

    def _read(self, data: bytes) -> Iterator[Request]:
        *lines, self._unread = (self._unread + data).split(b"\n")
        for line in lines:
            yield Request.read(line)

    def _fork(self, selector: selectors.BaseSelector, request: Request) -> None:
        """Start a child. It holds the writing end of a pipe, and nobody else does: when that closes, it has ended."""
        reading, writing = os.pipe()
        pid = os.fork()
        if pid == 0:
            gc.disable()  # a child does not live for long
            os.close(reading)
            self._become(request)
            return
        os.close(writing)
        self._children[reading] = _Child(request.number, pid, time.monotonic() + request.seconds)
        selector.register(reading, selectors.EVENT_READ)

    def _become(self, request: Request) -> None:
        """In a child: be ready for the loop over the tests."""
        self.is_child = True
        signal.signal(signal.SIGINT, signal.default_int_handler)
        for descriptor in (self._requests, self._answers, *self._children):
            os.close(descriptor)
        self._folder = Path(request.folder)
        self._folder.mkdir()
        _print_to(self._folder / "output.txt")
        self._runs.use(Path(request.machine), self._folder)
        os.environ["LAB_REPORT"] = request.report

    def _answer(self, selector: selectors.BaseSelector, descriptor: int, word: str) -> None:
        child = self._children.pop(descriptor)
        selector.unregister(descriptor)
        os.close(descriptor)
        with contextlib.suppress(ChildProcessError):  # a child that was stopped is known to have ended
            os.waitpid(child.pid, 0)
        os.write(self._answers, Answer(child.number, word).line())

    def _stop(self, children: Iterable[_Child]) -> None:
        """End children. They are asked first, for then they end the commands that they have started."""
        left = list(children)
        for number, patience in ((signal.SIGINT, GRACE), (signal.SIGKILL, None)):
            left = [child for child in left if not _has_ended(child.pid)]
            for child in left:
                with contextlib.suppress(ProcessLookupError):
                    os.kill(child.pid, number)
            _wait_for(left, patience)


def _has_ended(pid: int) -> bool:
    try:
        return os.waitpid(pid, os.WNOHANG)[0] != 0
    except ChildProcessError:
        return True


def _wait_for(children: Sequence[_Child], patience: float | None) -> None:
    deadline = None if patience is None else time.monotonic() + patience
    waiting = list(children)
    while waiting and (deadline is None or time.monotonic() < deadline):
        time.sleep(0.01)
        waiting = [child for child in waiting if not _has_ended(child.pid)]


def _print_to(file: Path) -> None:
    """What this process prints goes to `file` from now on, and it has no input."""
    descriptor = os.open(file, os.O_WRONLY | os.O_CREAT | os.O_TRUNC, 0o600)
    nothing = os.open(os.devnull, os.O_RDONLY)
    for source, targets in ((nothing, (0,)), (descriptor, (1, 2))):
        for target in targets:
            os.dup2(source, target)
        os.close(source)


def main() -> int:
    """Serve requests from the standard input, whose end ends this process."""
    signal.signal(signal.SIGINT, signal.SIG_IGN)  # on ^C whoever started this closes the input
    requests, answers = os.dup(0), os.dup(1)
    os.dup2(2, 1)
    machine, folder, memory = map(Path, sys.argv[1:])
    runs = InProcessRuns(Path.cwd(), memory)
    runs.use(machine, folder)
    runs.learn()
    warm = WarmTests(runs, requests, answers)
    code = pytest.main(list(ARGUMENTS), plugins=[warm])
    if warm.is_child:
        sys.stdout.flush()
        sys.stderr.flush()
        os._exit(int(code))  # what this process has at its end is the parent's
    return int(code)


if __name__ == "__main__":
    sys.exit(main())
