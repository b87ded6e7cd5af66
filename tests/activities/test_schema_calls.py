"""A request with the JSON schema of its reply, and what happens to a refusal."""

import json
from collections.abc import Callable
from typing import Any

import httpx
import pytest
from pydantic import SecretStr
from structlog.testing import capture_logs

from activities.providers.catalogue import Provider
from activities.providers.errors import BadRequestError
from activities.providers.progress import CallProgress
from activities.providers.stream_assembly import Chunk
from activities.providers.structured_output import StructuredOutput
from activities.reply_readers import informed
from activities.schema_calls import SchemaCalls
from ledger.identity import identity_of
from protocols.model_call import ModelCall, Sampling
from tests.fakes.calls import model_call, provider
from tests.fakes.wire import Wire, answering, json_answer, spoken

LAB = provider(structured_output=True)
NEEDS = {"labels": ["Response A", "Response B"], "nonce": "abcdefghij"}
REVIEW = {"read_as": {"reader": "council.ballot", "needs": NEEDS}, "schema_instruction": "One object."}
REFUSED = {"error": {"message": "not supported", "param": "response_format", "type": "invalid_request_error"}}

Answer = Callable[[httpx.Request], httpx.Response]


class Desk:
    """The exchanges of one process over a scripted wire."""

    def __init__(self, answer: Answer, known: StructuredOutput | None = None) -> None:
        self.wire = Wire(answer)
        self.calls = SchemaCalls(known or StructuredOutput())

    async def ask(self, call: ModelCall, lab: Provider = LAB) -> Chunk:
        """Ask once."""
        pool, pulse = self.wire.pool(), CallProgress()
        async with pool.lend(lab, pulse) as client:
            return await self.calls.converse(client, call, lab, SecretStr("sk-1"), call_key="k", pulse=pulse)

    @property
    def bodies(self) -> list[dict[str, Any]]:
        """What was sent."""
        return [json.loads(request.content) for request in self.wire.requests]

    @property
    def forms(self) -> list[bool]:
        """For each request, whether a schema was sent."""
        return ["response_format" in body for body in self.bodies]


def refusing(request: httpx.Request) -> httpx.Response:
    """An endpoint that takes no schema."""
    if "response_format" in json.loads(request.content):
        return json_answer(REFUSED, 400)(request)
    return answering(*spoken("Blue."))(request)


async def test_the_schema_of_the_reader_is_sent() -> None:
    """The request names the schema, is strict, and adds the instruction to the last message."""
    desk = Desk(answering(*spoken("{}")))
    heard = await desk.ask(model_call(**REVIEW))
    (body,) = desk.bodies
    form = body["response_format"]["json_schema"]
    assert ("council_ballot", True, "object") == (form["name"], form["strict"], form["schema"]["type"])
    assert "Why?\nOne object." == body["messages"][-1]["content"]
    assert heard.asked_with_schema


@pytest.mark.parametrize(
    ("call", "lab"),
    [
        (model_call(**REVIEW), provider()),
        (model_call(**REVIEW, sampling=Sampling(structured_output=False)), LAB),
        (model_call(), LAB),
    ],
    ids=["unknown", "switched-off", "prose"],
)
async def test_without_a_schema_the_prompt_is_as_it_was_written(call: ModelCall, lab: Provider) -> None:
    """An endpoint of which nothing is known, the switch, and a reader of prose leave request and prompt alone."""
    desk = Desk(answering(*spoken("{}")))
    heard = await desk.ask(call, lab)
    (body,) = desk.bodies
    assert [False] == desk.forms
    assert "Why?" == body["messages"][-1]["content"]
    assert not heard.asked_with_schema


async def test_openrouter_is_reported_to_route_to_an_endpoint_that_takes_it() -> None:
    """Beside the schema OpenRouter gets ``require_parameters``; without one the routing is left alone."""
    router = provider(dialect="openrouter", structured_output=True)
    desk = Desk(answering(*spoken("{}")))
    await desk.ask(model_call(**REVIEW), router)
    await desk.ask(model_call(), router)
    assert [{"require_parameters": True}, None] == [body.get("provider") for body in desk.bodies]


