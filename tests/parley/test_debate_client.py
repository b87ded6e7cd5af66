"""A debate from Python and from the command line, on a real server with scripted models."""

import asyncio
import json
import sys
from collections.abc import Awaitable, Callable
from typing import Any, cast

import pytest

from parley.client import Parley
from parley.deliberations import Deliberation
from parley.errors import (
    NoSuchQueryError,
    RequestError,
    UnknownDeliberationError,
    UpdateRefusedError,
)
from parley.pending_approvals import PendingApproval
from protocols.debate.model.io import DebateResult, Waiting
from protocols.model_call import Failed, ModelCall
from tests.fakes.councils import agreeable
from tests.fakes.debates import arguing
from tests.fakes.models import ScriptedModels, refused_by_provider
from tests.fakes.server import RunningServer
from tests.fakes.staff import staff

THREE: dict[str, Any] = {"agents": ["a", "b", "c"], "synthesiser": "d"}
TOPIC = "Should a city close its centre to cars?"

SURE: dict[str, Any] = {"confidence": 0.9}
"""All are sure at once and on one source: groupthink is suspected, and the objection round brings nothing new."""


def refuses(call: ModelCall) -> str | Exception | Failed:
    """No provider answers."""
    return refused_by_provider()


async def held_at(call_id: str, parley: Parley, models: ScriptedModels, **options: Any) -> Deliberation[DebateResult]:
    """A debate in which the call of that id is being made and is not answered."""
    models.hold.add(call_id)
    deliberation = await parley.start_debate(TOPIC, **{**THREE, **options})
    while not any(call.call_id == call_id for call in models.calls):  # noqa: ASYNC110 - the script has no event
        await asyncio.sleep(0.02)
    return deliberation


async def seen_to_wait(parley: Parley, deliberation_id: str) -> Waiting:
    """What the debate waits for, as soon as it does."""
    while (told := await parley.waiting(deliberation_id)) is None:  # noqa: ASYNC110 - a query has no event
        await asyncio.sleep(0.05)
    return told


async def listed_as_waiting(parley: Parley, deliberation_id: str) -> PendingApproval:
    """The debate in the list of those that wait, as soon as the list knows it."""
    while not (found := [one for one in await parley.escalations() if one.id == deliberation_id]):  # noqa: ASYNC110 - a list has no event
        await asyncio.sleep(0.1)
    return found[0]


async def escalated(parley: Parley, **options: Any) -> Deliberation[DebateResult]:
    """A debate that waits for a decision after an objection round that failed."""
    deliberation = await parley.start_debate(TOPIC, **{**THREE, **options})
    await seen_to_wait(parley, deliberation.id)
    return deliberation


async def test_debate_returns_its_synthesis(parley: Parley) -> None:
    """One call from topic to executive summary, under an id that reads."""
    async with staff(parley.client, ScriptedModels(arguing())):
        result = await parley.debate(TOPIC, **THREE)
    assert "Close the centre in steps." == result.verdict
    assert ("consensus", True) == (result.stop_reason, result.consensus_reached)
    assert result.deliberation_id.startswith("debate-should-a-city-close-")


async def test_result_is_found_by_id_whatever_the_protocol(parley: Parley) -> None:
    """A result that is read by its id has the type of its protocol."""
    async with staff(parley.client, ScriptedModels(arguing())):
        held = await parley.debate(TOPIC, **THREE)
    found = await parley.result(held.deliberation_id)
    assert held == found


async def test_a_debate_that_waits_is_listed_with_why_and_the_command(parley: Parley) -> None:
    """A debate that waits for a user is found without knowing its id, and no more when it was answered (decision 3)."""
    async with staff(parley.client, ScriptedModels(arguing(**SURE))):
        deliberation = await escalated(parley, escalation_timeout="2h")
        told = await listed_as_waiting(parley, deliberation.id)
        await parley.resolve_escalation(deliberation.id, "accept", "good enough")
        result = await deliberation.result()
        after = await parley.escalations()
    assert told.waiting is not None
    assert ("escalation", 7200.0) == (
        told.waiting.for_what,
        (told.waiting.until - told.waiting.since).total_seconds(),
    )
    assert (f"parley accept|continue|reject {deliberation.id}", TOPIC) == (told.command, told.title)
    assert ("accepted", "good enough") == (result.stop_reason, result.escalations[-1].note)
    assert deliberation.id not in {one.id for one in after}


async def test_a_progress_states_that_it_waits_for_a_person(parley: Parley) -> None:
    """A client that asks for the debate's state learns what it waits for, and until when."""
    async with staff(parley.client, ScriptedModels(arguing(**SURE))):
        deliberation = await escalated(parley)
        stands = await deliberation.state()
        await parley.resolve_escalation(deliberation.id, "reject")
        result = await deliberation.result()
        ended = await deliberation.state()
    assert stands.waits_for.startswith("a user's escalation until 20")
    assert ("escalation", "") == (stands.stage, ended.waits_for)
    assert "rejected" == result.stop_reason


