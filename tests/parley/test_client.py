"""Deliberations from Python, on a real server with scripted models."""

import asyncio
from functools import partial
from typing import Any, cast

import pytest

from ledger.identity import request_of
from parley.client import Parley
from parley.deliberations import Deliberation
from parley.errors import (
    DeliberationFailedError,
    IdUsedError,
    RequestError,
    UnknownDeliberationError,
    UpdateRefusedError,
)
from parley.prompts import sent_prompts
from parley.watch import Sight, look, watch
from parley.workers import pollers
from protocols.council.model import CouncilResult
from protocols.model_call import Failed, ModelCall, ModelId
from protocols.panel import name_of
from protocols.task_queues import TASK_QUEUE
from tests.fakes.councils import agreeable
from tests.fakes.models import ScriptedModels, refused_by_provider
from tests.fakes.staff import staff
from tests.workflows.holding import reset

PANEL: dict[str, Any] = {"models": ["a", "b"], "chair": "c"}


def refuses(call: ModelCall) -> str | Exception | Failed:
    """No provider answers."""
    return refused_by_provider()


async def held_in_opinion(
    parley: Parley, models: ScriptedModels, question: Any = "Why?", **options: Any
) -> Deliberation[CouncilResult]:
    """A council whose first participant is being asked and does not answer."""
    models.hold.add("opinion-p1")
    deliberation = await parley.start_council(question, **PANEL, **options)
    while not any(call.call_id == "opinion-p1" for call in models.calls):  # noqa: ASYNC110 - the script has no event
        await asyncio.sleep(0.02)
    return deliberation


async def test_council_returns_its_verdict(parley: Parley) -> None:
    """One call from question to verdict, under an id that reads."""
    async with staff(parley.client, ScriptedModels(agreeable)):
        result = await parley.council("Why is the sky blue?", **PANEL)
    assert result.verdict == "The council concludes."
    assert result.deliberation_id.startswith("council-why-is-the-sky-blue-")


async def test_failed_council_raises_with_what_there_is(parley: Parley) -> None:
    """When no one answers the one clear message is raised, and the result says who was lost."""
    async with staff(parley.client, ScriptedModels(refuses)):
        with pytest.raises(DeliberationFailedError, match="no participant answered") as failed:
            await parley.council("Why?", **PANEL)
    assert failed.value.result is not None
    assert [lost.participant for lost in failed.value.result.failed] == ["p1", "p2"]


async def test_id_of_a_council_that_is_over_is_refused(parley: Parley) -> None:
    """Asking again under a used id asks no one; ``fresh`` asks everyone again, with a salt of its own."""
    models = ScriptedModels(agreeable)
    async with staff(parley.client, models):
        await parley.council("Why?", **PANEL, id="used")
        with pytest.raises(IdUsedError, match="parley show used"):
            await parley.council("Why?", **PANEL, id="used")
        asked = len(models.calls)
        await parley.council("Why?", **PANEL, id="used", fresh=True)
    assert (asked, len(models.calls)) == (5, 10)
    assert models.calls[0].salt == ""
    assert models.calls[-1].salt != ""


async def test_whoever_waits_for_a_council_that_is_reset_gets_its_result(parley: Parley) -> None:
    """A reset terminates the run and begins another one, which is waited for; a terminated council has failed."""
    models = ScriptedModels(agreeable)
    async with staff(parley.client, models):
        started = await held_in_opinion(parley, models)
        waiting = [asyncio.ensure_future(one.result()) for one in (started, parley.deliberation(started.id))]
        await reset(parley, started.id, step=0)
        models.hold.clear()
        results = await asyncio.gather(*waiting)
        other = await held_in_opinion(parley, models)
        await other.handle.terminate(reason="enough")
        with pytest.raises(DeliberationFailedError, match="terminated from outside: enough"):
            await other.result()
    assert ["verdict"] * 2 == [result.stop_reason for result in results]


