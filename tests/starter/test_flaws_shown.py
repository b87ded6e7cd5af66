"""A lost, a refused, a cut and a repeated reply are shown in the same words wherever a result of any protocol is."""

import io
from collections.abc import Callable
from typing import Any

import pytest
from rich.console import Console

from activities.ledger import DeliberationRecord
from parley.results import parse_result
from parley.watch import Sight
from protocols.deliberation import DeliberationResult
from protocols.flaws import Degraded, asked_again, degraded_of, flaw_of
from protocols.model_call import Answered, Failed, FurtherCall, ModelCall, ParticipantId, Spending
from protocols.progress import Progress
from protocols.transcript import Transcript
from report.deliberation_page import single_page
from starter.handlers.show_result import document
from starter.views import verdict
from starter.views.progress import as_renderable, as_text
from tests.fakes.calls import model_call
from tests.fakes.circle_results import baseline_result, circle_result
from tests.fakes.consensus_results import consensus_result
from tests.fakes.council_results import council_result
from tests.fakes.debate_results import debate_result
from tests.fakes.equal_cost_results import mixed, sampled, voted
from tests.fakes.reported import row
from workflows.web_ui_details import render

RESULTS: tuple[Callable[..., Any], ...] = (
    *(council_result, consensus_result, circle_result, baseline_result, debate_result, sampled, voted, mixed),
)
LINE = "degraded: 1 lost, 1 refused, 1 cut; also 1 asked again"


def found() -> Degraded:
    """What the seats of a stage leave when one is lost, one refuses, one is cut and one is asked again."""
    calls = [model_call(call_id=f"opinion-p{n}", participant=ParticipantId(f"p{n}")) for n in range(1, 5)]
    sentence = "Reply with the answer and nothing else."
    further = FurtherCall(kind="again", call_id="opinion-p4-again", sentence=sentence, outcome="replaced")
    replies: tuple[Answered | Failed, ...] = (
        failed(calls[0], "timeout"),
        failed(calls[1], "refused"),
        answered(calls[2], finish="truncated"),
        answered(calls[3], further=further),
    )
    flaws = [one for call, reply in zip(calls, replies, strict=True) for one in _of(call, reply) if one is not None]
    return degraded_of(flaws)


def _of(call: ModelCall, reply: Answered | Failed) -> tuple[Any, ...]:
    return asked_again(call, reply), flaw_of(call, reply)


def failed(call: ModelCall, kind: Any) -> Failed:
    """A call that failed so."""
    given = {"kind": kind, "call_id": call.call_id, "participant": call.participant, "model": call.model}
    return Failed.model_validate({**given, "error_type": "x", "message": "no word"})


def answered(call: ModelCall, **changes: Any) -> Answered:
    """A reply to ``call``."""
    given = {"call_id": call.call_id, "participant": call.participant, "model": call.model, "text": "Well."}
    return Answered.model_validate({**given, "provider": "openrouter", **changes})


def shown(drawing: Any) -> str:
    """What a wide screen without colours shows."""
    out = io.StringIO()
    Console(file=out, width=300).print(drawing)
    return out.getvalue()


@pytest.mark.parametrize("make", RESULTS, ids=lambda make: make.__name__)
def test_a_result_states_its_flaws_in_the_same_words_everywhere(make: Callable[..., DeliberationResult]) -> None:
    """Screen and summary line, JSON, the result read back, the ledger's columns and the report agree."""
    result = make().model_copy(update={"degraded": found(), "failed": ()})
    screen = shown(verdict.render(result))
    assert LINE in screen
    assert all(note in screen for note in ("timeout: no word", "refused: no word", "ends at its length limit"))
    told_as_json = document(result.deliberation_id, result, None)["degraded"]
    assert (True, LINE) == (told_as_json["is_degraded"], f"degraded: {told_as_json['summary']}")
    assert parse_result(result.model_dump(mode="json")).degraded == found()
    page = single_page(row(result=result.model_dump(mode="json"), flaws=found().counts, degraded=True))
    assert LINE in page
    assert "asked again" in page


def test_details_and_watch_state_the_flaws_while_it_runs() -> None:
    """The panel of the Web UI and both forms of ``watch`` have the line, and each flaw with its place."""
    progress = Progress(protocol="council", title="Tea?", degraded=found(), spent=Spending(calls=4))
    panel = render(progress, "Tea?")
    assert f"**{LINE.capitalize()}**" in panel
    assert "refused, opinion p2: refused: no word" in panel
    sight = Sight(deliberation_id="council-1", progress=progress)
    assert LINE in shown(as_renderable(sight))
    assert "cut, opinion p3: the reply ends at its length limit" in as_text(sight)
    assert LINE in as_text(
        sight.model_copy(update={"progress": progress.model_copy(update={"stop_reason": "verdict"})})
    )


def test_the_record_of_a_deliberation_has_counts_and_no_flaws() -> None:
    """The ledger gets the flag and the counts as columns; the flaws themselves are in the result."""
    fields = DeliberationRecord.model_fields
    assert (False, {}) == (fields["degraded"].default, fields["flaws"].get_default(call_default_factory=True))


@pytest.mark.parametrize("make", RESULTS, ids=lambda make: make.__name__)
def test_a_cost_of_which_nothing_is_known_is_null(make: Callable[..., DeliberationResult]) -> None:
    """JSON for people and scripts never says 0 dollars for calls of unknown price."""
    result = make()
    unknown = result.model_copy(update={"spent": Spending(calls=3, calls_of_unknown_cost=3)})
    known = result.model_copy(update={"spent": Spending(calls=3, calls_of_unknown_cost=2, usd=0.5)})
    assert document("x", unknown, None)["spent"]["usd"] is None
    assert 0.5 == document("x", known, None)["spent"]["usd"]


def test_a_turn_that_was_asked_again_states_so_in_transcript_and_report() -> None:
    """The note of a turn is behind its heading on the screen, and beside its stage in the report."""
    result = council_result()
    first, *others = result.transcript.turns
    turns = (first.model_copy(update={"note": "cut off by its length"}), *others)
    noted = result.model_copy(update={"transcript": Transcript(turns=turns)})
    heading = f"{first.stage} · {first.participant}"
    line = next(one for one in shown(verdict.render(noted, transcript=True)).splitlines() if heading in one)
    assert "· cut off by its length" in line
    page = single_page(row(result=noted.model_dump(mode="json"), protocol="council"))
    assert "opinion · cut off by its length" in page
