"""The cap of a running deliberation: the highest cost of its calls is reserved before they are made.

A reservation is the most that a call may cost; once the call has ended, its own cost takes that place. So calls
that do not fit beside those in flight wait for them first. Only where nothing is in flight and they still do not
fit, the cap is reached: the deliberation ends with its result so far, or waits until a user raises the cap or stops
it.
"""

import asyncio
from collections.abc import Callable, Sequence

from temporalio import workflow

from protocols.cost_text import limit
from protocols.model_call import Answered, Failed, ModelCall, ModelId
from protocols.spending import Reported
from protocols.spending_cap import UNUSED, CapReport, CapUse, SpendingCap, is_refused, total
from protocols.update_requests import BudgetChange, TokenPrice
from workflows.progress_board import ProgressBoard

_PAID_REFUSALS, _BILLED_LOSSES = "paid-refusals", "billed-losses"
"""What the attempts before a refusal took counts, and what broke off; it decides which calls follow."""


class SpendingLimit:
    """The cap of one run, and what counts against it; without a ``cap`` everything fits."""

    def __init__(self, cap: SpendingCap | None, board: ProgressBoard, used: CapUse = UNUSED) -> None:
        self.cap = cap
        self.used = used
        """What counts for calls that are over, in the runs before too."""
        self.left_out = ""
        """Why calls were not made, in one sentence; blank while all fit."""
        self._board = board
        self._reserved: dict[str, CapUse] = {}
        self._waits: list[tuple[str, CapUse]] = []
        self._show()

    @property
    def is_set(self) -> bool:
        """True where there is a limit."""
        return self.cap is not None

    @property
    def report(self) -> CapReport | None:
        """The limits and their use."""
        return None if self.cap is None else self.cap.report(self._counted, self.left_out, self._needed)

    def bounded(self, call: ModelCall) -> ModelCall:
        """Return ``call`` with a limit on its reply, where there is a cap."""
        return call if self.cap is None else self.cap.bounded(call)

    def change(self, change: BudgetChange) -> None:
        """Use other limits from now on; calls that wait for them begin."""
        self.cap = (self.cap or SpendingCap()).changed(change)
        self._show()

    def add_price(self, model: ModelId, price: TokenPrice | None) -> None:
        """Count calls of ``model`` at ``price``, where it is known."""
        self.cap = self.cap and self.cap.priced(model, price)

    def refuse_change(self, change: BudgetChange) -> None:
        """Refuse limits that cannot be kept.

        Raises:
            ValueError: it has no budget, or a limit in dollars would need prices that it does not know.
        """
        if self.cap is None:
            raise ValueError("it was started without a budget, so none can be set now; start it with one")
        if change.usd is not None and not (self.cap.prices or self.cap.assumed):
            raise ValueError(
                "it was started without a limit in dollars, so it does not know the prices of its models; set a limit "
                "in tokens, or start it with --budget-usd"
            )

    def refuse_unpriced(self, model: ModelId, price: TokenPrice | None) -> None:
        """Refuse a model of unknown price in a deliberation with a limit in dollars.

        Raises:
            ValueError: it is.
        """
        cap = self.cap
        if cap is not None and cap.usd is not None and cap.priced(model, price).price_of(model) is None:
            raise ValueError(
                f"the price of {model!r} is not known, so the limit of {limit(cap.usd)} could not be kept with it; "
                "choose a model of the price list, or take the limit away: parley budget ID --usd none"
            )

    def reserve_now(self, calls: Sequence[ModelCall]) -> bool:
        """Reserve the highest cost of ``calls``, if it fits now."""
        wanted = self._wanted(calls)
        if not self._fits(wanted):
            return False
        self._reserved |= wanted
        self._show()
        return True

    async def reserve(self, calls: Sequence[ModelCall], is_obsolete: Callable[[], bool]) -> bool:
        """Reserve the highest cost of ``calls``; return false where they are not to be made.

        Calls in flight are waited for first, a user only where the cap says so. ``is_obsolete`` ends the wait.
        """
        while not self.reserve_now(calls):
            if self._reserved:
                await workflow.wait_condition(
                    lambda: self._fits(self._wanted(calls)) or not self._reserved or is_obsolete()
                )
            elif self.cap is not None and self.cap.on_budget == "wait":
                await self._wait_for_person(calls, is_obsolete)
            else:
                self.left_out = self._shortage(calls)
                return False
            if is_obsolete():
                return False
        return True

    def settle(self, call: ModelCall, reply: Answered | Failed | None) -> None:
        """Count what a call used in place of its reservation; ``None`` was given up in the middle."""
        if self.cap is None or self._reserved.pop(call.call_id, None) is None:
            return
        used = self.cap.used_by(call, reply)
        if is_refused(reply) and used != UNUSED:
            rule = _PAID_REFUSALS if Reported.of(reply).is_known else _BILLED_LOSSES
            used = used if workflow.patched(rule) else UNUSED
        self.used = total((self.used, used))
        self._show()

    async def _wait_for_person(self, calls: Sequence[ModelCall], is_obsolete: Callable[[], bool]) -> None:
        """Wait until ``calls`` fit, or need not be made."""
        shortage = self._shortage(calls), total((self._counted, *self._wanted(calls).values()))
        self._show_wait([*self._waits, shortage])
        workflow.logger.info("waiting_for_budget", extra={"calls": len(calls), "stage": calls[0].stage})
        try:
            await workflow.wait_condition(lambda: self._fits(self._wanted(calls)) or is_obsolete())
        except asyncio.CancelledError:
            self._end_wait(shortage)
            raise
        # No "finally": the garbage collector closes what a stopped worker leaves here, where no workflow API works.
        self._end_wait(shortage)

    def _end_wait(self, shortage: tuple[str, CapUse]) -> None:
        left = list(self._waits)
        left.remove(shortage)
        self._show_wait(left)

    def _show_wait(self, waits: list[tuple[str, CapUse]]) -> None:
        """Show the first of the waits for a user, where it is another one than before."""
        before, self._waits = self._waits, waits
        if waits[:1] != before[:1]:
            self._show()
            self._board.wait_for_budget(waits[0][0] if waits else "")

    def _wanted(self, calls: Sequence[ModelCall]) -> dict[str, CapUse]:
        """Return the highest cost of those of ``calls`` without a reservation."""
        if self.cap is None:
            return {}
        return {call.call_id: self.cap.most(call) for call in calls if call.call_id not in self._reserved}

    def _fits(self, wanted: dict[str, CapUse]) -> bool:
        return self.cap is None or not wanted or self.cap.fits(total((self._counted, *wanted.values())))

    @property
    def _needed(self) -> CapUse | None:
        return self._waits[0][1] if self._waits else None

    @property
    def _counted(self) -> CapUse:
        return total((self.used, *self._reserved.values()))

    def _shortage(self, calls: Sequence[ModelCall]) -> str:
        cap = self.cap or SpendingCap()
        return cap.shortage(calls[0].stage, tuple(self._wanted(calls).values()), self._counted)

    def _show(self) -> None:
        if self.cap is not None and (budget := self.report) is not None:
            self._board.show(budget=budget)
