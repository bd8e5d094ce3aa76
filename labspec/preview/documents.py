"""The handout as students will see it: the Markdown files of the starter, drawn as GitHub draws them."""

from __future__ import annotations

from typing import TYPE_CHECKING, Final, NamedTuple

from labspec.emit import Edition, plan
from labspec.emit.render import text_of
from labspec.preview.markdown import to_html

if TYPE_CHECKING:
    from markupsafe import Markup

    from labspec.lab.model import Lab


FILES: Final = ("README.md", "RUBRIC.md", "SUBMISSION.md")


class Document(NamedTuple):
    """A file of the handout."""

    file: str
    text: Markup


def plan_documents(lab: Lab, drawing: str) -> tuple[Document, ...]:
    """The files of the handout, README first. `drawing`, in HTML, is that of the loop."""
    outputs = [output for output in plan(lab, Edition()).outputs if output.path in FILES]
    return tuple(Document(output.path, to_html(text_of(output), drawing=drawing, files=FILES)) for output in outputs)
