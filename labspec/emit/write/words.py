"""What is done with the files of a repository, in words: the steps that matter, then a line that sums up."""

from __future__ import annotations

from collections import Counter
from collections.abc import Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Final

from labspec.emit.tree import LAB, MANIFEST, PRISTINE

if TYPE_CHECKING:
    from labspec.emit.write.steps import Step

_DONE: Final = {
    "new": "new",
    "update": "updated",
    "merge": "merged",
    "gone": "brought back",
    "stale": "removed",
    "keep": "kept",
    "conflict": "in conflict",
    "foreign": "foreign",
}
"""What is said in the summary of files with this status."""

_PLANNED: Final = {**_DONE, "update": "to update", "merge": "to merge", "gone": "to bring back", "stale": "to remove"}


def steps_text(target: Path, steps: Sequence[Step], *, planned: bool = False, brief: bool = False) -> str:
    """A line for each file with something to say, and the summary. A repository that is new as a whole has no lines.

    With `brief`, what came or was changed as the spec says, without a person in it, has none either.
    """
    shown = [step for step in steps if step.status != "same"]
    lines = [_line(step) for step in shown if step.path not in (LAB, PRISTINE, MANIFEST) and (step.says or not brief)]
    if all(step.status == "new" for step in steps):
        lines = []
    words = _PLANNED if planned else _DONE
    counts = Counter(words[step.status] for step in shown)
    counted = ", ".join(f"{counts[word]} {word}" for word in dict.fromkeys(words.values()) if counts[word])
    doing = any(step.changes or step.is_open for step in steps)
    nothing = "" if doing else "nothing to do"
    summary = ", ".join(part for part in (nothing, counted) if part)
    total = sum(step.status != "stale" for step in steps)
    return "".join(f"{line}\n" for line in [*lines, f"{target}: {summary} ({total} files)"])


def _line(step: Step) -> str:
    return f"  {step.status:<9} {step.path}{f'  ({step.says})' if step.says else ''}"
