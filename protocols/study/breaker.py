"""When a study pauses because a provider is away, when it tries the provider again, and when it goes on.

Two kinds of evidence pause it. Deliberations that ended: as many in a row as the terms say lost every call of one
provider for one cause; they are held again and not counted. Deliberations that run: while nothing ends, every one that
waits for the provider has only calls that failed because it is away.

While it is paused the running calls are tried again by Temporal and cost nothing. They are looked at with growing
pauses, and the first answer ends the outage. Where nothing runs that waits for the provider, one deliberation begins as
a trial.
"""

from collections.abc import Mapping, Sequence
from datetime import datetime, timedelta
from typing import Literal

from protocols.study import rules
from protocols.study.failure_share import add_endings
from protocols.study.model import Pause
from protocols.study.outages import (
    MOST_OUTAGES,
    CallSurvey,
    Outage,
    ProviderCalls,
    ProviderNews,
    ProviderWatch,
    Streak,
)
from protocols.study.provider_evidence import family
from protocols.study.talk import Exchange, PurseInput, Resolution

QUIET_SECONDS = 10.0
"""So long must nothing have ended before running deliberations are looked at."""
_LONGEST_QUIET = 60.0
_FIRST_CHECK = 5.0
_LONGEST_CHECK = 300.0
_LONG_OUTAGE = timedelta(hours=1)
_MOST_LOOKED_AT = 50
_MOST_LOST = 20

_EndedBy = Literal["answers", "person", "other"]

_LOOK = "It is looked at again at {at} UTC, and the study goes on by itself when it answers"
_REMEDIES: Mapping[str, str] = {
    "provider.not_found": "Check the models of the panel with parley doctor",
    "provider.auth": "Put the key right in the worker's environment and restart the worker",
    "provider.payment_required": "Add credit at the provider",
    "provider.quota_exhausted": "Wait until the quota is renewed, or raise it",
}
_LONG_REMEDY = (
    "It is away for more than an hour: check base_url, key and network with parley doctor. "
    "parley batch cancel {study} ends the study and keeps what it has"
)


def take_exchange(state: PurseInput, exchange: Exchange, now: datetime) -> PurseInput:
    """Return the purse after a shard reported; see ``rules.taken`` for everything but the providers."""
    state = add_endings(rules.taken(state, exchange), exchange)
    if exchange.is_leaving:
        state = _without_shard(state, exchange.shard_id)
    for one in exchange.providers:
        state = _take_loss(state, exchange.shard_id, one, now) if one.cause else _take_answer(state, one, now)
    if exchange.settled and away_provider(state) is None:
        return _watched(state, check_at=now + timedelta(seconds=QUIET_SECONDS), check_pause=QUIET_SECONDS)
    return state


def away_provider(state: PurseInput) -> str | None:
    """Return the provider for which the study is paused, if it is."""
    return state.pause.provider if state.pause is not None and state.pause.cause == "provider" else None


def is_watched(state: PurseInput) -> bool:
    """Return whether running deliberations are to be looked at from time to time."""
    return away_provider(state) is not None or (state.pause is None and rules.flying(state) > 0)


def numbers_to_survey(state: PurseInput) -> tuple[int, ...]:
    """Return the running instances that are looked at: those that began first."""
    return tuple(number for amounts in state.reserved.values() for number in amounts)[:_MOST_LOOKED_AT]


def take_survey(state: PurseInput, survey: CallSurvey | None, now: datetime) -> PurseInput:
    """Return the purse after a look at the running deliberations; ``None`` when the look failed."""
    provider = away_provider(state)
    if provider is None:
        return _take_quiet_survey(state, survey or CallSurvey(), now)
    state = _checked(state, now)
    if survey is None:
        return state
    line = next((one for one in survey.providers if one.provider == provider), None)
    is_failing = line is not None and bool(line.stuck) and line.answering == 0
    state = _watched(state, stuck=line.stuck if line else ())
    if not is_failing and (state.watch.has_answer or (line is not None and line.answering > 0)):
        return _end_outage(state, now, "answers")
    if line is None and not _is_running(state, state.watch.trial):
        return _watched(state, is_trial_due=True)
    return state


