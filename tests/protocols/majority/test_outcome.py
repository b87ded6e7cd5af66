"""What a vote asks, how it ends, and the result made from it."""

import pytest

from protocols.deliberation import Ending
from protocols.exchange import ModelId, ParticipantId, Spent, lost_call
from protocols.majority import outcome, prompts, rules
from protocols.majority.model import MajorityResult, Minutes, StopReason
from protocols.progress import Progress, Seat
from tests.fakes.baselines import LETTERS, QUESTION, final, majority_input, said_by
from tests.protocols.failures import lost

ANSWERS = tuple(said_by(f"p{n}", final(answer)) for n, answer in ((1, "41"), (2, "42"), (3, "42")))


def concluded(minutes: Minutes, stop_reason: StopReason) -> MajorityResult:
    """The result of a vote that ended with these minutes."""
    return outcome.conclude(majority_input(), minutes, Ending("vote-1", stop_reason, Spent(calls=3)))


def test_everybody_is_asked_the_same() -> None:
    """The question and the form of the answer, and an id that tells a replaced seat's calls apart."""
    inp = majority_input(answer=LETTERS)
    first, second, again = (
        *(prompts.answer(inp, seat) for seat in inp.panel.participants[:2]),
        prompts.answer(inp, inp.panel.participants[0], attempt=1),
    )

    assert first.messages == second.messages
    assert first.messages[0].content.startswith(QUESTION)
    assert ("answer-p1", "answer-p2", "answer-p1-2") == (first.call_id, second.call_id, again.call_id)


def test_the_result_keeps_every_vote() -> None:
    """Verdict, answer, votes by seat and transcript."""
    result = concluded(Minutes(answers=ANSWERS), "verdict")

    assert (ANSWERS[1].text, "42", 3, False) == (result.verdict, result.answer, result.asked, result.partial)
    assert [("p1", "41"), ("p2", "42"), ("p3", "42")] == [(vote.voter, vote.answer) for vote in result.votes]
    assert 3 == len(result.transcript.of_stage("answer"))


def test_a_vote_that_failed_has_no_verdict() -> None:
    """STRICT lost a participant: one message names the model."""
    minutes = Minutes(answers=ANSWERS[1:], lost=(lost_call(lost("p1"), "answer"),))
    result = concluded(minutes, "participant_lost")

    assert (None, "none") == (result.verdict, result.decided_by)
    assert "STRICT mode, and a participant was lost: p1 p1 (round 1, api_error" in (outcome.failure(result) or "")


@pytest.mark.parametrize(
    ("mode", "answered", "losses", "reason"),
    [
        ("resilient", 3, 0, "verdict"),
        ("resilient", 1, 2, "verdict"),
        ("resilient", 0, 3, "no_answers"),
        ("strict", 2, 1, "participant_lost"),
    ],
)
def test_how_it_ends(mode: str, answered: int, losses: int, reason: str) -> None:
    """One answer is a quorum; STRICT allows no loss."""
    minutes = Minutes(answers=ANSWERS[:answered], lost=(lost_call(lost("p1"), "answer"),) * losses)

    assert reason == rules.stop_reason(majority_input(failure_mode=mode), minutes, is_stopped=False)


@pytest.mark.parametrize(
    ("seat", "status", "is_refused"), [("p1", "running", False), ("p1", "answered", True), ("chair", "running", True)]
)
def test_who_can_be_replaced(seat: str, status: str, is_refused: bool) -> None:
    """Whoever is still being asked; nobody else has anything left to do."""
    one = Seat.model_validate({"participant": "p1", "model": ModelId("lab:one"), "status": status})
    progress = Progress(protocol="majority", title="vote", seats=(one,))
    if not is_refused:
        rules.refuse_replacement(progress, ParticipantId(seat))
        return
    with pytest.raises(ValueError, match="has nothing left to do"):
        rules.refuse_replacement(progress, ParticipantId(seat))
