"""Where a ranking begins: headers with the code, without it, in other words and in other places."""

import pytest
from hypothesis import example, given
from hypothesis import strategies as st

from protocols.council.replies import headers
from protocols.council.replies.headers import carries, regions

CODE = "1f3870be27"


def under(text: str, nonce: str | None = CODE) -> list[tuple[str, bool, bool]]:
    """What is under each header, whether it has the code, and whether it is repaired."""
    return [(found.text.strip(" :：)*\n"), found.has_code, found.is_repaired) for found in regions(text, nonce)]


@pytest.mark.parametrize(
    "text", [f"FINAL RANKING {CODE}:\nC", f"**Final Ranking** ({CODE})\nC", f"My final ranking {CODE}:\nC"]
)
def test_the_header_as_it_was_asked_for(text: str) -> None:
    """Capitals, signs and brackets change nothing."""
    assert [("C", True, False)] == under(text)


@pytest.mark.parametrize(
    "text",
    [
        f"{CODE} FINAL RANKING:\nC",
        f"FINAL RANKING {CODE[:6]}:\nC",
        f"FINAL RANKING {CODE[:4]} {CODE[4:]}:\nC",
        f"endgültige Rangliste {CODE}:\nC",
        f"最终排名 {CODE}：\nC",
        f"My order {CODE}: C",
        f"{CODE}\nC",
    ],
)
def test_a_header_that_is_repaired(text: str) -> None:
    """The code before the words, cut or with a blank in it, words of another language or of its own, or none."""
    assert [("C", True, True)] == under(text)


def test_the_code_on_the_line_below_belongs_to_the_header() -> None:
    """What is under both is the ranking."""
    assert ("C", True, True) == under(f"Final ranking:\n{CODE}\nC")[0]


def test_the_last_header_comes_first() -> None:
    """A reviewer that writes two rankings means the second."""
    assert ["B", "A"] == [text for text, *_ in under(f"x\nFINAL RANKING {CODE}:\nA\nFINAL RANKING {CODE}:\nB")]


def test_a_header_without_the_code_is_reported_as_such() -> None:
    """Whether it counts is decided where it is known what the reviewer was shown."""
    assert [("C", False, False)] == under("FINAL RANKING:\nC")


@pytest.mark.parametrize(
    "text",
    ["The final ranking was hard to decide", f"I was told not to write {CODE}", f"<answer nonce={CODE}>", "1. C"],
)
def test_sentences_and_marks_are_no_headers(text: str) -> None:
    """Neither a sentence about the ranking or the code, nor the mark of a quotation, begins a ranking."""
    assert [] == under(text)


def test_without_a_code_the_words_alone_make_a_header() -> None:
    """Where none was asked for a header needs none."""
    assert [("C", False, False)] == under("FINAL RANKING:\nC", None)


@pytest.mark.parametrize(
    ("text", "expected"), [(f"x {CODE} y", True), (CODE.upper(), True), (f"a{CODE}", False), (CODE[:5], False)]
)
def test_where_the_code_stands(text: str, expected: bool) -> None:
    """It is a word of its own, in any case, and at least six characters of it."""
    assert expected == carries(text, CODE)


PIECES = st.sampled_from([*CODE, CODE, CODE.upper(), CODE[:6], CODE[6:], "x", "İ", *" _.*·-", "\n", "("])


@example(f"{CODE[:6]} ({CODE})", CODE)
@example(f"x{CODE} {CODE}", CODE)
@example("a aaaaaa", "aaaaaa")
@given(st.lists(PIECES, max_size=14).map("".join), st.sampled_from([CODE, "aaaaaaaa", "aaaaaa", "Kelvin-1"]))
def test_a_code_is_found_where_its_pattern_finds_it(text: str, nonce: str) -> None:
    """The way without a pattern finds the same place in any text, or leaves the text to the pattern."""
    text = text.replace("1", "a") if nonce.startswith("a") else text
    expected, found = headers._code(nonce).search(text), headers._find_code(text, nonce)
    assert (expected and expected.span()) == (found and found.span())


@pytest.mark.parametrize("line", [f"FINAL RANKING {CODE}", "FINAL RANKING", "1. Response A"])
def test_a_code_as_it_was_asked_for_needs_no_pattern(line: str) -> None:
    """Every review has a code of its own, and a pattern for it would be made in every reading."""
    headers._code.cache_clear()
    headers._find_code(line, CODE)
    assert headers._code.cache_info().misses == 0
