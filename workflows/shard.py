"""A shard: some instances of a study, run as child workflows within the permits of the budget, each counted once.

It loads a page of instances at a time, so that few inputs are in memory while they wait. A deliberation that failed for
want of credit, for a key or for settings is not counted: the shard reports it to the budget and runs it again once a
user has corrected that; its answers are in the journal, so no call of it is made or paid twice. An instance that lost
every call of a provider stays undecided until the budget, which sees the whole study, decides to retry or to count it.

The next run has no child workflows of the present one, so the shard continues as new only when none is in flight.
"""

import asyncio
from collections.abc import Coroutine
from typing import Any

from temporalio import workflow
from temporalio.exceptions import ApplicationError

from protocols.model_call import Spending
from protocols.study import budget, outcomes
from protocols.study.messages import (
    DeliberationOutcome,
    PermitRequest,
    Permits,
    Resolution,
    Settlement,
    ShardInput,
    ShardReport,
    UndecidedInstance,
)
from protocols.study.model import Amount, Counts, Instance, InstancesRequest, MissingInstance, add_counts
from protocols.study.outages import FailureCause
from protocols.study.outcomes import failure_cause, provider_news
from workflows.activity_calls import load_instances, record_lost
from workflows.child_start import is_reset
from workflows.child_workflows import MissingDeliberationError, run_deliberation, signal_if_running
from workflows.short_start import accepts_short_input

_PAGE = 25
_PERMITTED_FIRST, _BY_LEDGER = "permitted-first", "charged-by-ledger"
_LONGEST_MESSAGE = 200


