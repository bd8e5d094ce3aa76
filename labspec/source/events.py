"""The YAML parser behind `parse`: events with places, and no constructors.

The C parser is used where PyYAML has it (it is ten times faster), the pure one elsewhere.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Protocol

from yaml.error import MarkedYAMLError
from yaml.parser import Parser
from yaml.reader import Reader
from yaml.scanner import Scanner

if TYPE_CHECKING:
    from yaml.events import Event

MAX_DEPTH = 40
"""How deep lists and mappings may be nested. The labs we know need 8."""

TOO_DEEP = "exceeded maximum nesting depth"
"""What the C parser says at its own limit of 1000, and what the pure one says at ours."""


class EventParser(Protocol):
    """What `parse` needs of a parser. Both methods raise `yaml.YAMLError` at a syntax error."""

    def get_event(self) -> Event | None:
        """The next event, which is consumed."""

    def peek_event(self) -> Event | None:
        """The next event, which stays."""


class PureParser(Reader, Scanner, Parser):
    """PyYAML's own parser, with two faults mended: its time grows with the square of the depth, and an impossible
    number in an escape or a directive raises a bare `ValueError`.
    """

    def __init__(self, text: str) -> None:
        Reader.__init__(self, text)
        Scanner.__init__(self)
        Parser.__init__(self)

    def fetch_more_tokens(self) -> None:
        """Scan on, with every fault as an error that has a place."""
        if self.flow_level > MAX_DEPTH:
            raise MarkedYAMLError(problem=TOO_DEEP, problem_mark=self.get_mark())
        try:
            super().fetch_more_tokens()
        except (ValueError, OverflowError):
            raise MarkedYAMLError(problem="found an impossible number", problem_mark=self.get_mark()) from None


def make_parser(text: str) -> EventParser:
    """The fastest parser there is."""
    try:
        from yaml._yaml import CParser  # absent where PyYAML was built without libyaml
    except ImportError:
        return PureParser(text)
    return CParser(text)
