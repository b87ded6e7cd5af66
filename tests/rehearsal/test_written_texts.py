"""The texts that are written for a few questions, and that they reach the screens through the normal readers."""

import re
import tomllib
from importlib.resources import files
from itertools import pairwise
from pathlib import Path

import pytest

from rehearsal.models import consensus, council_reviews, final_answers, written_texts
from rehearsal.models.council_opinions import opinion
from rehearsal.models.debate import ANCHORS
from rehearsal.models.debate_topics import theme_of
from rehearsal.models.problems import FINAL, final_of
from rehearsal.models.prompt_recognition import RecognisedPrompt
from rehearsal.models.written_texts import WrittenTexts, known_answer, written_for

ROOT = Path(__file__).parents[2]
PANEL = ("anthropic/claude-9", "openai/gpt-9", "google/gemini-9", "z-ai/glm-9")
TEXTS = {
    place.name: tomllib.loads(place.read_text("utf-8"))
    for place in sorted(files(written_texts.__package__).joinpath("texts").iterdir(), key=lambda one: one.name)
}
KNOWN = {"question", "answers", "verdicts", "drafts", "curated", "right", "solutions", "judgements", "chair", "debate"}
DEMO = "Which is the better first language for a scientist, Python or Julia, and why?"
ROUNDABOUTS = "Should a small town replace its traffic lights with roundabouts?"
SUMS = {
    "train": "A train leaves with 212 people, 38 get off and 15 get on. How many are on it?",
    "product": "What is 17 * 23?",
}


def written(question: str) -> WrittenTexts:
    """The texts of a question that has some."""
    found = written_for(question)
    assert found is not None
    return found


@pytest.mark.parametrize("name", TEXTS)
def test_a_file_holds_what_is_read(name: str) -> None:
    """Every key of a file is one that is read, and its question finds it, however it is spaced."""
    told = TEXTS[name]

    assert set(told) <= KNOWN
    assert written_for(f"  {told['question']}\n".replace(" ", "  ")) is not None


@pytest.mark.parametrize("name", TEXTS)
def test_no_text_speaks_of_the_machinery(name: str) -> None:
    """A written text reads as a model's own: it names no seat, no label and no script."""
    texts = re.findall(
        r'"""(.*?)"""', files(written_texts.__package__).joinpath("texts", name).read_text("utf-8"), re.DOTALL
    )

    assert not re.search(r"\b(?:filler|scripted|Response [A-Z]|rehears\w+)\b", " ".join(texts))


def test_the_question_of_the_demo_is_written_for() -> None:
    """What ``make demo`` asks is what the texts answer."""
    assert DEMO == re.search(r"^QUESTION := (.*)$", (ROOT / "Makefile").read_text("utf-8"), re.MULTILINE)[1]  # type: ignore[index]  # a missing line fails the test
    assert written(DEMO).answers


def test_another_question_gets_filler() -> None:
    """A question that differs in one word has nothing written for it."""
    assert written_for(DEMO.replace("Julia", "Rust")) is None


def test_the_usual_panel_states_four_different_things() -> None:
    """Makers of models are assigned different answers, and the same model always the same one."""
    said = [opinion(7, model, DEMO) for model in PANEL]

    assert 4 == len(set(said))
    assert said == [opinion(8, model, DEMO) for model in PANEL]
    assert all(known_answer(text) for text in said)


def test_reviewers_state_what_is_written_of_an_answer_and_rank_by_merit() -> None:
    """A review remarks on each answer in written words and ranks the best one first under the header asked for."""
    answers = tuple((f"Response {letter}", opinion(7, m, DEMO)) for letter, m in zip("DCBA", PANEL, strict=True))
    text = council_reviews.review(7, "lab/reviewer", RecognisedPrompt("review", DEMO, answers, "FINAL RANKING abc:"))

    assert "Response D: The most complete" in text or "Response D: Well balanced" in text
    assert "FINAL RANKING abc:\n1. Response D" in text


def test_another_chair_concludes_in_other_words() -> None:
    """Two chairs do not write the same, so a branch with another chair can be distinguished from its origin."""
    cue = RecognisedPrompt("synthesis", DEMO, (("Response A", "x"),))

    assert council_reviews.synthesis(7, PANEL[0], cue) != council_reviews.synthesis(7, PANEL[1], cue)


def test_a_written_consensus_is_reached_draft_by_draft() -> None:
    """Each correction is the next draft, the last one is accepted by all and polished by the curator."""
    drafts = written(ROUNDABOUTS).drafts
    assert drafts[0] == opinion(7, "lab/generator", ROUNDABOUTS)
    for shown, wanted in pairwise(drafts[:-1]):
        cue = RecognisedPrompt("evaluation", ROUNDABOUTS, (("response", shown),))
        assert wanted == consensus.evaluation(7, "lab/refiner", cue)
    cue = RecognisedPrompt("evaluation", ROUNDABOUTS, (("response", drafts[-1]),))
    assert "ACCEPT" == consensus.evaluation(7, "lab/refiner", cue)
    assert written(ROUNDABOUTS).curated == consensus.curation(7, "lab/curator", cue)


@pytest.mark.parametrize("question", SUMS.values(), ids=SUMS.keys())
def test_a_sum_is_solved_in_words_that_fit_its_answer(question: str) -> None:
    """The way that is shown gives the final answer below it, and most models find the right one."""
    cue = RecognisedPrompt("opinion", f"{question}\n\nThink it through.\n{FINAL}: the number")
    said = [final_answers.answered(7, f"lab/model-{n}", cue) for n in range(40)]
    right = [text for text in said if final_of(text) == written(question).right]

    assert all(str(final_of(text)) in text.rpartition(FINAL)[0] for text in said)
    assert 30 <= len(right)


def test_the_debate_has_a_position_for_everybody() -> None:
    """Whatever was assigned, there is a position; and facts of an anchor belong to it alone."""
    theme = theme_of("Should a city of 200,000 close its centre to cars?")
    facts = [fact for anchor in ANCHORS for fact in theme.own_facts[anchor]]

    assert {(anchor, lean) for anchor in ANCHORS for lean in ("for", "against", "between")} == {
        (anchor, lean) for anchor, positions in theme.ways.items() for lean in positions
    }
    assert len(facts) == len(set(facts))
