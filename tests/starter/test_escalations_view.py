"""How it looks when debates wait for a user, and what a debate's registries look like."""

import io
from datetime import UTC, datetime

from rich.console import Console, RenderableType

from parley.approval_commands import answer
from parley.pending_approvals import PendingApproval
from protocols.debate.model.io import Waiting
from protocols.debate.model.state import PERSON, DebateState, Evidence
from protocols.debate.registry_tables import state_tables
from protocols.progress import Progress
from protocols.spending_cap import CapReport, CapUse
from starter.views.escalations import standstills
from starter.views.tables import render
from tests.fakes.debate_results import FIRST, STATE


def text_of(drawn: RenderableType) -> str:
    """What a wide screen without colours shows."""
    out = io.StringIO()
    Console(file=out, width=200, markup=False, highlight=False).print(drawn)
    return out.getvalue()


WAITING = Waiting(
    for_what="escalation",
    why="the objection round brought no new fact",
    since=datetime(2026, 1, 2, 3, 4, tzinfo=UTC),
    until=datetime(2026, 1, 3, 3, 4, tzinfo=UTC),
)
STANDSTILL = PendingApproval(
    id="debate-cars-000001",
    title="Cars",
    waits_for="escalation",
    waiting=WAITING,
    command=answer(Progress(protocol="debate", title="Cars", stage="escalation"), "debate-cars-000001"),
)


def test_who_waits_is_shown_with_why_until_when_and_what_answers() -> None:
    """A debate that waits has its id, its title, the reason, the time, and the command to type."""
    lines = [line.strip() for line in text_of(standstills([STANDSTILL])).splitlines()]
    assert [
        "debate-cars-000001  Cars",
        "escalation: the objection round brought no new fact, until 2026-01-03 03:04 UTC",
        "parley accept|continue|reject debate-cars-000001",
    ] == lines


def test_who_waits_where_no_worker_answers_is_shown_all_the_same() -> None:
    """The list knows which wait; where the reason cannot be read it gives the remedy."""
    blind = STANDSTILL.model_copy(update={"waiting": None, "rehearsal": True})
    text = text_of(standstills([blind]))
    assert "debate-cars-000001  REHEARSAL · Cars" in text
    assert "no worker answers, so why and until when is not known (parley up starts one)" in text
    stuck = blind.model_copy(update={"why": "its workflow task fails: a key is missing"})
    assert "escalation: its workflow task fails: a key is missing\n" in text_of(standstills([stuck]))


def test_a_wait_for_a_higher_budget_is_shown_with_what_would_be_enough() -> None:
    """The command names the limit with which the waiting calls fit, rounded up to a cent."""
    budget = CapReport(usd=0.05, used_usd=0.04, needed=CapUse(usd=0.0712, tokens=900))
    progress = Progress(protocol="council", title="Cars", stage="review", waits_for="a person", budget=budget)
    assert "parley budget council-1 --usd 0.08, or parley stop council-1" == answer(progress, "council-1")


def test_nobody_waits_is_said() -> None:
    """An empty list is a sentence."""
    assert "no deliberation waits for a decision\n" == text_of(standstills([]))


def test_a_title_does_not_steer_the_terminal() -> None:
    """What a user or a model wrote is stripped of escape sequences."""
    assert "\x1b" not in text_of(standstills([STANDSTILL.model_copy(update={"title": "\x1b]0;owned\x07Cars"})]))


def test_registries_have_topic_round_and_all_tables() -> None:
    """A claim is shown with every position, the evidence and the deadline (section 7.2)."""
    text = text_of(render(state_tables(STATE)))
    assert text.startswith("Should a city close its centre to cars?")
    assert ["Positions", "Claims", "Evidence", "Decisions"] == [
        line.strip() for line in text.splitlines() if line.strip() in {"Positions", "Claims", "Evidence", "Decisions"}
    ]
    assert "round 2" in text


def test_what_a_person_gave_is_shown_whole() -> None:
    """Point 27: of what debaters brought the beginning is enough, of a user's fact every figure is shown."""
    fact = " ".join(f"figure-{number}" for number in range(1, 41))
    told = [
        Evidence(id=f"E{n}", title="T", gist=fact, added_round=1, added_by=by) for n, by in ((1, PERSON), (2, FIRST))
    ]
    text = text_of(render(state_tables(STATE.model_copy(update={"evidence": tuple(told)}))))
    assert (2, 1) == (text.count("figure-1 "), text.count("figure-40"))


def test_registries_before_the_first_turn_state_so() -> None:
    """Before the first turn there is nothing to show, and the screen says so."""
    text = text_of(render(state_tables(DebateState(topic="Why?", participants=(FIRST,)))))
    assert ["Why?", "round 0", "no debater has spoken yet", "no claims yet"] == [
        line.strip() for line in text.splitlines() if line.strip()
    ]
