"""What one deliberation says about its providers: who answered, and who lost every call for one cause."""

import pytest

from activities.retry_posture import POSTURES
from protocols.model_call import ModelId, Spending
from protocols.study.messages import DeliberationOutcome, LostCallInfo
from protocols.study.outcomes import AWAY, family, provider_news


def outcome(
    *lost: tuple[str, str], answered: dict[str, int] | None = None, stop_reason: str = "x"
) -> DeliberationOutcome:
    """A result with calls lost, each given by its provider and its type of error."""
    failed = tuple(
        LostCallInfo(model=ModelId(f"{name}:m"), error_type=cause, message=f"{cause}.") for name, cause in lost
    )
    return DeliberationOutcome(stop_reason=stop_reason, failed=failed, spent=Spending(answered=answered or {}))


def causes(told: DeliberationOutcome, *, is_failed: bool = True) -> dict[str, str]:
    """By provider, the cause that ``told`` names."""
    return {one.provider: one.cause for one in provider_news(told, 7, is_failed=is_failed)}


@pytest.mark.parametrize("error_type", ["provider.gateway", "provider.auth", "provider.not_found"])
def test_every_call_of_a_provider_for_one_cause(error_type: str) -> None:
    """Its provider is named with the cause, others that answered without one."""
    told = outcome(("a", error_type), ("a", error_type), answered={"b": 1})

    assert {"a": error_type, "b": ""} == causes(told)


def test_an_outage_has_many_faces() -> None:
    """Pages, redirects and broken connections of one night are one cause."""
    assert {"a": "provider.transport"} == causes(outcome(("a", "provider.gateway"), ("a", "provider.transport")))


@pytest.mark.parametrize(
    ("lost", "answered"),
    [
        ((("a", "provider.auth"),), {"a": 1}),
        ((("a", "provider.gateway"), ("a", "provider.auth")), {}),
        ((("a", "provider.rate_limited"),), {}),
        ((("a", "provider.gateway"), ("a", "provider.rate_limited")), {}),
        ((("a", "provider.moderated"),), {}),
        ((("a", "provider.bad_request"),), {}),
        ((("a", "reply.refused"),), {}),
    ],
)
def test_less_than_that_is_no_outage(lost: tuple[tuple[str, str], ...], answered: dict[str, int]) -> None:
    """One answer, two causes, a rate limit, or a refusal of this very request: the provider is there."""
    assert {"a": ""} == causes(outcome(*lost, answered=answered))


def test_a_provider_that_answered_in_part_is_marked() -> None:
    """Its answers may have come before it went away, or after."""
    (news,) = provider_news(
        outcome(("a", "provider.gateway"), ("a", "provider.not_found"), answered={"a": 2}), 7, is_failed=False
    )

    assert ("provider.gateway", True, True) == (news.cause, news.is_partial, news.is_undecided)


def test_a_model_that_is_gone_counts_only_without_a_verdict() -> None:
    """A panel continues without it; a deliberation that failed for it states that the next one will, too."""
    told = outcome(("a", "provider.not_found"), answered={"b": 2})

    assert {"a": "", "b": ""} == causes(told, is_failed=False)
    assert {"a": "provider.not_found", "b": ""} == causes(told)


def test_a_cancelled_deliberation_states_nothing() -> None:
    """A user ended it, whatever was lost before."""
    assert {} == causes(outcome(("a", "provider.gateway"), stop_reason="cancelled"))


def test_an_instance_is_undecided_once() -> None:
    """Where two providers are lost, one of them decides about the instance."""
    news = provider_news(outcome(("a", "provider.gateway"), ("b", "provider.tls")), 7, is_failed=True)

    assert [("a", True), ("b", False)] == [(one.provider, one.is_undecided) for one in news]


def test_what_is_away_is_tried_again_by_the_calls() -> None:
    """Every type of error that states that a provider is away is known, and worth another try."""
    assert all(POSTURES[name].attempts != 1 for name in AWAY)
    assert "" == family("provider.rate_limited")
