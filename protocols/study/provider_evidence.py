"""Evidence in a deliberation's result about its providers: answers, or calls lost by one cause."""

from collections.abc import Sequence

from protocols.panel import provider_of
from protocols.study.messages import DeliberationOutcome, LostCallInfo
from protocols.study.outages import ProviderNews

AWAY = frozenset(
    {
        *("provider.unavailable", "provider.transport", "provider.gateway", "provider.redirect", "provider.tls"),
        *("provider.stalled", "provider.bad_response", "provider.empty", "worker.timeout"),
    }
)
"""Types of error that mean that the provider as a whole is unavailable; together they are one cause."""

_EVERY_ROW = frozenset({"provider.auth", "provider.payment_required", "provider.quota_exhausted", "provider.not_found"})
"""Types of error that the next deliberation would meet as well; each is a cause of its own."""

_LONGEST = 200


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
    return news.model_copy(update={"cause": losses[-1].error_type, "message": losses[-1].message[:_LONGEST]})


def family(error_type: str) -> str:
    """Return the cause of ``error_type``; empty for errors of single calls."""
    if error_type in AWAY:
        return "away"
    return error_type if error_type in _EVERY_ROW else ""
