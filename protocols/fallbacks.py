"""The losses after which a fallback takes a seat.

======================================  ==================================================================
another model takes the seat            the loss stays
======================================  ==================================================================
rate limit, quota, provider away        money or credit is used up, or a budget: no model cures that
model not found, request not taken,     a key is missing or wrong, or a setting: a user must correct it
context too long
answer stalled, broken off, too late    a user stopped or gave up the call
the provider refused (moderation)       the model refused: that is its answer
no answer, unreadable, or cut before    a worker was lost over the call, or a shared round has no answer
its first word
======================================  ==================================================================
"""

from protocols.flaws import Flaw
from protocols.model_call import Failed, ModelCall, ModelId
from protocols.panel import Participant, name_of

CURED = frozenset(
    {
        *("provider.rate_limited", "provider.quota_exhausted", "provider.unavailable", "provider.transport"),
        *("provider.gateway", "provider.redirect", "provider.tls", "provider.broken_off", "provider.stalled"),
        *("provider.bad_response", "provider.empty", "provider.timeout", "provider.moderated"),
        *("provider.bad_request", "provider.not_found", "provider.too_large"),
        *("reply.blank", "reply.unparseable", "reply.truncated"),
    }
)
"""The types of failure after which a fallback is asked."""


def next_model(seat: Participant, reply: Failed) -> ModelId | None:
    """Return the fallback for ``seat`` after ``reply``, or ``None``."""
    return seat.fallbacks[0] if seat.fallbacks and reply.error_type in CURED else None


def fallback_flaw(call: ModelCall, reply: Failed, model: ModelId) -> Flaw:
    """Return the flaw of a turn with the fallback ``model``, and the reason."""
    note = f"{name_of(model)} in place of {name_of(reply.model)} ({reply.kind}: {reply.message})"
    return Flaw(kind="fallback_model", stage=call.stage, round=call.round, participant=call.participant, note=note)
