"""What every protocol does alike, from its specification alone: a protocol that is added is tested here at once."""

import asyncio
import json
from collections.abc import AsyncIterator

import pytest
from temporalio import activity
from temporalio.client import WorkflowFailureError, WorkflowUpdateFailedError
from temporalio.exceptions import ApplicationError, CancelledError
from temporalio.testing import WorkflowEnvironment

from activities.ledger import LedgerActivities
from ledger.store import Store
from ledger.studies.reading import StudyReader
from ledger.studies.scores import ScoreReader
from parley.errors import UnknownDeliberationError
from parley.prompts import sent_prompts
from parley.results import failure, parse_result
from parley.specs import PROTOCOLS
from parley.specs.protocol_spec import Means
from protocols.branch import Branch
from protocols.deliberation import DeliberationInput
from protocols.model_call import ModelCall, ModelId, ParticipantId, Reply, Spending
from protocols.plurals import counted
from protocols.progress import Progress
from protocols.task_queues import TASK_QUEUE
from protocols.transcript import Transcript
from protocols.update_requests import ReplaceParticipant, StopRequest
from report.build import build_report
from starter.handlers.show_result import print_result
from studies.definition.column_mapping import StudyRow
from studies.definition.files import parse_study
from studies.definition.grid import arms_of
from studies.definition.inputs import build_input
from tests.fakes.ledger import FakeLedger
from tests.fakes.models import ScriptedModels, refused_by_provider
from tests.fakes.server import local_server
from tests.fakes.specified import NEW_MODEL, QUESTION, chosen, scripted_reply, specified
from tests.workflows import holding
from tests.workflows.conftest import staff

ARM = {
    "name": "one",
    "rehearse": True,
    "dataset": {"path": "questions.csv", "question": "question"},
}

every_protocol = pytest.mark.parametrize("name", PROTOCOLS)


@pytest.fixture(scope="module")
async def local() -> AsyncIterator[WorkflowEnvironment]:
    """A real server: the time-skipping one leaves the children of a run that is terminated alone."""
    async with local_server() as env:
        yield env


def holding_models() -> ScriptedModels:
    """Models that never answer the first call."""
    models = ScriptedModels(scripted_reply)
    models.holds_first = True
    return models


def of_an_arm(name: str) -> DeliberationInput:
    """Return the argument with which a study starts an arm of a protocol."""
    study = parse_study({**ARM, "arms": [{"protocol": name, "panel": "small"}]})
    (arm,) = arms_of(study)
    row = StudyRow(number=0, line=1, row_id="q1", question=QUESTION, expected=None, extra={}, layers={})
    template = build_input(study, arm, row, 1, Means(queues={}, private=False, salt=""))
    inp: DeliberationInput = PROTOCOLS[name].input.model_validate(template)
    return inp


def replacing(seat: str, model: str = NEW_MODEL) -> ReplaceParticipant:
    """Return the argument that replaces the model of a seat."""
    return ReplaceParticipant(participant=ParticipantId(seat), model=ModelId(model))


async def refusal(handle: holding.Handle, update: str, request: object) -> str:
    """Return the message with which an update is refused."""
    with pytest.raises(WorkflowUpdateFailedError) as refused:
        await handle.execute_update(update, request)
    return str(refused.value.cause)


@every_protocol
async def test_queries_answer_and_a_model_is_replaced_while_it_runs(env: WorkflowEnvironment, name: str) -> None:
    """A running call is put to the new model; an unknown seat, the present model and half a name are refused."""
    models = holding_models()
    async with staff(env, models):
        handle = await holding.start(env, PROTOCOLS[name].workflow.run, specified(name))
        held = await holding.until_held(handle, models)
        state = await handle.query("state", result_type=Progress)
        spent = await handle.query("cost", result_type=Spending)
        turns = await handle.query("transcript", result_type=Transcript)
        messages = [await refusal(handle, "replace_participant", replacing("p99"))]
        messages += [await refusal(handle, "replace_participant", replacing(held.participant, held.model))]
        messages += [await refusal(handle, "replace_participant", replacing(held.participant, "openai/gpt"))]
        await handle.execute_update("replace_participant", replacing(held.participant))
        await handle.result()
        await holding.replay(env, handle)

    assert (state.spent, True) == (spent, len(turns.turns) <= spent.calls)
    expected = ("no seat", "already", "write 'openrouter:openai/gpt'")
    assert all(part in told for part, told in zip(expected, messages, strict=True))
    replaced = [call for call in models.calls if call.model == NEW_MODEL]
    assert held.participant in {call.participant for call in replaced}
    assert held.call_id not in {call.call_id for call in replaced}


