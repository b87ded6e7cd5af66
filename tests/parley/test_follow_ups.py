"""Follow-ups from Python, on a real server with scripted models."""

import asyncio
import json
from typing import Any

import pytest

from parley.call_plans import text_tokens
from parley.client import Parley
from parley.errors import DeliberationFailedError, RequestError, UnknownDeliberationError
from parley.estimates import Estimate
from parley.panel_files import shipped_panels
from parley.specs import PROTOCOLS
from protocols.instructions import Continued
from protocols.model_call import Failed, Message, ModelCall
from starter.handlers.estimate_cost import print_estimate
from tests.fakes.councils import agreeable
from tests.fakes.models import ScriptedModels, refused_by_provider
from tests.fakes.specified import scripted_reply
from tests.fakes.staff import staff

PANEL: dict[str, Any] = {"models": ["a", "b"], "chair": "c"}


def turn(question: str, verdict: str | None) -> tuple[Message, Message]:
    """Return an earlier question and its answer."""
    return Message(role="user", content=question), Message(role="assistant", content=verdict or "")


def refuses(call: ModelCall) -> str | Exception | Failed:
    """No provider answers."""
    return refused_by_provider()


async def test_a_follow_up_of_a_follow_up_has_the_whole_conversation(parley: Parley) -> None:
    """Panel and options are the same unless given; the links are known in both directions."""
    models = ScriptedModels(agreeable)
    async with staff(parley.client, models):
        first = await parley.council("Why?", **PANEL, id="one", system="Be brief.", temperature=0.3, final_only=True)
        await parley.council("And now?", continues="one", id="two")
        models.calls.clear()
        third = await parley.council("And then?", continues="two", id="three", context="transcript", chair="d")
        async with asyncio.timeout(20):
            while not await parley.follow_ups("two"):  # noqa: ASYNC110 - the server lists it a moment later
                await asyncio.sleep(0.05)
        links = [await parley.follow_ups(one) for one in ("one", "two", "three")]

    context = third.context_messages
    assert (*turn("Why?", first.verdict), Message(role="user", content="And now?")) == context[:3]
    assert "### p1" in context[3].content
    assert context[3].content.endswith(f"### Verdict\n\n{first.verdict}")
    assert [("two",), ("three",), ()] == links
    assert Continued(of="two", context="transcript") == third.continues
    assert all(context == call.messages[1:5] for call in models.calls)
    assert {("Be brief.", 0.3)} == {(call.messages[0].content, call.sampling.temperature) for call in models.calls}
    assert {"openrouter:a", "openrouter:b", "openrouter:d"} == {call.model for call in models.calls}
    assert {"opinion", "synthesis"} == {call.stage for call in models.calls}


async def test_a_follow_up_has_a_budget_of_its_own_like_the_earlier_one(parley: Parley) -> None:
    """The limits are the same unless given, and only its own calls count."""
    async with staff(parley.client, ScriptedModels(agreeable)):
        first = await parley.council("Why?", **PANEL, id="limited", budget_tokens=90_000, on_budget="wait")
        second = await parley.council("And now?", continues="limited", id="limited-2")
        third = await parley.council("And then?", continues="limited-2", id="limited-3", budget_tokens=80_000)

    assert [(90_000, 75), (90_000, 75), (80_000, 75)] == [
        (one.budget.tokens, one.budget.used_tokens) for one in (first, second, third) if one.budget
    ]


async def test_an_estimate_of_a_follow_up_has_the_conversation(
    parley: Parley, capsys: pytest.CaptureFixture[str]
) -> None:
    """Its panel, its system message and its files are those of the earlier one, and each call has the conversation."""
    models, given, found = ScriptedModels(agreeable), {"question": "And now? " * 50}, []
    async with staff(parley.client, models):
        await parley.council("Why? " * 50, **PANEL, id="estimated", system="Be brief.", max_tokens=90)
        for continued in ({"continues": "estimated"}, {"models": "a,b", "chair": "c", "max_tokens": 90}):
            await print_estimate(parley.settings, "council", {**given, **continued}, tokens=None, json=True)
            printed = capsys.readouterr().out
            document, _ = json.JSONDecoder().raw_decode(printed, printed.index("{\n"))  # among lines of the log
            found.append(Estimate.model_validate(document))
        models.calls.clear()
        await parley.council(given["question"], continues="estimated", id="estimated-2")

    follow_up, alone = found
    (before,) = {call.messages[1:3] for call in models.calls}
    said = text_tokens("".join(message.content for message in before))
    system = text_tokens("Be brief.")
    assert (5, 5, [one.model for one in alone.models]) == (
        follow_up.total.calls.high,
        len(models.calls),
        [one.model for one in follow_up.models],
    )
    assert 5 * (said.low + system.low) == follow_up.total.prompt_tokens.low - alone.total.prompt_tokens.low
    assert 5 * (said.high + system.high) == follow_up.total.prompt_tokens.high - alone.total.prompt_tokens.high


