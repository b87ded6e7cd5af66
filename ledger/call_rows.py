"""The ledger's lines for one call, built from its reply.

Every call has a line in ``calls``, and what it asked is in ``requests``, once for all calls that ask the same. A call
of a consensus has another one in ``consensus_iterations`` (seed 004, "Database Tracking"). They are made together,
because they become durable together.
"""

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

from pydantic import Field
from sqlalchemy import Table

from ledger.identity import CallIdentity
from ledger.tables import CALLS, CONSENSUS_ITERATIONS, REQUESTS
from protocols.flaws import is_cut
from protocols.model_call import Answered, Failed, FrozenModel
from protocols.panel import SCRIPTED, name_of, provider_of

_CONSENSUS = "consensus"
_CHECK = "consensus_check"
_OPINIONS: Mapping[str | None, str] = {"accept": "NO", "correction": "YES", "objection": "YES"}
"""The answer to "can it be improved?" by the stance of a reply; every other reply gave none."""
_NOT_SERVED = dict.fromkeys(("served_model", "upstream", "request_id", "finish", "seconds"))


class CallContext(FrozenModel):
    """The time and place of a call within its deliberation."""

    protocol: str = ""
    """The protocol, the part before the dot in the name of the call's reader."""
    run_id: str = ""
    """Temporal's run that asked."""
    stage: str = ""
    round: int = Field(default=1, ge=1)
    request: bytes = b""
    """What is asked, compressed, see ``ledger.identity.request_of``; blank where it is not to be written."""


@dataclass(frozen=True)
class CallRow:
    """One row of one table of the ledger; every column is named but those that the database fills in."""

    table: Table
    values: Mapping[str, Any]


def call_rows(identity: CallIdentity, reply: Answered | Failed, occasion: CallContext) -> tuple[CallRow, ...]:
    """Return all ledger rows of one call."""
    row = call_row(identity, reply, stage=occasion.stage, round_number=occasion.round)
    lines = (CallRow(CALLS, row), *request_rows(identity, occasion))
    if occasion.protocol != _CONSENSUS:
        return lines
    return (*lines, CallRow(CONSENSUS_ITERATIONS, _iteration(row, reply, occasion)))


def request_rows(identity: CallIdentity, occasion: CallContext) -> tuple[CallRow, ...]:
    """Return the row of a call's request, if it is known."""
    row = {"key": identity.fingerprint, "request": occasion.request}
    return (CallRow(REQUESTS, row),) if occasion.request else ()


def call_row(identity: CallIdentity, reply: Answered | Failed, *, stage: str, round_number: int) -> dict[str, Any]:
    """Return the values of one row of ``calls``; unknown stays ``None``.

    Every column is named, so that one row can replace another; only ``recorded_at`` is left to the database.
    """
    return {
        "key": identity.key,
        "deliberation_id": identity.workflow_id,
        "call_id": identity.call_id,
        "salt": identity.salt,
        "fingerprint": identity.fingerprint,
        "stage": stage,
        "round": round_number,
        **{name: getattr(reply, name) for name in ("participant", "model", "attempts", "unanswered_requests")},
        # a lost call has no reply, so the flags that its server sends are unknown
        "rehearsal": reply.rehearsal or provider_of(reply.model) in SCRIPTED,
        "cost_usd": reply.cost.usd,
        "cost_source": reply.cost.source,
        **reply.usage.model_dump(),
        **_outcome(reply),
    }


def _outcome(reply: Answered | Failed) -> dict[str, Any]:
    if isinstance(reply, Failed):
        return {
            "provider": provider_of(reply.model),
            "outcome": reply.kind,
            "error_type": reply.error_type,
            "message": reply.message,
            **_NOT_SERVED,
        }
    return {
        "provider": reply.provider,
        "outcome": "answered",
        "error_type": None,
        "message": None,
        **{name: getattr(reply, name) for name in _NOT_SERVED},
    }


def _iteration(row: Mapping[str, Any], reply: Answered | Failed, occasion: CallContext) -> dict[str, Any]:
    is_check = occasion.stage == _CHECK
    stance = _stance(reply) if is_check and isinstance(reply, Answered) else None
    opinion = _OPINIONS.get(stance)
    return {
        **{name: row[name] for name in ("key", "provider", "call_id", "outcome", "rehearsal")},
        "consensus_id": row["deliberation_id"],
        "model_id": name_of(reply.model),
        "stage_name": f"{_CHECK}_{reply.participant}" if is_check else occasion.stage,
        "tokens_used": reply.usage.total_tokens,
        "flag": int(opinion == "NO"),
        "round_number": occasion.round,
        "opinion": opinion,
        "stance": stance,
        "run_id": occasion.run_id,
        "attempt": reply.attempts,
    }


def _stance(reply: Answered) -> str | None:
    """Return how the reply was read; ``None`` where there is no evaluation to be read, or the reply is cut."""
    if is_cut(reply):
        return None
    match reply.reading:
        case {"found_as": "doubtful" | "objection" | "correction" as found}:
            return found
        case {"accepted": True}:
            return "accept"
        case _:
            return None
