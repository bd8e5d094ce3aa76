"""What our pages in HTML have in common: how a template becomes a page, its words, its drawing of a loop, its gauges.

`labspec prove` writes a page about a proof, `labspec preview` shows one about a spec. Their templates are in
`templates/page/` (what they share), `templates/proof/` and `templates/preview/`.
"""

from __future__ import annotations

from functools import cache
from typing import TYPE_CHECKING

from labspec.emit.templates import template_root
from labspec.page.words import shown

if TYPE_CHECKING:
    from jinja2 import Environment

    from labspec.emit.outputs import Values

__all__ = ["print_page"]


def print_page(template: str, values: Values) -> str:
    """The text of a page. Every text of `values` is escaped and shown on one line; markup of our own stays as it is.

    Raises TypeError for a value that is no text, no whole number and no markup.
    """
    return _environment().get_template(template).render(values._asdict())


@cache
def _environment() -> Environment:
    # Imported here: whoever asks for a proof without its page does not wait for it.
    from jinja2 import Environment, FileSystemLoader, StrictUndefined

    return Environment(
        loader=FileSystemLoader(template_root()),
        undefined=StrictUndefined,
        autoescape=True,
        finalize=_printable,
        trim_blocks=True,
        lstrip_blocks=True,
        keep_trailing_newline=True,
        newline_sequence="\n",
        auto_reload=False,
    )


def _printable(value: object) -> object:
    """What may be printed of a value: a whole number, markup of our own, and of any other text what can be seen."""
    from markupsafe import Markup

    if isinstance(value, Markup) or type(value) is int:
        return value
    if isinstance(value, str):
        return shown(value)
    raise TypeError(f"a page does not print a {type(value).__name__}: {value!r:.80}")
