"""Outcomes of deliberations in a study: their counts, settlements, and reasons to pause."""

from collections.abc import Mapping

from protocols.model_call import Spending
from protocols.study.budget import amount_of
from protocols.study.messages import DeliberationOutcome, Settlement
from protocols.study.model import Amount, Counts, PauseCause, PauseReason

_LONGEST = 500

_TROUBLES: Mapping[str, PauseCause] = {
    "provider.payment_required": "credit",
    "provider.quota_exhausted": "credit",
    "provider.auth": "key",
}
_CONFIG = "config."


def count_outcome(outcome: DeliberationOutcome, *, is_failed: bool) -> Counts:
    """Count one deliberation that finished (was not cancelled or terminated)."""
    spent = outcome.spent or Spending()
    return Counts(
        completed=int(not is_failed),
        failed=int(is_failed),
        degraded=int(outcome.degraded.is_degraded and not is_failed),
        flaws=outcome.degraded.counts,
        calls=spent.calls,
        calls_of_unknown_cost=spent.calls_of_unknown_cost,
        used=amount_of(spent),
    )


def settlement(number: int, used: Amount, outcome: DeliberationOutcome, *, has_verdict: bool) -> Settlement:
    """Return the settlement of a deliberation; what it took is observed if it has a verdict and is not run again."""
    if outcome.spent is None or not has_verdict:
        return Settlement(number=number, used=used)
    is_priced = not outcome.spent.calls_of_unknown_cost
    return Settlement(number=number, used=used, took=amount_of(outcome.spent), is_priced=is_priced)


def pause_reason(study: str, outcome: DeliberationOutcome, *, is_failed: bool) -> PauseReason | None:
    """Return why ``outcome`` pauses the study instead of being counted, or ``None`` for an ordinary one.

    A failure is trouble when every call it lost was lost for want of credit, for a key or for a worker's settings; a
    verdict is when any was, because with that put right it would have been a better one.
    """
    causes = [pause_cause(loss.error_type) for loss in outcome.failed]
    blamed = [(cause, loss) for cause, loss in zip(causes, outcome.failed, strict=True) if cause is not None]
    if not blamed or (is_failed and len(blamed) < len(causes)):
        return None
    cause, loss = blamed[0]
    remedy = f". {_REMEDIES[cause]}, then: parley batch resume {study}"
    return PauseReason(cause=cause, reason=f"{loss.message.rstrip('. ')[: _LONGEST - len(remedy)]}{remedy}")


def pause_cause(error_type: str) -> PauseCause | None:
    """Return what must be repaired before such a call can be answered, or ``None`` for other errors."""
    return "config" if error_type.startswith(_CONFIG) else _TROUBLES.get(error_type)


_REMEDIES: Mapping[PauseCause, str] = {
    "credit": "Add credit at the provider or wait until its quota is renewed",
    "key": "Correct the key in the worker's environment and restart the worker",
    "config": "Correct the worker's settings and restart the worker",
}
