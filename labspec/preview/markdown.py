"""Markdown as HTML, as GitHub shows it to students. What is read here is what labspec wrote, with authors' text in it.

HTML in it is shown as text, but for the line breaks in our tables. Pictures are not shown: a page asks for nothing from
anywhere. A Mermaid block, which only GitHub can draw, gives way to our own drawing.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from functools import cache
from typing import TYPE_CHECKING, Final

from markdown_it import MarkdownIt
from markdown_it.token import Token
from markupsafe import Markup

if TYPE_CHECKING:
    from markdown_it.rules_core import StateCore
    from markdown_it.rules_inline import StateInline

_BREAK: Final = "<br>"
_ALIGNED: Final = {"text-align:right": "right", "text-align:center": "centre", "text-align:left": "left"}
_TABLE: Final = '<div class="scroll" role="group" aria-label="Table" tabindex="0">\n'
"""A table that is wider than the window moves under it, with the keyboard as well."""


def to_html(text: str, *, drawing: str = "", files: Sequence[str] = ()) -> Markup:
    """A whole document. `drawing`, in HTML, stands in place of its Mermaid blocks.

    A link to one of `files` leads to that document on the page and a link to the web opens a new tab; any other, such
    as one to another file of the repository, is shown as text.
    """
    html = _parser().render(text, {"drawing": drawing, "files": files})
    return Markup(html)  # noqa: S704 - the parser has escaped what is not ours


def to_inline_html(text: str) -> Markup:
    """What stands in a cell of a table, where a bar is escaped even in code."""
    html = _parser().renderInline(text.replace("\\|", "|"), {"drawing": "", "files": ()})
    return Markup(html)  # noqa: S704 - the parser has escaped what is not ours


@cache
def _parser() -> MarkdownIt:
    parser = MarkdownIt("commonmark", {"html": False}).enable("table").disable(["image", "html_block", "html_inline"])
    parser.inline.ruler.before("autolink", "line_break", _break_line)
    parser.core.ruler.push("for_the_page", _prepare)
    return parser


def _break_line(state: StateInline, silent: bool) -> bool:
    """A line break as our tables have it. One that an author writes is escaped, and does not come here."""
    if not state.src.startswith(_BREAK, state.pos):
        return False
    if not silent:
        state.push("hardbreak", "br", 0)
    state.pos += len(_BREAK)
    return True


def _prepare(state: StateCore) -> None:
    """What the page wants otherwise than a document of its own would: no style, our drawing, and links that lead on."""
    state.tokens[:] = [token for parsed in state.tokens for token in _prepared(parsed, state.env["drawing"])]
    for token in state.tokens:
        _lead_on(token.children or [], state.env["files"])


def _prepared(token: Token, drawing: str) -> Iterator[Token]:
    if token.type == "fence" and token.info.strip() == "mermaid":
        yield Token("html_block", "", 0, content=drawing)
        return
    style = token.attrs.pop("style", None)
    if style is not None:
        token.attrSet("class", _ALIGNED[str(style)])
    if token.type == "table_open":
        yield Token("html_block", "", 0, content=_TABLE)
    yield token
    if token.type == "table_close":
        yield Token("html_block", "", 0, content="</div>\n")


def _lead_on(tokens: list[Token], files: Sequence[str]) -> None:
    leads = True
    for token in tokens:
        if token.type == "link_open":
            target = str(token.attrs["href"])
            leads = target in files or target.startswith(("https://", "http://"))
            token.attrs = _link(target, files) if leads else {}
        if token.type in ("link_open", "link_close") and not leads:
            token.tag = "span"


def _link(target: str, files: Sequence[str]) -> dict[str, str | int | float]:
    if target in files:
        return {"href": f"#handout/{target}"}
    return {"href": target, "target": "_blank", "rel": "noopener noreferrer"}