@every_protocol
async def test_a_stop_keeps_the_result_so_far(env: WorkflowEnvironment, name: str) -> None:
    """No call is made after the stop, and the ledger has the stop reason."""
    models, ledger = holding_models(), FakeLedger()
    async with staff(env, models, ledger):
        handle = await holding.start(env, PROTOCOLS[name].workflow.run, specified(name))
        await holding.until_held(handle, models)
        made = len(models.calls)
        await handle.execute_update("stop", StopRequest(reason="seen enough"))
        result = await handle.result()
        await holding.replay(env, handle)

    assert ("stopped", True, made) == (result.stop_reason, result.partial, len(models.calls))
    assert [(name, "stopped")] == [(one.protocol, one.stop_reason) for one in ledger.entries]


@every_protocol
async def test_a_cancelled_deliberation_is_recorded(env: WorkflowEnvironment, name: str) -> None:
    """The ledger has the stop reason ``cancelled``."""
    models, ledger = holding_models(), FakeLedger()
    async with staff(env, models, ledger):
        handle = await holding.start(env, PROTOCOLS[name].workflow.run, specified(name))
        await holding.until_held(handle, models)
        await handle.cancel()
        with pytest.raises(WorkflowFailureError):
            await handle.result()
        await holding.replay(env, handle)

    assert ["cancelled"] == [one.stop_reason for one in ledger.entries]


class OneAfterTheOther(ScriptedModels):
    """Models whose calls report one after the other, and so learn one after the other that they are cancelled."""

    def __init__(self) -> None:
        super().__init__(scripted_reply)
        self.ends: list[bool] = []
        """Of each call that has ended, whether a user cancelled it."""

    @activity.defn(name="call_model")
    async def call_model(self, call: ModelCall) -> Reply:
        """Never answer."""
        self.calls.append(call)
        try:
            await asyncio.sleep(0.3 * len(self.calls))
            while True:
                activity.heartbeat()
                await asyncio.sleep(1)
        finally:
            why = activity.cancellation_details()
            self.ends.append(why is not None and why.cancel_requested)


async def test_a_cancelled_deliberation_ends_after_its_calls(env: WorkflowEnvironment) -> None:
    """A call that outlives its run does not learn that a user cancelled it, and is paid to its last word."""
    models = OneAfterTheOther()
    async with staff(env, models):
        handle = await holding.start(env, PROTOCOLS["council"].workflow.run, specified("council"))
        while len(models.calls) < len(specified("council").panel.participants):  # noqa: ASYNC110 - an activity sets no event here
            await asyncio.sleep(0.02)
        await handle.cancel()
        with pytest.raises(WorkflowFailureError):
            await handle.result()
        ends = list(models.ends)
        await holding.replay(env, handle)

    assert [True] * len(models.calls) == ends


@every_protocol
async def test_nothing_is_changed_after_the_end(env: WorkflowEnvironment, name: str) -> None:
    """While the ended deliberation is being recorded, a stop and a replacement are refused."""
    models, ledger = ScriptedModels(scripted_reply), FakeLedger()
    ledger.is_closed = True
    async with staff(env, models, ledger):
        handle = await holding.start(env, PROTOCOLS[name].workflow.run, specified(name))
        await holding.until_refused_twice(ledger)
        messages = [await refusal(handle, "stop", StopRequest())]
        messages += [await refusal(handle, "replace_participant", replacing(models.calls[0].participant))]
        ledger.is_closed = False
        result = await handle.result()

    assert ["ended" in message for message in messages] == [True, True]
    assert [result.stop_reason] == [one.stop_reason for one in ledger.entries]


async def test_a_record_that_the_ledger_refuses_costs_no_verdict(env: WorkflowEnvironment) -> None:
    """The failure says why nothing is in the ledger, and carries the result with the answers that were paid."""
    models, ledger = ScriptedModels(scripted_reply), FakeLedger()
    ledger.refuses_for = "the table deliberations has no column seats"
    async with staff(env, models, ledger):
        handle = await holding.start(env, PROTOCOLS["council"].workflow.run, specified("council"))
        with pytest.raises(WorkflowFailureError) as failed:
            await handle.result()
        await holding.replay(env, handle)
    found = failure("c", failed.value)

    assert f"it ended (verdict), and the ledger refused its record: {ledger.refuses_for}" == str(found)
    assert found.result is not None
    assert (True, len(models.calls)) == (bool(found.result.verdict), found.result.spent.calls)


