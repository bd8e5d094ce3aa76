"""The page in a real browser: it follows the spec, needs no mouse, and asks for nothing from elsewhere.

These tests need Chromium or Chrome, and `pip install -e '.[browser]' -c constraints.txt`. They never run in CI.
"""

from __future__ import annotations

import os
import shutil
import threading
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import TYPE_CHECKING, Any, NamedTuple

import pytest

from labspec.preview import Board, Follower, Server
from tests.cli.users import ROOT, small_lab
from tests.preview.programs import previewing

if TYPE_CHECKING:
    from playwright.sync_api import Browser, Locator, Page

NAMES = ("chromium", "chromium-browser", "google-chrome", "chrome")
EXECUTABLE = next(filter(None, map(shutil.which, NAMES)), None)
VIEWS = ("loop", "fixtures", "handout", "rubric", "spec")
LABS = sorted((ROOT / "specs").glob("*.yaml"))

pytestmark = [
    pytest.mark.xdist_group("browser"),  # one worker runs this module, so that one browser is started
    pytest.mark.skipif("CI" in os.environ, reason="NO BROWSER TESTS: they are never run in CI"),
    pytest.mark.skipif(EXECUTABLE is None, reason=f"NO BROWSER TESTS: there is none of {', '.join(NAMES)} on the path"),
]


@pytest.fixture(scope="module")
def browser() -> Iterator[Browser]:
    """A browser without a window."""
    reason = "NO BROWSER TESTS: playwright is missing, pip install -e '.[browser]' -c constraints.txt"
    api = pytest.importorskip("playwright.sync_api", reason=reason)
    with api.sync_playwright() as playwright:
        # Where the tests run as root, as in a container, Chromium refuses to start with its sandbox.
        alone = ["--no-sandbox"] if hasattr(os, "geteuid") and os.geteuid() == 0 else []
        browser = playwright.chromium.launch(executable_path=EXECUTABLE, args=alone)
        yield browser
        browser.close()


class Preview(NamedTuple):
    """A spec that is followed, where its page is, and what is shown there."""

    spec: Path
    address: str
    board: Board

    def save(self, old: str, new: str) -> None:
        """Save the spec with another text in it."""
        text = self.spec.read_text(encoding="utf-8")
        assert old in text
        self.spec.write_text(text.replace(old, new), encoding="utf-8")

    def served(self, text: str) -> None:
        """Wait until a page with this text is served."""
        shown = self.board.shown()
        while text not in shown.page.decode():
            shown = self.board.wait(shown, 60)


@pytest.fixture
def preview(tmp_path: Path) -> Iterator[Preview]:
    """A preview of the small lab."""
    with previewed(small_lab(tmp_path / "lab.yaml")) as preview:
        yield preview


@contextmanager
def previewed(spec: Path) -> Iterator[Preview]:
    """A spec that is followed and served meanwhile."""
    follower = Follower(spec)
    with Server(0, follower.board) as server:
        threads = [
            threading.Thread(target=follower.follow),
            threading.Thread(target=server.serve_forever, args=(0.05,)),
        ]
        for thread in threads:
            thread.start()
        try:
            yield Preview(spec, server.address, follower.board)
        finally:
            follower.stop()
            server.shutdown()
            for thread in threads:
                thread.join()


@pytest.fixture
def page(browser: Browser, preview: Preview) -> Iterator[Page]:
    """The page of the small lab."""
    with opened(browser, preview) as page:
        yield page


@contextmanager
def opened(browser: Browser, preview: Preview, **options: Any) -> Iterator[Page]:
    """A page. Whatever a test does with it, it asks nobody else and has nothing to complain of."""
    context = browser.new_context(**{"viewport": {"width": 1280, "height": 800}, **options})
    page, asked, complaints = context.new_page(), list[str](), list[str]()
    page.on("request", lambda request: asked.append(request.url))
    page.on("console", lambda message: complaints.append(f"{message.type}: {message.text}"))
    page.on("pageerror", lambda error: complaints.append(f"error: {error}"))
    page.goto(preview.address)
    yield page
    assert [url for url in asked if not url.startswith(preview.address)] == []
    assert complaints == []
    context.close()


def shown(page: Page) -> str:
    """The part of the lab that is shown."""
    (view,) = [view for view in VIEWS if page.locator(f"[data-view={view}]").is_visible()]
    return view


def turn(page: Page) -> Locator:
    """The turn that is shown."""
    turns = page.locator("[data-turn]:visible")
    assert turns.count() == 1
    return turns


def press(page: Page, *keys: str) -> None:
    for key in keys:
        page.keyboard.press(key)


# --- it follows the spec ---


