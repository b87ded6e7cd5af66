"""What a user may ask of a deliberation that runs, whatever its protocol."""

import pytest
from pydantic import ValidationError

from protocols.update_requests import ReplaceParticipant, StopAfterRound, StopRequest


@pytest.mark.parametrize(
    ("stopping", "reason"),
    [
        (StopRequest(), "stopped by a user"),
        (StopAfterRound(), "stopped by a user after the round"),
        (StopRequest(reason=""), ""),
    ],
)
def test_a_reason_need_not_be_given(stopping: StopRequest | StopAfterRound, reason: str) -> None:
    """Without a reason a result says what happened."""
    assert stopping.reason == reason


@pytest.mark.parametrize("stopping", [StopRequest, StopAfterRound])
def test_a_reason_is_a_remark_and_no_essay(stopping: type[StopRequest | StopAfterRound]) -> None:
    """Five hundred characters are taken, one more is refused."""
    assert len(stopping.model_validate({"reason": "x" * 500}).reason) == 500
    with pytest.raises(ValidationError):
        stopping.model_validate({"reason": "x" * 501})


@pytest.mark.parametrize("asked", [{}, {"participant": "p1"}, {"model": "ollama:x"}])
def test_a_replacement_names_the_seat_and_the_model(asked: dict[str, str]) -> None:
    """Neither is guessed."""
    with pytest.raises(ValidationError):
        ReplaceParticipant.model_validate(asked)