def grant_trial(state: PurseInput) -> tuple[PurseInput, dict[str, tuple[int, ...]]]:
    """Give one deliberation leave to begin although the study is paused, when a trial is due and it fits."""
    if not state.watch.is_trial_due or away_provider(state) is None or not state.queue:
        return state, {}
    place = next((n for n, (_, wanted) in enumerate(state.queue) if wanted.number in state.watch.lost), 0)
    shard, wanted = state.queue[place]
    reserved = rules.plus(state.used, rules.reserved(state), wanted.estimate)
    if rules.flying(state) >= state.terms.window or not rules.fits(state.terms.cap, reserved):
        return state, {}
    amounts = {**state.reserved.get(shard, {}), wanted.number: wanted.estimate}
    state = state.model_copy(
        update={
            "queue": (*state.queue[:place], *state.queue[place + 1 :]),
            "reserved": {**state.reserved, shard: amounts},
        }
    )
    outage = state.watch.outages[-1]
    state = _with_outage(state, outage.model_copy(update={"trials": outage.trials + 1}))
    return _watched(state, is_trial_due=False, trial=(shard, wanted.number)), {shard: (wanted.number,)}


def end_turn(state: PurseInput, now: datetime) -> tuple[PurseInput, dict[str, Resolution]]:
    """Return the purse at the end of a turn, and what becomes of undecided instances, by shard.

    An outage whose pause was lifted or replaced is over. When nothing runs and nothing waits, no deliberation can end a
    streak any more: its instances are counted as they ended.
    """
    outages = state.watch.outages
    if outages and outages[-1].until is None and away_provider(state) != outages[-1].provider:
        state = _closed(state, now, "person" if state.pause is None or state.pause.cause == "person" else "other")
    if not state.queue and not rules.flying(state) and away_provider(state) is None:
        for provider in state.watch.streaks:
            state = _broken(state, provider)
    if not is_watched(state):
        state = _watched(state, check_at=None)
    elif state.watch.check_at is None:
        state = _watched(state, check_at=now + timedelta(seconds=QUIET_SECONDS), check_pause=QUIET_SECONDS)
    return state.model_copy(update={"resolutions": {}}), state.resolutions


def end_purse(state: PurseInput, now: datetime) -> PurseInput:
    """Return the purse at its end: an outage that lasts is over for it, and the next purse finds out anew."""
    return _end_outage(state, now, "other") if away_provider(state) is not None else state


def _take_loss(state: PurseInput, shard: str, news: ProviderNews, now: datetime) -> PurseInput:
    streak = state.watch.streaks.get(news.provider)
    if streak is None or family(streak.cause) != family(news.cause):
        state = _broken(state, news.provider)
        streak = Streak(cause=news.cause, message=news.message, since=now)
    undecided = (*streak.undecided, (shard, news.number)) if news.is_undecided else streak.undecided
    streak = streak.model_copy(update={"length": streak.length + 1, "undecided": undecided})
    is_away = away_provider(state) == news.provider
    if not is_away and streak.length < state.terms.pause_after_losses:
        return _with_streak(state, news.provider, streak)
    state = _with_streak(state, news.provider, streak.model_copy(update={"undecided": ()}))
    if not is_away and (state.pause is None or state.pause.cause == "budget"):
        outage = Outage(provider=news.provider, cause=news.cause, message=news.message, since=streak.since)
        state = _begin_outage(state, outage, now)
    return _hold_again(state, news.provider, undecided)


def _take_answer(state: PurseInput, news: ProviderNews, now: datetime) -> PurseInput:
    state = _broken(state, news.provider)
    if away_provider(state) != news.provider:
        return state
    trial = state.watch.trial
    if news.number in state.watch.stuck or (trial is not None and trial[1] == news.number):
        return _end_outage(state, now, "answers")
    # It may have been answered before the outage: whether others still wait is looked at first.
    return _watched(state, has_answer=True, check_at=now)


def _hold_again(state: PurseInput, provider: str, undecided: Sequence[tuple[str, int]]) -> PurseInput:
    for shard, number in undecided:
        before = state.resolutions.get(shard, Resolution())
        state = _resolved(state, shard, before.model_copy(update={"again": (*before.again, number)}))
    if away_provider(state) != provider:
        return state
    outage = state.watch.outages[-1]
    state = _with_outage(state, outage.model_copy(update={"held_again": outage.held_again + len(undecided)}))
    return _watched(state, lost=(*state.watch.lost, *(number for _, number in undecided))[-_MOST_LOST:])


def _broken(state: PurseInput, provider: str) -> PurseInput:
    """Return the purse without the provider's streak: its undecided instances are counted as they ended."""
    streaks = dict(state.watch.streaks)
    streak = streaks.pop(provider, None)
    for shard, number in streak.undecided if streak else ():
        before = state.resolutions.get(shard, Resolution())
        state = _resolved(state, shard, before.model_copy(update={"counted": (*before.counted, number)}))
    return _watched(state, streaks=streaks) if streak else state


