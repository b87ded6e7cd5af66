"""What a vote asks, how it ends, and the result made from it."""

import pytest

from protocols.deliberation import Ending, describe_failure
from protocols.model_call import ModelId, ParticipantId, Spending, lost_call
from protocols.progress import Progress, Seat
from protocols.seat_settings import SeatSettings
from protocols.vote import prompts, results
from protocols.vote.model import StopReason, VoteRecord, VoteResult
from tests.fakes.baselines import LETTERS, QUESTION, final, said_by, vote_input
from tests.protocols.failures import lost

ANSWERS = tuple(said_by(f"p{n}", final(answer)) for n, answer in ((1, "41"), (2, "42"), (3, "42")))


def concluded(record: VoteRecord, stop_reason: StopReason) -> VoteResult:
    """The result of a vote that ended with these minutes."""
    return results.build_result(vote_input(), record, Ending("vote-1", stop_reason, Spending(calls=3)))


def test_everybody_is_asked_the_same() -> None:
    """The question and the form of the answer, and an id that shows a replaced seat's calls apart."""
    inp = vote_input(answer=LETTERS)
    first, second, again = (
        *(prompts.answer(inp, seat) for seat in inp.panel.participants[:2]),
        prompts.answer(inp, inp.panel.participants[0], attempt=1),
    )

    assert first.messages == second.messages
    assert first.messages[0].content.startswith(QUESTION)
    assert ("answer-p1", "answer-p2", "answer-p1-2") == (first.call_id, second.call_id, again.call_id)


def test_the_result_keeps_every_vote() -> None:
    """Verdict, answer, votes by seat and transcript."""
    result = concluded(VoteRecord(answers=ANSWERS), "verdict")

    assert (ANSWERS[1].text, "42", 3, False) == (result.verdict, result.answer, result.asked, result.partial)
    assert [("p1", "41"), ("p2", "42"), ("p3", "42")] == [(vote.voter, vote.answer) for vote in result.votes]
    assert ["p1", "p2", "p3"] == [turn.participant for turn in result.transcript.turns if turn.stage == "answer"]
    assert result.prompts.startswith("1@")
    assert describe_failure(result, results.FAILURES) is None


def test_the_name_of_a_seat_is_that_of_its_samples() -> None:
    """Each sample is a seat of its own; a result names it as the screens do, and names none that has no name."""
    inp = vote_input(samples=2)
    lawyer = inp.panel.participants[0].model_copy(update={"settings": SeatSettings(name="Lawyer")})
    seats = (lawyer, *inp.panel.participants[1:])
    named = inp.model_copy(update={"panel": inp.panel.model_copy(update={"participants": seats})})

    result = results.build_result(named, VoteRecord(answers=ANSWERS), Ending("vote-2", "verdict"))

    assert {"p1": "Lawyer", "p1-s01": "Lawyer s01", "p1-s02": "Lawyer s02"} == result.names
    assert {seat.id: seat.label for seat in named.seats if seat.name}.items() <= result.names.items()
    assert {} == concluded(VoteRecord(answers=ANSWERS), "verdict").names


def test_a_vote_that_failed_has_no_verdict() -> None:
    """STRICT lost a participant: one message names the model."""
    record = VoteRecord(answers=ANSWERS[1:], lost=(lost_call(lost("p1"), "answer"),))
    result = concluded(record, "participant_lost")

    assert (None, None, "none", 2) == (result.verdict, result.answer, result.decided_by, len(result.votes))
    assert (describe_failure(result, results.FAILURES) or "").startswith("STRICT mode, and a vote was lost: p1 ")


@pytest.mark.parametrize(
    ("mode", "answered", "losses", "is_stopped", "reason"),
    [
        ("resilient", 3, 0, False, "verdict"),
        ("resilient", 1, 2, False, "verdict"),
        ("resilient", 0, 3, False, "no_answers"),
        ("strict", 2, 1, False, "participant_lost"),
        ("strict", 2, 1, True, "stopped"),
    ],
)
def test_how_it_ends(mode: str, answered: int, losses: int, is_stopped: bool, reason: str) -> None:
    """One answer is a quorum; STRICT allows no loss; a user's stop comes first."""
    record = VoteRecord(answers=ANSWERS[:answered], lost=(lost_call(lost("p1"), "answer"),) * losses)

    assert reason == results.stop_reason(vote_input(failure_mode=mode), record, is_stopped=is_stopped)


@pytest.mark.parametrize(
    ("seat", "status", "is_refused"), [("p1", "running", False), ("p1", "answered", True), ("chair", "running", True)]
)
def test_who_can_be_replaced(seat: str, status: str, is_refused: bool) -> None:
    """One that is still being asked; no one else has anything left to do."""
    one = Seat.model_validate({"participant": "p1", "model": ModelId("lab:one"), "status": status})
    progress = Progress(protocol="vote", title="vote", seats=(one,))
    if not is_refused:
        results.refuse_replacement(progress, ParticipantId(seat))
        return
    with pytest.raises(ValueError, match="has nothing left to do"):
        results.refuse_replacement(progress, ParticipantId(seat))
