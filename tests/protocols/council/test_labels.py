"""How labels, places and scores are written: one row per way, with what it means."""

import pytest

from protocols.council.replies.labels import ITEM_HEAD, NUMBER, labels_at, number_alone, number_of, score_in


def letters(text: str) -> str | None:
    """The labels at the head of ``text``, in one word."""
    found = labels_at(text, 0)
    return found and "".join(found.letters)


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("Response C is best", "C"),
        ("response c", "C"),
        ("**Response C**", "C"),
        ("[Response B]", "B"),
        ("the Response B", "B"),
        ("(a) Response B", "B"),
        ("ResponseC", "C"),
        ("C. text", "C"),
        ("A) text", "A"),
        ("option D -", "D"),
        ("Antwort C", "C"),
        ("回答C: ok", "C"),
        ("Ответ C", "C"),
    ],
)
def test_a_label_is_read_however_it_is_dressed(text: str, expected: str) -> None:
    """Words for an answer in several languages, signs around the letter, and a letter alone with a sign behind it."""
    assert expected == letters(text)


@pytest.mark.parametrize(
    "text", ["A good answer", "I think", "vitamin C", "1. C", "Response \u0421 (Cyrillic)", "Responsible", "C3PO"]
)
def test_a_letter_that_may_be_a_word_is_no_label(text: str) -> None:
    """``A`` and ``I`` are English words, a letter behind another noun is part of a name, other alphabets look alike."""
    assert letters(text) is None


@pytest.mark.parametrize(
    ("text", "expected"), [("Beitrag C", "C"), ("Text B -", "B"), ("Entwurf A:", "A"), ("the C", "C")]
)
def test_behind_a_number_any_one_word_may_stand_before_the_letter(text: str, expected: str) -> None:
    """In a numbered list an entry is an answer, whatever it is called."""
    found = labels_at(text, 0, ITEM_HEAD)
    assert (expected,) == (found and found.letters)


@pytest.mark.parametrize("text", ["Vitamin C", "Plan B is", "Draft A is good"])
def test_names_and_sentences_are_no_entries(text: str) -> None:
    """Neither a name that ends with a letter nor a sentence about ``A`` is an entry of a list."""
    assert labels_at(text, 0, ITEM_HEAD) is None


@pytest.mark.parametrize(
    ("text", "expected", "is_listed"),
    [
        ("Response B = Response C", "BC", False),
        ("B and C are tied", "BC", False),
        ("Response B and Response C", "BC", True),
        ("B, C, D", "BCD", True),
    ],
)
def test_labels_at_one_place_are_tied_or_listed(text: str, expected: str, is_listed: bool) -> None:
    """An equals sign and the word "tied" tie labels; commas and ``and`` may put them in order as well."""
    found = labels_at(text, 0)
    assert found is not None
    assert (expected, is_listed) == ("".join(found.letters), found.is_listed)


def test_a_label_before_a_sign_of_order_is_doubtful() -> None:
    """The first label of a chain says nothing without the rest."""
    found = labels_at("C (7/10) > D", 0)
    assert found is not None
    assert found.is_doubtful


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("1. C", 1),
        ("#2 C", 2),
        ("2) C", 2),
        ("(3) C", 3),
        ("1st: C", 1),
        ("Rank 3: C", 3),
        ("place 2", 2),
        ("first: C", 1),
        ("Zweiter - C", 2),
        ("10: C", 10),
        ("4", 4),
    ],
)
def test_a_place_is_read_in_digits_and_in_words(text: str, expected: int) -> None:
    """The number of a list, an ordinal, a word for a place with a number, and the first places in words."""
    found = NUMBER.match(text)
    assert found is not None
    assert expected == number_of(found)


@pytest.mark.parametrize("text", ["1.5", "3/10", "C"])
def test_decimals_and_fractions_are_no_places(text: str) -> None:
    """A score is not taken for a place."""
    assert NUMBER.match(text) is None


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("8/10", 8.0),
        ("score: 7.5", 7.5),
        ("85 points", 85.0),
        ("7,5 Punkte", 7.5),
        ("9 out of 10", 9.0),
        ("90%", 90.0),
        ("⭐⭐⭐", 3.0),
        ("no score", None),
        ("v1.2", None),
    ],
)
def test_a_score_is_read(text: str, expected: float | None) -> None:
    """Fractions, percentages, points and stars are scores; a version is none."""
    assert expected == score_in(text)


@pytest.mark.parametrize(
    ("text", "expected"), [(" 7 ", 7.0), ("(7,5)", 7.5), ("**3**", 3.0), ("7 of", None), ("x", None)]
)
def test_a_number_alone_is_all_that_is_said(text: str, expected: float | None) -> None:
    """Signs around it change nothing; a word beside it does."""
    assert expected == number_alone(text)
