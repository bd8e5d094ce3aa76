"""Words on a page are broken into lines without a loss."""

from __future__ import annotations

from hypothesis import given
from hypothesis import strategies as st

from labspec.page.words import Piece, columns, lines, plain


@given(st.lists(st.builds(Piece, st.text("ab c_漢", max_size=40), st.booleans())), st.integers(4, 30))
def test_lines_lose_nothing_and_stay_within_their_width(text: list[Piece], width: int) -> None:
    broken = lines(tuple(text), width)
    assert "".join("".join(map(plain, broken)).split()) == "".join(plain(tuple(text)).split())
    assert all(columns(plain(line)) <= width for line in broken)
    assert all(plain(line).strip() for line in broken)
