"""When a study pauses for a provider, what happens to the losses, when it looks again, and how the pause ends."""

from datetime import UTC, datetime, timedelta
from typing import Any

from protocols.study import breaker, budget
from protocols.study.messages import BudgetInput, PermitRequest, Resolution, RunChange, Settlement, ShardReport
from protocols.study.model import Amount, Budget, PauseReason, RunSettings
from protocols.study.outage_pause import away_provider
from protocols.study.outages import CallSurvey, ProviderCalls, ProviderNews

NOON = datetime(2026, 6, 1, 12, tzinfo=UTC)
PERSON = PauseReason(cause="person", reason="lunch")
COST = Amount(usd=1, tokens=10)


def budget_input(**changes: Any) -> BudgetInput:
    """A budget with eight places that pauses after three losses; ten deliberations run and wait."""
    terms = RunSettings(window=8, pause_after_losses=3)
    state = BudgetInput(study="s", batch_id="s", batch_run="run", terms=terms, **changes)
    wanted = tuple(PermitRequest(number=number, estimate=COST) for number in range(10))
    state, _ = budget.issue_permits(budget.apply_report(state, ShardReport(shard_id="a", wanted=wanted)))
    return state


def at(seconds: float) -> datetime:
    """So many seconds after noon."""
    return NOON + timedelta(seconds=seconds)


def ended(number: int, cause: str = "", provider: str = "lab") -> ShardReport:
    """A deliberation that ended: its provider answered, or it lost every call of it for ``cause``."""
    news = ProviderNews(provider=provider, cause=cause, message="page", number=number, is_undecided=bool(cause))
    return ShardReport(shard_id="a", settled=(Settlement(number=number, used=COST),), providers=(news,))


def after(state: BudgetInput, *told: ShardReport, seconds: float = 1) -> tuple[BudgetInput, dict[str, Resolution]]:
    """The budget after one turn with these reports of a shard."""
    for one in told:
        state = breaker.take_report(state, one, at(seconds))
    return breaker.end_turn(state, at(seconds))


def paused(*numbers: int) -> BudgetInput:
    """A budget that is paused because these deliberations were lost."""
    return after(budget_input(), *(ended(number, "provider.gateway") for number in numbers or (0, 1, 2)))[0]


def waiting(
    *stuck: int, others: int = 0, answering: int = 0, provider: str = "lab", failed_at: datetime | None = None
) -> CallSurvey:
    """Running deliberations that wait for one provider."""
    line = ProviderCalls(
        provider=provider,
        deliberations=len(stuck) + others,
        stuck=stuck,
        answering=answering,
        cause="provider.unavailable",
        message="503",
        since=NOON,
        failed_at=failed_at,
    )
    return CallSurvey(providers=(line,))


def test_losses_in_a_row_pause() -> None:
    """The third loss pauses; all three run again, and the reason says who, since when, and what to do."""
    state, resolved = after(budget_input(), *(ended(number, "provider.gateway") for number in range(3)))

    assert {"a": Resolution(again=(0, 1, 2))} == resolved
    assert state.pause is not None
    assert ("provider", "lab") == (state.pause.cause, state.pause.provider)
    assert "lab has given no answer since 12:00:01 UTC (page)" in state.pause.reason
    assert "at 12:00:06 UTC" in state.pause.reason
    assert "parley batch resume s" in state.pause.reason
    assert (3, None) == (state.watch.outages[-1].reruns, state.watch.outages[-1].until)


def test_an_answer_ends_the_row() -> None:
    """Losses before an answer are counted as they ended, and the row begins anew."""
    lost = [ended(number, "provider.gateway") for number in range(4)]
    state, resolved = after(budget_input(), *lost[:2], ended(7), *lost[2:])

    assert {"a": Resolution(counted=(0, 1))} == resolved
    assert (None, 2) == (state.pause, state.watch.streaks["lab"].length)


def test_another_cause_begins_a_row_of_its_own() -> None:
    """A refused key is no page of a gateway; the faces of an outage are one cause."""
    state, resolved = after(
        budget_input(), ended(0, "provider.gateway"), ended(1, "provider.transport"), ended(2, "provider.auth")
    )

    assert {"a": Resolution(counted=(0, 1))} == resolved
    assert ("provider.auth", 1) == (state.watch.streaks["lab"].cause, state.watch.streaks["lab"].length)


