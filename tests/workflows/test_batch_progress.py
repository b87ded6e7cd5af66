"""What the Web UI shows of a batch that waits for a provider, or of which too many deliberations fail."""

from datetime import UTC, datetime

from protocols.study.model import Amount, BatchState, Counts, PauseReason, RunSettings
from protocols.study.outages import FailureCause, FailureJump, Outage
from workflows.batch_progress import columns, render
from workflows.search_attributes import COST_USD

NIGHT = datetime(2026, 6, 1, 2, 14, 5, tzinfo=UTC)


def state(**changes: object) -> BatchState:
    """A batch that is half way."""
    given = {
        "study": "small",
        "phase": "running",
        "instances": 4,
        "in_flight": 1,
        "shards": 1,
        "shards_done": 0,
        "tally": Counts(completed=2),
        "terms": RunSettings(),
    }
    return BatchState.model_validate({**given, **changes})


def words(shown: str) -> str:
    """The text without the line breaks of the panel."""
    return " ".join(shown.split())


def test_a_pause_for_a_provider_states_so() -> None:
    """The phase names the cause, the reason is first, and every past outage with its times below."""
    pause = PauseReason(cause="provider", provider="lab", reason="lab has given no answer since 02:14:05 UTC")
    before = Outage(provider="lab", cause="provider.tls", message="no name", since=NIGHT, until=NIGHT)
    lasting = Outage(provider="lab", cause="provider.gateway", message="a page", since=NIGHT)
    shown = words(render(state(phase="paused", pause=pause, outages=(before, lasting)), "A study"))

    assert "Batch small: paused (provider)" in shown
    assert shown.index("lab has given no answer since 02:14:05 UTC") < shown.index("2 of 4 (50%)")
    assert "paused for lab, 2026-06-01 02:14:05 to 02:14:05 UTC (provider.tls: no name)" in shown
    assert 1 == shown.count("paused for lab")


def test_a_jump_of_failures_is_a_warning() -> None:
    """It is above the figures."""
    cause = FailureCause(error_type="provider.x", message="odd")
    jump = FailureJump(failed=10, of=50, failed_before=2, of_before=200, cause=cause, remedy="look")
    shown = words(render(state(failure_jump=jump), "A study"))

    assert shown.index("### Warning") < shown.index("10 of the last 50 deliberations failed") < shown.index("2 of 4")


def test_an_unknown_cost_of_a_batch_is_not_zero() -> None:
    """Where the cost of no call is known there are no dollars, neither in the details nor in the column of the list."""
    used = Amount(tokens=900)
    unpriced = state(used=used, tally=Counts(completed=2, calls=8, calls_of_unknown_cost=8))
    priced = state(used=used, tally=Counts(completed=2, calls=8, calls_of_unknown_cost=7))

    assert "900 tokens, cost unknown" in render(unpriced, "A study")
    assert "900 tokens, $0.0000" in render(priced, "A study")
    costs = [[one.value for one in columns(which, "A study") if one.key == COST_USD] for which in (unpriced, priced)]
    assert [[], [0.0]] == costs


def test_a_quiet_batch_shows_neither() -> None:
    """Nothing is warned of, and no outage is spoken of."""
    shown = render(state(), "A study")

    assert "Warning" not in shown
    assert "paused for" not in shown
