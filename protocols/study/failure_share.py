"""Warning when far more of the latest deliberations failed than before, with cause and remedy."""

from collections import Counter
from collections.abc import Mapping

from protocols.study.messages import BudgetInput, DeliberationOutcome, ShardReport
from protocols.study.outages import FailureCause, FailureJump

RECENT = 50
"""The latest deliberations that are compared with all before."""
_FEWEST_FAILURES = 5
_FEWEST_BEFORE = 20
"""Of fewer deliberations no share is known; their failures do not raise the bar."""
_JUMP = 0.1
"""By so much the share must have grown."""
_LONGEST = 200

_UNKNOWN = FailureCause(error_type="unknown")

_REMEDIES: Mapping[str, str] = {
    "provider.not_found": "the provider does not serve the model: check the panel with parley doctor",
    "provider.rate_limited": "the provider's limit is lower than the study's pace: lower it with parley limits or a "
    "smaller parley batch window",
    "provider.stalled": "the provider accepts calls and sends nothing: try a smaller parley batch window",
    "provider.timeout": "answers take longer than a call may take: choose faster models or allow more time",
    "provider.bad_request": "the provider refuses the request: look at the message, and at the length of these rows",
    "provider.too_large": "the answers are larger than any real one: look at the provider's address",
    "provider.moderated": "the provider refuses these questions: look at the rows",
    "reply.refused": "the models refuse these questions: look at the rows",
    "reply.truncated": "the answers are cut: allow more tokens",
}
_ANY_OTHER = "look at the message; run the failed ones again with parley batch retry when the cause is gone"


def failure_cause(outcome: DeliberationOutcome) -> FailureCause:
    """Return the commonest reason for which a failed deliberation lost its calls."""
    counted = Counter(loss.error_type for loss in outcome.failed)
    if not counted:
        return FailureCause(error_type=f"stopped: {outcome.stop_reason}"[:_LONGEST])
    ((commonest, _),) = counted.most_common(1)
    message = next(loss.message for loss in outcome.failed if loss.error_type == commonest)
    return FailureCause(error_type=commonest, message=message[:_LONGEST])


def add_endings(state: BudgetInput, exchange: ShardReport) -> BudgetInput:
    """Return the budget with the deliberations of ``exchange`` among its latest ones."""
    tally = exchange.tally
    unexplained = max(0, tally.failed + tally.missing - len(exchange.failures))
    ended = (*[FailureCause()] * tally.completed, *[_UNKNOWN] * unexplained, *exchange.failures)
    return state.model_copy(update={"recent": (*state.recent, *ended)[-RECENT:]}) if ended else state


def failure_jump(state: BudgetInput) -> FailureJump | None:
    """Return what is to be warned of, or ``None`` when failures are as frequent as before."""
    failures = [one for one in state.recent if one.error_type]
    of_before = state.tally.ended - len(state.recent)
    failed_before = state.tally.failed + state.tally.missing - len(failures)
    share_before = failed_before / of_before if of_before >= _FEWEST_BEFORE else 0.0
    if len(failures) < _FEWEST_FAILURES or len(failures) / len(state.recent) < share_before + _JUMP:
        return None
    ((commonest, _),) = Counter(one.error_type for one in failures).most_common(1)
    return FailureJump(
        failed=len(failures),
        of=len(state.recent),
        failed_before=failed_before,
        of_before=of_before,
        cause=next(one for one in reversed(failures) if one.error_type == commonest),
        remedy=_REMEDIES.get(commonest, _ANY_OTHER),
    )
