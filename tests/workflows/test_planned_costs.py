"""No deliberation costs more than was planned, in every protocol and with everything that makes a request longer."""

from collections.abc import Mapping
from pathlib import Path
from typing import Any

import pytest
from temporalio.testing import WorkflowEnvironment

from parley.call_plans import text_tokens
from parley.estimates import Estimate, estimate_calls
from parley.specs import PROTOCOLS
from protocols.deliberation import DeliberationInput
from protocols.model_call import Cost, Failed, Message, ModelCall, ModelId, Usage
from protocols.panel import Participant, provider_of
from protocols.seat_settings import SeatSettings
from protocols.sources import SEARCH_USD
from tests.fakes.files import pdf, png, written
from tests.fakes.models import CUT, ScriptedModels
from tests.fakes.specified import QUESTION, chosen, scripted_reply, specified
from tests.workflows import holding
from tests.workflows.conftest import staff

every_protocol = pytest.mark.parametrize("name", PROTOCOLS)

LIMITS = (300, 700, 150, 900, 450, 500, 600, 350)
"""Most tokens of the seats' replies, in the order of the panel."""
SEARCHED = "The library of the town is open on six days. " * 30
DEAR = "dear:"
"""The provider of the fallbacks, which cost ten times as much."""


def price(model: ModelId, prompt_tokens: int, completion_tokens: int) -> float:
    """Return the dollars of a call: 1 and 4 for a million tokens, of a fallback 10 and 40."""
    return (10 if model.startswith(DEAR) else 1) * (prompt_tokens + 4 * completion_tokens) / 1e6


