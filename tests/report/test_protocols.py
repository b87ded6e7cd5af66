import random
from typing import Any

import pytest

from report.leaves import Leaf
from report.protocols import circle, consensus, debate
from report.protocols.catalogue import ROOMS, drawn, room_of
from report.transcripts import opened
from tests.fakes import reported
from tests.fakes.circle_results import baseline_result, circle_result
from tests.fakes.consensus_results import consensus_result
from tests.fakes.council_results import council_result
from tests.fakes.debate_results import debate_result

REAL = {
    "council": council_result().model_dump(mode="json"),
    "consensus": consensus_result().model_dump(mode="json"),
    "fire_circle": circle_result().model_dump(mode="json"),
    "evaluate": baseline_result().model_dump(mode="json"),
    "debate": debate_result().model_dump(mode="json", by_alias=True),
    "vote": reported.samples(random.Random(1), 50),
}
"""Results as the protocols themselves write them."""

SHOWN = {
    "council": ("Who ranked whom where", "Final order"),
    "consensus": ("Rounds and opinions",),
    "fire_circle": ("Falsehood by model and round", "Patterns, and who named them", "The empty chair"),
    "evaluate": ("What they saw",),
    "debate": ("Claims, and who stands by them", "Confidence by round", "Votes by round"),
    "vote": ("Votes per answer",),
}


@pytest.mark.parametrize("protocol", REAL)
def test_a_protocol_shows_its_own_drawings(protocol: str) -> None:
    """A result as its protocol writes it has every drawing of its room, and a transcript."""
    result = Leaf(REAL[protocol])
    shown = "".join(drawn(result))
    assert [title for title in SHOWN[protocol] if title not in shown] == []
    assert room_of(result).said(result)


@pytest.mark.parametrize("protocol", REAL)
@pytest.mark.parametrize("wrong", [None, [], "text", 7, [{"x": 1}], {"x": [None]}])
def test_a_missing_piece_leaves_its_drawing_out(protocol: str, wrong: Any) -> None:
    """A result that lacks a piece, or has something else in its place, is shown without it and never fails."""
    for name in REAL[protocol]:
        if name != "protocol":
            result = Leaf({**REAL[protocol], name: wrong})
            drawn(result)
            room_of(result).said(result)
    assert drawn(Leaf({"protocol": protocol})) == []


def test_a_protocol_of_a_later_version_shows_what_it_can() -> None:
    """An unknown protocol has no drawing, and its transcript when it has one."""
    result = Leaf({**REAL["council"], "protocol": "parliament"})
    assert drawn(result) == []
    assert len(room_of(result).said(result)) == 1


def test_a_reviewer_s_own_answer_is_framed() -> None:
    """The rank matrix has one row per ballot, places by label, and a frame where a reviewer ranks itself."""
    shown = "".join(drawn(Leaf(REAL["council"])))
    assert shown.count('class="cell own"') == 2
    assert "p1 one: 1, 2; p2 two: 1, 2" in shown


def test_accepting_is_counted_round_by_round() -> None:
    """An opinion that was not obtained accepts nothing; only an achieved consensus has taken rounds."""
    result = Leaf(REAL["consensus"])
    assert consensus.accepting(result) == (1 / 3, 1.0)
    assert consensus.rounds(result) == 2
    assert consensus.rounds(Leaf({**REAL["consensus"], "consensus_achieved": False})) is None


def test_the_highest_falsehood_of_every_round_is_what_a_circle_detects() -> None:
    """Per round the highest of all seats, those that were lost later included."""
    assert circle.highest(Leaf(REAL["fire_circle"])) == (0.8, 0.9, 0.4)


def test_confidence_is_the_rounds_own_measure() -> None:
    """Mean confidence comes from the round's measures."""
    assert debate.confident(Leaf(REAL["debate"])) == (0.8, 0.85)


def test_every_protocol_has_a_room() -> None:
    """No protocol that the ledger knows is without drawings."""
    assert set(SHOWN) | {"mixture"} == set(ROOMS)


def test_notes_stand_with_drafts_and_with_turns_of_a_debate() -> None:
    """Where a reply was cut off or asked for once more, the transcript says so beside the round."""
    dice = random.Random(1)
    consensus, debate = reported.consensus(dice, 40), reported.debate(dice, 40)
    consensus["message_notes"] = ["", "cut off by its length"]
    debate["rounds"][0]["turns"][1]["note"] = "the answer to being asked again"

    drafts = [one.where for one in room_of(Leaf(consensus)).said(Leaf(consensus))]
    turns = [one.where for one in room_of(Leaf(debate)).said(Leaf(debate))]

    assert ["round 1", "round 1 · cut off by its length", "round 1"] == drafts[:3]
    assert [False, True, False] == [one.endswith(" · the answer to being asked again") for one in turns[:3]]


DECIDED = {
    **REAL["debate"],
    "accepted_motion": {"round": 2, "text": "Close the centre in steps.", "by": "p2"},
    "decision": {
        "decision": "Close it now.",
        "reasons": ["The air is bad."],
        "confidence": 0.8,
        "would_change": ["A cheap filter."],
        "written_by": "judge",
        "model": "openrouter:lab/judge",
    },
    "answer": "yes",
    "answered_by": "judge",
}


def test_a_debate_concludes_with_its_motion_its_decision_and_its_answer() -> None:
    """What was agreed and what the judge decided, with reasons, confidence and what would change it, come in order."""
    motion, decision, answer = room_of(Leaf(DECIDED)).concluded(Leaf(DECIDED))
    assert motion == ("Accepted motion", "the position of p2", "Close the centre in steps.")
    assert decision.where == "by the judge, judge · confidence 0.80"
    lines = ("Close it now.", "", "Reasons:", "- The air is bad.", "", "What would change it:", "- A cheap filter.")
    assert decision.text.splitlines() == list(lines)
    assert answer == ("Final answer", "of the judge", "yes")


@pytest.mark.parametrize("wrong", [None, [], "text", 7, {"decision": 1}])
def test_a_debate_without_a_conclusion_shows_none(wrong: Any) -> None:
    """A result without motion, decision and answer, or with something else in their place, has no heading for them."""
    found = Leaf({**DECIDED, "accepted_motion": wrong, "decision": wrong, "answer": None})
    assert room_of(found).concluded(found) == []
    assert room_of(Leaf(REAL["council"])).concluded(Leaf(REAL["council"])) == []


def test_an_opened_debate_of_a_study_shows_its_decision_above_the_synthesis() -> None:
    """In a study's page the verdict that is opened begins with what was agreed and decided."""
    shown = opened("Q", "In short.", DECIDED).verdict
    places = [
        shown.index(text) for text in ("**Accepted motion**", "**Decision**", "**Final answer**", "**Synthesis**")
    ]
    assert places == sorted(places)
    assert shown.endswith("In short.")
    assert opened("Q", "In short.", REAL["council"]).verdict == "In short."


def test_a_round_of_a_debate_says_what_a_consensus_lacked() -> None:
    """Every round that was no consensus has a row with the reason; where none has one there is no table."""
    first, *others = REAL["debate"]["rounds"]
    told = {**REAL["debate"], "rounds": [{**first, "lacking": "nothing is agreed after round 1"}, *others]}
    assert "<td>nothing is agreed after round 1</td>" in "".join(drawn(Leaf(told)))
    assert "Why a round was no consensus" not in "".join(drawn(Leaf(REAL["debate"])))
