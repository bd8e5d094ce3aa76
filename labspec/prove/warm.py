"""Machines put to the tests of a repository without a process for each run. `warm_tests` is at the other end."""

from __future__ import annotations

import contextlib
import json
import os
import subprocess
import sys
import threading
from concurrent.futures import Future
from itertools import count
from pathlib import Path
from typing import IO, TYPE_CHECKING, Final

from labspec.prove.judge import end_of, fault, read_report, tests_environment
from labspec.prove.proof import Result
from labspec.prove.requests import ENDED, RUNNER_WORD, Answer, Request

if TYPE_CHECKING:
    from labspec.lab.model import MachineData
    from labspec.prove.children import Children

MACHINE_SECONDS: Final = 120.0
"""After how many seconds the tests of one machine are stopped."""

CAN_FORK: Final = hasattr(os, "fork")
"""Where there is no fork, each machine is put to the tests as a process of its own: the same result, later."""

GONE: Final = "the process of the tests has ended"


class Warm:
    """The tests of the repository in `repository`, collected once, for any number of machines like `machine`.

    `machine` is the reference. `folder` must be new; `memory` has what commands did, in this lab and in others. Any
    thread may call `judge`; the first call starts the process.
    """

    def __init__(self, repository: Path, machine: MachineData, folder: Path, memory: Path, children: Children) -> None:
        self._repository = repository
        self._machine = machine
        self._folder = folder
        self._memory = memory
        self._children = children
        self._numbers = count(1)
        self._waiting: dict[int, Future[str]] = {}
        self._lock = threading.Lock()
        self._process: subprocess.Popen[bytes] | None = None
        self._gone = False

    def judge(self, machine: MachineData) -> Result:
        """Put one machine to the tests. Raises StoppedError if the proof is broken off."""
        with self._lock:
            process = self._process = self._process or self._start()
            number = next(self._numbers)
            answer = self._waiting[number] = Future()
            if self._gone:
                answer.set_result(GONE)
        word = self._ask(process, number, machine, answer)
        report = self._folder / f"{number}.report.json"
        if word == ENDED:
            return read_report(report, self._folder / str(number) / "output.txt")
        if word == GONE:
            return fault(f"{GONE}; it said:\n{end_of(self._folder / 'output.txt')}")
        return fault(f"the tests did not end in {MACHINE_SECONDS:.0f} seconds")

    def close(self) -> None:
        """End the process. Nothing more can be judged."""
        with contextlib.suppress(OSError):  # it may have ended with something unread
            if self._process is not None:
                _input_of(self._process).close()

    def _start(self) -> subprocess.Popen[bytes]:
        learned = self._folder / "learned"
        learned.mkdir(parents=True)
        reference = self._write(self._machine, "reference")
        process = self._children.start(
            [sys.executable, "-m", "labspec.prove.warm_tests", str(reference), str(learned), str(self._memory)],
            self._repository,
            {**tests_environment(self._folder), "LAB_RUNNER": json.dumps([RUNNER_WORD]), "LAB_RUN_ONCE": "1"},
            self._folder / "output.txt",
            piped=True,
        )
        threading.Thread(target=self._listen, args=(_output_of(process),), daemon=True).start()
        return process

    def _ask(self, process: subprocess.Popen[bytes], number: int, machine: MachineData, answer: Future[str]) -> str:
        file = self._write(machine, str(number))
        report, folder = self._folder / f"{number}.report.json", self._folder / str(number)
        request = Request(number, str(file), str(report), str(folder), MACHINE_SECONDS)
        try:
            with self._lock:
                _input_of(process).write(request.line())
                _input_of(process).flush()
        except (OSError, ValueError):  # ValueError: closed by us
            return GONE
        return answer.result()

    def _write(self, machine: MachineData, name: str) -> Path:
        file = self._folder / f"{name}.machine.json"
        file.write_text(json.dumps(machine), encoding="ascii")
        return file

    def _listen(self, answers: IO[bytes]) -> None:
        """Hand every answer to whoever waits for it, until there are no more."""
        with answers:
            for line in answers:
                number, word = Answer.read(line)
                self._waiting.pop(number).set_result(word)
        with self._lock:
            self._gone = True
            waiting, self._waiting = self._waiting, {}
        for answer in waiting.values():
            answer.set_result(GONE)


def _input_of(process: subprocess.Popen[bytes]) -> IO[bytes]:
    if process.stdin is None:
        raise TypeError("the process was not started with pipes")
    return process.stdin


def _output_of(process: subprocess.Popen[bytes]) -> IO[bytes]:
    if process.stdout is None:
        raise TypeError("the process was not started with pipes")
    return process.stdout
