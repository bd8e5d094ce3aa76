"""Judges fixtures/app.py.

No tool can change this file, because it lies outside the allowed roots. The code it
judges runs in a second process, where it can end, loop or print what it likes: all of
that is red.
"""

import importlib
import json
import secrets
import subprocess
import sys


def is_green() -> bool:
    """Whether a second process greets everybody as it should."""
    names = ["ada", "", *(secrets.token_hex(8) for _ in range(3))]
    wanted = json.dumps([f"hello, {name}" for name in names]).encode()
    with subprocess.Popen(
        [sys.executable, "-B", __file__, *names],
        stdin=subprocess.DEVNULL,
        stdout=subprocess.PIPE,
        stderr=subprocess.DEVNULL,
    ) as child:
        came = child.stdout.read(len(wanted) + 1) if child.stdout else b""
    return child.returncode == 0 and came == wanted


def answer(names: list[str]) -> None:
    """In the second process: greet everybody."""
    sys.path.insert(0, "fixtures")
    greet = importlib.import_module("app").greet
    sys.stdout.write(json.dumps([greet(name) for name in names]))


if __name__ == "__main__":
    if len(sys.argv) > 1:
        answer(sys.argv[1:])
    else:
        sys.exit(0 if is_green() else 1)
