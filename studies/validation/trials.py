"""Holding trials: every case in every mode, so many at once, and what came out of each.

A deliberation that fails is a trial without a falsehood; the others go on. An interruption cancels what is being held,
because nobody is left who wants to know.
"""

import asyncio
from collections.abc import Callable, Coroutine, Sequence
from typing import Any

from temporalio.service import RPCError

from parley.errors import DeliberationFailedError, ParleyError
from protocols.exchange import Spent
from protocols.fire_circle.model import Mode
from protocols.fire_circle.modes import EvaluateResult, FireCircleResult
from studies.validation.cases import Case
from studies.validation.scores import MODES, Named, Trial

Outcome = FireCircleResult | EvaluateResult

Judge = Callable[[Case, Mode], Coroutine[Any, Any, Outcome]]
"""Holds one deliberation; raises ``ParleyError`` or Temporal's ``RPCError`` when there is no verdict."""

Heard = Callable[[int, int, Trial], None]
"""Told how many trials are over, of how many, and the last of them."""


async def hold(cases: Sequence[Case], judge: Judge, *, window: int, heard: Heard) -> tuple[Trial, ...]:
    """Try every case in every mode, at most ``window`` at once; the trials in the order of the cases."""
    places = asyncio.Semaphore(window)
    wanted = [(case, mode) for case in cases for mode in MODES]
    over = 0

    async def one(case: Case, mode: Mode) -> Trial:
        nonlocal over
        async with places:
            trial = await _held(case, mode, judge)
        over += 1
        heard(over, len(wanted), trial)
        return trial

    async with asyncio.TaskGroup() as group:
        tasks = [group.create_task(one(case, mode)) for case, mode in wanted]
    return tuple(task.result() for task in tasks)


def trial_of(case: Case, mode: Mode, result: Outcome) -> Trial:
    """What ``result`` says of ``case``."""
    is_incomplete = result.partial or bool(result.failed)
    trial = Trial(case=case.id, mode=mode, partial=is_incomplete, spent=result.spent, rehearsal=result.rehearsal)
    if result.verdict is None:
        return trial.model_copy(update={"error": f"ended without a verdict ({result.stop_reason})"})
    if isinstance(result, EvaluateResult):
        return trial.model_copy(update={"falsehood": result.falsehood, "highest": result.highest})
    highest = result.consensus.highest.falsehood if result.consensus else None
    named = tuple(Named(type=one.pattern_type, models=len(one.models_observing)) for one in result.patterns)
    found = {"falsehood": highest, "highest": highest, "influence": result.empty_chair_influence, "patterns": named}
    return trial.model_copy(update=found)


async def _held(case: Case, mode: Mode, judge: Judge) -> Trial:
    try:
        return trial_of(case, mode, await judge(case, mode))
    except (ParleyError, RPCError) as error:
        broken = error.result if isinstance(error, DeliberationFailedError) else None
        return Trial(
            case=case.id,
            mode=mode,
            partial=True,
            error=str(error) or type(error).__name__,
            spent=broken.spent if broken else Spent(),
            rehearsal=bool(broken and broken.rehearsal),
        )
