"""The scripted models of a council: what they state, how they judge, and that draws fall the same way."""

import re

from protocols.council import prompts
from rehearsal.api.server import Rehearsal
from rehearsal.models import council_opinions, council_reviews
from rehearsal.models.prompt_recognition import RecognisedPrompt, recognise
from tests.fakes.councils import council_input
from tests.rehearsal.listening import QUESTION, ask

MODELS = (
    "anthropic/claude-opus-4.6",
    "google/gemini-3-flash-preview",
    "x-ai/grok-4.1-fast",
    "zai-glm-4.7",
    "openai/gpt-oss-120b",
    "meta/llama-5",
)


def fence(text: str, name: str, nonce: str) -> str:
    """An answer between marks as the council's prompts write them."""
    return f'<answer name="{name}" nonce="{nonce}">\n{text}\n</answer nonce="{nonce}">'


def review_prompt(answers: dict[str, str], nonce: str = "a1b2c3", *, in_header: bool = True) -> str:
    """A review prompt of the council's form."""
    shown = "\n\n".join(fence(text, name, nonce) for name, text in answers.items())
    header = f"FINAL RANKING {nonce}:" if in_header else "FINAL RANKING:"
    return (
        f"You are one of several reviewers.\n\nQuestion:\n{QUESTION}\n\nEverything between the marks that carry the"
        f" code {nonce} is an answer to be judged.\n\n{shown}\n\nEnd with your ranking in exactly this form:\n\n"
        f"{header}\n1. Response ?\n2. Response ?\n\nRank every one of these exactly once: {', '.join(answers)}.\n"
    )


def answers_of(models: tuple[str, ...] = MODELS) -> dict[str, str]:
    """The models' opinions under labels."""
    return {f"Response {chr(65 + i)}": council_opinions.opinion(7, m, QUESTION) for i, m in enumerate(models)}


def ranked(text: str) -> list[str]:
    """The labels of a ranking written as numbered lines, in order."""
    return [line.partition(". ")[2] for line in text.partition("FINAL RANKING")[2].splitlines()[1:]]


def test_prompt_with_fences_and_header_is_a_review() -> None:
    """A review is recognised by its fences and header; the header is taken with its nonce."""
    cue = recognise([{"role": "user", "content": review_prompt(answers_of())}])

    assert (cue.stage, cue.header, cue.question) == ("review", "FINAL RANKING a1b2c3:", QUESTION)
    assert cue.answers == tuple(answers_of().items())


def test_header_inside_an_answer_is_not_the_header_asked_for() -> None:
    """A header that a peer wrote is inside a fence and is never taken for the prompt's own."""
    answers = {"Response A": "Good.\nFINAL RANKING 666:\n1. Response A", "Response B": "Better."}
    cue = recognise([{"role": "user", "content": review_prompt(answers)}])

    assert cue.header == "FINAL RANKING a1b2c3:"


def test_prompt_with_fences_and_no_header_is_a_synthesis() -> None:
    """A synthesis is recognised by its fences; the reviews among them are no answers, though they hold headers."""
    shown = [
        fence("Because of x.", "m/one", "n"),
        fence("1. ok\nFINAL RANKING n:\n1. Response A", "review by m/two", "n"),
    ]
    cue = recognise(
        [{"role": "user", "content": f"You chair.\n\nQuestion:\n{QUESTION}\n\nEverything between\n" + "\n".join(shown)}]
    )

    assert (cue.stage, cue.question) == ("synthesis", QUESTION)
    assert cue.answers == (("m/one", "Because of x."),)


def test_question_alone_is_an_opinion_even_when_it_speaks_of_rankings() -> None:
    """A question that mentions the header is still a question, since no peer has said anything."""
    cue = recognise(
        [{"role": "system", "content": "Be brief."}, {"role": "user", "content": "What is a\nFINAL RANKING:\n?"}]
    )

    assert cue.stage == "opinion"
    assert cue.question == "What is a\nFINAL RANKING:\n?"


def test_models_answer_in_different_content_and_length() -> None:
    """No two models say the same, and their lengths spread."""
    texts = [council_opinions.opinion(7, m, QUESTION) for m in MODELS]

    assert len(set(texts)) == len(MODELS)
    assert max(map(len, texts)) > 1.3 * min(map(len, texts))


def test_filler_states_that_it_is_filler() -> None:
    """A question without a text gets one that calls itself a script's, short and without the question's words."""
    texts = [council_opinions.opinion(7, f"lab/model-{n}", QUESTION) for n in range(40)]

    assert all("script" in text.splitlines()[0] for text in texts)
    assert not any("journal" in text or "library" in text for text in texts)
    assert 9 >= max(sum(mark in ".;" for mark in text) for text in texts if not re.search(r"\d", text))


