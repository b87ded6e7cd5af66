"""Final answers of scripted models: who is right how often, and what peers make of a wrong one."""

from dataclasses import replace

import pytest

from protocols.answers import AnswerForm, read_answer
from protocols.final_answer_prompt import ENDINGS
from rehearsal.api.server import Rehearsal
from rehearsal.models import council_reviews, final_answers
from rehearsal.models.behaviours import BEHAVIOURS, reply_of
from rehearsal.models.council_opinions import quality
from rehearsal.models.problems import final_of, problem
from rehearsal.models.prompt_recognition import RecognisedPrompt, recognise
from rehearsal.models.replies import Speaker
from tests.rehearsal.listening import ask
from tests.rehearsal.test_consensus_play import consensus_input, evaluation_prompt, rounds_of
from tests.rehearsal.test_council_play import review_prompt

NUMBER = ENDINGS["number"]
SUM = f"What is 17 * 23?\n\n{NUMBER}"
SUMS = tuple(f"What is {n} * 23 + {n % 7}?\n\n{NUMBER}" for n in range(11, 91))
OPEN = tuple(f"Which language is best for task {n}, and why?\n\n{ENDINGS['free']}" for n in range(20))
MODELS = tuple(f"lab/model-{n}" for n in range(12))


def cue_of(question: str, draw: str = "") -> RecognisedPrompt:
    """A first question at a draw."""
    return replace(recognise([{"role": "user", "content": question}]), draw=draw)


def answer(model: str, question: str, draw: str = "") -> str | None:
    """What a model's text says, read as the rooms read it; its behaviour is behind a ``+``."""
    name, _, behaviour = model.partition("+")
    said = reply_of(BEHAVIOURS[behaviour or "plain"], Speaker(7, name), cue_of(question, draw))
    return read_answer(said.text or "", AnswerForm(kind="number"))


def right(question: str) -> str:
    """The right answer."""
    posed = problem(question)
    assert posed is not None
    return posed.right


def share_right(model: str, draw: str = "") -> float:
    """How many of the sums a model solves, 0 to 1."""
    return sum(answer(model, question, draw) == right(question) for question in SUMS) / len(SUMS)


def test_better_models_are_right_more_often_and_none_always() -> None:
    """Accuracy follows the hidden quality, so that a rehearsed study has something to show."""
    by_quality = sorted(MODELS, key=lambda model: quality(7, model))
    shares = [share_right(model) for model in by_quality]

    assert sum(shares[-3:]) > sum(shares[:3]) + 0.4
    assert all(0.2 < share < 1 for share in shares)


def test_same_question_at_no_temperature_has_the_same_answer() -> None:
    """Without a draw a model states the same every time; with draws it sometimes says something else."""
    texts = {final_answers.answered(7, MODELS[0], cue_of(SUM)) for _ in range(5)}
    drawn = {answer(model, question, str(n)) for model in MODELS[:3] for question in SUMS[:5] for n in range(5)}

    assert len(texts) == 1
    assert len(drawn) > 5


def test_most_frequent_of_several_samples_is_right_more_often() -> None:
    """What self-consistency lives on: a model's mistakes differ more than its right answers."""
    model = max(MODELS, key=lambda one: quality(7, one))
    voted = 0
    for question in SUMS:
        samples = [answer(model, question, str(n)) for n in range(9)]
        voted += max(set(samples), key=samples.count) == right(question)

    assert voted / len(SUMS) > share_right(model, "0")


@pytest.mark.parametrize(
    ("behaviour", "expected"),
    [("always-right", {"391"}), ("abstains", {None}), ("always-wrong", {"wrong"}), ("two-minds", {"391", "wrong"})],
)
def test_minds_answer_as_their_rows_promise(behaviour: str, expected: set[str | None]) -> None:
    """Over six draws: right, wrong, nothing, or right and wrong in turn."""
    said = [answer(f"lab/x+{behaviour}", SUM, str(n)) for n in range(6)]
    told = [one if one in {"391", None} else "wrong" for one in said]

    assert expected == set(told)
    assert len(set(told[::2])) == 1 == len(set(told[1::2]))


