"""The purse of a study: who may begin a deliberation, within the window and the budget.

What a deliberation is likely to take is reserved before it begins and settled when it has ended, in one place for all
workers, so the cap holds whatever crashes. It waits for nothing but signals, takes everything that came in the
meantime in one turn, and answers each shard once a turn.
"""

import asyncio
from datetime import datetime, timedelta
from typing import NamedTuple

from temporalio import workflow

from protocols.study import breaker, budget
from protocols.study.messages import BudgetInput, BudgetStatus, Permits, RunChange, ShardReport
from protocols.study.outages import CallSurvey, SurveyRequest
from workflows.activity_calls import survey_calls
from workflows.child_workflows import signal_if_running
from workflows.short_start import accepts_short_input

_SOONEST = 2
_LATEST = 60
_AT_EACH_PACE = 20
"""The batch is told every two seconds at first and ever more seldom, down to once a minute: each time is history."""


class _Survey(NamedTuple):
    """A look at the running deliberations, queued like a signal; ``None`` when nobody could look."""

    found: CallSurvey | None


@workflow.defn(name="Purse")
@accepts_short_input
class BudgetWorkflow:
    """The one owner of leave to begin in a study."""

    @workflow.init
    def __init__(self, inp: BudgetInput) -> None:
        self._state = inp
        self._inbox: list[ShardReport | RunChange | _Survey] = []
        self._is_closing = self._is_over = False
        self._told: BudgetStatus | None = None
        self._times_told = 0
        self._is_telling = False

    @workflow.run
    async def run(self, inp: BudgetInput) -> BudgetStatus:  # noqa: ARG002 - __init__ has it already
        """Give leave until it is closed; its standing at the end."""
        telling = asyncio.create_task(self._keep_the_batch_told())
        watching = asyncio.create_task(self._watch_providers())
        while self._inbox or not self._is_closing:
            await workflow.wait_condition(lambda: bool(self._inbox) or self._is_closing)
            await self._take_turn()
            if workflow.info().is_continue_as_new_suggested() and self._is_at_rest:
                workflow.continue_as_new(self._state)
        # A signal that is cancelled in the moment in which it arrives would end twice, so nothing is cancelled here.
        self._is_over = True
        await asyncio.gather(telling, watching)
        self._state = breaker.end_run(self._state, workflow.now())
        return budget.budget_status(self._state)

    @workflow.query(description="What is used and reserved, who runs, who waits, and why nothing begins")
    def state(self) -> BudgetStatus:
        """How it stands."""
        return budget.budget_status(self._state)

    @workflow.signal(description="From a shard: what it settles, and for whom it wants leave to begin")
    def exchange(self, told: ShardReport) -> None:
        """Taken up in the next turn."""
        self._inbox.append(told)

    @workflow.signal(description="From the batch: what a person changed")
    def order(self, told: RunChange) -> None:
        """Obeyed in the next turn."""
        self._inbox.append(told)

    @workflow.signal(description="From the batch: all shards have ended")
    def close(self) -> None:
        """End as soon as everything that came is taken up."""
        self._is_closing = True

    @property
    def _is_at_rest(self) -> bool:
        """Whether nothing is left to take up and nobody is being told anything, so that nothing can be lost.

        A signal may be here and its handler not have run: it is waited for as well.
        """
        is_heard = workflow.all_handlers_finished() and not self._inbox
        return is_heard and not self._is_telling and not self._is_closing

    async def _take_turn(self) -> None:
        """Take up everything that came and give leave; what comes meanwhile waits for the next turn."""
        came, self._inbox = self._inbox, []
        now = workflow.now()
        for told in came:
            self._take_up(told, now)
        self._state, leave = budget.issue_permits(self._state)
        self._state, trial = breaker.permit_trial(self._state)
        self._state, resolutions = breaker.end_turn(self._state, now)
        # A shard that is gone takes its leave with it: the batch has noticed and ends as well.
        words = [
            signal_if_running(shard, "granted", Permits(numbers=numbers))
            for shard, numbers in {**leave, **trial}.items()
        ]
        words += [signal_if_running(shard, "resolve", resolution) for shard, resolution in resolutions.items()]
        await asyncio.shield(asyncio.gather(*words))

    def _take_up(self, told: ShardReport | RunChange | _Survey, now: datetime) -> None:
        match told:
            case RunChange():
                self._state = budget.apply_change(self._state, told)
            case ShardReport():
                self._state = breaker.take_report(self._state, told, now)
            case _Survey():
                self._state = breaker.take_survey(self._state, told.found, now)

    async def _watch_providers(self) -> None:
        """Look at the running deliberations whenever a look is due, and queue what was seen for the next turn."""
        while True:
            await workflow.wait_condition(lambda: self._is_over or self._next_check is not None)
            check_at = self._next_check
            if self._is_over or check_at is None:
                return
            if not await self._is_due(check_at):
                continue
            numbers = breaker.numbers_to_survey(self._state)
            found = await survey_calls(SurveyRequest(study=self._state.study, numbers=numbers)) if numbers else None
            self._inbox.append(_Survey(found if numbers else CallSurvey()))
            await self._taken_up(check_at)

    async def _is_due(self, check_at: datetime) -> bool:
        """Wait until ``check_at``; whether a look is still due then. One that is due earlier ends the waiting."""

        def is_earlier() -> bool:
            return self._is_over or (self._next_check is not None and self._next_check < check_at)

        wait = check_at - workflow.now()
        if wait > timedelta():
            try:
                await workflow.wait_condition(is_earlier, timeout=wait)
            except TimeoutError:
                return self._next_check == check_at
            return False
        return True

    async def _taken_up(self, check_at: datetime) -> None:
        """Wait until the look that was due at ``check_at`` is taken up: it sets the time of the next one."""
        await workflow.wait_condition(lambda: self._is_over or self._next_check != check_at)

    @property
    def _next_check(self) -> datetime | None:
        return self._state.watch.check_at if breaker.is_watched(self._state) else None

    async def _keep_the_batch_told(self) -> None:
        while True:
            await workflow.wait_condition(lambda: self._is_over or budget.budget_status(self._state) != self._told)
            if self._is_over:
                return
            await self._tell()
            pace = min(_LATEST, _SOONEST * (1 + self._times_told // _AT_EACH_PACE))
            try:
                await workflow.wait_condition(self._is_urgent, timeout=timedelta(seconds=pace))
            except TimeoutError:
                continue

    async def _tell(self) -> None:
        self._told, self._is_telling = budget.budget_status(self._state), True
        self._times_told += 1
        await signal_if_running(self._state.batch_id, "stand", self._told)
        self._is_telling = False

    def _is_urgent(self) -> bool:
        now, told = budget.budget_status(self._state), self._told
        return self._is_over or told is None or (now.pause, now.orders) != (told.pause, told.orders)