def test_providers_have_rows_of_their_own() -> None:
    """The answers of one say nothing about the other."""
    state, _ = after(
        budget_input(),
        *(one for n in range(3) for one in (ended(n, "provider.gateway"), ended(n + 4, provider="other"))),
    )

    assert "lab" == away_provider(state)


def test_later_losses_are_held_again_at_once() -> None:
    """While the study is paused for a provider, whatever was in flight joins the first losses."""
    state, resolved = after(paused(), ended(4, "provider.tls"), seconds=2)

    assert {"a": Resolution(again=(4,))} == resolved
    assert 4 == state.watch.outages[-1].reruns


def partly(number: int) -> ShardReport:
    """A deliberation of which the provider answered a part, and was away for another."""
    told = ended(number, "provider.gateway")
    return told.model_copy(update={"providers": (told.providers[0].model_copy(update={"is_partial": True}),)})


def test_what_the_beginning_of_an_outage_hits_is_held_again() -> None:
    """Deliberations that had answers before count as no loss, but when the study pauses they run again as well."""
    hit = (partly(5), ended(0, "provider.gateway"), partly(6))
    state, early = after(budget_input(), *hit)
    state, resolved = after(state, *(ended(number, "provider.gateway") for number in (1, 2)), partly(7), seconds=2)

    assert {} == early
    assert {0, 1, 2, 5, 6, 7} == set(resolved["a"].again)
    assert 6 == state.watch.outages[-1].reruns


def test_without_an_outage_it_is_counted() -> None:
    """The next deliberation that the provider answers wholly decides."""
    state, resolved = after(budget_input(), partly(5), ended(6))

    assert ({"a": Resolution(counted=(5,))}, {}) == (resolved, state.watch.partial)


def test_no_more_of_them_wait_than_a_window() -> None:
    """Where every deliberation loses one call, all but the latest are counted; at the end the rest are, too."""
    # One waits, so that something can follow: else all would be counted at once, and no window would be seen.
    state = budget_input().model_copy(update={"queue": (("a", PermitRequest(number=10, estimate=COST)),)})
    state, resolved = after(state, *(partly(number) for number in range(10)))
    state, rest = after(state.model_copy(update={"queue": (), "reserved": {}}), seconds=2)

    assert {"a": Resolution(counted=(0, 1))} == resolved
    assert {"a": Resolution(counted=tuple(range(2, 10)))} == rest


def test_running_deliberations_that_wait_hold_them_again_too() -> None:
    """Whatever evidence begins the outage."""
    state, _ = after(budget_input(), partly(0))
    _, resolved = breaker.end_turn(breaker.take_survey(state, waiting(*range(1, 8)), at(12)), at(12))

    assert {"a": Resolution(again=(0,))} == resolved


def test_nothing_is_undecided_when_nothing_can_follow() -> None:
    """When nothing runs and nothing waits, too short a row is counted as it ended."""
    state = budget_input().model_copy(update={"queue": (), "reserved": {}})
    state, resolved = after(state, ended(0, "provider.gateway"))

    assert {"a": Resolution(counted=(0,))} == resolved
    assert not state.watch.streaks


def test_a_shard_that_leaves_counts_its_own() -> None:
    """The budget forgets what it had not decided of a shard that was called off."""
    state, _ = after(budget_input(), ended(0, "provider.gateway"))
    state, resolved = after(state, ShardReport(shard_id="a", is_leaving=True), ended(1), seconds=2)

    assert {} == resolved


def test_running_deliberations_that_all_wait_pause() -> None:
    """Nothing has ended for a while and each of them waits for the provider: it pauses with what their calls say."""
    state = breaker.take_survey(budget_input(), waiting(*range(8)), at(12))
    (outage,) = state.watch.outages

    assert "lab" == away_provider(state)
    assert (NOON, "provider.unavailable", 0) == (outage.since, outage.cause, outage.reruns)


