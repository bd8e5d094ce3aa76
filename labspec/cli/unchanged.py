"""The quickest answer of `labspec build`: there is nothing to do. It is given before anything slow is imported."""

from __future__ import annotations

import sys

from labspec.stamps.stamp import key_of, recall

TYPE_CHECKING = False  # as `typing` says it, whose import would take as long as all that is done here
if TYPE_CHECKING:
    from collections.abc import Sequence


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
    known = [recall(key_of(spec, output, solution + hidden)) for spec in dict.fromkeys(specs)]
    found = [one for one in known if one is not None]
    if len(found) != len(known) or len({target for target, _ in found}) != len(found):
        return False
    sys.stdout.write("".join(said for _, said in found))
    return True