@pytest.mark.timeout(60)
async def test_a_debate_that_waits_is_listed_without_a_worker(parley: Parley) -> None:
    """Where no worker answers the list still knows who waits and what answers it; only why is not known."""
    async with staff(parley.client, ScriptedModels(arguing(**SURE))):
        deliberation = await escalated(parley)
        await listed_as_waiting(parley, deliberation.id)
    told = await listed_as_waiting(parley, deliberation.id)
    await deliberation.handle.terminate()
    assert told.waiting is None
    assert ("escalation", f"parley accept|continue|reject {deliberation.id}") == (told.waits_for, told.command)


async def test_an_answer_that_nobody_waits_for_is_refused(parley: Parley) -> None:
    """Before it waits, and at another gate, an answer is refused, and nothing is changed."""
    models = ScriptedModels(arguing(**SURE))
    async with staff(parley.client, models):
        deliberation = await held_at("r01-p1", parley, models)
        with pytest.raises(UpdateRefusedError, match="does not wait for an answer now"):
            await parley.resolve_escalation(deliberation.id, "accept")
        models.hold.clear()
        await seen_to_wait(parley, deliberation.id)
        with pytest.raises(UpdateRefusedError, match="does not wait for an answer now"):
            await parley.approve(deliberation.id)
        assert "escalation" == (await seen_to_wait(parley, deliberation.id)).for_what
        await parley.resolve_escalation(deliberation.id, "accept")
        await deliberation.result()


@pytest.mark.parametrize(("approved", "end"), [(True, "consensus"), (False, "not_approved")])
async def test_a_gate_is_opened_or_shut_by_a_person(parley: Parley, *, approved: bool, end: str) -> None:
    """A high-stakes debate has a synthesis only when a user approves (decision 6)."""
    async with staff(parley.client, ScriptedModels(arguing())):
        deliberation = await parley.start_debate(TOPIC, **THREE, high_stakes=["security"])
        told = await seen_to_wait(parley, deliberation.id)
        await parley.approve(deliberation.id, approved=approved, note="seen")
        result = await deliberation.result()
    assert "approval" == told.for_what
    assert (end, approved) == (result.stop_reason, result.verdict is not None)
    assert result.approval is not None
    assert "seen" == result.approval.note


NONSENSE: dict[str, Callable[[Parley], Awaitable[object]]] = {
    "note": lambda parley: parley.resolve_escalation("d", "accept", "x" * 501),
    "decision": lambda parley: parley.resolve_escalation("d", cast("Any", "perhaps")),
    "approved": lambda parley: parley.approve("d", approved=cast("Any", "never")),
    "fact": lambda parley: parley.inject_evidence("d", "", "Lund"),
    "source": lambda parley: parley.inject_evidence("d", "Traffic fell.", "\udcff"),
    "rounds": lambda parley: parley.add_rounds("d", 0),
    "focus": lambda parley: parley.add_rounds("d", focus="x" * 501),
}


@pytest.mark.parametrize("name", NONSENSE)
async def test_what_can_never_be_meant_is_refused_before_it_is_sent(parley: Parley, name: str) -> None:
    """A value out of its range is named, and reaches no deliberation."""
    with pytest.raises(RequestError, match=f"^{name} is ") as refused:
        await NONSENSE[name](parley)
    assert not isinstance(refused.value, UnknownDeliberationError)


async def test_council_has_nothing_of_a_debate(parley: Parley) -> None:
    """What only a debate knows is refused by a council in plain words, and the council continues."""
    models = ScriptedModels(agreeable)
    models.hold.add("opinion-p1")
    async with staff(parley.client, models):
        council = await parley.start_council("Why?", models=["a", "b"], chair="c")
        changes: tuple[Awaitable[object], ...] = (
            parley.resolve_escalation(council.id, "accept"),
            parley.approve(council.id),
            parley.add_rounds(council.id),
            parley.inject_evidence(council.id, "It is.", "Lund"),
        )
        for change in changes:
            with pytest.raises(UpdateRefusedError, match="a council has no such change"):
                await change
        for query in (parley.claims, parley.waiting):
            with pytest.raises(NoSuchQueryError, match="a council has no"):
                await query(council.id)
        models.hold.clear()
        assert "verdict" == (await council.result()).stop_reason


