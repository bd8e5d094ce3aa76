"""Did you mean …? The nearest of the words that would have been right. Used wherever a name is not known."""

from __future__ import annotations

from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from collections.abc import Iterable

MAX_LENGTH = 64
"""Longer words are never misspelt names, and the comparison takes time by the square of the length."""


def did_you_mean(word: str, options: Iterable[str]) -> str | None:
    """The option that `word` most likely misspells, or None if none is near.

    Case, `-`, `_`, `.` and spaces count as equal; beyond that, one slip in three characters is forgiven, where a slip
    is a character too many, too few, wrong, or swapped with its neighbour. Of equally near options the first wins.
    """
    if not 0 < len(word) <= MAX_LENGTH:
        return None
    folded = _fold(word)
    best: str | None = None
    fewest = max(1, len(folded) // 3) + 1
    for option in options:
        if option == word or len(option) > MAX_LENGTH:
            continue
        slips = _count_slips(folded, _fold(option), fewest)
        if slips < fewest and slips < max(len(folded), len(option)):
            best, fewest = option, slips
    return best


def _fold(word: str) -> str:
    return word.casefold().translate({ord(separator): None for separator in "-_. "})


def _count_slips(left: str, right: str, enough: int) -> int:
    """The fewest slips between two words; `enough` if there are at least so many."""
    if abs(len(left) - len(right)) >= enough:
        return enough
    before: list[int] = []
    row = list(range(len(right) + 1))
    for i, a in enumerate(left):
        above, row = row, [i + 1]
        for j, b in enumerate(right):
            slips = min(above[j] + (a != b), above[j + 1] + 1, row[j] + 1)
            if i and j and a == right[j - 1] and left[i - 1] == b:
                slips = min(slips, before[j - 1] + 1)
            row.append(slips)
        if min(row) >= enough:
            return enough
        before = above
    return min(row[-1], enough)