def test_a_save_is_shown_without_a_reload(page: Page, preview: Preview) -> None:
    page.evaluate("window.wasHereBefore = true")
    preview.save("A search that says why", "A search that tells why")
    page.get_by_role("heading", name="A search that tells why it stopped", exact=True).first.wait_for()
    assert page.title() == "A search that tells why it stopped"
    assert page.evaluate("window.wasHereBefore")


def test_the_page_keeps_its_place_when_the_spec_is_saved(page: Page, preview: Preview) -> None:
    """The part, the fixture, the turn, how far it is scrolled, what is unfolded, and where the focus is."""
    page.set_viewport_size({"width": 700, "height": 400})
    press(page, "2", "j", "j", "ArrowRight")
    turn(page).get_by_text("The step of the plan").click()
    page.evaluate("scrollTo(0, 150)")
    page.locator("[data-run]:visible [data-turn-link='2']").focus(timeout=1000)
    before = page.evaluate("[location.hash, scrollY]")
    preview.save("The second call has no name", "The second call bears no name")
    page.get_by_role("heading", name="The second call bears no name").wait_for()
    assert page.evaluate("[location.hash, scrollY]") == before == ["#fixtures/nameless/2", before[1]]
    assert before[1] > 0
    assert turn(page).get_attribute("data-turn") == "2"
    assert turn(page).locator("details").get_attribute("open") is not None
    assert page.evaluate("document.activeElement.dataset.turnLink") == "2"


def test_a_finding_comes_beside_its_line_and_goes(page: Page, preview: Preview) -> None:
    preview.save("turns: 3, last_error: null", "turns: 2, last_error: null")
    banner = page.locator("[data-part=banner]")
    banner.get_by_text("The lab below has errors").wait_for()
    assert page.get_by_text("Row").first.is_visible(), "the lab is still there"
    number = preview.spec.read_text(encoding="utf-8").partition("turns: 2, last_error: null")[0].count("\n") + 1
    banner.get_by_role("link", name=f"lab.yaml:{number}:").click()
    assert shown(page) == "spec"
    line = page.locator(f"[data-line='{number}']")
    assert line.locator("mark").inner_text() == "2"
    note = line.locator("xpath=following-sibling::*[1]")
    assert "fixture never_final expects turns 2, but the table leads to turns 3" in note.inner_text()
    assert note.evaluate("note => note === document.activeElement")
    preview.save("turns: 2, last_error: null", "turns: 3, last_error: null")
    page.locator("[data-finding].error").wait_for(state="detached")
    assert banner.inner_text() == ""


def test_a_fixture_that_is_gone_gives_way_to_the_first(page: Page, preview: Preview) -> None:
    press(page, "2", "j", "ArrowRight")
    assert page.evaluate("location.hash") == "#fixtures/fails_twice/2"
    preview.save("fails_twice", "fails_two_times")
    page.locator("[data-run=fails_two_times]").wait_for(state="attached")
    assert page.locator("[data-run]:visible").get_attribute("data-run") == "recovers"
    assert turn(page).get_attribute("data-turn") == "1"


def test_a_page_that_was_in_the_background_catches_up(page: Page, preview: Preview) -> None:
    """A tab that nobody sees lets its connection go."""
    page.evaluate(
        "Object.defineProperty(document, 'hidden', {value: true, configurable: true});"
        "dispatchEvent(new Event('visibilitychange'))"
    )
    preview.save("A search that says why", "A search that tells why")
    preview.served("A search that tells why")
    page.wait_for_timeout(200)  # as long as a page takes that does listen
    assert "says why" in page.title()
    page.evaluate("delete document.hidden; dispatchEvent(new Event('visibilitychange'))")
    page.get_by_role("heading", name="A search that tells why it stopped", exact=True).first.wait_for()


def test_a_preview_that_has_ended_is_told_and_is_found_when_it_starts_again(browser: Browser, tmp_path: Path) -> None:
    spec = small_lab(tmp_path / "lab.yaml")
    page = browser.new_page()
    with previewing(spec, "--port", "0") as (_, port):
        page.goto(f"http://127.0.0.1:{port}/#rubric")
        page.get_by_text("as saved").wait_for()
    page.get_by_text("not connected").wait_for()
    small_lab(spec, ("Every run appends one record", "Every run adds one record"))
    with previewing(spec, "--port", str(port)):
        page.locator("[data-view=rubric]").get_by_text("Every run adds one record").wait_for()
        page.get_by_text("as saved").wait_for()
    page.close()


# --- the keyboard alone ---


