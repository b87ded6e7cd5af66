"""Statements of an answer in running text: whose they are, which one holds, and what takes one back."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from protocols.answer_text import Claim, contradicts, is_own, is_supposed, rest_of, settled, statements


def _claims(*said: str) -> list[Claim]:
    """``B`` is a certain claim, ``?B`` an uncertain one, ``!B`` a denial, ``-`` names several answers."""
    return [
        Claim(
            start=place,
            answer=None if one == "-" else one.lstrip("?!"),
            is_certain=not one.startswith("?"),
            is_denial=one.startswith("!"),
        )
        for place, one in enumerate(said)
    ]


@pytest.mark.parametrize(
    ("said", "answer"),
    [
        ([], None),
        (["B"], "B"),
        (["B", "C"], "C"),
        (["B", "?B"], "B"),
        (["B", "?C"], None),
        (["?C", "B"], "B"),
        (["?B"], None),
        (["B", "-"], None),
        (["-", "B"], "B"),
        (["B", "!B"], None),
        (["B", "!C"], "B"),
        (["!B", "B"], "B"),
        (["!B"], None),
    ],
)
def test_the_last_certain_claim_holds(said: list[str], answer: str | None) -> None:
    """What comes behind it and contradicts it, even if it is not certain, leaves no answer."""
    assert answer == settled(_claims(*said))


@given(st.permutations(["B", "?C", "!B", "C"]))
def test_the_order_is_that_of_the_text(said: list[str]) -> None:
    """Claims may be found in any order; where they are decides."""
    claims = _claims(*said)

    assert settled(claims) == settled(list(reversed(claims)))


@pytest.mark.parametrize(
    ("said", "is_against"),
    [([], False), (["B"], False), (["C"], True), (["!B"], True), (["!C"], False), (["?C"], False), (["-"], True)],
)
def test_what_contradicts_an_answer(said: list[str], is_against: bool) -> None:
    """Another certain answer, or the denial of this one; what is uncertain contradicts no header."""
    assert is_against is contradicts(_claims(*said), "B")


@pytest.mark.parametrize(
    "text",
    [
        "{}",
        "So {}",
        "A is wrong. {}",
        "I first thought of A; {}",
        "Although some cats are black, {}",
        "Some say it is A, but {}",
        "It may seem hard. However, {}",
        "If we add 2 and 3 we get 5, so {}",
        "A cannot hold, {}",
    ],
)
def test_a_statement_is_the_writers_own(text: str) -> None:
    """What another sentence or clause says before it does not make it another's."""
    before, _, _ = text.partition("{}")

    assert is_own(f"{before}the answer is B", len(before), len(before) + 13)


@pytest.mark.parametrize(
    "text",
    [
        "Answer 2 says {}",
        "According to Answer 2, {}",
        "He claims that {}",
        "If x is even, {}",
        "It is a mistake to think {}",
        "Many would say {}",
        "At first glance {}",
        "It is not the case that {}",
        "I don't think {}",
        "Nobody knows whether {}",
        "Why {}",
        "Laut Antwort 2 sagt sie, {}",
        'It says "so {}',
    ],
)
def test_a_statement_is_anothers(text: str) -> None:
    """A sentence that is attributed, supposed, denied or quoted is not the writer's statement."""
    before, _, _ = text.partition("{}")

    assert not is_own(f'{before}the answer is B"', len(before), len(before) + 13)


@pytest.mark.parametrize(
    ("rest", "supposed"),
    [(" if x were 2", True), (" unless it rains", True), (". If not", False), (" because of that", False), ("", False)],
)
def test_a_condition_behind_it(rest: str, supposed: bool) -> None:
    """An answer that holds only under a condition is none."""
    assert supposed is is_supposed(rest)


@pytest.mark.parametrize(
    ("text", "rest", "is_below"),
    [
        ("B", "B", False),
        (" B\nC", " B", False),
        ("\n\nB", "B", True),
        ("**\n\n**B** it is\nmore", "B** it is", True),
        (":\n\\[\n\\boxed{3}\n\\]", "boxed{3}", True),
        ("", "", True),
        ("\n\n", "", True),
    ],
)
def test_what_follows_a_statement(text: str, rest: str, is_below: bool) -> None:
    """The rest of its line, or the next line that states something; marks say nothing."""
    assert (rest, is_below) == rest_of(text, 0)


@pytest.mark.parametrize(
    "text",
    [
        "The answer is B",
        "The correct answer is: B",
        "**Answer:** B",
        "My final answer is therefore B",
        "The best option would be B",
        "The answer to this question is B",
        "I choose B",
        "I'd go with B",
        "We conclude that the answer is B",
        "Actually, B",
        "I change my answer from A to B",
        "Therefore, B",
        "This corresponds to option B",
        "Die richtige Antwort lautet B",
        "La bonne réponse est B",
        "La respuesta correcta es B",
        "A resposta certa é B",
        "La risposta giusta è B",
        "Het juiste antwoord is B",
        "Правильный ответ: B",
        "答案是B",
        "正确答案：B",
        "故选B",
        "答えはB",
        "정답은 B",
    ],
)
def test_the_words_that_announce_an_answer(text: str) -> None:
    """In each language the last of them ends where the answer begins."""
    assert [*statements(text)][-1].rest.strip().endswith("B")


@pytest.mark.parametrize(
    "text",
    ["Is B the one?", "B", "The question is hard.", "Answers vary.", "unanswered: B", "The responses are long.", ""],
)
def test_other_words_announce_nothing(text: str) -> None:
    """Without such words no answer is stated."""
    assert not list(statements(text))


def test_only_the_last_statements_are_looked_at() -> None:
    """A text that repeats itself without end takes no more time than its end."""
    assert len(list(statements("The answer is B. " * 20_000))) == 300