def test_one_that_is_answered_keeps_the_study_running() -> None:
    """A provider that answers one is not away; neither is one for which fewer wait than a row is long."""
    assert breaker.take_survey(budget_input(), waiting(1, 2, 3, answering=1), at(12)).pause is None
    assert breaker.take_survey(budget_input(), waiting(1, 2, 3, others=1), at(12)).pause is None
    assert breaker.take_survey(budget_input(), waiting(1, 2), at(12)).pause is None
    assert breaker.take_survey(budget_input(), waiting(1, 2, 3), at(12)).pause is not None


def test_quiet_looks_grow_apart() -> None:
    """A study of long deliberations is looked at after ten seconds, and then ever more seldom, once a minute."""
    state, pauses = after(budget_input(), ended(0))[0], list[float]()
    for _ in range(5):
        state = breaker.take_survey(state, CallSurvey(), at(12))
        pauses.append(state.watch.check_pause)

    assert [20, 40, 60, 60, 60] == pauses


def test_a_paused_study_is_looked_at_more_and_more_seldom() -> None:
    """From five seconds to five minutes, however long the provider is away; after an hour the remedy is added."""
    state, now, pauses = breaker.take_survey(budget_input(), waiting(*range(8)), at(12)), 12.0, list[float]()
    for _ in range(20):
        now += state.watch.check_pause
        pauses.append(state.watch.check_pause)
        state = breaker.take_survey(state, waiting(*range(8)), at(now))

    assert [5, 10, 20, 40, 80, 160, 300, 300] == pauses[:8]
    assert 20 == state.watch.outages[-1].checks
    assert state.pause is not None
    assert "parley batch cancel s" in state.pause.reason


def test_a_look_that_failed_is_no_evidence() -> None:
    """The pause stays and the next look comes later."""
    state = breaker.take_survey(paused(), None, at(6))

    assert ("lab", 10, False) == (away_provider(state), state.watch.check_pause, state.watch.is_trial_due)


def test_the_first_answer_to_one_that_waited_ends_the_pause() -> None:
    """It had failed before, so its answer is new."""
    state = breaker.take_survey(budget_input(), waiting(*range(8)), at(12))
    state, _ = after(state, ended(3), seconds=40)
    (outage,) = state.watch.outages

    assert (None, "answers", at(40)) == (state.pause, outage.ended_by, outage.until)


def test_an_outage_begins_after_the_one_before() -> None:
    """A call that still waits since an outage that has ended is no sign that the next one began then."""
    state = breaker.take_survey(budget_input(), waiting(*range(8)), at(12))
    state, _ = after(state, ended(3), seconds=40)
    state = breaker.take_survey(state, waiting(*range(4, 9)), at(60))

    assert [NOON, at(40)] == [outage.since for outage in state.watch.outages]


def test_calls_that_failed_before_an_outage_ended_begin_no_other() -> None:
    """They wait for their next try, and nothing has failed since; one failure after it is the next outage."""
    state = breaker.take_survey(budget_input(), waiting(*range(8)), at(12))
    state, _ = after(state, ended(3), seconds=40)
    waits = breaker.take_survey(state, waiting(*range(4, 9), failed_at=at(39)), at(60))
    fails = breaker.take_survey(waits, waiting(*range(4, 9), failed_at=at(61)), at(80))

    assert (None, 20) == (waits.pause, waits.watch.check_pause)
    assert ("lab", at(40)) == (away_provider(fails), fails.watch.outages[-1].since)


def test_an_answer_of_before_ends_nothing() -> None:
    """A deliberation that did not wait may have been answered before the outage; a trial finds out."""
    state = breaker.take_survey(budget_input(), waiting(*range(3, 8)), at(12))
    state, _ = after(state, ended(1), seconds=13)
    none_waits = breaker.take_survey(state, CallSurvey(), at(17))

    assert "lab" == away_provider(state)
    assert none_waits.watch.is_trial_due


def test_an_answer_on_its_way_ends_the_pause() -> None:
    """A call that is receiving text is an answer."""
    state = breaker.take_survey(paused(), waiting(3, answering=1), at(6))

    assert state.pause is None


