"""The council that every peer runs, of the standard library alone: its prompts and the reading of rankings.

Three stages and nine calls, as Parley's own council: four opinions, four reviews that rank them under labels, and the
answer of a chair who is shown all of it.
"""

import re
from collections.abc import Sequence
from typing import NamedTuple

QUESTION = "Which is the better first language for a scientist, and why?"
MODELS = (
    "anthropic/claude-opus-4.6",
    "google/gemini-3-flash-preview",
    "x-ai/grok-4.1-fast",
    "zai-glm-4.7",
)
CHAIR = MODELS[0]
STAGES = 3
CALLS = 2 * len(MODELS) + 1

_LABELS = tuple(f"Response {letter}" for letter in "ABCD")
_RANKED = re.compile(r"^\d\. (Response [A-D])$", re.MULTILINE)
_FORM = "FINAL RANKING\n" + "\n".join(f"{n}. Response ?" for n in range(1, len(_LABELS) + 1))
_REVIEW = """\
You are one of several reviewers. Judge the answers below to one question. Their authors are hidden from you.

Question:
{question}

{answers}

First judge each answer in a short paragraph: what it gets right, what it gets wrong, what it leaves out.
Then end with your ranking, best answer first, in exactly this form and with nothing after it:

{form}
"""
_SYNTHESIS = """\
You chair a council of language models. Each of them answered the question below and then ranked all answers.

Question:
{question}

ANSWERS

{answers}

REVIEWS

{reviews}

TALLY (average position, 1 is best)

{tally}

Write the council's final answer to the question. Weigh what the answers agree and disagree on, correct what is wrong,
and keep what is best.
"""


class Ask(NamedTuple):
    """One call: a model and its prompt."""

    model: str
    prompt: str


def opinions() -> list[Ask]:
    """Return the calls of the first stage."""
    return [Ask(model, QUESTION) for model in MODELS]


def reviews(answers: Sequence[str]) -> list[Ask]:
    """Return the calls of the second stage."""
    prompt = _REVIEW.format(question=QUESTION, answers=_listed(_LABELS, answers), form=_FORM)
    return [Ask(model, prompt) for model in MODELS]


def synthesis(answers: Sequence[str], judged: Sequence[str]) -> Ask:
    """Return the chair's call.

    Raises:
        ValueError: a reply to a review has no ranking.
    """
    places = [ranking(text) for text in judged]
    tally = "\n".join(
        f"{label}: {sum(ranked.index(label) + 1 for ranked in places) / len(places):.2f}" for label in _LABELS
    )
    shown = _listed(MODELS, answers)
    return Ask(CHAIR, _SYNTHESIS.format(question=QUESTION, answers=shown, reviews=_listed(MODELS, judged), tally=tally))


def ranking(text: str) -> list[str]:
    """Return the labels of a reply to a review, best first.

    Raises:
        ValueError: there is no ranking of all labels at its end.
    """
    found = _RANKED.findall(text.rpartition("FINAL RANKING")[2])
    if sorted(found) != sorted(_LABELS):
        raise ValueError(f"the reply ends without a ranking of {', '.join(_LABELS)}: {text[-200:]!r}")
    return found


def body(ask: Ask) -> dict[str, object]:
    """Return the request to a provider."""
    return {"model": ask.model, "messages": [{"role": "user", "content": ask.prompt}]}


def _listed(names: Sequence[str], texts: Sequence[str]) -> str:
    return "\n\n".join(f"### {name}\n\n{text}" for name, text in zip(names, texts, strict=True))
