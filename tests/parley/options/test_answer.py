"""The option ``answer``: every protocol that can be asked for a final answer is asked for it in the same words."""

from collections.abc import Callable

import pytest

from parley.errors import RequestError
from parley.options.answer import AnswerOptions
from parley.options.consensus import ConsensusOptions
from parley.options.council import CouncilOptions
from parley.options.debate import DebateOptions
from parley.options.equal_cost import MixtureOptions, VoteOptions
from protocols.answers import AnswerForm
from protocols.final_answer_prompt import ending, with_ending

LETTERS = AnswerForm(kind="choice", choices=("A", "B"))
WRITTEN = "choice:A,B"
QUESTION = "Which?\nA) one\nB) two"

Made = Callable[[AnswerOptions, str], str]

PROTOCOLS = (CouncilOptions, ConsensusOptions, DebateOptions, VoteOptions, MixtureOptions)


def asked(options: type[AnswerOptions], question: str = QUESTION, **given: object) -> str:
    """The question that the workflow starts with."""
    made = options.of(given).build_input(question, queues={})
    return str(made.question)


@pytest.mark.parametrize("options", PROTOCOLS, ids=lambda one: one.PROTOCOL)
def test_every_protocol_is_asked_the_same_question(options: type[AnswerOptions]) -> None:
    """The ending is part of the question, once, and in the same words everywhere."""
    assert f"{QUESTION}\n\n{ending(LETTERS)}" == asked(options, answer=WRITTEN)


@pytest.mark.parametrize("options", PROTOCOLS, ids=lambda one: one.PROTOCOL)
def test_a_question_with_its_own_ending_is_not_given_another(options: type[AnswerOptions]) -> None:
    """What was asked for already is not asked for again."""
    question = with_ending(QUESTION, LETTERS)

    assert question == asked(options, question, answer=WRITTEN)


def test_a_last_line_in_a_text_to_grade_is_no_request() -> None:
    """A grader is asked for its last line also where the answer to grade ends with one, between its marks."""
    question = 'Grade it.\n<text name="answer" nonce="abc">\nFINAL ANSWER: 7\n</text nonce="abc">\nIt is one letter.'

    assert f"{question}\n\n{ending(LETTERS)}" == with_ending(question, LETTERS)


@pytest.mark.parametrize("options", [CouncilOptions, ConsensusOptions, DebateOptions])
def test_the_form_travels_with_the_deliberation(options: type[AnswerOptions]) -> None:
    """The workflow knows in which form the answer is read, and knows of none where none was asked for."""
    forms = [options.of(given).build_input("Why?", queues={}).answer for given in ({"answer": WRITTEN}, {})]

    assert [LETTERS, None] == forms


@pytest.mark.parametrize(
    ("options", "given", "is_asked"),
    [
        (CouncilOptions, {}, False),
        (MixtureOptions, {}, False),
        (MixtureOptions, {"answer": "free"}, True),
        (VoteOptions, {}, True),
        (VoteOptions, {"preset": "self-consistency"}, True),
        (VoteOptions, {"preset": "single"}, False),
        (VoteOptions, {"preset": "single", "answer": "free"}, True),
    ],
)
def test_without_a_form_only_those_who_compare_answers_ask(
    options: type[AnswerOptions], given: dict[str, object], *, is_asked: bool
) -> None:
    """Votes and samples cannot be compared without a last line; an open question is else asked as it is."""
    assert is_asked is (asked(options, "Why?", **given) != "Why?")


def test_the_title_is_the_question_alone() -> None:
    """Lists show what was asked and not how it is to be answered."""
    made = CouncilOptions.of({"answer": "number"}).build_input("How many?", queues={})

    assert "How many?" == made.title


def test_a_form_that_cannot_be_is_refused_by_every_protocol() -> None:
    """The message names the option."""
    with pytest.raises(RequestError, match="answer: "):
        CouncilOptions.of({"answer": "letters"})
