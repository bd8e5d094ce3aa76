"""Judges fixtures/prices.py.

No tool can change this file, because it lies outside the allowed roots. The code it
judges runs in a second process, where it can end, loop or print what it likes: all of
that is red.
"""

import importlib
import secrets
import subprocess
import sys


def is_green() -> bool:
    """Whether a second process adds up as it should."""
    prices = [secrets.randbelow(1_000_000) + 1 for _ in range(5)]
    wanted = str(sum(prices)).encode()
    with subprocess.Popen(
        [sys.executable, "-B", __file__, *map(str, prices)],
        stdin=subprocess.DEVNULL,
        stdout=subprocess.PIPE,
        stderr=subprocess.DEVNULL,
    ) as child:
        came = child.stdout.read(len(wanted) + 1) if child.stdout else b""
    return child.returncode == 0 and came == wanted


def answer(prices: list[int]) -> None:
    """In the second process: add up."""
    sys.path.insert(0, "fixtures")
    sys.stdout.write(str(importlib.import_module("prices").total(prices)))


if __name__ == "__main__":
    if len(sys.argv) > 1:
        answer([int(price) for price in sys.argv[1:]])
    else:
        sys.exit(0 if is_green() else 1)
