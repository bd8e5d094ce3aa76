"""From a lab to a student repository: `plan`, then `render`, then `write` (or `plan_write`, which only looks)."""

from labspec.emit.outputs import Edition, Plan
from labspec.emit.plan import plan
from labspec.emit.render import render
from labspec.emit.tree import File, Tree
from labspec.emit.write import Change, Policy, Status, Step, WriteRefused, Written, plan_write, write

__all__ = [
    "Change",
    "Edition",
    "File",
    "Plan",
    "Policy",
    "Status",
    "Step",
    "Tree",
    "WriteRefused",
    "Written",
    "plan",
    "plan_write",
    "render",
    "write",
]
