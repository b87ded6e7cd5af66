"""Where a debate waits for a person: a blocked round, a failed objection round, the gate before the synthesis.

Every wait has an end: where no turn of a blocked round is released the debate fails, an escalation that nobody resolves
concludes it flagged, and a gate that nobody opens stays shut. While it waits the list shows it, a query says why and
until when, and no worker is needed.
"""

import asyncio
from collections.abc import Callable
from datetime import timedelta
from typing import Literal

from temporalio import workflow

from protocols.debate.model.history import Approval, Escalation
from protocols.debate.model.io import Approve, DebateInput, ResolveEscalation, StopReason, Waiting
from protocols.debate.rules import interventions, safety, stop_rules
from workflows.debate_rounds import APPROVAL, ESCALATION, RELEASE, DebateRounds

Gate = Literal["escalation", "approval", "release"]


class HumanApprovals:
    """The gates of one debate, and what a person said at them."""

    def __init__(self, inp: DebateInput, floor: DebateRounds) -> None:
        self._inp = inp
        self._floor = floor
        self.waiting: Waiting | None = None
        self.resolution: ResolveEscalation | None = None
        self.answer: Approve | None = None
        self.approval = Approval() if inp.high_stakes else None

    def refuse_unless_waiting(self, gate: Gate) -> None:
        """Refuse an answer that nobody waits for.

        Raises:
            ValueError: the debate does not wait at ``gate``, or has its answer.
        """
        answered = self.resolution if gate == ESCALATION else self.answer
        if self.waiting is None or self.waiting.for_what != gate or answered is not None:
            raise ValueError(f"the debate does not wait for an answer now ({gate})")

    async def release(self) -> stop_rules.Next:
        """Wait for a person to release a turn of the last round, and return what follows."""
        why = safety.blocked_reason(self._floor.course.rounds[-1])
        await self._wait(RELEASE, why, lambda: not safety.is_blocked(self._floor.course))
        if safety.is_blocked(self._floor.course):
            return "stopped" if self._floor.is_stopped else "safety_blocked"
        return stop_rules.decide_next(self._floor.course, self._inp)

    async def escalate(self) -> stop_rules.Next:
        """Wait for a person to decide what a failed objection round comes to; what follows."""
        held = self._floor.course.rounds[-1]
        why = interventions.escalation_reason(held)
        await self._wait(ESCALATION, why, lambda: self.resolution is not None)
        said, self.resolution = self.resolution, None
        if said is None and self._floor.is_stopped:
            return "stopped"
        escalation = Escalation(
            round=held.number,
            why=why,
            decision=said.decision if said else "timed_out",
            note=said.note if said else "",
        )
        self._floor.course = interventions.apply_resolution(self._floor.course, escalation)
        self._floor.board.limit_rounds(self._floor.most_rounds)
        return stop_rules.decide_next(self._floor.course, self._inp)

    async def shut(self) -> StopReason | None:
        """Wait for a person to open the gate, where there is one; how the debate ends when it stays shut."""
        if self.approval is None:
            return None
        await self._wait(APPROVAL, interventions.approval_reason(self._inp), lambda: self.answer is not None)
        said = self.answer
        if said is not None:
            self.approval = Approval(outcome="approved" if said.approved else "refused", note=said.note)
            return None if said.approved else "not_approved"
        if self._floor.is_stopped:
            return "stopped"
        self.approval = Approval(outcome="timed_out")
        return "not_approved"

    async def _wait(self, gate: Gate, why: str, is_answered: Callable[[], bool]) -> None:
        """Wait for an answer, as long as is allowed, or until it is stopped."""
        board, patience = self._floor.board, timedelta(seconds=self._inp.escalation_timeout)
        now = workflow.now()
        self.waiting = Waiting(for_what=gate, why=why, since=now, until=now + patience)
        board.open_stage(gate, [], round_number=max(1, self._floor.course.state.round), phase=gate.upper())
        board.wait_for(f"a person: {gate} until {now + patience:%Y-%m-%d %H:%M} UTC ({why})")
        workflow.logger.info("waiting_for_person", extra={"gate": gate})
        try:
            await workflow.wait_condition(
                lambda: is_answered() or self._floor.is_stopped,
                timeout=patience,
                timeout_summary=gate,
            )
        except TimeoutError:
            workflow.logger.info("nobody_came", extra={"gate": gate})
        except asyncio.CancelledError:
            self._close(gate)
            raise
        # No "finally": the garbage collector closes what a stopped worker leaves here, where no workflow API works.
        self._close(gate)

    def _close(self, gate: Gate) -> None:
        """Show that the debate waits for no person any more."""
        self.waiting = None
        self._floor.board.wait_for("")
        self._floor.board.close_stage(gate)
