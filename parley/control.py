"""Queries and control of a running deliberation by id.

What makes no sense now is refused, with the reason and in the user's words; a value that can never be meant is
refused before anything is sent.
"""

from collections.abc import Mapping
from typing import TYPE_CHECKING, Any

from temporalio.client import Client, WorkflowExecutionStatus
from temporalio.service import RPCError

from parley import workflow_rpc
from parley.catalogue import Providers
from parley.deliberations import Deliberation
from parley.errors import NoSuchQueryError, RequestError, UpdateRefusedError, as_request_error, require
from parley.ids import looked_up_id
from parley.results import any_result
from parley.seat_abilities import refuse_replacement
from parley.workflow_rpc import Answer, Request, build_request
from protocols.constraints import quoted
from protocols.deliberation import DeliberationResult
from protocols.model_call import FrozenModel
from protocols.panel import UnknownModelNameError, route
from protocols.progress import Progress
from protocols.update_requests import (
    AcceptDraft,
    AddRounds,
    BudgetChange,
    ReplaceParticipant,
    StopAfterRound,
    StopRequest,
)
from runtime.installation import refuse_other_keys

if TYPE_CHECKING:  # the models of a debate are imported when one is steered
    from parley.debate_rpc import Decision
    from protocols.debate.model.io import Waiting
    from protocols.debate.model.state import DebateState, Evidence
    from protocols.debate.model.turn import AgentResponse

_REASON_LENGTH = 500


