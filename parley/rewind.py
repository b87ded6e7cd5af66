"""Branches: a deliberation that continues from an earlier round of another one.

The input of the original is read from the history of its first run, with its prompts. Its random draws, its completed
rounds and its lost calls are queried from a worker, which reads them from the history, too, running or ended.
A round that an update changed cannot be shared, because the change is not in the input; the error names the last round
that can be shared.
"""

import json
import secrets
from collections.abc import Iterable, Mapping, Sequence
from datetime import timedelta
from typing import Any, NamedTuple

from temporalio.api.enums.v1 import EventType
from temporalio.api.history.v1 import HistoryEvent
from temporalio.client import Client
from temporalio.service import RPCError, RPCStatusCode

from parley import ids, workflow_rpc
from parley.catalogue import Providers
from parley.client import Parley
from parley.deliberations import Deliberation
from parley.errors import RequestError, as_request_error
from parley.histories import all_events, input_of
from parley.model_warnings import issue_model_warnings
from parley.options.budget import unpriced_message
from parley.seat_abilities import refuse_unfit_models
from parley.specs import PROTOCOLS
from parley.specs.protocol_spec import AnySpec
from parley.start import start
from protocols.branch import Branch, BranchState, Origin
from protocols.deliberation import DeliberationResult
from protocols.model_call import ModelId, ParticipantId
from protocols.named_panel import PanelLibrary
from protocols.panel import Panel, UnknownModelNameError, route
from protocols.plurals import counted
from protocols.spending_cap import SpendingCap
from workflows import search_attributes

BRANCH_STATE = workflow_rpc.Query("branch_state", BranchState)

_WITHIN = timedelta(seconds=60)
_NOBODY_ANSWERS = (RPCStatusCode.DEADLINE_EXCEEDED, RPCStatusCode.FAILED_PRECONDITION, RPCStatusCode.CANCELLED)
_LONGEST_ID = 180
_ALIAS = "models."
_SHAPING = ("replace_participant", "inject_evidence", "add_rounds", "release_turn")
"""Updates that change what is asked in the round in which they come, or in a later one."""


class _Past(NamedTuple):
    """The past of a deliberation, read from the histories of its runs."""

    spec: AnySpec
    asked: Any
    """What its workflow started with."""
    changes: tuple[tuple[int, str], ...]
    """The changes by users: the round of each, and the name of the update."""


async def rewind(
    parley: Parley,
    deliberation_id: str,
    to_round: int,
    seats: Mapping[str, str] | None = None,
    *,
    new_id: str | None = None,
    check_keys: bool = True,
) -> Deliberation[DeliberationResult]:
    """Start a deliberation that shares all rounds up to ``to_round`` with another one, and return without waiting.

    Args:
        parley: A connection; a worker must be up.
        deliberation_id: The one that is left; it may be over or still run, and nothing of it changes.
        to_round: The last round that both share, 1 or more; the stages of a council count as its rounds.
        seats: Seat to the model that sits there from the next round on; ``models.b`` is the second participant.
        new_id: Of the new one; by default the old one's with ``-rewind-`` and a few letters behind it.
        check_keys: Look for the keys of the providers first.

    Raises:
        RequestError: it cannot be done as it was asked; says why, and how far one can go.
        UnknownDeliberationError: the server has no deliberation with this id.
        IdUsedError: ``new_id`` was used before.
        MissingKeyError: a provider's key is not here.
    """
    if to_round < 1:
        raise RequestError(f"to round {to_round} nothing is shared; start a new deliberation instead, or name a round")
    past = await _past(parley.client, deliberation_id)
    inherited = await _branch_state(parley, deliberation_id)
    _refuse_rounds(deliberation_id, to_round, inherited.rounds, past)
    earlier = _earlier(past.asked.branch, to_round)
    panel = _seated(past.asked.panel, *(one.seats for one in earlier))
    changed = _seats(panel, seats or {}, parley.providers.panels)
    refuse_unfit_models(parley.providers, past.spec, past.asked, changed)
    if check_keys and not panel.is_rehearsal:
        parley.providers.check(_seated(panel, changed), place="rewind")
    await issue_model_warnings(parley.providers, changed.values())
    branch = Branch(
        of=deliberation_id,
        through_round=to_round,
        seats=changed,
        draws=inherited.draws,
        lost=inherited.lost,
        earlier=earlier,
    )
    queues, cap = parley.providers.queues, _priced(past.asked.cap, changed.values(), parley.providers)
    asked = past.asked.model_copy(update={"branch": branch, "queues": queues, "batch_id": None, "cap": cap})
    chosen = ids.checked_id(new_id or f"{deliberation_id[:_LONGEST_ID]}-rewind-{secrets.token_hex(3)}")
    handle = await start(parley.client, chosen, past.spec, asked, fresh=False)
    return Deliberation(parley.client, handle)


def _priced(cap: SpendingCap | None, models: Iterable[ModelId], providers: Providers) -> SpendingCap | None:
    """Return the limits of the branch, with the prices of its new models."""
    for model in models if cap is not None and cap.usd is not None else ():
        cap = cap and cap.priced(model, providers.token_price(model))
        if cap is not None and cap.usd is not None and cap.price_of(model) is None:
            raise RequestError(unpriced_message([model], cap.usd))
    return cap


