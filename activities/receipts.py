"""The ledger's line for one call, made from what came back."""

from typing import Any

from activities.identity import CallIdentity
from protocols.exchange import Answered, Failed
from protocols.panel import provider_of

_NOT_SERVED = dict.fromkeys(("served_model", "upstream", "request_id", "finish", "seconds"))


def receipt(identity: CallIdentity, reply: Answered | Failed, *, stage: str, round_number: int) -> dict[str, Any]:
    """The values of one row of ``calls``; unknown stays ``None``.

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
        "participant": reply.participant,
        "model": reply.model,
        "attempts": reply.attempts,
        "rehearsal": reply.rehearsal,
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
        "served_model": reply.served_model,
        "upstream": reply.upstream,
        "request_id": reply.request_id,
        "outcome": "answered",
        "error_type": None,
        "message": None,
        "finish": reply.finish,
        "seconds": reply.seconds,
    }
