"""What a user sees while it runs."""

from protocols.model_call import ModelId, ParticipantId, Spending
from protocols.progress import Progress, Seat, StageBar


def test_progress_survives_the_wire() -> None:
    """What the query answers is what the terminal reads."""
    shown = Progress(
        protocol="council",
        title="sky",
        stage="review",
        stages=(StageBar(name="opinion", status="completed", done=4, of=4), StageBar(name="review", of=4)),
        seats=(Seat(participant=ParticipantId("p1"), model=ModelId("ollama:x"), status="lost", note="timeout"),),
        spent=Spending(calls=4, usd=0.5),
    )
    assert Progress.model_validate_json(shown.model_dump_json()) == shown


def test_a_seat_and_a_stage_begin_ready() -> None:
    """Before anything is asked everything is ready and nothing is done."""
    seat = Seat(participant=ParticipantId("p1"), model=ModelId("ollama:x"))
    bar = StageBar(name="opinion")
    assert (seat.status, seat.call_id, bar.status, bar.done) == ("ready", None, "ready", 0)


def test_rounds_phase_and_findings_survive_the_wire() -> None:
    """What a protocol with rounds shows beside its stages is what the terminal reads."""
    seat = Seat(participant=ParticipantId("refiner"), model=ModelId("ollama:x"), round=2, expected_tokens=150)
    shown = Progress(
        protocol="consensus",
        title="sky",
        round=2,
        rounds=50,
        stage="refiner",
        phase="REFINE",
        seats=(seat,),
        findings="round  generator\n1      ACCEPT",
    )
    assert Progress.model_validate_json(shown.model_dump_json()) == shown


def test_what_an_older_worker_shows_is_read() -> None:
    """Where nothing is known of rounds, phase, findings and lengths there are none."""
    newer = {"rounds", "phase", "findings"}
    older = Progress(protocol="council", title="sky").model_dump(mode="json", exclude=newer)
    seat = Seat.model_validate({"participant": "p1", "model": "ollama:x"})
    shown = Progress.model_validate(older)
    assert (shown.rounds, shown.phase, shown.findings, seat.expected_tokens) == (None, "", "", None)