def _without_shard(state: PurseInput, shard: str) -> PurseInput:
    """Return the purse without the undecided instances of a shard that was called off; it counts them itself."""
    streaks = {
        name: one.model_copy(update={"undecided": tuple(entry for entry in one.undecided if entry[0] != shard)})
        for name, one in state.watch.streaks.items()
    }
    return _watched(state, streaks=streaks)


def _take_quiet_survey(state: PurseInput, survey: CallSurvey, now: datetime) -> PurseInput:
    pause = min(_LONGEST_QUIET, max(QUIET_SECONDS, 2 * state.watch.check_pause))
    state = _watched(state, check_at=now + timedelta(seconds=pause), check_pause=pause)
    needed = min(state.terms.pause_after_losses, rules.flying(state))
    away = [
        line for line in survey.providers if line.answering == 0 and len(line.stuck) == line.deliberations >= needed > 0
    ]
    if state.pause is not None or not away:
        return state
    worst: ProviderCalls = max(away, key=lambda line: line.deliberations)
    outage = Outage(
        provider=worst.provider, cause=worst.cause, message=worst.message, since=min(worst.since or now, now)
    )
    return _watched(_begin_outage(state, outage, now), stuck=worst.stuck)


def _begin_outage(state: PurseInput, outage: Outage, now: datetime) -> PurseInput:
    pause = Pause(cause="provider", provider=outage.provider, reason=" ")
    outages = (*state.watch.outages, outage)[-MOST_OUTAGES:]
    watch = ProviderWatch(streaks=state.watch.streaks, outages=outages)
    return _rescheduled(state.model_copy(update={"pause": pause, "watch": watch}), now, _FIRST_CHECK)


def _checked(state: PurseInput, now: datetime) -> PurseInput:
    outage = state.watch.outages[-1]
    state = _with_outage(state, outage.model_copy(update={"checks": outage.checks + 1}))
    return _rescheduled(state, now, min(_LONGEST_CHECK, 2 * state.watch.check_pause))


def _rescheduled(state: PurseInput, now: datetime, pause: float) -> PurseInput:
    """Return the purse with the next check ``pause`` seconds from now, and with a reason that says so."""
    check_at = now + timedelta(seconds=pause)
    outage, study = state.watch.outages[-1], state.study
    parts = [
        f"{outage.provider} gives no answers since {outage.since:%H:%M:%S} UTC ({outage.message.rstrip('. ')})",
        _LOOK.format(at=f"{check_at:%H:%M:%S}"),
        _REMEDIES.get(outage.cause, ""),
        _LONG_REMEDY.format(study=study) if now - outage.since > _LONG_OUTAGE else "",
        f"To go on at once: parley batch resume {study}",
    ]
    paused = Pause(cause="provider", provider=outage.provider, reason=". ".join(filter(None, parts)))
    state = state.model_copy(update={"pause": paused})
    return _watched(state, check_at=check_at, check_pause=pause)


def _end_outage(state: PurseInput, now: datetime, ended_by: _EndedBy) -> PurseInput:
    return _closed(state.model_copy(update={"pause": None}), now, ended_by)


def _closed(state: PurseInput, now: datetime, ended_by: _EndedBy) -> PurseInput:
    """Return the purse with its last outage over and its streak forgotten."""
    outage = state.watch.outages[-1].model_copy(update={"until": now, "ended_by": ended_by})
    state = _with_outage(_broken(state, outage.provider), outage)
    watch = ProviderWatch(
        streaks=state.watch.streaks,
        outages=state.watch.outages,
        check_at=now + timedelta(seconds=QUIET_SECONDS),
        check_pause=QUIET_SECONDS,
    )
    return state.model_copy(update={"watch": watch})


def _is_running(state: PurseInput, one: tuple[str, int] | None) -> bool:
    return one is not None and one[1] in state.reserved.get(one[0], {})


def _with_streak(state: PurseInput, provider: str, streak: Streak) -> PurseInput:
    return _watched(state, streaks={**state.watch.streaks, provider: streak})


def _with_outage(state: PurseInput, outage: Outage) -> PurseInput:
    return _watched(state, outages=(*state.watch.outages[:-1], outage))


def _resolved(state: PurseInput, shard: str, resolution: Resolution) -> PurseInput:
    return state.model_copy(update={"resolutions": {**state.resolutions, shard: resolution}})


def _watched(state: PurseInput, **changes: object) -> PurseInput:
    return state.model_copy(update={"watch": state.watch.model_copy(update=changes)})