@every_protocol
async def test_a_lost_worker_costs_the_call_in_flight_alone(env: WorkflowEnvironment, name: str) -> None:
    """Another worker makes the call in flight again and no answered one, and the result is recorded."""
    lost, other, ledger = holding_models(), ScriptedModels(scripted_reply), FakeLedger()
    async with staff(env, lost, ledger, cached=0):
        handle = await holding.start(env, PROTOCOLS[name].workflow.run, specified(name))
        held = await holding.until_held(handle, lost)
    async with staff(env, other, ledger, cached=0):
        result = await handle.result()
        await holding.replay(env, handle)
    before, after = ([call.call_id for call in models.calls] for models in (lost, other))

    assert [held.call_id] == [call_id for call_id in before if call_id in after]
    assert len(before) + len(after) - 1 == len({*before, *after}) == result.spent.calls
    assert (False, [name]) == (result.partial, [one.protocol for one in ledger.entries])


@every_protocol
async def test_strict_fails_on_a_lost_call_with_the_result_attached(env: WorkflowEnvironment, name: str) -> None:
    """The type of the failure names the protocol and the stop reason, and its details hold the result."""
    first: list[ModelCall] = []

    def script(call: ModelCall) -> str | Exception:
        first.append(call)
        return refused_by_provider() if call.call_id == first[0].call_id else scripted_reply(call)

    inp = specified(name, failure_mode="strict")
    failure, _ = await holding.fail(env, PROTOCOLS[name].workflow.run, inp, script)

    assert isinstance(failure, ApplicationError)
    assert (failure.type or "").endswith(".participant_lost")
    assert first[0].participant in failure.message
    assert (name, "participant_lost") == (failure.details[0]["protocol"], failure.details[0]["stop_reason"])


@every_protocol
async def test_instructions_are_in_every_call(env: WorkflowEnvironment, name: str) -> None:
    """A system message begins with the user's; the calls that answer have the examples; the history has all of it."""
    models, example = ScriptedModels(scripted_reply), {"user": "Is 7 prime?", "assistant": "Yes."}
    async with staff(env, models):
        inp = specified(name, system="Be brief.", examples=[example])
        handle = await holding.start(env, PROTOCOLS[name].workflow.run, inp)
        result = await handle.result()
        await holding.replay(env, handle)
        sent = await sent_prompts(env.client, handle.id)
    shown = {call.read_as.reader for call in models.calls if inp.example_messages == call.messages[1:3]}
    systems = [[one.content for one in call.messages if one.role == "system"] for call in models.calls]

    assert shown == inp.ANSWER_READERS & {call.read_as.reader for call in models.calls}
    assert shown
    assert all(len(texts) == 1 and texts[0].startswith("Be brief.") for texts in systems)
    assert ("Be brief.", inp.examples) == (result.system, result.examples)
    assert {call.call_id: call.messages for call in models.calls} == {one.call_id: one.messages for one in sent}


async def test_prompts_of_a_forgotten_history_are_in_the_export(env: WorkflowEnvironment) -> None:
    """Where the server has no history, the message names the command that writes prompts from the ledger."""
    with pytest.raises(UnknownDeliberationError, match="parley export council-forgotten --what calls"):
        await sent_prompts(env.client, "council-forgotten")


@pytest.mark.parametrize("name", [name for name, spec in PROTOCOLS.items() if not spec.judges])
async def test_each_turn_is_a_deliberation_with_those_before_it_as_context(env: WorkflowEnvironment, name: str) -> None:
    """The result has the verdict of every turn, and the cost of all of them."""
    models, ledger = ScriptedModels(scripted_reply), FakeLedger()
    whole = specified(name, asked=["Why?", "And now?"])
    async with staff(env, models, ledger):
        handle = await holding.start(env, PROTOCOLS[name].workflow.run, whole)
        result = await handle.result()
        await holding.replay(env, handle)
    (first,), (turn, last) = result.turns, ledger.entries

    assert (f"{handle.id}/turn-1", turn.verdict) == (first.deliberation_id, first.verdict)
    assert [whole.earlier[0], first.verdict] == [one.content for one in result.context_messages]
    assert len(models.calls) == result.spent.calls == last.spent.calls


