"""Pausing a study for a provider that is away, checking the provider, and resuming.

Two kinds of evidence pause it. Deliberations that ended: as many in a row as the terms say lost every call of one
provider for one cause; they are run again and not counted. Deliberations that run: while nothing ends, every one that
waits for the provider has only calls that failed because it is away.

While it is paused the running calls are tried again by Temporal and cost nothing. They are looked at with growing
pauses, and the first answer ends the outage. Where nothing runs that waits for the provider, one deliberation begins as
a trial.
"""

from datetime import datetime, timedelta

from protocols.study import budget
from protocols.study.messages import BudgetInput, Resolution, ShardReport
from protocols.study.model import sum_amounts
from protocols.study.outage_pause import (
    QUIET_SECONDS,
    away_provider,
    begin_outage,
    close_outage,
    count_undecided,
    end_outage,
    hold_again,
    note_check,
    watched,
    with_outage,
    with_partial,
    with_streak,
    without_streak,
)
from protocols.study.outages import CallSurvey, Outage, ProviderCalls, ProviderNews, Streak
from protocols.study.outcomes import family

_LONGEST_QUIET = 60.0
_MOST_LOOKED_AT = 50
_MOST_STUCK = 200


def take_report(state: BudgetInput, exchange: ShardReport, now: datetime) -> BudgetInput:
    """Return the budget after a shard's report; see ``budget.apply_report`` for everything but the providers."""
    state = budget.apply_report(state, exchange)
    if exchange.is_leaving:
        state = _without_shard(state, exchange.shard_id)
    for one in exchange.providers:
        state = _take_loss(state, exchange.shard_id, one, now) if one.cause else _take_answer(state, one, now)
    if exchange.settled and away_provider(state) is None:
        return watched(state, check_at=now + timedelta(seconds=QUIET_SECONDS), check_pause=QUIET_SECONDS)
    return state


def is_watched(state: BudgetInput) -> bool:
    """Return whether running deliberations are to be looked at from time to time."""
    return away_provider(state) is not None or (state.pause is None and budget.count_in_flight(state) > 0)


def numbers_to_survey(state: BudgetInput) -> tuple[int, ...]:
    """Return the running instances to look at: the earliest first."""
    return tuple(number for wanted in state.reserved.values() for number in wanted)[:_MOST_LOOKED_AT]


def take_survey(state: BudgetInput, survey: CallSurvey | None, now: datetime) -> BudgetInput:
    """Return the budget after a look at the running deliberations; ``None`` when the look failed."""
    provider = away_provider(state)
    if provider is None:
        return _take_quiet_survey(state, survey or CallSurvey(), now)
    state = note_check(state, now)
    if survey is None:
        return state
    line = next((one for one in survey.providers if one.provider == provider), None)
    is_failing = line is not None and bool(line.stuck) and line.answering == 0
    state = watched(
        state, stuck=tuple(dict.fromkeys((*state.watch.stuck, *(line.stuck if line else ()))))[-_MOST_STUCK:]
    )
    if not is_failing and line is not None and line.answering > 0:
        return end_outage(state, now, "answers")
    trial = state.watch.trial
    if line is None and not (trial and trial[1] in state.reserved.get(trial[0], {})):
        return watched(state, is_trial_due=True)
    return state


def permit_trial(state: BudgetInput) -> tuple[BudgetInput, dict[str, tuple[int, ...]]]:
    """Give one deliberation leave to begin although the study is paused, when a trial is due and it fits."""
    if not state.watch.is_trial_due or away_provider(state) is None or not state.queue:
        return state, {}
    place = next((n for n, (_, wanted) in enumerate(state.queue) if wanted.number in state.watch.lost), 0)
    shard, wanted = state.queue[place]
    reserved = sum_amounts(state.used, budget.reservations(state).total_with(wanted))
    if budget.count_in_flight(state) >= state.terms.window or not budget.fits_budget(state.terms.cap, reserved):
        return state, {}
    permits = {**state.reserved.get(shard, {}), wanted.number: wanted}
    state = state.model_copy(
        update={
            "queue": (*state.queue[:place], *state.queue[place + 1 :]),
            "reserved": {**state.reserved, shard: permits},
        }
    )
    outage = state.watch.outages[-1]
    state = with_outage(state, outage.model_copy(update={"trials": outage.trials + 1}))
    return watched(state, is_trial_due=False, trial=(shard, wanted.number)), {shard: (wanted.number,)}


