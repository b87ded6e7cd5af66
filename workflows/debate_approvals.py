"""The waits of a debate for a user: a blocked round, a failed objection round, the approval of the synthesis.

Every wait has an end: where no turn of a blocked round is released, the debate fails; an escalation without an answer
concludes it flagged; a synthesis without an approval is not written. Meanwhile the list and a query show the wait, and
no worker is needed.
"""

import asyncio
from collections.abc import Callable
from datetime import timedelta
from typing import Literal

from temporalio import workflow

from protocols.debate.model.history import Approval, Escalation
from protocols.debate.model.io import Approve, DebateInput, ResolveEscalation, StopReason, Waiting
from protocols.debate.rules import safety, stop_rules
from workflows.debate_rounds import APPROVAL, ESCALATION, RELEASE, DebateRounds

Gate = Literal["escalation", "approval", "release"]


class HumanApprovals:
    """The gates of one debate, and what a user said at them."""

    def __init__(self, inp: DebateInput, rounds: DebateRounds) -> None:
        self._inp = inp
        self._rounds = rounds
        self.waiting: Waiting | None = None
        self.resolution: ResolveEscalation | None = None
        self.answer: Approve | None = None
        self.approval = Approval() if inp.high_stakes else None

    def refuse_unless_waiting(self, gate: Gate) -> None:
        """Refuse an answer that is not waited for.

        Raises:
            ValueError: the debate does not wait at ``gate``, or has its answer.
        """
        answered = self.resolution if gate == ESCALATION else self.answer
        if self.waiting is None or self.waiting.for_what != gate or answered is not None:
            raise ValueError(f"the debate does not wait for an answer now ({gate})")

    async def release(self) -> stop_rules.Next:
        """Wait for a user to release a turn of the last round, and return what follows."""
        why = safety.blocked_reason(self._rounds.course.rounds[-1])
        await self._wait(RELEASE, why, lambda: not safety.is_blocked(self._rounds.course))
        if safety.is_blocked(self._rounds.course):
            return "stopped" if self._rounds.is_stopped else "safety_blocked"
        return stop_rules.decide_next(self._rounds.course, self._inp)

    async def escalate(self) -> stop_rules.Next:
        """Wait for a user to decide a failed objection round, and return what follows."""
        last = self._rounds.course.rounds[-1]
        why = stop_rules.escalation_reason(last)
        await self._wait(ESCALATION, why, lambda: self.resolution is not None)
        resolution, self.resolution = self.resolution, None
        if resolution is None and self._rounds.is_stopped:
            return "stopped"
        escalation = Escalation(
            round=last.number,
            why=why,
            decision=resolution.decision if resolution else "timed_out",
            note=resolution.note if resolution else "",
        )
        self._rounds.course = stop_rules.apply_resolution(self._rounds.course, escalation)
        self._rounds.board.show(rounds=self._rounds.most_rounds)
        return stop_rules.decide_next(self._rounds.course, self._inp)

    async def await_approval(self) -> StopReason | None:
        """Wait for the approval of the synthesis, where one is required; return the stop reason when there is none."""
        if self.approval is None:
            return None
        await self._wait(APPROVAL, stop_rules.approval_reason(self._inp), lambda: self.answer is not None)
        answer = self.answer
        if answer is not None:
            self.approval = Approval(outcome="approved" if answer.approved else "refused", note=answer.note)
            return None if answer.approved else "not_approved"
        if self._rounds.is_stopped:
            return "stopped"
        self.approval = Approval(outcome="timed_out")
        return "not_approved"

    async def _wait(self, gate: Gate, why: str, is_answered: Callable[[], bool]) -> None:
        board, patience = self._rounds.board, timedelta(seconds=self._inp.escalation_timeout)
        now = workflow.now()
        self.waiting = Waiting(for_what=gate, why=why, since=now, until=now + patience)
        board.open_stage(gate, [], round_number=max(1, self._rounds.course.state.round), phase=gate.upper())
        board.show(waits_for=f"a user's {gate} until {now + patience:%Y-%m-%d %H:%M} UTC ({why})")
        workflow.logger.info("waiting_for_person", extra={"gate": gate})
        try:
            await workflow.wait_condition(
                lambda: is_answered() or self._rounds.is_stopped, timeout=patience, timeout_summary=gate
            )
        except TimeoutError:
            workflow.logger.info("wait_timed_out", extra={"gate": gate})
        except asyncio.CancelledError:
            self._close(gate)
            raise
        # No "finally": the garbage collector closes what a stopped worker leaves here, where no workflow API works.
        self._close(gate)

    def _close(self, gate: Gate) -> None:
        self.waiting = None
        self._rounds.board.show(waits_for="")
        self._rounds.board.close_stage(gate)
