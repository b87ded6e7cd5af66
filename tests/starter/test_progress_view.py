"""What a deliberation looks like while it runs."""

import io
from datetime import UTC, datetime
from typing import Any

import pytest
from rich.console import Console

from parley.pending_calls import Call, Outage
from parley.watch import Sight
from protocols.model_call import ModelId, ParticipantId, Spending
from protocols.progress import Progress, Seat, StageBar
from starter.views.progress import ProgressScreen, as_renderable, as_text, percent


def progress(**changes: Any) -> Progress:
    """A council in its first stage: one answered, one is asked."""
    given = {
        "protocol": "council",
        "title": "sky",
        "stage": "opinion",
        "stages": (StageBar(name="opinion", status="running", done=1, of=2), StageBar(name="review")),
        "seats": (
            Seat(participant=ParticipantId("p1"), model=ModelId("lab:one"), status="answered", call_id="opinion-p1"),
            Seat(participant=ParticipantId("p2"), model=ModelId("lab:two"), status="running", call_id="opinion-p2"),
        ),
        "spent": Spending(calls=1, prompt_tokens=10, completion_tokens=5, usd=0.001),
    }
    return Progress.model_validate({**given, **changes})


def sight(**changes: Any) -> Sight:
    """That council as it is seen."""
    given = {
        "deliberation_id": "council-sky-000001",
        "progress": progress(),
        "calls": {"opinion-p2": Call(tokens=1234, phase="writing")},
    }
    return Sight.model_validate({**given, **changes})


def text_of(seen: Sight) -> str:
    """What a wide screen without colours shows."""
    out = io.StringIO()
    Console(file=out, width=160).print(as_renderable(seen))
    return out.getvalue()


def test_every_stage_has_a_bar_and_a_count() -> None:
    """A stage that runs says how many of its calls are done."""
    line = next(line for line in text_of(sight()).splitlines() if "opinion" in line and "1/2" in line)
    assert "━" in line


def test_participant_shows_the_tokens_so_far() -> None:
    """A seat that is being asked shows what its heartbeat says."""
    line = next(line for line in text_of(sight()).splitlines() if "p2" in line)
    assert line.split() == ["…", "p2", "two", "writing", "1,234", "tokens"]


def test_retried_call_states_why() -> None:
    """A call in its second attempt shows what ended the first."""
    retried = sight(calls={"opinion-p2": Call(attempt=2, last_failure="lab: too many requests", waits=True)})
    assert "attempt 2 (lab: too many requests)" in text_of(retried)


def test_a_provider_that_is_away_is_reported_once_for_all_its_calls() -> None:
    """The screen says since when, why and when it is tried again; lines leave out what changes every second."""
    since = datetime(2026, 5, 1, 14, 3, tzinfo=UTC)
    away = Call(provider="lab", attempt=4, waits=True, away_since=since)
    outage = Outage(provider="lab", since=since, reason="answered 503", calls=2, next_try_in=20.4)
    seen = sight(calls={"opinion-p2": away}, outages=(outage,))
    assert "lab away since 14:03 UTC (answered 503, next try in 20 s); 2 calls wait for it" in text_of(seen)
    assert "waits for lab, attempt 4" in text_of(seen)
    assert "lab away since 14:03 UTC (answered 503)" in as_text(seen)
    assert not any("attempt" in line for line in as_text(seen))


def test_a_paused_call_states_what_continues_it() -> None:
    """A call that an operator paused waits for no provider, whether its provider was away or not."""
    since = datetime(2026, 5, 1, 14, 3, tzinfo=UTC)
    call = Call(attempt=2, pause="paused, see temporal activity unpause: look", last_failure="x", away_since=since)
    paused = sight(calls={"opinion-p2": call})
    assert "paused, see temporal activity unpause: look" in text_of(paused)
    assert "opinion-p2: paused, see temporal activity unpause: look" in as_text(paused)


def test_untaken_call_states_that_it_waits() -> None:
    """A call that no worker has taken is not shown as running."""
    assert "waiting for a worker" in text_of(sight(calls={"opinion-p2": Call(waits=True)}))


def test_rehearsal_is_labelled_from_the_start() -> None:
    """A rehearsal that runs carries its label, on a terminal and in lines."""
    rehearsal = sight(progress=progress(rehearsal=True))
    assert "REHEARSAL" in text_of(rehearsal)
    assert "REHEARSAL" in as_text(rehearsal)[0]


def test_sight_without_a_worker_states_so() -> None:
    """What cannot be seen is replaced by the reason."""
    blind = sight(progress=None, note="no worker answers")
    assert "no worker answers" in text_of(blind)


def test_nothing_a_model_or_provider_wrote_steers_the_terminal() -> None:
    """Escape sequences in notes and failures are taken out (S13)."""
    seat = Seat(
        participant=ParticipantId("p1"), model=ModelId("lab:\x1b[31mone"), status="lost", note="\x1b]0;x\x07down"
    )
    hostile = sight(progress=progress(seats=(seat,), title="\x9b2Jsky"))
    assert "\x1b" not in text_of(hostile)
    assert not any("\x1b" in line for line in as_text(hostile))


