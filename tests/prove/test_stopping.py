"""A proof that is broken off leaves nothing behind: no process, and no file."""

from __future__ import annotations

import os
import signal
import subprocess
import sys
import time
from pathlib import Path

import pytest

SPEC = Path(__file__).resolve().parents[1] / "specs" / "valid" / "workspace-and-trace.yaml"

pytestmark = [
    pytest.mark.xdist_group("warm"),
    pytest.mark.skipif(not Path("/proc/self/environ").exists(), reason="finds processes by their environment in /proc"),
]


def processes_with(word: str) -> list[str]:
    """The command lines of all processes in whose environment a word stands."""
    found = []
    for place in Path("/proc").glob("[0-9]*"):
        try:
            if word.encode() in (place / "environ").read_bytes():
                found.append((place / "cmdline").read_bytes().replace(b"\0", b" ").decode())
        except OSError:  # it has ended, or is somebody else's
            continue
    return found


@pytest.mark.parametrize("when", ["3 of", "20 of"])
def test_an_interrupted_proof_leaves_no_process_and_no_folder(tmp_path: Path, when: str) -> None:
    """Whether it is in the middle of the first runs or of the mutants. It ends as a program does that ^C has ended."""
    command = [sys.executable, "-u", "-c", PROGRAM, str(SPEC)]
    environment = {**os.environ, "TMPDIR": str(tmp_path)}
    with subprocess.Popen(command, env=environment, stderr=subprocess.PIPE, stdout=subprocess.PIPE, text=True) as proof:
        assert proof.stderr is not None
        for line in proof.stderr:
            if when in line:
                break
        assert list(tmp_path.iterdir())
        proof.send_signal(signal.SIGINT)
        _, said = proof.communicate(timeout=60)
    assert proof.returncode == 130
    assert said.endswith("Stopped.\n")
    assert list(tmp_path.iterdir()) == []
    assert eventually_none(str(tmp_path))


PROGRAM = """
import sys
from labspec import cli
from labspec.cli import prove
prove.STEPS_OF_A_LOG = 1000  # every subject is told
sys.exit(cli.main(["prove", "--jobs", "2", sys.argv[1]]))
"""


def eventually_none(word: str) -> bool:
    """Whether no process is left, or the last is just ending."""
    for _ in range(50):
        if not processes_with(word):
            return True
        time.sleep(0.1)
    return False
