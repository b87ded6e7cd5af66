"""The steps into and out of a pause for a provider, and the decisions about deliberations that it hit."""

from collections.abc import Mapping, Sequence
from datetime import datetime, timedelta
from typing import Literal

from protocols.study.messages import BudgetInput, Resolution
from protocols.study.model import PauseReason
from protocols.study.outages import MOST_OUTAGES, Outage, ProviderWatch, Streak

QUIET_SECONDS = 10.0
"""So long must nothing have ended before running deliberations are looked at."""
_FIRST_CHECK = 5.0
_LONGEST_CHECK = 300.0
_MOST_LOST = 20

_EndedBy = Literal["answers", "person", "other"]

_LOOK = "It is checked again at {at} UTC, and the study continues when it answers"
_REMEDIES: Mapping[str, str] = {
    "provider.not_found": "Check the models of the panel with parley doctor",
    "provider.auth": "Correct the key in the worker's environment and restart the worker",
    "provider.payment_required": "Add credit at the provider",
    "provider.quota_exhausted": "Wait until the quota is renewed, or raise it",
}
_LONG_REMEDY = (
    "It is away for more than an hour: check base_url, key and network with parley doctor. "
    "parley batch cancel {study} ends the study and keeps what it has"
)


def away_provider(state: BudgetInput) -> str | None:
    """Return the provider for which the study is paused, if it is."""
    return state.pause.provider if state.pause is not None and state.pause.cause == "provider" else None


def begin_outage(state: BudgetInput, outage: Outage, now: datetime) -> BudgetInput:
    """Return the budget paused for a provider; deliberations hit by the beginning of the outage run again."""
    pause = PauseReason(cause="provider", provider=outage.provider, reason=" ")
    # A call may have waited since an earlier outage; this one began later.
    ended = [one.until for one in state.watch.outages if one.provider == outage.provider and one.until is not None]
    outage = outage.model_copy(update={"since": max([outage.since, *ended])})
    outages = (*state.watch.outages, outage)[-MOST_OUTAGES:]
    watch = ProviderWatch(streaks=state.watch.streaks, partial=state.watch.partial, outages=outages)
    state = _rescheduled(state.model_copy(update={"pause": pause, "watch": watch}), now, _FIRST_CHECK)
    return with_partial(hold_again(state, outage.provider, watch.partial.get(outage.provider, ())), outage.provider, ())


def note_check(state: BudgetInput, now: datetime) -> BudgetInput:
    """Return the budget after one more check of the provider, with the next one later."""
    outage = state.watch.outages[-1]
    state = with_outage(state, outage.model_copy(update={"checks": outage.checks + 1}))
    return _rescheduled(state, now, min(_LONGEST_CHECK, 2 * state.watch.check_pause))


def _rescheduled(state: BudgetInput, now: datetime, pause: float) -> BudgetInput:
    """Return the budget with the next check ``pause`` seconds from now, and a reason that names the time."""
    check_at = now + timedelta(seconds=pause)
    outage, study = state.watch.outages[-1], state.study
    parts = [
        f"{outage.provider} has given no answer since {outage.since:%H:%M:%S} UTC ({outage.message.rstrip('. ')})",
        _LOOK.format(at=f"{check_at:%H:%M:%S}"),
        _REMEDIES.get(outage.cause, ""),
        _LONG_REMEDY.format(study=study) if now - outage.since > timedelta(hours=1) else "",
        f"Resume it at once with: parley batch resume {study}",
    ]
    paused = PauseReason(cause="provider", provider=outage.provider, reason=". ".join(filter(None, parts)))
    state = state.model_copy(update={"pause": paused})
    return watched(state, check_at=check_at, check_pause=pause)


def end_outage(state: BudgetInput, now: datetime, ended_by: _EndedBy) -> BudgetInput:
    """Return the budget without the pause for a provider."""
    return close_outage(state.model_copy(update={"pause": None}), now, ended_by)


def close_outage(state: BudgetInput, now: datetime, ended_by: _EndedBy) -> BudgetInput:
    """Return the budget with its last outage closed and its streak forgotten."""
    outage = state.watch.outages[-1].model_copy(update={"until": now, "ended_by": ended_by})
    state = with_outage(without_streak(state, outage.provider), outage)
    watch = ProviderWatch(
        streaks=state.watch.streaks,
        partial=state.watch.partial,
        outages=state.watch.outages,
        check_at=now + timedelta(seconds=QUIET_SECONDS),
        check_pause=QUIET_SECONDS,
    )
    return state.model_copy(update={"watch": watch})


def hold_again(state: BudgetInput, provider: str, undecided: Sequence[tuple[str, int]]) -> BudgetInput:
    """Return the budget with these undecided instances to run again, counted to the outage."""
    state = _resolved(state, undecided, "again")
    if away_provider(state) != provider:
        return state
    outage = state.watch.outages[-1]
    state = with_outage(state, outage.model_copy(update={"reruns": outage.reruns + len(undecided)}))
    return watched(state, lost=(*state.watch.lost, *(number for _, number in undecided))[-_MOST_LOST:])


def without_streak(state: BudgetInput, provider: str) -> BudgetInput:
    """Return the budget without the provider's streak: its undecided instances are counted as they ended."""
    streaks = dict(state.watch.streaks)
    streak = streaks.pop(provider, None)
    undecided = (*state.watch.partial.get(provider, ()), *(streak.undecided if streak else ()))
    return with_partial(watched(count_undecided(state, undecided), streaks=streaks), provider, ())


def count_undecided(state: BudgetInput, undecided: Sequence[tuple[str, int]]) -> BudgetInput:
    """Return the budget with these undecided instances counted as they ended."""
    return _resolved(state, undecided, "counted")


def with_streak(state: BudgetInput, provider: str, streak: Streak) -> BudgetInput:
    """Return the budget with this streak of losses of a provider."""
    return watched(state, streaks={**state.watch.streaks, provider: streak})


def with_partial(state: BudgetInput, provider: str, undecided: tuple[tuple[str, int], ...]) -> BudgetInput:
    """Return the budget with these instances that a provider answered in part."""
    others = {name: entries for name, entries in state.watch.partial.items() if name != provider}
    return watched(state, partial={**others, provider: undecided} if undecided else others)


def with_outage(state: BudgetInput, outage: Outage) -> BudgetInput:
    """Return the budget with its latest outage replaced."""
    return watched(state, outages=(*state.watch.outages[:-1], outage))


def _resolved(
    state: BudgetInput, undecided: Sequence[tuple[str, int]], fate: Literal["again", "counted"]
) -> BudgetInput:
    resolutions = dict(state.resolutions)
    for shard, number in undecided:
        before = resolutions.get(shard, Resolution())
        resolutions[shard] = before.model_copy(update={fate: (*getattr(before, fate), number)})
    return state.model_copy(update={"resolutions": resolutions})


def watched(state: BudgetInput, **changes: object) -> BudgetInput:
    """Return the budget with other values in its watch over the providers."""
    return state.model_copy(update={"watch": state.watch.model_copy(update=changes)})
