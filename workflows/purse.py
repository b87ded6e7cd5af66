"""The purse of a study: who may begin a deliberation, within the window and the budget.

What a deliberation is likely to take is reserved before it begins and settled when it has ended, in one place for all
workers, so the cap holds whatever crashes. It waits for nothing but signals, takes everything that came in the
meantime in one turn, and answers each shard once a turn.
"""

import asyncio
from datetime import timedelta

from temporalio import workflow

from protocols.study import rules
from protocols.study.talk import Exchange, Grants, Order, PurseInput, PurseStanding
from workflows.children import say
from workflows.starting import startable_by_hand

_SOONEST = 2
_LATEST = 60
_AT_EACH_PACE = 20
"""The batch is told every two seconds at first and ever more seldom, down to once a minute: each time is history."""


@workflow.defn(name="Purse")
@startable_by_hand
class PurseWorkflow:
    """The one owner of leave to begin in a study."""

    @workflow.init
    def __init__(self, inp: PurseInput) -> None:
        self._state = inp
        self._inbox: list[Exchange | Order] = []
        self._is_closing = self._is_over = False
        self._told: PurseStanding | None = None
        self._times_told = 0
        self._is_telling = False

    @workflow.run
    async def run(self, inp: PurseInput) -> PurseStanding:  # noqa: ARG002 - __init__ has it already
        """Give leave until it is closed; its standing at the end."""
        telling = asyncio.create_task(self._keep_the_batch_told())
        while self._inbox or not self._is_closing:
            await workflow.wait_condition(lambda: bool(self._inbox) or self._is_closing)
            await self._take_turn()
            if workflow.info().is_continue_as_new_suggested() and self._is_at_rest:
                workflow.continue_as_new(self._state)
        # A signal that is cancelled in the moment in which it arrives would end twice, so nothing is cancelled here.
        self._is_over = True
        await telling
        return rules.standing(self._state)

    @workflow.query(description="What is used and reserved, who runs, who waits, and why nothing begins")
    def state(self) -> PurseStanding:
        """How it stands."""
        return rules.standing(self._state)

    @workflow.signal(description="From a shard: what it settles, and for whom it wants leave to begin")
    def exchange(self, told: Exchange) -> None:
        """Taken up in the next turn."""
        self._inbox.append(told)

    @workflow.signal(description="From the batch: what a person changed")
    def order(self, told: Order) -> None:
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
        for told in came:
            if isinstance(told, Order):
                self._state = rules.obeyed(self._state, told)
            else:
                self._state = rules.taken(self._state, told)
        self._state, leave = rules.granted(self._state)
        # A shard that is gone takes its leave with it: the batch has noticed and ends as well.
        words = (say(shard, "granted", Grants(numbers=numbers)) for shard, numbers in leave.items())
        await asyncio.shield(asyncio.gather(*words))

    async def _keep_the_batch_told(self) -> None:
        while True:
            await workflow.wait_condition(lambda: self._is_over or rules.standing(self._state) != self._told)
            if self._is_over:
                return
            await self._tell()
            pace = min(_LATEST, _SOONEST * (1 + self._times_told // _AT_EACH_PACE))
            try:
                await workflow.wait_condition(self._is_urgent, timeout=timedelta(seconds=pace))
            except TimeoutError:
                continue

    async def _tell(self) -> None:
        self._told, self._is_telling = rules.standing(self._state), True
        self._times_told += 1
        await say(self._state.batch_id, "stand", self._told)
        self._is_telling = False

    def _is_urgent(self) -> bool:
        now, told = rules.standing(self._state), self._told
        return self._is_over or told is None or (now.pause, now.orders) != (told.pause, told.orders)