async def test_the_calls_of_a_council_that_is_reset_to_its_first_step_stay_the_same(parley: Parley) -> None:
    """Its random draws are in its input, so the answers that were paid for are found."""
    models = ScriptedModels(agreeable)
    async with staff(parley.client, models):
        await parley.council("Why?", **PANEL, id="reset")
        before = len(models.calls)
        again: Any = await reset(parley, "reset", step=0)
        await again.result()
    asked = [request_of(call) for call in models.calls]
    assert sorted(asked[:before]) == sorted(asked[before:])


async def test_the_prompts_of_a_council_that_was_reset_are_those_of_its_present_course(parley: Parley) -> None:
    """What the run before it asked behind the point of the reset is left out, and who was replaced since is not."""
    models = ScriptedModels(agreeable)
    async with staff(parley.client, models):
        deliberation = await held_in_opinion(parley, models)
        again: Any = await reset(parley, deliberation.id, step=0)
        await parley.replace_participant(deliberation.id, "p2", "rehearsal:other")
        models.hold.clear()
        await again.result()
        sent = await sent_prompts(parley.client, deliberation.id)
    assert ["b", "other"] == [name_of(ModelId(prompt.model)) for prompt in sent if prompt.participant == "p2"]


async def test_id_of_a_council_that_runs_attaches(parley: Parley) -> None:
    """The same request under the id of a running council waits for that one and asks no one twice."""
    models = ScriptedModels(agreeable)
    async with staff(parley.client, models):
        await held_in_opinion(parley, models, id="running")
        second = await parley.start_council("Why?", **PANEL, id="running")
        models.hold.clear()
        await second.result()
    assert len(models.calls) == 5


async def test_other_question_under_a_running_id_is_refused(parley: Parley) -> None:
    """Attaching never hands back an answer to something else; and ``fresh`` does not push a running one aside."""
    models = ScriptedModels(agreeable)
    async with staff(parley.client, models):
        first = await held_in_opinion(parley, models, id="taken")
        with pytest.raises(IdUsedError, match="something else"):
            await parley.start_council("Why not?", **PANEL, id="taken")
        with pytest.raises(IdUsedError, match="runs under the id"):
            await parley.start_council("Why?", **PANEL, id="taken", fresh=True)
        await parley.stop(first.id)


async def test_start_is_listed_with_its_columns(parley: Parley) -> None:
    """Before the first call the list knows protocol, title, seats, models and that it is a rehearsal."""
    started = await parley.start_council("Why so?", **PANEL, rehearse=True)
    line = await parley.about(started.id)
    await parley.cancel(started.id)
    assert (line.protocol, line.stage, line.title, line.participants) == ("council", "ready", "Why so?", 2)
    assert (line.models, line.rehearsal, line.status) == (("a", "b"), True, "running")


async def test_list_takes_a_filter(parley: Parley) -> None:
    """A filter in Temporal's language chooses; one that cannot be read is refused."""
    async with staff(parley.client, ScriptedModels(agreeable)):
        await parley.council("Why?", **PANEL, id="listed")
    assert [line.id for line in await parley.list("WorkflowId = 'listed'")] == ["listed"]
    unusable: list[Any] = ["Colour = 'red'", 3]
    for given in unusable:
        with pytest.raises(RequestError, match="cannot be used"):
            await parley.list(given)


async def test_unknown_id_is_reported_so(parley: Parley) -> None:
    """Whatever is asked of an id that no one used, the message says where ids are listed."""
    for ask in (parley.result, parley.state, parley.stop, parley.cancel, parley.about):
        with pytest.raises(UnknownDeliberationError, match="parley list"):
            await ask("nobody")


async def test_a_long_unknown_id_is_cut(parley: Parley) -> None:
    """A refusal repeats 200 characters of an id, as of every other value."""
    with pytest.raises(UnknownDeliberationError) as refused:
        await parley.result("x" * 1_200)

    assert "x" * 199 + "…" in str(refused.value)
    assert "x" * 200 not in str(refused.value)


