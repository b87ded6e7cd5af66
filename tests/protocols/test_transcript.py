"""The ordered turns."""

from protocols.exchange import ModelId, ParticipantId
from protocols.transcript import Transcript, Turn


def turn(stage: str, text: str) -> Turn:
    """Something said in a stage."""
    return Turn(participant=ParticipantId("p1"), model=ModelId("m:x"), stage=stage, text=text)


def test_the_turns_of_a_stage_keep_their_order() -> None:
    """Picking a stage leaves out the others and moves nothing."""
    said = Transcript(turns=(turn("opinion", "1"), turn("review", "2"), turn("opinion", "3")))
    assert [t.text for t in said.of_stage("opinion")] == ["1", "3"]
    assert said.of_stage("synthesis") == ()