def test_a_fixture_is_stepped_through_to_its_exit(page: Page) -> None:
    press(page, "2", "j", "j", "j")
    assert page.locator("[data-run]:visible h2").inner_text() == "Every search succeeds and none is final"
    seen = []
    for _ in range(10):
        seen.append(turn(page).locator(".meters li").first.inner_text().replace("\n", " "))
        press(page, "ArrowRight")
    assert seen[:4] == ["turns +1 1 of 3", "turns +1 2 of 3", "turns +1 3 of 3", "turns 3 of 3"]
    assert set(seen[4:]) == {seen[3]}, "the exit is the end"
    assert turn(page).locator(".fired").inner_text().split() == [
        *("4", "turns", "exceed", "the", "turns", "budget", "or", "the", "plan", "has", "ended"),
        *("turns", "4,", "limit", "3", "yes", "turn_cap"),
    ]
    assert turn(page).locator(".exit .reason").inner_text() == "turn_cap"
    press(page, "ArrowLeft")
    assert turn(page).get_attribute("data-turn") == "3"
    press(page, "Shift+ArrowLeft")
    assert turn(page).get_attribute("data-turn") == "1"
    press(page, "Shift+ArrowRight")
    assert turn(page).locator(".exit").is_visible()
    assert page.get_by_role("status").inner_text() == "Turn 4 of 4. The model is not asked again"


def test_every_part_is_a_key_away(page: Page) -> None:
    for number, view in enumerate(VIEWS, 1):
        press(page, str(number))
        assert shown(page) == view
        assert page.locator("nav [aria-current]").get_attribute("data-leads") == view


def test_tab_leads_through_the_page_and_the_focus_is_seen(page: Page) -> None:
    press(page, "2")
    seen = []
    for _ in range(14):
        press(page, "Tab")
        seen.append(page.evaluate("(({hash, id, dataset}) => hash || id || dataset.step)(document.activeElement)"))
        assert page.evaluate("getComputedStyle(document.activeElement).outlineStyle") == "solid"
    assert seen[:7] == ["#spec", "#loop", "#fixtures", "#handout", "#rubric", "#spec", "show-keys"]
    assert seen[7:14] == [
        *("#fixtures/recovers", "#fixtures/fails_twice", "#fixtures/nameless", "#fixtures/never_final"),
        *("#fixtures/recovers/1", "#fixtures/recovers/2", "1"),
    ]
    press(page, "Enter")
    assert turn(page).get_attribute("data-turn") == "2"


def test_the_keys_can_be_looked_up(page: Page) -> None:
    keys = page.get_by_role("dialog", name="Keys")
    press(page, "Shift+?")
    assert keys.is_visible()
    press(page, "2")
    assert shown(page) == "loop", "behind the dialog nothing moves"
    press(page, "Escape")
    assert not keys.is_visible()
    page.get_by_role("button", name="Keys ?").press("Enter")
    assert keys.is_visible()
    press(page, "Enter")
    assert not keys.is_visible()


def test_findings_are_visited_one_after_the_other(page: Page, preview: Preview) -> None:
    preview.save("turns: 3, last_error: null", "turns: 2, last_error: null")
    page.locator("[data-part=banner] a").first.wait_for()
    assert page.title() == "1 error · A search that says why it stopped"
    findings = page.locator("[data-finding]").count()
    visited = []
    for key in ["n"] * (findings + 1) + ["p"]:
        press(page, key)
        assert shown(page) == "spec"
        visited.append(page.evaluate("document.activeElement.id"))
    assert visited == [*(f"finding-{number}" for number in range(1, findings + 1)), "finding-1", f"finding-{findings}"]


def test_an_address_leads_to_a_turn(page: Page, preview: Preview) -> None:
    page.goto(f"{preview.address}#fixtures/fails_twice/2")
    assert turn(page).locator(".exit .reason").inner_text() == "retry_exhausted"
    for wrong in ("nothing/7", "fails_twice/99", "fails_twice/x", "%3Cb%3E", "%E0%A4"):
        page.goto(f"{preview.address}#fixtures/{wrong}")
        assert turn(page).is_visible()
    page.goto(f"{preview.address}#nothing")
    assert shown(page) in VIEWS


# --- any window ---


@pytest.mark.parametrize("lab", LABS, ids=lambda path: path.stem)
def test_nothing_is_wider_than_the_window(browser: Browser, lab: Path) -> None:
    with previewed(lab) as preview:
        for width, scheme, ground in ((320, "light", "rgb(247, 246, 242)"), (1600, "dark", "rgb(20, 24, 27)")):
            with opened(browser, preview, viewport={"width": width, "height": 700}, color_scheme=scheme) as page:
                assert page.evaluate("getComputedStyle(document.body).backgroundColor") == ground
                for number, _ in enumerate(VIEWS, 1):
                    press(page, str(number))
                    assert page.evaluate("document.documentElement.scrollWidth") == width


def test_without_a_script_everything_can_be_read(browser: Browser, preview: Preview) -> None:
    with opened(browser, preview, java_script_enabled=False) as page:
        assert [view for view in VIEWS if not page.locator(f"[data-view={view}]").is_visible()] == []
        assert page.locator("[data-turn]:visible").count() == 10
        assert page.get_by_role("button").count() == 0
