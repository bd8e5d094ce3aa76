"""What became of each mutant: the verdict of the explorer and what the tests said, put together."""

from __future__ import annotations

from typing import TYPE_CHECKING

from labspec.prove.proof import Caught, Fate, Result

if TYPE_CHECKING:
    from labspec.mutants.verdicts import Judged


def caught(judged: Judged, result: Result | None, gates: frozenset[str]) -> Caught:
    """What became of a mutant. `result` is what the tests said; None for an equivalent one, which is not run.

    `gates` are those that the reference runner has to earn: no other can tell it from a mutant.
    """
    mutant = judged.mutant
    missed = {} if result is None else {gate: why for gate, why in result.first_failures.items() if gate in gates}
    fate, note = _fate(judged, result, missed=bool(missed))
    return Caught(mutant.id, mutant.family, mutant.says, fate, missed, note)


def _fate(judged: Judged, result: Result | None, *, missed: bool) -> tuple[Fate, str]:
    if result is None:
        return "equivalent", _proved(judged)
    if result.fault is not None:
        return "not decided", f"its tests could not be run: {result.fault}"
    if missed:
        return "caught", ""
    if judged.difference.verdict == "not decided":
        pairs = judged.difference.pairs
        return "not decided", f"no gate catches it, and {pairs:,} pairs of runs do not show whether any plan can"
    return "survives", ""


def _proved(judged: Judged) -> str:
    pairs = judged.difference.pairs
    if not pairs:
        return "proved: it leaves the same records however a run ends"
    return f"proved: it leaves the same records on every plan ({pairs:,} pairs of runs)"
