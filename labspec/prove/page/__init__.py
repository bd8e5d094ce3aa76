"""The page of a proof: one HTML file that stands alone, asks for nothing from anywhere, and is good to look at.

`labspec prove` writes it. The rest of the package plans what it says; the templates in `templates/proof` print that.
"""

from __future__ import annotations

from functools import cache
from typing import TYPE_CHECKING

from labspec.emit.templates import template_root
from labspec.prove.page.plan import PagePlan, plan_page
from labspec.prove.page.words import shown

if TYPE_CHECKING:
    from jinja2 import Environment

    from labspec.lab.model import Lab
    from labspec.prove.proof import Proof

__all__ = ["PagePlan", "page", "plan_page"]


def page(proof: Proof, lab: Lab) -> str:
    """The page of `proof`, which must be a proof of `lab`. The same proof gives the same text."""
    return _environment().get_template("proof/page.html").render(plan_page(proof, lab)._asdict())


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
    """What may be printed of a value: a whole number, markup of our own, and of any other text what can be seen.

    Raises TypeError for any other value.
    """
    from markupsafe import Markup

    if isinstance(value, Markup) or type(value) is int:
        return value
    if isinstance(value, str):
        return shown(value)
    raise TypeError(f"a page does not print a {type(value).__name__}: {value!r:.80}")
