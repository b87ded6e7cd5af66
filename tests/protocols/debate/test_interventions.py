"""What a user may change: going on is another round or a refusal with the remedy (point 31)."""

import pytest

from protocols.debate.model.history import Escalation
from protocols.debate.model.io import MOST_ROUNDS, ResolveEscalation
from protocols.debate.rules.stop_rules import apply_resolution, refuse_resolution
from tests.protocols.debate.parts import course, held

CONTINUE = ResolveEscalation(decision="continue")


@pytest.mark.parametrize(("limit", "held_before", "expected"), [(1, 1, 2), (3, 3, 4), (5, 2, 5)])
def test_going_on_allows_a_round_more_than_were_held(limit: int, held_before: int, expected: int) -> None:
    """The limit grows only where it leaves no round, and objection rounds do not count."""
    rounds = (*(held(n) for n in range(1, held_before + 1)), held(held_before + 1, kind="objection"))
    after = apply_resolution(
        course(rounds=rounds, limit=limit), Escalation(round=held_before + 1, why="", decision="continue")
    )
    assert expected == after.limit


@pytest.mark.parametrize("decision", ["accept", "reject", "timed_out"])
def test_no_other_decision_allows_one(decision: str) -> None:
    """What concludes a debate gives it no round."""
    one = Escalation.model_validate({"round": 1, "why": "", "decision": decision})
    assert 1 == apply_resolution(course(rounds=(held(1),), limit=1), one).limit


def test_a_debate_that_had_all_rounds_is_refused_with_the_command() -> None:
    """Fifty rounds are all that a debate may have: the message says what can be done instead."""
    whole = course(rounds=tuple(held(n) for n in range(1, MOST_ROUNDS + 1)), limit=MOST_ROUNDS)
    with pytest.raises(ValueError, match=r"had its 50 rounds.*parley accept ID"):
        refuse_resolution(whole, CONTINUE)
    refuse_resolution(whole, ResolveEscalation(decision="accept"))
    refuse_resolution(course(rounds=(held(1),), limit=1), CONTINUE)