@pytest.mark.parametrize("given", [3, None, "", b"council-1", "a\0b", "a\udcff"])
async def test_what_can_be_no_id_is_refused_by_its_value(parley: Parley, given: Any) -> None:
    """A number, nothing, bytes or what no request can carry in place of an id is refused before the server is asked."""
    with pytest.raises(RequestError, match="is no id of a deliberation") as refused:
        parley.deliberation(given)
    assert str(refused.value).startswith(f"{given!r} is no id")
    for ask in (partial(parley.replace_participant, seat="p1", model="a"), parley.follow_ups, parley.state):
        with pytest.raises(RequestError, match="is no id of a deliberation"):
            await ask(given)


@pytest.mark.parametrize(
    ("ask", "told"),
    [
        (lambda parley: parley.replace_participant("x", "p1", 5), "model is '5'"),
        (lambda parley: parley.replace_participant("x", None, "a"), "participant is 'None'"),
        (lambda parley: parley.stop("x", None), "reason is 'None'"),
        (lambda parley: parley.stop_after_round("x", 5), "reason is '5'"),
        (lambda parley: parley.accept_draft("x", "a\udcff"), "reason is"),
        (lambda parley: parley.inject_evidence("x", "fact", "source", supports=5), "supports is '5'"),
        (lambda parley: parley.start(["council"], "Why?"), "there is no protocol"),
        (lambda parley: parley.start("y" * 5000, "Why?"), "there is no protocol"),
        (lambda parley: parley.start("council", None), "question"),
        (lambda parley: parley.start("debate", {}), "question"),
        (lambda parley: parley.start("fire-circle", 5), "user"),
        (lambda parley: parley.start_council([]), "question"),
        (lambda parley: parley.start_fire_circle("y" * 5000), "name its layers"),
        (lambda parley: parley.list("\0" + "y" * 5000), "the filter"),
        (lambda parley: parley.start_council("Why?", models=["a\udcff", "b"]), "is not a name such as"),
        (lambda parley: parley.list(limit=0), "'0' cannot be used: limit is a whole number, at least 1"),
        (lambda parley: parley.list(limit="y" * 5000), "limit is a whole number"),
        (lambda parley: parley.set_budget("x", None), "'None' cannot be used: a change of the budget"),
        (lambda parley: parley.set_budget("x", {"usd": "much"}), "usd is 'much'"),
        (lambda parley: parley.set_budget("x", {"usd": 5, "token": 9}), "'token' is no limit; known are usd, tokens"),
        (lambda parley: parley.set_budget("x", {"kind": 5}), "'kind' is no limit; known are usd, tokens"),
        (lambda parley: parley.deliberation("x").events(every=-1), "'-1' cannot be used: every is a number"),
        (lambda parley: parley.list(limit=2.5), "limit is a whole number"),
        (lambda parley: parley.start_vote("Why?", preset=["single"]), "preset"),
        (lambda parley: parley.start_fire_circle({"user": "x"}, attack_id="a\udcff"), "attack_id"),
        (lambda _: Parley.connect(cast("Any", "home")), "'home' cannot be used: settings are"),
        (
            lambda parley: Parley.connect(parley.settings, address=cast("Any", 7233)),
            "'7233' cannot be used: an address",
        ),
    ],
)
async def test_an_argument_of_another_type_is_refused_by_its_name(parley: Parley, ask: Any, told: str) -> None:
    """What can never be meant is refused in one short sentence before anything is sent."""
    with pytest.raises(RequestError, match=told) as refused:
        await ask(parley)
    assert len(str(refused.value)) < 500


async def test_a_follow_up_of_what_can_be_no_id_is_refused(parley: Parley) -> None:
    """A number in place of the id of the deliberation that is continued is refused by its value."""
    asked: dict[str, Any] = {**PANEL, "continues": 3}
    with pytest.raises(RequestError, match="3 is no id of a deliberation"):
        await parley.council("Why?", **asked)


async def test_replaced_participant_is_asked_instead(parley: Parley) -> None:
    """A user may put another model behind a seat while it runs; a seat that is none is refused."""
    models = ScriptedModels(agreeable)
    async with staff(parley.client, models):
        deliberation = await held_in_opinion(parley, models)
        with pytest.raises(UpdateRefusedError, match="no seat 'p9'"):
            await parley.replace_participant(deliberation.id, "p9", "d")
        await parley.replace_participant(deliberation.id, "p1", "d")
        result = await deliberation.result()
    assert [entry.model for entry in result.stage1] == ["d", "b"]