@pytest.mark.parametrize("mind", final_answers.MINDS)
def test_minds_are_plain_where_no_final_answer_is_asked_for(mind: str) -> None:
    """A question that asks for none is answered as the plain model answers it."""
    cue = cue_of("Why is the sky blue?")

    assert reply_of(BEHAVIOURS[mind], Speaker(7, "lab/x"), cue) == reply_of(
        BEHAVIOURS["plain"], Speaker(7, "lab/x"), cue
    )


def test_chair_concludes_with_what_most_answers_state() -> None:
    """A synthesis ends with the final answer of the majority, of those in which the chair sees no mistake."""
    answers = tuple((f"m/{n}", f"Text {n}.\n\nFINAL ANSWER: {said}") for n, said in enumerate(("391", "391", "400")))
    cue = RecognisedPrompt("synthesis", SUM, answers)

    assert final_of(council_reviews.synthesis(7, "lab/chair", cue)) == "391"


def test_synthesis_without_a_final_answer_asked_for_has_none() -> None:
    """Where no final answer is asked for, none is given."""
    cue = RecognisedPrompt("synthesis", "Why?", (("m/1", "Because.\n\nFINAL ANSWER: 3"),))

    assert final_of(council_reviews.synthesis(7, "lab/chair", cue)) is None


def test_reviewer_prefers_the_answer_it_takes_for_right() -> None:
    """Of two answers that are alike, a reviewer who solves the problem ranks the right one first."""
    shown = {"Response A": "Text.\n\nFINAL ANSWER: 400", "Response B": "Text.\n\nFINAL ANSWER: 391"}
    prompt = review_prompt(shown)
    cue = replace(recognise([{"role": "user", "content": prompt}]), question=SUM)
    firsts = [council_reviews.order(7, model, cue)[0] for model in MODELS]

    assert firsts.count("Response B") > firsts.count("Response A")


@pytest.mark.parametrize("question", [*SUMS[:20], *OPEN])
def test_consensus_on_a_problem_ends_with_a_final_answer(question: str) -> None:
    """Plain models agree within a few rounds, and what they agree on holds one final answer."""
    number, draft = rounds_of(consensus_input(question=question))

    assert number is not None
    assert number <= 10
    assert final_of(draft) is not None


def test_consensus_mends_wrong_answers_and_never_spoils_right_ones() -> None:
    """Among three, more problems are solved than by the first of them alone."""
    models = ("lab/model-3", "lab/model-5", "lab/model-7")
    alone = sum(answer(models[0], question) == right(question) for question in SUMS[:40])
    solved = 0
    for question in SUMS[:40]:
        inp = consensus_input(tuple(models), question)
        _, draft = rounds_of(inp)
        kept = final_of(draft) == right(question)
        assert kept or answer(models[0], question) != right(question)
        solved += kept

    assert solved > alone


def test_draft_without_a_final_answer_gets_one() -> None:
    """An evaluator adds what the question asks for and the draft has not."""
    cue = recognise([{"role": "user", "content": evaluation_prompt("It is a product.", SUM)}])
    said = reply_of(BEHAVIOURS["plain"], Speaker(7, "lab/x"), cue).text

    assert said is not None
    assert final_of(said) is not None


async def test_seed_and_temperature_of_a_request_make_the_draw(stage: Rehearsal) -> None:
    """At a temperature each seed draws anew, the same one the same; at 0 or without one, seeds change nothing."""
    warm = [(await ask(stage.url, prompt=SUM, temperature=0.7, seed=seed)).text for seed in (1, 2, 3, 4, 1)]
    cold = [(await ask(stage.url, prompt=SUM, temperature=0, seed=seed)).text for seed in (1, 2)]

    assert warm[0] == warm[4]
    assert len(set(warm)) > 1
    assert len({*cold, (await ask(stage.url, prompt=SUM)).text}) == 1


async def test_without_a_seed_every_logical_call_draws(stage: Rehearsal) -> None:
    """At a temperature the same call says the same again, and other calls something else now and then."""
    names = ("s01", "s02", "s03", "s04", "s05", "s06", "s01")
    said = [(await ask(stage.url, prompt=SUM, temperature=1, headers={"X-Parley-Call": name})).text for name in names]

    assert said[0] == said[-1]
    assert len(set(said)) > 1
