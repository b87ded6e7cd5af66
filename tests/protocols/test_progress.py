"""What a person sees while it runs."""

from protocols.exchange import ModelId, ParticipantId, Spent
from protocols.progress import Progress, Seat, StageBar


def test_progress_survives_the_wire() -> None:
    """What the query answers is what the terminal reads."""
    shown = Progress(
        protocol="council",
        title="sky",
        stage="review",
        stages=(StageBar(name="opinion", status="completed", done=4, of=4), StageBar(name="review", of=4)),
        seats=(Seat(participant=ParticipantId("p1"), model=ModelId("ollama:x"), status="lost", note="timeout"),),
        spent=Spent(calls=4, usd=0.5),
    )
    assert Progress.model_validate_json(shown.model_dump_json()) == shown


def test_a_seat_and_a_stage_begin_ready() -> None:
    """Before anything is asked everything is ready and nothing is done."""
    seat = Seat(participant=ParticipantId("p1"), model=ModelId("ollama:x"))
    bar = StageBar(name="opinion")
    assert (seat.status, seat.call_id, bar.status, bar.done) == ("ready", None, "ready", 0)
