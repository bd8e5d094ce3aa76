"""The quickest answer of `labspec build`: there is nothing to do. It is given before anything slow is imported."""

from __future__ import annotations

import sys
from collections.abc import Sequence

from labspec.stamps.stamp import Key, Recalled, recall


def say_unchanged(words: Sequence[str]) -> bool:
    """Answer a `build` with these arguments if every spec is known to be unchanged; False if the command has to run.

    Only the plain forms of arguments are understood here: the command itself understands them all.
    """
    specs: list[str] = []
    output, solution, hidden = "generated", "starter", ""
    rest = iter(words)
    for word in rest:
        if word in ("-o", "--output"):
            output = next(rest, "-")
        elif word == "--solution":
            solution = "solution"
        elif word == "--hidden":
            hidden = "+hidden"
        else:
            specs.append(word)
    if not specs or any(word.startswith("-") for word in (output, *specs)):
        return False
    found = [recall(Key.of(spec, output, solution + hidden)) for spec in dict.fromkeys(specs)]
    known = [one for one in found if isinstance(one, Recalled)]
    if len(known) != len(found) or len({one.target for one in known}) != len(known):
        return False
    sys.stdout.write("".join(one.said for one in known))
    return True
