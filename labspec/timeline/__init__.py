"""The run of a fixture turn by turn: what the model decided, which rows were asked, what the meters came to.

`labspec run` prints it, `labspec preview` draws it. Values only: nothing here reads, writes or words anything.
"""

from labspec.timeline.model import Asked, Decision, Timeline, Turn
from labspec.timeline.watch import WatchedLoop, watch

__all__ = ["Asked", "Decision", "Timeline", "Turn", "WatchedLoop", "watch"]
