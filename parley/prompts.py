"""The prompts of a deliberation: the sent ones, from its history, and the first ones before they are sent.

The history has every request for as long as the server keeps it, the ledger (``parley export``) for ever. The JSON
schema of a reply may add a sentence to a prompt; whether it was sent is known when the call has been answered.
"""

from collections.abc import Sequence
from typing import Any, TypeVar

from temporalio.api.common.v1 import Payload
from temporalio.client import Client

from parley.arrived_requests import ArrivedRequest
from parley.errors import RequestError, UnknownDeliberationError
from parley.histories import all_events
from parley.specs.protocol_spec import AnySpec
from protocols.deliberation import DeliberationInput
from protocols.model_call import Answered, FrozenModel, Message, ModelCall, Reply
from runtime.errors import PayloadError

_CALL = "call_model"


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


Sent = TypeVar("Sent", Prompt, ArrivedRequest)


def first_prompts(spec: AnySpec, inp: DeliberationInput) -> tuple[Prompt, ...]:
    """Return the prompts that are sent first, without sending them."""
    calls = () if spec.first_calls is None else spec.first_calls(inp)
    return tuple(_prompt(call, None) for call in calls)


async def sent_prompts(
    client: Client,
    deliberation_id: str,
    *,
    seat: str | None = None,
    round_number: int | None = None,
    stage: str | None = None,
) -> tuple[Prompt, ...]:
    """Return the prompts that a deliberation has sent so far, in the order of their calls; no worker is needed.

    Args:
        client: A connection to the server.
        deliberation_id: Running or ended.
        seat: By default all of them.
        round_number: By default all of them.
        stage: By default all of them.

    Raises:
        UnknownDeliberationError: the server has no history of it.
        RequestError: it has no such prompt, or one cannot be read.
    """
    try:
        sent = await _sent(client, deliberation_id)
    except PayloadError as error:
        raise RequestError(f"the prompts of {deliberation_id} cannot be read: {error}") from None
    except UnknownDeliberationError as error:
        raise UnknownDeliberationError(
            f"{error}. The server keeps a history for a time; the ledger keeps the prompts of what has ended: "
            f"parley export {deliberation_id} --what calls"
        ) from None
    return selected(sent, deliberation_id, seat=seat, round_number=round_number, stage=stage)


_NAMES = {"participant": "the seat", "round": "round", "stage": "the stage"}


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


async def _sent(client: Client, deliberation_id: str) -> list[Prompt]:
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
    return [_prompt(call, replies.get(key)) for key, call in calls.items()]


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
