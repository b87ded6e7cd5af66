"""Seats with settings and fallbacks in every protocol."""

import pytest
from temporalio.testing import WorkflowEnvironment

from parley.results import view_of
from parley.specs import PROTOCOLS
from protocols.model_call import ModelCall, Sampling
from protocols.panel import Panel
from protocols.progress import Progress
from protocols.seat_settings import SeatSettings
from tests.fakes.ledger import FakeLedger
from tests.fakes.models import ScriptedModels, refused_by_provider
from tests.fakes.panels import seated
from tests.fakes.specified import scripted_reply
from tests.workflows import holding
from tests.workflows.conftest import staff

every_protocol = pytest.mark.parametrize("name", PROTOCOLS)
LOST = "rehearsal:lab/one"


def deviations(panel: Panel, call: ModelCall) -> list[str]:
    """List what a call lacks of the settings of its seat."""
    seat = panel.at(call.participant)
    settings, sampling = seat.settings, call.sampling
    if settings is None:
        return [name for name in ("stop", "routing", "extra_body") if getattr(call, name)]
    system = call.messages[0].content if call.messages[0].role == "system" else ""
    routing = settings.routing.model_dump(mode="json") if settings.routing else {}
    found = {
        "system": settings.system in system,
        "temperature": settings.temperature in {None, sampling.temperature},
        "top_p": settings.top_p == sampling.top_p,
        "max_tokens": settings.max_tokens is None
        or sampling.max_tokens in {settings.max_tokens, 2 * settings.max_tokens},
        "seed": (settings.seed is None) is (sampling.seed is None),
        "request": (settings.stop, routing, settings.extra_body) == (call.stop, call.routing, call.extra_body),
        "name": settings.name == "" or settings.name not in "".join(message.content for message in call.messages),
    }
    return [f"{call.call_id}: {name}" for name, is_met in found.items() if not is_met]


@every_protocol
async def test_tables_have_the_names_of_seats(env: WorkflowEnvironment, name: str) -> None:
    """Where a seat has a name, no table has its id: neither in the Web UI while it runs, nor in the result."""
    inp = seated(name)
    async with staff(env, ScriptedModels(scripted_reply)):
        handle = await holding.start(env, PROTOCOLS[name].workflow.run, inp)
        result = await handle.result()
        shown: Progress = await handle.query("state", result_type=Progress)
    view = view_of(result)
    cells = [cell.text for table in view.tables for row in table.rows for cell in row if " " not in cell.text]
    headings = [column.heading for table in view.tables for column in table.columns]

    assert inp.panel.names
    assert not {*inp.panel.names} & {*shown.findings.split(), *cells, *(one.split(" ")[0] for one in headings)}
    if name == "council":
        assert {*result.names.values()} - {"Closer"} <= {*shown.findings.split()} & {*cells}


@every_protocol
async def test_every_call_has_the_settings_of_its_seat_and_no_other(env: WorkflowEnvironment, name: str) -> None:
    """Those of the seat are sent in every stage, names reach no model, and the ledger's record has both."""
    inp, models, ledger = seated(name), ScriptedModels(scripted_reply), FakeLedger()
    async with staff(env, models, ledger):
        handle = await holding.start(env, PROTOCOLS[name].workflow.run, inp)
        await handle.result()
    others = [seat.settings.system for seat in inp.panel.everyone if seat.settings and seat.settings.system]

    assert [] == [one for call in models.calls for one in deviations(inp.panel, call)]
    for call in models.calls:
        own = inp.panel.at(call.participant).settings
        text = "".join(message.content for message in call.messages)
        assert not any(system in text for system in others if own is None or system != own.system)
    (record,) = ledger.entries
    seats = [one for one in inp.panel.everyone if inp.HAS_CHAIR or one is not inp.panel.chair]
    assert [(one.id, one.name, one.model) for one in seats] == [
        (one["seat"], one["name"], one["model"]) for one in record.seats
    ]
    assert {call.participant for call in models.calls} <= {one.id for one in seats}
    written = {str(one["seat"]): one["settings"] for one in record.seats}
    for seat in seats:
        own = seat.settings
        assert SeatSettings.model_validate(written[seat.id]) == (own or SeatSettings()).model_copy(
            update={"system": "", "name": ""}
        )
    assert Sampling.model_validate(record.sampling) == inp.sampling


@every_protocol
async def test_a_fallback_takes_the_seat_of_a_lost_model(env: WorkflowEnvironment, name: str) -> None:
    """STRICT loses no seat, every call is counted once, and the result has the model and the reason."""

    def script(call: ModelCall) -> str | Exception:
        return refused_by_provider() if call.model == LOST else scripted_reply(call)

    inp, models = seated(name, failure_mode="strict"), ScriptedModels(script)
    async with staff(env, models):
        handle = await holding.start(env, PROTOCOLS[name].workflow.run, inp)
        result = await handle.result()
        await holding.replay(env, handle)
    lost = [call for call in models.calls if call.model == LOST]
    seats = {call.participant for call in lost}

    assert (len(lost), False) == (len(seats), bool(result.failed))
    assert len(models.calls) == len({call.call_id for call in models.calls}) == result.spent.calls
    assert result.names == inp.panel.names
    assert "Sceptic" in str(view_of(result)) or "p1" not in str(view_of(result))
    assert result.degraded.counts["fallback_model"] == len(lost)
    notes = [flaw.note for flaw in result.degraded.flaws if flaw.kind == "fallback_model"]
    assert all("lab/spare in place of lab/one (api_error: " in note for note in notes)
    assert {"rehearsal:lab/spare"} == {call.model for call in models.calls if call.participant in seats} - {LOST}


@every_protocol
async def test_a_seat_is_lost_when_its_fallbacks_are(env: WorkflowEnvironment, name: str) -> None:
    """STRICT fails when no model of a seat is left, and each of them was asked once."""

    def script(call: ModelCall) -> str | Exception:
        is_lost = call.model in {LOST, "rehearsal:lab/spare"}
        return refused_by_provider() if is_lost else scripted_reply(call)

    failure, models = await holding.fail(env, PROTOCOLS[name].workflow.run, seated(name, failure_mode="strict"), script)
    first = next(call for call in models.calls if call.model == LOST)

    assert (failure.type or "").endswith(".participant_lost")
    assert [LOST, "rehearsal:lab/spare"] == [
        call.model for call in models.calls if call.participant == first.participant
    ][:2]
