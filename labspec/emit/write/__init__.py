"""The last step: a tree becomes a repository on disk, all of it or nothing, and nothing that a person wrote is lost.

`plan_write` looks at what is there and says what would be done with each file; `write` does it.
"""

from labspec.emit.write.steps import Change, Policy, Status, Step
from labspec.emit.write.target import WriteRefused
from labspec.emit.write.write import Written, finish_build, plan_write, write

__all__ = ["Change", "Policy", "Status", "Step", "WriteRefused", "Written", "finish_build", "plan_write", "write"]