async def test_a_refused_schema_costs_one_further_request_per_process_and_model() -> None:
    """The refused request is made once more without the schema, and the model's next calls have none from the start."""
    desk = Desk(refusing)
    with capture_logs() as logs:
        heard = [await desk.ask(model_call(**REVIEW)) for _ in range(3)]
    assert [True, False, False, False] == desk.forms
    assert [("Blue.", False)] * 3 == [(one.text, one.asked_with_schema) for one in heard]
    assert 1 == [entry["event"] for entry in logs].count("schema_refused")


async def test_each_model_is_learned_by_itself() -> None:
    """What one model's endpoint refuses says nothing about another model of the same provider."""
    desk = Desk(refusing)
    for model in ("lab:small", "lab:large", "lab:small"):
        await desk.ask(model_call(**REVIEW, model=model))
    assert [True, False, True, False, False] == desk.forms


async def test_an_error_about_something_else_is_the_calls_own() -> None:
    """A request that is wrong in another way is not made again."""
    desk = Desk(json_answer({"error": {"message": "temperature is too high", "param": "temperature"}}, 400))
    with pytest.raises(BadRequestError):
        await desk.ask(model_call(**REVIEW))
    assert [True] == desk.forms


async def test_a_request_that_is_refused_without_a_schema_too_is_an_error() -> None:
    """There is one further request, and no third one."""
    desk = Desk(json_answer(REFUSED, 400))
    with pytest.raises(BadRequestError):
        await desk.ask(model_call(**REVIEW))
    assert [True, False] == desk.forms


def thought(text: str, *words: str) -> Answer:
    """A reply with ``text`` as thinking, and ``words`` as the answer."""
    event = {"choices": [{"index": 0, "delta": {"reasoning_content": text}}]}
    return answering(b"data: " + json.dumps(event).encode() + b"\n\n", *spoken(*words))


BALLOT = json.dumps({"evaluation": "Both hold.", "ranking": ["Response B", "Response A"], "code": "abcdefghij"})


async def test_an_object_that_came_as_thinking_is_the_answer() -> None:
    """Servers that file what a schema binds under the thinking are understood, and the repair is noted."""
    heard = await Desk(thought(BALLOT)).ask(model_call(**REVIEW))
    assert (BALLOT, "", ("the answer came as thinking",)) == (heard.text, heard.reasoning, heard.repairs)


@pytest.mark.parametrize(
    ("thinking", "words"),
    [(BALLOT, ("Blue.",)), ('{"ranking": []}', ()), (f"Perhaps {BALLOT}", ()), ("Let me see.", ())],
    ids=["answered", "another-object", "prose-around", "prose"],
)
async def test_thinking_stays_thinking(thinking: str, words: tuple[str, ...]) -> None:
    """Beside an answer, or without all fields of the schema, thinking is never taken for the answer."""
    heard = await Desk(thought(thinking, *words)).ask(model_call(**REVIEW))
    assert (thinking, "".join(words)) == (heard.reasoning, heard.text)


async def test_without_a_schema_no_object_is_taken_from_the_thinking() -> None:
    """An object that nothing asked for is a draft."""
    heard = await Desk(thought(BALLOT)).ask(model_call(**REVIEW), provider())
    assert (BALLOT, "") == (heard.reasoning, heard.text)


def test_the_switch_makes_another_call_and_a_refusal_does_not() -> None:
    """A paid answer is found again whether a schema was refused or not; without schemas the call is asked anew."""
    call = model_call(**REVIEW)
    off = model_call(**REVIEW, sampling=Sampling(structured_output=False))
    assert identity_of("c", call) == identity_of("c", model_call(**REVIEW, sampling=Sampling(structured_output=True)))
    assert identity_of("c", call) != identity_of("c", off)


def test_a_reader_knows_whether_a_schema_was_sent() -> None:
    """Only the activity knows it, so it names the reader, and the call stays as it was recorded."""
    call = model_call(**REVIEW)
    assert NEEDS == informed(call).needs
    assert {**NEEDS, "asked_with_schema": True} == informed(call, asked_with_schema=True).needs
