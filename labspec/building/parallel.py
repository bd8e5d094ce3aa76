"""The same work on many things, in processes side by side where that pays."""

from __future__ import annotations

import os
from collections.abc import Callable, Sequence
from typing import Final, TypeVar

Item = TypeVar("Item")
Made = TypeVar("Made")

PAYS_FROM: Final = 6
"""From how many things on. Up to then, to start processes costs more than it saves."""


def each(work: Callable[[Item], Made], items: Sequence[Item]) -> list[Made]:
    """What `work` makes of every item, in their order. What it raises is raised here.

    Both must be such that they can be sent to another process. What this process has imported is there already.
    """
    jobs = min(_cores(), len(items))
    if len(items) < PAYS_FROM or jobs < 2 or not hasattr(os, "fork"):
        return [work(item) for item in items]
    import multiprocessing
    from concurrent.futures import ProcessPoolExecutor

    first = work(items[0])  # what this one imports and works out, the others find done
    with ProcessPoolExecutor(jobs, multiprocessing.get_context("fork")) as pool:
        return [first, *pool.map(work, items[1:], chunksize=max(1, len(items) // (jobs * 4)))]


def _cores() -> int:
    """How many cores this process may use."""
    return len(os.sched_getaffinity(0)) if hasattr(os, "sched_getaffinity") else os.cpu_count() or 1
