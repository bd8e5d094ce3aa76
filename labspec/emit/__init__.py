"""From a lab to a student repository: `plan`, then `render`, then `write` (or `compare`)."""

from labspec.emit.archive import archive
from labspec.emit.compare import Difference, compare
from labspec.emit.outputs import Edition, Plan
from labspec.emit.plan import plan
from labspec.emit.render import render
from labspec.emit.target import WriteRefused
from labspec.emit.tree import File, Tree
from labspec.emit.write import Written, write

__all__ = [
    "Difference",
    "Edition",
    "File",
    "Plan",
    "Tree",
    "WriteRefused",
    "Written",
    "archive",
    "compare",
    "plan",
    "render",
    "write",
]
