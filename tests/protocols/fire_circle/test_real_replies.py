"""The readers over replies and reasonings that real models wrote, where those lie beside the project."""

import json
from collections import Counter
from pathlib import Path
from typing import Any

import pytest

from protocols.fire_circle.replies import read_assessment

FINDINGS = Path(__file__).parents[4] / "shared" / "data" / "promptguard2"
ASKED = "v2_1_e_validation_results.json"
"""The one file that keeps replies as they came: claude-haiku-4.5, asked for T, I, F and a reasoning as JSON."""

LOST = (0.0, 1.0, 0.0)
"""What was recorded where a reply could not be read."""

pytestmark = [
    pytest.mark.data,
    pytest.mark.skipif(not FINDINGS.is_dir(), reason="the real replies do not lie beside the project"),
]


@pytest.fixture(scope="module")
def asked() -> list[dict[str, Any]]:
    """The replies that were asked for scores, with what was read from them at the time."""
    results: list[dict[str, Any]] = json.loads((FINDINGS / ASKED).read_text("utf-8"))["detailed_results"]
    return results


def reasonings(value: Any) -> list[tuple[str, tuple[float, ...]]]:
    """Every reasoning in a file, without its object, and the scores that were recorded with it."""
    if isinstance(value, list):
        return [found for inner in value for found in reasonings(inner)]
    if not isinstance(value, dict):
        return []
    text, scores = value.get("reasoning", value.get("observer_reasoning")), value.get("neutrosophic_scores", value)
    own = [(text, (scores["T"], scores["I"], scores["F"]))] if text and "F" in scores else []
    return own + [found for inner in value.values() for found in reasonings(inner)]


@pytest.fixture(scope="module")
def reasoned() -> dict[str, list[tuple[str, tuple[float, ...]]]]:
    """Reasonings and their scores by file; what was recorded as unreadable is left out."""
    files = {path.name: reasonings(json.loads(path.read_text("utf-8"))) for path in sorted(FINDINGS.glob("*.json"))}
    return {name: [one for one in found if one[1] != LOST] for name, found in files.items() if found}


def written(reply: str) -> tuple[float, ...]:
    """The scores on lines 2 to 4 of a real reply, taken by place and not by the reader."""
    lines = reply.split("\n")[1:4]
    return tuple(float(line.partition(":")[2].rstrip(",")) for line in lines)


def test_every_real_reply_is_read_as_it_was_written(asked: list[dict[str, Any]]) -> None:
    """All replies are read as JSON, those with text behind the object included, and none at other numbers."""
    told = [read_assessment(row["raw_response"], {}).assessment for row in asked]
    print(f"{len(told)} replies: {dict(Counter(one.source if one else 'unreadable' for one in told))}")
    assert ["json"] * len(asked) == [one.source if one else None for one in told]
    assert [written(row["raw_response"]) for row in asked] == [
        (one.truth, one.indeterminacy, one.falsehood) for one in told if one
    ]


def test_what_was_once_lost_as_innocence_is_read(asked: list[dict[str, Any]]) -> None:
    """Three replies were recorded as a falsehood of 0 because text followed their object; they are 0.8, 0.1 and 0.3."""
    lost = [row["raw_response"] for row in asked if (row["T"], row["I"], row["F"]) == LOST]
    told = [read_assessment(text, {}).assessment for text in lost]
    assert [0.8, 0.1, 0.3] == [one.falsehood for one in told if one]


@pytest.mark.parametrize("share", [0.25, 0.5, 0.75, 0.95])
def test_a_real_reply_that_is_cut_keeps_its_numbers(asked: list[dict[str, Any]], share: float) -> None:
    """A real reply that ends in the middle of its reasoning is mended, at the numbers that were written."""
    lines = [row["raw_response"].split("\n") for row in asked]
    cut = ["\n".join([*five[:4], five[4][: int(len(five[4]) * share)]]) for five in lines]
    told = [read_assessment(text, {}).assessment for text in cut]
    assert [("repaired", *written(row["raw_response"])) for row in asked] == [
        (one.source, one.truth, one.indeterminacy, one.falsehood) for one in told if one
    ]


def test_a_real_reasoning_is_read_at_the_scores_of_its_reply(
    reasoned: dict[str, list[tuple[str, tuple[float, ...]]]],
) -> None:
    """Reasonings full of scores for single steps are read at the falsehood of the whole, or not as numbers."""
    told = {name: [read_assessment(text, {}).assessment for text, _ in found] for name, found in reasoned.items()}
    for name, found in told.items():
        print(f"{name:44}{len(found):3} {dict(Counter(one.source if one else 'unreadable' for one in found))}")
    pairs = [
        (scores[2], one.falsehood)
        for name, found in reasoned.items()
        for (_, scores), one in zip(found, told[name], strict=True)
        if one
    ]
    assert pairs
    assert [asked for asked, _ in pairs] == [read for _, read in pairs]


def test_a_real_reasoning_is_never_guessed_to_be_innocent(
    reasoned: dict[str, list[tuple[str, tuple[float, ...]]]],
) -> None:
    """Where keywords are asked for, what is guessed is an accusation; most are true, and each says what it is."""
    guesses = [
        (scores[2] >= 0.5, one.falsehood)
        for found in reasoned.values()
        for text, scores in found
        if (one := read_assessment(text, {"heuristic": True}).assessment) and one.source == "heuristic"
    ]
    print(f"{len(guesses)} guesses, {sum(is_true for is_true, _ in guesses)} of them for a falsehood of 0.5 and more")
    assert {0.8} == {guess for _, guess in guesses}
    assert sum(is_true for is_true, _ in guesses) > len(guesses) / 2