def test_where_nothing_waits_one_begins_as_a_trial() -> None:
    """It is one of those that were lost, one at a time, and it fits into the budget."""
    state = paused()
    again = ShardReport(shard_id="a", wanted=(PermitRequest(number=1, estimate=COST),))
    state, _ = after(breaker.take_survey(state, CallSurvey(), at(6)), again, seconds=6)
    state, leave = breaker.permit_trial(state)
    later, _ = breaker.permit_trial(breaker.take_survey(state, CallSurvey(), at(16)))

    assert {"a": (1,)} == leave
    assert (1, 1) == (state.watch.outages[-1].trials, later.watch.outages[-1].trials)


def test_a_trial_that_is_lost_is_followed_by_another() -> None:
    """It runs again like the first ones; the next trial comes after a longer pause."""
    again = ShardReport(shard_id="a", wanted=(PermitRequest(number=1, estimate=COST),))
    state, _ = after(breaker.take_survey(paused(), CallSurvey(), at(6)), again, seconds=6)
    state, _ = breaker.permit_trial(state)
    state, resolved = after(state, ended(1, "provider.gateway"), seconds=7)
    due = breaker.take_survey(state, CallSurvey(), at(16))
    answered, _ = after(state, ended(1), seconds=7)

    assert {"a": Resolution(again=(1,))} == resolved
    assert due.watch.is_trial_due
    assert answered.pause is None


def test_a_trial_stays_within_the_budget() -> None:
    """A cap is a cap, also for one deliberation."""
    state = paused()
    terms = state.terms.model_copy(update={"cap": Budget(usd=3)})
    state = breaker.take_survey(state.model_copy(update={"terms": terms}), CallSurvey(), at(6))

    assert {} == breaker.permit_trial(state)[1]


def test_a_person_resumes_at_any_time() -> None:
    """The outage is closed, everything may begin, and the next row must be long enough again."""
    state, _ = breaker.end_turn(budget.apply_change(paused(), RunChange(number=1, resume=True)), at(9))
    state, _ = after(state, ended(4, "provider.gateway"), seconds=10)

    assert ("person", at(9)) == (state.watch.outages[-1].ended_by, state.watch.outages[-1].until)
    assert (None, 1) == (state.pause, state.watch.streaks["lab"].length)


def test_a_person_s_pause_and_a_graver_cause_take_its_place() -> None:
    """Neither of them ends by itself."""
    credit = PauseReason(cause="credit", reason="no credit")
    by_person, _ = breaker.end_turn(budget.apply_change(paused(), RunChange(number=1, pause=PERSON)), at(9))
    troubled, _ = after(paused(), ShardReport(shard_id="a", trouble=credit), seconds=9)
    answered, _ = after(by_person, ended(4), seconds=12)

    assert (PERSON, credit, PERSON) == (by_person.pause, troubled.pause, answered.pause)
    assert ("person", "other") == (by_person.watch.outages[-1].ended_by, troubled.watch.outages[-1].ended_by)


def test_losses_while_a_person_paused_are_held_again() -> None:
    """The study stays paused by the person, and nothing counts as failed."""
    in_flight = {number: PermitRequest(number=number, estimate=COST) for number in range(4)}
    state, resolved = after(
        budget_input(pause=PERSON).model_copy(update={"reserved": {"a": in_flight}}),
        *(ended(number, "provider.gateway") for number in range(3)),
    )

    assert (PERSON, {"a": Resolution(again=(0, 1, 2))}) == (state.pause, resolved)


def test_a_budget_that_ends_leaves_no_outage_open() -> None:
    """The next budget finds out for itself."""
    state = breaker.end_run(paused(), at(30))

    assert (None, "other", at(30)) == (state.pause, state.watch.outages[-1].ended_by, state.watch.outages[-1].until)


def test_only_the_latest_outages_are_kept() -> None:
    """A bad month does not grow a history."""
    state = budget_input()
    for second in range(30):
        state = breaker.take_survey(state, waiting(*range(8)), at(second))
        state, _ = after(state, ended(3), seconds=second + 0.5)

    assert (10, at(29.5)) == (len(state.watch.outages), state.watch.outages[-1].until)
