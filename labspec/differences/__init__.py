"""What a change of a spec means: from two labs to their differences, and these as text, Markdown and JSON."""

from labspec.differences.compare import compare
from labspec.differences.json_form import to_json
from labspec.differences.markdown import to_markdown
from labspec.differences.model import Change, Differences, Section
from labspec.differences.terminal import to_terminal

__all__ = ["Change", "Differences", "Section", "compare", "to_json", "to_markdown", "to_terminal"]