async def test_the_turns_of_an_id_that_is_started_again_wait_for_those_before(local: WorkflowEnvironment) -> None:
    """The first turn of a run that was terminated is still being cancelled when the id is started again."""
    models, run = holding_models(), PROTOCOLS["council"].workflow.run
    whole = specified("council", asked=["Why?", "And now?"])
    async with staff(local, models):
        before = await holding.start(local, run, whole)
        while not models.calls:  # noqa: ASYNC110 - an activity sets no event of this loop
            await asyncio.sleep(0.02)
        await before.terminate()
        models.holds_first = False
        again = await local.client.start_workflow(run, whole, id=before.id, task_queue=TASK_QUEUE)
        models.hold.clear()
        result = await again.result()

    assert ("verdict", 1) == (result.stop_reason, len(result.turns))


async def test_an_id_that_is_too_long_for_its_turns_is_refused(local: WorkflowEnvironment) -> None:
    """The server takes ids of a thousand bytes, and that of a turn is longer than its run's."""
    whole = specified("council", asked=["Why?", "And now?"])
    async with staff(local, holding_models()):
        run = PROTOCOLS["council"].workflow.run
        handle = await local.client.start_workflow(run, whole, id="x" * 996, task_queue=TASK_QUEUE)
        with pytest.raises(WorkflowFailureError) as failed:
            await handle.result()

    assert "too long" in str(failed.value.cause)


async def test_no_turn_follows_one_that_ends_while_all_are_cancelled(env: WorkflowEnvironment) -> None:
    """A turn that is being recorded can no longer be cancelled; the question after it is not asked."""
    models, ledger = ScriptedModels(scripted_reply), FakeLedger()
    ledger.is_closed = True
    async with staff(env, models, ledger):
        handle = await holding.start(env, PROTOCOLS["council"].workflow.run, specified("council", asked=["Why?"] * 2))
        await holding.until_refused_twice(ledger)
        asked = len(models.calls)
        await handle.cancel()
        ledger.is_closed = False
        with pytest.raises(WorkflowFailureError) as failed:
            await handle.result()

    assert isinstance(failed.value.cause, CancelledError)
    assert (asked, ["verdict"]) == (len(models.calls), [entry.stop_reason for entry in ledger.entries])


@pytest.mark.parametrize("name", [name for name, spec in PROTOCOLS.items() if spec.has_rounds])
async def test_a_shared_round_is_not_changed(env: WorkflowEnvironment, name: str) -> None:
    """A branch refuses a replacement while it shares a round, and accepts a stop."""
    models, run = ScriptedModels(scripted_reply), PROTOCOLS[name].workflow.run
    async with staff(env, models):
        old = await holding.start(env, run, specified(name))
        drawn = (await old.result()).draws
        first = models.calls[0]
        models.hold = {first.call_id}
        branch = Branch(of=old.id, through_round=1, draws=drawn)
        new = await holding.start(env, run, specified(name).model_copy(update={"branch": branch}))
        await holding.until_alone(new, first.call_id)
        message = await refusal(new, "replace_participant", replacing(first.participant))
        await new.execute_update("stop", StopRequest())
        result = await new.result()

    assert "shared with another deliberation" in message
    assert ("stopped", old.id) == (result.stop_reason, result.branch.of)


@every_protocol
async def test_a_result_is_the_same_wherever_it_is_read(
    env: WorkflowEnvironment, name: str, sqlite_url: str, capsys: pytest.CaptureFixture[str]
) -> None:
    """JSON, ledger, terminal and report have the verdict; and the calls made are within the estimate."""
    store = Store(sqlite_url)
    async with staff(env, ScriptedModels(scripted_reply), LedgerActivities(store)):
        handle = await holding.start(env, PROTOCOLS[name].workflow.run, of_an_arm(name))
        result = await handle.result()
    await store.close()
    assert 0 == print_result(handle.id, result, None, json=True)
    document = json.loads(capsys.readouterr().out)
    assert 0 == print_result(handle.id, result, None, json=False)
    screen = capsys.readouterr().out
    async with StudyReader(sqlite_url) as reader, ScoreReader(sqlite_url) as scores:
        row, page = await reader.result(handle.id, whole=True), await build_report(reader, scores, handle.id)
    options = chosen(name)
    planned = PROTOCOLS[name].plan(options, options.seated(), None)

    assert (name, result.verdict) == (document["protocol"], document["verdict"])
    assert row is not None
    assert (result, name) == (parse_result(row.result), row.protocol)
    assert PROTOCOLS[name].input.HAS_CHAIR is (of_an_arm(name).panel.chair.id in {one["seat"] for one in row.seats})
    assert all(counted(result.spent.calls, "call") in text for text in (screen, page.document))
    assert sum(call.times.low for call in planned) <= result.spent.calls <= sum(call.times.high for call in planned)
