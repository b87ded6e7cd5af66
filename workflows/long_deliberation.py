"""The base class of deliberations of many rounds, which continue in new runs of the same workflow.

Temporal suggests a new run when a history grows long. The state that the next run needs is small and travels in its
input; the turns may be too much for one, so the ledger keeps them and the next run loads them.
"""

import asyncio
from collections.abc import Sequence
from typing import Any, Generic, Protocol, TypeVar

from temporalio import workflow
from temporalio.exceptions import ActivityError, is_cancelled_exception

from protocols.branch import RandomDraws
from protocols.deliberation import ContinueAsNewState, DeliberationInput
from protocols.transcript import ARE_LOADING, Turn
from workflows.activity_calls import load_chapters, save_chapter
from workflows.deliberation import Deliberation, Input, Reason, Result
from workflows.recording import chapter_record
from workflows.short_start import first_run_id

State = TypeVar("State", bound=ContinueAsNewState)


class Rounds(Protocol):
    """The rounds of one run."""

    turns: list[Turn]
    """The turns of this run."""

    @property
    def completed(self) -> int:
        """The number of completed rounds, those of earlier runs included."""

    @property
    def is_stopped(self) -> bool:
        """True once a user stopped it, so that no further round follows."""

    def own_state(self) -> dict[str, Any]:
        """Return the fields of the next run's state that only this protocol has."""


def first_state(inp: DeliberationInput, secret: str) -> dict[str, Any]:
    """Return the fields of the state before the first round that every long deliberation has."""
    info = workflow.info()
    return {
        "panel": inp.panel,
        "spent": inp.spent_before,
        "secret": secret,
        "chapter_key": first_run_id(info),  # after a reset the turns saved before are found
        "started_at": info.workflow_start_time,
        "rehearsal": inp.panel.is_rehearsal,
        "cap": inp.cap,
    }


class LongDeliberation(Deliberation[Input, Result, Reason], Generic[Input, Result, Reason, State]):
    """One deliberation over any number of runs."""

    _rounds: Rounds
    """The rounds of this run."""

    def __init__(self, inp: Input, stages: Sequence[str], state: State, draws: RandomDraws) -> None:
        """Prepare this run; ``state`` is what the run before passed on, or the first state."""
        super().__init__(inp, stages, draws=draws, continued=state)
        self._state = state
        self._earlier: tuple[Turn, ...] = ()

    def _turns_so_far(self) -> Sequence[Turn]:
        """Return the turns of all runs."""
        if len(self._earlier) < self._state.said:
            raise ValueError(f"the turns of earlier runs {ARE_LOADING}; try again in a moment")
        return (*self._earlier, *self._rounds.turns)

    def _rounds_completed(self) -> int:
        return self._rounds.completed

    async def _load_earlier_turns(self) -> None:
        if not self._state.said:
            return
        loading = asyncio.create_task(load_chapters(self._state.chapter_key, self._state.said))
        try:
            self._earlier = (await asyncio.shield(loading)).turns
        except asyncio.CancelledError:
            if not workflow.patched("turns-loaded-first"):
                loading.cancel()
            self._earlier = (await loading).turns  # they belong to the record of the cancelled run
            raise

    async def _continue_as_new_if_suggested(self) -> None:
        """Continue as new where Temporal suggests it, unless a user ends the deliberation in this very moment."""
        if not workflow.info().is_continue_as_new_suggested():
            return
        first, turns = len(self._earlier), self._rounds.turns
        try:
            await save_chapter(chapter_record(self.protocol, self._state.chapter_key, first, turns, self._seats.lost))
        except ActivityError as error:
            if is_cancelled_exception(error):
                raise
            return  # the next run would begin without these turns; this one has them
        await workflow.wait_condition(workflow.all_handlers_finished)
        if not self._rounds.is_stopped:
            workflow.logger.info("run_changed", extra={"rounds": self._rounds_completed()})
            following = self._inp.model_copy(update={"carried": self._next_state(first + len(turns))})
            # What a run wrote into its own memo is not carried over by itself.
            workflow.continue_as_new(following, memo=workflow.memo())

    def _next_state(self, said: int) -> State:
        progress, seats = self._board.progress, self._seats
        shared = {
            "said": said,
            "panel": seats.panel,
            "spent": progress.spent,
            "rehearsal": progress.rehearsal,
            "failed_models": tuple(dict.fromkeys(self._board.lost_models)),
            "flaws": tuple(seats.flaws),
            "cited": tuple(seats.cited),
            "cap": seats.limit.cap,
            "cap_used": seats.limit.used,
        }
        return self._state.model_copy(update={**shared, **self._rounds.own_state()})