def end_turn(state: BudgetInput, now: datetime) -> tuple[BudgetInput, dict[str, Resolution]]:
    """Return the budget at the end of an iteration, and the decisions about undecided instances by shard.

    An outage whose pause was lifted or replaced has ended. When no deliberation runs or waits, none can end a
    streak any more: its instances are counted as they ended.
    """
    outages = state.watch.outages
    if outages and outages[-1].until is None and away_provider(state) != outages[-1].provider:
        state = close_outage(state, now, "person" if state.pause is None or state.pause.cause == "person" else "other")
    if not state.queue and not budget.count_in_flight(state) and away_provider(state) is None:
        for provider in {**state.watch.streaks, **state.watch.partial}:
            state = without_streak(state, provider)
    if not is_watched(state):
        state = watched(state, check_at=None)
    elif state.watch.check_at is None:
        state = watched(state, check_at=now + timedelta(seconds=QUIET_SECONDS), check_pause=QUIET_SECONDS)
    return state.model_copy(update={"resolutions": {}}), state.resolutions


def end_run(state: BudgetInput, now: datetime) -> BudgetInput:
    """Return the budget at its end, with an outage that lasts closed: the next budget notices it anew."""
    return end_outage(state, now, "other") if away_provider(state) is not None else state


def _take_loss(state: BudgetInput, shard: str, news: ProviderNews, now: datetime) -> BudgetInput:
    if news.is_partial:
        return _take_partial_loss(state, shard, news) if news.is_undecided else state
    streak = state.watch.streaks.get(news.provider)
    if streak is None or family(streak.cause) != family(news.cause):
        state = count_undecided(state, streak.undecided if streak else ())
        streak = Streak(cause=news.cause, message=news.message, since=now)
    undecided = (*streak.undecided, (shard, news.number)) if news.is_undecided else streak.undecided
    streak = streak.model_copy(update={"length": streak.length + 1, "undecided": undecided})
    is_away = away_provider(state) == news.provider
    if not is_away and streak.length < state.terms.pause_after_losses:
        return with_streak(state, news.provider, streak)
    state = with_streak(state, news.provider, streak.model_copy(update={"undecided": ()}))
    if not is_away and (state.pause is None or state.pause.cause == "budget"):
        outage = Outage(provider=news.provider, cause=news.cause, message=news.message, since=streak.since)
        state = begin_outage(state, outage, now)
    undecided = (*state.watch.partial.get(news.provider, ()), *undecided)
    return hold_again(with_partial(state, news.provider, ()), news.provider, undecided)


def _take_partial_loss(state: BudgetInput, shard: str, news: ProviderNews) -> BudgetInput:
    """Return the budget with one more deliberation that may have been hit by the beginning of an outage.

    As many can be hit as are in flight: of more, the earliest are counted as they ended.
    """
    entry = (shard, news.number)
    if away_provider(state) == news.provider:
        return hold_again(state, news.provider, (entry,))
    kept = (*state.watch.partial.get(news.provider, ()), entry)
    most = state.terms.window
    return with_partial(count_undecided(state, kept[:-most]), news.provider, kept[-most:])


def _take_answer(state: BudgetInput, news: ProviderNews, now: datetime) -> BudgetInput:
    if away_provider(state) != news.provider:
        return without_streak(state, news.provider)
    trial = state.watch.trial
    is_new = news.number in state.watch.stuck or (trial is not None and trial[1] == news.number)
    # Any other deliberation may have been answered before the outage, and says nothing.
    return end_outage(state, now, "answers") if is_new else state


def _without_shard(state: BudgetInput, shard: str) -> BudgetInput:
    """Return the budget without the undecided instances of a cancelled shard, which counts them itself."""
    streaks = {
        name: one.model_copy(update={"undecided": tuple(entry for entry in one.undecided if entry[0] != shard)})
        for name, one in state.watch.streaks.items()
    }
    partial = {
        name: tuple(entry for entry in entries if entry[0] != shard) for name, entries in state.watch.partial.items()
    }
    return watched(state, streaks=streaks, partial=partial)


def _take_quiet_survey(state: BudgetInput, survey: CallSurvey, now: datetime) -> BudgetInput:
    pause = min(_LONGEST_QUIET, max(QUIET_SECONDS, 2 * state.watch.check_pause))
    state = watched(state, check_at=now + timedelta(seconds=pause), check_pause=pause)
    needed = min(state.terms.pause_after_losses, budget.count_in_flight(state))
    ended = {one.provider: one.until for one in state.watch.outages if one.until is not None}
    away = [
        line
        for line in survey.providers
        if line.answering == 0 and len(line.stuck) == line.deliberations >= needed > 0
        # A call that failed in an earlier outage and was not tried since says nothing of the provider now.
        if line.provider not in ended or (line.failed_at or now) > ended[line.provider]
    ]
    if state.pause is not None or not away:
        return state
    worst: ProviderCalls = max(away, key=lambda line: line.deliberations)
    outage = Outage(
        provider=worst.provider, cause=worst.cause, message=worst.message, since=min(worst.since or now, now)
    )
    return watched(begin_outage(state, outage, now), stuck=worst.stuck)
