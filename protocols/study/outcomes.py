"""Outcomes of deliberations in a study: counts, settlements, reasons to pause, and evidence about providers."""

from collections import Counter
from collections.abc import Mapping, Sequence

from protocols.model_call import Spending
from protocols.panel import provider_of
from protocols.study.messages import DeliberationOutcome, LostCallInfo, Settlement
from protocols.study.model import Amount, Counts, PauseCause, PauseReason
from protocols.study.outages import FailureCause, ProviderNews

OF_CALLS = frozenset({"calls", "calls_of_unknown_cost", "calls_of_unknown_tokens", "unanswered_requests"})
"""The counts of a spending that those of a study add up."""

_LONGEST = 500
_LONGEST_MESSAGE = 200

TROUBLES: Mapping[str, PauseCause] = {
    "provider.payment_required": "credit",
    "provider.quota_exhausted": "credit",
    "provider.auth": "key",
}
CONFIG = "config."
_REMEDIES: Mapping[PauseCause, str] = {
    "credit": "Add credit at the provider or wait until its quota is renewed",
    "key": "Correct the key in the worker's environment and restart the worker",
    "config": "Correct the worker's settings and restart the worker",
}

AWAY = frozenset(
    {
        *("provider.unavailable", "provider.transport", "provider.gateway", "provider.redirect", "provider.tls"),
        *("provider.stalled", "provider.bad_response", "provider.empty", "worker.timeout"),
    }
)
"""Types of error that mean that the provider as a whole is unavailable; together they are one cause."""

EVERY_ROW = frozenset({"provider.auth", "provider.payment_required", "provider.quota_exhausted", "provider.not_found"})
"""Types of error that the next deliberation would meet as well; each is a cause of its own."""


def amount_of(spent: Spending) -> Amount:
    """Return the spending as an amount; unknown costs count as no dollars, their tokens count."""
    return Amount(usd=spent.usd, tokens=spent.tokens)


def amount_to_charge(estimate: Amount, spent: Spending, *, is_reported: bool = True) -> Amount:
    """Return the charge of a deliberation; to keep the limit, at least its estimate where tokens are unknown.

    They are of one that ended without a report of what it took: its calls in flight may be billed.
    """
    is_known = is_reported and not spent.calls_of_unknown_tokens
    return amount_of(spent) if is_known else at_least(estimate, amount_of(spent))


def at_least(first: Amount, second: Amount) -> Amount:
    """Return the larger dollars and the larger tokens of both."""
    return Amount(usd=max(first.usd, second.usd), tokens=max(first.tokens, second.tokens))


def count_outcome(outcome: DeliberationOutcome, *, is_failed: bool) -> Counts:
    """Count one deliberation that finished (was not terminated)."""
    spent, is_cancelled = outcome.spent or Spending(), outcome.stop_reason == "cancelled"
    return Counts(
        completed=int(not is_failed),
        failed=int(is_failed and not is_cancelled),
        cancelled=int(is_cancelled),
        degraded=int(outcome.degraded.is_degraded and not is_failed),
        flaws=outcome.degraded.counts,
        **{name: getattr(spent, name) for name in sorted(OF_CALLS)},
        used=amount_of(spent),
    )


def settlement(number: int, used: Amount, outcome: DeliberationOutcome, *, has_verdict: bool) -> Settlement:
    """Return the settlement of a deliberation; what it took is observed if it is known and there is a verdict."""
    if outcome.spent is None or outcome.spent.calls_of_unknown_tokens or not has_verdict:
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
    return "config" if error_type.startswith(CONFIG) else TROUBLES.get(error_type)


def failure_cause(outcome: DeliberationOutcome) -> FailureCause:
    """Return the commonest reason for which a failed deliberation lost its calls."""
    counted = Counter(loss.error_type for loss in outcome.failed)
    if not counted:
        return FailureCause(error_type=f"stopped: {outcome.stop_reason}"[:_LONGEST_MESSAGE])
    ((commonest, _),) = counted.most_common(1)
    message = next(loss.message for loss in outcome.failed if loss.error_type == commonest)
    return FailureCause(error_type=commonest, message=message[:_LONGEST_MESSAGE])


def provider_news(outcome: DeliberationOutcome, number: int, *, is_failed: bool) -> tuple[ProviderNews, ...]:
    """Return the evidence of instance ``number`` about each provider of its calls.

    A missing model is evidence about its provider only when the deliberation failed: otherwise the
    others of the panel continue without it.
    """
    if outcome.spent is None or outcome.stop_reason == "cancelled":
        return ()
    lost: dict[str, list[LostCallInfo]] = {}
    for loss in outcome.failed:
        lost.setdefault(provider_of(loss.model), []).append(loss)
    answered = outcome.spent.answered
    news: list[ProviderNews] = []
    for provider in sorted({*answered, *lost}):
        one = ProviderNews(provider=provider, number=number)
        if not answered.get(provider):
            one = _with_cause(one, lost[provider], is_failed=is_failed)
        elif away := [loss for loss in lost.get(provider, ()) if loss.error_type in AWAY]:
            one = _with_cause(one, away, is_failed=is_failed).model_copy(update={"is_partial": True})
        is_undecided = bool(one.cause) and not any(before.is_undecided for before in news)
        news.append(one.model_copy(update={"is_undecided": is_undecided}))
    return tuple(news)


def _with_cause(news: ProviderNews, losses: Sequence[LostCallInfo], *, is_failed: bool) -> ProviderNews:
    causes = {family(loss.error_type) for loss in losses}
    is_one = len(causes) == 1 and "" not in causes
    if not is_one or (causes == {"provider.not_found"} and not is_failed):
        return news
    return news.model_copy(update={"cause": losses[-1].error_type, "message": losses[-1].message[:_LONGEST_MESSAGE]})


def family(error_type: str) -> str:
    """Return the cause of ``error_type``; empty for errors of single calls."""
    if error_type in AWAY:
        return "away"
    return error_type if error_type in EVERY_ROW else ""