class MeteredModels(ScriptedModels):
    """Scripted models that count what they read and write, as the rehearsal does: four characters are a token.

    A reply is cut at the length that the request allows. Those that are ``lost`` write nothing that can be used, and
    are paid for it.
    """

    lost = ""
    """The beginning of their names; blank for none."""
    used: list[tuple[ModelId, int, int, float]]

    def __init__(self) -> None:
        super().__init__(self._write)
        self.reports_usage = True
        self.used = []

    def _write(self, call: ModelCall) -> str | Failed:
        text, limit = scripted_reply(call), call.sampling.max_tokens
        if limit is not None and len(text) > 4 * limit:
            text = text[: 4 * limit] + CUT
        usage = Usage(prompt_tokens=_sent(call), completion_tokens=-(-len(text) // 4))
        searched = SEARCH_USD if call.web else 0.0
        usd = price(call.model, usage.prompt_tokens or 0, usage.completion_tokens or 0) + searched
        self.used.append((call.model, usage.prompt_tokens or 0, usage.completion_tokens or 0, usd))
        if self.lost and call.model.startswith(self.lost):
            place = {"call_id": call.call_id, "participant": call.participant, "model": call.model}
            said = {"kind": "unparseable", "error_type": "reply.unparseable", "message": "broken", "text": text}
            return Failed.model_validate({"usage": usage, "cost": Cost(usd=usd, source="provider"), **said, **place})
        return text

    def total(self) -> tuple[int, int, int, float]:
        """Return all calls, tokens read and written, and dollars."""
        prompts, completions, dollars = (list(column) for column in list(zip(*self.used, strict=True))[1:])
        return len(self.used), sum(prompts), sum(completions), sum(dollars)


def _sent(call: ModelCall) -> int:
    files = sum(file.tokens for message in call.messages for file in message.attachments)
    return files + sum(len(message.content) for message in call.messages) // 4


def with_seats(inp: Any, *, chains: bool, settings: bool) -> Any:
    """Return ``inp`` with settings of its own in each seat, and a fallback of another provider."""

    def changed(seat: Participant, number: int) -> Participant:
        own = SeatSettings(system=f"You are seat {number}. " * 9, max_tokens=LIMITS[number], reasoning_effort="medium")
        fallbacks = (ModelId(f"{DEAR}{number}"),) if chains else ()
        return seat.model_copy(update={"settings": own if settings else None, "fallbacks": fallbacks})

    panel = inp.panel
    numbers = iter(range(len(LIMITS)))
    seats = {
        name: tuple(changed(seat, next(numbers)) for seat in getattr(panel, name))
        for name in ("participants", "beside")
    }
    chair = changed(panel.chair, next(numbers))
    later = {"chair_fallbacks": ()}  # a debate has its agents there
    return inp.model_copy(update={"panel": panel.model_copy(update={**seats, **later, "chair": chair})})


def given_context(inp: Any) -> Any:
    """Return ``inp`` after an earlier question and its answer."""
    said = (Message(role="user", content=SEARCHED), Message(role="assistant", content=SEARCHED * 3))
    return inp.model_copy(update={"context_messages": said})


def planned(name: str, inp: DeliberationInput, options: Any) -> Estimate:
    """Return the estimate of ``inp``, with the options that it was made of."""
    before = text_tokens("".join(message.content for message in inp.context_messages))
    calls = PROTOCOLS[name].plan_turns(options, inp.panel, [text_tokens(inp.question)], before)
    return estimate_calls(name, calls, price, clarify=options.clarify)


def own_options(name: str, tmp_path: Path) -> dict[str, Any]:
    """Return every option that makes requests longer or adds calls."""
    files = [written(tmp_path, "a.png", png(900)), written(tmp_path, "b.pdf", pdf(["It is tall. " * 60]))]
    system = {"judge_system" if PROTOCOLS[name].judges else "system": SEARCHED}
    special: Mapping[str, dict[str, Any]] = {
        "council": {"rubric": {"accuracy": 2, "style": 1}, "chair_fields": True},
        "consensus": {"carry_corrections": True, "max_rounds": 3},
        "debate": {"summaries": "llm", "mode": "adversarial"},
        "vote": {"samples": 3},
        "mixture": {"layers": 3},
        "fire-circle": {"pattern_classification": "llm"},
    }
    examples = [{"user": SEARCHED, "assistant": "Six."}]
    return {"attach": files, "web": True, "examples": examples, **system, **special.get(name, {})}


@every_protocol
async def test_what_is_used_is_within_the_plan(env: WorkflowEnvironment, name: str, tmp_path: Path) -> None:
    """Seats with limits of their own, instructions, examples, files, a search, an earlier answer: calls, tokens, $."""
    given = own_options(name, tmp_path)
    options, models = chosen(name, **given), MeteredModels()
    inp = given_context(with_seats(specified(name, **given), chains=False, settings=True))
    async with staff(env, models):
        result: Any = await (await holding.start(env, PROTOCOLS[name].workflow.run, inp)).result()
    found = planned(name, inp, options)
    calls, prompts, completions, dollars = models.total()

    assert (calls, prompts) == (len(models.calls), sum(map(_sent, models.calls)))
    assert found.total.usd is not None
    assert found.further.usd is not None
    assert calls <= found.total.calls.high + found.further.calls.high
    assert prompts <= found.total.prompt_tokens.high + found.further.prompt_tokens.high
    assert completions <= found.total.completion_tokens.high + found.further.completion_tokens.high
    assert dollars <= (found.total.usd.high or 0) + (found.further.usd.high or 0)
    searches = sum(call.web for call in models.calls)
    assert found.searches.low <= searches <= 2 * found.searches.high
    assert result.spent.calls <= calls


@every_protocol
async def test_a_chain_is_within_its_dearest_model(env: WorkflowEnvironment, name: str) -> None:
    """Every first model is lost and paid, and each fallback answers: no more than the total and what comes on top."""
    options, models = chosen(name, clarify=False), MeteredModels()
    models.lost = "rehearsal:"
    inp = with_seats(specified(name, clarify=False), chains=True, settings=True)
    async with staff(env, models):
        await (await holding.start(env, PROTOCOLS[name].workflow.run, inp)).result()
    found = planned(name, inp, options)
    calls, _, _, dollars = models.total()

    assert {"rehearsal", "dear"} == {provider_of(model) for model, *_ in models.used}
    assert found.total.usd is not None
    assert found.further.usd is not None
    dear = sum(usd for model, _, _, usd in models.used if model.startswith(DEAR))
    assert 0 < dear <= (found.total.usd.high or 0)
    assert calls <= found.total.calls.high + found.further.calls.high
    assert dollars <= (found.total.usd.high or 0) + (found.further.usd.high or 0)
    assert 10 * found.total.usd.low <= (found.total.usd.high or 0)


@every_protocol
def test_one_call_of_each_kind_is_priced_by_hand(name: str) -> None:
    """The low end is the first model at the least size, the high end the dearest of the chain at the most."""
    options = chosen(name)
    inp = with_seats(specified(name), chains=True, settings=True)
    calls = PROTOCOLS[name].plan_turns(options, inp.panel, [text_tokens(QUESTION)])
    found = estimate_calls(name, calls, price, clarify=False).total.usd

    assert found is not None
    low = sum(one.times.low * (one.least.input + 4 * one.least.output) for one in calls) / 1e6
    high = sum(one.times.high * 10 * (one.most.input + 4 * one.most.output) for one in calls) / 1e6
    assert pytest.approx(low) == found.low
    assert pytest.approx(high) == found.high
    limits = {seat.id: number for seat, number in zip(inp.panel.everyone, LIMITS, strict=False)}
    assert [limits[call.seat.id] for call in calls] == [call.most.output for call in calls]