@workflow.defn(name="Shard")
@accepts_short_input
class ShardWorkflow:
    """Some instances of one study."""

    @workflow.init
    def __init__(self, inp: ShardInput) -> None:
        self._inp = inp.model_copy(update={"again": inp.again or is_reset()})  # their answers are in the journal
        self._open = dict.fromkeys(inp.numbers)
        self._undecided = dict(inp.undecided)
        self._unloaded = [number for number in inp.numbers if number not in inp.undecided]
        self._loaded: dict[int, Instance] = {}
        self._asked = set(inp.asked)
        self._granted = list(inp.granted)
        self._in_flight: dict[int, asyncio.Task[None]] = {}
        self._charged = dict(inp.spent_before)
        self._tally, self._turns = inp.tally, dict(inp.turns)
        self._news = self._no_news()
        self._tasks: list[asyncio.Task[None]] = []
        self._is_loading = self._is_reporting = self._is_changed = False

    @workflow.run
    async def run(self, inp: ShardInput) -> Counts:  # noqa: ARG002 - __init__ has it already
        """Run all instances and return their counts.

        Raises:
            ApplicationError: the budget is gone.
        """
        try:
            await self._run_all()
        except asyncio.CancelledError:
            await self._cancel_all()
        await workflow.wait_condition(workflow.all_handlers_finished)
        return self._tally

    @workflow.query(description="The outcomes of those that have ended")
    def counts(self) -> Counts:
        """Return the counts so far."""
        return self._tally

    @workflow.signal(description="From the budget: the instances that may start")
    def permit(self, permits: Permits) -> None:
        """Start the permitted instances in the next iteration; a permit that arrives again gives nothing."""
        if self._is_again("permit", permits.turn):
            return
        had = {*self._granted, *self._in_flight, *self._undecided}
        self._granted += (number for number in permits.numbers if number in self._open and number not in had)
        self._is_changed = True

    @workflow.signal(description="From the budget: the fate of instances that lost every call of a provider")
    def resolve(self, resolution: Resolution) -> None:
        """Take up undecided instances again, or count them as they ended."""
        if self._is_again("resolve", resolution.turn):
            return
        for number in (number for number in resolution.counted if number in self._undecided):
            ended = self._undecided.pop(number)
            self._count(number, ended.tally, ended.cause)
        again = [number for number in resolution.again if self._undecided.pop(number, None)]
        self._asked.difference_update(again)
        self._unloaded = [*again, *self._unloaded]
        self._is_changed = True

    def _is_again(self, signal: str, turn: int) -> bool:
        """Return whether it has been here: an instance may have ended since then, and wait for another permit."""
        before = self._turns.get(signal, 0)
        self._turns[signal] = max(before, turn)
        return 0 < turn <= before

    async def _run_all(self) -> None:
        while True:
            self._raise_failures()
            if not self._open and not self._tasks and not self._has_news:
                return
            if workflow.info().is_continue_as_new_suggested() and self._open:
                if not self._tasks and not self._has_news and workflow.all_handlers_finished():
                    self._continue_as_new()
            else:
                self._begin()
                self._load()
            self._start_reporting()
            await workflow.wait_condition(lambda: self._is_changed or any(task.done() for task in self._tasks))
            self._is_changed = False

    def _raise_failures(self) -> None:
        for task in [one for one in self._tasks if one.done()]:
            self._tasks.remove(task)
            task.result()

    def _continue_as_new(self) -> None:
        order = sorted(self._open, key=lambda number: number not in self._asked)
        workflow.continue_as_new(
            self._inp.model_copy(
                update={
                    "numbers": tuple(order),
                    "tally": self._tally,
                    "spent_before": {number: self._charged[number] for number in order if number in self._charged},
                    "asked": tuple(number for number in order if number in self._asked),
                    "granted": tuple(self._granted),
                    "undecided": self._undecided,
                    "turns": self._turns,
                }
            )
        )

    def _begin(self) -> None:
        """Start the instances that are permitted and loaded."""
        for number in [number for number in self._granted if number in self._loaded]:
            self._granted.remove(number)
            self._in_flight[number] = self._spawn(self._run_instance(self._loaded.pop(number)))

    def _load(self) -> None:
        """Load the next page when fewer than a page wait for permits, or when one with a permit is not loaded."""
        # After a change of runs those that wait may fill the page, while others of the shard have all the permits.
        permitted = [] if self._is_loading else [number for number in self._granted if number in self._unloaded]
        is_urgent = bool(permitted) and workflow.patched(_PERMITTED_FIRST)
        if is_urgent:
            self._unloaded = [*dict.fromkeys((*permitted, *self._unloaded))]
        if self._unloaded and not self._is_loading and (is_urgent or len(self._loaded) < _PAGE):
            self._is_loading = True
            page, self._unloaded = tuple(self._unloaded[:_PAGE]), self._unloaded[_PAGE:]
            self._spawn(self._load_page(page))

    async def _load_page(self, numbers: tuple[int, ...]) -> None:
        brought = await load_instances(InstancesRequest(study=self._inp.study, numbers=numbers))
        for instance in brought.instances:
            self._loaded[instance.number] = instance
            if instance.number not in self._asked:
                self._ask_for(instance)
        self._is_loading = False

    def _ask_for(self, instance: Instance) -> None:
        """Request a permit; a retried instance reserves nothing for what it was already charged."""
        self._asked.add(instance.number)
        charged = self._charged.get(instance.number, instance.charged)
        wanted = PermitRequest.model_validate(instance, from_attributes=True).model_copy(update={"charged": charged})
        self._add_report(wanted=(wanted,))

    async def _run_instance(self, instance: Instance) -> None:
        is_repeated = self._inp.again or instance.number in self._charged
        try:
            study, priority = self._inp.study, self._inp.priority
            outcome, is_failed = await run_deliberation(study, instance, priority, again=is_repeated)
            charge = await self._charge(instance, outcome.spent)
        except MissingDeliberationError as none:
            self._lose(instance, none.entry, await self._charge(instance, None) if none.is_started else Amount())
        except asyncio.CancelledError:
            # Called off before it began, or when it had been cancelled: it is as open as before.
            del self._in_flight[instance.number]
        else:
            self._settle(instance, outcome, charge, is_failed=is_failed)

    async def _charge(self, instance: Instance, spent: Spending | None) -> Amount:
        """Return the charge of a deliberation; of one that reported nothing the ledger has at least its calls."""
        if spent is not None:
            return outcomes.amount_to_charge(instance.estimate, spent)
        if not workflow.patched(_BY_LEDGER):
            return instance.estimate
        found = await load_instances(InstancesRequest(study=self._inp.study, numbers=(instance.number,)))
        return outcomes.at_least(instance.estimate, found.instances[0].charged)

    def _settle(self, instance: Instance, outcome: DeliberationOutcome, charge: Amount, *, is_failed: bool) -> None:
        used = self._used(instance, charge)
        counted, number = outcomes.count_outcome(outcome, is_failed=is_failed), instance.number
        news = provider_news(outcome, number, is_failed=is_failed)
        trouble = outcomes.pause_reason(self._inp.study, outcome, is_failed=is_failed)
        has_verdict = not (is_failed or trouble or any(one.cause for one in news))
        settled = (outcomes.settlement(number, used, outcome, has_verdict=has_verdict),)
        del self._in_flight[number]
        if trouble:
            self._charged[number], self._loaded[number] = charge, instance
            self._add_report(settled=settled, trouble=trouble)
            self._ask_for(instance)
            return
        self._add_report(settled=settled, providers=news)
        cause = failure_cause(outcome) if is_failed else FailureCause()
        if any(one.cause for one in news):
            self._charged[number], self._undecided[number] = charge, UndecidedInstance(tally=counted, cause=cause)
        else:
            self._count(number, counted, cause)

    def _lose(self, instance: Instance, entry: MissingInstance, charge: Amount) -> None:
        used = self._used(instance, charge)
        self._spawn(record_lost(entry))
        del self._in_flight[instance.number]
        self._add_report(settled=(Settlement(number=instance.number, used=used),))
        cause = FailureCause(error_type=entry.error_type, message=entry.message[:_LONGEST_MESSAGE])
        self._count(instance.number, Counts(missing=1), cause)

    def _used(self, instance: Instance, charge: Amount) -> Amount:
        return budget.remaining(charge, self._charged.get(instance.number, instance.charged))

    def _count(self, number: int, counted: Counts, cause: FailureCause) -> None:
        """Count an instance as it ended; ``cause`` says why it failed, if it did."""
        del self._open[number]
        self._tally = add_counts(self._tally, counted)
        self._add_report(tally=counted, failures=(cause,) if counted.failed or counted.missing else ())

    def _no_news(self) -> ShardReport:
        return ShardReport(shard_id=workflow.info().workflow_id)

    @property
    def _has_news(self) -> bool:
        return self._news != self._no_news()

    def _add_report(self, *, tally: Counts | None = None, **more: Any) -> None:
        """Add to the next report to the budget."""
        news = self._news
        lists = ("wanted", "settled", "providers", "failures")
        added = {name: getattr(news, name) + more.get(name, ()) for name in lists}
        others = {"trouble": news.trouble or more.get("trouble"), "tally": add_counts(news.tally, tally or Counts())}
        self._news = news.model_copy(update={**added, **others})
        self._is_changed = True

    def _start_reporting(self) -> None:
        if self._has_news and not self._is_reporting:
            self._is_reporting = True
            self._spawn(self._send_reports())

    async def _send_reports(self) -> None:
        """Send reports to the budget, one at a time and in order."""
        while self._has_news:
            news, self._news = self._news, self._no_news()
            if not await signal_if_running(self._inp.budget_id, "report", news):
                message = f"the budget of the study {self._inp.study!r} has ended; continue it with: parley batch run"
                raise ApplicationError(message, type="study.budget_lost", non_retryable=True)
        self._is_reporting = False

    async def _cancel_all(self) -> None:
        """Cancel the instances in flight and wait for their end; waiting ones never start."""
        for task in list(self._in_flight.values()):
            task.cancel()
        await self._finish()
        for number, ended in self._undecided.items():
            self._count(number, ended.tally, ended.cause)
        self._news = self._news.model_copy(update={"is_leaving": True})
        self._start_reporting()
        await self._finish()

    async def _finish(self) -> None:
        """Wait for all tasks; a report that no longer arrives is no failure now."""
        while self._tasks:
            await workflow.wait(self._tasks)
            self._tasks = [task for task in self._tasks if not task.done()]

    def _spawn(self, work: Coroutine[Any, Any, None]) -> asyncio.Task[None]:
        task = asyncio.create_task(work)
        self._tasks.append(task)
        return task

    def current_details(self) -> str:
        """Return the details for the Web UI as Markdown."""
        counts, to_come = self._tally, len(self._open) - len(self._in_flight)
        return (
            f"### Shard {self._inp.number} of {self._inp.study}\n\n"
            f"{counts.completed} completed, {counts.failed} failed, {counts.missing} missing, "
            f"{len(self._in_flight)} in flight, {to_come} to come"
            + (f", {len(self._undecided)} of them undecided" if self._undecided else "")
        )
