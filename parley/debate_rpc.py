"""Queries and updates that only a debate has, under their wire names."""

from typing import Literal, cast

from parley import workflow_rpc
from parley.workflow_rpc import Handle, Query, build_request
from protocols.debate.model.history import ReleaseTurn
from protocols.debate.model.io import Approve, InjectEvidence, ResolveEscalation, Waiting
from protocols.debate.model.state import DebateState, Evidence
from protocols.debate.model.turn import AgentResponse
from protocols.progress import Progress

Decision = Literal["accept", "continue", "reject"]
"""Possible decisions after a failed objection round."""

CLAIMS = Query("claims", DebateState)
WAITING = Query("waiting", cast("type[Waiting | None]", Waiting | None))
"""A union is no class, and the SDK's converter reads it all the same."""


async def resolve_escalation(handle: Handle, decision: Decision, note: str) -> Progress:
    """Resolve a failed objection round."""
    request = build_request(ResolveEscalation, decision=decision, note=note)
    return await workflow_rpc.change(handle, "resolve_escalation", request, Progress)


async def approve(handle: Handle, *, approved: bool, note: str) -> Progress:
    """Approve or refuse the synthesis."""
    request = build_request(Approve, approved=approved, note=note)
    return await workflow_rpc.change(handle, "approve", request, Progress)


async def inject_evidence(handle: Handle, fact: str, source: str, url: str, supports: tuple[str, ...]) -> Evidence:
    """Add a fact with its source."""
    request = build_request(InjectEvidence, fact=fact, source=source, url=url, supports=supports)
    return await workflow_rpc.change(handle, "inject_evidence", request, Evidence)


async def release_turn(handle: Handle, agent: str, round_number: int | None, note: str) -> AgentResponse:
    """Show a withheld turn."""
    request = build_request(ReleaseTurn, agent=agent, round=round_number, note=note)
    return await workflow_rpc.change(handle, "release_turn", request, AgentResponse)