class Steering:
    """Deliberations found by their ids.

    Raises:
        UnknownDeliberationError: the server has no deliberation with this id.
        NoSuchQueryError: its protocol does not have what was asked.
        UpdateRefusedError: it makes no sense now, the deliberation has ended, or its protocol has no such change.
        RequestError: the id is that of a study, or a value cannot be used: a note of more than 500 characters.
    """

    providers: Providers
    """Providers and named panels of this installation."""

    def __init__(self, client: Client) -> None:
        self.client = client

    def deliberation(self, deliberation_id: str) -> Deliberation[DeliberationResult]:
        """Return the deliberation of that id; an unknown id is detected on its first use.

        Raises:
            RequestError: it is no text, or blank.
        """
        handle = self.client.get_workflow_handle(looked_up_id(deliberation_id), result_type=any_result())
        return Deliberation(self.client, handle)

    async def result(self, deliberation_id: str) -> DeliberationResult:
        """Wait for the result, as ``Deliberation.result`` does."""
        return await self.deliberation(deliberation_id).result()

    async def state(self, deliberation_id: str) -> Progress:
        """Return the progress, as ``Deliberation.state`` does."""
        return await self.deliberation(deliberation_id).state()

    async def claims(self, deliberation_id: str) -> "DebateState":
        """Return a debate's registries: claims, evidence, decisions and positions; answered by a worker."""
        from parley.debate_rpc import CLAIMS

        return await workflow_rpc.ask(self.deliberation(deliberation_id).handle, CLAIMS)

    async def waiting(self, deliberation_id: str) -> "Waiting | None":
        """Return the approval that a debate waits for, with reason and deadline; ``None`` without one."""
        from parley.debate_rpc import WAITING

        return await workflow_rpc.ask(self.deliberation(deliberation_id).handle, WAITING)

    async def replace_participant(self, deliberation_id: str, seat: str, model: str) -> Progress:
        """Put another model behind ``seat`` of a deliberation that runs.

        The seats are ``p1`` … and ``chair`` in a council, ``p1`` … and ``aggregator`` in a mixture, ``p1`` … in a vote
        and in a fire circle, ``p1`` …, ``evaluator``, ``summariser``, ``judge`` and ``synthesiser`` in a debate,
        and in a consensus ``generator``, ``refiner``, ``validator`` and ``curator``. The seat keeps its settings and
        its files: a model that cannot be sent them is refused.
        """
        asked = build_request(ReplaceParticipant, participant=seat, model=model)
        with as_request_error(UnknownModelNameError):
            wanted = route(self.providers.panels.explicit(asked.model))
            price = self.providers.token_price(wanted)
        await refuse_replacement(self.client, self.providers, deliberation_id, asked.participant, wanted)
        request = asked.model_copy(update={"model": wanted, "price": price})
        return await self._change(deliberation_id, "replace_participant", request)

    async def set_budget(self, deliberation_id: str, change: BudgetChange | Mapping[str, Any]) -> Progress:
        """Set other limits for a deliberation with a budget; one that waits for a higher budget continues."""
        require(change, BudgetChange | Mapping, "a change of the budget names its limits, as in {'usd': 1.5}")
        if unknown := next((name for name in dict(change) if name not in BudgetChange.model_fields), None):
            raise RequestError(f"{quoted(unknown)} is no limit; known are {', '.join(BudgetChange.model_fields)}")
        return await self._change(deliberation_id, "set_budget", build_request(BudgetChange, **dict(change)))

    async def stop(self, deliberation_id: str, reason: str = "stopped by a user") -> Progress:
        """End a deliberation now with the result so far; no further call is made."""
        return await self._change(deliberation_id, "stop", _with_reason(StopRequest, reason))

    async def stop_after_round(
        self, deliberation_id: str, reason: str = "stopped by a user after the round"
    ) -> Progress:
        """End a consensus after its present round; if all accept, the curator is asked."""
        return await self._change(deliberation_id, "stop_after_round", _with_reason(StopAfterRound, reason))

    async def accept_draft(self, deliberation_id: str, reason: str = "accepted by a user") -> Progress:
        """Take the present draft of a consensus for its verdict, now; nothing more is asked or paid."""
        return await self._change(deliberation_id, "accept_draft", _with_reason(AcceptDraft, reason))

    async def resolve_escalation(self, deliberation_id: str, decision: "Decision", note: str = "") -> Progress:
        """Resolve a failed objection round: ``accept`` the result so far, ``continue``, or ``reject`` it.

        The note on ``continue`` binds all debaters as a decision; for the others it is only in the result.
        """
        from protocols.debate.model.io import ResolveEscalation

        request = build_request(ResolveEscalation, decision=decision, note=note)
        return await self._change(deliberation_id, "resolve_escalation", request)

    async def approve(self, deliberation_id: str, *, approved: bool = True, note: str = "") -> Progress:
        """Approve or refuse the synthesis of a high-stakes debate."""
        from protocols.debate.model.io import Approve

        return await self._change(deliberation_id, "approve", build_request(Approve, approved=approved, note=note))

    async def inject_evidence(
        self, deliberation_id: str, fact: str, source: str, *, url: str = "", supports: tuple[str, ...] | list[str] = ()
    ) -> "Evidence":
        """Add a fact with its source to a running debate; the returned claim has its id."""
        from protocols.debate.model.io import InjectEvidence
        from protocols.debate.model.state import Evidence

        request = build_request(InjectEvidence, fact=fact, source=source, url=url, supports=supports)
        return await self._sent(deliberation_id, "inject_evidence", request, Evidence)

    async def release_turn(
        self, deliberation_id: str, agent: str, *, round_number: int | None = None, note: str = ""
    ) -> "AgentResponse":
        """Show a withheld turn of ``agent`` (``p1`` …) from now on; what comes back is the turn with its new claims.

        Args:
            deliberation_id: Of a debate that runs.
            agent: The debater's seat.
            round_number: By default the latest round in which a turn of that debater is withheld.
            note: The reason; it is in the result.
        """
        from protocols.debate.model.history import ReleaseTurn
        from protocols.debate.model.turn import AgentResponse

        request = build_request(ReleaseTurn, agent=agent, round=round_number, note=note)
        return await self._sent(deliberation_id, "release_turn", request, AgentResponse)

    async def add_rounds(self, deliberation_id: str, rounds: int = 1, *, focus: str = "") -> Progress:
        """Allow a consensus or a debate more rounds; ``focus`` is the question for the first of them (debate)."""
        return await self._change(deliberation_id, "add_rounds", build_request(AddRounds, rounds=rounds, focus=focus))

    async def accept(self, deliberation_id: str, note: str = "") -> Progress:
        """Accept the draft of a consensus, or the result so far of a debate that waits for approval."""
        try:
            is_approval = await self._waits_for_approval(deliberation_id)
        except NoSuchQueryError:
            return await self.accept_draft(deliberation_id, *filter(None, [note]))
        if is_approval:
            return await self.approve(deliberation_id, note=note)
        return await self.resolve_escalation(deliberation_id, "accept", note)

    async def reject(self, deliberation_id: str, note: str = "") -> Progress:
        """Conclude a debate that waits for a user without agreement, or without a synthesis."""
        if await self._waits_for_approval(deliberation_id):
            return await self.approve(deliberation_id, approved=False, note=note)
        return await self.resolve_escalation(deliberation_id, "reject", note)

    async def _waits_for_approval(self, deliberation_id: str) -> bool:
        waiting = await self.waiting(deliberation_id)
        return waiting is not None and waiting.for_what == "approval"

    async def cancel(self, deliberation_id: str) -> None:
        """Ask a deliberation to end without a verdict; it records its partial result and ends."""
        handle = self.deliberation(deliberation_id).handle
        if (await workflow_rpc.described(handle)).status is not WorkflowExecutionStatus.RUNNING:
            raise UpdateRefusedError(f"{deliberation_id} has ended already")
        try:
            await handle.cancel()
        except RPCError as error:
            raise workflow_rpc.explained(deliberation_id, error) from error

    async def _change(self, deliberation_id: str, update: str, request: FrozenModel) -> Progress:
        return await self._sent(deliberation_id, update, request, Progress)

    async def _sent(self, deliberation_id: str, update: str, request: FrozenModel, answer: type[Answer]) -> Answer:
        handle = self.deliberation(deliberation_id).handle
        await workflow_rpc.described(handle)  # a study has updates of the same names
        await refuse_other_keys(self.client)
        return await workflow_rpc.change(handle, update, request, answer)


def _with_reason(kind: type[Request], reason: object) -> Request:
    return build_request(kind, reason=reason[:_REASON_LENGTH] if isinstance(reason, str) else reason)
