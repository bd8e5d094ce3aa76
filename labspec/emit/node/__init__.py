"""The Node target: the plan of a repository whose loop is written in JavaScript.

`plan.py` beside this package calls `plan_node`; everything else in here serves it.
"""

from labspec.emit.node.plan import plan_node

__all__ = ["plan_node"]
