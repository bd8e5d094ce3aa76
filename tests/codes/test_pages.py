"""Every code has a page, every page is about a code, and what a page shows is what labspec prints."""

from __future__ import annotations

import re
import sys
from pathlib import Path

import pytest

from labspec.codes import known_codes, page_folder, read_page
from tests.codes.examples import example_of, index, page_text
from tests.codes.sources import MADE_CODES, codes_in_sources, kinds_of_names
from tests.regen import INVALID

SOURCE_OUTPUTS = Path(__file__).parent.parent / "source" / "refused"
HEADINGS = ["What it means", "Why it matters", "Example", "What to do"]
WITHOUT_EXAMPLE = {
    "surrogate",  # only where PyYAML was built without its C parser
    "target-busy",  # it takes another build, and a minute
    "target-is-root",  # the folder of a lab is made inside another one
    "wrong-form",  # a guard for patterns of the models that have no words of their own
}
"""The pages whose example is only told, because no file and no command alone leads to it everywhere."""


def codes_that_can_come() -> set[str]:
    """Every code that a finding can have."""
    return {*codes_in_sources().whole, *(code for codes in MADE_CODES.values() for code in codes)}


def test_every_code_has_a_page_and_every_page_is_about_a_code() -> None:
    assert set(known_codes()) == codes_that_can_come()


def test_the_codes_that_are_put_together_are_known() -> None:
    assert codes_in_sources().made == MADE_CODES.keys()
    assert {f"unknown-{what}" for what in kinds_of_names()} == MADE_CODES["unknown-{what}"]


def test_every_code_that_the_reviewed_outputs_show_has_a_page() -> None:
    outputs = [path.read_text(encoding="utf-8") for path in (*INVALID.glob("*.txt"), *SOURCE_OUTPUTS.glob("*.txt"))]
    shown = {code for text in outputs for code in re.findall(r": (?:error|warning|note)\[([a-z0-9-]+)\]", text)}
    assert shown
    assert shown <= set(known_codes())


@pytest.mark.parametrize("code", known_codes())
def test_a_page_shows_what_labspec_prints(code: str) -> None:
    if sys.platform == "win32" and "```console" in page_text(code):
        pytest.skip("the commands are for the shell of POSIX")
    example = example_of(code)
    if example is None:
        assert code in WITHOUT_EXAMPLE
        return
    assert f"[{code}]" in example.came
    assert example.shown == example.came, "run `python -m tests.regen` and read the diff"


def test_pages_without_an_example_are_the_ones_that_can_have_none() -> None:
    assert WITHOUT_EXAMPLE.issubset(known_codes())
    assert [code for code in sorted(WITHOUT_EXAMPLE) if "```" in page_text(code)] == []


@pytest.mark.parametrize("code", known_codes())
def test_a_page_says_everything_in_few_words(code: str) -> None:
    page = read_page(code)
    assert re.findall(r"^## (.+)$", page.body, re.MULTILINE) == HEADINGS
    told = re.sub(r"```.*?```", "", page.body, flags=re.DOTALL)
    assert 40 <= len(told.split()) <= 160
    assert not page.title.endswith(".")
    assert page_text(code).isascii()


def test_no_two_pages_have_one_title() -> None:
    titles = [read_page(code).title for code in known_codes()]
    assert sorted(titles) == sorted(set(titles))


def test_the_list_of_pages_is_current() -> None:
    assert (page_folder() / "README.md").read_text(encoding="utf-8") == index(), "run `python -m tests.regen`"
