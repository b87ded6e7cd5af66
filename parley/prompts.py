"""The prompts of a deliberation: sent ones from its history, first ones before they are sent, and arrived requests.

The history has every request for as long as the server keeps it, the ledger (``parley export``) for ever. The JSON
schema of a reply may add a sentence to a prompt; whether it was sent is known when the call has been answered.
"""

from collections.abc import Sequence
from typing import Any, TypeVar

from pydantic import TypeAdapter
from temporalio.api.common.v1 import Payload
from temporalio.client import Client

from parley.errors import RequestError, UnknownDeliberationError
from parley.histories import all_events
from parley.specs.protocol_spec import AnySpec
from protocols.deliberation import DeliberationInput
from protocols.model_call import Answered, FrozenModel, Message, ModelCall, Reply
from runtime.errors import PayloadError

_CALL = "call_model"
_NAMES = {"participant": "the seat", "round": "round", "stage": "the stage"}


class Prompt(FrozenModel):
    """The prompt of one call."""

    call_id: str
    participant: str
    model: str
    stage: str
    round: int
    messages: tuple[Message, ...]
    note: str = ""
    """What a reader must know of it: another deliberation paid for its answer, or a part may be missing."""


class ArrivedRequest(FrozenModel):
    """One request, as it arrived."""

    arrival: int
    """Its number among all that arrived."""
    dialect: str
    participant: str
    stage: str
    round: int
    call_id: str
    body: str
    """What was sent, byte for byte."""


_REQUESTS: TypeAdapter[tuple[ArrivedRequest, ...]] = TypeAdapter(tuple[ArrivedRequest, ...])
Sent = TypeVar("Sent", Prompt, ArrivedRequest)


def first_prompts(spec: AnySpec, inp: DeliberationInput) -> tuple[Prompt, ...]:
    """Return the prompts that are sent first, without sending them."""
    calls = () if spec.first_calls is None else spec.first_calls(inp)
    return tuple(_prompt(call, None) for call in calls)


async def sent_prompts(client: Client, deliberation_id: str) -> tuple[Prompt, ...]:
    """Return the prompts that a deliberation has sent so far, in the order of their calls; no worker is needed.

    Raises:
        UnknownDeliberationError: the server has no history of it.
        RequestError: a prompt cannot be read.
    """
    try:
        return await _sent(client, deliberation_id)
    except PayloadError as error:
        raise RequestError(f"the prompts of {deliberation_id} cannot be read: {error}") from None
    except UnknownDeliberationError as error:
        raise UnknownDeliberationError(
            f"{error}. The server keeps a history for a time; the ledger keeps the prompts of what has ended: "
            f"parley export {deliberation_id} --what calls"
        ) from None


def selected(
    sent: Sequence[Sent], deliberation_id: str, *, seat: str | None, round_number: int | None, stage: str | None
) -> tuple[Sent, ...]:
    """Return the prompts or requests of a seat, a round and a stage; ``None`` is all of them.

    Raises:
        RequestError: there is none; the message names the known ones.
    """
    wanted = {"participant": seat, "round": round_number, "stage": stage}
    for field, value in wanted.items():
        there = dict.fromkeys(getattr(one, field) for one in sent)
        if value is not None and value not in there:
            known = ", ".join(map(str, there)) or "none"
            raise RequestError(f"{deliberation_id} has sent no prompt of {_NAMES[field]} {value!r}; known are {known}")
    found = tuple(one for one in sent if all(value in {None, getattr(one, name)} for name, value in wanted.items()))
    if not found:
        raise RequestError(f"{deliberation_id} has sent no such prompt" + ("" if sent else " yet"))
    return found


async def arrived_requests(url: str, deliberation_id: str) -> tuple[ArrivedRequest, ...]:
    """Return the requests of a deliberation that the rehearsal server at ``url`` still has, in order.

    Raises:
        RequestError: no rehearsal server answers, or it has none of them.
    """
    import httpx  # noqa: PLC0415 - every command that asks imports this module for its type alone

    try:
        async with httpx.AsyncClient(trust_env=False, timeout=10.0) as http:
            answer = await http.get(f"{url}/rehearsal/requests", params={"deliberation": deliberation_id})
        found = _REQUESTS.validate_python(answer.raise_for_status().json()["requests"])
    except httpx.HTTPError as error:
        raise RequestError(
            f"requests are kept by the rehearsal server alone, and none answers at {url}; start parley up --rehearse "
            "and run the deliberation with --rehearse, or leave --arrived out"
        ) from error
    if not found:
        raise RequestError(
            f"the rehearsal server at {url} has no request of {deliberation_id}: it keeps the latest ones since its "
            "start; leave --arrived out for the prompts in the history"
        )
    return found


async def _sent(client: Client, deliberation_id: str) -> tuple[Prompt, ...]:
    calls: dict[tuple[str, int], ModelCall] = {}
    replies: dict[tuple[str, int], Answered | None] = {}
    run_id = ""
    async for event in all_events(client, deliberation_id):
        run_id = event.workflow_execution_started_event_attributes.original_execution_run_id or run_id
        scheduled = event.activity_task_scheduled_event_attributes
        completed = event.activity_task_completed_event_attributes
        if scheduled.activity_type.name == _CALL:
            calls[run_id, event.event_id] = await _decoded(client, scheduled.input.payloads, ModelCall)
        elif (run_id, completed.scheduled_event_id) in calls:
            reply = await _decoded(client, completed.result.payloads, Reply)
            replies[run_id, completed.scheduled_event_id] = reply if isinstance(reply, Answered) else None
    return tuple(_prompt(call, replies.get(key)) for key, call in calls.items())


async def _decoded(client: Client, payloads: Sequence[Payload], kind: Any) -> Any:
    (value,) = await client.data_converter.decode(payloads, [kind])
    return value


def _prompt(call: ModelCall, reply: Answered | None) -> Prompt:
    messages, notes = call.messages, []
    if call.shared_with is not None:
        notes.append(f"not sent: {call.shared_with} asked the same, and its answer was used")
    if reply is not None and reply.asked_with_schema and call.schema_instruction:
        *before, last = messages
        messages = (*before, last.model_copy(update={"content": f"{last.content}\n{call.schema_instruction}"}))
    elif reply is None and call.schema_instruction and call.sampling.structured_output:
        notes.append(f"where the JSON schema is sent, the last message ends with: {call.schema_instruction}")
    return Prompt(
        call_id=call.call_id,
        participant=call.participant,
        model=call.model,
        stage=call.stage,
        round=call.round,
        messages=messages,
        note="; ".join(notes),
    )