def test_lines_are_printed_only_when_something_changed() -> None:
    """Without a terminal the same state is printed once."""
    out = io.StringIO()
    with ProgressScreen(Console(file=out, width=160)) as screen:
        screen.show(sight())
        screen.show(sight())
        screen.show(sight(progress=progress(stop_reason="verdict")))
    assert out.getvalue().splitlines() == ["opinion: running", "opinion · p1 · one: answered", "ended: verdict"]


def refining(tokens: int = 0, **changes: Any) -> Sight:
    """A consensus in its second round: the refiner writes an answer of about 200 tokens."""
    seat = Seat(
        participant=ParticipantId("refiner"),
        model=ModelId("lab:two"),
        stage="refiner",
        round=2,
        status="running",
        call_id="r02-refiner",
        expected_tokens=200,
    )
    bars = (
        StageBar(name="generator", status="completed", done=1, of=1),
        StageBar(name="refiner", status="running", of=1),
        StageBar(name="validator"),
    )
    given = {"protocol": "consensus", "round": 2, "rounds": 50, "stage": "refiner", "phase": "REFINE"}
    stands = progress(**{**given, "stages": bars, "seats": (seat,), **changes})
    return sight(progress=stands, calls={"r02-refiner": Call(tokens=tokens, phase="writing")})


@pytest.mark.parametrize(("tokens", "reached"), [(0, 0), (50, 22), (100, 45), (200, 90), (5000, 90)])
def test_running_bar_follows_the_tokens_and_stops_at_90(tokens: int, reached: int) -> None:
    """A bar that runs is at the share of the expected tokens; only its completion makes it 100 (seed 004)."""
    seen = refining(tokens)
    assert seen.progress is not None
    assert [100, reached, 0] == [percent(bar, seen) for bar in seen.progress.stages]


def test_seats_that_are_done_count_whole() -> None:
    """Of two seats one is done and one has written half of a usual answer: three quarters of 90."""
    half = sight(calls={"opinion-p2": Call(tokens=300)})
    assert half.progress is not None
    assert 68 == percent(half.progress.stages[0], half)


def test_percent_is_shown_beside_the_bar() -> None:
    """A stage that runs shows how far it has come; one that was left out shows that."""
    line = next(line for line in text_of(refining(100)).splitlines() if "refiner" in line)
    skipped = text_of(sight(progress=progress(stages=(StageBar(name="review", status="skipped"),))))
    assert "45 %" in line
    assert "skipped" in skipped


def test_headline_has_the_round_its_limit_and_the_phase() -> None:
    """Where there are rounds the headline counts them and has the phase word."""
    assert "round 2 of at most 50 · REFINE" in text_of(refining())
    assert "round 1 · opinion" in text_of(sight())


def test_findings_are_shown_as_they_are() -> None:
    """What the stages gave is under the seats, without anything that could steer the terminal."""
    text = text_of(sight(progress=progress(findings="round  generator\n1      \x1b[31mACCEPT")))
    assert "round  generator" in text
    assert "1      ACCEPT" in text


def test_lines_state_in_every_round_which_stage_runs() -> None:
    """Without a terminal the same stage of the next round is printed again, with its phase."""
    out = io.StringIO()
    with ProgressScreen(Console(file=out, width=160)) as screen:
        screen.show(refining())
        screen.show(refining())
        screen.show(refining(round=3))
    running = [line for line in out.getvalue().splitlines() if "running" in line]
    assert ["round 2 · refiner: running (REFINE)", "round 3 · refiner: running (REFINE)"] == running


def waiting(stage: str, **changes: Any) -> Sight:
    """A debate that waits for a user in ``stage``."""
    given = {
        "protocol": "debate",
        "rounds": 6,
        "stage": stage,
        "seats": (),
        "waits_for": f"a person: {stage} until noon",
    }
    return sight(deliberation_id="debate-cars-000001", progress=progress(**{**given, **changes}), calls={})


@pytest.mark.parametrize(
    ("stage", "answers"), [("escalation", "accept|continue|reject"), ("approval", "accept|reject")]
)
def test_a_wait_for_a_person_is_shown_with_the_command_that_answers(stage: str, answers: str) -> None:
    """The screen shows that the debate waits, until when, and what to type; on a terminal and in lines."""
    command = f"parley {answers} debate-cars-000001"
    line = f"waits for a person: {stage} until noon; answer it in another window: {command}"
    assert line in text_of(waiting(stage))
    assert line in as_text(waiting(stage))


def test_a_wait_that_nobody_can_answer_has_no_command() -> None:
    """Without a command that answers, the screen names what is waited for; without a wait it names nothing."""
    assert "waits for a person: turns until noon" in as_text(waiting("turns"))
    assert not any("waits for" in line for line in as_text(waiting("turns", waits_for="")))


def test_a_wait_is_reported_once_without_a_terminal() -> None:
    """However often it is looked at, the wait is one line."""
    out = io.StringIO()
    with ProgressScreen(Console(file=out, width=160)) as screen:
        screen.show(waiting("escalation"))
        screen.show(waiting("escalation"))
    assert 1 == out.getvalue().count("waits for a person")