async def test_stopped_council_returns_what_there_is(parley: Parley) -> None:
    """Stopping ends a council without a verdict; stopping it again is refused."""
    models = ScriptedModels(agreeable)
    async with staff(parley.client, models):
        deliberation = await held_in_opinion(parley, models)
        await parley.stop(deliberation.id, "enough")
        result = await deliberation.result()
        with pytest.raises(UpdateRefusedError, match="ended already"):
            await parley.stop(deliberation.id)
    assert (result.stop_reason, result.verdict) == ("stopped", None)


async def test_cancelled_council_fails(parley: Parley) -> None:
    """Cancelling ends a council as failed; cancelling it again is refused."""
    models = ScriptedModels(agreeable)
    async with staff(parley.client, models):
        deliberation = await held_in_opinion(parley, models)
        await parley.cancel(deliberation.id)
        with pytest.raises(DeliberationFailedError, match="cancelled"):
            await deliberation.result()
        with pytest.raises(UpdateRefusedError, match="ended already"):
            await parley.cancel(deliberation.id)


async def test_watching_sees_the_tokens_and_the_end(parley: Parley) -> None:
    """While a model writes its heartbeat's tokens are seen; the last sight is of the end."""
    models = ScriptedModels(agreeable)
    sights: list[Sight] = []
    async with staff(parley.client, models):
        deliberation = await held_in_opinion(parley, models)
        async for sight in watch(deliberation.handle, every=0.05):
            sights.append(sight)
            if "opinion-p1" in sight.calls and sight.calls["opinion-p1"].tokens:
                models.hold.clear()
    assert any(sight.calls and sight.calls["opinion-p1"].tokens == 7 for sight in sights if "opinion-p1" in sight.calls)
    assert sights[-1].status == "completed"
    assert sights[-1].progress is not None
    assert sights[-1].progress.stop_reason == "verdict"


async def test_watching_notices_the_end_between_two_looks(parley: Parley) -> None:
    """A deliberation that ends is seen to have ended long before the next look is due."""
    models = ScriptedModels(agreeable)
    async with staff(parley.client, models):
        deliberation = await held_in_opinion(parley, models)
        sights = watch(deliberation.handle, every=3600)
        assert not (await anext(sights)).is_over
        models.hold.clear()
        assert (await anext(sights)).is_over


async def test_poller_is_seen_while_a_worker_runs(parley: Parley) -> None:
    """A worker that polls the queue is seen, by an identity that names its process."""
    async with staff(parley.client, ScriptedModels(agreeable)):
        await parley.council("Why?", **PANEL)
        there = await pollers(parley.client, TASK_QUEUE)
    assert parley.client.identity in there


async def test_a_change_in_the_moment_of_the_end_comes_too_late(parley: Parley) -> None:
    """A change that arrives while a council ends is refused because it has ended: the council is never unknown."""

    async def change_until_the_end(council: Deliberation[CouncilResult]) -> None:
        said = ""
        while "ended already" not in said:
            with pytest.raises(UpdateRefusedError) as refused:
                await parley.replace_participant(council.id, "p1", "a")
            said = str(refused.value)

    async with staff(parley.client, ScriptedModels(agreeable)):
        for _ in range(4):
            council = await parley.start_council("Why?", **PANEL)
            await asyncio.gather(*(change_until_the_end(council) for _ in range(4)))


async def test_turns_before_a_question_are_named_to_who_watches_or_changes_it(parley: Parley) -> None:
    """While an earlier turn runs the whole has no progress and takes no change, and says where its turns are."""
    models = ScriptedModels(agreeable)
    async with staff(parley.client, models):
        waiting = await held_in_opinion(parley, models, question=["What is light?", "Why is the sky blue?"])
        with pytest.raises(UpdateRefusedError, match="each turn before its question"):
            await parley.stop(waiting.id)
        sight = await look(waiting.handle, Sight(deliberation_id=waiting.id))
        models.hold.clear()
        result = await waiting.result()

    assert "each turn before its question" in sight.note
    assert "verdict" == result.stop_reason
