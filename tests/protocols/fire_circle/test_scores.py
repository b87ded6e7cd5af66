"""The three scores by name and number: what each way of writing one gives, and which give nothing."""

from typing import Any

import pytest

from protocols.fire_circle.candidates import candidates
from protocols.fire_circle.scores import Amount, amount_of, name_of_score, resolved


@pytest.mark.parametrize(
    ("key", "expected"),
    [
        ("T", "truth"),
        ("**Truth (T)**", "truth"),
        ("truth_score", "truth"),
        ("final truth value", "truth"),
        ("Wahrheit", "truth"),
        ("真实性", "truth"),
        ("falsity (F)", "falsehood"),
        ("Falschheit", "falsehood"),
        ("ложь", "falsehood"),
        ("I", "indeterminacy"),
        ("indeterminacy", "indeterminacy"),
        ("true", None),
        ("score", None),
        ("truth and falsehood", None),
        ("T" * 70, None),
    ],
)
def test_a_key_names_one_score_or_none(key: str, expected: str | None) -> None:
    """Letters, words of several languages and what is around them; two scores at once are none."""
    assert expected == name_of_score(key)


@pytest.mark.parametrize(
    ("value", "expected"),
    [
        (0.85, Amount(0.85)),
        (85, Amount(85.0)),
        ("0.85", Amount(0.85)),
        (".5", Amount(0.5)),
        ("0,85", Amount(0.85)),
        ("~0.8", Amount(0.8)),
        ("85%", Amount(85.0, 100.0)),
        ("85 %", Amount(85.0, 100.0)),
        ("8/10", Amount(8.0, 10.0)),
        ("0.8 (high)", Amount(0.8)),
        ("0.8 - quite sure", Amount(0.8)),
        ({"score": 0.7}, Amount(0.7)),
        ({"value": "70%"}, Amount(70.0, 100.0)),
        ({"score": 8, "out_of": 10}, Amount(8.0, 10.0)),
    ],
)
def test_a_value_gives_one_number(value: Any, expected: Amount) -> None:
    """As a number, in a text, with what it is a share of, or one level further in."""
    assert expected == amount_of(value)


@pytest.mark.parametrize(
    "value", [None, True, "high", "0.8 or 0.9", -0.5, 101, [0.5], {"score": 0.7, "value": 0.8}, {"score": 7, "max": 7}]
)
def test_what_gives_no_number_or_more_than_one_gives_none(value: Any) -> None:
    """Nothing is guessed, clamped or chosen."""
    assert amount_of(value) is None


@pytest.mark.parametrize(
    ("numbers", "said", "expected"),
    [
        ((0.1, 0.9), "", (0.1, 0.9)),
        ((10, 90), "on a scale from 0 to 100", (0.1, 0.9)),
        ((1, 9), "each out of 10", (0.1, 0.9)),
        ((10, 90), "", (None, None)),
        ((10, 90), "0-10 or 0-100", (None, None)),
        ((0.5, 85), "scale 0 to 100", (0.5, None)),
    ],
)
def test_a_scale_is_taken_where_the_reply_names_one(
    numbers: tuple[float, float], said: str, expected: tuple[float | None, float | None]
) -> None:
    """Without a name for it, with two of them, or beside a fraction of 1, a number above 1 is no score."""
    given = dict(zip("tf", map(Amount, numbers), strict=True))
    assert dict(zip("tf", expected, strict=True)) == resolved(given, said)


@pytest.mark.parametrize(
    ("amount", "expected"), [(Amount(85, 100), 0.85), (Amount(0.85, 100), None), (Amount(11, 10), None), (None, None)]
)
def test_a_share_counts_as_it_was_meant(amount: Amount | None, expected: float | None) -> None:
    """0.85 % may be meant as 0.85, and more than the whole is no share."""
    assert {"f": expected} == resolved({"f": amount}, "")


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ('{"truth": 0.1, "falsehood": 0.9}', [{"truth": 0.1, "falsehood": 0.9}]),
        ('{"assessment": {"truth": 0.1, "falsehood": 0.9}}', [{"truth": 0.1, "falsehood": 0.9}]),
        ("{'truth': 0.1, 'falsehood': 0.9}", [{"truth": 0.1, "falsehood": 0.9}]),
        ('{"truth": "10%", "falsehood": "90%"}', [{"truth": 0.1, "falsehood": 0.9}]),
        ('{"peers": [{"truth": 0.5, "falsehood": 0.5}], "T": 0.1, "F": 0.9}', [{"truth": 0.1, "falsehood": 0.9}]),
        ('{"truth": 0, "falsehood": 1} {"T": 1, "F": 0}', [{"truth": 0, "falsehood": 1}, {"truth": 1, "falsehood": 0}]),
        ('{"truth": 0.1, "T": 0.2, "falsehood": 0.9}', [{"truth": None, "falsehood": 0.9}]),
        ('{"truth": 0.1}', []),
        ('{"truth": 0.1, "falsehood": 0.', []),
        ('{"truth": <0.0 to 1.0>, "falsehood": <0.0 to 1.0>}', []),
    ],
)
def test_an_object_that_names_two_scores_is_a_candidate(text: str, expected: list[dict[str, float | None]]) -> None:
    """The outermost one counts, a score given twice is spoilt, and a cut number or the form itself is none."""
    assert expected == [dict(found.scores) for found in candidates(text)]


@pytest.mark.parametrize(
    ("text", "is_whole", "is_plain"),
    [
        ('{"truth": 0.1, "falsehood": 0.9}', True, True),
        ('{"truth": "10%", "falsehood": "90%"}', True, False),
        ('{"truth": 0.1, "indeterminacy": 0.2}', False, True),
        ('{"truth": 0.1, "falsehood": "high"}', False, False),
    ],
)
def test_a_candidate_states_what_it_lacks(text: str, is_whole: bool, is_plain: bool) -> None:
    """It is whole with falsehood and another usable score, and plain when they are numbers from 0 to 1."""
    (found,) = candidates(text)
    assert (is_whole, is_plain) == (found.is_whole, found.is_plain)


@pytest.mark.parametrize("key", ["reasoning", "Begründung", "理由", "rationale"])
def test_the_reasons_are_found_in_several_languages(key: str) -> None:
    """A text under a word for reasons is kept."""
    (found,) = candidates(f'{{"truth": 0.1, "falsehood": 0.9, "{key}": "It asks for a key."}}')
    assert "It asks for a key." == found.reasoning