async def run(server: RunningServer, *arguments: str) -> tuple[int, str, str]:
    """Run the program on ``server``: its exit code, its output, and what it printed for the user."""
    process = await asyncio.create_subprocess_exec(
        *(sys.executable, "-m", "starter.cli", *arguments),
        env={"TEMPORAL_ADDRESS": server.address, "PARLEY_HOME": str(server.settings.home), "PYTHONPATH": sys.path[0]},
        stdout=asyncio.subprocess.PIPE,
        stderr=asyncio.subprocess.PIPE,
    )
    out, told = await process.communicate()
    return process.returncode or 0, out.decode(), told.decode()


@pytest.mark.long
@pytest.mark.timeout(120)
async def test_commands_answer_a_debate_that_waits(parley: Parley, server: RunningServer) -> None:
    """``escalations`` names it, ``resolve`` answers it, and what it does not wait for ends with 2."""
    async with staff(parley.client, ScriptedModels(arguing(**SURE))):
        deliberation = await escalated(parley)
        await listed_as_waiting(parley, deliberation.id)
        waiting = await run(server, "escalations", "--json")
        wrong = await run(server, "continue", deliberation.id, "--note", "x" * 501)
        answered = await run(server, "reject", deliberation.id, "--note", "not convinced")
        result = await deliberation.result()
        shown = await run(server, "show", deliberation.id)
    assert [0, 2, 0, 0] == [waiting[0], wrong[0], answered[0], shown[0]], (waiting, wrong, answered, shown)
    (told,) = (one for one in json.loads(waiting[1])["escalations"] if one["id"] == deliberation.id)
    assert ("escalation", "escalation") == (told["waits_for"], told["waiting"]["for_what"])
    assert ("rejected", "not convinced") == (result.stop_reason, result.escalations[-1].note)


@pytest.mark.long
@pytest.mark.timeout(120)
async def test_command_releases_a_withheld_turn(parley: Parley, server: RunningServer) -> None:
    """``escalations`` says what a blocked debate waits for, and ``release`` has a turn shown; another is refused."""
    verdict = json.dumps({"clean": False, "withhold": ["p1", "p2", "p3"], "reason": "a plan"})
    async with staff(parley.client, ScriptedModels(arguing({"r01-evaluator": verdict}))):
        deliberation = await escalated(parley, mode="adversarial", max_rounds=1, judge="e")
        told = await listed_as_waiting(parley, deliberation.id)
        wrong = await run(server, "release", deliberation.id, "p9")
        done = await run(server, "release", deliberation.id, "p2", "--note", "a quotation")
        result = await deliberation.result()
    assert ("release", f"parley release {deliberation.id} p1|p2|…") == (told.waits_for, told.command)
    assert (2, 0) == (wrong[0], done[0]), (wrong, done)
    assert ("no turn of p9 is withheld" in wrong[2], "the turn of p2 in round 1 is shown" in done[2]) == (True, True)
    assert ["", "released by a person: a quotation", ""] == [turn.released for turn in result.rounds[0].turns]


@pytest.mark.long
@pytest.mark.timeout(120)
async def test_commands_change_a_debate_that_runs(parley: Parley, server: RunningServer) -> None:
    """``evidence`` shows the id that it gave, ``rounds`` how many there may be, and ``claims`` what is known."""
    models = ScriptedModels(arguing())
    async with staff(parley.client, models):
        deliberation = await held_at("r01-p1", parley, models, max_rounds=2)
        fact = ("--fact", "Traffic fell.", "--source", "Lund (2021)", "--url", "https://lab.example")
        added = await run(server, "evidence", deliberation.id, *fact)
        refused = await run(server, "evidence", deliberation.id, "--fact", "So.", "--source", "x", "--supports", "C7")
        more = await run(server, "rounds", deliberation.id, "+3", "--focus", "What of shops?")
        running = await run(server, "claims", deliberation.id)
        models.hold.clear()
        await deliberation.result()
    ended = await run(server, "claims", deliberation.id, "--json")
    assert [0, 2, 0, 0, 0] == [done[0] for done in (added, refused, more, running, ended)], (
        added,
        more,
        running,
        ended,
    )
    assert (f"{deliberation.id} has it as E1\n", f"{deliberation.id} may have 5 rounds now\n") == (added[2], more[2])
    assert "Lund (2021)" in running[1]
    assert ("E1", "https://lab.example") in {(one["id"], one["url"]) for one in json.loads(ended[1])["evidence"]}


@pytest.mark.timeout(60)
async def test_claims_of_what_is_no_debate_are_refused(parley: Parley, server: RunningServer) -> None:
    """A council that has ended has no claims, and the message says what it is."""
    async with staff(parley.client, ScriptedModels(agreeable)):
        held = await parley.council("Why?", models=["a", "b"], chair="c")
    code, _, told = await run(server, "claims", held.deliberation_id)
    assert (2, True) == (code, "a council has no claims" in told), told
