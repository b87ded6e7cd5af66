"""The safety evaluator of a debate: when it is asked, and that its verdict counts before a turn is shown on."""

from collections.abc import Sequence
from typing import Protocol

from protocols.debate.model.history import DebateHistory, SafetyRound, SafetyTrigger, SafetyVerdict
from protocols.debate.model.io import EVALUATOR, DebateInput
from protocols.debate.prompts import calls
from protocols.debate.prompts.call_context import Build, DebateView, RoundContext
from protocols.debate.rules import safety
from protocols.model_call import Answered, Failed, ModelCall, ParticipantId
from protocols.panel import Participant

SAFETY = "safety"


class _Floor(Protocol):
    """What the evaluator needs of the rounds."""

    course: DebateHistory

    @property
    def is_ending(self) -> bool: ...

    async def obtain(
        self, stage: str, seat: ParticipantId, on: RoundContext, build: Build
    ) -> Answered | Failed | None: ...


class SafetyEvaluator:
    """The evaluator's calls in the rounds of one debate."""

    def __init__(self, inp: DebateInput, floor: _Floor) -> None:
        self._inp = inp
        self._floor = floor

    async def judge(self, on: RoundContext, *, at_end: bool = False) -> bool:
        """Have the evaluator judge the turns that are due, and return whether there were any.

        Where the debate ends in this very moment it is not asked, and what words point to is withheld.
        """
        agents = safety.turns_to_judge(self._floor.course, at_end=at_end)
        if agents:
            verdict = None if self._floor.is_ending else await self._verdict(on, agents)
            self._floor.course = safety.apply_verdict(self._floor.course, agents, verdict)
        return bool(agents)

    async def close(self, on: RoundContext) -> SafetyRound:
        """Have the evaluator judge what is left when the round ends, and return what was done for safety in it."""
        called: tuple[SafetyTrigger, ...] = ()
        if on.round == 1 and (called := safety.find_triggers(self._inp)):
            self._floor.course = safety.call_evaluator(self._floor.course)
        await self.judge(on, at_end=True)
        self._floor.course, told = safety.close_safety_round(self._floor.course, called)
        return told

    async def _verdict(self, on: RoundContext, agents: Sequence[ParticipantId]) -> SafetyVerdict | None:
        def build(table: DebateView, sitting: Participant, on: RoundContext) -> ModelCall:
            return calls.evaluation(table, sitting, on, agents)

        reply = await self._floor.obtain(SAFETY, EVALUATOR, on, build)
        if not isinstance(reply, Answered) or reply.reading is None:
            return None
        return SafetyVerdict.model_validate(reply.reading)
