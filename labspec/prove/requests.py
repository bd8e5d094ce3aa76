"""What `warm` asks of the process of `warm_tests`, and what that answers."""

from __future__ import annotations

import json
from typing import Final, NamedTuple, Self

RUNNER_WORD: Final = "reference-runner"
"""What stands for the program in the commands of runs: there is no such program, the runner is called instead."""

ENDED: Final = "ended"
STOPPED: Final = "stopped"
"""What is said of the tests of a machine: they ended by themselves, or were stopped at their time limit."""


class Request(NamedTuple):
    """The name of a machine's file, the report to leave, a new folder for everything else, and the time there is."""

    number: int
    machine: str
    report: str
    folder: str
    seconds: float

    def line(self) -> bytes:
        """The request as it is sent."""
        return f"{json.dumps(self)}\n".encode("ascii")

    @classmethod
    def read(cls, line: bytes) -> Self:
        """The request that was sent as `line`."""
        return cls(*json.loads(line))


class Answer(NamedTuple):
    """What became of the request with this number: ENDED or STOPPED."""

    number: int
    word: str

    def line(self) -> bytes:
        """The answer as it is sent."""
        return f"{self.number} {self.word}\n".encode("ascii")

    @classmethod
    def read(cls, line: bytes) -> Self:
        """The answer that was sent as `line`."""
        number, word = line.decode("ascii").split()
        return cls(int(number), word)
