"""The result of a self-consistency run."""

import pytest

from protocols.deliberation import Ending
from protocols.exchange import Spent, lost_call
from protocols.self_consistency import outcome, rules
from protocols.self_consistency.model import Minutes, SelfConsistencyResult, StopReason
from tests.fakes.baselines import final, said_by, self_consistency_input
from tests.protocols.failures import lost

SAMPLES = tuple(said_by(f"s0{n}", final(answer)) for n, answer in ((1, "41"), (2, "42"), (3, "42")))


def concluded(minutes: Minutes, stop_reason: StopReason) -> SelfConsistencyResult:
    """The result of a run that ended with these minutes."""
    return outcome.conclude(self_consistency_input(), minutes, Ending("samples-1", stop_reason, Spent(calls=3)))


def test_the_result_keeps_every_vote() -> None:
    """Verdict, answer, votes and transcript, and which prompts were used."""
    result = concluded(Minutes(samples=SAMPLES), "verdict")

    assert (SAMPLES[1].text, "42", 3, False) == (result.verdict, result.answer, result.asked, result.partial)
    assert ["41", "42", "42"] == [vote.answer for vote in result.votes]
    assert ["s01", "s02", "s03"] == [turn.participant for turn in result.transcript.turns]
    assert result.prompts.startswith("2@")
    assert outcome.failure(result) is None


def test_a_run_that_failed_has_no_verdict() -> None:
    """STRICT lost a sample: the votes are kept, nothing is decided, and one message says who was lost."""
    minutes = Minutes(samples=SAMPLES[1:], lost=(lost_call(lost("s01"), "sample"),))
    result = concluded(minutes, "participant_lost")

    assert (None, None, "none", 2) == (result.verdict, result.answer, result.decided_by, len(result.votes))
    assert (outcome.failure(result) or "").startswith("STRICT mode, and a sample was lost: s01")


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
    """One answered sample is a quorum; STRICT allows no loss; a person's word comes first."""
    minutes = Minutes(samples=SAMPLES[:answered], lost=(lost_call(lost("s01"), "sample"),) * losses)

    assert reason == rules.stop_reason(self_consistency_input(failure_mode=mode), minutes, is_stopped=is_stopped)
