"""A local page about a spec that reloads as the spec is saved: `labspec preview`.

A thread follows the spec and puts finished pages on a board; a server on the loopback interface shows what is there.
Nothing is built for it and nothing is asked for from anywhere else. Templates, style and script are in
`templates/preview/`.
"""

from labspec.preview.board import Board, Shown
from labspec.preview.follow import Follower
from labspec.preview.server import Server

__all__ = ["Board", "Follower", "Server", "Shown"]
