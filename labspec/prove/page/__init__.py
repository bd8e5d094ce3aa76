"""The page of a proof: one HTML file that stands alone, asks for nothing from anywhere, and is good to look at.

`labspec prove` writes it. The rest of the package plans what it says; the templates in `templates/proof` print that.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from labspec.page import print_page
from labspec.prove.page.plan import PagePlan, plan_page

if TYPE_CHECKING:
    from labspec.lab.model import Lab
    from labspec.prove.proof import Proof

__all__ = ["PagePlan", "page", "plan_page"]


def page(proof: Proof, lab: Lab) -> str:
    """The page of `proof`, which must be a proof of `lab`. The same proof gives the same text."""
    return print_page("proof/page.html", plan_page(proof, lab))
