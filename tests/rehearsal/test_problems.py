"""Questions that ask for a final answer: what is solved, what is only chosen, and that reading never fails."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from rehearsal.models.problems import FINAL, final_of, problem, without_final
from rehearsal.models.sums import as_written, story_in, sum_in

ASKED = f"\n\nThink it through. Then end with one line in this form:\n\n{FINAL}: "

OPTIONS = "\nA) 54\nB) 56\nC) 63"


@pytest.mark.parametrize(
    ("words", "right"),
    [
        ("What is 17 * 23 + 4?", "395"),
        ("What is 7 x (8 + 1)?", "63"),
        ("What is 15% of 80?", "12"),
        ("What is 1,200 plus 34?", "1234"),
        ("What is 10 divided by 4?", "2.5"),
        ("What is 6 × 7 − 2?", "40"),
        ("Compute (2 + 3) * -4.", "-20"),
        ("Tom has 12 apples and buys 5 more. He eats 3. How many has he?", "14"),
        ("A train leaves with 212 people, 38 get off and 15 get on. How many are on it?", "189"),
        ("There are 4 rows of 6 chairs each. How many chairs are there?", "24"),
        ("20 sweets are shared equally among 5 children. How many does each get?", "4"),
    ],
)
def test_small_sums_and_stories_are_solved(words: str, right: str) -> None:
    """A sum in signs, in words or in a story has the answer that arithmetic gives it."""
    posed = problem(f"{words}{ASKED}the number")
    assert posed is not None
    assert (right, words) == (posed.right, posed.words)


@pytest.mark.parametrize(
    ("question", "right"),
    [
        (f"What is 7 x 8?{OPTIONS}", "B"),
        (f"Which is the largest?{OPTIONS}", "C"),
        (f"Which is the smallest?{OPTIONS}", "A"),
        (f"Which one is odd?{OPTIONS}", "C"),
        ("Which is prime?\n(A) 91\n(B) 97\n(C) 99", "B"),
    ],
)
def test_options_are_held_against_what_is_asked(question: str, right: str) -> None:
    """Of options with numbers the one is right that the question's words make so, under its letter."""
    posed = problem(f"{question}{ASKED}your choice")
    assert posed is not None
    assert posed.right == right
    assert {posed.right, *posed.wrong} == {"A", "B", "C"}


@pytest.mark.parametrize(
    ("words", "right"),
    [
        ("Is 91 prime?", "no"),
        ("Is 97 a prime number?", "yes"),
        ("Is 84 divisible by 7?", "yes"),
        ("Is 12 greater than 21?", "no"),
    ],
)
def test_yes_or_no_is_decided_where_a_number_decides_it(words: str, right: str) -> None:
    """The right answer about a number is known, whether yes and no are asked for in words or as choices."""
    for form in ("yes or no", "exactly one of yes, no"):
        posed = problem(f"{words}{ASKED}{form}")
        assert posed is not None
        assert right == posed.right


@pytest.mark.parametrize(
    ("question", "allowed"),
    [
        ("Which is the capital?\nA) Paris\nB) Rome\nC) Bern", {"A", "B", "C"}),
        ("Is honesty always right? Say yes or no.", {"yes", "no"}),
        ("Classify this. Exactly one of: positive, negative or mixed.", {"positive", "negative", "mixed"}),
    ],
)
def test_what_takes_knowledge_is_chosen_among_what_is_allowed(question: str, allowed: set[str]) -> None:
    """Where nothing can be worked out the right answer is one of those that the question allows, always the same."""
    posed = problem(f"{question}{ASKED}")
    assert posed is not None
    assert allowed == {posed.right, *posed.wrong}
    assert posed == problem.__wrapped__(f"{question}{ASKED}")


def test_question_without_a_final_answer_is_no_problem() -> None:
    """Only a question that names the line is answered with one."""
    assert problem("What is 17 * 23?") is None


def test_other_words_for_the_form_make_no_other_problem() -> None:
    """A problem is known by its own words: who asks for the same in another form asks the same."""
    bare = problem(f"What is 17 * 23?\n\nEnd with {FINAL}: the number")
    assert bare == problem(f"What is 17 * 23?{ASKED}the number")


def test_last_final_line_counts_and_can_be_taken_away() -> None:
    """Bold type and a full-width colon are read; without its final lines a text keeps the rest."""
    text = f"So far.\n{FINAL}: 12\nNo.\n**{FINAL}\uff1a 13**"
    assert final_of(text) == "13"
    assert final_of(without_final(text)) is None
    assert without_final(text) == "So far.\n\nNo."


def test_sum_that_cannot_be_worked_out_is_none() -> None:
    """A division by zero and a bracket that stays open are no sums; the next sum of the text counts."""
    assert sum_in("What is 3 / 0?") is None
    assert sum_in("(3 + 4") is None
    assert sum_in("3 / 0, or 4 + 5") == 9
    assert story_in("Tom has 4 apples shared by 0 people") is None


@given(st.text(alphabet=f"0123456789+-*/()%., \nxABC){FINAL}:yesnoof", max_size=300))
def test_reading_a_question_never_fails(text: str) -> None:
    """Whatever is asked, there is a right answer and at least one that is wrong, and they differ."""
    posed = problem(f"{text}\n{FINAL}: ")
    assert posed is not None
    assert posed.wrong
    assert posed.right not in posed.wrong


def test_numbers_are_written_as_people_write_them() -> None:
    """Whole numbers without a point, others with at most four decimals and no zeros at their end."""
    third = sum_in("1 / 3")
    assert third is not None
    assert as_written(third) == "0.3333"