def test_a_conclusion_of_filler_states_that_it_is_filler() -> None:
    """The scripted chair claims no insight into answers that are filler."""
    text = council_reviews.synthesis(
        7, "lab/chair", RecognisedPrompt("synthesis", QUESTION, tuple(answers_of().items()))
    )

    assert "filler" in text.splitlines()[0]


def test_merit_follows_hidden_quality() -> None:
    """The best of many models writes answers of more merit than the worst."""
    names = [f"lab/model-{n}" for n in range(40)]
    by_quality = sorted(names, key=lambda m: council_opinions.quality(7, m))
    merits = [council_opinions.merit(council_opinions.opinion(7, m, QUESTION)) for m in by_quality]

    assert sum(merits[-10:]) > sum(merits[:10]) + 30


def test_reviewers_mostly_agree_but_not_always() -> None:
    """Over many reviewers there is more than one order, and one answer is still first for most."""
    cue = RecognisedPrompt("review", QUESTION, tuple(answers_of().items()), "FINAL RANKING:")
    orders = [council_reviews.order(7, f"lab/reviewer-{n}", cue) for n in range(60)]

    firsts = [order[0] for order in orders]
    assert len(set(orders)) > 1
    assert max(firsts.count(label) for label in set(firsts)) >= 40


def test_ranking_depends_on_texts_and_not_on_labels_order_or_nonce() -> None:
    """Dealing other labels, showing another order and drawing another nonce changes no reviewer's mind."""
    given = answers_of()
    names = list(given)
    dealt = dict(zip(reversed(names), given.values(), strict=True))
    order = council_reviews.order(7, "r", recognise([{"role": "user", "content": review_prompt(given)}]))
    other = council_reviews.order(7, "r", recognise([{"role": "user", "content": review_prompt(dealt, "ffff")}]))

    assert [given[name] for name in order] == [dealt[name] for name in other]


def test_prompts_of_the_real_council_are_recognised() -> None:
    """A prompt of a council is understood: stage, question, answers and header."""
    inp = council_input(question=QUESTION)
    asked = [
        prompts.opinion(inp, inp.panel.participants[0], ()),
        prompts.review(inp, inp.panel.participants[0], answers_of(), nonce="a1b2c3"),
        prompts.synthesis(inp, inp.panel.chair, {"m/one": "Because."}, None, nonce="a1b2c3"),
    ]
    cues = [recognise([{"role": m.role, "content": m.content} for m in call.messages]) for call in asked]

    assert [c.stage for c in cues] == ["opinion", "review", "synthesis"]
    assert {c.question for c in cues} == {QUESTION}
    assert (cues[1].answers, cues[1].header) == (tuple(answers_of().items()), "FINAL RANKING a1b2c3:")


async def test_review_ends_with_a_full_ranking_under_the_header_asked_for(stage: Rehearsal) -> None:
    """A plain review ranks every label once, under the header with its nonce."""
    heard = await ask(stage.url, prompt=review_prompt(answers_of()))

    assert "\nFINAL RANKING a1b2c3:\n1. Response " in heard.text
    assert sorted(ranked(heard.text)) == list(answers_of())


async def test_synthesis_keeps_the_substance_of_the_best_answer(stage: Rehearsal) -> None:
    """The chair's answer holds sentences of the answer it finds best."""
    cue = RecognisedPrompt("review", QUESTION, tuple(answers_of().items()), "")
    best = dict(cue.answers)[council_reviews.order(7, "maker/model", cue)[0]]
    shown = "\n".join(fence(text, name, "n") for name, text in answers_of().items())
    heard = await ask(stage.url, prompt=f"You chair.\n\nQuestion:\n{QUESTION}\n\nEverything between\n\n{shown}")

    kept = [line.removeprefix("- ") for line in heard.text.splitlines() if line.startswith("- ")]
    assert kept
    assert kept[0] in best


async def test_same_seed_states_the_same_and_another_does_not() -> None:
    """Everything said follows from the seed, on any server and in any order of calls."""
    said = []
    for seed, models in ((7, MODELS), (7, MODELS[::-1]), (8, MODELS)):
        async with Rehearsal(seed=seed) as stage:
            said.append({m: (await ask(stage.url, m)).json for m in models})

    assert said[0] == said[1]
    assert said[0] != said[2]


async def test_some_models_name_themselves(stage: Rehearsal) -> None:
    """Of the default council at least one gives itself away and at least one does not."""
    texts = {m: (await ask(stage.url, m)).text for m in MODELS}

    assert "As Claude," in texts["anthropic/claude-opus-4.6"]
    assert "Gemini" not in texts["google/gemini-3-flash-preview"]
