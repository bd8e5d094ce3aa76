"""What changed only for people who read: the sections whose words differ, and what students are asked to hand in."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from typing import TYPE_CHECKING, Any, Final

from labspec.differences.items import from_to
from labspec.differences.model import Change

if TYPE_CHECKING:
    from labspec.lab.model import Lab

_SECTIONS: Final[dict[str, Callable[[Lab], Any]]] = {
    "title": lambda lab: lab.title,
    "summary": lambda lab: lab.summary,
    "goal": lambda lab: lab.goal,
    "objectives": lambda lab: lab.objectives,
    "agenda": lambda lab: lab.agenda,
    "exercises": lambda lab: lab.exercises,
    "limitations": lambda lab: lab.limitations,
    "skip_if": lambda lab: lab.skip_if,
    "taxonomy": lambda lab: {one.name: one.says for one in lab.taxonomy},
    "table": lambda lab: {one.id: one.says for one in lab.table},
    "meters": lambda lab: {one.name: one.says for one in lab.meters},
    "tools": lambda lab: {one.name: one.says for one in lab.tools},
    "fixtures": lambda lab: {one.id: (one.title, one.says, one.data.get("goal")) for one in lab.fixtures},
    "rubric": lambda lab: {one.id: (one.says, one.shared) for one in lab.rubric},
    "mistakes": lambda lab: {one.id: (one.says, one.hint) for one in lab.mistakes},
    "manual": lambda lab: {one.id: one.says for one in lab.manual},
    "stretch": lambda lab: {one.id: (one.title, one.says) for one in (lab.stretch.goals if lab.stretch else ())},
    "submission": lambda lab: {(one.kind, one.target): one.says for one in lab.submission},
}
"""The words of each section of a spec, by the name of what they describe where it has one."""


def wording_changes(old: Lab, new: Lab) -> Iterator[Change]:
    """The sections in which something that both labs have is told in other words."""
    for section, words in _SECTIONS.items():
        before, after = words(old), words(new)
        if not isinstance(before, dict):
            if before != after:
                yield Change("changed", "words of", section)
        elif names := [_name(name) for name, said in after.items() if name in before and before[name] != said]:
            yield Change("changed", "words of", section, (", ".join(names),))


def _name(name: str | tuple[str, ...]) -> str:
    return name if isinstance(name, str) else " ".join(name)


def work_changes(old: Lab, new: Lab) -> Iterator[Change]:
    """What students write, hand in and have time for; and the id of the lab."""
    before, after = (_work(lab) for lab in (old, new))
    for name, value in after.items():
        if details := tuple(from_to("", before[name], value)):
            yield Change("changed", "setting", name, (details[0].removeprefix(": "),))


def _work(lab: Lab) -> dict[str, object]:
    starter = {f"starter.{part}": what for part, what in lab.starter._asdict().items()}
    handed_in = tuple(
        f"{one.kind} {one.target}{f' of {one.words} words' if one.words else ''}" for one in lab.submission
    )
    return {"id": lab.id, "minutes": lab.minutes, **starter, "submission": handed_in}
