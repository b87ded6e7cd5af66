"""A ranking in the form asked for is read at once, and so is a text without any sign that has to be made plain."""

import re
import unicodedata
from string import ascii_uppercase

import pytest
from hypothesis import example, given
from hypothesis import strategies as st
from pydantic import JsonValue

from protocols.council.replies import ballot
from protocols.council.wording import HEADERS, folded, holds_header, holds_ranking_object, squashed

CODE = "1f3870be27"
STARS = st.sampled_from(["", "", "", "*", "**"])
LINE = st.tuples(STARS, STARS, STARS, st.sampled_from(["", "", " ", "  ", "\n", "\n \n**"]))


@st.composite
def forms(draw: st.DrawFn) -> str:
    """A filled form, perhaps in bold, with blanks behind it and lines between."""
    letters = draw(st.permutations(ascii_uppercase[: draw(st.integers(2, 12))]))
    written = [(letter, *draw(LINE)) for letter in letters]
    lines = [f"{a}{n}. {b}Response {x}{c}{end}" for n, (x, a, b, c, end) in enumerate(written, start=1)]
    return "\n".join([f"FINAL RANKING {CODE}{draw(st.sampled_from([':', ':**', '', ' : ']))}", *lines])


@example(f"FINAL RANKING {CODE}:\n1. Response A\n2. Response B")
@given(forms())
def test_a_form_read_at_once_is_read_as_by_all_ways(text: str) -> None:
    """What is read in one look is what the readers of all forms together find, and no other ballot."""
    needs: dict[str, JsonValue] = {"labels": [f"Response {letter}" for letter in "CABD"], "nonce": CODE}
    at_once = ballot.read_ballot(text, needs)
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(ballot, "_as_asked", lambda _region: [])
        assert at_once == ballot.read_ballot(text, needs)
    assert ballot._as_asked(text.partition(CODE)[2])


@pytest.mark.parametrize(
    "under",
    [
        ":\n1. Response A",
        ":\n1. Response A\n2. Response A",
        ":\n1. Response A\n3. Response B",
        ":\n1. Response A\n2. Response b",
        ":\n1. Response A\n2. Response B\nThat is all.",
        " best first:\n1. Response A\n2. Response B",
    ],
)
def test_any_other_form_is_left_to_the_readers(under: str) -> None:
    """A label alone, twice or small, a gap, and every word beside the form."""
    assert not ballot._as_asked(under)


def plain(char: str) -> str:
    """A character as it is compared, by the rule alone."""
    marks = {"🥇": " #1 ", "①": " 1. ", "\u2028": "\n", "\x85": "\n", "\r": "\n"}
    if char in marks or char.isascii():
        return marks.get(char, char)
    return "" if unicodedata.category(char) in {"Cf", "Mn", "Me"} else unicodedata.normalize("NFKC", char)


PIECES = st.sampled_from(
    ["a", "B", "_", " ", "\r", "\n", "—", "ﬁ", "①", "é", "e\u0301", "\u200b", "🥇", "\u2028", "Ａ", "K"]
)


@given(st.lists(st.one_of(PIECES, st.sampled_from(HEADERS), st.just("rank: ")), max_size=12).map("".join))
def test_a_text_is_made_plain_character_by_character(text: str) -> None:
    """No way that is shorter for some texts changes what headers and keys are looked for in."""
    assert folded(text) == "".join(map(plain, text))
    assert squashed(text) == re.sub(r"[\W_]+", "", folded(text).lower())
    assert holds_header(text) is any(squashed(words) in squashed(text) for words in HEADERS)
    key = re.compile(r"rank[a-z_ ]{0,20}[\"'”]?\s{0,3}[:=]", re.IGNORECASE)
    assert holds_ranking_object(text) is (key.search(folded(text)) is not None)
