"""Answers that real models gave before and after they were convinced, read as turns, where they lie beside the project.

ChatGPT, Bard and Claude were asked for an answer, a reasoning and a confidence; pre and post are before and after.
"""

import json
from collections.abc import Callable, Mapping
from pathlib import Path
from typing import Any

import pytest

from protocols.debate.model.turn import Source
from protocols.debate.replies.turn import read_turn

ANSWERS = Path(__file__).parents[4] / "shared" / "data" / "reconcile-convincing"

pytestmark = [
    pytest.mark.data,
    pytest.mark.skipif(not ANSWERS.is_dir(), reason="the real replies do not lie beside the project"),
]

Prediction = Mapping[str, Any]


@pytest.fixture(scope="module")
def predictions() -> list[Prediction]:
    """Every prediction, before and after."""
    files = [json.loads(path.read_text("utf-8")) for path in sorted(ANSWERS.glob("*/*.json"))]
    return [row[when] for rows in files for row in rows for when in ("prediction_pre", "prediction_post")]


def lines(told: Prediction) -> str:
    """A prediction as labelled lines."""
    return "\n".join(f"{name}: {value}" for name, value in told.items())


def bold_lines(told: Prediction) -> str:
    """A prediction as labelled lines in bold, with a blank line between them."""
    return "\n\n".join(f"**{name.replace('_', ' ').title()}:** {value}" for name, value in told.items())


def as_share(told: Prediction) -> str:
    """A prediction as JSON with its confidence as a percentage."""
    return json.dumps({**told, "confidence_level": f"{round(float(told['confidence_level']) * 100)}%"})


FORMS: dict[str, tuple[Callable[[Prediction], str], Source]] = {
    "JSON": (json.dumps, "json"),
    "JSON in a fence": (lambda told: f"Here it is:\n```json\n{json.dumps(told, indent=2)}\n```\nThat is all.", "json"),
    "JSON with a share": (as_share, "json"),
    "a dict of Python": (repr, "repaired"),
    "cut behind the confidence": (lambda told: json.dumps(told).partition('"confidence_exp')[0], "repaired"),
    "lines": (lines, "text"),
    "lines in bold": (bold_lines, "text"),
}


@pytest.mark.parametrize(("write", "source"), FORMS.values(), ids=FORMS.keys())
def test_every_real_answer_is_read(
    predictions: list[Prediction], write: Callable[[Prediction], str], source: Source
) -> None:
    """Each of the 96 is read at the answer and the confidence that it states, in every form of a reply."""
    told = [read_turn(write(one), {}) for one in predictions]
    print(f"{len(told)} predictions are read as {source}")
    assert 96 == len(predictions)
    assert [(one["answer"].strip(), float(one["confidence_level"]), source) for one in predictions] == [
        (one.position, one.confidence, one.source) for one in told
    ]


def test_every_real_answer_states_a_confidence(predictions: list[Prediction]) -> None:
    """None of the predictions is without a usable confidence: each is from 0.8 to 1, most of them as text."""
    stated = [one["confidence_level"] for one in predictions]
    print(f"{sum(isinstance(one, str) for one in stated)} of {len(stated)} confidences are text")
    assert [] == [one for one in stated if not 0.8 <= float(one) <= 1]
    assert [read_turn(json.dumps(one), {}).confidence for one in predictions].count(None) == 0


def test_the_reasoning_of_a_real_answer_is_kept(predictions: list[Prediction]) -> None:
    """Understanding, reasoning or explanations are joined to one reasoning, and the confidence has its own."""
    told = [read_turn(json.dumps(one), {}) for one in predictions]
    parts = [[*texts(one["question_understanding"]), *texts(explained(one))] for one in predictions]
    assert parts == [
        [text for text in inside if text in one.reasoning] for inside, one in zip(parts, told, strict=True)
    ]
    reasons = ["\n\n".join(texts(one["confidence_explanations"])) for one in predictions]
    assert reasons == [one.confidence_reason for one in told]


def explained(told: Prediction) -> Any:
    """How an answer was come by, as text or as a list of steps."""
    return told.get("answer_reasoning", told.get("question_explanations"))


def texts(value: Any) -> list[str]:
    """The texts in a value, without blanks around."""
    return [text for inner in (value if isinstance(value, list) else [value]) if (text := inner.strip())]


def test_a_real_answer_without_a_position_is_no_turn(predictions: list[Prediction]) -> None:
    """The restated question of a model is no position, and no number is taken from it."""
    told = [
        read_turn(one["question_understanding"], {}) for one in predictions if one["question_understanding"].strip()
    ]
    assert {("", None, None)} == {(one.position, one.confidence, one.vote) for one in told}
