"""The budget of a study: permits to start deliberations, within the window and the limits.

The estimate of a deliberation is reserved before it starts and settled when it has ended, in one place for all workers,
so the limit is kept after any crash. The workflow waits for signals, processes all that arrived in one iteration, and
answers the shards once per iteration, by an activity.
"""

import asyncio
from datetime import datetime, timedelta
from typing import NamedTuple

from temporalio import workflow

from protocols.study import breaker, budget
from protocols.study.messages import BudgetInput, BudgetStatus, Permits, RunChange, ShardReport, ShardSignals
from protocols.study.model import PauseReason
from protocols.study.outages import CallSurvey, SurveyRequest
from workflows.activity_calls import signal_shards, survey_calls
from workflows.child_workflows import signal_if_running
from workflows.short_start import accepts_short_input

_SOONEST = 2
_LATEST = 60
_AT_EACH_PACE = 20
"""The batch gets a status every two seconds at first and ever more seldom, down to once a minute: each is history."""
_MOST_EVENTS = 500
"""The server suggests to continue as new after thousands; a run is replayed whole, and nothing starts meanwhile."""


class _Survey(NamedTuple):
    """A survey of the running deliberations, queued like a signal; ``None`` when it failed."""

    found: CallSurvey | None


@workflow.defn(name="Budget")
@accepts_short_input
class BudgetWorkflow:
    """The one place that issues permits in a study."""

    @workflow.init
    def __init__(self, inp: BudgetInput) -> None:
        self._state = inp
        self._queue: list[ShardReport | RunChange | _Survey] = []
        self._is_closing = self._is_over = False
        self._sent: BudgetStatus | None = None
        self._times_sent = inp.statuses
        self._is_sending = self._is_surveying = False
        self._tasks: list[asyncio.Task[None]] = []

    @workflow.run
    async def run(self, inp: BudgetInput) -> BudgetStatus:  # noqa: ARG002 - __init__ has it already
        """Issue permits until it is closed, and return the final status."""
        self._start_tasks()
        while self._queue or not self._is_closing:
            await workflow.wait_condition(lambda: bool(self._queue) or self._is_closing)
            await self._process_queue()
            if self._is_idle:
                await self._continue_as_new_if_long()
        await self._end_tasks()
        self._state = breaker.end_run(self._state, workflow.now())
        return budget.budget_status(self._state)

    @workflow.query(description="What is used and reserved, what runs and waits, and the reason of a pause")
    def state(self) -> BudgetStatus:
        """Return the status."""
        return budget.budget_status(self._state)

    @workflow.signal(description="From a shard: instances that ended, and requests for permits")
    def report(self, report: ShardReport) -> None:
        """Queue the report; it is processed in the next iteration."""
        self._queue.append(report)

    @workflow.signal(description="From the batch: a user's change of budget, window or pause")
    def change(self, change: RunChange) -> None:
        """Queue the change; it is processed in the next iteration."""
        self._queue.append(change)

    @workflow.signal(description="From the batch: all shards have ended")
    def close(self) -> None:
        """End as soon as the queue is empty."""
        self._is_closing = True

    def _start_tasks(self) -> None:
        self._is_over = False
        self._tasks = [asyncio.create_task(self._report_status()), asyncio.create_task(self._watch_providers())]

    async def _end_tasks(self) -> None:
        # A signal that is cancelled in the moment in which it arrives would end twice, so nothing is cancelled here.
        self._is_over = True
        await asyncio.gather(*self._tasks)

    async def _continue_as_new_if_long(self) -> None:
        """Continue as new with no timer left: the server refuses when something has happened since it was asked.

        The SDK replays a run that was refused from its beginning.
        """
        info = workflow.info()
        is_suggested = info.is_continue_as_new_suggested()
        if not (is_suggested or info.get_current_history_length() >= _MOST_EVENTS):
            return
        if workflow.patched("short-runs"):
            if self._is_surveying:
                return
            await self._end_tasks()
            if not self._is_idle:
                self._start_tasks()
                return
        elif not is_suggested:
            return
        workflow.continue_as_new(self._state.model_copy(update={"statuses": self._times_sent}))

    @property
    def _is_idle(self) -> bool:
        """True when the queue is empty and no signal is being sent, so that nothing can be lost.

        A signal may be here and its handler not have run: it is waited for as well.
        """
        is_empty = workflow.all_handlers_finished() and not self._queue
        return is_empty and not self._is_sending and not self._is_closing

    async def _process_queue(self) -> None:
        """Process the queue and issue permits; later arrivals wait for the next iteration."""
        arrived, self._queue = self._queue, []
        now = workflow.now()
        for message in arrived:
            self._apply(message, now)
        self._state, permits = budget.issue_permits(self._state)
        self._state, trial = breaker.permit_trial(self._state)
        self._state, resolutions = breaker.end_turn(self._state, now)
        # A shard that is gone needs no permits: the batch has noticed and ends as well.
        # After a reset the shards have had later turns than the state knows; none was later than now.
        turn = max(self._state.turns + 1, int(now.timestamp() * 1000))
        given = {shard: Permits(numbers=numbers, turn=turn) for shard, numbers in {**permits, **trial}.items()}
        resolutions = {shard: one.model_copy(update={"turn": turn}) for shard, one in resolutions.items()}
        if not given and not resolutions:
            return
        self._state = self._state.model_copy(update={"turns": turn})
        if workflow.patched("signals-by-activity"):
            await asyncio.shield(signal_shards(ShardSignals(permits=given, resolutions=resolutions)))
            return
        signals = [signal_if_running(shard, "permit", permit) for shard, permit in given.items()]
        signals += [signal_if_running(shard, "resolve", resolution) for shard, resolution in resolutions.items()]
        await asyncio.shield(asyncio.gather(*signals))

    def _apply(self, message: ShardReport | RunChange | _Survey, now: datetime) -> None:
        match message:
            case RunChange():
                self._state = budget.apply_change(self._state, message)
            case ShardReport():
                self._state = breaker.take_report(self._state, message, now)
            case _Survey():
                self._state = breaker.take_survey(self._state, message.found, now)

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
            self._is_surveying = True
            found = await survey_calls(SurveyRequest(study=self._state.study, numbers=numbers)) if numbers else None
            self._is_surveying = False
            self._queue.append(_Survey(found if numbers else CallSurvey()))
            await self._survey_applied(check_at)

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

    async def _survey_applied(self, check_at: datetime) -> None:
        """Wait until the look that was due at ``check_at`` is taken up: it sets the time of the next one."""
        await workflow.wait_condition(lambda: self._is_over or self._next_check != check_at)

    @property
    def _next_check(self) -> datetime | None:
        return self._state.watch.check_at if breaker.is_watched(self._state) else None

    async def _report_status(self) -> None:
        while True:
            await workflow.wait_condition(lambda: self._is_over or budget.budget_status(self._state) != self._sent)
            if self._is_over:
                return
            await self._send_status()
            pace = min(_LATEST, _SOONEST * (1 + self._times_sent // _AT_EACH_PACE))
            try:
                await workflow.wait_condition(self._is_urgent, timeout=timedelta(seconds=pace))
            except TimeoutError:
                continue

    async def _send_status(self) -> None:
        self._sent, self._is_sending = budget.budget_status(self._state), True
        self._times_sent += 1
        await signal_if_running(self._state.batch_id, "budget_status", self._sent)
        self._is_sending = False

    def _is_urgent(self) -> bool:
        # Asked in every turn of the workflow: a whole status would sum what all deliberations in flight reserve.
        now, sent = self._state, self._sent
        return self._is_over or sent is None or (_cause(now.pause), now.orders) != (_cause(sent.pause), sent.orders)


def _cause(pause: PauseReason | None) -> str | None:
    return pause.cause if pause else None