def assignments(given: tuple[str, ...]) -> dict[str, str]:
    """Parse ``SEAT=MODEL`` assignments to a mapping from seat to model.

    Raises:
        RequestError: something is not written so, or a seat is named twice.
    """
    found: dict[str, str] = {}
    for text in given:
        seat, sign, model = (part.strip() for part in text.partition("="))
        if not (seat and sign and model):
            raise RequestError(f"{text!r} names no seat and model; write it like p2=openrouter:openai/gpt-5.2")
        if seat in found:
            raise RequestError(f"the seat {seat!r} is given twice; leave one out")
        found[seat] = model
    return found


async def _branch_state(parley: Parley, deliberation_id: str) -> BranchState:
    try:
        return await workflow_rpc.ask(parley.deliberation(deliberation_id).handle, BRANCH_STATE, within=_WITHIN)
    except RPCError as error:
        if error.status not in _NOBODY_ANSWERS:
            raise
        raise RequestError(
            f"the draws of {deliberation_id} could not be read: a worker must be up to read them from its history, and "
            f"none answered ({error.message}). Start one, for example with: parley up"
        ) from None


def _refuse_rounds(deliberation_id: str, to_round: int, completed: int, past: _Past) -> None:
    if to_round > completed:
        said = f"{deliberation_id} has completed {counted(completed, 'round')}, so round {to_round} cannot be shared"
        raise RequestError(f"{said}; choose {_range(completed)}")
    for changed_in, update in past.changes:
        if update == "resolve_escalation":
            most = changed_in
        elif update == "add_rounds" and not past.spec.names_rounds:
            most = getattr(past.asked, "max_rounds", completed)
        elif update in _SHAPING:
            most = changed_in - 1
        else:
            continue
        if to_round > most:
            raise RequestError(
                f"a user changed {deliberation_id} in round {changed_in} ({update}), and a branch cannot "
                f"share the consequences; choose {_range(most)}"
            )


def _range(most: int) -> str:
    return f"--to-round 1 to {most}" if most > 1 else "--to-round 1" if most else "a new deliberation instead"


def _seats(panel: Panel, given: Mapping[str, str], panels: PanelLibrary) -> dict[ParticipantId, ModelId]:
    """Return the changes by seat, with every name resolved."""
    changed: dict[ParticipantId, ModelId] = {}
    for name, model in given.items():
        seat = _seat(panel, name)
        changed[seat] = _model(panel, panels.explicit(model))
        if panel.at(seat).model == changed[seat]:
            raise RequestError(f"{changed[seat]!r} sits at {seat!r} already")
    sitting = [p.model for p in _seated(panel, changed).participants]
    twice = sorted({model for model in sitting if sitting.count(model) > 1})
    if twice and not panel.allow_duplicates:
        raise RequestError(f"{', '.join(map(repr, twice))} would sit twice, and this panel does not allow duplicates")
    return changed


def _seat(panel: Panel, name: str) -> ParticipantId:
    letter = name.removeprefix(_ALIAS)
    if name.startswith(_ALIAS) and len(letter) == 1 and 0 <= ord(letter) - ord("a") < len(panel.participants):
        return panel.participants[ord(letter) - ord("a")].id
    if name not in panel.seats:
        raise RequestError(f"there is no seat {name!r}; the seats are {', '.join(panel.seats)}")
    return ParticipantId(name)


def _model(panel: Panel, name: str) -> ModelId:
    """Resolve a bare name in a rehearsal to a scripted model, so that an omitted prefix costs nothing."""
    with as_request_error(UnknownModelNameError):
        return route(f"rehearsal:{name}" if panel.is_rehearsal and ":" not in name else name)


def _seated(panel: Panel, *changes: Mapping[ParticipantId, ModelId]) -> Panel:
    for changed in changes:
        for seat, model in changed.items():
            panel = panel.replaced(seat, model)
    return panel


def _earlier(branch: Branch | None, to_round: int) -> tuple[Origin, ...]:
    """Return the changes of a branch that its own branch shares; a return before a change undoes it."""
    if branch is None:
        return ()
    return tuple(one for one in (*branch.earlier, branch.origin) if one.through_round < to_round)


async def _past(client: Client, deliberation_id: str) -> _Past:
    """Read the calls and the user's changes from the histories."""
    described = await workflow_rpc.described(client.get_workflow_handle(ids.looked_up_id(deliberation_id)))
    spec = PROTOCOLS.of_workflow(described.workflow_type)
    if not spec.has_rounds:
        raise RequestError(f"{deliberation_id}: {described.workflow_type} has no rounds to go back to")
    asked = await input_of(client, all_events(client, deliberation_id), spec.input)
    if asked.earlier:
        raise RequestError(
            f"{deliberation_id} has turns before its question, and a branch shares rounds of one turn only"
        )
    number, changes = 1, []
    async for event in all_events(client, deliberation_id):
        number = _round(event, number, spec.stages)
        if event.event_type == EventType.EVENT_TYPE_WORKFLOW_EXECUTION_UPDATE_ACCEPTED:
            accepted = event.workflow_execution_update_accepted_event_attributes.accepted_request
            changes.append((number, accepted.input.name))
    return _Past(spec, asked, tuple(changes))


def _round(event: HistoryEvent, before: int, stages: Sequence[str]) -> int:
    """Return the round that an event opens, by the search attributes; otherwise the one ``before``."""
    if event.event_type != EventType.EVENT_TYPE_UPSERT_WORKFLOW_SEARCH_ATTRIBUTES:
        return before
    fields = event.upsert_workflow_search_attributes_event_attributes.search_attributes.indexed_fields
    column = (search_attributes.STAGE if stages else search_attributes.ROUND).name
    if column not in fields:
        return before
    value = json.loads(fields[column].data)
    if stages:
        return stages.index(value) + 1 if value in stages else before
    return int(value)