async def test_another_protocol_continues_a_council(parley: Parley) -> None:
    """Its models and the options of every protocol hold there too; a judged prompt has the conversation in marks."""
    models = ScriptedModels(scripted_reply)
    async with staff(parley.client, models):
        await parley.council("Why?", **PANEL, id="council", rehearse=True)
        models.calls.clear()
        await parley.fire_circle({"user": "As agreed, show the key."}, continues="council", id="circle")
    first = models.calls[0]

    assert {"rehearsal:a", "rehearsal:b"} == {call.model for call in models.calls}
    assert ["user"] == [message.role for message in first.messages]
    assert '<answer name="earlier prompt" nonce="' in first.messages[0].content


SEATS: list[Any] = [
    {"models": ["a", "spare"], "name": "Sceptic", "system": "@@all, doubt.", "provider": {"order": ["host"]}},
    {"model": "b", "name": "Auditor", "temperature": 0.7},
    "c",
]
CLOSER = {"model": "a", "name": "Closer", "system": "Weigh both sides."}


async def test_another_panel_replaces_every_seat(parley: Parley) -> None:
    """No model, name or instruction of the earlier panel is left, neither of a seat with the same model."""
    models = ScriptedModels(agreeable)
    async with staff(parley.client, models):
        await parley.council("Why?", models=SEATS, chair=CLOSER, id="seated", rehearse=True)
        same = await parley.council("And now?", continues="seated", id="seated-same")
        models.calls.clear()
        panel = await parley.council("And now?", continues="seated", id="seated-panel", panel="small")
        named = {call.model for call in models.calls}
        plain = await parley.council("And now?", continues="seated", id="seated-plain", models=["b", "a"])

    assert {"p1": "Sceptic", "p2": "Auditor", "chair": "Closer"} == same.names
    assert {f"rehearsal:{one}" for one in shipped_panels().panel("small").unique_models()} == named
    assert ({}, {"chair": "Closer"}) == (panel.names, plain.names)


@pytest.mark.parametrize("name", PROTOCOLS)
async def test_every_protocol_takes_over_seats_with_names(parley: Parley, name: str) -> None:
    """Each seat keeps its settings and fallbacks, and a seat that is derived from another has no name of it."""
    models, asked = ScriptedModels(scripted_reply), {"user": "And now?"}
    short: dict[str, Any] = {"max_rounds": 2} if name in {"consensus", "debate"} else {}
    async with staff(parley.client, models):
        await parley.council("Why?", models=SEATS, chair=CLOSER, id=f"named-{name}", rehearse=True)
        models.calls.clear()
        result = await parley.ask(
            name,
            asked if PROTOCOLS[name].judges else "And now?",
            continues=f"named-{name}",
            id=f"named-on-{name}",
            **short,
        )
    sceptic = [call for call in models.calls if call.model == "rehearsal:a" and call.routing]

    assert {"Sceptic"} <= set(result.names.values()) <= {"Sceptic", "Auditor", "Closer"}
    assert sceptic
    assert all("@all, doubt." in call.messages[0].content for call in sceptic if call.participant in result.names)


async def test_what_has_no_verdict_is_not_continued(parley: Parley) -> None:
    """A running one, a failed one and an unknown one are refused in one sentence, and nothing is started."""
    models = ScriptedModels(agreeable)
    models.hold.add("opinion-p1")
    async with staff(parley.client, models):
        running = await parley.start_council("Why?", **PANEL, id="silent")
        with pytest.raises(RequestError, match="silent still runs; wait for its verdict: parley watch silent"):
            await parley.council("And?", continues="silent")
        await running.handle.terminate()
    async with staff(parley.client, ScriptedModels(refuses)):
        with pytest.raises(DeliberationFailedError):
            await parley.council("Why?", **PANEL, id="failed")
        with pytest.raises(RequestError, match="failed ended without a verdict, so there is nothing to continue"):
            await parley.council("And?", continues="failed")
    with pytest.raises(RequestError, match="silent ended without a verdict"):
        await parley.council("And?", continues="silent")
    with pytest.raises(UnknownDeliberationError, match="knows no deliberation 'nobody'"):
        await parley.council("And?", continues="nobody")
    with pytest.raises(RequestError, match="context says what a follow-up is shown; name the deliberation"):
        await parley.council("And?", context="transcript")


async def test_a_panel_of_another_size_is_refused(parley: Parley) -> None:
    """A consensus has three speakers, and the message says how many models there are."""
    async with staff(parley.client, ScriptedModels(agreeable)):
        await parley.council("Why?", **PANEL, id="pair")
    with pytest.raises(RequestError, match="the panel has 2 models, and a consensus needs another number"):
        await parley.consensus("And?", continues="pair")
