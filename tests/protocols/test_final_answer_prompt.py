"""How a question asks for the form of its answer."""

import pytest

from protocols.answers import AnswerForm
from protocols.final_answer_prompt import ending, requests_answer, with_ending

LETTERS = AnswerForm(kind="choice", choices=("A", "B"))
NUMBER = AnswerForm(kind="number")
EXACT = AnswerForm(kind="exact")
FORMS = (LETTERS, NUMBER, EXACT, AnswerForm(kind="contains"), AnswerForm(kind="yes_no"), AnswerForm())
ASKING = (
    "Which?\nEnd with one line: FINAL ANSWER: and the letter.\n",
    "Which?\nfinal answer: <letter>",
    'Which? Begin the last line with "Final Answer": then the letter.',
    "Which?\n**FINAL ANSWER:** …",
    "Which?\nFINAL ANSWER： B",
)
SILENT = (
    "Which?",
    "What was the final answer of the quiz?",
    f"He wrote 'FINAL ANSWER: 42' on the wall. {'Then much more was said. ' * 40} What did he mean?",
    "",
)


@pytest.mark.parametrize("form", FORMS, ids=lambda form: form.kind)
def test_an_ending_is_added_once(form: AnswerForm) -> None:
    """A question that has its ending is asked as it is, however often it is handed on."""
    once = with_ending("Which one?\n", form)

    assert f"Which one?\n\n{ending(form)}" == once
    assert once == with_ending(once, form)


@pytest.mark.parametrize("question", ASKING)
def test_a_question_that_requests_for_the_line_is_left_as_it_is(question: str) -> None:
    """What a dataset's template says in its own words is not said again."""
    assert question == with_ending(question, LETTERS)


@pytest.mark.parametrize("question", SILENT)
def test_a_question_that_only_mentions_a_final_answer_is_given_its_ending(question: str) -> None:
    """The end of the question counts, and there a header and not the words."""
    assert not requests_answer(question, LETTERS)


def test_a_box_is_asked_for_where_it_is_read() -> None:
    """A number in a box is read without a header; a text that must be the same is not."""
    question = "Compute 2 + 2. Put the result within \\boxed{}."

    assert (True, False) == (requests_answer(question, NUMBER), requests_answer(question, EXACT))


def test_choices_with_braces_are_named_as_they_are() -> None:
    """A choice may hold what a template uses."""
    form = AnswerForm(kind="choice", choices=("{x}", "{{y}}"))

    assert "exactly one of {x}, {{y}}," in ending(form)
