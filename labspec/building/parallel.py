"""The same work on many things, in processes side by side where that pays."""

from __future__ import annotations

import os
import signal
import threading
from collections import deque
from typing import TYPE_CHECKING, Final, TypeVar

if TYPE_CHECKING:
    from collections.abc import Callable, Generator, Sequence
    from concurrent.futures import Future

Item = TypeVar("Item")
Made = TypeVar("Made")

PAYS_FROM: Final = 6
"""From how many things on. Up to then, to start processes costs more than it saves."""

_AT_ONCE: Final = 4
"""How many items are sent to a process at once, and come back at once."""

_AHEAD: Final = 2
"""How often each process may have been sent items that nobody has asked for yet: what comes of them takes memory."""


def each(work: Callable[[Item], Made], items: Sequence[Item]) -> Generator[Made, None, None]:
    """What `work` makes of every item, in their order and as soon as it is there. What it raises is raised here.

    Both must be such that they can be sent to another process. What this process has imported is there already.
    """
    jobs = min(_cores(), len(items))
    if len(items) < PAYS_FROM or jobs < 2 or not hasattr(os, "fork"):
        yield from map(work, items)
        return
    import multiprocessing
    from concurrent.futures import ProcessPoolExecutor

    yield work(items[0])  # what this one imports and works out, the others find done
    with ProcessPoolExecutor(jobs, multiprocessing.get_context("fork"), _begin) as pool:
        waiting: deque[Future[list[Made]]] = deque()
        try:
            for start in range(1, len(items), _AT_ONCE):
                waiting.append(pool.submit(_all, work, items[start : start + _AT_ONCE]))
                if len(waiting) > jobs * _AHEAD:
                    yield from waiting.popleft().result()
            while waiting:
                yield from waiting.popleft().result()
        finally:  # who asks for no more does not wait for all that was sent ahead
            pool.shutdown(cancel_futures=True)


def _begin() -> None:
    """Begin a process that works for another. It ends with that one, however that ends, and not before.

    What asks all processes of a terminal to end reaches the other as well. A process that ended in the middle of an
    answer would leave the other waiting for the rest of it.
    """
    for name in ("SIGINT", "SIGTERM", "SIGHUP"):
        signal.signal(getattr(signal, name), signal.SIG_IGN)
    threading.Thread(target=_end_with_parent, daemon=True).start()


def _end_with_parent() -> None:
    from multiprocessing import parent_process

    parent = parent_process()
    if parent is not None:
        parent.join()
        os._exit(1)  # nobody waits for what the other threads are at


def _all(work: Callable[[Item], Made], items: Sequence[Item]) -> list[Made]:
    return [work(item) for item in items]


def _cores() -> int:
    """How many cores this process may use."""
    return len(os.sched_getaffinity(0)) if hasattr(os, "sched_getaffinity") else os.cpu_count() or 1
