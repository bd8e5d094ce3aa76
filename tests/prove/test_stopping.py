"""A proof leaves nothing behind, not even one that is broken off: no process, and no file."""

from __future__ import annotations

import os
import signal
import subprocess
import sys
import time
from pathlib import Path

import pytest

VALID = Path(__file__).resolve().parents[1] / "specs" / "valid"
WITH_COMMANDS = VALID / "workspace-and-trace.yaml"
WITH_OWN_TESTS = VALID / "own-tests.yaml"

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


@pytest.mark.parametrize(
    ("when", "number"), [("3 of", "SIGINT"), ("20 of", "SIGINT"), ("20 of", "SIGTERM"), ("3 of", "SIGHUP")]
)
def test_a_proof_that_is_broken_off_leaves_no_process_and_no_folder(tmp_path: Path, when: str, number: str) -> None:
    """Whether it is in the middle of the first runs or of the mutants, and whoever breaks it off: it ends as on ^C."""
    command = [sys.executable, "-u", "-c", PROGRAM, str(WITH_COMMANDS)]
    environment = {**os.environ, "TMPDIR": str(tmp_path)}
    with subprocess.Popen(command, env=environment, stderr=subprocess.PIPE, stdout=subprocess.PIPE, text=True) as proof:
        assert proof.stderr is not None
        for line in proof.stderr:
            if when in line:
                break
        assert list(tmp_path.iterdir())
        proof.send_signal(getattr(signal, number))
        _, said = proof.communicate(timeout=60)
    assert proof.returncode == 130
    assert said.endswith("Stopped.\n")
    assert list(tmp_path.iterdir()) == []
    assert eventually_none(str(tmp_path))


def test_a_proof_that_ends_by_itself_leaves_no_process_and_no_folder(tmp_path: Path) -> None:
    """Not among the folders that pytest keeps either: students' own tests are run by a pytest of their own."""
    command = [sys.executable, "-m", "labspec", "prove", "--jobs", "2", str(WITH_OWN_TESTS)]
    environment = {**os.environ, "TMPDIR": str(tmp_path)}
    done = subprocess.run(command, env=environment, capture_output=True, text=True, timeout=300, check=False)
    assert "solution" in done.stdout
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
