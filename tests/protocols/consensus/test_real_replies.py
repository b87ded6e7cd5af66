"""Real answers as drafts, and what real models wrote about them, through the reader of evaluations."""

import json
from collections import Counter
from pathlib import Path

import pytest

from protocols.consensus.readers import read_evaluation

REAL = Path(__file__).parents[4] / "shared" / "data" / "mt-bench"

pytestmark = [
    pytest.mark.data,
    pytest.mark.skipif(not REAL.is_dir(), reason="the real answers are not beside the project"),
]


def lines(path: Path) -> list[dict[str, object]]:
    """The objects of a file, one on each line."""
    return [json.loads(line) for line in path.read_text("utf-8").splitlines()]


def answers() -> dict[tuple[object, object], str]:
    """First answers by question and model."""
    found = {}
    for path in sorted((REAL / "model_answer").glob("*.jsonl")):
        for one in lines(path):
            choices = one["choices"]
            assert isinstance(choices, list)
            found[one["question_id"], one["model_id"]] = str(choices[0]["turns"][0])
    return found


def test_a_judges_remarks_are_no_consent_and_no_text(capsys: pytest.CaptureFixture[str]) -> None:
    """Of the judge's replies to first answers none accepts, and a text comes out only where it announces one."""
    drafts, counted = answers(), Counter[str]()
    for one in lines(REAL / "gpt-4_single.judgments.jsonl"):
        draft, said = drafts.get((one["question_id"], one["model"])), str(one["judgment"])
        if draft is None or one["turn"] != 1:
            continue
        found = read_evaluation(said, {"shown": draft})
        counted[found.found_as] += 1
        assert not found.accepted
        assert found.draft is None or "correct" in said.lower()
    with capsys.disabled():
        print(f"\n  judge's replies as evaluations of the answers they judge: {dict(counted)}")


def test_another_models_answer_is_a_text_or_asked_for_again(capsys: pytest.CaptureFixture[str]) -> None:
    """An answer to the same question never accepts and is never an objection; most of them are texts."""
    drafts, counted = answers(), Counter[str]()
    models = sorted({str(model) for _, model in drafts})
    for (question, model), draft in drafts.items():
        other = models[(models.index(str(model)) + 1) % len(models)]
        text = drafts.get((question, other))
        if text is not None:
            counted[read_evaluation(text, {"shown": draft}).found_as] += 1
    with capsys.disabled():
        print(f"\n  another model's answers as corrections: {dict(counted)}")
    assert counted.keys() <= {"correction", "doubtful"}
    assert counted["correction"] > 4 * counted["doubtful"]
