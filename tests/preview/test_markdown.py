"""The handout on the page says what its Markdown says, and nothing that an author writes becomes HTML."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from labspec.emit.encode import Markdown, markdown_cell_code, markdown_paragraphs, markdown_text, visible
from labspec.preview.markdown import to_html, to_inline_html
from tests.page.parsed import Parsed

PLAIN = {(tag,) for tag in ("p", "code", "table", "thead", "tbody", "tr", "th", "td")} | {
    ("div", "aria-label", "class", "role", "tabindex")
}
"""What a paragraph and a table are made of."""

BLOCKS = """\
# A title

Text with `code`, **weight** and a [rubric](RUBRIC.md), [the web](https://example.org/a), [a file](run_loop.py).

| Row | Says |
|--:|:-:|
| 1 | one<br>two \\<br> `a\\|b` |

```mermaid
flowchart TD
```

```json
{"a": "<b>"}
```
"""


def test_a_document_is_shown_as_a_repository_shows_it() -> None:
    assert to_html(BLOCKS, drawing="<svg></svg>\n", files=["RUBRIC.md"]) == (
        "<h1>A title</h1>\n"
        "<p>Text with <code>code</code>, <strong>weight</strong> and a "
        '<a href="#handout/RUBRIC.md">rubric</a>, '
        '<a href="https://example.org/a" target="_blank" rel="noopener noreferrer">the web</a>, '
        "<span>a file</span>.</p>\n"
        '<div class="scroll" role="group" aria-label="Table" tabindex="0">\n'
        "<table>\n<thead>\n<tr>\n"
        '<th class="right">Row</th>\n<th class="centre">Says</th>\n'
        "</tr>\n</thead>\n<tbody>\n<tr>\n"
        '<td class="right">1</td>\n<td class="centre">one<br />\ntwo &lt;br&gt; <code>a|b</code></td>\n'
        "</tr>\n</tbody>\n</table>\n</div>\n"
        "<svg></svg>\n"
        '<pre><code class="language-json">{&quot;a&quot;: &quot;&lt;b&gt;&quot;}\n</code></pre>\n'
    )


@pytest.mark.parametrize(
    "text",
    [
        "<script>alert(1)</script>",
        "![picture](https://example.org/a.png)",
        "[run](javascript:alert(1))",
        "<img src=x onerror=alert(1)>",
        "<!-- comment -->",
        "[data](data:text/html,<script>alert(1)</script>)",
    ],
)
def test_markdown_alone_can_ask_for_nothing_and_run_nothing(text: str) -> None:
    """Even what no encoder has seen."""
    page = Parsed(to_html(text))
    assert {tag for tag, *_ in page.shapes} <= {"p", "a", "span"}
    assert [href for href in page.values("href") if not href.startswith(("https://", "#"))] == []
    assert page.values("src", "onerror", "style") == []


@given(st.text())
def test_an_author_s_text_is_read_as_it_was_written(text: str) -> None:
    """In a paragraph and in a cell; what stands between backticks is code, and nothing else is markup."""
    for page in (
        Parsed(to_html(f"{markdown_paragraphs('x' + text)}\n")),
        Parsed(to_html(f"| a |\n|---|\n| {markdown_text('x' + text)} |\n")),
        Parsed(to_inline_html(markdown_text("x" + text))),
    ):
        assert page.shapes <= PLAIN
        read = page.text.removeprefix("a ")
        assert "".join(read.split()).replace("`", "") == "".join(visible("x" + text).split()).replace("`", "")


@given(st.text(min_size=1))
def test_a_name_in_a_cell_is_read_as_it_was_written(text: str) -> None:
    cell = Markdown.of("{}", markdown_cell_code(text))
    assert Parsed(to_inline_html(cell)).text == " ".join(visible(text).split())
